/* Sums, means and maxima over the rows or the columns: results that lack one of the two, and the values
 * that are reduced.
 *
 * `s = sum(x * y)` is a statement of its own. The call is the whole formula of the result, and it goes over
 * what the shape of the result lacks. The names are not reserved: a function of the file with such a name
 * comes first, and values may have these names. */
#include "kernels.h"

#include <string.h>

/* Returns "`s = sum(...)`, `mean(...)` or `amax(...)`" for the result s. */
static const char *list_of_calls(arena *memory, const char *result)
{
    struct text list = text_new(memory);
    text_add(&list, "`%s = %s(...)`", result, reductions[REDUCE_NONE + 1].name);
    for (int i = REDUCE_NONE + 2; i < REDUCE_COUNT; i++)
        text_add(&list, "%s`%s(...)`", i + 1 < REDUCE_COUNT ? ", " : " or ", reductions[i].name);
    return list.data;
}

enum operand_reduction reduction_named(const char *name)
{
    for (int i = REDUCE_NONE + 1; i < REDUCE_COUNT; i++)
        if (!strcmp(reductions[i].name, name)) return (enum operand_reduction)i;
    return REDUCE_NONE;
}

const expr *elaborate_summand(struct program *p, struct frame *f, const struct call *s,
                              enum operand_reduction *reduction)
{
    const enum operand_reduction how = *reduction;
    if (f->declaration || !f->made->kernel)
        return program_fail(p, f, DIAG_NOT_YET, s->place,
                            "`%s` goes over the elements that a kernel has, and stands in its statements: a "
                            "function takes it as an argument",
                            s->name);
    if (s->keywords || s->argument_count < 1 || s->argument_count > 2)
        return program_fail(p, f, DIAG_SYNTAX, s->place,
                            "`%s` takes one argument; in a formula it goes over the columns of the row, and "
                            "as a whole result over the dimensions that the result's shape lacks; "
                            "`%s(x, 32)` goes over blocks of 32 columns",
                            s->name, s->name);
    if (s->argument_count == 2) {
        *reduction = REDUCE_NONE;
        return elaborate_block_total(p, f, s, how);
    }
    return elaborate_number(p, f, &s->arguments->value);
}

/* Returns true if the value is the same in all columns. */
static bool is_of_rows(const struct made_inputs *in, const struct spec_kernel *k, const expr *value)
{
    bool varies = false;
    for (uint32_t n = 0; n < in->count; n++)
        varies = varies ||
                 ((in->list[n].is_total ? in->list[n].total.block > 0 : in->list[n].source != SOURCE_ROW) &&
                  expr_depends(value, in->first + n));
    for (uint32_t i = 0; i < k->input_count; i++) {
        const enum operand_shape shape = k->operands[i].shape;
        varies = varies || (shape != SHAPE_ROWS && shape != SHAPE_ONE && expr_depends(value, i));
    }
    return !varies;
}

bool check_shape(struct program *p, const struct spec_kernel *k, const struct frame *f,
                 const struct syntax_statement *s, const expr *value, enum operand_reduction reduction,
                 const struct spec_operand *result)
{
    const char *shape = result ? spec_shape_text(p->memory, result) : "";
    const bool is_reduced = reduction != REDUCE_NONE, lacks = result && result->shape != SHAPE_MATRIX,
               has_total = value->inputs & made_set(f->made, true);
    if (result && result->block) return check_block_result(p, k, f, s, value, result);
    if (result && !lacks && value->kind == EXPR_INPUT && has_total)
        return program_fail(p, f, DIAG_SYNTAX, s->value.place,
                            "`%s` is a value of each element, and this is one of each row or block; a sum is "
                            "a result of shape [rows], [cols], [] or [rows, cols/N]",
                            s->name);
    if (lacks && !is_reduced && result->shape != SHAPE_ROWS && has_total)
        return program_fail(p, f, DIAG_NOT_YET, s->value.place,
                            "`%s` has shape %s, and sums in a formula go over the columns, to a value of "
                            "each row; over the rows "
                            "one stands alone, as all of the formula",
                            s->name, shape);
    if (lacks && !is_reduced && (result->shape != SHAPE_ROWS || !is_of_rows(f->made, k, value)))
        return program_fail(p, f, DIAG_SYNTAX, s->value.place,
                            "`%s` has shape %s, and this has more values; %s makes one of all of them",
                            s->name, shape, list_of_calls(p->memory, s->name));
    return true;
}

bool check_groups(struct program *p, const struct frame *f, const struct spec_kernel *k)
{
    for (uint32_t i = k->input_count + 1; i < k->operand_count; i++) {
        const struct spec_operand *o = &k->operands[i], *before = &k->operands[i - 1];
        if (o->part && o->reduction != before->reduction)
            return program_fail(
                p, f, DIAG_NOT_YET, o->place,
                "`%s` is a %s and `%s`, in the same operand, a %s, which is not supported yet: make each an "
                "operand of its own",
                before->name, reductions[before->reduction].name, o->name, reductions[o->reduction].name);
    }
    return true;
}

/* Returns true if the gradient that arrives at each summand needs more than the gradient of the result: the
 * number of rows, or the result itself. Both are known only after all rows. */
static bool needs_all_rows(const struct spec_operand *o)
{
    return o->reduction && o->shape != SHAPE_ROWS && reductions[o->reduction].gradient != GRADIENT_TO_EACH;
}

bool check_reductions(struct program *p, const struct frame *f, const struct declaration *d,
                      const struct spec_kernel *of)
{
    const struct spec_operand *sum = NULL;
    for (uint32_t i = of->input_count; i < of->operand_count; i++) {
        const struct spec_operand *o = &of->operands[i];
        const char *call = reductions[o->reduction].name;
        const bool is_mean = reductions[o->reduction].is_mean;
        if (o->reduction) sum = o;
        if (needs_all_rows(o))
            return program_fail(
                p, f, DIAG_NOT_YET, d->target_place,
                "`%s` has the result `%s`, and the gradient of `%s` over rows is not supported yet%s",
                d->target, o->name, call,
                is_mean ? ": use `sum`, with an operand of shape [] as a factor" : "");
    }
    if (d->from && (of->total_count || sum))
        return program_fail(p, f, DIAG_NOT_YET, d->from_place,
                            "`%s` has `%s` in its formulas, and its gradient takes the inputs; `from` is not "
                            "supported there yet",
                            d->target,
                            sum ? reductions[sum->reduction].name : spec_total_text(p->memory, of, 0));
    return true;
}
