/* The symbolic derivative. One function a node kind; functions.def's names make derivative_<name>.
 *
 * The rules are written in forms that do not cancel (facts of calculus; 4 s(2u) s(-2u) instead of 1 -
 * tanh^2, s(u) s(-u) instead of s (1 - s)). Kinks: the derivative of `if` is the branch taken's; max(a, b)
 * takes a's where a > b, else b's; abs and sign give 0 at 0. Jumps (of sign, floor,
 * round) have no slope: 0. */
#include "expr.h"

static const expr *number(expr_dag *dag, long value) { return expr_integer(dag, value); }

/* Products, sums and differences are made without the terms that are plainly 0 or 1, so that derivatives stay readable. */

const expr *expr_times(expr_dag *dag, const expr *a, const expr *b)
{
    if (expr_is_number(a, 0, 1) || expr_is_number(b, 0, 1)) return number(dag, 0);
    if (expr_is_number(a, 1, 1)) return b;
    if (expr_is_number(b, 1, 1)) return a;
    return expr_binary(dag, EXPR_MUL, a, b);
}

static const expr *plus(expr_dag *dag, const expr *a, const expr *b)
{
    if (expr_is_number(a, 0, 1)) return b;
    if (expr_is_number(b, 0, 1)) return a;
    return expr_binary(dag, EXPR_ADD, a, b);
}

static const expr *minus(expr_dag *dag, const expr *a, const expr *b)
{
    if (expr_is_number(b, 0, 1)) return a;
    if (expr_is_number(a, 0, 1)) return expr_unary(dag, EXPR_NEG, b);
    return expr_binary(dag, EXPR_SUB, a, b);
}

static const expr *reciprocal(expr_dag *dag, const expr *a)
{
    return expr_binary(dag, EXPR_DIV, number(dag, 1), a);
}

/* numerator/denominator * exp(-u^2 * half) / sqrt(pi * two): the bell of erf (scale 1) and of normcdf
 * (scale 2). */
static const expr *bell(expr_dag *dag, const expr *u, long factor, unsigned long scale)
{
    const expr *square = expr_power_ratio(dag, u, 2, 1);
    const expr *exponent = expr_unary(
        dag, EXPR_NEG, scale == 1 ? square : expr_binary(dag, EXPR_DIV, square, number(dag, (long)scale)));
    const expr *area = expr_times(dag, number(dag, (long)scale), expr_pi(dag));
    const expr *top = expr_times(dag, number(dag, factor), expr_unary(dag, EXPR_exp, exponent));
    return expr_binary(dag, EXPR_DIV, top, expr_unary(dag, EXPR_sqrt, area));
}

static const expr *derivative_exp(expr_dag *dag, const expr *u) { return expr_unary(dag, EXPR_exp, u); }
static const expr *derivative_expm1(expr_dag *dag, const expr *u) { return expr_unary(dag, EXPR_exp, u); }
static const expr *derivative_log(expr_dag *dag, const expr *u) { return reciprocal(dag, u); }
static const expr *derivative_log1p(expr_dag *dag, const expr *u)
{
    return reciprocal(dag, plus(dag, number(dag, 1), u));
}

static const expr *derivative_sigmoid(expr_dag *dag, const expr *u)
{
    return expr_times(dag, expr_unary(dag, EXPR_sigmoid, u),
                      expr_unary(dag, EXPR_sigmoid, expr_unary(dag, EXPR_NEG, u)));
}

static const expr *derivative_tanh(expr_dag *dag, const expr *u)
{
    return expr_times(dag, number(dag, 4), derivative_sigmoid(dag, expr_times(dag, number(dag, 2), u)));
}

