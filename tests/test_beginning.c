/* Tests of quick values next to 0, for formulas whose terms cancel there: the values are tight
 * and never wrong. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "beginning.h"
#include "formulas.h"
#include "reference.h"

#include <math.h>

/* Smooth formulas, and formulas whose derivatives do not tell how they begin. */
static const struct {
    const char *written;
    bool is_smooth;
} rows[] = {
    {"x x tanh -", true},
    {"x erf 2 x * pi sqrt / -", true},
    {"x sin x tanh -", true},
    {"1 x + log x -", true},
    {"x exp 1 - x - x ^2 2 / -", true},
    {"x cos 1 - x ^2 2 / +", true},
    {"x cosh log", true},
    {"x sin x ^3 6 / + x - 1000 *", true},
    {"x abs x tanh -", false},
    {"x 0 max x tanh -", false},
    {"x floor 2 + x x tanh - *", false},
    {"x round 1/2 x + round + x x tanh - *", false},
    {"x x 11/10 * f32 10/11 * tanh -", false},
    {"x 0 < 2 3 if x x tanh - *", false},
    {"x sign 2 + x x tanh - *", false},
    {"1 x ^5/2 + log x ^5/2 -", false},
    {"1 x / 1 x sin / -", false},
};

static void beginnings_are_known(void **state)
{
    (void)state;
    arena *memory = arena_create(0);
    expr_dag *dag = expr_dag_create(memory, FORMULA_NODES);
    for (size_t f = 0; f < sizeof rows / sizeof *rows; f++) {
        enum { INPUTS = 600 };
        const char *name = rows[f].written;
        const expr *written = formula(dag, name);
        reference *r = reference_create(written, written, 1);
        struct beginning *beginning = beginning_create(written);
        reference_begin(r, beginning);
        double x[INPUTS], value[INPUTS], error[INPUTS];
        uint64_t seed = f + 1;
        size_t tight = 0;
        for (size_t i = 0; i < INPUTS; i++)
            x[i] = (i % 2 ? 1 : -1) * (double)(float)exp2(-4 - 120 * random_unit(&seed));
        x[0] = 0;
        reference_quick(r, (const double *const[]){x}, INPUTS, value, error);
        for (size_t i = 0; i < INPUTS; i++) {
            double exact;
            tight += error[i] < 0x1p-24 * fabs(value[i]);
            if (!(error[i] < INFINITY) || reference_value(r, &x[i], &exact, NULL) != REFERENCE_DECIDED)
                continue;
            if (!(fabs(value[i] - exact) <= error[i] + fabs(exact) * 0x1p-53))
                fail_msg("%s at %a: %a +- %a, exact %a", name, x[i], value[i], error[i], exact);
        }
        if (rows[f].is_smooth && tight < INPUTS - INPUTS / 50)
            fail_msg("%s: only %zu of %d bounds are tight", name, tight, INPUTS);
        reference_free(r);
        beginning_free(beginning);
    }
    arena_free(memory);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(beginnings_are_known)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
