/* Plans as bytes under a key, for caches and for the built-in plans. */
#ifndef ACTGEN_PLAN_PACK_H
#define ACTGEN_PLAN_PACK_H

#include "plan.h"

/* Equal requests have equal keys, whatever else is in their DAGs. The planner's own version is not in it.
 * `chosen_by` is what chooses among plans: the source of the costs, or the processor whose times do. */
void plan_key(const struct plan_request *request, const char *chosen_by, char out[HASH_TEXT_SIZE]);

/* Everything but the search. Equal plans have equal bytes. */
void plan_pack(struct text *out, const struct plan *plan);
/* The plan for that request, in the arena of its DAG; NULL if the bytes are not a plan's, or do not keep the
 * request's bound by what they say they measured. They may be anything: what comes out passes lane_verify,
 * loads f32 operand 0 and stores f32 operand 1, and nothing else. */
struct plan *plan_unpack(const struct plan_request *request, const void *data, size_t size);

#endif
