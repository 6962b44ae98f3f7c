/* The sweep over all inputs that finds wrong roundings: its parts. See exact.h. */
#ifndef ACTGEN_EXACT_SWEEP_H
#define ACTGEN_EXACT_SWEEP_H

#include "enclosure.h"
#include "exact.h"
#include "interp.h"

/* Inputs are swept in chunks of one sign and exponent, by their bits. */
enum { EXACT_LOG2_CHUNK = 20, EXACT_CHUNKS = 1 << (32 - EXACT_LOG2_CHUNK) };
enum { EXACT_BLOCK = 1024, EXACT_MOST_WRONG = 1024 };

#define EXACT_NUDGEABLE 0x1p-6f /* a nudge may help wrong results of inputs up to this size */

enum chunk_kind {
    CHUNK_ORDINARY,
    CHUNK_TINY,      /* exact_tiny_value tells */
    CHUNK_CONSTANT,  /* one result for all */
    CHUNK_UNDEFINED, /* NaN for all */
    CHUNK_OUTSIDE,   /* of the bound's interval */
};

struct exact_chunk {
    enum chunk_kind kind;
    float constant;
    bool free_sign; /* of a constant that is an exact zero */
};

/* The exact value is within `relative` of a computed one of at least `low` in size, and within `absolute` of
 * others. */
struct exact_margin {
    double relative, absolute, low;
};

struct exact_wrong {
    uint32_t bits; /* of the input */
    float computed, right;
};

struct exact_block { /* of inputs, their results and values */
    float x[EXACT_BLOCK], y[EXACT_BLOCK], low[EXACT_BLOCK], high[EXACT_BLOCK];
    double value[EXACT_BLOCK];
    uint32_t doubtful[EXACT_BLOCK];
};

struct exact_sampled {                    /* errors of a chunk's value */
    double relative, absolute, low, high; /* the sizes of the least and the largest value */
    unsigned count;
};

/* A sweep of one program, or a part of it that a thread does: a copy with its own interpreter, reference and
 * results. */
struct exact_sweep {
    const struct exact_request *request;
    const lane_program *with_value; /* what `run` runs */
    struct exact_chunk *chunks;
    struct exact_margin *margins;
    double expected_wrong;         /* inputs that round wrongly, by the errors measured */
    struct exact_sampled *sampled; /* by chunk, one more at both ends */
    void *code;  /* of the request's machine: stores the result and EXTRA_ENDS; may be NULL */
    interp *run; /* stores the result to operand 1 and the f64 value to operand 2; made when needed, as is: */
    reference *truth; /* of the request's formula */
    struct exact_wrong wrong[EXACT_MOST_WRONG];
    size_t wrong_count, far_count; /* the latter beyond EXACT_NUDGEABLE: only patches help */
    struct exact_block block;
    uint64_t asked, most_asked, undecided, work;
    bool gave_up; /* too many are wrong, or too many had to be asked */
    bool no_memory;
    struct exact_sweep *parts; /* EXACT_MOST_PARTS copies */
};

/* Parts of a sweep that are done at a time. Their results are taken in the order of the parts, so that they
 * are the same for any number of threads. */
enum { EXACT_MOST_PARTS = 64 };

/* Makes `out` a part of the sweep; exact_part_end takes down what it has needed. */
void exact_part_begin(struct exact_sweep *out, const struct exact_sweep *sweep);
void exact_part_end(struct exact_sweep *part);
/* Its interpreter and its reference; NULL without memory. */
interp *exact_part_run(struct exact_sweep *part);
reference *exact_part_truth(struct exact_sweep *part);

/* exact_chunks.c: what is known of each chunk; false without memory. */
bool exact_chunks_find(struct exact_chunk *chunks, const struct exact_request *request);
/* exact_margin.c: how far the program's f64 value may be off. */
void exact_measure(struct exact_sweep *sweep);
/* exact_sweep.c: all chunks, from 0 outwards. */
void exact_sweep_all(struct exact_sweep *sweep);

#endif
