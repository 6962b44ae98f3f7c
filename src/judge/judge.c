/* Finds errors of one piece: by quick bounds for most inputs, and by the reference for those that matter. */
#include "judge.h"
#include "flushed.h"
#include "half.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* The accuracy of the errors, with the reference's value rounded to double. */
static const double ULP_SLACK = 0x1p-27, ABS_SLACK = 0x1p-52;
/* The thresholds of a closer look. Errors up to RESOLUTION times the largest seen, or below the other two
 * numbers, do not need one. */
static const double RESOLUTION = 1 + 0x1p-20, ULP_RESOLUTION = 0x1p-24, ABS_RESOLUTION = 0x1p-48;

enum { PRECISE_BITS = 256 };

static const struct float_format *format_of(const struct judge *j)
{
    return &element_types[j->piece->result].format;
}

static void release_judge(struct arena_guest *guest) { judge_clear((struct judge *)guest); }

bool judge_init(struct judge *j, const struct piece *piece)
{
    memset(j, 0, sizeof *j);
    j->piece = piece;
    j->truth = reference_create(piece->written, piece->simplified, 1);
    const bool wide = piece->argument == ELEMENT_F64; /* judge_f64_block needs no enclosure. */
    j->enclosure = wide ? NULL : enclosure_create(piece->simplified);
    mpfr_init2(j->precise, PRECISE_BITS);
    arena_host(piece->written->memory, &j->guest, release_judge);
    judge_take_bound(j);
    if (j->truth && judge_is_exact(&piece->bound) && piece->result == ELEMENT_F32)
        exact_tiny_find(&j->start, j->truth);
    return j->truth && (wide || j->enclosure);
}

void judge_clear(struct judge *j)
{
    arena_leave(&j->guest);
    reference_free(j->truth);
    enclosure_free(j->enclosure);
    mpfr_clear(j->precise);
}

static bool is_ulp_bound(const struct judge *j) { return j->piece->bound.kind != BOUND_ABS; }

double judge_allowed(const struct spec_bound *bound)
{
    return bound->kind == BOUND_DEFAULT ? 3 : bound->value;
}

static double allowed(const struct judge *j) { return judge_allowed(&j->piece->bound); }

bool judge_is_exact(const struct spec_bound *bound)
{
    return bound->kind == BOUND_ULP && bound->value == 0.5;
}

/* Returns whether the exact value lies just below the power of two to which it was rounded. Ulps are half as
 * large there. A value nearer than 2^-250 of itself counts as the power. */
static bool is_below_power(struct judge *j, double exact)
{
    int exponent;
    if (fabs(frexp(exact, &exponent)) != 0.5 || fabs(exact) <= j->scan.format.least ||
        fabs(exact) > j->scan.format.most)
        return false;
    if (reference_precise(j->truth, &j->input, PRECISE_BITS - 4, j->precise) != REFERENCE_DECIDED)
        return false;
    mpfr_abs(j->precise, j->precise, MPFR_RNDN);
    return mpfr_cmp_d(j->precise, fabs(exact)) < 0;
}

/* Returns whether `computed`, whose error is `ulp`, is the exact value rounded. Next to a tie, the reference
 * is asked for the rounding itself. */
static bool is_rounded_value(struct judge *j, float computed, double ulp, struct tally *t)
{
    double rounded;
    if (ulp < 0.5 - ULP_SLACK || ulp > 0.5 + ULP_SLACK) return ulp < 0.5;
    enum reference_state (*const ask_for)(reference *, const double *, const struct float_format *,
                                          double *) =
        element_is_half(j->piece->argument) ? reference_rounded_far : reference_rounded; /* few inputs */
    if (ask_for(j->truth, &j->input, format_of(j), &rounded) == REFERENCE_DECIDED)
        return (double)computed == rounded;
    tally_note_undecided(t, bits_of_f32((float)j->input));
    return true;
}

/* An answer of the reference. `exact` is also NaN if the reference is undecided. */
struct answer {
    double exact;
    bool zero;
};

