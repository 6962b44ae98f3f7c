/* Names of code made at run time, for profilers. */
#ifndef ACTGEN_API_PERF_MAP_H
#define ACTGEN_API_PERF_MAP_H

#include <stdbool.h>
#include <stddef.h>

bool perf_map_is_asked_for(void); /* by $ACTGEN_PERF: set, and neither empty nor 0 */

/* Appends `size` bytes of code at `start` to /tmp/perf-<process>.map, where perf looks for the names of code that is in no file.
 * A file that is not this user's own is left alone; what goes wrong costs a name. Thread-safe. */
void perf_map_add(const void *start, size_t size, const char *name);

#endif
