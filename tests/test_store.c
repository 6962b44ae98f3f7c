/* Tests of plans and objects from caches. The kernels are the same and come sooner, and a cache that holds
 * rubbish changes nothing. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "builtin.h"
#include "folder.h"
#include "kernel.h"
#include "plan_pack.h"
#include "random_program.h"
#include "texts.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

/* ---- packed lane programs ---- */

static const struct target_profile profiles[] = {
    {.name = "avx512", .fma = true, .lookup_f32 = 32, .lookup_f64 = 16}, {.name = "portable-nofma"}};

static struct text packed_program(arena *memory, uint64_t seed, const struct target_profile *profile)
{
    struct text t = text_new(memory);
    lane_pack(&t, random_program(memory, profile, seed, 2, 1 + (uint32_t)seed % 3, (uint32_t)seed * 20, 20));
    return t;
}

static lane_program *unpacked(arena *memory, const struct target_profile *profile, const char *data,
                              size_t size)
{
    struct bytes b = {.data = (const unsigned char *)data, .left = size};
    lane_program *p = lane_unpack(memory, profile, &b);
    return p && !b.left ? p : NULL;
}

static void programs_come_back_as_they_were(void **state)
{
    (void)state;
    for (uint64_t seed = 0; seed < 40; seed++) {
        arena *memory = test_memory();
        const struct target_profile *profile = &profiles[seed % 2];
        const struct text t = packed_program(memory, seed, profile);
        struct text before = text_new(memory), after = text_new(memory), again = text_new(memory);
        lane_print(&before,
                   random_program(memory, profile, seed, 2, 1 + (uint32_t)seed % 3, (uint32_t)seed * 20, 20));
        lane_program *p = unpacked(memory, profile, t.data, t.length);
        assert_non_null(p);
        lane_print(&after, p);
        assert_string_equal(before.data, after.data);
        lane_pack(&again, p);
        assert_int_equal(again.length, t.length);
        assert_memory_equal(again.data, t.data, t.length);
        arena_free(memory);
    }
}

/* Checks that whatever is read is a program that passes lane_verify, which lane_unpack calls, or nothing. */
static void damaged_programs_are_refused_or_well_formed(void **state)
{
    (void)state;
    unsigned refused = 0, total = 0;
    for (uint64_t seed = 0; seed < 12; seed++) {
        arena *memory = test_memory();
        const struct target_profile *profile = &profiles[seed % 2];
        const struct text t = packed_program(memory, seed, profile);
        for (size_t cut = 0; cut < t.length; cut++) assert_null(unpacked(memory, profile, t.data, cut));
        for (size_t i = 0; i < t.length; i++) {
            arena *scratch = test_memory();
            const char byte = t.data[i];
            t.data[i] ^= (char)(1 << (i + seed) % 8);
            lane_program *p = unpacked(scratch, profile, t.data, t.length);
            if (p) assert_int_equal(lane_verify(p, NULL), 0);
            refused += !p;
            total++;
            t.data[i] = byte;
            arena_free(scratch);
        }
        arena_free(memory);
    }
    assert_true(refused > total / 4);
}

static void numbers_are_read_in_one_way(void **state)
{
    (void)state;
    static const unsigned char longer[] = {0x80, 0x00},
                               huge[] = {0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x02};
    struct bytes b = {.data = longer, .left = sizeof longer};
    bytes_number(&b);
    assert_true(b.failed);
    b = (struct bytes){.data = huge, .left = sizeof huge};
    bytes_number(&b);
    assert_true(b.failed);
    arena *memory = test_memory();
    struct text t = text_new(memory);
    const uint64_t numbers[] = {0, 1, 127, 128, 16383, 16384, UINT32_MAX, UINT64_MAX - 1, UINT64_MAX};
    enum { COUNT = sizeof numbers / sizeof *numbers };
    for (int i = 0; i < COUNT; i++) bytes_add_number(&t, numbers[i]);
    b = (struct bytes){.data = (const unsigned char *)t.data, .left = t.length};
    for (int i = 0; i < COUNT; i++) assert_true(bytes_number(&b) == numbers[i]);
    assert_true(!b.failed && !b.left);
    bytes_number(&b);
    assert_true(b.failed);
    arena_free(memory);
}

/* ---- keys ---- */

static void request_of(struct plan_request *r, arena *memory, const char *formula, const char *before,
                       const char *isa_name, struct spec_bound bound)
{
    const struct target_isa *isa = target_isa_find(isa_name);
    expr_dag *dag = expr_dag_create(memory, MOST_NODES);
    if (before) parse_formula(dag, before);
    const expr *written = parse_formula(dag, formula);
    *r = (struct plan_request){.dag = dag,
                               .piece.written = written,
                               .piece.simplified = expr_simplify(dag, written, NULL),
                               .piece.bound = bound,
                               .profile = isa->profile,
                               .costs = isa->costs};
}

