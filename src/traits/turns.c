/* Roots and extremes of oscillating functions, modulo their period.
 *
 * A periodic function has a few roots and extremes in each period. There are too many periods up to 2^128 to
 * try them all.
 *
 * Measure x in turns (periods) modulo 1. The f32 numbers of a binade are m * 2^e with m = 2^23 .. 2^24 - 1.
 * So they are the multiples m u of one number u. The numbers near a phase p are the m with m u - p in a small
 * interval modulo 1. Euclid's algorithm, the continued fraction of u, finds the first such m without trying
 * the others. A new search in an interval that ends before the last find leads to the nearest number of the
 * binade.
 *
 * These numbers suffice. Next to a root of multiplicity k, the function is c d^k at a distance d, in turns,
 * and so are its ulps. Errors in the argument's turns or in the sum of the terms depend on the binade, as the
 * last digits of the turns do. They hardly depend on the place of x within the period. So the error in ulps
 * is largest where d is least. Within a binade this is the nearest float above the phase, or the nearest
 * below it.
 *
 * The error may happen to be small at one input, so the first few numbers within 2^-22 turns are taken as
 * well. Among 2^23 inputs with evenly spread phases, about four are as near, and the nearest is at 2^-24 or
 * less. */
#include "turns.h"
#include "changes.h"
#include "turning.h"

#include <math.h>

enum { PRECISION = 400, FRACTION = 63, WITHIN = FRACTION - 22, MOST_HITS = 8 };
enum { MANTISSA = 23, FIRST_BINADE = -126, LAST_BINADE = 127 };
/* A step of a binade's numbers, in turns. Below it, 64 neighbours cover a small part of a turn, so they lie
 * next to the root as well. Above it they may be anywhere. */
enum { NEIGHBOURLY = FRACTION - 12 };
enum { MOST_MULTIPLE = 64, MOST_DIVISOR = 12, MOST_PARTS = 16 };
/* Steps per oscillation in the search for changes, the fewest steps in a period, and the most places that are
 * found. */
enum { STEPS_EACH = 64, LEAST_STEPS = 512, MOST_PHASES = 48 };

__extension__ typedef unsigned __int128 wide;

/* -- phases -- */

