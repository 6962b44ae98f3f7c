/* Parses formulas: by recursive descent for parts that nest, and by precedence climbing for chains of
 * operators. The nesting limit bounds the stack. If there is a program, the value of each part is made when
 * the part has been read, so that there is no syntax tree. */
#include "made_inputs.h"

#include <string.h>

/* -- values: names, numbers and operators become the expression DAG, as written, without rewriting -- */

static const expr *literal_value(struct program *p, const struct frame *f, struct span place)
{
    mpq_t value;
    mpq_init(value);
    const expr *e = NULL;
    if (number_parse(f->source, place, value, p->error)) e = expr_number(p->dag, value);
    mpq_clear(value);
    return e;
}

static const expr *name_value(struct program *p, const struct frame *f, const char *name, struct span place)
{
    struct binding *b = frame_find(f, name);
    if (b && b->reduction && b->shape == SHAPE_ROWS) return total_of(p, f, place, b->reduction, 0, b->value);
    if (b && b->reduction)
        return program_fail(p, f, DIAG_NOT_YET, place,
                            "`%s` is known only after all rows, so formulas cannot use it: pass it to a "
                            "second kernel as an operand; formulas can use a sum over the columns of the row",
                            name);
    if (b && b->values)
        return program_fail(
            p, f, DIAG_SYNTAX, place,
            "`%s` is a list; its values are written `%s[0]` to `%s[%u]`, and a formula has one "
            "of them",
            name, name, name, b->values - 1);
    if (b) {
        b->used = true;
        return b->value;
    }
    const expr *constant = constant_of(p->dag, name);
    if (constant) return constant;
    if (!strcmp(name, "rows") || !strcmp(name, "cols"))
        return program_fail(p, f, DIAG_NOT_YET, place, "`%s` in formulas is not supported yet", name);
    struct target t = program_resolve(p, f->source, name, false);
    if (t.kind == TARGET_TYPE)
        return program_fail(p, f, DIAG_SYNTAX, place, "`%s` is a type; a cast is written `%s(x)`", name,
                            name);
    if (t.kind == TARGET_KERNEL)
        return program_fail(p, f, DIAG_SYNTAX, place, "`%s` is a kernel, not a value", name);
    if (t.kind == TARGET_NONE && !strcmp(name, "col")) return elaborate_col(p, f, place);
    if (t.kind == TARGET_SPECIAL)
        return program_fail(p, f, DIAG_SYNTAX, place, "`%s` is a function, called as in `%s`", name,
                            special_use(t.special));
    if (t.kind != TARGET_NONE)
        return program_fail(p, f, DIAG_SYNTAX, place, "`%s` is a function; a call is written `%s(x)`", name,
                            name);
    const char *advice = program_advice(p, f, name, true, true, false);
    const char *result = strcmp(name, "y") == 0 ? "r" : "y"; /* of another name than the input */
    if (!*advice && p->is_formula)
        return program_fail(
            p, f, DIAG_SYNTAX, place,
            "unknown name `%s`; a formula alone has the variable `x`, and several operands make a "
            "kernel: kernel k(%s: f32, ...) -> (%s: f32) { %s = ... }",
            name, name, result, result);
    return program_fail(p, f, DIAG_SYNTAX, place, "unknown name `%s`%s", name, advice);
}

/* Returns the place in the file that is being elaborated, whatever it calls. */
static struct span outer_place(const struct frame *f)
{
    while (f->caller) f = f->caller;
    return f->place;
}

/* Counts an operand before it is elaborated. Returns false if there are too many, or too many inside one
 * another. */
static bool enter(struct program *p, const struct frame *f)
{
    p->depth++;
    const bool steps = ++p->steps + p->calculus.steps > PROGRAM_MAX_STEPS;
    if (!steps && p->depth <= PROGRAM_MAX_DEPTH) return true;
    diag_at(p->error, DIAG_SYNTAX, p->file.source.text, outer_place(f),
            "too large: with its calls inlined this takes more than %d %s",
            steps ? PROGRAM_MAX_STEPS : PROGRAM_MAX_DEPTH, steps ? "steps" : "levels");
    return false;
}

