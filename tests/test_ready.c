/* Tests of kernels found ready. The library does not parse a text that another process compiled, and the
 * kernel is equal in every respect. Whatever a record holds, the caller gets the kernel asked for. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "folder.h"
#include "ready.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

static actgen_error error;

/* Compiles in an engine of its own, as another process would. */
static actgen_kernel *compile(const char *directory, const char *text, const char *name,
                              const actgen_options *options)
{
    actgen_engine *e = engine_in(directory);
    actgen_kernel *k = NULL;
    if (actgen_compile_text(&k, e, "test.act", text, strlen(text), name, options, &error))
        fail_msg("%s: %s", text, error.message);
    actgen_engine_free(e);
    return k;
}

/* Texts without long searches. The first one's plan is built in. */
static const char *const texts[] = {
    "kernel f(x: f32) -> (y: f32) { y = max(x, 0) }",
    "kernel f([gate | up]: bf16, bias: f32[cols]) -> (y: bf16) { g = gate + bias; y = max(g, 0) * up }",
    "kernel f([a, b]: f32) -> (y: f32, z: f32) { y = a*b; z = a - b }",
    "kernel f(x: f64, s: f64[rows]) -> (y: f64) { y = x*s + 1 }",
    "kernel f(x: f32, s: f32[rows]) -> (y: f32[cols], z: f32[rows]) { y = sum(x*s); z = amax(x) }",
};

/* Compares the operands as the interface describes them, except names, whose addresses differ. */
static void assert_equal_operands(const actgen_kernel *a, const actgen_kernel *b)
{
    const size_t count = actgen_kernel_operand_count(a);
    assert_int_equal(count, actgen_kernel_operand_count(b));
    assert_int_equal(actgen_kernel_group_count(a), actgen_kernel_group_count(b));
    for (size_t i = 0; i < count; i++) {
        actgen_operand_info ia = ACTGEN_OPERAND_INFO_INIT, ib = ACTGEN_OPERAND_INFO_INIT;
        assert_int_equal(actgen_kernel_operand_info(a, i, &ia), 0);
        assert_int_equal(actgen_kernel_operand_info(b, i, &ib), 0);
        assert_string_equal(ia.name, ib.name);
        ia.name = ib.name = NULL;
        assert_memory_equal(&ia, &ib, sizeof ia);
    }
}

static void assert_alike(const actgen_kernel *a, const actgen_kernel *b)
{
    assert_string_equal(actgen_kernel_name(a), actgen_kernel_name(b));
    assert_string_equal(actgen_kernel_object_hash(a), actgen_kernel_object_hash(b));
    assert_string_equal(actgen_kernel_plan(a), actgen_kernel_plan(b));
    assert_string_equal(actgen_kernel_accuracy(a), actgen_kernel_accuracy(b));
    assert_string_equal(actgen_kernel_backend(a), actgen_kernel_backend(b));
    assert_string_equal(actgen_kernel_isa(a), actgen_kernel_isa(b));
    assert_string_equal(actgen_kernel_core(a), actgen_kernel_core(b));
    assert_string_equal(actgen_kernel_chosen_by(a), actgen_kernel_chosen_by(b));
    assert_equal_operands(a, b);
    assert_int_equal(actgen_kernel_workspace(a, 300, 20), actgen_kernel_workspace(b, 300, 20));
}

static void an_equal_text_is_not_parsed(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        actgen_kernel *first = compile(folder, texts[i], NULL, NULL),
                      *second = compile(folder, texts[i], NULL, NULL);
        assert_null(first->ready);
        assert_non_null(second->ready);
        assert_null(second->source);
        assert_alike(first, second);
        actgen_kernel_free(first);
        actgen_kernel_free(second);
    }
}

/* Checks that a record holds every reduction, of results and in formulas. */
static void kernels_with_any_reduction_are_found(void **state)
{
    (void)state;
    for (int how = REDUCE_NONE + 1; how < REDUCE_COUNT; how++) {
        const char *name = reductions[how].name;
        char text[120];
        snprintf(text, sizeof text, "kernel f(x: f32) -> (y: f32[cols], z: f32) { y = %s(x); z = x - %s(x) }",
                 name, name);
        actgen_kernel *first = compile(folder, text, NULL, NULL), *second = compile(folder, text, NULL, NULL);
        if (first->ready || !second->ready) fail_msg("%s", text);
        assert_alike(first, second);
        actgen_kernel_free(first);
        actgen_kernel_free(second);
    }
}

