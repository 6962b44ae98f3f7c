/* The planner's measurement of a candidate. */
#include "measure.h"
#include "budget.h"
#include "changes.h"
#include "danger.h"
#include "everywhere.h"
#include "f64_sample.h"
#include "flushed.h"
#include "half.h"
#include "interp.h"
#include "places.h"
#include "sample.h"

#include <stdlib.h>
#include <string.h>

/* The sample has SAMPLE inputs. The first RUN inputs hold the special values, and the reference is asked for
 * each of them. */
enum { SAMPLE = 1 << 16, RUN = JUDGE_BLOCK, NEIGHBOURS = RUN / 2, ROUNDS = 6 };
enum { MOST_UNDECIDED = 8 };
/* How many inputs of the sample the reference may be asked for in a binade. */
enum { MOST_ASKS = 48 };
/* The most places of each condition, and the most conditions of a formula. */
enum { CHANGES = 64, CONDITIONS = 16 };

/* Inputs as bits, in the measurer's arena. */
struct inputs {
    uint32_t *bits, count;
};

struct measurer {
    arena *memory;
    const expr *formula;       /* the formula as written */
    struct progress *progress; /* may be NULL */
    struct piece piece;        /* the current piece */
    struct judge judge;
    float (*x)[RUN]; /* the sample, as far as it was needed */
    /* The known values in the sample's blocks, and in the binades that danger.c examines. */
    struct judge_known *sample, *binades;
    /* Inputs where the formula may bend, and where a branch changes. */
    struct inputs kinks, conditions;
    struct places places; /* inputs next to the formula's roots */
    struct danger_broken broken;
    /* The inputs in danger so far, and the reference's work for them. */
    uint64_t swept, sweeping_work;
    enum plan_sweeps sweeps;
    unsigned sweeps_left;            /* sweeps left in this search */
    bool trusted;                    /* the quick reference was checked */
    bool has_conditions, has_places; /* `conditions` and `places` are filled */
    struct f64_sample *wide;         /* used for f64 in place of the other fields, otherwise NULL */
};

struct trial {
    struct measurer *m;
    struct tally tally;
    interp *run;
    float x[RUN], y[RUN];
};

static void add_input_place(struct measurer *m, struct inputs *p, uint32_t bits)
{
    p->bits = arena_with_room(m->memory, p->bits, p->count, sizeof *p->bits);
    p->bits[p->count++] = bits;
}

/* Returns whether the program is lost, whatever the rest of the sample would show. The reference takes a
 * hundredth of a second for an input that it cannot decide. */
static bool is_lost(const struct trial *t) { return t->tally.wrong || t->tally.undecided > MOST_UNDECIDED; }

static void judge_inputs(struct trial *t, size_t count, bool ask_all)
{
    void *operands[2] = {t->x, t->y};
    if (!progress_goes_on(t->m->progress)) {
        t->tally.wrong++; /* ends all loops */
        return;
    }
    interp_run(t->run, operands, count);
    judge_block(&t->m->judge, t->x, t->y, count, ask_all, &t->tally);
}

/* Judges the f32 numbers around the number with these bits. */
static void judge_neighbours(struct trial *t, uint32_t bits)
{
    for (uint32_t i = 0; i < 2 * NEIGHBOURS; i++) {
        uint32_t b = bits + i - NEIGHBOURS;
        memcpy(&t->x[i], &b, sizeof b);
    }
    judge_inputs(t, 2 * NEIGHBOURS, false);
}

/* -- where the result, or a condition of the formula, changes -- */

static void values_of_trial(void *context, const uint64_t *at, double *values, double *errors, size_t count)
{
    struct trial *t = context;
    void *operands[2] = {t->x, t->y};
    for (size_t i = 0; i < count; i++) t->x[i] = f32_of_bits((uint32_t)at[i]);
    interp_run(t->run, operands, count);
    for (size_t i = 0; i < count; i++) values[i] = (double)t->y[i], errors[i] = 0;
}