static struct answer ask_reference(struct judge *j, float x, float computed, struct tally *t)
{
    double exact;
    bool exact_zero;
    j->input = x;
    j->asked++;
    t->asked++;
    if (reference_value(j->truth, &j->input, &exact, &exact_zero) != REFERENCE_DECIDED) {
        tally_note_undecided(t, bits_of_f32((float)j->input));
        return (struct answer){NAN, false};
    }
    const struct exact_value value = exact_value_of(exact, exact_zero);
    struct result_error e = flushed_error_of(j, x, computed, &value);
    if (e.ulp > 0 && e.ulp < INFINITY && is_below_power(j, exact)) e.ulp *= 2;
    const bool kept = judge_is_exact(&j->piece->bound) ? is_rounded_value(j, computed, e.ulp, t)
                      : is_ulp_bound(j)                ? e.ulp - ULP_SLACK <= allowed(j)
                                                       : e.absolute - ABS_SLACK <= allowed(j);
    if (!kept && !flushed_is_right_as_zero(j, x, computed, &e)) t->wrong++;
    tally_note(t, bits_of_f32(x), e.ulp, e.absolute);
    return (struct answer){exact, exact_zero};
}

static struct scan_limits limits_of(const struct judge *j, const struct tally *t)
{
    const double seen_ulp = larger_of(t->max_ulp * RESOLUTION, ULP_RESOLUTION);
    const double seen_abs = larger_of(t->max_abs * RESOLUTION, ABS_RESOLUTION);
    const bool by_ulp = is_ulp_bound(j);
    const double slack = judge_is_exact(&j->piece->bound) ? -ULP_SLACK : ULP_SLACK;
    const double most_ulp = by_ulp ? allowed(j) + slack : INFINITY;
    const double most_abs = by_ulp ? INFINITY : allowed(j) + ABS_SLACK;
    return (struct scan_limits){most_ulp < seen_ulp ? most_ulp : seen_ulp,
                                most_abs < seen_abs ? most_abs : seen_abs, by_ulp};
}

static bool is_passed(const struct judge *j, const struct enclosed *e, float computed,
                      struct scan_limits limits)
{
    const struct float_format *f = format_of(j);
    if (e->undefined) return isnan(computed);
    if (!e->defined || isnan(computed)) return false;
    double ulp, absolute;
    scan_errors(&j->scan.format, float_cut(f, (double)computed), float_cut(f, e->low), float_cut(f, e->high),
                &ulp, &absolute);
    if (!(ulp <= limits.ulp && absolute <= limits.absolute)) return false;
    if (computed != 0 || !limits.sign) return true;
    const bool is_zero = e->low == 0 && e->high == 0 && !e->low_open && !e->high_open;
    return is_zero || (signbit(computed) ? enclosed_negative(e) : enclosed_positive(e));
}

/* Returns whether the result is not known to be right for a subnormal x, and is right for 0 in its place. */
static bool is_passed_as_zero(struct judge *j, const struct enclosed *e, float x, float computed,
                              struct tally *t)
{
    const struct scan_limits bound = {allowed(j), INFINITY, true};
    struct result_error error;
    if (!flushed_is_right_as_zero(j, x, computed, &error) || is_passed(j, e, computed, bound)) return false;
    tally_note(t, bits_of_f32(x), error.ulp, error.absolute);
    return true;
}

/* Returns whether the result breaks the bound for every exact value in [low, high], and is no new maximum.
 * The reference then need not be asked. */
static bool is_clearly_wrong(const struct judge *j, size_t k, float computed, const struct tally *t)
{
    const struct float_format *f = format_of(j);
    const double c = float_cut(f, (double)computed), low = j->scan.low[k], high = j->scan.high[k];
    const double distance = (c < low ? low - c : c > high ? c - high : 0) / SCAN_GROW;
    const double most = larger_of(fabs(low), fabs(high));
    const double least_error =
        is_ulp_bound(j) ? distance / float_spacing(f, most) : distance / larger_of(1, most);
    double ulp, absolute;
    scan_errors(&j->scan.format, c, low, high, &ulp, &absolute);
    if (larger_of(-high, low) <= j->scan.format.flushed) return false;
    return !isnan(computed) && computed != 0 && least_error > allowed(j) * SCAN_GROW + ULP_SLACK &&
           ulp <= t->max_ulp * RESOLUTION && absolute <= t->max_abs * RESOLUTION;
}

/* Returns whether the result certainly has the wrong kind, and its infinite error is no new maximum. */
static bool is_known_fault(const struct enclosed *e, float computed, bool sign, const struct tally *t)
{
    if (t->max_ulp < INFINITY) return false;
    if (sign && computed == 0) return signbit(computed) ? enclosed_positive(e) : enclosed_negative(e);
    const bool nan_on_one_side = isnan(computed) ? e->defined : e->undefined;
    return nan_on_one_side && t->max_abs == INFINITY;
}

/* Returns whether only the sign of a zero can be wrong, because the exact value is too small for the type. */
static bool is_question_of_sign(const struct judge *j, size_t k, float computed)
{
    const double tiny = j->scan.format.least / j->scan.format.steps / 4;
    return computed == 0 && fabs(j->scan.low[k]) < tiny && fabs(j->scan.high[k]) < tiny;
}

