/* Plans the inputs of a sweep. */
#include "inputs.h"

#include "element.h"
#include "float_bits.h"
#include "kinks.h"
#include "places.h"

#include <stdlib.h>

enum {
    NEIGHBOURS = PLACES_BESIDE, /* patterns on each side of a kink or root */
    DENSE_EXHAUSTIVE_LOG2 = 16, /* log2 of the inputs that only the reference judges */
    DENSE_SAMPLE_LOG2 = 14,     /* the same for the largest sample, as is NEAR_LOG2 */
    DENSE_HALF_LOG2 = 11,       /* the same for a 16-bit type, at most */
    NEAR_LOW = -10,             /* range of exponents in which most happens */
    NEAR_HIGH = 7,
    NEAR_HIGH_WIDE = 10, /* the same for f64, whose exponential ends at 709 */
    NEAR_LOG2 = 15,      /* log2 of the inputs in each of these binades */
    MOST_CHANGES = 64,
};

struct list {
    enum element_type type;
    uint64_t sign; /* sign bit of the type */
    uint64_t *patterns;
    uint64_t count, room;
    bool is_short; /* memory has run out */
};

static unsigned width_of(enum element_type type) { return element_types[type].bits; }

/* Returns the pattern of 2^exponent, a normal number. */
static uint64_t pattern_of_power(enum element_type type, int exponent)
{
    const struct element_type_info *t = &element_types[type];
    return (uint64_t)(exponent - t->format.min_exponent + 1) << (t->format.precision - 1);
}

static void add_pattern(struct list *l, uint64_t pattern)
{
    if (l->count == l->room && !l->is_short) {
        const uint64_t room = l->room ? 2 * l->room : 1 << 12;
        uint64_t *more = realloc(l->patterns, room * sizeof *more);
        l->is_short = !more;
        if (more) l->patterns = more, l->room = room;
    }
    if (!l->is_short) l->patterns[l->count++] = pattern;
}

/* Adds both signs of the magnitude and of its neighbours. */
static void add_around(struct list *l, uint64_t magnitude, uint64_t neighbours)
{
    for (uint64_t n = 0; n <= 2 * neighbours; n++) {
        const uint64_t pattern = magnitude + n - neighbours;
        if (magnitude + n < neighbours || pattern >= l->sign) continue;
        add_pattern(l, pattern);
        add_pattern(l, pattern | l->sign);
    }
}

static uint64_t magnitude_of(const struct list *l, double x) { return element_types[l->type].near(fabs(x)); }

/* Adds the neighbours of a kink. For f64 it adds some inputs at every distance as well. */
static void add_kink(void *context, double x)
{
    struct list *l = context;
    const uint64_t magnitude = magnitude_of(l, x);
    add_around(l, magnitude, NEIGHBOURS);
    for (int k = 6; l->type == ELEMENT_F64 && k < element_types[l->type].format.precision - 1; k++) {
        add_around(l, magnitude + (UINT64_C(3) << k), 0);
        if (magnitude > UINT64_C(3) << k) add_around(l, magnitude - (UINT64_C(3) << k), 0);
    }
}

static bool add_kinks(struct list *l, const struct piece *piece)
{
    arena *memory = arena_create(0);
    if (!memory) return false;
    if (setjmp(*arena_escape(memory))) {
        arena_free(memory);
        return false;
    }
    formula_kinks(memory, piece->written, add_kink, l);
    arena_free(memory);
    return true;
}

/* -- where the formula vanishes, turns back, or ends -- */

static void add_place(struct list *l, uint64_t place)
{
    const uint64_t sign = place & l->sign, magnitude = place & (l->sign - 1);
    for (uint64_t n = 0; n <= 2 * NEIGHBOURS; n++)
        if (magnitude + n >= NEIGHBOURS && magnitude + n - NEIGHBOURS < l->sign)
            add_pattern(l, (magnitude + n - NEIGHBOURS) | sign);
}

static bool add_places_f32(struct list *l, const struct piece *piece, reference *truth)
{
    struct places places;
    arena *memory = arena_create(0);
    if (!memory) return false;
    if (setjmp(*arena_escape(memory))) {
        arena_free(memory);
        return false;
    }
    places_find(&places, memory, piece->simplified, truth);
    for (uint32_t i = 0; i < places.near_count; i++) add_place(l, places.near[i]);
    for (uint32_t i = 0; i < places.alone_count; i++) add_pattern(l, places.alone[i]);
    arena_free(memory);
    return true;
}

