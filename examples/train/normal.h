/* Normal numbers that are the same on every machine. */
#ifndef NORMAL_H
#define NORMAL_H

#include <actgen.h>
#include <stdint.h>

/* `count` of them by Box and Muller's transform, a kernel that gives the same bits on every machine. */
int random_normal(float *out, size_t count, uint64_t *state, actgen_engine *engine, actgen_error *error);

#endif
