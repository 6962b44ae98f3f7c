/* Makes kernels. Checks that this version supports the operands, that each result has a value, and that
 * everything is used. Elaborates the statements in order. */
#include "kernels.h"

#include <string.h>

/* Checks a u64 operand, which must be a seed or an offset. */
static bool check_counter(struct program *p, const struct frame *f, const struct syntax_operand *o,
                          bool is_result)
{
    if (!is_result && o->operand.shape == SHAPE_ONE && o->operand.layout == LAYOUT_SEPARATE) return true;
    return program_fail(p, f, DIAG_SYNTAX, o->type_place,
                        "u64 is the type of seeds and offsets, inputs of one value each: `seed: u64[]`");
}

static bool check_supported(struct program *p, const struct frame *f, const struct syntax_operand *o,
                            bool is_result)
{
    const struct element_type_info *type = &element_types[o->operand.type];
    const enum operand_shape shape = o->operand.shape;
    const bool is_list = operand_is_list(shape, o->operand.layout);
    if (o->operand.type == ELEMENT_U64) return check_counter(p, f, o, is_result);
    const bool is_alone = o->operand.layout == LAYOUT_SEPARATE && shape == SHAPE_MATRIX,
               has_blocks = o->operand.block || o->operand.block_rows;
    if (element_is_nibble(o->operand.type) && (!is_alone || has_blocks))
        return program_fail(
            p, f, DIAG_SYNTAX, shape != SHAPE_MATRIX || has_blocks ? o->shape_place : o->group_place,
            "two elements of %s share a byte: it is the type of an operand of its own, with an "
            "element for each row and column, `q: %s`; types of 8 bits have the other shapes "
            "and layouts",
            type->name, type->name);
    if (has_blocks && (o->operand.layout != LAYOUT_SEPARATE || element_is_bit(o->operand.type)))
        return program_fail(p, f, DIAG_SYNTAX, o->shape_place,
                            "an operand of shape %s stands alone, and is no mask",
                            spec_shape_text(p->memory, &o->operand));
    struct spec_operand plain = o->operand;
    plain.block_rows = 0;
    if (is_result && o->operand.block_rows)
        return program_fail(
            p, f, DIAG_NOT_YET, o->shape_place,
            "a result of shape %s would be made of elements of %u rows, which is not supported "
            "yet; inputs have this shape, and `%s` is one of results",
            spec_shape_text(p->memory, &o->operand), o->operand.block_rows,
            spec_shape_text(p->memory, &plain));
    if (is_result && !element_is_stored(o->operand.type))
        return program_fail(p, f, DIAG_NOT_YET, o->type_place,
                            "results of type %s are not supported yet, only inputs; a result is f64, f32, "
                            "f16, bf16, e4m3, e5m2, e2m1, i8, u8, i4, e8m0 or u1",
                            type->name);
    if (element_is_bit(o->operand.type) && !is_alone)
        return program_fail(
            p, f, DIAG_SYNTAX, shape != SHAPE_MATRIX ? o->shape_place : o->group_place,
            "a mask of bits, u1, is an operand of its own, with a bit for each row and column: "
            "`m: u1`; u8 has the other shapes and layouts");
    if (o->operand.layout != LAYOUT_SEPARATE && (shape == SHAPE_ROWS || shape == SHAPE_ONE) && !is_list)
        return program_fail(
            p, f, DIAG_SYNTAX, o->shape_place,
            "%s operand has a row of each part, and shape %s has no row: make each part an operand "
            "of its own",
            o->operand.layout == LAYOUT_PACKED ? "a packed" : "an interleaved",
            spec_shape_text(p->memory, &o->operand));
    return true;
}

/* Binds the name of an input. A list is bound by its first value. */
static void bind_input(struct program *p, struct frame *f, const struct spec_operand *o, uint32_t i)
{
    const bool is_list = operand_is_list(o->shape, o->layout);
    if (is_list && o->part) return;
    struct binding *b = frame_bind(p, f, spec_operand_name(p->memory, o), o->place, expr_input(p->dag, i));
    b->input = true;
    if (is_list) b->values = o->parts;
}

