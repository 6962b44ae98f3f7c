/* Parses a file: functions, aliases and kernels, each with the comment in front of it. */
#include "nearest.h"
#include "spellings.h"
#include "syntax.h"

#include <string.h>

/* Parses the other names of a parameter, as in (x; slope | negative_slope = 0.01). */
static bool parse_other_names(struct parser *p, struct syntax_parameter *parameter)
{
    struct syntax_name **last = &parameter->other;
    while (p->token.kind == TOKEN_BAR) {
        struct syntax_name *other = arena_alloc(p->memory, sizeof *other);
        parser_advance(p);
        if (!(other->name = parser_name(p, "a parameter", &other->place))) return false;
        *last = other;
        last = &other->next;
    }
    return true;
}

/* Parses the parameters of a function, as in (a, b; c = 1, d = 2). */
static bool parse_parameters(struct parser *p, struct declaration *d)
{
    uint32_t count = 0;
    bool defaults = false;
    if (!parser_expect(p, TOKEN_OPEN, "`(` and arguments, as in `(x)`")) return false;
    for (;;) {
        if (count == SPEC_MAX_OPERANDS) {
            diag_at(p->error, DIAG_SYNTAX, p->source->text, p->token.place,
                    "a function has at most %d arguments and parameters", SPEC_MAX_OPERANDS);
            return false;
        }
        d->parameters = arena_with_room(p->memory, d->parameters, count, sizeof *d->parameters);
        struct syntax_parameter *parameter = &d->parameters[count++];
        parameter->name = parser_name(p, defaults ? "a parameter" : "an argument", &parameter->place);
        if (!parameter->name) return false;
        if (defaults) {
            if (!parse_other_names(p, parameter) ||
                !parser_expect(p, TOKEN_ASSIGN, "`=` and the parameter's default"))
                return false;
            if (!parse_formula(p, &parameter->value)) return false;
            d->parameter_count++;
        } else {
            if (p->token.kind == TOKEN_ASSIGN)
                return parser_fail(p, "`,`, `;` or `)` (write `;` before parameters with defaults)");
            d->argument_count++;
        }
        if (p->token.kind == TOKEN_SEMICOLON && !defaults) {
            defaults = true;
        } else if (p->token.kind != TOKEN_COMMA) {
            break;
        }
        parser_advance(p);
    }
    return parser_expect(p, TOKEN_CLOSE, defaults ? "an operator, `,` or `)`" : "`,`, `;` or `)`");
}

static bool parse_function(struct parser *p, struct declaration *d)
{
    d->kind = DECLARE_FUNCTION;
    if (!parse_parameters(p, d) || !parser_expect(p, TOKEN_ASSIGN, "`=` and the function's formula"))
        return false;
    return parse_formula(p, &d->body);
}

static bool parse_alias(struct parser *p, struct declaration *d)
{
    d->kind = DECLARE_ALIAS;
    if (!parser_expect(p, TOKEN_ASSIGN, "`=` and the name that it stands for")) return false;
    d->target = parser_reference(p, "the name of a function or kernel", &d->target_place);
    return d->target != NULL;
}

static bool fail_at_declaration(struct parser *p)
{
    static const char *const words[] = {"function", "alias", "kernel"};
    if (p->token.kind != TOKEN_NAME) return parser_fail(p, "`function`, `alias` or `kernel`");
    const char *near = nearest_name(parser_copy(p, p->token.place), words, 3);
    struct text expected = text_new(p->memory);
    text_add(&expected, "`function`, `alias` or `kernel`");
    const struct span word = p->token.place;
    if (near)
        text_add(&expected, " (did you mean `%s`?)", near);
    else if (!spelling_advice(SPELLING_WORD, p->source->text + word.offset, word.length))
        text_add(&expected, ", as in `function f(x) = x*sigmoid(x)`");
    return parser_fail(p, expected.data);
}

bool parse_declaration(struct parser *p, struct declaration *d)
{
    enum token_kind kind = p->token.kind;
    uint32_t start = p->token.place.offset;
    static const char *const what[] = {"a function", "an alias", "a kernel"};
    if (kind != TOKEN_FUNCTION && kind != TOKEN_ALIAS && kind != TOKEN_KERNEL) return fail_at_declaration(p);
    parse_comments(p, d, start);
    d->source = p->source;
    d->kind = DECLARE_KERNEL;
    parser_advance(p);
    if (!(d->name = parser_name(p, what[kind - TOKEN_FUNCTION], &d->place))) return false;
    bool good = kind == TOKEN_FUNCTION ? parse_function(p, d)
                : kind == TOKEN_ALIAS  ? parse_alias(p, d)
                                       : parse_kernel(p, d);
    if (!good) return false;
    d->extent = (struct span){start, p->end - start};
    p->documented = p->end;
    if (p->token.kind != TOKEN_EOF && p->token.kind != TOKEN_END)
        return parser_fail(p, d->kind == DECLARE_FUNCTION ? "an operator or the end of the line"
                                                          : "the end of the line");
    return true;
}

bool parse_file(struct parser *p, struct declaration **first, uint32_t *count)
{
    struct declaration **last = first;
    *first = NULL;
    *count = 0;
    while (p->token.kind != TOKEN_EOF) {
        if (p->token.kind == TOKEN_END) {
            parser_advance(p);
            continue;
        }
        struct declaration *d = arena_alloc(p->memory, sizeof *d);
        if (!parse_declaration(p, d)) return false;
        *last = d;
        last = &d->next;
        ++*count;
    }
    return !p->error || !p->error->status;
}
