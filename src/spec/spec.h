/* Text to functions and kernels: the language of the design's section 2.
 *
 * A spec is parsed into one expression DAG; functions are inlined where they are called. The built-in
 * templates (the .act files in templates/, embedded at build time) are a spec that every other spec sees. */
#ifndef ACTGEN_SPEC_H
#define ACTGEN_SPEC_H

#include "diag.h"
#include "expr.h"

struct spec_operand { /* one name; a packed operand gives one of these for each part */
    const char *name;
    enum element_type type;
    enum operand_shape shape;
    enum operand_layout layout;
    enum operand_reduction reduction; /* of a result; REDUCE_NONE where its shape is the matrix's */
    uint32_t group; /* operands of one group share memory; groups count from 0 over inputs, then results */
    uint32_t part, parts; /* which part of the group this is */
    bool is_total;        /* an input that is a struct spec_total, of shape [rows] */
    bool is_internal;     /* no call gives it: a total, or what one is made of */
    uint64_t nan_from; /* of a total: the inputs that choices ask for NaN in its place; spec_nan_inputs() */
    bool is_drawn;     /* random numbers, in no memory: uniform(seed, offset), as it is named; */
    uint32_t seed, offset; /* the kernel's operands of those names */
    struct span place;
};

enum spec_bound_kind { BOUND_DEFAULT, BOUND_ABS, BOUND_ULP };
enum { SPEC_DEFAULT_ULP = 3 }; /* of functions of one f32 or f64 */

struct spec_bound {
    enum spec_bound_kind kind;
    double value;      /* E of `abs E`, N of `N ulp` */
    bool has_interval; /* `on [low, high]` */
    double low, high;
};

struct spec_result {
    uint32_t operand;  /* index into operands */
    const expr *value; /* as the user wrote it, over EXPR_INPUT i = operand i; of a sum, what is summed */
    /* of a kernel's summands alone: the operand as it is called has a value a row, and is no sum */
    bool is_of_rows;
};

/* sum(...), mean(...) or amax(...) in a formula: a number of each row. In f32 arithmetic an f64 total is
 * rounded to f32, and makes nothing f64. */
struct spec_total {
    enum operand_reduction reduction;
    enum summand_form form;
    const expr *value; /* what is reduced, before the form; it may have earlier totals */
    /* Only a kernel's summands (spec_summands) have these: */
    enum element_type type; /* of the values, f32 or f64 */
    uint32_t level;         /* after how many other totals it can be made */
    uint32_t operand;       /* that has the values, a result or an input as it stands in memory */
};

struct spec_kernel {
    const char *name;
    struct spec_operand *operands; /* inputs, then results; then, not counted, those that are drawn */
    uint32_t input_count, operand_count, draw_count;
    struct spec_total *totals; /* EXPR_INPUT operand_count + draw_count + i; none uses a later one */
    uint32_t total_count;
    struct spec_result *results; /* one for each result operand, in order */
    uint32_t result_count;
    struct spec_bound bound;
    struct span place;   /* of the name */
    const char *summary; /* the comment in front of it, or "" */
};

/* A function of the file, for `list` and for documentation. */
struct spec_function {
    const char *name;
    const expr *value;             /* of its arguments as inputs; NULL of an alias */
    const char *alias_of;          /* NULL, or the name this is another name for */
    const char *summary;           /* the comment lines directly in front of it, joined by spaces, or "" */
    const char *family;            /* the last "## text" heading above it, or "" */
    const char *text;              /* its definition as written, one line */
    const char *const *parameters; /* names of those with defaults */
    uint32_t argument_count, parameter_count;
    struct span place;
};

/* Where the file has an operation on constants alone, or a division by one: whoever can evaluate it judges
 * it. */
struct spec_constant {
    const expr *value;
    struct span place;
};

struct spec {
    expr_dag *dag;
    const char *file; /* for messages */
    const char *text;
    struct spec_kernel *kernels;
    uint32_t kernel_count;
    struct spec_function *functions;
    uint32_t function_count;
    const struct spec_constant *constants; /* in the order in which they were made; one may be there twice */
    uint32_t constant_count;
};

/* Limits of a spec; a spec may come from a stranger. */
enum {
    SPEC_MAX_BYTES = 1 << 20,
    SPEC_MAX_NESTING = 200,
    SPEC_MAX_NODES = 20000, /* of the whole DAG, after inlining */
    SPEC_MAX_OPERANDS = 64,
    SPEC_MAX_TOTALS = 8,          /* sums in the formulas of a kernel */
    SPEC_MAX_NUMBER_DIGITS = 400, /* and decimal exponents up to 400 */
};

/* DIAG_SYNTAX if a text is longer than a spec may be; does not look at the text, so that a false length harms
 * nothing. */
int spec_check_length(size_t length, struct diag *error);

