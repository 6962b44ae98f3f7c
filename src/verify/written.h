/* A kernel's results once more, from the formulas as they are written: pieces by the planner's programs, the
 * arithmetic around them one rounding an operation, in f64 where an operand, a cast or the result is f64,
 * else in f32. It shares nothing with lower/ but the pieces' programs, nor with base/half.h, so that a fault
 * there shows. */
#ifndef ACTGEN_WRITTEN_H
#define ACTGEN_WRITTEN_H

#include "verify.h"

struct written; /* the steps; read only once made */

/* Memory is the arena's, whose escape must be set. NULL if a result needs a piece that the subject lacks, or
 * is no formula of arithmetic: then the kernel is not what was written. */
const struct written *written_create(arena *memory, const struct verify_subject *subject);

struct written_run;                                              /* one thread's buffers and interpreters */
struct written_run *written_run_create(const struct written *w); /* NULL without memory */
void written_run_free(struct written_run *r);                    /* NULL is fine */

/* How many of the lanes of a row hold other bits than the formulas give; NaNs compare as NaNs. rows[k]:
 * kernel operand k, results included. */
uint64_t written_differ(struct written_run *r, const struct kernel_row *rows, size_t count);

/* x rounded once to the type, to nearest even, by arithmetic on whole units of its spacing. */
double written_rounded(double x, enum element_type type);

#endif