/* Returns false after an operation if the DAG is full. */
static bool fits_in_dag(struct program *p, const struct frame *f)
{
    if (!expr_dag_full(p->dag)) return true;
    diag_at(p->error, DIAG_SYNTAX, p->file.source.text, outer_place(f),
            "too large: with this the spec has more than %d operations", SPEC_MAX_NODES);
    return false;
}

/* -- grammar -- */

enum { LEVEL_OR = 1, LEVEL_AND, LEVEL_NOT, LEVEL_COMPARE, LEVEL_SUM, LEVEL_PRODUCT };

/* The operators between two operands. `level` is 0 for other tokens. */
static const struct {
    int level;
    enum expr_kind kind;
    bool swaps, negates; /* a > b is b < a, and a != b is not a == b */
} operators[TOKEN_KIND_COUNT] = {
    [TOKEN_OR] = {LEVEL_OR, EXPR_OR, false, false},
    [TOKEN_AND] = {LEVEL_AND, EXPR_AND, false, false},
    [TOKEN_LESS] = {LEVEL_COMPARE, EXPR_LT, false, false},
    [TOKEN_LESS_EQUAL] = {LEVEL_COMPARE, EXPR_LE, false, false},
    [TOKEN_GREATER] = {LEVEL_COMPARE, EXPR_LT, true, false},
    [TOKEN_GREATER_EQUAL] = {LEVEL_COMPARE, EXPR_LE, true, false},
    [TOKEN_EQUAL] = {LEVEL_COMPARE, EXPR_EQ, false, false},
    [TOKEN_NOT_EQUAL] = {LEVEL_COMPARE, EXPR_EQ, false, true},
    [TOKEN_PLUS] = {LEVEL_SUM, EXPR_ADD, false, false},
    [TOKEN_MINUS] = {LEVEL_SUM, EXPR_SUB, false, false},
    [TOKEN_STAR] = {LEVEL_PRODUCT, EXPR_MUL, false, false},
    [TOKEN_SLASH] = {LEVEL_PRODUCT, EXPR_DIV, false, false},
};

static const expr *operator_value(expr_dag *dag, enum token_kind sign, const expr *a, const expr *b)
{
    const bool swaps = operators[sign].swaps;
    const expr *e = expr_binary(dag, operators[sign].kind, swaps ? b : a, swaps ? a : b);
    return operators[sign].negates ? expr_unary(dag, EXPR_NOT, e) : e;
}

/* Reading a text again is work as well. This many bytes count as one step of elaboration. */
enum { BYTES_A_STEP = 256 };

static const expr unknown_value; /* the value of a formula that is only read */
static const struct reading nothing;

static struct reading read_formula(struct parser *p);
static struct reading parse_binary(struct parser *p, int level);
static struct reading parse_unary(struct parser *p);

/* Keeps the place of an operation on constants, or of a division by a constant. The place is in the file,
 * or it is that of the call of a template. */
static void note_constant(struct program *p, const struct frame *f, const expr *e, struct span place)
{
    const bool divides = e->kind == EXPR_DIV && expr_is_constant(e->operand[1]);
    const bool is_own = f->source == &p->file.source;
    if (!expr_arity(e->kind) || (!divides && !expr_is_constant(e))) return;
    const struct call *call = call_of_template(p, f);
    if (!is_own && !call) return;
    p->constants = arena_with_room(p->memory, p->constants, p->constant_count, sizeof *p->constants);
    p->constants[p->constant_count++] = (struct spec_constant){e, is_own ? place : call->place};
}

/* Returns the reading that began at `start` and ends before the current token. Its value is `value` where
 * values are made. */
static struct reading have_read(struct parser *p, uint32_t start, const expr *value)
{
    const struct span place = {start, p->end - start};
    if (!p->program) value = &unknown_value;
    if (value && p->program && !fits_in_dag(p->program, p->frame)) value = NULL;
    if (value && p->program) note_constant(p->program, p->frame, value, place);
    return (struct reading){.value = value, .place = place};
}

