/* Errors of f64 results, from exact values of 106 bits. */
#include "f64_judge.h"
#include "float_bits.h"

#include <math.h>

enum { EXACT_BITS = 140, LEAST_EXPONENT = -1074, MOST_EXPONENT = 1023 };
static const double SLACK = 0x1p-40; /* of an error in ulps */

static void set_number(struct f64_exact *out, mpfr_srcptr value)
{
    mpfr_t rest;
    mpfr_init2(rest, EXACT_BITS);
    out->exponent = mpfr_get_exp(value) - 1;
    mpfr_mul_2si(rest, value, -out->exponent, MPFR_RNDN);
    out->high = mpfr_get_d(rest, MPFR_RNDN);
    mpfr_sub_d(rest, rest, out->high, MPFR_RNDN);
    out->low = mpfr_get_d(rest, MPFR_RNDN);
    mpfr_clear(rest);
}

void f64_exact_value(struct f64_exact *out, reference *truth, uint32_t variable, double x)
{
    double inputs[64] = {0};
    mpfr_t value;
    *out = (struct f64_exact){.high = NAN};
    inputs[variable] = x;
    if (isfinite(x)) {
        mpfr_init2(value, EXACT_BITS);
        const bool known = reference_precise(truth, inputs, EXACT_BITS - 10, value) == REFERENCE_DECIDED &&
                           mpfr_regular_p(value);
        if (known) set_number(out, value);
        mpfr_clear(value);
        if (known) return;
    }
    if (reference_value(truth, inputs, &out->high, &out->zero) != REFERENCE_DECIDED) {
        out->undecided = true;
    } else if (isfinite(out->high) && out->high != 0) { /* the limit at an infinity */
        int exponent;
        out->high = 2 * frexp(out->high, &exponent);
        out->exponent = exponent - 1;
    }
}

/* Of numbers; infinity counts as 2^1024. */
static double error_in_ulps(double computed, const struct f64_exact *exact, long *ulp_exponent)
{
    struct f64_exact e = *exact;
    if (isinf(e.high) || (e.high != 0 && e.exponent > MOST_EXPONENT))
        e = (struct f64_exact){.high = copysign(2, e.high), .exponent = MOST_EXPONENT};
    long unit = e.high == 0 || e.exponent - 52 < LEAST_EXPONENT ? LEAST_EXPONENT : e.exponent - 52;
    if (unit > MOST_EXPONENT - 52) unit = MOST_EXPONENT - 52;
    *ulp_exponent = unit;
    const int shift = (int)(e.exponent - unit < -4000 ? -4000 : e.exponent - unit);
    const double c = isinf(computed) ? copysign(0x1p53, computed) * (unit < MOST_EXPONENT - 52 ? INFINITY : 1)
                                     : ldexp(computed, (int)-unit);
    return fabs((c - ldexp(e.high, shift)) - ldexp(e.low, shift));
}

struct f64_error f64_error_of(double computed, const struct f64_exact *exact, double x, bool sign_matters)
{
    const struct f64_error none = {0, 0}, infinite = {INFINITY, INFINITY};
    if (isnan(exact->high) || isnan(computed)) return isnan(exact->high) && isnan(computed) ? none : infinite;
    if (isinf(x) && isinf(exact->high) && computed != exact->high) return infinite;
    long unit;
    struct f64_error error = {.ulp = error_in_ulps(computed, exact, &unit)};
    const double size = exact->exponent < 0 || exact->high == 0 ? 1
                        : isinf(exact->high) || exact->exponent > MOST_EXPONENT
                            ? 0x1.fffffffffffffp1023
                            : ldexp(fabs(exact->high), (int)exact->exponent - 1) * 2;
    error.absolute =
        error.ulp == 0 ? 0 : ldexp(error.ulp / size, (int)unit / 2) * ldexp(1, (int)(unit - unit / 2));
    const bool wrong_zero = computed == 0 && !exact->zero && !signbit(computed) != !signbit(exact->high);
    if (wrong_zero && sign_matters) error.ulp = INFINITY;
    return error;
}

void f64_judge_one(struct tally *tally, const struct spec_bound *bound, double x, double computed,
                   const struct f64_exact *exact)
{
    if (bound->has_interval && !(bound->low <= x && x <= bound->high)) return;
    tally->inputs++;
    if (!isnan(x) && exact->undecided) {
        tally->undecided++;
        return;
    }
    const struct f64_exact nan = {.high = NAN};
    const bool by_abs = bound->kind == BOUND_ABS;
    const struct f64_error e = f64_error_of(computed, isnan(x) ? &nan : exact, x, !by_abs);
    const double allowed = judge_allowed(bound);
    if (by_abs ? e.absolute > allowed * (1 + SLACK) : e.ulp > allowed + SLACK) tally->wrong++;
    struct tally one = {.max_ulp = e.ulp, .max_abs = e.absolute, .decided_any = true};
    one.max_ulp_at = one.max_abs_at = bits_of_f64(x);
    *tally = tally_merge(*tally, one);
}

void f64_judge_block(struct tally *tally, const struct judged_piece *piece, reference *truth, const double *x,
                     const double *computed, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        struct f64_exact exact = {.high = NAN};
        if (!isnan(x[i])) f64_exact_value(&exact, truth, piece->variable, x[i]);
        f64_judge_one(tally, &piece->bound, x[i], computed[i], &exact);
    }
}
