/* Arithmetic of Taylor models. A bound is a sum of non-negative doubles. MODEL_GROW covers its roundings. */
#include "model.h"

#include <float.h>
#include <limits.h>
#include <stdlib.h>

const struct model model_unknown = {0};

/* The exponent of the largest coefficients: they are kept between about 2^-60 and 2^60. */
enum { MOST_SIZE = 60 };
/* The largest exponent of a known number. Products of larger numbers may overflow. Smaller numbers count as
 * 2^-(2^30). */
static const long FAR = 1L << 30;
/* The number of powers of two below another number from which on a number counts as rest. */
enum { FARTHEST = 900 };

static bool is_zero(const struct model *a) { return a->degree == 0 && a->c[0].high == 0 && a->rest == 0; }

static double size_from(const struct model *a, unsigned first)
{
    double size = a->rest;
    for (unsigned k = first; k <= a->degree; k++) size += fabs(a->c[k].high);
    return size * MODEL_GROW;
}
double model_size(const struct model *a) { return size_from(a, 0); }
double model_bend(const struct model *a) { return size_from(a, 2); }

static double below(struct pair p, double rest)
{
    const struct pair q = pair_add(p, pair_of(-rest));
    return q.low < 0 ? nextafter(q.high, -INFINITY) : q.high;
}
static double above(struct pair p, double rest) { return -below(pair_neg(p), rest); }

/* Finds bounds of g. If the polynomial rises or falls all the way, its ends bound it to the last bits. Values
 * next to a power of two are then seen to be above it. */
void model_range(const struct model *a, double *low, double *high)
{
    double spread = 0, bend = 0;
    struct pair left = a->c[0], right = a->c[0];
    for (unsigned k = 1; k <= a->degree; k++) {
        spread += fabs(a->c[k].high);
        if (k > 1) bend += k * fabs(a->c[k].high);
        left = pair_add(left, k & 1 ? pair_neg(a->c[k]) : a->c[k]);
        right = pair_add(right, a->c[k]);
    }
    const double rest = (a->rest + 16 * PAIR_ERROR * (spread + fabs(a->c[0].high))) * MODEL_GROW;
    if (a->degree == 0 || fabs(a->c[1].high) > bend * MODEL_GROW) {
        const bool rises = a->degree > 0 && a->c[1].high > 0;
        *low = below(rises ? left : right, rest);
        *high = above(rises ? right : left, rest);
    } else {
        *low = below(a->c[0], (rest + spread) * MODEL_GROW);
        *high = above(a->c[0], (rest + spread) * MODEL_GROW);
    }
    if (a->sign > 0 && *low < 0) *low = 0;
    if (a->sign < 0 && *high > 0) *high = 0;
}

static int clamped(long exponent)
{
    return exponent > 5000 ? 5000 : exponent < -5000 ? -5000 : (int)exponent;
}

double model_unit(const struct model *a)
{
    const double unit = ldexp(1, clamped(a->exponent));
    return unit > 0 ? unit : 0x1p-1074;
}

/* Returns a bound times 2^exponent, rounded towards the infinity `to`. */
static double bound_of(double bound, long exponent, double to)
{
    const double scaled = ldexp(bound, clamped(exponent));
    if (isinf(scaled) && (scaled < 0) != (to < 0)) return copysign(DBL_MAX, scaled);
    if (fabs(scaled) >= 0x1p-1000 || ldexp(scaled, -clamped(exponent)) == bound) return scaled;
    return scaled == 0 && (bound < 0) != (to < 0) ? 0 : nextafter(scaled, to);
}

void model_bounds(const struct model *a, double *low, double *high)
{
    double l, h;
    model_range(a, &l, &h);
    *low = bound_of(l, a->exponent, -INFINITY);
    *high = bound_of(h, a->exponent, INFINITY);
}

/* Brings the coefficients to ordinary sizes, and removes leading zeros. */
static struct model normal(struct model a)
{
    while (a.degree > 0 && a.c[a.degree].high == 0) a.degree--;
    const double size = model_size(&a);
    if (!(size < INFINITY)) return model_unknown;
    a.known = true;
    if (size == 0) {
        a.exponent = 0;
        return a;
    }
    int exponent;
    frexp(size, &exponent);
    if (exponent > -MOST_SIZE && exponent < MOST_SIZE) return a;
    for (unsigned k = 0; k <= a.degree; k++) a.c[k] = pair_scale(a.c[k], -exponent);
    a.rest = ldexp(a.rest, -exponent) + (exponent > 0 ? PAIR_TINY : 0);
    a.exponent += exponent;
    return labs(a.exponent) < LONG_MAX / 4 ? a : model_unknown;
}

struct model model_number(double value)
{
    struct model a = {.sign = value > 0 ? 1 : value < 0 ? -1 : 0};
    int exponent = 0;
    if (!isfinite(value)) return model_unknown;
    a.c[0] = pair_of(frexp(value, &exponent));
    a.exponent = exponent;
    return normal(a);
}

