/* Engines, and the lifetimes of kernels. */
#include "api.h"
#include "border.h"
#include "float_bits.h"
#include "perf.h"
#include "ready.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { LEAST_LISTS = 64 };

/* Returns NULL if memory runs out. */
static actgen_engine *make_engine(void)
{
    actgen_engine *e = calloc(1, sizeof *e);
    if (!e) return NULL;
    e->lists = LEAST_LISTS;
    e->kernels = calloc(e->lists, sizeof(actgen_kernel *));
    e->references = 1;
    if (e->kernels && !pthread_mutex_init(&e->lock, NULL)) return e;
    free(e->kernels);
    free(e);
    return NULL;
}

int actgen_engine_create_with(actgen_engine **out, const actgen_engine_options *options, actgen_error *error)
{
    ENTER_LIBRARY(host);
    struct diag d = {0}, why = {0};
    actgen_engine_options o = ACTGEN_ENGINE_OPTIONS_INIT;
    if (!out) return diag_set(&d, DIAG_INVALID, "out is NULL"), error_return(error, &d);
    *out = NULL;
    if (take_options(&o, sizeof o, options, "ACTGEN_ENGINE_OPTIONS_INIT", &d)) return error_return(error, &d);
    actgen_engine *e = make_engine();
    if (!e) return diag_set(&d, DIAG_NO_MEMORY, "out of memory"), error_return(error, &d);
    e->host = find_host();
    e->time = time_in_turn;
    e->perf = perf_wanted(o.perf_map);
    e->cache = cache_open(o.cache_directory, o.cache_limit, &why);
    memcpy(e->no_cache, why.message, sizeof e->no_cache);
    if (why.status == DIAG_NO_MEMORY) {
        actgen_engine_free(e);
        return diag_out_of_memory(&d), error_return(error, &d);
    }
    *out = e;
    return ACTGEN_OK;
}

int actgen_engine_create(actgen_engine **out, actgen_error *error)
{
    return actgen_engine_create_with(out, NULL, error);
}

const char *actgen_engine_cache(const actgen_engine *e, const char **why_not)
{
    if (why_not) *why_not = e ? e->no_cache : "engine is NULL";
    return e && e->cache ? cache_directory(e->cache) : NULL;
}

/* -- the kernels of an engine -- */

static uint64_t hash_of_text(const char *text, uint64_t seed)
{
    return text ? hash_bytes(text, strlen(text), seed) : seed;
}

/* Computes the hash of a request. The only kernel of a spec is found with its name and without it. */
uint64_t asked_hash(const struct asked *a)
{
    const char *kernel = a->is_only ? NULL : a->kernel;
    const int32_t rest[] = {a->tier, a->streaming, a->prove, a->accuracy != NULL, a->plan, a->plans != NULL};
    const uint64_t target[] = {(uintptr_t)a->isa, (uintptr_t)a->profile, (uintptr_t)a->core, a->plan_limit};
    const uint64_t hash = hash_bytes(a->spec, HASH_TEXT_SIZE,
                                     hash_bytes(rest, sizeof rest, hash_bytes(target, sizeof target, 0)));
    return hash_of_text(a->plans, hash_of_text(a->accuracy, hash_of_text(kernel, hash)));
}

static bool same_text(const char *a, const char *b) { return a && b ? !strcmp(a, b) : a == b; }

static bool same_kernel(const struct asked *a, const struct asked *b)
{
    return a->is_only == b->is_only &&
           ((a->is_only && (!a->kernel || !b->kernel)) || same_text(a->kernel, b->kernel));
}

static bool same_asked(const struct asked *a, const struct asked *b)
{
    return a->isa == b->isa && a->profile == b->profile && a->core == b->core && a->tier == b->tier &&
           a->streaming == b->streaming && a->plan == b->plan && a->prove == b->prove &&
           a->plan_limit == b->plan_limit && same_text(a->spec, b->spec) && same_kernel(a, b) &&
           same_text(a->accuracy, b->accuracy) && same_text(a->plans, b->plans);
}

static actgen_kernel **list_of(const actgen_engine *e, uint64_t hash)
{
    return &e->kernels[hash & (e->lists - 1)];
}

