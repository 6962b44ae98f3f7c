/* Segments of a function whose values are known to 113 bits, for f64 lanes. Finds the index that takes the
 * fewest operations, and the coefficients. */
#include "interpolate.h"
#include "segments.h"

#include <math.h>

static void by_bits(struct segments *s, const struct segments_goal_exact *goal, unsigned fraction_bits)
{
    const double ratio = ldexp(1, 1 << (goal->log2_entries - fraction_bits));
    const double borders = (double)(2u << fraction_bits); /* borders within an octave, 1/2 to 1 */
    int exponent;
    const double least = frexp(goal->end / (ratio - 1), &exponent);
    s->index = INDEX_EXPONENT;
    s->fraction_bits = fraction_bits;
    s->offset = ldexp((floor(least * borders) + 1) / borders, exponent); /* on a segment's border */
}

/* Sets segments by the reciprocal. It goes from least + 1/2 at the end to least + 1/2 + the number of entries
 * at 0. A margin keeps it from rounding beyond this range. The offset has few bits, so that adding it to t is
 * exact. */
static void by_reciprocal(struct segments *s, const struct segments_goal_exact *goal, unsigned least)
{
    const double margin = 0x1p-6, low = least + 0.5 + margin,
                 high = least + (1u << goal->log2_entries) + 0.5 - margin;
    s->index = INDEX_RECIPROCAL;
    s->offset = floor(goal->end * low / (high - low) * 256) / 256;
    s->numerator = s->offset * high;
}

enum { BIT_OPTIONS = 3, RECIPROCAL_OPTIONS = 4 };

/* Returns way number n to cut. */
static struct segments option(const struct segments_goal_exact *goal, unsigned n)
{
    struct segments s = {.type = LANE_F64,
                         .variable = goal->variable,
                         .sides = 1,
                         .log2_entries = goal->log2_entries,
                         .limit = goal->end,
                         .low_words = goal->low_words};
    if (n < BIT_OPTIONS)
        by_bits(&s, goal, goal->log2_entries - BIT_OPTIONS + n);
    else
        by_reciprocal(&s, goal, n - BIT_OPTIONS + 1);
    return s;
}

/* Cuts and returns the number of segments, or 0 if they do not reach from 0 to the limit. */
static unsigned cut_segments(const struct segments *s, struct segment *out)
{
    const unsigned count = segments_cut(s, out);
    double low = s->limit, high = 0;
    for (unsigned i = 0; i < count; i++) {
        low = fmin(low, out[i].low);
        high = fmax(high, out[i].high);
    }
    return low == 0 && high == s->limit ? count : 0;
}

/* -- by the exchange -- */

/* Returns the polynomials' variable at t. */
static quad variable_at(const struct segments *s, const struct segment *g, double t)
{
    return (s->index == INDEX_RECIPROCAL ? s->numerator / ((quad)t + s->offset) : (quad)t) - g->centre;
}

static bool sample_exactly(struct fit_problem *p, const struct segments *s, const struct segment *g,
                           const struct segments_goal_exact *goal)
{
    enum { POINTS = 36 };
    const double least = g->low > 0 ? g->low : g->high * 0x1p-12; /* not 0, where f may be a limit */
    const double a = (double)variable_at(s, g, least), b = (double)variable_at(s, g, g->high);
    fit_points(p, fmin(a, b), fmax(a, b), POINTS);
    for (unsigned i = 0; i < POINTS; i++) {
        const double t = segments_argument(s, (double)p->point[i] + g->centre);
        if (!goal->value(goal->context, t, &p->value[i]) || p->value[i] == 0) return false;
        p->point[i] = variable_at(s, g, t);
        p->weight[i] = 1 / quad_abs(p->value[i]);
    }
    return true;
}

/* Returns the number of terms that the error needs, or more than `most`. */
static unsigned terms_of_exchange(const struct segments *s, const struct segment *g,
                                  const struct segments_goal_exact *goal, unsigned terms, unsigned most)
{
    struct fit_problem p;
    if (!sample_exactly(&p, s, g, goal)) return most + 1;
    for (fit_powers(&p, terms); terms <= most && fit_error(&p, goal->wanted) > goal->wanted;
         fit_powers(&p, terms))
        terms++;
    return terms;
}

