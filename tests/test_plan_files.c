/* Tests of plan files: they come back, damaged ones are refused, and their plans are judged anew. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "builtin.h"
#include "folder.h"
#include "plan_file.h"
#include "plan_pack.h"
#include "tuned.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

static actgen_kernel *with_plans(const char *text, const char *isa, const char *plans)
{
    actgen_options options = ACTGEN_OPTIONS_INIT;
    options.isa = isa;
    options.plans = plans;
    return compile_with(text, &options);
}

static int add_bytes(void *payload, const void *data, size_t size)
{
    text_bytes(payload, data, size);
    return 0;
}

static char *plans_of(arena *memory, const actgen_kernel *const *kernels, size_t count)
{
    struct text t = text_new(memory);
    assert_int_equal(actgen_emit(kernels, count, ACTGEN_EMIT_PLANS, NULL, add_bytes, &t, &error), 0);
    return t.data;
}

static void plan_files_come_back(void **state)
{
    (void)state;
    arena *memory = memory_for_text();
    open_in("");
    actgen_kernel *gate = tuned_for(GATE_TEXT, "host", 4), *half = tuned_for(HALF_TEXT, "x86-64", 2),
                  *pair = tuned_for(PAIR_TEXT, "host", 5);
    const actgen_kernel *const all[] = {gate, half, pair, gate};
    const char *plans = plans_of(memory, all, 4);
    actgen_engine_free(engine);
    open_in(folder);
    for (int run = 0; run < 2; run++) { /* The second run finds the first one's judgement. */
        actgen_kernel *gate2 = with_plans(GATE_TEXT, "host", plans),
                      *half2 = with_plans(HALF_TEXT, "x86-64", plans),
                      *pair2 = with_plans(PAIR_TEXT, "host", plans),
                      *other = with_plans(SUM_TEXT, "host", plans);
        assert_int_equal(asked_to_time, 0);
        assert_string_equal(actgen_kernel_object_hash(gate), actgen_kernel_object_hash(gate2));
        assert_string_equal(actgen_kernel_object_hash(half), actgen_kernel_object_hash(half2));
        assert_string_equal(actgen_kernel_object_hash(pair), actgen_kernel_object_hash(pair2));
        assert_string_equal(actgen_kernel_chosen_by(gate), actgen_kernel_chosen_by(gate2));
        assert_string_equal(actgen_kernel_chosen_by(other), actgen_kernel_core(other)); /* Not in it. */
        assert_true(run == 0 || actgen_kernel_plan_ms(gate2) == 0);
        const actgen_kernel *const back[] = {pair2, half2, gate2};
        assert_string_equal(plans, plans_of(memory, back, 3));
        actgen_kernel_free(gate2);
        actgen_kernel_free(half2);
        actgen_kernel_free(pair2);
        actgen_kernel_free(other);
        actgen_engine_free(engine);
        open_in(folder);
    }
    actgen_kernel *estimated = compile_for(GATE_TEXT, "host");
    const actgen_kernel *const none[] = {estimated};
    assert_refused(actgen_emit(none, 1, ACTGEN_EMIT_PLANS, NULL, drop, NULL, &error), ACTGEN_EINVAL,
                   "by times");
    actgen_kernel_free(estimated);
    actgen_kernel_free(gate);
    actgen_kernel_free(half);
    actgen_kernel_free(pair);
    actgen_engine_free(engine);
    arena_free(memory);
}

/* Returns the status of compiling `text` with that plan file. A kernel that comes out keeps its bound. */
static int status_of(const char *text, const char *plans)
{
    actgen_spec *spec = parse(text);
    actgen_options options = ACTGEN_OPTIONS_INIT;
    actgen_kernel *k = NULL;
    options.plans = plans;
    const int status = actgen_compile(&k, engine, spec, NULL, &options, &error);
    if (!status) assert_kept(k);
    actgen_kernel_free(k);
    actgen_spec_free(spec);
    return status;
}

/* Makes the hash fit, as a stranger would. */
static void set_hash(char *plans)
{
    char *line = strstr(plans, "\nhash ") + 1, hash[HASH_TEXT_SIZE];
    hash_text(plans, (size_t)(line - plans), hash);
    memcpy(line + 5, hash, HASH_TEXT_SIZE - 1);
}

