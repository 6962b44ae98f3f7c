/* Searches for the places at which to cut a function into segments: kinds of index and variable, offsets, and
 * the division into exponent and fraction bits. Guesses from Chebyshev series are cheap. Only the best few
 * are fitted. */
#include "segments.h"
#include "budget.h"
#include "float_bits.h"

#include <math.h>
#include <string.h>

/* -- cutting -- */

static double u_of(const struct segments *s, double t)
{
    double u = (s->index == INDEX_SQUARE ? t * t : t) + s->offset;
    return s->type == LANE_F32 ? (double)(float)u : u;
}

static double t_of(const struct segments *s, double u)
{
    double t = fmax(u - s->offset, 0);
    return s->index == INDEX_SQUARE ? sqrt(t) : t;
}

/* Returns the exponent and leading fraction bits of a double. An f32 has the same bits, except high bits that
 * no index uses. */
static uint64_t key_of(const struct segments *s, double t)
{
    return bits_of_f64(u_of(s, t)) >> (52 - s->fraction_bits);
}

unsigned segments_per_side(const struct segments *s) { return (1u << s->log2_entries) / s->sides; }

double segments_variable(const struct segments *s, double t)
{
    return s->index == INDEX_RECIPROCAL ? s->numerator / (t + s->offset) : t;
}

double segments_argument(const struct segments *s, double variable)
{
    return s->index == INDEX_RECIPROCAL ? s->numerator / variable - s->offset : variable;
}

/* Returns segment k of a side. */
static struct segment segment_at(const struct segments *s, unsigned k, double start, double end,
                                 double centre)
{
    return (struct segment){.entry = k % segments_per_side(s),
                            .start = start,
                            .end = end,
                            .low = fmax(start, 0),
                            .high = fmin(end, s->limit),
                            .centre = s->variable == VARIABLE_ARGUMENT ? 0 : centre};
}

static unsigned cut_uniform(const struct segments *s, struct segment *out)
{
    unsigned count = 0;
    for (; count < segments_per_side(s); count++) {
        const double centre = count * s->width, half = s->width / 2;
        out[count] = segment_at(s, count, centre - half, centre + half, centre);
        if (out[count].low >= s->limit) break;
    }
    return count;
}

static unsigned cut_by_bits(const struct segments *s, struct segment *out)
{
    const unsigned shift = 52 - s->fraction_bits;
    const uint64_t first = key_of(s, 0), last = key_of(s, s->limit);
    unsigned count = 0;
    for (uint64_t key = first; key <= last && key - first < segments_per_side(s); key++) {
        const double start = f64_of_bits(key << shift), end = f64_of_bits((key + 1) << shift);
        struct segment *g = &out[count++];
        *g = segment_at(s, (unsigned)(key % segments_per_side(s)), t_of(s, start), t_of(s, end),
                        (start + end) / 2 - s->offset);
        if (!(g->low < g->high))
            g->low = count > 1 ? g[-1].low : 0; /* The limit's sum may round up to here. */
    }
    return count;
}

/* Cuts by the reciprocal. Segment n is where the reciprocal is nearest to n. */
static unsigned cut_by_reciprocal(const struct segments *s, struct segment *out)
{
    const unsigned first = (unsigned)floor(s->numerator / (s->limit + s->offset) + 0.5);
    const unsigned last = (unsigned)floor(s->numerator / s->offset + 0.5);
    unsigned count = 0;
    if (segments_per_side(s) == 1) out[count++] = segment_at(s, 0, 0, s->limit, s->middle);
    for (unsigned n = first; n <= last && count < segments_per_side(s); n++)
        out[count++] =
            segment_at(s, n, s->numerator / (n + 0.5) - s->offset, s->numerator / (n - 0.5) - s->offset, n);
    return count;
}

unsigned segments_cut(const struct segments *s, struct segment *out)
{
    unsigned count = s->index == INDEX_UNIFORM      ? cut_uniform(s, out)
                     : s->index == INDEX_RECIPROCAL ? cut_by_reciprocal(s, out)
                                                    : cut_by_bits(s, out);
    for (unsigned i = 0; s->sides == 2 && i < count; i++) {
        out[count + i] = out[i];
        out[count + i].side = 1;
        out[count + i].entry += segments_per_side(s);
    }
    return count * s->sides;
}

double segments_end(const struct segments *s)
{
    struct segment cut[SEGMENTS_MAX_ENTRIES];
    double end = s->limit;
    for (unsigned count = segments_cut(s, cut); count-- > 0;) end = fmax(end, cut[count].end);
    return end;
}

/* -- searching -- */

double segments_rounded_up(double v)
{
    int exponent;
    double fraction = frexp(v, &exponent);
    return ldexp(ceil(fraction * 256) / 256, exponent);
}

bool segments_reach(const struct segments *s)
{
    return key_of(s, s->limit) - key_of(s, 0) < segments_per_side(s);
}

