/* Finds the formulas of gradients: what arrives at each input and at each total of a kernel. */
#ifndef ACTGEN_GRADIENT_H
#define ACTGEN_GRADIENT_H

#include "kernels.h"

/* A gradient kernel that is being made: the operands of the kernel that it takes, and their new numbers. */
struct making {
    const struct declaration *d;
    const struct spec_kernel *of;
    const bool *chosen;
    /* The formulas of d_<input>, for the chosen inputs. */
    const expr *values[SPEC_MAX_OPERANDS];
    /* The inputs whose formula is one value per row. Other inputs that elements share have the sum of it. */
    bool is_of_rows[SPEC_MAX_OPERANDS];
    /* The draws and totals of the kernel, then the totals that the gradient needs. */
    struct made_inputs made;
    bool is_full;   /* more were needed than there may be */
    uint64_t taken; /* the operands, draws and totals that the gradient has, by their numbers in `of` */
    uint32_t number[SPEC_MAX_OPERANDS];
    /* The result of the kernel that replaces its condition, or NO_MASK. */
    uint32_t mask;
    /* The share of an element in the gradient that arrives at a total. NULL if nothing arrives. */
    const expr *share[SPEC_MAX_TOTALS];
    /* True if choices may leave the total out, so that 0 arrives. */
    bool is_chosen[SPEC_MAX_TOTALS];
};
enum { NO_MASK = SPEC_MAX_OPERANDS };

/* Returns d times the derivative, or NULL if that is 0. `d` is the gradient that arrives at the
 * differentiated formula. */
const expr *times_slope(expr_dag *dag, const expr *d, const expr *derivative);
/* Returns the kernel with its sums over the columns as totals, so that its [rows] results are formulas.
 * Returns NULL if there are too many. */
const struct spec_kernel *with_totals_of_rows(struct program *p, const struct spec_kernel *kernel);
/* Fills in `made`, `share` and the values of the chosen inputs. */
void find_gradients(struct program *p, struct making *m);

#endif
