/* Tests of the rows of functions.def. The reference confirms what a row says of its function. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "formulas.h"
#include "reference.h"
#include "texts.h"

#include <math.h>

/* The points lie between the places where a function bends, jumps or has a pole. */
static const double STEP = 0.373, MOST = 24.9, FAR_OUT = 1e30;

struct subject {
    const struct expr_function *row;
    const char *name;
    reference *truth;
};

static double value(const struct subject *s, double x)
{
    double y = 0;
    if (reference_value(s->truth, &x, &y, NULL)) fail();
    return y;
}

static void check(const struct subject *s, bool is_right, const char *column, double x)
{
    if (!is_right) fail_msg("the row of %s is wrong in %s at %g", s->name, column, x);
}

static void for_each_function(void (*test)(const struct subject *))
{
    for (unsigned kind = EXPR_FIRST_FUNCTION; kind < EXPR_KIND_COUNT; kind++) {
        arena *memory = test_memory();
        expr_dag *dag = expr_dag_create(memory, FORMULA_NODES);
        const expr *e = expr_unary(dag, (enum expr_kind)kind, expr_input(dag, 0));
        const struct subject s = {&expr_functions[kind], expr_kind_name(e->kind), reference_create(e, e, 1)};
        test(&s);
        reference_free(s.truth);
        arena_free(memory);
    }
}

static bool has_value_at(const struct subject *s, double x)
{
    const double from = (double)s->row->domain.from;
    return !s->row->domain.has_end || (x >= from && (!s->row->domain.is_two_sided || x <= -from));
}

static void domain_and_range(const struct subject *s)
{
    for (double x = -MOST; x < MOST; x += STEP) {
        const double y = value(s, x);
        check(s, isnan(y) != has_value_at(s, x), "its domain", x);
        check(s, isnan(y) || (y >= s->row->low && y <= s->row->high), "its range", x);
    }
}

static void domains_and_ranges_are_right(void **state)
{
    (void)state;
    for_each_function(domain_and_range);
}

/* Checks the value far out against the bound of the range. */
static void check_limit(const struct subject *s, double x, double bound)
{
    const double y = value(s, x);
    const bool is_there = isfinite(bound) ? fabs(y - bound) < 1e-9 : bound < 0 ? y < -MOST : y > MOST;
    check(s, is_there, "an end of its range", x);
}

static void monotony(const struct subject *s)
{
    bool rises = false, falls = false;
    for (double x = -MOST; x < MOST; x += STEP) {
        rises = rises || value(s, x + STEP) > value(s, x);
        falls = falls || value(s, x + STEP) < value(s, x);
    }
    const bool is_falling = s->row->monotony == MONOTONY_FALLS, turns = s->row->monotony == MONOTONY_TURNS;
    check(s, rises == (turns || !is_falling) && falls == (turns || is_falling), "its monotony", MOST);
    if (turns) return;
    if (!s->row->domain.is_two_sided) check_limit(s, FAR_OUT, is_falling ? s->row->low : s->row->high);
    if (!s->row->domain.has_end) check_limit(s, -FAR_OUT, is_falling ? s->row->high : s->row->low);
}

/* Checks that curves approach whole bounds faster than any power, by one of a high degree. */
static void approach(const struct subject *s)
{
    const bool has_end = s->row->domain.has_end;
    if (s->row->nature != NATURE_CURVE || s->row->monotony == MONOTONY_TURNS) return;
    if (s->row->domain.is_two_sided) return;
    for (double x = has_end ? MOST : -MOST; x <= MOST; x += 2 * MOST) {
        const double bound = (s->row->monotony == MONOTONY_RISES) == (x > 0) ? s->row->high : s->row->low;
        if (!isfinite(bound) || bound != trunc(bound)) continue;
        check(s, fabs(value(s, x) - bound) < pow(MOST, -5), "the approach of a bound", x);
    }
}

static void curves_approach_whole_bounds(void **state)
{
    (void)state;
    for_each_function(approach);
}

static void functions_rise_and_fall(void **state)
{
    (void)state;
    for_each_function(monotony);
}

static void at_zero(const struct subject *s)
{
    static const double values[] = {
        [AT_ZERO_OTHER] = NAN, [AT_ZERO_LIKE_U] = 0, [AT_ZERO_HALF] = 0.5, [AT_ZERO_ONE] = 1};
    const double y = value(s, 0), wanted = values[s->row->at_zero];
    const bool is_other = y != 0 && y != 0.5 && y != 1;
    check(s, s->row->at_zero == AT_ZERO_OTHER ? is_other : y == wanted, "its value", 0);
    for (double u = -1; u < 1 && s->row->at_zero == AT_ZERO_LIKE_U; u += 1.0 / 64) {
        const double slope = value(s, 0x1p-40) / 0x1p-40, h = value(s, u) / (slope * u) - 1;
        check(s, u == 0 || fabs(u) > 0.5 || fabs(h) < fabs(u), "its beginning", u);
    }
}

static void values_at_zero_are_right(void **state)
{
    (void)state;
    for_each_function(at_zero);
}

static void nature(const struct subject *s)
{
    static const double turn = 0x1.921fb54442d18p2;
    bool repeats = true, is_level = true;
    for (double x = STEP; x < MOST; x += STEP) {
        repeats = repeats && fabs(value(s, x + turn) - value(s, x)) < 1e-9;
        is_level = is_level && value(s, x + 0x1p-20) == value(s, x);
    }
    const double right = value(s, 0x1p-40) - value(s, 0), left = value(s, 0) - value(s, -0x1p-40);
    const bool has_end = s->row->domain.has_end || isinf(value(s, 0)), jumps = !has_end && fabs(right) > 0.5;
    const bool bends = !has_end && fabs(right - left) > 0x1p-10 * fabs(right);
    const int kind = (int)s->row->nature;
    check(s, (repeats && !is_level) == (kind == NATURE_WAVE), "its waves", MOST);
    const bool steps = is_level && value(s, MOST) != value(s, STEP);
    check(s, steps == (kind == NATURE_STEPS), "its steps", MOST);
    if (kind != NATURE_STEPS) check(s, (bends || jumps) == (kind == NATURE_KINK), "its kink", 0);
}

static void natures_are_right(void **state)
{
    (void)state;
    for_each_function(nature);
}

static void tail(const struct subject *s)
{
    const struct function_tail *t = &s->row->tail;
    for (int side = -1; side <= 1 && t->power; side += 2) {
        const double u = side * MOST, exponent = t->factor * pow(u, t->power);
        const bool is_there = !t->side || t->side == side;
        check(s, fabs(log(value(s, u)) - exponent) < 0.05 * fabs(exponent) || !is_there, "its tail", u);
        check(s, is_there || fabs(log(value(s, u))) < log(2 * MOST), "the side without a tail", u);
    }
}

static void tails_are_right(void **state)
{
    (void)state;
    for_each_function(tail);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(domains_and_ranges_are_right),
        cmocka_unit_test(functions_rise_and_fall),
        cmocka_unit_test(curves_approach_whole_bounds),
        cmocka_unit_test(values_at_zero_are_right),
        cmocka_unit_test(natures_are_right),
        cmocka_unit_test(tails_are_right),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
