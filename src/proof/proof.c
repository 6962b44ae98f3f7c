/* Cuts the inputs into blocks of neighbours, until each block has a bound that is small enough. */
#include "proof.h"

#include "cuts.h"
#include "float_bits.h"
#include "formula_model.h"
#include "interp.h"
#include "judge.h"
#include "model_error.h"
#include "narrowed.h"

#include <stdlib.h>

enum {
    EACH = 8,    /* the most neighbours that are judged one by one */
    SAMPLE = 16, /* inputs tried in a block whose bound is too large */
    /* The most halvings of a block in which the program does not change its course, for a smaller bound. */
    MOST_HALVINGS = 7,
    TASKS = 61, /* tasks for the threads */
    BINADES = 2046 + 52,
    /* The most blocks of a task, and the most inputs that it judges one by one. A task that needs more is
     * given up. */
    MOST_BLOCKS = 1 << 22,
    MOST_JUDGED = 1 << 18,
    /* The number of blocks with the largest bounds that are kept, for each task and in all. At the end, each
     * is searched for errors at SEARCHED inputs. */
    WORST = 64,
    SEARCHED = 1 << 15
};
#define SIGN (UINT64_C(1) << 63)

struct block {
    bool negative;
    uint64_t first, last; /* bits of the inputs' absolute values */
    double bound;
    unsigned halvings; /* halvings that led to this block and did not help */
};

/* The blocks with the largest bounds, in no order. */
struct worst_blocks {
    struct block block[WORST];
    unsigned count;
};

/* The work of one thread. */
struct task {
    const struct proof_request *request;
    struct proof proof;
    bool no_memory;
    arena *memory;
    struct formula_model *formula;
    struct program_model *program;
    struct cuts *cuts;
    interp *run;
    reference *truth;
    struct judge judge;
    double wanted; /* the current limit of a block's bound */
    uint64_t random;
    struct worst_blocks worst;
};

static double low_of(const struct block *b)
{
    return b->negative ? f64_of_bits(b->last | SIGN) : f64_of_bits(b->first);
}
static double high_of(const struct block *b)
{
    return b->negative ? f64_of_bits(b->first | SIGN) : f64_of_bits(b->last);
}

static void note(struct task *t, double bound, double at)
{
    if (bound > t->proof.bound || t->proof.intervals + t->proof.judged == 0) {
        t->proof.bound = bound;
        t->proof.near = at;
    }
}

/* -- one block -- */

/* Checks that the model contains the value of the formula as written, at the block's least input. The model
 * is that of the simplified formula. */
static bool agrees(struct task *t, const struct model *formula, double x)
{
    struct exact_value exact;
    if (!formula->known) return true; /* The formula overflows, as its least value shows. */
    exact_value_find(&exact, t->truth, &x);
    return model_agrees(formula, &exact);
}

static struct program_result results_on(struct task *t, const struct block *b)
{
    const struct program_result unknown = {0};
    arena *memory = arena_create(0);
    if (!memory || setjmp(*arena_escape(memory))) {
        arena_free(memory);
        t->no_memory = true;
        return unknown;
    }
    const lane_program *p = lane_narrowed(memory, t->request->piece->program, low_of(b), high_of(b));
    const struct program_result result = program_model_run(t->program, p, low_of(b), high_of(b));
    arena_free(memory);
    return result;
}

static bool is_absolute(const struct task *t) { return t->request->piece->bound.kind == BOUND_ABS; }

static double bound_of(struct task *t, const struct block *b)
{
    const double low = low_of(b), high = high_of(b);
    const struct model x = model_variable(low, high), formula = formula_model_at(t->formula, &x);
    if (!formula.known && !formula.least) return INFINITY;
    const struct program_result result = results_on(t, b);
    const double error = model_error(&result, &formula, is_absolute(t));
    return error < INFINITY && !agrees(t, &formula, low) ? (double)INFINITY : error;
}

