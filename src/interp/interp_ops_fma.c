/* interp_ops.c compiled for processors with AVX2 and FMA; see room.cmake. */
#define INTERP_TABLE interp_ops_fma
#include "interp_ops.c"
