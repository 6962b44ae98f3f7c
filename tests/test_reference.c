/* Tests of the reference against published values, MPFR's own functions, libm and the promised
 * special values. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "ball.h"
#include "formulas.h"
#include "interval.h"
#include "reference.h"

#include <math.h>
#include <pthread.h>

#define COUNT(table) (sizeof(table) / sizeof *(table))
#define GELU         "x x normcdf *"
#define GELU_TANH    "1/2 x * 1 2 pi / sqrt x 8943/200000 x ^3 * + * tanh + *"
#define SILU         "x 1 x neg exp + /"
#define MISH         "x x softplus tanh *"
#define GELU_SLOPE   "x normcdf x x ^2 2 / neg exp * 2 pi * sqrt / +"

struct fixture {
    arena *memory;
    expr_dag *dag;
};

static int set_up(void **state)
{
    struct fixture *f = calloc(1, sizeof *f);
    f->memory = arena_create(0);
    f->dag = expr_dag_create(f->memory, FORMULA_NODES);
    *state = f;
    return 0;
}

static int tear_down(void **state)
{
    struct fixture *f = *state;
    arena_free(f->memory);
    free(f);
    return 0;
}

/* Makes a reference of a formula. `simplified` may be NULL. */
static reference *make(struct fixture *f, const char *written, const char *simplified)
{
    const expr *w = formula(f->dag, written);
    reference *r = reference_create(w, simplified ? formula(f->dag, simplified) : w, 2);
    assert_non_null(r);
    return r;
}

static const struct {
    const char *formula;
    double x;
    const char *value;
    double tolerance; /* The relative tolerance. */
} published[] = {
    /* Mathematical constants, to 40 digits. */
    {"pi", 0, "3.141592653589793238462643383279502884197", 1e-39},
    {"x exp", 1, "2.718281828459045235360287471352662497757", 1e-39},
    {"x log", 2, "0.6931471805599453094172321214581765680755", 1e-39},
    {"x sqrt", 2, "1.414213562373095048801688724209698078570", 1e-39},
    {"x ^1/2", 2, "1.414213562373095048801688724209698078570", 1e-39},
    {"x sin", 1, "0.8414709848078965066525023216302989996226", 1e-39},
    {"x cos", 1, "0.5403023058681397174009366074429766037323", 1e-39},
    {"x tanh", 1, "0.7615941559557648881194582826047935904128", 1e-39},
    {"x softplus", 0, "0.6931471805599453094172321214581765680755", 1e-39},
    {"x expm1", 1, "1.718281828459045235360287471352662497757", 1e-39},
    {"x log1p", 1, "0.6931471805599453094172321214581765680755", 1e-39},
    {"x sigmoid", 0, "0.5", 0},
    {"x exp2", 0.5, "1.414213562373095048801688724209698078570", 1e-39},
    {"x log2", 10, "3.321928094887362347870319429489390175865", 1e-39},
    {"x log10", 2, "0.3010299956639811952137388947244930267682", 1e-39},
    {"x tan", 1, "1.557407724654902230506974807458360173087", 1e-39},
    {"4 x atan *", 1, "3.141592653589793238462643383279502884197", 1e-39},
    {"x sinh", 1, "1.175201193643801456882381850595600815156", 1e-39},
    {"x cosh", 1, "1.543080634815243778477905620757061682602", 1e-39},
    {"x asinh", 1, "0.8813735870195430252326093249797923090282", 1e-39},
    {"x rsqrt", 2, "0.7071067811865475244008443621048490392848", 1e-39},
    /* Abramowitz and Stegun, tables 7.1 and 26.1, with the digits of later tables. */
    {"x erf", 0.5, "0.5204998778130465376827466538919645287365", 1e-31},
    {"x erf", 1, "0.8427007929497148693412206350826092592961", 1e-31},
    {"x erf", 2, "0.9953222650189527341620692563672529286109", 1e-31},
    {"x erfc", 2, "0.00467773498104726583793074363274707139", 1e-29},
    {"x erfc", 5, "1.5374597944280348501883434853833788901e-12", 1e-30},
    {"x normcdf", 0, "0.5", 0},
    {"x normcdf", 1, "0.8413447460685429485852325456320379", 1e-29},
    {"x normcdf", -1, "0.1586552539314570514147674543679621", 1e-29},
    {"x normcdf", 2, "0.9772498680518207927997173628334666", 1e-29},
    {"x normcdf", -3, "0.00134989803163009452665181476759", 1e-27},
    /* Minima and slopes of activations. */
    {GELU, -0.7517915247, "-0.169971207480", 4e-12},
    {GELU_SLOPE, 0x1.6a09e667f3bcdp+0, "1.128904145", 5e-10},
    {GELU_SLOPE, -0x1.6a09e667f3bcdp+0, "-0.128904145", 5e-9},
    {GELU_TANH, -0.7524614221, "-0.170040750571", 4e-12},
    {SILU, -1.2784645428, "-0.278464542761", 4e-12},
    {"x sigmoid x x sigmoid * x neg sigmoid * +", 2.399357, "1.09983932", 5e-9},
    {MISH, -1.1924312145, "-0.308843413017", 4e-12},
    {"x 851/500 x * sigmoid *", -0.7511542554, "-0.163610189636", 4e-12},
};

