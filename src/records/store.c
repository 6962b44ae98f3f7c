/* Looks up plans and objects, and stores new ones. */
#include "store.h"
#include "build_id.h"
#include "builtin.h"
#include "engine.h"
#include "kernel_record.h"
#include "loader.h"
#include "plan_pack.h"

#include <stdlib.h>
#include <string.h>
#include <time.h>

void disk_key(const struct text *of, const char *what, char out[HASH_TEXT_SIZE])
{
    const uint64_t of_build = hash_bytes(build_id, strlen(build_id), 0);
    hash_text_seeded(of->data, of->length, hash_bytes(what, strlen(what), of_build), out);
}

/* -- plans -- */

static struct plan *find_builtin(const char *key, const struct plan_request *request)
{
    size_t size;
    const unsigned char *packed = builtin_plan(key, expr_dag_memory(request->dag), &size);
    return packed ? plan_unpack(request, packed, size) : NULL;
}

static struct plan *find_cached(struct planning *p, const char *key, const struct plan_request *request)
{
    size_t size;
    struct plan *plan = NULL;
    p->bytes = cache_get(p->cache, key, &size);
    if (p->bytes && !(plan = plan_unpack(request, p->bytes, size))) cache_drop(p->cache, key);
    planning_clear(p);
    return plan;
}

double now_ms(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec * 1e3 + (double)t.tv_nsec * 1e-6;
}

/* Finds a built-in plan. The cache would make plans depend on what was planned before. */
static int find_known(void *context, struct plan **out, const struct plan_request *request,
                      struct diag *error)
{
    char key[HASH_TEXT_SIZE];
    (void)context;
    plan_key(request, request->costs->source, key);
    *out = find_builtin(key, request);
    return *out ? DIAG_OK : diag_set(error, DIAG_ACCURACY, "no built-in plan");
}

/* Returns the request for a DAG in other memory. */
static struct plan_request request_in(arena *memory, const struct plan_request *request)
{
    struct plan_request in = *request;
    struct piece *companions = arena_alloc(memory, (in.companion_count + 1) * sizeof *companions);
    in.dag = expr_dag_create(memory, SPEC_MAX_NODES);
    in.piece.written = expr_import(in.dag, in.piece.written);
    in.piece.simplified = expr_import(in.dag, in.piece.simplified);
    for (unsigned i = 0; i < in.companion_count; i++) {
        companions[i] = in.companions[i];
        companions[i].written = expr_import(in.dag, companions[i].written);
        companions[i].simplified = expr_import(in.dag, companions[i].simplified);
    }
    in.companions = companions;
    return in;
}

/* Returns a copy of the plan and of those that follow it, in the memory of the request's DAG. */
static struct plan *copies_of(const struct plan *plan, const struct plan_request *request)
{
    struct plan *first = NULL, **end = &first;
    for (; plan; plan = plan->next) {
        struct text packed = text_new(expr_dag_memory(request->dag));
        plan_pack(&packed, plan);
        *end = plan_unpack(request, packed.data, packed.length);
        if (!*end) return NULL;
        (*end)->is_cut = plan->is_cut;
        end = &(*end)->next;
    }
    return first;
}

/* Searches, or judges a plan that is claimed to keep its bound. A search takes a thousand times the memory of
 * the plan, and a kernel keeps the memory of its compilation. So the search has memory of its own. */
static int search_or_judge(struct planning *p, struct plan **out, const struct plan *claimed,
                           const struct plan_request *request, struct diag *error)
{
    const double start = now_ms();
    const struct planner known = {find_known, NULL};
    const struct plan_machine machine = machine_of(&p->machine);
    arena *memory = arena_create_inner(expr_dag_memory(request->dag));
    struct plan_request lent = request_in(memory, request);
    struct plan *found = NULL;
    lent.progress = p->progress;
    lent.known = &known;
    if (p->machine.engine) lent.machine = &machine;
    int status =
        claimed ? plan_judge(&found, claimed, &lent, error) : plan_find(&found, &lent, &p->search, error);
    if (arena_failed(memory)) status = diag_out_of_memory(error); /* Something was not looked at. */
    *out = status ? NULL : copies_of(found, request);
    arena_free(memory);
    if (!status && !*out)
        status = diag_set(error, DIAG_BACKEND, "a plan that was found cannot be copied: please report this");
    p->ms += now_ms() - start;
    return status;
}

