/* Shares the basics of all parts of the parser: the current token, expectations and names. */
#include "advice.h"
#include "spellings.h"
#include "syntax.h"
#include "vocabulary.h"

#include <stdio.h>
#include <string.h>

enum { LONGEST_NAME = 64 };

void parser_start(struct parser *p, arena *memory, const struct source *source, struct diag *error)
{
    parser_start_at(p, memory, source, 0, error);
}

void parser_start_at(struct parser *p, arena *memory, const struct source *source, uint32_t offset,
                     struct diag *error)
{
    *p = (struct parser){.source = source, .memory = memory, .error = error, .family = ""};
    p->lexer = (struct lexer){.source = source, .error = error, .position = offset, .last = TOKEN_END};
    p->token = lexer_next(&p->lexer);
}

void parser_advance(struct parser *p)
{
    p->end = p->token.place.offset + p->token.place.length;
    p->token = lexer_next(&p->lexer);
}

static bool is_name_letter(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
}

/* Finds the word that ends at `end`, or the word in parentheses. Returns its length, 0 if there is none. */
static uint32_t word_before(const char *text, uint32_t end, uint32_t *start)
{
    const bool is_closed = end && text[end - 1] == ')';
    const uint32_t last = end - is_closed;
    *start = last;
    while (*start && is_name_letter(text[*start - 1])) --*start;
    return is_closed && (!*start || text[*start - 1] != '(') ? 0 : last - *start;
}

/* Returns true if the word is a function here or in another language. */
static bool names_function(const char *word, uint32_t length)
{
    return is_known_function(word, length) || spelling_find(SPELLING_FUNCTION, word, length, NULL, 0).advice;
}

/* Writes advice on two operands without an operator between them, such as `exp x`. */
static void advice_on_neighbours(struct parser *p, char out[ADVICE_SIZE])
{
    const char *text = p->source->text;
    const struct span next = p->token.place;
    uint32_t start;
    const uint32_t length = word_before(text, p->end, &start);
    const bool is_closed = length && text[start + length] == ')', is_word = length && !is_closed;
    const char *advice = is_word ? spelling_advice(SPELLING_WORD, text + start, length) : NULL;
    char call[ADVICE_SIZE] = "";
    uint32_t function = start;
    const bool is_power = is_word && p->token.kind == TOKEN_OPEN && start && text[start - 1] == '^' &&
                          word_before(text, start - 1, &function);
    if (is_power && names_function(text + function, start - 1 - function)) { /* sin^2(x) */
        snprintf(out, ADVICE_SIZE, "write `%.*s(x)^%.*s`", (int)(start - 1 - function), text + function,
                 (int)length, text + start);
        return;
    }
    if (is_closed) advice_on_type(call, text + start, length);
    const bool is_cast = is_closed && !strncmp(call, "write `", 7);
    call[0] = 0;
    if (is_cast || (is_word && !advice && names_function(text + start, length)))
        advice_on_name(call, text + start, length, true, text + next.offset,
                       p->token.kind == TOKEN_OPEN ? 0 : next.length);
    snprintf(out, ADVICE_SIZE, "%s", advice ? advice : *call ? call : "a product is written with `*`");
}

/* Writes advice on the current token where `expected` was expected, or "". */
static void parser_advice(struct parser *p, const char *expected, char out[ADVICE_SIZE])
{
    const struct token found = p->token;
    const char *text = p->source->text + found.place.offset, *advice = NULL;
    const bool at_operator = !strncmp(expected, "an operator", 11),
               at_operand = !strcmp(expected, "a formula");
    const bool begins_operand =
        found.kind == TOKEN_NAME || found.kind == TOKEN_NUMBER || found.kind == TOKEN_OPEN;
    out[0] = 0;
    if (at_operator) advice = spelling_advice(SPELLING_OPERATOR, text, found.place.length);
    if (!advice && at_operator && begins_operand) {
        if (strstr(expected, "`then`"))
            advice = "a choice is written `if c then a else b`, and a product with `*`";
        else
            advice_on_neighbours(p, out);
    }
    if (at_operand) advice = spelling_advice(SPELLING_OPERAND, text, found.place.length);
    const bool at_statement = !strncmp(expected, "a statement", 11);
    if (!advice && !*out && (found.kind == TOKEN_NAME || (at_statement && found.kind == TOKEN_IF))) {
        uint32_t start;
        const uint32_t length = word_before(p->source->text, p->end, &start);
        advice = spelling_advice(SPELLING_WORD, text, found.place.length);
        if (!advice) advice = spelling_advice(SPELLING_WORD, p->source->text + start, length);
    }
    if (advice) snprintf(out, ADVICE_SIZE, "%s", advice);
}

