/* Tests of options.tier. The code that runs a kernel changes neither its plan nor its bits. Each tier has
 * an object of its own, or none. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "builtins.h"
#include "engine.h"
#include "folder.h"
#include "isas.h"
#include "matrix.h"

enum {
    TIERS = ACTGEN_TIER_INTERPRETER + 1,
    /* The number leaves a partial vector on every set. */
    INPUTS = 3003,
    BYTES = 2 * INPUTS * (int)sizeof(double)
};

/* The memory of the groups of operands. */
static unsigned char memory[TIERS][MATRIX_NAMES][BYTES];

static actgen_kernel *compile_tier(const actgen_spec *spec, const char *isa, int32_t tier)
{
    actgen_options options = ACTGEN_OPTIONS_INIT;
    actgen_kernel *k;
    options.isa = isa;
    options.tier = tier;
    if (actgen_compile(&k, engine, spec, NULL, &options, &error)) fail_msg("%s", error.message);
    return k;
}

/* ---- the same bits ---- */

static void run_tier(const actgen_kernel *k, int32_t tier)
{
    actgen_operand operands[MATRIX_NAMES];
    uint64_t seed = 1;
    const size_t count = actgen_kernel_group_count(k);
    for (size_t i = 0; i < actgen_kernel_operand_count(k); i++) {
        actgen_operand_info info = ACTGEN_OPERAND_INFO_INIT;
        assert_int_equal(actgen_kernel_operand_info(k, i, &info), ACTGEN_OK);
        operands[info.group] = (actgen_operand){memory[tier][info.group], 0};
        for (size_t n = 0; n < INPUTS && !info.is_result; n++)
            element_set(memory[tier][info.group], matrix_type(info.type), info.part * INPUTS + n,
                        has_workspace(k) ? matrix_number(matrix_type(info.type), &seed)
                                         : matrix_bits(matrix_type(info.type), &seed));
    }
    if (actgen_run(k, 1, INPUTS, operands, count, &error)) fail_msg("%s", error.message);
}

/* Compares results. As everywhere, a result promises only that it is a NaN, not which NaN. */
static void compare(const actgen_kernel *k, int32_t tier, const char *what)
{
    for (size_t i = 0; i < actgen_kernel_operand_count(k); i++) {
        actgen_operand_info info = ACTGEN_OPERAND_INFO_INIT;
        assert_int_equal(actgen_kernel_operand_info(k, i, &info), ACTGEN_OK);
        const enum element_type type = matrix_type(info.type);
        for (size_t n = info.part * INPUTS; n < (info.part + 1) * INPUTS; n++)
            if (!element_same(type, element_get(memory[tier][info.group], type, n),
                              element_get(memory[0][info.group], type, n)))
                fail_msg("%s of %s on %s: tier %d and the best code differ in element %zu", what,
                         actgen_type_name(info.type), actgen_kernel_isa(k), (int)tier, n);
    }
}

static void check_tiers(const actgen_spec *spec, const char *what, const char *isa)
{
    const char *plan = NULL;
    actgen_kernel *kernels[TIERS];
    memset(memory, 0, sizeof memory);
    for (int32_t tier = 0; tier < TIERS; tier++) {
        actgen_kernel *k = kernels[tier] = compile_tier(spec, isa, tier);
        const bool is_interpreted = tier == ACTGEN_TIER_INTERPRETER;
        assert_true(is_interpreted == !is_machine_code(k));
        assert_true(is_interpreted == !*actgen_kernel_object_hash(k));
        if (plan) assert_string_equal(actgen_kernel_plan(k), plan);
        plan = actgen_kernel_plan(k);
        run_tier(k, tier);
        compare(k, tier, what);
    }
    assert_string_not_equal(actgen_kernel_object_hash(kernels[ACTGEN_TIER_BEST]),
                            actgen_kernel_object_hash(kernels[ACTGEN_TIER_QUICK]));
    for (int32_t tier = 0; tier < TIERS; tier++) actgen_kernel_free(kernels[tier]);
}

struct walk { /* A walk over each step-th built-in of one type on one set. */
    const char *isa, *type;
    unsigned step, number;
};

static int check_builtin(void *payload, const actgen_builtin *b)
{
    struct walk *walk = payload;
    actgen_spec *spec;
    if (!is_made_of(b, walk->type) || walk->number++ % walk->step) return 0;
    if (actgen_spec_builtin_typed(&spec, b->name, walk->type, &error)) fail_msg("%s", error.message);
    check_tiers(spec, b->name, walk->isa);
    actgen_spec_free(spec);
    return 0;
}

/* Compares all built-ins of f32 on the first set. A tier's code differs by the loop, which is the set's,
 * so the other sets take a quarter of them. Plans of other types take longer to find, so each type takes
 * three built-ins. Plans come from the cache that tests share. */
