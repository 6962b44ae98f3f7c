/* A test for each instruction set of this machine's architecture. Include this file below `check_isa`, and
 * put EACH_ISA among the tests. `check_isa` gets an engine and a workplace (matrix.h), and is called only
 * where the processor has the set. Include cmocka.h first. */
#ifndef ACTGEN_TEST_EACH_ISA_H
#define ACTGEN_TEST_EACH_ISA_H

#include "isas.h"
#include "matrix.h"
#include "skipping.h"
#include "target.h"

static inline void check_isa_named(const char *isa)
{
    actgen_engine *engine;
    struct matrix m;
    if (!isa || !actgen_isa_runs_here(isa)) {
        SKIP_BECAUSE("%s: not on this processor",
                     isa ? isa : "a further instruction set, or one that a sanitizer watches");
    }
    matrix_open(&m);
    assert_int_equal(actgen_engine_create(&engine, NULL), ACTGEN_OK);
    check_isa(engine, &m, isa);
    actgen_engine_free(engine);
    matrix_close(&m);
}

static inline void check_isa_number(size_t number) { check_isa_named(own_isa_to_run(number)); }

/* Checks the sets that extend another, which have lanes for operands of f16 and of a byte. */
static inline void check_extending_isas(const char *operands)
{
    static const char *const bytes[] = {"e4m3", "e5m2", "i8", "u8"};
    const bool is_half = !strcmp(operands, "f16");
    bool is_byte = false;
    for (size_t k = 0; k < sizeof bytes / sizeof *bytes; k++) is_byte |= !strcmp(operands, bytes[k]);
    if (!is_half && !is_byte) return; /* No set has additional lanes for other types. */
    for (size_t i = 0; target_isa_at(i); i++) {
        const struct target_isa *isa = target_isa_at(i);
        if (isa->extends && (is_half ? isa->profile.lookup_f16 : isa->profile.lookup_i8))
            check_isa_named(isa->name);
    }
}

static void first_isa(void **state)
{
    (void)state;
    check_isa_number(0);
}
static void second_isa(void **state)
{
    (void)state;
    check_isa_number(1);
}
static void third_isa(void **state)
{
    (void)state;
    check_isa_number(2);
}

/* Fails if this architecture gets a fourth set, which needs a test here. */
static void no_isa_is_left_out(void **state)
{
    (void)state;
    assert_non_null(own_isa(2));
    assert_null(own_isa(3));
}

#define EACH_ISA                                                                                             \
    cmocka_unit_test(first_isa), cmocka_unit_test(second_isa), cmocka_unit_test(third_isa),                  \
        cmocka_unit_test(no_isa_is_left_out)

#endif