static const expr *derivative_erf(expr_dag *dag, const expr *u) { return bell(dag, u, 2, 1); }
static const expr *derivative_erfc(expr_dag *dag, const expr *u) { return bell(dag, u, -2, 1); }
static const expr *derivative_normcdf(expr_dag *dag, const expr *u) { return bell(dag, u, 1, 2); }
static const expr *derivative_softplus(expr_dag *dag, const expr *u)
{
    return expr_unary(dag, EXPR_sigmoid, u);
}
static const expr *derivative_sin(expr_dag *dag, const expr *u) { return expr_unary(dag, EXPR_cos, u); }
static const expr *derivative_cos(expr_dag *dag, const expr *u)
{
    return expr_unary(dag, EXPR_NEG, expr_unary(dag, EXPR_sin, u));
}

static const expr *derivative_sqrt(expr_dag *dag, const expr *u)
{
    return reciprocal(dag, expr_times(dag, number(dag, 2), expr_unary(dag, EXPR_sqrt, u)));
}

static const expr *derivative_abs(expr_dag *dag, const expr *u) { return expr_unary(dag, EXPR_sign, u); }
static const expr *derivative_sign(expr_dag *dag, const expr *u)
{
    (void)u;
    return number(dag, 0);
}

/* log(base) */
static const expr *log_of(expr_dag *dag, long base) { return expr_unary(dag, EXPR_log, number(dag, base)); }

static const expr *derivative_exp2(expr_dag *dag, const expr *u)
{
    return expr_times(dag, log_of(dag, 2), expr_unary(dag, EXPR_exp2, u));
}

static const expr *derivative_log2(expr_dag *dag, const expr *u)
{
    return reciprocal(dag, expr_times(dag, u, log_of(dag, 2)));
}

static const expr *derivative_log10(expr_dag *dag, const expr *u)
{
    return reciprocal(dag, expr_times(dag, u, log_of(dag, 10)));
}

static const expr *derivative_tan(expr_dag *dag, const expr *u)
{
    return reciprocal(dag, expr_power_ratio(dag, expr_unary(dag, EXPR_cos, u), 2, 1));
}

static const expr *derivative_sinh(expr_dag *dag, const expr *u) { return expr_unary(dag, EXPR_cosh, u); }
static const expr *derivative_cosh(expr_dag *dag, const expr *u) { return expr_unary(dag, EXPR_sinh, u); }

/* 1 + u^2 */
static const expr *one_and_square(expr_dag *dag, const expr *u)
{
    return plus(dag, number(dag, 1), expr_power_ratio(dag, u, 2, 1));
}

static const expr *derivative_asinh(expr_dag *dag, const expr *u)
{
    return expr_unary(dag, EXPR_rsqrt, one_and_square(dag, u));
}

static const expr *derivative_atan(expr_dag *dag, const expr *u)
{
    return reciprocal(dag, one_and_square(dag, u));
}

static const expr *derivative_floor(expr_dag *dag, const expr *u) { return derivative_sign(dag, u); }
static const expr *derivative_round(expr_dag *dag, const expr *u) { return derivative_sign(dag, u); }

static const expr *derivative_rsqrt(expr_dag *dag, const expr *u)
{
    return expr_times(dag, expr_ratio(dag, -1, 2), expr_power_ratio(dag, u, -3, 2));
}

typedef const expr *(*function_rule)(expr_dag *dag, const expr *u);
static const function_rule rules[EXPR_KIND_COUNT] = {
#define FUNCTION(name) [EXPR_##name] = derivative_##name,
#include "functions.def"
#undef FUNCTION
};