static void published_values(void **state)
{
    mpfr_t got, wanted;
    mpfr_inits2(160, got, wanted, (mpfr_ptr)0);
    for (size_t i = 0; i < COUNT(published); i++) {
        reference *r = make(*state, published[i].formula, NULL);
        double x[2] = {published[i].x, 0};
        assert_int_equal(reference_precise(r, x, 150, got), REFERENCE_DECIDED);
        mpfr_set_str(wanted, published[i].value, 10, MPFR_RNDN);
        mpfr_reldiff(got, wanted, got, MPFR_RNDN);
        mpfr_abs(got, got, MPFR_RNDN);
        if (!(mpfr_cmp_d(got, published[i].tolerance) <= 0)) fail_msg("%s at %g", published[i].formula, x[0]);
        reference_free(r);
    }
    mpfr_clears(got, wanted, (mpfr_ptr)0);
}

/* Checks that a minimum is lower than its neighbours, which pins its place. */
static void places_of_minima(void **state)
{
    static const struct {
        const char *formula;
        double at;
    } minima[] = {
        {GELU, -0.7517915247}, {GELU_TANH, -0.7524614221}, {SILU, -1.2784645428}, {MISH, -1.1924312145}};
    for (size_t i = 0; i < COUNT(minima); i++) {
        reference *r = make(*state, minima[i].formula, NULL);
        double value[3];
        for (int k = 0; k < 3; k++) {
            double x[2] = {minima[i].at + (k - 1) * 1e-7, 0};
            assert_int_equal(reference_value(r, x, &value[k], NULL), REFERENCE_DECIDED);
        }
        assert_true(value[1] < value[0] && value[1] < value[2]);
        reference_free(r);
    }
}

static int naive_normcdf(mpfr_ptr out, mpfr_srcptr x, mpfr_rnd_t rounding)
{
    mpfr_t root;
    mpfr_init2(root, mpfr_get_prec(out));
    mpfr_sqrt_ui(root, 2, MPFR_RNDN);
    mpfr_div(root, x, root, MPFR_RNDN);
    mpfr_neg(root, root, MPFR_RNDN);
    mpfr_erfc(out, root, rounding);
    mpfr_clear(root);
    return mpfr_div_2ui(out, out, 1, rounding);
}

static int naive_sigmoid(mpfr_ptr out, mpfr_srcptr x, mpfr_rnd_t rounding)
{
    mpfr_neg(out, x, MPFR_RNDN);
    mpfr_exp(out, out, MPFR_RNDN);
    mpfr_add_ui(out, out, 1, MPFR_RNDN);
    return mpfr_ui_div(out, 1, out, rounding);
}

