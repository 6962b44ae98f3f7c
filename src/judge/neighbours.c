/* Judges a block of inputs. In the narrowed program most lookups are constants. If the function is a constant
 * or a line, nothing else is left. */
#include "neighbours.h"

#include "curve.h"
#include "float_bits.h"
#include "interp.h"
#include "narrowed.h"

#include <math.h>
#include <setjmp.h>

enum { RUN = 8 * JUDGE_BLOCK };

static bool neighbours_go_on(const struct neighbours *n, const struct tally *t)
{
    return !t->wrong && judge_asks(n->judge) <= n->most_asked && progress_goes_on(n->progress);
}

/* Computes the results of a run, as they count. */
static void compute_run(const struct neighbours *n, interp *program, uint32_t first, float *x, float *y)
{
    const enum element_type result = n->judge->piece->result;
    for (uint32_t k = 0; k < RUN; k++) x[k] = f32_of_bits(first + k);
    interp_run(program, (void *[]){x, y}, RUN);
    for (uint32_t k = 0; element_is_half(result) && k < RUN; k++) y[k] = element_types[result].rounded(y[k]);
}

/* Looks at the inputs of a block, whose narrowed program is given. */
typedef void block_look(const struct neighbours *n, interp *program, uint32_t first, uint32_t count,
                        struct tally *t);

static void judge_each(const struct neighbours *n, interp *program, uint32_t first, uint32_t count,
                       struct tally *t)
{
    float x[RUN], y[RUN];
    for (uint32_t done = 0; done < count && neighbours_go_on(n, t); done += RUN) {
        compute_run(n, program, first + done, x, y);
        judge_results(n->judge, x, y, RUN, false, t);
    }
}

/* Returns whether the judge settles the first run, so that judge_each takes no longer than a curve. */
static bool settles_first_run(const struct neighbours *n, const float *x, const float *y,
                              const struct tally *t)
{
    struct tally unused = *t;
    return judge_settles(n->judge, x, y, RUN, &unused);
}

/* Judges the first results that leave the curve. If they are right, the curve is wrong there, and the other
 * results are left to judge_each. */
static void judge_suspect(const struct neighbours *n, interp *program, uint32_t first, uint32_t count,
                          struct tally *t)
{
    float x[RUN], y[RUN];
    struct curve curve;
    if (!curve_find(&curve, n->judge, first, count)) return;
    for (uint32_t done = 0; done < count && neighbours_go_on(n, t); done += RUN) {
        compute_run(n, program, first + done, x, y);
        if (done == 0 && settles_first_run(n, x, y, t)) return;
        for (uint32_t k = 0; k < RUN; k += JUDGE_BLOCK) {
            if (!curve_is_left(&curve, n->judge, done + k, y + k, JUDGE_BLOCK)) continue;
            judge_block(n->judge, x + k, y + k, JUDGE_BLOCK, false, t);
            return;
        }
    }
}

static bool look_narrowed(const struct neighbours *n, arena *memory, uint32_t first, uint32_t count,
                          block_look *look, struct tally *t)
{
    if (setjmp(*arena_escape(memory))) return false;
    const float near = f32_of_bits(first), far = f32_of_bits(first + (count - 1));
    const float low = first >> 31 ? far : near, high = first >> 31 ? near : far;
    const bool finite = isfinite(far);
    interp *program =
        interp_create(finite ? lane_narrowed(memory, n->program, (double)low, (double)high) : n->program);
    if (!program) return false;
    if (finite) judge_enter(n->judge, low, high);
    look(n, program, first, count, t);
    judge_leave(n->judge);
    interp_free(program);
    return true;
}

static bool look_at_block(const struct neighbours *n, uint32_t first, unsigned log2_size, block_look *look,
                          struct tally *t)
{
    arena *memory = arena_create(0);
    const bool complete = memory && look_narrowed(n, memory, first, UINT32_C(1) << log2_size, look, t);
    arena_free(memory);
    return complete;
}

bool neighbours_judge(const struct neighbours *n, uint32_t first, unsigned log2_size, struct tally *t)
{
    return look_at_block(n, first, log2_size, judge_each, t);
}

bool neighbours_judge_suspect(const struct neighbours *n, uint32_t first, unsigned log2_size, struct tally *t)
{
    return look_at_block(n, first, log2_size, judge_suspect, t);
}