struct wave {
    /* Turns per unit of x, and turns at 0. A turn is the period of the search, which is a quarter turn for a
     * single wave. */
    mpfr_t slope, constant;
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

/* Returns the least n >= 0 with low <= n step mod modulus <= high, or UINT64_MAX if there is none. */
static uint64_t first_multiple(uint64_t step, uint64_t modulus, uint64_t low, uint64_t high)
{
    if (low == 0) return 0;
    if (step == 0) return UINT64_MAX;
    const uint64_t n = (low - 1) / step + 1;
    if (n <= high / step) return n;
    /* The multiple lies beyond a multiple of the modulus. This one lies in the mirror image of the interval,
     * modulo the step. */
    const uint64_t mirrored_low = (step - high % step) % step, mirrored_high = (step - low % step) % step;
    const uint64_t turns = first_multiple(modulus % step, step, mirrored_low, mirrored_high);
    if (turns == UINT64_MAX) return UINT64_MAX;
    return (uint64_t)(((wide)modulus * turns + low - 1) / step + 1);
}

/* -- binades -- */

/* Adds a place. The room was allocated beforehand, because an arena that is full would leak the MPFR numbers
 * of the callers. */
static void visit(struct turns_room *v, uint32_t bits)
{
    if (v->places->alone_count < v->most_alone) v->places->alone[v->places->alone_count++] = bits;
}

static void visit_neighbours(struct turns_room *v, uint32_t bits)
{
    if (v->places->near_count < v->most_near) v->places->near[v->places->near_count++] = bits;
}

static const uint64_t modulus = UINT64_C(1) << FRACTION;
enum { ALL = 1 << MANTISSA };

/* The numbers of one binade and sign. Number m has step * (ALL + m) turns. */
struct binade {
    uint64_t step;
    uint32_t sign_and_exponent;
};

/* Returns the turns of number m minus `from`, modulo 1. */
static uint64_t turns_from(const struct binade *b, uint32_t m, uint64_t from)
{
    return (uint64_t)(((wide)b->step * (m + (wide)ALL) + (modulus - from)) % modulus);
}

/* Returns the first number from m on whose turns are in [low, low + width], modulo 1, or ALL if there is
 * none. */
static uint32_t first_within(const struct binade *b, uint32_t m, uint64_t low, uint64_t width)
{
    /* The start of the interval, relative to number m. */
    const uint64_t start = (modulus - turns_from(b, m, low)) % modulus;
    const uint64_t next =
        start == 0 || start + width >= modulus ? 0 : first_multiple(b->step, modulus, start, start + width);
    return next < ALL - m ? m + (uint32_t)next : ALL;
}

/* Visits the first few x with slope * x within 2^-22 of `phase`. */
static void visit_first(struct turns_room *v, const struct binade *b, uint64_t phase)
{
    const uint64_t reach = UINT64_C(1) << WITHIN, low = (phase + modulus - reach) % modulus;
    uint32_t m = 0;
    for (unsigned hits = 0; hits < MOST_HITS && m < ALL; hits++, m++) {
        m = first_within(b, m, low, 2 * reach);
        if (m < ALL) visit(v, b->sign_and_exponent | m);
    }
}

struct nearest {
    uint32_t m;
    uint64_t distance; /* distance from the phase; 2^FRACTION if no number is near */
};

/* Visits each x that is nearer to `phase`, on its side, than all before it. Returns the last one, which is
 * the nearest. */
static struct nearest visit_nearest(struct turns_room *v, const struct binade *b, uint64_t phase, bool above)
{
    struct nearest nearest = {ALL, modulus};
    uint64_t reach = UINT64_C(1) << WITHIN;
    for (uint32_t m = 0; m < ALL && nearest.distance; m++) {
        m = first_within(b, m, above ? phase : (phase + modulus - reach) % modulus, reach);
        if (m == ALL) break;
        const uint64_t beyond = turns_from(b, m, phase);
        nearest = (struct nearest){m, above ? beyond : (modulus - beyond) % modulus};
        visit(v, b->sign_and_exponent | m);
        reach = nearest.distance ? nearest.distance - 1 : 0;
    }
    return nearest;
}

static void visit_binade(struct turns_room *v, const struct binade *b, uint64_t phase)
{
    const uint64_t apart = b->step < modulus / 2 ? b->step : modulus - b->step;
    visit_first(v, b, phase);
    const struct nearest below = visit_nearest(v, b, phase, false), above = visit_nearest(v, b, phase, true),
                         nearest = below.distance < above.distance ? below : above;
    if (nearest.m < ALL && apart < UINT64_C(1) << NEIGHBOURLY)
        visit_neighbours(v, b->sign_and_exponent | nearest.m);
}

/* Visits x with slope * x + constant near `phase`, all in turns. Skips binades that are a small part of a
 * turn as a whole, because the function does not oscillate there. */
static void visit_phase(struct turns_room *v, const struct wave *w, double phase)
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
            const struct binade b = {fraction_of(value), (uint32_t)sign << 31 | biased};
            visit_binade(v, &b, target);
        }
    mpfr_clear(value);
}

/* -- the formula's waves -- */

bool turns_oscillates(arena *memory, const expr *formula)
{
    uint32_t count;
    const expr **nodes = expr_walk(memory, formula, &count);
    for (uint32_t i = 0; i < count; i++)
        if (expr_is_wave(nodes[i]) && !expr_is_constant(nodes[i])) return true;
    return false;
}

static bool is_linear_wave(const expr *e, struct wave *w)
{
    return expr_is_wave(e) && turning_is_linear(e->operand[0], w->constant, w->slope);
}

/* Returns true if x occurs outside sines with linear arguments. `bare` has room for all nodes by their
 * ids. */
