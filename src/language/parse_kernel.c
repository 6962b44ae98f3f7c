/* Parses kernels: operands, statements, the accuracy clause, and gradients. */
#include "advice.h"
#include "spellings.h"
#include "syntax.h"
#include "vocabulary.h"

#include <stdio.h>
#include <string.h>

static bool fail_at(struct parser *p, struct span place, const char *message)
{
    diag_at(p->error, DIAG_SYNTAX, p->source->text, place, "%s", message);
    return false;
}

/* The operands of a kernel while they are read. Their number is small and limited. */
struct operand_list {
    struct syntax_operand items[SPEC_MAX_OPERANDS];
    uint32_t count, groups;
};

static struct syntax_operand *add_operand(struct parser *p, struct operand_list *list, const char *what)
{
    if (list->count == SPEC_MAX_OPERANDS) {
        diag_at(p->error, DIAG_SYNTAX, p->source->text, p->token.place, "a kernel has at most %d operands",
                SPEC_MAX_OPERANDS);
        return NULL;
    }
    struct syntax_operand *o = &list->items[list->count];
    o->operand.name = parser_name(p, what, &o->operand.place);
    if (!o->operand.name) return NULL;
    list->count++;
    return o;
}

/* Parses "[a | b]" or "[a, b]": one operand in memory that has several names. */
static bool parse_group(struct parser *p, struct operand_list *list, const char *what)
{
    uint32_t first = list->count, start = p->token.place.offset;
    enum token_kind separator = TOKEN_BAR;
    do {
        parser_advance(p);
        if (!add_operand(p, list, what)) return false;
        if (list->count == first + 1) separator = p->token.kind == TOKEN_COMMA ? TOKEN_COMMA : TOKEN_BAR;
    } while (p->token.kind == separator);
    uint32_t parts = list->count - first;
    if (parts == 1) return parser_fail(p, "`|` or `,` and the name of another part");
    if (!parser_expect(p, TOKEN_CLOSE_BRACKET, separator == TOKEN_BAR ? "`|` or `]`" : "`,` or `]`"))
        return false;
    for (uint32_t i = 0; i < parts; i++) {
        struct syntax_operand *o = &list->items[first + i];
        o->operand.layout = separator == TOKEN_BAR ? LAYOUT_PACKED : LAYOUT_INTERLEAVED;
        o->operand.part = i;
        o->operand.parts = parts;
        o->group_place = (struct span){start, p->end - start};
    }
    return true;
}

/* Parses an integer at the current token, which must be written in digits. Values above `most` count as
 * most + 1. `what` is expected. */
static bool parse_count(struct parser *p, uint32_t most, const char *what, uint32_t *out)
{
    const char *text = parser_copy(p, p->token.place);
    *out = 0;
    if (p->token.kind != TOKEN_NUMBER || text[strspn(text, "0123456789")]) return parser_fail(p, what);
    for (const char *digit = text; *digit && *out <= most; digit++)
        *out = 10 * *out + (uint32_t)(*digit - '0');
    if (*out > most) *out = most + 1;
    parser_advance(p);
    return true;
}

/* Parses the rest of `rows/128` or `cols/32`: the slash and the number. `unit` is what the block consists of.
 */
static bool parse_divisor(struct parser *p, const char *expected, const char *unit, uint32_t *block)
{
    if (!parser_expect(p, TOKEN_SLASH, expected)) return false;
    const struct span number = p->token.place;
    if (!parse_count(p, SPEC_MOST_BLOCK, expected, block)) return false;
    if (*block >= SPEC_LEAST_BLOCK && *block <= SPEC_MOST_BLOCK && !(*block & (*block - 1))) return true;
    diag_at(p->error, DIAG_SYNTAX, p->source->text, number,
            "a block has 16, 32, 64, 128, 256, 512 or 1024 %s", unit);
    return false;
}