static void builtins_and_expressions_are_found_by_type(void **state)
{
    (void)state;
    static const char *const types[] = {NULL, "bf16"};
    for (int pass = 0; pass < 2; pass++)
        for (int t = 0; t < 2; t++) {
            actgen_engine *e = engine_in(folder);
            actgen_kernel *k[2];
            assert_int_equal(actgen_compile_builtin(&k[0], e, "relu", types[t], NULL, &error), 0);
            assert_int_equal(actgen_compile_expression(&k[1], e, "max(x, 0)", types[t], NULL, &error), 0);
            for (int i = 0; i < 2; i++) {
                actgen_operand_info info = ACTGEN_OPERAND_INFO_INIT;
                assert_int_equal(k[i]->ready != NULL, pass);
                assert_int_equal(actgen_kernel_operand_info(k[i], 0, &info), 0);
                assert_int_equal(info.type, t ? ACTGEN_BF16 : ACTGEN_F32);
                actgen_kernel_free(k[i]);
            }
            actgen_engine_free(e);
        }
}

/* Checks that an engine has one kernel for a text, in whichever way the caller asks for it. */
static void names_find_the_kernel_that_they_name(void **state)
{
    (void)state;
    static const char two[] =
        "kernel f(x: f32) -> (y: f32) { y = max(x, 0) }\nkernel g(x: f32) -> (y: f32) { y = max(x, 1) }";
    for (int pass = 0; pass < 2; pass++) {
        actgen_kernel *f = compile(folder, two, "f", NULL), *g = compile(folder, two, "g", NULL);
        assert_string_equal(actgen_kernel_name(f), "f");
        assert_string_equal(actgen_kernel_name(g), "g");
        assert_int_equal(f->ready != NULL, pass);
        assert_int_equal(g->ready != NULL, pass);
        actgen_kernel_free(f);
        actgen_kernel_free(g);
        actgen_engine *e = engine_in(folder);
        actgen_kernel *none, *k[3];
        assert_int_equal(actgen_compile_text(&none, e, "test.act", two, strlen(two), NULL, NULL, &error),
                         ACTGEN_EINVAL);
        for (int i = 0; i < 3; i++) /* With a name, without a name, and parsed. */
            if (i < 2) {
                assert_int_equal(actgen_compile_text(&k[i], e, "test.act", texts[0], strlen(texts[0]),
                                                     i ? NULL : "f", NULL, &error),
                                 0);
            } else {
                actgen_spec *spec;
                assert_int_equal(actgen_spec_parse(&spec, "test.act", texts[0], strlen(texts[0]), &error), 0);
                assert_int_equal(actgen_compile(&k[i], e, spec, NULL, NULL, &error), 0);
                actgen_spec_free(spec);
            }
        assert_true(k[0] == k[1] && k[1] == k[2]);
        assert_int_equal(k[0]->ready != NULL, pass);
        for (int i = 0; i < 3; i++) actgen_kernel_free(k[i]);
        actgen_engine_free(e);
    }
}

/* -- what must not be taken -- */

/* Returns true if a kernel with those options is found ready in a cache that has the kernel
 * without options. */
static bool is_ready(const actgen_options *options)
{
    actgen_kernel *k = compile(folder, texts[0], NULL, options);
    const bool ready = k->ready != NULL;
    actgen_kernel_free(k);
    return ready;
}

static void other_options_are_other_kernels(void **state)
{
    (void)state;
    enum { KEPT = 5, ALL = 7 }; /* The kernels from number KEPT on are never kept. */
    actgen_options options[ALL];
    for (size_t i = 0; i < ALL; i++) options[i] = (actgen_options)ACTGEN_OPTIONS_INIT;
    options[1].accuracy = "2 ulp";
    options[2].streaming = 1;
    options[3].tier = ACTGEN_TIER_QUICK;
    options[4].profile = "portable";
    options[5].plan_limit = 1 << 20;
    options[6].interpret = 1;
    for (size_t i = 0; i < ALL; i++) {
        assert_false(is_ready(&options[i]));
        assert_int_equal(is_ready(&options[i]), i < KEPT);
    }
}

