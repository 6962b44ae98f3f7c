/* Multiplies by the factors of a power one after another. */
#include "compose.h"

enum { MOST_IN_TURN = 4 };

static bool is_small_power(const expr *e)
{
    return e->kind == EXPR_POWER && !mpz_cmp_ui(mpq_denref(e->number), 1) &&
           mpz_cmp_ui(mpq_numref(e->number), 2) >= 0 && mpz_cmp_ui(mpq_numref(e->number), MOST_IN_TURN) <= 0;
}

static const expr *image(void *context, expr_dag *dag, const expr *e, const expr *const *operand)
{
    (void)context;
    for (int side = 0; side < 2 && e->kind == EXPR_MUL; side++) {
        const expr *power = operand[side], *product = operand[!side];
        if (!is_small_power(power) || expr_is_constant(product)) continue;
        for (unsigned long k = mpz_get_ui(mpq_numref(power->number)); k > 0; k--)
            product = expr_binary(dag, EXPR_MUL, product, power->operand[0]);
        return product;
    }
    return expr_rebuild(dag, e, operand);
}

const expr *compose_with_factors_in_turn(expr_dag *dag, const expr *e)
{
    return expr_transform(dag, e, image, NULL);
}