bool parser_fail(struct parser *p, const char *expected)
{
    struct token found = p->token;
    char advice[ADVICE_SIZE];
    if (found.kind == TOKEN_ERROR) return false; /* the lexer has reported the error */
    parser_advice(p, expected, advice);
    const char *before = *advice ? "; " : "";
    if (found.kind == TOKEN_NAME || found.kind == TOKEN_NUMBER) {
        int shown = (int)(found.place.length > 40 ? 40 : found.place.length);
        diag_at(p->error, DIAG_SYNTAX, p->source->text, found.place, "expected %s, found `%.*s`%s%s",
                expected, shown, p->source->text + found.place.offset, before, advice);
    } else {
        diag_at(p->error, DIAG_SYNTAX, p->source->text, found.place, "expected %s, found %s%s%s", expected,
                token_text(found.kind), before, advice);
    }
    return false;
}

bool parser_expect(struct parser *p, enum token_kind kind, const char *where)
{
    if (p->token.kind != kind) return parser_fail(p, where);
    parser_advance(p);
    return true;
}

bool parser_at_word(const struct parser *p, const char *word)
{
    return p->token.kind == TOKEN_NAME && p->token.place.length == strlen(word) &&
           !memcmp(p->source->text + p->token.place.offset, word, p->token.place.length);
}

const char *parser_copy(struct parser *p, struct span place)
{
    return arena_text(p->memory, p->source->text + place.offset, place.length);
}

const char *parser_reference(struct parser *p, const char *what, struct span *place)
{
    *place = p->token.place;
    if (p->token.kind != TOKEN_NAME) return parser_fail(p, what), NULL;
    parser_advance(p);
    return parser_copy(p, *place);
}

/* Returns advice on a type in front of a name, as in `float x`, or "". */
static const char *advice_on_type_first(const char *name, const char *what)
{
    char ignored[ADVICE_SIZE];
    enum element_type type;
    if (!type_of(name, &type) && !advice_on_type(ignored, name, strlen(name))) return "";
    if (!strcmp(what, "an argument"))
        return "; arguments have no types, as in `function f(x) = x*sigmoid(x)`";
    if (!strcmp(what, "an operand") || !strcmp(what, "a result"))
        return "; a type follows the name, as in `x: f32`";
    return "";
}

const char *parser_name(struct parser *p, const char *what, struct span *place)
{
    const char *text = p->source->text;
    *place = p->token.place;
    bool word = p->token.kind >= TOKEN_FUNCTION && p->token.kind <= TOKEN_NOT;
    if (word) {
        diag_at(p->error, DIAG_SYNTAX, text, *place,
                "%s cannot be the name of %s: it is a word of the language", token_text(p->token.kind), what);
        return NULL;
    }
    if (p->token.kind != TOKEN_NAME) {
        struct text expected = text_new(p->memory);
        text_add(&expected, "the name of %s", what);
        parser_fail(p, expected.data);
        return NULL;
    }
    if (place->length > LONGEST_NAME) {
        diag_at(p->error, DIAG_SYNTAX, text, *place, "a name has at most %d letters, this one has %u",
                LONGEST_NAME, place->length);
        return NULL;
    }
    const char *name = parser_copy(p, *place);
    const char *reserved = reserved_as(name);
    if (reserved) {
        diag_at(p->error, DIAG_SYNTAX, text, *place, "`%s` cannot be the name of %s: it is %s%s", name, what,
                reserved, advice_on_type_first(name, what));
        return NULL;
    }
    parser_advance(p);
    return name;
}
