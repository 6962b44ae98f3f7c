/* Tests of the exponential of a factored plan: its argument in two floats, by polynomials and by tables,
 * and both ways of scaling. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "factored_exp.h"
#include "float_bits.h"
#include "interp.h"
#include "texts.h"

#include <math.h>
#include <stdio.h>

static const struct {
    const char *name;
    unsigned degree;
    double q[FACTOR_MAX_DEGREE + 1];
} exponents[] = {
    {"-t", 1, {0, -1}},
    {"-t/3", 1, {0, -0x1.5555555555555p-2}},
    {"-1.702 t", 1, {0, -1.702}},
    {"-t^2/2", 2, {0, 0, -0.5}},
    {"-0.7 t^2", 2, {0, 0, -0.7}},
    {"-t - t^2/2", 2, {0, -1, -0.5}},
    {"t - t^2", 2, {0, 1, -1}},
    {"GELU by tanh", 3, {0, -1.59576912160573071, 0, -0.0713548162726}},
    {"-t^2 - t^4/3", 4, {0, 0, -1, 0, -0x1.5555555555555p-2}},
};
/* The bound on |(1 + fraction) 2^n / exp(q) - 1|. The fit contributes 2^-27. The roundings of r, where
 * |r| < 0.35, contribute 2^-26 each for n's low part and q's. The two roundings of the fraction
 * contribute 2^-26. */
static const double fit_error_wanted = 0x1p-27;
static const double error_stated = 0x1p-24;

static struct factor_polynomial exponent_of(size_t row)
{
    struct factor_polynomial q = {.degree = exponents[row].degree};
    for (unsigned k = 0; k <= FACTOR_MAX_DEGREE; k++) q.coefficient[k] = exponents[row].q[k];
    return q;
}

static void exact_exponential(mpfr_t out, size_t row, double t, mpfr_t q)
{
    mpfr_set_zero(q, 1);
    for (unsigned k = FACTOR_MAX_DEGREE + 1; k-- > 0;) {
        mpfr_mul_d(q, q, t, MPFR_RNDN);
        mpfr_add_d(q, q, exponents[row].q[k], MPFR_RNDN);
    }
    mpfr_exp(out, q, MPFR_RNDN);
}

enum { POINTS = 4096 };

struct exp_run { /* The results of the programs for t. */
    float t[POINTS], fraction[POINTS], n[POINTS], scaled[2][POINTS];
    size_t count;
};

/* Chooses points t up to q(t) = -155, beyond the last f32 results. */
static void choose_points(struct exp_run *r, size_t row)
{
    double last = 0.5;
    const struct factor_polynomial q = exponent_of(row);
    while (factor_exponential(&q, last) > (quad)0x1p-224) last *= 1.0625;
    while (factor_exponential(&q, last) < (quad)0x1p-225) last *= 1 - 0x1p-10;
    r->count = POINTS;
    for (size_t i = 0; i < POINTS; i++) {
        const double part = (double)i / (double)POINTS;
        r->t[i] = (float)(i % 2 ? last * part : last * ldexp(part, -(int)(i % 29)));
    }
}

static void run_program(const lane_program *p, void **operands, size_t count)
{
    struct diag error = {0};
    if (lane_verify(p, &error)) fail_msg("%s", error.message);
    interp *run = interp_create(p);
    assert_non_null(run);
    interp_run(run, operands, count);
    interp_free(run);
}