static int naive_softplus(mpfr_ptr out, mpfr_srcptr x, mpfr_rnd_t rounding)
{
    mpfr_exp(out, x, MPFR_RNDN);
    mpfr_add_ui(out, out, 1, MPFR_RNDN);
    return mpfr_log(out, out, rounding);
}

static int own_abs(mpfr_ptr out, mpfr_srcptr x, mpfr_rnd_t rounding) { return mpfr_abs(out, x, rounding); }
static int own_sign(mpfr_ptr out, mpfr_srcptr x, mpfr_rnd_t rounding)
{
    return mpfr_set_si(out, mpfr_sgn(x), rounding);
}

static int own_rsqrt(mpfr_ptr out, mpfr_srcptr x, mpfr_rnd_t rounding)
{
    return mpfr_rec_sqrt(out, x, rounding);
}
static int own_floor(mpfr_ptr out, mpfr_srcptr x, mpfr_rnd_t rounding)
{
    (void)rounding;
    return mpfr_floor(out, x);
}
static int own_round(mpfr_ptr out, mpfr_srcptr x, mpfr_rnd_t rounding)
{
    (void)rounding;
    return mpfr_rint(out, x, MPFR_RNDN);
}

static double double_sigmoid(double x) { return x < 0 ? exp(x) / (1 + exp(x)) : 1 / (1 + exp(-x)); }
static double double_rsqrt(double x) { return 1 / sqrt(x); }
static double double_softplus(double x) { return fmax(x, 0) + log1p(exp(-fabs(x))); }
static double double_sign(double x) { return (double)(x > 0) - (double)(x < 0); }

/* The functions, with those of MPFR and libm. normcdf has no function on doubles that is accurate enough. */
static const struct {
    const char *name;
    int (*mpfr)(mpfr_ptr, mpfr_srcptr, mpfr_rnd_t);
    double (*libm)(double);
    double from, to;
} functions[] = {
    {"exp", mpfr_exp, exp, -700, 700},
    {"expm1", mpfr_expm1, expm1, -50, 700},
    {"log", mpfr_log, log, 0, 1e5},
    {"log1p", mpfr_log1p, log1p, -1, 1e5},
    {"tanh", mpfr_tanh, tanh, -25, 25},
    {"sigmoid", naive_sigmoid, double_sigmoid, -50, 50},
    {"erf", mpfr_erf, erf, -7, 7},
    {"erfc", mpfr_erfc, erfc, -7, 26},
    {"normcdf", naive_normcdf, NULL, -37, 9},
    {"softplus", naive_softplus, double_softplus, -50, 50},
    {"sin", mpfr_sin, sin, -1e4, 1e4},
    {"cos", mpfr_cos, cos, -1e4, 1e4},
    {"sqrt", mpfr_sqrt, sqrt, 0, 1e5},
    {"abs", own_abs, fabs, -9, 9},
    {"sign", own_sign, double_sign, -9, 9},
    {"atan", mpfr_atan, atan, -50, 50},
    {"floor", own_floor, floor, -50, 50},
    {"round", own_round, rint, -50, 50},
    {"exp2", mpfr_exp2, exp2, -1000, 1000},
    {"log2", mpfr_log2, log2, 0, 1e5},
    {"log10", mpfr_log10, log10, 0, 1e5},
    {"tan", mpfr_tan, tan, -1e4, 1e4},
    {"sinh", mpfr_sinh, sinh, -700, 700},
    {"cosh", mpfr_cosh, cosh, -700, 700},
    {"asinh", mpfr_asinh, asinh, -1e5, 1e5},
    {"rsqrt", own_rsqrt, double_rsqrt, 0, 1e5},
};

