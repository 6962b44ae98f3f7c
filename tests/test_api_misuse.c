/* Tests of misuse of the public interface: the library answers with a status and a message. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "engine.h"
#include "guarded.h"

#include <stdio.h>
#include <string.h>

static const char gate_text[] = "kernel gate(a: f32, b: f32) -> (y: f32) { y = relu(a) * b }";
static const char relu_text[] = "kernel rectify(x: f32) -> (y: f32) { y = max(x, 0) }";

static int write_nothing(void *payload, const void *data, size_t size)
{
    (void)payload, (void)data, (void)size;
    return 0;
}

static void wrong_gradients_are_refused(void **state)
{
    (void)state;
    const char *const unknown[] = {"up"}, *const nothing[] = {NULL};
    actgen_spec *spec, *gradient = (actgen_spec *)&error;
    assert_refused(actgen_spec_gradient(&gradient, NULL, NULL, NULL, 0, &error), ACTGEN_EINVAL,
                   "spec is NULL");
    assert_null(gradient);
    assert_int_equal(actgen_spec_parse(&spec, NULL, gate_text, strlen(gate_text), &error), ACTGEN_OK);
    assert_refused(actgen_spec_gradient(NULL, spec, NULL, NULL, 0, &error), ACTGEN_EINVAL, "out is NULL");
    assert_refused(actgen_spec_gradient(&gradient, spec, "gat", NULL, 0, &error), ACTGEN_EINVAL, "gate");
    assert_refused(actgen_spec_gradient(&gradient, spec, NULL, unknown, 1, &error), ACTGEN_ESYNTAX,
                   "no input `up`");
    assert_int_equal(error.line, 0); /* The error belongs to no text. */
    assert_refused(actgen_spec_gradient(&gradient, spec, NULL, nothing, 1, &error), ACTGEN_EINVAL, "NULL");
    assert_refused(actgen_spec_gradient(&gradient, spec, NULL, NULL, 1, &error), ACTGEN_EINVAL, "NULL");
    actgen_spec_free(spec);
}

static void wrong_specs_are_refused(void **state)
{
    (void)state;
    actgen_spec *spec = (actgen_spec *)&error;
    assert_refused(actgen_spec_parse(&spec, "a.act", "kernel", 6, &error), ACTGEN_ESYNTAX, "");
    assert_null(spec);
    assert_int_equal(error.line, 1);
    assert_true(error.column > 0);
    assert_refused(actgen_spec_parse(&spec, NULL, NULL, 5, &error), ACTGEN_EINVAL, "NULL");
    assert_refused(actgen_spec_parse(NULL, NULL, "", 0, &error), ACTGEN_EINVAL, "NULL");
    assert_refused(actgen_spec_expression(&spec, "tanhh(x)", &error), ACTGEN_ESYNTAX, "tanh");
    assert_refused(actgen_spec_expression(&spec, NULL, &error), ACTGEN_EINVAL, "NULL");
    assert_refused(actgen_spec_builtin(&spec, "gelo", &error), ACTGEN_EINVAL, "gelu");
    assert_refused(actgen_spec_builtin(&spec, NULL, &error), ACTGEN_EINVAL, "NULL");
    assert_refused(actgen_spec_builtin_typed(&spec, "gelu", "bf61", &error), ACTGEN_EINVAL, "bf16");
    assert_refused(actgen_spec_expression_typed(&spec, "x*x", "u64", &error), ACTGEN_ENOTYET, "f16");
    /* The error may be NULL. */
    assert_int_equal(actgen_spec_expression(&spec, "tanhh(x)", NULL), ACTGEN_ESYNTAX);
    assert_int_equal(actgen_spec_parse(&spec, NULL, NULL, 0, &error),
                     ACTGEN_OK); /* An empty file has no kernel. */
    assert_int_equal(actgen_spec_kernel_count(spec), 0);
    assert_null(actgen_spec_kernel_name(spec, 0));
    actgen_kernel *kernel;
    assert_refused(actgen_compile(&kernel, engine, spec, NULL, NULL, &error), ACTGEN_EINVAL, "no kernel");
    actgen_spec_free(spec);
    actgen_spec_free(NULL);
}

