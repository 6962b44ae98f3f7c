/* Tests of logarithms by tables: the tables, and programs with every size of table, for the logarithms to
 * three bases, with and without care, and with and without the ops that split a number. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "compose.h"
#include "float_bits.h"
#include "formulas.h"
#include "interp.h"
#include "log_table.h"

#include <float.h>
#include <math.h>
#include <stdio.h>

enum { BITS = 200 };

/* The logarithms as formulas, and the bases. Base 0 is e. */
static const struct {
    const char *formula;
    unsigned base;
} logarithms[] = {{"x log", 0}, {"x log 2 log ^-1 *", 2}, {"x log 10 log ^-1 *", 10}};
enum { LOGARITHMS = sizeof logarithms / sizeof *logarithms };

/* Sets 1 / log(base). */
static void set_factor(mpfr_t out, unsigned base)
{
    mpfr_set_ui(out, base ? base : 1, MPFR_RNDN);
    if (base) mpfr_log(out, out, MPFR_RNDN);
    mpfr_ui_div(out, 1, out, MPFR_RNDN);
}

/* Returns a + b + factor log(c), and what is left of it in f64 after cancellation. */
static double error_of(double a, double b, mpfr_srcptr factor, double c)
{
    mpfr_t sum;
    mpfr_init2(sum, BITS);
    mpfr_set_d(sum, c, MPFR_RNDN);
    mpfr_log(sum, sum, MPFR_RNDN);
    mpfr_mul(sum, sum, factor, MPFR_RNDN);
    mpfr_add_d(sum, sum, a, MPFR_RNDN);
    mpfr_add_d(sum, sum, b, MPFR_RNDN);
    const double y = mpfr_get_d(sum, MPFR_RNDN);
    mpfr_clear(sum);
    return y;
}

static bool is_f32(double x) { return (double)(float)x == x; }

/* Checks one table. The polynomials hold for r in the kernel's interval. */
static void check_table(const struct log_table *t, mpfr_srcptr factor, bool has_low)
{
    const unsigned entries = 1u << t->bits;
    double low, high;
    polynomial_interval((enum kernel_function)(KERNEL_LOG_BY_8 + (t->bits - LOG_TABLE_LEAST_BITS)), &low,
                        &high);
    for (unsigned j = 0; j < entries; j++) {
        const double c = t->reciprocal[j], step = 1.0 / entries;
        assert_true((1 + j * step) * c - 1 >= low && (1 + (j + 1) * step) * c - 1 <= high);
        assert_true(is_f32(c) && is_f32(t->log[j].high) && is_f32(t->log[j].low));
        /* In the upper half, the sum with -ln 2 counts. */
        const bool is_upper = 2 * j >= entries;
        const double ln2 = is_upper ? t->ln2.high : 0, ln2_low = is_upper ? t->ln2.low : 0;
        const double error =
            error_of(t->log[j].high - ln2, t->log[j].low - ln2_low, factor, is_upper ? 2 * c : c);
        if (!(fabs(error) <= (has_low ? 0x1p-40 : 0x1p-34)))
            fail_msg("%u entries, low words %d, entry %u, factor %g: error %g", entries, has_low, j,
                     mpfr_get_d(factor, MPFR_RNDN), error);
        for (int e = -149; e <= 127 && has_low; e++) assert_true(is_f32(e * t->ln2.high + t->log[j].high));
    }
    assert_true(t->reciprocal[0] == 1 && t->log[0].high == 0 && t->log[0].low == 0);
    assert_true(t->reciprocal[entries - 1] == 0.5);
    assert_true(t->log[entries - 1].high == t->ln2.high && t->log[entries - 1].low == t->ln2.low);
}

static void tables_are_accurate(void **state)
{
    (void)state;
    mpfr_t factor;
    mpfr_init2(factor, BITS);
    for (unsigned i = 0; i < 2 * LOGARITHMS; i++)
        for (unsigned bits = LOG_TABLE_LEAST_BITS; bits <= LOG_TABLE_MOST_BITS; bits++) {
            struct log_table t;
            set_factor(factor, logarithms[i / 2].base);
            log_table_make(&t, bits, factor, i % 2);
            check_table(&t, factor, i % 2);
        }
    mpfr_clear(factor);
}

/* -- programs -- */

