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

/* Takes numbers; infinity counts as 2^1024. */
static double error_in_ulps(double computed, const struct f64_exact *exact, long *ulp_exponent)
{
    struct f64_exact e = *exact;
    if (isinf(e.high) || (e.high != 0 && e.exponent > MOST_EXPONENT))
        e = (struct f64_exact){.high = copysign(2, e.high), .exponent = MOST_EXPONENT};
    const struct float_format *f = &element_types[ELEMENT_F64].format;
    const long unit = float_spacing_exponent(f, e.high == 0 ? f->min_exponent : e.exponent);
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

/* ---- quick values ---- */

enum { BLOCK = 128 };
/* Errors up to this times the largest seen, or below these, are not looked at closer. */
static const double RESOLUTION = 1 + 0x1p-20, ULP_RESOLUTION = 0x1p-24, ABS_RESOLUTION = 0x1p-77;
static const long double GROW = 1 + 0x1p-60L; /* roundings of these bounds */

struct quick_value {
    long double value, error; /* the exact one is within */
};

static double larger(double a, double b) { return a > b ? a : b; }

/* Whether `computed` certainly is within the bound, its errors below the largest seen. What is not finite, or near the
 * largest number, is not certain. */
static bool is_passed(const struct tally *t, const struct spec_bound *bound, double computed,
                      struct quick_value exact)
{
    const bool by_abs = bound->kind == BOUND_ABS;
    const long double most = fabsl(exact.value) + exact.error, least = fabsl(exact.value) - exact.error;
    if (!(most < 0x1p1023L) || !isfinite(computed)) return false;
    if (computed == 0 && !by_abs && most > 0 && (least <= 0 || !signbit(computed) != !signbit(exact.value)))
        return false;
    int exponent = LEAST_EXPONENT + 53;
    if (least > 0x1p-1022L) frexpl(least, &exponent); /* least < 2^exponent */
    const long double error = (fabsl(computed - exact.value) + exact.error) * GROW;
    const long double ulp = ldexpl(error, 53 - exponent), absolute = error / (least > 1 ? least : 1) * GROW;
    const double allowed = judge_allowed(bound), seen = larger(t->max_ulp * RESOLUTION, ULP_RESOLUTION),
                 seen_abs = larger(t->max_abs * RESOLUTION, ABS_RESOLUTION);
    return (by_abs ? absolute : ulp) <= allowed && ulp <= seen && absolute <= seen_abs;
}

/* `high` + `low` in long double is within a rounding of the exact value; a NaN is outside of everything. */
static bool contradicts(const struct f64_exact *exact, struct quick_value quick)
{
    if (exact->undecided || !(quick.error < INFINITY)) return false;
    const long most = 1 << 16, exponent = exact->exponent < -most  ? -most
                                          : exact->exponent > most ? most
                                                                   : exact->exponent;
    const long double value = ldexpl((long double)exact->high + exact->low, (int)exponent);
    return !(fabsl(value - quick.value) <= (quick.error + fabsl(value) * 0x1p-62L) * GROW);
}

enum { ENOUGH = 3 };

/* All that can be wrong is the sign of a zero, and it is that of this binade's others. */
static bool has_usual_sign(const struct f64_learned *l, double x, double computed, struct quick_value exact)
{
    const bool is_question = computed == 0 && 4 * (fabsl(exact.value) + exact.error) < 0x1p-1074L;
    return is_question && l->binade == bits_of_f64(x) >> 52 && l->asked >= ENOUGH &&
           l->negative == (signbit(computed) ? l->asked : 0);
}

static void learn_sign(struct f64_learned *l, double x, const struct f64_exact *exact)
{
    if (isnan(exact->high) || exact->zero || (exact->high != 0 && exact->exponent > -1076)) return;
    if (l->binade != bits_of_f64(x) >> 52) l->asked = l->negative = 0;
    l->binade = bits_of_f64(x) >> 52;
    l->asked++;
    l->negative += signbit(exact->high) != 0;
}

static void judge_some(struct tally *tally, const struct piece *piece, reference *truth, const double *x,
                       const double *computed, size_t count, bool ask_all, struct f64_learned *l)
{
    const struct spec_bound *bound = &piece->bound;
    long double value[BLOCK], error[BLOCK];
    reference_quick_long(truth, &x, count, value, error);
    for (size_t i = 0; i < count; i++) {
        const struct quick_value quick = {value[i], error[i]};
        struct f64_exact exact = {.high = NAN};
        if (isfinite(x[i]) && !ask_all && !l->distrust &&
            (is_passed(tally, bound, computed[i], quick) || has_usual_sign(l, x[i], computed[i], quick))) {
            tally->inputs += !bound->has_interval || (bound->low <= x[i] && x[i] <= bound->high);
            continue;
        }
        if (!isnan(x[i])) f64_exact_value(&exact, truth, 0, x[i]);
        if (isfinite(x[i])) learn_sign(l, x[i], &exact);
        l->distrust = l->distrust || (isfinite(x[i]) && contradicts(&exact, quick));
        f64_judge_one(tally, bound, x[i], computed[i], &exact);
    }
}

void f64_judge_block(struct tally *tally, const struct piece *piece, reference *truth, const double *x,
                     const double *computed, size_t count, bool ask_all, struct f64_learned *learned)
{
    for (size_t first = 0; first < count; first += BLOCK) {
        const size_t n = count - first < BLOCK ? count - first : BLOCK;
        judge_some(tally, piece, truth, x + first, computed + first, n, ask_all, learned);
    }
}
