/* Runs kernels by machine code or the interpreter, and computes true values. */
#include "border.h"
#include "call.h"
#include "interp.h"
#include "sum_blocks.h"

#include <stdlib.h>
#include <string.h>

struct interpretation {
    const struct lane_kernel *kernel;
    interp *run;
};

/* Interprets rows of a kernel or of one of its passes. `operands` belong to the whole kernel. */
static void interpret_rows(void *context, uint32_t pass, size_t rows, size_t cols,
                           const actgen_operand *operands)
{
    const struct interpretation *i = (const struct interpretation *)context + pass;
    struct kernel_row row[SPEC_MAX_OPERANDS];
    for (size_t r = 0; r < rows && cols; r++) {
        for (uint32_t n = 0; n < i->kernel->operand_count; n++) {
            const actgen_operand *given = &operands[i->kernel->operands[n].group];
            row[n] = kernel_row(&i->kernel->operands[n], given->data, given->stride, r, cols);
        }
        interp_run_row(i->run, row, cols);
    }
}

static int run_interpreter(const actgen_kernel *kernel, size_t rows, size_t cols,
                           const actgen_operand *operands, struct diag *error)
{
    ENTER_LIBRARY(host);
    const actgen_kernel *whole = kernel_whole(kernel, error);
    if (!whole) return error->status;
    const struct lane_kernel *k = &whole->lowered->kernel;
    struct interpretation all[SPEC_MAX_PASSES];
    bool complete = true;
    uint32_t count = 0;
    if (!k->pass_count) all[count++] = (struct interpretation){k, interp_create_kernel(k)};
    for (uint32_t n = 0; n < k->pass_count; n++)
        all[count++] =
            (struct interpretation){k->passes[n].kernel, interp_create_kernel(k->passes[n].kernel)};
    for (uint32_t n = 0; n < count; n++) complete = complete && all[n].run;
    if (complete && kernel->called.has_sums)
        sums_run_blocks(&kernel->called, k, rows, cols, operands, interpret_rows, all);
    else if (complete)
        interpret_rows(all, 0, rows, cols, operands);
    for (uint32_t n = 0; n < count; n++) interp_free(all[n].run);
    return complete ? DIAG_OK : diag_set(error, DIAG_NO_MEMORY, "out of memory");
}

/* Clears the error except for the message. `= {0}` would clear the whole message as well, which takes as long
 * as running a few vectors. */
static struct diag *no_error(struct diag *d)
{
    d->status = DIAG_OK;
    d->line = d->column = d->offset = d->length = 0;
    d->message[0] = 0;
    return d;
}

typedef int run_function(const actgen_kernel *kernel, size_t rows, size_t cols,
                         const actgen_operand *operands, struct diag *error);

/* Runs machine code if there is any, else the interpreter. `operands` have passed the checks, here and
 * below. */
static int run_best(const actgen_kernel *kernel, size_t rows, size_t cols, const actgen_operand *operands,
                    struct diag *error)
{
    if (!kernel->function) return run_interpreter(kernel, rows, cols, operands, error);
    kernel->function(rows, cols, operands);
    return DIAG_OK;
}

/* Runs a whole call of a kernel with sums. The workspace comes after the operands. If it is missing, the
 * function allocates it for the call. */
static int run_sums(const actgen_kernel *kernel, size_t rows, size_t cols, const actgen_operand *operands,
                    size_t count, run_function *run, struct diag *error)
{
    const struct lane_kernel *k = &kernel->called;
    const size_t size = sums_workspace(k, rows, cols);
    actgen_operand all[SPEC_MAX_OPERANDS + 1];
    void *made = NULL;
    memcpy(all, operands, count * sizeof *all);
    if (count == k->group_count) {
        made = malloc(size + 1);
        if (size == SIZE_MAX || !made)
            return diag_set(error, DIAG_NO_MEMORY, "no memory for the workspace of %zu bytes", size);
        all[count] = (actgen_operand){made, size};
    }
    const int status = run(kernel, rows, cols, all, error);
    if (!status) sums_finish(k, rows, cols, all);
    free(made);
    return status;
}

static int run_all(const actgen_kernel *kernel, size_t rows, size_t cols, const actgen_operand *operands,
                   size_t count, run_function *run, actgen_error *error)
{
    struct diag d;
    if (!kernel) return refuse_no_kernel(error);
    int status = check_call(&kernel->called, rows, cols, operands, count, no_error(&d));
    if (!status)
        status = kernel->called.has_sums ? run_sums(kernel, rows, cols, operands, count, run, &d)
                                         : run(kernel, rows, cols, operands, &d);
    return status ? error_return(error, &d) : ACTGEN_OK;
}

int actgen_run(const actgen_kernel *kernel, size_t rows, size_t cols, const actgen_operand *operands,
               size_t count, actgen_error *error)
{
    return run_all(kernel, rows, cols, operands, count, run_best, error);
}

int actgen_interpret(const actgen_kernel *kernel, size_t rows, size_t cols, const actgen_operand *operands,
                     size_t count, actgen_error *error)
{
    return run_all(kernel, rows, cols, operands, count, run_interpreter, error);
}

/* Checks a part of a call. For a kernel with sums, a part consists of whole blocks and leaves its sums in the
 * workspace. */
