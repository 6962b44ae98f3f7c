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

#include "actgen.h"
#include "folder.h"
#include "part.h"

#include <dirent.h>
#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* -- allocations: the linker sends those of the library's code here (--wrap), and no other library's -- */

/* The allocations so far, and the first that fails. 0 stands for none. */
static unsigned long allocations, first_to_fail;
static bool for_good;

/* The places in the code that allocate, each with the number of its first allocation in a run. */
static struct place {
    const void *code;
    unsigned long first;
} places[200];
static unsigned place_count;

static void note_place(const void *code)
{
    unsigned i = 0;
    while (i < place_count && places[i].code != code) i++;
    if (i == sizeof places / sizeof *places) abort();
    if (i == place_count) places[place_count++] = (struct place){code, allocations};
}

static bool fails(const void *code)
{
    allocations++;
    if (!first_to_fail) note_place(code);
    const bool now =
        first_to_fail && (for_good ? allocations >= first_to_fail : allocations == first_to_fail);
    if (now) errno = ENOMEM;
    return now;
}

void *__real_malloc(size_t size);
void *__real_calloc(size_t count, size_t size);
void *__real_realloc(void *old, size_t size);
void *__real_aligned_alloc(size_t alignment, size_t size);
char *__real_strdup(const char *text);
void *__wrap_malloc(size_t size);
void *__wrap_calloc(size_t count, size_t size);
void *__wrap_realloc(void *old, size_t size);
void *__wrap_aligned_alloc(size_t alignment, size_t size);
char *__wrap_strdup(const char *text);
int __wrap_asprintf(char **out, const char *format, ...);

void *__wrap_malloc(size_t size) { return fails(__builtin_return_address(0)) ? NULL : __real_malloc(size); }
void *__wrap_calloc(size_t count, size_t size)
{
    return fails(__builtin_return_address(0)) ? NULL : __real_calloc(count, size);
}
void *__wrap_realloc(void *old, size_t size)
{
    return fails(__builtin_return_address(0)) ? NULL : __real_realloc(old, size);
}
void *__wrap_aligned_alloc(size_t alignment, size_t size)
{
    return fails(__builtin_return_address(0)) ? NULL : __real_aligned_alloc(alignment, size);
}
char *__wrap_strdup(const char *text)
{
    return fails(__builtin_return_address(0)) ? NULL : __real_strdup(text);
}
int __wrap_asprintf(char **out, const char *format, ...)
{
    va_list arguments;
    if (fails(__builtin_return_address(0))) return -1;
    va_start(arguments, format);
    const int length = vasprintf(out, format, arguments);
    va_end(arguments);
    return length;
}

/* -- a run, and what came of it -- */

struct outcome {
    int status;
    const char *call; /* The call that ended the run. */
    actgen_error error;
    char text[1 << 12];
    size_t length;
};

static int add_text(void *payload, const void *data, size_t size)
{
    struct outcome *o = payload;
    const size_t room = sizeof o->text - 1 - o->length;
    if (size > room) size = room;
    memcpy(o->text + o->length, data, size);
    o->length += size;
    return 0;
}

struct subject {
    const char *spec, *accuracy;
    actgen_kernel *kernel; /* A kernel made with enough memory. */
};

static char cache[96];
static actgen_engine *engine; /* An engine with enough memory and without a cache. */

/* A call of the run. The first call that fails ends the run. */
#define TRY(name, expression)                                                                                \
    do {                                                                                                     \
        if (!o->status) {                                                                                    \
            o->call = (name);                                                                                \
            o->status = (expression);                                                                        \
        }                                                                                                    \
    } while (0)

