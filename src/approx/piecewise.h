/* Piecewise plans: the pieces between piecewise.c (the search), piecewise_fit.c (coefficients),
 * piecewise_build.c (the code).
 *
 * f(x) = base(x) + h, h a function of t = |x| (or of t on each side), cut into segments of u = t + offset
 * by the exponent and leading fraction bits of u, or into equal segments of t; on each a polynomial of the
 * distance from its centre. The coefficients come out of one lookup each, so all segments cost the same. */
#ifndef ACTGEN_PIECEWISE_H
#define ACTGEN_PIECEWISE_H

#include "fit.h"
#include "plan.h"

enum symmetry {
    SYMMETRY_NONE,  /* h differs on the two sides */
    SYMMETRY_EVEN,  /* f = base + h(t); base is even too, or max(x, 0), or min(x, 0) */
    SYMMETRY_ODD,   /* f = sign(x) h(t) */
    SYMMETRY_POINT, /* f = middle + sign(x) h(t) */
};

enum base { BASE_ZERO, BASE_MAX, BASE_MIN, BASE_IDENTITY }; /* 0, max(x, 0), min(x, 0), x */

struct decomposition {
    enum symmetry symmetry;
    enum base base;
    double middle;
    double end; /* beyond t = end, h is its limit within a quarter of the bound */
};

enum { PIECEWISE_MAX_ENTRIES = 32, PIECEWISE_MAX_DEGREE = 9 };

struct piecewise {
    struct decomposition f;
    bool uniform;        /* equal segments of t; else by the bits of u */
    bool exact_argument; /* the distance is taken from t, not from the rounded u */
    unsigned log2_entries, fraction_bits;
    float offset; /* u = t + offset */
    float limit;  /* u, or t if uniform, is clamped to this */
    float width;  /* of a uniform segment */
    unsigned degree;
    double error; /* of the fit, absolute */
    float coefficient[PIECEWISE_MAX_DEGREE + 1][PIECEWISE_MAX_ENTRIES];
};

/* False if no base makes h settle, or the reference cannot say. */
bool piecewise_decompose(struct decomposition *out, reference *truth, double bound);
/* h at t on the side of `negative` (for symmetric functions the side that the decomposition takes). */
bool piecewise_value(quad *out, const struct decomposition *f, reference *truth, double t, bool negative);
/* Finds the lowest degree that keeps 0.9 bound and its coefficients. False if none up to `highest` does. */
bool piecewise_fit(struct piecewise *p, unsigned highest, reference *truth, double bound, arena *memory);
/* Emits it: a plan_builder. */
lane_value piecewise_build(void *parameters, lane_program *p, lane_value x, bool *possible);

#endif
