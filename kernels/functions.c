/* The public functions of libactgen-kernels as C text. */
#include "write.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Prints act_<builtin>[_backward]_<type>[_fast]. */
static void print_symbol(FILE *out, const struct writer *w, const struct function *f)
{
    fprintf(out, "act_%s%s_%s%s", f->builtin->name, f->backward ? "_backward" : "", w->type->name,
            f->fast ? "_fast" : "");
}

/* Prints the name of the kernel's function in the object, which may be another function's. */
static void print_kernel(FILE *out, const struct writer *w, const struct function *f)
{
    const struct function *own = f->same ? f->same : f;
    fprintf(out, KERNEL_PREFIX "%s_%s%s%s", w->type->name, own->fast ? "fast_" : "", f->builtin->name,
            f->backward ? "_backward" : "");
}

/* Prints the operands as parameters or as arguments. */
static void print_operands(FILE *out, const struct writer *w, const struct function *f, bool with_types)
{
    actgen_operand_info o = ACTGEN_OPERAND_INFO_INIT;
    for (size_t i = 0; !actgen_kernel_operand_info(f->kernels[0], i, &o); i++) {
        if (!with_types)
            fprintf(out, ", %s", o.name);
        else
            fprintf(out, ", %s%s *%s", o.is_result ? "" : "const ",
                    o.type == ACTGEN_U64 ? "uint64_t" : w->type->c_type, o.name);
    }
    if (actgen_kernel_workspace(f->kernels[0], 1, 1))
        fprintf(out, with_types ? ", void *workspace" : ", workspace");
}

static void print_head(FILE *out, const struct writer *w, const struct function *f)
{
    fprintf(out, "void ");
    print_symbol(out, w, f);
    fprintf(out, f->rows ? "(size_t rows, size_t cols" : "(size_t n");
    print_operands(out, w, f, true);
    fprintf(out, ")");
}

static void print_workspace_head(FILE *out, const struct writer *w, const struct function *f)
{
    fprintf(out, "size_t ");
    print_symbol(out, w, f);
    fprintf(out, "_workspace(size_t rows, size_t cols)");
}

static void print_definition(FILE *out, const struct writer *w, const struct function *f)
{
    fprintf(out, "\n");
    print_head(out, w, f);
    fprintf(out, "\n{\n    ");
    print_kernel(out, w, f);
    fprintf(out, f->rows ? "(rows, cols" : "(1, n");
    print_operands(out, w, f, false);
    fprintf(out, ");\n}\n");
    if (!actgen_kernel_workspace(f->kernels[0], 1, 1)) return;
    print_workspace_head(out, w, f);
    fprintf(out, "\n{\n    return ");
    print_kernel(out, w, f);
    fprintf(out, "_workspace(rows, cols);\n}\n");
}

/* Prints the formulas of the kernel, which its text has in lines of their own. */
static void print_formulas(FILE *out, const actgen_kernel *kernel)
{
    struct text t = stage_text(kernel, ACTGEN_STAGE_SPEC);
    for (char *line = strtok(t.data, "\n"); line; line = strtok(NULL, "\n"))
        if (line[0] == ' ' && strncmp(line, "    accuracy ", 13) != 0) fprintf(out, " * %s\n", line);
    free(t.data);
}

/* Prints the largest errors that were found on each set, in the unit of the bound. */
static void print_errors(FILE *out, const struct writer *w, const struct function *f)
{
    for (size_t s = 0; s < w->set_count; s++) {
        actgen_certificate c = ACTGEN_CERTIFICATE_INIT;
        actgen_kernel_certificate(f->kernels[s], &c);
        if (s == 0) {
            fprintf(out, " * Bound: %s%s, for ", c.accuracy,
                    c.is_whole ? "" : " for each function of one value");
            if (isfinite(c.bound_low) && isfinite(c.bound_high))
                fprintf(out, "%g to %g.", c.bound_low, c.bound_high);
            else
                fprintf(out, "every input.");
            if (!c.inputs) {
                fprintf(out, " Each operation is rounded once.");
                break;
            }
            fprintf(out, " Found:");
        }
        const double worst = c.bound_is_abs ? c.max_abs : c.max_ulp;
        const double at = c.bound_is_abs ? c.max_abs_at : c.max_ulp_at;
        fprintf(out, "%s %.3g %s at %.9g (%s)", s ? "," : "", worst, c.bound_is_abs ? "abs" : "ulp", at,
                w->sets[s]);
    }
    fprintf(out, " */\n");
}

