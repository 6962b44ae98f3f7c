/* exp(q(t)) in f32, with the accuracy that a bound in ulps needs: q is in two floats, and the scale is
 * separate. factored_wide_exp.c has exp(q(t)) in f64 lanes for f32 arguments. */
#ifndef ACTGEN_FACTORED_EXP_H
#define ACTGEN_FACTORED_EXP_H

#include "factor.h"
#include "lane.h"
#include "reduction.h"

enum { FACTORED_EXP_TERMS = 8, FACTORED_EXP_LOG2_ENTRIES = 5 };

/* The care with which the multiple of the period is subtracted from q. */
enum exp_argument {
    EXP_EXACT,   /* q has twice the bits of a float, or is a product that is subtracted from exactly */
    EXP_SHORT,   /* t has at most 12 bits, so that t^2 is exact */
    EXP_ROUGH,   /* n times the period may be rounded once */
    EXP_IN_FLOAT /* as EXP_ROUGH, and q is one float: an absolute error counts */
};
/* The range of the scale 2^n. */
enum exp_range {
    EXP_ANY, /* The scale may need two factors. */
    /* Results reach both ends of the format, so that the scale is never two factors. A table has the base 1,
     * because the result is `power` plus its product with the fraction. */
    EXP_WHOLE,
    EXP_DECAYS, /* q <= 0 and n is at most 1. One factor and a constant are enough. */
    EXP_SMALL   /* |n| <= 125 for all arguments. The scale is one number. */
};
/* The words of the fraction, and the quantity that the error of the fit is relative to. */
enum exp_sum {
    EXP_ONE_WORD, /* The error is relative to the exponential. */
    /* The error is relative to the fraction. Its first term is not rounded unless the first coefficient does
     * so. */
    EXP_FRACTION,
    EXP_TWO_WORDS, /* the fraction in two words */
    EXP_LINEAR     /* The fraction is r. */
};
/* A request for an exponential. */
struct factored_exp_form {
    enum exp_argument argument;
    enum exp_range range;
    enum exp_sum sum;
    unsigned log2_entries; /* k: the table has 2^k entries. 0: no table */
    bool inverse;          /* The exponential is 2^-n (1 + fraction). */
    double scale;          /* A power of two that multiplies the value. 0 stands for 1 here and below. */
    /* A number that multiplies `power` if there is a table, and `whole` otherwise. */
    double multiple;
};

/* exp(q) = (1 + fraction) * 2^n, |fraction| < 0.42. With a table of 2^k entries, n is a multiple of 2^-k and
 * the fraction is smaller. */
struct factored_exp {
    struct factor_polynomial q;
    struct factored_exp_form as;
    double most;    /* the largest |t|, 0 if not known */
    unsigned terms; /* terms of the fraction's polynomial */
    double error;   /* the relative error of the fit */
    /* The base c. The polynomial is c (1 + fraction), and the table holds 2^(-j / 2^k) / c. The base is such
     * that the entries lose little when rounded. Without a table it is the multiple. */
    double base;
    /* fraction = sum of coefficient[k] * r^k, from k = 1 */
    float coefficient[FACTORED_EXP_TERMS + 1];
};

/* 2^floor(n) for -226 <= n <= 127. The scale is n itself for the operation scale2. Where scale2 is slow, the
 * scale is two factors, and multiplying by the first one is exact. For a decaying exponential with a table,
 * the first factor is in the table's power. */
struct factored_scale {
    bool has_factors;
    enum lane_op op;         /* used if there are no factors */
    lane_value n, high, low; /* Either factor may be 0: there is none. */
};
/* Returns y * 2^floor(n) with one rounding, for |y| > 2^-20. */
lane_value factored_scale(const struct factored_scale *s, lane_program *p, lane_value y);
/* Returns 2^floor(n). With factors, the result is at least 2^-100. */
lane_value factored_scale_power(const struct factored_scale *s, lane_program *p);
/* Returns y * 2^floor(n), or, where that is smaller, at least 2^-120. */
lane_value factored_scale_coarse(const struct factored_scale *s, lane_program *p, lane_value y);

struct factored_exp_value {
    /* With a base c, the fraction is the polynomial minus 1: c (1 + fraction) - 1. */
    lane_value fraction;
    lane_value whole;    /* 1 + fraction, rounded */
    struct number words; /* for EXP_TWO_WORDS: the fraction, whose low word is below 0.09 */
    /* The table's value: 2^(n - floor(n)), or 2^(floor(n) - n) of an inverse table. Includes the scale's
     * first factor if scale.high is 0. Not 0 if there is a table. For EXP_SMALL the scale includes it. */
    lane_value power;
    struct factored_scale scale;
};

quad factored_expm1_quotient(quad z); /* Returns (exp(z) - 1) / z, for |z| < 1. */

/* Returns whether q can be carried in two floats at a reasonable price. Without fma, a q of several terms
 * costs more than f64. */
bool factored_exp_suits(const struct factor_polynomial *q, bool has_fma);
/* Fits the polynomial with the fewest terms whose error is at most `error`. */
bool factored_exp_fit(struct factored_exp *out, const struct factor_polynomial *q,
                      struct factored_exp_form form, double error);
/* Returns the relative error of a rough n times the period, where |q| <= most. */
double factored_exp_roughness(const struct factor_polynomial *q, double most);
struct factored_exp_argument {
    lane_value t; /* 0 <= t with q(t) > -170 */
    /* If low is not 0, q has one term and is a function of |x + low|, and t = |x|. */
    lane_value x, low;
    bool adds_zero; /* Adds 0 to the fraction, which makes it 0 at r = 0 where it would be -0. */
};
/* Writes exp(q(t)). Using `whole` takes one operation less than using `fraction`. The caller should use only
 * one of them. */
struct factored_exp_value factored_exp_build(const struct factored_exp *e, lane_program *p,
                                             struct factored_exp_argument a,
                                             const struct target_costs *costs);

enum { WIDE_LOG2_ENTRIES = 4, WIDE_ENTRIES = 1 << WIDE_LOG2_ENTRIES, WIDE_EXP_TERMS = 6 };
/* 2^(z(t)/16) with z = c2 t^2 or z = t (c1 + c3 t^2). The coefficients have so few bits that z is exact for
 * every f32 t that matters. The difference to the exact exponent goes into the other factor, R. */
struct wide_exp {
    double c1, c2, c3;
    /* (2^(r/16) - 1) / r = sum of coefficient[k] r^k, |r| <= 1/2 */
    double coefficient[WIDE_EXP_TERMS];
};
bool wide_exp_find(struct wide_exp *out, const struct factor_polynomial *q);
/* Returns z ln(2)/16 as a polynomial. */
struct factor_polynomial wide_exp_exponent(const struct wide_exp *e);
/* Writes 2^(z(t)/16), for t >= 0 with z(t) > -16 * 1000. */
lane_value wide_exp_build(const struct wide_exp *e, lane_program *p, lane_value t);

#endif
