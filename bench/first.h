/* How long a library takes to get kernels in a new process: each program prints a line of microseconds, that
 * of the first kernel with all that the library does before it, of two further ones, and of the first asked
 * for once more. scripts/bench --first runs them. */
#ifndef ACTGEN_BENCH_FIRST_H
#define ACTGEN_BENCH_FIRST_H

#include <stdio.h>
#include <time.h>

static inline double now_us(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec * 1e6 + (double)t.tv_nsec * 1e-3;
}

enum { ASKED = 4 };

/* Prints how long each of the kernels took, which were ready at times[1] to times[ASKED] and begun at
 * times[0]. */
static inline void print_times(const double times[ASKED + 1])
{
    for (int i = 0; i < ASKED; i++) printf("%.2f%s", times[i + 1] - times[i], i + 1 < ASKED ? " " : "\n");
}

#endif
