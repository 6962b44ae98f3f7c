/* What all parts of the parser share: the current token, expectations, names. */
#include "syntax.h"
#include "vocabulary.h"

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

bool parser_fail(struct parser *p, const char *expected)
{
    struct token found = p->token;
    if (found.kind == TOKEN_NAME || found.kind == TOKEN_NUMBER) {
        int shown = (int)(found.place.length > 40 ? 40 : found.place.length);
        diag_at(p->error, DIAG_SYNTAX, p->source->text, found.place, "expected %s, found `%.*s`", expected,
                shown, p->source->text + found.place.offset);
    } else if (found.kind != TOKEN_ERROR) { /* the lexer has said what is wrong with that */
        diag_at(p->error, DIAG_SYNTAX, p->source->text, found.place, "expected %s, found %s", expected,
                token_text(found.kind));
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
        diag_at(p->error, DIAG_SYNTAX, text, *place, "`%s` cannot be the name of %s: it is %s", name, what,
                reserved);
        return NULL;
    }
    parser_advance(p);
    return name;
}
