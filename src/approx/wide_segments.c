/* A smooth factor in f64 lanes: 16 segments, one degree for all, coefficients fitted to 113-bit values. */
#include "float_bits.h"
#include "wide_factored.h"

#include <math.h>
#include <string.h>

enum { POINTS = 36, FRACTION = 52 };

static const double WANTED = 0x1p-55;

struct segment {
    unsigned entry;
    double low, high, centre; /* t; the centre is where the polynomial's variable is 0 */
};

/* The window of 16 segments that begins on a segment's border and reaches the end. */
static void set_window(struct wide_segments *s, double end)
{
    const double ratio = ldexp(1, WIDE_ENTRIES >> s->fraction_bits);
    const double borders = (double)(2u << s->fraction_bits); /* of an octave, 1/2 to 1 */
    int exponent;
    const double least = frexp(end / (ratio - 1), &exponent);
    s->offset = ldexp((floor(least * borders) + 1) / borders, exponent);
    s->limit = end;
}

static unsigned cut(const struct wide_segments *s, struct segment *out)
{
    const unsigned shift = FRACTION - s->fraction_bits;
    const uint64_t first = bits_of_f64(s->offset) >> shift, last = bits_of_f64(s->limit + s->offset) >> shift;
    unsigned count = 0;
    for (uint64_t key = first; key <= last && count < WIDE_ENTRIES; key++) {
        const double start = f64_of_bits(key << shift), end = f64_of_bits((key + 1) << shift);
        out[count++] = (struct segment){(unsigned)(key % WIDE_ENTRIES), fmax(start - s->offset, 0),
                                        fmin(end - s->offset, s->limit), (start + end) / 2 - s->offset};
    }
    return last - first < WIDE_ENTRIES ? count : 0;
}

static bool sample(struct fit_problem *p, const struct segment *g, wide_function f, void *context)
{
    const double low = g->low > 0 ? g->low : g->high * 0x1p-12; /* not 0, where the factor may be a limit */
    fit_points(p, low, g->high, POINTS);
    for (unsigned i = 0; i < POINTS; i++) {
        const double t = (double)p->point[i];
        if (!f(&p->value[i], context, t) || p->value[i] == 0) return false;
        p->point[i] = (quad)t - g->centre;
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

bool wide_segments_fit(struct wide_segments *out, wide_function f, void *context, double end, arena *memory)
{
    struct fit_problem *problems = arena_alloc(memory, WIDE_ENTRIES * sizeof *problems);
    struct segment segments[WIDE_ENTRIES];
    struct wide_segments best = {.terms = WIDE_MAX_TERMS + 1};
    for (unsigned bits = 1; bits <= 3; bits++) {
        struct wide_segments s = {.fraction_bits = bits};
        set_window(&s, end);
        const unsigned count = cut(&s, segments);
        bool known = count > 0;
        for (unsigned i = 0; i < count && known; i++) known = sample(&problems[i], &segments[i], f, context);
        s.terms = known ? terms_needed(problems, count) : WIDE_MAX_TERMS + 1;
        if (s.terms < best.terms && fit_all(&s, problems, segments, count)) best = s;
    }
    *out = best;
    return best.terms <= WIDE_MAX_TERMS;
}

lane_value wide_segments_build(const struct wide_segments *s, lane_program *p, lane_value t)
{
    const unsigned shift = FRACTION - s->fraction_bits;
    const lane_value u = lane_binary(p, LANE_ADD, t, lane_const(p, LANE_F64, s->offset));
    const lane_value bits = lane_unary(p, LANE_BITCAST, u);
    const lane_value index = lane_binary(p, LANE_SHR, bits, lane_const_bits(p, LANE_I64, shift));
    lane_value centre = lane_binary(p, LANE_AND, bits, lane_const_bits(p, LANE_I64, UINT64_MAX << shift));
    centre = lane_binary(p, LANE_OR, centre, lane_const_bits(p, LANE_I64, UINT64_C(1) << (shift - 1)));
    const lane_value d = lane_binary(p, LANE_SUB, u, lane_unary(p, LANE_BITCAST, centre));
    lane_value sum = 0;
    for (unsigned k = s->terms; k-- > 0;) {
        uint64_t table[WIDE_ENTRIES];
        for (unsigned i = 0; i < WIDE_ENTRIES; i++) table[i] = bits_of_f64(s->coefficient[k][i]);
        const lane_value c = lane_lookup(p, lane_table_add(p, LANE_F64, WIDE_LOG2_ENTRIES, table), index);
        sum = k + 1 == s->terms ? c : lane_fma(p, sum, d, c);
    }
    return sum;
}