enum { POINTS = 1 << 14 };

struct inputs {
    float x[POINTS];
    size_t count;
};

/* Chooses numbers of all sizes, the subnormal ones too, and as many near 1. */
static void choose(struct inputs *in)
{
    static const float ends[] = {1, 2, 0.5f, 0x1p-126f, 0x1p-127f, 0x1p-149f, 0x1.fffffep-127f, FLT_MAX};
    uint64_t random = 1;
    in->count = 0;
    for (size_t i = 0; i < sizeof ends / sizeof *ends; i++) in->x[in->count++] = ends[i];
    while (in->count < POINTS) {
        const uint32_t bits = (uint32_t)(next_random(&random) % 0x7f800000);
        const bool is_near = in->count % 2;
        in->x[in->count++] = is_near ? (float)(0.7 + 0.8 * random_unit(&random)) : f32_of_bits(bits);
    }
}

static float value(const lane_program *p, float x)
{
    float y;
    void *operands[] = {&x, &y};
    struct interp *run = interp_create(p);
    assert_non_null(run);
    interp_run(run, operands, 1);
    interp_free(run);
    return y;
}

static void check_ends(const lane_program *p)
{
    static const float none[] = {-0x1p-149f, -0x1p-126f, -0.5f, -1, -FLT_MAX, -INFINITY, NAN};
    for (size_t i = 0; i < sizeof none / sizeof *none; i++) assert_true(isnan(value(p, none[i])));
    assert_true(value(p, 0) == -INFINITY && value(p, -0.0f) == -INFINITY);
    assert_true(value(p, INFINITY) == INFINITY && value(p, 1) == 0);
}

typedef int (*logarithm)(mpfr_ptr y, mpfr_srcptr x, mpfr_rnd_t rounding);

/* Returns the largest error in ulps. */
static double worst_error(const lane_program *p, const struct inputs *in, logarithm f, unsigned base)
{
    static float y[POINTS];
    void *operands[] = {(void *)(uintptr_t)in->x, y};
    struct interp *run = interp_create(p);
    double worst = 0;
    mpfr_t exact, factor;
    assert_non_null(run);
    interp_run(run, operands, in->count);
    interp_free(run);
    mpfr_inits2(BITS, exact, factor, (mpfr_ptr)0);
    set_factor(factor, base);
    for (size_t i = 0; i < in->count; i++) {
        int exponent;
        mpfr_set_flt(exact, in->x[i], MPFR_RNDN);
        f(exact, exact, MPFR_RNDN);
        mpfr_mul(exact, exact, factor, MPFR_RNDN);
        if (mpfr_zero_p(exact)) continue;
        frexp(mpfr_get_d(exact, MPFR_RNDZ), &exponent);
        if (exponent < FLT_MIN_EXP) exponent = FLT_MIN_EXP;
        mpfr_sub_d(exact, exact, (double)y[i], MPFR_RNDN);
        const double error = fabs(mpfr_get_d(exact, MPFR_RNDN)) / ldexp(1, exponent - FLT_MANT_DIG);
        if (!(error <= worst)) worst = error;
    }
    mpfr_clears(exact, factor, (mpfr_ptr)0);
    return worst;
}

static lane_program *program_of(arena *memory, const expr *formula, struct composer c, bool splits)
{
    const struct target_profile profile = {
        .name = "test", .fma = true, .lookup_f32 = 1u << c.log_bits, .splits = splits};
    struct polynomial_cache *cache = arena_alloc(memory, sizeof *cache);
    struct diag error = {0};
    cache->memory = memory;
    c.program = lane_create(memory, &profile);
    c.cache = cache;
    const struct number x = number_of_word(lane_load(c.program, LANE_F32, 0));
    lane_store(c.program, compose_expr(&c, formula, x).high, 1);
    assert_true(c.heeds & COMPOSE_TABLES && !c.impossible);
    if (lane_verify(c.program, &error)) fail_msg("%s", error.message);
    return c.program;
}

