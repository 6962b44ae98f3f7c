/* The elementary functions that are formulas of others: definition_<name>, one for each DEFINED row of functions.def.
 *
 * Each is right where it does not cancel and where its parts have values: zeros, infinities and what a part cannot
 * hold are the reference's, which has functions of its own. */
#include "expr.h"

static const expr *integer(expr_dag *dag, long value) { return expr_integer(dag, value); }
static const expr *plus(expr_dag *dag, const expr *a, const expr *b)
{
    return expr_binary(dag, EXPR_ADD, a, b);
}
static const expr *times(expr_dag *dag, const expr *a, const expr *b)
{
    return expr_binary(dag, EXPR_MUL, a, b);
}
static const expr *over(expr_dag *dag, const expr *a, const expr *b)
{
    return expr_binary(dag, EXPR_DIV, a, b);
}
static const expr *call(expr_dag *dag, enum expr_kind kind, const expr *u)
{
    return expr_unary(dag, kind, u);
}

/* log(base) */
static const expr *log_of(expr_dag *dag, long base) { return call(dag, EXPR_log, integer(dag, base)); }

static const expr *definition_exp2(expr_dag *dag, const expr *u)
{
    return call(dag, EXPR_exp, times(dag, u, log_of(dag, 2)));
}

static const expr *definition_log2(expr_dag *dag, const expr *u)
{
    return over(dag, call(dag, EXPR_log, u), log_of(dag, 2));
}

static const expr *definition_log10(expr_dag *dag, const expr *u)
{
    return over(dag, call(dag, EXPR_log, u), log_of(dag, 10));
}

static const expr *definition_tan(expr_dag *dag, const expr *u)
{
    return over(dag, call(dag, EXPR_sin, u), call(dag, EXPR_cos, u));
}

/* exp(-u) */
static const expr *falling(expr_dag *dag, const expr *u)
{
    return call(dag, EXPR_exp, expr_unary(dag, EXPR_NEG, u));
}

/* (exp(u) - 1) (1 + exp(-u)) / 2: no factor is beyond its range before the product is. */
static const expr *definition_sinh(expr_dag *dag, const expr *u)
{
    const expr *other = plus(dag, integer(dag, 1), falling(dag, u));
    return over(dag, times(dag, call(dag, EXPR_expm1, u), other), integer(dag, 2));
}

static const expr *definition_cosh(expr_dag *dag, const expr *u)
{
    return over(dag, plus(dag, call(dag, EXPR_exp, u), falling(dag, u)), integer(dag, 2));
}

/* sign(u) log(t + sqrt(1 + t^2)), t = |u|, as log1p(t + t^2 / (1 + sqrt(1 + t^2))). */
static const expr *definition_asinh(expr_dag *dag, const expr *u)
{
    const expr *square = expr_power_ratio(dag, u, 2, 1), *one = integer(dag, 1);
    const expr *root = call(dag, EXPR_sqrt, plus(dag, one, square));
    const expr *rest = plus(dag, call(dag, EXPR_abs, u), over(dag, square, plus(dag, one, root)));
    return times(dag, call(dag, EXPR_sign, u), call(dag, EXPR_log1p, rest));
}

static const expr *definition_rsqrt(expr_dag *dag, const expr *u)
{
    return over(dag, integer(dag, 1), call(dag, EXPR_sqrt, u));
}

typedef const expr *(*definition)(expr_dag *dag, const expr *u);
static const definition definitions[EXPR_KIND_COUNT] = {
#define FUNCTION(name)
#define DEFINED(name) [EXPR_##name] = definition_##name,
#include "functions.def"
#undef FUNCTION
};

static const expr *expanded(void *context, expr_dag *dag, const expr *e, const expr *const *operand)
{
    (void)context;
    const definition defined = definitions[e->kind];
    return defined ? defined(dag, operand[0]) : expr_rebuild(dag, e, operand);
}

const expr *expr_expand(expr_dag *dag, const expr *e) { return expr_transform(dag, e, expanded, NULL); }
