/* Software pipelining. The program is divided into stages, and each stage of a turn works on another vector.
 * A turn is one iteration of the loop. So the chains of dependent operations in a turn are short. */
#ifndef ACTGEN_PIPELINE_H
#define ACTGEN_PIPELINE_H

#include "lane.h"
#include "loop_choice.h"
#include "target.h"

enum { PIPELINE_MAX_STAGES = LOOP_MOST_STAGES, PIPELINE_MAX_UNROLL = LOOP_MOST_UNROLL };

struct pipeline {
    unsigned operations; /* count_operations() */
    unsigned stages;     /* 1: not pipelined */
    unsigned unroll;     /* vectors per turn: 1, 2 or 4 */
    unsigned worth;      /* stages that the length of the chains justifies, whatever registers they take */
    bool constants_in_memory;
    /* The constants for which a plain loop of `least_unroll` vectors has registers left, if the loop has its
     * constants in memory. */
    unsigned holds;
    uint16_t *depth;    /* per instruction: cycles until its value is there */
    uint16_t *last;     /* the last instruction that uses its value */
    uint8_t *stage;     /* per instruction */
    uint8_t *last_use;  /* the latest stage that uses its value; for a cheap value, its own stage */
    uint8_t *first_use; /* the first stage that uses its value */
    /* The stages that compute the value, one bit each: its own stage, or for a cheap value all stages that
     * use it. */
    uint8_t *made_in;
};

/* The facts that the plan needs about the instructions and the machine. */
struct pipeline_facts {
    const uint8_t *uniform; /* not 0: the value is computed outside the loop */
    /* Not 0: each stage that uses the value computes it anew, instead of keeping it in a register. */
    const uint8_t *cheap;
    const uint32_t *rare; /* not 0: find_rare(): the value is computed only in a rarely taken branch */
    const struct target_isa *isa;
    unsigned least_unroll; /* at most PIPELINE_MAX_UNROLL */
    bool packs;            /* two vectors of 16-bit elements are one vector of memory */
    /* Memory holds 16-bit elements, and each vector of them is converted by itself. */
    bool converts;
    bool narrows; /* a result has 8 or 16 bits, and an input that varies is f32 */
    bool draws;   /* the kernel draws; chains of draws are the longest, but are not in the program */
    const struct target_loops *core; /* the forms of loops of the core that runs the code */
    struct loop_choice wanted;
};

/* Plans the loop. The caller provides the arrays of *l, each of p->count elements. */
void pipeline_plan(struct pipeline *l, const lane_program *p, const struct pipeline_facts *facts);

/* Returns true if value n, an operand of `user`, is a constant that the instruction can read from memory. */
bool pipeline_reads_constant(const lane_program *p, uint32_t user, uint32_t n);

/* Lists the loops that are worth timing. The first is l's own, which must be the estimate's choice. See
 * backend_loops(). */
size_t pipeline_loops(struct loop_choice *out, const struct pipeline *l, unsigned least_unroll,
                      bool has_constants);

#endif
