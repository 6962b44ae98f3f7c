/* The sweep: it runs the program chunk by chunk, and asks the reference where a rounding is not certain. */
#include "exact_sweep.h"
#include "budget.h"
#include "float_bits.h"
#include "wider.h"

#include <math.h>
#include <string.h>

enum { BLOCK = EXACT_BLOCK };
/* The most questions to the reference, which takes a microsecond for an algebraic formula and tens of them
 * for others. */
enum { MOST_ASKED_ALGEBRAIC = 1 << 24, MOST_ASKED = 1 << 21 };

/* Marks the results that may differ from the rounded exact value. `low` and `high` are the rounded ends of
 * the exact value's range. Returns true if any result is doubtful. Sets *small if some result is below
 * `least`. */
static inline __attribute__((always_inline)) bool
find_doubtful(const float *restrict y, const float *restrict low, const float *restrict high,
              uint32_t *restrict doubtful, float least, bool *small)
{
    uint32_t any = 0, any_small = 0;
    for (size_t k = 0; k < BLOCK; k++) {
        const float middle = y[k], first = low[k], last = high[k];
        uint32_t low_bits, high_bits, bits;
        memcpy(&low_bits, &first, sizeof low_bits);
        memcpy(&high_bits, &last, sizeof high_bits);
        memcpy(&bits, &middle, sizeof bits);
        doubtful[k] = (low_bits ^ bits) | (high_bits ^ bits) | (middle == middle ? 0u : 1u);
        any |= doubtful[k];
        any_small |= fabsf(middle) < least ? 1u : 0u;
    }
    *small = any_small != 0;
    return any != 0;
}

static bool doubtful_plain(struct exact_block *b, float least, bool *small)
{
    return find_doubtful(b->y, b->low, b->high, b->doubtful, least, small);
}

WIDER_AVX2 static bool doubtful_avx2(struct exact_block *b, float least, bool *small)
{
    return find_doubtful(b->y, b->low, b->high, b->doubtful, least, small);
}

static bool is_doubtful(struct exact_block *b, float least, bool *small)
{
    return runs_avx2() ? doubtful_avx2(b, least, small) : doubtful_plain(b, least, small);
}

/* Runs the block by machine code. Returns true if that worked. */
static bool run_chunk_code(struct exact_sweep *s, struct exact_block *b, const struct exact_margin *m,
                           bool *doubtful)
{
    const struct plan_machine *machine = s->request->plan->machine;
    void *operands[4] = {b->x, b->y, b->low, b->high};
    bool small;
    if (!s->code || (m && m->relative > BUDGET_MARGIN_BUILT)) return false;
    machine->run(s->code, operands, 4, BLOCK);
    if (!m) return true;
    /* A value below m->low rounds to less than the limit here. */
    *doubtful = is_doubtful(b, (float)(m->low * (1 + 0x1p-20)), &small);
    return !small;
}

/* Sets the rounded ends of the exact values' ranges. */
static void set_ends(struct exact_block *b, const struct exact_margin *m)
{
    for (size_t k = 0; k < BLOCK; k++) {
        const double v = b->value[k], size = fabs(v), relative = size * m->relative;
        const double margin = size < m->low ? m->absolute : relative;
        b->low[k] = (float)(v - margin);
        b->high[k] = (float)(v + margin);
    }
}

/* Computes the block's results. If `m` is NULL only the results matter. Otherwise sets *doubtful if any lane
 * is doubtful. */
static void run_block(struct exact_sweep *s, struct exact_block *b, const struct exact_margin *m,
                      bool *doubtful)
{
    void *operands[3] = {b->x, b->y, b->value};
    bool small;
    if (run_chunk_code(s, b, m, doubtful)) return;
    interp *run = exact_part_run(s);
    if (!run) return;
    interp_run(run, operands, BLOCK);
    if (!m) return;
    set_ends(b, m);
    *doubtful = is_doubtful(b, 0, &small);
}

static void note_wrong(struct exact_sweep *s, float x, float computed, float right)
{
    if (s->wrong_count == EXACT_MOST_WRONG) {
        s->gave_up = true;
        return;
    }
    if (!(fabsf(x) <= EXACT_NUDGEABLE) && ++s->far_count > 2 * EXACT_MOST_PATCHES) s->gave_up = true;
    s->wrong[s->wrong_count++] = (struct exact_wrong){bits_of_f32(x), computed, right};
}

