/* Calls of vector functions by the vector function ABI of x86-64. On other machines there are none here
 * (cross/). */
#ifndef ACTGEN_TEST_VECTOR_CALLS_H
#define ACTGEN_TEST_VECTOR_CALLS_H

#include "actgen.h"

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

enum { MOST_ARGUMENTS = 3, MOST_VECTOR_BYTES = 64 };

/* Calls the function at `f` with the vectors at `arguments`, and writes the vector that it returns. `mask` is
 * NULL, or a vector whose lanes are all ones or all zeros. */
typedef void vector_call(actgen_scalar_fn f, unsigned char (*arguments)[MOST_VECTOR_BYTES], unsigned count,
                         const unsigned char *mask, unsigned char *out);

#if defined(__x86_64__)
/* A mask is a vector of values for all letters but `e`. There it is an integer. */
#define CALL(name, needs, element, bytes)                                                                    \
    typedef element name##_vector __attribute__((vector_size(bytes)));                                       \
    __attribute__((target(needs))) static void name(                                                         \
        actgen_scalar_fn f, unsigned char(*arguments)[MOST_VECTOR_BYTES], unsigned count,                    \
        const unsigned char *mask, unsigned char *out)                                                       \
    {                                                                                                        \
        name##_vector v[MOST_ARGUMENTS + 1], y;                                                              \
        for (unsigned i = 0; i < count; i++) memcpy(&v[i], arguments[i], bytes);                             \
        if (mask) memcpy(&v[count], mask, bytes);                                                            \
        switch (count + (mask != NULL)) {                                                                    \
        case 1: y = ((name##_vector(*)(name##_vector))f)(v[0]); break;                                       \
        case 2: y = ((name##_vector(*)(name##_vector, name##_vector))f)(v[0], v[1]); break;                  \
        case 3:                                                                                              \
            y = ((name##_vector(*)(name##_vector, name##_vector, name##_vector))f)(v[0], v[1], v[2]);        \
            break;                                                                                           \
        default:                                                                                             \
            y = ((name##_vector(*)(name##_vector, name##_vector, name##_vector, name##_vector))f)(           \
                v[0], v[1], v[2], v[3]);                                                                     \
        }                                                                                                    \
        memcpy(out, &y, bytes);                                                                              \
    }
#define CALL_MASKED(name, element)                                                                           \
    __attribute__((target("avx512f"))) static void name##_masked(                                            \
        actgen_scalar_fn f, unsigned char(*arguments)[MOST_VECTOR_BYTES], unsigned count,                    \
        const unsigned char *mask, unsigned char *out)                                                       \
    {                                                                                                        \
        name##_vector v[MOST_ARGUMENTS], y;                                                                  \
        unsigned bits = 0;                                                                                   \
        for (unsigned i = 0; i < count; i++) memcpy(&v[i], arguments[i], sizeof v[i]);                       \
        for (unsigned i = 0; i < sizeof y / sizeof(element); i++)                                            \
            bits |= (unsigned)(mask[i * sizeof(element)] != 0) << i;                                         \
        switch (count) {                                                                                     \
        case 1: y = ((name##_vector(*)(name##_vector, unsigned))f)(v[0], bits); break;                       \
        case 2: y = ((name##_vector(*)(name##_vector, name##_vector, unsigned))f)(v[0], v[1], bits); break;  \
        default:                                                                                             \
            y = ((name##_vector(*)(name##_vector, name##_vector, name##_vector, unsigned))f)(v[0], v[1],     \
                                                                                             v[2], bits);    \
        }                                                                                                    \
        memcpy(out, &y, sizeof y);                                                                           \
    }
CALL(b_f32, "sse2", float, 16)
CALL(b_f64, "sse2", double, 16)
#if !defined(__clang__)
CALL(c_f32, "avx", float, 32)
CALL(c_f64, "avx", double, 32)
CALL(e_f32, "avx512f", float, 64)
CALL(e_f64, "avx512f", double, 64)
CALL_MASKED(e_f32, float)
CALL_MASKED(e_f64, double)
#endif
#undef CALL
#undef CALL_MASKED

static const struct vector_letter {
    char letter;
    unsigned bytes;
    vector_call *calls[2], *masked[2]; /* of f32, and of f64 */
} vector_letters[] = {{'b', 16, {b_f32, b_f64}, {b_f32, b_f64}},
#if !defined(__clang__) /* Clang passes wide vectors in memory unless the whole file is for AVX. */
                      {'c', 32, {c_f32, c_f64}, {c_f32, c_f64}},
                      {'d', 32, {c_f32, c_f64}, {c_f32, c_f64}},
                      {'e', 64, {e_f32, e_f64}, {e_f32_masked, e_f64_masked}},
#endif
                      {0}};

static inline bool letter_runs_here(char letter)
{
    return letter == 'b'   ? true
           : letter == 'e' ? __builtin_cpu_supports("avx512f")
                           : __builtin_cpu_supports("avx2");
}
#else
static const struct vector_letter {
    char letter;
    unsigned bytes;
    vector_call *calls[2], *masked[2];
} vector_letters[] = {{0}};

static inline bool letter_runs_here(char letter) { return !letter; }
#endif

#endif