/* A condition. The sign of a - b decides a comparison such as a < b. The sign of a decides sign(a). */
struct condition {
    reference *a, *b; /* b may be NULL */
};

static void condition_values(void *context, const uint64_t *at, double *values, double *errors, size_t count)
{
    const struct condition *c = context;
    const struct changes_function a = changes_of_f32(c->a), b = changes_of_f32(c->b);
    double subtrahend[RUN];
    if (c->b) b.values(c->b, at, subtrahend, errors, count);
    a.values(c->a, at, values, errors, count);
    for (size_t i = 0; c->b && i < count; i++) values[i] -= subtrahend[i];
}

/* Finds the inputs where conditions change. A program may take a branch one input too early or too late.
 * Returns false without memory. */
static bool find_conditions(struct measurer *m)
{
    uint32_t count, found = 0, places[CHANGES];
    const expr **nodes = expr_walk(m->memory, m->formula, &count);
    for (uint32_t i = 0; i < count && found < CONDITIONS; i++) {
        const expr *e = nodes[i];
        const bool compares = e->kind == EXPR_LT || e->kind == EXPR_LE || e->kind == EXPR_EQ;
        if (expr_is_constant(e) || (!compares && e->kind != EXPR_sign)) continue;
        struct condition c = {.a = reference_create(e->operand[0], e->operand[0], 1)};
        if (compares) c.b = reference_create(e->operand[1], e->operand[1], 1);
        const bool ready = c.a && (c.b || !compares);
        const struct changes_function f = {condition_values, NULL, &c};
        const size_t changes = ready ? changes_find_f32(places, CHANGES, &f, CHANGES_OF_KIND) : 0;
        reference_free(c.a);
        reference_free(c.b);
        if (!ready) return false;
        for (size_t k = 0; k < changes; k++) add_input_place(m, &m->conditions, places[k]);
        found++;
    }
    m->has_conditions = true;
    return true;
}

/* Judges inputs on both sides of an input, at distances that grow from NEIGHBOURS inputs to a binade. For
 * example, a logarithm that begins at -286.75 has all its curvature within a few thousand inputs. */
static void judge_surroundings(struct trial *t, uint32_t bits)
{
    enum { OCTAVES = 16, STEPS = RUN / 2 / OCTAVES };
    for (uint32_t i = 0; i < RUN; i++) {
        const uint32_t octave = i / 2 / STEPS, step = i / 2 % STEPS;
        const uint32_t distance = ((uint32_t)NEIGHBOURS << octave) / STEPS * (STEPS + step) + step;
        const uint32_t b = i & 1 ? bits - distance : bits + distance;
        memcpy(&t->x[i], &b, sizeof b);
    }
    judge_inputs(t, RUN, false);
}

static void judge_alone(struct trial *t, const uint32_t *places, size_t count)
{
    for (size_t first = 0; first < count && !is_lost(t); first += RUN) {
        const size_t n = count - first < RUN ? count - first : RUN;
        memcpy(t->x, places + first, n * sizeof *t->x);
        judge_inputs(t, n, false);
    }
}

static void judge_places(struct trial *t, const uint32_t *places, size_t count)
{
    for (size_t i = 0; i < count && !is_lost(t); i++) {
        judge_neighbours(t, places[i]);
        judge_surroundings(t, places[i]);
    }
}

/* Judges the inputs near roots, poles, ends of domains and conditions, which the sample does not see by
 * itself. At a root away from 0, with or without a sign change, the error in ulps doubles with every bit that
 * an input comes nearer. A program may meet a pole or the end of a domain one input too early. */
