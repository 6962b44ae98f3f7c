/* The tokens of a spec: words, numbers and signs, with their places in the text. */
#ifndef ACTGEN_TOKENS_H
#define ACTGEN_TOKENS_H

#include "diag.h"

#include <gmp.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* The limits of a text, which may come from a stranger. */
enum {
    SPEC_MAX_BYTES = 1 << 20,
    /* Also the limit of decimal exponents. */
    SPEC_MAX_NUMBER_DIGITS = 400,
};

/* The text to which places refer. */
struct source {
    const char *file;
    const char *text;
    uint32_t length;
};

enum token_kind {
#define TOKEN(name, text) TOKEN_##name,
#include "tokens.def"
#undef TOKEN
    TOKEN_KIND_COUNT
};

struct token {
    enum token_kind kind;
    struct span place;
};

struct lexer {
    const struct source *source;
    struct diag *error;
    uint32_t position;
    /* The number of open ( and [. Newlines are blanks inside them. */
    uint32_t brackets;
    enum token_kind last; /* newlines are blanks after an operator */
};

/* Returns DIAG_SYNTAX if a text is longer than a spec may be. It does not look at the text, so that a false
 * length does no harm. */
int spec_check_length(size_t length, struct diag *error);
/* Refuses texts that are too long, contain control characters or are not UTF-8. */
int source_check(const struct source *source, size_t length, struct diag *error);
struct token lexer_next(struct lexer *lexer);
/* Returns the token as text for "expected ...", such as "`+`" or "a name". */
const char *token_text(enum token_kind kind);

/* Computes the exact value of a number's text. Returns false after an error, if the number is malformed or
 * beyond the limits. `out` is initialised. */
bool number_parse(const struct source *source, struct span place, mpq_ptr out, struct diag *error);

#endif
