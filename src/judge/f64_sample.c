/* Chooses the inputs on which plans of f64 are measured, finds the exact values there, and measures. */
#include "f64_sample.h"
#include "bounds.h"
#include "budget.h"
#include "float_bits.h"
#include "places.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum {
    CORE_FIRST = -40,
    CORE_LAST = 12,
    PER_CORE_BINADE = 40,
    FAR_STEP = 3,
    AS_WRITTEN = 8,
    MOST_CHANGES = 40,
    MOST_JUMPS = 64,
    MOST_PLACES = 32,
    MOST_KINKS = 64,
    HALVINGS = 66
};

static void add_sample(struct f64_sample *s, reference *truth, double x)
{
    s->x = arena_with_room(s->memory, s->x, s->count, sizeof *s->x);
    s->exact = arena_with_room(s->memory, s->exact, s->count, sizeof *s->exact);
    s->x[s->count] = x;
    s->exact[s->count] = (struct exact_value){.high = NAN};
    if (!isnan(x)) exact_value_find(&s->exact[s->count], truth, &x);
    s->count++;
}

static void add_as_written(struct f64_sample *s, double x) { add_sample(s, s->truth, x); }

static uint64_t stirred(uint64_t *state)
{
    *state += UINT64_C(0x9e3779b97f4a7c15); /* splitmix64 */
    uint64_t z = *state;
    z = (z ^ z >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
    z = (z ^ z >> 27) * UINT64_C(0x94d049bb133111eb);
    return z ^ z >> 31;
}

/* Adds inputs from the least x to the largest, so that changes show. Most values come from the simplified
 * formula. This is many times quicker where the formula as written cancels. */
static void add_binades(struct f64_sample *s, uint64_t seed)
{
    for (int side = 0; side < 2; side++)
        for (int step = 0; step < 2046 + 4; step++) {
            const int place = side ? step : 2046 + 3 - step; /* 0..3: subnormals */
            const int exponent = place - 4 - 1022;
            const bool core = exponent >= CORE_FIRST && exponent <= CORE_LAST;
            const unsigned count = core ? PER_CORE_BINADE : place < 8 || place % FAR_STEP == 0;
            for (unsigned i = 0; i < count; i++) {
                const unsigned part = side ? i : count - 1 - i;
                const double fraction = ((double)part + ldexp((double)(stirred(&seed) >> 11), -53)) / count;
                const double x = place < 4 ? ldexp(floor((1 + fraction) * 0x1p13), -1074 + 12 * place)
                                           : ldexp(1 + fraction, exponent);
                add_sample(s, i % AS_WRITTEN ? s->simplified : s->truth, side ? x : -x);
            }
        }
}

/* Returns the kind of a value. A change of kind between neighbours must not remain unseen. */
static int kind_of_value(const struct exact_value *e)
{
    if (isnan(e->high)) return 9;
    const int sign = signbit(e->high) ? -1 : 1;
    if (isinf(e->high) || (e->high != 0 && e->exponent > 1023)) return 4 * sign;
    if (e->high == 0 || e->exponent < -1076) return e->zero ? 0 : sign;
    return sign * (e->exponent < -1022 ? 2 : 3);
}

/* Adds inputs around x at distances of 1, 2, 4, ... units in the last place. */
static void add_surroundings(struct f64_sample *s, double x)
{
    const uint64_t bits = bits_of_f64(x);
    add_as_written(s, x);
    for (unsigned k = 0; k < 50; k++)
        for (int side = 0; side < 2; side++) {
            const uint64_t distance = (UINT64_C(1) << k) + (k > 3 ? (UINT64_C(5) << k >> 4) : 0);
            const double y = f64_of_bits(side ? bits + distance : bits - distance);
            if (!isnan(y)) add_as_written(s, y);
        }
}

/* Returns a number that orders the doubles. */
static int64_t ordinal(double x)
{
    const int64_t bits = (int64_t)(bits_of_f64(x) & INT64_MAX);
    return signbit(x) ? -bits : bits;
}
static double of_ordinal(int64_t n) { return n < 0 ? -f64_of_bits((uint64_t)-n) : f64_of_bits((uint64_t)n); }

static void add_change(struct f64_sample *s, double low, double high, int kind_low, int kind_high)
{
    int64_t a = ordinal(low), b = ordinal(high);
    for (int i = 0; i < HALVINGS && b - a > 1; i++) {
        const int64_t middle = a + (b - a) / 2;
        const double x = of_ordinal(middle);
        struct exact_value e;
        exact_value_find(&e, s->truth, &x);
        if (kind_of_value(&e) == kind_low)
            a = middle;
        else
            b = middle;
    }
    const bool is_root = kind_low != 9 && kind_high != 9 && kind_low * kind_high < 0 && abs(kind_low) < 4;
    const double place = of_ordinal(b);
    if (is_root && s->root_count < sizeof s->roots / sizeof *s->roots && fabs(place) > 0x1p-1000)
        s->roots[s->root_count++] = place;
    add_surroundings(s, place);
}

static void add_changes(struct f64_sample *s, size_t first, size_t count)
{
    unsigned changes = 0;
    for (size_t i = first + 1; i < first + count && changes < MOST_CHANGES; i++) {
        const int before = kind_of_value(&s->exact[i - 1]), now = kind_of_value(&s->exact[i]);
        const double low = s->x[i - 1], high = s->x[i];
        if (before == now || !(low < high)) continue;
        add_change(s, low, high, before, now);
        changes++;
    }
}

/* Adds inputs near roots and extremes that the sample does not show as changes of kind. These are two simple
 * roots, or a double one, between neighbours. Adds some neighbours and one input in each octave of distances,
 * because ulps vanish with a power of the distance. */
static void add_places(struct f64_sample *s)
{
    enum { NEAR = 4, OCTAVES = 20 };
    uint64_t places[MOST_PLACES];
    const size_t count = places_find_f64(places, MOST_PLACES, s->truth);
    for (size_t i = 0; i < count; i++)
        for (unsigned k = 0; k < 2 * (NEAR + OCTAVES); k++) {
            const uint64_t distance = k / 2 < NEAR ? k / 2 : UINT64_C(5) << (k / 2 - NEAR);
            const double x = f64_of_bits(k & 1 ? places[i] + distance : places[i] - distance);
            if (isfinite(x)) add_as_written(s, x);
        }
}

/* -- steps -- */

static bool are_equal(const struct exact_value *a, const struct exact_value *b)
{
    return a->high == b->high && a->low == b->low && a->exponent == b->exponent;
}

/* Adds the inputs on both sides of a place where a step function of x jumps. Its values at `low` and `high`
 * differ. */
static void add_jump(struct f64_sample *s, reference *step, double low, double high, int64_t inputs)
{
    int64_t a = ordinal(low), b = ordinal(high);
    struct exact_value before, e;
    exact_value_find(&before, step, &low);
    while (b - a > 1) {
        const int64_t middle = a + (b - a) / 2;
        const double x = of_ordinal(middle);
        exact_value_find(&e, step, &x);
        *(are_equal(&e, &before) ? &a : &b) = middle;
    }
    for (int64_t i = 1 - inputs; i <= inputs; i++) add_as_written(s, of_ordinal(a + i));
}

static double size_of(const struct exact_value *e)
{
    return fabs(ldexp(e->high, (int)fmin((double)e->exponent, 1000)));
}

/* Adds jumps of a step function between inputs of the sample, spread over all that there are. Where the
 * argument is not exact, an input beside a jump may fall on its other side. */
static void add_jumps(struct f64_sample *s, reference *step, size_t first, size_t count)
{
    enum { PARTS = 6, NEAR = 16 };
    static const double has_fraction = 0x1p52; /* An argument from here on is an integer. */
    size_t *place = arena_alloc(s->memory, (count + 1) * sizeof *place), jumps = 0;
    struct exact_value before = {.high = NAN}, e;
    for (size_t i = first; i < first + count; i++, before = e) {
        exact_value_find(&e, step, &s->x[i]);
        const bool jumps_here = i > first && s->x[i - 1] < s->x[i] && !are_equal(&before, &e);
        if (jumps_here && fmin(size_of(&before), size_of(&e)) < has_fraction) place[jumps++] = i;
    }
    for (size_t k = 0; k < jumps; k++) {
        /* At both ends the argument has the fewest bits behind the point, so that neighbours jump as well. */
        const bool is_far = k < MOST_JUMPS / 8 || jumps - k <= MOST_JUMPS / 8;
        const size_t before_k = k * MOST_JUMPS / jumps, up_to_k = (k + 1) * MOST_JUMPS / jumps;
        const double low = s->x[place[k] - 1], high = s->x[place[k]];
        const int64_t part = (ordinal(high) - ordinal(low)) / PARTS;
        if (before_k < up_to_k) add_jump(s, step, low, high, 1);
        for (int64_t i = 0; is_far && i < PARTS; i++)
            add_jump(s, step, of_ordinal(ordinal(low) + i * part), high, NEAR);
    }
}

/* Adds jumps of each step function in the formula. */
static void add_steps(struct f64_sample *s, const expr *formula, size_t first, size_t count)
{
    uint32_t nodes;
    const expr **node = expr_walk(s->memory, formula, &nodes);
    for (uint32_t i = 0; i < nodes; i++) {
        if (expr_functions[node[i]->kind].nature != NATURE_STEPS) continue;
        reference *step = reference_create(node[i], node[i], 1);
        if (step) add_jumps(s, step, first, count);
        reference_free(step);
    }
}

/* Adds many inputs in the binades where functions change most. */
static void add_middle(struct f64_sample *s, uint64_t seed)
{
    enum { FIRST = -9, LAST = 9, INPUTS = 160 };
    for (int exponent = FIRST; exponent <= LAST; exponent++)
        for (unsigned i = 0; i < 2 * INPUTS; i++) {
            const double x = ldexp(1 + ldexp((double)(stirred(&seed) >> 11), -53), exponent);
            add_sample(s, s->simplified, i & 1 ? x : -x);
        }
}

static void fill_sample(struct f64_sample *s, const expr *written, struct traits *traits)
{
    static const double special[] = {0.0,
                                     0x1p-1074,
                                     0x0.fffffffffffffp-1022,
                                     0x1p-1022,
                                     1,
                                     0x1.fffffffffffffp1023,
                                     (double)INFINITY,
                                     (double)NAN};
    for (size_t i = 0; i < sizeof special / sizeof *special; i++) {
        add_as_written(s, special[i]);
        add_as_written(s, -special[i]);
    }
    if (s->exact[0].high == 0) s->roots[s->root_count++] = 0;
    const size_t first = s->count;
    add_binades(s, 1);
    const size_t binades = s->count - first;
    add_changes(s, first, binades);
    add_steps(s, written, first, binades);
    add_places(s);
    unsigned kinks;
    const double *kink = traits_kinks(traits, &kinks);
    for (unsigned i = 0; i < kinks && i < MOST_KINKS; i++) add_surroundings(s, kink[i]);
    s->own = s->count;
}

struct f64_sample *f64_sample_create(arena *memory, const struct plan_request *request, struct traits *traits)
{
    struct f64_sample *s = arena_alloc(memory, sizeof *s);
    s->memory = memory;
    s->truth = reference_create(request->piece.written, request->piece.simplified, 1);
    s->simplified = reference_create(request->piece.simplified, request->piece.simplified, 1);
    if (!s->truth || !s->simplified) {
        f64_sample_free(s);
        return NULL;
    }
    reference_watch(s->truth, request->progress);
    reference_watch(s->simplified, request->progress);
    fill_sample(s, request->piece.written, traits);
    return s;
}

void f64_sample_free(struct f64_sample *s)
{
    reference_free(s->truth);
    reference_free(s->simplified);
}

void f64_sample_begin(struct f64_sample *s) { s->count = s->own; }

/* -- measuring -- */

enum { NEIGHBOURS = 64, ROUNDS = 3 };

static bool judge_from(struct tally *t, const lane_program *p, const struct f64_sample *s, size_t first,
                       const struct spec_bound *bound)
{
    const size_t count = s->count - first;
    double *y = arena_alloc(s->memory, (count + 1) * sizeof *y);
    if (!program_values(p, ELEMENT_F64, s->x + first, y, count)) return false;
    for (size_t i = 0; i < count; i++)
        judge_f64_result(t, bound, s->x[first + i], y[i], &s->exact[first + i]);
    return true;
}

bool f64_sample_measure(struct tally *tally, struct f64_sample *s, const lane_program *program,
                        const struct spec_bound *bound)
{
    return judge_from(tally, program, s, 0, bound);
}

/* Judges the inputs around the worst ones so far, at growing distances. */
static bool judge_worst(struct tally *t, const lane_program *p, struct f64_sample *s,
                        const struct spec_bound *bound)
{
    for (int round = 0; round < ROUNDS; round++) {
        const uint64_t worst = bound->kind == BOUND_ABS ? t->max_abs_at : t->max_ulp_at;
        const size_t first = s->count;
        for (uint64_t i = 1; i <= NEIGHBOURS; i++) {
            const uint64_t distance = i * (i << (i / 2 < 40 ? i / 2 : 40)),
                           bits = i & 1 ? worst + distance : worst - distance;
            const double x = f64_of_bits(bits);
            if (isfinite(x)) add_as_written(s, x);
        }
        if (!judge_from(t, p, s, first, bound)) return false;
        if (worst == (bound->kind == BOUND_ABS ? t->max_abs_at : t->max_ulp_at)) break;
    }
    return true;
}

/* Judges another sample, of inputs that the first one has too few of. Where errors are noise, only many
 * inputs show its extremes. */
static bool judge_more(struct tally *t, const lane_program *p, struct f64_sample *s,
                       const struct spec_bound *bound)
{
    if (!s->confirmation) {
        s->confirmation = arena_alloc(s->memory, sizeof *s->confirmation);
        *s->confirmation =
            (struct f64_sample){.memory = s->memory, .truth = s->truth, .simplified = s->simplified};
        add_middle(s->confirmation, 2);
    }
    return judge_from(t, p, s->confirmation, 0, bound);
}

/* Returns whether a plan is kept. A plan must keep some of the bound in reserve (budget.h), because no sample
 * has the worst input. A plan that is right by construction needs no reserve. Correct rounding has no
 * reserve, because only a single rounding promises it. */
static bool keeps_reserve(const struct tally *t, const struct measured *what, const struct spec_bound *bound,
                          double most)
{
    const double share = bound_share(bound, ELEMENT_F64, bound_error(bound, t));
    return !t->wrong && !t->undecided && (what->is_right || (!judge_is_exact(bound) && share <= most));
}

bool f64_sample_confirm(bool *kept, struct tally *tally, struct f64_sample *s, const struct measured *what,
                        const struct spec_bound *bound)
{
    const double most =
        budget_of_sample(what->many_roundings ? BUDGET_ROUNDINGS_PLAIN : BUDGET_ROUNDINGS_EXTENDED);
    bool ran = true;
    *kept = keeps_reserve(tally, what, bound, most);
    if (*kept) ran = judge_worst(tally, what->program, s, bound);
    *kept = keeps_reserve(tally, what, bound, most);
    if (*kept && !keeps_reserve(tally, what, bound, BUDGET_UNCONFIRMED))
        ran = ran && judge_more(tally, what->program, s, bound);
    *kept = keeps_reserve(tally, what, bound, most);
    return ran;
}
