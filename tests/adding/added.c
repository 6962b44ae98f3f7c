/* Tests that the things added by the patches in this folder work. adding.cmake builds the library
 * with all of them. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "actgen.h"
#include "backend.h"
#include "element.h"
#include "interp.h"
#include "loader.h"

#include <stdlib.h>

enum { COUNT = 515 }; /* Some vectors and a tail. */

/* ---- an activation, a function ---- */

static int find_added(void *payload, const actgen_builtin *b)
{
    *(bool *)payload |= !strcmp(b->name, "added_activation");
    return 0;
}

typedef double function(double x);

/* Checks a kernel of the spec, and frees the spec. */
static void check_spec(actgen_spec *spec, const char *accuracy,
                       void (*check)(const actgen_kernel *kernel, function *f), function *f)
{
    actgen_engine_options engine_options = ACTGEN_ENGINE_OPTIONS_INIT;
    actgen_options options = ACTGEN_OPTIONS_INIT;
    actgen_engine *engine;
    actgen_kernel *kernel;
    actgen_error error;
    engine_options.cache_directory = "";
    options.accuracy = accuracy;
    assert_int_equal(actgen_engine_create_with(&engine, &engine_options, &error), 0);
    if (actgen_compile(&kernel, engine, spec, NULL, &options, &error)) fail_msg("%s", error.message);
    check(kernel, f);
    actgen_kernel_free(kernel);
    actgen_engine_free(engine);
    actgen_spec_free(spec);
}

static void verify(const actgen_kernel *kernel, function *f)
{
    (void)f;
    actgen_report report = ACTGEN_REPORT_INIT;
    actgen_error error;
    if (actgen_verify(kernel, NULL, &report, &error)) fail_msg("%s", error.message);
    assert_true(report.ok);
}

/* Compares the values themselves. Nothing else checks that the reference is right. */
static void evaluate(const actgen_kernel *kernel, function *f)
{
    static float x[COUNT], y[COUNT];
    const actgen_operand operands[] = {{x, 0}, {y, 0}};
    actgen_error error;
    for (int i = 0; i < COUNT; i++) x[i] = (float)(i - COUNT / 2) / 16;
    if (actgen_run(kernel, 1, COUNT, operands, 2, &error)) fail_msg("%s", error.message);
    for (int i = 0; i < COUNT; i++) {
        const double in = (double)x[i], wanted = f(in);
        double exact;
        if (actgen_reference(kernel, 0, &in, &exact, &error)) fail_msg("%s", error.message);
        assert_true(fabs(exact - wanted) < 1e-12);
        assert_true(fabs((double)y[i] - wanted) < 0x1p-10 * fmax(1, fabs(wanted)));
    }
}

static void the_activation_is_listed_and_verified(void **state)
{
    (void)state;
    bool is_listed = false;
    actgen_spec *spec;
    actgen_error error;
    assert_int_equal(actgen_builtins(find_added, &is_listed, &error), 0);
    assert_true(is_listed);
    assert_int_equal(actgen_spec_builtin(&spec, "added_activation", &error), 0);
    check_spec(spec, "abs 2^-10", verify, NULL);
}

static void check_function(const char *formula, function *f)
{
    actgen_spec *spec;
    actgen_error error;
    if (actgen_spec_expression(&spec, formula, &error)) fail_msg("%s", error.message);
    check_spec(spec, "abs 2^-10", evaluate, f);
}

static double of_secant(double x) { return (x - tanh(x)) / cosh(x); }
static double of_power(double x) { return x * expm1(-x * x * log(2)) - 2 * x * log(2) * exp2(-x * x); }

static void functions_are_evaluated(void **state)
{
    (void)state;
    check_function("x*added_secant(x) + diff(added_secant(x), x)", of_secant);
    check_function("x*exp2m1(-x^2) + diff(exp2m1(-x^2), x)", of_power);
}

/* ---- a reduction ---- */

/* Checks the least element over a row, over a column and over all, and the gradient of one in a formula. Only
 * the elements that are the least share what arrives at it. */
