/* Formulas of f64 in f64 lanes with some 60 bits and a wide range of exponents: a value is the unevaluated sum of two
 * f64, times a power of two. Sums and products are error-free transformations (Dekker 1971, Knuth; with or without fma);
 * bounds of the double-word operations: Joldes, Muller, Popescu, "Tight and rigorous error bounds for basic building
 * blocks of double-word arithmetic", ACM TOMS 44 (2017). */
#ifndef ACTGEN_EXTENDED_H
#define ACTGEN_EXTENDED_H

#include "expr.h"
#include "lane.h"

#include <mpfr.h>

/* (high + low) * 2^exponent, |low| <= ulp(high)/2 or about it; `low` and `exponent` may be absent. The exponent is an
 * integral f64. */
struct extended {
    lane_value high, low, exponent;
    bool has_low, has_exponent;
    bool bounded; /* high is 0 or of a size between 2^-100 and 2^100; always true with an exponent */
};

struct extender {
    lane_program *program;
    const char *impossible; /* set where a function has no form: why */
    struct extended input;  /* EXPR_INPUT 0 */
    bool
        far; /* exponents are right, if not exact, where exp leaves all formats by far: exp(x) may meet exp(-x^2) */
    struct ext_segments *
        *tails; /* of erfc and normcdf: made when first asked for; may be shared by several */
};

/* The value of `e`, a function of EXPR_INPUT 0 whose value is the f64 `x`. With `normalized` the input itself is taken
 * with an exponent, so that nothing overflows on the way. */
struct extended extended_expr(struct extender *c, const expr *e, lane_value x, bool normalized);
/* One f64, rounded once (twice where it is subnormal). */
lane_value extended_rounded(struct extender *c, struct extended v);
/* One f64, rounded to odd: the last bit is 1 wherever something was left out, so that rounding it to f32 rounds the value
 * itself (Boldo, Melquiond, "Emulation of FMA and correctly rounded sums: proved algorithms using rounding to odd", IEEE TC
 * 57 (2008)). `v` has no exponent. */
lane_value extended_odd(struct extender *c, struct extended v);

/* -- f64 lanes -- */

lane_value ext_number(struct extender *c, double value);
lane_value ext_op(struct extender *c, enum lane_op op, lane_value a, lane_value b);
lane_value ext_plus(struct extender *c, lane_value a, lane_value b);
lane_value ext_minus(struct extender *c, lane_value a, lane_value b);
lane_value ext_times(struct extender *c, lane_value a, lane_value b);
/* a b + d; two roundings without fma. */
lane_value ext_multiply_add(struct extender *c, lane_value a, lane_value b, lane_value d);
/* Whether a < 0. */
lane_value ext_is_below_zero(struct extender *c, lane_value a);
/* sum of coefficient[k] x^k; `x` may be anything but a lookup's index. */
lane_value ext_polynomial(struct extender *c, const double *coefficient, unsigned terms, lane_value x);

/* -- double words -- */

struct extended ext_single(lane_value high);
struct extended ext_two_sum(struct extender *c, lane_value a, lane_value b);
/* |a| >= |b| or a is a multiple of b's last place. */
struct extended ext_quick_two_sum(struct extender *c, lane_value a, lane_value b);
struct extended ext_two_product(struct extender *c, lane_value a, lane_value b);
struct ext_pair { /* a number to 106 bits */
    double high, low;
};
struct ext_pair ext_split(mpfr_srcptr value);
extern const struct ext_pair ext_half_pi;
struct extended ext_constant(struct extender *c, struct ext_pair value);
struct extended ext_integer(struct extender *c, double value);
/* `low` of a value without is 0. */
lane_value ext_low(struct extender *c, struct extended v);

/* -- whole values -- */

struct extended ext_neg(struct extender *c, struct extended a);
struct extended ext_abs(struct extender *c, struct extended a);
struct extended ext_add(struct extender *c, struct extended a, struct extended b);
struct extended ext_sub(struct extender *c, struct extended a, struct extended b);
struct extended ext_mul(struct extender *c, struct extended a, struct extended b);
struct extended ext_div(struct extender *c, struct extended a, struct extended b);
struct extended ext_sqrt(struct extender *c, struct extended a);
struct extended ext_select(struct extender *c, lane_value condition, struct extended a, struct extended b);
/* a < b, a <= b, a == b by LANE_LT, LANE_LE, LANE_EQ. */
lane_value ext_compare(struct extender *c, enum lane_op op, struct extended a, struct extended b);
/* Returns the value times 2^n, n an integral f64 of some thousands. */
struct extended ext_scaled(struct extender *c, struct extended a, lane_value n);
/* Clamps a value without exponent to the limits. Keeps NaN. */
struct extended ext_clamped(struct extender *c, struct extended u, double least, double most);
/* `a` where u has an exponent that makes it smaller than 2^-60, else `b`. */
struct extended ext_where_tiny(struct extender *c, struct extended u, struct extended a, struct extended b);
/* Without an exponent: infinite or zero beyond f64. */
struct extended ext_plain(struct extender *c, struct extended a);
/* With one, whose high part is bounded. Infinities and NaN become anything. */
struct extended ext_normalized(struct extender *c, struct extended a);

/* -- functions, to about 2^-58 in relative terms -- */

typedef struct extended (*extended_function)(struct extender *c, struct extended u);
#define FUNCTION(name) struct extended extended_##name(struct extender *c, struct extended u);
#define DEFINED(name)
#include "functions.def"
#undef FUNCTION
/* sin and cos look at their argument's formula, too. */
struct extended extended_sine(struct extender *c, const expr *argument, struct extended u);
struct extended extended_cosine(struct extender *c, const expr *argument, struct extended u);

#endif