static void every_function_is_in_the_table(void **state)
{
    (void)state;
    assert_int_equal(COUNT(functions), EXPR_KIND_COUNT - EXPR_FIRST_FUNCTION);
    for (size_t i = 0; i < COUNT(functions); i++)
        assert_string_equal(functions[i].name, expr_kind_name((enum expr_kind)(EXPR_FIRST_FUNCTION + i)));
}

/* Returns an argument. Half of the arguments spread over the interval, and half over the binades near 0.
 * Each also comes as a sum that no double holds. */
static double argument(uint64_t *seed, size_t i, double from, double to)
{
    double x = from + (to - from) * random_unit(seed);
    return i % 2 ? x : x * exp2(-60 * random_unit(seed));
}

static void functions_against_mpfr(void **state)
{
    uint64_t seed = 1;
    mpfr_t x, got, wanted;
    mpfr_init2(got, 120);
    mpfr_inits2(500, x, wanted, (mpfr_ptr)0);
    for (size_t i = 0; i < COUNT(functions); i++) {
        char text[64];
        snprintf(text, sizeof text, "x y + %s", functions[i].name);
        reference *r = make(*state, text, NULL);
        for (size_t k = 0; k < 100; k++) {
            double in[2] = {argument(&seed, k, functions[i].from, functions[i].to), 0};
            in[1] =
                /* The sum is x in double, so the intervals are no points. */
                k % 4 < 2 ? 0 : in[0] * 0x1p-300;
            mpfr_set_d(x, in[0], MPFR_RNDN);
            mpfr_add_d(x, x, in[1], MPFR_RNDN);
            functions[i].mpfr(wanted, x, MPFR_RNDN);
            assert_int_equal(reference_precise(r, in, 110, got), REFERENCE_DECIDED);
            mpfr_reldiff(x, wanted, got, MPFR_RNDN);
            mpfr_abs(x, x, MPFR_RNDN);
            if (!(mpfr_cmp_d(x, 0x1p-109) <= 0) && !mpfr_equal_p(got, wanted))
                fail_msg("%s(%a)", functions[i].name, in[0]);
        }
        reference_free(r);
    }
    mpfr_clears(x, got, wanted, (mpfr_ptr)0);
}

/* Sets x to an argument for a ball: one of `argument` divided by 3, or one of any size. */
static void set_ball_argument(mpfr_ptr x, uint64_t *seed, size_t i, double from, double to)
{
    if (i % 4) {
        mpfr_set_d(x, argument(seed, i, from, to), MPFR_RNDN);
    } else { /* half of these up to 2^29, half of numbers beyond doubles */
        mpfr_set_d(x, random_unit(seed) - 0.5, MPFR_RNDN);
        const double size = i % 8 ? -300 + 329 * random_unit(seed) : 0x1p60 * (random_unit(seed) - 0.5);
        mpfr_mul_2si(x, x, (long)size, MPFR_RNDN);
    }
    mpfr_div_ui(x, x, 3, MPFR_RNDN);
}

/* Returns the number of bits that a function loses at most where its argument is narrow but no point. erfc
 * falls like e^(-x^2), so that it loses twice the bits of x before the binary point. */
static mpfr_exp_t lost_bits(mpfr_srcptr x)
{
    enum { FEW = 12 };
    return FEW + (mpfr_get_exp(x) > 0 ? 2 * mpfr_get_exp(x) : 0);
}

