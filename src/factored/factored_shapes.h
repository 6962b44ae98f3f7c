/* The shapes of functions that decay exponentially. */
#ifndef ACTGEN_FACTORED_SHAPES_H
#define ACTGEN_FACTORED_SHAPES_H

#include "shape.h"

/* Serves bounds in ulps, for functions that decay exponentially. logistic.c says which functions. */
size_t logistic_candidates(struct candidate *out, size_t room, const struct shape_context *context);
/* Serves a exp(c x), by a table: exponential.c. */
size_t exponential_candidates(struct candidate *out, size_t room, const struct shape_context *context);
/* Serves functions that decay exponentially: factored.c. The bounds are in ulps in f32, 0.5 ulp in f64 lanes,
 * and all bounds of f64. */
size_t factored_candidates(struct candidate *out, size_t room, const struct shape_context *context);
/* Serves a function and its derivative, from one table: factored_pair.c. Needs companions. */
size_t factored_pair_candidates(struct candidate *out, size_t room, const struct shape_context *context);

#endif