static bool judge_special_places(struct trial *t)
{
    struct measurer *m = t->m;
    const struct changes_function f = {values_of_trial, NULL, t};
    uint32_t changes[CHANGES];
    if (!m->has_places) places_find(&m->places, m->memory, m->piece.simplified, m->judge.truth);
    m->has_places = true;
    judge_places(t, changes, changes_find_f32(changes, CHANGES, &f, CHANGES_OF_KIND));
    if (m->piece.bound.kind != BOUND_ABS) judge_places(t, m->places.near, m->places.near_count);
    judge_alone(t, m->places.alone, m->places.alone_count);
    if (is_lost(t)) return true;
    if (!m->has_conditions && !find_conditions(m)) return false;
    judge_places(t, m->conditions.bits, m->conditions.count);
    return true;
}

/* -- the sample -- */

/* Judges block number `block` of the sample. The quick reference answers only for the first program. For the
 * first block of all, it is compared with the reference. */
static void judge_sample(struct trial *t, uint32_t block)
{
    struct measurer *m = t->m;
    void *operands[2] = {t->x, t->y};
    if (!m->sample[block].known) sample_floats(m->x[block], (uint64_t)block * RUN, RUN);
    memcpy(t->x, m->x[block], sizeof t->x);
    interp_run(t->run, operands, RUN);
    judge_block_again(&m->judge, t->x, t->y, &m->sample[block], RUN, !m->trusted, &t->tally);
    m->trusted = true;
}

static bool measure_trial(struct trial *t)
{
    struct measurer *m = t->m;
    judge_sparingly(&m->judge, MOST_ASKS);
    for (uint32_t block = 0; block < SAMPLE / RUN && !is_lost(t); block++) {
        judge_sample(t, block);
        for (uint32_t i = 0; block == 0 && i < m->kinks.count && !is_lost(t); i++)
            judge_neighbours(t, m->kinks.bits[i]);
    }
    judge_sparingly(&m->judge, 0);
    const bool ready = judge_special_places(t);
    for (int round = 0; round < ROUNDS && !is_lost(t); round++) {
        const uint32_t ulp_at = (uint32_t)t->tally.max_ulp_at, abs_at = (uint32_t)t->tally.max_abs_at;
        judge_neighbours(t, ulp_at);
        judge_neighbours(t, abs_at);
        if (ulp_at == t->tally.max_ulp_at && abs_at == t->tally.max_abs_at) break;
    }
    return ready;
}

/* -- all inputs -- */

uint32_t plan_input_count(enum element_type type) { return UINT32_C(1) << 8 * element_types[type].bytes; }

float plan_input(enum element_type type, uint32_t number) { return (float)element_types[type].value(number); }

/* Measures all inputs of a type of 8 or 16 bits. The reference is asked for each input of the first block. */
static void measure_all(struct trial *t)
{
    struct measurer *m = t->m;
    const uint32_t inputs = plan_input_count(m->piece.argument);
    for (uint32_t first = 0; first < inputs && !is_lost(t); first += RUN) {
        for (uint32_t i = 0; i < RUN; i++) /* from all binades in the first run */
            t->x[i] = plan_input(m->piece.argument, first / RUN + i * (inputs / RUN));
        judge_inputs(t, RUN, !m->trusted);
        m->trusted = true;
    }
}

static struct judge_known *make_known(arena *memory, size_t blocks, size_t count)
{
    struct judge_known *list = arena_alloc(memory, blocks * sizeof *list);
    for (size_t i = 0; i < blocks; i++) {
        list[i].value = arena_alloc(memory, count * sizeof *list[i].value);
        list[i].error = arena_alloc(memory, count * sizeof *list[i].error);
    }
    return list;
}