/* Doubles the number of lists. If there is no memory for that, the lists grow longer. */
static void more_lists(actgen_engine *e)
{
    const size_t count = e->lists;
    actgen_kernel **old = e->kernels, **lists = calloc(2 * count, sizeof(actgen_kernel *));
    if (!lists) return;
    e->kernels = lists;
    e->lists = 2 * count;
    for (size_t i = 0; i < count; i++)
        for (actgen_kernel *k = old[i], *next; k; k = next) {
            next = k->next;
            k->next = *list_of(e, k->asked_hash);
            *list_of(e, k->asked_hash) = k;
        }
    free(old);
}

actgen_kernel *engine_find(actgen_engine *e, const struct asked *asked, uint64_t hash)
{
    actgen_kernel *k = *list_of(e, hash);
    while (k && (k->asked_hash != hash || !same_asked(&k->asked, asked))) k = k->next;
    if (k) k->references++;
    return k;
}

void engine_add(actgen_engine *e, actgen_kernel *k)
{
    if (e->kernel_count++ >= e->lists) more_lists(e);
    k->next = *list_of(e, k->asked_hash);
    *list_of(e, k->asked_hash) = k;
}

/* -- lifetimes -- */

/* Drops one reference. The caller holds the lock, and the function releases it. */
static void engine_release_locked(actgen_engine *e)
{
    bool last = --e->references == 0;
    pthread_mutex_unlock(&e->lock);
    if (!last) return;
    engine_leave_backend(e);
    cache_close(e->cache);
    pthread_mutex_destroy(&e->lock);
    free(e->kernels);
    free(e);
}

void actgen_engine_free(actgen_engine *e)
{
    if (!e) return;
    pthread_mutex_lock(&e->lock);
    engine_release_locked(e);
}

void actgen_kernel_free(actgen_kernel *k)
{
    if (!k) return;
    actgen_engine *e = k->engine;
    pthread_mutex_lock(&e->lock);
    if (--k->references) {
        pthread_mutex_unlock(&e->lock);
        return;
    }
    for (actgen_kernel **link = list_of(e, k->asked_hash); *link; link = &(*link)->next)
        if (*link == k) {
            *link = k->next;
            e->kernel_count--;
            break;
        }
    actgen_kernel *whole = ready_whole(k); /* It has its own reference to the engine. */
    loader_free(k->code);
    backend_buffer_free(&k->object);
    arena_free(k->memory);
    free(k->backend);
    free(k);
    engine_release_locked(e);
    actgen_kernel_free(whole);
}

const char *actgen_kernel_name(const actgen_kernel *k) { return k ? k->called.name : NULL; }
actgen_fn actgen_kernel_fn(const actgen_kernel *k) { return k && !k->called.has_sums ? k->function : NULL; }
const char *actgen_kernel_backend(const actgen_kernel *k) { return k ? k->backend : NULL; }
const char *actgen_kernel_isa(const actgen_kernel *k) { return k ? k->isa->name : NULL; }
const char *actgen_kernel_core(const actgen_kernel *k) { return k ? k->core->name : NULL; }
const char *actgen_kernel_plan(const actgen_kernel *k) { return k ? k->plan : NULL; }
const char *actgen_kernel_accuracy(const actgen_kernel *k) { return k ? k->accuracy : NULL; }
const char *actgen_kernel_object_hash(const actgen_kernel *k) { return k ? k->object_hash : NULL; }
double actgen_kernel_compile_ms(const actgen_kernel *k) { return k ? k->compile_ms : 0; }
double actgen_kernel_plan_ms(const actgen_kernel *k) { return k ? k->plan_ms : 0; }
size_t actgen_kernel_operand_count(const actgen_kernel *k) { return k ? k->called.operand_count : 0; }
size_t actgen_kernel_group_count(const actgen_kernel *k) { return k ? k->called.group_count : 0; }

int actgen_kernel_operand_info(const actgen_kernel *k, size_t i, actgen_operand_info *out)
{
    if (!k || !out || !size_is_set(out->size) || i >= k->called.operand_count) return ACTGEN_EINVAL;
    const struct kernel_operand *o = &k->called.operands[i];
    const actgen_operand_info all = {.size = out->size,
                                     .name = o->name,
                                     .type = (int32_t)o->type,
                                     .shape = (int32_t)o->shape,
                                     .layout = (int32_t)o->layout,
                                     .is_result = o->is_result,
                                     .group = o->group,
                                     .part = o->part,
                                     .parts = o->parts};
    memcpy(out, &all, out->size < sizeof all ? out->size : sizeof all);
    return ACTGEN_OK;
}

