/* Tests of options.prove. Its promise is in the certificate and in the header, and a later compilation
 * finds it again. The library refuses what it cannot prove. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "engine.h"
#include "folder.h"

static const char text[] = "kernel k(x: f32) -> (y: f32) { y = max(x, 0.1*x) }";
static char header[1 << 14];
static size_t header_size;
/* The number of calls of the progress function from slow phases: searching, comparing and making code. */
static unsigned calls;

static int keep_header(void *payload, const void *data, size_t size)
{
    (void)payload;
    assert_true(header_size + size < sizeof header);
    memcpy(header + header_size, data, size);
    header_size += size;
    header[header_size] = 0;
    return 0;
}

static int count_calls(void *payload, double done, const char *what)
{
    (void)payload, (void)done;
    if (strcmp(what, "simplifying") != 0) calls++; /* The formula is simplified before the cache is asked. */
    return 0;
}

/* Compiles with the disk cache and an engine of its own. */
static actgen_kernel *compile_proved(void)
{
    actgen_engine_options cached = ACTGEN_ENGINE_OPTIONS_INIT;
    actgen_options options = ACTGEN_OPTIONS_INIT;
    cached.cache_directory = folder;
    options.prove = 1;
    options.progress = count_calls;
    assert_int_equal(actgen_engine_create_with(&engine, &cached, &error), ACTGEN_OK);
    return compile_with(text, &options);
}

static void a_proof_is_made_told_and_kept(void **state)
{
    (void)state;
    actgen_certificate c = ACTGEN_CERTIFICATE_INIT;
    actgen_kernel *k = compile_proved();
    assert_true(calls > 0);
    assert_int_equal(actgen_kernel_certificate(k, &c), ACTGEN_OK);
    assert_true(c.exhaustive);
    assert_true(c.inputs == UINT64_C(1) << 32);
    assert_true(c.max_ulp > 0.5 && c.max_ulp <= 3);
    const actgen_kernel *const kernels[] = {k};
    assert_int_equal(actgen_emit(kernels, 1, ACTGEN_EMIT_HEADER, NULL, keep_header, NULL, &error), ACTGEN_OK);
    assert_non_null(strstr(header, "all 2^32 inputs: at most "));
    actgen_kernel_free(k);
    actgen_engine_free(engine);
    calls = 0;
    k = compile_proved();
    assert_int_equal(calls, 0); /* Nothing was searched or compared. */
    assert_int_equal(actgen_kernel_certificate(k, &c), ACTGEN_OK);
    assert_true(c.exhaustive);
    actgen_kernel_free(k);
    actgen_engine_free(engine);
}

/* Checks that without the option the same kernel is another one, of which only a sample was measured. */
static void no_proof_is_claimed(void **state)
{
    (void)state;
    actgen_certificate c = ACTGEN_CERTIFICATE_INIT;
    assert_int_equal(actgen_engine_create(&engine, &error), ACTGEN_OK);
    actgen_kernel *k = compile_for(text, NULL);
    assert_int_equal(actgen_kernel_certificate(k, &c), ACTGEN_OK);
    assert_false(c.exhaustive);
    assert_true(c.inputs < UINT64_C(1) << 32);
    actgen_kernel_free(k);
    actgen_options options = ACTGEN_OPTIONS_INIT;
    options.prove = 1;
    actgen_spec *spec = parse("kernel k(x: f64) -> (y: f64) { y = sin(x) }");
    assert_refused(actgen_compile(&k, engine, spec, NULL, &options, &error), ACTGEN_EACCURACY,
                   "does not cover `sin`");
    actgen_spec_free(spec);
    actgen_engine_free(engine);
}

/* Checks that analysis proves the bound of a function of one f64. A single operation of the processor
 * needs no more than half an ulp. */
static void an_f64_is_proved_by_analysis(void **state)
{
    (void)state;
    actgen_certificate c = ACTGEN_CERTIFICATE_INIT;
    actgen_options options = ACTGEN_OPTIONS_INIT;
    assert_int_equal(actgen_engine_create(&engine, &error), ACTGEN_OK);
    actgen_kernel *k = compile_for("kernel k(x: f64) -> (y: f64) { y = 1.5*x }", NULL);
    assert_int_equal(actgen_kernel_certificate(k, &c), ACTGEN_OK);
    assert_true(c.proved_intervals == 0 && c.proved_ulp == 0);
    actgen_kernel_free(k);
    options.prove = 1;
    k = compile_with("kernel k(x: f64) -> (y: f64) { y = 1.5*x }", &options);
    assert_int_equal(actgen_kernel_certificate(k, &c), ACTGEN_OK);
    assert_true(c.proved_intervals > 2000 && c.proved_ulp >= 0.5 && c.proved_ulp < 0.51);
    assert_true(c.proved_abs == 0 && c.proved_seen > 0.4 && c.proved_seen <= c.proved_ulp);
    assert_false(c.exhaustive);
    actgen_kernel_free(k);
    k = compile_with("kernel k(x: f64) -> (y: f64) { accuracy abs 2^-40; y = tanh(x) }", &options);
    assert_int_equal(actgen_kernel_certificate(k, &c), ACTGEN_OK);
    assert_true(c.proved_ulp == 0 && c.proved_abs > c.proved_seen && c.proved_abs <= 0x1p-40);
    assert_true(c.proved_intervals > 2000 && c.max_abs <= c.proved_seen);
    actgen_kernel_free(k);
    actgen_engine_free(engine);
}

int main(int count, char **arguments)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(an_f64_is_proved_by_analysis),
        cmocka_unit_test_setup_teardown(a_proof_is_made_told_and_kept, make_folder, remove_folder),
        cmocka_unit_test(no_proof_is_claimed)};
    if (count > 1) cmocka_set_test_filter(arguments[1]); /* Runs fewer tests where a sanitizer watches. */
    return cmocka_run_group_tests(tests, NULL, NULL);
}
