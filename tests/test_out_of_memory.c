/* Tests of allocations that fail. Every allocation of the library's own code fails once, and then all from
 * it on. The call returns ACTGEN_ENOMEM, or its outcome is that of a run with enough memory, and the disk
 * cache holds nothing else afterwards. Allocations of GMP, MPFR and LLVM do not fail here, because these
 * libraries end the process (actgen.h). The test tries the first allocation of each place in the code, in
 * the quickest kernel that reaches it, and some others of each kernel. ACTGEN_TEST_ALL in the environment
 * makes that all allocations. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "failing_allocations.h"
#include "folder.h"
#include "tuned.h"

/* Parses, plans and makes machine code, with an engine of its own. */
static void compile(struct outcome *o, const struct subject *s)
{
    actgen_engine_options with = ACTGEN_ENGINE_OPTIONS_INIT;
    actgen_options options = ACTGEN_OPTIONS_INIT;
    actgen_engine *own = NULL;
    actgen_spec *spec = NULL;
    actgen_kernel *kernel = NULL;
    with.cache_directory = cache_folder;
    options.accuracy = s->accuracy;
    options.prove = s->is_proved;
    TRY("engine", actgen_engine_create_with(&own, &with, &o->error));
    TRY("parse", actgen_spec_parse(&spec, NULL, s->spec, strlen(s->spec), &o->error));
    TRY("compile", actgen_compile(&kernel, own, spec, NULL, &options, &o->error));
    TRY("header", actgen_emit((const actgen_kernel *const *)&kernel, 1, ACTGEN_EMIT_HEADER, NULL, add_text, o,
                              &o->error));
    TRY("lane", actgen_show(kernel, ACTGEN_STAGE_LANE, add_text, o, &o->error));
    if (!o->status) {
        const char *const hash = actgen_kernel_object_hash(kernel), *const backend =
                                                                        actgen_kernel_backend(kernel);
        add_text(o, hash, strlen(hash));
        add_text(o, backend, strlen(backend));
    }
    actgen_kernel_free(kernel);
    actgen_spec_free(spec);
    actgen_engine_free(own);
}

static void compute(struct outcome *o, const struct subject *s)
{
    enum { COUNT = 8 };
    double values[COUNT] = {0}, results[2][COUNT] = {{0}}, inputs[] = {0.75, 3}, value = 0;
    const size_t inputs_count = actgen_kernel_group_count(s->kernel) - 1;
    actgen_operand operands[3] = {{values, 0}, {values, 0}, {values, 0}};
    operands[inputs_count].data = results;
    TRY("interpret", actgen_interpret(s->kernel, 1, COUNT, operands, inputs_count + 1, &o->error));
    TRY("reference", actgen_reference(s->kernel, 0, inputs, &value, &o->error));
    if (!o->status) {
        add_text(o, results, sizeof results);
        add_text(o, &value, sizeof value);
    }
}

static void explain(struct outcome *o, const struct subject *s)
{
    actgen_spec *spec = NULL;
    TRY("parse", actgen_spec_parse(&spec, NULL, s->spec, strlen(s->spec), &o->error));
    TRY("explain", actgen_explain(spec, NULL, NULL, ACTGEN_STAGE_PLAN, add_text, o, &o->error));
    actgen_spec_free(spec);
}

static void verify(struct outcome *o, const struct subject *s)
{
    actgen_verify_options how = ACTGEN_VERIFY_OPTIONS_INIT;
    actgen_report report;
    how.sample_log2 = ACTGEN_MIN_SAMPLE_LOG2;
    memset(&report, 0, sizeof report); /* The comparison includes the padding. */
    report.size = sizeof report;
    TRY("verify", actgen_verify(s->kernel, &how, &report, &o->error));
    if (!o->status) add_text(o, &report, sizeof report);
}

