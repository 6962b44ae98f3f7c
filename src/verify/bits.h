/* Machine code against the interpreter, bit for bit; NaNs compare as NaNs. */
#ifndef ACTGEN_BITS_H
#define ACTGEN_BITS_H

#include "samples.h"
#include "verify.h"
#include "written.h"

struct bits_count {
    uint64_t compared;      /* lanes */
    uint64_t differ;        /* lanes with a result that differs, and other elements that were written */
    uint64_t judged, wrong; /* lanes of the interpreter against the formulas as written */
};

struct bits; /* one thread's buffers and interpreter */
enum { BITS_BLOCK = 2048 };

/* NULL without memory. What it is given must outlive it. */
struct bits *bits_create(const struct verify_subject *subject, const struct samples *samples);
void bits_free(struct bits *b); /* NULL is fine */

/* From now on bits_compare_sample compares with the formulas, too. False without memory. */
bool bits_judge_written(struct bits *b, const struct written *w);

/* From now on the interpreter runs `program` in place of the kernel's, whose bits it stores for all inputs
 * that follow. False without memory. */
bool bits_run_program(struct bits *b, const lane_program *program);

/* The rows of inputs that are drawn, whose elements are in no memory: they are put into `out`, which has room
 * for `count` of each. Rows of all other operands are there. */
void bits_draw_rows(const struct lane_kernel *kernel, struct kernel_row *rows, float *out, size_t count);

/* Whether the kernel has one input, and that a value a lane: then bits_compare takes it. */
bool bits_has_one_input(const struct lane_kernel *kernel);

/* A kernel of one input at x, of the input's type, count <= BITS_BLOCK. Where it has one result, the
 * interpreter's is left in bits_result. */
void bits_compare(struct bits *b, const void *x, size_t count, struct bits_count *found);
const void *bits_result(const struct bits *b);

/* Samples of operands, of any number; `seed` chooses them. In several rows where an operand has one value for
 * many lanes. */
void bits_compare_sample(struct bits *b, uint64_t seed, size_t count, struct bits_count *found);

/* Every length from 0 to 4 vectors + 3 at several alignments, in place in each way that there is, in several
 * rows, with and without gaps between them, with guards around. */
void bits_compare_lengths(struct bits *b, struct bits_count *found);

#endif