static bool is_bare(const expr *const *nodes, uint32_t count, bool *bare, struct wave *scratch)
{
    for (uint32_t i = 0; i < count; i++) {
        const expr *e = nodes[i];
        bool is = e->kind == EXPR_INPUT;
        for (unsigned k = 0; k < expr_arity(e->kind); k++) is |= bare[e->operand[k]->id];
        bare[e->id] = is && !is_linear_wave(e, scratch);
    }
    return bare[nodes[count - 1]->id];
}

/* Returns how many times as fast as a / divisor b turns, if this is a whole number and not large. Otherwise
 * returns 0. */
static unsigned multiple_of(mpfr_srcptr a, unsigned divisor, mpfr_srcptr b)
{
    mpfr_t ratio;
    mpfr_init2(ratio, PRECISION);
    mpfr_div(ratio, b, a, MPFR_RNDN);
    mpfr_mul_ui(ratio, ratio, divisor, MPFR_RNDN);
    const double nearest = mpfr_get_d(ratio, MPFR_RNDN);
    mpfr_sub_d(ratio, ratio, nearest, MPFR_RNDN);
    const bool whole = nearest == rint(nearest) && fabs(nearest) <= (double)MOST_MULTIPLE &&
                       (mpfr_zero_p(ratio) || mpfr_get_exp(ratio) < -PRECISION / 2);
    mpfr_clear(ratio);
    return whole ? (unsigned)fabs(nearest) : 0;
}

/* Returns the most oscillations of a wave among the nodes in a turn of slowest / divisor. Returns 0 if some
 * wave does not fit into it. */
static unsigned most_multiple(const expr *const *nodes, uint32_t count, mpfr_srcptr slowest, unsigned divisor,
                              struct wave *scratch)
{
    unsigned most = 0;
    for (uint32_t i = 0; i < count; i++) {
        if (!is_linear_wave(nodes[i], scratch)) continue;
        const unsigned multiple = multiple_of(slowest, divisor, scratch->slope);
        if (!multiple) return 0;
        if (multiple > most) most = multiple;
    }
    return most;
}

/* Finds the slope, in quarter turns, of which the slopes of all waves are multiples. Returns the largest
 * multiple, or 0 if there is no such slope. */
static unsigned find_common(mpfr_t slope, const expr *const *nodes, uint32_t count, struct wave *scratch)
{
    unsigned most = 0;
    mpfr_set_zero(slope, 1);
    for (uint32_t i = 0; i < count; i++)
        if (is_linear_wave(nodes[i], scratch) &&
            (mpfr_zero_p(slope) || mpfr_cmpabs(scratch->slope, slope) < 0))
            mpfr_set(slope, scratch->slope, MPFR_RNDN);
    for (unsigned divisor = 1; !mpfr_zero_p(slope) && !most && divisor <= MOST_DIVISOR; divisor++) {
        most = most_multiple(nodes, count, slope, divisor, scratch);
        if (most) mpfr_div_ui(slope, slope, divisor, MPFR_RNDN);
    }
    return most;
}

/* -- a period -- */

/* A function over positions, which are parts of a turn. 2^ONE_LOG2 is a whole turn. */
enum { ONE_LOG2 = 50 };
struct period {
    reference *truth;
    double turn; /* x per turn */
};

static double input_at(const struct period *p, uint64_t at) { return ldexp((double)at, -ONE_LOG2) * p->turn; }

static void period_values(void *context, const uint64_t *at, double *values, double *errors, size_t count)
{
    double x[CHANGES_BLOCK];
    const double *inputs[1] = {x};
    for (size_t i = 0; i < count; i++) x[i] = input_at(context, at[i]);
    reference_quick(((struct period *)context)->truth, inputs, count, values, errors);
}

static double period_sure(void *context, uint64_t at)
{
    const struct period *p = context;
    double value;
    const double x = input_at(p, at);
    return reference_value(p->truth, &x, &value, NULL) == REFERENCE_DECIDED ? value : NAN;
}

/* Visits the roots and extremes of a formula with period 1 in slope * x. It searches the second period,
 * because nothing is special there. */
