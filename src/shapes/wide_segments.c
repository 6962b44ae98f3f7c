/* A smooth factor in f64 lanes: 16 segments, one degree for all, coefficients fitted to 113-bit values.
 *
 * What falls like 1/t is nearly a straight line in 1/(t + b), on segments of equal width in it: for GELU 9 terms instead
 * of 14, in exchange for a division. */
#include "float_bits.h"
#include "segments.h"
#include "wide_factored.h"

#include <math.h>
#include <string.h>

enum { POINTS = 36 };

static const double WANTED = 0x1p-55, SHIFTER = 0x1.8p52;

/* What a division and the rest of the reciprocal cost, in terms. */
enum { TERMS_OF_DIVISION = 2 };

/* Those by bits, but for their coefficients. */
static struct segments by_bits(const struct wide_segments *s)
{
    return (struct segments){.type = LANE_F64,
                             .index = INDEX_EXPONENT,
                             .variable = VARIABLE_DISTANCE,
                             .sides = 1,
                             .log2_entries = WIDE_LOG2_ENTRIES,
                             .fraction_bits = s->fraction_bits,
                             .offset = s->offset,
                             .limit = s->limit};
}

static unsigned cut_by_bits(const struct wide_segments *s, struct segment *out)
{
    const struct segments all = by_bits(s);
    const unsigned count = segments_cut(&all, out);
    return out[count - 1].high == s->limit ? count : 0;
}

/* The reciprocal goes from least + 1/2 at the end to least + 16 1/2 at 0, but for a margin that keeps it from rounding
 * beyond. The offset has few bits, so that adding it to t is exact. */
static void set_reciprocal(struct wide_segments *s, double end, unsigned least)
{
    const double margin = 0x1p-6, low = least + 0.5 + margin, high = least + WIDE_ENTRIES + 0.5 - margin;
    s->offset = floor(end * low / (high - low) * 256) / 256;
    s->numerator = s->offset * high;
    s->limit = end;
}

static unsigned cut_reciprocal(const struct wide_segments *s, struct segment *out)
{
    const unsigned first = (unsigned)floor(s->numerator / (s->limit + s->offset) + 0.5);
    const unsigned last = (unsigned)floor(s->numerator / s->offset + 0.5);
    for (unsigned n = first; n <= last && n - first < WIDE_ENTRIES; n++)
        out[n - first] = (struct segment){.entry = n % WIDE_ENTRIES,
                                          .low = fmax(s->numerator / (n + 0.5) - s->offset, 0),
                                          .high = fmin(s->numerator / (n - 0.5) - s->offset, s->limit),
                                          .centre = n}; /* of the reciprocal */
    return last - first < WIDE_ENTRIES ? last - first + 1 : 0;
}

static unsigned cut(const struct wide_segments *s, struct segment *out)
{
    return s->numerator != 0 ? cut_reciprocal(s, out) : cut_by_bits(s, out);
}

/* The polynomial's variable at t. */
static quad variable_at(const struct wide_segments *s, const struct segment *g, double t)
{
    return (s->numerator != 0 ? s->numerator / ((quad)t + s->offset) : (quad)t) - g->centre;
}

static bool sample(struct fit_problem *p, const struct wide_segments *s, const struct segment *g,
                   wide_function f, void *context)
{
    const double least = g->low > 0 ? g->low : g->high * 0x1p-12; /* not 0, where the factor may be a limit */
    const double a = (double)variable_at(s, g, least), b = (double)variable_at(s, g, g->high);
    fit_points(p, fmin(a, b), fmax(a, b), POINTS);
    for (unsigned i = 0; i < POINTS; i++) {
        const double v = (double)p->point[i] + g->centre,
                     t = s->numerator != 0 ? s->numerator / v - s->offset : v;
        if (!f(&p->value[i], context, t) || p->value[i] == 0) return false;
        p->point[i] = variable_at(s, g, t);
        p->weight[i] = 1 / quad_abs(p->value[i]);
    }
    return true;
}

static void set_terms(struct fit_problem *p, unsigned terms)
{
    p->term_count = terms;
    for (unsigned k = 0; k < terms; k++) p->power[k] = k;
}

/* The number of terms that all segments need; more than the most if that does not do. */
static unsigned terms_needed(struct fit_problem *problems, unsigned count)
{
    unsigned terms = 4;
    for (unsigned i = 0; i < count; i++) {
        for (set_terms(&problems[i], terms); fit_error(&problems[i]) > WANTED; set_terms(&problems[i], terms))
            if (++terms > WIDE_MAX_TERMS) return terms;
    }
    return terms;
}