/* Compares one function by balls with MPFR. Returns false if balls do not serve. */
static bool ball_agrees(size_t f, const interval *a, interval *r)
{
    const mpfr_prec_t precision = mpfr_get_prec(a->lo);
    interval_integer(r, 0);
    if (!ball_evaluate(r, a, (enum expr_kind)(EXPR_FIRST_FUNCTION + f))) return false;
    mpfr_t wanted;
    mpfr_init2(wanted, precision + 60);
    for (int end = 0; end < 2; end++) {
        functions[f].mpfr(wanted, end ? a->hi : a->lo, MPFR_RNDU);
        const int below = mpfr_cmp(r->lo, wanted);
        functions[f].mpfr(wanted, end ? a->hi : a->lo, MPFR_RNDD);
        const int above = mpfr_cmp(wanted, r->hi);
        if (below > 0 || above > 0 || (r->lo_open && !below) || (r->hi_open && !above))
            fail_msg("%s(%g) at %ld", functions[f].name, mpfr_get_d(a->lo, MPFR_RNDN), (long)precision);
    }
    mpfr_reldiff(wanted, r->hi, r->lo, MPFR_RNDN);
    mpfr_abs(wanted, wanted, MPFR_RNDN);
    if (!mpfr_zero_p(wanted) && mpfr_get_exp(wanted) > lost_bits(a->lo) - precision)
        fail_msg("%s(%g) at %ld: wide", functions[f].name, mpfr_get_d(a->lo, MPFR_RNDN), (long)precision);
    mpfr_clear(wanted);
    return true;
}

/* Checks functions by balls at the precisions of the levels. The enclosures must hold the exact values and be
 * tight, and their ends say on which side the value lies. */
static void balls_against_mpfr(void **state)
{
    (void)state;
    uint64_t seed = 3;
    unsigned evaluated[COUNT(functions)] = {0};
    const mpfr_exp_t emin = mpfr_get_emin(), emax = mpfr_get_emax();
    mpfr_set_emin(mpfr_get_emin_min());
    mpfr_set_emax(mpfr_get_emax_max());
    static const mpfr_prec_t precisions[] = {96, 144, 288, 576, 1152};
    for (size_t i = 0; i < 400 * COUNT(functions); i++) {
        const size_t f = i % COUNT(functions), k = i / COUNT(functions);
        const mpfr_prec_t precision = precisions[i % 11 % COUNT(precisions)];
        interval a, r;
        interval_init(&a, precision);
        interval_init(&r, precision);
        interval_integer(&a, 0);
        set_ball_argument(a.lo, &seed, k, functions[f].from, functions[f].to);
        mpfr_set(a.hi, a.lo, MPFR_RNDN);
        if (k % 3 == 0) mpfr_nextabove(a.hi);
        evaluated[f] += ball_agrees(f, &a, &r);
        interval_clear(&a);
        interval_clear(&r);
    }
    static const enum expr_kind kinds[] = {EXPR_exp,  EXPR_expm1, EXPR_log,   EXPR_log1p, EXPR_tanh,
                                           EXPR_sinh, EXPR_cosh,  EXPR_asinh, EXPR_atan,  EXPR_erf,
                                           EXPR_erfc, EXPR_sin,   EXPR_cos,   EXPR_tan};
    for (size_t i = 0; i < COUNT(kinds); i++) assert_true(evaluated[kinds[i] - EXPR_FIRST_FUNCTION] > 100);
    mpfr_set_emin(emin);
    mpfr_set_emax(emax);
    ball_free_caches();
}

static void functions_against_libm(void **state)
{
    uint64_t seed = 2;
    for (size_t i = 0; i < COUNT(functions); i++) {
        if (!functions[i].libm) continue;
        char text[64];
        snprintf(text, sizeof text, "x %s", functions[i].name);
        reference *r = make(*state, text, NULL);
        for (size_t k = 0; k < 300; k++) {
            double in[2] = {argument(&seed, k, functions[i].from, functions[i].to), 0}, got;
            double wanted = functions[i].libm(in[0]);
            assert_int_equal(reference_value(r, in, &got, NULL), REFERENCE_DECIDED);
            double ulp = fabs(nextafter(wanted, INFINITY) - wanted);
            if (!(fabs(got - wanted) <= 4 * ulp))
                fail_msg("%s(%a) = %a, libm %a", functions[i].name, in[0], got, wanted);
        }
        reference_free(r);
    }
}

