/* Tests of the public interface only: the library keeps what actgen.h promises. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "engine.h"

#include <malloc.h>
#include <math.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const char gate_text[] = "kernel gate(a: f32, b: f32) -> (y: f32) { y = relu(a) * b }";
static const char relu_text[] = "kernel rectify(x: f32) -> (y: f32) { y = max(x, 0) }";
static const char tanh_text[] = "kernel squash(x: f32) -> (y: f32) {\n accuracy abs 2^-12\n y = tanh(x) }";

/* ---- running ---- */

static void empty_calls_touch_nothing(void **state)
{
    (void)state;
    actgen_kernel *gate = compile_with(gate_text, NULL);
    actgen_operand none[3] = {{NULL, 0}, {NULL, 0}, {NULL, 0}};
    assert_int_equal(actgen_run(gate, 0, 7, none, 3, &error), ACTGEN_OK);
    assert_int_equal(actgen_run(gate, 7, 0, none, 3, &error), ACTGEN_OK);
    assert_int_equal(actgen_interpret(gate, 0, 0, none, 3, &error), ACTGEN_OK);
    if (actgen_kernel_fn(gate)) actgen_kernel_fn(gate)(0, 7, none);
    actgen_kernel_free(gate);
}

enum { ROWS = 5, COLS = 37, STRIDE = 41, CELLS = ROWS * STRIDE };

static void fill(float *x, size_t n)
{
    for (size_t i = 0; i < n; i++) x[i] = (float)((double)(i * 2654435761u % 1999) / 100 - 10);
}

/* Checks that rows with gaps, rows without gaps, calls in place and the interpreter give the same bits,
 * and that the gaps stay as they were. */
static void strides_and_in_place_give_equal_bits(void **state)
{
    (void)state;
    actgen_kernel *k = compile_with(tanh_text, NULL);
    float x[CELLS], y[CELLS], dense_x[ROWS * COLS], dense_y[ROWS * COLS], place[CELLS], interpreted[CELLS];
    fill(x, CELLS);
    for (int i = 0; i < CELLS; i++) y[i] = interpreted[i] = 77;
    memcpy(place, x, sizeof x);
    for (size_t r = 0; r < ROWS; r++) memcpy(dense_x + r * COLS, x + r * STRIDE, COLS * sizeof *x);
    actgen_operand strided[2] = {{x, STRIDE}, {y, STRIDE}}, dense[2] = {{dense_x, 0}, {dense_y, COLS}};
    actgen_operand in_place[2] = {{place, STRIDE}, {place, STRIDE}},
                   oracle[2] = {{x, STRIDE}, {interpreted, STRIDE}};
    assert_int_equal(actgen_run(k, ROWS, COLS, strided, 2, &error), ACTGEN_OK);
    assert_int_equal(actgen_run(k, ROWS, COLS, dense, 2, &error), ACTGEN_OK);
    assert_int_equal(actgen_run(k, ROWS, COLS, in_place, 2, &error), ACTGEN_OK);
    assert_int_equal(actgen_interpret(k, ROWS, COLS, oracle, 2, &error), ACTGEN_OK);
    assert_memory_equal(y, interpreted, sizeof y);
    for (size_t r = 0; r < ROWS; r++) {
        assert_memory_equal(dense_y + r * COLS, y + r * STRIDE, COLS * sizeof *y);
        assert_memory_equal(place + r * STRIDE, y + r * STRIDE, COLS * sizeof *y);
        for (size_t c = COLS; c < STRIDE; c++) {
            assert_true(y[r * STRIDE + c] == 77.0f);
            assert_true(place[r * STRIDE + c] == x[r * STRIDE + c]);
        }
    }
    assert_true(fabsf(y[1] - tanhf(x[1])) < 0x1p-11f);
    actgen_kernel_free(k);
}

/* Checks that every instruction set runs, by the interpreter where necessary. Sets of different profiles
 * may give different bits. A set may extend another set with lanes of its own. A kernel that does not use
 * those lanes is compiled for the other set, so its code needs only that set's processor. */
