/* Runs a verification: phases of shards, merged into one report. */
#include "verify.h"

#include "beginning.h"
#include "bits.h"
#include "sweep.h"
#include "whole.h"

#include <math.h>
#include <pthread.h>
#include <string.h>

enum {
    ASKED_SHARD = 512, /* inputs of a shard; the reference takes about 20 microseconds for each */
    SAMPLE_SHARD = 1 << 15,
    EXHAUSTIVE_SHARD = 1 << 18,
    ASKED_WEIGHT = 256, /* work of an asked input in the share of work done */
    BITS_SHARD = 1 << 16,
    BITS_SHARDS_SAMPLE = 64,
    BITS_SHARDS_EXHAUSTIVE = 256,
    WHOLE_SHARDS = 32,
};

struct course {
    const struct verify_subject *subject;
    const actgen_verify_options *options;
    uint32_t part, parts;          /* this run does every parts-th shard, from number `part` on */
    pthread_mutex_t lock;          /* guards everything below */
    const struct written *written; /* NULL if the formulas are only one piece */
    const struct samples *samples;
    arena *memory;
    struct tally piece;     /* results of the current piece */
    enum element_type type; /* type of the piece's argument */
    bool distrust;          /* the piece's quick reference was wrong once */
    struct tally total;     /* results of the finished pieces and of the bits */
    const char *worst;      /* name of the piece that has the total's max_ulp */
    double whole;
    double work_done, work;
    bool stopped, no_memory;
};

struct phase {
    struct course *course;
    struct sweep sweep;
    const struct input_run *run;
    /* task i does shard number first + i * step, and `shard` is the number of inputs per shard */
    uint64_t shard, first, step;
    struct tally start; /* maxima that are known before the phase */
    bool distrust;
    double weight;   /* work of one input */
    uint32_t result; /* argument of whole_error */
};

static bool goes_on(struct course *c)
{
    pthread_mutex_lock(&c->lock);
    const bool on = !c->stopped && !c->no_memory;
    pthread_mutex_unlock(&c->lock);
    return on;
}

/* Reports progress. The caller holds the lock. */
static void report_progress(struct course *c, double work)
{
    c->work_done += work;
    const double share = c->work > 0 && c->work_done < c->work ? c->work_done / c->work : 1;
    const double most = c->piece.max_ulp > c->total.max_ulp ? c->piece.max_ulp : c->total.max_ulp;
    if (c->stopped || !c->options->progress) return;
    if (c->options->progress(c->options->progress_payload, share, most) != 0) c->stopped = true;
}

static void in_parallel(struct course *c, uint64_t count, void (*task)(void *, size_t), void *context)
{
    if (c->options->parallel)
        c->options->parallel(c->options->parallel_payload, (size_t)count, task, context);
    else
        for (size_t i = 0; i < count; i++) task(context, i);
}

/* Runs this part's share of `count` tasks. Runs all tasks if each part needs their results. */
static void share_out(struct phase *p, uint64_t count, bool in_parts, void (*task)(void *, size_t))
{
    struct course *c = p->course;
    p->first = in_parts ? c->part : 0;
    p->step = in_parts ? c->parts : 1;
    if (p->first < count) in_parallel(c, (count - p->first + p->step - 1) / p->step, task, p);
}

static void sweep_task(void *context, size_t i)
{
    const struct phase *p = context;
    struct course *c = p->course;
    if (!goes_on(c)) return;
    const uint64_t first = (p->first + i * p->step) * p->shard, left = p->run->count - first;
    const uint64_t count = left < p->shard ? left : p->shard;
    struct tally found = p->start;
    bool distrust = p->distrust;
    const bool done = sweep_shard(&p->sweep, p->run, first, count, &distrust, &found);
    pthread_mutex_lock(&c->lock);
    c->no_memory = c->no_memory || !done;
    c->distrust = c->distrust || distrust;
    c->piece = tally_merge(c->piece, found);
    report_progress(c, (double)count * p->weight);
    pthread_mutex_unlock(&c->lock);
}

/* Returns only the maxima. */
static struct tally maxima_of(struct tally t)
{
    t.inputs = t.undecided = t.wrong = t.bits_compared = t.bits_differ = t.settled = t.asked = 0;
    return t;
}

/* Sweeps a run. If all inputs are swept later, each part asks the reference first, and maxima start from its
 * answers. */
static void sweep_run(struct course *c, struct sweep sweep, const struct input_run *run, bool in_parts)
{
    struct phase p = {
        .course = c, .sweep = sweep, .run = run, .start = maxima_of(c->piece), .distrust = c->distrust};
    p.shard = sweep.ask_all ? ASKED_SHARD : c->options->exhaustive ? EXHAUSTIVE_SHARD : SAMPLE_SHARD;
    p.weight = sweep.ask_all ? ASKED_WEIGHT : 1;
    share_out(&p, (run->count + p.shard - 1) / p.shard, in_parts, sweep_task);
}

