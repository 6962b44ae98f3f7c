/* Asks one evaluator for all constants, with as many bits as the bound of the work allows. */
#include "constants.h"

#include "ball.h"
#include "evaluate.h"
#include "ziv.h"

#include <stdlib.h>

/* The bound of the work, in nodes times squares of bits. It is about a second at most. It allows 288 bits,
 * where rational values are exact, for 20,000 constants. It allows 1152 bits for 1200 constants, and 8192
 * bits for 25. */
static const uint64_t MOST_WORK = UINT64_C(2500000000);

struct constants {
    struct arena_guest guest;
    struct evaluator evaluator; /* holds constants only */
    uint32_t *place;            /* indexed by node id */
    unsigned levels;            /* number of levels that may be used */
};

static unsigned affordable_levels(uint32_t count)
{
    uint64_t work = 0;
    for (unsigned level = 0; level < LEVEL_USUAL; level++) {
        work += (uint64_t)level_precision[level] * (uint64_t)level_precision[level] * count;
        if (work > MOST_WORK) return level;
    }
    return LEVEL_USUAL;
}

static void release_constants(struct arena_guest *guest) { constants_free((struct constants *)guest); }

struct constants *constants_create(arena *memory, const expr *const *formulas, uint32_t count,
                                   struct progress *progress)
{
    uint32_t nodes = 0;
    const expr **node = expr_walk_all(memory, formulas, count, &nodes);
    uint32_t *place = arena_alloc(memory, nodes ? ((size_t)node[nodes - 1]->id + 1) * sizeof *place : 1);
    struct evaluator e = {.nodes = node, .progress = progress};
    for (uint32_t i = 0; i < nodes; i++) {
        if (!expr_is_constant(node[i])) continue;
        place[node[i]->id] = e.count;
        node[e.count++] = node[i];
    }
    if (e.count) e.operands = expr_operand_places(memory, e.nodes, e.count);
    struct constants *c = calloc(1, sizeof *c);
    if (!c) return NULL;
    c->evaluator = e;
    c->place = place;
    c->levels = affordable_levels(e.count);
    arena_host(memory, &c->guest, release_constants);
    return c;
}

void constants_free(struct constants *c)
{
    if (!c) return;
    arena_leave(&c->guest);
    evaluator_clear(&c->evaluator);
    free(c);
    ball_free_caches();
}

/* Returns true if an end is infinite, or as large as MPFR's numbers get. */
static bool is_beyond(mpfr_srcptr end)
{
    return mpfr_inf_p(end) || (mpfr_regular_p(end) && mpfr_get_exp(end) == mpfr_get_emax());
}

static enum constant_kind kind_of_constant(const interval *a)
{
    if (a->state == INTERVAL_UNDEFINED) return CONSTANT_NAN;
    if (a->state != INTERVAL_DEFINED) return CONSTANT_OPEN;
    if (interval_is_zero(a) || interval_is_nothing(a)) return CONSTANT_ZERO;
    if (mpfr_sgn(a->lo) != mpfr_sgn(a->hi) || mpfr_zero_p(a->lo)) return CONSTANT_OPEN;
    if (mpfr_number_p(a->lo) && mpfr_number_p(a->hi)) return CONSTANT_FINITE;
    return is_beyond(a->lo) && is_beyond(a->hi) ? CONSTANT_INFINITE : CONSTANT_OPEN;
}

enum constant_kind constants_kind(struct constants *c, const expr *e)
{
    enum constant_kind kind = CONSTANT_OPEN;
    struct range saved = range_widen();
    for (unsigned level = 0; level < c->levels && kind == CONSTANT_OPEN; level++) {
        const interval *value = evaluator_constant(&c->evaluator, level, c->place[e->id]);
        if (!value) break;
        kind = kind_of_constant(value);
    }
    range_restore(saved);
    return kind;
}

enum truth constants_truth(struct constants *c, const expr *condition)
{
    enum truth truth = TRUTH_UNKNOWN;
    struct range saved = range_widen();
    for (unsigned level = 0; level < c->levels && truth == TRUTH_UNKNOWN; level++)
        truth = evaluator_truth(&c->evaluator, level, c->place[condition->id]);
    range_restore(saved);
    return truth;
}