enum { TINY_POSITIVE, TINY_NEGATIVE, TINY_EITHER, TINY_ENOUGH = 3 };

bool judge_has_usual_sign(const struct judge *j, unsigned group, bool negative)
{
    const unsigned *tiny = j->tiny[group];
    const int own = negative ? TINY_NEGATIVE : TINY_POSITIVE;
    return !tiny[TINY_POSITIVE + TINY_NEGATIVE - own] && tiny[own] + tiny[TINY_EITHER] >= TINY_ENOUGH;
}

void judge_learn_sign(struct judge *j, unsigned group, double exact, bool zero)
{
    if (!isnan(exact)) j->tiny[group][zero ? TINY_EITHER : signbit(exact) ? TINY_NEGATIVE : TINY_POSITIVE]++;
}

/* Returns the number of x's group. Binades that are judged alike share a number. */
static unsigned group_of(float x) { return bits_of_f32(x) >> (23 + JUDGE_LOG2_GROUP); }

/* Returns whether this input is left out, because enough inputs like it were asked. */
static bool is_spared(struct judge *j, size_t k, float x, float computed, struct tally *t)
{
    if (!j->most_asks || !isfinite(x)) return false;
    if (is_question_of_sign(j, k, computed) && judge_has_usual_sign(j, group_of(x), signbit(computed)))
        return true;
    uint16_t *asks = &j->asks[bits_of_f32(x) >> 23];
    if (*asks >= j->most_asks) {
        t->inputs--;
        return true;
    }
    ++*asks;
    return false;
}

void judge_sparingly(struct judge *j, uint32_t most_asks)
{
    j->most_asks = most_asks;
    memset(j->asks, 0, sizeof j->asks);
}

/* Replaces the quick reference's value of that input by the exact value. */
static void learn(struct judge *j, size_t k, double exact)
{
    if (!isfinite(exact) || exact == 0) return;
    j->scan.value[k] = exact;
    j->scan.error[k] = larger_of(fabs(exact) * 0x1p-52, 0x1p-1074);
}

/* Returns the enclosure over input k only. */
static struct enclosed enclosed_alone(struct judge *j, struct judge_known *known, const float *x, size_t k,
                                      size_t count)
{
    if (!known->value) {
        j->enclosed++;
        return enclosure_of(j->enclosure, &x[k], 1);
    }
    if (!known->enclosed)
        known->enclosed = arena_alloc(j->piece->written->memory, count * sizeof *known->enclosed);
    struct judge_alone *alone = &known->enclosed[k];
    if (!alone->known) *alone = (struct judge_alone){true, enclosure_of(j->enclosure, &x[k], 1)};
    return alone->value;
}

/* Returns whether the result is right according to the function's beginning at 0, that is, the exact value
 * rounded. */
static bool is_passed_at_start(const struct judge *j, float x, float computed, struct tally *t)
{
    const struct exact_side *side = &j->start.side[x < 0];
    if (x == 0 || !(fabsf(x) <= side->limit) || !judge_is_exact(&j->piece->bound)) return false;
    if (bits_of_f32(exact_tiny_value(side, x)) != bits_of_f32(computed)) return false;
    const double exact = exact_tiny_lead(side, x);
    tally_note(t, bits_of_f32(x), float_ulps(format_of(j), (double)computed, exact),
               fabs((double)computed - exact));
    return true;
}

/* Does this for a whole block. Errors are computed as long as one of them may be the largest. */
static bool passes_at_start(const struct judge *j, const float *x, const float *computed, size_t count,
                            struct tally *t)
{
    float right[JUDGE_BLOCK];
    const struct exact_side *side = &j->start.side[x[0] < 0];
    if (!(side->limit > 0) || j->piece->bound.has_interval || !judge_is_exact(&j->piece->bound)) return false;
    uint32_t differ = 0;
    for (size_t k = 0; k < count; k++)
        differ |= (x[k] < 0) != (x[0] < 0) || x[k] == 0 || !(fabsf(x[k]) <= side->limit);
    if (differ) return false;
    exact_tiny_values(side, count, x, right);
    for (size_t k = 0; k < count; k++) differ |= bits_of_f32(right[k]) ^ bits_of_f32(computed[k]);
    for (size_t k = 0; !differ && k < count && t->max_ulp < 0.5; k++)
        is_passed_at_start(j, x[k], computed[k], t);
    if (!differ) t->inputs += count;
    return !differ;
}

