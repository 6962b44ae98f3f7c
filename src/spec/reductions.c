/* Sums, means and maxima over the rows or the columns: results that lack one of them, and what they are the reduction of.
 *
 * `s = sum(x * y)` is a statement of its own: the call is all of the result's formula, and its axis is what the result's shape lacks.
 * The names are no reserved words: a function of the file that has one of them is meant, and values may have them. */
#include "program.h"

#include <string.h>

static const char *const names[] = {
    [REDUCE_NONE] = "", [REDUCE_SUM] = "sum", [REDUCE_MEAN] = "mean", [REDUCE_AMAX] = "amax"};
enum { COUNT = sizeof names / sizeof *names };

const char *spec_reduction_name(enum operand_reduction reduction) { return names[reduction]; }

static enum operand_reduction reduction_named(const char *name)
{
    for (int i = REDUCE_SUM; i < COUNT; i++)
        if (!strcmp(names[i], name)) return (enum operand_reduction)i;
    return REDUCE_NONE;
}

const expr *elaborate_reduction(struct program *p, struct frame *f, const struct call *s, bool *is_one)
{
    const enum operand_reduction reduction = reduction_named(s->name);
    *is_one = reduction != REDUCE_NONE;
    if (!*is_one) return NULL;
    const struct syntax_statement *all = f->declaration ? NULL : p->statement;
    if (!all || all->value.place.offset != s->place.offset || all->value.place.length != s->place.length)
        return program_fail(p, f, DIAG_NOT_YET, s->place,
                            "`%s` stands alone, as all of a result's formula: `s = %s(x * y)` with "
                            "`s: f32[rows]`, `f32[cols]` or `f32[]`",
                            s->name, s->name);
    if (s->keywords || s->argument_count != 1)
        return program_fail(p, f, DIAG_SYNTAX, s->place,
                            "`%s` takes one argument; over what it goes follows from the result's shape",
                            s->name);
    const expr *summand = elaborate_number(p, f, &s->arguments->value);
    p->reduction = reduction;
    return summand;
}

bool take_reduction(struct program *p, const struct frame *f, const struct syntax_statement *s,
                    struct spec_operand *result)
{
    static const char *const shapes[] = {"", "[cols]", "[rows]", "[]"};
    const bool is_reduced = p->reduction != REDUCE_NONE, lacks = result && result->shape != SHAPE_MATRIX;
    if (is_reduced && !lacks)
        return program_fail(
            p, f, DIAG_SYNTAX, s->value.place,
            "`%s` is a value of each element; `%s` makes results of shape [rows], [cols] or []", s->name,
            names[p->reduction]);
    if (lacks && !is_reduced)
        return program_fail(
            p, f, DIAG_SYNTAX, s->value.place,
            "`%s` has shape %s, and this is a value of each element; `%s = sum(...)`, `mean(...)` or "
            "`amax(...)` makes one of all of them",
            s->name, shapes[result->shape], s->name);
    if (result) result->reduction = p->reduction;
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
                before->name, names[before->reduction], o->name, names[o->reduction]);
    }
    return true;
}

bool check_no_reductions(struct program *p, const struct frame *f, const struct declaration *d,
                         const struct spec_kernel *of)
{
    for (uint32_t i = of->input_count; i < of->operand_count; i++)
        if (of->operands[i].reduction)
            return program_fail(
                p, f, DIAG_NOT_YET, d->target_place,
                "`%s` has the result `%s`, which is a %s; gradients of those are not supported yet",
                d->target, of->operands[i].name, names[of->operands[i].reduction]);
    return true;
}

const struct spec_kernel *spec_summands(arena *memory, const struct spec_kernel *kernel)
{
    struct spec_kernel *k = arena_copy(memory, kernel, sizeof *kernel);
    const uint32_t count = kernel->operand_count + kernel->draw_count;
    k->operands = arena_copy(memory, kernel->operands, count * sizeof *k->operands);
    for (uint32_t i = 0; i < kernel->operand_count; i++) {
        struct spec_operand *o = &k->operands[i];
        if (!o->reduction) continue;
        o->reduction = REDUCE_NONE;
        o->shape = SHAPE_MATRIX;
        o->type = o->type == ELEMENT_F64 ? ELEMENT_F64 : ELEMENT_F32;
    }
    return k;
}
