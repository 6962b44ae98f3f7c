/* Formulas as an immutable, hash-consed DAG.
 *
 * Equal formulas are the same pointer. The id of a node is larger than the ids of its operands, so
 * increasing ids are a topological order. Numbers are exact rationals. Everything lives in the arena of the
 * DAG, and nothing is freed on its own.
 *
 * The parser makes nodes as the user wrote them, with EXPR_SUB, EXPR_DIV and EXPR_NEG. expr_simplify makes
 * the canonical form, in which a - b is a + -1*b and a / b is a * b^-1. A DAG is not thread-safe while it
 * grows. Reading it is. */
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
    EXPR_INPUT,    /* one lane value, that is, an operand of the kernel; input is its index */
    /* arithmetic */
    EXPR_ADD,   /* a + b */
    EXPR_SUB,   /* a - b */
    EXPR_MUL,   /* a * b */
    EXPR_DIV,   /* a / b */
    EXPR_NEG,   /* -a */
    EXPR_POWER, /* a ^ number; exponents other than integers need a >= 0 */
    EXPR_MIN,   /* a < b ? a : b, and NaN if either is NaN */
    EXPR_MAX,   /* a > b ? a : b, and NaN if either is NaN */
    EXPR_CAST,  /* a rounded to `type` */
    EXPR_IF,    /* a ? b : c */
    /* conditions, only in the first operand of EXPR_IF and in one another */
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

/* A row of functions.def, in the words of that file. The rows of kinds that are no elementary functions are
 * all 0, which says nothing. */
struct expr_function {
    enum { NATURE_OTHER, NATURE_CURVE, NATURE_WAVE, NATURE_ROOT, NATURE_KINK, NATURE_STEPS } nature;
    enum { PARITY_ODD = -1, PARITY_NEITHER, PARITY_EVEN } parity;
    enum { AT_ZERO_OTHER, AT_ZERO_LIKE_U, AT_ZERO_ZERO, AT_ZERO_HALF, AT_ZERO_ONE } at_zero;
    struct {
        bool has_end;      /* numbers below `from` have no value */
        bool is_two_sided; /* neither do numbers above -from */
        long from;
    } domain;
    enum { MONOTONY_TURNS, MONOTONY_RISES, MONOTONY_FALLS } monotony;
    double low, high;
    struct function_tail {
        int side;
        double factor;
        int power; /* 0: there is no tail */
    } tail;
};
extern const struct expr_function expr_functions[EXPR_KIND_COUNT];

typedef struct expr expr;

struct expr {
    enum expr_kind kind;
    /* The place in the DAG, larger than those of the operands. */
    uint32_t id;
    uint32_t input;         /* EXPR_INPUT */
    enum element_type type; /* EXPR_CAST */
    const expr *operand[3]; /* unused ones are NULL */
    /* The value of EXPR_NUMBER, or the exponent of EXPR_POWER. Its limbs are in the arena. */
    mpq_srcptr number;
    /* Bit i is set if the node depends on EXPR_INPUT i, for i < 64. */
    uint64_t inputs;
    /* The one value of which this node is a function, as low in the DAG as possible: an input, a cast, or a
     * number made of several of those. The node itself if there is no such value below it. */
    const expr *argument;
    uint64_t hash;
    const expr *next; /* the next node in the hash bucket */
    /* The arena of the DAG. Code that evaluates the formula and runs out of memory reports that there
     * (arena_fail). */
    arena *memory;
};

typedef struct expr_dag expr_dag;

/* Makes a DAG. Never returns NULL, because running out of memory takes the escape of the arena.
 * `node_limit` bounds the number of nodes. At the limit expr_dag_full becomes true and further nodes are
 * the number 0, so that builders need not test each node. */
expr_dag *expr_dag_create(arena *memory, uint32_t node_limit);
bool expr_dag_full(const expr_dag *dag);
arena *expr_dag_memory(const expr_dag *dag);
uint32_t expr_dag_count(const expr_dag *dag); /* ids are below this number */
const expr *expr_dag_node(const expr_dag *dag, uint32_t id);