static void print_aliases(FILE *out, const struct writer *w, const struct builtin *b)
{
    bool found = false;
    for (size_t i = 0; i < w->builtin_count; i++) {
        if (!w->builtins[i].alias_of || strcmp(w->builtins[i].alias_of, b->name) != 0) continue;
        fprintf(out, "%s%s", found ? ", " : " * Also known as ", w->builtins[i].name);
        found = true;
    }
    if (found) fprintf(out, ".\n");
}

/* Prints the comment of the first function of a built-in in full. The others refer to it. */
static void print_comment(FILE *out, const struct writer *w, const struct function *f)
{
    const struct builtin *b = f->builtin;
    fprintf(out, "\n/* ");
    if (f->backward)
        fprintf(out, "The gradient of %s.\n", b->name);
    else if (*b->summary)
        fprintf(out, "%s\n", b->summary);
    else
        fprintf(out, "%s of each element.\n", b->name);
    if (!f->backward && !f->fast) print_aliases(out, w, b);
    if (!f->fast) print_formulas(out, f->kernels[0]);
    print_errors(out, w, f);
}

static void print_declaration(FILE *out, const struct writer *w, size_t i)
{
    const struct function *f = w->functions[i];
    const char *before = i ? w->functions[i - 1]->builtin->family : "";
    if (strcmp(before, f->builtin->family) != 0)
        fprintf(out, "\n/* ---- %s, %s ---- */\n", f->builtin->family, w->type->name);
    print_comment(out, w, f);
    fprintf(out, "ACT_API ");
    print_head(out, w, f);
    fprintf(out, ";\n");
    if (!actgen_kernel_workspace(f->kernels[0], 1, 1)) return;
    fprintf(out, "/* Returns the bytes of its workspace, which is aligned to 16 bytes. */\nACT_API ");
    print_workspace_head(out, w, f);
    fprintf(out, ";\n");
}

/* Prints the shape of each operand, for bindings in other languages. */
static void print_shapes(FILE *out, const struct writer *w, const struct function *f)
{
    static const char *const shapes[] = {
        [ACTGEN_SHAPE_MATRIX] = "matrix",
        [ACTGEN_SHAPE_COLS] = "cols",
        [ACTGEN_SHAPE_ROWS] = "rows",
        [ACTGEN_SHAPE_ONE] = "one",
    };
    actgen_operand_info o = ACTGEN_OPERAND_INFO_INIT;
    print_symbol(out, w, f);
    fprintf(out, " %s", f->rows ? "rows" : "elements");
    for (size_t i = 0; !actgen_kernel_operand_info(f->kernels[0], i, &o); i++)
        fprintf(out, " %s:%s:%s", o.name, o.type == ACTGEN_U64 ? "u64" : shapes[o.shape],
                o.is_result ? "result" : "input");
    fprintf(out, actgen_kernel_workspace(f->kernels[0], 1, 1) ? " workspace\n" : "\n");
}

void write_function(const struct writer *w, size_t i, const struct outputs *to)
{
    const struct function *f = w->functions[i];
    print_definition(to->definitions, w, f);
    print_declaration(to->declarations, w, i);
    print_shapes(to->shapes, w, f);
    print_symbol(to->list, w, f);
    fprintf(to->list, " %s %s %s %s %s\n", f->builtin->name, f->backward ? "backward" : "forward",
            f->rows ? "rows" : "elements", w->type->name, f->fast && !f->same ? w->type->fast : "default");
}