struct model model_variable(double low, double high)
{
    struct model a = {.sign = low >= 0 ? 1 : high <= 0 ? -1 : 0, .degree = 1};
    int exponent = 0;
    frexp(fmax(fabs(low), fabs(high)), &exponent);
    const double l = ldexp(low, -exponent - 1), h = ldexp(high, -exponent - 1);
    if (ldexp(l, exponent + 1) != low || ldexp(h, exponent + 1) != high) return model_unknown;
    a.c[0] = pair_sum(h, l);
    a.c[1] = pair_sum(h, -l);
    a.exponent = exponent;
    return normal(a);
}

/* Returns the value as a pair times 2^exponent, for a given exponent. Sets *rest to the error. */
static struct pair pair_of_mpfr(mpfr_srcptr value, long exponent, double *rest)
{
    mpfr_t scaled, left;
    mpfr_init2(scaled, mpfr_get_prec(value));
    mpfr_init2(left, mpfr_get_prec(value) + 64);
    mpfr_mul_2si(scaled, value, -exponent, MPFR_RNDN);
    struct pair p;
    p.high = mpfr_get_d(scaled, MPFR_RNDN);
    mpfr_sub_d(left, scaled, p.high, MPFR_RNDN);
    p.low = mpfr_get_d(left, MPFR_RNDN);
    *rest = fabs(p.high) * 0x1p-100 + PAIR_TINY;
    mpfr_clear(scaled);
    mpfr_clear(left);
    return p;
}

static long mpfr_exponent(mpfr_srcptr x)
{
    return mpfr_inf_p(x) ? LONG_MAX : mpfr_zero_p(x) || mpfr_get_exp(x) < -FAR ? -FAR : mpfr_get_exp(x);
}

struct model model_between(mpfr_srcptr low, mpfr_srcptr high)
{
    if (mpfr_nan_p(low) || mpfr_nan_p(high)) return model_unknown;
    struct model a = {.sign = mpfr_sgn(low) >= 0 ? 1 : mpfr_sgn(high) <= 0 ? -1 : 0};
    if (mpfr_zero_p(low) && mpfr_zero_p(high)) return model_number(0);
    const long l = mpfr_exponent(low), h = mpfr_exponent(high), smaller = l < h ? l : h;
    if (a.sign && smaller > FAR / 2) a.least = FAR / 2;
    if (a.sign && smaller > 1 && smaller <= FAR / 2) a.least = smaller - 1;
    a.exponent = l > h ? l : h;
    if (a.exponent > FAR) return a;
    if (a.exponent == -FAR) { /* a number between 0 and 2^-FAR */
        a.rest = 1;
        return normal(a);
    }
    mpfr_t middle, half;
    mpfr_init2(middle, mpfr_get_prec(low));
    mpfr_init2(half, mpfr_get_prec(low));
    mpfr_add(middle, low, high, MPFR_RNDN);
    mpfr_div_2ui(middle, middle, 1, MPFR_RNDN);
    mpfr_sub(half, high, low, MPFR_RNDU);
    mpfr_mul_2si(half, half, -a.exponent - 1, MPFR_RNDU);
    double off;
    a.c[0] = pair_of_mpfr(middle, a.exponent, &off);
    a.rest = (mpfr_get_d(half, MPFR_RNDU) + off) * MODEL_GROW;
    mpfr_clear(middle);
    mpfr_clear(half);
    return normal(a);
}

/* Returns an equal model in units of another exponent, which is not much below its own. */
static struct model in_units(const struct model *a, long exponent)
{
    struct model r = *a;
    if (a->exponent == exponent || is_zero(a)) {
        r.exponent = exponent;
        return r;
    }
    if (exponent - a->exponent > FARTHEST) {
        r.degree = 0;
        r.c[0] = pair_of(0);
        r.rest = 0x1p-800;
    } else {
        const int shift = (int)(a->exponent - exponent);
        for (unsigned k = 0; k <= r.degree; k++) r.c[k] = pair_scale(r.c[k], shift);
        r.rest = ldexp(r.rest, shift) + PAIR_TINY;
    }
    r.exponent = exponent;
    return r;
}

static struct model model_sum(const struct model *a, const struct model *b, bool negative)
{
    if (!a->known || !b->known) return model_unknown;
    if (is_zero(b)) return *a;
    if (is_zero(a)) return negative ? model_neg(b) : *b;
    const long exponent = a->exponent > b->exponent ? a->exponent : b->exponent;
    const struct model x = in_units(a, exponent), y = in_units(b, exponent);
    struct model r = {.exponent = exponent, .degree = x.degree > y.degree ? x.degree : y.degree};
    const struct pair none = {0, 0};
    for (unsigned k = 0; k <= r.degree; k++) {
        const struct pair p = k <= x.degree ? x.c[k] : none, q = k <= y.degree ? y.c[k] : none;
        r.c[k] = pair_add(p, negative ? pair_neg(q) : q);
    }
    r.rest = (x.rest + y.rest + PAIR_ERROR * (model_size(&x) + model_size(&y))) * MODEL_GROW;
    r.sign = a->sign == (negative ? -b->sign : b->sign) ? a->sign : 0;
    return normal(r);
}

