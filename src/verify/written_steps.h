/* Internals of written.h: the steps that run on a block of lanes, one after the other. */
#ifndef ACTGEN_WRITTEN_STEPS_H
#define ACTGEN_WRITTEN_STEPS_H

#include "written.h"

enum step_kind {
    STEP_PIECE = EXPR_KIND_COUNT,
    STEP_SCALED_EXPONENTIAL, /* exponential of u and an integral k, by the subject's program */
    STEP_FMA,                /* a*b + c in f32 with one rounding */
    STEP_REMAINDER,          /* a - b*floor(a/b), or with trunc if `index` is 0 */
    STEP_SCALED,             /* a product of f32 values and of values that a row shares */
};

/* A product of f32 values and of f64 values that all elements of a row share: "Products with values of rows"
 * in docs/language.md. */
enum { SCALED_MOST_FACTORS = 8 };
struct scaled_product {
    uint32_t scale, exact; /* steps: the product of the shared values, and the whole product, in f64 */
    uint32_t factor[SCALED_MOST_FACTORS];
    unsigned factors, words;
    bool is_tight; /* the bound does not allow one ulp for the least results of two words */
};

struct step {
    int kind;  /* EXPR_INPUT, EXPR_NUMBER for any constant, EXPR_CAST, arithmetic, or a step_kind */
    bool wide; /* f64 arithmetic */
    enum element_type type; /* type that a cast rounds to */
    uint32_t operand[3];    /* numbers of steps */
    uint32_t index;         /* index of the kernel's operand, or of the piece */
    uint64_t nan_inputs;    /* bit i: a choice is NaN if operand i is NaN */
    double constant;
    const struct scaled_product *scaled; /* of STEP_SCALED */
};

struct written {
    const struct verify_subject *subject;
    struct step *steps;
    uint32_t count;
    uint32_t *results; /* step of each of the subject's results */
};

/* Computes a product of the values. `scale` and `exact` are f64 values. In written_scaled.c. */
double scaled_value(const struct scaled_product *s, double scale, double exact, const float *factor);

#endif
