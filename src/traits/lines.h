/* Straight lines in a formula's values: what f(x) and f(-x) have to do with each other, what f is on one side
 * of 0, and what it approaches at the infinities. They are found by evaluation, whatever the formula. */
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

/* f at x to about 100 bits; false if the reference cannot say, or it is not finite. */
bool formula_value(quad *out, reference *truth, double x);

/* Whether the two are equal to 85 bits, beside 1. */
bool lines_nearly(quad a, quad b);
bool line_is(const struct line *line, quad slope, quad constant);

/* As far as probes tell; false if the reference does not. */
bool symmetry_find(struct symmetry *out, reference *truth);
/* The line that f approaches at an infinity, and follows to 85 bits from 2^15 on. False if there is none. */
bool asymptote_find(struct line *out, reference *truth, bool negative);

/* From where on f is to 57 bits what it is at `last`, t > 0; `last` if it does not settle. */
double settled_from(quad_function f, void *context, double last);

/* m, if f(t) ~ t^m next to 0, t > 0; false if there is no such m up to `largest`. */
bool leading_power(unsigned *m, unsigned largest, quad_function f, void *context);
/* m of a formula's values on one side of 0. */
bool formula_leading_power(unsigned *m, unsigned largest, reference *truth, bool negative);

#endif