/* The results of reference_rounded for f32. */
static const struct {
    const char *formula;
    double x, y, wanted;
    enum reference_state state;
} roundings[] = {
    {"x y +", 1, 0x1p-24, 1, REFERENCE_DECIDED}, /* Exact ties go to even. */
    {"x y +", 1 + 0x1p-23, 0x1p-24, 1 + 0x1p-22, REFERENCE_DECIDED},
    {"x y + y 1 * 0 * +", -1, -0x1p-24, -1, REFERENCE_DECIDED},
    {"1 1/16777216 + x +", 0x1p-1000, 0, 1 + 0x1p-23, REFERENCE_DECIDED}, /* Near ties. */
    {"1 1/16777216 + x +", -0x1p-1000, 0, 1, REFERENCE_DECIDED},
    {"x sqrt ^2 1/16777216 * 1 +", 1, 0, 1, REFERENCE_DECIDED}, /* The value is exact for x = 1. */
    /* The value is a tie, which the reference cannot recognise. */
    {"x sqrt ^2 1/33554432 * 1 +", 2, 0, 1, REFERENCE_UNDECIDED},
    /* The value is exact only in rational numbers. */
    {"1/10 x * 3/10 +", -3, 0, 0, REFERENCE_DECIDED},
    {"1/10 x * log", 10, 0, 0, REFERENCE_DECIDED},
    {"1/10 x * 1 < x 0 if", 10, 0, 0, REFERENCE_DECIDED},
    {"1 1/3 x * ^2 1 - /", -3, 0, INFINITY, REFERENCE_DECIDED},
    {"x 2 /", 0x1p-149, 0, 0, REFERENCE_DECIDED}, /* Half the smallest subnormal. */
    {"x 2 /", 0x3p-149, 0, 0x1p-148, REFERENCE_DECIDED},
    {"x 2 / y +", 0x1p-149, 0x1p-1000, 0x1p-149, REFERENCE_DECIDED},
    {"x 2 /", -0x1p-160, 0, -0.0, REFERENCE_DECIDED},
    {"x y +", 0x1.fffffep127, 0x1p103, INFINITY, REFERENCE_DECIDED}, /* A tie with 2^128. */
    {"x y -", 0x1.fffffep127, -0x1.fffffffffffffp102, 0x1.fffffep127, REFERENCE_DECIDED},
    {"x", -0x1p200, 0, -INFINITY, REFERENCE_DECIDED},
    {"x 3 /", 1, 0, 0x1.555556p-2, REFERENCE_DECIDED},
    /* Values closer to ties than 8192 bits show, but on a known side. */
    {"1 x tanh y * +", 5000, 0x3p-24, 1 + 0x1p-23, REFERENCE_DECIDED},
    {"1 x tanh y * -", -5000, 0x3p-24, 1 + 0x1p-23, REFERENCE_DECIDED},
    {"1 x normcdf y * +", 500, 0x3p-24, 1 + 0x1p-23, REFERENCE_DECIDED},
    {"1 x sigmoid y * +", 20000, 0x3p-24, 1 + 0x1p-23, REFERENCE_DECIDED},
    {"1 x erf y * +", 300, 0x3p-24, 1 + 0x1p-23, REFERENCE_DECIDED},
    {"y x exp +", -20000, 1 + 0x1p-24, 1 + 0x1p-23, REFERENCE_DECIDED},
    {"x exp exp y *", -20000, 1 + 0x1p-24, 1 + 0x1p-23, REFERENCE_DECIDED},
    {"x exp cosh y *", -20000, 1 + 0x1p-24, 1 + 0x1p-23, REFERENCE_DECIDED},
    {"y x sigmoid /", 20000, 1 + 0x1p-24, 1 + 0x1p-23, REFERENCE_DECIDED},
    {"x sigmoid y * x tanh /", 20000, 1 + 0x3p-24, 0,
     /* The open parts allow either side. */
     REFERENCE_UNDECIDED},
    /* values beyond MPFR's range */
    {"x exp x exp 2 + /", 0x1p100, 0, 1, REFERENCE_DECIDED},
    {"x cosh x exp /", 0x1p100, 0, 0.5, REFERENCE_DECIDED},
    {"x sinh x cosh /", -0x1p100, 0, -1, REFERENCE_DECIDED},
    {"2 x * exp 6 x exp * - 9 +", 0x1p100, 0, INFINITY, REFERENCE_DECIDED},
    {"1 x exp + sqrt x 2 / exp /", 0x1p100, 0, 1, REFERENCE_DECIDED},
    {"x exp log1p x exp /", -0x1p100, 0, 1, REFERENCE_DECIDED},
    {"x softplus x exp /", -0x1p100, 0, 1, REFERENCE_DECIDED},
    {"x exp2 3 x exp2 * /", 0x1p100, 0, 0x1.555556p-2, REFERENCE_DECIDED},
    {"x erfc x ^2 exp * x *", 0x1p40, 0, 0x1.20dd76p-1, REFERENCE_DECIDED},            /* 1 / sqrt(pi) */
    {"x neg normcdf x ^2 2 / exp * x *", 0x1p40, 0, 0x1.988454p-2, REFERENCE_DECIDED}, /* 1 / sqrt(2 pi) */
    {"x exp erf x exp /", -0x1p100, 0, 0x1.20dd76p+0, REFERENCE_DECIDED},              /* 2 / sqrt(pi) */
    {"x exp 3 + log2 x /", 0x1p100, 0, 0x1.715476p+0, REFERENCE_DECIDED},              /* 1 / log(2) */
    {"x exp asinh x - exp", 0x1p100, 0, 2, REFERENCE_DECIDED},
    {"x exp 2 x exp * 1 + max x exp /", 0x1p100, 0, 2, REFERENCE_DECIDED},
    {"x exp 2 x exp * < x 0 if", 0x1p100, 0, 0x1p100, REFERENCE_DECIDED},
    {"x exp x exp neg exp *", 0x1p100, 0, 0, REFERENCE_DECIDED},
    {"4 x exp * 3 x * exp + x exp 2 x * exp + 2 + ^2 / x exp *", 0x1.8p59, 0, 1, REFERENCE_DECIDED},
    /* ties of rational numbers beside which the value lies */
    {"x sigmoid 6/5 * x * x +", 7626015, 0, 16777232, REFERENCE_DECIDED}, /* below 16777233 */
    {"x x tanh 3/5 * /", 10066335, 0, 16777226, REFERENCE_DECIDED},       /* above 16777225 */
    {"x x expm1 neg 3/5 * /", -10066335, 0, -16777226, REFERENCE_DECIDED},
    {"x neg sigmoid 3/5 x * +", 27962045, 0, 16777228, REFERENCE_DECIDED}, /* above 16777227 */
};

