/* Arguments of sin and cos counted in quarter turns, modulo 4, so that multiples of a turn are exact: Payne
 * and Hanek's reduction, in which the bits of the factor whose products are multiples of 4 are left out. */
#ifndef ACTGEN_QUARTER_TURNS_H
#define ACTGEN_QUARTER_TURNS_H

#include "number.h"

struct quarter_turns {
    struct number rest;  /* about at most 1/2 in size */
    lane_value quarters; /* i64 whose low two bits are those of the whole quarters */
};

/* Those of the argument, whose value is u, plus `more` quarters. */
struct quarter_turns quarter_turns_of(struct composer *c, const expr *argument, struct number u,
                                      unsigned more);

#endif
