/* Kernels: operands that this version supports, statements in order, nothing unused, nothing left out. */
#include "program.h"

#include <string.h>

static bool check_supported(struct program *p, const struct frame *f, const struct syntax_operand *o)
{
    const struct element_type_info *type = &element_types[o->operand.type];
    static const char *const shapes[] = {"", "[cols]", "[rows]", "[]"};
    if (!type->usable)
        return program_fail(p, f, DIAG_NOT_YET, o->type_place, "%s operands are not supported yet; this version computes f32",
                            type->name);
    if (o->operand.shape != SHAPE_OF_MATRIX)
        return program_fail(p, f, DIAG_NOT_YET, o->shape_place,
                            "operands of shape %s are not supported yet; this version takes [rows, cols], written without a shape",
                            shapes[o->operand.shape]);
    if (o->operand.layout != LAYOUT_SEPARATE)
        return program_fail(p, f, DIAG_NOT_YET, o->group_place,
                            "%s operands are not supported yet; this version takes each as an operand of its own",
                            o->operand.layout == LAYOUT_PACKED ? "packed" : "interleaved");
    return true;
}

static bool add_operands(struct program *p, struct frame *f, const struct declaration *d, struct spec_kernel *k)
{
    struct name_map seen = name_map_new(p->memory);
    for (uint32_t i = 0; i < d->operand_count; i++) {
        const struct spec_operand *o = &d->operands[i].operand;
        if (name_map_get(&seen, o->name))
            return program_fail(p, f, DIAG_SYNTAX, o->place, "`%s` is already an operand of this kernel", o->name);
        name_map_put(&seen, o->name, (void *)o);
    }
    for (uint32_t i = 0; i < d->operand_count; i++) {
        if (!check_supported(p, f, &d->operands[i])) return false;
        k->operands[i] = d->operands[i].operand;
        if (i < d->input_count)
            frame_bind(p, f, k->operands[i].name, k->operands[i].place, expr_input(p->dag, i))->input = true;
    }
    return true;
}

static int result_index(const struct spec_kernel *k, const char *name)
{
    for (uint32_t i = k->input_count; i < k->operand_count; i++)
        if (!strcmp(k->operands[i].name, name)) return (int)(i - k->input_count);
    return -1;
}

static bool add_statement(struct program *p, struct frame *f, const struct syntax_statement *s, struct spec_kernel *k)
{
    const struct binding *before = frame_find(f, s->name);
    if (before)
        return program_fail(p, f, DIAG_SYNTAX, s->place,
                            before->input ? "`%s` is an input and cannot be assigned" : "`%s` is assigned twice", s->name);
    const expr *value = elaborate_number(p, f, s->value);
    if (!value) return false;
    struct binding *b = frame_bind(p, f, s->name, s->place, value);
    int result = result_index(k, s->name);
    b->result = result >= 0;
    if (b->result) k->results[result].value = value;
    return true;
}

/* The first thing, in the order of the text, that is not used. */
static bool check_used(struct program *p, const struct frame *f)
{
    const struct binding *unused = NULL;
    for (const struct binding *b = f->bindings; b; b = b->next)
        if (!b->used && !b->result) unused = b;
    if (!unused) return true;
    return program_fail(p, f, DIAG_SYNTAX, unused->place, "`%s` is not used", unused->name);
}

static struct spec_kernel *new_kernel(struct program *p, const struct declaration *d, uint32_t inputs, uint32_t operands)
{
    struct spec_kernel *k = arena_alloc(p->memory, sizeof *k);
    *k = (struct spec_kernel){.name = d->name, .place = d->place, .summary = d->summary};
    k->input_count = inputs;
    k->operand_count = operands;
    k->result_count = operands - inputs;
    k->operands = arena_alloc(p->memory, operands * sizeof *k->operands);
    k->results = arena_alloc(p->memory, k->result_count * sizeof *k->results);
    for (uint32_t i = 0; i < k->result_count; i++) k->results[i].operand = inputs + i;
    return k;
}