/* A segmentation, and the degree that it seems to need. */
struct option {
    struct segments s;
    unsigned degree;
    double error; /* the guessed error at that degree */
};

enum { KEPT = 3 }; /* the number of options of each kind that are fitted */

struct search {
    const struct segments_goal *goal;
    struct segments_nodes nodes;
    struct option best[KEPT]; /* the best options of one kind, best first */
    unsigned count;
};

static bool is_better(const struct option *a, const struct option *b)
{
    return a->degree != b->degree ? a->degree < b->degree : a->error < b->error;
}

static void consider(struct search *x, const struct segments *s)
{
    double error[SEGMENTS_MAX_DEGREE + 1];
    struct option o = {.s = *s};
    segments_guess(s, x->goal, &x->nodes, error);
    while (o.degree <= x->goal->highest && error[o.degree] > BUDGET_GUESSED * x->goal->wanted) o.degree++;
    if (o.degree > x->goal->highest) return;
    o.error = error[o.degree];
    unsigned place = x->count;
    while (place > 0 && is_better(&o, &x->best[place - 1])) place--;
    if (place == KEPT) return;
    if (x->count < KEPT) x->count++;
    memmove(&x->best[place + 1], &x->best[place], (x->count - 1 - place) * sizeof o);
    x->best[place] = o;
}

static void consider_uniform(struct search *x, struct segments s)
{
    s.width = segments_rounded_up(x->goal->end / (segments_per_side(&s) - 0.5 - 0x1p-8));
    consider(x, &s);
}

/* Considers a window of 2^octaves, which begins at the segment that contains the offset. Tries the offsets of
 * one octave. If none of them reaches the limit, as where the limit is a power of two, tries the octave's
 * end. Where f vanishes at 0 and must be accurate in relative terms, the first centre is t = 0. */
static void consider_window(struct search *x, struct segments s)
{
    enum { STEPS = 12 };
    const unsigned entries = segments_per_side(&s);
    const double ratio = ldexp(1, (int)(entries >> s.fraction_bits));
    const double span = s.index == INDEX_SQUARE ? s.limit * s.limit : s.limit;
    bool reaches = false;
    for (unsigned i = 0; i < STEPS || (i == STEPS && !reaches); i++) {
        double offset = segments_rounded_up(span / (ratio - 1) * (1 + i / (double)STEPS));
        s.offset = offset;
        if (x->goal->vanishes && s.variable != VARIABLE_ARGUMENT) {
            uint64_t key = key_of(&s, 0);
            s.offset = (f64_of_bits(key << (52 - s.fraction_bits)) +
                        f64_of_bits((key + 1) << (52 - s.fraction_bits))) /
                       2;
        }
        if (!segments_reach(&s)) continue;
        reaches = true;
        consider(x, &s);
    }
}

static void consider_all(struct search *x, enum segments_index index, enum segments_variable variable)
{
    const struct segments_goal *goal = x->goal;
    struct segments s = {.type = goal->type,
                         .index = index,
                         .variable = variable,
                         .sides = goal->sides,
                         .vanishes = goal->vanishes,
                         .low_words = goal->low_words};
    s.log2_entries = goal->log2_entries;
    s.limit = goal->type == LANE_F32 ? (double)(float)goal->end : goal->end;
    x->count = 0;
    if (index == INDEX_UNIFORM) {
        consider_uniform(x, s);
        return;
    }
    unsigned bits = goal->log2_entries - (goal->sides - 1);
    for (unsigned octave_bits = 1; octave_bits <= 3 && octave_bits <= bits; octave_bits++) {
        s.fraction_bits = bits - octave_bits;
        consider_window(x, s);
    }
}

/* Fits the best options of a kind, and adds one degree if the first degree is not enough. */
static bool fit_best(struct search *x, struct segments *out, arena *memory)
{
    bool found = false;
    for (unsigned more = 0; more < 2 && !found; more++)
        for (unsigned i = 0; i < x->count; i++) {
            struct segments s = x->best[i].s;
            s.degree = x->best[0].degree + more;
            const double most = found ? out->noise : x->goal->wanted;
            if (s.degree > x->goal->highest || !segments_fit(&s, x->goal, &x->nodes, most, memory)) continue;
            if (!found || s.noise < out->noise) *out = s;
            found = true;
        }
    return found;
}

static bool is_sensible(enum segments_index index, enum segments_variable variable,
                        const struct segments_goal *goal)
{
    if (index == INDEX_SQUARE) return variable == VARIABLE_ARGUMENT;
    if (index == INDEX_UNIFORM) return variable != VARIABLE_EXACT; /* its distance is exact */
    return !goal->vanishes || variable != VARIABLE_DISTANCE;
}

/* -- reciprocals without a table: one segment on each side -- */

/* Shares to try: the offset as a share of the limit, and the middle as a share of the reciprocals' range.
 * Further up, terms would cancel where a tail is small. The best values for GELU, erfc and their derivatives
 * were among these. */
