/* What the text of a spec says, before names mean anything: tokens, declarations, and where their formulas
 * are.
 *
 * Functions of the parser return NULL (or false) after an error; the error is in parser.error, the first one
 * stays. */
#ifndef ACTGEN_SYNTAX_H
#define ACTGEN_SYNTAX_H

#include "spec.h"

/* The text that places refer to. */
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
    uint32_t brackets;    /* open ( and [: newlines are blank inside */
    enum token_kind last; /* newlines are blank after an operator */
};

/* Refuses texts that are too long, hold control characters or are not UTF-8. */
int source_check(const struct source *source, size_t length, struct diag *error);
struct token lexer_next(struct lexer *lexer);
const char *token_text(enum token_kind kind); /* "`+`", "a name": for "expected ..." */

/* The exact value of a number's text; false and an error if it is malformed or beyond the limits. `out` is
 * initialised. */
bool number_parse(const struct source *source, struct span place, mpq_ptr out, struct diag *error);

/* Where a formula stands. It is read when the text is, for its syntax; and again each time its value is asked
 * for, with the names that are bound then. */
struct formula {
    struct lexer lexer; /* behind its first token */
    struct token first;
    struct span place; /* all of it, without parentheses around it */
    bool is_name;      /* and nothing else */
};

struct syntax_bound {
    enum spec_bound_kind kind;
    struct span place;
    struct formula value, low, high;
    bool has_interval; /* from low to high */
};

struct syntax_parameter { /* of a function */
    const char *name;
    struct span place;
    struct formula value; /* of a parameter: its default */
};

struct syntax_operand {
    struct spec_operand operand;
    struct span type_place, shape_place, group_place;
};

struct syntax_statement {
    const char *name;
    struct span place; /* of the name */
    struct formula value;
    struct syntax_statement *next;
};

struct syntax_name { /* of the "of" list */
    const char *name;
    struct span place;
    struct syntax_name *next;
};

enum declaration_kind { DECLARE_FUNCTION, DECLARE_ALIAS, DECLARE_KERNEL, DECLARE_GRADIENT };

struct declaration {
    enum declaration_kind kind;
    const struct source *source;
    const char *name;
    struct span place;  /* of the name */
    struct span extent; /* of all of it */
    const char *summary, *family, *form;
    /* functions */
    struct syntax_parameter *parameters; /* arguments first */
    uint32_t argument_count, parameter_count;
    struct formula body;
    /* aliases and gradients: the name that they are of */
    const char *target;
    struct span target_place;
    /* kernels */
    struct syntax_operand *operands;
    uint32_t input_count, operand_count;
    const struct syntax_statement *statements;
    struct syntax_bound bound;
    /* gradients */
    const struct syntax_name *of;
    const char *from; /* the result's name, or NULL */
    struct span from_place;
    /* while names are resolved */
    bool active;
    struct spec_kernel *made;
    struct declaration *next;
};

struct parser {
    const struct source *source;
    arena *memory;
    struct diag *error;
    struct lexer lexer;
    struct token token; /* the current one */
    uint32_t end;       /* of the token before */
    unsigned nesting;
    uint32_t documented; /* comments before here have been read */
    const char *family;
    /* Whose values are made of the formulas that are read, and by what names; NULL where only their syntax
     * is. */
    struct program *program;
    struct frame *frame;
};

void parser_start(struct parser *p, arena *memory, const struct source *source, struct diag *error);
void parser_start_at(struct parser *p, arena *memory, const struct source *source, uint32_t offset,
                     struct diag *error);
void parser_advance(struct parser *p);
bool parser_expect(struct parser *p, enum token_kind kind, const char *where);
bool parser_fail(struct parser *p, const char *expected); /* "expected ..., found ..."; returns false */
bool parser_at_word(const struct parser *p, const char *word);
const char *parser_name(struct parser *p, const char *what,
                        struct span *place); /* a name that may be defined, or NULL */
/* A name that something has already, or NULL; `what` says whose. */
const char *parser_reference(struct parser *p, const char *what, struct span *place);
const char *parser_copy(struct parser *p, struct span place);

/* The syntax of one formula, from the current token on. */
bool parse_formula(struct parser *p, struct formula *out);
/* An accuracy clause after its keyword. */
bool parse_bound(struct parser *p, struct syntax_bound *out);
/* A kernel after its keyword and name. */
bool parse_kernel(struct parser *p, struct declaration *d);
/* The declaration that begins at the current token, with its comments. */
bool parse_declaration(struct parser *p, struct declaration *d);
/* All declarations of a file, in order; *count of them. */
bool parse_file(struct parser *p, struct declaration **first, uint32_t *count);
/* The comments in front of a declaration that begins at `offset`. */
void parse_comments(struct parser *p, struct declaration *d, uint32_t offset);
/* The declaration on one line, which means the same: comments dropped, blanks joined, semicolons for newlines
 * that count. */
const char *declaration_text(arena *memory, const struct declaration *d);

#endif
