/* Derives a function from its value: tanh' is 1 - y^2 where y = tanh(x), so that a network need not keep x.
 *
 * The search walks the formula from the outside to the inside. `y` is the value of the current part, as a
 * formula of the result. For a choice, y tells which branch was taken if both branches rise and the upper
 * one begins where the lower one ends. */
#include "calculus.h"

static const char unknown_form[] = "tanh, sigmoid, softplus, relu, relu6, hardtanh, leaky_relu, elu, celu "
                                   "and selu have one, and so have functions that are built like them";
static const char unclear_branch[] = "it does not tell which branch was taken; it would if both branches "
                                     "rose with x, as those of leaky_relu with a slope "
                                     "above 0";
static const char constant_first[] = "max(c, x) and min(c, x) have the gradient 1 at x = c, and the result c "
                                     "does not tell this; write max(x, c), whose gradient is 0 there";

struct search {
    expr_dag *dag;
    const char *problem;
    unsigned steps;
};

/* Larger formulas are no activations. The limit bounds the stack as well. */
enum { MOST_STEPS = 1000 };

static const expr *whole(struct search *s, long value) { return expr_integer(s->dag, value); }
static const expr *binary(struct search *s, enum expr_kind kind, const expr *a, const expr *b)
{
    return expr_binary(s->dag, kind, a, b);
}

static const expr *give_up(struct search *s, const char *problem)
{
    if (!s->problem) s->problem = problem;
    return NULL;
}

/* -- where formulas rise -- */

/* Returns the sign of a constant, or 2 if the sign is not known exactly. */
static int sign_of_constant(const expr *e)
{
    mpq_t value;
    mpq_init(value);
    const int sign = expr_constant_value(e, value) ? mpq_sgn(value) : 2;
    mpq_clear(value);
    return sign;
}

static int direction(struct search *s, const expr *e);

/* Returns the direction of a sum, difference, product or quotient in which one operand is constant. */
static int direction_with_constant(struct search *s, const expr *e)
{
    const bool first = expr_is_constant(e->operand[0]);
    const expr *constant = e->operand[!first], *rest = e->operand[first];
    if (!expr_is_constant(constant) || (first && e->kind == EXPR_DIV)) return 2;
    const bool scales = e->kind == EXPR_MUL || e->kind == EXPR_DIV;
    const int sign = scales ? sign_of_constant(constant) : first && e->kind == EXPR_SUB ? -1 : 1;
    const int own = direction(s, rest);
    return sign == 2 || own == 2 ? 2 : sign * own;
}

/* Returns 1 if `e` rises strictly with x, -1 if it falls, 0 if it is constant, and 2 if the direction is
 * not known. */
static int direction(struct search *s, const expr *e)
{
    if (expr_is_constant(e)) return 0;
    if (++s->steps > MOST_STEPS) return 2;
    switch (e->kind) {
    case EXPR_INPUT: return 1;
    case EXPR_NEG: {
        const int own = direction(s, e->operand[0]);
        return own == 2 ? 2 : -own;
    }
    case EXPR_ADD:
    case EXPR_SUB:
    case EXPR_MUL:
    case EXPR_DIV: return direction_with_constant(s, e);
    case EXPR_exp:
    case EXPR_expm1:
    case EXPR_tanh:
    case EXPR_sigmoid:
    case EXPR_softplus: return direction(s, e->operand[0]);
    default: return 2;
    }
}

/* Computes the value of `e` where x is the given formula. Returns false if the value is not known exactly. */
static bool exact_value_at(struct search *s, const expr *e, const expr *x, mpq_ptr out)
{
    const expr *there = expr_substitute(s->dag, e, expr_input(s->dag, 0), x);
    return expr_constant_value(expr_simplify(s->dag, there, NULL), out);
}

/* -- derivatives -- */

static const expr *slope(struct search *s, const expr *e, const expr *y);

/* Returns the derivative of a function by its argument, as a formula of its value y. */
static const expr *slope_of_function(struct search *s, enum expr_kind kind, const expr *y)
{
    const expr *one = whole(s, 1);
    switch (kind) {
    case EXPR_tanh: return binary(s, EXPR_MUL, binary(s, EXPR_SUB, one, y), binary(s, EXPR_ADD, one, y));
    case EXPR_sigmoid: return binary(s, EXPR_MUL, y, binary(s, EXPR_SUB, one, y));
    case EXPR_softplus:
        return expr_unary(s->dag, EXPR_NEG, expr_unary(s->dag, EXPR_expm1, expr_unary(s->dag, EXPR_NEG, y)));
    case EXPR_exp: return y;
    case EXPR_expm1: return binary(s, EXPR_ADD, y, one);
    default: return give_up(s, unknown_form);
    }
}

/* Derives f(u), where u' is a constant, from the value of f. */
static const expr *slope_of_call(struct search *s, const expr *e, const expr *y)
{
    const expr *outer = slope_of_function(s, e->kind, y);
    const expr *inner = outer ? slope(s, e->operand[0], expr_input(s->dag, 0)) : NULL;
    if (!inner) return NULL;
    return expr_is_constant(inner) ? expr_times(s->dag, outer, inner) : give_up(s, unknown_form);
}

