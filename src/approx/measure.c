/* The planner's measurement of a candidate. */
#include "kinks.h"
#include "plan.h"
#include "sample.h"

#include <string.h>

/* SAMPLE inputs; the first RUN of them, which hold the special values, are asked of the reference one by one. */
enum { SAMPLE = 1 << 16, RUN = JUDGE_BLOCK, NEIGHBOURS = RUN / 2, ROUNDS = 6 };

struct trial {
    struct judge *judge;
    struct tally tally;
    interp *run;
    float x[RUN], y[RUN];
};

static void judge_inputs(struct trial *t, size_t count, bool ask_all)
{
    void *operands[2] = {t->x, t->y};
    interp_run(t->run, operands, count);
    judge_block(t->judge, t->x, t->y, count, ask_all, &t->tally);
}

/* The f32 numbers around the one of these bits. */
static void judge_neighbours(struct trial *t, uint32_t bits)
{
    for (uint32_t i = 0; i < 2 * NEIGHBOURS; i++) {
        uint32_t b = bits + i - NEIGHBOURS;
        memcpy(&t->x[i], &b, sizeof b);
    }
    judge_inputs(t, 2 * NEIGHBOURS, false);
}

static void judge_around(void *context, double x)
{
    float f = (float)x;
    uint32_t bits;
    memcpy(&bits, &f, sizeof bits);
    judge_neighbours(context, bits);
}

static void measure(struct trial *t, const struct judged_piece *piece, arena *memory)
{
    for (uint64_t done = 0; done < SAMPLE && !t->tally.wrong; done += RUN) {
        sample_floats(t->x, done, RUN);
        judge_inputs(t, RUN, done == 0);
        if (done) continue;
        formula_kinks(memory, piece->written, judge_around, t);
        formula_roots(t->judge->truth, judge_around, t);
    }
    for (int round = 0; round < ROUNDS && !t->tally.wrong; round++) {
        uint32_t ulp_at = t->tally.max_ulp_at, abs_at = t->tally.max_abs_at;
        judge_neighbours(t, ulp_at);
        judge_neighbours(t, abs_at);
        if (ulp_at == t->tally.max_ulp_at && abs_at == t->tally.max_abs_at) break;
    }
}

int plan_measure(struct tally *out, const struct judged_piece *piece, arena *memory, struct diag *error)
{
    struct trial *t = arena_alloc(memory, sizeof *t);
    t->judge = arena_alloc(memory, sizeof *t->judge);
    t->run = interp_create(piece->program);
    bool ready = judge_init(t->judge, piece) && t->run;
    if (ready) measure(t, piece, memory);
    *out = t->tally;
    judge_clear(t->judge);
    interp_free(t->run);
    return ready ? DIAG_OK : diag_set(error, DIAG_NO_MEMORY, "out of memory");
}
