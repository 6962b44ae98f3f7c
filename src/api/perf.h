/* Names of code made at run time, for profilers and debuggers. */
#ifndef ACTGEN_API_PERF_H
#define ACTGEN_API_PERF_H

#include "loader.h"

#include <stddef.h>
#include <stdint.h>

/* What an engine's option `perf_map` asks for, one of ACTGEN_PERF_..., or where it is 0 $ACTGEN_PERF: `map`,
 * `dump`, `gdb`; else set to anything but 0: map. 0: nothing. */
int32_t perf_wanted(int32_t option);

/* Does what is wanted with code and the object that it was loaded from. Thread-safe; what goes wrong costs a
 * name. */
void perf_name(int32_t wanted, loader_code *code, const void *object, size_t size);

/* Tells profilers of `size` bytes of code at `start`. Thread-safe. */
typedef void perf_namer(const void *start, size_t size, const char *name);

/* perf_dump.c: the code itself, too, as `perf inject --jit` reads it, so that `perf annotate` shows
 * instructions. */
perf_namer perf_dump_add;

/* For both: opens a file for appending; links are not followed, nor is anything written to a file that
 * another user owns or that has another name besides, as anyone may have put something at a name in /tmp
 * before. -1: there is no such file. */
int perf_open(const char *path);

#endif
