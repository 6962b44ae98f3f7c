/* Divides a product into what all elements of a row share and what each has. */
#include "kernels.h"

/* Returns the inputs that differ between the elements of a row. */
static uint64_t inputs_of_elements(const struct spec_kernel *k)
{
    uint64_t inputs = 0;
    for (uint32_t i = 0; i < first_total(k); i++) {
        const struct spec_operand *o = &k->operands[i];
        if (o->shape != SHAPE_ROWS && o->shape != SHAPE_ONE) inputs |= UINT64_C(1) << i;
    }
    return inputs;
}

bool formula_is_wide(struct program *p, const struct spec_kernel *k, const expr *e)
{
    struct spec_operand *operands = arena_alloc(p->memory, SPEC_MAX_OPERANDS * sizeof *operands);
    for (uint32_t i = 0; i < SPEC_MAX_OPERANDS; i++)
        operands[i] = i < first_total(k) ? k->operands[i] : (struct spec_operand){.is_total = true};
    return spec_is_wide(p->memory, operands, e);
}

const expr *divide_in_row(struct program *p, const struct spec_kernel *k, const expr *e, const expr **of_row)
{
    const expr *rest;
    if (!formula_is_wide(p, k, e) || expr_has_outer_choice(e)) return e;
    *of_row = expr_outer_factors(p->dag, e, inputs_of_elements(k), &rest);
    const bool is_product = rest->kind == EXPR_MUL || rest->kind == EXPR_DIV;
    return is_product && !formula_is_wide(p, k, rest) ? expr_widened_product(p->dag, rest) : rest;
}
