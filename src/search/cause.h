/* Finds out why the planner fails for a formula at an input, in words for a user. */
#ifndef ACTGEN_CAUSE_H
#define ACTGEN_CAUSE_H

#include "request.h"

/* Describes what no plan keeps at x, and what the user can do: a condition that rounding decides, a root, or
 * an oscillation that is too fast. `undecided` says that the reference left other inputs open. The text is in
 * `memory`. Returns NULL if none of these causes is found. Takes milliseconds. */
const char *cause_of_refusal(arena *memory, const struct plan_request *request, double x, bool undecided);

#endif
