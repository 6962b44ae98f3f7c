/* Tests of even and odd formulas. The reference confirms every parity that is found, and obvious
 * parities are found. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "formulas.h"
#include "reference.h"
#include "texts.h"

#include <math.h>

static const struct {
    const char *formula;
    int parity;
} rows[] = {
    {"x", -1},
    {"3", 1},
    {"x ^2", 1},
    {"x ^-3", -1},
    {"x abs ^1/2", 1},
    {"x ^1/3", 0}, /* The formula needs x >= 0. */
    {"x erf x tanh -", -1},
    {"x erf x x * -", 0},
    {"x x tanh *", 1},
    {"x cosh log", 1},
    {"x sin x /", 1},
    {"x cos x /", -1},
    {"x neg f32", -1},
    {"x exp", 0},
    {"x x * neg exp", 1},
    {"x 1 - sin", 0},
    {"x round x floor +", 0},
    {"x round x sign +", -1},
    {"x asinh x sinh x tan x atan + + +", -1},
    {"x 0 < x neg x if", 0},
    {"x abs 1 < x x ^3 if", -1},
    {"x abs 1 < x x cos if", 0},
    {"x abs 1 min", 1},
    {"x 1 min", 0},
    {"x sigmoid", 0},
    {"x normcdf x *", 0},
};

static void formulas_have_their_parity(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        arena *memory = test_memory();
        const expr *e = formula(expr_dag_create(memory, FORMULA_NODES), rows[i].formula);
        if (expr_parity(memory, e) != rows[i].parity) fail_msg("%s", rows[i].formula);
        arena_free(memory);
    }
}

/* Checks each function by its values on both sides. */
static void functions_keep_theirs(void **state)
{
    (void)state;
    for (unsigned kind = EXPR_FIRST_FUNCTION; kind < EXPR_KIND_COUNT; kind++) {
        arena *memory = test_memory();
        expr_dag *dag = expr_dag_create(memory, FORMULA_NODES);
        const expr *e = expr_unary(dag, (enum expr_kind)kind, expr_input(dag, 0));
        const int parity = expr_parity(memory, e);
        reference *truth = reference_create(e, e, 1);
        bool is_even = true, is_odd = true;
        for (double x = 0.3; x < 8; x += 0.7) {
            const double minus = -x;
            double right = 0, left = 0;
            if (reference_value(truth, &x, &right, NULL) || reference_value(truth, &minus, &left, NULL))
                fail();
            if (isnan(left) && isnan(right)) continue; /* outside the domain, on both sides */
            is_even = is_even && left == right;
            is_odd = is_odd && left == -right;
        }
        if ((parity > 0 && !is_even) || (parity < 0 && !is_odd))
            fail_msg("%s", expr_kind_name((enum expr_kind)kind));
        reference_free(truth);
        arena_free(memory);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(formulas_have_their_parity),
                                       cmocka_unit_test(functions_keep_theirs)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