/* Returns true if the formula is an operand whose elements are bits. */
static bool is_mask(const struct made_inputs *in, const expr *e)
{
    return in->kernel && e->kind == EXPR_INPUT && e->input < in->first &&
           element_is_bit(in->kernel->operands[e->input].type);
}

static const expr *is_not_zero(struct program *p, const expr *e)
{
    return expr_unary(p->dag, EXPR_NOT, expr_binary(p->dag, EXPR_EQ, e, expr_integer(p->dag, 0)));
}

/* Returns the value of a reading. A reduction becomes a total. */
static const expr *value_of_reading(struct parser *p, struct reading r)
{
    if (!r.value || !r.reduction) return r.value;
    const expr *total = total_of(p->program, p->frame, r.place, r.reduction, 0, r.value);
    return total && fits_in_dag(p->program, p->frame) ? total : NULL;
}

/* Returns the value if it is a condition or a number, as wanted. A mask is both. Returns NULL after an
 * error. */
static const expr *want(struct parser *p, struct reading r, bool truth)
{
    r.value = value_of_reading(p, r);
    if (!r.value || !p->program || expr_is_truth(r.value) == truth) return r.value;
    if (truth && is_mask(p->frame->made, r.value)) return is_not_zero(p->program, r.value);
    return program_fail(p->program, p->frame, DIAG_SYNTAX, r.place,
                        truth ? "expected a condition such as `x > 0`, this is a number"
                              : "expected a number, this is a condition; `if` makes a number of it");
}

static bool deeper(struct parser *p)
{
    if (++p->nesting <= SPEC_MAX_NESTING) return true;
    diag_at(p->error, DIAG_SYNTAX, p->source->text, p->token.place,
            "formulas nest at most %d deep; name a part of it in a statement or a function of its own",
            SPEC_MAX_NESTING);
    return false;
}

/* Keeps a part of the grammar that is seldom read out of the frames of those that descend. */
#define OUT_OF_LINE __attribute__((noinline))

/* Returns true at `name =`, a parameter that is given by name. */
OUT_OF_LINE static bool at_keyword(struct parser *p)
{
    if (p->token.kind != TOKEN_NAME) return false;
    struct lexer ahead = p->lexer;
    /* A wrong token is reported when the parser reaches it. */
    ahead.error = NULL;
    return lexer_next(&ahead).kind == TOKEN_ASSIGN;
}

static bool refuse_no_arguments(struct parser *p, struct span name)
{
    const char *own = parser_copy(p, name);
    diag_at(p->error, DIAG_SYNTAX, p->source->text, p->token.place,
            "`%s()` has no argument; a value such as `col` stands without parentheses, and a function such "
            "as `exp(x)` takes arguments",
            own);
    return false;
}

/* Reads arguments from "(" on, and adds them to `call` if it is not NULL. */
static bool parse_arguments(struct parser *p, struct span name, struct call *call)
{
    struct argument none, **argument = call ? &call->arguments : NULL,
                          **parameter = call ? &call->keywords : NULL;
    bool keyword = false;
    do {
        const bool is_first = p->token.kind == TOKEN_OPEN;
        parser_advance(p); /* ( or , */
        if (is_first && p->token.kind == TOKEN_CLOSE) return refuse_no_arguments(p, name);
        if (keyword && !at_keyword(p))
            return parser_fail(p, "a parameter `name = value`, as after the first of them");
        keyword = at_keyword(p);
        struct argument *item = call ? arena_alloc(p->memory, sizeof *item) : &none;
        item->place = p->token.place;
        if (keyword) {
            parser_advance(p); /* the name */
            parser_advance(p); /* = */
        }
        if (!parse_formula(p, &item->value)) return false;
        if (!call) continue;
        if (keyword) item->name = parser_copy(p, item->place);
        struct argument ***last = keyword ? &parameter : &argument;
        **last = item;
        *last = &item->next;
        call->argument_count += !keyword;
    } while (p->token.kind == TOKEN_COMMA);
    return parser_expect(p, TOKEN_CLOSE, "an operator, `,` or `)`");
}

/* Reads a call from "(" on. Only the syntax of its arguments is read here, because the callee makes their
 * values. */
