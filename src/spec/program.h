/* Gives meaning to the text of a spec: finds names, inlines functions into the expression DAG, and makes
 * kernels.
 *
 * As in the parser, a function returns NULL or false after an error, which is in program.error. */
#ifndef ACTGEN_PROGRAM_H
#define ACTGEN_PROGRAM_H

#include "calculus.h"
#include "syntax.h"
#include "vocabulary.h"

/* A hash table from names to pointers. Names are not copied. */
struct name_map {
    arena *memory;
    struct name_slot {
        const char *name;
        void *value;
    } * slots;
    uint32_t count, capacity;
};
struct name_map name_map_new(arena *memory);
/* Returns NULL if the name is not in the table. */
void *name_map_get(const struct name_map *map, const char *name);
void name_map_put(struct name_map *map, const char *name, void *value);

/* The declarations of one text. */
struct library {
    struct source source;
    struct declaration *first;
    uint32_t count;
    struct name_map functions; /* functions and aliases */
    struct name_map kernels;   /* kernels and gradients */
    /* True for the templates. A declaration is parsed and put into the maps when it is first asked for. */
    bool is_on_demand;
};

/* The two operands of uniform(seed, offset): numbers of operands of the kernel or of arguments of the
 * function. */
struct draw {
    uint32_t seed, offset;
};

enum { PROGRAM_MAX_DRAWS = 8 };

struct program {
    arena *memory;
    expr_dag *dag;
    struct diag *error;
    struct library file, templates;
    /* Work done and depth reached while inlining. PROGRAM_MAX_STEPS and PROGRAM_MAX_DEPTH bound them. */
    uint32_t steps, depth;
    struct calculus calculus;
    /* The number of nested `diff`s at the moment. Each has a variable of its own. */
    uint32_t diffs;
    const struct spec_kernel *kernel; /* the current kernel, or NULL for a function */
    /* The number of operands of the kernel, or of arguments of the function. The draws are the inputs after
     * them. */
    uint32_t operands;
    struct draw draws[PROGRAM_MAX_DRAWS];
    uint32_t draw_count;
    /* The statement of the kernel whose value is being made, or NULL. */
    const struct syntax_statement *statement;
    enum operand_reduction reduction; /* the reduction whose summand is the value of the statement */
    /* True if the statement is a result that lacks rows or columns. A call that is the whole formula is
     * then its reduction. */
    bool is_alone;
    /* The totals of the kernel. Total n is the input total_input(n) until the kernel is made. */
    struct spec_total totals[SPEC_MAX_TOTALS];
    uint32_t total_count;
    struct spec_constant *constants; /* the constants of struct spec */
    uint32_t constant_count;
    /* In the file: the place that is being elaborated, whatever it calls. */
    struct span outer;
    /* In the file: the call whose template is being inlined. */
    struct span call;
    const char *callee;
    bool is_formula; /* the file is one formula of x */
};

enum { PROGRAM_MAX_STEPS = 200000, PROGRAM_MAX_DEPTH = 1000 };

/* Loads `text` as the file of the program, and the templates. */
bool program_load(struct program *p, arena *memory, const char *file, const char *text, size_t length,
                  struct diag *error);
bool library_load(struct program *p, struct library *library);

struct binding { /* a name in a formula */
    const char *name;
    const expr *value;
    struct span place;
    bool used, input, result;
    /* The reduction of a result, whose `value` is the summand. */
    enum operand_reduction reduction;
    enum operand_shape shape; /* the shape of that result */
    /* The number of values of a list, whose first value is `value` and whose other values are the inputs
     * after it. 0 for other names. */
    uint32_t values;
    struct binding *next;
};

struct frame { /* The names of the formulas of one kernel, or of one call of a function. */
    const struct source *source;
    const struct frame *caller;
    struct declaration *declaration; /* the function, or NULL */
    struct binding *bindings;        /* the latest first */
    /* The bindings as a table, for kernels, which may have many. */
    struct name_map *map;
};
struct binding *frame_find(const struct frame *f, const char *name);
struct binding *frame_bind(struct program *p, struct frame *f, const char *name, struct span place,
                           const expr *value);

/* Reports an error at `place` of the frame's text, or at the call of a template in the file. Returns NULL. */
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

struct target { /* what a name means after following aliases */
    enum target_kind kind;
    struct declaration *declaration;
    enum expr_kind function;
    enum special special;
    enum element_type type;
};
/* Finds what a name means. In the text of a template, names mean templates only. Kernels come first if
 * `kernels_first` is true, otherwise functions do. */
struct target program_resolve(struct program *p, const struct source *from, const char *name,
                              bool kernels_first);
/* Returns "; did you mean `gelu`?", "; write `max(a, b)`" or "", to be appended to a message on an unknown
 * name. The flags say what may stand there: values, functions, kernels. */
const char *program_advice(const struct program *p, const struct frame *f, const char *name, bool values,
                           bool callables, bool kernels);

/* Returns the names of the functions that every formula can call, separated by blanks. */
const char *program_functions(const struct program *p);

struct reading {       /* a formula or a part of one that has been read */
    const expr *value; /* NULL after an error */
    struct span place;
    bool is_name;
};

struct argument { /* an argument of a call; only parameters have a `name` */
    const char *name;
    struct span place; /* of the name */
    struct formula value;
    struct argument *next;
};

struct call {
    const char *name;
    struct span place, sign; /* the places of the whole call and of its name */
    struct argument *arguments, *keywords;
    uint32_t argument_count;
};