/* d (u^n) = n u^(n-1) du; the exponent n - 1 is computed exactly. */
static const expr *derivative_power(expr_dag *dag, const expr *e, const expr *du)
{
    if (expr_is_number(du, 0, 1)) return du;
    mpq_t less;
    mpq_init(less);
    mpq_set_si(less, 1, 1);
    mpq_sub(less, e->number, less);
    const expr *power = mpq_sgn(less) ? expr_power(dag, e->operand[0], less) : number(dag, 1);
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

static const expr *choose(expr_dag *dag, const expr *condition, const expr *da, const expr *db)
{
    return da == db ? da : expr_if(dag, condition, da, db);
}

/* The derivative of `e`, given its operands' derivatives. */
static const expr *derivative_node(expr_dag *dag, const expr *e, const expr *const *d)
{
    const expr *a = e->operand[0], *b = e->operand[1];
    switch (e->kind) {
    case EXPR_ADD: return plus(dag, d[0], d[1]);
    case EXPR_SUB: return minus(dag, d[0], d[1]);
    case EXPR_NEG: return minus(dag, number(dag, 0), d[0]);
    case EXPR_MUL: return plus(dag, expr_times(dag, d[0], b), expr_times(dag, a, d[1]));
    case EXPR_DIV: return derivative_quotient(dag, e, d[0], d[1]);
    case EXPR_POWER: return derivative_power(dag, e, d[0]);
    case EXPR_MIN: return choose(dag, expr_binary(dag, EXPR_LT, a, b), d[0], d[1]);
    case EXPR_MAX: return choose(dag, expr_binary(dag, EXPR_LT, b, a), d[0], d[1]);
    case EXPR_IF: return choose(dag, a, d[1], d[2]);
    case EXPR_CAST: return d[0]; /* rounding counts as the identity, as frameworks do */
    default:
        if (rules[e->kind])
            return expr_times(dag, expr_is_number(d[0], 0, 1) ? d[0] : rules[e->kind](dag, a), d[0]);
        return number(dag, 0); /* constants, other inputs, truth values */
    }
}

/* d e / d by, by the rules above. */
static const expr *derivative_by(void *by, expr_dag *dag, const expr *e, const expr *const *d)
{
    return e == by ? number(dag, 1) : derivative_node(dag, e, d);
}

/* Whether `e` is differentiated as a whole, by its argument. */
static bool is_piece(const expr *e) { return e->argument != e && e->kind != EXPR_CAST && !expr_is_truth(e); }

/* The nodes whose derivatives are asked for: operands of arithmetic, arguments of pieces. */
static bool *needed_nodes(expr_dag *dag, const expr *const *nodes, uint32_t count)
{
    const expr *e = nodes[count - 1];
    bool *needed = arena_alloc(expr_dag_memory(dag), (size_t)e->id + 1);
    needed[e->id] = true;
    for (uint32_t i = count; i-- > 0;) {
        if (!needed[nodes[i]->id]) continue;
        if (is_piece(nodes[i])) {
            needed[nodes[i]->argument->id] = true;
            continue;
        }
        for (unsigned k = 0; k < expr_arity(nodes[i]->kind); k++) needed[nodes[i]->operand[k]->id] = true;
    }
    return needed;
}

/* What is a function of one lane value stays one: f(g) gives f'(g) * dg, not the product rule's terms with a dg in
 * each, which would be arithmetic on several values, with its roundings. */
const expr *expr_derivative(expr_dag *dag, const expr *e, const expr *input)
{
    uint32_t count;
    const expr **nodes = expr_walk(expr_dag_memory(dag), e, &count);
    const bool *needed = needed_nodes(dag, nodes, count);
    const expr **derivatives = arena_alloc(expr_dag_memory(dag), ((size_t)e->id + 1) * sizeof *derivatives);
    for (uint32_t i = 0; i < count; i++) {
        const expr *node = nodes[i], *d[3] = {0};
        if (!needed[node->id]) continue;
        const expr *by_argument = is_piece(node) ? derivatives[node->argument->id] : NULL;
        for (unsigned k = 0; k < expr_arity(node->kind) && !by_argument; k++)
            d[k] = derivatives[node->operand[k]->id];
        derivatives[node->id] =
            node == input  ? number(dag, 1)
            : !by_argument ? derivative_node(dag, node, d)
            : expr_is_number(by_argument, 0, 1)
                ? by_argument
                : expr_times(dag, expr_transform(dag, node, derivative_by, (void *)node->argument),
                             by_argument);
    }
    return derivatives[e->id];
}
