/* Plans parts of a formula. A part keeps its facts and its plans, because several shares of several bounds
 * ask for it. */
#include "part.h"
#include "ground.h"

#include <string.h>

/* The plan of a part within a bound. NULL if there is none. */
struct part_plan {
    struct spec_bound bound;
    const struct plan *plan;
    struct part_plan *next;
};

struct part {
    struct plan_request request;
    struct ground ground;
    bool has_ground; /* the ground could be made */
    struct part_plan *plans;
    struct part *next;
};

static bool is_of(const struct part *part, const struct piece *piece, bool is_factor)
{
    const struct piece *p = &part->request.piece;
    return p->written == piece->written && p->simplified == piece->simplified &&
           p->argument == piece->argument && p->result == piece->result &&
           part->request.is_factor == is_factor;
}

static struct part *part_of(struct parts *p, const struct piece *piece, bool is_factor)
{
    for (struct part *part = p->first; part; part = part->next)
        if (is_of(part, piece, is_factor)) return part;
    struct part *part = arena_alloc(expr_dag_memory(p->whole->dag), sizeof *part);
    *part = (struct part){.request = *p->whole, .next = p->first};
    part->request.piece = *piece;
    part->request.is_part = true;
    part->request.is_factor = is_factor;
    part->request.unrounded = false;
    part->request.profile = target_profile_plain(&p->whole->profile); /* one type of lanes for all parts */
    part->request.sweeps = PLAN_SWEEPS_NONE;
    part->request.alternatives = part->request.companion_count = 0;
    part->has_ground = ground_make(&part->ground, &part->request, NULL, p->find);
    return p->first = part;
}

static const struct plan *planned(const struct parts *p, struct part *part, const struct spec_bound *bound)
{
    for (const struct part_plan *known = part->plans; known; known = known->next)
        if (spec_bound_equal(&known->bound, bound)) return known->plan;
    arena *memory = expr_dag_memory(p->whole->dag);
    struct plan_search log = {text_new(memory)};
    struct shortfall why = {.brief = part->request.is_factor};
    struct diag unsaid = {0};
    struct plan *plan = NULL;
    struct part_plan *made = arena_alloc(memory, sizeof *made);
    part->request.piece.bound = *bound;
    const struct planner *ready = part->request.is_factor ? NULL : part->request.known;
    if (ready) ready->find(ready->context, &plan, &part->request, &unsaid);
    if (!plan && part->has_ground) p->find(&plan, &part->ground, &part->request, &log, &why, &unsaid);
    *made = (struct part_plan){*bound, plan, part->plans};
    part->plans = made;
    return plan;
}

/* Plans a part. This is a part_planner's function. */
static bool plan_part(struct planned_part *out, void *context, const struct piece *piece, bool is_factor)
{
    struct parts *p = context;
    const struct plan *plan = planned(p, part_of(p, piece, is_factor), &piece->bound);
    if (plan) *out = (struct planned_part){plan->shape, plan->description, plan->program, plan->cost};
    return plan;
}

void parts_begin(struct parts *p, const struct plan_request *whole, plan_finder find)
{
    *p = (struct parts){.planner = {plan_part, p}, .whole = whole, .find = find};
}

void parts_end(struct parts *p)
{
    for (struct part *part = p->first; part; part = part->next) ground_free(&part->ground, &part->request);
}
