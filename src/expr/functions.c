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

/* Makes asinh(t) of t >= 0 with the square of t, as log1p(t + t^2/(1 + sqrt(1 + t^2))). */
static const expr *asinh_above_zero(expr_dag *dag, const expr *t, const expr *square)
{
    const expr *one = integer(dag, 1), *root = call(dag, EXPR_sqrt, plus(dag, one, square));
    return call(dag, EXPR_log1p, plus(dag, t, over(dag, square, plus(dag, one, root))));
}

/* Makes asinh(u) as sign(u)*asinh(|u|). */
static const expr *asinh_by_log(expr_dag *dag, const expr *u)
{
    const expr *size = asinh_above_zero(dag, call(dag, EXPR_abs, u), squared(dag, u));
    return times(dag, call(dag, EXPR_sign, u), size);
}

/* Makes 1 - u^2 as (1 - u)*(1 + u), in which nothing cancels at the ends of [-1, 1]. */
static const expr *one_minus_squared(expr_dag *dag, const expr *u)
{
    const expr *one = integer(dag, 1);
    return times(dag, expr_binary(dag, EXPR_SUB, one, u), plus(dag, one, u));
}

/* Makes u^2 - 1 as (u - 1)*(u + 1). */
static const expr *minus_one_squared(expr_dag *dag, const expr *u)
{
    const expr *one = integer(dag, 1);
    return times(dag, expr_binary(dag, EXPR_SUB, u, one), plus(dag, u, one));
}

/* Makes acosh(u) as 2*asinh(sqrt((u - 1)/2)), in which nothing overflows or cancels. */
static const expr *acosh_by_log(expr_dag *dag, const expr *u)
{
    const expr *square = over(dag, expr_binary(dag, EXPR_SUB, u, integer(dag, 1)), integer(dag, 2));
    return times(dag, integer(dag, 2), asinh_above_zero(dag, call(dag, EXPR_sqrt, square), square));
}

/* Makes acos(u) as 2*atan(sqrt((1 - u)/(1 + u))). */
static const expr *acos_by_atan(expr_dag *dag, const expr *u)
{
    const expr *one = integer(dag, 1);
    const expr *ratio = over(dag, expr_binary(dag, EXPR_SUB, one, u), plus(dag, one, u));
    return times(dag, integer(dag, 2), call(dag, EXPR_atan, call(dag, EXPR_sqrt, ratio)));
}

/* Makes atanh(u) as sign(u)*log1p(2 t/(1 - t))/2 with t = |u|. */
static const expr *atanh_by_log1p(expr_dag *dag, const expr *u)
{
    const expr *t = call(dag, EXPR_abs, u), *two = integer(dag, 2);
    const expr *ratio = over(dag, times(dag, two, t), expr_binary(dag, EXPR_SUB, integer(dag, 1), t));
    return times(dag, call(dag, EXPR_sign, u), over(dag, call(dag, EXPR_log1p, ratio), two));
}

/* Makes 1/cosh(u) as 2 e^-|u| / (1 + e^-2|u|). */
static const expr *sech_by_exp(expr_dag *dag, const expr *u)
{
    const expr *power = falling(dag, call(dag, EXPR_abs, u));
    return over(dag, times(dag, integer(dag, 2), power), plus(dag, integer(dag, 1), squared(dag, power)));
}

/* Makes 2 u erfcx(u) - 2/sqrt(pi). */
static const expr *erfcx_slope(expr_dag *dag, const expr *u)
{
    const expr *two = integer(dag, 2), *root = call(dag, EXPR_sqrt, expr_pi(dag));
    return expr_binary(dag, EXPR_SUB, times(dag, times(dag, two, u), call(dag, EXPR_erfcx, u)),
                       over(dag, two, root));
}

/* Makes sqrt(pi)/2 exp(erfinv(u)^2). */
static const expr *erfinv_slope(expr_dag *dag, const expr *u)
{
    const expr *half_root = over(dag, call(dag, EXPR_sqrt, expr_pi(dag)), integer(dag, 2));
    return times(dag, half_root, call(dag, EXPR_exp, squared(dag, call(dag, EXPR_erfinv, u))));
}

/* -- the rows -- */

#define NO_FORMULA NULL
#define ROW(what, name, formula)                                                                             \
    static const expr *what##_##name(expr_dag *dag, const expr *u)                                           \
    {                                                                                                        \
        (void)dag, (void)u;                                                                                  \
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

#define INF      ((double)INFINITY)
#define HALF_PI  0x1.921fb54442d19p0 /* rounded up */
#define SLOWLY_0 (-0x1p-1022)        /* 0, which is approached like a power */
#define ALL                                                                                                  \
    {                                                                                                        \
        false, false, 0                                                                                      \
    }
#define FROM(number)                                                                                         \
    {                                                                                                        \
        true, false, number                                                                                  \
    }
#define WITHIN(number)                                                                                       \
    {                                                                                                        \
        true, true, -(number)                                                                                \
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
