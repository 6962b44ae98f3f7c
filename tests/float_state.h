/* The floating-point state of a thread, as a host may set it. State that a processor lacks is not set. On
 * arm64 and similar processors, one bit flushes both operands and results, so setting either sets both. */
#ifndef ACTGEN_TEST_FLOAT_STATE_H
#define ACTGEN_TEST_FLOAT_STATE_H

#include <fenv.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#ifdef __SSE2__
#include <xmmintrin.h>
#endif

struct thread_floats {
    int rounding; /* A rounding mode such as FE_TONEAREST. */
    bool flush_to_zero, denormals_are_zero;
};
static const struct thread_floats thread_floats_usual = {FE_TONEAREST, false, false};

#ifdef __SSE2__
enum { FLUSH_TO_ZERO = 0x8000, DENORMALS_ARE_ZERO = 0x40 };
#elif defined __aarch64__
enum { FLUSH_BOTH = 1 << 24 };

static inline uint64_t read_fpcr(void)
{
    uint64_t fpcr;
    __asm__ volatile("mrs %0, fpcr" : "=r"(fpcr));
    return fpcr;
}

static inline void write_fpcr(uint64_t fpcr) { __asm__ volatile("msr fpcr, %0" : : "r"(fpcr)); }
#endif

static inline void thread_floats_set(struct thread_floats s)
{
    fesetround(s.rounding);
#ifdef __SSE2__
    const unsigned rest = _mm_getcsr() & ~(unsigned)(FLUSH_TO_ZERO | DENORMALS_ARE_ZERO);
    _mm_setcsr(rest | (s.flush_to_zero ? FLUSH_TO_ZERO : 0) |
               (s.denormals_are_zero ? DENORMALS_ARE_ZERO : 0));
#elif defined __aarch64__
    const bool flush = s.flush_to_zero || s.denormals_are_zero;
    write_fpcr((read_fpcr() & ~(uint64_t)FLUSH_BOTH) | (flush ? FLUSH_BOTH : 0));
#endif
}

static inline struct thread_floats thread_floats(void)
{
    struct thread_floats s = {fegetround(), false, false};
#ifdef __SSE2__
    s.flush_to_zero = _mm_getcsr() & FLUSH_TO_ZERO;
    s.denormals_are_zero = _mm_getcsr() & DENORMALS_ARE_ZERO;
#elif defined __aarch64__
    s.flush_to_zero = s.denormals_are_zero = (read_fpcr() & FLUSH_BOTH) != 0;
#endif
    return s;
}

static inline bool thread_floats_equal(struct thread_floats a, struct thread_floats b)
{
    if (a.rounding != b.rounding) return false;
#ifdef __SSE2__
    return a.flush_to_zero == b.flush_to_zero && a.denormals_are_zero == b.denormals_are_zero;
#elif defined __aarch64__
    return (a.flush_to_zero || a.denormals_are_zero) == (b.flush_to_zero || b.denormals_are_zero);
#else
    return true;
#endif
}

/* Returns true if the state is distinct on this processor, and does not equal that of another combination. */
static inline bool thread_floats_differ(struct thread_floats s)
{
#ifdef __SSE2__
    (void)s;
    return true;
#elif defined __aarch64__
    return s.flush_to_zero == s.denormals_are_zero;
#else
    return !s.flush_to_zero && !s.denormals_are_zero;
#endif
}

static inline const char *thread_floats_name(struct thread_floats s)
{
    static char name[64];
    const char *rounding = s.rounding == FE_TONEAREST    ? "to nearest"
                           : s.rounding == FE_TOWARDZERO ? "toward zero"
                           : s.rounding == FE_UPWARD     ? "upward"
                                                         : "downward";
    snprintf(name, sizeof name, "%s%s%s", rounding, s.flush_to_zero ? ", FTZ" : "",
             s.denormals_are_zero ? ", DAZ" : "");
    return name;
}

#endif