static const struct kernel_operand *first_operand(const struct verify_subject *s, bool is_result)
{
    for (uint32_t k = 0; k < s->kernel->operand_count; k++)
        if (s->kernel->operands[k].is_result == is_result) return &s->kernel->operands[k];
    return NULL;
}

/* Returns true if the kernel has one input and one result of the piece's types. The piece's sweep may then be
 * the kernel's. Integer results are excluded, because the judged values are not saturated yet. */
static bool has_types_of(const struct verify_subject *s, const struct piece *piece)
{
    return s->kernel->operand_count == 2 && bits_has_one_input(s->kernel) &&
           first_operand(s, false)->type == piece->argument &&
           first_operand(s, true)->type == piece->result && !element_is_integer(piece->result);
}

/* Sweeps all inputs of the plan. */
static void sweep_inputs(struct course *c, struct sweep s, const struct inputs *plan)
{
    s.ask_all = true;
    sweep_run(c, s, &plan->dense, !plan->all);
    sweep_run(c, s, &plan->special, !plan->all);
    /* Inputs that are swept again later must be counted once. */
    if (plan->all && goes_on(c)) c->piece = maxima_of(c->piece);
    s.ask_all = false;
    for (unsigned n = 0; n < plan->sweep_count; n++) sweep_run(c, s, &plan->sweep[n], true);
}

/* Returns true if the bound must also hold on processors that flush. */
static bool is_flushed_too(const struct course *c, const struct piece *piece)
{
    return piece && piece->bound.flush && !c->options->judged;
}

/* Verifies a piece. `piece` is NULL if only the bits of a kernel of one input are compared. `type` is the
 * inputs' type. */
static void verify_piece(struct course *c, const struct piece *piece, enum element_type type, bool with_bits)
{
    struct inputs plan;
    c->piece = (struct tally){0};
    c->type = type;
    c->distrust = false;
    const bool is_known = piece && c->subject->known;
    const struct tally *known = is_known ? &c->subject->known[piece - c->subject->pieces] : NULL;
    if (!inputs_plan(&plan, piece, type, known, c->options)) {
        c->no_memory = true;
        return;
    }
    struct sweep s = {.subject = c->subject,
                      .piece = piece,
                      .with_bits = with_bits,
                      .judged = c->options->judged,
                      .judged_payload = c->options->judged_payload};
    const bool is_long = piece && plan.all && c->options->exhaustive;
    struct beginning *beginning = is_long ? beginning_create(piece->written) : NULL;
    s.beginning = beginning;
    s.shares_program = piece && with_bits && has_types_of(c->subject, piece) &&
                       sweep_same_program(piece->program, c->subject->kernel->program);
    sweep_inputs(c, s, &plan);
    if (is_flushed_too(c, piece) && goes_on(c)) {
        const struct tally plain = c->piece;
        s.with_bits = s.shares_program = false;
        s.program = lane_flushed(c->memory, piece->program);
        sweep_inputs(c, s, &plan);
        c->piece = tally_merge(plain, c->piece);
    }
    inputs_clear(&plan);
    beginning_free(beginning);
    if (piece && (!c->total.decided_any || c->piece.max_ulp > c->total.max_ulp)) c->worst = piece->name;
    c->total = tally_merge(c->total, tally_widened(c->piece, c->type));
    c->piece = (struct tally){0};
}

static void bits_task(void *context, size_t i)
{
    const struct phase *p = context;
    struct course *c = p->course;
    if (!goes_on(c)) return;
    struct bits_count found = {0};
    struct bits *b = bits_create(c->subject, c->samples);
    if (b && p->shard && c->written && !bits_judge_written(b, c->written)) {
        bits_free(b);
        b = NULL;
    }
    if (b && p->shard)
        bits_compare_sample(b, p->first + i * p->step, p->shard, &found);
    else if (b)
        bits_compare_lengths(b, &found);
    pthread_mutex_lock(&c->lock);
    c->no_memory = c->no_memory || !b;
    c->total.bits_compared += found.compared;
    c->total.bits_differ += found.differ;
    c->total.wrong += found.wrong;
    if (c->subject->piece_count == 0) c->total.inputs += found.judged;
    report_progress(c, (double)p->shard);
    pthread_mutex_unlock(&c->lock);
    bits_free(b);
}

static void whole_task(void *context, size_t i)
{
    const struct phase *p = context;
    struct course *c = p->course;
    if (!goes_on(c)) return;
    const double most = whole_error(c->subject, p->result, p->first + i * p->step, ASKED_SHARD);
    pthread_mutex_lock(&c->lock);
    c->no_memory = c->no_memory || most < 0;
    if (most > c->whole) c->whole = most;
    report_progress(c, (double)(ASKED_SHARD * ASKED_WEIGHT));
    pthread_mutex_unlock(&c->lock);
}

