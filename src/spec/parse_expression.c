/* Formulas: recursive descent for what nests, precedence climbing for what chains. The nesting limit bounds
 * the stack. */
#include "syntax.h"

#include <string.h>

enum { LEVEL_OR = 1, LEVEL_AND, LEVEL_NOT, LEVEL_COMPARE, LEVEL_SUM, LEVEL_PRODUCT };

static int binary_level(enum token_kind kind)
{
    switch (kind) {
    case TOKEN_OR: return LEVEL_OR;
    case TOKEN_AND: return LEVEL_AND;
    case TOKEN_LESS:
    case TOKEN_LESS_EQUAL:
    case TOKEN_GREATER:
    case TOKEN_GREATER_EQUAL:
    case TOKEN_EQUAL:
    case TOKEN_NOT_EQUAL: return LEVEL_COMPARE;
    case TOKEN_PLUS:
    case TOKEN_MINUS: return LEVEL_SUM;
    case TOKEN_STAR:
    case TOKEN_SLASH: return LEVEL_PRODUCT;
    default: return 0;
    }
}

static const struct syntax *parse_binary(struct parser *p, int level);
static const struct syntax *parse_unary(struct parser *p);

static struct syntax *new_syntax(struct parser *p, enum syntax_kind kind, uint32_t start)
{
    struct syntax *s = arena_alloc(p->memory, sizeof *s);
    s->kind = kind;
    s->place = (struct span){start, p->end - start};
    return s;
}

static bool deeper(struct parser *p)
{
    if (++p->nesting <= SPEC_MAX_NESTING) return true;
    diag_at(p->error, DIAG_SYNTAX, p->source->text, p->token.place,
            "formulas nest at most %d deep; name a part of it in a statement or a function of its own",
            SPEC_MAX_NESTING);
    return false;
}

/* True if the current token is `name =`, a keyword parameter. */
static bool at_keyword(struct parser *p)
{
    if (p->token.kind != TOKEN_NAME) return false;
    struct lexer ahead = p->lexer;
    ahead.error = NULL; /* a wrong token is reported when it is reached */
    return lexer_next(&ahead).kind == TOKEN_ASSIGN;
}

static struct syntax_item *parse_item(struct parser *p, bool keyword)
{
    struct syntax_item *item = arena_alloc(p->memory, sizeof *item);
    if (keyword) {
        item->place = p->token.place;
        item->name = parser_copy(p, item->place);
        parser_advance(p); /* the name */
        parser_advance(p); /* = */
    }
    item->value = parse_formula(p);
    return item->value ? item : NULL;
}

/* From "(" on. */
static bool parse_arguments(struct parser *p, struct syntax *call)
{
    struct syntax_item **argument = (struct syntax_item **)&call->arguments;
    struct syntax_item **parameter = (struct syntax_item **)&call->keywords;
    do {
        parser_advance(p); /* ( or , */
        bool keyword = at_keyword(p);
        if (!keyword && call->keywords)
            return parser_fail(p, "a parameter `name = value`, as after the first of them");
        struct syntax_item *item = parse_item(p, keyword);
        if (!item) return false;
        struct syntax_item ***last = keyword ? &parameter : &argument;
        **last = item;
        *last = &item->next;
        call->argument_count += !keyword;
    } while (p->token.kind == TOKEN_COMMA);
    return parser_expect(p, TOKEN_CLOSE, "`,` or `)`");
}

static const struct syntax *parse_name_or_call(struct parser *p)
{
    struct span place = p->token.place;
    const char *name = parser_copy(p, place);
    parser_advance(p);
    struct syntax *s = new_syntax(p, SYNTAX_NAME, place.offset);
    s->name = name;
    s->sign = place;
    if (p->token.kind != TOKEN_OPEN) return s;
    s->kind = SYNTAX_CALL;
    if (!deeper(p) || !parse_arguments(p, s)) return NULL;
    p->nesting--;
    s->place.length = p->end - place.offset;
    return s;
}

