/* Logistic functions that share an exponential: sigmoid(u), sigmoid(-u) and tanh(u/2). */
#ifndef ACTGEN_SHARED_H
#define ACTGEN_SHARED_H

#include "compose.h"

/* Returns whether another wanted node is a logistic function of the same |u|. */
bool shared_has_relative(const expr *e, const expr *const *nodes, uint32_t count, const bool *wanted);
/* Returns the expression of which the function's argument is a multiple. */
const expr *shared_base(const expr *e);
/* Returns the value of a sigmoid or tanh in f64 words. `base` is the value of its base. */
struct number shared_value(struct composer *c, const expr *e, struct number base);

#endif