/* Functions that build nodes. They rewrite nothing, and equal operands give the same node. */
const expr *expr_number(expr_dag *dag, mpq_srcptr value); /* copies the value, which must be canonical */
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

/* Questions about nodes. */
unsigned expr_arity(enum expr_kind kind);                                         /* the number of operands */
const char *expr_kind_name(enum expr_kind kind);                                  /* "exp", "min", "+" */
bool expr_kind_of_function(const char *name, size_t length, enum expr_kind *out); /* "tanh" -> EXPR_tanh */
/* Returns true for functions that need an approximation. Processors have the others as one operation or a
 * few. */
bool expr_is_transcendental(enum expr_kind kind);
bool expr_is_wave(const expr *e); /* a sine or the like */
/* Returns true if the formula has no transcendental functions and no roots of a degree above 4. */
bool expr_is_algebraic(arena *memory, const expr *e);
/* Returns true if the formula has a node of the kind. */
bool expr_has(arena *memory, const expr *e, enum expr_kind kind);
/* Returns 1 if the formula is plainly even as a function of its one input, -1 if it is plainly odd, and 0
 * otherwise. */
int expr_parity(arena *memory, const expr *e);
bool expr_is_truth(const expr *e); /* a condition, not a number */
/* Returns true if the node is a number that is a function of one value, its argument, and not that value
 * itself. */
bool expr_is_piece(const expr *e);
bool expr_is_number(const expr *e, long numerator, unsigned long denominator);
/* Returns true for a number 2^k or -2^k with |k| < 64. Products with it are exact, subnormal results aside.
 */
bool expr_is_power_of_two(const expr *e);
bool expr_depends(const expr *e, uint32_t input);
/* Returns true for exp(u)*exp2(round(k)), with the factors in either order, which kernels compute at once.
 * Sets *u and *power = round(k). */
bool expr_is_scaled_exponential(const expr *e, const expr **u, const expr **power);
/* Returns true for a - b*floor(a/b), or with trunc for floor, which kernels compute at once. Sets *floors. */
bool expr_is_remainder(const expr *e, const expr **a, const expr **b, bool *floors);
/* Returns true for a constant over a cast to powers of two. One division computes it, without a plan. */
bool expr_is_inverse_of_power(const expr *e);
/* Returns true for f32(a*b + c), which kernels compute at once. Sets part[] to a, b and c. */
bool expr_is_rounded_sum_of_product(const expr *e, const expr *part[3]);
bool expr_is_constant(const expr *e); /* depends on no input */

/* Functions on rational numbers, whose `out` may be an operand. This one returns the bits of numerator and
 * denominator together. */
size_t expr_number_bits(mpq_srcptr q);
/* Returns the largest e with 2^e <= |q|. q is not 0. */
long expr_number_exponent(mpq_srcptr q);
/* Computes a + b, a - b, a * b, a / b, min or max, by the kind. Returns false for other kinds and for a
 * division by 0. */
bool expr_number_combine(mpq_ptr out, enum expr_kind kind, mpq_srcptr a, mpq_srcptr b);
/* Makes the node that combines two EXPR_NUMBER nodes. Returns NULL where expr_number_combine returns false.
 */
const expr *expr_combined(expr_dag *dag, enum expr_kind kind, const expr *a, const expr *b);
/* Computes base^exponent. Returns false if the result is not rational, or if exponent or result exceed the
 * limits. */
bool expr_number_raise(mpq_ptr out, mpq_srcptr base, mpq_srcptr exponent, unsigned long most_exponent,
                       size_t most_bits);

/* Computes the exact value of a formula of numbers. Returns false if the value is not rational, or if it is
 * too large: if an exponent is above EXPR_MOST_EXPONENT, for example. `out` is initialised. */
enum { EXPR_MOST_EXPONENT = 2000 };
bool expr_constant_value(const expr *e, mpq_ptr out);

/* Returns `root` and all nodes below it, operands before their users. This walk needs no recursion, so that
 * depth has no limit. */
