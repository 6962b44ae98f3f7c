/* interp_ops.c compiled for processors with AVX2 and FMA; see room.cmake. They round to integers by an
 * instruction, for which others would call a function a lane. */
#define INTERP_TABLE interp_ops_fma
#define INTERP_ROUNDS
#include "interp_ops.c"
