/* Tests of quotients of polynomials against minimax errors known in closed form or published, and of the
 * plans made of them against a table. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "lower.h"
#include "plan.h"
#include "quotient.h"
#include "texts.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* ---- fits ---- */

static double exponential(double x) { return exp(x); }
static double square(double x) { return x * x; }
static double root(double x) { return sqrt(x); }
/* exp(-t) with t = x / (1 - x), on all t >= 0. */
static double decay(double x) { return exp(x / (x - 1)); }

/* Fits with known errors. exp: Meinardus, Approximation of Functions (1967), 9.1, the asymptotic error n!
 * m! / (2^(n+m) (n+m)! (n+m+1)!), here within a few percent. exp(-t) on [0, inf): Cody, Meinardus, Varga,
 * J. Approx. Theory 2 (1969). |x|: Varga, Ruttan, Carpenter, Math. USSR Sbornik 74 (1993), E_(2,2) and
 * E_(4,4): sqrt(x^2). The linearised error differs from the error where that error is large. */
static const struct {
    const char *name;
    double (*f)(double);
    double low, high;
    unsigned numerator, denominator;
    double error, within; /* The minimax error, and the relative distance from it. */
} fits[] = {
    {"x^2 by a line on [0, 1]", square, 0, 1, 1, 0, 0.125, 0.03},
    {"exp by degree 1/1", exponential, -1, 1, 1, 1, 0.02097, 0.03},
    {"exp by degree 2/2", exponential, -1, 1, 2, 2, 8.69e-5, 0.03},
    {"sqrt(x) by degree 1/1", root, 0, 1, 1, 1, 0.04368901, 0.06},
    {"sqrt(x) by degree 2/2", root, 0, 1, 2, 2, 0.008501, 0.06},
    {"exp(-t) by degree 3/3", decay, 0, 0.999, 3, 3, 7.99e-4, 0.1},
    {"exp(-t) by degree 4/4", decay, 0, 0.999, 4, 4, 8.65e-5, 0.05},
};

static void set_problem(struct quotient_problem *p, size_t row)
{
    *p = (struct quotient_problem){.point_count = QUOTIENT_MAX_POINTS,
                                   .numerator_degree = fits[row].numerator,
                                   .denominator_degree = fits[row].denominator};
    const double middle = (fits[row].low + fits[row].high) / 2, half = (fits[row].high - fits[row].low) / 2;
    for (unsigned i = 0; i < QUOTIENT_MAX_POINTS; i++) {
        p->point[i] = middle - half * cos(3.14159265358979 * i / (QUOTIENT_MAX_POINTS - 1));
        if (fits[row].f == root) p->point[i] *= p->point[i]; /* The points are dense at the singular end. */
        p->value[i] = fits[row].f(p->point[i]);
        p->weight[i] = 1;
    }
}

static void fits_reach_the_known_errors(void **state)
{
    (void)state;
    unsigned wrong = 0;
    for (size_t row = 0; row < sizeof fits / sizeof *fits; row++) {
        struct quotient_problem problem;
        struct quotient exact, rounded;
        set_problem(&problem, row);
        quotient_fit(&exact, &problem);
        quotient_fit_rounded(&rounded, &problem);
        const double least = fits[row].error;
        bool right = fabs(exact.error - least) <= fits[row].within * least &&
                     rounded.error <= 1.1 * exact.error + 0x1p-22;
        for (unsigned k = 0; k <= QUOTIENT_MAX_DEGREE; k++)
            right = right && rounded.numerator[k] == (double)(float)rounded.numerator[k] &&
                    rounded.denominator[k] == (double)(float)rounded.denominator[k];
        if (!right) {
            fprintf(stderr, "%s: %.5g, rounded %.5g, known %.5g\n", fits[row].name, exact.error,
                    rounded.error, least);
            wrong++;
        }
    }
    assert_int_equal(wrong, 0);
}

static void constants_are_short(void **state)
{
    (void)state;
    struct quotient_problem problem;
    struct quotient q;
    set_problem(&problem, 2);
    problem.unit_numerator = true;
    quotient_fit_rounded(&q, &problem);
    assert_true(q.numerator[0] == 1 && q.denominator[0] != 0 && q.error < 1.2e-4);
    problem.unit_numerator = false;
    quotient_fit_rounded(&q, &problem);
    assert_true(q.denominator[0] >= 1 && q.denominator[0] < 2 &&
                q.denominator[0] * 64 == floor(q.denominator[0] * 64));
}