const expr **expr_walk(arena *memory, const expr *root, uint32_t *count);
/* Returns several roots and all nodes below them, each node once. */
const expr **expr_walk_all(arena *memory, const expr *const *roots, uint32_t root_count, uint32_t *count);
/* Returns, for each of these nodes, the indices of its operands among them. */
uint32_t (*expr_operand_places(arena *memory, const expr *const *nodes, uint32_t count))[3];
/* Returns the node `e` with other operands. */
const expr *expr_rebuild(expr_dag *dag, const expr *e, const expr *const *operand);

/* Returns the image of `e` in `dag`. `image` makes the image of a node from those of its operands. */
typedef const expr *expr_image(void *context, expr_dag *dag, const expr *e, const expr *const *operand);
const expr *expr_transform(expr_dag *dag, const expr *e, expr_image *image, void *context);

/* Returns `e` with every `from` replaced by `to`. */
const expr *expr_substitute(expr_dag *dag, const expr *e, const expr *from, const expr *to);

/* Returns `e` with input i replaced by input to[i]. */
const expr *expr_renumber(expr_dag *dag, const expr *e, const uint32_t *to);

/* Returns the formula in another DAG. */
const expr *expr_import(expr_dag *dag, const expr *e);

/* Writes a hash of the formula that is the same in every DAG. */
void expr_digest(arena *memory, const expr *e, char out[HASH_TEXT_SIZE]);

/* Returns `e` with functions replaced by their definitions, where functions.def has one. */
const expr *expr_expand(expr_dag *dag, const expr *e);

/* Returns the canonical form, without avoidable cancellation and with primitive functions only. The rules
 * are in simplify.c. `broken_rule` names a rule to break, for tests that verification notices it, and is
 * normally NULL. */
const expr *expr_simplify(expr_dag *dag, const expr *e, const char *broken_rule);
/* Returns `e` with factors and terms joined that depend on the same value: see gather.c. */
const expr *expr_gather(expr_dag *dag, const expr *e);
/* Return a * b and a + b, without plain zeros and ones. */
const expr *expr_times(expr_dag *dag, const expr *a, const expr *b);
const expr *expr_plus(expr_dag *dag, const expr *a, const expr *b);
/* Returns true if a choice is a factor or a term of the formula, or a factor of a term, and so on. */
bool expr_has_outer_choice(const expr *e);
/* Returns the product with its first factor as an f64. */
const expr *expr_widened_product(expr_dag *dag, const expr *e);
/* Returns the factors of a product that depend on no input of the set `inner`. Sets *rest to the other ones.
 * A side without factors is 1. */
const expr *expr_outer_factors(expr_dag *dag, const expr *e, uint64_t inner, const expr **rest);
/* Returns the derivative of an elementary function at u. Returns NULL for other kinds, and for functions
 * whose derivative is no formula. */
const expr *expr_slope(expr_dag *dag, enum expr_kind function, const expr *u);
/* Sets *halves to twice the value of an elementary function at 0. Returns false if that value is no
 * multiple of 1/2. */
bool expr_halves_at_zero(enum expr_kind function, long *halves);
/* Returns d e / d input by the rules of derivative.c and functions.def, also at kinks. The result is not
 * simplified. It has no value where it needs a derivative that is no formula. */
const expr *expr_derivative(expr_dag *dag, const expr *e, const expr *input);
/* Returns a function in `e` that depends on the input and whose derivative is no formula, or NULL. */
const expr *expr_without_slope(expr_dag *dag, const expr *e, const expr *input);

/* Prints the formula in the syntax of the language, so that it parses back to the same node. If
 * `input_names` is NULL, the names are x, or x0 x1 ... */
void expr_print(struct text *out, const expr *e, const char *const *input_names);
/* Prints `e` with names for nodes below it, by id. A node whose name is NULL is written out. */
void expr_print_named(struct text *out, const expr *e, const char *const *input_names,
                      const char *const *node_names);
/* Prints the formula as a C expression of doubles or floats on libm, for comparison by users and
 * benchmarks. `suffix` is "" or "f". The caller defines smaller<suffix> and larger<suffix>, which stand for
 * min and max. fmin and fmax would be library calls, because of their rules for NaN. */
void expr_print_c(struct text *out, const expr *e, const char *const *input_names, const char *suffix);

#endif
