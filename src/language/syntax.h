/* The syntax of a spec, before names have a meaning: declarations, and the places of their formulas.
 *
 * Functions of the parser return NULL or false after an error, which is in parser.error. The first error
 * stays. */
#ifndef ACTGEN_SYNTAX_H
#define ACTGEN_SYNTAX_H

#include "spec.h"
#include "tokens.h"

/* The place of a formula. The parser reads it with the file, for its syntax, and again each time its value
 * is needed, with the names that are bound then. */
struct formula {
    struct lexer lexer; /* after its first token */
    struct token first;
    struct span place; /* the whole formula, without parentheses around it */
    bool is_name;      /* the formula is only a name */
};

struct syntax_bound {
    enum spec_bound_kind kind;
    struct span place;
    struct formula value, low, high;
    bool has_interval; /* the bound has an interval from low to high */
    bool flush;        /* `flush` stands after `ulp` */
};

struct syntax_name { /* a name of a list, such as those after "of" */
    const char *name;
    struct span place;
    struct syntax_name *next;
};

struct syntax_parameter { /* an argument or a parameter of a function */
    const char *name;
    struct span place;
    struct formula value;      /* the default of a parameter */
    struct syntax_name *other; /* the other names by which a call may give a parameter */
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

enum declaration_kind { DECLARE_FUNCTION, DECLARE_ALIAS, DECLARE_KERNEL, DECLARE_GRADIENT };

struct declaration {
    enum declaration_kind kind;
    const struct source *source;
    const char *name;
    struct span place;  /* of the name */
    struct span extent; /* of the whole declaration */
    const char *summary, *family, *form;
    /* functions */
    struct syntax_parameter *parameters; /* the arguments come first */
    uint32_t argument_count, parameter_count;
    struct formula body;
    /* aliases and gradients: the name to which they refer */
    const char *target;
    struct span target_place;
    /* kernels */
    struct syntax_operand *operands;
    uint32_t input_count, operand_count;
    const struct syntax_statement *statements;
    struct syntax_bound bound;
    /* gradients */
    const struct syntax_name *of;
    const char *from; /* the name of the result, or NULL */
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
    struct token token; /* the current token */
    uint32_t end;       /* the end of the previous token */
    unsigned nesting;
    uint32_t documented; /* comments before this place have been read */
    const char *family;
    /* The program and the frame that make the values of the formulas. NULL if only their syntax is read. */
    struct program *program;
    struct frame *frame;
};

void parser_start(struct parser *p, arena *memory, const struct source *source, struct diag *error);
void parser_start_at(struct parser *p, arena *memory, const struct source *source, uint32_t offset,
                     struct diag *error);
void parser_advance(struct parser *p);
bool parser_expect(struct parser *p, enum token_kind kind, const char *where);
/* Reports "expected ..., found ..." with advice. Returns false. */
bool parser_fail(struct parser *p, const char *expected);
bool parser_at_word(const struct parser *p, const char *word);
const char *parser_name(struct parser *p, const char *what,
                        /* Reads a name that a spec may define. Returns NULL after an error. */
                        struct span *place);
/* Reads a name that something has already. `what` says whose name it is. Returns NULL after an error. */
const char *parser_reference(struct parser *p, const char *what, struct span *place);
const char *parser_copy(struct parser *p, struct span place);

/* Reads the syntax of one formula from the current token on. */
bool parse_formula(struct parser *p, struct formula *out);
/* Reads an accuracy clause after its keyword. */
bool parse_bound(struct parser *p, struct syntax_bound *out);
/* Reads a kernel after its keyword and name. */
bool parse_kernel(struct parser *p, struct declaration *d);
/* Reads the declaration that begins at the current token, with its comments. */
bool parse_declaration(struct parser *p, struct declaration *d);
/* Reads all declarations of a file, in order, and sets *count to their number. */
bool parse_file(struct parser *p, struct declaration **first, uint32_t *count);
/* Reads the comments in front of a declaration that begins at `offset`. */
void parse_comments(struct parser *p, struct declaration *d, uint32_t offset);
/* Returns the declaration on one line, with the same meaning: without comments, with single blanks, and
 * with semicolons for newlines that end statements. */
const char *declaration_text(arena *memory, const struct declaration *d);

#endif
