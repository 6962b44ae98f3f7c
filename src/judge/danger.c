/* Finds the inputs in danger.
 *
 * The error of a result has two parts. The approximation's error is smooth, and the error of the roundings is
 * noise. A sample of n inputs shows the first part well and the second part badly, because one input in
 * millions has the extremes of the noise.
 *
 * The reach of the noise is known (rounding.h). The contribution of the roundings at each sampled input is
 * known as well, and the difference is the approximation's error. For POINTS inputs of a block, the worst
 * error of any input like them is
 *
 *     (|error - the known roundings| + the most that roundings inside can do) / unit of the last place
 *         + 1/2 for the last rounding
 *
 * Between two points, spacings may change and approximations swing. Each point therefore counts with the
 * worse of its neighbours, and the first term that is found is BUDGET_SEEN of its possible size.
 *
 * The search looks at whole binades first. Only binades that come near the bound (BUDGET_COARSE) are divided
 * into blocks. If a block may break the bound, the block is divided into parts. Parts in danger are judged
 * input by input. Most programs that break the bound show it sooner, where their results leave a curve
 * (neighbours_judge_suspect). The order of these looks is: the parts in which another program broke its
 * bound, the worst part of each block, and then the others, the worst first.
 *
 * Units shrink at a simple root between two points. The unit there is taken BESIDE_ROOT inputs from the root.
 * The sample has judged the inputs that are nearer (measure.c), if the function has no more roots than blocks
 * have points.
 *
 * No input is left out because it is improbable. The analysis takes each rounding at half a unit, in the
 * worst direction. It is of first order, so that its relative error is 2^-24. */
#include "danger.h"
#include "budget.h"
#include "float_bits.h"
#include "neighbours.h"
#include "rounding.h"

#include <math.h>
#include <stdlib.h>

enum {
    LOG2_BINADE = 23,
    LOG2_BLOCK = 20,
    LOG2_PART = 16,
    PARTS = 1 << (LOG2_BLOCK - LOG2_PART),
    BLOCKS = 1 << (LOG2_BINADE - LOG2_BLOCK), /* blocks per binade */
};
enum { POINTS = DANGER_POINTS, BESIDE_ROOT = 64, MOST_ROOTS = 6, ASK_EACH = 32 };
/* The reach of the roundings, in units, from which on the analysis fails. A result with such an error would
 * have no right bit, and the sample would show that. The analysis does not see that integers made from a huge
 * argument's bits make up for its roundings. */
#define HOPELESS 0x1p22
/* The error, in units of f32, up to which a value is known well enough to compute the approximation's
 * error. */
#define SHARP 0x1p-10

struct part {
    uint32_t first; /* bits of the first input */
    double danger;
    bool is_worst; /* no other part of its block is in more danger */
};

struct search {
    const struct danger_request *request;
    struct tally *tally;
    struct roundings *roundings;
    struct part *parts;
    size_t count, room;
    struct part worst; /* the worst part of the worst block, if no part is in danger */
    uint64_t asks;     /* the number of times that judging parts asked the reference */
};

/* -- one block -- */

struct point {
    double value, smooth, inside, unit, last; /* `smooth` is the approximation's error */
    /* Otherwise the result is zero, infinite, NaN or outside of the interval, or the analysis fails. */
    bool known;
};

/* Chooses the first and the last input of a block, and inputs between them with random low bits. */
static void choose_inputs(float *x, uint32_t first, unsigned log2_size)
{
    const unsigned log2_stride = log2_size - 6;
    for (uint32_t k = 0; k < POINTS; k++) {
        const uint32_t stirred = (first + k) * 0x9e3779b9u >> (32 - log2_stride);
        const uint32_t last = (UINT32_C(1) << log2_size) - 1;
        x[k] = f32_of_bits(first + (k == 0 ? 0 : k == POINTS - 1 ? last : (k << log2_stride) + stirred));
    }
}

static double exact_value(struct judge *j, float x)
{
    double value;
    j->input = (double)x;
    return reference_value(j->truth, &j->input, &value, NULL) == REFERENCE_DECIDED ? value : NAN;
}

/* Describes point k of j->scan. If the quick reference does not know the value well, the exact reference is
 * asked at some points. At the other points, only the part of the approximation's error that is certain
 * counts. */
