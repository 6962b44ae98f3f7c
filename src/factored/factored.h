/* Factored plans: f = t^m exp(q(t)) (t - root) R(t) on its own side, where t = |x|. Segments approximate R.
 * The factor t - root is absent if f has no root there. The other side follows from the own side.
 *
 * factored.c has the common parts: finding the factors, making candidates, and the steps from x to the part
 * of f's own side and from the part to f. An arithmetic writes the part itself: factored_f32.c or
 * factored_f64.c. */
#ifndef ACTGEN_FACTORED_H
#define ACTGEN_FACTORED_H

#include "ended.h"
#include "factored_exp.h"
#include "number.h"
#include "segments.h"
#include "shape.h"

struct factored_arithmetic;

struct factored {
    struct factor f;
    quad centre; /* f is a function of x - centre */
    const struct factored_arithmetic *in;
    /* Values of t: from `last` on the part is practically 0, from `settled` on R is practically constant. */
    double last, settled;
    double quiet;         /* f32: a value beyond `last`, from which on no product takes microcode */
    unsigned care;        /* the care for roundings, 0 is the least */
    struct segments rest; /* R */
    /* f32: the root's factor is scale (t - root). The scale has few bits. */
    double scale;
    /* The largest R that the program may use, see find_most. 0: no limit. */
    double most;
    struct ended end; /* f32: of f's own side */
    const struct target_costs *costs;
    struct factored_exp exp;                          /* for f32 */
    struct wide_exp wide_exp;                         /* for f64 lanes */
    struct word_pair exponent[FACTOR_MAX_DEGREE + 1]; /* q's coefficients in double words */
};

struct factored_argument {
    lane_value x, t;   /* t = |x|, clamped where f ends unless `beyond` is set */
    lane_value beyond; /* Tells where f has ended, if a mask takes the clamp's place. 0 otherwise. */
    lane_value low;    /* The rounding error of x, if x is a difference. 0 otherwise. */
    /* The base of the part's power: t, or, where f is odd, x clamped on both sides. */
    lane_value v;
    lane_value near; /* t, clamped where R has settled */
};
/* A part: `value`, or, if `factor` is not 0, the product value * factor, not yet rounded. */
struct factored_part {
    lane_value value, factor;
};

enum { FACTORED_MOST_RESTS = 8, FACTORED_CARES = 6, FACTORED_MORE_EXPONENTIALS = 2 };
struct factored_arithmetic {
    const char *shape;
    const char *care[FACTORED_CARES]; /* The name of each care. NULL: there is no such care. */
    bool widens;                      /* x is f32 and the part is f64 */
    bool centres;                     /* The arithmetic accepts a difference as x. */
    bool masks;                       /* The arithmetic heeds struct ended. */
    /* Searches f's end, which is nearer than the formula's factor says. The segments are then narrower. */
    bool finds_end;
    unsigned many_roundings_below; /* cares below this one set candidate.many_roundings */
    /* Returns whether this care writes a program of its own. NULL: every care does. */
    bool (*has_care)(const struct factored *w, const struct segments *rest, unsigned care);
    /* Returns whether the arithmetic serves the request's type, bound and target. */
    bool (*suits)(const struct shape_context *context);
    /* Chooses the exponential. *q is the exponent, and becomes the exponent that the program computes. */
    bool (*set_exponent)(struct factored *w, struct factor_polynomial *q,
                         const struct shape_context *context);
    /* Finds other exponentials to try in place of w's. May be NULL. */
    unsigned (*more_exponentials)(struct factored_exp found[FACTORED_MORE_EXPONENTIALS],
                                  const struct factored *w, const struct shape_context *context);
    /* Returns another scale of R and the root's factor that is worth trying, or 1. May be NULL. */
    double (*scale)(const struct factored *w, const struct factor_rest *rest,
                    const struct shape_context *context);
    /* Finds several approximations of R for w and returns their number. */
    unsigned (*fit)(struct segments found[FACTORED_MOST_RESTS], struct factored *w, struct factor_rest *rest,
                    const struct shape_context *context);
    struct factored_part (*part)(const struct factored *w, lane_program *p, struct factored_argument a);
    lane_value (*whole)(const struct factored *w, lane_program *p,
                        struct factored_argument
                            a); /* Writes f itself in place of a part. NULL: the arithmetic writes parts. */
};
extern const struct factored_arithmetic factored_f32, factored_f32_words, factored_f64_lanes, factored_f64;

struct factored_argument factored_argument(const struct factor *f, lane_program *p, lane_value x,
                                           double last);
/* Returns whether x has a low word: the rounding error of a difference or of a product. */
bool factored_has_low(const struct factored *w);
/* Returns whether the part carries the sign of x. */
bool factored_is_odd(const struct factor *f);
lane_value factored_joined(const struct factor *f, lane_program *p, lane_value x, struct factored_part part,
                           const struct target_costs *costs);

/* Returns f's part if a plan in f32 can be made of it, and NULL otherwise. The bound, the type and the target
 * must suit, and the line's constants must be f32 numbers. */
const struct factor *factored_of_f32(const struct shape_context *context);

#endif
