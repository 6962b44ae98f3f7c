/* exp(q(t)): in f32 with the accuracy that a bound in ulps needs, q in two floats, the scale kept apart; and
 * in f64 lanes for f32 arguments (factored_wide_exp.c). */
#ifndef ACTGEN_FACTORED_EXP_H
#define ACTGEN_FACTORED_EXP_H

#include "factor.h"
#include "lane.h"

enum { FACTORED_EXP_TERMS = 8, FACTORED_EXP_LOG2_ENTRIES = 5 };

/* exp(q) = (1 + fraction) * 2^n, |fraction| < 0.42. With a table of 2^k entries n is a multiple of 2^-k, and
 * the fraction smaller. */
struct factored_exp {
    struct factor_polynomial q;
    double most;           /* of |t|; 0: not known */
    unsigned log2_entries; /* k; 0: no table */
    bool inverse;          /* -n for n */
    bool near;        /* |n| <= 125 for all arguments, and an absolute error counts: `two_to_n` is wanted */
    bool rough;       /* n times the period may be rounded once */
    bool keeps_low;   /* `high` and `low` are wanted */
    bool whole_range; /* results end where numbers do: their scale is no two factors */
    bool adds_zero;   /* to the fraction, which then is 0 at r = 0 where it would be -0 */
    bool decays;      /* q <= 0: n is at most 1, and one factor and a constant scale */
    unsigned terms;   /* of the fraction */
    double error;     /* relative, of the fit */
    bool unit;        /* the first coefficient is 1 */
    bool short_argument; /* t has at most 12 bits: its square is exact */
    double scale;        /* a power of two: the value is that many times what it is */
    /* c: the polynomial is c (1 + fraction), the table's entries 2^(-j / 2^k) / c; 1 without one */
    double base;
    float coefficient[FACTORED_EXP_TERMS + 1]; /* fraction = sum of coefficient[k] * r^k, from k = 1 */
};

/* 2^floor(n) for -226 <= n <= 127, as scale2 takes it or, where that is slow, as two factors of which the
 * first is exact to use. What decays and has a table has the first factor in its power. */
struct factored_scale {
    bool has_factors;
    enum lane_op op;         /* else */
    lane_value n, high, low; /* high may be 0: none */
};
/* y * 2^floor(n) with one rounding, for 2^-20 < |y|. */
lane_value factored_scale(const struct factored_scale *s, lane_program *p, lane_value y);
/* 2^floor(n), but at least 2^-100 where there are factors. */
lane_value factored_scale_power(const struct factored_scale *s, lane_program *p);
/* Returns y * 2^floor(n), but at least 2^-120 where that is smaller. */
lane_value factored_scale_coarse(const struct factored_scale *s, lane_program *p, lane_value y);

struct factored_exp_value {
    lane_value fraction, n; /* beside a base c what the polynomial is more than 1: c (1 + fraction) - 1 */
    lane_value whole;       /* 1 + fraction, rounded */
    /* of the table: 2^(floor(n) - n), or of one that is not inverse 2^(n - floor(n)), with the scale's first
     * factor where that is 0; not 0 where there is a table */
    lane_value power;
    lane_value rest;      /* r */
    lane_value high, low; /* where they are kept: the fraction is their rounded sum; |low| < 0.09 */
    lane_value two_to_n;  /* of near arguments */
    struct factored_scale scale;
};

quad factored_ln2(void);
quad factored_expm1_quotient(quad z); /* (exp(z) - 1) / z, |z| < 1 */

/* Whether q can be carried in two floats at a price: without fma that of several terms costs more than f64.
 */
bool factored_exp_suits(const struct factor_polynomial *q, bool has_fma);
struct factored_exp_form { /* see struct factored_exp */
    unsigned log2_entries;
    bool inverse, keeps_low;
    bool has_plain_table; /* else its entries are over a c beside which they hardly lose anything */
};
/* With the fewest terms that have at most `error`. */
bool factored_exp_fit(struct factored_exp *out, const struct factor_polynomial *q,
                      struct factored_exp_form form, double error);
/* What a rough n times the period is off by where |q| <= most. */
double factored_exp_roughness(const struct factor_polynomial *q, double most);
struct factored_exp_argument {
    lane_value t;      /* 0 <= t with q(t) > -170 */
    lane_value x, low; /* where low is not 0, q of one term is of |x + low|, and t = |x| */
};
/* `whole` is an operation less than through `fraction`: use one of them. */
struct factored_exp_value factored_exp_build(const struct factored_exp *e, lane_program *p,
                                             struct factored_exp_argument a,
                                             const struct target_costs *costs);

enum { WIDE_LOG2_ENTRIES = 4, WIDE_ENTRIES = 1 << WIDE_LOG2_ENTRIES, WIDE_EXP_TERMS = 6 };
/* 2^(z(t)/16) with z = c2 t^2, or t (c1 + c3 t^2): coefficients of so few bits that z is exact for every f32
 * t that matters. What they leave of the exponent is in the other factor. */
struct wide_exp {
    double c1, c2, c3;
    double coefficient[WIDE_EXP_TERMS]; /* (2^(r/16) - 1) / r = sum of coefficient[k] r^k, |r| <= 1/2 */
};
bool wide_exp_find(struct wide_exp *out, const struct factor_polynomial *q);
/* z ln(2)/16, as a polynomial. */
struct factor_polynomial wide_exp_exponent(const struct wide_exp *e);
/* t >= 0 with z(t) > -16 * 1000. */
lane_value wide_exp_build(const struct wide_exp *e, lane_program *p, lane_value t);

#endif
