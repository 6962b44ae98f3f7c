/* The pipeline: spec -> kernel -> pieces -> plans -> lane program -> object -> code. */
#include "compile.h"
#include "elsewhere.h"
#include "language.h"
#include "plan_file.h"
#include "prove.h"
#include "race.h"
#include "ready.h"

#include <stdlib.h>
#include <string.h>

static const double LONGEST_TIME = 1e9; /* In seconds. */

/* -- the request -- */

static int read_options(actgen_options *out, const actgen_options *given, struct diag *error)
{
    const actgen_options defaults = ACTGEN_OPTIONS_INIT;
    *out = defaults;
    const int status = take_options(out, sizeof *out, given, "ACTGEN_OPTIONS_INIT", error);
    if (!status && out->prove && (out->plan != ACTGEN_PLAN_ESTIMATE || out->plans))
        return diag_set(error, DIAG_INVALID,
                        "options.prove is for plans that are found by their costs: without options.plan and "
                        "options.plans");
    if (!status && (out->streaming < -1 || out->streaming > 1))
        return diag_set(error, DIAG_INVALID, "options.streaming is %d, not -1, 0 or 1", (int)out->streaming);
    if (!status && (out->tier < ACTGEN_TIER_BEST || out->tier > ACTGEN_TIER_INTERPRETER))
        return diag_set(error, DIAG_INVALID, "options.tier is %d, no ACTGEN_TIER_*", (int)out->tier);
    if (!status && !(out->time_limit >= 0 && out->time_limit <= LONGEST_TIME))
        return diag_set(error, DIAG_INVALID, "options.time_limit is %g, no number of seconds from 0 to %g",
                        out->time_limit, LONGEST_TIME);
    if (!status && out->interpret) out->tier = ACTGEN_TIER_INTERPRETER;
    if (!status && (out->plan < ACTGEN_PLAN_ESTIMATE || out->plan > ACTGEN_PLAN_MEASURE_ANEW))
        return diag_set(error, DIAG_INVALID, "options.plan is %d, no ACTGEN_PLAN_*", (int)out->plan);
    if (!status && out->plan == ACTGEN_PLAN_MEASURE_ANEW && out->program)
        return diag_set(error, DIAG_INVALID, "ACTGEN_PLAN_MEASURE_ANEW is not for options.program");
    if (!status && out->plan != ACTGEN_PLAN_ESTIMATE && !out->tune && !out->profile) out->tune = "host";
    return status || !out->plans ? status : plan_file_check(out->plans, error);
}

/* Refuses measuring if this machine cannot do it. Only machine code on this processor can be timed. */
static int check_measuring(const struct asked *a, struct diag *error)
{
    if (a->plan == ACTGEN_PLAN_ESTIMATE) return DIAG_OK;
    if (a->tier == ACTGEN_TIER_INTERPRETER)
        return diag_set(error, DIAG_INVALID, "the interpreter is not planned by times");
    if (a->tier == ACTGEN_TIER_QUICK)
        return diag_set(error, DIAG_INVALID,
                        "the quick tier does not time plans, because a race takes seconds: leave out "
                        "options.tier or options.plan");
    if (!target_isa_runs_here(a->isa))
        return diag_set(
            error, DIAG_TARGET,
            "this machine cannot run %s, so that nothing can be timed: tune it on one that can, and "
            "take the plan file from there",
            a->isa->name);
    if (!target_core_is_here(a->core))
        return diag_set(error, DIAG_TARGET,
                        "this machine is no %s, so its times do not count: tune on such a machine, and take "
                        "the plan file from there",
                        a->core->name);
    return DIAG_OK;
}

