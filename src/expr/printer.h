/* The common parts of the printers of formulas: the stack of pieces to print, the syntax that the language
 * shares with C, and the text of numbers. With this stack, neither the depth nor the sharing of a DAG can
 * overflow the C stack. A formula of more than PRINTER_MAX_ITEMS words ends in "...". */
#ifndef ACTGEN_PRINTER_H
#define ACTGEN_PRINTER_H

#include "expr.h"

enum { PRINTER_MAX_ITEMS = 1 << 18 };

/* The binding strength, loosest first: the levels of the parser, and those of C. */
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

struct printer_item { /* a text, or a node that must bind at least at `level` */
    const char *text;
    const expr *node;
    int level;
};

struct printer {
    struct text *out;
    const char *const *names;      /* the names of inputs, or NULL */
    const char *const *node_names; /* the names of nodes by id, or NULL */
    uint32_t root;                 /* printed in full although it may have a name */
    /* The suffix of C functions and constants. NULL for the language. */
    const char *suffix;
    /* Returns the text of any number. *level says how tightly it binds. */
    const char *(*number)(struct printer *p, mpq_srcptr q, int *level);
    /* Pushes the pieces of a node that the languages write in different ways. `level` is that of the node. */
    void (*node)(struct printer *p, const expr *e, int level);
    int (*level)(const expr *e); /* Returns the level of such a node. */
    struct printer_item *items;
    size_t count, capacity, work;
};

/* Push a text or a node. The last piece pushed is printed first. */
void printer_say(struct printer *p, const char *text);
void printer_visit(struct printer *p, const expr *e, int level);
/* Pushes name(operand, ...). */
void printer_call(struct printer *p, const expr *e, const char *name);
/* Pushes the operands of a choice, which bind at least at `level`, with the three texts in front of them. */
void printer_choice(struct printer *p, const expr *e, int level, const char *const texts[3]);
/* Prints `e`. */
void printer_run(struct printer *p, const expr *e);

const char *printer_integer(struct printer *p, mpz_srcptr z, int base);
/* Returns q >= 0 as one word of the language, or NULL if it is a fraction such as 1/3. */
const char *printer_number(struct printer *p, mpq_srcptr q);
int printer_number_level(mpq_srcptr q, bool fraction);

#endif
