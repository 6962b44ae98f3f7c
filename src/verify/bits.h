/* Machine code against the interpreter, bit for bit; NaNs compare as NaNs. */
#ifndef ACTGEN_BITS_H
#define ACTGEN_BITS_H

#include "verify.h"
#include "written.h"

struct bits_count {
    uint64_t compared,
        differ; /* lanes; one differs if any of its results does, or if memory outside was written */
    uint64_t judged, wrong; /* lanes of the interpreter against the formulas as written */
};

struct bits; /* one thread's buffers and interpreter */
enum { BITS_BLOCK = 2048 };

/* NULL without memory. */
struct bits *bits_create(const struct verify_subject *subject);
void bits_free(struct bits *b); /* NULL is fine */

/* From now on bits_compare_sample compares with the formulas, too. False without memory. */
bool bits_judge_written(struct bits *b, const struct written *w);

/* A kernel with one input at x, count <= BITS_BLOCK. The interpreter's first result is left in bits_result.
 */
void bits_compare(struct bits *b, const float *x, size_t count, struct bits_count *found);
const float *bits_result(const struct bits *b);

/* Random and special operands, of any number; `seed` chooses them. */
void bits_compare_sample(struct bits *b, uint64_t seed, size_t count, struct bits_count *found);

/* Every length from 0 to 4 vectors + 3 at several alignments, in place, and in several rows, with guards
 * around. */
void bits_compare_lengths(struct bits *b, struct bits_count *found);

/* Element `lane` of operand `k` in sample `seed`: special values in all pairs, then bits of every exponent,
 * then values like those of networks (mean 0, deviation 2). */
float bits_sample(uint64_t seed, unsigned k, uint64_t lane);
/* Only the last kind. */
float bits_normal(uint64_t seed, unsigned k, uint64_t lane);

#endif