/* Checks a result by the reference. */
static void check_by_reference(struct exact_sweep *s, float x, float computed)
{
    const double input = (double)x;
    double rounded, value;
    bool exact_zero = false;
    if (isnan(x)) {
        if (!isnan(computed)) note_wrong(s, x, computed, x);
        return;
    }
    if (isfinite(x) && !bound_holds_at(&s->request->plan->piece.bound, input)) return;
    reference *truth = exact_part_truth(s);
    s->gave_up = s->gave_up || ++s->asked > s->most_asked;
    if (!truth) return;
    if (reference_rounded(truth, &input, &element_types[ELEMENT_F32].format, &rounded) != REFERENCE_DECIDED) {
        s->undecided++;
        return;
    }
    if (isnan(rounded) ? isnan(computed) : bits_of_f32((float)rounded) == bits_of_f32(computed)) return;
    if (rounded == 0 && computed == 0 &&
        reference_value(truth, &input, &value, &exact_zero) == REFERENCE_DECIDED && exact_zero)
        return;
    note_wrong(s, x, computed, (float)rounded);
}

/* Returns true if a and b differ in any bit. */
static bool differs(const float *restrict a, const float *restrict b)
{
    uint32_t any = 0;
    for (size_t k = 0; k < BLOCK; k++) {
        uint32_t a_bits, b_bits;
        memcpy(&a_bits, &a[k], sizeof a_bits);
        memcpy(&b_bits, &b[k], sizeof b_bits);
        any |= a_bits ^ b_bits;
    }
    return any != 0;
}

static void judge_tiny(struct exact_sweep *s, struct exact_block *b, const struct exact_side *side)
{
    float *right = b->low; /* this block has no ends that matter */
    exact_tiny_values(side, BLOCK, b->x, right);
    if (!differs(b->y, right)) return;
    for (size_t k = 0; k < BLOCK && !s->gave_up; k++) {
        if (bits_of_f32(b->y[k]) == bits_of_f32(right[k])) continue;
        if (b->x[k] == 0)
            check_by_reference(s, b->x[k], b->y[k]);
        else
            note_wrong(s, b->x[k], b->y[k], right[k]);
    }
}

static bool is_right_result(const struct exact_chunk *chunk, float y)
{
    if (chunk->kind == CHUNK_UNDEFINED) return isnan(y);
    return chunk->free_sign ? y == 0 : bits_of_f32(y) == bits_of_f32(chunk->constant);
}

static void judge_constant(struct exact_sweep *s, struct exact_block *b, const struct exact_chunk *chunk)
{
    float *constant = b->low;
    for (size_t k = 0; k < BLOCK; k++) constant[k] = chunk->constant;
    if (chunk->kind == CHUNK_CONSTANT && !differs(b->y, constant)) return;
    for (size_t k = 0; k < BLOCK && !s->gave_up; k++) /* the chunk may reach beyond the bound's interval */
        if (!is_right_result(chunk, b->y[k])) check_by_reference(s, b->x[k], b->y[k]);
}

static void sweep_block(struct exact_sweep *s, struct exact_block *b, uint32_t chunk, uint32_t first)
{
    const struct exact_chunk *c = &s->chunks[chunk];
    bool doubtful = false;
    for (uint32_t k = 0; k < BLOCK; k++) {
        const uint32_t bits = first + k;
        memcpy(&b->x[k], &bits, sizeof bits);
    }
    run_block(s, b, c->kind == CHUNK_ORDINARY ? &s->margins[chunk] : NULL, &doubtful);
    if (c->kind == CHUNK_TINY)
        judge_tiny(s, b, &s->request->tiny->side[chunk >= EXACT_CHUNKS / 2]);
    else if (c->kind != CHUNK_ORDINARY)
        judge_constant(s, b, c);
    for (uint32_t k = 0; doubtful && k < BLOCK && !s->gave_up; k++)
        if (b->doubtful[k]) check_by_reference(s, b->x[k], b->y[k]);
}

