/* Formulas as an immutable, hash-consed DAG.
 *
 * Equal formulas are the same pointer. A node's id is larger than its operands' ids, so walking ids
 * upwards is a topological order. Numbers are exact rationals. Everything lives in the DAG's arena;
 * nothing is freed one by one.
 *
 * The parser makes nodes as the user wrote them (EXPR_SUB, EXPR_DIV, EXPR_NEG stay). expr_simplify gives
 * the canonical form, in which a - b is a + -1*b and a / b is a * b^-1. A DAG is not thread-safe while it
 * grows; reading is. */
#ifndef ACTGEN_EXPR_H
#define ACTGEN_EXPR_H

#include "arena.h"
#include "hash.h"
#include "text.h"
#include "types.h"

#include <gmp.h>
#include <stdbool.h>
#include <stdint.h>

enum expr_kind {
    /* leaves */
    EXPR_NUMBER,   /* number */
    EXPR_PI,       /* pi, exactly */
    EXPR_INFINITY, /* +infinity, the mathematical limit */
    EXPR_INPUT,    /* one lane value: an operand of the kernel; input is its index */
    /* arithmetic */
    EXPR_ADD,   /* a + b */
    EXPR_SUB,   /* a - b */
    EXPR_MUL,   /* a * b */
    EXPR_DIV,   /* a / b */
    EXPR_NEG,   /* -a */
    EXPR_POWER, /* a ^ number; other than integer exponents need a >= 0 */
    EXPR_MIN,   /* a < b ? a : b, NaN if either is */
    EXPR_MAX,   /* a > b ? a : b, NaN if either is */
    EXPR_CAST,  /* a rounded to `type` */
    EXPR_IF,    /* a ? b : c */
    /* truth values, only below EXPR_IF's first operand */
    EXPR_LT,  /* a < b */
    EXPR_LE,  /* a <= b */
    EXPR_EQ,  /* a == b */
    EXPR_NOT, /* not a */
    EXPR_AND, /* a and b */
    EXPR_OR,  /* a or b */
/* elementary functions of one argument */
#define FUNCTION(name, ...) EXPR_##name,
#include "functions.def"
#undef FUNCTION
    EXPR_KIND_COUNT,
    EXPR_FIRST_FUNCTION = EXPR_exp
};

typedef struct expr expr;

struct expr {
    enum expr_kind kind;
    uint32_t id;            /* place in the DAG, larger than the operands' */
    uint32_t input;         /* EXPR_INPUT */
    enum element_type type; /* EXPR_CAST */
    const expr *operand[3]; /* unused ones are NULL */
    mpq_srcptr number;      /* EXPR_NUMBER: the value; EXPR_POWER: the exponent; its limbs are in the arena */
    uint64_t inputs;        /* bit i: depends on EXPR_INPUT i, i < 64 */
    /* The lowest number, an input, a cast or what several of those make, that this is a function of alone;
     * itself if there is none below it. */
    const expr *argument;
    uint64_t hash;
    const expr *next; /* in the hash bucket */
    arena *memory;    /* the DAG's: what evaluates the formula and lacks memory says so there (arena_fail) */
};

typedef struct expr_dag expr_dag;

/* NULL is never returned: memory running out takes the arena's escape. `node_limit` bounds the number of
 * nodes; when it is reached, expr_dag_full turns true and further nodes are the number 0, so that builders
 * need not test each node. */
expr_dag *expr_dag_create(arena *memory, uint32_t node_limit);
bool expr_dag_full(const expr_dag *dag);
arena *expr_dag_memory(const expr_dag *dag);
uint32_t expr_dag_count(const expr_dag *dag); /* ids are below this */
const expr *expr_dag_node(const expr_dag *dag, uint32_t id);

/* Building: no rewriting at all, except that MIN, MAX, ... of the same operands give the same node. */
const expr *expr_number(expr_dag *dag, mpq_srcptr value); /* copied; must be canonical */
const expr *expr_ratio(expr_dag *dag, long numerator, unsigned long denominator);
const expr *expr_integer(expr_dag *dag, long value);
const expr *expr_pi(expr_dag *dag);
const expr *expr_infinity(expr_dag *dag);
const expr *expr_input(expr_dag *dag, uint32_t index);
const expr *expr_unary(expr_dag *dag, enum expr_kind kind, const expr *a);
const expr *expr_binary(expr_dag *dag, enum expr_kind kind, const expr *a, const expr *b);
const expr *expr_power(expr_dag *dag, const expr *base, mpq_srcptr exponent);
const expr *expr_power_ratio(expr_dag *dag, const expr *base, long numerator, unsigned long denominator);
const expr *expr_if(expr_dag *dag, const expr *condition, const expr *then, const expr *otherwise);
const expr *expr_cast(expr_dag *dag, enum element_type type, const expr *a);