static struct reading parse_call(struct parser *p, struct span name)
{
    struct program *program = p->program;
    struct call call = {.sign = name};
    p->program = NULL;
    const bool good = deeper(p) && parse_arguments(p, name, program ? &call : NULL);
    p->program = program;
    if (!good) return nothing;
    p->nesting--;
    if (!program) return have_read(p, name.offset, NULL);
    call.name = parser_copy(p, name);
    call.place = (struct span){name.offset, p->end - name.offset};
    program->steps += call.place.length / BYTES_A_STEP;
    /* A call takes more of the stack than an operator. */
    program->depth++;
    enum operand_reduction reduction;
    const expr *value = elaborate_call(program, p->frame, &call, &reduction);
    program->depth--;
    struct reading r = have_read(p, name.offset, value);
    r.reduction = reduction;
    return r;
}

/* Reads the index of a list from "[" on. */
static struct reading parse_element(struct parser *p, struct span name)
{
    if (!deeper(p)) return nothing;
    parser_advance(p);
    struct reading index = read_formula(p);
    index.value = want(p, index, false);
    if (!index.value || !parser_expect(p, TOKEN_CLOSE_BRACKET, "an operator or `]`")) return nothing;
    p->nesting--;
    if (!p->program) return have_read(p, name.offset, NULL);
    return have_read(p, name.offset,
                     elaborate_element(p->program, p->frame, parser_copy(p, name), name, index));
}

static struct reading parse_name_or_call(struct parser *p)
{
    const struct span place = p->token.place;
    parser_advance(p);
    if (p->token.kind == TOKEN_OPEN) return parse_call(p, place);
    if (p->token.kind == TOKEN_OPEN_BRACKET) return parse_element(p, place);
    const char *name = p->program ? parser_copy(p, place) : NULL;
    struct reading r =
        have_read(p, place.offset, name ? name_value(p->program, p->frame, name, place) : NULL);
    r.is_name = true;
    return r;
}

static struct reading parse_number(struct parser *p)
{
    const struct span place = p->token.place;
    parser_advance(p);
    return have_read(p, place.offset, p->program ? literal_value(p->program, p->frame, place) : NULL);
}

static struct reading parse_primary(struct parser *p)
{
    switch (p->token.kind) {
    case TOKEN_NAME: return parse_name_or_call(p);
    case TOKEN_NUMBER: return parse_number(p);
    case TOKEN_OPEN: {
        if (!deeper(p)) return nothing;
        parser_advance(p);
        const struct reading inner = read_formula(p);
        if (!inner.value || !parser_expect(p, TOKEN_CLOSE, "an operator or `)`")) return nothing;
        p->nesting--;
        return inner;
    }
    case TOKEN_IF:
    case TOKEN_NOT: parser_fail(p, "parentheses around the part that begins here"); return nothing;
    default: parser_fail(p, "a formula"); return nothing;
    }
}

/* Reads base ^ exponent. The exponent may have a minus and powers of its own. */
static struct reading parse_power(struct parser *p)
{
    const uint32_t start = p->token.place.offset;
    struct reading base = parse_primary(p);
    if (!base.value || p->token.kind != TOKEN_CARET) return base;
    if (!deeper(p)) return nothing;
    base.value = want(p, base, false);
    if (!base.value) return nothing;
    parser_advance(p);
    struct reading exponent = parse_unary(p);
    exponent.value = want(p, exponent, false);
    if (!exponent.value) return nothing;
    p->nesting--;
    return have_read(p, start, p->program ? elaborate_power(p->program, p->frame, base, exponent) : NULL);
}

/* Reads -a or not a. */
static struct reading parse_prefix(struct parser *p, bool truth)
{
    const uint32_t start = p->token.place.offset;
    if (!deeper(p)) return nothing;
    parser_advance(p);
    const expr *a = want(p, truth ? parse_binary(p, LEVEL_NOT) : parse_unary(p), truth);
    if (!a) return nothing;
    p->nesting--;
    const enum expr_kind kind = truth ? EXPR_NOT : EXPR_NEG;
    return have_read(p, start, p->program ? expr_unary(p->program->dag, kind, a) : NULL);
}

