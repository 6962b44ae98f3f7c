/* Inside written.h: what is run on a block of lanes, one after the other. */
#ifndef ACTGEN_WRITTEN_STEPS_H
#define ACTGEN_WRITTEN_STEPS_H

#include "written.h"

enum step_kind {
    STEP_PIECE = EXPR_KIND_COUNT,
    STEP_SCALED_EXPONENTIAL, /* of u and an integral k, by the subject's program */
    STEP_FMA,                /* a*b + c with one rounding, of f32 */
};

struct step {
    int kind;  /* EXPR_INPUT, EXPR_NUMBER for any constant, EXPR_CAST, arithmetic; or of these: */
    bool wide; /* arithmetic of f64 */
    enum element_type type; /* that a cast rounds to */
    uint32_t operand[3];    /* steps */
    uint32_t index;         /* of the kernel's operand, or of the piece */
    uint64_t nan_inputs;    /* bit i: a choice is NaN where operand i is */
    double constant;
};

struct written {
    const struct verify_subject *subject;
    struct step *steps;
    uint32_t count;
    uint32_t *results; /* the step of each of the subject's results */
};

#endif
