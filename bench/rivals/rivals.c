/* Compares a kernel's time with a copy, a copying ReLU, memcpy and a C loop on libm. */
#include "rivals.h"
#include "diagnostics.h"

#include <math.h>
#include <stdint.h>

/* Compiles the built-in relu for the instruction set. Without it, only the C compiler's is compared. */
static actgen_kernel *own_relu(actgen_engine *engine, const char *isa)
{
    actgen_options options = ACTGEN_OPTIONS_INIT;
    actgen_spec *spec = NULL;
    actgen_kernel *relu = NULL;
    options.isa = isa;
    if (!actgen_spec_builtin(&spec, "relu", NULL)) actgen_compile(&relu, engine, spec, NULL, &options, NULL);
    actgen_spec_free(spec);
    return relu;
}

void rivals_open(struct rivals *r, actgen_engine *engine, const actgen_kernel *kernel)
{
    const char *isa = actgen_kernel_isa(kernel);
    *r = (struct rivals){.kernel = kernel,
                         .copy = bench_copy_kernel(engine, kernel),
                         .relu = own_relu(engine, isa),
                         .compiler_relu = bench_relu(isa)};
    libm_loop_open(&r->libm, kernel);
}

void rivals_close(struct rivals *r)
{
    libm_loop_close(&r->libm);
    actgen_kernel_free(r->copy);
    actgen_kernel_free(r->relu);
}

bool bench_has_sums(const actgen_kernel *kernel) { return actgen_kernel_workspace(kernel, 1, 1) > 0; }

static actgen_fn code_of(const actgen_kernel *kernel) { return kernel ? actgen_kernel_fn(kernel) : NULL; }

/* Returns the contestant of a kernel; it is absent without a kernel or its code. */
static struct contestant contestant_of(const actgen_kernel *kernel)
{
    const actgen_fn code = code_of(kernel);
    if (kernel && bench_has_sums(kernel)) return (struct contestant){.run = run_whole, .whole = kernel};
    return (struct contestant){.run = code ? run_kernel : NULL, .kernel = code};
}

static struct bench_times measure(const struct filled_operands *o, const struct rivals *r)
{
    enum { KERNEL, COPY, OWN_RELU, COMPILER_RELU, MEMCPY, LIBM, CONTESTANTS };
    const bool is_copied = o->plain_type >= 0 && o->input_count,
               is_f32 = is_copied && o->plain_type == ACTGEN_F32,
               is_plain = o->plain_type == ACTGEN_F32 || o->plain_type == ACTGEN_F64;
    const actgen_fn relu_code = code_of(r->relu);
    struct contestant c[CONTESTANTS] = {
        [KERNEL] = contestant_of(r->kernel),
        [COPY] = contestant_of(r->copy),
        [OWN_RELU] = {.run = is_f32 && relu_code ? run_first : NULL, .kernel = relu_code},
        [COMPILER_RELU] = {.run = is_f32 && r->compiler_relu ? run_relu : NULL, .relu = r->compiler_relu},
        [MEMCPY] = {.run = is_copied ? run_memcpy : NULL},
        [LIBM] = {.run = is_plain && r->libm.call ? run_plain : NULL, .plain = r->libm.call}};
    for (size_t i = 0; i < CONTESTANTS; i++) c[i].operands = o;
    bench_measure(c, CONTESTANTS);
    const double relu = fmin(c[OWN_RELU].ns_per_element, c[COMPILER_RELU].ns_per_element);
    const bool copies_alike = is_f32 && o->count == 2; /* the copy is a ReLU, too, and the fastest counts */
    const double copy = c[COPY].ns_per_element;
    return (struct bench_times){.ns = c[KERNEL].ns_per_element,
                                .worst = c[KERNEL].worst_ns,
                                .copy = copies_alike ? fmin(copy, relu) : copy,
                                .relu = relu,
                                .memcpy = c[MEMCPY].ns_per_element,
                                .libm = c[LIBM].ns_per_element};
}

/* Allocates the workspace after the operands, for all contestants that need one. Its allocation is not timed.
 */
static bool add_workspace(struct filled_operands *o, const struct rivals *r)
{
    const size_t own = actgen_kernel_workspace(r->kernel, o->shape.rows, o->shape.cols),
                 of_copy = actgen_kernel_workspace(r->copy, o->shape.rows, o->shape.cols),
                 size = own > of_copy ? own : of_copy;
    if (!size) return true;
    void *workspace = o->count < FILLED_MOST_OPERANDS && size != SIZE_MAX ? array_make(size, o->count) : NULL;
    if (workspace) o->list[o->count] = (actgen_operand){workspace, size};
    return workspace;
}

int rivals_measure(struct bench_times *times, const struct rivals *r, struct call_shape shape)
{
    struct filled_operands operands;
    int code = EXIT_GOOD;
    if (filled_open(&operands, r->kernel, shape, r->interval) && add_workspace(&operands, r))
        *times = measure(&operands, r);
    else
        code = print_error(EXIT_MEMORY, "no memory for the operands of %zu times %zu elements", shape.rows,
                           shape.cols);
    if (operands.count < FILLED_MOST_OPERANDS) array_free(operands.list[operands.count].data);
    filled_close(&operands);
    return code;
}
