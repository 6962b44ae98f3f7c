/* Races a kernel's plans and loops. They are timed in turn as machine code on this processor, at several
 * places of the stack. The first round times all of them briefly. The second round takes longer, with
 * the entrants near the fastest. A kernel with sums is timed as it is called, with a workspace, over a few
 * rows. */
#include "race.h"
#include "filled.h"
#include "judge.h"
#include "machine_code.h"
#include "sums.h"

#include <stdlib.h>
#include <string.h>

enum {
    MOST_ALTERNATIVES = 4, /* The most plans of a piece. */
    MOST_ENTRANTS = MOST_ALTERNATIVES * LOOP_MOST_CHOICES,
    /* The elements of a call. With these, f32 operands and results lie in the nearest cache. */
    ELEMENTS = 4096,
    /* The rows into which a kernel with sums divides those elements. */
    ROWS_OF_SUMS = 4
};

/* The second round has the entrants whose time is at most near_enough times the fastest time. The estimate
 * wins unless the fastest takes less than worth_a_change of its time, because smaller gains are noise. */
static const double near_enough = 1.15, worth_a_change = 0.98;

struct entrant {
    struct plan *plan; /* The plan of the piece. NULL: the kernel has no piece. */
    struct loop_choice loop;
    bool is_estimate;
    struct machine_code code;
    const struct filled_operands *operands;
    double ns; /* Nanoseconds per call. 0: not timed yet. */
};

struct race {
    struct arena_guest guest; /* The first member, so that a pointer to it is a pointer to the race. */
    actgen_kernel *kernel;
    struct lowering *lowering;
    struct progress *progress;
    /* The operands of the timed calls. Kernels with sums have a workspace as well. */
    struct filled_operands operands;
    void *workspace;
    struct entrant *entrants;
    size_t count;
    struct diag *error;
};

static void release_race(struct arena_guest *guest)
{
    struct race *r = (struct race *)guest;
    for (size_t i = 0; i < r->count; i++) machine_code_clear(&r->entrants[i].code);
    filled_close(&r->operands);
    free(r->workspace);
    free(r->entrants);
    free(r);
}

static void run_entrant(const void *context)
{
    const struct entrant *e = context;
    e->code.run(e->operands->shape.rows, e->operands->shape.cols, e->operands->list);
}

static bool is_stopped(void *race) { return !progress_goes_on(((struct race *)race)->progress); }

static int stopped(const struct race *r)
{
    return diag_set(r->error, DIAG_STOPPED, "stopped while measuring `%s`", r->kernel->source->name);
}

/* -- the entrants -- */

static bool runs_already(const struct race *r, const struct machine_code *code)
{
    for (size_t i = 0; i < r->count; i++)
        if (!memcmp(r->entrants[i].code.object_hash, code->object_hash, HASH_TEXT_SIZE)) return true;
    return false;
}

/* Adds an entrant, unless its code is the same as that of an earlier one. Different loops and plans may have
 * the same code. */
static int add_entrant(struct race *r, const struct backend_function *f, struct plan *plan, bool is_estimate)
{
    const struct backend_options options = {.streaming_bytes = r->kernel->streaming_bytes,
                                            .progress = r->progress};
    struct entrant e = {.plan = plan, .loop = f->loop, .is_estimate = is_estimate, .operands = &r->operands};
    if (is_stopped(r)) return stopped(r);
    const int status = machine_code_make(&e.code, r->kernel->engine, f, &options, r->error);
    if (!status && (r->count == MOST_ENTRANTS || runs_already(r, &e.code)))
        machine_code_clear(&e.code);
    else if (!status)
        r->entrants[r->count++] = e;
    progress_step(r->progress);
    return status;
}

/* Adds all loops for one plan of the piece. */
static int add_plan(struct race *r, uint32_t piece, struct plan *plan, bool is_estimate)
{
    struct loop_choice loops[LOOP_MOST_CHOICES];
    actgen_kernel *k = r->kernel;
    if (plan) lower_take_plan(r->lowering, piece, plan);
    int status = kernel_lower(k, r->lowering);
    if (status) return status;
    struct backend_function f = own_function(k);
    f.symbol = kernel_symbol(lower_memory(r->lowering), "", k);
    size_t count;
    status = engine_loops(k->engine, loops, &count, &f, r->error);
    if (status) return status;
    progress_begin(r->progress, "compiling loops", count);
    for (size_t i = 0; i < count && !status; i++) {
        f.loop = loops[i];
        status = add_entrant(r, &f, plan, is_estimate && !i);
    }
    return status;
}

/* -- the rounds -- */

static int time_entrants(struct race *r, size_t rounds, double slice_ns)
{
    struct timed_call calls[MOST_ENTRANTS] = {{0}};
    struct timing times[MOST_ENTRANTS];
    const struct timing_limits limits = {.slice_ns = slice_ns,
                                         .rounds = rounds,
                                         .least_rounds = rounds,
                                         .is_stopped = is_stopped,
                                         .stop_context = r};
    const timing_function time = r->kernel->engine->time;
    for (size_t i = 0; i < r->count; i++)
        if (r->entrants[i].code.run) calls[i] = (struct timed_call){run_entrant, &r->entrants[i]};
    progress_begin(r->progress, "measuring loops", 0);
    const struct core_pin pin = pin_to_a_core();
    const bool complete = time(calls, r->count, &limits, times);
    unpin(&pin);
    if (!complete) return diag_out_of_memory(r->error);
    if (is_stopped(r)) return stopped(r);
    for (size_t i = 0; i < r->count; i++)
        if (calls[i].run) r->entrants[i].ns = times[i].min;
    return DIAG_OK;
}