/* Parses what follows `[rows`: nothing, `, cols/32`, or these after `/128`. `, cols` makes a matrix. */
static bool parse_blocks(struct parser *p, struct spec_operand *o)
{
    static const char expected[] =
        "`cols/32` or another number of columns, as in `scale: e8m0[rows, cols/32]`";
    static const char rows[] = "`128` or another number of rows, as in `s: f32[rows/128, cols/128]`";
    if (p->token.kind == TOKEN_SLASH && !parse_divisor(p, rows, "rows", &o->block_rows)) return false;
    if (p->token.kind != TOKEN_COMMA) return true;
    parser_advance(p);
    if (!parser_at_word(p, "cols")) return parser_fail(p, expected);
    parser_advance(p);
    o->shape = SHAPE_MATRIX;
    if (o->block_rows && p->token.kind != TOKEN_SLASH) return true;
    return parse_divisor(p, expected, "columns", &o->block);
}

/* Parses a shape: "[rows]", "[cols]", "[]", "[6]" or nothing. `*count` is the number of values of a list,
 * and 0 for other shapes. */
static bool parse_shape(struct parser *p, struct spec_operand *o, uint32_t *count, struct span *place)
{
    static const char expected[] = "`rows`, `cols`, the number of a list's values, as in `c: f32[6]`, or `]`";
    o->shape = SHAPE_MATRIX;
    *count = 0;
    if (p->token.kind != TOKEN_OPEN_BRACKET) return true;
    uint32_t start = p->token.place.offset;
    parser_advance(p);
    o->shape = SHAPE_ONE;
    const struct span number = p->token.place;
    const bool is_list = p->token.kind == TOKEN_NUMBER;
    if (is_list) {
        if (!parse_count(p, SPEC_MAX_OPERANDS, "a whole number of values, as in `c: f32[6]`", count))
            return false;
        if (!*count) return fail_at(p, number, "a list has at least one value, as in `c: f32[1]`");
    } else if (p->token.kind == TOKEN_NAME) {
        o->shape = parser_at_word(p, "rows") ? SHAPE_ROWS : SHAPE_COLS;
        if (o->shape == SHAPE_COLS && !parser_at_word(p, "cols")) return parser_fail(p, expected);
        parser_advance(p);
        if (o->shape == SHAPE_ROWS && !parse_blocks(p, o)) return false;
    }
    if (!parser_expect(p, TOKEN_CLOSE_BRACKET, is_list ? "`]`" : expected)) return false;
    *place = (struct span){start, p->end - start};
    return true;
}

static bool parse_type(struct parser *p, enum element_type *type)
{
    if (p->token.kind != TOKEN_NAME) return parser_fail(p, "a type such as `f32`");
    struct span place = p->token.place;
    const char *name = parser_copy(p, place);
    if (type_of(name, type)) {
        parser_advance(p);
        return true;
    }
    char advice[ADVICE_SIZE];
    if (!advice_on_type(advice, name, place.length))
        snprintf(advice, sizeof advice,
                 "there are f64, f32, f16, bf16, e4m3, e5m2, e2m1, i8, u8, i4, i32, e8m0, u1 and u64");
    diag_at(p->error, DIAG_SYNTAX, p->source->text, place, "expected a type, found `%.40s`; %s", name,
            advice);
    return false;
}

/* Makes the name of a value of a list, such as "c[2]". */
static const char *name_of_value(arena *memory, const char *list, uint32_t number)
{
    struct text name = text_new(memory);
    text_add(&name, "%s[%u]", list, number);
    return name.data;
}

/* Replaces the last operand by the values of a list. */
static bool add_values(struct parser *p, struct operand_list *list, uint32_t count, struct span place)
{
    const struct syntax_operand own = list->items[list->count - 1];
    if (count > SPEC_MAX_OPERANDS - --list->count) {
        diag_at(p->error, DIAG_SYNTAX, p->source->text, place,
                "a kernel has at most %d operands, and each value of a list is one of them",
                SPEC_MAX_OPERANDS);
        return false;
    }
    for (uint32_t i = 0; i < count; i++) {
        struct syntax_operand *value = &list->items[list->count++];
        *value = own;
        value->operand.name = name_of_value(p->memory, own.operand.name, i);
        value->operand.layout = LAYOUT_PACKED;
        value->operand.part = i;
        value->operand.parts = count;
    }
    return true;
}

