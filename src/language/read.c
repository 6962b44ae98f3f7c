/* Implements the calls of language.h that parse a file, a formula or a bound. */
#include "advice.h"
#include "kernels.h"
#include "language.h"

#include <stdio.h>
#include <string.h>

/* Hands a failed call's diagnostic to the caller. */
static int failed(const struct diag *from, struct diag *to)
{
    if (to) *to = *from;
    return from->status;
}

static bool add_function(struct program *p, struct spec *s, struct declaration *d)
{
    struct spec_function *f = &s->functions[s->function_count++];
    *f = (struct spec_function){
        .name = d->name, .summary = d->summary, .family = d->family, .place = d->place};
    f->text = declaration_text(p->memory, d);
    if (d->kind == DECLARE_FUNCTION) {
        struct made_inputs made;
        f->value = check_function(p, d, &made, f);
        return f->value != NULL;
    }
    f->alias_of = d->target;
    return true;
}

/* An alias of a kernel is that kernel by another name. */
static bool add_alias(struct program *p, struct spec *s, struct declaration *d)
{
    struct frame f = {.source = d->source};
    struct target t = program_resolve(p, d->source, d->name, true);
    if (t.kind == TARGET_KERNEL) {
        const struct spec_kernel *k = make_kernel(p, t.declaration);
        if (!k) return false;
        s->kernels[s->kernel_count] = *k;
        s->kernels[s->kernel_count++].name = d->name;
        return true;
    }
    if (t.kind != TARGET_NONE) return add_function(p, s, d);
    if (name_map_get(&p->file.functions, d->target))
        return program_fail(p, &f, DIAG_SYNTAX, d->target_place, "the alias goes round in a circle");
    return program_fail(p, &f, DIAG_SYNTAX, d->target_place, "unknown name `%.64s`%s", d->target,
                        program_advice(p, &f, d->target, false, true, true));
}

static struct spec *new_spec(const struct program *p, uint32_t room)
{
    struct spec *s = arena_alloc(p->memory, sizeof *s);
    s->dag = p->dag;
    s->file = p->file.source.file;
    s->text = p->file.source.text;
    s->kernels = arena_alloc(p->memory, (room + 1) * sizeof *s->kernels);
    s->functions = arena_alloc(p->memory, (room + 1) * sizeof *s->functions);
    return s;
}

static struct spec *make_spec(struct program *p)
{
    if (!library_load(p, &p->file)) return NULL;
    struct spec *s = new_spec(p, p->file.count);
    for (struct declaration *d = p->file.first; d; d = d->next) {
        bool good;
        if (d->kind == DECLARE_ALIAS) {
            good = add_alias(p, s, d);
        } else if (d->kind == DECLARE_FUNCTION) {
            good = add_function(p, s, d);
        } else {
            const struct spec_kernel *k = make_kernel(p, d);
            good = k != NULL;
            if (good) s->kernels[s->kernel_count++] = *k;
        }
        if (!good) return NULL;
    }
    s->constants = p->constants;
    s->constant_count = p->constant_count;
    return s;
}

int spec_parse(struct spec **out, arena *memory, const char *file, const char *text, size_t length,
               struct diag *error)
{
    struct diag diag = {0};
    struct program *p = arena_alloc(memory, sizeof *p);
    *out = NULL;
    if (program_load(p, memory, file, text, length, &diag)) *out = make_spec(p);
    return *out ? DIAG_OK : failed(&diag, error);
}

int spec_retype(struct spec *s, const char *type, struct diag *error)
{
    enum element_type wanted = ELEMENT_TYPE_COUNT;
    if (!type_of(type, &wanted)) {
        char advice[ADVICE_SIZE];
        if (!advice_on_type(advice, type, strlen(type)))
            snprintf(advice, sizeof advice, "there are f64, f32, f16, bf16, e4m3, e5m2, i8 and u8");
        return diag_set(error, DIAG_INVALID, "unknown type `%.64s`; %s", type, advice);
    }
    if (!element_is_stored(wanted) || element_is_power(wanted) || element_shares_byte(wanted))
        return diag_set(error, DIAG_NOT_YET,
                        "not all operands can be %s yet; there are f64, f32, f16, bf16, e4m3, e5m2, i8 and "
                        "u8. A kernel of your own may have operands of %s, such as `x: %s%s`",
                        type, type, type, wanted == ELEMENT_U64 ? "[]" : "");
    for (uint32_t k = 0; k < s->kernel_count; k++)
        if (wanted == ELEMENT_F64 && s->kernels[k].total_count)
            return diag_set(
                error, DIAG_NOT_YET,
                "`%s` is not made of f64 operands yet: its sums over the row are added in f64, which "
                "is no more than those have; it takes operands of up to 32 bits",
                s->kernels[k].name);
    for (uint32_t k = 0; k < s->kernel_count; k++)
        for (uint32_t i = 0; i < s->kernels[k].operand_count; i++)
            if (s->kernels[k].operands[i].type != ELEMENT_U64) s->kernels[k].operands[i].type = wanted;
    return DIAG_OK;
}

