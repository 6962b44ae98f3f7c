/* Computes a kernel's results again, from the formulas as written. Pieces run the planner's programs. The
 * arithmetic around them has one rounding per operation. It is in f64 if an operand, a cast or the result is
 * f64, otherwise in f32. This code shares with lower/ only the pieces' programs, and nothing with
 * base/half.h, so that faults there show. */
#ifndef ACTGEN_WRITTEN_H
#define ACTGEN_WRITTEN_H

#include "verify.h"

struct written; /* the steps; read-only once made */

/* Creates the steps in the arena, whose escape must be set. Returns NULL if a result needs a piece that the
 * subject lacks, or is not an arithmetic formula. The kernel is then not the one that was written. */
const struct written *written_create(arena *memory, const struct verify_subject *subject);

struct written_run;                                              /* buffers and interpreters of one thread */
struct written_run *written_run_create(const struct written *w); /* returns NULL if memory runs out */
void written_run_free(struct written_run *r);                    /* NULL is fine */

/* Returns how many lanes of a row have other bits than the formulas give. NaNs compare as NaNs. rows[k] is
 * kernel operand k, results included. */
uint64_t written_differ(struct written_run *r, const struct kernel_row *rows, size_t count);

/* Rounds x once to the type, to nearest even, by arithmetic on whole units of its spacing. */
double written_rounded(double x, enum element_type type);

#endif
