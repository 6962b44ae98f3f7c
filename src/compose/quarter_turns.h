/* Counts the arguments of sin and cos in quarter turns, modulo 4, so that multiples of a turn are exact. This
 * is Payne and Hanek's reduction. It leaves out the bits of the factor whose products are multiples of 4. */
#ifndef ACTGEN_QUARTER_TURNS_H
#define ACTGEN_QUARTER_TURNS_H

#include "number.h"

struct quarter_turns {
    struct number rest;  /* at most about 1/2 in size */
    lane_value quarters; /* an i64 whose low two bits count the whole quarters */
};

/* Returns the quarter turns of the argument, plus `more` quarters. u is the argument's value. */
struct quarter_turns quarter_turns_of(struct composer *c, const expr *argument, struct number u,
                                      unsigned more);

/* Returns the sine or cosine in f32 words, for inputs up to c->turns_to. The argument must be x times a
 * constant. In turn_parts.c. */
struct number sine_by_turn_parts(struct composer *c, const expr *argument, bool is_cosine);

/* Returns true if the product is sin(u) / cos(u) and has a form of its own in f32 words. */
bool is_tangent_by_turn_parts(const struct composer *c, const expr *product);
struct number tangent_by_turn_parts(struct composer *c, const expr *argument);

#endif
