/* AOCL-LibM's vector functions, in the loops that a user would write, and its functions of arrays. Compiled
 * for AVX-512 and for AVX2. The library chooses the code for the processor.
 *
 * PATH is the library. It is opened at the start and never linked, because its expf and others would replace
 * those of libm. Nothing in its headers tells its version, so VERSION is what the user says. */
#include "bench.h"
#include "peer_vectors.h"

#define AMD_LIBM_VEC_EXPERIMENTAL /* its header asks for this */
#include <amdlibm_vec.h>
#include <dlfcn.h>
#include <string.h>

/* X(name, function): the functions in use, by the library's names. */
#if defined(__AVX512F__)
#define VECTOR_FUNCTIONS(X)                                                                                  \
    X(exp_, amd_vrs16_expf) X(log_, amd_vrs16_logf) X(tanh_, amd_vrs16_tanhf) X(erf_, amd_vrs16_erff)
#else
#define VECTOR_FUNCTIONS(X)                                                                                  \
    X(exp_, amd_vrs8_expf) X(log_, amd_vrs8_logf) X(tanh_, amd_vrs8_tanhf) X(erf_, amd_vrs8_erff)
#endif
#define FUNCTIONS(X) VECTOR_FUNCTIONS(X) X(exp_array, amd_vrsa_expf) X(log_array, amd_vrsa_logf)

#define POINTER(name, function) static __typeof__(function) *name;
FUNCTIONS(POINTER)

static bool start(void)
{
    void *library = dlopen(PATH, RTLD_NOW | RTLD_LOCAL);
    if (!library) fprintf(stderr, "actgen_bench: %s\n", dlerror());
    if (!library) return false;
    bool all = true;
    void *symbol;
#define FIND(name, function)                                                                                 \
    symbol = dlsym(library, #function);                                                                      \
    if (!symbol) fprintf(stderr, "actgen_bench: %s has no %s\n", PATH, #function);                           \
    all = all && symbol;                                                                                     \
    memcpy(&name, &symbol, sizeof symbol);
    FUNCTIONS(FIND)
    return all;
}

static vector gelu(vector x) { return mul(mul(x, c(0.5f)), add(c(1), erf_(mul(x, c(0.70710678f))))); }
static vector gated(vector x, vector scaled) { return divide(x, add(c(1), exp_(scaled))); }
static vector gelu_tanh(vector x) /* x * sigmoid(2u), which equals 0.5*x*(1 + tanh(u)) */
{
    const vector cubic = multiply_add(mul(mul(x, x), x), c(0.044715f), x);
    return gated(x, mul(cubic, c(-1.59576912f)));
}
static vector gelu_sigmoid(vector x) { return gated(x, mul(x, c(-1.702f))); }
static vector silu(vector x) { return gated(x, mul(x, c(-1))); }
static vector sigmoid(vector x) { return gated(c(1), mul(x, c(-1))); }
static vector softplus(vector x)
{
    return add(most(c(0), x), log_(add(c(1), exp_(negative_abs(x))))); /* in this order, NaN passes through */
}
static vector mish(vector x) { return mul(x, tanh_(softplus(x))); }
static vector tanh_vector(vector x) { return tanh_(x); }
static vector exp_vector(vector x) { return exp_(x); }
static vector log_vector(vector x) { return log_(x); }

PEER_LOOP(gelu)
PEER_LOOP(gelu_tanh)
PEER_LOOP(gelu_sigmoid)
PEER_LOOP(silu)
PEER_LOOP(sigmoid)
PEER_LOOP(softplus)
PEER_LOOP(mish)
PEER_LOOP(tanh_vector)
PEER_LOOP(exp_vector)
PEER_LOOP(log_vector)
PEER_GATE(silu)
PEER_GATE(gelu)

/* The interface has no const, but only reads the inputs. */
static void exp_of_array(size_t n, const float *x, float *y) { exp_array((int)n, (void *)(uintptr_t)x, y); }
static void log_of_array(size_t n, const float *x, float *y) { log_array((int)n, (void *)(uintptr_t)x, y); }

static const struct peer_row rows[] = {
    {"gelu", "erf", gelu_loop},
    {"gelu_tanh", "x/(1+exp)", gelu_tanh_loop},
    {"gelu_sigmoid", "x/(1+exp)", gelu_sigmoid_loop},
    {"silu", "x/(1+exp)", silu_loop},
    {"softplus", "log, exp", softplus_loop},
    {"tanh", "", tanh_vector_loop},
    {"sigmoid", "1/(1+exp)", sigmoid_loop},
    {"mish", "tanh, log, exp", mish_loop},
    {"exp", "vectors", exp_vector_loop},
    {"exp", "arrays", exp_of_array},
    {"log", "vectors", log_vector_loop},
    {"log", "arrays", log_of_array},
    {NULL, NULL, NULL},
};

static const struct gate_row gates[] = {
    {"swiglu", "x/(1+exp)", silu_gate},
    {"geglu", "erf", gelu_gate},
    {NULL, NULL, NULL},
};

const struct peer PEER = {"AOCL-LibM" VERSION, ISA, start, rows, NULL, gates};