static void the_reduction_is_computed_and_derived(void **state)
{
    (void)state;
    static const char text[] =
        "kernel least(x: f32) -> (y: f32, row: f32[rows], column: f32[cols], all: f32[]) {\n"
        "    y = x*amin(x); row = amin(x); column = amin(x); all = amin(x)\n}\n"
        "kernel scaled(x: f32) -> (y: f32) { y = x*amin(x) }\n"
        "kernel scaled_backward = gradient scaled\n";
    static float x[2][4] = {{3, 1, 2, 1}, {-1, 5, 2, 4}}, one[2][4] = {{1, 1, 1, 1}, {1, 1, 1, 1}};
    static const float products[2][4] = {{3, 1, 2, 1}, {1, -5, -2, -4}},
                       slopes[2][4] = {{1, 4.5, 1, 4.5}, {9, -1, -1, -1}}, rows[2] = {1, -1},
                       columns[4] = {-1, 1, 2, 1};
    static float y[2][4], row[2], column[4], all, d_x[2][4];
    const actgen_operand least[] = {{x, 0}, {y, 0}, {row, 0}, {column, 0}, {&all, 0}};
    const actgen_operand backward[] = {{x, 0}, {one, 0}, {d_x, 0}};
    actgen_spec *spec;
    actgen_engine *engine;
    actgen_kernel *kernel;
    actgen_error error;
    if (actgen_spec_parse(&spec, "added.act", text, sizeof text - 1, &error)) fail_msg("%s", error.message);
    assert_int_equal(actgen_engine_create(&engine, &error), 0);
    if (actgen_compile(&kernel, engine, spec, "least", NULL, &error)) fail_msg("%s", error.message);
    if (actgen_run(kernel, 2, 4, least, 5, &error)) fail_msg("%s", error.message);
    actgen_kernel_free(kernel);
    if (actgen_compile(&kernel, engine, spec, "scaled_backward", NULL, &error)) fail_msg("%s", error.message);
    if (actgen_run(kernel, 2, 4, backward, 3, &error)) fail_msg("%s", error.message);
    verify(kernel, NULL);
    actgen_kernel_free(kernel);
    assert_memory_equal(y, products, sizeof y);
    assert_memory_equal(row, rows, sizeof row);
    assert_memory_equal(column, columns, sizeof column);
    assert_true(all == -1);
    assert_memory_equal(d_x, slopes, sizeof d_x);
    actgen_engine_free(engine);
    actgen_spec_free(spec);
}

/* ---- an operation, an element type, an instruction set ---- */

struct kernel {
    arena *memory;
    lane_program *program;
    struct kernel_operand operands[3];
    struct lane_kernel kernel;
};

static void open_kernel(struct kernel *k, const struct target_isa *isa)
{
    *k = (struct kernel){.memory = arena_create(0)};
    assert_true(k->memory && !setjmp(*arena_escape(k->memory)));
    struct target_profile *profile = arena_alloc(k->memory, sizeof *profile);
    *profile = isa->profile;
    k->program = lane_create(k->memory, profile);
}

static void add_operand(struct kernel *k, uint32_t number, enum element_type type, bool is_result)
{
    static const char *const names[] = {"a", "b", "c"};
    k->operands[number] =
        (struct kernel_operand){.name = names[number], .type = type, .is_result = is_result, .parts = 1};
}

/* Compares machine code with the interpreter. The last operand is the result. */
static void compare(struct kernel *k, uint32_t count, const struct target_isa *isa, void *const *data,
                    void *interpreted)
{
    const size_t bytes = element_types[k->operands[count - 1].type].bytes;
    actgen_operand call[3] = {{NULL, 0}};
    struct kernel_row rows[3] = {{NULL, 1}};
    struct backend_buffer object;
    loader_code *code;
    actgen_fn run;
    struct diag error = {0};
    k->kernel = lane_kernel_make("kernel", k->operands, count, k->program);
    const struct backend_function function = {.kernel = &k->kernel, .symbol = "kernel", .isa = isa};
    for (uint32_t n = 0; n < count; n++) {
        call[n].data = data[n];
        rows[n] = (struct kernel_row){n + 1 < count ? data[n] : interpreted, 1, 0};
    }
    interp *i = interp_create_kernel(&k->kernel);
    assert_non_null(i);
    interp_run_row(i, rows, COUNT);
    interp_free(i);
    if (backend_emit(&function, 1, NULL, BACKEND_OBJECT, &object, &error)) fail_msg("%s", error.message);
    if (target_isa_runs_here(isa)) {
        if (loader_load(&code, object.data, object.size, &error)) fail_msg("%s", error.message);
        void *address = loader_symbol(code, "kernel", &error);
        memcpy(&run, &address, sizeof run);
        run(1, COUNT, call);
        assert_memory_equal(data[count - 1], interpreted, COUNT * bytes);
        loader_free(code);
    }
    backend_buffer_free(&object);
    arena_free(k->memory);
}