static void add_places_f64(struct list *l, reference *truth)
{
    uint64_t places[MOST_CHANGES];
    const size_t count = places_find_f64(places, MOST_CHANGES, truth);
    for (size_t i = 0; i < count; i++) add_place(l, places[i]);
}

/* Adds places for f32 and f64. All inputs of other types are tried anyway. */
static bool add_places(struct list *l, const struct piece *piece)
{
    reference *truth = reference_create(piece->written, piece->simplified, 1);
    bool ready = truth;
    if (ready && l->type == ELEMENT_F32) ready = add_places_f32(l, piece, truth);
    if (ready && l->type == ELEMENT_F64) add_places_f64(l, truth);
    reference_free(truth);
    return ready;
}

/* Adds the integers near 0 and near powers of 2, of both signs. For 8 bits these are all. */
static void add_integers(struct list *l)
{
    const uint64_t last = 2 * l->sign - 1;
    for (uint64_t n = 0; n < 128; n++) add_pattern(l, n), add_pattern(l, last - n);
    for (uint64_t power = 1; power < l->sign; power *= 2)
        for (uint64_t n = power - 1; n <= power + 1; n++) add_pattern(l, n), add_pattern(l, last - n);
}

static void add_special(struct list *l, const struct piece *piece)
{
    const struct element_type_info *t = &element_types[l->type];
    if (element_is_integer(l->type)) {
        add_integers(l);
        return;
    }
    const uint64_t infinity = t->near(t->format.largest) + 1,
                   fraction = pattern_of_power(l->type, t->format.min_exponent);
    const uint64_t quiet = infinity | fraction >> 1;
    const uint64_t nans[] = {infinity + 1, quiet - 1, quiet, quiet | fraction / 5, l->sign - 1};
    for (size_t n = 0; n < sizeof nans / sizeof *nans; n++) add_around(l, nans[n], 0);
    add_around(l, 0, 64);
    add_around(l, fraction, 32); /* smallest normal number */
    add_around(l, infinity, 32); /* includes the largest number */
    for (int exponent = t->format.min_exponent; exponent <= t->format.max_exponent; exponent++)
        add_around(l, pattern_of_power(l->type, exponent), 1);
    if (!piece || !piece->bound.has_interval) return;
    add_around(l, magnitude_of(l, piece->bound.low), NEIGHBOURS);
    add_around(l, magnitude_of(l, piece->bound.high), NEIGHBOURS);
}

static int by_pattern(const void *a, const void *b)
{
    const uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
    return (x > y) - (x < y);
}

/* Returns a run of 2^log2_most patterns spread over all, or all patterns if there are fewer, as for a
 * mask. */
static struct input_run spread(enum element_type type, unsigned log2_most)
{
    const unsigned width = width_of(type), log2_count = log2_most < width ? log2_most : width;
    return (struct input_run){
        .type = type, .stride = UINT64_C(1) << (width - log2_count), .count = UINT64_C(1) << log2_count};
}

unsigned inputs_less_log2(const actgen_verify_options *options)
{
    const bool is_sample = options->sample_log2 && !options->exhaustive;
    return is_sample ? ACTGEN_MAX_SAMPLE_LOG2 - options->sample_log2 : 0;
}

static unsigned sweep_log2(enum element_type type, const actgen_verify_options *options)
{
    const bool all =
        element_is_half(type) || element_is_nibble(type) || (options->exhaustive && type == ELEMENT_F32);
    return all ? width_of(type) : ACTGEN_MAX_SAMPLE_LOG2 - inputs_less_log2(options);
}

static unsigned near_log2(const actgen_verify_options *options)
{
    return NEAR_LOG2 - inputs_less_log2(options);
}

static unsigned near_binades(enum element_type type)
{
    return (unsigned)((type == ELEMENT_F64 ? NEAR_HIGH_WIDE : NEAR_HIGH) - NEAR_LOW);
}

double inputs_expected(enum element_type type, const actgen_verify_options *options)
{
    const unsigned all = sweep_log2(type, options);
    const double near = ldexp(2.0 * near_binades(type), (int)near_log2(options));
    return ldexp(1, (int)all) + (all < width_of(type) ? near : 0);
}

