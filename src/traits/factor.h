/* The parts of a function that decays exponentially, found from its formula and its values:
 *
 *     f(x) = x^m * exp(q(t)) * R(t),   t = |x|,   on a side where f decays,
 *     f(x) = slope x + constant + sign * f(-x),   or nearly that line, on the other side.
 *
 * If f decays on both sides with different exponents, the other side is stretched until its exponent is q as
 * well: there f(x) = y^m * exp(q(|y|)) * R(|y|) with y = stretch x and an R of its own.
 *
 * q is a polynomial without constant term. R varies slowly, so it can be approximated with a small relative
 * error all along the tail. f itself loses all its bits there long before it is zero. */
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
    bool decays;                /* q goes to minus infinity; otherwise f is not factored on this side */
    struct factor_polynomial q; /* a polynomial in t */
    double last; /* before this t, f's size falls below half of the result type's least number */
};

/* The relation of f on the side other than `own` to the own side, in f64 numbers. */
struct factor_line {
    bool mirrors;    /* f(x) = slope x + constant + sign f(-x); otherwise f approaches the line */
    bool is_rounded; /* slope or constant is no f64 number; only for a line that mirrors */
    int sign;
    double slope, constant;
    double slope_low; /* what the slope's rounding lost, 0 or of the slope's sign */
};

struct factor {
    unsigned power;             /* m, the power with which f vanishes at 0 from both sides */
    struct factor_side side[2]; /* x > 0, x < 0 */
    /* The fields below are found by factor_find_part. */
    unsigned own; /* the side whose decaying part determines all of f */
    struct factor_line line;
    /* The factor of x on the other side, an f32 number. It is 1, except where both sides decay and f does not
     * mirror itself. */
    double stretch;
    bool decays_twice; /* each side has an R of its own and no line */
    bool has_root;     /* f changes its sign on the own side */
    quad root;         /* the value of t at the root, if there is one */
};

/* Finds the decay for traits_factor. Returns false if f decays on neither side, or if its power at 0 is
 * unknown. */
bool factor_find(struct factor *out, struct traits *t);
/* Continues from factor_find. Returns false if f neither has a line nor decays on the other side, or if it
 * has several roots. */
bool factor_find_part(struct factor *f, struct traits *t);
/* Returns true if the formula decays on a side, and finds q with f like exp(q(t)). It uses only the
 * formula's text. */
bool factor_exponent(struct factor_polynomial *q, arena *memory, const expr *formula, bool negative);

/* Returns the last t of f's own side, to a hundredth. */
double factor_last(const struct factor *f, reference *truth, bool is_wide);

static inline const struct factor_polynomial *factor_own_exponent(const struct factor *f)
{
    return &f->side[f->own].q;
}

/* Returns exp(q(t)), which must be at least 2^-1000. */
quad factor_exponential(const struct factor_polynomial *q, double t);

/* The slowly varying factor R of one side. */
struct factor_rest {
    const struct factor *f;
    reference *truth;
    struct factor_polynomial q; /* the q of the program; R absorbs the difference to the true q */
    unsigned side;
    bool has_root;    /* the factor scale (t - root) is divided out as well */
    double scale;     /* 0 stands for 1 */
    bool beside_line; /* R belongs to f minus its line */
    bool of_size;     /* |x|^m is divided out, not x^m */
    double stretch;   /* R at t is that of f at t / stretch; 0 stands for 1 */
};
/* Computes R at t > 0 to 106 bits. Returns false if it is not known. This is a quad_function, and `rest` is
 * its context. */
bool factor_rest_at(void *rest, double t, quad *out);

#endif
