/* Measures errors, and adds up tallies. */
#include "tally.h"
#include "float_bits.h"

#include <math.h>

enum { EXACT_BITS = 140 };

void tally_note(struct tally *t, uint64_t at, double ulp, double absolute)
{
    if (!t->decided_any || ulp > t->max_ulp || (ulp == t->max_ulp && at < t->max_ulp_at)) {
        t->max_ulp = ulp;
        t->max_ulp_at = at;
    }
    if (!t->decided_any || absolute > t->max_abs || (absolute == t->max_abs && at < t->max_abs_at)) {
        t->max_abs = absolute;
        t->max_abs_at = at;
    }
    t->decided_any = true;
}

void tally_note_undecided(struct tally *t, uint64_t at)
{
    if (!t->undecided || at < t->undecided_at) t->undecided_at = at;
    t->undecided++;
}

struct tally tally_merge(struct tally a, struct tally b)
{
    struct tally sum = a;
    if (b.decided_any) tally_note(&sum, b.max_ulp_at, b.max_ulp, -1);
    if (b.decided_any) tally_note(&sum, b.max_abs_at, -1, b.max_abs);
    if (!a.decided_any) { /* The first note has taken a placeholder. */
        sum.max_ulp = b.max_ulp, sum.max_ulp_at = b.max_ulp_at;
        sum.max_abs = b.max_abs, sum.max_abs_at = b.max_abs_at;
    }
    sum.inputs += b.inputs;
    if (b.undecided && (!a.undecided || b.undecided_at < a.undecided_at)) sum.undecided_at = b.undecided_at;
    sum.undecided += b.undecided;
    sum.wrong += b.wrong;
    sum.bits_compared += b.bits_compared;
    sum.bits_differ += b.bits_differ;
    sum.settled += b.settled;
    sum.asked += b.asked;
    return sum;
}

double tally_place(uint64_t bits, enum element_type argument)
{
    return argument == ELEMENT_F64 ? f64_of_bits(bits) : (double)f32_of_bits((uint32_t)bits);
}

struct tally tally_widened(struct tally t, enum element_type argument)
{
    t.max_ulp_at = bits_of_f64(tally_place(t.max_ulp_at, argument));
    t.max_abs_at = bits_of_f64(tally_place(t.max_abs_at, argument));
    t.undecided_at = bits_of_f64(tally_place(t.undecided_at, argument));
    return t;
}

static void set_number(struct exact_value *out, mpfr_srcptr value)
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

void exact_value_find(struct exact_value *out, reference *truth, const double *x)
{
    mpfr_t value;
    *out = (struct exact_value){.high = NAN};
    if (isfinite(*x)) {
        mpfr_init2(value, EXACT_BITS);
        const bool known =
            reference_precise(truth, x, EXACT_BITS - 10, value) == REFERENCE_DECIDED && mpfr_regular_p(value);
        if (known) set_number(out, value);
        mpfr_clear(value);
        if (known) return;
    }
    if (reference_value(truth, x, &out->high, &out->zero) != REFERENCE_DECIDED) {
        out->undecided = true;
    } else if (isfinite(out->high) && out->high != 0) { /* the limit at an infinity */
        int exponent;
        out->high = 2 * frexp(out->high, &exponent);
        out->exponent = exponent - 1;
    }
}

struct exact_value exact_value_of(double value, bool zero)
{
    if (value == 0 || !isfinite(value)) return (struct exact_value){.high = value, .zero = zero};
    int exponent;
    const double high = 2 * frexp(value, &exponent);
    return (struct exact_value){.high = high, .exponent = exponent - 1, .zero = zero};
}

/* Cuts a value to the format's limit, which is `limit` * 2^max_exponent. Infinity and everything beyond count
 * as the limit. */
static struct exact_value cut(const struct float_format *f, const struct exact_value *e, double limit)
{
    const bool beyond = isinf(e->high) || (e->high != 0 && e->exponent > f->max_exponent) ||
                        (e->exponent == f->max_exponent && fabs(e->high) > limit);
    return beyond ? (struct exact_value){.high = copysign(limit, e->high), .exponent = f->max_exponent} : *e;
}

struct result_error result_error_of(const struct float_format *f, double computed,
                                    const struct exact_value *exact, double x, bool sign_matters)
{
    const struct result_error none = {0, 0}, infinite = {INFINITY, INFINITY};
    if (isnan(exact->high) || isnan(computed)) return isnan(exact->high) && isnan(computed) ? none : infinite;
    const double beyond = f->has_infinity ? (double)INFINITY : f->largest;
    if (isinf(x) && isinf(exact->high) && computed != copysign(beyond, exact->high)) return infinite;
    const double limit =
        ldexp(f->largest, -f->max_exponent) + (f->has_infinity ? ldexp(1, 1 - f->precision) : 0);
    const struct exact_value e = cut(f, exact, limit);
    const int unit = float_spacing_exponent(f, e.high == 0 ? f->min_exponent : e.exponent);
    const int shift = e.exponent - unit < -4000 ? -4000 : (int)e.exponent - unit;
    const double c =
        isinf(computed) ? copysign(ldexp(limit, f->max_exponent - unit), computed) : ldexp(computed, -unit);
    struct result_error error = {.ulp = fabs((c - ldexp(e.high, shift)) - ldexp(e.low, shift))};
    const bool is_small = e.high == 0 || e.exponent < 0;
    error.absolute = is_small ? ldexp(error.ulp, unit) : ldexp(error.ulp / fabs(e.high), -shift);
    /* The exact value is negligible compared with an f64 result that is so many ulps away. */
    if (is_small && isinf(c) && isfinite(computed)) error.absolute = fabs(computed);
    const bool wrong_zero = computed == 0 && !exact->zero && !signbit(computed) != !signbit(exact->high);
    if (wrong_zero && sign_matters) error.ulp = INFINITY;
    return error;
}
