/* Loops and rows that peers in C++ share whose libraries have these functions in vectors: each defines LOOP
 * or its own functions of these names before it lists the rows. */
#ifndef ACTGEN_PEER_FUNCTIONS_H
#define ACTGEN_PEER_FUNCTIONS_H

#include "bench.h"

/* Defines a function of arrays from one of vectors, by the library's own Loop. V is the type of a vector. */
#define VECTOR_FUNCTION(name, expression)                                                                    \
    void name(std::size_t n, const float *in, float *out)                                                    \
    {                                                                                                        \
        Loop(n, in, out, [](V x) { return expression; });                                                    \
    }

/* Rows of the functions of these names. The texts say how the library computes silu and sigmoid. */
#define PEER_ROWS_BY_FUNCTIONS(gated, sigmoid_text)                                                          \
    PEER_LOOP("gelu_sigmoid", gated, gelu_sigmoid), PEER_LOOP("silu", gated, silu),                          \
        PEER_LOOP("softplus", "log1p, exp", softplus), PEER_LOOP("tanh", "", tanh),                          \
        PEER_LOOP("sigmoid", sigmoid_text, sigmoid), PEER_LOOP("mish", "tanh, log1p, exp", mish),            \
        PEER_LOOP("elu", "expm1", elu), PEER_LOOP("exp", "", exp), PEER_LOOP("log", "", log),                \
        PEER_LOOP("log2", "", log2), PEER_LOOP("log10", "", log10), PEER_LOOP("log1p", "", log1p),           \
        PEER_LOOP("asinh", "", asinh), PEER_LOOP("acosh", "", acosh), PEER_LOOP("atanh", "", atanh)

#endif
