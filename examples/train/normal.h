/* Normal numbers that are the same on every machine. */
#ifndef NORMAL_H
#define NORMAL_H

#include <actgen.h>
#include <stdint.h>

/* Writes `count` normal numbers, made by Box and Muller's transform. */
int random_normal(float *out, size_t count, uint64_t *state, actgen_engine *engine, actgen_error *error);

#endif
