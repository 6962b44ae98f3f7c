/* The plan of a sweep. */
#include "inputs.h"

#include "kinks.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum {
    LIST_CAPACITY = 1 << 14,
    NEIGHBOURS = 64,            /* on each side of a kink or root */
    DENSE_EXHAUSTIVE_LOG2 = 16, /* inputs for the reference alone: 2^this */
    DENSE_SAMPLE_LOG2 = 14,
    SAMPLE_LOG2 = 22,
    NEAR_STRIDE = 256,     /* where most happens, between the magnitudes below */
    NEAR_LOW = 117 << 23,  /* 2^-10 */
    NEAR_HIGH = 134 << 23, /* 2^7 */
};
static const uint32_t SIGN = UINT32_C(1) << 31;

struct list {
    uint32_t *patterns;
    uint64_t count;
};

static void add(struct list *l, uint32_t pattern)
{
    if (l->count < LIST_CAPACITY) l->patterns[l->count++] = pattern;
}

/* Both signs of the magnitude and its neighbours. */
static void add_around(struct list *l, uint32_t magnitude, uint32_t neighbours)
{
    for (uint32_t n = 0; n <= 2 * neighbours; n++) {
        const int64_t pattern = (int64_t)magnitude + n - neighbours;
        if (pattern < 0 || pattern >= (int64_t)SIGN) continue;
        add(l, (uint32_t)pattern);
        add(l, (uint32_t)pattern | SIGN);
    }
}

static uint32_t magnitude_of(double x)
{
    const float f = (float)fabs(x);
    uint32_t bits;
    memcpy(&bits, &f, sizeof bits);
    return bits;
}

static void add_place(void *context, double x)
{
    struct list *l = context;
    if (l->count < LIST_CAPACITY / 2) add_around(l, magnitude_of(x), NEIGHBOURS);
}

/* The formula's kinks and roots. */
static bool add_places(struct list *l, const struct judged_piece *piece)
{
    arena *memory = arena_create(0);
    if (!memory) return false;
    if (setjmp(*arena_escape(memory))) {
        arena_free(memory);
        return false;
    }
    formula_kinks(memory, piece->written, add_place, l);
    arena_free(memory);
    reference *truth = reference_create(piece->written, piece->simplified, piece->variable + 1);
    if (truth && piece->variable == 0) formula_roots(truth, add_place, l);
    reference_free(truth);
    return truth != NULL;
}

static void add_special(struct list *l, const struct judged_piece *piece)
{
    const uint32_t nans[] = {0x7f800001, 0x7fbfffff, 0x7fc00000, 0x7fc12345, 0x7fffffff};
    for (size_t n = 0; n < sizeof nans / sizeof *nans; n++) add_around(l, nans[n], 0);
    add_around(l, 0, 64);
    add_around(l, 0x00800000, 32); /* smallest normal */
    add_around(l, 0x7f800000, 32); /* infinity, and the largest */
    for (uint32_t exponent = 1; exponent < 255; exponent++) add_around(l, exponent << 23, 1);
    if (!piece || !piece->bound.has_interval) return;
    add_around(l, magnitude_of(piece->bound.low), NEIGHBOURS);
    add_around(l, magnitude_of(piece->bound.high), NEIGHBOURS);
}

static int by_pattern(const void *a, const void *b)
{
    const uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
    return (x > y) - (x < y);
}

bool inputs_plan(struct inputs *plan, const struct judged_piece *piece, bool exhaustive)
{
    *plan = (struct inputs){0};
    struct list l = {malloc(LIST_CAPACITY * sizeof *l.patterns), 0};
    if (!l.patterns || (piece && !add_places(&l, piece))) {
        free(l.patterns);
        return false;
    }
    add_special(&l, piece);
    qsort(l.patterns, l.count, sizeof *l.patterns, by_pattern);
    uint64_t unique = 0;
    for (uint64_t n = 0; n < l.count; n++)
        if (n == 0 || l.patterns[n] != l.patterns[unique - 1]) l.patterns[unique++] = l.patterns[n];
    plan->list = l.patterns;
    plan->special = (struct input_run){.count = unique, .list = l.patterns};
    const unsigned dense = exhaustive ? DENSE_EXHAUSTIVE_LOG2 : DENSE_SAMPLE_LOG2;
    plan->dense = (struct input_run){.stride = UINT64_C(1) << (32 - dense), .count = UINT64_C(1) << dense};
    if (exhaustive) {
        plan->sweep[plan->sweep_count++] = (struct input_run){.stride = 1, .count = UINT64_C(1) << 32};
        return true;
    }
    const uint64_t near_count = (NEAR_HIGH - NEAR_LOW) / NEAR_STRIDE;
    plan->sweep[plan->sweep_count++] =
        (struct input_run){.stride = UINT64_C(1) << (32 - SAMPLE_LOG2), .count = UINT64_C(1) << SAMPLE_LOG2};
    plan->sweep[plan->sweep_count++] =
        (struct input_run){.first = NEAR_LOW, .stride = NEAR_STRIDE, .count = near_count};
    plan->sweep[plan->sweep_count++] =
        (struct input_run){.first = NEAR_LOW | SIGN, .stride = NEAR_STRIDE, .count = near_count};
    return true;
}

void inputs_clear(struct inputs *plan) { free(plan->list); }

void inputs_fill(const struct input_run *run, uint64_t first, size_t count, float *out)
{
    if (run->stride == 1) {
        for (size_t k = 0; k < count; k++) {
            const uint32_t bits = (uint32_t)(run->first + first) + (uint32_t)k;
            memcpy(&out[k], &bits, sizeof bits);
        }
        return;
    }
    for (size_t k = 0; k < count; k++) {
        const uint64_t n = first + k;
        uint64_t pattern = run->first + n * run->stride;
        if (run->stride > 1) { /* multiplicative hashing: the high half of n times an odd number */
            const uint64_t mixed = (n + 1) * UINT64_C(0x9e3779b97f4a7c15);
            pattern += mixed >> 32 & (run->stride - 1);
        }
        const uint32_t bits = run->list ? run->list[n] : (uint32_t)pattern;
        memcpy(&out[k], &bits, sizeof bits);
    }
}