/* Runs both kinds of scaling, and stores fraction and n. */
static void run_exp(struct exp_run *r, const struct factored_exp *e, arena *memory)
{
    const struct target_isa *isa = target_isa_find("avx512");
    const struct target_profile profile = {
        .name = isa->profile.name, .fma = true, .lookup_f32 = isa->profile.lookup_f32};
    struct target_costs slow = *isa->costs, quick = *isa->costs;
    slow.op[CLASS_SCALE][0].count = 100;
    quick.op[CLASS_SCALE][0].count = 1;
    lane_program *p = lane_create(memory, &profile);
    const lane_value t = lane_load(p, LANE_F32, 0);
    const struct factored_exp_value v = factored_exp_build(e, p, (struct factored_exp_argument){.t = t},
                                                           &quick),
                                    u = factored_exp_build(e, p, (struct factored_exp_argument){.t = t},
                                                           &slow);
    const lane_value whole = lane_binary(p, LANE_ADD, lane_const(p, LANE_F32, 1), v.fraction);
    const struct factored_scale ways[] = {v.scale, u.scale};
    lane_store(p, v.fraction, 1);
    lane_store(p, v.scale.n, 2);
    for (uint32_t i = 0; i < 2; i++) lane_store(p, factored_scale(&ways[i], p, whole), 3 + i);
    run_program(p, (void *[]){r->t, r->fraction, r->n, r->scaled[0], r->scaled[1]}, r->count);
}

/* Returns true if both ways of scaling agree and round once. */
static bool is_scaled_right(const struct exp_run *r, size_t i)
{
    const float expected = (float)ldexp((double)(1 + r->fraction[i]), (int)r->n[i]);
    return r->scaled[0][i] == expected && r->scaled[1][i] == expected;
}

static void exponentials_have_the_stated_error(void **state)
{
    (void)state;
    static struct exp_run r;
    unsigned wrong = 0;
    mpfr_t exact, given;
    mpfr_init2(exact, 160);
    mpfr_init2(given, 160);
    for (size_t i = 0; i < 2 * (sizeof exponents / sizeof *exponents); i++) {
        const size_t row = i / 2;
        /* True if the end of t is known, and exp(q) is known to be at most 1. */
        const bool is_bounded = i % 2;
        struct factored_exp e;
        const struct factor_polynomial q = exponent_of(row);
        if (is_bounded && q.coefficient[1] > 0) continue;
        arena *memory = test_memory();
        assert_true(factored_exp_fit(&e, &q, (struct factored_exp_form){0}, fit_error_wanted));
        choose_points(&r, row);
        for (size_t k = 0; k < r.count && is_bounded; k++) e.most = fmax(e.most, (double)r.t[k]);
        e.as.range = is_bounded ? EXP_DECAYS : EXP_ANY;
        run_exp(&r, &e, memory);
        double worst = 0, at = 0;
        size_t scaled_wrong = 0;
        for (size_t k = 0; k < r.count; k++) {
            exact_exponential(exact, row, (double)r.t[k], given);
            mpfr_set_d(given, 1 + (double)r.fraction[k], MPFR_RNDN);
            mpfr_mul_2si(given, given, (long)r.n[k], MPFR_RNDN);
            mpfr_div(given, given, exact, MPFR_RNDN);
            mpfr_sub_d(given, given, 1, MPFR_RNDN);
            const double error = fabs(mpfr_get_d(given, MPFR_RNDN));
            if (!(error <= worst)) worst = error, at = (double)r.t[k];
            if (!is_scaled_right(&r, k) || fabsf(r.fraction[k]) >= 0.42f) scaled_wrong++;
        }
        if (!(worst <= error_stated) || scaled_wrong || e.error > fit_error_wanted) {
            fprintf(stderr, "exp(%s): relative error %.3g * 2^-26 at %.9g, fit %.3g, wrongly scaled %zu\n",
                    exponents[row].name, worst * 0x1p26, at, e.error, scaled_wrong);
            wrong++;
        }
        arena_free(memory);
    }
    mpfr_clear(exact);
    mpfr_clear(given);
    assert_int_equal(wrong, 0);
}

/* Results by tables, in both directions. For any argument, (whole * power) 2^-floor(n) is exp(q) for the
 * inverse. For near arguments, the scale times whole is exp(q). */
struct table_run {
    float t[POINTS], value[POINTS], n[POINTS], scaled[2][POINTS], near[2][POINTS];
};