/* Notes an error that was measured. Bounds near it need not become smaller. */
static void see(struct task *t, double error)
{
    const struct proof_request *r = t->request;
    if (!(error > t->proof.seen)) return;
    t->proof.seen = error;
    t->wanted = fmin(fmax(r->wanted, error * r->ratio), r->allowed);
}

static double worst_of(const struct task *t, const struct tally *found)
{
    if (found->undecided) return INFINITY;
    return is_absolute(t) ? found->max_abs : found->max_ulp;
}

static void judge_each(struct task *t, const double *x, size_t count)
{
    double y[2 * EACH];
    struct tally found = {0};
    void *operands[2] = {(void *)(uintptr_t)x, y};
    interp_run(t->run, operands, count);
    judge_f64_block(&t->judge, x, y, count, true, &found);
    t->proof.judged += count;
    const double error = worst_of(t, &found);
    note(t, error, x[0]);
    see(t, error);
    if (!(error < INFINITY)) t->proof.proved = false;
}

/* -- blocks -- */

static bool proof_goes_on(const struct task *t)
{
    return !t->no_memory && t->proof.proved && t->proof.intervals < MOST_BLOCKS &&
           t->proof.judged < MOST_JUDGED && progress_goes_on(t->request->progress);
}

/* Keeps the block if its bound is among the largest. */
static void keep_worst(struct worst_blocks *worst, const struct block *b)
{
    if (worst->count < WORST) {
        worst->block[worst->count++] = *b;
        return;
    }
    unsigned least = 0;
    for (unsigned k = 1; k < WORST; k++)
        if (worst->block[k].bound < worst->block[least].bound) least = k;
    if (b->bound > worst->block[least].bound) worst->block[least] = *b;
}

static void accept(struct task *t, const struct block *b)
{
    note(t, b->bound, low_of(b));
    keep_worst(&t->worst, b);
    t->proof.intervals++;
    if (t->request->observer)
        t->request->observer(t->request->context, &(struct proof_block){low_of(b), high_of(b), b->bound});
}

/* Measures errors at `count` random inputs of the block. Unless `ask_all`, only inputs whose error may be the
 * largest so far ask the reference. Returns the largest error of the tally, or infinity if an error is not
 * known. */
static double sample(struct task *t, const struct block *b, size_t count, bool ask_all, struct tally *found)
{
    double x[SAMPLE], y[SAMPLE];
    const uint64_t span = b->last - b->first;
    for (size_t done = 0; done < count; done += SAMPLE) {
        for (unsigned k = 0; k < SAMPLE; k++) {
            t->random = t->random * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
            const uint64_t offset =
                span < UINT64_MAX >> 12 ? (t->random >> 11) % (span + 1) : t->random >> 11;
            x[k] = f64_of_bits((b->first + offset) | (b->negative ? SIGN : 0));
        }
        void *operands[2] = {x, y};
        interp_run(t->run, operands, SAMPLE);
        judge_f64_block(&t->judge, x, y, SAMPLE, ask_all, found);
    }
    return worst_of(t, found);
}

/* Returns where to cut a block. Sets *halved if there is no better place than its middle. */
static uint64_t cut_of(struct task *t, const struct block *b, bool *halved)
{
    uint64_t cut;
    *halved = false;
    if (cuts_find(t->cuts, b->negative, b->first, b->last, &cut)) return cut;
    /* At a power of two, f may be that power up to 1e-300 of it. The analysis then does not see which unit f
     * has. */
    if (!(b->first << 12)) return b->first + EACH;
    *halved = true;
    if (cuts_find_power(t->cuts, b->negative, b->first, b->last,
                        &cut)) /* a few inputs around it are judged */
        return cut - b->first > EACH / 2 ? cut - EACH / 2 : cut + EACH / 2;
    return b->first + (b->last - b->first) / 2 + 1;
}

