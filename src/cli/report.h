/* Writes the page of a report, with a section per kernel. */
#ifndef ACTGEN_CLI_REPORT_H
#define ACTGEN_CLI_REPORT_H

#include "curves.h"
#include "rivals.h"

enum { REPORT_SIZES = 3 };
extern const size_t report_sizes[REPORT_SIZES]; /* the elements of the timed calls */

struct report_speed {
    bool is_there; /* machine code runs here, and was timed */
    struct bench_times times[REPORT_SIZES];
};

void report_begin(struct buffer *out, actgen_kernel *const *kernels, size_t count);
/* Writes section `number`, with the curves of each result. */
void report_kernel(struct buffer *out, size_t number, const actgen_kernel *kernel, const struct curves *list,
                   size_t count, const struct report_speed *speed);
void report_end(struct buffer *out);

extern const char *const page_style[]; /* src/cli/report.css; NULL at the end */

#endif
