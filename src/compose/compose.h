/* Composed plans: the formula as it stands, its elementary functions approximated one by one, in f32 or
 * f64 lanes. */
#ifndef ACTGEN_COMPOSE_H
#define ACTGEN_COMPOSE_H

#include "expr.h"
#include "lane.h"
#include "polynomial.h"

#include <mpfr.h>

struct composer {
    lane_program *program;
    enum lane_type type; /* LANE_F32 or LANE_F64: all arithmetic */
    unsigned bits;       /* relative accuracy of the polynomials */
    bool quotients;      /* x/10 instead of 0.1*x, so that x/10 - 0.3 is zero at 3 */
    bool far;            /* expm1 in f32 up to where it overflows, for an operation more */
    struct polynomial_cache *cache;
    bool has_far;           /* set where `far` makes a difference */
    const char *impossible; /* set where a function has no form in this type: why */
    lane_value input;       /* EXPR_INPUT 0, of `type`; an f32 number */
};

/* The value of `e`, a function of EXPR_INPUT 0 whose value is `input` (of the composer's type). */
lane_value compose_expr(struct composer *c, const expr *e, lane_value input);

/* -- for the functions -- */
typedef lane_value (*compose_function)(struct composer *c, lane_value u);
#define FUNCTION(name) lane_value compose_##name(struct composer *c, lane_value u);
#define DEFINED(name)
#include "functions.def"
#undef FUNCTION

/* The fragments of sin and cos, which look at their argument's formula, too. */
lane_value compose_sine(struct composer *c, const expr *argument, lane_value u);
lane_value compose_cosine(struct composer *c, const expr *argument, lane_value u);

bool compose_may_be_undefined(arena *memory, const expr *e); /* at some numbers: log, roots */
lane_value compose_number(struct composer *c, double value);
lane_value compose_bits(struct composer *c, uint64_t f32_bits,
                        uint64_t f64_bits); /* an integer of the type's width */
/* min(limit, u) and max(limit, u) that keep a NaN in u. */
lane_value compose_at_most(struct composer *c, lane_value u, double limit);
lane_value compose_at_least(struct composer *c, lane_value u, double limit);
lane_value compose_polynomial(struct composer *c, enum kernel_function kernel, lane_value x);
lane_value compose_add(struct composer *c, lane_value a, lane_value b);
lane_value compose_sub(struct composer *c, lane_value a, lane_value b);
lane_value compose_mul(struct composer *c, lane_value a, lane_value b);
lane_value compose_div(struct composer *c, lane_value a, lane_value b);
lane_value compose_neg(struct composer *c, lane_value a);
lane_value compose_fma(struct composer *c, lane_value a, lane_value b, lane_value d);
/* exp(factor * u), as accurate as exp. */
lane_value compose_exp_of_multiple(struct composer *c, mpfr_srcptr factor, lane_value u);
lane_value compose_log_of_mantissa(struct composer *c,
                                   lane_value f); /* log(1 + f), f in [sqrt(1/2) - 1, sqrt(2) - 1] */

#endif
