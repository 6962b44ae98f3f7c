/* Calls functions of the vector ABI for arrays. It stands outside of src/, where no file may ask for the
 * processor. */
#include "vector_calls.h"

#include <actgen.h>

/* Defines a call of a function of `lanes` values. The last call repeats the last value in the lanes that are
 * left. */
#define VECTOR_CALL(name, target, type, lanes)                                                               \
    target static void name(void (*address)(void), size_t n, const void *x, void *y)                         \
    {                                                                                                        \
        typedef type vector __attribute__((vector_size((lanes) * sizeof(type))));                            \
        typedef vector function(vector) VECTOR_PCS;                                                          \
        function *const called = (function *)address;                                                        \
        for (size_t i = 0; i < n; i += (lanes)) {                                                            \
            vector v;                                                                                        \
            for (size_t k = 0; k < (lanes); k++) v[k] = ((const type *)x)[i + k < n ? i + k : n - 1];        \
            v = called(v);                                                                                   \
            for (size_t k = 0; k < (lanes) && i + k < n; k++) ((type *)y)[i + k] = v[k];                     \
        }                                                                                                    \
    }

#define PLAIN
#if defined __x86_64__
#define VECTOR_PCS
#define AVX2   __attribute__((target("avx2")))
#define AVX512 __attribute__((target("avx512f")))
VECTOR_CALL(call_b4, PLAIN, float, 4)
VECTOR_CALL(call_b2, PLAIN, double, 2)
VECTOR_CALL(call_d8, AVX2, float, 8)
VECTOR_CALL(call_d4, AVX2, double, 4)
VECTOR_CALL(call_e16, AVX512, float, 16)
VECTOR_CALL(call_e8, AVX512, double, 8)
#elif defined __aarch64__ && defined __ARM_NEON
#define VECTOR_PCS __attribute__((aarch64_vector_pcs))
VECTOR_CALL(call_n4, PLAIN, float, 4)
VECTOR_CALL(call_n2, PLAIN, double, 2)
#endif

/* The names of vector functions begin so: the set, N for no mask, the lanes, v for each vector. The AVX forms
 * `c` take the same registers as the AVX2 forms `d`. */
const struct vector_form vector_forms[] = {
#if defined __x86_64__
    {"_ZGVbN4v_", "x86-64", ACTGEN_F32, call_b4},
    {"_ZGVbN2v_", "x86-64", ACTGEN_F64, call_b2},
    {"_ZGVcN8v_", "avx2", ACTGEN_F32, call_d8},
    {"_ZGVcN4v_", "avx2", ACTGEN_F64, call_d4},
    {"_ZGVdN8v_", "avx2", ACTGEN_F32, call_d8},
    {"_ZGVdN4v_", "avx2", ACTGEN_F64, call_d4},
    {"_ZGVeN16v_", "avx512", ACTGEN_F32, call_e16},
    {"_ZGVeN8v_", "avx512", ACTGEN_F64, call_e8},
#elif defined __aarch64__ && defined __ARM_NEON
    {"_ZGVnN4v_", "neon", ACTGEN_F32, call_n4},
    {"_ZGVnN2v_", "neon", ACTGEN_F64, call_n2},
#endif
    {NULL, NULL, 0, NULL},
};
