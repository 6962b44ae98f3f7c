/* The page of a report: a section for each kernel. */
#ifndef ACTGEN_CLI_REPORT_H
#define ACTGEN_CLI_REPORT_H

#include "bench.h"
#include "curves.h"

enum { REPORT_SIZES = 3 };
extern const size_t report_sizes[REPORT_SIZES]; /* elements of the calls that are timed */

struct report_speed {
    bool is_there; /* machine code runs here, and was timed */
    struct bench_times times[REPORT_SIZES];
};

void report_begin(struct buffer *out, actgen_kernel *const *kernels, size_t count);
/* Section `number`, with the curves of each result. */
void report_kernel(struct buffer *out, size_t number, const actgen_kernel *kernel, const struct curves *list,
                   size_t count, const struct report_speed *speed);
void report_end(struct buffer *out);

#endif
