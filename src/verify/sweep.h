/* Runs inputs through a piece and, for kernels of one input, through the machine code. The shards of a run
 * may run in parallel. */
#ifndef ACTGEN_SWEEP_H
#define ACTGEN_SWEEP_H

#include "beginning.h"
#include "inputs.h"
#include "judge.h"

struct sweep {
    const struct verify_subject *subject;
    const struct piece *piece;         /* NULL: only bits are compared */
    const lane_program *program;       /* runs in place of the piece's; NULL: the piece's */
    const struct beginning *beginning; /* series of the piece's formula; NULL if unknown */
    /* compare the machine code on these inputs (for a kernel of one input) */
    bool with_bits;
    bool shares_program; /* the kernel's program is the piece's, so it runs once */
    bool ask_all;        /* ask the reference for each input */
    /* The function that is judged in place of the piece's program, or NULL. */
    void (*judged)(void *payload, size_t n, const void *x, void *y);
    void *judged_payload;
};

/* Sweeps inputs first .. first + count - 1 of the run. Adds to *tally, whose maxima are the starting point.
 * `distrust` says if earlier sweeps of this piece found the quick reference wrong, and is set if this one
 * does. Returns false if memory runs out. */
bool sweep_shard(const struct sweep *s, const struct input_run *run, uint64_t first, uint64_t count,
                 bool *distrust, struct tally *tally);

/* Returns true if both programs compute the same in the same way. */
bool sweep_same_program(const lane_program *a, const lane_program *b);

#endif
