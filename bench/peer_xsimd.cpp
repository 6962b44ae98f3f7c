// xsimd's math functions in the loop that a user would write: full vectors, then one element at a time by the
// same functions on a copy of the tail. Compiled for AVX-512 and for AVX2.
#include "peer_functions.h"

#include <cstring>
#include <xsimd/xsimd.hpp>

namespace
{
using V = xsimd::batch<float>;

V Gated(V x, V scaled) { return x / (V(1) + xsimd::exp(scaled)); }
V Softplus(V x) { return xsimd::max(x, V(0)) + xsimd::log1p(xsimd::exp(-xsimd::abs(x))); }

template <typename F> void Loop(std::size_t n, const float *x, float *y, F f)
{
    std::size_t i = 0;
    for (; i + V::size <= n; i += V::size) f(V::load_unaligned(x + i)).store_unaligned(y + i);
    if (i == n) return;
    float tail[V::size] = {0};
    std::memcpy(tail, x + i, (n - i) * sizeof(float));
    f(V::load_unaligned(tail)).store_unaligned(tail);
    std::memcpy(y + i, tail, (n - i) * sizeof(float));
}

VECTOR_FUNCTION(gelu, V(0.5f) * x * (V(1) + xsimd::erf(x * V(0.70710678f))))
VECTOR_FUNCTION(gelu_sigmoid, Gated(x, x *V(-1.702f)))
VECTOR_FUNCTION(silu, Gated(x, -x))
VECTOR_FUNCTION(softplus, Softplus(x))
VECTOR_FUNCTION(tanh, xsimd::tanh(x))
VECTOR_FUNCTION(sigmoid, Gated(V(1), -x))
VECTOR_FUNCTION(mish, x *xsimd::tanh(Softplus(x)))
VECTOR_FUNCTION(elu, xsimd::select(x > V(0), x, xsimd::expm1(x)))
VECTOR_FUNCTION(exp, xsimd::exp(x))
VECTOR_FUNCTION(log, xsimd::log(x))
VECTOR_FUNCTION(log2, xsimd::log2(x))
VECTOR_FUNCTION(log10, xsimd::log10(x))
VECTOR_FUNCTION(log1p, xsimd::log1p(x))
VECTOR_FUNCTION(asinh, xsimd::asinh(x))
VECTOR_FUNCTION(acosh, xsimd::acosh(x))
VECTOR_FUNCTION(atanh, xsimd::atanh(x))

const peer_row rows[] = {
    PEER_LOOP("gelu", "erf", gelu),
    PEER_ROWS_BY_FUNCTIONS("x/(1+exp)", "1/(1+exp)"),
    PEER_ROWS_END,
};
} // namespace

extern "C" const peer PEER = {
    "xsimd " PEER_VERSION(XSIMD_VERSION_MAJOR, XSIMD_VERSION_MINOR, XSIMD_VERSION_PATCH), ISA, nullptr, rows};