static bool add_operands(struct program *p, struct frame *f, const struct declaration *d,
                         struct spec_kernel *k)
{
    struct name_map seen = name_map_new(p->memory);
    for (uint32_t i = 0; i < d->operand_count; i++) {
        const struct spec_operand *o = &d->operands[i].operand;
        const char *name = spec_operand_name(p->memory, o);
        const bool is_seen = name_map_get(&seen, name) && !(o->part && name != o->name);
        if (is_seen)
            return program_fail(p, f, DIAG_SYNTAX, o->place, "`%s` is already an operand of this kernel",
                                name);
        name_map_put(&seen, name, (void *)o);
    }
    for (uint32_t i = 0; i < d->operand_count; i++) {
        if (!check_supported(p, f, &d->operands[i], i >= d->input_count)) return false;
        k->operands[i] = d->operands[i].operand;
        if (i < d->input_count) bind_input(p, f, &k->operands[i], i);
    }
    return true;
}

static int result_index(const struct spec_kernel *k, const char *name)
{
    for (uint32_t i = k->input_count; i < k->operand_count; i++)
        if (!strcmp(k->operands[i].name, name)) return (int)(i - k->input_count);
    return -1;
}

/* Reads `_ = x`, which says that no formula needs the input x. */
static bool use_input(struct program *p, struct frame *f, const struct syntax_statement *s,
                      const struct spec_kernel *k)
{
    const expr *value = elaborate_result(p, f, &s->value, NULL);
    if (!value) return false;
    if (count_inputs(value->inputs) == 1 && value->inputs < UINT64_C(1) << k->input_count) return true;
    return program_fail(p, f, DIAG_SYNTAX, s->value.place,
                        "`_ = x` says that no formula needs the input x, and this is no input");
}

static bool add_statement(struct program *p, struct frame *f, const struct syntax_statement *s,
                          struct spec_kernel *k)
{
    const struct binding *before = frame_find(f, s->name);
    if (before)
        return program_fail(
            p, f, DIAG_SYNTAX, s->place,
            before->input ? "`%s` is an input and cannot be assigned" : "`%s` is assigned twice", s->name);
    if (f->source == &p->file.source) f->place = s->value.place;
    int result = result_index(k, s->name);
    if (result < 0 && !strcmp(s->name, "_")) return use_input(p, f, s, k);
    if (result < 0 && strchr(s->name, '['))
        return program_fail(p, f, DIAG_SYNTAX, s->place,
                            "`%s` is no value of a result; only a result such as `sums: f32[3]` has values "
                            "that are assigned by number",
                            s->name);
    struct spec_operand *operand = result < 0 ? NULL : &k->operands[k->results[result].operand];
    enum operand_reduction reduction = REDUCE_NONE;
    const bool lacks = operand && operand->shape != SHAPE_MATRIX;
    const expr *value = operand ? elaborate_result(p, f, &s->value, lacks ? &reduction : NULL)
                                : elaborate_number(p, f, &s->value);
    if (!value || !check_shape(p, k, f, s, value, reduction, operand)) return false;
    if (operand) operand->reduction = reduction;
    struct binding *b = frame_bind(p, f, s->name, s->place, value);
    b->result = result >= 0;
    b->reduction = reduction;
    b->shape = operand ? operand->shape : SHAPE_MATRIX;
    if (b->result) k->results[result].value = value;
    return true;
}

/* Checks that everything is used. Reports the first unused name in the order of the text. */
static bool check_used(struct program *p, const struct frame *f)
{
    const struct binding *unused = NULL;
    for (const struct binding *b = f->bindings; b; b = b->next)
        if (!b->used && !b->result) unused = b;
    if (!unused) return true;
    return program_fail(p, f, DIAG_SYNTAX, unused->place, "`%s` is not used", unused->name);
}

struct spec_kernel *new_kernel(struct program *p, const struct declaration *d, uint32_t inputs,
                               uint32_t operands)
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
    struct made_inputs made = {.kernel = k, .first = k->operand_count};
    struct frame f = {.source = d->source, .map = &map, .made = &made};
    if (!add_operands(p, &f, d, k)) return NULL;
    for (const struct syntax_statement *s = d->statements; s; s = s->next)
        if (!add_statement(p, &f, s, k)) return NULL;
    for (uint32_t i = 0; i < k->result_count; i++)
        if (!k->results[i].value) {
            const struct spec_operand *o = &k->operands[k->input_count + i];
            return program_fail(p, &f, DIAG_SYNTAX, o->place, "the result `%s` is never assigned", o->name);
        }
    if (!check_groups(p, &f, k) || !check_blocks(p, &f, k)) return NULL;
    if (!check_used(p, &f) || !check_no_arithmetic(p, &f, k)) return NULL;
    if (!elaborate_bound(p, d->source, &d->bound, &k->bound)) return NULL;
    if (!share_totals(p, &f, k)) return NULL;
    place_all_made_inputs(p, k, &made);
    return check_guards(p, &f, k, k->place) ? k : NULL;
}

