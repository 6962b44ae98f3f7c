/* Holds what a text means: functions and kernels with their operands, results, sums and bounds.
 *
 * A spec is one expression DAG. Functions are inlined where they are called. */
#ifndef ACTGEN_SPEC_H
#define ACTGEN_SPEC_H

#include "diag.h"
#include "expr.h"

struct spec_operand { /* One name of an operand. A packed operand has one of these for each part. */
    const char *name;
    enum element_type type;
    enum operand_shape shape;
    enum operand_layout layout;
    /* columns, and rows, that share an element, for [rows/128, cols/32]; 0: each has its own */
    uint32_t block, block_rows;
    enum operand_reduction
        reduction; /* the reduction of a result, REDUCE_NONE if its shape is the matrix's */
    /* Operands of one group share memory. Groups count from 0, first over inputs, then over results. */
    uint32_t group;
    uint32_t part, parts; /* the part of the group that this name is */
    bool is_total;        /* an input of shape [rows] or [rows, cols/N] that is a struct spec_total */
    /* No call passes this operand: it is a total, or the summand of one. */
    bool is_internal;
    /* For a total: the inputs that choices ask for NaN instead. See spec_nan_inputs(). */
    uint64_t nan_from;
    /* If no memory holds it, it is uniform(seed, offset), row(offset) or col, which is also the name. */
    enum operand_source source;
    uint32_t seed, offset; /* the operands of the kernel that it is made of; equal for row(offset) */
    struct span place;
};

enum { SPEC_LEAST_BLOCK = 16, SPEC_MOST_BLOCK = 1024, SPEC_BLOCK_SIZES = 7 };

enum spec_bound_kind { BOUND_DEFAULT, BOUND_ABS, BOUND_ULP };
enum { SPEC_DEFAULT_ULP = 3 }; /* for functions of one f32 or f64 */
/* For functions of one f32 whose results become a type of 8 or 16 bits, in ulps of that type. */
#define SPEC_NARROWED_ULP 0.51

struct spec_bound {
    enum spec_bound_kind kind;
    double value; /* E of `abs E`, or N of `N ulp` */
    bool flush;   /* `N ulp flush`: subnormal results may be zero, and subnormal inputs may count as zero */
    bool has_interval; /* `on [low, high]` */
    double low, high;
};
/* Returns true if the bound holds at x. A bound without an interval holds everywhere. */
static inline bool bound_holds_at(const struct spec_bound *bound, double x)
{
    return !bound->has_interval || (bound->low <= x && x <= bound->high);
}

struct spec_result {
    uint32_t operand; /* index into operands */
    /* The formula as the user wrote it, with EXPR_INPUT i for operand i. For a reduction, its summand. */
    const expr *value;
    /* Only in spec_summands: true if the operand of the caller has one value per row and is no reduction. */
    bool is_of_rows;
};

/* A total: sum(...), mean(...) or amax(...) in a formula, one number per row, or per block of columns as in
 * amax(x, 32). In f32 arithmetic an f64 total is rounded to f32, and makes nothing f64. */
struct spec_total {
    enum operand_reduction reduction; /* REDUCE_NONE: the value itself, which a block's columns share */
    enum summand_form form;
    uint32_t block;    /* the columns of a block; 0: the whole row */
    const expr *value; /* the summand before the form is applied; it may use earlier totals */
    bool is_detached;  /* no gradient goes through it */
    /* Only spec_summands fills in the following fields. */
    enum element_type type; /* the type of the values, f32 or f64 */
    uint32_t level;         /* the length of the longest chain of totals that it needs */
    uint32_t operand;       /* the result or the input in memory that has the values */
};

struct spec_kernel {
    const char *name;
    /* Inputs, then results. The inputs that no memory holds follow, which operand_count does not include. */
    struct spec_operand *operands;
    uint32_t input_count, operand_count, made_count;
    /* Total i is EXPR_INPUT operand_count + made_count + i. No total uses a later one. */
    struct spec_total *totals;
    uint32_t total_count;
    struct spec_result *results; /* one for each result operand, in order */
    uint32_t result_count;
    struct spec_bound bound;
    struct span place;   /* of the name */
    const char *summary; /* the comment in front of the kernel, or "" */
};

/* Return the inputs that are made of places, and those that are totals: a bit for each EXPR_INPUT, as in the
 * field `inputs` of a formula. */
static inline uint64_t spec_made_inputs(const struct spec_kernel *k)
{
    return k->made_count ? ((UINT64_C(1) << k->made_count) - 1) << k->operand_count : 0;
}
static inline uint64_t spec_total_inputs(const struct spec_kernel *k)
{
    return k->total_count ? ((UINT64_C(1) << k->total_count) - 1) << (k->operand_count + k->made_count) : 0;
}