/* Starts a parser of a text that holds one formula or clause. Newlines are blanks there. */
static void start_inside(struct parser *parser, struct program *p)
{
    *parser =
        (struct parser){.source = &p->file.source, .memory = p->memory, .error = p->error, .family = ""};
    parser->lexer =
        (struct lexer){.source = parser->source, .error = p->error, .last = TOKEN_END, .brackets = 1};
    parser->token = lexer_next(&parser->lexer);
}

static struct syntax_operand plain_syntax(const char *name, uint32_t group, struct span place)
{
    return (struct syntax_operand){.operand = plain_operand(name, group, place)};
}

/* Declares kernel name(x: f32) -> (y: f32) { y = body }. */
static struct declaration *declare_expression(struct program *p, const char *name, const struct formula *body)
{
    struct syntax_operand *operands = arena_alloc(p->memory, 2 * sizeof *operands);
    operands[0] = plain_syntax("x", 0, body->place);
    operands[1] = plain_syntax("y", 1, body->place);
    struct syntax_statement *statement = arena_alloc(p->memory, sizeof *statement);
    *statement = (struct syntax_statement){.name = "y", .place = body->place, .value = *body};
    struct declaration *d = arena_alloc(p->memory, sizeof *d);
    *d = (struct declaration){.kind = DECLARE_KERNEL, .source = &p->file.source, .name = name};
    d->summary = "";
    d->place = body->place;
    d->operands = operands;
    d->input_count = 1;
    d->operand_count = 2;
    d->statements = statement;
    return d;
}

/* Parses "name =" in front of a formula. Returns the name, "expression" if there is none, or NULL if it
 * cannot be a name. */
static const char *parse_own_name(struct parser *p)
{
    struct parser ahead = *p;
    if (p->token.kind != TOKEN_NAME) return "expression";
    parser_advance(&ahead);
    if (ahead.token.kind != TOKEN_ASSIGN) return "expression";
    struct span place;
    const char *name = parser_name(p, "a kernel", &place);
    parser_advance(p);
    return name;
}

static struct spec *make_expression(struct program *p)
{
    struct parser parser;
    start_inside(&parser, p);
    const char *name = parse_own_name(&parser);
    if (!name) return NULL;
    struct formula body;
    if (!parse_formula(&parser, &body)) return NULL;
    if (parser.token.kind != TOKEN_EOF)
        return parser_fail(&parser, "an operator or the end of the formula"), NULL;
    p->file.functions = p->file.kernels = name_map_new(p->memory);
    p->is_formula = true;
    const struct spec_kernel *k = make_kernel(p, declare_expression(p, name, &body));
    if (!k) return NULL;
    struct spec *s = new_spec(p, 1);
    s->kernels[s->kernel_count++] = *k;
    s->constants = p->constants;
    s->constant_count = p->constant_count;
    return s;
}

int spec_parse_expression(struct spec **out, arena *memory, const char *text, size_t length,
                          struct diag *error)
{
    struct diag diag = {0};
    struct program *p = arena_alloc(memory, sizeof *p);
    *out = NULL;
    if (program_load(p, memory, "<expression>", text, length, &diag)) *out = make_expression(p);
    return *out ? DIAG_OK : failed(&diag, error);
}

int spec_parse_bound(struct spec_bound *out, arena *memory, const char *text, size_t length,
                     struct diag *error)
{
    struct diag diag = {0};
    struct program *p = arena_alloc(memory, sizeof *p);
    struct syntax_bound bound = {.kind = BOUND_DEFAULT};
    *out = (struct spec_bound){.kind = BOUND_DEFAULT};
    if (!program_load(p, memory, "<accuracy>", text, length, &diag)) return failed(&diag, error);
    p->file.functions = p->file.kernels = name_map_new(memory);
    struct parser parser;
    start_inside(&parser, p);
    if (!parse_bound(&parser, &bound)) return failed(&diag, error);
    if (parser.token.kind != TOKEN_EOF) {
        parser_fail(&parser, "`on`, an operator or the end of the accuracy");
        return failed(&diag, error);
    }
    if (!elaborate_bound(p, &p->file.source, &bound, out)) return failed(&diag, error);
    return DIAG_OK;
}
