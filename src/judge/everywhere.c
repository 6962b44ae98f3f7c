/* Blocks of neighbouring inputs, one after the other: in each the program is narrowed to it, and the function enclosed. */
#include "everywhere.h"

#include "float_bits.h"
#include "interp.h"
#include "narrowed.h"

#include <math.h>
#include <setjmp.h>

enum {
    LOG2_BLOCK = 18,
    RUN = 8 * JUDGE_BLOCK,
    BLOCKS = 1 << (31 - LOG2_BLOCK)
}; /* of one sign; the last binade's are no numbers */

static bool is_over(const struct tally *t, struct progress *progress)
{
    return t->wrong || t->undecided || !progress_goes_on(progress);
}

static void judge_runs(struct judge *j, interp *program, uint32_t first, struct tally *t)
{
    float x[RUN], y[RUN];
    for (uint32_t done = 0; done < UINT32_C(1) << LOG2_BLOCK && !t->wrong; done += RUN) {
        for (uint32_t k = 0; k < RUN; k++) x[k] = f32_of_bits(first + done + k);
        interp_run(program, (void *[]){x, y}, RUN);
        if (element_is_half(j->piece->result))
            for (uint32_t k = 0; k < RUN; k++) y[k] = element_types[j->piece->result].rounded(y[k]);
        judge_results(j, x, y, RUN, false, t);
    }
}

static bool judge_block_of(struct judge *j, arena *memory, const lane_program *p, uint32_t first,
                           struct tally *t)
{
    if (setjmp(*arena_escape(memory))) return false;
    const float near = f32_of_bits(first), far = f32_of_bits(first + ((UINT32_C(1) << LOG2_BLOCK) - 1));
    const float low = first >> 31 ? far : near, high = first >> 31 ? near : far;
    const bool finite = isfinite(far);
    interp *program = interp_create(finite ? lane_narrowed(memory, p, (double)low, (double)high) : p);
    if (!program) return false;
    if (finite) judge_enter(j, low, high);
    judge_runs(j, program, first, t);
    judge_leave(j);
    interp_free(program);
    return true;
}

bool judge_everywhere(struct judge *j, const lane_program *p, struct progress *progress, struct tally *t)
{
    const struct tally before = *t;
    progress_begin(progress, "judging all inputs", 2 * BLOCKS);
    /* Those around 1 first, where what is wrong shows soonest. */
    for (uint32_t n = 0; n < 2 * BLOCKS && !is_over(t, progress); n++) {
        const uint32_t block = (n / 2 + (127 << (23 - LOG2_BLOCK))) % BLOCKS;
        arena *memory = arena_create(0);
        const bool complete = memory && judge_block_of(j, memory, p, (n % 2) << 31 | block << LOG2_BLOCK, t);
        arena_free(memory);
        if (!complete) return false;
        progress_step(progress);
    }
    t->inputs -= before.inputs; /* which are among them */
    return true;
}
