/* quick_lanes.c compiled for processors with AVX-512 (F, DQ and VL); see room.cmake. */
#define QUICK_TABLE quick_ops_avx512
#define QUICK_FMA
#include "quick_lanes.c"