static void keys_tell_apart_what_was_asked_for(void **state)
{
    (void)state;
    actgen_kernel *k = compile("", texts[0], NULL, NULL);
    struct asked asked[10];
    char keys[13][HASH_TEXT_SIZE];
    for (size_t i = 0; i < 10; i++) asked[i] = k->asked;
    asked[1].spec = "00000000000000000000000000000000";
    asked[2].accuracy = "";
    asked[3].accuracy = "1 ulp";
    asked[4].tier = ACTGEN_TIER_QUICK;
    asked[5].streaming = 1;
    asked[6].streaming = -1;
    while (asked[7].isa == k->asked.isa) asked[7].isa = target_isa_at(asked[7].isa == target_isa_at(0));
    while (asked[8].core == k->asked.core) asked[8].core = target_core_at(asked[8].core == target_core_at(0));
    for (size_t i = 0; !strcmp(asked[9].profile->name, k->asked.profile->name); i++)
        asked[9].profile = &target_isa_at(i)->profile;
    for (size_t i = 0; i < 10; i++) ready_key(&asked[i], NULL, NULL, keys[i]);
    ready_key(&asked[0], NULL, "", keys[10]);
    ready_key(&asked[0], NULL, "f", keys[11]);
    ready_key(&asked[0], "zen5", NULL, keys[12]);
    for (size_t i = 0; i < 13; i++)
        for (size_t j = 0; j < i; j++) assert_string_not_equal(keys[i], keys[j]);
    actgen_kernel_free(k);
}

/* -- damage -- */

/* Leaves the bytes under the key of the record, with a right hash, as a fault or malice may have done. */
static void leave(const actgen_kernel *k, const char *data, size_t size)
{
    char key[HASH_TEXT_SIZE];
    cache *c = cache_open(folder, 0, NULL);
    ready_key(&k->asked, k->engine->host.core, NULL, key);
    cache_put(c, key, data, size);
    cache_close(c);
}

static char *read_record(const actgen_kernel *k, size_t *size)
{
    char key[HASH_TEXT_SIZE];
    cache *c = cache_open(folder, 0, NULL);
    ready_key(&k->asked, k->engine->host.core, NULL, key);
    char *record = cache_get(c, key, size);
    cache_close(c);
    return record;
}

static void cut_records_are_replaced(void **state)
{
    (void)state;
    size_t size;
    actgen_kernel *good = compile(folder, texts[1], NULL, NULL);
    char *record = read_record(good, &size);
    assert_non_null(record);
    const size_t head = size - good->object.size;
    assert_memory_equal(record + head, good->object.data, good->object.size);
    for (size_t cut = 0; cut < size; cut += cut <= head ? 1 : 97) {
        leave(good, record, cut);
        actgen_kernel *k = compile(folder, texts[1], NULL, NULL);
        assert_null(k->ready);
        assert_alike(good, k);
        actgen_kernel_free(k);
        k = compile(folder, texts[1], NULL, NULL); /* The record is mended. */
        assert_non_null(k->ready);
        actgen_kernel_free(k);
    }
    free(record);
    actgen_kernel_free(good);
}

/* Checks that each group has all its parts in order, and that calls without data are refused. */
static void assert_groups(const actgen_kernel *k)
{
    actgen_operand operands[SPEC_MAX_OPERANDS] = {{0}};
    const size_t groups = actgen_kernel_group_count(k);
    size_t count = 0;
    for (size_t g = 0; g < groups; g++)
        for (uint32_t part = 0, parts = 1; part < parts; part++, count++) {
            actgen_operand_info info = ACTGEN_OPERAND_INFO_INIT;
            assert_int_equal(actgen_kernel_operand_info(k, count, &info), 0);
            assert_true(info.group == g && info.part == part && info.parts >= 1);
            parts = info.parts;
        }
    assert_int_equal(count, actgen_kernel_operand_count(k));
    assert_int_equal(actgen_run(k, 1, 1, operands, groups, &error), ACTGEN_EINVAL);
}

/* Checks that a changed byte before the object makes another record or none. The library still returns a
 * kernel whose operands make sense. */
