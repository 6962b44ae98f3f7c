/* Compiles interp_ops.c for processors with AVX2 and FMA. See room.cmake. These processors have an
 * instruction that rounds to integers. Others would call a function for each lane. */
#define INTERP_TABLE interp_ops_fma
#define INTERP_ROUNDS
#include "interp_ops.c"