/* Checks with unterminated texts at the end of memory that the parser reads no byte after a text, whatever
 * the text begins with. */
static void no_byte_behind_a_text_is_read(void **state)
{
    (void)state;
    static const char *const texts[] = {"",  "\xef", "\xef\xbb", "\xef\xbb\xbf", "\xef\xbb\xbf\xff",
                                        "k", "\xc3", "1e",       "x <",          "kernel k(x: f32)"};
    struct guarded memory = {0};
    assert_true(guarded_create(&memory, 64));
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        const size_t length = strlen(texts[i]);
        char *const text = (char *)memory.data + memory.size - length;
        actgen_spec *spec;
        actgen_kernel *kernel;
        memcpy(text, texts[i], length);
        const bool is_empty = !length || !strcmp(texts[i], "\xef\xbb\xbf");
        const int expected = is_empty ? ACTGEN_OK : ACTGEN_ESYNTAX;
        assert_int_equal(actgen_spec_parse(&spec, NULL, text, length, &error), expected);
        if (!is_empty) assert_true(error.offset <= length && error.column <= length + 1);
        actgen_spec_free(spec);
        const int compiled = is_empty ? ACTGEN_EINVAL : ACTGEN_ESYNTAX; /* An empty text has no kernel. */
        assert_int_equal(actgen_compile_text(&kernel, engine, NULL, text, length, NULL, NULL, &error),
                         compiled);
    }
    guarded_free(&memory);
}

/* Checks that an impossible length is refused before the library hashes or scans the text. */
static void false_lengths_are_refused_unread(void **state)
{
    (void)state;
    static const size_t lengths[] = {(size_t)-1, SIZE_MAX / 2, (1 << 20) + 1};
    struct guarded memory = {0};
    assert_true(guarded_create(&memory, 1));
    memory.data[memory.size - 1] = '#';
    for (size_t i = 0; i < sizeof lengths / sizeof *lengths; i++) {
        const char *const text = (const char *)memory.data + memory.size - 1;
        actgen_spec *spec;
        actgen_kernel *kernel;
        assert_refused(actgen_spec_parse(&spec, NULL, text, lengths[i], &error), ACTGEN_ESYNTAX, "1048576");
        assert_refused(actgen_compile_text(&kernel, engine, NULL, text, lengths[i], NULL, NULL, &error),
                       ACTGEN_ESYNTAX, "1048576");
    }
    guarded_free(&memory);
}

/* Calls the library with NULL, as a program does that did not look at the status of a failed call. */
static void of_null_there_is_nothing(void **state)
{
    (void)state;
    static const char *(*const texts[])(const actgen_kernel *) = {
        actgen_kernel_name, actgen_kernel_backend,  actgen_kernel_isa,       actgen_kernel_core,
        actgen_kernel_plan, actgen_kernel_accuracy, actgen_kernel_chosen_by, actgen_kernel_object_hash};
    const char *why = NULL;
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) assert_null(texts[i](NULL));
    assert_null(actgen_kernel_fn(NULL));
    assert_true(actgen_kernel_compile_ms(NULL) == 0 && actgen_kernel_plan_ms(NULL) == 0);
    assert_int_equal(actgen_kernel_operand_count(NULL), 0);
    assert_int_equal(actgen_kernel_group_count(NULL), 0);
    assert_int_equal(actgen_kernel_workspace(NULL, 1, 1), 0);
    assert_int_equal(actgen_spec_kernel_count(NULL), 0);
    assert_null(actgen_spec_kernel_name(NULL, 0));
    assert_null(actgen_engine_cache(NULL, &why));
    assert_non_null(strstr(why, "NULL"));
    assert_null(actgen_engine_cache(NULL, NULL));
}