static bool fit_all(struct wide_segments *s, struct fit_problem *problems, const struct segment *segments,
                    unsigned count)
{
    struct fit_result result;
    for (unsigned i = 0; i < count; i++) {
        set_terms(&problems[i], s->terms);
        if (!fit_polynomial(&problems[i], LANE_F64, &result)) return false;
        s->error = fmax(s->error, result.error);
        for (unsigned k = 0; k < s->terms; k++) s->coefficient[k][segments[i].entry] = result.coefficient[k];
    }
    return true;
}

/* Makes *best the segments `s` if they take fewer operations. */
static void consider(struct wide_segments *best, struct wide_segments *s, wide_function f, void *context,
                     struct fit_problem *problems)
{
    struct segment segments[WIDE_ENTRIES];
    const unsigned count = cut(s, segments);
    const unsigned extra = s->numerator != 0 ? TERMS_OF_DIVISION : 0,
                   extra_of_best = best->numerator != 0 ? TERMS_OF_DIVISION : 0;
    for (unsigned i = 0; i < count; i++)
        if (!sample(&problems[i], s, &segments[i], f, context)) return;
    s->terms = count ? terms_needed(problems, count) : WIDE_MAX_TERMS + 1;
    if (s->terms <= WIDE_MAX_TERMS && s->terms + extra < best->terms + extra_of_best &&
        fit_all(s, problems, segments, count))
        *best = *s;
}

bool wide_segments_fit(struct wide_segments *out, wide_function f, void *context, double end, arena *memory)
{
    struct fit_problem *problems = arena_alloc(memory, WIDE_ENTRIES * sizeof *problems);
    *out = (struct wide_segments){.terms = WIDE_MAX_TERMS + 1};
    for (unsigned bits = 1; bits <= 3; bits++) {
        struct wide_segments s = {
            .fraction_bits = bits, .offset = segments_offset(WIDE_LOG2_ENTRIES, bits, end), .limit = end};
        consider(out, &s, f, context, problems);
    }
    for (unsigned least = 1; least <= 4; least++) {
        struct wide_segments s = {0};
        set_reciprocal(&s, end, least);
        consider(out, &s, f, context, problems);
    }
    return out->terms <= WIDE_MAX_TERMS;
}

/* Rounds to the nearest integer by adding 1.5 * 2^52, whose last bits then hold it. */
static struct segments_place reciprocal_place(const struct wide_segments *s, lane_program *p, lane_value t)
{
    const lane_value shifter = lane_const(p, LANE_F64, SHIFTER);
    const lane_value below = lane_binary(p, LANE_ADD, t, lane_const(p, LANE_F64, s->offset));
    const lane_value u = lane_binary(p, LANE_DIV, lane_const(p, LANE_F64, s->numerator), below);
    const lane_value shifted = lane_binary(p, LANE_ADD, u, shifter);
    const lane_value centre = lane_binary(p, LANE_SUB, shifted, shifter);
    return (struct segments_place){lane_unary(p, LANE_BITCAST, shifted), lane_binary(p, LANE_SUB, u, centre)};
}

lane_value wide_segments_build(const struct wide_segments *s, lane_program *p, lane_value t)
{
    const struct segments bits = by_bits(s);
    const struct segments_place a =
        s->numerator != 0 ? reciprocal_place(s, p, t) : segments_place(&bits, p, t);
    /* Even and odd powers by themselves: one after another they would take longer than all else. */
    const lane_value square = lane_binary(p, LANE_MUL, a.variable, a.variable);
    lane_value sum[2] = {0};
    for (unsigned k = s->terms; k-- > 0;) {
        uint64_t table[WIDE_ENTRIES];
        for (unsigned i = 0; i < WIDE_ENTRIES; i++) table[i] = bits_of_f64(s->coefficient[k][i]);
        const lane_value c = lane_lookup(p, lane_table_add(p, LANE_F64, WIDE_LOG2_ENTRIES, table), a.index);
        sum[k % 2] = k + 2 >= s->terms ? c : lane_fma(p, sum[k % 2], square, c);
    }
    return lane_fma(p, sum[1], a.variable, sum[0]);
}

void wide_segments_describe(struct text *out, const struct wide_segments *s)
{
    text_add(out, "%u segments by ", WIDE_ENTRIES);
    if (s->numerator != 0)
        text_add(out, "%g / (|x| + %g)", s->numerator, s->offset);
    else
        text_add(out, "the bits of |x| + %g", s->offset);
    text_add(out, ", degree %u, fit error %.2g", s->terms - 1, s->error);
}