struct model model_add(const struct model *a, const struct model *b) { return model_sum(a, b, false); }
struct model model_sub(const struct model *a, const struct model *b) { return model_sum(a, b, true); }

struct model model_neg(const struct model *a)
{
    struct model r = *a;
    r.sign = -r.sign; /* |g| does not change */
    for (unsigned k = 0; k <= r.degree; k++) r.c[k] = pair_neg(r.c[k]);
    return r;
}

struct model model_scale(const struct model *a, long exponent)
{
    struct model r = *a;
    if (a->known && !is_zero(a)) r.exponent += exponent;
    return r;
}

struct model model_mul(const struct model *a, const struct model *b)
{
    if (!a->known || !b->known) return model_unknown;
    if (is_zero(a) || is_zero(b)) return model_number(0);
    struct model r = {.exponent = a->exponent + b->exponent, .sign = a->sign * b->sign};
    r.degree = a->degree + b->degree < MODEL_DEGREE ? a->degree + b->degree : MODEL_DEGREE;
    double cut = 0;
    for (unsigned i = 0; i <= a->degree; i++)
        for (unsigned k = 0; k <= b->degree; k++)
            if (i + k <= MODEL_DEGREE)
                r.c[i + k] = pair_add(r.c[i + k], pair_mul(a->c[i], b->c[k]));
            else
                cut += fabs(a->c[i].high * b->c[k].high);
    const double size_a = model_size(a), size_b = model_size(b);
    /* A coefficient is a sum of at most 13 products, each with two errors. */
    const double rounding = 32 * PAIR_ERROR * size_a * size_b + PAIR_TINY;
    r.rest = (cut + a->rest * size_b + b->rest * size_a + rounding) * MODEL_GROW;
    return normal(r);
}

struct model model_div(const struct model *a, const struct model *b)
{
    if (!a->known || !b->known || is_zero(b)) return model_unknown;
    if (is_zero(a)) return *a;
    double low, high;
    model_range(b, &low, &high);
    const double least = low > 0 ? low : high < 0 ? -high : 0;
    if (!(least > 0x1p-200)) return model_unknown;
    struct model q = {.known = true, .exponent = a->exponent - b->exponent, .sign = a->sign * b->sign};
    q.degree = a->degree || b->degree ? MODEL_DEGREE : 0;
    for (unsigned k = 0; k <= q.degree; k++) {
        struct pair left = k <= a->degree ? a->c[k] : pair_of(0);
        for (unsigned i = 1; i <= k && i <= b->degree; i++)
            left = pair_add(left, pair_neg(pair_mul(b->c[i], q.c[k - i])));
        q.c[k] = pair_div(left, b->c[0]);
    }
    /* Whatever the coefficients are, a / b - q is (a - q b) / b. */
    const struct model product = model_mul(&q, b), left = model_sub(a, &product);
    if (!left.known) return model_unknown;
    const struct model off = in_units(&left, left.exponent > a->exponent ? left.exponent : a->exponent);
    if (off.exponent != a->exponent) return model_unknown;
    q.rest = model_size(&off) / least * MODEL_GROW;
    return normal(q);
}

struct model model_series(const struct model *a, const struct model *centre, const struct model *series,
                          unsigned count)
{
    const struct model off = model_sub(a, centre);
    struct model r = series[count - 1];
    for (unsigned k = count - 1; k-- > 0;) {
        const struct model product = model_mul(&r, &off);
        r = model_add(&product, &series[k]);
    }
    return r;
}

struct model model_widened(struct model a, double rest)
{
    if (!a.known) return a;
    a.rest = (a.rest + rest) * MODEL_GROW;
    return normal(a);
}

struct model model_hull(const struct model *a, const struct model *b)
{
    if (!a->known || !b->known) return model_unknown;
    const long exponent = a->exponent > b->exponent ? a->exponent : b->exponent;
    const struct model x = in_units(a, exponent), y = in_units(b, exponent);
    double low_x, high_x, low_y, high_y;
    model_range(&x, &low_x, &high_x);
    model_range(&y, &low_y, &high_y);
    const double low = fmin(low_x, low_y), high = fmax(high_x, high_y);
    struct model r = {.exponent = exponent, .sign = a->sign == b->sign ? a->sign : 0};
    r.c[0] = pair_of(low / 2 + high / 2);
    r.rest = (high / 2 - low / 2 + 0x1p-50 * (fabs(low) + fabs(high))) * MODEL_GROW;
    return normal(r);
}