static void settle_results(struct judge *j, const float *x, const float *computed, struct judge_known *known,
                           size_t count, struct tally *t)
{
    struct enclosed block;
    bool have_block = false, have_passed = false;
    uint32_t passed = 0; /* a result that every input of this block may have */
    for (size_t k = 0; k < count; k++) {
        if (!j->scan.doubtful[k] || (have_passed && bits_of_f32(computed[k]) == passed && isfinite(x[k])) ||
            !bound_holds_at(&j->piece->bound, x[k]) || is_passed_at_start(j, x[k], computed[k], t))
            continue;
        const struct scan_limits limits = limits_of(j, t); /* may have risen */
        const struct enclosed quick = {.defined = true, .low = j->scan.low[k], .high = j->scan.high[k]};
        if (isfinite(x[k]) && is_passed(j, &quick, computed[k], limits)) continue;
        if (is_passed_as_zero(j, &quick, x[k], computed[k], t)) continue;
        if (!have_block) block = enclosure_of(j->enclosure, x, count);
        have_block = true;
        if (isfinite(x[k]) && is_passed(j, &block, computed[k], limits)) {
            have_passed = true;
            passed = bits_of_f32(computed[k]);
            continue;
        }
        if (isfinite(x[k]) &&
            (is_known_fault(&block, computed[k], limits.sign, t) || is_clearly_wrong(j, k, computed[k], t))) {
            t->wrong++;
            continue;
        }
        if (isfinite(x[k])) {
            const struct enclosed alone = enclosed_alone(j, known, x, k, count);
            if (is_passed(j, &alone, computed[k], limits)) continue;
        }
        if (is_spared(j, k, x[k], computed[k], t)) continue;
        const struct answer a = ask_reference(j, x[k], computed[k], t);
        learn(j, k, a.exact);
        if (is_question_of_sign(j, k, computed[k])) judge_learn_sign(j, group_of(x[k]), a.exact, a.zero);
    }
}

/* Returns whether the exact value lies outside of [low, high], with a margin for double's roundings. A NaN is
 * outside of every interval. */
static bool contradicts(const struct float_format *f, double exact, double low, double high)
{
    const double slack = fabs(exact) * 0x1p-52, value = float_cut(f, exact);
    return !(value >= float_cut(f, low) - slack && value <= float_cut(f, high) + slack);
}

/* Asks the reference for every lane. Also checks the quick reference and the enclosure. */
static void ask_each(struct judge *j, const float *x, const float *computed, size_t count, struct tally *t)
{
    for (size_t k = 0; k < count; k++) {
        if (isnan(x[k]) || !bound_holds_at(&j->piece->bound, x[k])) continue;
        const double exact = ask_reference(j, x[k], computed[k], t).exact;
        const struct enclosed single = enclosure_of(j->enclosure, &x[k], 1);
        const double margin = j->scan.error[k] * SCAN_GROW;
        if (margin < INFINITY &&
            contradicts(format_of(j), exact, j->scan.value[k] - margin, j->scan.value[k] + margin))
            j->distrust = true;
        if (single.defined && contradicts(format_of(j), exact, single.low, single.high)) j->distrust = true;
        if (single.undefined && !isnan(exact)) j->distrust = true;
    }
}

/* ---- intervals of inputs ---- */

void judge_enter(struct judge *j, float low, float high)
{
    j->range = enclosure_of(j->enclosure, (const float[]){low, high}, 2);
    j->band = band_find(j->enclosure);
}

void judge_leave(struct judge *j)
{
    j->range = (struct enclosed){0};
    j->band = (struct band){0};
}

/* Returns whether all results are right because they follow the band. Each error is at most the distance from
 * the line plus the radius. Ulps are those at the least value. */
static bool follows_band(const struct judge *j, const float *x, const float *computed, size_t count,
                         struct scan_limits limits)
{
    const struct band *b = &j->band;
    const struct float_format *f = format_of(j);
    if (!b->known || !(b->most < ldexp(1, f->max_exponent))) return false;
    const double by_ulp = limits.ulp * float_spacing(f, b->least),
                 by_abs = limits.absolute * larger_of(1, b->least);
    const double distance = (by_ulp < by_abs ? by_ulp : by_abs) / SCAN_GROW - b->radius;
    return distance > 0 && band_holds(b, x, computed, count, distance, limits.sign);
}

static bool all_equal(const float *computed, size_t count)
{
    uint32_t differ = 0;
    for (size_t k = 0; k < count; k++) differ |= bits_of_f32(computed[k]) ^ bits_of_f32(computed[0]);
    return !differ;
}

static bool all_nan(const float *computed, size_t count)
{
    bool all = true;
    for (size_t k = 0; k < count; k++) all &= isnan(computed[k]);
    return all;
}