static void interpreted_kernels_give_the_same_bits(void **state)
{
    (void)state;
    for (size_t n = 0; actgen_isa_name(n); n++) {
        float x[COLS], y[2][COLS];
        fill(x, COLS);
        for (int interpret = 0; interpret < 2; interpret++) {
            actgen_options options = ACTGEN_OPTIONS_INIT;
            options.isa = actgen_isa_name(n);
            options.interpret = interpret;
            actgen_kernel *k = compile_with(tanh_text, &options);
            actgen_operand operands[2] = {{x, 0}, {y[interpret], 0}};
            const char *extended = actgen_isa_extends(options.isa), *own = extended ? extended : options.isa;
            bool code = !interpret && actgen_isa_runs_here(own);
            assert_int_equal(actgen_kernel_fn(k) != NULL, code);
            assert_int_equal(strcmp(actgen_kernel_backend(k), "machine code") == 0, code);
            assert_string_equal(actgen_kernel_isa(k), own);
            assert_int_equal(actgen_run(k, 1, COLS, operands, 2, &error), ACTGEN_OK);
            actgen_kernel_free(k);
        }
        assert_memory_equal(y[0], y[1], sizeof y[0]);
    }
}

static void the_reference_gives_the_true_value(void **state)
{
    (void)state;
    static const struct {
        const char *name;
        double x, value;
    } rows[] = {
        {"gelu", 1, 0.84134474606854293}, {"gelu", -INFINITY, 0},          {"tanh", 0.5, 0.46211715726000976},
        {"silu", 1, 0.73105857863000490}, {"erf", 1, 0.84270079294971487}, {"relu", -2, 0},
        {"sigmoid", INFINITY, 1},         {"log", 0, -INFINITY},           {"sqrt", -1, NAN}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        actgen_spec *spec;
        actgen_kernel *k;
        double value = 7;
        assert_int_equal(actgen_spec_builtin(&spec, rows[i].name, &error), ACTGEN_OK);
        assert_int_equal(actgen_compile(&k, engine, spec, NULL, NULL, &error), ACTGEN_OK);
        assert_int_equal(actgen_reference(k, 0, &rows[i].x, &value, &error), ACTGEN_OK);
        if (isnan(rows[i].value) ? !isnan(value) : !(value == rows[i].value))
            fail_msg("%s(%g) is %.17g, not %.17g", rows[i].name, rows[i].x, value, rows[i].value);
        actgen_kernel_free(k);
        actgen_spec_free(spec);
    }
}

/* ---- cores ---- */

/* Checks that every core's kernel keeps the bound, and that the name is enough to choose a core. */
static void cores_have_kernels_of_their_own(void **state)
{
    (void)state;
    actgen_core core = ACTGEN_CORE_INIT;
    const char *here = NULL; /* The core that this processor has. */
    size_t defaults = 0, isas = 0;
    while (actgen_isa_name(isas)) isas++;
    for (size_t i = 0; !actgen_core_info(i, &core); i++) {
        actgen_options options = ACTGEN_OPTIONS_INIT;
        options.isa = core.isa;
        options.interpret = 1;
        actgen_kernel *usual = compile_with(tanh_text, &options);
        options.tune = core.name;
        actgen_kernel *tuned = compile_with(tanh_text, &options), *again = compile_with(tanh_text, &options);
        actgen_certificate c = ACTGEN_CERTIFICATE_INIT;
        actgen_kernel_certificate(tuned, &c);
        assert_true(c.max_abs <= 0x1p-12);
        assert_true(c.bound == 0x1p-12 && c.bound_is_abs && c.bound_low == -INFINITY);
        assert_string_equal(actgen_kernel_core(tuned), core.name);
        assert_ptr_equal(tuned, again);
        assert_int_equal(tuned == usual, core.is_default);
        assert_true(*core.source);
        actgen_kernel_free(usual);
        actgen_kernel_free(tuned);
        actgen_kernel_free(again);
        defaults += core.is_default != 0;
        if (core.is_here && here) assert_string_equal(core.name, here);
        if (core.is_here) here = core.name;
    }
    assert_true(defaults > 0 && defaults <= isas); /* Sets may share a core. */
    assert_int_equal(actgen_core_info(0, NULL), ACTGEN_EINVAL);
}

/* Checks that "host" never fails: the library uses an instruction set's default core where it has no
 * figures for this processor. */
static void the_host_is_a_core_everywhere(void **state)
{
    (void)state;
    actgen_core core = ACTGEN_CORE_INIT;
    for (size_t n = 0; actgen_isa_name(n); n++) {
        actgen_options options = ACTGEN_OPTIONS_INIT;
        const char *expected = NULL;
        options.isa = actgen_isa_name(n);
        options.tune = "host";
        for (size_t i = 0; !actgen_core_info(i, &core); i++)
            if (!strcmp(core.isa, options.isa) && (core.is_here || (core.is_default && !expected)))
                expected = core.name;
        actgen_kernel *k = compile_with(relu_text, &options);
        /* Otherwise the kernel has another set's core. */
        if (expected) assert_string_equal(actgen_kernel_core(k), expected);
        actgen_kernel_free(k);
    }
}