static void tiers_have_equal_bits(void **state)
{
    actgen_engine *const own = engine;
    const char *isa;
    unsigned sets = 0;
    (void)state;
    assert_int_equal(actgen_engine_create(&engine, &error), ACTGEN_OK);
    for (size_t i = 0; (isa = actgen_isa_name(i)); i++) {
        if (!actgen_isa_runs_here(isa) || !is_set_tried(sets)) continue;
        /* The types that built-ins have stand before the type of seeds. */
        for (int type = 0; type < ACTGEN_U64; type++) {
            const unsigned step = takes_all() ? 1 : type != ACTGEN_F32 ? 16 : sets || is_sanitized() ? 4 : 1;
            actgen_builtins(check_builtin, &(struct walk){isa, actgen_type_name(type), step, 0}, NULL);
        }
        sets++;
    }
    actgen_engine_free(engine);
    engine = own;
}

/* ---- what else depends on it ---- */

static const char text[] = "kernel k(x: f32) -> (y: f32) { y = 3 * x }";

static int cached_engine(void **state)
{
    actgen_engine_options options = ACTGEN_ENGINE_OPTIONS_INIT;
    if (make_folder(state)) return -1;
    options.cache_directory = folder;
    return actgen_engine_create_with(&engine, &options, &error);
}

static int close_all(void **state)
{
    close_engine(state);
    return remove_folder(state);
}

/* Checks that an object of the disk cache belongs to one tier. */
static void tiers_do_not_share_objects(void **state)
{
    (void)state;
    char hashes[2][64];
    actgen_spec *spec = parse(text);
    for (int turn = 0; turn < 4; turn++) {
        const int32_t tier = turn % 2;
        actgen_kernel *k = compile_tier(spec, NULL, tier);
        if (turn < 2) strcpy(hashes[tier], actgen_kernel_object_hash(k));
        assert_string_equal(actgen_kernel_object_hash(k), hashes[tier]);
        actgen_kernel_free(k); /* The engine forgets it, the disk does not. */
    }
    assert_string_not_equal(hashes[0], hashes[1]);
    actgen_spec_free(spec);
}

/* Checks that both ways of asking for the interpreter give one kernel. */
static void the_interpreter_is_a_tier(void **state)
{
    (void)state;
    actgen_options options = ACTGEN_OPTIONS_INIT;
    actgen_spec *spec = parse(text);
    actgen_kernel *k = compile_tier(spec, NULL, ACTGEN_TIER_INTERPRETER), *other;
    options.interpret = 1;
    assert_int_equal(actgen_compile(&other, engine, spec, NULL, &options, &error), ACTGEN_OK);
    assert_ptr_equal(k, other);
    assert_string_equal(actgen_kernel_backend(k), "interpreter: as asked");
    actgen_kernel_free(k);
    actgen_kernel_free(other);
    actgen_spec_free(spec);
}

static size_t written; /* The number of bytes written. */
static int count_bytes(void *payload, const void *data, size_t size)
{
    (void)payload, (void)data;
    written += size;
    return 0;
}

static size_t emitted(const actgen_kernel *k)
{
    written = 0;
    assert_int_equal(actgen_emit(&k, 1, ACTGEN_EMIT_OBJECT, NULL, count_bytes, NULL, &error), ACTGEN_OK);
    return written;
}

/* Checks that objects always hold the best code, because whoever links an object has waited for it. */
static void objects_are_written_with_the_best_code(void **state)
{
    (void)state;
    actgen_spec *spec = parse(text);
    actgen_kernel *best = compile_tier(spec, NULL, ACTGEN_TIER_BEST);
    const size_t expected = emitted(best);
    for (int32_t tier = ACTGEN_TIER_QUICK; tier < TIERS; tier++) {
        actgen_kernel *k = compile_tier(spec, NULL, tier);
        assert_int_equal(emitted(k), expected);
        actgen_kernel_free(k);
    }
    actgen_kernel_free(best);
    actgen_spec_free(spec);
}

static void what_makes_no_sense_is_refused(void **state)
{
    (void)state;
    actgen_options options = ACTGEN_OPTIONS_INIT;
    actgen_spec *spec = parse(text);
    actgen_kernel *k;
    options.tier = 3;
    assert_refused(actgen_compile(&k, engine, spec, NULL, &options, &error), ACTGEN_EINVAL,
                   "options.tier is 3, no ACTGEN_TIER_*");
    options.tier = ACTGEN_TIER_QUICK;
    options.plan = ACTGEN_PLAN_MEASURE;
    assert_refused(actgen_compile(&k, engine, spec, NULL, &options, &error), ACTGEN_EINVAL,
                   "leave out options.tier or options.plan");
    actgen_spec_free(spec);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(tiers_have_equal_bits), cmocka_unit_test(tiers_do_not_share_objects),
        cmocka_unit_test(the_interpreter_is_a_tier), cmocka_unit_test(objects_are_written_with_the_best_code),
        cmocka_unit_test(what_makes_no_sense_is_refused)};
    return cmocka_run_group_tests(tests, cached_engine, close_all);
}
