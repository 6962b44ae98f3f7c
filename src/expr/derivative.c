/* Computes symbolic derivatives by the rules of arithmetic. The rules of elementary functions are in
 * functions.def.
 *
 * At a kink, the derivative of `if` is that of the branch taken. The derivative of max(a, b) is that of a
 * where a > b, else that of b. calculus/slopes.c corrects sums whose terms have kinks that cancel. */
#include "expr.h"

static const expr *integer_node(expr_dag *dag, long value) { return expr_integer(dag, value); }

/* Makes a constant without a value, for derivatives that are no formula. */
static const expr *no_number(expr_dag *dag) { return expr_unary(dag, EXPR_log, integer_node(dag, -1)); }

/* Makes products, sums and differences without terms that are plainly 0 or 1, so that derivatives stay
 * readable. */

const expr *expr_times(expr_dag *dag, const expr *a, const expr *b)
{
    if (expr_is_number(a, 0, 1) || expr_is_number(b, 0, 1)) return integer_node(dag, 0);
    if (expr_is_number(a, 1, 1)) return b;
    if (expr_is_number(b, 1, 1)) return a;
    return expr_binary(dag, EXPR_MUL, a, b);
}

const expr *expr_plus(expr_dag *dag, const expr *a, const expr *b)
{
    if (expr_is_number(a, 0, 1)) return b;
    if (expr_is_number(b, 0, 1)) return a;
    return expr_binary(dag, EXPR_ADD, a, b);
}

static const expr *minus(expr_dag *dag, const expr *a, const expr *b)
{
    if (expr_is_number(b, 0, 1)) return a;
    if (expr_is_number(a, 0, 1)) return expr_unary(dag, EXPR_NEG, b);
    return a == b ? integer_node(dag, 0) : expr_binary(dag, EXPR_SUB, a, b);
}

/* Derives u^n as n*u^(n-1)*du. The exponent n - 1 is computed exactly. */
static const expr *derivative_power(expr_dag *dag, const expr *e, const expr *du)
{
    if (expr_is_number(du, 0, 1)) return du;
    mpq_t less;
    mpq_init(less);
    mpq_set_si(less, 1, 1);
    mpq_sub(less, e->number, less);
    const expr *power = mpq_sgn(less) ? expr_power(dag, e->operand[0], less) : integer_node(dag, 1);
    mpq_clear(less);
    return expr_times(dag, expr_times(dag, expr_number(dag, e->number), power), du);
}

static const expr *derivative_quotient(expr_dag *dag, const expr *e, const expr *da, const expr *db)
{
    const expr *a = e->operand[0], *b = e->operand[1];
    const expr *first = expr_is_number(da, 0, 1) ? da : expr_binary(dag, EXPR_DIV, da, b);
    const expr *second = expr_times(dag, a, db);
    if (!expr_is_number(second, 0, 1))
        second = expr_binary(dag, EXPR_DIV, second, expr_power_ratio(dag, b, 2, 1));
    return minus(dag, first, second);
}

static const expr *chosen_derivative(expr_dag *dag, const expr *condition, const expr *da, const expr *db)
{
    return da == db ? da : expr_if(dag, condition, da, db);
}

/* Derives exp(u)*2^k as exp(u)*2^k*du. The product stays as it is, because exp(u) alone may overflow. d[0]
 * and d[1] are the derivatives of the factors, of which one is 0. Returns NULL if `e` is no such product. */
static const expr *derivative_scaled_exponential(expr_dag *dag, const expr *e, const expr *const *d)
{
    const expr *u, *power;
    if (!expr_is_scaled_exponential(e, &u, &power)) return NULL;
    const unsigned exponential = e->operand[0]->kind == EXPR_exp ? 0 : 1;
    const expr *own = d[exponential], *factor = e->operand[exponential];
    if (own == factor) return e;
    return own->kind == EXPR_MUL && own->operand[0] == factor ? expr_times(dag, e, own->operand[1]) : NULL;
}

/* Derives a rounded value. Rounding counts as the identity, as in frameworks. A derivative that is made of
 * the value, as that of exp is, takes the rounded one, so that an f32 is not computed again. */
static const expr *derivative_rounded(expr_dag *dag, const expr *e, const expr *d)
{
    return e->type == ELEMENT_F32 ? expr_substitute(dag, d, e->operand[0], e) : d;
}