static uint64_t bits_shards(const struct course *c)
{
    return c->options->exhaustive ? BITS_SHARDS_EXHAUSTIVE
                                  : (uint64_t)BITS_SHARDS_SAMPLE >> inputs_less_log2(c->options);
}

static uint64_t whole_shards(const struct course *c)
{
    return (uint64_t)WHOLE_SHARDS >> inputs_less_log2(c->options);
}

/* Returns true if bits need samples. The bits of a kernel of one input are compared in a sweep instead. */
static bool needs_samples(const struct course *c)
{
    return c->written || (c->subject->code && !bits_has_one_input(c->subject->kernel));
}

/* Returns true if the kernel's program is that of its only piece. */
static bool is_one_piece(const struct verify_subject *s)
{
    return s->piece_count == 1 && has_types_of(s, &s->pieces[0]) &&
           sweep_same_program(s->pieces[0].program, s->kernel->program);
}

/* Returns the piece of a kernel of one input whose sweep compares its bits, because both have the same
 * inputs. Returns NULL if the bits need a sweep of their own, which for f64 is much longer. */
static const struct piece *piece_with_bits(const struct verify_subject *s)
{
    const enum element_type type = first_operand(s, false)->type;
    const bool possible = s->piece_count && type != ELEMENT_F64 && s->pieces[0].argument == type;
    return possible ? &s->pieces[0] : NULL;
}

static void run_course(struct course *c)
{
    const struct verify_subject *s = c->subject;
    if (c->options->judged) {
        verify_piece(c, &s->pieces[0], s->pieces[0].argument, false);
        return;
    }
    const bool one_input = bits_has_one_input(s->kernel), sweeps_bits = one_input && s->code;
    const struct piece *with_bits = sweeps_bits ? piece_with_bits(s) : NULL;
    struct phase lengths = {.course = c}, samples = {.course = c, .shard = BITS_SHARD};
    if (s->code) share_out(&lengths, 1, true, bits_task);
    if (needs_samples(c)) share_out(&samples, bits_shards(c), true, bits_task);
    for (uint32_t n = 0; n < s->piece_count && goes_on(c); n++)
        verify_piece(c, &s->pieces[n], s->pieces[n].argument, &s->pieces[n] == with_bits);
    if (sweeps_bits && !with_bits && goes_on(c)) verify_piece(c, NULL, first_operand(s, false)->type, true);
    for (uint32_t n = 0; n < s->result_count && !s->is_whole; n++) {
        /* values that are summed are no result */
        if (s->kernel->operands[s->results[n].operand].is_internal) continue;
        struct phase whole = {.course = c, .result = n};
        share_out(&whole, whole_shards(c), true, whole_task);
    }
}

/* Estimates the work ahead, so that progress is a share of it. */
static double expected_work(const struct course *c)
{
    const struct verify_subject *s = c->subject;
    const bool one_input = bits_has_one_input(s->kernel), exhaustive = c->options->exhaustive;
    const double asked = (double)ASKED_WEIGHT * (exhaustive ? 1 << 16 : 1 << 14);
    double shared = 0, pieces = (double)s->piece_count;
    for (uint32_t n = 0; n < s->piece_count; n++) {
        const enum element_type type = s->pieces[n].argument;
        shared += inputs_expected(type, c->options) * (is_flushed_too(c, &s->pieces[n]) ? 2 : 1);
        pieces += is_flushed_too(c, &s->pieces[n]);
    }
    if (one_input && s->code && !piece_with_bits(s)) {
        shared += inputs_expected(first_operand(s, false)->type, c->options);
        pieces++;
    }
    if (needs_samples(c)) shared += (double)BITS_SHARD * (double)bits_shards(c);
    if (!s->is_whole)
        shared += (double)s->result_count * (double)(whole_shards(c) * ASKED_SHARD * ASKED_WEIGHT);
    return pieces * asked + shared / (double)c->parts;
}

/* Rejects an exhaustive run that would be a sample, because a sample must not be called a proof. */
static int check_exhaustive(const struct verify_subject *s, bool exhaustive, struct diag *error)
{
    bool is_wide = bits_has_one_input(s->kernel) && first_operand(s, false)->type == ELEMENT_F64;
    for (uint32_t n = 0; n < s->piece_count; n++) is_wide = is_wide || s->pieces[n].argument == ELEMENT_F64;
    if (!exhaustive || !is_wide) return DIAG_OK;
    return diag_set(
        error, DIAG_INVALID,
        "a function of one f64 has 2^64 inputs, too many to try each; without `exhaustive` a sample of "
        "more than four million is compared");
}

