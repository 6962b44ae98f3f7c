/* Roots of oscillating functions, modulo their period.
 *
 * The f32 numbers of a binade are m * 2^e, m = 2^23 .. 2^24 - 1. In turns (periods) modulo 1 they are the multiples of one
 * number u, and those near to a phase p are the m with m u - p in a small interval modulo 1: the first of them is found by
 * Euclid's algorithm, without trying the others. Among 2^23 inputs whose phases are spread evenly some four lie within 2^-22
 * of a phase, and the nearest at 2^-24 or less. */
#include "turns.h"
#include "float_bits.h"
#include "turning.h"

#include <math.h>

enum { PRECISION = 400, FRACTION = 63, WITHIN = FRACTION - 22, MOST_HITS = 8 };
enum { MANTISSA = 23, FIRST_BINADE = -126, LAST_BINADE = 127 };
enum { PHASES = 512, MOST_ROOTS = 8, HALVINGS = 60, MOST_MULTIPLE = 8 };

__extension__ typedef unsigned __int128 wide;

/* -- phases -- */

struct wave {
    mpfr_t slope, constant; /* turns for each x, and at 0 */
};

static uint64_t fraction_of(mpfr_srcptr turns)
{
    mpfr_t part;
    mpfr_init2(part, PRECISION);
    mpfr_frac(part, turns, MPFR_RNDN);
    if (mpfr_sgn(part) < 0) mpfr_add_ui(part, part, 1, MPFR_RNDN);
    mpfr_mul_2ui(part, part, FRACTION, MPFR_RNDN);
    const uint64_t bits = mpfr_get_ui(part, MPFR_RNDD) & ((UINT64_C(1) << FRACTION) - 1);
    mpfr_clear(part);
    return bits;
}

/* The least n >= 0 with low <= n step mod modulus <= high; UINT64_MAX if there is none. */
static uint64_t first_multiple(uint64_t step, uint64_t modulus, uint64_t low, uint64_t high)
{
    if (low == 0) return 0;
    if (step == 0) return UINT64_MAX;
    const uint64_t n = (low - 1) / step + 1;
    if (n <= high / step) return n;
    /* The multiple is beyond some multiple of the modulus, which is in the interval's mirror image modulo the step. */
    const uint64_t mirrored_low = (step - high % step) % step, mirrored_high = (step - low % step) % step;
    const uint64_t turns = first_multiple(modulus % step, step, mirrored_low, mirrored_high);
    if (turns == UINT64_MAX) return UINT64_MAX;
    return (uint64_t)(((wide)modulus * turns + low - 1) / step + 1);
}

/* -- binades -- */

enum { MOST_INPUTS = 1 << 15 };

/* has all its room from the start: MPFR's numbers must not be owned where an arena may be full */
struct visitor {
    uint32_t *bits, count;
};

static void visit(struct visitor *v, uint32_t bits)
{
    if (v->count < MOST_INPUTS) v->bits[v->count++] = bits;
}

/* x of one binade and sign with slope * x within 2^-22 of `phase`, modulo 1. */
static void visit_binade(struct visitor *v, uint64_t step, uint64_t phase, uint32_t sign_and_exponent)
{
    const uint64_t modulus = UINT64_C(1) << FRACTION, reach = UINT64_C(1) << WITHIN;
    const uint32_t end = UINT32_C(1) << MANTISSA;
    unsigned hits = 0;
    for (uint32_t m = 0; m < end && hits < MOST_HITS; m++, hits++) {
        const uint64_t here = (uint64_t)(((wide)step * (m + end)) % modulus);
        const uint64_t low = (phase + 2 * modulus - here - reach) % modulus;
        const bool has_zero = low + 2 * reach >= modulus;
        const uint64_t next = has_zero ? 0 : first_multiple(step, modulus, low, low + 2 * reach);
        if (next >= end - m) return;
        m += (uint32_t)next;
        visit(v, sign_and_exponent | m);
    }
}

/* x with slope * x + constant near to `phase`, all in turns. Not where the whole binade is a small part of a turn: there it
 * is no wave. */
static void visit_phase(struct visitor *v, const struct wave *w, double phase)
{
    mpfr_t value;
    mpfr_init2(value, PRECISION);
    mpfr_d_sub(value, phase, w->constant, MPFR_RNDN);
    const uint64_t target = fraction_of(value);
    for (int sign = 0; sign < 2; sign++)
        for (int exponent = FIRST_BINADE; exponent <= LAST_BINADE; exponent++) {
            mpfr_mul_2si(value, w->slope, exponent, MPFR_RNDN);
            if (mpfr_get_exp(value) < -4) continue;
            mpfr_mul_2si(value, value, -MANTISSA, MPFR_RNDN);
            if (sign) mpfr_neg(value, value, MPFR_RNDN);
            const uint32_t biased = (uint32_t)(exponent + LAST_BINADE) << MANTISSA;
            visit_binade(v, fraction_of(value), target, (uint32_t)sign << 31 | biased);
        }
    mpfr_clear(value);
}

