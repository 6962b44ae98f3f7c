/* What the text of a spec means: names found, functions inlined into the expression DAG, kernels made.
 *
 * As in the parser, NULL or false means that the error is in program.error. */
#ifndef ACTGEN_PROGRAM_H
#define ACTGEN_PROGRAM_H

#include "syntax.h"
#include "vocabulary.h"

/* A hash table from names to whatever. Names are not copied. */
struct name_map {
    arena *memory;
    struct name_slot {
        const char *name;
        void *value;
    } * slots;
    uint32_t count, capacity;
};
struct name_map name_map_new(arena *memory);
void *name_map_get(const struct name_map *map, const char *name); /* NULL if it is not there */
void name_map_put(struct name_map *map, const char *name, void *value);

/* The declarations of one text. */
struct library {
    struct source source;
    struct declaration *first;
    uint32_t count;
    struct name_map functions; /* and aliases */
    struct name_map kernels;   /* and gradients */
    bool is_on_demand; /* the templates: declarations are parsed, and in the maps, once they were asked for */
};

/* uniform(seed, offset): their numbers among the operands of the kernel, or the function's arguments */
struct draw {
    uint32_t seed, offset;
};

enum { PROGRAM_MAX_DRAWS = 8 };

struct program {
    arena *memory;
    expr_dag *dag;
    struct diag *error;
    struct library file, templates;
    uint32_t steps, depth;            /* bounds on work and stack while inlining */
    uint64_t work_on_ties;            /* derivatives at kinks: slopes.c */
    uint32_t diffs;                   /* that are being taken, each with a variable of its own */
    const struct spec_kernel *kernel; /* at hand; NULL: a function */
    uint32_t operands; /* of the kernel, or the function's arguments; the draws are inputs behind them */
    struct draw draws[PROGRAM_MAX_DRAWS];
    uint32_t draw_count;
    const struct syntax_statement *statement; /* of the kernel, whose value is being made; NULL: none */
    enum operand_reduction reduction;         /* of which its value is the summand */
    /* the statement is a result that lacks the rows or the columns: a call that is all of it is its reduction
     */
    bool is_alone;
    /* of the kernel; number n is input total_input() until the kernel is made */
    struct spec_total totals[SPEC_MAX_TOTALS];
    uint32_t total_count;
    struct spec_constant *constants; /* of struct spec */
    uint32_t constant_count;
    struct span outer; /* in the file: what is being elaborated, whatever it calls */
    struct span call;  /* in the file: the call whose template is being inlined */
    const char *callee;
    bool is_formula; /* the file is one formula of x */
};

enum { PROGRAM_MAX_STEPS = 200000, PROGRAM_MAX_DEPTH = 1000 };

/* Parses `text` as the file, the templates as templates. */
bool program_load(struct program *p, arena *memory, const char *file, const char *text, size_t length,
                  struct diag *error);
bool library_load(struct program *p, struct library *library);

struct binding { /* a name in a formula */
    const char *name;
    const expr *value;
    struct span place;
    bool used, input, result;
    enum operand_reduction reduction; /* of a result that is one: `value` is what is reduced */
    enum operand_shape shape;         /* of that result */
    /* of a list, `value` being its first and the others the inputs behind it; 0 of what is none */
    uint32_t values;
    struct binding *next;
};

struct frame { /* the formulas of one kernel, or of one call of a function */
    const struct source *source;
    const struct frame *caller;
    struct declaration *declaration; /* the function, or NULL */
    struct binding *bindings;        /* latest first */
    struct name_map *map;            /* the same, for kernels, which may have many */
};
struct binding *frame_find(const struct frame *f, const char *name);
struct binding *frame_bind(struct program *p, struct frame *f, const char *name, struct span place,
                           const expr *value);

/* Puts the error at `place` of the frame's text, or at the file's call of a template. Returns NULL. */
void *program_fail(struct program *p, const struct frame *f, int status, struct span place,
                   const char *format, ...) __attribute__((format(printf, 5, 6)));

enum target_kind {
    TARGET_NONE,
    TARGET_FUNCTION,
    TARGET_KERNEL,
    TARGET_ELEMENTARY,
    TARGET_SPECIAL,
    TARGET_TYPE
};

struct target { /* what a name stands for, aliases followed */
    enum target_kind kind;
    struct declaration *declaration;
    enum expr_kind function;
    enum special special;
    enum element_type type;
};
/* Names of templates' text mean templates only. Kernels are asked first if `kernels_first`, else functions.
 */
struct target program_resolve(struct program *p, const struct source *from, const char *name,
                              bool kernels_first);
/* Returns "; did you mean `gelu`?", "; write `max(a, b)`" or "", to be appended to a message on an unknown
 * name. The flags say what may stand there: values, functions, kernels. */
const char *program_advice(const struct program *p, const struct frame *f, const char *name, bool values,
                           bool callables, bool kernels);

/* The functions that every formula knows, in a row. */
const char *program_functions(const struct program *p);

struct reading {       /* a formula, or a part of one, that was read */
    const expr *value; /* NULL after an error */
    struct span place;
    bool is_name;
};

struct argument { /* of a call; `name` only for keyword parameters */
    const char *name;
    struct span place; /* of the name */
    struct formula value;
    struct argument *next;
};

struct call {
    const char *name;
    struct span place, sign; /* of all of it; of the name */
    struct argument *arguments, *keywords;
    uint32_t argument_count;
};