/* Fills in everything except the kernel. */
static int ask_how(struct compilation *c, actgen_engine *engine, const actgen_options *options,
                   const struct thread_state *host, struct diag *error)
{
    struct asked *a = &c->asked;
    int status = read_options(&c->options, options, error);
    if (!status) status = choose_target(a, engine->host, &c->options, error);
    if (status) return status;
    c->engine = engine;
    c->progress = progress_of(&c->lent, &c->options, host);
    if (c->options.time_limit > 0)
        c->progress.deadline = progress_clock() + (uint64_t)(1000 * c->options.time_limit);
    a->accuracy = c->options.accuracy;
    a->tier = c->options.tier;
    a->streaming = c->options.streaming;
    a->plan = c->options.plan;
    a->plans = c->options.plans;
    a->plan_limit = c->options.plan_limit;
    a->prove = c->options.prove != 0;
    return check_measuring(a, error);
}

int ask_which(struct compilation *c, const actgen_spec *spec, const char *kernel, struct diag *error)
{
    struct asked *a = &c->asked;
    const int status = choose_kernel(&c->source, spec->parsed, kernel, error);
    if (status) return status;
    c->spec = spec;
    a->spec = spec->hash;
    a->kernel = c->source->name;
    a->is_only = spec->parsed->kernel_count == 1;
    c->hash = asked_hash(a);
    return DIAG_OK;
}

int compilation_ask(struct compilation *c, actgen_engine *engine, const actgen_spec *spec, const char *kernel,
                    const actgen_options *options, const struct thread_state *host, struct diag *error)
{
    const int status = ask_how(c, engine, options, host, error);
    return status ? status : ask_which(c, spec, kernel, error);
}

/* -- the stages -- */

/* Copies the kernel's formulas and the request into the kernel's own memory. */
static int take_formulas(actgen_kernel *k, arena *memory, const struct compilation *c, struct diag *error)
{
    struct asked *a = &k->asked;
    k->spec = spec_copy_kernel(memory, c->spec->parsed, c->source);
    k->source = &k->spec->kernels[0];
    k->bound = k->source->bound;
    lower_operands(&k->called, k->source, memory);
    lower_totals(&k->called, spec_summands(memory, k->spec->dag, k->source), memory);
    a->spec = arena_copied(memory, a->spec);
    a->kernel = k->source->name;
    a->plans = arena_copied(memory, a->plans);
    if (!a->accuracy) return DIAG_OK;
    a->accuracy = arena_copied(memory, a->accuracy);
    return spec_parse_bound(&k->bound, memory, a->accuracy, strlen(a->accuracy), error);
}

struct lower_request lowering_of(const actgen_kernel *k, const struct spec *spec, struct planner planner)
{
    return (struct lower_request){.spec = spec,
                                  .kernel =
                                      spec_summands(expr_dag_memory(spec->dag), spec->dag, &spec->kernels[0]),
                                  .bound = k->bound,
                                  .profile = *k->profile,
                                  .costs = k->core,
                                  .prove = k->asked.prove,
                                  .plan_limit = k->asked.plan_limit,
                                  .planner = planner};
}

static const char *describe_plan(arena *memory, const struct lowered *l)
{
    struct text t = text_new(memory);
    for (uint32_t i = 0; i < l->piece_count; i++)
        text_add(&t, "%s%s (%s)", i ? "; " : "", l->pieces[i].plan->shape, l->pieces[i].plan->description);
    if (!l->piece_count) text_add(&t, "arithmetic only");
    return t.data;
}

/* Notes the kernel's accuracy and plan as text, and the names of its functions. */
static void note_texts(actgen_kernel *k, arena *memory)
{
    char accuracy[SPEC_BOUND_TEXT_SIZE];
    const struct spec_bound promised = promised_bound(k);
    struct text bound = text_new(memory);
    spec_bound_text(accuracy, &promised);
    /* the factors of a product of fewer bits */
    const bool is_of_f32 = k->bound.kind == BOUND_DEFAULT && promised.value > (double)SPEC_DEFAULT_ULP;
    text_add(&bound, "%s%s", accuracy, is_of_f32 ? " of f32" : "");
    k->accuracy = bound.data;
    k->plan = describe_plan(memory, k->lowered);
    k->symbol = kernel_symbol(memory, "", k);
    struct text tile = text_new(memory);
    text_add(&tile, "%s%s", k->symbol, k->called.has_sums ? "_tile" : "");
    k->tile_symbol = tile.data;
}