static int check_part(const struct lane_kernel *k, size_t first, size_t row_count, size_t rows, size_t count,
                      struct diag *error)
{
    if (first > rows || row_count > rows - first)
        return diag_set(error, DIAG_INVALID, "%zu rows from row %zu on are more than the %zu of the call",
                        row_count, first, rows);
    for (uint32_t i = 0; i < k->operand_count; i++)
        if (k->operands[i].block_rows && first % k->operands[i].block_rows)
            return diag_set(
                error, DIAG_INVALID,
                "%u rows of `%s` share an element of `%s`: parts of rows begin at multiples of %u, "
                "which row %zu is not",
                k->operands[i].block_rows, k->name, k->operands[i].name, k->operands[i].block_rows, first);
    if (!k->has_sums) return DIAG_OK;
    if (count == k->group_count)
        return diag_set(error, DIAG_INVALID,
                        "`%s` has sums or values of rows, so parts of its rows need a workspace after the "
                        "operands (actgen_kernel_workspace)",
                        k->name);
    if (first % SUMS_BLOCK_ROWS || (row_count % SUMS_BLOCK_ROWS && row_count != rows - first))
        return diag_set(
            error, DIAG_INVALID,
            "`%s` has sums or values of rows: its parts begin at multiples of %d rows and end at one or at "
            "the last row, which %zu rows from row %zu on do not",
            k->name, SUMS_BLOCK_ROWS, row_count, first);
    return DIAG_OK;
}

int actgen_run_rows(const actgen_kernel *kernel, size_t first_row, size_t row_count, size_t rows, size_t cols,
                    const actgen_operand *operands, size_t count, actgen_error *error)
{
    struct diag d;
    actgen_operand part[SPEC_MAX_OPERANDS + 1];
    if (!kernel) return refuse_no_kernel(error);
    const struct lane_kernel *k = &kernel->called;
    if (check_part(k, first_row, row_count, rows, count, no_error(&d)) ||
        check_call(k, rows, cols, operands, count, &d))
        return error_return(error, &d);
    if (!row_count || (!cols && !k->has_sums)) return ACTGEN_OK;
    operands_at_row(k, first_row, cols, operands, part);
    return run_best(kernel, row_count, cols, part, &d) ? error_return(error, &d) : ACTGEN_OK;
}

size_t actgen_kernel_workspace(const actgen_kernel *kernel, size_t rows, size_t cols)
{
    return kernel ? sums_workspace(&kernel->called, rows, cols) : 0;
}

int actgen_finish(const actgen_kernel *kernel, size_t rows, size_t cols, const actgen_operand *operands,
                  size_t count, actgen_error *error)
{
    struct diag d = {0};
    if (!kernel) return refuse_no_kernel(error);
    const struct lane_kernel *k = &kernel->called;
    if (!k->has_sums) return ACTGEN_OK;
    if (check_part(k, 0, rows, rows, count, &d) || check_call(k, rows, cols, operands, count, &d))
        return error_return(error, &d);
    sums_finish(k, rows, cols, operands);
    return ACTGEN_OK;
}

void actgen_operands_at_row(const actgen_kernel *kernel, size_t row, size_t cols,
                            const actgen_operand *operands, actgen_operand *out)
{
    operands_at_row(&kernel->called, row, cols, operands, out);
}

struct reference_work {
    const actgen_kernel *kernel;
    size_t result;
    const double *inputs;
    double *value;
};

/* Computes the true value. It imports the formula into a DAG of its own, because simplifying adds nodes to
 * the DAG, and calls may overlap. */
static int reference_of(arena *memory, void *context, struct diag *error)
{
    const struct reference_work *w = context;
    const struct spec_kernel *k = w->kernel->source;
    expr_dag *dag = expr_dag_create(memory, SPEC_MAX_NODES * 4);
    const expr *written = expr_import(dag, k->results[w->result].value);
    reference *truth = reference_create(written, expr_simplify(dag, written, NULL), k->input_count);
    if (!truth) return diag_set(error, DIAG_NO_MEMORY, "out of memory");
    enum reference_state state = reference_value(truth, w->inputs, w->value, NULL);
    reference_free(truth);
    return state == REFERENCE_DECIDED
               ? DIAG_OK
               : diag_set(error, DIAG_ACCURACY, "8192 bits do not decide the value here");
}

int actgen_reference(const actgen_kernel *kernel, size_t result, const double *inputs, double *value,
                     actgen_error *error)
{
    ENTER_LIBRARY(host);
    struct diag d = {0};
    if (!kernel) return refuse_no_kernel(error);
    if (!(kernel = kernel_whole(kernel, &d))) return error_return(error, &d);
    const struct spec_kernel *k = kernel->source;
    struct reference_work w = {kernel, result, inputs, value};
    if (!value || !inputs || result >= k->result_count)
        diag_set(&d, DIAG_INVALID, "no such result, or a NULL pointer");
    else if (k->results[result].value->inputs & spec_total_inputs(k))
        diag_set(&d, DIAG_INVALID,
                 "a sum over the row enters the result, so single inputs do not determine it");
    else if (k->operands[k->results[result].operand].reduction)
        diag_set(&d, DIAG_INVALID,
                 "the result is a %s of many elements, so single inputs do not determine it",
                 reductions[k->operands[k->results[result].operand].reduction].name);
    else if (k->results[result].value->inputs & spec_made_inputs(k))
        diag_set(
            &d, DIAG_INVALID,
            "the result draws random numbers by its place, or has its row or column in it, so its inputs do "
            "not determine it");
    else
        with_arena(NULL, reference_of, &w, &d);
    return d.status ? error_return(error, &d) : ACTGEN_OK;
}