static bool parse_operand(struct parser *p, struct operand_list *list, const char *what)
{
    uint32_t first = list->count;
    bool grouped = p->token.kind == TOKEN_OPEN_BRACKET;
    if (grouped ? !parse_group(p, list, what) : !add_operand(p, list, what)) return false;
    if (!parser_expect(p, TOKEN_COLON, "`:` and a type, as in `x: f32`")) return false;
    struct syntax_operand type = {.type_place = p->token.place};
    uint32_t values;
    if (!parse_type(p, &type.operand.type) || !parse_shape(p, &type.operand, &values, &type.shape_place))
        return false;
    if (values && grouped)
        return fail_at(p, type.shape_place, "a list is an operand of its own, as in `a: f32[6], b: f32[6]`");
    if (values && !add_values(p, list, values, type.shape_place)) return false;
    for (uint32_t i = first; i < list->count; i++) {
        struct syntax_operand *o = &list->items[i];
        o->operand.type = type.operand.type;
        o->operand.shape = type.operand.shape;
        o->operand.block = type.operand.block;
        o->operand.block_rows = type.operand.block_rows;
        o->operand.group = list->groups;
        if (!grouped && !values) o->operand.parts = 1;
        o->type_place = type.type_place;
        o->shape_place = type.shape_place;
    }
    list->groups++;
    return true;
}

static bool parse_operands(struct parser *p, struct operand_list *list, const char *what)
{
    if (!parser_expect(p, TOKEN_OPEN, "`(` and operands, as in `(x: f32)`")) return false;
    for (;;) {
        if (!parse_operand(p, list, what)) return false;
        if (p->token.kind != TOKEN_COMMA) break;
        parser_advance(p);
    }
    return parser_expect(p, TOKEN_CLOSE, "`,` or `)`");
}

bool parse_bound(struct parser *p, struct syntax_bound *out)
{
    uint32_t start = p->token.place.offset;
    out->kind = BOUND_ULP;
    if (parser_at_word(p, "abs")) {
        out->kind = BOUND_ABS;
        parser_advance(p);
    }
    if (!parse_formula(p, &out->value)) return false;
    if (out->kind == BOUND_ULP) {
        if (!parser_at_word(p, "ulp"))
            return parser_fail(p, "`ulp`, as in `3 ulp`, or `abs` in front, as in `abs 2^-20`");
        parser_advance(p);
    }
    if (parser_at_word(p, "flush")) {
        if (out->kind == BOUND_ABS)
            return fail_at(p, p->token.place,
                           "an absolute bound has no `flush`: it allows 0 for tiny results");
        out->flush = true;
        parser_advance(p);
    }
    if (parser_at_word(p, "on")) {
        parser_advance(p);
        if (!parser_expect(p, TOKEN_OPEN_BRACKET, "`[`, as in `on [-4, 4]`")) return false;
        if (!parse_formula(p, &out->low)) return false;
        if (!parser_expect(p, TOKEN_COMMA, "`,` and the interval's upper end")) return false;
        if (!parse_formula(p, &out->high)) return false;
        if (!parser_expect(p, TOKEN_CLOSE_BRACKET, "`]`")) return false;
        out->has_interval = true;
    }
    out->place = (struct span){start, p->end - start};
    return true;
}

/* Parses the index after the name of a result that is a list, as "[2]". */
static bool parse_number_of_value(struct parser *p, struct syntax_statement *s)
{
    uint32_t number;
    parser_advance(p);
    if (!parse_count(p, SPEC_MAX_OPERANDS, "the number of a result's value, as in `sums[0] = sum(x)`",
                     &number) ||
        !parser_expect(p, TOKEN_CLOSE_BRACKET, "`]`"))
        return false;
    s->name = name_of_value(p->memory, s->name, number);
    s->place.length = p->end - s->place.offset;
    return true;
}

/* Returns true at a word that other languages begin a statement with, unless it is the name of a value. */
static bool at_foreign_word(struct parser *p)
{
    if (p->token.kind != TOKEN_NAME) return false;
    struct lexer ahead = p->lexer;
    /* A wrong token is reported when the parser reaches it. */
    ahead.error = NULL;
    const enum token_kind next = lexer_next(&ahead).kind;
    return next != TOKEN_ASSIGN && next != TOKEN_OPEN_BRACKET &&
           spelling_advice(SPELLING_WORD, p->source->text + p->token.place.offset, p->token.place.length);
}

