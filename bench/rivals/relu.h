/* The body of relu_<isa>.c: a ReLU that the C compiler compiles for that file's instruction set. */
#include "rivals.h"

void RELU_NAME(size_t n, const float *restrict in, float *restrict out)
{
    for (size_t i = 0; i < n; i++) out[i] = in[i] > 0 ? in[i] : 0;
}
