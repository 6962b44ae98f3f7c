/* Running kernels: machine code or interpreter, the true value. */
#include "border.h"
#include "call.h"
#include "interp.h"

static int run_interpreter(const actgen_kernel *kernel, size_t rows, size_t cols,
                           const actgen_operand *operands, struct diag *error)
{
    ENTER_LIBRARY(host);
    const struct lane_kernel *k = &kernel->lowered->kernel;
    struct kernel_row row[SPEC_MAX_OPERANDS];
    interp *run = interp_create_kernel(k);
    if (!run) return diag_set(error, DIAG_NO_MEMORY, "out of memory");
    for (size_t r = 0; r < rows && cols; r++) {
        for (uint32_t i = 0; i < k->operand_count; i++) {
            const actgen_operand *given = &operands[k->operands[i].group];
            row[i] = kernel_row(&k->operands[i], given->data, given->stride, r, cols);
        }
        interp_run_row(run, row, cols);
    }
    interp_free(run);
    return DIAG_OK;
}

/* `= {0}` would clear the message's whole room, which takes as long as running a few vectors. */
static struct diag *no_error(struct diag *d)
{
    d->status = DIAG_OK;
    d->line = d->column = d->offset = d->length = 0;
    d->message[0] = 0;
    return d;
}

/* `operands` have passed the checks. */
static int run_checked(const actgen_kernel *kernel, size_t rows, size_t cols, const actgen_operand *operands,
                       struct diag *error)
{
    if (!kernel->function) return run_interpreter(kernel, rows, cols, operands, error);
    kernel->function(rows, cols, operands);
    return DIAG_OK;
}

int actgen_run(const actgen_kernel *kernel, size_t rows, size_t cols, const actgen_operand *operands,
               size_t count, actgen_error *error)
{
    struct diag d;
    if (!kernel) return refuse_no_kernel(error);
    if (check_call(&kernel->lowered->kernel, rows, cols, operands, count, no_error(&d)) ||
        run_checked(kernel, rows, cols, operands, &d))
        return error_return(error, &d);
    return ACTGEN_OK;
}

int actgen_run_rows(const actgen_kernel *kernel, size_t first_row, size_t row_count, size_t rows, size_t cols,
                    const actgen_operand *operands, size_t count, actgen_error *error)
{
    struct diag d;
    actgen_operand part[SPEC_MAX_OPERANDS];
    if (!kernel) return refuse_no_kernel(error);
    no_error(&d);
    if (first_row > rows || row_count > rows - first_row)
        diag_set(&d, DIAG_INVALID, "%zu rows from row %zu on are more than the %zu of the call", row_count,
                 first_row, rows);
    if (d.status || check_call(&kernel->lowered->kernel, rows, cols, operands, count, &d))
        return error_return(error, &d);
    if (!row_count || !cols) return ACTGEN_OK;
    operands_at_row(&kernel->lowered->kernel, first_row, cols, operands, part);
    return run_checked(kernel, row_count, cols, part, &d) ? error_return(error, &d) : ACTGEN_OK;
}

void actgen_operands_at_row(const actgen_kernel *kernel, size_t row, size_t cols,
                            const actgen_operand *operands, actgen_operand *out)
{
    operands_at_row(&kernel->lowered->kernel, row, cols, operands, out);
}

int actgen_interpret(const actgen_kernel *kernel, size_t rows, size_t cols, const actgen_operand *operands,
                     size_t count, actgen_error *error)
{
    struct diag d = {0};
    if (!kernel) return refuse_no_kernel(error);
    if (check_call(&kernel->lowered->kernel, rows, cols, operands, count, &d) ||
        run_interpreter(kernel, rows, cols, operands, &d))
        return error_return(error, &d);
    return ACTGEN_OK;
}

struct reference_work {
    const actgen_kernel *kernel;
    size_t result;
    const double *inputs;
    double *value;
};

/* The formula is parsed anew, so that calls may overlap: simplifying adds nodes to a DAG. */
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

static bool draws(const struct spec_kernel *k, const expr *value)
{
    bool found = false;
    for (uint32_t n = 0; n < k->draw_count; n++) found = found || expr_depends(value, k->operand_count + n);
    return found;
}

int actgen_reference(const actgen_kernel *kernel, size_t result, const double *inputs, double *value,
                     actgen_error *error)
{
    ENTER_LIBRARY(host);
    struct diag d = {0};
    struct reference_work w = {kernel, result, inputs, value};
    if (!kernel) return refuse_no_kernel(error);
    if (!value || !inputs || result >= kernel->source->result_count)
        diag_set(&d, DIAG_INVALID, "no such result, or a NULL pointer");
    else if (draws(kernel->source, kernel->source->results[result].value))
        diag_set(
            &d, DIAG_INVALID,
            "the result draws random numbers, which are an element's by its place and not by its inputs");
    else
        with_arena(NULL, reference_of, &w, &d);
    return d.status ? error_return(error, &d) : ACTGEN_OK;
}
