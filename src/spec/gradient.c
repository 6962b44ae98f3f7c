/* Gradient kernels: the operands of a kernel and d_<result> of each result give d_<operand>. */
#include "nearest.h"
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

static bool has_gradient(const struct spec_operand *o)
{
    return o->type != ELEMENT_U64 && !element_is_bit(o->type);
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
        const char *near = nearest_name(n->name, names, of->input_count);
        if (i == of->input_count) {
            program_fail(p, f, DIAG_SYNTAX, n->place,
                         near ? "`%s` has no input `%.64s`; did you mean `%s`?" : "`%s` has no input `%.64s`",
                         d->target, n->name, near);
            return 0;
        }
        const bool has_one = has_gradient(&of->operands[i]);
        if (chosen[i] || !has_one) {
            program_fail(p, f, DIAG_SYNTAX, n->place,
                         has_one ? "`%s` is named twice"
                                 : "`%s` is a seed, an offset or a mask, and has no gradient",
                         n->name);
            return 0;
        }
        chosen[i] = true;
        count++;
    }
    for (uint32_t i = 0; !d->of && i < of->input_count; i++) {
        chosen[i] = has_gradient(&of->operands[i]);
        count += chosen[i];
    }
    if (!count)
        program_fail(p, f, DIAG_SYNTAX, d->target_place, "`%s` has no input with a gradient", d->target);
    return count;
}

/* `o` as an operand d_<name> of a gradient. */
static struct spec_operand derivative_operand(struct program *p, const struct declaration *d,
                                              const struct spec_operand *o, uint32_t group)
{
    struct text name = text_new(p->memory);
    text_add(&name, "d_%s", o->name);
    struct spec_operand out = *o;
    out.name = name.data;
    if (element_is_integer(o->type)) out.type = ELEMENT_F32; /* slopes are no whole numbers */
    out.group = group;
    out.place = d->place;
    out.reduction =
        o->shape == SHAPE_MATRIX ? REDUCE_NONE : REDUCE_SUM; /* what many share has all their slopes */
    return out;
}