/* Makes specs in all ways, and shows them. */
static void make_specs(struct outcome *o, const struct subject *s)
{
    actgen_spec *specs[5] = {NULL};
    const actgen_spec *spec = NULL;
    TRY("parse", actgen_spec_parse(&specs[0], NULL, s->spec, strlen(s->spec), &o->error));
    TRY("gradient", actgen_spec_gradient(&specs[1], specs[0], NULL, NULL, 0, &o->error));
    TRY("builtin", actgen_spec_builtin_typed(&specs[2], "swiglu", "bf16", &o->error));
    TRY("expression", actgen_spec_expression_typed(&specs[3], "x*tanh(x) + 0.1", "f16", &o->error));
    TRY("gradient of a built-in", actgen_spec_gradient(&specs[4], specs[2], NULL, NULL, 0, &o->error));
    for (unsigned i = 0; i < 5; i++)
        for (size_t k = 0; (spec = specs[i]) && !o->status && k < actgen_spec_kernel_count(spec); k++)
            TRY("show", actgen_explain(spec, actgen_spec_kernel_name(spec, k), NULL, ACTGEN_STAGE_SPEC,
                                       add_text, o, &o->error));
    for (unsigned i = 0; i < 5; i++) actgen_spec_free(specs[i]);
}

/* Makes kernels without a spec of the caller, and makes all of them that LLVM need not make. */
static void use_kernels(struct outcome *o, const struct subject *s)
{
    static const int stages[] = {ACTGEN_STAGE_SPEC, ACTGEN_STAGE_EXPR, ACTGEN_STAGE_PLAN,
                                 ACTGEN_STAGE_LANE, ACTGEN_STAGE_C,    ACTGEN_STAGE_LIBM};
    enum { COUNT = 3, WITHOUT_SUMS = 2 };
    actgen_kernel *kernels[COUNT] = {NULL};
    actgen_engine_options with = ACTGEN_ENGINE_OPTIONS_INIT;
    actgen_options options = ACTGEN_OPTIONS_INIT;
    actgen_emit_options emit = ACTGEN_EMIT_OPTIONS_INIT;
    actgen_engine *own = NULL;
    actgen_certificate certificate = ACTGEN_CERTIFICATE_INIT;
    float x[] = {-1, 0.5F, 3}, y[3] = {0};
    const actgen_operand operands[] = {{x, 0}, {y, 0}};
    (void)s;
    with.cache_directory = "";
    options.tier = ACTGEN_TIER_INTERPRETER;
    TRY("engine", actgen_engine_create_with(&own, &with, &o->error));
    TRY("built-in", actgen_compile_builtin(&kernels[0], own, "elu", NULL, &options, &o->error));
    TRY("expression", actgen_compile_expression(&kernels[1], own, "max(x, 0)", NULL, &options, &o->error));
    TRY("sums", actgen_compile_builtin(&kernels[2], own, "softmax", NULL, &options, &o->error));
    for (int k = 0; k < COUNT; k++) {
        TRY("run", actgen_run(kernels[k], 1, 3, operands, 2, &o->error));
        if (k < WITHOUT_SUMS) TRY("rows", actgen_run_rows(kernels[k], 1, 1, 3, 1, operands, 2, &o->error));
        if (!o->status) add_text(o, y, sizeof y);
        TRY("certificate", actgen_kernel_certificate(kernels[k], &certificate));
        for (size_t i = 0; k < WITHOUT_SUMS && i < sizeof stages / sizeof *stages; i++)
            TRY("show", actgen_show(kernels[k], stages[i], add_text, o, &o->error));
        for (size_t i = 0; k < WITHOUT_SUMS && actgen_style_name(i); i++) {
            emit.style = actgen_style_name(i);
            TRY("C", actgen_emit_with((const actgen_kernel *const *)&kernels[k], 1, ACTGEN_EMIT_C, &emit,
                                      add_text, o, &o->error));
        }
    }
    for (int k = 0; k < COUNT; k++) actgen_kernel_free(kernels[k]);
    actgen_engine_free(own);
}

