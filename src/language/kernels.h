/* Makes kernels from declarations: as written, from functions, and gradients. Checks what kernels may have.
 */
#ifndef ACTGEN_KERNELS_H
#define ACTGEN_KERNELS_H

#include "made_inputs.h"

/* Makes the kernel that the declaration describes: a kernel or a gradient. */
struct spec_kernel *make_kernel(struct program *p, struct declaration *d);
struct spec_kernel *make_gradient(struct program *p, struct declaration *d);
/* Makes a kernel of f32 operands with the result y from a function, which may be elementary. */
struct spec_kernel *make_function_kernel(struct program *p, const char *name, struct target target);
/* Makes a kernel without values, named as the declaration. */
struct spec_kernel *new_kernel(struct program *p, const struct declaration *d, uint32_t inputs,
                               uint32_t operands);
/* Makes an f32 operand of its own. */
struct spec_operand plain_operand(const char *name, uint32_t group, struct span place);

/* Makes the operand that holds the gradient of the operand `o`, with a name that is not in `names`, and adds
 * the name. keep_name() adds the name of an operand that the gradient kernel has as it is. */
struct spec_operand derivative_operand(struct program *p, const struct declaration *d, struct name_map *names,
                                       const struct spec_operand *o, uint32_t group);
void keep_name(struct program *p, struct name_map *names, const struct spec_operand *o);

/* Elaborates a function whose arguments are the inputs 0, 1, ..., and collects its draws in *made. Reports
 * unused names. Fills *out if it is not NULL. */
const expr *check_function(struct program *p, struct declaration *d, struct made_inputs *made,
                           struct spec_function *out);
/* Checks that formulas use u64 operands only as seeds and offsets. */
bool check_no_arithmetic(struct program *p, const struct frame *f, const struct spec_kernel *k);

/* Checks that the shape of a result fits its value and its reduction, which may be REDUCE_NONE. */
bool check_shape(struct program *p, const struct spec_kernel *k, const struct frame *f,
                 const struct syntax_statement *s, const expr *value, enum operand_reduction reduction,
                 const struct spec_operand *result);
/* Checks that the value of a result of shape [rows, cols/N] is one of each block (blocks.c). */
bool check_block_result(struct program *p, const struct spec_kernel *k, const struct frame *f,
                        const struct syntax_statement *s, const expr *value,
                        const struct spec_operand *result);
/* Checks that a kernel whose columns share values neither has sums as results nor draws. These may begin a
 * vector within a block. */
bool check_blocks(struct program *p, const struct frame *f, const struct spec_kernel *k);
/* Checks that a gradient can be made of the kernel. The gradients of shared values are sums over blocks. */
bool check_no_blocks(struct program *p, const struct frame *f, const struct declaration *d,
                     const struct spec_kernel *of);
/* Checks that all names of an operand have the same reduction. */
bool check_groups(struct program *p, const struct frame *f, const struct spec_kernel *k);
/* Checks that a gradient can be made of the sums in the kernel. */
bool check_reductions(struct program *p, const struct frame *f, const struct declaration *d,
                      const struct spec_kernel *of);
/* Lets a [rows] result that equals a total be that total. Returns false if there are too many operands. */
bool share_totals(struct program *p, const struct frame *f, struct spec_kernel *k);

/* Returns true if the formula of the kernel, or of its gradient, has f64 arithmetic. */
bool formula_is_wide(struct program *p, const struct spec_kernel *k, const expr *e);
/* Divides an f64 product. Sets *of_row to what all elements of a row share, and returns what each has.
 * Returns other formulas as they are. In f32, a part may leave the range. Where choices may leave the formula
 * out, 0 times infinity would be NaN. */
const expr *divide_in_row(struct program *p, const struct spec_kernel *k, const expr *e, const expr **of_row);

/* The totals of a kernel, and after them those by which its choices tell a NaN of the row from one that
 * arithmetic made (guards.c). */
struct guarded_totals {
    struct spec_total *totals;
    uint32_t count;
    /* For each total of the kernel: a bit for each input or total that a choice asks for NaN instead, by
     * EXPR_INPUT. */
    uint64_t asked[SPEC_MAX_TOTALS];
};
struct guarded_totals guard_totals(arena *memory, expr_dag *dag, const struct spec_kernel *k);
/* Adds totals for the values of blocks that formulas of elements use, as far as there is room, and lets the
 * kernel's results use them (blocks.c). */
void add_block_values(arena *memory, expr_dag *dag, struct spec_kernel *k, struct guarded_totals *g);
/* Returns true if the operands of the kernel leave room for its guards. */
bool check_guards(struct program *p, const struct frame *f, const struct spec_kernel *k, struct span place);

#endif
