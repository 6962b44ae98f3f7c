/* One run of inputs through a piece and, for kernels of one input, through the machine code: in shards that
 * may run in parallel. */
#ifndef ACTGEN_SWEEP_H
#define ACTGEN_SWEEP_H

#include "beginning.h"
#include "inputs.h"
#include "judge.h"

struct sweep {
    const struct verify_subject *subject;
    const struct piece *piece;         /* NULL: only bits */
    const struct beginning *beginning; /* of the piece's formula; NULL: unknown */
    bool with_bits;                    /* compare the machine code on these inputs (a kernel of one input) */
    bool shares_program;               /* the kernel's program is the piece's: run once */
    bool ask_all;                      /* the reference for each input */
};

/* Inputs first .. first + count - 1 of the run; adds to *tally, whose maxima are where to start from.
 * `distrust` is what earlier sweeps of this piece said of the quick reference; set if it has contradicted the
 * reference. False without memory. */
bool sweep_shard(const struct sweep *s, const struct input_run *run, uint64_t first, uint64_t count,
                 bool *distrust, struct tally *tally);

/* Programs that compute the same in the same way. */
bool sweep_same_program(const lane_program *a, const lane_program *b);

#endif