static const struct syntax *parse_primary(struct parser *p)
{
    switch (p->token.kind) {
    case TOKEN_NAME: return parse_name_or_call(p);
    case TOKEN_NUMBER: {
        uint32_t start = p->token.place.offset;
        parser_advance(p);
        return new_syntax(p, SYNTAX_NUMBER, start);
    }
    case TOKEN_OPEN: {
        if (!deeper(p)) return NULL;
        parser_advance(p);
        const struct syntax *inner = parse_formula(p);
        if (!inner || !parser_expect(p, TOKEN_CLOSE, "an operator or `)`")) return NULL;
        p->nesting--;
        return inner;
    }
    case TOKEN_IF:
    case TOKEN_NOT: parser_fail(p, "parentheses around what begins here"); return NULL;
    default: parser_fail(p, "a formula"); return NULL;
    }
}

/* base ^ exponent; the exponent may carry a minus and powers of its own. */
static const struct syntax *parse_power(struct parser *p)
{
    uint32_t start = p->token.place.offset;
    const struct syntax *base = parse_primary(p);
    if (!base || p->token.kind != TOKEN_CARET) return base;
    struct span sign = p->token.place;
    if (!deeper(p)) return NULL;
    parser_advance(p);
    const struct syntax *exponent = parse_unary(p);
    if (!exponent) return NULL;
    p->nesting--;
    struct syntax *s = new_syntax(p, SYNTAX_BINARY, start);
    s->operator= TOKEN_CARET;
    s->sign = sign;
    s->operand[0] = base;
    s->operand[1] = exponent;
    return s;
}

static const struct syntax *parse_prefix(struct parser *p, enum syntax_kind kind)
{
    struct span sign = p->token.place;
    if (!deeper(p)) return NULL;
    parser_advance(p);
    const struct syntax *operand = kind == SYNTAX_NOT ? parse_binary(p, LEVEL_NOT) : parse_unary(p);
    if (!operand) return NULL;
    p->nesting--;
    struct syntax *s = new_syntax(p, kind, sign.offset);
    s->sign = sign;
    s->operand[0] = operand;
    return s;
}

static const struct syntax *parse_unary(struct parser *p)
{
    return p->token.kind == TOKEN_MINUS ? parse_prefix(p, SYNTAX_NEGATE) : parse_power(p);
}

/* Operators that bind at least as tight as `level`, left to right. */
static const struct syntax *parse_binary(struct parser *p, int level)
{
    uint32_t start = p->token.place.offset;
    bool negated = p->token.kind == TOKEN_NOT && level <= LEVEL_NOT;
    const struct syntax *left = negated ? parse_prefix(p, SYNTAX_NOT) : parse_unary(p);
    while (left) {
        struct token sign = p->token;
        int found = binary_level(sign.kind);
        if (!found || found < level) break;
        parser_advance(p);
        const struct syntax *right = parse_binary(p, found + 1);
        if (!right) return NULL;
        struct syntax *s = new_syntax(p, SYNTAX_BINARY, start);
        s->operator= sign.kind;
        s->sign = sign.place;
        s->operand[0] = left;
        s->operand[1] = right;
        left = s;
        if (found == LEVEL_COMPARE && binary_level(p->token.kind) == LEVEL_COMPARE) {
            diag_at(p->error, DIAG_SYNTAX, p->source->text, p->token.place,
                    "comparisons do not chain; write `a < b and b < c`");
            return NULL;
        }
    }
    return left;
}

static const struct syntax *parse_if(struct parser *p)
{
    uint32_t start = p->token.place.offset;
    if (!deeper(p)) return NULL;
    parser_advance(p);
    const struct syntax *part[3] = {NULL};
    static const enum token_kind word[2] = {TOKEN_THEN, TOKEN_ELSE};
    static const char *const expected[2] = {"an operator or `then`", "an operator or `else`"};
    for (int i = 0; i < 3; i++) {
        part[i] = parse_formula(p);
        if (!part[i]) return NULL;
        if (i == 0 && p->token.kind == TOKEN_ASSIGN) return parser_fail(p, "`then` (equality is `==`)"), NULL;
        if (i < 2 && !parser_expect(p, word[i], expected[i])) return NULL;
    }
    p->nesting--;
    struct syntax *s = new_syntax(p, SYNTAX_IF, start);
    memcpy(s->operand, part, sizeof part);
    return s;
}

const struct syntax *parse_formula(struct parser *p)
{
    return p->token.kind == TOKEN_IF ? parse_if(p) : parse_binary(p, LEVEL_OR);
}
