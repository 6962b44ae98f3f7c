/* Names of code made at run time, for profilers. */
#ifndef ACTGEN_API_PERF_H
#define ACTGEN_API_PERF_H

#include <stddef.h>
#include <stdint.h>

/* Tells profilers of `size` bytes of code at `start`. Thread-safe; what goes wrong costs a name. */
typedef void perf_namer(const void *start, size_t size, const char *name);

/* What an engine's option `perf_map` asks for, or where it is 0 $ACTGEN_PERF: `map`, `dump`; else set to anything but 0: map.
 * NULL: nothing. */
perf_namer *perf_namer_of(int32_t option);

/* perf_dump.c: the code itself, too, as `perf inject --jit` reads it, so that `perf annotate` shows instructions. */
perf_namer perf_dump_add;

/* For both: opens a file for appending; links are not followed, nor is anything written to a file that another user owns or
 * that has another name besides, as anyone may have put something at a name in /tmp before. -1: there is no such file. */
int perf_open(const char *path);

#endif