/* Checks options as programs pass them that were built with the first version's header, which has
 * no such field. */
static void shorter_options_have_no_core(void **state)
{
    (void)state;
    actgen_options options = ACTGEN_OPTIONS_INIT;
    options.size = offsetof(actgen_options, tune);
    options.tune = "not read";
    actgen_kernel_free(compile_with(relu_text, &options));
}

/* ---- gradients ---- */

static actgen_kernel *compile_gradient(const actgen_spec *of, const char *kernel, const char *const *inputs,
                                       size_t count, const char *name)
{
    actgen_spec *spec;
    actgen_kernel *k;
    assert_int_equal(actgen_spec_gradient(&spec, of, kernel, inputs, count, &error), ACTGEN_OK);
    assert_int_equal(actgen_spec_kernel_count(spec), 2);
    if (actgen_compile(&k, engine, spec, name, NULL, &error)) fail_msg("%s", error.message);
    actgen_spec_free(spec);
    return k;
}

/* Checks that the call makes the same gradients as `gradient` in the language, for texts and built-ins,
 * and that a gradient has a gradient. */
static void gradients_are_those_of_the_language(void **state)
{
    (void)state;
    static const char both[] = "kernel gate(a: f32, b: f32) -> (y: f32) { y = relu(a) * b }\n"
                               "kernel gate_backward = gradient gate of b, a\n"
                               "kernel other(x: f32) -> (y: f32) { y = x + 1 }";
    const char *const inputs[] = {"b", "a"};
    actgen_spec *spec, *builtin;
    assert_int_equal(actgen_spec_parse(&spec, NULL, both, strlen(both), &error), ACTGEN_OK);
    actgen_kernel *told, *made = compile_gradient(spec, "gate", inputs, 2, "gate_backward");
    assert_int_equal(actgen_compile(&told, engine, spec, "gate_backward", NULL, &error), ACTGEN_OK);
    assert_string_equal(actgen_kernel_object_hash(made), actgen_kernel_object_hash(told));
    actgen_kernel *one = compile_gradient(spec, "gate", inputs, 1, "gate_backward");
    assert_int_equal(actgen_kernel_group_count(told), 5);
    assert_int_equal(actgen_kernel_group_count(one), 4);
    actgen_kernel *second = compile_gradient(spec, "gate_backward", inputs, 1, "gate_backward_backward");
    /* The groups are a, b, d_y, d_d_b, d_d_a and d_b. */
    assert_int_equal(actgen_kernel_group_count(second), 6);
    assert_int_equal(actgen_spec_builtin(&builtin, "relu", &error), ACTGEN_OK);
    actgen_kernel *slope = compile_gradient(builtin, NULL, NULL, 0, "relu_backward");
    float x[2] = {-1, 2}, d_y[2] = {3, 3}, d_x[2];
    actgen_operand operands[3] = {{x, 0}, {d_y, 0}, {d_x, 0}};
    assert_int_equal(actgen_run(slope, 1, 2, operands, 3, &error), ACTGEN_OK);
    assert_true(d_x[0] == 0 && d_x[1] == 3);
    actgen_kernel *const kernels[] = {told, made, one, second, slope};
    for (size_t i = 0; i < sizeof kernels / sizeof *kernels; i++) actgen_kernel_free(kernels[i]);
    actgen_spec_free(builtin);
    actgen_spec_free(spec);
}

/* ---- lives ---- */

static void equal_compilations_share_a_kernel(void **state)
{
    (void)state;
    actgen_options options = ACTGEN_OPTIONS_INIT;
    actgen_kernel *a = compile_with(relu_text, NULL), *b = compile_with(relu_text, &options);
    options.accuracy = "1 ulp";
    actgen_kernel *other = compile_with(relu_text, &options);
    assert_ptr_equal(a, b);
    assert_ptr_not_equal(a, other);
    assert_string_equal(actgen_kernel_object_hash(a), actgen_kernel_object_hash(b));
    actgen_kernel_free(a); /* Kernel b stays usable. */
    float x = -1, y = 5;
    actgen_operand operands[2] = {{&x, 0}, {&y, 0}};
    assert_int_equal(actgen_run(b, 1, 1, operands, 2, &error), ACTGEN_OK);
    assert_true(y == 0);
    actgen_kernel_free(b);
    actgen_kernel_free(other);
}

