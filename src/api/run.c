/* Running kernels: the checks, machine code or interpreter, the true value. */
#include "api.h"

#include <stdlib.h>

/* What one operand of a call covers. */
struct extent {
    uintptr_t begin, end; /* bytes */
    size_t stride;        /* elements */
};

static int find_extent(struct extent *out, const struct kernel_operand *o, const actgen_operand *given,
                       size_t rows, size_t cols, struct diag *error)
{
    size_t bytes = element_types[o->type].bytes, last, size;
    if (!given->data) return diag_set(error, DIAG_INVALID, "operand `%s` is NULL", o->name);
    out->stride = given->stride ? given->stride : cols;
    if (out->stride < cols)
        return diag_set(error, DIAG_INVALID, "operand `%s`: stride %zu is below the row width %zu", o->name,
                        given->stride, cols);
    out->begin = (uintptr_t)given->data;
    if (out->begin % bytes)
        return diag_set(error, DIAG_INVALID, "operand `%s` is not aligned to its element of %zu bytes",
                        o->name, bytes);
    if (__builtin_mul_overflow(rows - 1, out->stride, &last) || __builtin_add_overflow(last, cols, &size) ||
        __builtin_mul_overflow(size, bytes, &size) || __builtin_add_overflow(out->begin, size, &out->end))
        return diag_set(error, DIAG_INVALID,
                        "operand `%s`: %zu rows of stride %zu overflow the address space", o->name, rows,
                        out->stride);
    return DIAG_OK;
}

/* A result may be exactly an input, in place; any other overlap of a result is refused. */
static int check_overlap(const struct lane_kernel *k, const struct extent *extents, struct diag *error)
{
    for (uint32_t r = 0; r < k->operand_count; r++) {
        if (!k->operands[r].is_result) continue;
        for (uint32_t i = 0; i < k->operand_count; i++) {
            const struct extent *a = &extents[r], *b = &extents[i];
            if (i == r || a->begin >= b->end || b->begin >= a->end) continue;
            bool in_place = !k->operands[i].is_result && a->begin == b->begin && a->stride == b->stride;
            if (!in_place)
                return diag_set(
                    error, DIAG_INVALID,
                    "result `%s` overlaps `%s`; only the same pointer and stride as an input are allowed",
                    k->operands[r].name, k->operands[i].name);
        }
    }
    return DIAG_OK;
}

static int check_call(const actgen_kernel *kernel, size_t rows, size_t cols, const actgen_operand *operands,
                      size_t count, struct diag *error)
{
    const struct lane_kernel *k = &kernel->lowered->kernel;
    struct extent extents[SPEC_MAX_OPERANDS];
    if (count != k->operand_count)
        return diag_set(error, DIAG_INVALID, "`%s` takes %u operands (inputs, then results), not %zu",
                        k->name, k->operand_count, count);
    if (!operands) return diag_set(error, DIAG_INVALID, "operands is NULL");
    if (!rows || !cols) return DIAG_OK; /* nothing is touched */
    for (uint32_t i = 0; i < k->operand_count; i++) {
        int status = find_extent(&extents[i], &k->operands[i], &operands[i], rows, cols, error);
        if (status) return status;
    }
    return check_overlap(k, extents, error);
}

static int run_interpreter(const actgen_kernel *kernel, size_t rows, size_t cols,
                           const actgen_operand *operands, struct diag *error)
{
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

int actgen_run(const actgen_kernel *kernel, size_t rows, size_t cols, const actgen_operand *operands,
               size_t count, actgen_error *error)
{
    struct diag d = {0};
    if (check_call(kernel, rows, cols, operands, count, &d)) return error_return(error, &d);
    if (kernel->function) {
        kernel->function(rows, cols, operands);
        return ACTGEN_OK;
    }
    return run_interpreter(kernel, rows, cols, operands, &d) ? error_return(error, &d) : ACTGEN_OK;
}

int actgen_interpret(const actgen_kernel *kernel, size_t rows, size_t cols, const actgen_operand *operands,
                     size_t count, actgen_error *error)
{
    struct diag d = {0};
    if (check_call(kernel, rows, cols, operands, count, &d) ||
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

int actgen_reference(const actgen_kernel *kernel, size_t result, const double *inputs, double *value,
                     actgen_error *error)
{
    struct diag d = {0};
    struct reference_work w = {kernel, result, inputs, value};
    arena *memory;
    if (!value || !inputs || result >= kernel->source->result_count)
        diag_set(&d, DIAG_INVALID, "no such result, or a NULL pointer");
    else if (!with_arena(&memory, reference_of, &w, &d))
        arena_free(memory);
    return d.status ? error_return(error, &d) : ACTGEN_OK;
}
