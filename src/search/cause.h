/* Why a formula defeats the planner at an input, as a user can be told. */
#ifndef ACTGEN_CAUSE_H
#define ACTGEN_CAUSE_H

#include "request.h"

/* What it is at x that no plan keeps, and what to do: a condition that rounding decides, a root, an
 * oscillation that is too fast. `undecided` tells that the reference left other inputs open. In `memory`;
 * NULL where none of these is found. Needs milliseconds. */
const char *cause_of_refusal(arena *memory, const struct plan_request *request, double x, bool undecided);

#endif
