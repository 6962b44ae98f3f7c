/* Compiles quick_lanes.c for processors with AVX2 and FMA. See room.cmake. */
#define QUICK_TABLE quick_ops_avx2
#define QUICK_FMA
#include "quick_lanes.c"
