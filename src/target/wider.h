/* Compiles some of the library's own loops again for wider vectors. On x86-64 the library asks the processor
 * at run time which copies it can run. On other architectures the copies are plain code that is never
 * called.
 *
 * All copies give the same bits. Products and sums are not contracted, so the width of vectors changes no
 * value. */
#ifndef ACTGEN_WIDER_H
#define ACTGEN_WIDER_H

#include <stdbool.h>

#if defined(__x86_64__)
#define WIDER_AVX2     __attribute__((target("avx2")))
#define WIDER_AVX2_FMA __attribute__((target("avx2,fma")))
#if defined(__clang__) /* clang knows the width only as an option. */
#define WIDER_AVX512 __attribute__((target("avx512f,avx512dq,avx512vl")))
#else
#define WIDER_AVX512 __attribute__((target("avx512f,avx512dq,avx512vl,prefer-vector-width=512")))
#endif

#else
#define WIDER_AVX2
#define WIDER_AVX2_FMA
#define WIDER_AVX512
#endif

/* Return true if the processor has the instruction set of that name, for which the copies are compiled. The
 * first call asks the processor. __builtin_cpu_supports would ask it in each process that loads the library,
 * which takes longer there than finding a kernel. Any thread may call these. */
bool runs_avx2(void);
bool runs_avx512(void);
static inline bool runs_avx2_fma(void) { return runs_avx2(); } /* The set has both. */

#endif
