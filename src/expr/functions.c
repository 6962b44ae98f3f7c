/* Reads the rows of functions.def, and defines the words in which the rows are written. */
#include "expr.h"

#include <math.h>

static const expr *integer(expr_dag *dag, long value) { return expr_integer(dag, value); }
static const expr *plus(expr_dag *dag, const expr *a, const expr *b) { return expr_plus(dag, a, b); }
static const expr *times(expr_dag *dag, const expr *a, const expr *b) { return expr_times(dag, a, b); }
static const expr *over(expr_dag *dag, const expr *a, const expr *b)
{
    return expr_binary(dag, EXPR_DIV, a, b);
}
static const expr *reciprocal(expr_dag *dag, const expr *a) { return over(dag, integer(dag, 1), a); }
static const expr *squared(expr_dag *dag, const expr *a) { return expr_power_ratio(dag, a, 2, 1); }
static const expr *call(expr_dag *dag, enum expr_kind kind, const expr *u)
{
    return expr_unary(dag, kind, u);
}

/* Makes log(base). */
static const expr *log_of(expr_dag *dag, long base) { return call(dag, EXPR_log, integer(dag, base)); }

/* Makes exp(-u). */
static const expr *falling(expr_dag *dag, const expr *u)
{
    return call(dag, EXPR_exp, call(dag, EXPR_NEG, u));
}

/* Makes the derivative of sigmoid. */
static const expr *logistic_slope(expr_dag *dag, const expr *u)
{
    return times(dag, call(dag, EXPR_sigmoid, u), call(dag, EXPR_sigmoid, call(dag, EXPR_NEG, u)));
}

/* Makes factor * exp(-u^2/scale) / sqrt(scale*pi): the derivative of erf (scale 1) and of normcdf (scale
 * 2). */
static const expr *bell(expr_dag *dag, const expr *u, long factor, long scale)
{
    const expr *square = squared(dag, u), *size = integer(dag, scale);
    const expr *exponent = call(dag, EXPR_NEG, scale == 1 ? square : over(dag, square, size));
    const expr *top = times(dag, integer(dag, factor), call(dag, EXPR_exp, exponent));
    return over(dag, top, call(dag, EXPR_sqrt, times(dag, size, expr_pi(dag))));
}

/* Makes sinh(u) as (exp(u) - 1) * (1 + exp(-u)) / 2. No factor overflows before the product does. */
static const expr *sinh_by_exp(expr_dag *dag, const expr *u)
{
    const expr *other = plus(dag, integer(dag, 1), falling(dag, u));
    return over(dag, times(dag, call(dag, EXPR_expm1, u), other), integer(dag, 2));
}

/* Makes asinh(u) = sign(u)*log(t + sqrt(1 + t^2)) with t = |u|, by log1p(t + t^2/(1 + sqrt(1 + t^2))). */
static const expr *asinh_by_log(expr_dag *dag, const expr *u)
{
    const expr *square = squared(dag, u), *one = integer(dag, 1);
    const expr *root = call(dag, EXPR_sqrt, plus(dag, one, square));
    const expr *rest = plus(dag, call(dag, EXPR_abs, u), over(dag, square, plus(dag, one, root)));
    return times(dag, call(dag, EXPR_sign, u), call(dag, EXPR_log1p, rest));
}

/* -- the rows -- */

#define ROW(what, name, formula)                                                                             \
    static const expr *what##_##name(expr_dag *dag, const expr *u)                                           \
    {                                                                                                        \
        (void)u;                                                                                             \
        return formula;                                                                                      \
    }
#define FUNCTION(name, nature, parity, at_zero, domain, monotony, low, high, tail, value, slope)             \
    ROW(derivative, name, slope)
#define DEFINED(name, nature, parity, at_zero, domain, monotony, low, high, tail, value, slope, formula)     \
    ROW(derivative, name, slope) ROW(definition, name, formula)
#include "functions.def"
#undef FUNCTION
#undef ROW

typedef const expr *(*rule)(expr_dag *dag, const expr *u);
static const rule derivatives[EXPR_KIND_COUNT] = {
#define FUNCTION(name, ...) [EXPR_##name] = derivative_##name,
#include "functions.def"
#undef FUNCTION
};
static const rule definitions[EXPR_KIND_COUNT] = {
#define FUNCTION(name, ...)
#define DEFINED(name, ...) [EXPR_##name] = definition_##name,
#include "functions.def"
#undef FUNCTION
};

#define INF     ((double)INFINITY)
#define HALF_PI 0x1.921fb54442d19p0 /* rounded up */
#define ALL                                                                                                  \
    {                                                                                                        \
        false, 0                                                                                             \
    }
#define FROM(number)                                                                                         \
    {                                                                                                        \
        true, number                                                                                         \
    }
#define NO_TAIL                                                                                              \
    {                                                                                                        \
        0, 0, 0                                                                                              \
    }
#define TAIL(side, c, n)                                                                                     \
    {                                                                                                        \
        side, c, n                                                                                           \
    }
#define FUNCTION(name, nature, parity, at_zero, domain, monotony, low, high, tail, ...)                      \
    [EXPR_##name] = {                                                                                        \
        NATURE_##nature, PARITY_##parity, AT_ZERO_##at_zero, domain, MONOTONY_##monotony, low, high, tail},
#define DEFINED(name, nature, parity, at_zero, domain, monotony, low, high, tail, ...)                       \
    [EXPR_##name] = {                                                                                        \
        NATURE_##nature, PARITY_##parity, AT_ZERO_##at_zero, domain, MONOTONY_##monotony, low, high, tail},
const struct expr_function expr_functions[EXPR_KIND_COUNT] = {
#include "functions.def"
};

const expr *expr_slope(expr_dag *dag, enum expr_kind function, const expr *u)
{
    return derivatives[function] ? derivatives[function](dag, u) : NULL;
}

bool expr_halves_at_zero(enum expr_kind function, long *halves)
{
    static const long values[] = {[AT_ZERO_HALF] = 1, [AT_ZERO_ONE] = 2};
    *halves = values[expr_functions[function].at_zero];
    return expr_functions[function].at_zero != AT_ZERO_OTHER;
}

static const expr *expanded(void *context, expr_dag *dag, const expr *e, const expr *const *operand)
{
    (void)context;
    const rule definition = definitions[e->kind];
    return definition ? definition(dag, operand[0]) : expr_rebuild(dag, e, operand);
}

const expr *expr_expand(expr_dag *dag, const expr *e) { return expr_transform(dag, e, expanded, NULL); }
