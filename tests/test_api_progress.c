/* Tests of planning: it reports progress, ends when the caller asks, and finds the same plans with any
 * number of threads. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "engine.h"
#include "isas.h"

#include <pthread.h>
#include <stdbool.h>
#include <stdio.h>

/* None of these kernels is built in. */
static const char quick_text[] = "kernel quick(x: f32) -> (y: f32) { accuracy 3 ulp\n y = x*tanh(0.625*x) }";
static const char half_text[] = "kernel half(x: bf16) -> (y: bf16) { y = x*tanh(0.625*x) }";
static const char wide_text[] = "kernel wide(x: f64) -> (y: f64) { accuracy 3 ulp\n y = x*tanh(0.625*x) }";
static const char exact_text[] =
    "kernel exact(x: f32) -> (y: f32) { accuracy 0.5 ulp on [1, 8]\n y = x*sigmoid(1.5*x) }";
static const char all_text[] =
    "kernel all(x: f32) -> (y: f32) { accuracy 0.5 ulp\n y = x*sigmoid(1.5*x) + 0.25*sin(x) }";

static actgen_engine *no_cache;

static int open_engines(void **state)
{
    actgen_engine_options options = ACTGEN_ENGINE_OPTIONS_INIT;
    options.cache_directory = "";
    return open_engine(state) || actgen_engine_create_with(&no_cache, &options, &error);
}

static int close_engines(void **state)
{
    actgen_engine_free(no_cache);
    return close_engine(state);
}

/* ---- progress ---- */

struct listener {
    unsigned calls, odd;
    double most;
    /* The share of the work at which the listener stops. It stops at once for -1, and never for 2. */
    double stop_at;
};

static int listen(void *payload, double done, const char *what)
{
    struct listener *l = payload;
    l->calls++;
    l->odd += !what || !*what || !(done == -1 || (0 <= done && done <= 1));
    if (done > l->most) l->most = done;
    return done >= l->stop_at;
}

static int compile(actgen_kernel **out, const char *text, struct listener *l)
{
    actgen_options options = ACTGEN_OPTIONS_INIT;
    actgen_spec *spec = parse(text);
    options.progress = listen;
    options.progress_payload = l;
    const int status = actgen_compile(out, no_cache, spec, NULL, &options, &error);
    actgen_spec_free(spec);
    return status;
}

static void searches_tell_what_they_do(void **state)
{
    (void)state;
    const char *const texts[] = {quick_text, half_text, wide_text};
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        struct listener l = {.stop_at = 2};
        actgen_kernel *k;
        assert_int_equal(compile(&k, texts[i], &l), ACTGEN_OK);
        assert_true(l.calls > 0);
        assert_int_equal(l.odd, 0);
        actgen_kernel_free(k);
    }
}

/* ---- stopping ---- */

static void a_search_that_is_stopped_leaves_nothing(void **state)
{
    (void)state;
    const char *const texts[] = {quick_text, half_text, wide_text, exact_text};
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        struct listener l = {.stop_at = -1};
        actgen_kernel *k = (actgen_kernel *)&l;
        assert_refused(compile(&k, texts[i], &l), ACTGEN_ESTOPPED, "stopped");
        assert_null(k);
        assert_int_equal(l.calls, 1); /* It is not called again. */
    }
    struct listener never = {.stop_at = 2};
    actgen_kernel *k;
    assert_int_equal(compile(&k, quick_text, &never), ACTGEN_OK);
    assert_true(actgen_kernel_plan_ms(k) > 0);
    actgen_kernel_free(k);
}

/* Checks that a sweep, which takes a minute, reports its progress and can be stopped before its end. */
static void a_sweep_is_stopped_within(void **state)
{
    (void)state;
    struct listener l = {.stop_at = 0x1p-10};
    actgen_kernel *k;
    assert_refused(compile(&k, all_text, &l), ACTGEN_ESTOPPED, "stopped");
    assert_true(l.most > 0 && l.most < 1);
    assert_int_equal(l.odd, 0);
}

static int write_nothing(void *payload, const void *data, size_t size)
{
    (void)payload, (void)data, (void)size;
    return 0;
}