struct measurer *measurer_create(const struct plan_request *r, struct traits *traits)
{
    arena *memory = arena_create_inner(expr_dag_memory(r->dag));
    struct measurer *m = arena_alloc(memory, sizeof *m);
    m->memory = memory;
    m->formula = r->piece.written;
    m->progress = r->progress;
    m->sweeps = r->sweeps;
    m->piece = (struct piece){.written = r->piece.written,
                              .simplified = r->piece.simplified,
                              .argument = r->piece.argument,
                              .result = r->piece.result};
    if (r->piece.argument == ELEMENT_F64) {
        m->wide = f64_sample_create(memory, r, traits);
        if (!m->wide) arena_free(memory);
        return m->wide ? m : NULL;
    }
    m->x = arena_alloc(memory, SAMPLE * sizeof **m->x);
    m->sample = make_known(memory, SAMPLE / RUN, RUN);
    m->binades = make_known(memory, DANGER_BINADES, DANGER_POINTS);
    unsigned kinks;
    const double *kink = traits_kinks(traits, &kinks);
    for (unsigned i = 0; i < kinks; i++) add_input_place(m, &m->kinks, bits_of_f32((float)kink[i]));
    if (judge_init(&m->judge, &m->piece)) {
        reference_watch(m->judge.truth, m->progress);
        return m;
    }
    measurer_free(m);
    return NULL;
}

void measurer_free(struct measurer *m)
{
    if (!m) return;
    if (m->wide)
        f64_sample_free(m->wide);
    else
        judge_clear(&m->judge);
    arena_free(m->memory);
}

void measurer_begin(struct measurer *m)
{
    m->swept = 0;
    m->sweeps_left = BUDGET_SWEEPS;
    if (m->wide) f64_sample_begin(m->wide);
}

uint64_t measurer_work(const struct measurer *m)
{
    if (m->wide) return reference_work(m->wide->truth) + reference_work(m->wide->simplified);
    return reference_work(m->judge.truth) - m->sweeping_work;
}

const double *measurer_roots(const struct measurer *m, unsigned *count)
{
    *count = m->wide ? m->wide->root_count : 0;
    return m->wide ? m->wide->roots : NULL;
}

bool program_values(const lane_program *program, enum element_type argument, const double *x, double *y,
                    size_t count)
{
    const bool wide = argument == ELEMENT_F64;
    float in[RUN], out[RUN];
    interp *run = interp_create(program);
    for (size_t first = 0; run && first < count; first += RUN) {
        const size_t n = count - first < RUN ? count - first : RUN;
        for (size_t i = 0; !wide && i < n; i++) in[i] = (float)x[first + i];
        void *operands[2] = {wide ? (void *)(x + first) : in, wide ? (void *)(y + first) : out};
        interp_run(run, operands, n);
        for (size_t i = 0; !wide && i < n; i++) y[first + i] = (double)out[i];
    }
    interp_free(run);
    return run;
}

static int out_of_memory(struct diag *error) { return diag_set(error, DIAG_NO_MEMORY, "out of memory"); }

static struct trial *trial_create(struct measurer *m, const lane_program *program,
                                  const struct spec_bound *bound)
{
    struct trial *t = arena_alloc(m->memory, sizeof *t);
    t->m = m;
    t->run = interp_create(program);
    m->piece.program = program;
    m->piece.bound = *bound;
    judge_take_bound(&m->judge);
    return t;
}

/* Measures one program. */
static bool measure_program(struct tally *out, struct measurer *m, const lane_program *program,
                            const struct spec_bound *bound)
{
    struct trial *t = trial_create(m, program, bound);
    bool ready = t->run;
    if (ready && element_is_half(m->piece.argument))
        measure_all(t);
    else if (ready)
        ready = measure_trial(t);
    *out = t->tally;
    interp_free(t->run);
    return ready;
}

int plan_measure(struct tally *out, struct measurer *m, const lane_program *program,
                 const struct spec_bound *bound, struct diag *error)
{
    struct tally flushed = {0};
    if (m->wide) {
        *out = (struct tally){0};
        return f64_sample_measure(out, m->wide, program, bound) ? DIAG_OK : out_of_memory(error);
    }
    bool ready = measure_program(out, m, program, bound);
    if (bound->flush && ready && !out->wrong)
        ready = measure_program(&flushed, m, lane_flushed(m->memory, program), bound);
    *out = tally_merge(*out, flushed);
    return ready ? DIAG_OK : out_of_memory(error);
}

