/* Parses text into functions and kernels: the language of docs/language.md.
 *
 * The built-in templates are the .act files in templates/, which are embedded at build time. Every spec can
 * use them. */
#ifndef ACTGEN_LANGUAGE_H
#define ACTGEN_LANGUAGE_H

#include "spec.h"

/* Parses `text`, which need not be terminated. On failure the status is returned and in *error, and *out is
 * NULL. All memory comes from `memory`, and the text is copied. `file` and `text` may be NULL if empty. The
 * formulas of the file may call the templates. A function of the file hides the template of the same name.
 * Like all calls here, this one is thread-safe if each thread uses its own arena, whose escape is set. */
int spec_parse(struct spec **out, arena *memory, const char *file, const char *text, size_t length,
               struct diag *error);

/* Parses a formula of x, as the command line's -e has it, into a spec with one kernel (x: f32) -> (y: f32).
 * The text is "name = formula", or a formula whose kernel is named "expression". */
int spec_parse_expression(struct spec **out, arena *memory, const char *text, size_t length,
                          struct diag *error);

/* Makes a spec with one kernel from a template or an elementary function, found by name. Its operands are
 * f32 and have the names of the arguments. The result is y. Templates that are kernels, such as gates, are
 * taken as they are. Messages on unknown names say "did you mean". */
int spec_builtin(struct spec **out, arena *memory, const char *name, struct diag *error);

/* Gives all operands of all kernels of `s` the type, as `--type bf16` does for a template or a formula.
 * Returns DIAG_INVALID if `type` names no type, and DIAG_NOT_YET if this version has no operands of it. `s`
 * is unchanged then. */
int spec_retype(struct spec *s, const char *type, struct diag *error);

/* Returns the kernel with its reductions removed. A result that is a reduction becomes the matrix of its
 * summands, in the type of the lanes. A result with one value per row is repeated in all columns. The
 * totals become inputs after the others, in f64 or, for a largest element, in the type of the element. The
 * summand of a total becomes a result after the others, unless it is an input already. Fills in the fields
 * of `totals`. */
const struct spec_kernel *spec_summands(arena *memory, expr_dag *dag, const struct spec_kernel *kernel);
/* Makes a spec of one kernel of `s` and, after it, its gradient <kernel>_backward by the `count` inputs
 * that `of` names. If there are none, the gradient is by all inputs. The spec does not need `s`. Errors are
 * those of the language's `gradient`, without a place. */
int spec_gradient(struct spec **out, arena *memory, const struct spec *s, const struct spec_kernel *kernel,
                  const char *const *of, size_t count, struct diag *error);

/* Parses an accuracy clause without its keyword: "abs 2^-22", "3 ulp", "1 ulp on [-4, 4]". */
int spec_parse_bound(struct spec_bound *out, arena *memory, const char *text, size_t length,
                     struct diag *error);

/* A built-in. The list has the templates in their order, then the elementary functions. */
struct spec_builtin_info {
    const char *name;
    const char *alias_of; /* the name for which this one is another name, or NULL */
    const char *family;   /* "GELU", "gates", ... */
    const char *form;     /* "exact", "tanh", "sigmoid", "fused gate", or "" */
    const char *summary;
    const char *text; /* the definition */
    bool is_kernel;
};
int spec_builtins(const struct spec_builtin_info **out, size_t *count, arena *memory, struct diag *error);

#endif