static void visit_period(struct turns_room *v, const struct wave *w, unsigned oscillations, reference *truth)
{
    const uint64_t one = UINT64_C(1) << ONE_LOG2;
    const unsigned wanted = STEPS_EACH * oscillations, steps = wanted < LEAST_STEPS ? LEAST_STEPS : wanted;
    struct period p = {truth, 1 / mpfr_get_d(w->slope, MPFR_RNDN)};
    const struct changes_function f = {period_values, period_sure, &p};
    uint64_t places[MOST_PHASES];
    if (!isfinite(p.turn)) return;
    const struct changes_range range = {one, one / steps, steps + 2};
    const size_t count = changes_find(places, MOST_PHASES, &f, range, CHANGES_ALL);
    for (size_t i = 0; i < count; i++) {
        bool known = false;
        for (size_t k = 0; k < i; k++) {
            const uint64_t apart =
                (places[i] > places[k] ? places[i] - places[k] : places[k] - places[i]) % one;
            known |= apart < one >> 40 || one - apart < one >> 40;
        }
        if (!known) visit_phase(v, w, ldexp((double)places[i], -ONE_LOG2));
    }
}

/* Visits the special places in the period of e. Returns false if e is no function of only waves that share a
 * period. `truth` is the reference of e if e is the whole formula. */
static bool visit_part(struct turns_room *v, arena *memory, const expr *e, reference *truth)
{
    struct wave w, scratch;
    uint32_t count;
    const expr *const *nodes = expr_walk(memory, e, &count);
    bool *bare = arena_alloc(memory, ((size_t)e->id + 1) * sizeof *bare);
    reference *own = truth ? NULL : reference_create(e, e, 1);
    if (!truth && !own) return true;
    mpfr_inits2(PRECISION, w.slope, w.constant, scratch.slope, scratch.constant, (mpfr_ptr)0);
    mpfr_set_zero(w.constant, 1);
    const unsigned oscillations =
        is_bare(nodes, count, bare, &scratch) ? 0 : find_common(w.slope, nodes, count, &scratch);
    /* A formula that is a single wave has only its quarter turns, which turns_find visits. */
    if (oscillations && !(truth && expr_is_wave(e))) {
        mpfr_div_2ui(w.slope, w.slope, 2, MPFR_RNDN); /* converts quarter turns to turns */
        visit_period(v, &w, oscillations, truth ? truth : own);
    }
    mpfr_clears(w.slope, w.constant, scratch.slope, scratch.constant, (mpfr_ptr)0);
    reference_free(own);
    return oscillations;
}

/* Visits the largest parts of the formula that have a period. */
static void visit_parts(struct turns_room *v, arena *memory, const expr *const *nodes, uint32_t count,
                        reference *truth)
{
    const expr *formula = nodes[count - 1];
    bool *met = arena_alloc(memory, ((size_t)formula->id + 1) * sizeof *met);
    unsigned parts = 0;
    met[formula->id] = true;
    for (uint32_t i = count; i-- > 0;) {
        const expr *e = nodes[i];
        if (!met[e->id] || expr_is_constant(e) || !turns_oscillates(memory, e)) continue;
        if (!expr_is_truth(e) && parts++ < MOST_PARTS &&
            visit_part(v, memory, e, e == formula ? truth : NULL))
            continue;
        for (unsigned k = 0; k < expr_arity(e->kind); k++) met[e->operand[k]->id] = true;
    }
}

void turns_find(struct turns_room *out, arena *memory, const expr *formula, reference *truth)
{
    struct wave w;
    uint32_t count;
    const expr *const *nodes = expr_walk(memory, formula, &count);
    mpfr_inits2(PRECISION, w.slope, w.constant, (mpfr_ptr)0);
    for (uint32_t i = 0; i < count; i++)
        if (is_linear_wave(nodes[i], &w)) visit_phase(out, &w, 0);
    mpfr_clears(w.slope, w.constant, (mpfr_ptr)0);
    visit_parts(out, memory, nodes, count, truth);
}
