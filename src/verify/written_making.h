/* Internals of written.h: how formulas become steps. */
#ifndef ACTGEN_WRITTEN_MAKING_H
#define ACTGEN_WRITTEN_MAKING_H

#include "written_steps.h"

/* The use of an expression's value. One expression may have several uses. */
struct purpose {
    bool wide;
    bool whole; /* the value is a whole result or the whole operand of a cast */
    /* type that a whole value is rounded to; otherwise ELEMENT_F32 or, if wide, ELEMENT_F64 */
    enum element_type rounded_to;
};

struct made {
    const expr *node;
    struct purpose purpose;
};

struct making {
    arena *memory;
    expr_dag *dag;
    struct written *w;
    const expr **pieces;       /* the subject's pieces in this DAG */
    const double *factor_ulps; /* spec_factor_ulps() of the results */
    struct made *made;         /* indexed by step: the expression and the purpose */
    uint32_t capacity;
    bool impossible;
};

static inline struct purpose operand_purpose(bool wide)
{
    return (struct purpose){wide, false, wide ? ELEMENT_F64 : ELEMENT_F32};
}

/* Return the number of the step that has the value of `e`: a new one, or one that is there. */
uint32_t written_make(struct making *m, const expr *e, struct purpose purpose);
uint32_t written_add_step(struct making *m, const expr *e, struct purpose purpose, struct step s);
/* Returns true if `e` is computed from some f64. The search stops at casts. */
bool written_is_wide(struct making *m, const expr *e);
/* Returns the f32 value that f64 arithmetic takes unchanged, or NULL if it is none. */
const expr *written_narrow_part(struct making *m, const expr *e);

/* Returns the step of a product of f32 values and of f64 values that a row shares, as it is rounded to the
 * type. Returns `exact`, the step of the f64 product, if `e` is no such product. In written_scaled.c. */
uint32_t make_scaled(struct making *m, const expr *e, enum element_type type, uint32_t exact);

#endif