/* -- code of all kinds: each run has an engine of its own -- */

static void open_own(struct outcome *o, actgen_engine **own)
{
    actgen_engine_options with = ACTGEN_ENGINE_OPTIONS_INIT;
    with.cache_directory = cache_folder;
    TRY("engine", actgen_engine_create_with(own, &with, &o->error));
}

static actgen_kernel *make(struct outcome *o, actgen_engine *own, const char *text,
                           const actgen_options *options)
{
    actgen_kernel *kernel = NULL;
    TRY("compile", actgen_compile_text(&kernel, own, NULL, text, strlen(text), NULL, options, &o->error));
    return kernel;
}

/* The files that can be written, each with its options. Kernels are for one set, or for two. */
static const struct file_kind {
    int what;
    const char *isas[2];
    actgen_emit_options how;
} file_kinds[] = {
    {ACTGEN_EMIT_OBJECT, {"x86-64", "avx2"}, ACTGEN_EMIT_OPTIONS_INIT},
    {ACTGEN_EMIT_OBJECT,
     {"x86-64", "avx2"},
     {.size = sizeof(actgen_emit_options), .prefix = "a_", .dispatch = ACTGEN_DISPATCH_IFUNC}},
    {ACTGEN_EMIT_OBJECT, {"avx2"}, {.size = sizeof(actgen_emit_options), .format = "coff", .compact = 1}},
    {ACTGEN_EMIT_OBJECT, {"avx2"}, {.size = sizeof(actgen_emit_options), .abi = ACTGEN_ABI_VECTOR}},
    {ACTGEN_EMIT_HEADER,
     {"avx2"},
     {.size = sizeof(actgen_emit_options), .abi = ACTGEN_ABI_VECTOR, .header_name = "k.h"}},
    {ACTGEN_EMIT_OBJECT, {"ptx"}, ACTGEN_EMIT_OPTIONS_INIT},
    {ACTGEN_EMIT_HEADER, {"ptx"}, ACTGEN_EMIT_OPTIONS_INIT},
    {ACTGEN_EMIT_C, {"avx2"}, {.size = sizeof(actgen_emit_options), .style = "intrinsics"}},
    {ACTGEN_EMIT_TORCH, {"avx2"}, ACTGEN_EMIT_OPTIONS_INIT},
    {ACTGEN_EMIT_ORT, {"avx2"}, ACTGEN_EMIT_OPTIONS_INIT},
};

static void write_file(struct outcome *o, const struct subject *s)
{
    const struct file_kind *f = s->file;
    actgen_kernel *kernels[2] = {NULL};
    actgen_engine *own = NULL;
    size_t count = 0;
    open_own(o, &own);
    for (; count < 2 && f->isas[count]; count++) {
        actgen_options options = ACTGEN_OPTIONS_INIT;
        options.tier = ACTGEN_TIER_INTERPRETER;
        options.isa = f->isas[count];
        kernels[count] = make(o, own, s->spec, &options);
    }
    TRY("emit", actgen_emit_with((const actgen_kernel *const *)kernels, count, f->what, &f->how, add_text, o,
                                 &o->error));
    while (count) actgen_kernel_free(kernels[--count]);
    actgen_engine_free(own);
}

