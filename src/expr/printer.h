/* What the printers of formulas share: a stack of what is still to be said, so that neither the depth nor the
 * sharing of a DAG can overflow the stack, what they write alike, and the text of numbers. A formula of more
 * than PRINTER_MAX_ITEMS words ends in "...". */
#ifndef ACTGEN_PRINTER_H
#define ACTGEN_PRINTER_H

#include "expr.h"

enum { PRINTER_MAX_ITEMS = 1 << 18 };

/* Binding strength, loosest first: the parser's levels, and C's. */
enum {
    LEVEL_IF,
    LEVEL_OR,
    LEVEL_AND,
    LEVEL_NOT,
    LEVEL_COMPARE,
    LEVEL_SUM,
    LEVEL_PRODUCT,
    LEVEL_NEGATE,
    LEVEL_POWER,
    LEVEL_PRIMARY
};

struct printer_item { /* text, or a node where at least `level` must bind */
    const char *text;
    const expr *node;
    int level;
};

struct printer {
    struct text *out;
    const char *const *names;      /* of inputs, or NULL */
    const char *const *node_names; /* by id, or NULL */
    uint32_t root;                 /* printed in full although it may have a name */
    const char *suffix;            /* of C functions and constants; NULL where it is not C */
    /* The text of any number; *level is how tightly it binds. */
    const char *(*number)(struct printer *p, mpq_srcptr q, int *level);
    /* Pushes what a node consists of that languages write in different ways; `level` is the node's. */
    void (*node)(struct printer *p, const expr *e, int level);
    int (*level)(const expr *e); /* of such a node */
    struct printer_item *items;
    size_t count, capacity, work;
};

/* What is pushed last is said first. */
void printer_say(struct printer *p, const char *text);
void printer_visit(struct printer *p, const expr *e, int level);
/* name(operand, ...) */
void printer_call(struct printer *p, const expr *e, const char *name);
/* The operands of a choice, which bind at least at `level`, with the three texts in front of them. */
void printer_choice(struct printer *p, const expr *e, int level, const char *const texts[3]);
/* Prints `e`. */
void printer_run(struct printer *p, const expr *e);

const char *printer_integer(struct printer *p, mpz_srcptr z, int base);
/* q >= 0 as one word of the language, or NULL if it is a fraction like 1/3. */
const char *printer_number(struct printer *p, mpq_srcptr q);
int printer_number_level(mpq_srcptr q, bool fraction);

#endif
