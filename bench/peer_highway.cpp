// Highway's math functions (hwy/contrib/math), for the one instruction set that this file is compiled for. It
// has no erf in the version packaged by Debian 12, hence no exact GELU.
#include "peer_functions.h"

#include <hwy/contrib/math/math-inl.h>
#include <hwy/highway.h>

namespace
{
namespace hn = hwy::HWY_NAMESPACE;
using D = hn::ScalableTag<float>;
using V = hn::Vec<D>;
constexpr D d;

V C(float value) { return hn::Set(d, value); }
V Gated(V x, V scaled) { return hn::Div(x, hn::Add(C(1), hn::Exp(d, scaled))); }
V Softplus(V x) { return hn::Add(hn::Max(x, C(0)), hn::Log1p(d, hn::Exp(d, hn::Neg(hn::Abs(x))))); }
V GeluTanh(V x)
{
    const V u = hn::Mul(C(0.79788456f), hn::MulAdd(hn::Mul(hn::Mul(x, x), x), C(0.044715f), x));
    return hn::Mul(hn::Mul(C(0.5f), x), hn::Add(C(1), hn::Tanh(d, u)));
}

template <typename F> void Loop(std::size_t n, const float *x, float *y, F f)
{
    const std::size_t lanes = hn::Lanes(d);
    std::size_t i = 0;
    for (; i + lanes <= n; i += lanes) hn::StoreU(f(hn::LoadU(d, x + i)), d, y + i);
    if (i == n) return;
    const auto mask = hn::FirstN(d, n - i);
    hn::BlendedStore(f(hn::MaskedLoad(mask, d, x + i)), mask, d, y + i);
}

VECTOR_FUNCTION(gelu_tanh, GeluTanh(x))
VECTOR_FUNCTION(gelu_sigmoid, Gated(x, hn::Mul(x, C(-1.702f))))
VECTOR_FUNCTION(silu, Gated(x, hn::Neg(x)))
VECTOR_FUNCTION(softplus, Softplus(x))
VECTOR_FUNCTION(tanh, hn::Tanh(d, x))
VECTOR_FUNCTION(sigmoid, Gated(C(1), hn::Neg(x)))
VECTOR_FUNCTION(mish, hn::Mul(x, hn::Tanh(d, Softplus(x))))
VECTOR_FUNCTION(elu, hn::IfThenElse(hn::Gt(x, C(0)), x, hn::Expm1(d, x)))
VECTOR_FUNCTION(exp, hn::Exp(d, x))
VECTOR_FUNCTION(log, hn::Log(d, x))
VECTOR_FUNCTION(log2, hn::Log2(d, x))
VECTOR_FUNCTION(log10, hn::Log10(d, x))
VECTOR_FUNCTION(log1p, hn::Log1p(d, x))
VECTOR_FUNCTION(asinh, hn::Asinh(d, x))
VECTOR_FUNCTION(acosh, hn::Acosh(d, x))
VECTOR_FUNCTION(atanh, hn::Atanh(d, x))

void swiglu(std::size_t n, const float *x, const float *up, float *y)
{
    const std::size_t lanes = hn::Lanes(d);
    std::size_t i = 0;
    for (; i + lanes <= n; i += lanes) {
        const V v = hn::LoadU(d, x + i);
        hn::StoreU(hn::Mul(Gated(v, hn::Neg(v)), hn::LoadU(d, up + i)), d, y + i);
    }
    if (i == n) return;
    const auto mask = hn::FirstN(d, n - i);
    const V v = hn::MaskedLoad(mask, d, x + i);
    hn::BlendedStore(hn::Mul(Gated(v, hn::Neg(v)), hn::MaskedLoad(mask, d, up + i)), mask, d, y + i);
}

const peer_row rows[] = {
    PEER_LOOP("gelu_tanh", "tanh", gelu_tanh),
    PEER_ROWS_BY_FUNCTIONS("x/(1+exp)", "1/(1+exp)"),
    PEER_GATE("swiglu", "x/(1+exp)", swiglu),
    PEER_ROWS_END,
};
} // namespace

extern "C" const peer PEER = {"Highway " PEER_VERSION(HWY_MAJOR, HWY_MINOR, HWY_PATCH), ISA, nullptr, rows};
