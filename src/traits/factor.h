/* What a function that decays exponentially is made of, found by looking at its formula and its values:
 *
 *     f(x) = x^m * exp(q(t)) * R(t),   t = |x|,   on a side where f decays, q a polynomial without constant
 *     term, f(x) = slope x + constant + sign * f(-x),   or nearly that line, on the other one.
 *
 * R varies slowly, so that it can be approximated in relative terms all along the tail, where f itself loses
 * all its bits long before it is zero. */
#ifndef ACTGEN_FACTOR_H
#define ACTGEN_FACTOR_H

#include "lines.h"
#include "reference.h"

struct traits;

enum { FACTOR_MAX_DEGREE = 4, FACTOR_MAX_POWER = 3 };

struct factor_polynomial { /* sum of coefficient[k] * t^k */
    unsigned degree;
    quad coefficient[FACTOR_MAX_DEGREE + 1];
};

struct factor_side {
    bool decays;                /* q goes to minus infinity: else f is taken whole on this side */
    struct factor_polynomial q; /* of t */
    double last; /* f's size falls below half of the result type's least number before this t */
};

/* What f is on the other side than `own`, in f64 numbers. */
struct factor_line {
    bool mirrors; /* f(x) = slope x + constant + sign f(-x); else f approaches the line */
    int sign;
    double slope, constant;
};

struct factor {
    unsigned power;             /* m: how f vanishes at 0, from both sides */
    struct factor_side side[2]; /* x > 0, x < 0 */
    /* What factor_find_part finds: */
    unsigned own; /* the side whose decaying part tells all of f */
    struct factor_line line;
    bool has_root; /* f changes its sign on its own side */
    quad root;     /* then, of t */
};

/* For traits_factor. False if f decays on neither side, or vanishes at 0 in no way that is known. */
bool factor_find(struct factor *out, struct traits *t);
/* Goes on from there; false if f has no line on the other side, or several roots. */
bool factor_find_part(struct factor *f, struct traits *t);
/* Whether the formula decays on a side, and like exp(q(t)). By its text alone. */
bool factor_exponent(struct factor_polynomial *q, arena *memory, const expr *formula, bool negative);

/* The last t of f's own side, to a hundredth. */
double factor_last(const struct factor *f, reference *truth, bool is_wide);

static inline const struct factor_polynomial *factor_own_exponent(const struct factor *f)
{
    return &f->side[f->own].q;
}

/* exp(q(t)), 2^-1000 or larger. */
quad factor_exponential(const struct factor_polynomial *q, double t);

/* The slowly varying factor R of one side. */
struct factor_rest {
    const struct factor *f;
    reference *truth;
    struct factor_polynomial q; /* as the program has it: all that is left out is in R */
    unsigned side;
    bool has_root;    /* R scale (t - root) is left */
    double scale;     /* 0: it is 1 */
    bool beside_line; /* of f less its line */
    bool of_size;     /* |x|^m, not x^m, is taken out */
};
/* R at t > 0 to 106 bits; false if it is not known. A quad_function, whose context is the rest. */
bool factor_rest_at(void *rest, double t, quad *out);

#endif
