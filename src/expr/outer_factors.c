/* Divides products into the factors that all elements of a row share, and those of each element. So a sum of
 * such products becomes one product with a sum, which needs no value of the shared factors. */
#include "expr.h"

struct division {
    expr_dag *dag;
    uint64_t inner;           /* the inputs that differ between elements */
    const expr *outer, *rest; /* the products so far */
};

static bool is_outer(const struct division *d, const expr *e) { return !(e->inputs & d->inner); }

static void divide(struct division *d, const expr *e)
{
    const expr **side = is_outer(d, e) ? &d->outer : &d->rest;
    if (side == &d->outer || (e->kind != EXPR_MUL && e->kind != EXPR_DIV && e->kind != EXPR_NEG)) {
        *side = expr_times(d->dag, *side, e);
        return;
    }
    divide(d, e->operand[0]);
    if (e->kind == EXPR_MUL) divide(d, e->operand[1]);
    if (e->kind == EXPR_NEG) d->outer = expr_times(d->dag, d->outer, expr_integer(d->dag, -1));
    if (e->kind != EXPR_DIV) return;
    side = is_outer(d, e->operand[1]) ? &d->outer : &d->rest;
    *side = expr_binary(d->dag, EXPR_DIV, *side, e->operand[1]);
}

const expr *expr_widened_product(expr_dag *dag, const expr *e)
{
    if (e->kind != EXPR_MUL && e->kind != EXPR_DIV) return expr_cast(dag, ELEMENT_F64, e);
    return expr_binary(dag, e->kind, expr_widened_product(dag, e->operand[0]), e->operand[1]);
}

bool expr_has_outer_choice(const expr *e)
{
    uint32_t count;
    const expr **nodes = expr_walk(e->memory, e, &count);
    bool *reached = arena_alloc(e->memory, (size_t)e->id + 1);
    reached[e->id] = true;
    for (uint32_t i = count; i-- > 0;) {
        const expr *node = nodes[i];
        if (!reached[node->id]) continue;
        if (node->kind == EXPR_IF) return true;
        const bool is_sum = node->kind == EXPR_ADD || node->kind == EXPR_SUB;
        if (is_sum || node->kind == EXPR_MUL) reached[node->operand[1]->id] = true;
        if (is_sum || node->kind == EXPR_MUL || node->kind == EXPR_DIV || node->kind == EXPR_NEG)
            reached[node->operand[0]->id] = true;
    }
    return false;
}

const expr *expr_outer_factors(expr_dag *dag, const expr *e, uint64_t inner, const expr **rest)
{
    const expr *one = expr_integer(dag, 1);
    struct division d = {dag, inner, one, one};
    divide(&d, e);
    *rest = d.rest;
    return d.outer;
}