static int search(struct planning *p, struct plan **out, const struct plan_request *request,
                  struct diag *error)
{
    return search_or_judge(p, out, NULL, request, error);
}

int planning_judge(struct planning *p, struct plan **out, const struct plan *claimed,
                   const struct plan_request *request, struct diag *error)
{
    return search_or_judge(p, out, claimed, request, error);
}

int not_ready(struct diag *error)
{
    return diag_set(error, DIAG_BACKEND,
                    "options.program left no plan or code in the cache: is it of this build, %s?", build_id);
}

/* Finds a plan that is built in or in the cache. `stored` becomes its key in the cache. */
static struct plan *find_ready(struct planning *p, const struct plan_request *request,
                               char stored[HASH_TEXT_SIZE])
{
    char key[HASH_TEXT_SIZE];
    struct text t = text_new(expr_dag_memory(request->dag));
    plan_key(request, request->costs->source, key);
    struct plan *built_in = find_builtin(key, request);
    if (built_in) return built_in;
    text_add(&t, "%s", key);
    disk_key(&t, "plan", stored);
    return find_cached(p, stored, request);
}

/* Finds a plan, by a search if need be. A limit of work does not exclude a plan that was found without a
 * limit. A plan from a search that the limit cut is only for requests with an equal limit. */
static int find_plan(void *context, struct plan **out, const struct plan_request *request, struct diag *error)
{
    struct planning *p = context;
    struct plan_request unlimited = *request;
    char whole[HASH_TEXT_SIZE] = "", cut[HASH_TEXT_SIZE] = "";
    if (p->search_all) return search(p, out, request, error);
    unlimited.most_work = 0;
    if ((*out = find_ready(p, &unlimited, whole))) return DIAG_OK;
    if (request->most_work && (*out = find_ready(p, request, cut))) return DIAG_OK;
    if (p->ready_only) return not_ready(error);
    int status = search(p, out, request, error);
    struct text t = text_new(expr_dag_memory(request->dag));
    if (status || !p->cache) return status;
    plan_pack(&t, *out);
    cache_put(p->cache, (*out)->is_cut ? cut : whole, t.data, t.length);
    return DIAG_OK;
}

int planning_find(struct planning *p, struct plan **out, const struct plan_request *request,
                  struct diag *error)
{
    return request->alternatives ? search(p, out, request, error) : find_plan(p, out, request, error);
}

struct planner planner_of(struct planning *p) { return (struct planner){find_plan, p}; }

void planning_clear(struct planning *p)
{
    free(p->bytes);
    p->bytes = NULL;
}

/* -- objects -- */

void object_key(const struct backend_function *f, const struct backend_options *options, arena *memory,
                char out[HASH_TEXT_SIZE])
{
    struct text t = text_new(memory);
    text_add(&t, "%s %s %s %s %s %zu %d %s\n", backend_built_with, f->isa->name, f->isa->triple, f->isa->cpu,
             f->isa->features, options->streaming_bytes, options->quick, f->symbol);
    kernel_record_add(&t, f->kernel);
    if (f->called) kernel_record_add(&t, f->called);
    text_add(&t, "%u %u %d %s\n", f->loop.stages, f->loop.unroll, (int)f->loop.constants,
             f->core ? f->core->name : "");
    text_add(&t, "%s %d %d\n", f->kernel->program->profile.name, f->kernel->program->profile.fma,
             options->values_only);
    lane_pack(&t, f->kernel->program);
    disk_key(&t, "object", out);
}

/* Returns true if an object from the cache can be loaded. An object for another machine is not loaded here,
 * so the cache's hash suffices. */
static bool object_suits(const struct backend_buffer *object, const struct backend_function *f,
                         const struct target_here *here)
{
    return !target_here_runs(here, f->isa) || !loader_check(object->data, object->size, NULL);
}

int object_find(struct backend_buffer *out, actgen_engine *e, const char *key,
                const struct backend_function *f, const struct backend_options *options, bool ready_only,
                struct diag *error)
{
    *out = (struct backend_buffer){0};
    cache *c = e->cache;
    out->data = cache_get(c, key, &out->size);
    if (out->data && object_suits(out, f, &e->host.here)) return DIAG_OK;
    if (out->data) cache_drop(c, key);
    backend_buffer_free(out);
    if (ready_only) return not_ready(error);
    int status = engine_emit(e, f, 1, options, BACKEND_OBJECT, out, error);
    if (!status) cache_put(c, key, out->data, out->size);
    return status;
}