static void plan_sweep(struct inputs *plan, enum element_type type, const actgen_verify_options *options)
{
    const unsigned log2_count = sweep_log2(type, options), near = near_log2(options);
    plan->all = log2_count == width_of(type);
    plan->sweep[plan->sweep_count++] = spread(type, log2_count);
    for (uint64_t negative = 0; !plan->all && negative < 2; negative++) {
        const uint64_t count = (uint64_t)near_binades(type) << near;
        struct input_run *run = &plan->sweep[plan->sweep_count++];
        *run = (struct input_run){.type = type, .first = negative ? -count : 0, .stride = 1, .count = count};
        if (element_is_integer(type)) continue;
        run->first = pattern_of_power(type, NEAR_LOW) | negative << (width_of(type) - 1);
        run->stride = UINT64_C(1) << ((unsigned)element_types[type].format.precision - 1 - near);
    }
}

/* Returns the patterns as a run, sorted and without repetitions. */
static struct input_run run_of(struct list *l)
{
    uint64_t unique = 0;
    if (l->count) qsort(l->patterns, l->count, sizeof *l->patterns, by_pattern);
    for (uint64_t n = 0; n < l->count; n++)
        if (n == 0 || l->patterns[n] != l->patterns[unique - 1]) l->patterns[unique++] = l->patterns[n];
    return (struct input_run){.type = l->type, .count = unique, .list = l->patterns};
}

/* Adds the worst inputs that planning found, so that no report shows a smaller error than the certificate.
 * All inputs of narrower types are tried anyway. */
static void add_known(struct list *l, const struct tally *known)
{
    if (!known || !known->decided_any || (l->type != ELEMENT_F32 && l->type != ELEMENT_F64)) return;
    add_pattern(l, known->max_ulp_at);
    add_pattern(l, known->max_abs_at);
}

bool inputs_plan(struct inputs *plan, const struct piece *piece, enum element_type type,
                 const struct tally *known, const actgen_verify_options *options)
{
    const uint64_t sign = UINT64_C(1) << (width_of(type) - 1);
    struct list special = {.type = type, .sign = sign}, places = special;
    *plan = (struct inputs){0};
    plan_sweep(plan, type, options);
    bool complete = !piece || add_kinks(&special, piece);
    add_special(&special, piece);
    add_known(&special, known);
    complete = complete && (!piece || plan->all || add_places(&places, piece));
    plan->special = run_of(&special);
    plan->dense = spread(type, element_is_half(type) || element_is_nibble(type) ? DENSE_HALF_LOG2
                               : options->exhaustive                            ? DENSE_EXHAUSTIVE_LOG2
                                                     : DENSE_SAMPLE_LOG2 - inputs_less_log2(options));
    if (places.count) plan->sweep[plan->sweep_count++] = run_of(&places);
    plan->list[0] = special.patterns;
    plan->list[1] = places.patterns;
    if (complete && !special.is_short && !places.is_short) return true;
    inputs_clear(plan);
    return false;
}

void inputs_clear(struct inputs *plan)
{
    for (size_t i = 0; i < sizeof plan->list / sizeof *plan->list; i++) free(plan->list[i]);
}

static uint64_t pattern_at(const struct input_run *run, uint64_t n)
{
    if (run->list) return run->list[n];
    /* multiplicative hashing: takes the high half of n times an odd number */
    const uint64_t mixed = (n + 1) * UINT64_C(0x9e3779b97f4a7c15), low = mixed * UINT64_C(0xd1342543de82ef95);
    return run->first + n * run->stride + ((mixed >> 32 | low >> 32 << 32) & (run->stride - 1));
}

void inputs_fill(const struct input_run *run, uint64_t first, size_t count, void *out)
{
    if (run->stride == 1 && run->type == ELEMENT_F32) { /* a sweep may have 2^32 of these */
        for (size_t k = 0; k < count; k++) {
            const uint32_t bits = (uint32_t)(run->first + first) + (uint32_t)k;
            memcpy((char *)out + k * sizeof bits, &bits, sizeof bits);
        }
        return;
    }
    for (size_t k = 0; k < count; k++) element_set(out, run->type, k, pattern_at(run, first + k));
}