static int check_shard(const actgen_verify_options *o, struct diag *error)
{
    const bool known = o->shards ? o->shard >= 1 && o->shard <= o->shards : o->shard == 0;
    if (!known || o->shards > ACTGEN_MAX_SHARDS)
        return diag_set(error, DIAG_INVALID, "shard %u of %u: count from 1, and to %d at most", o->shard,
                        o->shards, ACTGEN_MAX_SHARDS);
    if (o->shards && !o->exhaustive)
        return diag_set(error, DIAG_INVALID, "shards are parts of an exhaustive verification: ask for that");
    return DIAG_OK;
}

static int check_judged(const struct verify_subject *s, const actgen_verify_options *o, struct diag *error)
{
    if (!o->judged || (s->piece_count == 1 && s->is_whole && has_types_of(s, &s->pieces[0]))) return DIAG_OK;
    return diag_set(error, DIAG_INVALID,
                    "%s is no function of one value with a result of a floating-point type, so no other "
                    "function can be judged by it",
                    s->kernel->name);
}

static int check_sample(const actgen_verify_options *o, struct diag *error)
{
    const uint32_t log2 = o->sample_log2;
    if (!log2 || (log2 >= ACTGEN_MIN_SAMPLE_LOG2 && log2 <= ACTGEN_MAX_SAMPLE_LOG2)) return DIAG_OK;
    return diag_set(error, DIAG_INVALID, "a sample has 2^%d to 2^%d inputs, not 2^%u", ACTGEN_MIN_SAMPLE_LOG2,
                    ACTGEN_MAX_SAMPLE_LOG2, log2);
}

static void fill_report(const struct course *c, actgen_report *r)
{
    const struct tally t = tally_merge(c->total, tally_widened(c->piece, c->type));
    *r = (actgen_report){.inputs = t.inputs,
                         .max_ulp = t.max_ulp,
                         .max_ulp_at = tally_place(t.max_ulp_at, ELEMENT_F64),
                         .max_abs = t.max_abs,
                         .max_abs_at = tally_place(t.max_abs_at, ELEMENT_F64),
                         .whole_max_ulp = c->subject->is_whole ? NAN : c->whole,
                         .undecided = t.undecided,
                         .wrong = t.wrong,
                         .bits_compared = t.bits_compared,
                         .bits_differ = t.bits_differ,
                         .max_ulp_of = c->worst,
                         .settled = t.settled,
                         .asked = t.asked};
    r->done = !c->stopped || c->work_done > c->work ? 1 : c->work_done / c->work;
    r->ok = !c->stopped && !c->no_memory && !t.undecided && !t.wrong && !t.bits_differ;
}

static int run_and_report(struct course *c, actgen_report *report, struct diag *error)
{
    const char *name = c->subject->kernel->name;
    if (pthread_mutex_init(&c->lock, NULL) != 0)
        return diag_set(error, DIAG_NO_MEMORY, "%s: no memory to verify it", name);
    c->work = expected_work(c);
    run_course(c);
    pthread_mutex_destroy(&c->lock);
    fill_report(c, report);
    if (c->no_memory) return diag_set(error, DIAG_NO_MEMORY, "%s: no memory to verify it", name);
    if (c->stopped) return diag_set(error, DIAG_STOPPED, "%s: stopped before all inputs were tried", name);
    return DIAG_OK;
}

int verify_run(const struct verify_subject *subject, const actgen_verify_options *options,
               actgen_report *report, struct diag *error)
{
    static const actgen_verify_options defaults = ACTGEN_VERIFY_OPTIONS_INIT;
    struct course c = {.subject = subject, .options = options ? options : &defaults};
    *report = (actgen_report){0};
    int status = check_exhaustive(subject, c.options->exhaustive, error);
    if (status == DIAG_OK) status = check_shard(c.options, error);
    if (status == DIAG_OK) status = check_sample(c.options, error);
    if (status == DIAG_OK) status = check_judged(subject, c.options, error);
    if (status != DIAG_OK) return status;
    c.part = c.options->shards ? c.options->shard - 1 : 0;
    c.parts = c.options->shards ? c.options->shards : 1;
    arena *memory = arena_create(0);
    if (!memory) return diag_set(error, DIAG_NO_MEMORY, "%s: no memory to verify it", subject->kernel->name);
    if (setjmp(*arena_escape(memory))) {
        arena_free(memory);
        return diag_set(error, DIAG_NO_MEMORY, "%s: no memory to verify it", subject->kernel->name);
    }
    c.memory = memory;
    c.samples = samples_create(memory, subject);
    if (subject->result_count && !is_one_piece(subject) && !c.options->judged) {
        c.written = written_create(memory, subject);
        if (!c.written) c.total.wrong = 1; /* the kernel's pieces are not the formula's */
    }
    status = run_and_report(&c, report, error);
    if (arena_failed(memory)) status = diag_out_of_memory(error);
    arena_free(memory);
    return status;
}