static actgen_kernel *compile_text(const char *text, const char *name, const actgen_options *options)
{
    actgen_kernel *k = (actgen_kernel *)&error;
    if (!actgen_compile_text(&k, engine, "test.act", text, strlen(text), name, options, &error)) return k;
    assert_null(k);
    return NULL;
}

/* Checks that equal texts share a kernel. The text `two` has two kernels, so compiling it without a name
 * fails, even after one of its kernels was made. */
static void equal_texts_share_a_kernel(void **state)
{
    (void)state;
    static const char two[] = "kernel first(x: f32) -> (y: f32) { y = max(x, 0) }\n"
                              "kernel second(x: f32) -> (y: f32) { y = max(x, 1) }\n";
    actgen_options options = ACTGEN_OPTIONS_INIT;
    actgen_kernel *parsed = compile_with(relu_text, NULL), *named, *text[4], *first, *second, *none;
    named = compile_text(relu_text, actgen_kernel_name(parsed), NULL);
    text[0] = compile_text(relu_text, NULL, NULL);
    assert_ptr_equal(text[0], parsed);
    assert_ptr_equal(named, parsed);
    options.accuracy = "abs 2^-20";
    text[1] = compile_text(tanh_text, NULL, &options);
    text[2] = compile_text(tanh_text, NULL, NULL);
    text[3] = compile_text(tanh_text, NULL, &options);
    assert_true(text[1] && text[2] && text[1] != text[2] && text[1] == text[3]);
    first = compile_text(two, "first", NULL);
    second = compile_text(two, "second", NULL);
    assert_string_equal(actgen_kernel_name(first), "first");
    assert_string_equal(actgen_kernel_name(second), "second");
    assert_null(compile_text(two, NULL, NULL));
    assert_int_equal(error.status, ACTGEN_EINVAL);
    assert_null(compile_text(relu_text, "first", NULL));
    assert_int_equal(error.status, ACTGEN_EINVAL);
    assert_null(compile_text("kernel", NULL, NULL));
    assert_int_equal(error.status, ACTGEN_ESYNTAX);
    assert_refused(actgen_compile_text(&none, engine, NULL, NULL, 5, NULL, NULL, &error), ACTGEN_EINVAL,
                   "NULL");
    actgen_kernel *all[] = {parsed, named, text[0], text[1], text[2], text[3], first, second};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) actgen_kernel_free(all[i]);
}

/* Checks that the type and the kind are a part of the key: a name that is also a formula is not mistaken
 * for that formula. */
static void built_ins_and_formulas_are_found_by_their_text(void **state)
{
    (void)state;
    actgen_kernel *k[5];
    actgen_spec *spec;
    assert_int_equal(actgen_compile_builtin(&k[0], engine, "relu", NULL, NULL, &error), ACTGEN_OK);
    assert_int_equal(actgen_compile_builtin(&k[1], engine, "relu", "bf16", NULL, &error), ACTGEN_OK);
    assert_int_equal(actgen_compile_expression(&k[2], engine, "relu = max(x, 0)", NULL, NULL, &error),
                     ACTGEN_OK);
    assert_int_equal(actgen_compile_builtin(&k[3], engine, "relu", NULL, NULL, &error), ACTGEN_OK);
    assert_int_equal(actgen_spec_builtin_typed(&spec, "relu", "bf16", &error), ACTGEN_OK);
    assert_int_equal(actgen_compile(&k[4], engine, spec, "relu", NULL, &error), ACTGEN_OK);
    actgen_spec_free(spec);
    assert_true(k[0] == k[3] && k[1] == k[4] && k[0] != k[1] && k[0] != k[2]);
    for (size_t i = 0; i < sizeof k / sizeof *k; i++) actgen_kernel_free(k[i]);
    assert_refused(actgen_compile_builtin(&k[0], engine, "max(x, 0)", NULL, NULL, &error), ACTGEN_EINVAL, "");
    assert_refused(actgen_compile_expression(&k[0], engine, NULL, NULL, NULL, &error), ACTGEN_EINVAL, "NULL");
}

/* Checks that the engine finds kernels again when there are so many that its table grows several times. */
static void many_kernels_are_found_again(void **state)
{
    (void)state;
    enum { KERNELS = 300 };
    actgen_kernel *k[KERNELS];
    actgen_options options = ACTGEN_OPTIONS_INIT;
    options.tier = ACTGEN_TIER_INTERPRETER;
    char text[64];
    for (int again = 0; again < 2; again++)
        for (int i = 0; i < KERNELS; i++) {
            actgen_kernel *one;
            snprintf(text, sizeof text, "max(x, %d)", i);
            assert_int_equal(actgen_compile_expression(&one, engine, text, NULL, &options, &error),
                             ACTGEN_OK);
            if (again) assert_ptr_equal(one, k[i]);
            k[i] = one;
        }
    for (int i = 0; i < 2 * KERNELS; i++) actgen_kernel_free(k[i % KERNELS]);
}