/* The formula's value, a number, with the frame's names. */
const expr *elaborate_number(struct program *p, struct frame *f, const struct formula *formula);
/* As a truth value: of a number, whether it is other than 0. */
const expr *elaborate_choice(struct program *p, struct frame *f, const struct formula *formula);
/* As a number: of a truth value 1 or 0. */
const expr *elaborate_result(struct program *p, struct frame *f, const struct formula *formula);
const expr *elaborate_call(struct program *p, struct frame *f, const struct call *call);
/* lists.c: the value of a list at that index. */
const expr *elaborate_element(struct program *p, const struct frame *f, const char *name, struct span place,
                              struct reading index);
const expr *elaborate_power(struct program *p, struct frame *f, struct reading base, struct reading power);
/* The exact value of a formula of plain numbers; false if it is none or too large. `out` is initialised. */
bool constant_value(const expr *e, mpq_ptr out);
bool elaborate_bound(struct program *p, const struct source *source, const struct syntax_bound *s,
                     struct spec_bound *out);

/* Elaborates a function over inputs 0, 1, ..., complaining about what is unused; fills *out if not NULL. */
const expr *check_function(struct program *p, struct declaration *d, struct spec_function *out);
/* A kernel without values, named as the declaration. */
struct spec_kernel *new_kernel(struct program *p, const struct declaration *d, uint32_t inputs,
                               uint32_t operands);
struct spec_operand plain_operand(const char *name, uint32_t group, struct span place); /* f32, separate */
struct spec_kernel *make_kernel(struct program *p, struct declaration *d);
struct spec_kernel *make_gradient(struct program *p, struct declaration *d);
/* Returns d e / d input, whose kinks are as docs/language.md says. */
const expr *derivative_of(struct program *p, const expr *e, const expr *input);
/* The derivative of `e`, a formula of input 0, told from its value: a formula of that value as input 0. NULL,
 * and why in *problem, if there is none in this version. */
const expr *derivative_from_result(expr_dag *dag, const expr *e, const char **problem);
/* casts.c: a call of a type's name. */
const expr *elaborate_cast(struct program *p, struct frame *f, const struct call *call,
                           enum element_type type);
/* draws.c: uniform(seed, offset), or bernoulli(p, seed, offset) if `is_choice`; */
const expr *elaborate_draw(struct program *p, struct frame *f, const struct call *s, bool is_choice);
/* before the formulas of a kernel, or, if it is NULL, of a function of so many arguments; */
void begin_draws(struct program *p, const struct spec_kernel *kernel, uint32_t operands);
/* behind the kernel's operands, the inputs that are drawn; */
void add_draws(struct program *p, struct spec_kernel *k, const struct draw *draws, uint32_t count);
/* whether all u64 operands are seeds and offsets only. */
bool check_no_arithmetic(struct program *p, const struct frame *f, const struct spec_kernel *k);
/* reductions.c: the summand of sum(...), mean(...) or amax(...), if the call is one of them, which
 * p->reduction then says; *is_one says whether it is. Users' functions of those names come first. */
const expr *elaborate_reduction(struct program *p, struct frame *f, const struct call *call, bool *is_one);
/* The reduction of `value` over the columns, which a formula has at `place`; NULL if it cannot. */
const expr *total_of(struct program *p, const struct frame *f, struct span place,
                     enum operand_reduction reduction, const expr *value);
/* The reduction of that value, of which the adding loop makes squares and magnitudes by itself; */
struct spec_total total_described(enum operand_reduction reduction, const expr *value);
/* and what is reduced, as a formula. */
const expr *total_summand(expr_dag *dag, const struct spec_total *t);
/* Whether the formula has a total. */
bool has_total(const struct program *p, const expr *e);
/* Behind the draws, which are all known then: the kernel's totals. A [rows] result that is one of them is
 * that one. False if there are too many operands. */
bool add_totals(struct program *p, const struct frame *f, struct spec_kernel *k);
/* The EXPR_INPUT of the kernel's first total. */
static inline uint32_t first_total(const struct spec_kernel *k) { return k->operand_count + k->draw_count; }
/* guards.c: a kernel's totals and, behind them, those that its choices need to tell a NaN of the row from one
 * that arithmetic made. */
struct guarded_totals {
    struct spec_total *totals;
    uint32_t count;
    /* by total of the kernel: what a choice asks for NaN in its place, inputs and totals by their EXPR_INPUTs
     */
    uint64_t asked[SPEC_MAX_TOTALS];
};
struct guarded_totals guard_totals(arena *memory, expr_dag *dag, const struct spec_kernel *k);
/* Returns true if there is room for them among the operands. */
bool check_guards(struct program *p, const struct frame *f, const struct spec_kernel *k, struct span place);
/* Whether the result, whose statement has just been read, has the shape of its value; it takes the
 * statement's reduction. */
bool take_reduction(struct program *p, const struct spec_kernel *k, const struct frame *f,
                    const struct syntax_statement *s, const expr *value, struct spec_operand *result);
/* Whether the names of each operand are reduced alike. */
bool check_groups(struct program *p, const struct frame *f, const struct spec_kernel *k);
/* Whether each element of a kernel's results is one's own, no sum of several, as what a gradient is made of
 * must. */
bool check_no_reductions(struct program *p, const struct frame *f, const struct declaration *d,
                         const struct spec_kernel *of);
/* Inputs of formulas that are taken: operands, draws, and variables of `diff`. */
static inline uint32_t program_names(const struct program *p)
{
    return p->operands + p->draw_count + p->diffs + p->total_count;
}
/* A function, elementary or not, as a kernel of f32 operands with the result y. */
struct spec_kernel *make_function_kernel(struct program *p, const char *name, struct target target);

#endif
