/* Factored plans: f = t^m exp(q(t)) (t - root) R(t) on its own side, t = |x|, with R by segments and no root
 * or one, and from there on the other side. factored.c has what they have in common: finding, candidates, and
 * the way from x to the part of f's own side and from there to f. An arithmetic writes the part:
 * factored_f32.c and factored_f64.c. */
#ifndef ACTGEN_FACTORED_H
#define ACTGEN_FACTORED_H

#include "factored_exp.h"
#include "number.h"
#include "segments.h"
#include "shape.h"

struct factored_arithmetic;

struct factored {
    struct factor f;
    quad centre; /* f is of x less that */
    const struct factored_arithmetic *in;
    double last, settled; /* of t: the part is as good as 0; R as good as constant */
    unsigned care;        /* for roundings: 0 least */
    struct segments rest; /* R */
    double scale;         /* of f32: the root's factor is scale (t - root); of few bits */
    double most;          /* of R's size: see find_most; 0: none */
    const struct target_costs *costs;
    struct factored_exp exp;                          /* of f32 */
    struct wide_exp wide_exp;                         /* of f64 lanes */
    struct word_pair exponent[FACTOR_MAX_DEGREE + 1]; /* q's coefficients, of double words */
};

struct factored_argument {
    lane_value x, t; /* t = |x|, held where f ends */
    lane_value low;  /* of an x that is a difference: what its rounding lost; else 0 */
    lane_value v;    /* what the part is a power of: t, or x held on both sides where f is odd */
    lane_value near; /* t, held where R has settled */
};
/* A part is value, or value * factor, not rounded yet, where there is a factor (not 0). */
struct factored_part {
    lane_value value, factor;
};

enum { FACTORED_MOST_RESTS = 8, FACTORED_CARES = 6, FACTORED_MORE_EXPONENTIALS = 2 };
struct factored_arithmetic {
    const char *shape;
    const char *care[FACTORED_CARES]; /* what each care is called; NULL: there is none */
    bool widens;                      /* x is an f32, and the part an f64 */
    bool centres;                     /* it takes differences as x */
    bool finds_end;                /* nearer than the formula's factor has it: segments are narrower then */
    unsigned many_roundings_below; /* this care */
    /* Whether that care writes another program than those before it; NULL: there is one. */
    bool (*has_care)(const struct factored *w, const struct segments *rest, unsigned care);
    /* Whether type, bound and target are those of this arithmetic. */
    bool (*suits)(const struct shape_context *context);
    /* Chooses the exponential. *q is the exponent, and becomes what the program has of it. */
    bool (*set_exponent)(struct factored *w, struct factor_polynomial *q,
                         const struct shape_context *context);
    /* Finds others to try in place of w's; may be NULL. */
    unsigned (*more_exponentials)(struct factored_exp found[FACTORED_MORE_EXPONENTIALS],
                                  const struct factored *w, const struct shape_context *context);
    /* Another scale of R and the root's factor that is worth trying, or 1; may be NULL. */
    double (*scale)(const struct factored *w, const struct factor_rest *rest,
                    const struct shape_context *context);
    /* Finds several R for w. */
    unsigned (*fit)(struct segments found[FACTORED_MOST_RESTS], struct factored *w, struct factor_rest *rest,
                    const struct shape_context *context);
    struct factored_part (*part)(const struct factored *w, lane_program *p, struct factored_argument a);
    lane_value (*whole)(const struct factored *w, lane_program *p,
                        struct factored_argument a); /* f itself, in place of a part; else NULL */
};
extern const struct factored_arithmetic factored_f32, factored_f32_words, factored_f64_lanes, factored_f64;

struct factored_argument factored_argument(const struct factor *f, lane_program *p, lane_value x,
                                           double last);
/* Whether the part carries the sign of x. */
bool factored_is_odd(const struct factor *f);
lane_value factored_joined(const struct factor *f, lane_program *p, lane_value x, struct factored_part part,
                           const struct target_costs *costs);

/* f's part, if a plan in f32 may be made of it: its bound, its type, the target, and constants that f32
 * holds; else NULL. */
const struct factor *factored_of_f32(const struct shape_context *context);

#endif