static int find_object(actgen_kernel *k, arena *memory, bool ready_only, struct progress *progress,
                       struct diag *error)
{
    const struct backend_function f = own_function(k);
    struct backend_options options = own_object(k);
    options.progress = progress;
    progress_begin(progress, "making code", 0);
    if (k->asked.tier == ACTGEN_TIER_INTERPRETER) return DIAG_OK;
    object_key(&f, &options, memory, k->object_key);
    int status = object_find(&k->object, k->engine, k->object_key, &f, &options, ready_only, error);
    if (!status) hash_text(k->object.data, k->object.size, k->object_hash);
    return status;
}

/* -- the pipeline -- */

static int compile_stages(arena *memory, struct compilation *c, struct diag *error)
{
    actgen_kernel *k = c->kernel;
    struct lowering *l;
    c->planning.search.log = text_new(memory);
    int status = take_formulas(k, memory, c, error);
    if (status || c->formulas_only) return status;
    const struct lower_request request = lowering_of(k, k->spec, planner_of(&c->planning));
    status = lower_pieces(&l, &request, error);
    if (!status) status = choose_plans(l, k, &c->planning, error);
    if (!status) status = kernel_lower(k, l);
    if (!status && k->asked.prove) status = prove_bounds(k, memory, &c->progress, error);
    if (status) return status;
    note_texts(k, memory);
    status = find_object(k, memory, c->planning.ready_only && !k->asked.streaming, &c->progress, error);
    if (!status) status = kernel_link(k, error);
    if (!status && k->asked.prove) status = prove_code(k, memory, &c->progress, error);
    return status;
}

/* Runs the stages. The kernel keeps the arena, which nobody watches afterwards. */
static int compile(arena *memory, void *context, struct diag *error)
{
    struct compilation *c = context;
    progress_begin(&c->progress, "simplifying", 0);
    watch_arena(memory, &c->progress);
    const int status = compile_stages(memory, c, error);
    watch_arena(memory, NULL);
    return status;
}

int compile_unshared(actgen_kernel **out, struct compilation *c, struct diag *error)
{
    const double start = now_ms();
    actgen_kernel *k = NULL;
    int status = kernel_create(&k, c->engine, &c->asked, error);
    if (status) return status;
    c->kernel = k;
    c->planning.cache = c->engine->cache;
    c->planning.progress = &c->progress;
    c->planning.machine = (struct machine_context){c->engine, k->isa, &c->progress};
    status = with_arena_of(&k->memory, c->options.memory_limit, compile, c, error);
    planning_clear(&c->planning);
    k->compile_ms = now_ms() - start;
    k->plan_ms = c->planning.ms;
    if (status)
        actgen_kernel_free(k);
    else
        *out = k;
    return status;
}

int compile_kernel(actgen_kernel **out, struct compilation *c, struct diag *error)
{
    const int status = compile_unshared(out, c, error);
    if (!status) *out = kernel_publish(*out);
    return status;
}

static actgen_kernel *find_kernel(const struct compilation *c)
{
    if (asked_anew(&c->asked)) return NULL;
    pthread_mutex_lock(&c->engine->lock);
    actgen_kernel *k = engine_find(c->engine, &c->asked, c->hash);
    pthread_mutex_unlock(&c->engine->lock);
    return k;
}