/* Questions. */
unsigned expr_arity(enum expr_kind kind);                                         /* number of operands */
const char *expr_kind_name(enum expr_kind kind);                                  /* "exp", "min", "+" */
bool expr_kind_of_function(const char *name, size_t length, enum expr_kind *out); /* "tanh" -> EXPR_tanh */
/* A function to be approximated, not one that processors have as an operation or in a few of them. */
bool expr_is_transcendental(enum expr_kind kind);
/* Whether there are no elementary functions: sums, products, quotients, roots, conditions. */
bool expr_is_algebraic(arena *memory, const expr *e);
/* Returns true if a node of the kind is in the formula. */
bool expr_has(arena *memory, const expr *e, enum expr_kind kind);
/* 1: plainly even, as a function of the one input that there is; -1: plainly odd; else 0. */
int expr_parity(arena *memory, const expr *e);
bool expr_is_truth(const expr *e); /* a truth value, not a number */
bool expr_is_piece(
    const expr *e); /* a number that is a function of one value, its argument, and not that value */
bool expr_is_number(const expr *e, long numerator, unsigned long denominator);
bool expr_depends(const expr *e, uint32_t input);
/* exp(u)*exp2(round(k)), either factor first, which kernels compute at once: its u and round(k). */
bool expr_is_scaled_exponential(const expr *e, const expr **u, const expr **power);
/* f32(a*b + c), likewise: its a, b and c. */
bool expr_is_rounded_sum_of_product(const expr *e, const expr *part[3]);
bool expr_is_constant(const expr *e); /* depends on no input */

/* Rational numbers; `out` may be an operand. The bits of both parts; */
size_t expr_number_bits(mpq_srcptr q);
/* a + b, a - b, a * b, a / b, min and max, by the kind: false for others, and where b is 0; */
bool expr_number_combine(mpq_ptr out, enum expr_kind kind, mpq_srcptr a, mpq_srcptr b);
/* The number that two nodes EXPR_NUMBER make, likewise; NULL where expr_number_combine is false. */
const expr *expr_combined(expr_dag *dag, enum expr_kind kind, const expr *a, const expr *b);
/* base^exponent: false where that is not rational, or beyond the limits of exponent and result. */
bool expr_number_raise(mpq_ptr out, mpq_srcptr base, mpq_srcptr exponent, unsigned long most_exponent,
                       size_t most_bits);

/* All nodes below `root` and itself, operands before their users. The way to walk: no recursion, so no
 * depth limit. */
const expr **expr_walk(arena *memory, const expr *root, uint32_t *count);
/* Walks all nodes below several roots and the roots themselves, each node once. */
const expr **expr_walk_all(arena *memory, const expr *const *roots, uint32_t root_count, uint32_t *count);
/* For each of these nodes, the places of its operands among them. */
uint32_t (*expr_operand_places(arena *memory, const expr *const *nodes, uint32_t count))[3];
/* The node `e` with other operands. */
const expr *expr_rebuild(expr_dag *dag, const expr *e, const expr *const *operand);

/* The image of `e` in `dag`, where `image` makes a node's from its operands' images. */
typedef const expr *expr_image(void *context, expr_dag *dag, const expr *e, const expr *const *operand);
const expr *expr_transform(expr_dag *dag, const expr *e, expr_image *image, void *context);

/* `e` with every `from` replaced by `to`. */
const expr *expr_substitute(expr_dag *dag, const expr *e, const expr *from, const expr *to);

/* Returns the formula in another DAG. */
const expr *expr_import(expr_dag *dag, const expr *e);

/* A hash of what the formula is, the same in every DAG. */
void expr_digest(arena *memory, const expr *e, char out[HASH_TEXT_SIZE]);

/* `e` with the definitions of the functions that have one (functions.def) in their place. */
const expr *expr_expand(expr_dag *dag, const expr *e);

/* The canonical form without cancellation, of primitive functions alone: see simplify.c for the rules.
 * `broken_rule` is the name of a rule to break (for the tests that verification notices), normally NULL. */
const expr *expr_simplify(expr_dag *dag, const expr *e, const char *broken_rule);
/* `e` with the factors of products and the terms of sums that depend on one and the same value joined: see
 * gather.c. */
const expr *expr_gather(expr_dag *dag, const expr *e);
/* a * b and a + b, where they are neither plainly 0 nor plainly one of them. */
const expr *expr_times(expr_dag *dag, const expr *a, const expr *b);
const expr *expr_plus(expr_dag *dag, const expr *a, const expr *b);
/* The derivative of an elementary function at u; NULL for other kinds. */
const expr *expr_slope(expr_dag *dag, enum expr_kind function, const expr *u);
/* Sets *halves to twice the value of an elementary function at 0; false where that is no such number. */
bool expr_halves_at_zero(enum expr_kind function, long *halves);
/* d e / d input, as written by the rules of derivative.c and functions.def, kinks too; not simplified. */
const expr *expr_derivative(expr_dag *dag, const expr *e, const expr *input);

/* Printing, in the language's own syntax (parses back to the same node). `input_names` may be NULL: x, or
 * x0 x1 ... */
void expr_print(struct text *out, const expr *e, const char *const *input_names);
/* Prints with names for nodes below `e`, by id; NULL where a node is to be written out. */
void expr_print_named(struct text *out, const expr *e, const char *const *input_names,
                      const char *const *node_names);
/* The formula as a C expression of doubles or floats on libm, for comparison by users and benchmarks:
 * `suffix` is "" or "f". min and max are calls of smaller<suffix> and larger<suffix>, which the caller
 * defines: fmin and fmax would be library calls, for what they do with NaN. */
void expr_print_c(struct text *out, const expr *e, const char *const *input_names, const char *suffix);

#endif
