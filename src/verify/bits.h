/* Compares machine code with the interpreter, bit for bit. NaNs compare as NaNs. */
#ifndef ACTGEN_BITS_H
#define ACTGEN_BITS_H

#include "samples.h"
#include "verify.h"
#include "written.h"

struct bits_count {
    uint64_t compared;      /* compared lanes */
    uint64_t differ;        /* lanes with a different result, and other elements that were written */
    uint64_t judged, wrong; /* lanes compared with the formulas as written, and those that differ */
};

struct bits; /* buffers and interpreter of one thread */
enum { BITS_BLOCK = 2048 };

/* Creates the buffers. The arguments must outlive them. Returns NULL if memory runs out. */
struct bits *bits_create(const struct verify_subject *subject, const struct samples *samples);
void bits_free(struct bits *b); /* NULL is fine */

/* Makes later calls of bits_compare_sample compare with the formulas as well. Returns false if memory runs
 * out. */
bool bits_judge_written(struct bits *b, const struct written *w);

/* Makes the interpreter run `program` in place of the kernel's program. `program` must store the same bits
 * for all later inputs. Returns false if memory runs out. */
bool bits_run_program(struct bits *b, const lane_program *program);

/* Computes the rows of the inputs that are not in memory. `out` has room for `count` elements of
 * each. Rows of all other operands must be set. */
void bits_make_rows(const struct lane_kernel *kernel, struct kernel_row *rows, float *out, size_t count);

/* Returns true if the kernel has one input, with one value per lane. bits_compare takes such kernels. */
bool bits_has_one_input(const struct lane_kernel *kernel);

/* Compares a kernel of one input at x, which has the input's type, count <= BITS_BLOCK. If the kernel has one
 * result, bits_result returns the interpreter's. */
void bits_compare(struct bits *b, const void *x, size_t count, struct bits_count *found);
const void *bits_result(const struct bits *b);

/* Compares samples of any number of operands. `seed` chooses the samples. They are in several rows if an
 * operand has one value for many lanes, and in more than a block of rows if such a block shares values. */
void bits_compare_sample(struct bits *b, uint64_t seed, size_t count, struct bits_count *found);

/* Compares every length from 0 to 4 vectors + 3, at several alignments and in place in every possible way.
 * Uses several rows with and without gaps, and guards around all memory. */
void bits_compare_lengths(struct bits *b, struct bits_count *found);

#endif
