/* Minimises a function of a few numbers. */
#ifndef ACTGEN_CLI_MINIMIZE_H
#define ACTGEN_CLI_MINIMIZE_H

#include <stddef.h>

enum { MINIMIZE_MOST = 8 };

/* Moves `at`, which has `count` numbers (at most MINIMIZE_MOST), to a nearby minimum, and returns its value.
 * The function need not be smooth, and may return NaN where it has no value. */
double minimize(double (*function)(void *context, const double *at), void *context, double *at, size_t count);

#endif
