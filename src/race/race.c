/* Races a kernel's plans and loops. They are timed in turn as machine code on this processor, at several
 * places of the stack. The first round times all of them briefly, in the nearest cache. The second round
 * takes longer, with the entrants near the fastest, at a size of each level of the caches. The mean of the
 * levels counts, because a call may have any size. A kernel with sums is timed as it is called, with a
 * workspace, over a few rows that lie in the nearest cache. */
#include "race.h"
#include "filled.h"
#include "judge.h"
#include "machine_code.h"
#include "sums.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* The levels of the caches, and the system's names for the sizes of two of them. 0: it has no name. */
enum level { NEAREST, SECOND, LAST, LEVELS };
#ifdef _SC_LEVEL3_CACHE_SIZE
enum { SECOND_CACHE = _SC_LEVEL2_CACHE_SIZE, LAST_CACHE = _SC_LEVEL3_CACHE_SIZE };
#else
enum { SECOND_CACHE, LAST_CACHE = SECOND_CACHE };
#endif

enum {
    MOST_ALTERNATIVES = 4, /* The most plans of a piece. */
    MOST_ENTRANTS = MOST_ALTERNATIVES * LOOP_MOST_CHOICES,
    /* The elements of a call. With these, f32 operands and results lie in the nearest cache. */
    ELEMENTS = 4096,
    /* The sizes of caches that the system does not know, and the most bytes of a call's operands. */
    USUAL_SECOND = 1 << 20,
    USUAL_LAST = 32 << 20,
    MOST_BYTES = 16 << 20,
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
    struct race *race;
    double ns[LEVELS]; /* Nanoseconds per element. 0: not timed. */
};

struct race {
    struct arena_guest guest; /* The first member, so that a pointer to it is a pointer to the race. */
    actgen_kernel *kernel;
    struct lowering *lowering;
    struct progress *progress;
    /* The operands of the timed calls, for the level that is timed. Kernels with sums have a workspace as
     * well. */
    struct filled_operands operands;
    void *workspace;
    struct entrant *entrants;
    size_t count;
    int levels; /* The levels at which all entrants that are left were timed. */
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
    const struct filled_operands *o = &e->race->operands;
    e->code.run(o->shape.rows, o->shape.cols, o->list);
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
    struct entrant e = {.plan = plan, .loop = f->loop, .is_estimate = is_estimate, .race = r};
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

/* Times the entrants that are left on the operands of the level. */
static int time_entrants(struct race *r, enum level level, size_t rounds, double slice_ns)
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
        if (calls[i].run)
            r->entrants[i].ns[level] =
                times[i].min / (double)(r->operands.shape.rows * r->operands.shape.cols);
    return DIAG_OK;
}

/* Returns the product of the entrant's times at all levels that were timed. Its root is their mean. */
static double product_of_levels(const struct entrant *e)
{
    double product = 1;
    for (int level = 0; level < e->race->levels; level++) product *= e->ns[level];
    return product;
}

static struct entrant *fastest_of(const struct race *r)
{
    struct entrant *best = NULL;
    for (size_t i = 0; i < r->count; i++)
        if (r->entrants[i].code.run &&
            (!best || product_of_levels(&r->entrants[i]) < product_of_levels(best)))
            best = &r->entrants[i];
    return best;
}

static struct entrant *winner_of(const struct race *r)
{
    struct entrant *best = fastest_of(r);
    double worth = 1;
    for (int level = 0; level < r->levels; level++) worth *= worth_a_change;
    for (size_t i = 0; i < r->count; i++)
        if (r->entrants[i].is_estimate &&
            product_of_levels(best) > worth * product_of_levels(&r->entrants[i]))
            return &r->entrants[i];
    return best;
}

/* Frees the code of slow entrants, which excludes them from the next round. */
static void drop_slow(struct race *r)
{
    const double limit = near_enough * fastest_of(r)->ns[NEAREST];
    for (size_t i = 0; i < r->count; i++)
        if (r->entrants[i].ns[NEAREST] > limit && !r->entrants[i].is_estimate)
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
                                   .ns = e->ns[NEAREST]};
        memcpy(row->object_hash, e->code.object_hash, HASH_TEXT_SIZE);
    }
    k->timings = all;
}

static size_t size_of_cache(int name, size_t usual)
{
    const long size = name ? sysconf(name) : 0;
    return size > 0 ? (size_t)size : usual;
}

/* Returns the elements of a call whose operands lie in caches up to the level. Operands and results of f32
 * take half of the second cache, and the middle of its size and that of the last cache. */
static size_t elements_of(enum level level)
{
    enum { BYTES = 8 };
    const size_t second = size_of_cache(SECOND_CACHE, USUAL_SECOND),
                 last = size_of_cache(LAST_CACHE, USUAL_LAST);
    size_t middle = second;
    if (level == NEAREST) return ELEMENTS;
    if (level == SECOND) return second / 2 / BYTES;
    while (middle * middle / second < last / 2) middle *= 2;
    return (middle < MOST_BYTES ? middle : MOST_BYTES) / BYTES;
}

/* Makes the operands of a call. The workspace needs no initial content, because sums overwrite it. */
static bool open_operands(struct race *r, enum level level)
{
    const struct lane_kernel *called = &r->kernel->called;
    const size_t rows = called->has_sums ? ROWS_OF_SUMS : 1, cols = elements_of(level) / rows;
    struct filled_operands *o = &r->operands;
    if (!filled_open(o, r->kernel, (struct call_shape){rows, cols, 0}, NULL)) return false;
    if (!called->has_sums) return true;
    const size_t size = sums_workspace(called, rows, cols);
    r->workspace = malloc(size);
    o->list[o->count] = (actgen_operand){r->workspace, size};
    return r->workspace;
}

static int run_level(struct race *r, enum level level, size_t rounds, double slice_ns)
{
    filled_close(&r->operands);
    free(r->workspace);
    r->workspace = NULL;
    if (!open_operands(r, level)) return diag_out_of_memory(r->error);
    const int status = time_entrants(r, level, rounds, slice_ns);
    if (!status) r->levels = (int)level + 1;
    return status;
}

static int run_rounds(struct race *r)
{
    const enum level last = r->kernel->called.has_sums ? NEAREST : LAST;
    int status = run_level(r, NEAREST, USUAL_STACK_PLACES, 20e3);
    if (status) return status;
    drop_slow(r);
    status = run_level(r, NEAREST, 4 * USUAL_STACK_PLACES, 40e3);
    for (enum level level = SECOND; level <= last && !status; level++)
        status = run_level(r, level, 2 * USUAL_STACK_PLACES, 40e3);
    return status;
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
