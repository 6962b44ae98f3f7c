/* Finds a branch that a formula takes at and below a number, and the nodes that are used outside of the
 * branch. Inside of the branch the input has a smaller range. */
#include "branch.h"

#include <float.h>
#include <math.h>

bool *branch_find(float range[2], arena *memory, const expr *const *nodes, uint32_t count, const expr *root)
{
    const expr *choice = NULL;
    for (uint32_t i = 0; i < count && !choice; i++) {
        const expr *condition = nodes[i]->kind == EXPR_IF ? nodes[i]->operand[0] : NULL;
        if (condition && condition->kind == EXPR_LT && condition->operand[0]->kind == EXPR_NUMBER &&
            condition->operand[1]->kind == EXPR_INPUT)
            choice = nodes[i];
    }
    if (!choice) return NULL;
    const double least = mpq_get_d(choice->operand[0]->operand[0]->number);
    range[0] = -FLT_MAX, range[1] = (float)fmax(-FLT_MAX, fmin(least, FLT_MAX));
    bool *outside = arena_alloc(memory, ((size_t)root->id + 1) * sizeof *outside);
    outside[root->id] = true;
    for (uint32_t i = count; i-- > 0;)
        for (unsigned k = 0; k < expr_arity(nodes[i]->kind) && outside[nodes[i]->id]; k++)
            if (nodes[i] != choice || k != 2) outside[nodes[i]->operand[k]->id] = true;
    return outside;
}

bool branch_may_be_undefined(arena *memory, const expr *e)
{
    uint32_t count;
    const expr **nodes = expr_walk(memory, e, &count);
    for (uint32_t i = 0; i < count; i++) {
        const enum expr_kind kind = nodes[i]->kind;
        const bool is_root = kind == EXPR_POWER && mpz_cmp_ui(mpq_denref(nodes[i]->number), 1) != 0;
        if (is_root || expr_functions[kind].domain.has_end) return true;
    }
    return false;
}
