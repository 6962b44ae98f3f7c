/* Compiles quick_lanes.c for processors with AVX-512 (F, DQ and VL). See room.cmake. */
#define QUICK_TABLE quick_ops_avx512
#define QUICK_FMA
#include "quick_lanes.c"