/* Returns the value of a formula that is a number, with the names of the frame. */
const expr *elaborate_number(struct program *p, struct frame *f, const struct formula *formula);
/* Returns the value of a formula as a condition. A number is true if it is not 0. */
const expr *elaborate_choice(struct program *p, struct frame *f, const struct formula *formula);
/* Returns the value of a formula as a number. A condition is 1 or 0. */
const expr *elaborate_result(struct program *p, struct frame *f, const struct formula *formula);
const expr *elaborate_call(struct program *p, struct frame *f, const struct call *call);
/* Returns the value of a list at an index (lists.c). */
const expr *elaborate_element(struct program *p, const struct frame *f, const char *name, struct span place,
                              struct reading index);
const expr *elaborate_power(struct program *p, struct frame *f, struct reading base, struct reading power);
bool elaborate_bound(struct program *p, const struct source *source, const struct syntax_bound *s,
                     struct spec_bound *out);

/* Elaborates a function whose arguments are the inputs 0, 1, ... Reports unused names. Fills *out if it is
 * not NULL. */
const expr *check_function(struct program *p, struct declaration *d, struct spec_function *out);
/* Makes a kernel without values, named as the declaration. */
struct spec_kernel *new_kernel(struct program *p, const struct declaration *d, uint32_t inputs,
                               uint32_t operands);
/* Makes an f32 operand of its own. */
struct spec_operand plain_operand(const char *name, uint32_t group, struct span place);
struct spec_kernel *make_kernel(struct program *p, struct declaration *d);
struct spec_kernel *make_gradient(struct program *p, struct declaration *d);
/* Elaborates a call of the name of a type (casts.c). */
const expr *elaborate_cast(struct program *p, struct frame *f, const struct call *call,
                           enum element_type type);
/* Elaborates uniform(seed, offset), or bernoulli(p, seed, offset) if `is_choice` is true (draws.c). */
const expr *elaborate_draw(struct program *p, struct frame *f, const struct call *s, bool is_choice);
/* Starts collecting the draws of a kernel. If `kernel` is NULL, those of a function of `operands`
 * arguments. */
void begin_draws(struct program *p, const struct spec_kernel *kernel, uint32_t operands);
/* Appends the drawn inputs after the operands of the kernel. */
void add_draws(struct program *p, struct spec_kernel *k, const struct draw *draws, uint32_t count);
/* Checks that formulas use u64 operands only as seeds and offsets. */
bool check_no_arithmetic(struct program *p, const struct frame *f, const struct spec_kernel *k);
/* Returns the summand if the call is sum(...), mean(...) or amax(...), which p->reduction then names
 * (reductions.c). *is_one says whether it is. Functions of the file with these names come first. */
const expr *elaborate_reduction(struct program *p, struct frame *f, const struct call *call, bool *is_one);
/* Returns the reduction of `value` over the columns, for a formula at `place`. Returns NULL after an error.
 */
const expr *total_of(struct program *p, const struct frame *f, struct span place,
                     enum operand_reduction reduction, const expr *value);
/* Describes the reduction of a value. The adding loop computes squares and magnitudes itself, so they are a
 * form of the total. */
struct spec_total total_described(enum operand_reduction reduction, const expr *value);
/* Returns the summand of a total as a formula. */
const expr *total_summand(expr_dag *dag, const struct spec_total *t);
/* Returns true if the formula depends on a total. */
bool has_total(const struct program *p, const expr *e);
/* Appends the totals of the kernel after the draws, which are all known by then. A [rows] result that
 * equals a total becomes that total. Returns false if there are too many operands. */
bool add_totals(struct program *p, const struct frame *f, struct spec_kernel *k);
/* Returns the input number of the kernel's first total. */
static inline uint32_t first_total(const struct spec_kernel *k) { return k->operand_count + k->draw_count; }
/* The totals of a kernel, and after them those by which its choices tell a NaN of the row from one that
 * arithmetic made (guards.c). */
struct guarded_totals {
    struct spec_total *totals;
    uint32_t count;
    /* For each total of the kernel: a bit for each input or total that a choice asks for NaN instead, by
     * EXPR_INPUT. */
    uint64_t asked[SPEC_MAX_TOTALS];
};
struct guarded_totals guard_totals(arena *memory, expr_dag *dag, const struct spec_kernel *k);
/* Returns true if the operands of the kernel leave room for its guards. */
bool check_guards(struct program *p, const struct frame *f, const struct spec_kernel *k, struct span place);
/* Checks that the shape of a result fits its value, after its statement has been read. The result takes the
 * reduction of the statement. */
bool take_reduction(struct program *p, const struct spec_kernel *k, const struct frame *f,
                    const struct syntax_statement *s, const expr *value, struct spec_operand *result);
/* Checks that all names of an operand have the same reduction. */
bool check_groups(struct program *p, const struct frame *f, const struct spec_kernel *k);
/* Checks that each result element belongs to one element of the kernel and is no sum of several, as
 * gradients need. */
bool check_no_reductions(struct program *p, const struct frame *f, const struct declaration *d,
                         const struct spec_kernel *of);
/* Counts the inputs that formulas use: operands, draws, totals, and variables of `diff`. */
static inline uint32_t program_names(const struct program *p)
{
    return p->operands + p->draw_count + p->diffs + p->total_count;
}
/* Makes a kernel of f32 operands with the result y from a function, which may be elementary. */
struct spec_kernel *make_function_kernel(struct program *p, const char *name, struct target target);

#endif
