/* Tests of enclosures, which must hold the true values. The test covers formulas of every function,
 * intervals of many sizes and places, and the reference at random points inside. In the tails, where
 * verification relies on enclosures, they must also be tight. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "enclosure.h"
#include "float_bits.h"
#include "language.h"
#include "reference.h"

#include <math.h>
#include <string.h>

enum { INTERVALS = 400, POINTS = 4 };

static const char *const formulas[] = {
    "x*normcdf(x)",
    "x*sigmoid(x)",
    "x*tanh(softplus(x))",
    "exp(x)",
    "exp(-x*x/2)*x",
    "expm1(x)",
    "log(x)",
    "log1p(x)",
    "sqrt(x)",
    "sqrt(x - 1)",
    "erf(x)",
    "erfc(x)",
    "erfc(-x/sqrt(2))/2",
    "lgamma(x)",
    "digamma(x + 1/3)",
    "x*trigamma(x)",
    "sin(x)",
    "cos(x)*x",
    "abs(x) - 1",
    "sign(x)*x^2",
    "atan(x)",
    "x*atan(x - 1)",
    "floor(x/3)",
    "round(x)*x",
    "x^3 + 0.1*x",
    "x^-3",
    "x^-2",
    "x^0.5",
    "x^(1/3)",
    "x^-1.5",
    "1/(1 + exp(-x))",
    "x/(1 + abs(x))",
    "(x - 1)/(x + 1)",
    "min(x, 3) - max(x, -3)",
    "if x > 0.5 then x else 0.1*expm1(x)",
    "if x > 1 and not x > 2 or x == -1 then x^2 else -x",
    "normcdf(x) + x*exp(-x^2/2)/sqrt(2*pi)",
    "2*sigmoid(2*x) - 1",
    "softplus(-x)*1e30",
    "exp(x)*1e-30",
    "-x*normcdf(x)",
    "(1 + x) - 1",
    "log(exp(x) + exp(2*x) + 1)",
    "log(exp(x) + 1e300)/x",
    "erfc(x)/exp(-x^2)",
    "exp(x^2)*erfc(x)*x",
    "exp(-x^2)*erfc(x)^-1",
    "sigmoid(x)/exp(x)",
    "exp(x)/(exp(x) + 2)",
    "(exp(2*x) + 2*exp(x))/(exp(2*x) + 2*exp(x) + 2)",
    "exp(x/2 - 1)/sqrt(exp(x) + exp(-x))",
    "expm1(x)/(exp(x - 30) + 7)",
    "softplus(x - 1)/(exp(x) - 3*exp(2*x))",
    "log(exp(3*x) - exp(x))",
    "exp(x)*sigmoid(-exp(x))",
    "sigmoid(x)*softplus(x)^(-1/3)",
    "(exp(x) + exp(x/2))^(2/3)/(exp(x)^(1/3) + 1)",
};

static uint64_t state = 88172645463325252u;
static uint64_t random_bits(void)
{
    state ^= state << 13;
    state ^= state >> 7;
    state ^= state << 17;
    return state * UINT64_C(0x2545f4914f6cdd1d);
}

static struct spec *parse(arena *memory, const char *text)
{
    struct spec *s;
    struct diag error = {0};
    if (spec_parse_expression(&s, memory, text, strlen(text), &error) != DIAG_OK)
        fail_msg("%s: %s", text, error.message);
    return s;
}

/* Returns true if the enclosure holds the double next to the exact value, up to the rounding of that
 * double, and its sign. */
static bool holds(const struct enclosed *e, double exact, bool exact_zero)
{
    if (isnan(exact)) return !e->defined;
    if (e->undefined) return false;
    if (!e->defined) return true;
    if (enclosed_positive(e) && (exact_zero || signbit(exact))) return false;
    if (enclosed_negative(e) && (exact_zero || !signbit(exact))) return false;
    return exact >= nextafter(e->low, -INFINITY) && exact <= nextafter(e->high, INFINITY);
}

static unsigned check_formula(const char *text, const expr *e)
{
    struct enclosure *enclosure = enclosure_create(e);
    reference *truth = reference_create(e, e, 1);
    assert_non_null(enclosure);
    assert_non_null(truth);
    unsigned known = 0;
    for (int n = 0; n < INTERVALS; n++) {
        const uint32_t width = UINT32_C(1) << random_bits() % 26;
        uint32_t bits =
            n % 2 ? (uint32_t)random_bits()
                  : (uint32_t)(117 + random_bits() % 17) << 23 | (uint32_t)(random_bits() & 0x807fffff);
        if ((bits & 0x7fffffff) > 0x7f000000 - width) bits = 0x3f800000;
        const float ends[] = {f32_of_bits(bits), f32_of_bits(bits + width - 1)};
        const struct enclosed found = enclosure_of(enclosure, ends, 2);
        known += found.defined || found.undefined;
        for (int k = 0; k < POINTS; k++) {
            const float x = k < 2 ? ends[k] : f32_of_bits(bits + (uint32_t)(random_bits() % width));
            double input = (double)x, exact;
            bool exact_zero;
            if (reference_value(truth, &input, &exact, &exact_zero) != REFERENCE_DECIDED) continue;
            if (!holds(&found, exact, exact_zero))
                fail_msg("%s at %a: %a (zero %d) is not in [%a, %a] of [%a, %a], defined %d, undefined %d, "
                         "open %d %d",
                         text, (double)x, exact, exact_zero, found.low, found.high, (double)ends[0],
                         (double)ends[1], found.defined, found.undefined, found.low_open, found.high_open);
        }
    }
    enclosure_free(enclosure);
    reference_free(truth);
    return known;
}