static void wrong_compilations_are_refused(void **state)
{
    (void)state;
    char two[256];
    snprintf(two, sizeof two, "%s\n%s", gate_text, relu_text);
    actgen_spec *spec = parse(two);
    actgen_kernel *kernel;
    static const struct {
        const char *kernel, *isa, *accuracy, *tune;
        int status;
        const char *text;
    } rows[] = {
        {NULL, NULL, NULL, NULL, ACTGEN_EINVAL, "2 kernels"},
        {"rectifi", NULL, NULL, NULL, ACTGEN_EINVAL, "did you mean `rectify`"},
        {"rectify", "sse9", NULL, NULL, ACTGEN_ETARGET, "sse9"},
        {"rectify", NULL, "3 apples", NULL, ACTGEN_ESYNTAX, ""},
        {"rectify", NULL, "", NULL, ACTGEN_ESYNTAX, ""},
        {"rectify", NULL, "0.4 ulp", NULL, ACTGEN_ESYNTAX, "0.5 ulp"},
        /* The message names the nearest core, then all of them. */
        {"rectify", "avx512", NULL, "zen6", ACTGEN_ETARGET, "`zen5`?); those"},
        {"rectify", "avx512", NULL, "z80", ACTGEN_ETARGET, "skylake-x, sapphirerapids, emeraldrapids"},
        {"rectify", "avx2", NULL, "skylake-x", ACTGEN_ETARGET,
         "one of avx512; those of avx2 are: zen5, zen4, zen3, sapphirerapids, emeraldrapids, graniterapids, "
         "skylake, generic-avx2"},
        {"rectify", "x86-64", NULL, "", ACTGEN_ETARGET, "generic"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        actgen_options options = ACTGEN_OPTIONS_INIT;
        options.isa = rows[i].isa;
        options.accuracy = rows[i].accuracy;
        options.tune = rows[i].tune;
        assert_refused(actgen_compile(&kernel, engine, spec, rows[i].kernel, &options, &error),
                       rows[i].status, rows[i].text);
        assert_null(kernel);
    }
    actgen_options unset = {0};
    assert_refused(actgen_compile(&kernel, engine, spec, "rectify", &unset, &error), ACTGEN_EINVAL,
                   "ACTGEN_OPTIONS_INIT");
    assert_refused(actgen_compile(NULL, engine, spec, "rectify", NULL, &error), ACTGEN_EINVAL, "NULL");
    assert_refused(actgen_compile(&kernel, NULL, spec, "rectify", NULL, &error), ACTGEN_EINVAL, "NULL");
    assert_refused(actgen_compile(&kernel, engine, NULL, "rectify", NULL, &error), ACTGEN_EINVAL, "NULL");
    actgen_spec_free(spec);
    actgen_kernel_free(NULL);
    actgen_engine_free(NULL);
}

static void wrong_calls_are_refused(void **state)
{
    (void)state;
    actgen_kernel *gate = compile_with(gate_text, NULL);
    float a[64] = {0}, b[64] = {0}, y[64] = {0};
    const struct {
        size_t rows, cols, count;
        actgen_operand operands[3];
        const char *text;
    } rows[] = {
        {4, 4, 2, {{a, 0}, {b, 0}, {y, 0}}, "3 operands"},
        {4, 4, 4, {{a, 0}, {b, 0}, {y, 0}}, "3 operands"},
        {4, 4, 3, {{NULL, 0}, {b, 0}, {y, 0}}, "`a` is NULL"},
        {4, 4, 3, {{a, 0}, {b, 0}, {NULL, 0}}, "`y` is NULL"},
        {4, 4, 3, {{a, 3}, {b, 0}, {y, 0}}, "stride 3"},
        {4, 4, 3, {{(char *)a + 1, 0}, {b, 0}, {y, 0}}, "not aligned"},
        {4, 4, 3, {{a, 0}, {b, 0}, {a + 1, 0}}, "overlaps `a`"},
        {4, 4, 3, {{a, 8}, {b, 0}, {a, 4}}, "overlaps `a`"},
        {4, 4, 3, {{a, 0}, {b, 0}, {b + 15, 0}}, "overlaps `b`"},
        {SIZE_MAX / 2, 4, 3, {{a, 0}, {b, 0}, {y, 0}}, "overflow"},
        {2, SIZE_MAX / 2, 3, {{a, 0}, {b, 0}, {y, 0}}, "overflow"},
        {4, 4, 3, {{a, SIZE_MAX / 4}, {b, 0}, {y, 0}}, "overflow"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        assert_refused(actgen_run(gate, rows[i].rows, rows[i].cols, rows[i].operands, rows[i].count, &error),
                       ACTGEN_EINVAL, rows[i].text);
        assert_refused(
            actgen_interpret(gate, rows[i].rows, rows[i].cols, rows[i].operands, rows[i].count, &error),
            ACTGEN_EINVAL, rows[i].text);
    }
    assert_refused(actgen_run(gate, 1, 1, NULL, 3, &error), ACTGEN_EINVAL, "NULL");
    double in[2] = {1, 2}, value;
    assert_refused(actgen_reference(gate, 1, in, &value, &error), ACTGEN_EINVAL, "result");
    assert_refused(actgen_reference(gate, 0, NULL, &value, &error), ACTGEN_EINVAL, "NULL");
    assert_refused(actgen_verify(gate, NULL, NULL, &error), ACTGEN_EINVAL, "NULL");
    actgen_operand_info info = ACTGEN_OPERAND_INFO_INIT;
    assert_int_equal(actgen_kernel_operand_info(gate, 3, &info), ACTGEN_EINVAL);
    actgen_kernel_free(gate);
}

/* Passes a NULL kernel, as a program does that does not check whether actgen_compile succeeded. */
static void a_null_kernel_is_refused(void **state)
{
    (void)state;
    const actgen_kernel *none = NULL;
    actgen_operand operands[2] = {{NULL, 0}, {NULL, 0}};
    actgen_operand_info info = ACTGEN_OPERAND_INFO_INIT;
    actgen_certificate certificate = ACTGEN_CERTIFICATE_INIT;
    actgen_report report = ACTGEN_REPORT_INIT;
    double in[1] = {1}, value;
    assert_refused(actgen_run(none, 1, 1, operands, 2, &error), ACTGEN_EINVAL, "NULL");
    assert_refused(actgen_run_rows(none, 0, 1, 1, 1, operands, 2, &error), ACTGEN_EINVAL, "NULL");
    assert_refused(actgen_interpret(none, 1, 1, operands, 2, &error), ACTGEN_EINVAL, "NULL");
    assert_refused(actgen_reference(none, 0, in, &value, &error), ACTGEN_EINVAL, "NULL");
    assert_refused(actgen_verify(none, NULL, &report, &error), ACTGEN_EINVAL, "NULL");
    assert_refused(actgen_show(none, ACTGEN_STAGE_SPEC, write_nothing, NULL, &error), ACTGEN_EINVAL, "NULL");
    assert_refused(actgen_emit(&none, 1, ACTGEN_EMIT_OBJECT, "x.h", write_nothing, NULL, &error),
                   ACTGEN_EINVAL, "NULL");
    assert_int_equal(actgen_kernel_operand_info(none, 0, &info), ACTGEN_EINVAL);
    assert_int_equal(actgen_kernel_certificate(none, &certificate), ACTGEN_EINVAL);
}

/* Passes structs that nobody initialised. examples/jit once did so, and printed figures that
 * were not measured. */
static void structs_that_nobody_initialised_are_refused(void **state)
{
    (void)state;
    actgen_kernel *k = compile_with(relu_text, NULL);
    const size_t sizes[] = {0, 1, 5, 12, 4097, SIZE_MAX};
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
        actgen_certificate certificate = {.size = sizes[i], .max_ulp = 7};
        actgen_operand_info info = {.size = sizes[i]};
        actgen_options options = {.size = sizes[i]};
        actgen_verify_options verify = {.size = sizes[i]};
        actgen_core core = {.size = sizes[i]};
        actgen_report report = ACTGEN_REPORT_INIT, unset = {.size = sizes[i], .inputs = 7};
        actgen_kernel *other;
        actgen_spec *spec = parse(relu_text);
        assert_int_equal(actgen_kernel_certificate(k, &certificate), ACTGEN_EINVAL);
        assert_true(certificate.max_ulp == 7);
        assert_int_equal(actgen_kernel_operand_info(k, 0, &info), ACTGEN_EINVAL);
        assert_null(info.name);
        assert_refused(actgen_compile(&other, engine, spec, NULL, &options, &error), ACTGEN_EINVAL, "size");
        assert_refused(actgen_verify(k, &verify, &report, &error), ACTGEN_EINVAL, "size");
        assert_refused(actgen_verify(k, NULL, &unset, &error), ACTGEN_EINVAL, "size");
        assert_true(unset.inputs == 7);
        assert_int_equal(actgen_core_info(0, &core), ACTGEN_EINVAL);
        assert_null(core.name);
        actgen_spec_free(spec);
    }
    assert_int_equal(actgen_kernel_certificate(k, NULL), ACTGEN_EINVAL);
    actgen_kernel_free(k);
}

/* Reads and writes rows without columns, whose results have one value per row. */
static void rows_without_columns_are_checked(void **state)
{
    (void)state;
    static const char text[] = "kernel k(x: f32, a: f32[rows]) -> (y: f32[rows]) { y = relu(a) + sum(x) }\n"
                               "kernel r(a: f32[rows]) -> (y: f32[rows]) { y = relu(a) }\n";
    float a[] = {-1, 2}, y[] = {7, 7};
    actgen_operand list[] = {{NULL, 0}, {NULL, 0}, {y, 0}}, *own = list + 1;
    actgen_spec *spec = parse(text);
    for (size_t i = 0; i < 2; i++) {
        actgen_kernel *k;
        const size_t skipped = i, count = 3 - i;
        assert_int_equal(actgen_compile(&k, engine, spec, actgen_spec_kernel_name(spec, i), NULL, &error),
                         ACTGEN_OK);
        assert_true(actgen_kernel_workspace(k, 1, 0) > 0); /* Callers ask so if there is a workspace. */
        assert_null(actgen_kernel_fn(k));
        own->data = NULL, y[0] = y[1] = 7;
        assert_refused(actgen_run(k, 2, 0, list + skipped, count, &error), ACTGEN_EINVAL, "`a` is NULL");
        own->data = y;
        assert_refused(actgen_run(k, 2, 0, list + skipped, count, &error), ACTGEN_EINVAL, "overlaps `a`");
        own->data = a;
        assert_int_equal(actgen_run(k, 2, 0, list + skipped, count, &error), ACTGEN_OK);
        assert_true(y[0] == 0 && y[1] == 2);
        actgen_kernel_free(k);
    }
    actgen_spec_free(spec);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(wrong_specs_are_refused),
        cmocka_unit_test(no_byte_behind_a_text_is_read),
        cmocka_unit_test(false_lengths_are_refused_unread),
        cmocka_unit_test(of_null_there_is_nothing),
        cmocka_unit_test(wrong_gradients_are_refused),
        cmocka_unit_test(wrong_compilations_are_refused),
        cmocka_unit_test(wrong_calls_are_refused),
        cmocka_unit_test(a_null_kernel_is_refused),
        cmocka_unit_test(rows_without_columns_are_checked),
        cmocka_unit_test(structs_that_nobody_initialised_are_refused),
    };
    return cmocka_run_group_tests(tests, open_engine, close_engine);
}