static void run_table(struct table_run *r, struct factored_exp e, arena *memory)
{
    const struct target_isa *isa = target_isa_find("avx512");
    struct target_costs costs[2] = {*isa->costs,
                                    /* The first has an instruction that scales, and the second has none. */
                                    *isa->costs};
    lane_program *p = lane_create(memory, &isa->profile);
    const lane_value t = lane_load(p, LANE_F32, 0);
    costs[1].op[CLASS_SCALE][0].count = 100;
    for (uint32_t i = 0; i < 2; i++) {
        e.as.argument = EXP_EXACT;
        e.as.range = EXP_ANY;
        const struct factored_exp_value v =
            factored_exp_build(&e, p, (struct factored_exp_argument){.t = t}, &costs[i]);
        const lane_value value = lane_binary(p, LANE_MUL, v.whole, v.power);
        if (!i) lane_store(p, value, 1), lane_store(p, v.scale.n, 2);
        lane_store(p, factored_scale(&v.scale, p, value), 3 + i);
        e.as.argument = EXP_IN_FLOAT;
        e.as.range = EXP_SMALL;
        const struct factored_exp_value u =
            factored_exp_build(&e, p, (struct factored_exp_argument){.t = t}, &costs[i]);
        lane_store(p, lane_binary(p, LANE_MUL, factored_scale_power(&u.scale, p), u.whole), 5 + i);
    }
    void *operands[] = {r->t, r->value, r->n, r->scaled[0], r->scaled[1], r->near[0], r->near[1]};
    run_program(p, operands, POINTS);
}

static double relative(mpfr_t exact, double given) { return fabs(given / mpfr_get_d(exact, MPFR_RNDN) - 1); }
static void tables_have_the_stated_error(void **state)
{
    static struct table_run r;
    static const double stated = 5 * 0x1p-24; /* The fit contributes 2^-24, and roundings the rest. */
    mpfr_t exact, scratch;
    (void)state;
    mpfr_inits2(160, exact, scratch, (mpfr_ptr)0);
    for (unsigned k = 3; k <= FACTORED_EXP_LOG2_ENTRIES; k++)
        for (unsigned inverse = 0; inverse < 2; inverse++) {
            arena *memory = test_memory();
            struct factored_exp e;
            const struct factor_polynomial q = exponent_of(0);
            assert_true(factored_exp_fit(
                &e, &q, (struct factored_exp_form){.log2_entries = k, .inverse = inverse}, 0x1p-24));
            for (size_t i = 0; i < POINTS; i++) r.t[i] = (float)(0.0206 * ((double)i - POINTS / 2));
            run_table(&r, e, memory);
            for (size_t i = 0; i < POINTS; i++) {
                const double n = floor((double)r.n[i]), up = inverse ? -n : n;
                exact_exponential(exact, 0, (double)r.t[i], scratch);
                assert_true(relative(exact, ldexp((double)r.value[i], (int)up)) <= stated);
                assert_true(r.scaled[0][i] == (float)ldexp((double)r.value[i], (int)n));
                assert_true(r.scaled[0][i] == r.scaled[1][i] && r.near[0][i] == r.near[1][i]);
                if (!inverse && fabsf(r.t[i]) < 4)
                    assert_true(relative(exact, (double)r.near[0][i]) <= stated);
            }
            arena_free(memory);
        }
    mpfr_clears(exact, scratch, (mpfr_ptr)0);
}

/* Returns the costs of a core on which LANE_SCALE2 is no instruction, so that powers are made of bits. */
static struct target_costs costs_without_scale(void)
{
    struct target_costs costs = *target_isa_find("avx512")->costs;
    costs.op[CLASS_SCALE][0].count = 100;
    return costs;
}

/* Checks that an exponential that decays has one power, of the table's entry and of two, and a constant
 * factor. Their products round once into the subnormals. */
