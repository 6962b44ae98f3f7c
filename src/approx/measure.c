/* The planner's measurement of a candidate. */
#include "changes.h"
#include "kinks.h"
#include "plan.h"
#include "sample.h"

#include <string.h>

/* SAMPLE inputs; the first RUN of them, which hold the special values, are asked of the reference one by
 * one. */
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

/* -- where the result, or a condition of the formula, changes -- */

enum { CHANGES = 64, CONDITIONS = 16 }; /* of each condition; of a formula */

static void program_values(void *context, const float *x, double *values, size_t count)
{
    struct trial *t = context;
    void *operands[2] = {t->x, t->y};
    memcpy(t->x, x, count * sizeof *x);
    interp_run(t->run, operands, count);
    for (size_t i = 0; i < count; i++) values[i] = (double)t->y[i];
}

/* What decides a comparison, a < b, or sign(a), is the sign of a - b, or a. */
struct condition {
    reference *a, *b; /* b may be NULL */
};

static void condition_values(void *context, const float *x, double *values, size_t count)
{
    const struct condition *c = context;
    double lanes[RUN], error[RUN], subtrahend[RUN];
    const double *inputs[1] = {lanes};
    for (size_t i = 0; i < count; i++) lanes[i] = (double)x[i];
    reference_quick(c->a, inputs, count, values, error);
    if (c->b) reference_quick(c->b, inputs, count, subtrahend, error);
    for (size_t i = 0; c->b && i < count; i++) values[i] -= subtrahend[i];
}

/* On both sides of the input, at distances that grow from NEIGHBOURS inputs to a binade: a logarithm that
 * begins at -286.75 has all its curvature within a few thousand inputs of the sample's. */
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

static void judge_changes(struct trial *t, changes_values values, void *context)
{
    uint32_t places[CHANGES];
    const size_t count = changes_find(places, CHANGES, values, context);
    for (size_t i = 0; i < count && !t->tally.wrong; i++) {
        judge_neighbours(t, places[i]);
        judge_surroundings(t, places[i]);
    }
}

/* A branch may be taken an input too early or too late. */
static bool judge_conditions(struct trial *t, const expr *formula, arena *memory)
{
    uint32_t count, found = 0;
    const expr **nodes = expr_walk(memory, formula, &count);
    bool ready = true;
    for (uint32_t i = 0; i < count && found < CONDITIONS && ready; i++) {
        const expr *e = nodes[i];
        const bool compares = e->kind == EXPR_LT || e->kind == EXPR_LE || e->kind == EXPR_EQ;
        if (expr_is_constant(e) || (!compares && e->kind != EXPR_sign)) continue;
        struct condition c = {.a = reference_create(e->operand[0], e->operand[0], 1)};
        if (compares) c.b = reference_create(e->operand[1], e->operand[1], 1);
        ready = c.a && (c.b || !compares);
        if (ready) judge_changes(t, condition_values, &c);
        reference_free(c.a);
        reference_free(c.b);
        found++;
    }
    return ready;
}

/* At a root away from 0 the error in ulps doubles with every bit that an input comes nearer, and a pole or
 * the end of a domain may be met an input too early: a sample that is not led there does not see it. */
static bool judge_special_places(struct trial *t, const expr *formula, arena *memory)
{
    if (!t->tally.wrong) judge_changes(t, program_values, t);
    return t->tally.wrong || judge_conditions(t, formula, memory);
}

/* The errors of f32 arithmetic are noise, whose rare extremes count: 2^14 more inputs where the sample
 * found the worst. */
static void judge_binade(struct trial *t, uint32_t worst)
{
    enum { LOG2_INPUTS = 14, STRIDE = 1 << (23 - LOG2_INPUTS) };
    const uint32_t binade = worst >> 23 << 23;
    for (uint32_t first = 0; first < 1u << LOG2_INPUTS && !t->tally.wrong; first += RUN) {
        for (uint32_t i = 0; i < RUN; i++) {
            const uint32_t n = first + i,
                           bits = binade + n * STRIDE + n * 0x9e3779b9u % STRIDE; /* the last bits stirred */
            memcpy(&t->x[i], &bits, sizeof bits);
        }
        judge_inputs(t, RUN, false);
    }
}

static bool measure(struct trial *t, const struct judged_piece *piece, arena *memory)
{
    for (uint64_t done = 0; done < SAMPLE && !t->tally.wrong; done += RUN) {
        sample_floats(t->x, done, RUN);
        judge_inputs(t, RUN, done == 0);
        if (done == 0) formula_kinks(memory, piece->written, judge_around, t);
    }
    judge_binade(t, piece->bound.kind == BOUND_ABS ? t->tally.max_abs_at : t->tally.max_ulp_at);
    const bool ready = judge_special_places(t, piece->written, memory);
    for (int round = 0; round < ROUNDS && !t->tally.wrong; round++) {
        uint32_t ulp_at = t->tally.max_ulp_at, abs_at = t->tally.max_abs_at;
        judge_neighbours(t, ulp_at);
        judge_neighbours(t, abs_at);
        if (ulp_at == t->tally.max_ulp_at && abs_at == t->tally.max_abs_at) break;
    }
    return ready;
}

int plan_measure(struct tally *out, const struct judged_piece *piece, arena *memory, struct diag *error)
{
    struct trial *t = arena_alloc(memory, sizeof *t);
    t->judge = arena_alloc(memory, sizeof *t->judge);
    t->run = interp_create(piece->program);
    bool ready = judge_init(t->judge, piece) && t->run;
    ready = ready && measure(t, piece, memory);
    *out = t->tally;
    judge_clear(t->judge);
    interp_free(t->run);
    return ready ? DIAG_OK : diag_set(error, DIAG_NO_MEMORY, "out of memory");
}