/* Returns whether the inputs that were tried show so little error beyond the rounding of the result that all
 * others must keep the bound. */
static bool is_quiet(const struct tally *t, const struct spec_bound *bound)
{
    const bool by_abs = bound->kind == BOUND_ABS;
    const double rounding = by_abs ? 0x1p-24 : 0.5, allowed = judge_allowed(bound);
    return (by_abs ? t->max_abs : t->max_ulp) - rounding <= budget_quiet(by_abs) * (allowed - rounding);
}

/* Returns whether all inputs must be judged. `doubtful` says that the sample and the analysis do not
 * decide. */
static bool is_to_be_swept(struct measurer *m, bool doubtful)
{
    if (m->sweeps == PLAN_SWEEPS_ALL) return true;
    if (m->sweeps == PLAN_SWEEPS_NONE || !doubtful || !m->sweeps_left) return false;
    m->sweeps_left--;
    return true;
}

/* Confirms one program of an f32. Returns false without memory. */
static bool confirm_program(bool *kept, bool *is_swept, struct tally *tally, struct measurer *m,
                            const lane_program *program, const struct spec_bound *bound)
{
    *is_swept = false;
    m->piece.program = program;
    m->piece.bound = *bound;
    judge_take_bound(&m->judge);
    const uint64_t left = BUDGET_SWEPT_IN_ALL - m->swept, inputs = tally->inputs,
                   work = reference_work(m->judge.truth);
    const uint64_t most_swept = left < BUDGET_SWEPT ? left : BUDGET_SWEPT;
    const struct danger_request request = {&m->judge,  m->memory,  m->progress, m->binades,
                                           &m->broken, most_swept, BUDGET_ASKED};
    const enum danger_state state = danger_judge(&request, tally);
    bool ready = state != DANGER_NO_MEMORY;
    const bool is_sound = !tally->wrong && !tally->undecided;
    *kept = is_sound && (state == DANGER_JUDGED || (state == DANGER_TOO_MUCH && is_quiet(tally, bound)));
    m->swept += tally->inputs - inputs < left ? tally->inputs - inputs : left;
    if (ready && is_sound && is_to_be_swept(m, !*kept)) {
        ready = judge_everywhere(&m->judge, program, m->progress, tally);
        *is_swept = *kept = ready && !tally->wrong && !tally->undecided && progress_goes_on(m->progress);
    }
    m->sweeping_work += reference_work(m->judge.truth) - work;
    return ready;
}

/* Confirms a program, which has been confirmed, as processors run it that flush. */
static bool confirm_flushed(bool *kept, bool is_swept, struct tally *tally, struct measurer *m,
                            const lane_program *program)
{
    const lane_program *flushed = lane_flushed(m->memory, program);
    const bool ready = is_swept ? judge_everywhere(&m->judge, flushed, m->progress, tally)
                                : flushed_judge(&m->judge, program, flushed, m->progress, tally);
    *kept = ready && !tally->wrong && !tally->undecided && progress_goes_on(m->progress);
    return ready;
}

int plan_confirm(bool *kept, bool *is_swept, struct tally *tally, struct measurer *m,
                 const struct measured *what, const struct spec_bound *bound, struct diag *error)
{
    *is_swept = false;
    if (m->wide)
        return f64_sample_confirm(kept, tally, m->wide, what, bound) ? DIAG_OK : out_of_memory(error);
    *kept = true;
    if (element_is_half(m->piece.argument)) return DIAG_OK; /* all inputs were tried */
    if (what->is_right && m->sweeps != PLAN_SWEEPS_ALL) return DIAG_OK;
    bool ready = confirm_program(kept, is_swept, tally, m, what->program, bound);
    if (bound->flush && ready && *kept) ready = confirm_flushed(kept, *is_swept, tally, m, what->program);
    return ready ? DIAG_OK : out_of_memory(error);
}