static void describe_point(struct point *p, struct judge *j, unsigned k, float x, double y,
                           const struct rounding_reach *reach)
{
    const struct spec_bound *b = &j->piece->bound;
    const bool by_abs = b->kind == BOUND_ABS, half = element_is_half(j->piece->result);
    p->known = isfinite(x) && isfinite(y) && y != 0 && reach->most < INFINITY && bound_holds_at(b, (double)x);
    if (!p->known) return;
    const double narrow = float_spacing(&element_types[ELEMENT_F32].format, y),
                 spacing = float_spacing(&element_types[j->piece->result].format, y);
    const bool is_sharp = j->scan.error[k] <= narrow * SHARP;
    const bool is_asked = !is_sharp && k % ASK_EACH == 0;
    const double value = is_asked ? exact_value(j, x) : j->scan.value[k];
    const double off = fabs(y - value - reach->made) - (is_sharp || is_asked ? 0 : j->scan.error[k]);
    p->smooth = off > 0 ? off : 0; /* not if `off` is NaN */
    p->value = isnan(value) ? y : value;
    p->inside = reach->most + (half ? reach->last * narrow / 2 : 0);
    p->unit = by_abs ? fmax(1, fabs(y)) : spacing;
    p->last = (half ? 1 : reach->last) * spacing / 2 / p->unit;
    p->known = p->inside < p->unit * (by_abs ? 1 : HOPELESS);
}

/* Returns the danger at inputs between two points, which takes the worse of both. Where the units are far
 * apart, an input between them has a unit and values of its own. Their ratio may be twice that of the
 * points. */
static double danger_between(const struct point *a, const struct point *b, double gap, bool has_root,
                             enum element_type type)
{
    const double last = fmax(a->last, b->last);
    double unit = fmin(a->unit, b->unit);
    if (has_root)
        unit = fmin(unit, float_spacing(&element_types[type].format,
                                        (a->value - b->value) * (double)BESIDE_ROOT / gap));
    if (!has_root && fmax(a->unit, b->unit) > 2 * unit)
        return last + 2 * fmax((a->smooth + a->inside) / a->unit, (b->smooth + b->inside) / b->unit);
    return last + (fmax(a->smooth, b->smooth) + fmax(a->inside, b->inside)) / unit / BUDGET_SEEN;
}

/* Orders points by the size of their values, and those that are not known last. */
static int compare_points(const void *left, const void *right)
{
    const struct point *a = left, *b = right;
    if (a->known != b->known) return a->known ? -1 : 1;
    return a->known ? (fabs(a->value) > fabs(b->value)) - (fabs(a->value) < fabs(b->value)) : 0;
}

/* Returns the danger of a block in the unit of the bound, or 0 if nothing is known. Where a wave has turned
 * often between two points, they have nothing in common. Their neighbours are then the points with values of
 * about their size, because the wave passes the block's values again and again. */
static double danger_of(struct search *s, uint32_t first, unsigned log2_size)
{
    struct judge *j = s->request->judge;
    float x[POINTS], y[POINTS];
    struct judge_known none = {0};
    struct rounding_reach reach[POINTS];
    struct point p[POINTS] = {0};
    unsigned roots = 0;
    double most = 0;
    choose_inputs(x, first, log2_size);
    roundings_at(s->roundings, x, y, reach);
    struct judge_known *binade =
        log2_size == LOG2_BINADE ? &s->request->binades[first >> LOG2_BINADE] : &none;
    judge_block_again(j, x, y, binade, POINTS, false, s->tally);
    for (unsigned k = 0; k < POINTS; k++) describe_point(&p[k], j, k, x[k], (double)y[k], &reach[k]);
    for (unsigned k = 1; k < POINTS; k++) roots += p[k - 1].value * p[k].value < 0;
    const bool by_abs = j->piece->bound.kind == BOUND_ABS, is_wave = roots > MOST_ROOTS;
    if (is_wave) qsort(p, POINTS, sizeof *p, compare_points);
    for (unsigned k = 1; k < POINTS; k++) {
        if (!p[k - 1].known || !p[k].known) continue;
        const bool has_root = !by_abs && !is_wave && p[k - 1].value * p[k].value < 0;
        const double gap = ldexp(1, (int)log2_size - 6);
        most = fmax(most, danger_between(&p[k - 1], &p[k], gap, has_root, j->piece->result));
    }
    return most;
}

