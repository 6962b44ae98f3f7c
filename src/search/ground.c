/* Finds the facts about a formula that all bounds share. */
#include "ground.h"

bool ground_make(struct ground *g, const struct plan_request *request, const struct candidate *only,
                 plan_finder find)
{
    arena *memory = expr_dag_memory(request->dag);
    struct shape_context *s = &g->shared;
    progress_begin(request->progress, "making candidates", 0);
    *g = (struct ground){.shared.memory = memory, .only = only};
    parts_begin(&g->parts, request, find);
    s->parts = &g->parts.planner;
    s->traits = traits_create(memory, request->piece.written, request->piece.simplified,
                              request->piece.argument == ELEMENT_F64, request->progress);
    if (s->traits) g->measurer = measurer_create(request, s->traits);
    s->companions = arena_alloc(memory, request->companion_count * sizeof(struct traits *));
    s->extended = arena_alloc(memory, sizeof *s->extended);
    s->asked = arena_alloc(memory, sizeof *s->asked);
    s->cache = arena_alloc(memory, sizeof *s->cache);
    s->cache->memory = memory;
    return g->measurer;
}

void ground_free(struct ground *g, const struct plan_request *request)
{
    parts_end(&g->parts);
    measurer_free(g->measurer);
    traits_free(g->shared.traits);
    for (unsigned i = 0; i < request->companion_count; i++) traits_free(g->shared.companions[i]);
}
