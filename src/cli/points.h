/* The words after `actgen eval WHAT`: numbers, and NAME=NUMBER, become the inputs of a call of one row. */
#ifndef ACTGEN_CLI_POINTS_H
#define ACTGEN_CLI_POINTS_H

#include "cli.h"

/* A file for each input operand of the call, as --in gives them: paths are lists of numbers. */
struct points {
    struct array_file *files;
    size_t count;
};

/* Returns an exit code; a failure is printed. Close in both cases. */
int points_open(struct points *points, const actgen_kernel *kernel, const struct command *command,
                const struct what *words, size_t count);
void points_close(struct points *points);

#endif
