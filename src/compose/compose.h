/* Composed plans compute the formula as it stands. Each elementary function has an approximation of its own.
 * All values are numbers of one kind. */
#ifndef ACTGEN_COMPOSE_H
#define ACTGEN_COMPOSE_H

#include "number.h"

enum { COMPOSE_CONSTANT_BITS = 160 }; /* the 106 bits of double words, and some to spare */

/* Returns the value of `e`, a function of EXPR_INPUT 0, whose value is `input`, and of c->others. If the
 * input has an exponent, no intermediate value overflows. */
struct number compose_expr(struct composer *c, const expr *e, struct number input);

/* Returns an equal formula in which clamps of lines become clamps of the lines' variables. This happens where
 * the variable's limit is an f32 number. */
const expr *compose_with_moved_clamps(expr_dag *dag, const expr *e);

/* Returns an equal formula in which x u^2 is (x u) u, and likewise for powers up to 4. The power u^2 may be
 * too small or too large a number where the product is not. */
const expr *compose_with_factors_in_turn(expr_dag *dag, const expr *e);

/* -- the functions: their values, in double words to a relative error of about 2^-58 -- */

typedef struct number (*compose_function)(struct composer *c, struct number u);
#define FUNCTION(name, ...) struct number compose_##name(struct composer *c, struct number u);
#define DEFINED(name, ...)
#include "functions.def"
#undef FUNCTION

/* Returns whether erfc(argument) is 2 normcdf(x) with an x that needs no product. The argument is then -x /
 * sqrt 2. */
bool compose_is_of_normcdf(const expr *argument);
/* Return x^exponent and x^|exponent|. */
struct number compose_power(struct composer *c, struct number x, mpq_srcptr exponent);
struct number compose_power_size(struct composer *c, struct number x, mpq_srcptr exponent);
/* Return the sine and the cosine. They also need the formula of their argument. */
struct number compose_sine(struct composer *c, const expr *argument, struct number u);
struct number compose_cosine(struct composer *c, const expr *argument, struct number u);
/* Returns number * tanh(u) in words of f32, as accurate as tanh. */
struct number compose_tanh_times(struct composer *c, mpq_srcptr number, struct number u);
/* Returns exp(factor * u) in words, as accurate as exp. */
struct number compose_exp_of_multiple(struct composer *c, mpfr_srcptr factor, struct number u);
/* Returns factor * log(u) in words of f32, as accurate as log. Needs COMPOSE_TABLES. */
struct number compose_log_times(struct composer *c, mpfr_srcptr factor, struct number u);
/* Returns log1p(a + b) in words. The sum may be twice as large as the largest word. */
struct number compose_log1p_of_sum(struct composer *c, lane_value a, lane_value b);
/* exp(u) and exp(u) - 1 in f64 words, from one reduction. */
struct logistic_exponential {
    struct number whole, less_one;
};
struct logistic_exponential compose_logistic_exponential(struct composer *c, struct number u);
/* Returns e^u 2^k in f32 words. k is integral and is clamped to [-380, 380]. Neither factor needs to be an
 * f32 number. The result is 0 below 2^-126.5 and infinity above 2^127.5. With composer.bits, which is 24 or
 * less, it is off by less than 2^-bits of its value and 2.2u, where u = 2^-24. With 0 bits it is off by
 * less than 1.22u. */
struct number compose_exp_times_power(struct composer *c, struct number u, lane_value k);

#endif
