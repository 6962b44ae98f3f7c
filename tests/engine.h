/* An engine for a group of tests, kernels from text, and checks of refusals with their reasons. Include
 * cmocka.h first. */
#ifndef ACTGEN_TEST_ENGINE_H
#define ACTGEN_TEST_ENGINE_H

#include "actgen.h"

#include <string.h>

static actgen_engine *engine;
static actgen_error error;

/* Opens the engine. This is a group's setup. */
static inline int open_engine(void **state)
{
    (void)state;
    return actgen_engine_create(&engine, &error);
}
static inline int close_engine(void **state)
{
    (void)state;
    actgen_engine_free(engine);
    return 0;
}

static inline actgen_spec *parse(const char *text)
{
    actgen_spec *spec;
    if (actgen_spec_parse(&spec, "test.act", text, strlen(text), &error))
        fail_msg("%s: %s", text, error.message);
    return spec;
}

/* Returns the kernel of `text`. Its spec is freed before the caller uses the kernel. */
static inline actgen_kernel *compile_with(const char *text, const actgen_options *options)
{
    actgen_spec *spec = parse(text);
    actgen_kernel *kernel;
    if (actgen_compile(&kernel, engine, spec, NULL, options, &error)) fail_msg("%s: %s", text, error.message);
    actgen_spec_free(spec);
    return kernel;
}

static inline actgen_kernel *compile_for(const char *text, const char *isa)
{
    actgen_options options = ACTGEN_OPTIONS_INIT;
    options.isa = isa;
    return compile_with(text, &options);
}

/* Drops the data, as an actgen_write_fn. */
static inline int drop(void *payload, const void *data, size_t size)
{
    (void)payload, (void)data, (void)size;
    return 0;
}

/* Checks that the call fails with that status, and that its message contains `text`. */
#define assert_refused(call, expected, text)                                                                 \
    do {                                                                                                     \
        memset(&error, 0, sizeof error);                                                                     \
        assert_int_equal(call, expected);                                                                    \
        assert_int_equal(error.status, expected);                                                            \
        if (!strstr(error.message, text)) fail_msg("`%s` does not say `%s`", error.message, text);           \
    } while (0)

#endif
