#include "measure.h"

#include <float.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

/* The reference's double is half a unit of its 53rd bit off, which is 2^-29 ulp of f32: an error that exceeds the bound by less
 * than this is not told from one that meets it. */
static const double slack = 1 + 0x1p-26;

/* Values beyond f32 count as the first number that is too large. */
static const double beyond = 0x1p128;

static double clamp_beyond(double v) { return v > beyond ? beyond : v < -beyond ? -beyond : v; }

/* The spacing of f32 in the binade of v: from the exponent's bits, so that the loop below is vector code. */
static double ulp_of(double v)
{
    uint64_t bits;
    memcpy(&bits, &v, sizeof bits);
    int64_t exponent = (int64_t)(bits >> 52 & 0x7ff) - 1023;
    exponent = exponent < -126 ? -126 : exponent > 127 ? 127 : exponent;
    bits = (uint64_t)(exponent - 23 + 1023) << 52;
    double ulp;
    memcpy(&ulp, &bits, sizeof ulp);
    return ulp;
}

static uint32_t bits_of(float x)
{
    uint32_t bits;
    memcpy(&bits, &x, sizeof bits);
    return bits;
}

void measure_init(struct measure *m, reference *truth, struct spec_bound bound)
{
    memset(m, 0, sizeof *m);
    m->truth = truth;
    m->bound = bound;
    if (bound.kind == BOUND_DEFAULT) {
        m->bound.kind = BOUND_ULP;
        m->bound.value = 3;
    }
}

static void raise_to(double *worst, float *at, double error, float x)
{
    if (error > *worst || (error == *worst && bits_of(x) < bits_of(*at))) {
        *worst = error;
        *at = x;
    }
}

void error_report_merge(struct error_report *a, const struct error_report *b)
{
    raise_to(&a->max_ulp, &a->max_ulp_at, b->max_ulp, b->max_ulp_at);
    raise_to(&a->max_abs, &a->max_abs_at, b->max_abs, b->max_abs_at);
    if (b->wrong && (!a->wrong || bits_of(b->first_wrong) < bits_of(a->first_wrong))) a->first_wrong = b->first_wrong;
    a->inputs += b->inputs;
    a->wrong += b->wrong;
    a->undecided += b->undecided;
}

static void count_wrong(struct measure *m, float x)
{
    if (!m->report.wrong++ || bits_of(x) < bits_of(m->report.first_wrong)) m->report.first_wrong = x;
}

static bool is_promised(const struct spec_bound *b, float x)
{
    return !b->has_interval || ((double)x >= b->low && (double)x <= b->high);
}

/* One input, by the reference. */
static void judge(struct measure *m, float x, float y)
{
    double input = (double)x, exact;
    bool exact_zero;
    if (reference_value(m->truth, &input, &exact, &exact_zero) != REFERENCE_DECIDED) {
        m->report.undecided++;
        return;
    }
    if (isnan(exact) || isnan(y)) {
        if (isnan(exact) != isnan(y) && (isnan(x) || is_promised(&m->bound, x))) count_wrong(m, x);
        return;
    }
    if (!is_promised(&m->bound, x)) return;
    double limit = clamp_beyond(exact), error = fabs(clamp_beyond((double)y) - limit);
    double ulps = error / ulp_of(limit), relative = error / fmax(1, fabs(limit));
    bool wrong = m->bound.kind == BOUND_ULP ? ulps > m->bound.value * slack : relative > m->bound.value * slack;
    if (m->bound.kind == BOUND_ULP && y == 0 && !exact_zero && !signbit(y) != !signbit(exact)) wrong = true;
    if (isinf(exact) && isinf(x) && (double)y != exact) wrong = true; /* an infinite limit must be met */
    if (wrong) count_wrong(m, x);
    raise_to(&m->report.max_ulp, &m->report.max_ulp_at, ulps, x);
    raise_to(&m->report.max_abs, &m->report.max_abs_at, relative, x);
}

/* The inputs that may break the bound or beat the worst so far get a mark; gives whether there are any. */
static bool mark_suspects(struct measure *m, const float *y, size_t count)
{
    double ulp_limit = fmax(m->report.max_ulp, m->known_ulp), abs_limit = fmax(m->report.max_abs, m->known_abs);
    if (m->bound.kind == BOUND_ULP) ulp_limit = fmin(ulp_limit, m->bound.value);
    if (m->bound.kind == BOUND_ABS) abs_limit = fmin(abs_limit, m->bound.value);
    bool any = false;
    for (size_t i = 0; i < count; i++) {
        double exact = m->quick[i], uncertain = m->quick_error[i], size = fabs(exact);
        double smallest = size - uncertain;
        double error = fabs((double)y[i] - exact) + uncertain;
        bool small = error <= ulp_limit * ulp_of(smallest > 0 ? smallest : 0) &&
                     error <= abs_limit * (smallest > 1 ? smallest : 1);
        /* NaNs fail every comparison. A value near or beyond f32's end is the reference's, unless both are beyond it; a zero
         * of the sign that the quick value has, be it an underflown one, is right if the value is that small. */
        bool ordinary = y[i] != 0 && size < 0x1p127;
        bool overflow = smallest > beyond && (double)y[i] == copysign((double)INFINITY, exact);
        bool underflow = y[i] == 0 && size + uncertain < 0x1p-150 && !signbit(y[i]) == !signbit(exact);
        m->suspect[i] = (unsigned char)!((small & ordinary) | overflow | underflow);
        any |= m->suspect[i];
    }
    return any;
}

static void measure_block(struct measure *m, const float *x, const float *y, size_t count)
{
    for (size_t i = 0; i < count; i++) m->inputs[i] = (double)x[i];
    const double *inputs[1] = {m->inputs};
    reference_quick(m->truth, inputs, count, m->quick, m->quick_error);
    m->report.inputs += count;
    if (!mark_suspects(m, y, count)) return;
    size_t judged = 0;
    for (size_t i = 0; i < count; i++) {
        if (!m->suspect[i]) continue;
        judge(m, x[i], y[i]);
        /* The worst has risen: fewer are suspect now. */
        if (++judged % 16 == 0) {
            size_t rest = count - i - 1;
            memmove(m->quick, m->quick + i + 1, rest * sizeof *m->quick);
            memmove(m->quick_error, m->quick_error + i + 1, rest * sizeof *m->quick_error);
            x += i + 1;
            y += i + 1;
            count = rest;
            i = (size_t)-1;
            if (!mark_suspects(m, y, count)) return;
        }
    }
}

void measure_values(struct measure *m, const float *x, const float *y, size_t count)
{
    for (size_t done = 0; done < count; done += MEASURE_BLOCK)
        measure_block(m, x + done, y + done, count - done < MEASURE_BLOCK ? count - done : MEASURE_BLOCK);
}

void bound_print(char out[BOUND_TEXT_SIZE], const struct spec_bound *bound)
{
    double value = bound->kind == BOUND_DEFAULT ? 3 : bound->value;
    int exponent, used;
    if (bound->kind != BOUND_ABS)
        used = snprintf(out, BOUND_TEXT_SIZE, "%.9g ulp", value);
    else if (frexp(value, &exponent) == 0.5)
        used = snprintf(out, BOUND_TEXT_SIZE, "abs 2^%d", exponent - 1);
    else
        used = snprintf(out, BOUND_TEXT_SIZE, "abs %.9g", value);
    if (bound->has_interval)
        snprintf(out + used, BOUND_TEXT_SIZE - (size_t)used, " on [%.9g, %.9g]", bound->low, bound->high);
}