/* Lets the program make the plans and code that are not ready. */
static int compile_kernel_by(actgen_kernel **out, struct compilation *c, const char *program,
                             struct diag *error)
{
    struct diag unready = {0};
    const actgen_engine *engine = c->engine;
    if (!engine->cache)
        return diag_set(error, DIAG_INVALID, "options.program needs a disk cache, and there is none: %s",
                        engine->no_cache);
    c->planning.ready_only = true;
    int status = compile_kernel(out, c, &unready);
    if (status != DIAG_BACKEND) {
        *error = unready;
        return status;
    }
    const struct elsewhere e = {
        program,      c->spec->parsed,        c->source, &c->asked, cache_directory(engine->cache),
        &c->progress, c->options.memory_limit};
    status = make_elsewhere(&e, error);
    return status ? status : compile_kernel(out, c, error);
}

/* Finds the kernel in the engine, or makes a new one. */
static int find_or_compile(actgen_kernel **out, struct compilation *c, struct diag *error)
{
    const char *program = c->options.program;
    *out = find_kernel(c);
    if (*out) return DIAG_OK;
    return program ? compile_kernel_by(out, c, program, error) : compile_kernel(out, c, error);
}

int tell_limit(const struct compilation *c, int status, struct diag *error)
{
    if (status != DIAG_STOPPED || !atomic_load(&c->progress.is_late)) return status;
    static const char limit[] = "the limit of time (options.time_limit, --time-limit)";
    *error = (struct diag){0};
    if (!c->source)
        return diag_set(error, DIAG_LIMIT, "the spec was not read within %g s, %s", c->options.time_limit,
                        limit);
    return diag_set(error, DIAG_LIMIT, "`%s` was not compiled within %g s, %s", c->source->name,
                    c->options.time_limit, limit);
}

int actgen_compile(actgen_kernel **out, actgen_engine *engine, const actgen_spec *spec, const char *name,
                   const actgen_options *options, actgen_error *error)
{
    ENTER_LIBRARY(host);
    struct diag d = {0};
    struct compilation c = {0};
    if (!out || !engine || !spec)
        return diag_set(&d, DIAG_INVALID, "out, engine or spec is NULL"), error_return(error, &d);
    *out = NULL;
    int status = compilation_ask(&c, engine, spec, name, options, &host, &d);
    if (!status) status = tell_limit(&c, find_or_compile(out, &c, &d), &d);
    return status ? error_return(error, &d) : ACTGEN_OK;
}

/* Finds a kernel of a text that was not parsed. It is unknown then whether the spec has other kernels. So the
 * name is looked up as one of several, and as the only one. */
static actgen_kernel *find_unparsed(struct compilation *c, const char *hash, const char *name)
{
    actgen_kernel *k = NULL;
    c->asked.spec = hash;
    c->asked.kernel = name;
    for (int only = !name; only < 2 && !k; only++) {
        c->asked.is_only = only;
        c->hash = asked_hash(&c->asked);
        k = find_kernel(c);
    }
    return k;
}

int compile_source(actgen_kernel **out, actgen_engine *engine, struct spec_source source, const char *name,
                   const actgen_options *options, actgen_error *error)
{
    ENTER_LIBRARY(host);
    char hash[HASH_TEXT_SIZE];
    struct diag d = {0};
    struct compilation c = {0};
    actgen_spec *spec = NULL;
    if (!out || !engine) return diag_set(&d, DIAG_INVALID, "out or engine is NULL"), error_return(error, &d);
    *out = NULL;
    int status = spec_source_check(&source, &d);
    if (!status) status = ask_how(&c, engine, options, &host, &d);
    if (status) return error_return(error, &d);
    spec_source_hash(&source, hash);
    if ((*out = find_unparsed(&c, hash, name)) || (*out = ready_find(engine, &c.asked, &source, name)))
        return ACTGEN_OK;
    status = spec_make(&spec, &source, (struct spec_limits){&c.progress, c.options.memory_limit}, &d);
    if (!status) status = ask_which(&c, spec, name, &d);
    if (!status) status = find_or_compile(out, &c, &d);
    status = tell_limit(&c, status, &d);
    if (!status) ready_store(*out, name);
    actgen_spec_free(spec);
    return status ? error_return(error, &d) : ACTGEN_OK;
}
