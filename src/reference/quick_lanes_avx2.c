/* quick_lanes.c compiled for processors with AVX2 and FMA; see room.cmake. */
#define QUICK_TABLE quick_ops_avx2
#define QUICK_FMA
#include "quick_lanes.c"
