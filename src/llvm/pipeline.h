/* Software pipelining: the program is cut into stages, and one turn of the loop does each stage for another vector, so
 * that a turn's chains of dependent operations are short. */
#ifndef ACTGEN_PIPELINE_H
#define ACTGEN_PIPELINE_H

#include "lane.h"

enum { PIPELINE_MAX_STAGES = 8, PIPELINE_MAX_UNROLL = 4 };

struct pipeline {
    unsigned operations; /* but for loads, stores and constants */
    unsigned stages;     /* 1: not worth it */
    unsigned unroll;     /* vectors a turn: 1, 2 or 4 */
    uint16_t *depth;     /* of each instruction: cycles until its value is there */
    uint16_t *last;      /* the last instruction that uses its value */
    uint8_t *stage;      /* of each instruction */
    uint8_t *last_use;   /* the latest stage that uses its value */
    const uint8_t *uniform;
};

/* Fills the arrays, which are the caller's, of p->count. The processor has `registers` vector registers. What is
 * `uniform`, of each instruction not 0, is computed outside the loop. */
void pipeline_plan(struct pipeline *l, const lane_program *p, const uint8_t *uniform, unsigned registers);

#endif
