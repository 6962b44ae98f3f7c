/* Gradient kernels: the operands of a kernel and d_<result> of each result give d_<operand>. */
#include "program.h"

#include <string.h>

/* The kernel whose gradient is wanted. */
static struct spec_kernel *gradient_of(struct program *p, const struct frame *f, const struct declaration *d)
{
    struct target t = program_resolve(p, d->source, d->target, true);
    if (t.kind == TARGET_KERNEL) return make_kernel(p, t.declaration);
    if (t.kind == TARGET_FUNCTION || t.kind == TARGET_ELEMENTARY)
        return make_function_kernel(p, d->target, t);
    const char *near = program_nearest(p, f, d->target, false, true, true);
    return program_fail(p, f, DIAG_SYNTAX, d->target_place,
                        near ? "unknown kernel `%.64s`; did you mean `%s`?" : "unknown kernel `%.64s`",
                        d->target, near);
}

/* Marks the inputs that the "of" list names, all if there is none; their number, 0 after an error. */
static uint32_t choose_inputs(struct program *p, const struct frame *f, const struct declaration *d,
                              const struct spec_kernel *of, bool *chosen)
{
    uint32_t count = 0;
    const char *names[SPEC_MAX_OPERANDS];
    for (uint32_t i = 0; i < of->input_count; i++) names[i] = of->operands[i].name;
    for (const struct syntax_name *n = d->of; n; n = n->next) {
        uint32_t i = 0;
        while (i < of->input_count && strcmp(names[i], n->name) != 0) i++;
        const char *near = diag_nearest(n->name, names, of->input_count);
        if (i == of->input_count) {
            program_fail(p, f, DIAG_SYNTAX, n->place,
                         near ? "`%s` has no input `%.64s`; did you mean `%s`?" : "`%s` has no input `%.64s`",
                         d->target, n->name, near);
            return 0;
        }
        if (chosen[i]) {
            program_fail(p, f, DIAG_SYNTAX, n->place, "`%s` is named twice", n->name);
            return 0;
        }
        chosen[i] = true;
        count++;
    }
    if (!d->of)
        for (; count < of->input_count; count++) chosen[count] = true;
    return count;
}

static const char *derivative_name(struct program *p, const char *name)
{
    struct text t = text_new(p->memory);
    text_add(&t, "d_%s", name);
    return t.data;
}

/* The sum over the results r of d_r * (derivative of r by the input). */
static const expr *gradient_value(struct program *p, const struct spec_kernel *of, uint32_t input)
{
    const expr *sum = NULL;
    for (uint32_t r = 0; r < of->result_count; r++) {
        const expr *value = of->results[r].value;
        if (!expr_depends(value, input)) continue;
        p->steps += value->id;
        const expr *derivative = expr_derivative(p->dag, value, expr_input(p->dag, input));
        const expr *term = expr_binary(p->dag, EXPR_MUL, expr_input(p->dag, of->input_count + r), derivative);
        sum = sum ? expr_binary(p->dag, EXPR_ADD, sum, term) : term;
    }
    return sum ? sum : expr_integer(p->dag, 0);
}

static bool check_gradient(struct program *p, const struct frame *f, const struct declaration *d,
                           const struct spec_kernel *k)
{
    struct name_map seen = name_map_new(p->memory);
    for (uint32_t i = 0; i < k->operand_count; i++) {
        if (name_map_get(&seen, k->operands[i].name))
            return program_fail(p, f, DIAG_SYNTAX, d->place,
                                "the gradient would have two operands `%s`; rename those of `%s`",
                                k->operands[i].name, d->target);
        name_map_put(&seen, k->operands[i].name, &k->operands[i]);
    }
    if (expr_dag_full(p->dag) || p->steps > PROGRAM_MAX_STEPS)
        return program_fail(p, f, DIAG_SYNTAX, d->place,
                            "too large: with this gradient the spec has more than %d operations",
                            SPEC_MAX_NODES);
    return true;
}

struct spec_kernel *make_gradient(struct program *p, struct declaration *d)
{
    struct frame f = {.source = d->source};
    if (d->from_place.length)
        return program_fail(p, &f, DIAG_NOT_YET, d->from_place,
                            "`from` is not supported yet; this gradient is computed from the inputs");
    const struct spec_kernel *of = gradient_of(p, &f, d);
    if (!of) return NULL;
    bool chosen[SPEC_MAX_OPERANDS] = {false};
    uint32_t count = choose_inputs(p, &f, d, of, chosen);
    if (!count) return NULL;
    uint32_t inputs = of->operand_count;
    if (inputs + count > SPEC_MAX_OPERANDS)
        return program_fail(p, &f, DIAG_SYNTAX, d->place, "the gradient would have more than %d operands",
                            SPEC_MAX_OPERANDS);
    struct spec_kernel *k = new_kernel(p, d, inputs, inputs + count);
    for (uint32_t i = 0; i < inputs; i++) {
        const char *name = of->operands[i].name;
        k->operands[i] = plain_operand(i < of->input_count ? name : derivative_name(p, name), i, d->place);
    }
    for (uint32_t i = 0, r = 0; i < of->input_count; i++) {
        if (!chosen[i]) continue;
        k->operands[inputs + r] =
            plain_operand(derivative_name(p, of->operands[i].name), inputs + r, d->place);
        k->results[r++].value = gradient_value(p, of, i);
    }
    k->bound = of->bound; /* as exact as what it is the gradient of */
    return check_gradient(p, &f, d, k) ? k : NULL;
}
