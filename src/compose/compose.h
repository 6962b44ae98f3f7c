/* Composed plans: the formula as it stands, its elementary functions approximated one by one, in numbers of a
 * kind. */
#ifndef ACTGEN_COMPOSE_H
#define ACTGEN_COMPOSE_H

#include "number.h"

enum { COMPOSE_CONSTANT_BITS = 160 }; /* of the 106 that double words have, with some to spare */

/* The value of `e`, a function of EXPR_INPUT 0 whose value is `input`. Where that has an exponent, nothing
 * overflows on the way. */
struct number compose_expr(struct composer *c, const expr *e, struct number input);

/* Returns the formula of an equal function, where clamps of lines are made of what the lines are of, where
 * their ends are numbers of f32. */
const expr *compose_with_moved_clamps(expr_dag *dag, const expr *e);

/* -- for the functions: their values; of double words to about 2^-58 in relative terms -- */

typedef struct number (*compose_function)(struct composer *c, struct number u);
#define FUNCTION(name, ...) struct number compose_##name(struct composer *c, struct number u);
#define DEFINED(name, ...)
#include "functions.def"
#undef FUNCTION

/* Whether erfc(argument) is 2 normcdf(x), whose argument x needs no product: the argument is -x / sqrt 2. */
bool compose_is_of_normcdf(const expr *argument);
/* x^exponent, and x^|exponent|. */
struct number compose_power(struct composer *c, struct number x, mpq_srcptr exponent);
struct number compose_power_size(struct composer *c, struct number x, mpq_srcptr exponent);
/* sin and cos look at their argument's formula, too. */
struct number compose_sine(struct composer *c, const expr *argument, struct number u);
struct number compose_cosine(struct composer *c, const expr *argument, struct number u);
/* exp(factor * u), as accurate as exp; of words. */
struct number compose_exp_of_multiple(struct composer *c, mpfr_srcptr factor, struct number u);
/* e^u 2^k of f32 words, k integral and held to [-380, 380], where neither factor needs to be a number of f32:
 * 0 below 2^-126.5, infinity above 2^127.5. */
struct number compose_exp_times_power(struct composer *c, struct number u, lane_value k);

#endif
