/* Functions by x/(1 + exp(-x)), for libraries that have exp in vectors. The file that includes this one
 * defines exp_vector before. */
#ifndef ACTGEN_PEER_BY_EXP_H
#define ACTGEN_PEER_BY_EXP_H

#include "peer_vectors.h"

static vector gated(vector x, vector scaled) { return divide(x, add(c(1), exp_vector(scaled))); }
static vector gelu_tanh(vector x) /* x * sigmoid(2u), which equals 0.5*x*(1 + tanh(u)) */
{
    const vector cubic = multiply_add(mul(mul(x, x), x), c(0.044715f), x);
    return gated(x, mul(cubic, c(-1.59576912f)));
}
static vector gelu_sigmoid(vector x) { return gated(x, mul(x, c(-1.702f))); }
static vector silu(vector x) { return gated(x, mul(x, c(-1))); }
static vector sigmoid(vector x) { return gated(c(1), mul(x, c(-1))); }

VECTOR_LOOP(gelu_tanh)
VECTOR_LOOP(gelu_sigmoid)
VECTOR_LOOP(silu)
VECTOR_LOOP(sigmoid)
VECTOR_LOOP(exp_vector)
VECTOR_GATE(silu)

/* Their rows; `exp` is the text that names the library's exp. */
#define PEER_ROWS_BY_EXP(exp)                                                                                \
    PEER_LOOP("gelu_tanh", "x/(1+" exp ")", gelu_tanh_loop),                                                 \
        PEER_LOOP("gelu_sigmoid", "x/(1+" exp ")", gelu_sigmoid_loop),                                       \
        PEER_LOOP("silu", "x/(1+" exp ")", silu_loop), PEER_LOOP("sigmoid", "1/(1+" exp ")", sigmoid_loop),  \
        PEER_GATE("swiglu", "x/(1+" exp ")", silu_gate)

#endif
