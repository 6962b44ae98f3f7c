/* The sweep over all inputs that finds wrong roundings: its parts. See exact.h. */
#ifndef ACTGEN_EXACT_SWEEP_H
#define ACTGEN_EXACT_SWEEP_H

#include "enclosure.h"
#include "exact.h"

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

struct exact_sweep { /* of one program: one thread's */
    const struct exact_request *request;
    struct exact_chunk *chunks;
    struct exact_margin *margins;
    double expected_wrong;         /* inputs that round wrongly, by the errors measured */
    struct exact_sampled *sampled; /* by chunk, one more at both ends */
    void *code;  /* of the request's machine: stores the result and EXTRA_ENDS; may be NULL */
    interp *run; /* stores the result to operand 1 and the f64 value to operand 2 */
    struct exact_wrong wrong[EXACT_MOST_WRONG];
    size_t wrong_count, far_count; /* the latter beyond EXACT_NUDGEABLE: only patches help */
    struct exact_block block;
    uint64_t asked, most_asked, undecided;
    bool gave_up; /* too many are wrong, or too many had to be asked */
};

/* exact_chunks.c: what is known of each chunk; false without memory. */
bool exact_chunks_find(struct exact_chunk *chunks, const struct exact_request *request);
/* exact_margin.c: how far the program's f64 value may be off. */
void exact_measure(struct exact_sweep *sweep);
/* exact_sweep.c: all chunks, from 0 outwards. */
void exact_sweep_all(struct exact_sweep *sweep);

#endif