static bool parse_statement(struct parser *p, struct declaration *d, struct syntax_statement ***last)
{
    struct span place = p->token.place;
    if (p->token.kind == TOKEN_ACCURACY) {
        if (d->bound.kind != BOUND_DEFAULT) return fail_at(p, place, "a kernel has one accuracy clause");
        parser_advance(p);
        return parse_bound(p, &d->bound);
    }
    if (at_foreign_word(p)) return parser_fail(p, "a statement `name = formula`");
    if (p->token.kind >= TOKEN_AND && p->token.kind <= TOKEN_NOT_EQUAL)
        return parser_fail(p,
                           "a statement (a formula goes on in the next line after an operator, not before)");
    if (p->token.kind != TOKEN_NAME)
        return parser_fail(p, "a statement `name = formula`, `accuracy ...` or `}`");
    struct syntax_statement *s = arena_alloc(p->memory, sizeof *s);
    s->name = parser_name(p, "a value", &s->place);
    if (!s->name) return false;
    if (p->token.kind == TOKEN_OPEN_BRACKET && !parse_number_of_value(p, s)) return false;
    if (!parser_expect(p, TOKEN_ASSIGN, "`=`")) return false;
    if (!parse_formula(p, &s->value)) return false;
    **last = s;
    *last = &s->next;
    return true;
}

static bool parse_statements(struct parser *p, struct declaration *d)
{
    struct syntax_statement *first = NULL, **last = &first;
    if (!parser_expect(p, TOKEN_OPEN_BRACE, "`{` on the same line")) return false;
    while (p->token.kind != TOKEN_CLOSE_BRACE) {
        if (p->token.kind == TOKEN_END) { /* an empty statement */
            parser_advance(p);
            continue;
        }
        if (!parse_statement(p, d, &last)) return false;
        if (p->token.kind != TOKEN_CLOSE_BRACE && p->token.kind != TOKEN_END)
            return parser_fail(p, "an operator, the end of the line or `}`");
    }
    d->statements = first;
    parser_advance(p);
    return true;
}

/* Parses gradient NAME [of NAME {, NAME}] [from NAME]. */
static bool parse_gradient(struct parser *p, struct declaration *d)
{
    d->kind = DECLARE_GRADIENT;
    parser_advance(p); /* = */
    if (!parser_expect(p, TOKEN_GRADIENT, "`gradient` and a kernel's name")) return false;
    d->target = parser_reference(p, "a kernel's name", &d->target_place);
    if (!d->target) return false;
    if (parser_at_word(p, "of")) {
        struct syntax_name **last = (struct syntax_name **)&d->of;
        do {
            parser_advance(p);
            struct syntax_name *name = arena_alloc(p->memory, sizeof *name);
            name->name = parser_reference(p, "an operand's name", &name->place);
            if (!name->name) return false;
            *last = name;
            last = &name->next;
        } while (p->token.kind == TOKEN_COMMA);
    }
    if (parser_at_word(p, "from")) {
        parser_advance(p);
        d->from = parser_reference(p, "a result's name", &d->from_place);
        return d->from != NULL;
    }
    return true;
}

bool parse_kernel(struct parser *p, struct declaration *d)
{
    if (p->token.kind == TOKEN_ASSIGN) return parse_gradient(p, d);
    if (p->token.kind != TOKEN_OPEN) return parser_fail(p, "`(` and operands, or `= gradient`");
    struct operand_list *list = arena_alloc(p->memory, sizeof *list);
    if (!parse_operands(p, list, "an operand")) return false;
    d->input_count = list->count;
    if (!parser_expect(p, TOKEN_ARROW, "`->` and results, as in `-> (y: f32)`")) return false;
    if (!parse_operands(p, list, "a result")) return false;
    d->operand_count = list->count;
    d->operands = arena_copy(p->memory, list->items, list->count * sizeof *list->items);
    return parse_statements(p, d);
}