/* Derives c*u, u*c and u/c. */
static const expr *slope_of_multiple(struct search *s, const expr *e, const expr *y)
{
    const bool first = expr_is_constant(e->operand[0]);
    const expr *factor = e->operand[!first], *rest = e->operand[first];
    const bool divided = e->kind == EXPR_DIV;
    const int sign = expr_is_constant(factor) && !(divided && first) ? sign_of_constant(factor) : 2;
    if (sign == 2) return give_up(s, unknown_form);
    if (sign == 0) return whole(s, 0);
    const expr *inner = slope(s, rest, binary(s, divided ? EXPR_MUL : EXPR_DIV, y, factor));
    if (!inner) return NULL;
    return divided ? binary(s, EXPR_DIV, inner, factor) : expr_times(s->dag, inner, factor);
}

/* Derives u + c, c + u, u - c and c - u. */
static const expr *slope_of_shift(struct search *s, const expr *e, const expr *y)
{
    const bool first = expr_is_constant(e->operand[0]), sum = e->kind == EXPR_ADD;
    const expr *offset = e->operand[!first], *rest = e->operand[first];
    if (!expr_is_constant(offset)) return give_up(s, unknown_form);
    if (sum || !first) return slope(s, rest, binary(s, sum ? EXPR_SUB : EXPR_ADD, y, offset));
    const expr *inner = slope(s, rest, binary(s, EXPR_SUB, offset, y));
    return inner ? expr_unary(s->dag, EXPR_NEG, inner) : NULL;
}

/* Derives max(u, c), which is u where y > c, and min(u, c), which is u where y < c. At u = c the functions
 * max(c, u) and min(c, u) have the derivative of u, which y cannot tell. */
static const expr *slope_of_limit(struct search *s, const expr *e, const expr *y)
{
    const expr *u = e->operand[0], *c = e->operand[1];
    if (!expr_is_constant(c)) return give_up(s, expr_is_constant(u) ? constant_first : unknown_form);
    const expr *inner = slope(s, u, y);
    if (!inner) return NULL;
    const expr *inside = e->kind == EXPR_MAX ? binary(s, EXPR_LT, c, y) : binary(s, EXPR_LT, y, c);
    return expr_if(s->dag, inside, inner, whole(s, 0));
}

/* Derives a choice by a comparison of x with a constant c, such as `if x > c then above else below`. */
static const expr *slope_of_choice(struct search *s, const expr *e, const expr *y)
{
    const expr *condition = e->operand[0], *left = condition->operand[0], *right = condition->operand[1];
    if (condition->kind != EXPR_LT && condition->kind != EXPR_LE) return give_up(s, unknown_form);
    const bool is_right = right->kind == EXPR_INPUT; /* c < x, c <= x */
    const expr *c = is_right ? left : right, *x = is_right ? right : left;
    if (x->kind != EXPR_INPUT || !expr_is_constant(c)) return give_up(s, unknown_form);
    /* The open branch does not hold at c itself. It was taken where y is beyond the value of that branch at
     * c. */
    const bool strict = condition->kind == EXPR_LT, above_is_open = is_right == strict;
    const expr *above = e->operand[is_right ? 1 : 2], *below = e->operand[is_right ? 2 : 1];
    const expr *open = above_is_open ? above : below, *closed = above_is_open ? below : above;
    const int way = direction(s, closed);
    if (direction(s, open) != 1 || (way != 0 && way != 1)) return give_up(s, unclear_branch);
    mpq_t at_open, at_closed;
    mpq_inits(at_open, at_closed, NULL);
    bool ordered = exact_value_at(s, open, c, at_open) && exact_value_at(s, closed, c, at_closed);
    ordered =
        ordered && (above_is_open ? mpq_cmp(at_open, at_closed) >= 0 : mpq_cmp(at_open, at_closed) <= 0);
    const expr *edge = ordered ? expr_number(s->dag, at_open) : NULL;
    mpq_clears(at_open, at_closed, NULL);
    if (!ordered) return give_up(s, unclear_branch);
    const expr *there = slope(s, open, y), *elsewhere = there ? slope(s, closed, y) : NULL;
    if (!elsewhere || there == elsewhere) return elsewhere;
    const expr *beyond = above_is_open ? binary(s, EXPR_LT, edge, y) : binary(s, EXPR_LT, y, edge);
    return expr_if(s->dag, beyond, there, elsewhere);
}

/* Returns the derivative of `e` by x, where `e` has the value `y`. */
static const expr *slope(struct search *s, const expr *e, const expr *y)
{
    if (expr_is_constant(e)) return whole(s, 0);
    if (++s->steps > MOST_STEPS) return give_up(s, unknown_form);
    switch (e->kind) {
    case EXPR_INPUT: return whole(s, 1);
    case EXPR_CAST: return slope(s, e->operand[0], y); /* rounding counts as the identity */
    case EXPR_NEG: {
        const expr *inner = slope(s, e->operand[0], expr_unary(s->dag, EXPR_NEG, y));
        return inner ? expr_unary(s->dag, EXPR_NEG, inner) : NULL;
    }
    case EXPR_ADD:
    case EXPR_SUB: return slope_of_shift(s, e, y);
    case EXPR_MUL:
    case EXPR_DIV: return slope_of_multiple(s, e, y);
    case EXPR_MIN:
    case EXPR_MAX: return slope_of_limit(s, e, y);
    case EXPR_IF: return slope_of_choice(s, e, y);
    default: return e->kind >= EXPR_FIRST_FUNCTION ? slope_of_call(s, e, y) : give_up(s, unknown_form);
    }
}

const expr *derivative_from_result(expr_dag *dag, const expr *e, const char **problem)
{
    struct search s = {.dag = dag};
    const expr *derivative = slope(&s, e, expr_input(dag, 0));
    *problem = s.problem;
    return derivative;
}
