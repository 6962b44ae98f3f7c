/* One progress line on the terminal, for work that takes longer than a moment. If stderr is no terminal,
 * nothing is written, or for work of hours a line from time to time. */
#ifndef ACTGEN_CLI_PROGRESS_H
#define ACTGEN_CLI_PROGRESS_H

#include <stdbool.h>
#include <time.h>

struct progress_line {
    const char *name, *isa; /* of the kernel; copied pointers */
    struct timespec start;
    bool terminal, shown;
    bool logs;                 /* set by the caller: write lines even without a terminal */
    double last;               /* the time of the last writing, in seconds after the start */
    double step_start, shared; /* when the share began to grow, in seconds, and the last share */
};

void progress_line_begin(struct progress_line *line, const char *name, const char *isa);
/* Writes the line again, if it is time. `text` may be NULL. `done` is a share, or 0 or less if unknown. */
void progress_line_show(struct progress_line *line, const char *text, double done);
void progress_line_end(struct progress_line *line); /* leaves nothing behind */

#endif
