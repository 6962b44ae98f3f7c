/* Names for code that was made at run time, for profilers and debuggers. */
#ifndef ACTGEN_PERF_H
#define ACTGEN_PERF_H

#include "loader.h"

#include <stddef.h>
#include <stdint.h>

/* Returns the kind of names that an engine makes, one of ACTGEN_PERF_*, or 0 for none. `option` decides. If
 * it is 0, $ACTGEN_PERF decides: `map`, `dump` or `gdb`. Any other text, except "" and "0", means `map`. */
int32_t perf_wanted(int32_t option);

/* Names the code as `wanted` says. `object` is what the code was loaded from. Thread-safe. A failure only
 * costs a name. */
void perf_name(int32_t wanted, loader_code *code, const void *object, size_t size);

/* Tells profilers about `size` bytes of code at `start`. Thread-safe. */
typedef void perf_namer(const void *start, size_t size, const char *name);

/* Writes names with the code itself, in the format of `perf inject --jit`, so that `perf annotate` shows
 * instructions. It is in perf_dump.c. */
perf_namer perf_dump_add;

/* Opens a file for appending, or returns -1. The name is in /tmp, where anyone may have put something before.
 * So the function does not follow links, and refuses a file of another user or with a second name. */
int perf_open(const char *path);

#endif