static bool same_double(double a, double b)
{
    return isnan(a) ? isnan(b) : a == b && signbit(a) == signbit(b);
}

static void rounded_to_float(void **state)
{
    for (size_t i = 0; i < COUNT(roundings); i++) {
        reference *r = make(*state, roundings[i].formula, NULL);
        double x[2] = {roundings[i].x, roundings[i].y}, got;
        enum reference_state told = reference_rounded(r, x, &element_types[ELEMENT_F32].format, &got);
        bool good = told == roundings[i].state &&
                    (told == REFERENCE_UNDECIDED || same_double(got, roundings[i].wanted));
        if (!good) fail_msg("row %zu, %s: %a, state %d", i, roundings[i].formula, got, (int)told);
        reference_free(r);
    }
}

/* Checks f16, which shows that the format comes from the arguments. */
static void rounded_to_half(void **state)
{
    reference *r = make(*state, "x", NULL);
    const double in[][2] = {{65519, 65504},       {65520, INFINITY},      {0x1p-25, 0},
                            {0x3p-26, 0x1p-24},   {0x1.ffcp-15, 0x1p-14}, {0x1.ff4p-15, 0x1.ffp-15},
                            {1.0 / 3, 0x1.554p-2}};
    for (size_t i = 0; i < COUNT(in); i++) {
        double x[2] = {in[i][0], 0}, got;
        assert_int_equal(reference_rounded(r, x, &element_types[ELEMENT_F16].format, &got),
                         REFERENCE_DECIDED);
        if (!same_double(got, in[i][1])) fail_msg("%a gives %a", in[i][0], got);
    }
    reference_free(r);
}

