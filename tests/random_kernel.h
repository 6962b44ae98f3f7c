/* Texts of random kernels: operands of all types, shapes and layouts, sums, draws and gradients. Formulas
 * call built-ins mostly on operands, because plans for those are ready. */
#ifndef ACTGEN_RANDOM_KERNEL_H
#define ACTGEN_RANDOM_KERNEL_H

#include "random_program.h"

#include <stdarg.h>
#include <stdio.h>

enum { RANDOM_KERNEL_SIZE = 4096, RANDOM_KERNEL_INPUTS = 4 };

struct random_kernel {
    struct randomness *random;
    size_t length;
    unsigned sums, inputs; /* the sums in formulas so far, and the number of inputs */
    bool has_draws, is_whole_row[RANDOM_KERNEL_INPUTS];
    char text[RANDOM_KERNEL_SIZE];
};

static inline void random_kernel_add(struct random_kernel *k, const char *format, ...)
{
    va_list values;
    va_start(values, format);
    k->length += (size_t)vsnprintf(k->text + k->length, sizeof k->text - k->length, format, values);
    va_end(values);
}

#define RANDOM_OF(k, list) (list)[random_below((k)->random, sizeof(list) / sizeof *(list))]

static inline void random_atom(struct random_kernel *k)
{
    static const char *const numbers[] = {"0", "1", "-1", "0.5", "2", "1/3", "1e-3", "6", "448", "2^-20"};
    static const char *const places[] = {"uniform(seed, offset)", "row(first)", "col"};
    const uint32_t choice = random_below(k->random, 8);
    if (choice == 0)
        random_kernel_add(k, "%s", RANDOM_OF(k, numbers));
    else if (choice == 1 && k->has_draws)
        random_kernel_add(k, "%s", RANDOM_OF(k, places));
    else
        random_kernel_add(k, "x%u", random_below(k->random, k->inputs));
}

/* Adds a formula with at most `depth` levels of operations. */
static inline void random_formula(struct random_kernel *k, unsigned depth)
{
    static const char *const functions[] = {"gelu", "silu",  "tanh", "sigmoid", "exp",      "relu",
                                            "mish", "abs",   "sqrt", "floor",   "softplus", "erf",
                                            "sin",  "round", "elu",  "log",     "sign",     "gelu_tanh"};
    static const char *const operators[] = {" + ", " - ", "*", "/"};
    static const char *const orders[] = {" < ", " <= ", " == "};
    static const char *const two[] = {"min", "max"}, *const sums[] = {"sum", "mean", "amax"};
    const uint32_t choice = depth ? random_below(k->random, 14) : 0;
    if (choice < 2) {
        random_atom(k);
    } else if (choice < 5) {
        random_kernel_add(k, "%s(x%u)", RANDOM_OF(k, functions), random_below(k->random, k->inputs));
    } else if (choice == 5) {
        random_kernel_add(k, "%s(", RANDOM_OF(k, two));
        random_formula(k, depth - 1);
        random_kernel_add(k, ", ");
        random_formula(k, depth - 1);
        random_kernel_add(k, ")");
    } else if (choice == 6) {
        random_kernel_add(k, "where(");
        random_atom(k);
        random_kernel_add(k, "%s", RANDOM_OF(k, orders));
        random_formula(k, depth - 1);
        random_kernel_add(k, ", ");
        random_formula(k, depth - 1);
        random_kernel_add(k, ", ");
        random_formula(k, depth - 1);
        random_kernel_add(k, ")");
    } else if (choice == 7 && k->sums < 3) {
        k->sums++;
        random_kernel_add(k, "%s(", RANDOM_OF(k, sums));
        random_formula(k, depth - 1);
        random_kernel_add(k, ")");
    } else {
        random_kernel_add(k, "(");
        random_formula(k, depth - 1);
        random_kernel_add(k, "%s", RANDOM_OF(k, operators));
        random_formula(k, depth - 1);
        random_kernel_add(k, ")");
    }
}

/* Adds the inputs: the first two alone, packed or interleaved, the others of any shape. */
static inline void random_inputs(struct random_kernel *k, const char *type)
{
    static const char *const types[] = {"f32", "f64", "f16", "bf16", "e4m3", "e5m2",
                                        "i8",  "u8",  "i32", "e8m0", "e2m1", "i4"};
    static const char *const shapes[] = {"", "", "[cols]", "[rows]", "[]"};
    static const char *const pairs[] = {"[x0 | x1]", "[x0, x1]"};
    k->inputs = 1 + random_below(k->random, RANDOM_KERNEL_INPUTS);
    if (k->inputs > 1 && random_below(k->random, 3) == 0)
        random_kernel_add(k, "%s: %s", RANDOM_OF(k, pairs), type);
    else
        random_kernel_add(k, k->inputs > 1 ? "x0: %s, x1: %s%s" : "x0: %s", type, RANDOM_OF(k, types),
                          RANDOM_OF(k, shapes));
    for (unsigned i = 2; i < k->inputs; i++)
        random_kernel_add(k, ", x%u: %s%s", i, RANDOM_OF(k, types), RANDOM_OF(k, shapes));
    k->has_draws = random_below(k->random, 6) == 0;
    if (k->has_draws) random_kernel_add(k, ", seed: u64[], offset: u64[], first: u64[]");
}

/* Writes the text of a kernel k and, sometimes, of its gradient. Not every text is a spec: a name may be
 * unused, a constant may be infinite, or a type may not serve. */
static inline void random_kernel(struct random_kernel *k, struct randomness *random)
{
    static const char *const types[] = {"f32",  "f32", "f32", "bf16", "f16", "f64",
                                        "e4m3", "i8",  "i32", "e2m1", "i4"};
    static const char *const results[] = {"f32", "f64", "f16",  "bf16", "e4m3", "e5m2",
                                          "i8",  "u8",  "e8m0", "e2m1", "i4"};
    static const char *const reduced[] = {"[rows]", "[cols]", "[]"}, *const sums[] = {"sum", "mean", "amax"};
    *k = (struct random_kernel){.random = random};
    random_kernel_add(k, "kernel k(");
    random_inputs(k, RANDOM_OF(k, types));
    const bool is_reduced = random_below(random, 5) == 0;
    const char *shape = is_reduced ? RANDOM_OF(k, reduced) : "";
    random_kernel_add(k, ") -> (y: %s%s) { y = ", RANDOM_OF(k, results), shape);
    if (is_reduced) random_kernel_add(k, "%s(", RANDOM_OF(k, sums));
    for (unsigned i = 0; i < k->inputs; i++) {
        random_kernel_add(k, i ? " + x%u*(" : "x%u*(", i);
        random_formula(k, 2);
        random_kernel_add(k, ")");
    }
    if (k->has_draws) random_kernel_add(k, " + uniform(seed, offset)*(row(first) - col)");
    if (is_reduced) random_kernel_add(k, ")");
    random_kernel_add(k, " }\n");
    if (random_below(random, 3) == 0) random_kernel_add(k, "kernel back = gradient k\n");
}

#endif