/* -- all blocks -- */

static bool add_part(struct search *s, struct part part)
{
    if (s->count == s->room) {
        s->room = s->room ? 2 * s->room : 256;
        struct part *more = realloc(s->parts, s->room * sizeof *more);
        if (!more) return false;
        s->parts = more;
    }
    s->parts[s->count++] = part;
    return true;
}

static bool asks_too_much(const struct search *s) { return s->asks > s->request->most_asked; }

static bool has_too_many(const struct search *s)
{
    return (uint64_t)s->count << LOG2_PART > s->request->most_swept;
}

static bool is_too_much(const struct search *s) { return has_too_many(s) || asks_too_much(s); }

typedef bool judge_inputs_of(const struct neighbours *, uint32_t, unsigned, struct tally *);

/* Judges inputs of a part. Returns false without memory. */
static bool judge_part(struct search *s, const struct part *part, judge_inputs_of *judge)
{
    const struct danger_request *r = s->request;
    const uint64_t before = judge_asks(r->judge);
    if (asks_too_much(s)) return true;
    const struct neighbours near = {r->judge, r->judge->piece->program, r->progress,
                                    before + r->most_asked - s->asks};
    const bool complete = judge(&near, part->first, LOG2_PART, s->tally);
    s->asks += judge_asks(r->judge) - before;
    return complete;
}

/* Adds the parts of a block whose danger exceeds `most`, and looks at the worst of them at once. If the bound
 * is broken, this mostly shows before all blocks are analysed. Returns false without memory. */
static bool add_parts(struct search *s, uint32_t block, double most)
{
    struct part worst = {0};
    size_t number = s->count;
    for (uint32_t k = 0; k < PARTS && !s->tally->wrong; k++) {
        const uint32_t first = block + (k << LOG2_PART);
        const struct part part = {first, danger_of(s, first, LOG2_PART), false};
        if (part.danger > most && part.danger > worst.danger) number = s->count;
        if (part.danger > worst.danger) worst = part;
        if (part.danger > most && !add_part(s, part)) return false;
    }
    if (worst.danger > s->worst.danger) s->worst = worst;
    if (!(worst.danger > most)) return true;
    s->parts[number].is_worst = true;
    return judge_part(s, &worst, neighbours_judge_suspect);
}

/* Orders parts by danger, the worst first, and then by their inputs. */
static int compare_parts(const void *left, const void *right)
{
    const struct part *a = left, *b = right;
    if (a->danger != b->danger) return a->danger > b->danger ? -1 : 1;
    return a->first < b->first ? -1 : 1;
}

/* Lists the binades, the worst first. Returns their number. */
static uint32_t find_binades(struct search *s, struct part *binades)
{
    uint32_t count = 0;
    for (uint32_t k = 0; k < DANGER_BINADES && !s->tally->wrong; k++) {
        const uint32_t first = k << LOG2_BINADE;
        if (isnan(f32_of_bits(first | 1))) continue; /* also skips infinities, which the sample includes */
        binades[count++] = (struct part){.first = first, .danger = danger_of(s, first, LOG2_BINADE)};
    }
    qsort(binades, count, sizeof *binades, compare_parts);
    return count;
}

/* Lists the parts in danger. The worst binades come first, so that too much danger shows early. Returns false
 * without memory. */
static bool find_parts(struct search *s)
{
    const struct spec_bound *bound = &s->request->judge->piece->bound;
    const double most = judge_allowed(bound), rounding = bound->kind == BOUND_ABS ? 0x1p-24 : 0.5;
    const double coarse = rounding + BUDGET_COARSE * (most - rounding);
    struct part worst_block = {0}, binades[DANGER_BINADES];
    const uint32_t count = find_binades(s, binades);
    for (uint32_t k = 0; k < count * BLOCKS && !s->tally->wrong; k++) {
        const struct part *binade = &binades[k / BLOCKS];
        if (!progress_goes_on(s->request->progress)) return true;
        if (k >= BLOCKS && binade->danger <= coarse) break;
        const uint32_t first = binade->first + (k % BLOCKS << LOG2_BLOCK);
        const double danger = danger_of(s, first, LOG2_BLOCK);
        if (danger > worst_block.danger) worst_block = (struct part){.first = first, .danger = danger};
        if (danger <= most) continue;
        if (!add_parts(s, first, most)) return false;
        if (is_too_much(s)) return true;
    }
    s->worst.danger = 0;
    return s->count || !(worst_block.danger > 0) || add_parts(s, worst_block.first, INFINITY);
}

