/* Loops of the library itself that are compiled once more for wider vectors, where the processor that the
 * library is built for has such: here alone it is asked which that is. Elsewhere the copies are plain code
 * that is never called.
 *
 * Copies give the same bits: without contraction of products and sums, the width of vectors changes no value.
 */
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

#else
#define WIDER_AVX2
#define WIDER_AVX2_FMA
#define WIDER_AVX512
#endif

/* Whether the processor has the instruction set of that name, whose parts the copies are made of. It is asked
 * at the first of these calls: __builtin_cpu_supports would do so in each process that loads the library,
 * which takes longer there than to find a kernel. May be called from several threads. */
bool runs_avx2(void);
bool runs_avx512(void);
static inline bool runs_avx2_fma(void) { return runs_avx2(); } /* the set has both */

#endif
