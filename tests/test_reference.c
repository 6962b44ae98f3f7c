/* Tests of the reference against published values, of its roundings, and of threads. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "interval.h"
#include "references.h"

#include <math.h>
#include <pthread.h>

#define COUNT(table) (sizeof(table) / sizeof *(table))
#define GELU         "x x normcdf *"
#define GELU_TANH    "1/2 x * 1 2 pi / sqrt x 8943/200000 x ^3 * + * tanh + *"
#define SILU         "x 1 x neg exp + /"
#define MISH         "x x softplus tanh *"
#define GELU_SLOPE   "x normcdf x x ^2 2 / neg exp * 2 pi * sqrt / +"

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

int main(int count, char **arguments)
{
    const struct CMUnitTest tests[] = {
        TEST(published_values), TEST(places_of_minima),  TEST(rounded_to_float),
        TEST(rounded_to_half),  TEST(range_is_restored), TEST(two_threads),
    };
    if (count > 1) cmocka_set_test_filter(arguments[1]); /* Runs fewer tests where a sanitizer watches. */
    return cmocka_run_group_tests(tests, NULL, NULL);
}
