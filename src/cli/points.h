/* Reads the words after `actgen eval WHAT`, numbers and NAME=NUMBER, as the inputs of a call with one row. */
#ifndef ACTGEN_CLI_POINTS_H
#define ACTGEN_CLI_POINTS_H

#include "cli.h"

/* The input operands of the call as --in gives them; each path is a list of numbers. */
struct points {
    struct array_file *files;
    size_t count;
};

/* Reads `count` words. Returns an exit code; a failure is printed. Close in both cases. */
int points_open(struct points *points, const actgen_kernel *kernel, const struct command *command,
                const struct what *words, size_t count);
void points_close(struct points *points);

#endif