/* -- by interpolation -- */

/* Returns the number of terms from the decay of the coefficients. A few more coefficients are computed for
 * this. */
static unsigned terms_of_interpolation(const struct segment *g, const struct segments_goal_exact *goal)
{
    enum { MORE = 3 };
    quad coefficient[FIT_MAX_TERMS], size = 1;
    const quad half = ((quad)g->end - (quad)g->start) / 4; /* halved once more, for Chebyshev polynomials */
    const unsigned count = goal->most_terms + MORE;
    unsigned terms = 2;
    if (!fit_interpolate(coefficient, count, g->start, g->end, (g->start + g->end) / 2, goal->value,
                         goal->context))
        return count;
    for (unsigned k = 0; k < count; k++, size *= half)
        if (2 * quad_abs(coefficient[k] * size) > (quad)goal->wanted * quad_abs(coefficient[0]))
            terms = k + 1;
    return terms;
}

/* -- all segments -- */

/* Returns the number of terms that is enough for all segments, or more than `most`. */
static unsigned terms_of_all(const struct segments *s, const struct segments_goal_exact *goal, unsigned most)
{
    struct segment segments[SEGMENTS_MAX_ENTRIES];
    const unsigned count = cut_segments(s, segments);
    unsigned terms = goal->interpolates ? 2 : 4;
    for (unsigned i = 0; i < count && terms <= most; i++) {
        const unsigned own = goal->interpolates ? terms_of_interpolation(&segments[i], goal)
                                                : terms_of_exchange(s, &segments[i], goal, terms, most);
        terms = own > terms ? own : terms;
    }
    return count ? terms : most + 1;
}

static bool fit_segment(struct segments *s, const struct segment *g, const struct segments_goal_exact *goal)
{
    const unsigned terms = s->degree + 1;
    quad exact[FIT_MAX_TERMS];
    struct fit_problem p;
    struct fit_result result;
    if (goal->interpolates) {
        if (!fit_interpolate(exact, terms, g->start, g->end, g->centre, goal->value, goal->context))
            return false;
    } else {
        if (!sample_exactly(&p, s, g, goal)) return false;
        fit_powers(&p, terms);
        if (!fit_polynomial(&p, LANE_F64, &result)) return false;
        for (unsigned k = 0; k < terms; k++) exact[k] = result.coefficient[k];
        s->error = s->noise = fmax(s->error, result.error);
    }
    for (unsigned k = 0; k < terms; k++) s->coefficient[k][g->entry] = (double)exact[k];
    for (unsigned k = 0; k < s->low_words; k++)
        s->coefficient[terms + k][g->entry] = (double)(exact[k] - (double)exact[k]);
    return true;
}

static bool fit_all(struct segments *s, const struct segments_goal_exact *goal, arena *memory)
{
    struct segment segments[SEGMENTS_MAX_ENTRIES];
    const unsigned count = cut_segments(s, segments);
    bool fitted = count > 0;
    segments_clear(s, memory);
    for (unsigned i = 0; i < count && fitted; i++) fitted = fit_segment(s, &segments[i], goal);
    return fitted;
}

bool segments_fit_exact(struct segments *out, const struct segments_goal_exact *goal, unsigned fraction_bits,
                        unsigned degree, arena *memory)
{
    *out = option(goal, 0);
    by_bits(out, goal, fraction_bits);
    out->degree = degree;
    return fit_all(out, goal, memory);
}

bool segments_search_exact(struct segments *out, const struct segments_goal_exact *goal, arena *memory)
{
    enum { TERMS_OF_DIVISION = 2 }; /* the cost of the division and the rest of the reciprocal */
    const unsigned options = BIT_OPTIONS + (goal->divides ? RECIPROCAL_OPTIONS : 0);
    unsigned best = goal->most_terms + 1;
    for (unsigned n = 0; n < options; n++) {
        struct segments s = option(goal, n);
        const unsigned extra = s.index == INDEX_RECIPROCAL ? TERMS_OF_DIVISION : 0;
        const unsigned terms = terms_of_all(&s, goal, best - extra - 1);
        if (terms + extra >= best) continue;
        best = terms + extra;
        *out = s;
        out->degree = terms - 1;
    }
    return best <= goal->most_terms && fit_all(out, goal, memory);
}