static void explanations_are_stopped_too(void **state)
{
    (void)state;
    struct listener l = {.stop_at = -1};
    actgen_options options = ACTGEN_OPTIONS_INIT;
    actgen_spec *spec = parse(quick_text);
    options.progress = listen;
    options.progress_payload = &l;
    assert_refused(actgen_explain(spec, NULL, &options, ACTGEN_STAGE_PLAN, write_nothing, NULL, &error),
                   ACTGEN_ESTOPPED, "stopped");
    actgen_spec_free(spec);
}

/* ---- threads ---- */

struct work {
    pthread_mutex_t lock;
    size_t next, count;
    void (*task)(void *context, size_t i);
    void *context;
};

static void *take_turns(void *payload)
{
    struct work *w = payload;
    for (;;) {
        pthread_mutex_lock(&w->lock);
        const size_t i = w->next++;
        pthread_mutex_unlock(&w->lock);
        if (i >= w->count) return NULL;
        w->task(w->context, i);
    }
}

/* Runs the tasks in threads. `payload` points to the number of threads. */
static void in_threads(void *payload, size_t count, void (*task)(void *context, size_t i), void *context)
{
    enum { MOST = 8 };
    const size_t threads = *(const size_t *)payload;
    pthread_t id[MOST];
    struct work w = {.count = count, .task = task, .context = context};
    pthread_mutex_init(&w.lock, NULL);
    for (size_t i = 0; i < threads; i++) assert_int_equal(pthread_create(&id[i], NULL, take_turns, &w), 0);
    for (size_t i = 0; i < threads; i++) pthread_join(id[i], NULL);
    pthread_mutex_destroy(&w.lock);
}

static void backwards(void *payload, size_t count, void (*task)(void *context, size_t i), void *context)
{
    ++*(unsigned *)payload;
    while (count--) task(context, count);
}

struct outcome {
    char object[64], plan[1024];
    uint64_t inputs;
    double max_ulp, max_ulp_at;
};

static struct outcome plan_with(actgen_parallel_fn parallel, void *payload)
{
    actgen_options options = ACTGEN_OPTIONS_INIT;
    actgen_certificate c = ACTGEN_CERTIFICATE_INIT;
    actgen_kernel *k;
    actgen_spec *spec = parse(exact_text);
    struct outcome o = {0};
    options.parallel = parallel;
    options.parallel_payload = payload;
    if (actgen_compile(&k, no_cache, spec, NULL, &options, &error)) fail_msg("%s", error.message);
    actgen_kernel_certificate(k, &c);
    snprintf(o.object, sizeof o.object, "%s", actgen_kernel_object_hash(k));
    snprintf(o.plan, sizeof o.plan, "%s", c.plan);
    o.inputs = c.inputs;
    o.max_ulp = c.max_ulp;
    o.max_ulp_at = c.max_ulp_at;
    actgen_kernel_free(k);
    actgen_spec_free(spec);
    return o;
}

static void any_threads_find_the_same(void **state)
{
    (void)state;
    unsigned loops = 0;
    const struct outcome alone = plan_with(NULL, NULL);
    if (!is_sanitized()) {
        const struct outcome reversed = plan_with(backwards, &loops);
        assert_true(loops > 2);
        assert_memory_equal(&reversed, &alone, sizeof alone);
    }
    for (size_t threads = is_sanitized() ? 4 : 1; threads <= 4; threads *= 2) { /* Fewer threads race less. */
        const struct outcome shared = plan_with(in_threads, &threads);
        assert_memory_equal(&shared, &alone, sizeof alone);
    }
}

int main(int count, char **arguments)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(searches_tell_what_they_do),
        cmocka_unit_test(a_search_that_is_stopped_leaves_nothing),
        cmocka_unit_test(a_sweep_is_stopped_within),
        cmocka_unit_test(explanations_are_stopped_too),
        cmocka_unit_test(any_threads_find_the_same),
    };
    if (count > 1) cmocka_set_test_filter(arguments[1]); /* Runs fewer tests where a sanitizer watches. */
    return cmocka_run_group_tests(tests, open_engines, close_engines);
}