static uint32_t known_broken(const struct danger_broken *b)
{
    return b->count < DANGER_BROKEN ? b->count : DANGER_BROKEN;
}

/* Judges inputs of the parts where other programs broke their bound. Returns false without memory. */
static bool judge_broken(struct search *s, judge_inputs_of *judge)
{
    const struct danger_broken *b = s->request->broken;
    bool complete = true;
    for (uint32_t i = 0; i < known_broken(b) && complete && !s->tally->wrong; i++)
        complete = judge_part(s, &(struct part){.first = b->first[i]}, judge);
    return complete;
}

/* Judges inputs of the parts in danger, the worst first. Leaves out the worst parts of the blocks, or the
 * others. Returns false without memory. */
static bool judge_parts(struct search *s, bool of_worst, bool of_others, judge_inputs_of *judge)
{
    bool complete = true;
    for (size_t i = 0; complete && i < s->count && !s->tally->wrong; i++)
        if (s->parts[i].is_worst ? of_worst : of_others) complete = judge_part(s, &s->parts[i], judge);
    return complete;
}

/* Returns whether the formula's values take so much longer than a curve that it pays to look along the curve
 * at all parts first. A node takes a fifth of a nanosecond, and a look three. */
static bool is_long(const struct search *s)
{
    enum { SHORT = 32 };
    uint32_t nodes;
    expr_walk(s->request->memory, s->request->judge->piece->written, &nodes);
    return nodes > SHORT;
}

/* Judges the parts in danger, or the worst of each block if they are too many. Returns false without
 * memory. */
static bool judge_found(struct search *s)
{
    if (has_too_many(s)) return judge_parts(s, true, false, neighbours_judge);
    const bool looks = is_long(s); /* find_parts has looked at the worst parts */
    return judge_parts(s, false, looks, neighbours_judge_suspect) &&
           judge_parts(s, true, true, neighbours_judge);
}

static void note_broken(const struct danger_request *r, const struct tally *t)
{
    struct danger_broken *b = r->broken;
    const bool by_abs = r->judge->piece->bound.kind == BOUND_ABS;
    const uint32_t bits = (uint32_t)(by_abs ? t->max_abs_at : t->max_ulp_at);
    const uint32_t first = bits >> LOG2_PART << LOG2_PART;
    for (uint32_t i = 0; i < known_broken(b); i++)
        if (b->first[i] == first) return;
    b->first[b->count++ % DANGER_BROKEN] = first;
}

enum danger_state danger_judge(const struct danger_request *request, struct tally *tally)
{
    enum { MOST_ASKS = 16 }; /* the limit per binade, for the analysis */
    struct judge *j = request->judge;
    struct search s = {.request = request, .tally = tally};
    enum danger_state state = DANGER_NO_MEMORY;
    s.roundings = roundings_create(j->piece->program, request->memory);
    bool found = s.roundings && judge_broken(&s, neighbours_judge_suspect);
    judge_sparingly(j, MOST_ASKS);
    found = found && (tally->wrong || find_parts(&s));
    /* Makes the reported largest error close to the largest error that exists. */
    if (found && !s.count && s.worst.danger > 0) found = judge_part(&s, &s.worst, neighbours_judge);
    found = found && judge_broken(&s, neighbours_judge);
    judge_sparingly(j, has_too_many(&s) ? MOST_ASKS : 0);
    if (s.count) qsort(s.parts, s.count, sizeof *s.parts, compare_parts);
    found = found && judge_found(&s);
    judge_sparingly(j, 0);
    if (found) state = is_too_much(&s) ? DANGER_TOO_MUCH : DANGER_JUDGED;
    if (tally->wrong) note_broken(request, tally);
    roundings_free(s.roundings);
    free(s.parts);
    return state;
}