static struct spec_kernel *make_written(struct program *p, struct declaration *d)
{
    struct spec_kernel *k = new_kernel(p, d, d->input_count, d->operand_count);
    struct name_map map = name_map_new(p->memory);
    struct frame f = {.source = d->source, .map = &map};
    p->inputs = k->input_count;
    if (!add_operands(p, &f, d, k)) return NULL;
    for (const struct syntax_statement *s = d->statements; s; s = s->next)
        if (!add_statement(p, &f, s, k)) return NULL;
    for (uint32_t i = 0; i < k->result_count; i++)
        if (!k->results[i].value) {
            const struct spec_operand *o = &k->operands[k->input_count + i];
            return program_fail(p, &f, DIAG_SYNTAX, o->place, "the result `%s` is never assigned", o->name);
        }
    if (!check_used(p, &f) || !elaborate_bound(p, d->source, &d->bound, &k->bound)) return NULL;
    return k;
}

struct spec_kernel *make_kernel(struct program *p, struct declaration *d)
{
    struct frame f = {.source = d->source};
    if (d->made) return d->made;
    if (d->active) return program_fail(p, &f, DIAG_SYNTAX, d->target_place, "recursion: `%s` is its own gradient", d->name);
    d->active = true;
    d->made = d->kind == DECLARE_GRADIENT ? make_gradient(p, d) : make_written(p, d);
    d->active = false;
    return d->made;
}

const expr *check_function(struct program *p, struct declaration *d, struct spec_function *out)
{
    struct frame f = {.source = d->source, .declaration = d};
    uint32_t count = d->argument_count + d->parameter_count;
    const char **names = arena_alloc(p->memory, (d->parameter_count + 1) * sizeof *names);
    const expr **defaults = arena_alloc(p->memory, (d->parameter_count + 1) * sizeof *defaults);
    struct name_map seen = name_map_new(p->memory);
    p->inputs = d->argument_count;
    d->active = true;
    for (uint32_t i = 0; i < count; i++) {
        const struct syntax_parameter *a = &d->parameters[i];
        if (name_map_get(&seen, a->name))
            return program_fail(p, &f, DIAG_SYNTAX, a->place, "`%s` is already an argument of this function", a->name);
        name_map_put(&seen, a->name, (void *)a);
    }
    for (uint32_t i = d->argument_count; i < count; i++) { /* defaults see the parameters before them, no arguments */
        const struct syntax_parameter *a = &d->parameters[i];
        uint32_t k = i - d->argument_count;
        names[k] = a->name;
        if (!(defaults[k] = elaborate_number(p, &f, a->value))) return NULL;
        frame_bind(p, &f, a->name, a->place, defaults[k]);
    }
    for (uint32_t i = 0; i < d->argument_count; i++)
        frame_bind(p, &f, d->parameters[i].name, d->parameters[i].place, expr_input(p->dag, i));
    const expr *value = elaborate_number(p, &f, d->body);
    d->active = false;
    if (!value || !check_used(p, &f)) return NULL;
    if (out) {
        out->parameters = names;
        out->defaults = defaults;
        out->argument_count = d->argument_count;
        out->parameter_count = d->parameter_count;
    }
    return value;
}

static struct spec_operand plain_operand(const char *name, uint32_t group, struct span place)
{
    return (struct spec_operand){.name = name, .type = ELEMENT_F32, .group = group, .parts = 1, .place = place};
}

