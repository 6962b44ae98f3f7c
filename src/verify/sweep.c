/* Runs one shard of a sweep. A shard owns everything that it needs, so shards may run in parallel. */
#include "sweep.h"

#include "bits.h"
#include "element.h"
#include "interp.h"
#include "narrowed.h"

#include <math.h>
#include <setjmp.h>
#include <stdlib.h>

struct worker {
    const struct sweep *sweep;
    arena *memory;   /* arena of programs for this shard's inputs only; NULL if there are none */
    float low, high; /* range of these inputs */
    interp *piece;
    struct bits *bits;
    struct judge judge;
    _Alignas(64) double elements[BITS_BLOCK]; /* the inputs in their own type */
    _Alignas(64) double results[BITS_BLOCK];  /* those of a judged function in their own type */
    double wide[BITS_BLOCK];
    float x[BITS_BLOCK], computed[BITS_BLOCK];
};

static bool is_wide(const struct piece *piece) { return piece && piece->argument == ELEMENT_F64; }

static void worker_free(struct worker *w)
{
    interp_free(w->piece);
    bits_free(w->bits);
    if (w->sweep->piece) judge_clear(&w->judge);
    arena_free(w->memory);
    free(w);
}

/* Finds the range of all inputs of a shard. Returns false if they are not neighbours of one sign, not f32, or
 * not finite. */
static bool interval_of(const struct input_run *run, uint64_t first, uint64_t count, float *low, float *high)
{
    if (run->type != ELEMENT_F32 || run->list || run->stride != 1 || !count) return false;
    const uint32_t begin = (uint32_t)(run->first + first), end = begin + (uint32_t)(count - 1);
    const float near = f32_of_bits(begin), far = f32_of_bits(end);
    if (!isfinite(near) || !isfinite(far) || begin >> 31 != end >> 31) return false;
    *low = begin >> 31 ? far : near;
    *high = begin >> 31 ? near : far;
    return true;
}

/* Returns the program narrowed to the shard's inputs, or the program itself if nothing is known about
 * them. */
static const lane_program *narrowed(const struct worker *w, const lane_program *p)
{
    return w->memory ? lane_narrowed(w->memory, p, (double)w->low, (double)w->high) : p;
}

static bool worker_init(struct worker *w)
{
    const struct sweep *s = w->sweep;
    if (w->memory && setjmp(*arena_escape(w->memory))) return false;
    if (s->piece && !judge_init(&w->judge, s->piece)) return false;
    if (s->piece && s->beginning) reference_begin(w->judge.truth, s->beginning);
    if (s->piece && w->memory) judge_enter(&w->judge, w->low, w->high);
    if (s->with_bits) {
        w->bits = bits_create(s->subject, NULL);
        if (!w->bits || !bits_run_program(w->bits, narrowed(w, s->subject->kernel->program))) return false;
    }
    if (!s->piece || s->shares_program || s->judged) return true;
    w->piece = interp_create(narrowed(w, s->program ? s->program : s->piece->program));
    return w->piece;
}

/* Creates a worker for a shard of the run. Programs may be simpler for its inputs than elsewhere. */
static struct worker *worker_create(const struct sweep *s, const struct input_run *run, uint64_t first,
                                    uint64_t count)
{
    struct worker *w = calloc(1, sizeof *w);
    if (!w) return NULL;
    w->sweep = s;
    const bool has_interval = interval_of(run, first, count, &w->low, &w->high);
    if (has_interval) w->memory = arena_create(0);
    if ((!has_interval || w->memory) && worker_init(w)) return w;
    worker_free(w);
    return NULL;
}

/* Returns `n` elements as f32. They are in `out` unless they are f32 already. */
static const float *as_f32(const void *elements, enum element_type type, size_t n, float *out)
{
    if (type == ELEMENT_F32) return elements;
    for (size_t k = 0; k < n; k++) out[k] = (float)element_types[type].value(element_get(elements, type, k));
    return out;
}

/* Rounds to the values that a kernel would store. Integers do not saturate yet. */
static void round_to_element(float *computed, enum element_type type, size_t n)
{
    if (!element_is_half(type)) return;
    for (size_t k = 0; k < n; k++) computed[k] = element_types[type].rounded(computed[k]);
}

/* Runs the judged function. Its results become `wide` or `computed`. */
static const float *run_judged(struct worker *w, enum element_type result, size_t count)
{
    w->sweep->judged(w->sweep->judged_payload, count, w->elements, w->results);
    for (size_t k = 0; k < count && is_wide(w->sweep->piece); k++)
        w->wide[k] = element_types[result].value(element_get(w->results, result, k));
    return as_f32(w->results, result, count, w->computed);
}

static void do_block(struct worker *w, enum element_type type, size_t count, struct tally *tally)
{
    const struct piece *piece = w->sweep->piece;
    if (w->bits) {
        struct bits_count found = {0};
        bits_compare(w->bits, w->elements, count, &found);
        tally->bits_compared += found.compared;
        tally->bits_differ += found.differ;
    }
    if (!piece) return;
    const float *judged = w->sweep->judged ? run_judged(w, piece->result, count) : NULL;
    if (is_wide(piece)) {
        if (!judged) interp_run(w->piece, (void *[]){w->elements, w->wide}, count);
        judge_f64_block(&w->judge, w->elements, w->wide, count, w->sweep->ask_all, tally);
        return;
    }
    const float *x = as_f32(w->elements, type, count, w->x), *computed = w->computed;
    if (judged) {
        computed = judged;
    } else if (w->piece) {
        interp_run(w->piece, (void *[]){(void *)x, w->computed}, count);
        round_to_element(w->computed, piece->result, count);
    } else {
        computed = as_f32(bits_result(w->bits), piece->result, count, w->computed);
    }
    judge_results(&w->judge, x, computed, count, w->sweep->ask_all, tally);
}

bool sweep_shard(const struct sweep *s, const struct input_run *run, uint64_t first, uint64_t count,
                 bool *distrust, struct tally *tally)
{
    struct worker *w = worker_create(s, run, first, count);
    if (!w) return false;
    w->judge.distrust = *distrust;
    for (uint64_t done = 0; done < count; done += BITS_BLOCK) {
        const size_t n = count - done < BITS_BLOCK ? (size_t)(count - done) : BITS_BLOCK;
        inputs_fill(run, first + done, n, w->elements);
        do_block(w, run->type, n, tally);
    }
    *distrust = w->judge.distrust;
    worker_free(w);
    return true;
}

bool sweep_same_program(const lane_program *a, const lane_program *b)
{
    if (a == b) return true;
    if (a->count != b->count || a->table_count != b->table_count) return false;
    for (uint32_t n = 0; n < a->count; n++) {
        const struct lane_instruction *x = &a->code[n], *y = &b->code[n];
        if (x->op != y->op || x->type != y->type || x->index != y->index || x->bits != y->bits ||
            memcmp(x->operand, y->operand, sizeof x->operand) != 0)
            return false;
    }
    for (uint32_t t = 0; t < a->table_count; t++)
        if (a->tables[t].type != b->tables[t].type || a->tables[t].log2_size != b->tables[t].log2_size ||
            memcmp(a->tables[t].bits, b->tables[t].bits, sizeof(uint64_t) << a->tables[t].log2_size) != 0)
            return false;
    return true;
}