/* -- parts -- */

void exact_part_begin(struct exact_sweep *out, const struct exact_sweep *sweep)
{
    *out = *sweep;
    out->run = NULL;
    out->truth = NULL;
    out->wrong_count = out->far_count = 0;
    out->asked = out->undecided = out->work = 0;
    out->gave_up = out->no_memory = false;
}

void exact_part_end(struct exact_sweep *part)
{
    if (part->truth) part->work += reference_work(part->truth);
    interp_free(part->run);
    reference_free(part->truth);
    progress_step(part->request->plan->progress);
}

interp *exact_part_run(struct exact_sweep *part)
{
    if (!part->run) part->run = interp_create(part->with_value);
    part->no_memory = part->no_memory || !part->run;
    part->gave_up = part->gave_up || part->no_memory;
    return part->run;
}

reference *exact_part_truth(struct exact_sweep *part)
{
    const struct plan_request *plan = part->request->plan;
    if (!part->truth && (part->truth = reference_create(plan->piece.written, plan->piece.simplified, 1)))
        reference_watch(part->truth, plan->progress);
    part->no_memory = part->no_memory || !part->truth;
    part->gave_up = part->gave_up || part->no_memory;
    return part->truth;
}

/* The parts in the order of the sweep, from 0 outwards on both sides. */
enum { PART_CHUNKS = 8, PARTS = EXACT_CHUNKS / PART_CHUNKS };

struct wave { /* parts that run at the same time */
    struct exact_sweep *sweep;
    uint32_t first;
};

static void sweep_part(void *context, size_t i)
{
    const struct wave *w = context;
    struct exact_sweep *s = &w->sweep->parts[i];
    const uint32_t first = (w->first + (uint32_t)i) * PART_CHUNKS;
    exact_part_begin(s, w->sweep);
    for (uint32_t n = first; n < first + PART_CHUNKS; n++) {
        const uint32_t chunk = (n & 1 ? EXACT_CHUNKS / 2 : 0) + n / 2, start = chunk << EXACT_LOG2_CHUNK;
        if (s->chunks[chunk].kind == CHUNK_OUTSIDE) continue;
        for (uint32_t k = 0; k < UINT32_C(1) << EXACT_LOG2_CHUNK && !s->gave_up; k += BLOCK) {
            sweep_block(s, &s->block, chunk, start + k);
            s->gave_up = s->gave_up || !progress_goes_on(s->request->plan->progress);
        }
    }
    exact_part_end(s);
}

/* Adds the results of a part to the sweep, which may then give up. */
static void take_part(struct exact_sweep *s, const struct exact_sweep *part)
{
    for (size_t k = 0; k < part->wrong_count && !s->gave_up; k++) {
        const struct exact_wrong *w = &part->wrong[k];
        note_wrong(s, f32_of_bits(w->bits), w->computed, w->right);
    }
    s->asked += part->asked;
    s->undecided += part->undecided;
    s->no_memory = s->no_memory || part->no_memory;
    s->gave_up = s->gave_up || part->gave_up || s->asked > s->most_asked;
}

/* The first waves are small, because a hopeless program shows soon. */
void exact_sweep_all(struct exact_sweep *s)
{
    struct progress *progress = s->request->plan->progress;
    struct wave wave = {.sweep = s};
    s->wrong_count = s->far_count = 0;
    s->asked = s->undecided = 0;
    s->gave_up = s->no_memory;
    s->most_asked = expr_is_algebraic(s->request->memory, s->request->plan->piece.simplified)
                        ? MOST_ASKED_ALGEBRAIC
                        : MOST_ASKED;
    progress_begin(progress, "sweeping all inputs", PARTS);
    for (uint32_t size = 1; wave.first < PARTS && !s->gave_up; wave.first += size) {
        if (wave.first >= 2 * size && size < EXACT_MOST_PARTS) size *= 2;
        if (size > PARTS - wave.first) size = PARTS - wave.first;
        progress_parallel(progress, size, sweep_part, &wave);
        for (uint32_t i = 0; i < size; i++) {
            if (!s->gave_up) take_part(s, &s->parts[i]);
            reference_add_work(s->request->truth, s->parts[i].work);
        }
    }
}