static void keys_tell_requests_apart(void **state)
{
    (void)state;
    static const struct {
        const char *formula, *before, *isa;
        struct spec_bound bound;
        int same_as;
    } requests[] = {
        {"x*exp(x)", NULL, "avx512", {BOUND_ULP, 3, false, false, 0, 0}, 0},
        {"x*exp(x)", "exp(x+2)^3 - x", "avx512", {BOUND_ULP, 3, false, false, 0, 0}, 0},
        /* The formula is written in another way. */
        {"exp(x)*x", NULL, "avx512", {BOUND_ULP, 3, false, false, 0, 0}, 2},
        {"x*exp(x)", NULL, "avx2", {BOUND_ULP, 3, false, false, 0, 0}, 3},
        {"x*exp(x)", NULL, "avx512", {BOUND_ULP, 2, false, false, 0, 0}, 4},
        {"x*exp(x)", NULL, "avx512", {BOUND_ABS, 3, false, false, 0, 0}, 5},
        {"x*exp(x)", NULL, "avx512", {BOUND_ULP, 3, false, true, -1, 1}, 6},
        {"x*exp(2*x)", NULL, "avx512", {BOUND_ULP, 3, false, false, 0, 0}, 7},
        {"x*exp(3*x)", NULL, "avx512", {BOUND_ULP, 3, false, false, 0, 0}, 8},
        {"x*sin(x)", NULL, "avx512", {BOUND_ULP, 3, false, false, 0, 0}, 9},
        {"x^3", NULL, "avx512", {BOUND_ULP, 3, false, false, 0, 0}, 10},
        {"x^4", NULL, "avx512", {BOUND_ULP, 3, false, false, 0, 0}, 11},
    };
    enum { COUNT = sizeof requests / sizeof *requests };
    char keys[COUNT][HASH_TEXT_SIZE];
    for (int i = 0; i < COUNT; i++) {
        arena *memory = test_memory();
        struct plan_request r;
        request_of(&r, memory, requests[i].formula, requests[i].before, requests[i].isa, requests[i].bound);
        plan_key(&r, r.costs->source, keys[i]);
        arena_free(memory);
        for (int k = 0; k < i; k++) {
            const bool same = !strcmp(keys[i], keys[k]),
                       expected = requests[i].same_as == requests[k].same_as;
            if (same != expected) fail_msg("requests %d and %d", k, i);
        }
    }
}

/* Checks that keys tell cores apart. The cheapest plan depends on the core. So neither the built-in plans,
 * which are those of the default cores, nor the cache may give one core's plan to another. */
static void keys_tell_cores_apart(void **state)
{
    (void)state;
    char keys[64][HASH_TEXT_SIZE];
    size_t count = 0, size;
    for (; target_core_at(count) && count < sizeof keys / sizeof *keys; count++) {
        arena *memory = test_memory();
        struct plan_request r;
        const struct target_costs *core = target_core_at(count);
        const struct target_isa *isa = target_isa_find(core->isa);
        request_of(&r, memory, "gelu(x)", NULL, core->isa,
                   (struct spec_bound){BOUND_ULP, 3, false, false, 0, 0});
        char usual[HASH_TEXT_SIZE];
        plan_key(&r, r.costs->source, usual);
        r.costs = core;
        plan_key(&r, r.costs->source, keys[count]);
        const bool is_default = !strcmp(core->name, isa->costs->name);
        assert_int_equal(!strcmp(keys[count], usual), is_default);
        if (!is_default) assert_null(builtin_plan(keys[count], memory, &size));
        for (size_t k = 0; k < count; k++) assert_string_not_equal(keys[count], keys[k]);
        arena_free(memory);
    }
    assert_true(count > 3);
}

/* ---- packed plans ---- */