/* Returns whether the block is done. If not, the block has a bound that is too large. */
static bool is_settled(struct task *t, struct block *b)
{
    b->bound = bound_of(t, b);
    if (b->bound <= t->wanted) {
        accept(t, b);
        return true;
    }
    if (b->last - b->first < EACH) {
        double x[EACH];
        for (uint64_t k = 0; k <= b->last - b->first; k++)
            x[k] = f64_of_bits((b->first + k) | (b->negative ? SIGN : 0));
        judge_each(t, x, (size_t)(b->last - b->first) + 1);
        return true;
    }
    if (b->bound < INFINITY) {
        struct tally found = {0};
        const double seen = sample(t, b, SAMPLE, true, &found);
        if (seen < INFINITY) see(t, seen);
    }
    return false;
}

/* Divides a block that is not settled. Returns the number of parts that remain. */
static unsigned divide(struct task *t, const struct block *b, struct block parts[2])
{
    bool halved;
    const uint64_t cut = cut_of(t, b, &halved);
    if (b->bound <= t->wanted || (halved && b->bound < INFINITY && b->halvings >= MOST_HALVINGS)) {
        accept(t, b);
        return 0;
    }
    struct block left = {.negative = b->negative, .first = b->first, .last = cut - 1},
                 right = {.negative = b->negative, .first = cut, .last = b->last};
    const bool left_settled = is_settled(t, &left), right_settled = is_settled(t, &right);
    /* A half that is small enough shows that the cause lies in the other half. The other half may be cut down
     * to single inputs. */
    left.halvings = right.halvings = halved ? b->halvings + !(left_settled || right_settled) : 0;
    /* The smaller part is on top, so that the stack stays low. */
    const bool left_first = left.last - left.first < right.last - right.first;
    unsigned count = 0;
    if (!right_settled && left_first) parts[count++] = right;
    if (!left_settled) parts[count++] = left;
    if (!right_settled && !left_first) parts[count++] = right;
    return count;
}

static void prove_block(struct task *t, struct block whole)
{
    enum { DEEPEST = 256 };
    struct block stack[DEEPEST + 2];
    unsigned count = 0;
    if (!is_settled(t, &whole)) stack[count++] = whole;
    while (count && proof_goes_on(t)) {
        const struct block b = stack[--count];
        count += divide(t, &b, stack + count);
        if (count > DEEPEST) t->proof.proved = false;
    }
    if (count) t->proof.proved = false;
}

/* Returns binade number k of one sign. The subnormal binades come first. */
static struct block binade(unsigned k, bool negative)
{
    if (k < 52)
        return (struct block){
            .negative = negative, .first = UINT64_C(1) << k, .last = (UINT64_C(2) << k) - 1};
    const uint64_t first = (uint64_t)(k - 51) << 52;
    return (struct block){.negative = negative, .first = first, .last = first + ((UINT64_C(1) << 52) - 1)};
}

/* Cuts a block to the interval of the bound. Returns false if nothing is left. */
static bool clip(struct block *b, const struct spec_bound *bound)
{
    if (!bound->has_interval) return true;
    const double low = b->negative ? -bound->high : bound->low,
                 high = b->negative ? -bound->low : bound->high;
    if (!(high >= f64_of_bits(b->first) && low <= f64_of_bits(b->last))) return false;
    if (low > f64_of_bits(b->first)) b->first = bits_of_f64(low);
    if (high < f64_of_bits(b->last)) b->last = bits_of_f64(high);
    return true;
}

static void prove_special(struct task *t)
{
    const double x[] = {0.0, -0.0, INFINITY, -INFINITY, NAN};
    judge_each(t, x, sizeof x / sizeof *x);
}

static bool prepare_task(struct task *t)
{
    const struct piece *piece = t->request->piece;
    if (setjmp(*arena_escape(t->memory))) return false;
    t->formula = formula_model_create(t->memory, piece->simplified);
    t->program = program_model_create(t->memory, piece->program->count + 2);
    t->cuts = cuts_create(t->memory, piece->program);
    t->run = interp_create(piece->program);
    return t->cuts && t->run && judge_init(&t->judge, piece);
}

