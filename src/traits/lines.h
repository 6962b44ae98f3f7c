/* Straight lines in a formula's values: the relation of f(x) to f(-x), f on one side of 0, and f's
 * asymptotes. They are found by evaluation, whatever the formula. */
#ifndef ACTGEN_LINES_H
#define ACTGEN_LINES_H

#include "quad.h"

struct line { /* slope x + constant; both are f32 numbers where they are nearly so */
    bool known;
    quad slope, constant;
};

struct symmetry {
    struct line side[2];    /* f(x) for x > 0, x < 0 */
    struct line difference; /* f(x) - f(-x) for x > 0 */
    struct line sum;        /* f(x) + f(-x) for x > 0 */
};

/* Computes f at x to about 100 bits. Returns false if the reference cannot decide it, or if it is not
 * finite. */
bool formula_value(quad *out, reference *truth, double x);

/* Returns true if a and b are equal to 85 bits, relative to 1 + |a| + |b|. */
bool lines_nearly(quad a, quad b);
bool line_is(const struct line *line, quad slope, quad constant);

/* Finds the symmetry that the probes show. Returns false if the reference cannot decide a value. */
bool symmetry_find(struct symmetry *out, reference *truth);
/* Finds the line that f approaches at an infinity, and follows to 85 bits from 2^15 on. Returns false if
 * there is none. */
bool asymptote_find(struct line *out, reference *truth, bool negative);

/* Returns the t > 0 from which on f equals its value at `last` to 57 bits, or `last` if f does not settle. */
double settled_from(quad_function f, void *context, double last);

/* Finds m with f(t) ~ t^m next to 0, t > 0. Returns false if there is no such m up to `largest`. */
bool leading_power(unsigned *m, unsigned largest, quad_function f, void *context);
/* Finds m for a formula's values on one side of 0. */
bool formula_leading_power(unsigned *m, unsigned largest, reference *truth, bool negative);

#endif