/* Returns whether all results are right because they are equal. Their value must be right for the entered
 * interval, or between the least and the largest input. Also returns true if all results are NaN and the
 * function is nowhere defined. */
static bool is_uniform(struct judge *j, const float *x, const float *computed, size_t count,
                       struct scan_limits limits)
{
    if (isnan(computed[0])) return j->range.undefined && all_nan(computed, count);
    if (!all_equal(computed, count)) return false;
    if (j->range.defined && is_passed(j, &j->range, computed[0], limits)) return true;
    bool finite = true;
    for (size_t k = 0; k < count; k++) finite &= isfinite(x[k]);
    if (!finite) return false;
    const struct enclosed block = enclosure_of(j->enclosure, x, count);
    return is_passed(j, &block, computed[0], limits);
}

bool judge_settles(struct judge *j, const float *x, const float *computed, size_t count, struct tally *t)
{
    if (j->distrust) return false;
    const struct scan_limits limits = limits_of(j, t);
    if (!follows_band(j, x, computed, count, limits) && !is_uniform(j, x, computed, count, limits))
        return false;
    t->inputs += count;
    t->settled += count;
    return true;
}

/* Returns the results as they count, that is, after the store's rounding. */
static const float *stored(struct judge *j, const float *computed, size_t count)
{
    const enum element_type type = j->piece->result;
    if (!element_is_half(type)) return computed;
    for (size_t k = 0; k < count; k++) j->rounded[k] = element_types[type].rounded(computed[k]);
    return j->rounded;
}

/* Judges results, given the quick reference's values in j->scan. */
static void decide(struct judge *j, const float *x, const float *results, struct judge_known *known,
                   size_t count, bool ask_all, struct tally *t)
{
    const float *computed = stored(j, results, count);
    t->inputs += count;
    bool special = false;
    for (size_t k = 0; k < count; k++) {
        j->scan.computed[k] = (double)computed[k];
        special |= !isfinite(x[k]);
    }
    for (size_t k = 0; special && k < count; k++) {
        if (!isnan(x[k]) || isnan(computed[k])) continue;
        t->wrong++; /* A NaN was lost, which needs no reference. */
        tally_note(t, bits_of_f32(x[k]), INFINITY, INFINITY);
    }
    if (ask_all) {
        ask_each(j, x, computed, count, t);
        return;
    }
    bool any = scan_block(&j->scan, count, limits_of(j, t));
    for (size_t k = 0; (special || j->distrust) && k < count; k++) {
        j->scan.doubtful[k] = !isnan(x[k]) && (j->scan.doubtful[k] || j->distrust || isinf(x[k]));
        any |= j->scan.doubtful[k];
    }
    if (any && j->distrust)
        ask_each(j, x, computed, count, t);
    else if (any)
        settle_results(j, x, computed, known, count, t);
}

static void ask_quick(struct judge *j, const float *x, size_t count)
{
    const double *lanes = j->lanes;
    for (size_t k = 0; k < count; k++) j->lanes[k] = (double)x[k];
    reference_quick(j->truth, &lanes, count, j->scan.value, j->scan.error);
}

void judge_block_again(struct judge *j, const float *x, const float *computed, struct judge_known *known,
                       size_t count, bool ask_all, struct tally *t)
{
    if (count && !ask_all && !j->distrust && passes_at_start(j, x, computed, count, t)) return;
    if (known->known) {
        memcpy(j->scan.value, known->value, count * sizeof *known->value);
        memcpy(j->scan.error, known->error, count * sizeof *known->error);
    } else {
        ask_quick(j, x, count);
    }
    decide(j, x, computed, known, count, ask_all, t);
    if (!known->value) return;
    known->known = true;
    memcpy(known->value, j->scan.value, count * sizeof *known->value);
    memcpy(known->error, j->scan.error, count * sizeof *known->error);
}

void judge_block(struct judge *j, const float *x, const float *computed, size_t count, bool ask_all,
                 struct tally *t)
{
    struct judge_known known = {0};
    judge_block_again(j, x, computed, &known, count, ask_all, t);
}

void judge_results(struct judge *j, const float *x, const float *computed, size_t count, bool ask_all,
                   struct tally *t)
{
    if (!ask_all && judge_settles(j, x, computed, count, t)) return;
    for (size_t first = 0; first < count; first += JUDGE_BLOCK) {
        const size_t n = count - first < JUDGE_BLOCK ? count - first : JUDGE_BLOCK;
        judge_block(j, x + first, computed + first, n, ask_all, t);
    }
}