/* Parses `text` (need not be terminated). On failure the status is in the result and in *error, *out is NULL.
 * All memory is from `memory`, the text is copied; `file` and `text` may be NULL if empty. The file's
 * formulas may call the templates; a function of the file hides the template of its name. Like all calls here
 * it is thread-safe if threads use arenas of their own, whose escapes are set. */
int spec_parse(struct spec **out, arena *memory, const char *file, const char *text, size_t length,
               struct diag *error);

/* A spec with one kernel, (x: f32) -> (y: f32), from a formula of x (command line's -e): "name = formula", or
 * a formula alone, whose kernel is "expression". */
int spec_parse_expression(struct spec **out, arena *memory, const char *text, size_t length,
                          struct diag *error);

/* A template or an elementary function by name: a spec with one kernel of that name, f32 operands (named as
 * the function's arguments), result y. Templates that are kernels (gates) are taken as they are. Unknown
 * names get "did you mean". */
int spec_builtin(struct spec **out, arena *memory, const char *name, struct diag *error);

/* Makes all operands of all kernels of `s` of the type: what a template or a formula is with `--type bf16`.
 * DIAG_INVALID if `type` names none, DIAG_NOT_YET if this version has no operands of it; `s` is as before
 * then. */
int spec_retype(struct spec *s, const char *type, struct diag *error);

/* A spec of that kernel of `s` alone, with a DAG of its own, that needs `s` no more. */
struct spec *spec_copy_kernel(arena *memory, const struct spec *s, const struct spec_kernel *kernel);

/* The kernel without its sums: a result that is one has its summands, as a matrix of the lanes' type, and one
 * of a value each row has that in all columns. With T totals those are inputs, in f64 or the type of a
 * largest element, behind the others; and what each is of, unless it is an input already, is a result behind
 * the others. What `totals` says of them is filled in. */
const struct spec_kernel *spec_summands(arena *memory, expr_dag *dag, const struct spec_kernel *kernel);
/* Returns true if it is a condition as a number: `if c then 1 else 0`. */
bool spec_is_condition(const expr *e);
/* Returns true if a NaN in any number makes the condition false: comparisons, all of which must hold. */
bool spec_is_false_of_nan(const expr *condition);
/* The inputs whose NaN makes a choice NaN that depends on the inputs `of`: those, but of a total what guards
 * it. */
uint64_t spec_nan_inputs(const struct spec_operand *operands, uint64_t of);
/* The operand's own name, or the list's that it is a value of. */
const char *spec_operand_name(arena *memory, const struct spec_operand *o);
/* "[cols]" and so on, "[6]" of a list. */
const char *spec_shape_text(arena *memory, const struct spec_operand *o);
/* Whether the arithmetic of `e` is f64's: an operand of f64 that is no total, or a cast to f64, is in it, not
 * behind another cast. */
bool spec_is_wide(arena *memory, const struct spec_operand *operands, const expr *e);
/* The operand's type as its formulas see it: of totals, f32. */
enum element_type spec_type_in_formulas(const struct spec_operand *o);
/* "sum(x*y)", of total n. */
const char *spec_total_text(arena *memory, const struct spec_kernel *k, uint32_t n);
/* "sum", "mean", "amax"; "" of REDUCE_NONE. */
const char *spec_reduction_name(enum operand_reduction reduction);

/* A spec of that kernel of `s` and, behind it, its gradient <kernel>_backward by the `count` inputs that `of`
 * names, by all if there are none. It needs `s` no more. Errors are those of the language's `gradient`,
 * without a place. */
int spec_gradient(struct spec **out, arena *memory, const struct spec *s, const struct spec_kernel *kernel,
                  const char *const *of, size_t count, struct diag *error);

/* Parses an accuracy clause without its keyword: "abs 2^-22", "3 ulp", "1 ulp on [-4, 4]". */
int spec_parse_bound(struct spec_bound *out, arena *memory, const char *text, size_t length,
                     struct diag *error);

/* "3 ulp", "abs 2^-22", "1 ulp on [-4, 4]": parses back. BOUND_DEFAULT is written as the 3 ulp that it
 * means. */
enum { SPEC_BOUND_TEXT_SIZE = 96 };
void spec_bound_text(char out[SPEC_BOUND_TEXT_SIZE], const struct spec_bound *bound);

/* Built-ins in the order of the templates, then elementary functions. NULL past the end. */
struct spec_builtin_info {
    const char *name;
    const char *alias_of; /* NULL, or */
    const char *family;   /* "GELU", "gates", ... */
    const char *form;     /* "exact", "tanh", "sigmoid", "fused gate", or "" */
    const char *summary;
    const char *text; /* the definition */
    bool is_kernel;
};
int spec_builtins(const struct spec_builtin_info **out, size_t *count, arena *memory, struct diag *error);

/* Canonical text of a spec, for `show --stage spec`, functions inlined: parses back to the same kernels
 * (except gradients with inputs that they do not use, which is an error in a kernel that is written out). */
void spec_print(struct text *out, const struct spec *s);
void spec_print_kernel(struct text *out, const struct spec *s, const struct spec_kernel *k);

#endif
