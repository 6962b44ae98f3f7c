/* Finds the centre c of a formula of x - c. */
#include "centre.h"
#include "reference.h"

enum { CONSTANT_BITS = 128, NODES = 1 << 14 };

/* Returns the factor of x if the term is x or a number times x, else NULL. */
static const expr *slope_of(expr_dag *dag, const expr *term)
{
    if (term->kind == EXPR_INPUT) return expr_integer(dag, 1);
    const bool is_product = term->kind == EXPR_MUL && term->operand[0]->kind == EXPR_NUMBER &&
                            term->operand[1]->kind == EXPR_INPUT;
    return is_product ? expr_import(dag, term->operand[0]) : NULL;
}

/* Returns which operand of a sum is the constant, or 2 if there is no such sum. */
static unsigned constant_of(const expr *e)
{
    unsigned i = 0;
    if (e->kind != EXPR_ADD) return 2;
    while (i < 2 && !(expr_is_constant(e->operand[i]) && !expr_is_constant(e->operand[1 - i]))) i++;
    return i;
}

static const expr *find_sum(arena *memory, const expr *formula)
{
    uint32_t count;
    const expr **nodes = expr_walk(memory, formula, &count);
    for (uint32_t i = 0; i < count; i++) {
        const unsigned place = constant_of(nodes[i]);
        const expr *other = place < 2 ? nodes[i]->operand[1 - place] : NULL;
        if (other && (other->kind == EXPR_INPUT || other->kind == EXPR_MUL)) return nodes[i];
    }
    return NULL;
}

bool centre_find(struct centre *out, arena *memory, const expr *simplified)
{
    const expr *sum = find_sum(memory, simplified);
    if (!sum) return false;
    expr_dag *dag = expr_dag_create(memory, NODES);
    const unsigned place = constant_of(sum);
    const expr *slope = slope_of(dag, sum->operand[1 - place]);
    if (!slope) return false;
    const expr *minus = expr_integer(dag, -1), *constant = expr_import(dag, sum->operand[place]);
    const expr *x = expr_input(dag, 0), *apart = expr_input(dag, 1); /* stands for x - c until x is gone */
    const expr *centre = expr_binary(dag, EXPR_DIV, expr_times(dag, minus, constant), slope);
    const expr *g = expr_substitute(dag, expr_import(dag, simplified), expr_import(dag, sum),
                                    expr_times(dag, slope, apart));
    g = expr_substitute(dag, g, x, expr_plus(dag, apart, centre));
    g = expr_simplify(dag, expr_substitute(dag, g, apart, x), NULL);
    mpfr_t value;
    mpfr_init2(value, CONSTANT_BITS);
    reference_constant(value, centre, CONSTANT_BITS - 8);
    const bool is_number = mpfr_regular_p(value) && !expr_dag_full(dag);
    if (is_number) *out = (struct centre){.at = quad_of_mpfr(value), .formula = g};
    mpfr_clear(value);
    return is_number;
}
