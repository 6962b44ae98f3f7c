// xsimd's math functions in the loop that a user would write: full vectors, then one element at a time by the same
// functions on a copy of the tail. Compiled for AVX-512 and for AVX2.
#include "bench.h"

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

#define LOOP(name, expression)                                                                               \
    void name(std::size_t n, const float *in, float *out)                                                    \
    {                                                                                                        \
        Loop(n, in, out, [](V x) { return expression; });                                                    \
    }
LOOP(gelu, V(0.5f) * x *(V(1) + xsimd::erf(x * V(0.70710678f))))
LOOP(gelu_sigmoid, Gated(x, x *V(-1.702f)))
LOOP(silu, Gated(x, -x))
LOOP(softplus, Softplus(x))
LOOP(tanh, xsimd::tanh(x))
LOOP(sigmoid, Gated(V(1), -x))
LOOP(mish, x *xsimd::tanh(Softplus(x)))
LOOP(elu, xsimd::select(x > V(0), x, xsimd::expm1(x)))
LOOP(exp, xsimd::exp(x))
LOOP(log, xsimd::log(x))

const peer_row rows[] = {
    PEER_LOOP("gelu", "erf", gelu),
    PEER_LOOP("gelu_sigmoid", "x/(1+exp)", gelu_sigmoid),
    PEER_LOOP("silu", "x/(1+exp)", silu),
    PEER_LOOP("softplus", "log1p, exp", softplus),
    PEER_LOOP("tanh", "", tanh),
    PEER_LOOP("sigmoid", "1/(1+exp)", sigmoid),
    PEER_LOOP("mish", "tanh, log1p, exp", mish),
    PEER_LOOP("elu", "expm1", elu),
    PEER_LOOP("exp", "", exp),
    PEER_LOOP("log", "", log),
    PEER_ROWS_END,
};
} // namespace

extern "C" const peer PEER = {
    "xsimd " PEER_VERSION(XSIMD_VERSION_MAJOR, XSIMD_VERSION_MINOR, XSIMD_VERSION_PATCH), ISA, nullptr, rows};
