/* Software pipelining: the program is cut into stages, and one turn of the loop does each stage for another
 * vector, so that a turn's chains of dependent operations are short. */
#ifndef ACTGEN_PIPELINE_H
#define ACTGEN_PIPELINE_H

#include "lane.h"
#include "loop_choice.h"
#include "target.h"

enum { PIPELINE_MAX_STAGES = LOOP_MOST_STAGES, PIPELINE_MAX_UNROLL = LOOP_MOST_UNROLL };

struct pipeline {
    unsigned operations; /* count_operations() */
    unsigned stages;     /* 1: not worth it */
    unsigned unroll;     /* vectors a turn: 1, 2 or 4 */
    unsigned worth;      /* stages that the length of its chains is worth, whatever they take of registers */
    bool constants_in_memory;
    uint16_t *depth;    /* of each instruction: cycles until its value is there */
    uint16_t *last;     /* the last instruction that uses its value */
    uint8_t *stage;     /* of each instruction */
    uint8_t *last_use;  /* the latest stage that uses its value; its own if it is cheap */
    uint8_t *first_use; /* the first stage that does */
    uint8_t *made_in; /* the stages that compute it, a bit each: its own, or if it is cheap all that use it */
};

/* What the plan has to know of each instruction. */
struct pipeline_facts {
    const uint8_t *uniform; /* not 0: computed outside the loop */
    const uint8_t
        *cheap; /* not 0: each stage that uses it computes it anew, instead of keeping it in a register */
    const struct target_isa *isa;
    unsigned least_unroll; /* at most PIPELINE_MAX_UNROLL */
    bool packs;            /* two vectors of 16-bit elements are one of memory */
    bool draws;            /* whose chains of multiplications are the program's longest, and are not in it */
    struct loop_choice wanted;
};

/* Fills the arrays, which are the caller's, of p->count. */
void pipeline_plan(struct pipeline *l, const lane_program *p, const struct pipeline_facts *facts);

/* Value n, an operand of `user`, is a constant that its instruction can read in memory. */
bool pipeline_reads_constant(const lane_program *p, uint32_t user, uint32_t n);

/* The loops that are worth timing, beginning with l's own, which nothing but the estimate chose. See
 * backend_loops. */
size_t pipeline_loops(struct loop_choice *out, const struct pipeline *l, unsigned least_unroll,
                      bool has_constants);

#endif