static struct reading parse_unary(struct parser *p)
{
    if (p->program && !enter(p->program, p->frame)) return nothing;
    const struct reading r = p->token.kind == TOKEN_MINUS ? parse_prefix(p, false) : parse_power(p);
    if (p->program) p->program->depth--;
    return r;
}

/* Reads operators that bind at least as tightly as `level`, from left to right. */
static struct reading parse_binary(struct parser *p, int level)
{
    const uint32_t start = p->token.place.offset;
    const bool negated = p->token.kind == TOKEN_NOT && level <= LEVEL_NOT;
    struct reading left = negated ? parse_prefix(p, true) : parse_unary(p);
    while (left.value) {
        const enum token_kind sign = p->token.kind;
        const int found = operators[sign].level;
        if (!found || found < level) break;
        const expr *a = want(p, left, found <= LEVEL_AND);
        if (!a) return nothing;
        parser_advance(p);
        const expr *b = want(p, parse_binary(p, found + 1), found <= LEVEL_AND);
        if (!b) return nothing;
        left = have_read(p, start, p->program ? operator_value(p->program->dag, sign, a, b) : NULL);
        if (found == LEVEL_COMPARE && operators[p->token.kind].level == LEVEL_COMPARE) {
            diag_at(p->error, DIAG_SYNTAX, p->source->text, p->token.place,
                    "comparisons do not chain; write `a < b and b < c`");
            return nothing;
        }
    }
    return left;
}

OUT_OF_LINE static struct reading parse_if(struct parser *p)
{
    const uint32_t start = p->token.place.offset;
    if (!deeper(p)) return nothing;
    parser_advance(p);
    const expr *part[3];
    static const enum token_kind word[2] = {TOKEN_THEN, TOKEN_ELSE};
    static const char *const expected[2] = {"an operator or `then`", "an operator or `else`"};
    for (int i = 0; i < 3; i++) {
        if (!(part[i] = want(p, read_formula(p), i == 0))) return nothing;
        if (i == 0 && p->token.kind == TOKEN_ASSIGN)
            return parser_fail(p, "`then` (equality is `==`)"), nothing;
        if (i < 2 && !parser_expect(p, word[i], expected[i])) return nothing;
    }
    p->nesting--;
    return have_read(p, start, p->program ? expr_if(p->program->dag, part[0], part[1], part[2]) : NULL);
}

static struct reading read_formula(struct parser *p)
{
    return p->token.kind == TOKEN_IF ? parse_if(p) : parse_binary(p, LEVEL_OR);
}

bool parse_formula(struct parser *p, struct formula *out)
{
    *out = (struct formula){.lexer = p->lexer, .first = p->token};
    const struct reading r = read_formula(p);
    out->place = r.place;
    out->is_name = r.is_name;
    return r.value != NULL;
}

static struct parser parser_of(struct program *p, struct frame *f, const struct formula *formula)
{
    struct parser parser = {.source = f->source,
                            .memory = p->memory,
                            .error = p->error,
                            .lexer = formula->lexer,
                            .token = formula->first,
                            .program = p,
                            .frame = f};
    parser.lexer.source = f->source;
    return parser;
}

const expr *elaborate_number(struct program *p, struct frame *f, const struct formula *formula)
{
    struct parser parser = parser_of(p, f, formula);
    return want(&parser, read_formula(&parser), false);
}

const expr *elaborate_choice(struct program *p, struct frame *f, const struct formula *formula)
{
    struct parser parser = parser_of(p, f, formula);
    const expr *e = value_of_reading(&parser, read_formula(&parser));
    return e && !expr_is_truth(e) ? is_not_zero(p, e) : e;
}

const expr *elaborate_result(struct program *p, struct frame *f, const struct formula *formula,
                             enum operand_reduction *reduction)
{
    struct parser parser = parser_of(p, f, formula);
    const struct reading r = read_formula(&parser);
    if (reduction) *reduction = r.reduction;
    const expr *e = reduction ? r.value : value_of_reading(&parser, r);
    if (!e || !expr_is_truth(e)) return e;
    return expr_if(p->dag, e, expr_integer(p->dag, 1), expr_integer(p->dag, 0));
}
