/* Finds even and odd formulas by their parts. An answer of even or odd is always right. */
#include "expr.h"

/* Returns the parity of a power of an odd base. */
static int parity_of_power(mpq_srcptr exponent)
{
    if (mpz_cmp_ui(mpq_denref(exponent), 1) != 0) return 0;
    return mpz_odd_p(mpq_numref(exponent)) ? -1 : 1;
}

/* Returns the parity of a node, given those of its operands. */
static int parity_of(const expr *e, const int operand[3])
{
    bool all_even = true;
    for (unsigned k = 0; k < expr_arity(e->kind); k++) all_even = all_even && operand[k] > 0;
    if (e->kind == EXPR_INPUT) return -1;
    if (all_even) return 1;
    switch (e->kind) {
    case EXPR_ADD:
    case EXPR_SUB: return operand[0] == operand[1] ? operand[0] : 0;
    case EXPR_MUL:
    case EXPR_DIV: return operand[0] * operand[1];
    case EXPR_NEG:
    case EXPR_CAST: return operand[0]; /* rounding to nearest ignores the sign */
    case EXPR_POWER: return operand[0] ? parity_of_power(e->number) : 0;
    case EXPR_IF: return operand[0] > 0 && operand[1] == operand[2] ? operand[1] : 0;
    default: return operand[0] ? expr_functions[e->kind].parity : 0;
    }
}

int expr_parity(arena *memory, const expr *e)
{
    uint32_t count;
    const expr **nodes = expr_walk(memory, e, &count);
    const uint32_t(*places)[3] = (const uint32_t(*)[3])expr_operand_places(memory, nodes, count);
    int *parity = arena_alloc(memory, count * sizeof *parity);
    for (uint32_t i = 0; i < count; i++) {
        int operand[3] = {0};
        for (unsigned k = 0; k < expr_arity(nodes[i]->kind); k++) operand[k] = parity[places[i][k]];
        parity[i] = parity_of(nodes[i], operand);
    }
    return parity[count - 1];
}