/* Returns true if the kernel is computed in passes: if a result has one value per row and is no reduction, or
 * a formula has a total. */
static inline bool spec_has_passes(const struct spec_kernel *k)
{
    bool is_of_rows = false;
    for (uint32_t r = 0; r < k->result_count; r++) {
        const struct spec_operand *o = &k->operands[k->results[r].operand];
        is_of_rows = is_of_rows || k->results[r].is_of_rows || (o->shape == SHAPE_ROWS && !o->reduction);
    }
    return is_of_rows || k->total_count;
}

/* A function of the file, for `list` and for documentation. */
struct spec_function {
    const char *name;
    /* The formula, with the arguments as inputs. NULL for an alias. */
    const expr *value;
    /* The name for which this one is another name, or NULL. */
    const char *alias_of;
    /* The comment lines directly in front of the function, joined by blanks, or "". */
    const char *summary;
    const char *family;            /* the last "## text" heading above the function, or "" */
    const char *text;              /* the definition as written, on one line */
    const char *const *parameters; /* the names of the parameters, which have defaults */
    uint32_t argument_count, parameter_count;
    struct span place;
};

/* The place of an operation on constants, or of a division by a constant. A caller that can evaluate the
 * constant checks it. */
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
    /* In the order in which they were made, with possible repetitions. */
    const struct spec_constant *constants;
    uint32_t constant_count;
};

/* The limits of a spec, which may come from a stranger. Those of its text are in tokens.h. */
enum {
    SPEC_MAX_NESTING = 200,
    SPEC_MAX_NODES = 20000, /* the whole DAG, after inlining */
    SPEC_MAX_OPERANDS = 64,
    SPEC_MAX_TOTALS = 8, /* sums in the formulas of a kernel */
    /* passes of a kernel: one for each level, those of blocks and their values, and that of rows */
    SPEC_MAX_PASSES = 2 * SPEC_MAX_TOTALS + 3 + SPEC_BLOCK_SIZES,
};

/* Copies one kernel of `s` into a spec with a DAG of its own, which does not need `s`. */
struct spec *spec_copy_kernel(arena *memory, const struct spec *s, const struct spec_kernel *kernel);

/* Returns true if `e` is a condition as a number: `if c then 1 else 0`. */
bool spec_is_condition(const expr *e);
/* Returns true if a NaN in any number makes the condition false: a comparison, or comparisons joined by
 * `and`. */
bool spec_is_false_of_nan(const expr *condition);
/* Returns the inputs whose NaN makes a choice NaN if the choice depends on the inputs `of`. A total is
 * replaced by its guards. */
uint64_t spec_nan_inputs(const struct spec_operand *operands, uint64_t of);
/* Returns the name of the operand, or of the list to which the value belongs. */
const char *spec_operand_name(arena *memory, const struct spec_operand *o);
/* Returns the shape as text, such as "[cols]", or "[6]" for a list. */
const char *spec_shape_text(arena *memory, const struct spec_operand *o);
/* Returns true if the arithmetic of `e` is f64: if an f64 operand that is no total, or a cast to f64,
 * occurs outside other casts. */
bool spec_is_wide(arena *memory, const struct spec_operand *operands, const expr *e);
/* Returns the type of the operand in formulas, which is f32 for totals. */
enum element_type spec_type_in_formulas(const struct spec_operand *o);
/* Returns the default bounds of functions that are computed in f32, in ulps of f32, by the id of the node.
 * They are for a function whose value is not rounded to another type at once. It has 3 ulp, except in a
 * product or a quotient of several values that becomes a type of 8 or 16 bits. There all such functions
 * together have about 0.01 ulp of that type. `types` are those of the results, and the type of a cast within
 * a formula counts likewise. */
double *spec_factor_ulps(arena *memory, const expr *const *results, const enum element_type *types,
                         uint32_t result_count);
/* Returns total n as text, such as "sum(x*y)". */
const char *spec_total_text(arena *memory, const struct spec_kernel *k, uint32_t n);

bool spec_bound_equal(const struct spec_bound *a, const struct spec_bound *b);
/* Writes a bound as text that parses back, such as "3 ulp" or "1 ulp on [-4, 4]". BOUND_DEFAULT is written
 * as the 3 ulp that it means. */
enum { SPEC_BOUND_TEXT_SIZE = 96 };
void spec_bound_text(char out[SPEC_BOUND_TEXT_SIZE], const struct spec_bound *bound);

/* Prints the canonical text of a spec, for `show --stage spec`, with functions inlined. It parses back to
 * the same kernels. The exception is a gradient with inputs that it does not use, which is an error in a
 * kernel that is written out. */
void spec_print(struct text *out, const struct spec *s);
void spec_print_kernel(struct text *out, const struct spec *s, const struct spec_kernel *k);

#endif
