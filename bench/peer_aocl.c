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
static vector exp_vector(vector x) { return exp_(x); }
#include "peer_by_exp.h"

static vector softplus(vector x)
{
    return add(most(c(0), x), log_(add(c(1), exp_(negative_abs(x))))); /* in this order, NaN passes through */
}
static vector mish(vector x) { return mul(x, tanh_(softplus(x))); }
static vector tanh_vector(vector x) { return tanh_(x); }
static vector log_vector(vector x) { return log_(x); }

VECTOR_LOOP(gelu)
VECTOR_LOOP(softplus)
VECTOR_LOOP(mish)
VECTOR_LOOP(tanh_vector)
VECTOR_LOOP(log_vector)
VECTOR_GATE(gelu)

/* The interface has no const, but only reads the inputs. */
static void exp_of_array(size_t n, const float *x, float *y) { exp_array((int)n, (void *)(uintptr_t)x, y); }
static void log_of_array(size_t n, const float *x, float *y) { log_array((int)n, (void *)(uintptr_t)x, y); }

static const struct peer_row rows[] = {
    PEER_LOOP("gelu", "erf", gelu_loop),
    PEER_ROWS_BY_EXP("exp"),
    PEER_LOOP("softplus", "log, exp", softplus_loop),
    PEER_LOOP("tanh", "", tanh_vector_loop),
    PEER_LOOP("mish", "tanh, log, exp", mish_loop),
    PEER_LOOP("exp", "vectors", exp_vector_loop),
    PEER_LOOP("exp", "arrays", exp_of_array),
    PEER_LOOP("log", "vectors", log_vector_loop),
    PEER_LOOP("log", "arrays", log_of_array),
    PEER_GATE("geglu", "erf", gelu_gate),
    PEER_ROWS_END,
};

const struct peer PEER = {"AOCL-LibM" VERSION, ISA, start, rows};