static void damaged_plan_files_are_refused(void **state)
{
    (void)state;
    arena *memory = memory_for_text();
    open_in("");
    actgen_kernel *gate = tuned_for(GATE_TEXT, "host", 4);
    const actgen_kernel *const all[] = {gate};
    char *plans = plans_of(memory, all, 1);
    const size_t length = strlen(plans);
    for (size_t i = 0; i < length; i++) { /* Every byte matters. */
        const char byte = plans[i];
        plans[i] = byte == 'x' ? 'y' : 'x';
        assert_int_equal(plan_file_check(plans, NULL), DIAG_INVALID);
        plans[i] = 0;
        assert_int_equal(plan_file_check(plans, NULL), DIAG_INVALID);
        plans[i] = byte;
    }
    assert_int_equal(plan_file_check(plans, NULL), DIAG_OK);
    assert_refused(status_of(GATE_TEXT, "rubbish"), ACTGEN_EINVAL, "no plan file");
    assert_refused(status_of(GATE_TEXT, ""), ACTGEN_EINVAL, "no plan file");
    assert_refused(status_of(GATE_TEXT, "actgen plans 2\nand more\n"), ACTGEN_EINVAL, "another version");
    assert_refused(status_of(GATE_TEXT, arena_text(memory, plans, length / 2)), ACTGEN_EINVAL,
                   "cut or damaged");
    const char *twice = "actgen plans 1\nprocessor x\n0123456789abcdef0123456789abcdef AAAA a\n"
                        "0123456789abcdef0123456789abcdef AAAA a\nhash x\n";
    assert_refused(status_of(GATE_TEXT, twice), ACTGEN_EINVAL, "line 4");
    /* Changed bytes with a hash that fits are refused, or give a plan that keeps the bound. */
    char *record = strchr(strchr(plans, '\n') + 1, '\n') + 1 + HASH_TEXT_SIZE;
    unsigned refused = 0, tried = 0;
    for (size_t i = 0, end = strcspn(record, " "); i < end; i += 1 + end / 30) {
        const char byte = record[i];
        record[i] = byte == 'A' ? 'g' : 'A';
        set_hash(plans);
        refused += status_of(GATE_TEXT, plans) != 0;
        record[i] = byte;
        tried++;
    }
    assert_true(tried > 20 && refused > tried / 2);
    set_hash(plans);
    assert_int_equal(status_of(GATE_TEXT, plans), 0);
    actgen_kernel_free(gate);
    actgen_engine_free(engine);
    arena_free(memory);
}

/* Makes a stranger's plan file: the kernel's own with another program, and errors within the bound. */
static char *lie(arena *memory, const actgen_kernel *k, const actgen_kernel *rougher)
{
    struct text record = text_new(memory), packed = text_new(memory), file = text_new(memory);
    struct plan plan = *rougher->lowered->pieces[0].plan;
    char hash[HASH_TEXT_SIZE];
    plan.measured.max_abs = plan.measured.max_ulp = 0;
    plan_pack(&packed, &plan);
    const unsigned numbers[] = {2, 2, CONSTANTS_IN_REGISTERS, 1};
    for (size_t i = 0; i < 4; i++) bytes_add_number(&record, numbers[i]);
    bytes_add_number(&record, packed.length);
    text_bytes(&record, packed.data, packed.length);
    text_add(&file, "actgen plans 1\nprocessor %s\n", k->tuning.processor);
    builtin_line(&file, k->tuning.key, &record, "a lie");
    hash_text(file.data, file.length, hash);
    text_add(&file, "hash %s\n", hash);
    return file.data;
}

static void plans_are_not_believed(void **state)
{
    (void)state;
    static const char rough_text[] =
        "kernel gate(x: f32) -> (y: f32) { accuracy abs 2^-8\n y = x*sigmoid(1.25*x) }";
    static const char exact_text[] =
        "kernel half(x: bf16) -> (y: bf16) { accuracy abs 2^-8\n y = x*tanh(0.625*x) }";
    arena *memory = memory_for_text();
    open_in(folder);
    actgen_kernel *gate = tuned_for(GATE_TEXT, "host", 0), *rough = compile_for(rough_text, "host");
    actgen_kernel *half = tuned_for(HALF_TEXT, "host", 0), *loose = compile_for(exact_text, "host");
    for (int run = 0; run < 2; run++) { /* The refusal is not kept as a judgement. */
        assert_refused(status_of(GATE_TEXT, lie(memory, gate, rough)), ACTGEN_EINVAL,
                       "does not keep the bound");
        assert_refused(status_of(HALF_TEXT, lie(memory, half, loose)), ACTGEN_EINVAL, "line 3");
    }
    assert_int_equal(status_of(GATE_TEXT, lie(memory, gate, gate)), 0); /* The lie is in the program. */
    actgen_kernel_free(gate);
    actgen_kernel_free(rough);
    actgen_kernel_free(half);
    actgen_kernel_free(loose);
    actgen_engine_free(engine);
    arena_free(memory);
}

int main(int argc, char **argv)
{
    if (argc > 1) cmocka_set_test_filter(argv[1]);
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(plan_files_come_back, make_folder, remove_folder),
        cmocka_unit_test(damaged_plan_files_are_refused),
        cmocka_unit_test_setup_teardown(plans_are_not_believed, make_folder, remove_folder),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
