/* Internals of written.h: the steps that run on a block of lanes, one after the other. */
#ifndef ACTGEN_WRITTEN_STEPS_H
#define ACTGEN_WRITTEN_STEPS_H

#include "written.h"

enum step_kind {
    STEP_PIECE = EXPR_KIND_COUNT,
    STEP_SCALED_EXPONENTIAL, /* exponential of u and an integral k, by the subject's program */
    STEP_FMA,                /* a*b + c in f32 with one rounding */
};

struct step {
    int kind;  /* EXPR_INPUT, EXPR_NUMBER for any constant, EXPR_CAST, arithmetic, or a step_kind */
    bool wide; /* f64 arithmetic */
    enum element_type type; /* type that a cast rounds to */
    uint32_t operand[3];    /* numbers of steps */
    uint32_t index;         /* index of the kernel's operand, or of the piece */
    uint64_t nan_inputs;    /* bit i: a choice is NaN if operand i is NaN */
    double constant;
};

struct written {
    const struct verify_subject *subject;
    struct step *steps;
    uint32_t count;
    uint32_t *results; /* step of each of the subject's results */
};

#endif
