/* One line on the terminal, about work that takes longer than a moment. Where stderr is no terminal nothing,
 * or for work of hours now and then a line. */
#ifndef ACTGEN_CLI_PROGRESS_H
#define ACTGEN_CLI_PROGRESS_H

#include <stdbool.h>
#include <time.h>

struct progress_line {
    const char *name, *isa; /* of the kernel; copied pointers */
    struct timespec start;
    bool terminal, shown;
    bool logs;                 /* set by the caller: lines where there is no terminal */
    double last;               /* seconds after the start, of the last writing */
    double step_start, shared; /* seconds to where the share began to grow, and the last share */
};

void progress_line_begin(struct progress_line *line, const char *name, const char *isa);
/* Writes the line anew, if it is time to: `text` may be NULL, `done` is a share, 0 or less if unknown. */
void progress_line_show(struct progress_line *line, const char *text, double done);
void progress_line_end(struct progress_line *line); /* leaves nothing behind */

#endif