struct spec_kernel *make_kernel(struct program *p, struct declaration *d)
{
    struct frame f = {.source = d->source};
    if (d->made) return d->made;
    if (d->active)
        return program_fail(p, &f, DIAG_SYNTAX, d->target_place, "recursion: `%s` is its own gradient",
                            d->name);
    d->active = true;
    d->made = d->kind == DECLARE_GRADIENT ? make_gradient(p, d) : make_written(p, d);
    d->active = false;
    return d->made;
}

/* Notes the names of an argument or a parameter, so that no other one of the function has them. */
static bool note_names(struct program *p, const struct frame *f, struct name_map *seen,
                       const struct syntax_parameter *a)
{
    const struct syntax_name first = {a->name, a->place, a->other};
    for (const struct syntax_name *n = &first; n; n = n->next) {
        if (name_map_get(seen, n->name))
            return program_fail(p, f, DIAG_SYNTAX, n->place, "`%s` is already an argument of this function",
                                n->name);
        name_map_put(seen, n->name, (void *)a);
    }
    return true;
}

const expr *check_function(struct program *p, struct declaration *d, struct made_inputs *made,
                           struct spec_function *out)
{
    struct frame f = {.source = d->source, .declaration = d, .made = made};
    uint32_t count = d->argument_count + d->parameter_count;
    const char **names = arena_alloc(p->memory, (d->parameter_count + 1) * sizeof *names);
    struct name_map seen = name_map_new(p->memory);
    *made = (struct made_inputs){.first = d->argument_count};
    if (d->source == &p->file.source) f.place = d->place;
    d->active = true;
    for (uint32_t i = 0; i < count; i++)
        if (!note_names(p, &f, &seen, &d->parameters[i])) return NULL;
    /* A default sees the parameters before it, but no arguments. */
    for (uint32_t i = d->argument_count; i < count; i++) {
        const struct syntax_parameter *a = &d->parameters[i];
        const expr *value = elaborate_number(p, &f, &a->value);
        names[i - d->argument_count] = a->name;
        if (!value) return NULL;
        frame_bind(p, &f, a->name, a->place, value);
    }
    for (uint32_t i = 0; i < d->argument_count; i++)
        frame_bind(p, &f, d->parameters[i].name, d->parameters[i].place, expr_input(p->dag, i));
    const expr *value = elaborate_number(p, &f, &d->body);
    d->active = false;
    if (!value || !check_used(p, &f)) return NULL;
    if (out) {
        out->parameters = names;
        out->argument_count = d->argument_count;
        out->parameter_count = d->parameter_count;
    }
    return value;
}

struct spec_operand plain_operand(const char *name, uint32_t group, struct span place)
{
    return (struct spec_operand){
        .name = name, .type = ELEMENT_F32, .group = group, .parts = 1, .place = place};
}

/* Takes the value of a function as the result of a kernel whose operands are the arguments. Seeds,
 * offsets and first rows become u64[]. */
static bool take_value(struct program *p, const struct declaration *d, struct spec_kernel *k,
                       struct made_inputs *made, const expr *value)
{
    const struct frame f = {.source = d->source, .made = made};
    for (uint32_t n = 0; n < made->count; n++)
        for (uint32_t i = 0; i < k->input_count; i++)
            if (made_counters(&made->list[n]) >> i & 1) {
                k->operands[i].type = ELEMENT_U64;
                k->operands[i].shape = SHAPE_ONE;
            }
    k->results[0].value = value;
    place_all_made_inputs(p, k, made);
    return check_no_arithmetic(p, &f, k);
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
    struct made_inputs made = {.first = inputs};
    const expr *value = t.kind == TARGET_FUNCTION ? check_function(p, d, &made, NULL)
                                                  : expr_unary(p->dag, t.function, expr_input(p->dag, 0));
    return value && take_value(p, d, k, &made, value) ? k : NULL;
}
