/* Loops of the library itself that are compiled once more for wider vectors, where the processor that the library is built
 * for has such: here alone it is asked which that is. Elsewhere the copies are plain code that is never called.
 *
 * Copies give the same bits: without contraction of products and sums, the width of vectors changes no value. */
#ifndef ACTGEN_WIDER_H
#define ACTGEN_WIDER_H

#include <stdbool.h>

#if defined(__x86_64__)
#define WIDER_AVX2     __attribute__((target("avx2")))
#define WIDER_AVX2_FMA __attribute__((target("avx2,fma")))
#if defined(__clang__) /* which knows the width as an option only */
#define WIDER_AVX512 __attribute__((target("avx512f,avx512dq,avx512vl")))
#else
#define WIDER_AVX512 __attribute__((target("avx512f,avx512dq,avx512vl,prefer-vector-width=512")))
#endif

static inline bool runs_avx2(void) { return __builtin_cpu_supports("avx2"); }
static inline bool runs_avx2_fma(void) { return runs_avx2() && __builtin_cpu_supports("fma"); }
static inline bool runs_avx512(void)
{
    return runs_avx2_fma() && __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512dq") &&
           __builtin_cpu_supports("avx512vl");
}
#else
#define WIDER_AVX2
#define WIDER_AVX2_FMA
#define WIDER_AVX512

static inline bool runs_avx2(void) { return false; }
static inline bool runs_avx2_fma(void) { return false; }
static inline bool runs_avx512(void) { return false; }
#endif

#endif