/* Returns the derivative of `e`, given those of its operands. */
static const expr *derivative_node(expr_dag *dag, const expr *e, const expr *const *d)
{
    const expr *a = e->operand[0], *b = e->operand[1];
    const expr *scaled = derivative_scaled_exponential(dag, e, d);
    if (scaled) return scaled;
    switch (e->kind) {
    case EXPR_ADD: return expr_plus(dag, d[0], d[1]);
    case EXPR_SUB: return minus(dag, d[0], d[1]);
    case EXPR_NEG: return minus(dag, integer_node(dag, 0), d[0]);
    case EXPR_MUL: return expr_plus(dag, expr_times(dag, d[0], b), expr_times(dag, a, d[1]));
    case EXPR_DIV: return derivative_quotient(dag, e, d[0], d[1]);
    case EXPR_POWER: return derivative_power(dag, e, d[0]);
    case EXPR_MIN: return chosen_derivative(dag, expr_binary(dag, EXPR_LT, a, b), d[0], d[1]);
    case EXPR_MAX: return chosen_derivative(dag, expr_binary(dag, EXPR_LT, b, a), d[0], d[1]);
    case EXPR_IF: return chosen_derivative(dag, a, d[1], d[2]);
    case EXPR_CAST: return derivative_rounded(dag, e, d[0]);
    default:
        /* Constants, other inputs and conditions have the derivative 0. */
        if (!d[0] || expr_is_number(d[0], 0, 1)) return integer_node(dag, 0);
        if (e->kind < EXPR_FIRST_FUNCTION) return integer_node(dag, 0);
        const expr *slope = expr_slope(dag, e->kind, a);
        return slope ? expr_times(dag, slope, d[0]) : no_number(dag);
    }
}

const expr *expr_without_slope(expr_dag *dag, const expr *e, const expr *input)
{
    uint32_t count;
    const expr **nodes = expr_walk(expr_dag_memory(dag), e, &count);
    bool *is_derived = arena_alloc(expr_dag_memory(dag), (size_t)e->id + 1); /* By the chain rule. */
    is_derived[e->id] = true;
    for (uint32_t i = count; i-- > 0;) {
        const expr *n = nodes[i];
        const bool is_flat = expr_is_truth(n) || expr_functions[n->kind].nature == NATURE_STEPS;
        if (!is_derived[n->id] || is_flat || !(n->inputs & input->inputs)) continue;
        if (n->kind >= EXPR_FIRST_FUNCTION && !expr_slope(dag, n->kind, n->operand[0])) return n;
        for (unsigned k = 0; k < expr_arity(n->kind); k++) is_derived[n->operand[k]->id] = true;
    }
    return NULL;
}

/* Returns the derivative of `e` by the node `by`, given those of its operands. */
static const expr *derivative_by(void *by, expr_dag *dag, const expr *e, const expr *const *d)
{
    return e == by ? integer_node(dag, 1) : derivative_node(dag, e, d);
}

/* Marks the nodes whose derivatives are needed: operands of arithmetic and arguments of pieces. */
static bool *needed_nodes(expr_dag *dag, const expr *const *nodes, uint32_t count)
{
    const expr *e = nodes[count - 1];
    bool *needed = arena_alloc(expr_dag_memory(dag), (size_t)e->id + 1);
    needed[e->id] = true;
    for (uint32_t i = count; i-- > 0;) {
        if (!needed[nodes[i]->id]) continue;
        if (expr_is_piece(nodes[i])) {
            needed[nodes[i]->argument->id] = true;
            continue;
        }
        for (unsigned k = 0; k < expr_arity(nodes[i]->kind); k++) needed[nodes[i]->operand[k]->id] = true;
    }
    return needed;
}

/* Keeps a function of one lane value a function of it: f(g) gives f'(g)*dg. The product rule would give
 * terms that each contain dg, which is arithmetic on several values, with its rounding errors. */
const expr *expr_derivative(expr_dag *dag, const expr *e, const expr *input)
{
    uint32_t count;
    const expr **nodes = expr_walk(expr_dag_memory(dag), e, &count);
    const bool *needed = needed_nodes(dag, nodes, count);
    const expr **derivatives = arena_alloc(expr_dag_memory(dag), ((size_t)e->id + 1) * sizeof *derivatives);
    for (uint32_t i = 0; i < count; i++) {
        const expr *node = nodes[i], *d[3] = {0};
        if (!needed[node->id]) continue;
        const expr *by_argument = expr_is_piece(node) ? derivatives[node->argument->id] : NULL;
        for (unsigned k = 0; k < expr_arity(node->kind) && !by_argument; k++)
            d[k] = derivatives[node->operand[k]->id];
        derivatives[node->id] =
            node == input  ? integer_node(dag, 1)
            : !by_argument ? derivative_node(dag, node, d)
            : expr_is_number(by_argument, 0, 1)
                ? by_argument
                : expr_times(dag, expr_transform(dag, node, derivative_by, (void *)node->argument),
                             by_argument);
    }
    return derivatives[e->id];
}
