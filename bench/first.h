/* Measures how long a library takes to get kernels in a new process. Each program prints a line of
 * microseconds: for the first kernel, with everything that the library does before it, for two further
 * kernels, and for the first kernel again. scripts/bench --first runs the programs. */
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

/* Prints the time of each kernel. The first began at times[0], and kernel i was ready at times[i + 1]. */
static inline void print_times(const double times[ASKED + 1])
{
    for (int i = 0; i < ASKED; i++) printf("%.2f%s", times[i + 1] - times[i], i + 1 < ASKED ? " " : "\n");
}

#endif
