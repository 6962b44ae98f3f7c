/* Plans as bytes under a key, for caches and for the built-in plans. */
#ifndef ACTGEN_PLAN_PACK_H
#define ACTGEN_PLAN_PACK_H

#include "plan.h"

/* Writes the request's key. Equal requests have equal keys, whatever else is in their DAGs. The key does not
 * include the planner's own version. `chosen_by` names the source of the choice among plans: the costs, or
 * the processor whose times decide. */
void plan_key(const struct plan_request *request, const char *chosen_by, char out[HASH_TEXT_SIZE]);

/* Packs everything except the search. Equal plans have equal bytes. */
void plan_pack(struct text *out, const struct plan *plan);
/* Returns the plan for that request, in the arena of its DAG. Returns NULL if the bytes are not a plan, or if
 * the errors in them break the request's bound. The bytes may be anything. The program of a plan that is
 * returned passes lane_verify. It loads only operand 0 and stores only operand 1, in the request's types. */
struct plan *plan_unpack(const struct plan_request *request, const void *data, size_t size);

#endif
