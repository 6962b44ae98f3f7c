/* Pairs of kernels or of libraries' loops. Both of a pair are timed in turn, in one run. */
#ifndef ACTGEN_SIDES_H
#define ACTGEN_SIDES_H

#include "bench.h"

/* Shapes of operands. The last three have ROW_ELEMENTS in rows of 4,096, of 64, and of 32,768 columns. */
enum place { IN_L2, IN_DRAM, CONTIGUOUS, STRIDED, ROWS, SHORT_ROWS, LONG_ROWS };
size_t place_elements(enum place place);
enum { ORDINARY = -1, USUAL = 0, STREAMING = 1 }; /* stores, as in actgen_options */
#define BUILT_IN "actgen"                         /* the library of built-ins */

/* A kernel of a text, and after it the kernel that `then` names, if any. Or a library's function. */
struct side {
    const char *kernel, *then, *library;
    const char *type; /* of the library's function */
    enum place place;
    int streaming;
    const char *isa; /* NULL: the best of this machine */
};
struct pair {
    struct timing times[2]; /* of both sides; 0 if a side cannot be made */
    char bound[32];         /* of the measured kernel; "" for a loop */
};
/* Times two sides in turn, as measure_calls() does. If a side cannot be made, prints the reason. */
void pair_time(struct pair *out, const char *spec, const struct side *measured, const struct side *with,
               double seconds);

#endif