static void changed_records_are_refused_or_well_formed(void **state)
{
    (void)state;
    size_t size, refused = 0;
    actgen_kernel *good = compile(folder, texts[1], NULL, NULL);
    char *record = read_record(good, &size);
    const size_t head = size - good->object.size;
    for (size_t i = 0; i < 2 * head; i++) { /* These are the low bits, which numbers use. */
        record[i / 2] ^= (char)(1 << i % 2);
        leave(good, record, size);
        actgen_kernel *k = compile(folder, texts[1], NULL, NULL);
        refused += !k->ready;
        assert_groups(k);
        actgen_kernel_free(k);
        record[i / 2] ^= (char)(1 << i % 2);
    }
    assert_true(refused > head / 2);
    free(record);
    actgen_kernel_free(good);
}

/* Checks that the loader checks the object of a record like every object. */
static void objects_of_records_are_checked(void **state)
{
    (void)state;
    size_t size;
    actgen_kernel *good = compile(folder, texts[0], NULL, NULL);
    char *record = read_record(good, &size);
    memset(record + size - good->object.size, 0, 64); /* This clears the object's header. */
    leave(good, record, size);
    actgen_kernel *k = compile(folder, texts[0], NULL, NULL);
    assert_null(k->ready);
    assert_alike(good, k);
    actgen_kernel_free(k);
    free(record);
    actgen_kernel_free(good);
}

/* -- formulas, where they are asked for after all -- */

static int add_text(void *payload, const void *data, size_t size)
{
    char *text = payload;
    const size_t length = strlen(text);
    if (length + size >= 1 << 16) return 1;
    memcpy(text + length, data, size);
    text[length + size] = 0;
    return 0;
}

static char *shown(const actgen_kernel *k, int stage)
{
    char *text = calloc(1, 1 << 16);
    assert_non_null(text);
    if (actgen_show(k, stage, add_text, text, &error)) fail_msg("%s", error.message);
    return text;
}

static void assert_equal_stages(const actgen_kernel *a, const actgen_kernel *b)
{
    static const int stages[] = {ACTGEN_STAGE_SPEC, ACTGEN_STAGE_EXPR, ACTGEN_STAGE_PLAN, ACTGEN_STAGE_LANE,
                                 ACTGEN_STAGE_ASM};
    for (size_t i = 0; i < sizeof stages / sizeof *stages; i++) {
        char *of_a = shown(a, stages[i]), *of_b = shown(b, stages[i]);
        assert_string_equal(of_a, of_b);
        free(of_a);
        free(of_b);
    }
}

static void assert_equal_emission(const actgen_kernel *a, const actgen_kernel *b)
{
    char *text[2];
    for (int i = 0; i < 2; i++) {
        const actgen_kernel *k = i ? b : a;
        assert_non_null(text[i] = calloc(1, 1 << 16));
        assert_int_equal(actgen_emit(&k, 1, ACTGEN_EMIT_HEADER, "f.h", add_text, text[i], &error), 0);
    }
    assert_string_equal(text[0], text[1]);
    free(text[0]);
    free(text[1]);
}

static void a_ready_kernel_has_formulas_when_they_are_asked_for(void **state)
{
    (void)state;
    actgen_kernel *first = compile(folder, texts[0], NULL, NULL),
                  *second = compile(folder, texts[0], NULL, NULL);
    actgen_certificate a = ACTGEN_CERTIFICATE_INIT, b = ACTGEN_CERTIFICATE_INIT;
    actgen_report report = ACTGEN_REPORT_INIT;
    float x = 1.5f, y = 0, z = 1;
    const double input = 1.5;
    double value;
    const actgen_operand machine[] = {{&x, 0}, {&y, 0}}, interpreted[] = {{&x, 0}, {&z, 0}};
    assert_int_equal(actgen_run(second, 1, 1, machine, 2, &error), 0);
    assert_null(second->ready->whole);
    assert_int_equal(actgen_interpret(second, 1, 1, interpreted, 2, &error), 0);
    assert_non_null(second->ready->whole);
    assert_memory_equal(&y, &z, sizeof y);
    assert_int_equal(actgen_kernel_certificate(first, &a), 0);
    assert_int_equal(actgen_kernel_certificate(second, &b), 0);
    assert_memory_equal(&a, &b, offsetof(actgen_certificate, accuracy));
    assert_equal_stages(first, second);
    assert_equal_emission(first, second);
    assert_int_equal(actgen_reference(second, 0, &input, &value, &error), 0);
    assert_true(value == 1.5);
    assert_int_equal(actgen_verify(second, NULL, &report, &error), 0);
    assert_true(report.inputs > 0 && !report.bits_differ);
    actgen_kernel_free(first);
    actgen_kernel_free(second);
}

