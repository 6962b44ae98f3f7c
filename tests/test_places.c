/* Tests of places, which are floats next to which results are most easily wrong. Planning and
 * verification try them. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "float_bits.h"
#include "formulas.h"
#include "inputs.h"
#include "places.h"

#include <math.h>
#include <stdbool.h>

static bool has_input(const uint32_t *bits, uint32_t count, uint32_t wanted)
{
    for (uint32_t i = 0; i < count; i++)
        if (bits[i] == wanted) return true;
    return false;
}

/* Checks rows whose inputs were found by trying all 2^32. */
static void the_nearest_inputs_to_roots_are_visited(void **state)
{
    (void)state;
    static const struct {
        const char *formula;
        /* The inputs to visit by themselves, and with their neighbours. 0 stands for none. */
        uint32_t alone, near;
        /* This float is the nearest of all to a multiple of a quarter turn. */
    } rows[] = {{"x sin", 0x6f79be45, 0x40490fdb},
                {"x neg cos", 0xef79be45, 0x3fc90fdb},
                {"x sin 1/2 -", 0x47f23f4d, 0x3f060a92},
                {"x sin 2 * 1 +", 0x5b34fbc0, 0xbf060a92},
                {"x sin x *", 0x6f79be45, 0x40490fdb},
                {"x sin x cos * 2 * 1 +", 0xeef9be45, 0xbf490fdb} /* The formula touches zero there. */,
                {"x sin x cos * 2 * 1 + x exp *", 0xeef9be45, 0xbf490fdb},
                /* A part of the formula turns back there. */
                {"x sin x cos * 2 * x * x +", 0xeef9be45, 0xbf490fdb},
                {"x log x - 1 +", 0, 0x3f800000} /* The formula touches zero at 1. */,
                {"x tanh", 0, 0}};
    for (size_t n = 0; n < sizeof rows / sizeof *rows; n++) {
        arena *memory = arena_create(0);
        expr_dag *dag = expr_dag_create(memory, FORMULA_NODES);
        const expr *e = formula(dag, rows[n].formula);
        reference *truth = reference_create(e, e, 1);
        struct places p;
        assert_non_null(truth);
        places_find(&p, memory, expr_simplify(dag, e, NULL), truth);
        if (rows[n].alone && !has_input(p.alone, p.alone_count, rows[n].alone))
            fail_msg("%s: %08x is not visited", rows[n].formula, rows[n].alone);
        if (rows[n].near && !has_input(p.near, p.near_count, rows[n].near))
            fail_msg("%s: %08x is not visited with its neighbours", rows[n].formula, rows[n].near);
        assert_true(rows[n].alone ? p.alone_count > 400 : !p.alone_count);
        reference_free(truth);
        arena_free(memory);
    }
}

/* -- f64 -- */

static void roots_of_f64_are_found(void **state)
{
    (void)state;
    static const struct {
        const char *formula;
        double root, within;
    } rows[] = {{"x log x - 1 +", 1, 0x1p-52},
                {"x 1/3 - ^2 x exp *", 1 / 3.0, 0x1p-54},
                {"x x * 2 -", 0x1.6a09e667f3bcdp0, 0x1p-52},
                {"x x * x 2/3 * - 1/9 + x exp *", 1 / 3.0, 0x1p-54},
                {"x x exp *", -1, 0x1p-25} /* The formula turns back there, flatly. */};
    for (size_t n = 0; n < sizeof rows / sizeof *rows; n++) {
        arena *memory = arena_create(0);
        expr_dag *dag = expr_dag_create(memory, FORMULA_NODES);
        const expr *e = formula(dag, rows[n].formula);
        reference *truth = reference_create(e, e, 1);
        uint64_t places[64];
        bool found = false;
        assert_non_null(truth);
        const size_t count = places_find_f64(places, 64, truth);
        for (size_t i = 0; i < count; i++)
            found |= fabs(f64_of_bits(places[i]) - rows[n].root) <= rows[n].within;
        if (!found) fail_msg("%s: the root is not found", rows[n].formula);
        reference_free(truth);
        arena_free(memory);
    }
}

/* -- verification -- */

static bool is_tried(const struct inputs *plan, uint64_t bits)
{
    for (unsigned n = 0; n < plan->sweep_count; n++)
        for (uint64_t i = 0; plan->sweep[n].list && i < plan->sweep[n].count; i++)
            if (plan->sweep[n].list[i] == bits) return true;
    return false;
}

/* Checks 1 + 2 sin(x) cos(x), which touches zero next to -pi/4. The neighbours of -pi/4 are tried, and so
 * is eef9be45, the float nearest to a zero of all. */
static void samples_of_verification_have_them(void **state)
{
    (void)state;
    static const actgen_verify_options options = ACTGEN_VERIFY_OPTIONS_INIT;
    arena *memory = arena_create(0);
    expr_dag *dag = expr_dag_create(memory, FORMULA_NODES);
    const expr *e = formula(dag, "x sin x cos * 2 * 1 +");
    const struct piece piece = {.written = e,
                                .simplified = expr_simplify(dag, e, NULL),
                                .argument = ELEMENT_F32,
                                .result = ELEMENT_F32};
    struct inputs plan;
    assert_true(inputs_plan(&plan, &piece, ELEMENT_F32, NULL, &options));
    for (uint64_t n = 0; n <= 2 * PLACES_BESIDE; n++)
        assert_true(is_tried(&plan, 0xbf490fdb + n - PLACES_BESIDE));
    assert_true(is_tried(&plan, 0xeef9be45));
    inputs_clear(&plan);
    arena_free(memory);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(the_nearest_inputs_to_roots_are_visited),
                                       cmocka_unit_test(roots_of_f64_are_found),
                                       cmocka_unit_test(samples_of_verification_have_them)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
