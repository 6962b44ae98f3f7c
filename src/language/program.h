/* Gives meaning to the text of a spec: finds names, and inlines functions into the expression DAG.
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

struct program {
    arena *memory;
    expr_dag *dag;
    struct diag *error;
    struct library file, templates;
    bool is_formula; /* the file is one formula of x */
    /* Work done and depth reached while inlining. PROGRAM_MAX_STEPS and PROGRAM_MAX_DEPTH bound them. */
    uint32_t steps, depth;
    struct calculus calculus;
    struct spec_constant *constants; /* the constants of struct spec */
    uint32_t constant_count;
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

struct made_inputs;

struct frame { /* The names of the formulas of one kernel, or of one call of a function. */
    const struct source *source;
    const struct frame *caller;
    const struct call *call;         /* the call by the caller */
    struct span place;               /* without a caller, in the file: the place that is being elaborated */
    struct declaration *declaration; /* the function, or NULL */
    struct made_inputs *made;        /* the inputs that its formulas make (made_inputs.h) */
    struct binding *bindings;        /* the latest first */
    /* The bindings as a table, for kernels, which may have many. */
    struct name_map *map;
};
struct binding *frame_find(const struct frame *f, const char *name);
struct binding *frame_bind(struct program *p, struct frame *f, const char *name, struct span place,
                           const expr *value);

/* Returns the call in the file by which formulas of a template came to be elaborated, or NULL. */
const struct call *call_of_template(const struct program *p, const struct frame *f);
/* Reports an error at `place` of the frame's text, or at the call of a template in the file. Returns NULL. */
void *program_fail(struct program *p, const struct frame *f, int status, struct span place,
                   const char *format, ...) __attribute__((format(printf, 5, 6)));
/* Returns true if the functions that were differentiated so far have derivatives. Else reports which one has
 * none. */
bool program_has_slopes(struct program *p, const struct frame *f, struct span place);

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
    /* The reading is this reduction of `value`. Where a number is needed, it becomes a total. */
    enum operand_reduction reduction;
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
/* Returns the value of a formula as a number. A condition is 1 or 0. If the formula is only a reduction such
 * as sum(...), and `reduction` is not NULL, the function names the reduction there, or REDUCE_NONE, and
 * returns the summand. */
const expr *elaborate_result(struct program *p, struct frame *f, const struct formula *formula,
                             enum operand_reduction *reduction);
/* Returns the value of a call. *reduction is REDUCE_NONE, or the reduction whose summand is the value. */
const expr *elaborate_call(struct program *p, struct frame *f, const struct call *call,
                           enum operand_reduction *reduction);
/* Returns the value of a list at an index (lists.c). */
const expr *elaborate_element(struct program *p, const struct frame *f, const char *name, struct span place,
                              struct reading index);
const expr *elaborate_power(struct program *p, struct frame *f, struct reading base, struct reading power);
bool elaborate_bound(struct program *p, const struct source *source, const struct syntax_bound *s,
                     struct spec_bound *out);

/* Elaborates a call of the name of a type (casts.c). */
const expr *elaborate_cast(struct program *p, struct frame *f, const struct call *call,
                           enum element_type type);
/* Elaborates uniform(seed, offset), or bernoulli(p, seed, offset) if `is_choice` is true (draws.c). */
const expr *elaborate_draw(struct program *p, struct frame *f, const struct call *s, bool is_choice);
/* Elaborates row(first), and the name col at `place` (draws.c). */
const expr *elaborate_row(struct program *p, struct frame *f, const struct call *s);
const expr *elaborate_col(struct program *p, const struct frame *f, struct span place);
/* Returns the reduction of that name, or REDUCE_NONE (reductions.c). */
enum operand_reduction reduction_named(const char *name);
/* Returns the summand of a call of the reduction. With a second argument, the columns of a block, returns the
 * total instead, and sets *reduction to REDUCE_NONE. */
const expr *elaborate_summand(struct program *p, struct frame *f, const struct call *call,
                              enum operand_reduction *reduction);
/* Returns the reduction over blocks of columns, as in amax(x, 32) (blocks.c). */
const expr *elaborate_block_total(struct program *p, struct frame *f, const struct call *call,
                                  enum operand_reduction reduction);

#endif