/* -- several at once -- */

static void *ask_for_formulas(void *kernel)
{
    actgen_certificate c = ACTGEN_CERTIFICATE_INIT;
    return actgen_kernel_certificate(kernel, &c) ? kernel : NULL;
}

static void *find_and_ask(void *context)
{
    actgen_engine *e = context;
    actgen_kernel *k;
    if (actgen_compile_text(&k, e, "test.act", texts[0], strlen(texts[0]), NULL, NULL, NULL)) return e;
    void *failed = ask_for_formulas(k);
    actgen_kernel_free(k);
    return failed;
}

static void run_threads(void *(*task)(void *), void *context)
{
    enum { THREADS = 4 };
    pthread_t threads[THREADS];
    void *failed;
    for (int i = 0; i < THREADS; i++) assert_int_equal(pthread_create(&threads[i], NULL, task, context), 0);
    for (int i = 0; i < THREADS; i++) {
        assert_int_equal(pthread_join(threads[i], &failed), 0);
        assert_null(failed);
    }
}

static void threads_share_what_is_found_and_made(void **state)
{
    (void)state;
    actgen_kernel_free(compile(folder, texts[0], NULL, NULL));
    actgen_kernel *k = compile(folder, texts[0], NULL, NULL);
    assert_non_null(k->ready);
    run_threads(ask_for_formulas, k);
    actgen_kernel_free(k);
    actgen_engine *e = engine_in(folder);
    run_threads(find_and_ask, e);
    assert_int_equal(e->kernel_count, 0);
    actgen_engine_free(e);
}

/* Makes or finds the kernel in each process, damages the record, and goes on. */
static int find_and_damage(void)
{
    for (int i = 0; i < 12; i++) {
        actgen_engine *e = engine_in(folder);
        actgen_kernel *k;
        float x = 2, y = 0;
        const actgen_operand operands[] = {{&x, 0}, {&y, 0}};
        if (actgen_compile_text(&k, e, "test.act", texts[0], strlen(texts[0]), NULL, NULL, &error)) return 1;
        if (actgen_run(k, 1, 1, operands, 2, &error) || y != 2) return 2;
        if (i % 3 == 2) leave(k, "rubbish", 7);
        actgen_kernel_free(k);
        actgen_engine_free(e);
    }
    return 0;
}

static void processes_share_a_folder(void **state)
{
    (void)state;
    enum { PROCESSES = 3 };
    pid_t children[PROCESSES];
    int status;
    for (int i = 0; i < PROCESSES; i++)
        if (!(children[i] = fork())) _exit(find_and_damage());
    for (int i = 0; i < PROCESSES; i++) {
        assert_int_equal(waitpid(children[i], &status, 0), children[i]);
        assert_int_equal(status, 0);
    }
}

#define CASE(name) cmocka_unit_test_setup_teardown(name, make_folder, remove_folder)

int main(int count, char **arguments)
{
    const struct CMUnitTest tests[] = {
        CASE(an_equal_text_is_not_parsed),
        CASE(kernels_with_any_reduction_are_found),
        CASE(builtins_and_expressions_are_found_by_type),
        CASE(names_find_the_kernel_that_they_name),
        CASE(other_options_are_other_kernels),
        CASE(keys_tell_apart_what_was_asked_for),
        CASE(cut_records_are_replaced),
        CASE(changed_records_are_refused_or_well_formed),
        CASE(objects_of_records_are_checked),
        CASE(a_ready_kernel_has_formulas_when_they_are_asked_for),
        CASE(threads_share_what_is_found_and_made),
        CASE(processes_share_a_folder),
    };
    if (count > 1) cmocka_set_test_filter(arguments[1]); /* Runs fewer tests where a sanitizer watches. */
    return cmocka_run_group_tests(tests, NULL, NULL);
}
