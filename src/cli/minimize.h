/* The least value of a function of a few numbers. */
#ifndef ACTGEN_CLI_MINIMIZE_H
#define ACTGEN_CLI_MINIMIZE_H

#include <stddef.h>

enum { MINIMIZE_MOST = 8 };

/* Moves `at`, `count` numbers (at most MINIMIZE_MOST), from where they are to a minimum near, which need not
 * be smooth, and returns its value. `function` may return NaN where it has none. */
double minimize(double (*function)(void *context, const double *at), void *context, double *at, size_t count);

#endif