static void test_true_values_are_inside(void **unused)
{
    (void)unused;
    arena *memory = arena_create(0);
    assert_non_null(memory);
    assert_false(setjmp(*arena_escape(memory)));
    for (size_t n = 0; n < sizeof formulas / sizeof *formulas; n++) {
        const unsigned known =
            check_formula(formulas[n], parse(memory, formulas[n])->kernels[0].results[0].value);
        if (known < INTERVALS / 4)
            fail_msg("%s: only %u enclosures of %d are known", formulas[n], known, INTERVALS);
    }
    arena_free(memory);
}

static const struct {
    const char *formula;
    float low, high;
    /* The expected enclosure:
     *   '-', '+'   certainly of that sign, and tiny
     *   'z'        tiny
     *   'n'        undefined
     *   'i'        beyond f32
     *   'k'        above 0, and known to a thousandth */
    char what;
} tails[] = {
    {"x*normcdf(x)", -100, -99, '-'},
    {"x*normcdf(x)", -1e38f, -1e37f, '-'},
    {"x*sigmoid(x)", -1e5f, -1e4f, '-'},
    {"min(x*sigmoid(x), 7)", -1e5f, -1e4f, '-'},
    {"min(-exp(x), 2 + exp(x))", -1e5f, -1e4f, '-'},
    {"max(exp(x), 0)", -1e5f, -1e4f, '+'},
    {"max(exp(x), -exp(2*x))", -1e5f, -1e4f, '+'},
    {"x*tanh(softplus(x))", -2e3f, -1e3f, '-'},
    {"exp(x)", -2e30f, -1e30f, '+'},
    {"exp(x)", 1e4f, 2e4f, 'i'},
    {"expm1(x)", 1e4f, 2e4f, 'i'},
    {"x^64", -2e30f, -1e30f, 'i'},
    {"x^63.5", 1e30f, 2e30f, 'i'},
    {"softplus(x)", -2e30f, -1e30f, '+'},
    {"normcdf(x)", -2e30f, -1e30f, '+'},
    {"erfc(x)", 1e10f, 2e10f, '+'},
    {"erfc(x)/exp(-x^2)", 1e4f, 1.0001e4f, 'k'},
    {"exp(x^2)*erfc(x)", 1e4f, 1.0001e4f, 'k'},
    {"exp(-x^2)*erfc(x)^-1", 1e4f, 1.0001e4f, 'k'},
    {"(1 - tanh(x))*1e-60", 1e10f, 2e10f, 'z'},
    {"(pi/2 - atan(x))*1e-60", 1e30f, 2e30f, 'z'},
    {"exp(x)/(exp(x) + 2)", 1e4f, 2e30f, 'k'},
    {"(exp(2*x) + 2*exp(x))/(exp(2*x) + 2*exp(x) + 2)", 1e4f, 2e30f, 'k'},
    {"exp(x/2 - 1)/sqrt(exp(x) + exp(-x))", 1e4f, 2e30f, 'k'},
    {"expm1(x)/(exp(x - 30) + 7)", 1e4f, 2e30f, 'k'},
    {"softplus(x - 1)/(exp(x) - exp(2*x))", -2e30f, -1e4f, 'k'},
    {"sigmoid(x - 1)/(exp(x) - exp(2*x))", -2e30f, -1e4f, 'k'},
    {"log(exp(3*x) - exp(x))/x", 1e20f, 1.0001e20f, 'k'},
    {"exp(x)*sigmoid(-exp(x))", 1e4f, 2e30f, '+'},
    {"exp(2*x)*exp(-3*x)", 1e4f, 2e30f, '+'},
    {"sigmoid(x)*softplus(x)^(-1/3)", -1.5e4f, -1e4f, '+'},
    {"x*(exp(x)/(exp(x) + 2))", -2e30f, -1e4f, '-'},
    {"exp(2*x) - 6*exp(x) + 9", 1e4f, 2e30f, 'i'},
    {"log(x)", -3, -2, 'n'},
    {"sqrt(x)", -3, -1e-40f, 'n'},
    {"x^0.5", -2, -1, 'n'},
};

static void test_tails(void **unused)
{
    (void)unused;
    arena *memory = arena_create(0);
    assert_non_null(memory);
    assert_false(setjmp(*arena_escape(memory)));
    for (size_t n = 0; n < sizeof tails / sizeof *tails; n++) {
        struct enclosure *e = enclosure_create(parse(memory, tails[n].formula)->kernels[0].results[0].value);
        assert_non_null(e);
        const float ends[] = {tails[n].low, tails[n].high};
        const struct enclosed found = enclosure_of(e, ends, 2);
        bool good = false;
        switch (tails[n].what) {
        case '-': good = enclosed_negative(&found) && found.low > -0x1p-160; break;
        case '+': good = enclosed_positive(&found) && found.high < 0x1p-160; break;
        case 'n': good = found.undefined; break;
        case 'k': good = found.defined && found.low > 0 && found.high < found.low * 1.001; break;
        case 'z': good = found.defined && found.low > -0x1p-160 && found.high < 0x1p-160; break;
        default: good = found.defined && found.low >= 0x1p128;
        }
        if (!good)
            fail_msg("%s on [%g, %g]: [%a, %a]", tails[n].formula, (double)ends[0], (double)ends[1],
                     found.low, found.high);
        enclosure_free(e);
    }
    arena_free(memory);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_true_values_are_inside),
                                       cmocka_unit_test(test_tails)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