static void plans_come_back_and_damage_is_refused(void **state)
{
    (void)state;
    arena *memory = test_memory();
    struct plan_request r;
    struct plan *plan;
    struct plan_search search = {text_new(memory)};
    request_of(&r, memory, "x*x+1", NULL, "avx512", (struct spec_bound){BOUND_ULP, 3, false, false, 0, 0});
    assert_int_equal(plan_find(&plan, &r, &search, NULL), 0);
    struct text t = text_new(memory), before = text_new(memory), after = text_new(memory);
    plan_pack(&t, plan);
    const struct plan *back = plan_unpack(&r, t.data, t.length);
    assert_non_null(back);
    assert_string_equal(back->shape, plan->shape);
    assert_string_equal(back->description, plan->description);
    assert_true(back->cost == plan->cost && back->measured.inputs == plan->measured.inputs);
    assert_true(back->measured.max_ulp == plan->measured.max_ulp);
    assert_true(back->measured.max_abs == plan->measured.max_abs);
    assert_int_equal(back->measured.max_ulp_at, plan->measured.max_ulp_at);
    assert_int_equal(back->measured.max_abs_at, plan->measured.max_abs_at);
    lane_print(&before, lane_canonical(plan->program));
    lane_print(&after, back->program);
    assert_string_equal(before.data, after.data);
    for (size_t cut = 0; cut < t.length; cut++) assert_null(plan_unpack(&r, t.data, cut));
    text_bytes(&t, "", 1);
    assert_null(plan_unpack(&r, t.data, t.length)); /* Data follow the plan. */
    t.length = 0;
    struct plan other = *plan;
    other.measured.max_ulp = 3.5; /* The plan keeps only a weaker bound. */
    plan_pack(&t, &other);
    assert_null(plan_unpack(&r, t.data, t.length));
    t.length = 0;
    /* The program touches an operand that is not its own. */
    lane_program *p = lane_create(memory, &r.profile);
    lane_store(p, lane_load(p, LANE_F32, 2), 1);
    other = *plan;
    other.program = p;
    plan_pack(&t, &other);
    assert_null(plan_unpack(&r, t.data, t.length));
    arena_free(memory);
}

/* ---- engines with a cache ---- */

/* Compiles in an engine of its own, as another process would. */
static actgen_kernel *compile(const char *directory, const char *formula, const char *isa)
{
    actgen_engine *e = engine_in(directory);
    actgen_spec *spec = NULL;
    actgen_kernel *k = NULL;
    actgen_error error;
    actgen_options options = ACTGEN_OPTIONS_INIT;
    options.isa = isa;
    if (actgen_spec_expression(&spec, formula, &error) || actgen_compile(&k, e, spec, NULL, &options, &error))
        fail_msg("%s", error.message);
    actgen_spec_free(spec);
    actgen_engine_free(e);
    return k;
}

static void assert_alike(const actgen_kernel *a, const actgen_kernel *b)
{
    actgen_certificate ca = ACTGEN_CERTIFICATE_INIT, cb = ACTGEN_CERTIFICATE_INIT;
    assert_string_equal(actgen_kernel_object_hash(a), actgen_kernel_object_hash(b));
    assert_string_equal(actgen_kernel_plan(a), actgen_kernel_plan(b));
    assert_string_equal(actgen_kernel_accuracy(a), actgen_kernel_accuracy(b));
    assert_string_equal(actgen_kernel_backend(a), actgen_kernel_backend(b));
    actgen_kernel_certificate(a, &ca);
    actgen_kernel_certificate(b, &cb);
    assert_string_equal(ca.profile, cb.profile);
    /* The comparison covers everything except the texts. */
    assert_memory_equal(&ca, &cb, offsetof(actgen_certificate, accuracy));
    for (float x = -3; x < 3; x += 0.37f) {
        float input = x, ya = 0, yb = 1;
        const actgen_operand oa[] = {{&input, 0}, {&ya, 0}}, ob[] = {{&input, 0}, {&yb, 0}};
        assert_int_equal(actgen_run(a, 1, 1, oa, 2, NULL), 0);
        assert_int_equal(actgen_run(b, 1, 1, ob, 2, NULL), 0);
        assert_memory_equal(&ya, &yb, sizeof ya);
    }
}

static const char *const formulas[] = {"x*x+0.123", "max(x,-7)*3"};
static const char *const isas[] = {"host", "x86-64"};

static void a_second_engine_finds_what_the_first_made(void **state)
{
    (void)state;
    for (int i = 0; i < 2; i++) {
        actgen_kernel *plain = compile("", formulas[i], isas[i]),
                      *first = compile(folder, formulas[i], isas[i]),
                      *second = compile(folder, formulas[i], isas[i]);
        assert_true(actgen_kernel_plan_ms(plain) > 0 && actgen_kernel_plan_ms(first) > 0);
        assert_true(actgen_kernel_plan_ms(second) == 0);
        assert_alike(plain, first);
        assert_alike(plain, second);
        actgen_kernel_free(plain);
        actgen_kernel_free(first);
        actgen_kernel_free(second);
    }
}