struct spec_kernel *make_function_kernel(struct program *p, const char *name, struct target t)
{
    struct declaration elementary = {.name = name, .summary = "", .argument_count = 1};
    struct declaration *d = t.kind == TARGET_FUNCTION ? t.declaration : &elementary;
    uint32_t inputs = d->argument_count;
    struct spec_kernel *k = new_kernel(p, d, inputs, inputs + 1);
    k->name = name;
    bool y_is_taken = false;
    for (uint32_t i = 0; i < inputs; i++) {
        const char *argument = t.kind == TARGET_FUNCTION ? d->parameters[i].name : "x";
        y_is_taken = y_is_taken || !strcmp(argument, "y");
        k->operands[i] = plain_operand(argument, i, d->place);
    }
    k->operands[inputs] = plain_operand(y_is_taken ? "result" : "y", inputs, d->place);
    k->results[0].value = t.kind == TARGET_FUNCTION ? check_function(p, d, NULL)
                                                    : expr_unary(p->dag, t.function, expr_input(p->dag, 0));
    return k->results[0].value ? k : NULL;
}

/* The kernel whose gradient is wanted. */
static struct spec_kernel *gradient_of(struct program *p, const struct frame *f, const struct declaration *d)
{
    struct target t = program_resolve(p, d->source, d->target, true);
    if (t.kind == TARGET_KERNEL) return make_kernel(p, t.declaration);
    if (t.kind == TARGET_FUNCTION || t.kind == TARGET_ELEMENTARY) return make_function_kernel(p, d->target, t);
    const char *near = program_nearest(p, f, d->target, false, true, true);
    return program_fail(p, f, DIAG_SYNTAX, d->target_place,
                        near ? "unknown kernel `%.64s`; did you mean `%s`?" : "unknown kernel `%.64s`", d->target, near);
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
                         near ? "`%s` has no input `%.64s`; did you mean `%s`?" : "`%s` has no input `%.64s`", d->target,
                         n->name, near);
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

static bool check_gradient(struct program *p, const struct frame *f, const struct declaration *d, const struct spec_kernel *k)
{
    struct name_map seen = name_map_new(p->memory);
    for (uint32_t i = 0; i < k->operand_count; i++) {
        if (name_map_get(&seen, k->operands[i].name))
            return program_fail(p, f, DIAG_SYNTAX, d->place, "the gradient would have two operands `%s`; rename those of `%s`",
                                k->operands[i].name, d->target);
        name_map_put(&seen, k->operands[i].name, &k->operands[i]);
    }
    if (expr_dag_full(p->dag) || p->steps > PROGRAM_MAX_STEPS)
        return program_fail(p, f, DIAG_SYNTAX, d->place, "too large: with this gradient the spec has more than %d operations",
                            SPEC_MAX_NODES);
    return true;
}

struct spec_kernel *make_gradient(struct program *p, struct declaration *d)
{
    struct frame f = {.source = d->source};
    if (d->from_place.length)
        return program_fail(p, &f, DIAG_NOT_YET, d->from_place, "`from` is not supported yet; this gradient is computed from the inputs");
    const struct spec_kernel *of = gradient_of(p, &f, d);
    if (!of) return NULL;
    bool chosen[SPEC_MAX_OPERANDS] = {false};
    uint32_t count = choose_inputs(p, &f, d, of, chosen);
    if (!count) return NULL;
    uint32_t inputs = of->operand_count;
    if (inputs + count > SPEC_MAX_OPERANDS)
        return program_fail(p, &f, DIAG_SYNTAX, d->place, "the gradient would have more than %d operands", SPEC_MAX_OPERANDS);
    struct spec_kernel *k = new_kernel(p, d, inputs, inputs + count);
    for (uint32_t i = 0; i < inputs; i++) {
        const char *name = of->operands[i].name;
        k->operands[i] = plain_operand(i < of->input_count ? name : derivative_name(p, name), i, d->place);
    }
    for (uint32_t i = 0, r = 0; i < of->input_count; i++) {
        if (!chosen[i]) continue;
        k->operands[inputs + r] = plain_operand(derivative_name(p, of->operands[i].name), inputs + r, d->place);
        k->results[r++].value = gradient_value(p, of, i);
    }
    return check_gradient(p, &f, d, k) ? k : NULL;
}