static struct entrant *fastest_of(const struct race *r)
{
    struct entrant *best = NULL;
    for (size_t i = 0; i < r->count; i++)
        if (r->entrants[i].code.run && (!best || r->entrants[i].ns < best->ns)) best = &r->entrants[i];
    return best;
}

static struct entrant *winner_of(const struct race *r)
{
    struct entrant *best = fastest_of(r);
    for (size_t i = 0; i < r->count; i++)
        if (r->entrants[i].is_estimate && best->ns > worth_a_change * r->entrants[i].ns)
            return &r->entrants[i];
    return best;
}

/* Frees the code of slow entrants, which excludes them from the next round. */
static void drop_slow(struct race *r)
{
    const double limit = near_enough * fastest_of(r)->ns;
    for (size_t i = 0; i < r->count; i++)
        if (r->entrants[i].ns > limit && !r->entrants[i].is_estimate)
            machine_code_clear(&r->entrants[i].code);
}

/* Appends the entrants and their times to k->timings. */
static void note_times(struct race *r, uint32_t piece, const struct entrant *winner)
{
    actgen_kernel *k = r->kernel;
    struct timed_loop *all =
        arena_alloc(lower_memory(r->lowering), (k->timing_count + r->count) * sizeof *all);
    if (k->timing_count) memcpy(all, k->timings, k->timing_count * sizeof *all);
    for (size_t i = 0; i < r->count; i++) {
        const struct entrant *e = &r->entrants[i];
        struct timed_loop *row = &all[k->timing_count++];
        *row = (struct timed_loop){.plan = e->plan,
                                   .piece = piece,
                                   .loop = e->loop,
                                   .is_estimate = e->is_estimate,
                                   .is_chosen = e == winner,
                                   .ns = e->ns / (double)ELEMENTS};
        memcpy(row->object_hash, e->code.object_hash, HASH_TEXT_SIZE);
    }
    k->timings = all;
}

/* Makes the operands of a call. The workspace needs no initial content, because sums overwrite it. */
static bool open_operands(struct race *r)
{
    const struct lane_kernel *called = &r->kernel->called;
    const size_t rows = called->has_sums ? ROWS_OF_SUMS : 1, cols = ELEMENTS / rows;
    struct filled_operands *o = &r->operands;
    if (!filled_open(o, r->kernel, (struct call_shape){rows, cols, 0})) return false;
    if (!called->has_sums) return true;
    const size_t size = sums_workspace(called, rows, cols);
    r->workspace = malloc(size);
    o->list[o->count] = (actgen_operand){r->workspace, size};
    return r->workspace;
}

static int run_rounds(struct race *r)
{
    int status = time_entrants(r, USUAL_STACK_PLACES, 20e3);
    if (status) return status;
    drop_slow(r);
    return time_entrants(r, 4 * USUAL_STACK_PLACES, 40e3);
}

/* Takes the fastest of the piece's plans, and the fastest loop. */
static int race_plans(struct race *r, uint32_t piece, struct plan *plans)
{
    int status = DIAG_OK;
    struct plan *next = plans;
    do {
        status = add_plan(r, piece, next, next == plans);
        next = next ? next->next : NULL;
    } while (next && !status);
    if (!status && !open_operands(r)) status = diag_out_of_memory(r->error);
    if (!status) status = run_rounds(r);
    if (status) return status;
    const struct entrant *winner = winner_of(r);
    note_times(r, piece, winner);
    r->kernel->loop = winner->loop;
    if (winner->plan) lower_take_plan(r->lowering, piece, winner->plan);
    return DIAG_OK;
}

static int race_piece(struct lowering *l, actgen_kernel *k, struct progress *progress, uint32_t piece,
                      struct plan *plans, struct diag *error)
{
    struct race *r = calloc(1, sizeof *r);
    if (!r) return diag_out_of_memory(error);
    r->entrants = calloc(MOST_ENTRANTS, sizeof *r->entrants);
    r->kernel = k;
    r->lowering = l;
    r->progress = progress;
    r->error = error;
    arena_host(lower_memory(l), &r->guest, release_race);
    const int status = r->entrants ? race_plans(r, piece, plans) : diag_out_of_memory(error);
    arena_leave(&r->guest);
    release_race(&r->guest);
    return status;
}

/* Finds the plans of a piece that take part in the race. If all inputs have to be swept, only one plan takes
 * part, because another one would take minutes. */
static int find_plans(struct plan **out, const struct lowering *l, struct planning *p, uint32_t piece,
                      struct diag *error)
{
    struct plan_request request = lower_piece_request(l, piece);
    const bool is_swept = judge_is_exact(&request.piece.bound) && !element_is_half(request.piece.argument);
    request.alternatives = is_swept ? 0 : MOST_ALTERNATIVES;
    return planning_find(p, out, &request, error);
}

int race_kernel(struct lowering *l, actgen_kernel *k, struct planning *p, struct diag *error)
{
    const uint32_t count = lower_piece_count(l);
    struct plan **plans = arena_alloc(lower_memory(l), (count + 1) * sizeof *plans);
    int status = DIAG_OK;
    for (uint32_t n = 0; n < count && !status; n++) {
        status = find_plans(&plans[n], l, p, n, error);
        if (!status) lower_take_plan(l, n, plans[n]);
    }
    for (uint32_t n = 0; (n < count || !count) && !status; n++) {
        status = race_piece(l, k, p->progress, n, count ? plans[n] : NULL, error);
        if (!count) break;
    }
    return status;
}