static const double offset_shares[] = {0.15, 0.19, 0.23, 0.25, 0.27, 0.29};
static const double middle_shares[] = {0.1, 0.15, 0.2, 0.25, 0.3};
enum {
    OFFSETS = sizeof offset_shares / sizeof *offset_shares,
    MIDDLES = sizeof middle_shares / sizeof *middle_shares
};

static struct segments reciprocal(const struct segments_goal *goal, unsigned option)
{
    struct segments s = {.type = goal->type, .index = INDEX_RECIPROCAL, .variable = VARIABLE_DISTANCE};
    s.sides = goal->sides;
    s.without_fma = goal->without_fma;
    s.log2_entries = goal->sides - 1;
    s.limit = (double)(float)goal->end;
    s.offset = segments_rounded_up(s.limit * offset_shares[option % OFFSETS]);
    /* A power of two for which the variable has a range of about 2. */
    int exponent;
    frexp(2 / (1 / s.offset - 1 / (s.limit + s.offset)) * sqrt(2), &exponent);
    s.numerator = ldexp(1, exponent - 1);
    const double first = segments_variable(&s, s.limit), last = segments_variable(&s, 0);
    s.middle = (double)(float)(first + (last - first) * middle_shares[option / OFFSETS]);
    if (s.without_fma)
        s.middle = segments_rounded_up(s.middle); /* exact beside the reciprocal's first half */
    return s;
}

/* Finds the degree that each offset seems to need. Returns the lowest one, or more than the highest allowed
 * degree. */
static unsigned degrees_of_reciprocals(unsigned needed[OFFSETS], const struct search *x)
{
    const struct segments_goal *goal = x->goal;
    unsigned lowest = goal->highest + 1;
    for (unsigned option = 0; option < OFFSETS; option++) {
        const struct segments s = reciprocal(goal, option);
        double error[SEGMENTS_MAX_DEGREE + 1];
        segments_guess(&s, goal, &x->nodes, error);
        for (needed[option] = 0; needed[option] <= goal->highest; needed[option]++)
            if (error[needed[option]] <= BUDGET_GUESSED * goal->wanted) break;
        if (needed[option] < lowest) lowest = needed[option];
    }
    return lowest;
}

/* Finds the reciprocals with the least noise, at the lowest degree and the next one. Roundings make more of a
 * difference than the fit. */
static unsigned search_reciprocals(struct segments *out, unsigned room, const struct search *x, arena *memory)
{
    const struct segments_goal *goal = x->goal;
    enum {
        FOUND = 3,
        MORE = 2,
        LEAST = 2
        /* LEAST: the least degree, because constant, slope and the terms above are built separately. */
    };
    unsigned needed[OFFSETS], count = 0;
    const unsigned least = degrees_of_reciprocals(needed, x), lowest = least < LEAST ? LEAST : least,
                   most = room < FOUND ? room : FOUND;
    for (unsigned n = 0; n < MORE * OFFSETS * MIDDLES; n++) {
        const unsigned option = n / MORE;
        struct segments s = reciprocal(goal, option);
        s.degree = lowest + n % MORE;
        const double enough = count < most || !most ? goal->wanted : out[most - 1].noise;
        if (needed[option % OFFSETS] > s.degree || s.degree > goal->highest ||
            !segments_fit(&s, goal, &x->nodes, enough, memory))
            continue;
        unsigned place = count;
        while (place > 0 && s.noise < out[place - 1].noise) place--;
        if (place == most) continue;
        if (count < most) count++;
        memmove(&out[place + 1], &out[place], (count - 1 - place) * sizeof s);
        out[place] = s;
    }
    return count;
}

/* Considers a variable. Its options are the same as those of the index's first variable, unless f vanishes at
 * 0 and the offset depends on that. */
static void consider_variable(struct search *x, enum segments_index index, enum segments_variable variable,
                              bool is_first)
{
    if (is_first || (x->goal->vanishes && index != INDEX_UNIFORM))
        consider_all(x, index, variable);
    else
        for (unsigned i = 0; i < x->count; i++) x->best[i].s.variable = variable;
}

unsigned segments_search(struct segments *out, unsigned room, const struct segments_goal *goal, arena *memory)
{
    struct search *x = arena_alloc(memory, sizeof *x);
    unsigned count = 0;
    x->goal = goal;
    segments_set_nodes(&x->nodes);
    if (goal->divides) count = search_reciprocals(out, room, x, memory);
    for (unsigned i = 0; i < INDEX_RECIPROCAL && goal->log2_entries; i++) {
        const enum segments_index index = (enum segments_index)i;
        bool is_first = true;
        for (unsigned k = 0; k < VARIABLE_COUNT; k++) {
            const enum segments_variable variable = (enum segments_variable)k;
            if (!is_sensible(index, variable, goal)) continue;
            consider_variable(x, index, variable, is_first);
            is_first = false;
            if (count < room && fit_best(x, &out[count], memory)) count++;
        }
    }
    return count;
}