const char *actgen_kernel_chosen_by(const actgen_kernel *k)
{
    if (!k) return NULL;
    return k->tuning.record ? k->tuning.processor : k->core->name;
}

const char *loop_text(char out[LOOP_TEXT_SIZE], const struct loop_choice *loop)
{
    snprintf(out, LOOP_TEXT_SIZE, "%u stage%s of %u vector%s, constants in %s", loop->stages,
             loop->stages == 1 ? "" : "s", loop->unroll, loop->unroll == 1 ? "" : "s",
             loop->constants == CONSTANTS_IN_MEMORY ? "memory" : "registers");
    return out;
}

int actgen_kernel_timing(const actgen_kernel *k, size_t i, actgen_timing *out)
{
    if (!k || !out || !size_is_set(out->size) || i >= k->timing_count) return ACTGEN_EINVAL;
    const struct timed_loop *t = &k->timings[i];
    const actgen_timing all = {.size = out->size,
                               .plan = t->plan ? t->plan->shape : "arithmetic only",
                               .description = t->plan ? t->plan->description : "",
                               .piece = t->piece,
                               .stages = t->loop.stages,
                               .unroll = t->loop.unroll,
                               .constants_in_memory = t->loop.constants == CONSTANTS_IN_MEMORY,
                               .is_estimate = t->is_estimate,
                               .is_chosen = t->is_chosen,
                               .ns_per_element = t->ns,
                               .object_hash = t->object_hash};
    memcpy(out, &all, out->size < sizeof all ? out->size : sizeof all);
    return ACTGEN_OK;
}

int actgen_kernel_certificate(const actgen_kernel *k, actgen_certificate *out)
{
    if (!k || !out || !size_is_set(out->size)) return ACTGEN_EINVAL;
    ENTER_LIBRARY(host);
    struct diag d = {0};
    if (!(k = kernel_whole(k, &d))) return d.status;
    const uint32_t count = k->lowered->piece_count;
    const struct spec_bound bound = promised_bound(k);
    struct tally worst = {0};
    bool exhaustive = count > 0;
    for (uint32_t i = 0; i < count; i++) {
        const struct tally *measured = &k->lowered->pieces[i].plan->measured;
        exhaustive = exhaustive && k->lowered->pieces[i].plan->swept >= UINT64_C(1) << 32;
        worst = tally_merge(worst, tally_widened(*measured, k->lowered->pieces[i].argument));
    }
    const actgen_certificate all = {.size = out->size,
                                    .max_ulp = worst.max_ulp,
                                    .max_ulp_at = f64_of_bits(worst.max_ulp_at),
                                    .max_abs = worst.max_abs,
                                    .max_abs_at = f64_of_bits(worst.max_abs_at),
                                    .inputs = worst.inputs,
                                    .max_ulp_at_bits = bits_of_f32((float)f64_of_bits(worst.max_ulp_at)),
                                    .max_abs_at_bits = bits_of_f32((float)f64_of_bits(worst.max_abs_at)),
                                    .exhaustive = exhaustive,
                                    .is_whole = k->lowered->is_whole,
                                    .accuracy = k->accuracy,
                                    .plan = k->plan,
                                    .profile = k->profile->name,
                                    .max_ulp_at_bits64 = worst.max_ulp_at,
                                    .max_abs_at_bits64 = worst.max_abs_at,
                                    .proved_ulp = k->proved_ulp,
                                    .proved_intervals = k->proved_intervals,
                                    .proved_abs = k->proved_abs,
                                    .proved_seen = k->proved_seen,
                                    .bound =
                                        bound.kind == BOUND_DEFAULT ? (double)SPEC_DEFAULT_ULP : bound.value,
                                    .bound_low = bound.has_interval ? bound.low : -INFINITY,
                                    .bound_high = bound.has_interval ? bound.high : INFINITY,
                                    .bound_is_abs = bound.kind == BOUND_ABS};
    memcpy(out, &all, out->size < sizeof all ? out->size : sizeof all);
    return ACTGEN_OK;
}