/* Parses, plans and makes machine code, with an engine of its own. */
static void compile(struct outcome *o, const struct subject *s)
{
    actgen_engine_options with = ACTGEN_ENGINE_OPTIONS_INIT;
    actgen_options options = ACTGEN_OPTIONS_INIT;
    actgen_engine *own = NULL;
    actgen_spec *spec = NULL;
    actgen_kernel *kernel = NULL;
    with.cache_directory = cache;
    options.accuracy = s->accuracy;
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

/* -- the disk cache -- */

static struct file {
    char name[64], data[1 << 16];
    size_t size;
} kept[16];
static unsigned kept_count;

static size_t read_file(const char *name, char *data, size_t room)
{
    char path[sizeof cache + 300];
    snprintf(path, sizeof path, "%s/%s", cache, name);
    FILE *f = fopen(path, "rb");
    assert_non_null(f);
    const size_t size = fread(data, 1, room, f);
    fclose(f);
    assert_in_range(size, 1, room - 1);
    return size;
}

static void keep_or_compare(const char *name, bool keep)
{
    static char data[sizeof kept->data];
    const size_t size = read_file(name, data, sizeof data);
    if (keep) {
        assert_in_range(kept_count, 0, sizeof kept / sizeof *kept - 1);
        assert_true(strlen(name) < sizeof kept->name);
        struct file *f = &kept[kept_count++];
        strcpy(f->name, name);
        memcpy(f->data, data, f->size = size);
        return;
    }
    for (unsigned i = 0; i < kept_count; i++)
        if (!strcmp(kept[i].name, name) && kept[i].size == size && !memcmp(kept[i].data, data, size)) return;
    fail_msg("the cache keeps %s, which a run with enough memory does not leave there", name);
}

/* Empties the cache. Its files must be those of the first run. */
static void look_into_cache(bool first)
{
    char path[sizeof cache + 300];
    DIR *d = opendir(cache);
    if (first) kept_count = 0;
    for (const struct dirent *e; d && (e = readdir(d));) {
        if (*e->d_name == '.') continue;
        keep_or_compare(e->d_name, first);
        snprintf(path, sizeof path, "%s/%s", cache, e->d_name);
        unlink(path);
    }
    if (d) closedir(d);
}

/* -- every place -- */

static struct outcome usual; /* The outcome with enough memory. */

typedef void run_function(struct outcome *o, const struct subject *s);

static void run_with(struct outcome *o, run_function *run, const struct subject *s, unsigned long number,
                     bool all)
{
    *o = (struct outcome){0};
    allocations = 0;
    for_good = all;
    first_to_fail = number;
    run(o, s);
    first_to_fail = 0;
}

static void try_one(run_function *run, const struct subject *s, unsigned long number, bool all)
{
    static struct outcome o;
    run_with(&o, run, s, number, all);
    look_into_cache(false);
    if (o.status == ACTGEN_ENOMEM && strstr(o.error.message, "memory")) return;
    if (!o.status && o.length == usual.length && !memcmp(o.text, usual.text, o.length)) return;
    fail_msg("%s: allocation %lu failed%s: %s: %s: %s", s->spec, number, all ? " and all after it" : "",
             o.call, actgen_status_name(o.status), o.status ? o.error.message : "another outcome");
}

/* Returns true if the calls of `run` reach this place for the first time. */
static bool is_new_place(run_function *run, const void *code)
{
    static run_function *of;
    static const void *seen[sizeof places / sizeof *places];
    static unsigned count;
    if (of != run) count = 0;
    of = run;
    for (unsigned i = 0; i < count; i++)
        if (seen[i] == code) return false;
    if (count == sizeof seen / sizeof *seen) abort();
    seen[count++] = code;
    return true;
}

/* Fails the first allocation of each place that no kernel before reached. `others` adds some
 * more allocations. */
static void try_all(run_function *run, const struct subject *s, bool others)
{
    static struct outcome again;
    place_count = 0;
    run_with(&usual, run, s, 0, false);
    look_into_cache(true);
    const unsigned long count = allocations;
    if (usual.status) fail_msg("%s: %s: %s", s->spec, usual.call, usual.error.message);
    assert_true(count); /* Otherwise this program is linked with code whose allocations do not come here. */
    const bool each = takes_all();
    for (unsigned i = 0; i < place_count; i++) {
        if (!is_new_place(run, places[i].code) && !each) continue;
        try_one(run, s, places[i].first, false);
        try_one(run, s, places[i].first, true);
    }
    for (unsigned long n = 0; (others || each) && n < 2 * count; n += each ? 1 : 1 + n / 2)
        try_one(run, s, n / 2 + 1, n % 2);
    run_with(&again, run, s, 0, false);
    look_into_cache(false);
    assert_int_equal(again.status, 0);
    assert_memory_equal(again.text, usual.text, usual.length);
}

/* The subjects, the quickest first, which has the most places. */
static struct subject subjects[] = {
    {"kernel k(x: f32) -> (y: f32) { y = x*x + 1.5 }", NULL, NULL},
    {"kernel k(x: f32) -> (y: f32) { y = exp(-x*x) }", "abs 1e-4", NULL},
    {"kernel k(x: bf16) -> (y: bf16) { y = tanh(x)*1.5 }", NULL, NULL},
    {"function f(x; a = 0.1) = if x > 0 then x else a*x\nkernel k(x: f16, b: f16) -> (y: f16) { y = f(x)*b + "
     "0.3 }",
     NULL, NULL},
};
enum { SUBJECTS = sizeof subjects / sizeof *subjects };

static int make_kernels(void **state)
{
    actgen_engine_options without = ACTGEN_ENGINE_OPTIONS_INIT;
    actgen_options options = ACTGEN_OPTIONS_INIT;
    actgen_spec *spec;
    actgen_error error;
    without.cache_directory = "";
    if (make_folder(state) || actgen_engine_create_with(&engine, &without, &error)) return -1;
    snprintf(cache, sizeof cache, "%s/cache", folder);
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
    };
    return cmocka_run_group_tests_name("out_of_memory", tests, make_kernels, free_kernels);
}