/* Computes precise values on either side of the range of MPFR's numbers. Checks that this
 * range is as it was. */
static void range_is_restored(void **state)
{
    mpfr_exp_t emin = mpfr_get_emin(), emax = mpfr_get_emax();
    mpfr_set_emin(-1000);
    mpfr_set_emax(1000);
    mpfr_clear_flags();
    reference *r = make(*state, "x exp", NULL);
    mpfr_t out;
    mpfr_init2(out, 100);
    double x[2] = {-1e30, 0}, value;
    assert_int_equal(reference_precise(r, x, 90, out), REFERENCE_DECIDED);
    assert_true(mpfr_zero_p(out) && !mpfr_signbit(out));
    x[0] = 1e30;
    assert_int_equal(reference_precise(r, x, 90, out), REFERENCE_DECIDED);
    assert_true(mpfr_inf_p(out) && mpfr_sgn(out) > 0);
    x[0] = -1e4;
    assert_int_equal(reference_value(r, x, &value, NULL), REFERENCE_DECIDED);
    assert_true(same_double(value, 0.0));
    assert_true(mpfr_get_emin() == -1000 && mpfr_get_emax() == 1000);
    assert_int_equal(mpfr_flags_save(), 0);
    mpfr_set_emin(emin);
    mpfr_set_emax(emax);
    mpfr_clear(out);
    reference_free(r);
}

struct job {
    reference *r;
    double sum;
};

static void *work(void *data)
{
    struct job *job = data;
    double value, error, x[2] = {0, 0};
    const double *const columns[2] = {&x[0], &x[1]};
    for (int i = 0; i < 300; i++) {
        x[0] = -5 + i / 30.0;
        if (reference_value(job->r, x, &value, NULL) == REFERENCE_DECIDED) job->sum += value;
        reference_quick(job->r, columns, 1, &value, &error);
        job->sum += value;
    }
    reference_free(job->r);
    return NULL;
}

/* Uses two references of one expression in two threads. The tsan preset looks for races, and the asan preset
 * for what a thread leaves. FLINT keeps the root of pi for erfc, MPFR keeps pi. */
static void two_threads(void **state)
{
    static const char formula[] = GELU_TANH " x erfc pi * +";
    struct job jobs[2] = {{make(*state, formula, NULL), 0}, {make(*state, formula, NULL), 0}};
    pthread_t threads[2];
    assert_true(mpfr_buildopt_tls_p());
    for (int i = 0; i < 2; i++) assert_int_equal(pthread_create(&threads[i], NULL, work, &jobs[i]), 0);
    for (int i = 0; i < 2; i++) assert_int_equal(pthread_join(threads[i], NULL), 0);
    assert_true(jobs[0].sum == jobs[1].sum && jobs[0].sum != 0);
}

#define TEST(function) cmocka_unit_test_setup_teardown(function, set_up, tear_down)

int main(int count, char **arguments)
{
    const struct CMUnitTest tests[] = {
        TEST(published_values),
        TEST(places_of_minima),
        TEST(every_function_is_in_the_table),
        TEST(functions_against_mpfr),
        TEST(balls_against_mpfr),
        TEST(functions_against_libm),
        TEST(rounded_to_float),
        TEST(rounded_to_half),
        TEST(range_is_restored),
        TEST(two_threads),
    };
    if (count > 1) cmocka_set_test_filter(arguments[1]); /* Runs fewer tests where a sanitizer watches. */
    return cmocka_run_group_tests(tests, NULL, NULL);
}