/* Calls a kernel with sums, whole and in parts. Shows and writes its code. */
static void sum_up(struct outcome *o, const struct subject *s)
{
    enum { ROWS = 3, COLS = 5 };
    static float x[ROWS * COLS], y[COLS];
    _Alignas(16) static char workspace[1 << 16];
    actgen_operand operands[] = {{x, 0}, {y, 0}, {workspace, 0}};
    const actgen_options options = ACTGEN_OPTIONS_INIT;
    actgen_engine *own = NULL;
    for (int i = 0; i < ROWS * COLS; i++) x[i] = (float)i;
    open_own(o, &own);
    const actgen_kernel *kernel = make(o, own, s->spec, &options);
    TRY("run", actgen_run(kernel, ROWS, COLS, operands, 2, &o->error));
    if (!o->status) operands[2].stride = actgen_kernel_workspace(kernel, ROWS, COLS);
    TRY("rows", actgen_run_rows(kernel, 0, ROWS, ROWS, COLS, operands, 3, &o->error));
    TRY("finish", actgen_finish(kernel, ROWS, COLS, operands, 3, &o->error));
    if (!o->status) add_text(o, y, sizeof y);
    TRY("IR", actgen_show(kernel, ACTGEN_STAGE_IR, add_text, o, &o->error));
    TRY("assembly", actgen_show(kernel, ACTGEN_STAGE_ASM, add_text, o, &o->error));
    TRY("object", actgen_emit(&kernel, 1, ACTGEN_EMIT_OBJECT, NULL, add_text, o, &o->error));
    TRY("header", actgen_emit(&kernel, 1, ACTGEN_EMIT_HEADER, NULL, add_text, o, &o->error));
    actgen_kernel_free((actgen_kernel *)kernel);
    actgen_engine_free(own);
}

static void call_with_values(struct outcome *o, const struct subject *s)
{
    const actgen_options options = ACTGEN_OPTIONS_INIT;
    actgen_scalar_fn function = NULL;
    actgen_engine *own = NULL;
    open_own(o, &own);
    actgen_kernel *kernel = make(o, own, s->spec, &options);
    TRY("scalar", actgen_kernel_scalar(&function, kernel, &o->error));
    if (!o->status) {
        const float y = ((float (*)(float))function)(0.75F);
        add_text(o, &y, sizeof y);
    }
    actgen_kernel_free(kernel);
    actgen_engine_free(own);
}

/* Plans by times, which the test decides, and compiles with the plan file. */
static void tune(struct outcome *o, const struct subject *s)
{
    actgen_options options = ACTGEN_OPTIONS_INIT;
    actgen_engine *own = NULL;
    open_own(o, &own);
    if (own) own->time = name_the_winner;
    chosen = LAST;
    options.plan = ACTGEN_PLAN_MEASURE;
    const actgen_kernel *tuned = make(o, own, s->spec, &options);
    TRY("plans", actgen_emit(&tuned, 1, ACTGEN_EMIT_PLANS, NULL, add_text, o, &o->error));
    options.plan = ACTGEN_PLAN_ESTIMATE;
    options.plans = o->text;
    actgen_kernel *planned = make(o, own, s->spec, &options);
    if (!o->status) add_text(o, actgen_kernel_object_hash(planned), HASH_TEXT_SIZE);
    actgen_kernel_free(planned);
    actgen_kernel_free((actgen_kernel *)tuned);
    actgen_engine_free(own);
}

/* The subjects, the quickest first, which has the most places. */
static struct subject subjects[] = {
    {.spec = "kernel k(x: f32) -> (y: f32) { y = x*x + 1.5 }"},
    {.spec = "kernel k(x: f32) -> (y: f32) { y = exp(-x*x) }", .accuracy = "abs 1e-4"},
    {.spec = "kernel k(x: bf16) -> (y: bf16) { y = tanh(x)*1.5 }"},
    {.spec = "function f(x; a = 0.1) = if x > 0 then x else a*x\n"
             "kernel k(x: f16, b: f16) -> (y: f16) { y = f(x)*b + 0.3 }"},
    {.spec = "kernel k(x: e4m3) -> (y: e4m3) { y = max(x, 0.1*x) }", .is_proved = true},
};
enum { SUBJECTS = sizeof subjects / sizeof *subjects };