static void the_op_is_the_same_for_both_readers(void **state)
{
    (void)state;
    for (size_t n = 0; n < target_isa_count(); n++) {
        const struct target_isa *isa = target_isa_at(n);
        static float a[COUNT], b[COUNT], c[COUNT], wanted[COUNT];
        void *data[] = {a, b, c};
        struct kernel k;
        for (int i = 0; i < COUNT; i++) {
            a[i] = (float)(i % 9 - 4);
            b[i] = (float)(i % 7 - 3);
        }
        open_kernel(&k, isa);
        for (uint32_t o = 0; o < 3; o++) add_operand(&k, o, ELEMENT_F32, o == 2);
        lane_value x = lane_load(k.program, LANE_F32, 0), y = lane_load(k.program, LANE_F32, 1);
        lane_store(k.program, lane_binary(k.program, LANE_ADDED_OP, x, y), 2);
        compare(&k, 3, isa, data, wanted);
        for (int i = 0; i < COUNT; i++) assert_true(wanted[i] == copysignf(a[i], b[i]));
    }
}

/* Copies one element type to another, through lanes of f32. One of the two is the added type. */
static void copy(enum element_type from, enum element_type to, const struct target_isa *isa, void *in,
                 void *out, void *wanted)
{
    struct kernel k;
    void *data[] = {in, out};
    open_kernel(&k, isa);
    add_operand(&k, 0, from, false);
    add_operand(&k, 1, to, true);
    lane_store(k.program, lane_load(k.program, LANE_F32, 0), 1);
    compare(&k, 2, isa, data, wanted);
}

static void the_type_goes_to_lanes_and_back(void **state)
{
    (void)state;
    const struct element_type_info *type = &element_types[ELEMENT_ADDED_TYPE];
    assert_string_equal(type->name, "added_type");
    assert_true(element_is_usable(ELEMENT_ADDED_TYPE));
    for (size_t n = 0; n < target_isa_count(); n++) {
        static uint8_t in[COUNT], out[COUNT], wanted[COUNT];
        static float lanes[COUNT], wanted_lanes[COUNT];
        for (int i = 0; i < COUNT; i++) /* NaNs with other bits are also equal. */
            in[i] = isnan(type->value(i & 255)) ? 0 : (uint8_t)i;
        copy(ELEMENT_ADDED_TYPE, ELEMENT_F32, target_isa_at(n), in, lanes, wanted_lanes);
        copy(ELEMENT_F32, ELEMENT_ADDED_TYPE, target_isa_at(n), wanted_lanes, out, wanted);
        assert_memory_equal(wanted, in, sizeof in);
        /* The type does not hold all of these. */
        for (int i = 0; i < COUNT; i++) lanes[i] = (float)(i - 200) * 0.37f;
        copy(ELEMENT_F32, ELEMENT_ADDED_TYPE, target_isa_at(n), lanes, out, wanted);
        for (int i = 0; i < COUNT; i++) assert_true(wanted[i] == type->near((double)lanes[i]));
    }
}

/* Checks that the type is an argument and a result of a kernel in text. Its rounding has no op of its own. */
static void the_type_is_one_of_the_language(void **state)
{
    (void)state;
    static const char text[] = "kernel k(x: added_type) -> (y: added_type, z: f32) {\n"
                               "    y = 1.5*x + 0.7\n"
                               "    z = y + x*sigmoid(x)\n}\n";
    actgen_spec *spec;
    actgen_error error;
    if (actgen_spec_parse(&spec, "added.act", text, sizeof text - 1, &error)) fail_msg("%s", error.message);
    check_spec(spec, NULL, verify, NULL);
}

static void the_instruction_set_is_listed_and_emits(void **state)
{
    (void)state;
    const struct target_isa *isa = target_isa_find("added-isa");
    bool is_listed = false;
    assert_non_null(isa);
    assert_true(target_core_find("added", isa) == isa->costs);
    for (size_t n = 0; actgen_isa_name(n); n++) is_listed |= !strcmp(actgen_isa_name(n), isa->name);
    assert_true(is_listed);
    static float in[COUNT], out[COUNT],
        /* The tests above emit more than a copy for this set too. */
        wanted[COUNT];
    copy(ELEMENT_F32, ELEMENT_F32, isa, in, out, wanted);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_activation_is_listed_and_verified),
        cmocka_unit_test(functions_are_evaluated),
        cmocka_unit_test(the_reduction_is_computed_and_derived),
        cmocka_unit_test(the_op_is_the_same_for_both_readers),
        cmocka_unit_test(the_type_goes_to_lanes_and_back),
        cmocka_unit_test(the_type_is_one_of_the_language),
        cmocka_unit_test(the_instruction_set_is_listed_and_emits),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