static void what_decays_has_one_power(void **state)
{
    static struct table_run r;
    static const double stated = 4 * 0x1p-24; /* Errors of the fit, of an entry and of the sum. */
    mpfr_t exact, scratch;
    (void)state;
    mpfr_inits2(160, exact, scratch, (mpfr_ptr)0);
    for (size_t i = 0; i < POINTS; i++) r.t[i] = (float)(17 * (double)i / (double)POINTS);
    for (unsigned k = 3; k <= FACTORED_EXP_LOG2_ENTRIES; k++) {
        arena *memory = test_memory();
        struct factored_exp e;
        const struct factor_polynomial q = exponent_of(3);
        const struct target_costs costs = costs_without_scale();
        assert_true(factored_exp_fit(&e, &q, (struct factored_exp_form){.log2_entries = k}, 0x1p-24));
        e.as.range = EXP_DECAYS;
        lane_program *p = lane_create(memory, &target_isa_find("avx512")->profile);
        const lane_value t = lane_load(p, LANE_F32, 0);
        const struct factored_exp_value v =
            factored_exp_build(&e, p, (struct factored_exp_argument){.t = t}, &costs);
        const lane_value value = lane_fma(p, v.power, v.fraction, v.power);
        lane_store(p, value, 1);
        lane_store(p, v.scale.low, 2);
        lane_store(p, lane_mul(p, value, v.scale.low), 3);
        lane_store(p, v.power, 4);
        /* Rounding by addition carries a NaN whose bits are all ones to zero, so NaN has a
         * finite power here. */
        float power, nan = NAN;
        run_program(p, (void *[]){&nan, r.value, r.n, r.scaled[0], &power}, 1);
        assert_true(isfinite(power) && isnan(r.value[0]));
        run_program(p, (void *[]){r.t, r.value, r.n, r.scaled[0], r.scaled[1]}, POINTS);
        for (size_t i = 0; i < POINTS; i++) {
            exact_exponential(exact, 3, (double)r.t[i], scratch);
            const double whole = (double)r.value[i] * (double)r.n[i];
            assert_true(relative(exact, whole) <= stated && r.scaled[0][i] == (float)whole);
        }
        arena_free(memory);
    }
    mpfr_clears(exact, scratch, (mpfr_ptr)0);
}

/* Checks (power + power fraction) 2^floor(n) up to the largest numbers. The error is the rounding of an
 * entry and of the sum, and hardly more. */
static void results_reach_the_largest_numbers(void **state)
{
    static struct table_run r;
    static const double stated =
        /* Half of a last place each, plus the roundings of f. */
        2.1 * 0x1p-24;
    (void)state;
    mpfr_t exact, scratch;
    mpfr_inits2(160, exact, scratch, (mpfr_ptr)0);
    for (unsigned k = 3; k <= FACTORED_EXP_LOG2_ENTRIES; k++) {
        arena *memory = test_memory();
        struct factored_exp e;
        const struct factor_polynomial q = exponent_of(0);
        const struct target_costs costs = costs_without_scale();
        assert_true(factored_exp_fit(
            &e, &q, (struct factored_exp_form){.log2_entries = k, .range = EXP_WHOLE}, 0x1p-28));
        assert_true(e.base == 1);
        lane_program *p = lane_create(memory, &target_isa_find("avx512")->profile);
        const lane_value t = lane_load(p, LANE_F32, 0);
        const struct factored_exp_value v =
            factored_exp_build(&e, p, (struct factored_exp_argument){.t = t}, &costs);
        const lane_value value = lane_fma(p, v.power, v.fraction, v.power);
        lane_store(p, value, 1);
        lane_store(p, v.scale.n, 2);
        lane_store(p, factored_scale(&v.scale, p, value), 3);
        for (size_t i = 0; i < POINTS; i++) r.t[i] = (float)(88.7 * (1 - 2 * (double)i / (POINTS - 1)));
        run_program(p, (void *[]){r.t, r.value, r.n, r.scaled[0]}, POINTS);
        for (size_t i = 0; i < POINTS; i++) {
            const double n = floor((double)r.n[i]);
            exact_exponential(exact, 0, (double)r.t[i], scratch);
            assert_true(relative(exact, ldexp((double)r.value[i], (int)n)) <= stated);
            assert_true(r.scaled[0][i] == (float)ldexp((double)r.value[i], (int)n) &&
                        isfinite(r.scaled[0][i]));
        }
        arena_free(memory);
    }
    mpfr_clears(exact, scratch, (mpfr_ptr)0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(exponentials_have_the_stated_error),
        cmocka_unit_test(tables_have_the_stated_error),
        cmocka_unit_test(what_decays_has_one_power),
        cmocka_unit_test(results_reach_the_largest_numbers),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
