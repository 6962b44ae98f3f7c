/* The sweep: the program's results and values chunk by chunk, and the reference where a rounding is not
 * certain. */
#include "exact_sweep.h"

#include <math.h>
#include <string.h>

enum { BLOCK = EXACT_BLOCK, MOST_ASKED = 1 << 18 };

static uint32_t bits_of(float x)
{
    uint32_t bits;
    memcpy(&bits, &x, sizeof bits);
    return bits;
}

/* Which results may not be the exact value rounded; true if any. */
static inline __attribute__((always_inline)) bool find_doubtful(const float *restrict y,
                                                                const double *restrict value,
                                                                uint32_t *restrict doubtful,
                                                                struct exact_margin m)
{
    uint32_t any = 0;
    for (size_t k = 0; k < BLOCK; k++) {
        const double v = value[k], size = fabs(v), relative = size * m.relative;
        const double margin = size < m.low ? m.absolute : relative;
        const float low = (float)(v - margin), high = (float)(v + margin), middle = y[k];
        uint32_t low_bits, high_bits, bits;
        memcpy(&low_bits, &low, sizeof low_bits);
        memcpy(&high_bits, &high, sizeof high_bits);
        memcpy(&bits, &middle, sizeof bits);
        doubtful[k] =
            (low_bits ^ bits) | (high_bits ^ bits) | (margin < HUGE_VAL ? 0u : 1u) | (v == v ? 0u : 1u);
        any |= doubtful[k];
    }
    return any != 0;
}

static bool find_doubtful_plain(struct exact_block *b, struct exact_margin m)
{
    return find_doubtful(b->y, b->value, b->doubtful, m);
}

#if defined(__x86_64__)
__attribute__((target("avx2"))) static bool find_doubtful_avx2(struct exact_block *b, struct exact_margin m)
{
    return find_doubtful(b->y, b->value, b->doubtful, m);
}
#endif

static bool find_doubtful_in(struct exact_block *b, struct exact_margin m)
{
#if defined(__x86_64__)
    if (__builtin_cpu_supports("avx2")) return find_doubtful_avx2(b, m);
#endif
    return find_doubtful_plain(b, m);
}

static void note_wrong(struct exact_sweep *s, float x, float computed, float right)
{
    if (s->wrong_count == EXACT_MOST_WRONG) {
        s->gave_up = true;
        return;
    }
    s->wrong[s->wrong_count++] = (struct exact_wrong){bits_of(x), computed, right};
}

/* By the reference. */
static void ask(struct exact_sweep *s, float x, float computed)
{
    const double input = (double)x;
    const struct spec_bound *bound = &s->request->plan->bound;
    double rounded, value;
    bool exact_zero = false;
    if (isnan(x)) {
        if (!isnan(computed)) note_wrong(s, x, computed, x);
        return;
    }
    if (isfinite(x) && bound->has_interval && !(bound->low <= input && input <= bound->high)) return;
    s->gave_up = s->gave_up || ++s->asked > MOST_ASKED;
    if (reference_rounded(s->request->truth, &input, 24, -126, 127, &rounded) != REFERENCE_DECIDED) {
        s->undecided++;
        return;
    }
    if (isnan(rounded) ? isnan(computed) : bits_of((float)rounded) == bits_of(computed)) return;
    if (rounded == 0 && computed == 0 &&
        reference_value(s->request->truth, &input, &value, &exact_zero) == REFERENCE_DECIDED && exact_zero)
        return;
    note_wrong(s, x, computed, (float)rounded);
}

static void judge_tiny(struct exact_sweep *s, const struct exact_block *b, const struct exact_side *side)
{
    for (size_t k = 0; k < BLOCK && !s->gave_up; k++) {
        const float right = exact_tiny_value(side, b->x[k]);
        if (bits_of(b->y[k]) == bits_of(right)) continue;
        if (b->x[k] == 0)
            ask(s, b->x[k], b->y[k]);
        else
            note_wrong(s, b->x[k], b->y[k], right);
    }
}

static void judge_constant(struct exact_sweep *s, const struct exact_block *b,
                           const struct exact_chunk *chunk)
{
    for (size_t k = 0; k < BLOCK && !s->gave_up; k++) {
        const bool right = chunk->kind == CHUNK_UNDEFINED ? isnan(b->y[k])
                           : chunk->free_sign             ? b->y[k] == 0
                                                          : bits_of(b->y[k]) == bits_of(chunk->constant);
        if (!right) ask(s, b->x[k], b->y[k]); /* the chunk may reach beyond the bound's interval */
    }
}

static void sweep_block(struct exact_sweep *s, struct exact_block *b, uint32_t chunk, uint32_t first)
{
    const struct exact_chunk *c = &s->chunks[chunk];
    void *operands[3] = {b->x, b->y, b->value};
    for (uint32_t k = 0; k < BLOCK; k++) {
        const uint32_t bits = first + k;
        memcpy(&b->x[k], &bits, sizeof bits);
    }
    interp_run(s->run, operands, BLOCK);
    if (c->kind == CHUNK_TINY) {
        judge_tiny(s, b, &s->request->tiny->side[chunk >= EXACT_CHUNKS / 2]);
    } else if (c->kind != CHUNK_ORDINARY) {
        judge_constant(s, b, c);
    } else if (find_doubtful_in(b, s->margins[chunk])) {
        for (uint32_t k = 0; k < BLOCK && !s->gave_up; k++)
            if (b->doubtful[k]) ask(s, b->x[k], b->y[k]);
    }
}

void exact_sweep_all(struct exact_sweep *s)
{
    s->wrong_count = 0;
    s->asked = s->undecided = 0;
    s->gave_up = false;
    for (uint32_t n = 0; n < EXACT_CHUNKS; n++) {
        const uint32_t chunk = (n & 1 ? EXACT_CHUNKS / 2 : 0) + n / 2, start = chunk << EXACT_LOG2_CHUNK;
        if (s->chunks[chunk].kind == CHUNK_OUTSIDE) continue;
        for (uint32_t k = 0; k < UINT32_C(1) << EXACT_LOG2_CHUNK && !s->gave_up; k += BLOCK)
            sweep_block(s, &s->block, chunk, start + k);
    }
}
