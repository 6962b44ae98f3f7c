/* Writes the progress line, at most twice per second. */
#include "progress.h"

#include <stdio.h>
#include <unistd.h>

static const double FIRST = 1, PERIOD = 0.5, LOG_PERIOD = 30; /* seconds */

static double seconds_since(const struct timespec *start)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return difftime(now.tv_sec, start->tv_sec) + 1e-9 * (double)(now.tv_nsec - start->tv_nsec);
}

void progress_line_begin(struct progress_line *line, const char *name, const char *isa)
{
    *line = (struct progress_line){
        .name = name, .isa = isa, .terminal = isatty(STDERR_FILENO), .last = FIRST - PERIOD};
    clock_gettime(CLOCK_MONOTONIC, &line->start);
}

void progress_line_show(struct progress_line *line, const char *text, double done)
{
    const bool logs = line->logs && !line->terminal;
    if (!line->terminal && !logs) return;
    const double seconds = seconds_since(&line->start);
    if (done < line->shared || done <= 0) line->step_start = seconds; /* the share is of a new step */
    line->shared = done;
    if (seconds < line->last + (logs ? LOG_PERIOD : PERIOD)) return;
    fprintf(stderr, "%s%s %s", logs ? "" : "\r\033[K", line->name, line->isa);
    if (text) fprintf(stderr, "  %s", text);
    if (done > 0)
        fprintf(stderr, "  %.1f %%  %.0f s left at this rate", 100 * done,
                (seconds - line->step_start) / done * (1 - done));
    if (logs) fputc('\n', stderr);
    fflush(stderr);
    line->shown = !logs;
    line->last = seconds;
}

void progress_line_end(struct progress_line *line)
{
    if (line->shown) fputs("\r\033[K", stderr);
    line->shown = false;
}
