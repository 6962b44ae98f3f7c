/* Judges a block of inputs. In the narrowed program most lookups are constants. If the function is a constant
 * or a line, nothing else is left. */
#include "neighbours.h"

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

static void judge_runs(const struct neighbours *n, interp *program, uint32_t first, uint32_t count,
                       struct tally *t)
{
    float x[RUN], y[RUN];
    const enum element_type result = n->judge->piece->result;
    for (uint32_t done = 0; done < count && neighbours_go_on(n, t); done += RUN) {
        for (uint32_t k = 0; k < RUN; k++) x[k] = f32_of_bits(first + done + k);
        interp_run(program, (void *[]){x, y}, RUN);
        for (uint32_t k = 0; element_is_half(result) && k < RUN; k++)
            y[k] = element_types[result].rounded(y[k]);
        judge_results(n->judge, x, y, RUN, false, t);
    }
}

static bool judge_narrowed(const struct neighbours *n, arena *memory, uint32_t first, uint32_t count,
                           struct tally *t)
{
    if (setjmp(*arena_escape(memory))) return false;
    const float near = f32_of_bits(first), far = f32_of_bits(first + (count - 1));
    const float low = first >> 31 ? far : near, high = first >> 31 ? near : far;
    const bool finite = isfinite(far);
    interp *program =
        interp_create(finite ? lane_narrowed(memory, n->program, (double)low, (double)high) : n->program);
    if (!program) return false;
    if (finite) judge_enter(n->judge, low, high);
    judge_runs(n, program, first, count, t);
    judge_leave(n->judge);
    interp_free(program);
    return true;
}

bool neighbours_judge(const struct neighbours *n, uint32_t first, unsigned log2_size, struct tally *t)
{
    arena *memory = arena_create(0);
    const bool complete = memory && judge_narrowed(n, memory, first, UINT32_C(1) << log2_size, t);
    arena_free(memory);
    return complete;
}
