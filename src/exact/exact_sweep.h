/* The sweep over all inputs that finds wrong roundings. This header has its parts. See exact.h. */
#ifndef ACTGEN_EXACT_SWEEP_H
#define ACTGEN_EXACT_SWEEP_H

#include "enclosure.h"
#include "exact.h"
#include "interp.h"

/* The sweep divides inputs by their bits into chunks of one sign and exponent. */
enum { EXACT_LOG2_CHUNK = 20, EXACT_CHUNKS = 1 << (32 - EXACT_LOG2_CHUNK) };
enum { EXACT_BLOCK = 1024, EXACT_MOST_WRONG = 1024 };

#define EXACT_NUDGEABLE 0x1p-6f /* largest input whose wrong result a nudge may mend */

enum chunk_kind {
    CHUNK_ORDINARY,
    CHUNK_TINY,      /* exact_tiny_value gives the result */
    CHUNK_CONSTANT,  /* one result for all inputs */
    CHUNK_UNDEFINED, /* NaN for all inputs */
    CHUNK_OUTSIDE,   /* outside the bound's interval */
};

struct exact_chunk {
    enum chunk_kind kind;
    float constant;
    bool free_sign; /* the constant is an exact zero, whose sign is free */
};

/* The exact value is within `relative` of a computed value of size at least `low`, and within `absolute` of a
 * smaller one. */
struct exact_margin {
    double relative, absolute, low;
};

struct exact_wrong {
    uint32_t bits; /* bits of the input */
    float computed, right;
};

struct exact_block { /* inputs with their results and values */
    float x[EXACT_BLOCK], y[EXACT_BLOCK], low[EXACT_BLOCK], high[EXACT_BLOCK];
    double value[EXACT_BLOCK];
    uint32_t doubtful[EXACT_BLOCK];
};

struct exact_sampled {                    /* errors of a chunk's values */
    double relative, absolute, low, high; /* low, high: sizes of the least and the largest value */
    unsigned count;
};

/* A sweep of one program, or the part of a thread. A part is a copy with its own interpreter, reference and
 * results. */
struct exact_sweep {
    const struct exact_request *request;
    const lane_program *with_value; /* program that `run` runs */
    struct exact_chunk *chunks;
    struct exact_margin *margins;
    /* estimated number of inputs that round wrongly, from the measured errors */
    double expected_wrong;
    struct exact_sampled *sampled; /* indexed by chunk, with one more at both ends */
    void *code;  /* code from the request's machine, which stores the result and EXTRA_ENDS; may be NULL */
    interp *run; /* stores the result to operand 1 and the f64 value to operand 2; made when needed */
    reference *truth; /* reference of the request's formula; made when needed */
    struct exact_wrong wrong[EXACT_MOST_WRONG];
    /* far_count counts those beyond EXACT_NUDGEABLE, where only patches help */
    size_t wrong_count, far_count;
    struct exact_block block;
    uint64_t asked, most_asked, undecided, work;
    bool gave_up; /* too many are wrong, or too many had to be asked */
    bool no_memory;
    struct exact_sweep *parts; /* EXACT_MOST_PARTS copies */
};

/* The number of parts that run at the same time. Their results are added in the order of the parts, so the
 * result is the same for any number of threads. */
enum { EXACT_MOST_PARTS = 64 };

/* Makes `out` a part of the sweep. exact_part_end releases what the part has made. */
void exact_part_begin(struct exact_sweep *out, const struct exact_sweep *sweep);
void exact_part_end(struct exact_sweep *part);
/* Return the part's interpreter and reference, or NULL if memory runs out. */
interp *exact_part_run(struct exact_sweep *part);
reference *exact_part_truth(struct exact_sweep *part);

/* Finds what is known of each chunk (exact_chunks.c). Returns false if memory runs out. */
bool exact_chunks_find(struct exact_chunk *chunks, const struct exact_request *request);
/* Measures how far the program's f64 value may be off (exact_margin.c). */
void exact_measure(struct exact_sweep *sweep);
/* Sweeps all chunks, from 0 outwards (exact_sweep.c). */
void exact_sweep_all(struct exact_sweep *sweep);

#endif