/* Checks all programs for a logarithm. With care the error is at most 1.1 ulp, and without care 2.5 ulp. */
static void check_logarithm(size_t row, const struct inputs *in)
{
    static const double most[2] = {2.5, 1.1};
    arena *memory = arena_create(0);
    expr_dag *dag = expr_dag_create(memory, 1000);
    const expr *e = formula(dag, logarithms[row].formula);
    for (unsigned bits = LOG_TABLE_LEAST_BITS; bits <= LOG_TABLE_MOST_BITS; bits++)
        for (unsigned form = 0; form < 8; form++) {
            const bool careful = form & 1, splits = form & 2, has_roots = form & 4;
            const struct composer c = {.kind = NUMBER_F32,
                                       .bits = 27,
                                       .ways =
                                           COMPOSE_TABLES | COMPOSE_FAR | (careful ? COMPOSE_CAREFUL : 0u),
                                       .log_bits = bits,
                                       .has_roots = has_roots};
            const lane_program *p = program_of(memory, e, c, splits);
            check_ends(p);
            const double error = worst_error(p, in, mpfr_log, logarithms[row].base);
            if (!(error <= most[careful]))
                fail_msg("%s, %u bits, careful %d, splits %d: %g ulp", logarithms[row].formula, bits, careful,
                         splits, error);
        }
    arena_free(memory);
}

static void logarithms_are_right(void **state)
{
    (void)state;
    static struct inputs in;
    choose(&in);
    for (size_t row = 0; row < LOGARITHMS; row++) check_logarithm(row, &in);
}

enum { FORMS = 8, FORM_CAREFUL = 1, FORM_SPLITS = 2, FORM_ROOTS = 4 }; /* sets of bits */

/* Returns the composer of a form of log1p by tables, with further ways. */
static struct composer composer_of(unsigned form, unsigned more)
{
    const unsigned careful = form & FORM_CAREFUL ? COMPOSE_CAREFUL : 0u;
    return (struct composer){.kind = NUMBER_F32,
                             .bits = 27,
                             .ways = COMPOSE_TABLES | careful | more,
                             .log_bits = 3,
                             .has_roots = form & FORM_ROOTS};
}

/* Checks log1p, for numbers of all sizes and between -1 and 1. */
static void log1p_is_right(void **state)
{
    (void)state;
    static struct inputs in;
    arena *memory = arena_create(0);
    const expr *e = formula(expr_dag_create(memory, 1000), "x log1p");
    choose(&in);
    for (size_t i = 0; i < in.count; i++)
        if (in.x[i] < 1.5f && i % 4 > 1) in.x[i] = in.x[i] < 0.5f ? -in.x[i] : in.x[i] - 1.5f;
    for (unsigned form = 0; form < FORMS; form++) {
        const bool careful = form & FORM_CAREFUL, splits = form & FORM_SPLITS;
        const lane_program *p = program_of(memory, e, composer_of(form, 0), splits);
        assert_true(isnan(value(p, -INFINITY)) && isnan(value(p, -1.5f)) && isnan(value(p, NAN)));
        assert_true(value(p, -1) == -INFINITY && value(p, INFINITY) == INFINITY && value(p, 0) == 0);
        const double error = worst_error(p, &in, mpfr_log1p, 0);
        if (!(error <= (careful ? 1.1 : 2.5)))
            fail_msg("log1p, careful %d, splits %d: %g ulp", careful, splits, error);
    }
    arena_free(memory);
}

/* Checks log1p of a sum, for numbers of all sizes. The formula is that of asinh(x), x > 0. The square of x is
 * too large a number from 2^64 on, and the sum is from 2^127 on. */
static void log1p_of_large_sums_is_right(void **state)
{
    (void)state;
    static struct inputs in;
    arena *memory = arena_create(0);
    const expr *e = formula(expr_dag_create(memory, 1000), "x 1 1 x ^2 + ^1/2 + ^-1 x * x * + log1p");
    choose(&in);
    for (unsigned form = 0; form < FORMS; form++) {
        const bool careful = form & FORM_CAREFUL, splits = form & FORM_SPLITS;
        const lane_program *p = program_of(memory, e, composer_of(form, COMPOSE_FAR), splits);
        const double error = worst_error(p, &in, mpfr_asinh, 0);
        if (!(error <= 3)) fail_msg("log1p of a sum, careful %d, splits %d: %g ulp", careful, splits, error);
    }
    arena_free(memory);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(tables_are_accurate), cmocka_unit_test(logarithms_are_right),
        cmocka_unit_test(log1p_is_right), cmocka_unit_test(log1p_of_large_sums_is_right)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