static void kernels_outlive_their_engine(void **state)
{
    (void)state;
    actgen_engine *own, *shared = engine;
    assert_int_equal(actgen_engine_create(&own, &error), ACTGEN_OK);
    engine = own;
    actgen_kernel *k = compile_with(relu_text, NULL);
    engine = shared;
    actgen_engine_free(own);
    float x[2] = {-1, 2}, y[2];
    actgen_operand operands[2] = {{x, 0}, {y, 0}};
    assert_int_equal(actgen_run(k, 1, 2, operands, 2, &error), ACTGEN_OK);
    assert_true(y[0] == 0 && y[1] == 2);
    actgen_kernel_free(k);
}

static void *compile_and_run(void *argument)
{
    const char *text = argument;
    actgen_error own;
    for (int round = 0; round < 4; round++) {
        actgen_spec *spec;
        actgen_kernel *k;
        float x[COLS], y[COLS], oracle[COLS];
        actgen_operand operands[2] = {{x, 0}, {y, 0}}, again[2] = {{x, 0}, {oracle, 0}};
        fill(x, COLS);
        if (actgen_spec_parse(&spec, NULL, text, strlen(text), &own) ||
            actgen_compile(&k, engine, spec, NULL, NULL, &own) || actgen_run(k, 1, COLS, operands, 2, &own) ||
            actgen_interpret(k, 1, COLS, again, 2, &own))
            return "failed";
        if (memcmp(y, oracle, sizeof y)) return "other bits";
        actgen_kernel_free(k);
        actgen_spec_free(spec);
    }
    return NULL;
}

static void threads_share_an_engine(void **state)
{
    (void)state;
    static const char *const texts[4] = {relu_text, tanh_text, tanh_text, relu_text};
    pthread_t threads[4];
    for (int i = 0; i < 4; i++)
        assert_int_equal(pthread_create(&threads[i], NULL, compile_and_run, (void *)(uintptr_t)texts[i]), 0);
    for (int i = 0; i < 4; i++) {
        void *wrong;
        pthread_join(threads[i], &wrong);
        if (wrong) fail_msg("%s", (const char *)wrong);
    }
}

static void kernels_give_their_memory_back(void **state)
{
    (void)state;
    enum { WARM_UP = 20, KERNELS = 100, TOLERANCE = 1 << 20 };
    size_t before = 0;
    for (int i = 0; i < WARM_UP + KERNELS; i++) {
        char text[128];
        snprintf(text, sizeof text, "kernel k%d(x: f32) -> (y: f32) { y = max(x, %d) }", i, i);
        if (i == WARM_UP) before = mallinfo2().uordblks;
        actgen_kernel_free(compile_with(text, NULL));
    }
    size_t after = mallinfo2().uordblks;
    if (after > before + TOLERANCE) fail_msg("%d kernels leave %zu bytes", KERNELS, after - before);
}
int main(int count, char **arguments)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(empty_calls_touch_nothing),
        cmocka_unit_test(strides_and_in_place_give_equal_bits),
        cmocka_unit_test(interpreted_kernels_give_the_same_bits),
        cmocka_unit_test(the_reference_gives_the_true_value),
        cmocka_unit_test(cores_have_kernels_of_their_own),
        cmocka_unit_test(the_host_is_a_core_everywhere),
        cmocka_unit_test(shorter_options_have_no_core),
        cmocka_unit_test(gradients_are_those_of_the_language),
        cmocka_unit_test(equal_compilations_share_a_kernel),
        cmocka_unit_test(equal_texts_share_a_kernel),
        cmocka_unit_test(built_ins_and_formulas_are_found_by_their_text),
        cmocka_unit_test(many_kernels_are_found_again),
        cmocka_unit_test(kernels_outlive_their_engine),
        cmocka_unit_test(threads_share_an_engine),
        cmocka_unit_test(kernels_give_their_memory_back),
    };
    if (count > 1) cmocka_set_test_filter(arguments[1]); /* Runs fewer tests where a sanitizer watches. */
    return cmocka_run_group_tests(tests, open_engine, close_engine);
}