static int make_kernels(void **state)
{
    actgen_engine_options without = ACTGEN_ENGINE_OPTIONS_INIT;
    actgen_options options = ACTGEN_OPTIONS_INIT;
    actgen_spec *spec;
    without.cache_directory = "";
    if (make_folder(state) || actgen_engine_create_with(&engine, &without, &error)) return -1;
    snprintf(cache_folder, sizeof cache_folder, "%s/cache", folder);
    for (struct subject *s = subjects; s < subjects + SUBJECTS; s++) {
        options.accuracy = s->accuracy;
        if (actgen_spec_parse(&spec, NULL, s->spec, strlen(s->spec), &error) ||
            actgen_compile(&s->kernel, engine, spec, NULL, &options, &error))
            return -1;
        actgen_spec_free(spec);
    }
    return 0;
}

static int free_kernels(void **state)
{
    for (struct subject *s = subjects; s < subjects + SUBJECTS; s++) actgen_kernel_free(s->kernel);
    actgen_engine_free(engine);
    return remove_folder(state);
}

static void compiling(void **unused)
{
    (void)unused;
    for (unsigned i = 0; i < SUBJECTS; i++) try_all(compile, &subjects[i], true);
}

static void computing(void **unused)
{
    (void)unused;
    for (unsigned i = 0; i < SUBJECTS; i++) try_all(compute, &subjects[i], true);
}

static void explaining(void **unused)
{
    (void)unused;
    try_all(explain, &subjects[0], true);
}

static void verifying(void **unused)
{
    (void)unused;
    try_all(verify, &subjects[2], true);
    try_all(verify, &subjects[3], false);
}

static void other_calls(void **unused)
{
    (void)unused;
    try_all(make_specs, &subjects[0], true);
    try_all(use_kernels, &subjects[0], true);
}

static void making_code(void **unused)
{
    static const struct subject of_sums = {.spec = "kernel k(x: f32) -> (s: f32[cols]) { s = sum(x) }"};
    (void)unused;
    for (size_t i = 0; i < sizeof file_kinds / sizeof *file_kinds; i++)
        try_all(write_file, &(struct subject){.spec = subjects[0].spec, .file = &file_kinds[i]}, !i);
    try_all(sum_up, &of_sums, true);
    try_all(call_with_values, &subjects[0], true);
}

static void tuning(void **unused)
{
    static const struct subject gate = {.spec = GATE_TEXT};
    (void)unused;
    try_all(tune, &gate, false);
}

/* Checks that the engine finds an equal text by its hash without parsing it. The parser would allocate. */
static void equal_texts_are_not_parsed(void **state)
{
    (void)state;
    static const char text[] = "kernel k(x: f32) -> (y: f32) { y = max(x, 0) }", other[] = "kernel k(";
    actgen_options options = ACTGEN_OPTIONS_INIT;
    actgen_kernel *made = NULL, *found = NULL, *none = NULL;
    options.tier = ACTGEN_TIER_INTERPRETER;
    int status = actgen_compile_text(&made, engine, NULL, text, strlen(text), NULL, &options, NULL);
    assert_int_equal(status, ACTGEN_OK);
    allocations = 0;
    first_to_fail = 1;
    for_good = true;
    status = actgen_compile_text(&found, engine, NULL, text, strlen(text), NULL, &options, NULL);
    const unsigned long asked_for = allocations;
    const int of_other = actgen_compile_text(&none, engine, NULL, other, strlen(other), NULL, &options, NULL);
    first_to_fail = 0;
    for_good = false;
    assert_int_equal(status, ACTGEN_OK);
    assert_int_equal(asked_for, 0);
    assert_ptr_equal(found, made);
    assert_int_equal(of_other, ACTGEN_ENOMEM);
    actgen_kernel_free(made);
    actgen_kernel_free(found);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(equal_texts_are_not_parsed),
        cmocka_unit_test(compiling),
        cmocka_unit_test(computing),
        cmocka_unit_test(explaining),
        cmocka_unit_test(verifying),
        cmocka_unit_test(other_calls),
        cmocka_unit_test(making_code),
        cmocka_unit_test(tuning),
    };
    return cmocka_run_group_tests_name("out_of_memory", tests, make_kernels, free_kernels);
}
