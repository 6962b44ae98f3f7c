// Eigen's array expressions. Compiled for AVX-512 and for AVX2.
#include "peer_functions.h"

#include <Eigen/Core>
#include <unsupported/Eigen/SpecialFunctions>

namespace
{
using In = Eigen::Map<const Eigen::ArrayXf>;
using Out = Eigen::Map<Eigen::ArrayXf>;

#define LOOP(name, expression)                                                                               \
    void name(std::size_t n, const float *in, float *out)                                                    \
    {                                                                                                        \
        const In x(in, static_cast<Eigen::Index>(n));                                                        \
        Out(out, static_cast<Eigen::Index>(n)) = expression;                                                 \
    }

LOOP(gelu, 0.5f * x * (1.0f + (x * 0.70710678f).erf()))
LOOP(gelu_tanh, 0.5f * x * (1.0f + (0.79788456f * (x + 0.044715f * x * x * x)).tanh()))
LOOP(gelu_sigmoid, x *(1.702f * x).logistic())
LOOP(silu, x *x.logistic())
LOOP(softplus, x.max(0.0f) + (-x.abs()).exp().log1p())
LOOP(tanh, x.tanh())
LOOP(sigmoid, x.logistic())
LOOP(mish, x *(x.max(0.0f) + (-x.abs()).exp().log1p()).tanh())
LOOP(elu, (x > 0.0f).select(x, x.expm1()))
LOOP(exp, x.exp())
LOOP(log, x.log())
LOOP(log2, x.log2())
LOOP(log10, x.log10())
LOOP(log1p, x.log1p())
LOOP(asinh, x.asinh())
LOOP(acosh, x.acosh())
LOOP(atanh, x.atanh())

#define GATE(name, expression)                                                                               \
    void name(std::size_t n, const float *in, const float *up_in, float *out)                                \
    {                                                                                                        \
        const In x(in, static_cast<Eigen::Index>(n)), up(up_in, static_cast<Eigen::Index>(n));               \
        Out(out, static_cast<Eigen::Index>(n)) = expression;                                                 \
    }

GATE(swiglu, x *x.logistic() * up)
GATE(geglu, 0.5f * x * (1.0f + (x * 0.70710678f).erf()) * up)

const peer_row rows[] = {
    PEER_LOOP("gelu", "erf", gelu),
    PEER_LOOP("gelu_tanh", "tanh", gelu_tanh),
    PEER_ROWS_BY_FUNCTIONS("logistic", "logistic"),
    PEER_GATE("swiglu", "logistic", swiglu),
    PEER_GATE("geglu", "erf", geglu),
    PEER_ROWS_END,
};
} // namespace

extern "C" const peer PEER = {
    "Eigen " PEER_VERSION(EIGEN_WORLD_VERSION, EIGEN_MAJOR_VERSION, EIGEN_MINOR_VERSION), ISA, nullptr, rows};