static void zeros_of_the_denominator_are_seen(void **state)
{
    (void)state;
    static const struct {
        double denominator[4], low, high;
        bool finite;
    } rows[] = {
        {{1, 1}, 0, 100, true},         {{1, -1}, 0, 0.999, true},  {{1, -1}, 0, 1.001, false},
        {{1, 1}, -0.9, 0, true},        {{1, 1}, -1.1, 0, false},   {{1, 0, 0, -0.125}, 0, 1.99, true},
        {{1, -2, 1.0001}, 0, 3, false}, {{1, -2, 1.1}, 0, 3, true}, {{1, -2, 0.999}, 0, 3, false},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct quotient q = {.denominator_degree = 3};
        memcpy(q.denominator, rows[i].denominator, sizeof rows[i].denominator);
        if (quotient_is_finite(&q, rows[i].low, rows[i].high) != rows[i].finite) fail_msg("row %zu", i);
    }
}

/* ---- plans ---- */

static const struct {
    const char *formula, *bound, *isa, *shape; /* A NULL shape stands for any but a wide one. */
    double cost;                               /* The highest cost. */
} plans[] = {
    {"gelu(x)", "abs 2^-8", "x86-64", "power", 9},
    {"gelu(x)", "abs 2^-16", "x86-64", "power", 12},
    {"gelu(x)", "abs 2^-20", "x86-64", "power", 16},
    {"silu(x)", "abs 2^-12", "x86-64", "power", 14},
    {"softplus(x)", "abs 2^-16", "x86-64", "power", 14},
    {"elu(x)", "abs 2^-16", "x86-64", "power", 11},
    {"selu(x)", "abs 2^-12", "x86-64", "power", 11},
    {"sigmoid(-x)", "abs 2^-10", "x86-64", NULL, 12},
    {"tanh(x)", "abs 2^-16", "x86-64", "rational", 13},
    {"tanh(3*x)", "abs 2^-22", "x86-64", "rational", 15},
    {"sigmoid(x)", "abs 2^-22", "x86-64", "rational", 15},
    {"erf(x)", "abs 2^-20", "x86-64", "rational", 13},
    {"elu(x)", "3 ulp", "x86-64", "composed", 14},
    {"elu(x, alpha = 0.5)", "3 ulp", "x86-64", NULL, 22},
    {"exp(-x^2)", "abs 2^-16", "x86-64", NULL, 16},
    {"if x > 0 then expm1(-x) else x", "abs 2^-16", "x86-64", NULL, 12},
};

static int find(void *context, struct plan **out, const struct plan_request *request, struct diag *error)
{
    return plan_find(out, request, context, error);
}

/* Returns the plan. If there is none, prints what is wrong and returns NULL. */
static const struct plan *plan_of(arena *memory, size_t row)
{
    struct lowered *l;
    struct diag error = {0};
    struct spec_bound bound;
    const struct target_isa *isa = target_isa_find(plans[row].isa);
    const struct spec *s = parse_expression(memory, plans[row].formula);
    struct plan_search search = {text_new(memory)};
    assert_non_null(isa);
    assert_int_equal(spec_parse_bound(&bound, memory, plans[row].bound, strlen(plans[row].bound), &error), 0);
    const struct lower_request request = {.spec = s,
                                          .kernel = &s->kernels[0],
                                          .bound = bound,
                                          .profile = isa->profile,
                                          .costs = isa->costs,
                                          .planner = {find, &search}};
    if (lower_kernel(&l, &request, &error)) {
        fprintf(stderr, "%s: %s\n", plans[row].formula, error.message);
        return NULL;
    }
    return l->pieces[0].plan;
}

static void plans_are_as_cheap_as_expected(void **state)
{
    (void)state;
    unsigned wrong = 0;
    for (size_t row = 0; row < sizeof plans / sizeof *plans; row++) {
        arena *memory = test_memory();
        const struct plan *p = plan_of(memory, row);
        const bool right =
            p && p->cost <= plans[row].cost &&
            (plans[row].shape ? !strcmp(p->shape, plans[row].shape) : !strstr(p->shape, "wide"));
        if (!right) {
            fprintf(stderr, "%s, %s on %s: %s, cost %g\n", plans[row].formula, plans[row].bound,
                    plans[row].isa, p ? p->shape : "none", p ? p->cost : 0);
            wrong++;
        }
        arena_free(memory);
    }
    assert_int_equal(wrong, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(fits_reach_the_known_errors),
        cmocka_unit_test(constants_are_short),
        cmocka_unit_test(zeros_of_the_denominator_are_seen),
        cmocka_unit_test(plans_are_as_cheap_as_expected),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
