/* Interpolation, segments and the operations that evaluate them. */
#include "extended_fit.h"
#include "float_bits.h"
#include "segments.h"

#include <math.h>

/* Newton's divided differences, then powers of x - centre. */
static void interpolate(quad *coefficient, const quad *point, const quad *value, unsigned terms, quad centre)
{
    quad difference[EXT_MOST_TERMS];
    for (unsigned i = 0; i < terms; i++) difference[i] = value[i];
    for (unsigned order = 1; order < terms; order++)
        for (unsigned i = terms - 1; i >= order; i--)
            difference[i] = (difference[i] - difference[i - 1]) / (point[i] - point[i - order]);
    for (unsigned k = 0; k < terms; k++) coefficient[k] = 0;
    for (unsigned i = terms; i-- > 0;) { /* times (x - point[i]), plus difference[i] */
        const quad root = point[i] - centre;
        for (unsigned k = terms - 1; k > 0; k--) coefficient[k] = coefficient[k - 1] - root * coefficient[k];
        coefficient[0] = difference[i] - root * coefficient[0];
    }
}

/* Points in an order that keeps divided differences small: from both ends to the middle, alternating. */
bool ext_interpolate(quad *coefficient, unsigned terms, double low, double high, double centre,
                     fit_function f, void *context)
{
    struct fit_problem grid;
    quad point[EXT_MOST_TERMS], value[EXT_MOST_TERMS];
    mpfr_t x, y;
    bool known = terms >= 2 && terms <= EXT_MOST_TERMS;
    if (!known) return false;
    fit_points(&grid, low, high, terms);
    mpfr_inits2(EXT_FIT_BITS, x, y, (mpfr_ptr)0);
    for (unsigned i = 0; i < terms && known; i++) {
        point[i] = grid.point[i % 2 ? terms - 1 - i / 2 : i / 2];
        mpfr_set_d(x, (double)point[i], MPFR_RNDN);
        known = f(context, y, x) && mpfr_number_p(y);
        if (known) value[i] = quad_of_mpfr(y);
    }
    mpfr_clears(x, y, (mpfr_ptr)0);
    if (known) interpolate(coefficient, point, value, terms, centre);
    return known;
}

bool ext_fit(double *coefficient, unsigned terms, double low, double high, fit_function f, void *context)
{
    quad exact[EXT_MOST_TERMS];
    if (!ext_interpolate(exact, terms, low, high, 0, f, context)) return false;
    for (unsigned k = 0; k < terms; k++) coefficient[k] = (double)exact[k];
    return true;
}

/* -- segments -- */

enum { FRACTION = 52 };

bool ext_segments_fit(struct ext_segments *out, unsigned log2_entries, unsigned fraction_bits, unsigned terms,
                      double end, fit_function f, void *context)
{
    struct ext_segments *s = out;
    *s = (struct ext_segments){
        .log2_entries = log2_entries, .fraction_bits = fraction_bits, .terms = terms, .end = end};
    s->offset = segments_offset(log2_entries, fraction_bits, end);
    const unsigned shift = FRACTION - fraction_bits, entries = 1u << log2_entries;
    const uint64_t first = bits_of_f64(s->offset) >> shift, last = bits_of_f64(end + s->offset) >> shift;
    if (last - first >= entries) return false;
    for (uint64_t key = first; key <= last; key++) {
        const double start = f64_of_bits(key << shift), stop = f64_of_bits((key + 1) << shift);
        const double centre = (start + stop) / 2 - s->offset;
        quad exact[EXT_MOST_TERMS];
        if (!ext_interpolate(exact, terms, start - s->offset, stop - s->offset, centre, f, context))
            return false;
        const unsigned entry = (unsigned)(key % entries);
        for (unsigned k = 0; k < terms; k++) s->coefficient[k][entry] = (double)exact[k];
        s->constant_low[entry] = (double)(exact[0] - (double)exact[0]);
    }
    return true;
}

static lane_value looked_up(struct extender *c, const struct ext_segments *s, const double *column,
                            lane_value index)
{
    uint64_t table[1 << EXT_LOG2_MOST_ENTRIES];
    for (unsigned i = 0; i < 1u << s->log2_entries; i++) table[i] = bits_of_f64(column[i]);
    return lane_lookup(c->program, lane_table_add(c->program, LANE_F64, s->log2_entries, table), index);
}

double ext_segments_border(struct ext_segments *s, double t)
{
    const unsigned shift = FRACTION - s->fraction_bits;
    s->offset = segments_offset(s->log2_entries, s->fraction_bits, s->end);
    return f64_of_bits(((bits_of_f64(t + s->offset) >> shift) + 1) << shift) - s->offset;
}

static struct segments_place place_of(struct extender *c, const struct ext_segments *s, lane_value t)
{
    const struct segments by_bits = {.type = LANE_F64,
                                     .index = INDEX_EXPONENT,
                                     .variable = VARIABLE_EXACT,
                                     .fraction_bits = s->fraction_bits,
                                     .offset = s->offset};
    return segments_place(&by_bits, c->program, t);
}

/* The polynomial without its last `skipped` terms, divided by that power. */
static lane_value horner(struct extender *c, const struct ext_segments *s, struct segments_place at,
                         unsigned skipped)
{
    lane_value sum = 0;
    for (unsigned k = s->terms; k-- > skipped;) {
        const lane_value a = looked_up(c, s, s->coefficient[k], at.index);
        sum = k + 1 == s->terms ? a : ext_multiply_add(c, sum, at.variable, a);
    }
    return sum;
}

lane_value ext_segments_plain(struct extender *c, const struct ext_segments *s, lane_value t)
{
    return horner(c, s, place_of(c, s, t), 0);
}

struct extended ext_segments_value(struct extender *c, const struct ext_segments *s, struct extended t)
{
    struct segments_place at = place_of(c, s, t.high);
    if (t.has_low) at.variable = ext_plus(c, at.variable, t.low);
    const struct extended rise = ext_two_product(c, horner(c, s, at, 1), at.variable);
    struct extended y = ext_quick_two_sum(c, looked_up(c, s, s->coefficient[0], at.index), rise.high);
    y.low = ext_plus(c, y.low, ext_plus(c, rise.low, looked_up(c, s, s->constant_low, at.index)));
    y.bounded = true;
    return y;
}