struct course {
    struct task tasks[TASKS];
    struct worst_blocks worst; /* the worst blocks of all tasks */
};

static void prove_share(void *context, size_t number)
{
    struct task *t = &((struct course *)context)->tasks[number];
    t->memory = arena_create(0);
    t->no_memory = !t->memory || !prepare_task(t);
    t->truth = t->judge.truth;
    t->proof.proved = true;
    t->wanted = t->request->wanted;
    t->random = number;
    if (!t->no_memory && number == 0) prove_special(t);
    unsigned k = (unsigned)number;
    for (; k < 2 * BINADES && proof_goes_on(t); k += TASKS) {
        struct block b = binade(k / 2, k % 2);
        if (clip(&b, &t->request->piece->bound)) prove_block(t, b);
    }
    if (k < 2 * BINADES) t->proof.proved = false; /* Nothing is known about the inputs that are left. */
    progress_step(t->request->progress);
}

static void release_task(struct task *t)
{
    if (t->judge.piece) judge_clear(&t->judge);
    interp_free(t->run);
    arena_free(t->memory);
}

/* Searches for the largest error where the analysis has its largest bounds. Roundings make errors look random
 * there, so that the inputs are random as well. A block whose bound is not above the largest error seen
 * cannot have a larger error. */
static void search_share(void *context, size_t number)
{
    struct course *course = context;
    struct task *t = &course->tasks[number];
    for (size_t k = number; k < course->worst.count; k += TASKS) {
        const struct block *b = &course->worst.block[k];
        struct tally found = {0};
        for (size_t done = 0; done < SEARCHED && b->bound > t->proof.seen; done += SAMPLE * SAMPLE) {
            if (!progress_goes_on(t->request->progress)) return;
            const double seen = sample(t, b, SAMPLE * SAMPLE, false, &found);
            if (seen < INFINITY) see(t, seen);
        }
    }
    progress_step(t->request->progress);
}

static void search_worst(struct course *course, const struct proof_request *request)
{
    for (unsigned n = 0; n < TASKS; n++)
        for (unsigned k = 0; k < course->tasks[n].worst.count; k++)
            keep_worst(&course->worst, &course->tasks[n].worst.block[k]);
    progress_begin(request->progress, "searching the largest error", TASKS);
    progress_parallel(request->progress, TASKS, search_share, course);
}

static void join_courses(struct proof *proof, const struct course *course)
{
    for (unsigned k = 0; k < TASKS; k++) {
        const struct task *t = &course->tasks[k];
        proof->intervals += t->proof.intervals;
        proof->judged += t->proof.judged;
        proof->seen = larger_of(proof->seen, t->proof.seen);
        if (t->proof.bound > proof->bound || k == 0) {
            proof->bound = t->proof.bound;
            proof->near = t->proof.near;
        }
    }
}

bool proof_run(const struct proof_request *request, struct proof *proof)
{
    static const struct proof nothing = {0};
    struct course *course = calloc(1, sizeof *course);
    *proof = nothing;
    if (!course) return false;
    progress_begin(request->progress, "proving the bound", TASKS);
    for (unsigned k = 0; k < TASKS; k++) course->tasks[k].request = request;
    progress_parallel(request->progress, TASKS, prove_share, course);
    bool complete = true;
    proof->proved = true;
    for (unsigned k = 0; k < TASKS; k++) {
        const struct task *t = &course->tasks[k];
        complete = complete && !t->no_memory;
        proof->proved = proof->proved && t->proof.proved && t->proof.bound < (double)INFINITY;
    }
    if (complete && proof->proved && request->searches) search_worst(course, request);
    join_courses(proof, course);
    for (unsigned k = 0; k < TASKS; k++) release_task(&course->tasks[k]);
    proof->proved = proof->proved && complete && progress_goes_on(request->progress);
    free(course);
    return complete;
}