/* The derivative, times d_<result>, the kernel's input `by`. */
static const expr *scaled(expr_dag *dag, uint32_t by, const expr *derivative)
{
    const expr *d = expr_input(dag, by);
    if (expr_is_number(derivative, 0, 1)) return NULL;
    if (expr_is_number(derivative, 1, 1)) return d;
    if (derivative->kind == EXPR_NEG && expr_is_number(derivative->operand[0], 1, 1))
        return expr_unary(dag, EXPR_NEG, d);
    return expr_binary(dag, EXPR_MUL, d, derivative);
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
        const expr *term = scaled(p->dag, of->input_count + r, derivative);
        if (term) sum = sum ? expr_binary(p->dag, EXPR_ADD, sum, term) : term;
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

/* The results d_<input>, in the inputs' own layout; of an operand whose parts are not all asked for, each for itself. */
static void add_results(struct program *p, const struct declaration *d, const struct spec_kernel *of,
                        const bool *chosen, struct spec_kernel *k)
{
    uint32_t r = 0, group = k->operands[k->input_count - 1].group;
    for (uint32_t first = 0; first < of->input_count; first += of->operands[first].parts) {
        const uint32_t parts = of->operands[first].parts;
        bool whole = true;
        for (uint32_t i = first; i < first + parts; i++) whole = whole && chosen[i];
        for (uint32_t i = first; i < first + parts; i++) {
            if (!chosen[i]) continue;
            group += !whole || i == first;
            struct spec_operand o = derivative_operand(p, d, &of->operands[i], group);
            if (!whole) {
                o.layout = LAYOUT_SEPARATE;
                o.part = 0;
                o.parts = 1;
            }
            k->operands[k->input_count + r] = o;
            k->results[r++].value = gradient_value(p, of, i);
        }
    }
}

/* The operands of `of`, then d_<result>, give d_<input>. */
static struct spec_kernel *from_inputs(struct program *p, const struct frame *f, const struct declaration *d,
                                       const struct spec_kernel *of, const bool *chosen, uint32_t count)
{
    const uint32_t inputs = of->operand_count;
    if (inputs + count + of->draw_count > SPEC_MAX_OPERANDS)
        return program_fail(p, f, DIAG_SYNTAX, d->place, "the gradient would have more than %d operands",
                            SPEC_MAX_OPERANDS);
    struct spec_kernel *k = new_kernel(p, d, inputs, inputs + count);
    for (uint32_t i = 0; i < inputs; i++) {
        const struct spec_operand *o = &of->operands[i];
        k->operands[i] = i < of->input_count ? *o : derivative_operand(p, d, o, o->group);
        k->operands[i].place = d->place;
    }
    add_results(p, d, of, chosen, k);
    move_draws(p, of, k);
    k->bound = of->bound; /* as exact as what it is the gradient of */
    return k;
}

/* -- from the result -- */

static bool check_from(struct program *p, const struct frame *f, const struct declaration *d,
                       const struct spec_kernel *of)
{
    const char *names[SPEC_MAX_OPERANDS];
    bool found = false;
    for (uint32_t i = 0; i < of->result_count; i++) {
        names[i] = of->operands[of->input_count + i].name;
        found = found || !strcmp(names[i], d->from);
    }
    const char *near = found ? NULL : nearest_name(d->from, names, of->result_count);
    if (!found)
        return program_fail(
            p, f, DIAG_SYNTAX, d->from_place,
            near ? "`%s` has no result `%.64s`; did you mean `%s`?"
                 : "`%s` has no result `%.64s`; `from` names the result that takes the input's place",
            d->target, d->from, near);
    if (of->input_count == 1 && of->result_count == 1) return true;
    return program_fail(p, f, DIAG_SYNTAX, d->from_place,
                        "`from` is for kernels of one input and one result; `%s` has %u and %u", d->target,
                        of->input_count, of->result_count);
}

/* The result of `of`, then d_<result>, give d_<input>. */
static struct spec_kernel *from_result(struct program *p, const struct frame *f, const struct declaration *d,
                                       const struct spec_kernel *of)
{
    if (!check_from(p, f, d, of)) return NULL;
    const char *problem = NULL;
    const expr *derivative = derivative_from_result(p->dag, of->results[0].value, &problem);
    if (!derivative)
        return program_fail(p, f, DIAG_SYNTAX, d->from_place, "`%s` has no gradient from its result: %s",
                            d->target, problem);
    struct spec_kernel *k = new_kernel(p, d, 2, 3);
    k->operands[0] = of->operands[1];
    k->operands[0].group = 0;
    k->operands[0].place = d->place;
    k->operands[1] = derivative_operand(p, d, &of->operands[1], 1);
    k->operands[2] = derivative_operand(p, d, &of->operands[0], 2);
    const expr *value = scaled(p->dag, 1, derivative);
    k->results[0].value = value ? value : expr_integer(p->dag, 0);
    k->bound = of->bound;
    k->bound.has_interval = false; /* which is of the input, that this kernel does not know */
    return k;
}

/* The gradient that `d` declares, of the kernel `of`. */
static struct spec_kernel *declared_gradient(struct program *p, const struct frame *f,
                                             const struct declaration *d, const struct spec_kernel *of)
{
    bool chosen[SPEC_MAX_OPERANDS] = {false};
    const uint32_t count = choose_inputs(p, f, d, of, chosen);
    if (!count || !check_no_reductions(p, f, d, of)) return NULL;
    struct spec_kernel *k = d->from ? from_result(p, f, d, of) : from_inputs(p, f, d, of, chosen, count);
    return k && check_gradient(p, f, d, k) ? k : NULL;
}

struct spec_kernel *make_gradient(struct program *p, struct declaration *d)
{
    struct frame f = {.source = d->source};
    const struct spec_kernel *of = gradient_of(p, &f, d);
    return of ? declared_gradient(p, &f, d, of) : NULL;
}

/* -- of a kernel that is made already: the declaration stands in no text -- */

static const struct syntax_name *names_of(arena *memory, const char *const *of, size_t count)
{
    const struct syntax_name *first = NULL;
    while (count--) {
        struct syntax_name *name = arena_alloc(memory, sizeof *name);
        *name = (struct syntax_name){.name = of[count], .next = (struct syntax_name *)first};
        first = name;
    }
    return first;
}

int spec_gradient(struct spec **out, arena *memory, const struct spec *s, const struct spec_kernel *kernel,
                  const char *const *of, size_t count, struct diag *error)
{
    struct spec *both = spec_copy_kernel(memory, s, kernel);
    const struct source source = {.file = both->file, .text = both->text};
    const struct frame f = {.source = &source};
    struct diag diag = {0};
    struct program p = {.memory = memory, .dag = both->dag, .error = &diag};
    struct text name = text_new(memory);
    text_add(&name, "%s_backward", kernel->name);
    const struct declaration d = {.kind = DECLARE_GRADIENT,
                                  .source = &source,
                                  .name = name.data,
                                  .summary = "",
                                  .target = both->kernels->name,
                                  .of = names_of(memory, of, count)};
    const struct spec_kernel *made = declared_gradient(&p, &f, &d, both->kernels);
    *out = made ? both : NULL;
    if (!made) return diag_set(error, diag.status, "%s", diag.message); /* without a place */
    struct spec_kernel *kernels = arena_alloc(memory, 2 * sizeof *kernels);
    kernels[0] = both->kernels[0];
    kernels[1] = *made;
    both->kernels = kernels;
    both->kernel_count = 2;
    return DIAG_OK;
}