/* Puts rubbish under the right key, with a right hash, as another version or a fault may have left it. */
static void rubbish_under_the_right_key_is_replaced(void **state)
{
    (void)state;
    static const char *const rubbish[] = {"", "rubbish", "\177ELF\002\001\001"};
    for (size_t i = 0; i < sizeof rubbish / sizeof *rubbish; i++) {
        actgen_kernel *good = compile(folder, formulas[0], "host");
        cache *c = cache_open(folder, 0, NULL);
        cache_put(c, good->object_key, rubbish[i], strlen(rubbish[i]));
        actgen_kernel *again = compile(folder, formulas[0], "host");
        assert_alike(good, again);
        size_t size;
        void *stored = cache_get(c, good->object_key, &size);
        assert_non_null(stored);
        assert_int_equal(size, good->object.size); /* The entry is mended. */
        /* The object of another kernel has another symbol or other code. The key decides, not the bytes.
         * The loader notices an object without the symbol. */
        cache_put(c, good->object_key, good->object.data, good->object.size / 2);
        actgen_kernel *third = compile(folder, formulas[0], "host");
        assert_alike(good, third);
        free(stored);
        cache_close(c);
        actgen_kernel_free(good);
        actgen_kernel_free(again);
        actgen_kernel_free(third);
    }
}

static void every_file_may_be_damaged(void **state)
{
    (void)state;
    char command[160];
    actgen_kernel *good = compile(folder, formulas[0], "host");
    snprintf(command, sizeof command, "for f in %s/*; do echo x >> $f; done", folder);
    assert_int_equal(system(command), 0);
    actgen_kernel *again = compile(folder, formulas[0], "host");
    assert_alike(good, again);
    assert_true(actgen_kernel_plan_ms(again) > 0);
    actgen_kernel_free(good);
    actgen_kernel_free(again);
}

static void an_engine_says_what_it_uses(void **state)
{
    (void)state;
    const char *why;
    actgen_engine *e = engine_in(folder);
    assert_string_equal(actgen_engine_cache(e, &why), folder);
    assert_string_equal(why, "");
    actgen_engine_free(e);
    e = engine_in("");
    assert_null(actgen_engine_cache(e, &why));
    assert_non_null(strstr(why, "no directory"));
    assert_null(actgen_engine_cache(e, NULL));
    actgen_engine_free(e);
    actgen_error error;
    const actgen_engine_options unset = {0};
    assert_int_equal(actgen_engine_create_with(&e, &unset, &error), ACTGEN_EINVAL);
    assert_null(e);
    assert_non_null(strstr(error.message, "ACTGEN_ENGINE_OPTIONS_INIT"));
}

/* ---- the same engine ---- */

static void equal_compilations_share_a_kernel(void **state)
{
    (void)state;
    actgen_engine *e = engine_in("");
    actgen_spec *spec, *same;
    actgen_kernel *a, *b, *c, *d;
    static const char text[] =
        "kernel f(x: f32) -> (y: f32) { y = x*x }\nkernel g(x: f32) -> (y: f32) { y = x+1 }";
    assert_int_equal(actgen_spec_parse(&spec, NULL, text, strlen(text), NULL), 0);
    assert_int_equal(actgen_spec_parse(&same, NULL, text, strlen(text), NULL), 0);
    actgen_options options = ACTGEN_OPTIONS_INIT;
    assert_int_equal(actgen_compile(&a, e, spec, "f", NULL, NULL), 0);
    assert_int_equal(actgen_compile(&b, e, same, "f", &options, NULL), 0);
    options.isa = actgen_host_isa();
    assert_int_equal(actgen_compile(&c, e, spec, "f", &options, NULL), 0);
    assert_int_equal(actgen_compile(&d, e, spec, "g", NULL, NULL), 0);
    assert_true(a == b && a == c && a != d);
    actgen_kernel_free(b);
    actgen_kernel_free(c);
    options.accuracy = "1 ulp";
    assert_int_equal(actgen_compile(&b, e, spec, "f", &options, NULL), 0);
    options.interpret = 1;
    assert_int_equal(actgen_compile(&c, e, spec, "f", &options, NULL), 0);
    assert_true(a != b && b != c);
    actgen_spec_free(spec);
    actgen_spec_free(same);
    actgen_kernel_free(a);
    actgen_kernel_free(b);
    actgen_kernel_free(c);
    actgen_kernel_free(d);
    actgen_engine_free(e);
}

#define WITH_FOLDER(name) cmocka_unit_test_setup_teardown(name, make_folder, remove_folder)

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(programs_come_back_as_they_were),
        cmocka_unit_test(damaged_programs_are_refused_or_well_formed),
        cmocka_unit_test(numbers_are_read_in_one_way),
        cmocka_unit_test(keys_tell_requests_apart),
        cmocka_unit_test(keys_tell_cores_apart),
        cmocka_unit_test(plans_come_back_and_damage_is_refused),
        WITH_FOLDER(a_second_engine_finds_what_the_first_made),
        WITH_FOLDER(rubbish_under_the_right_key_is_replaced),
        WITH_FOLDER(every_file_may_be_damaged),
        WITH_FOLDER(an_engine_says_what_it_uses),
        cmocka_unit_test(equal_compilations_share_a_kernel),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