/* -- the formula's waves -- */

static bool is_wave(const expr *e) { return e->kind == EXPR_sin || e->kind == EXPR_cos; }

/* Whether x occurs outside of sines with linear arguments. */
static bool is_bare(const expr *e)
{
    mpfr_t constant, slope;
    if (e->kind == EXPR_INPUT) return true;
    if (is_wave(e)) {
        mpfr_inits2(PRECISION, constant, slope, (mpfr_ptr)0);
        const bool linear = turning_is_linear(e->operand[0], constant, slope);
        mpfr_clears(constant, slope, (mpfr_ptr)0);
        return !linear && !expr_is_constant(e);
    }
    for (unsigned k = 0; k < expr_arity(e->kind); k++)
        if (is_bare(e->operand[k])) return true;
    return false;
}

/* Whether b turns a whole number of times as fast as a. */
static bool is_multiple(mpfr_srcptr a, mpfr_srcptr b)
{
    mpfr_t ratio;
    mpfr_init2(ratio, PRECISION);
    mpfr_div(ratio, b, a, MPFR_RNDN);
    const double nearest = mpfr_get_d(ratio, MPFR_RNDN);
    mpfr_sub_d(ratio, ratio, nearest, MPFR_RNDN);
    const bool whole = nearest == rint(nearest) && fabs(nearest) <= (double)MOST_MULTIPLE &&
                       (mpfr_zero_p(ratio) || mpfr_get_exp(ratio) < -PRECISION / 2);
    mpfr_clear(ratio);
    return whole;
}

static double value_at(reference *truth, const struct wave *w, double phase)
{
    mpfr_t x;
    double value;
    mpfr_init2(x, PRECISION);
    mpfr_d_div(x, phase, w->slope, MPFR_RNDN);
    const double input = mpfr_get_d(x, MPFR_RNDN);
    mpfr_clear(x);
    return reference_value(truth, &input, &value, NULL) == REFERENCE_DECIDED ? value : NAN;
}

/* Simple roots of a formula of period 1 in slope * x. */
static void visit_roots(struct visitor *v, const struct wave *w, reference *truth)
{
    double before = value_at(truth, w, 0);
    unsigned found = 0;
    for (unsigned k = 1; k <= PHASES && found < MOST_ROOTS; k++) {
        double low = (k - 1.0) / (double)PHASES, high = k / (double)PHASES;
        const double now = value_at(truth, w, high);
        const bool changes = before * now < 0;
        for (unsigned i = 0; changes && i < HALVINGS; i++) {
            const double middle = (low + high) / 2;
            if (value_at(truth, w, middle) * before > 0)
                low = middle;
            else
                high = middle;
        }
        if (changes) visit_phase(v, w, low);
        found += changes;
        before = now;
    }
}

uint32_t *turns_find(arena *memory, const expr *formula, reference *truth, uint32_t *found)
{
    struct visitor v = {NULL, 0};
    struct wave w, slowest;
    uint32_t count;
    bool periodic = !is_bare(formula), any = false;
    const expr **nodes = expr_walk(memory, formula, &count);
    for (uint32_t i = 0; i < count && !v.bits; i++)
        if (is_wave(nodes[i])) v.bits = arena_alloc(memory, MOST_INPUTS * sizeof *v.bits);
    mpfr_inits2(PRECISION, w.slope, w.constant, slowest.slope, slowest.constant, (mpfr_ptr)0);
    mpfr_set_zero(slowest.constant, 1);
    for (uint32_t i = 0; i < count; i++) {
        if (!is_wave(nodes[i]) || !turning_is_linear(nodes[i]->operand[0], w.constant, w.slope)) continue;
        visit_phase(&v, &w, 0);
        if (!any || mpfr_cmpabs(w.slope, slowest.slope) < 0) mpfr_set(slowest.slope, w.slope, MPFR_RNDN);
        any = true;
    }
    for (uint32_t i = 0; i < count && periodic; i++)
        if (is_wave(nodes[i]) && turning_is_linear(nodes[i]->operand[0], w.constant, w.slope))
            periodic = is_multiple(slowest.slope, w.slope);
    if (any && periodic) {
        mpfr_div_2ui(slowest.slope, slowest.slope, 2, MPFR_RNDN); /* quarter turns to turns */
        visit_roots(&v, &slowest, truth);
    }
    mpfr_clears(w.slope, w.constant, slowest.slope, slowest.constant, (mpfr_ptr)0);
    *found = v.count;
    return v.bits;
}
