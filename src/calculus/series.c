/* Computes the series of each node of a formula next to a point, operands before their users. Series of
 * smooth functions follow by Taylor's theorem from symbolic derivatives. For functions that bend or jump, the
 * first term of the operand's series tells the side. */
#include "series.h"
#include "series_terms.h"

#include <math.h>

struct beside {
    struct factors f;
    enum series_side side;
    bool is_tie;
};

/* -- functions -- */

/* Computes the derivatives of orders below `count`. The function has all derivatives at `at`. */
static void derivatives_at(struct factors *f, const expr **out, unsigned count, enum expr_kind function,
                           const expr *at)
{
    const expr *t = expr_input(f->dag, 0), *derivative = expr_unary(f->dag, function, t);
    for (unsigned k = 0; k < count; k++) {
        if (k) derivative = factor_simplified(f, expr_derivative(f->dag, derivative, t));
        out[k] = factor_simplified(f, expr_substitute(f->dag, derivative, t, at));
    }
}

static struct series smooth(struct factors *f, enum expr_kind function, const struct series *u)
{
    const expr *derivative[SERIES_MOST_POWERS];
    const struct series moving = series_moving(u);
    const unsigned count = series_powers(f, &moving);
    derivatives_at(f, derivative, count, function, series_at_zero(f, u));
    return series_taylor(f, u, derivative, count);
}

/* Computes log(u). Next to a zero of u, log(u) grows more slowly than any negative power of h, so it is
 * O(h^-(1/720)). */
static struct series logarithm(struct factors *f, struct series u)
{
    const int sign = series_sign(f, &u);
    if (sign < 0) return series_open(SERIES_IS_NAN);
    if (sign != 1 && !(series_deciding_factor(&u) && !u.term[0].power)) return series_open(SERIES_IS_OPEN);
    return u.term[0].power ? series_rest(-1) : smooth(f, EXPR_log, &u);
}

/* Computes a function of an argument that grows beyond all bounds with the given sign. A curve reaches a
 * whole number with a remainder such as exp(-1/h) (functions.def). */
static struct series far_out(struct factors *f, enum expr_kind function, const struct series *u, int sign)
{
    const struct expr_function *row = &expr_functions[function];
    const double limit = (row->monotony == MONOTONY_RISES) == (sign > 0) ? row->high : row->low;
    if (function == EXPR_softplus && sign > 0) return *u; /* log(1 + exp(u)) = u + log(1 + exp(-u)) */
    if (row->nature == NATURE_WAVE && isfinite(row->high)) return series_rest(0); /* bounded */
    if (row->nature != NATURE_CURVE || row->monotony == MONOTONY_TURNS || limit != trunc(limit) ||
        isinf(limit))
        return series_open(SERIES_IS_OPEN);
    const struct series rest = series_rest(SERIES_BEYOND),
                        constant = series_constant(expr_integer(f->dag, (long)limit));
    return series_plus(f, &rest, &constant);
}

/* -- functions that bend or jump -- */

/* Returns the sign of `u` on the current side, or SIGN_UNKNOWN. Drops first terms that are 0. */
static int sign_of_series(struct beside *b, struct series *u)
{
    const int sign = series_sign(&b->f, u);
    b->is_tie = b->is_tie || (!sign && b->side == SERIES_AT);
    return sign;
}

static struct series sign_series(struct beside *b, struct series u)
{
    const int sign = sign_of_series(b, &u);
    if (sign != SIGN_UNKNOWN) return series_constant(expr_integer(b->f.dag, sign));
    const expr *c = series_deciding_factor(&u);
    return c ? series_constant(expr_unary(b->f.dag, EXPR_sign, c)) : series_open(SERIES_IS_OPEN);
}

static struct series magnitude(struct beside *b, const struct series *u)
{
    const struct series sign = sign_series(b, *u);
    if (sign.state == SERIES_IS_OPEN && !u->count) return *u; /* u is O(h^n) */
    return series_times(&b->f, u, &sign);
}

static struct series whole_number(struct beside *b, enum expr_kind kind, const struct series *u)
{
    const expr *c = series_at_zero(&b->f, u), *half = expr_ratio(b->f.dag, 1, 2);
    struct series less = series_moving(u);
    const bool is_bounded = u->order > 0 && !(u->count && u->term[0].power < 0);
    if (c->kind != EXPR_NUMBER || !is_bounded) return series_open(SERIES_IS_OPEN);
    if (kind == EXPR_round) c = factor_plus(&b->f, c, half); /* floor(u + 1/2), except at ties */
    const bool is_whole = !mpz_cmp_ui(mpq_denref(c->number), 1);
    const int sign = is_whole ? series_sign(&b->f, &less) : 1;
    mpq_t q;
    mpq_init(q);
    mpz_fdiv_q(mpq_numref(q), mpq_numref(c->number), mpq_denref(c->number));
    const bool is_odd_tie = kind == EXPR_round && sign == 0 && mpz_odd_p(mpq_numref(q));
    if (sign < 0 || is_odd_tie) mpz_sub_ui(mpq_numref(q), mpq_numref(q), 1);
    const struct series s = series_constant(expr_number(b->f.dag, q));
    mpq_clear(q);
    b->is_tie = b->is_tie || sign == 0;
    return sign == SIGN_UNKNOWN ? series_open(SERIES_IS_OPEN) : s;
}

/* Returns the exponent of a sum with a first term that is a number and not 0. At a power of two, the moving
 * part decides. */
static struct series exponent_series(struct beside *b, const struct series *u)
{
    const expr *c = series_at_zero(&b->f, u);
    struct series less = series_moving(u);
    const bool is_bounded = u->order > 0 && !(u->count && u->term[0].power < 0);
    if (c->kind != EXPR_NUMBER || !is_bounded || !mpq_sgn(c->number)) return series_open(SERIES_IS_OPEN);
    const long e = expr_number_exponent(c->number);
    mpq_t one;
    mpq_init(one);
    mpq_set_ui(one, 1, 1);
    if (e > 0)
        mpq_div_2exp(one, c->number, (unsigned long)e);
    else
        mpq_mul_2exp(one, c->number, (unsigned long)-e);
    const bool is_power = !mpz_cmpabs_ui(mpq_numref(one), 1) && !mpz_cmp_ui(mpq_denref(one), 1);
    mpq_clear(one);
    const int sign = is_power ? series_sign(&b->f, &less) : 1;
    b->is_tie = b->is_tie || sign == 0;
    if (sign == SIGN_UNKNOWN) return series_open(SERIES_IS_OPEN);
    return series_constant(expr_integer(b->f.dag, e - (is_power && sign * mpq_sgn(c->number) < 0)));
}

static struct series truth(bool value) { return (struct series){.state = SERIES_IS_TRUTH, .truth = value}; }

/* Returns an unknown truth value with the condition that decides it, which may be NULL. */
static struct series undecided(const expr *condition)
{
    struct series s = series_open(SERIES_IS_OPEN);
    s.condition = condition;
    return s;
}

static struct series comparison(struct beside *b, enum expr_kind kind, const struct series *x,
                                const struct series *y)
{
    struct series less = series_minus(&b->f, x, y);
    const int sign = sign_of_series(b, &less);
    if (sign != SIGN_UNKNOWN)
        return truth(kind == EXPR_LT ? sign < 0 : kind == EXPR_LE ? sign <= 0 : sign == 0);
    const expr *c = series_deciding_factor(&less);
    return undecided(c ? expr_binary(b->f.dag, kind, c, expr_integer(b->f.dag, 0)) : NULL);
}

static struct series negated_series(struct beside *b, const struct series *x)
{
    if (x->state == SERIES_IS_TRUTH) return truth(!x->truth);
    return undecided(x->condition ? expr_unary(b->f.dag, EXPR_NOT, expr_import(b->f.dag, x->condition))
                                  : NULL);
}

static struct series connected(struct beside *b, enum expr_kind kind, const struct series *x,
                               const struct series *y)
{
    const bool decides = kind == EXPR_OR; /* the value of one operand that decides the result */
    const bool x_is_known = x->state == SERIES_IS_TRUTH, y_is_known = y->state == SERIES_IS_TRUTH;
    if ((x_is_known && x->truth == decides) || (y_is_known && y->truth == decides)) return truth(decides);
    if (x_is_known || y_is_known) return x_is_known ? *y : *x;
    if (!x->condition || !y->condition) return series_open(SERIES_IS_OPEN);
    return undecided(expr_binary(b->f.dag, kind, expr_import(b->f.dag, x->condition),
                                 expr_import(b->f.dag, y->condition)));
}

static const expr *factor_at(struct factors *f, const struct series *s, long power)
{
    for (unsigned i = 0; i < s->count; i++)
        if (s->term[i].power == power) return s->term[i].factor;
    return expr_integer(f->dag, 0);
}

/* Computes `if c then x else y`, where other inputs decide c. Each factor is chosen by c. */
static struct series chosen(struct factors *f, const expr *c, const struct series *x, const struct series *y)
{
    if (series_both(x, y) != SERIES_IS_SUM) return series_open(SERIES_IS_OPEN);
    struct series s = series_rest(x->order < y->order ? x->order : y->order);
    for (unsigned i = 0, k = 0; i < x->count || k < y->count;) {
        const bool is_x = k == y->count || (i < x->count && x->term[i].power <= y->term[k].power);
        const long power = is_x ? x->term[i].power : y->term[k].power;
        const expr *then = factor_at(f, x, power), *otherwise = factor_at(f, y, power);
        i += i < x->count && x->term[i].power == power;
        k += k < y->count && y->term[k].power == power;
        if (s.count == SERIES_MOST_TERMS && power < s.order) s.order = power;
        if (power >= s.order) break;
        s.term[s.count++] = (struct series_term){
            power, then == otherwise ? then : expr_if(f->dag, expr_import(f->dag, c), then, otherwise)};
    }
    return s;
}

/* Computes the minimum or maximum. */
static struct series extreme(struct beside *b, bool is_max, const struct series *x, const struct series *y)
{
    struct series less = series_minus(&b->f, x, y);
    if (less.state != SERIES_IS_SUM) return series_open(less.state);
    const int sign = sign_of_series(b, &less);
    if (sign != SIGN_UNKNOWN) return (sign > 0) == is_max ? *x : *y;
    const expr *c = series_deciding_factor(&less), *zero = expr_integer(b->f.dag, 0);
    if (c) return chosen(&b->f, expr_binary(b->f.dag, EXPR_LT, is_max ? zero : c, is_max ? c : zero), x, y);
    if (less.count) return series_open(SERIES_IS_OPEN);
    const struct series rest = series_rest(less.order); /* the remainder in which they may differ */
    return series_plus(&b->f, x, &rest);
}

/* -- nodes -- */

static struct series function_node(struct beside *b, const expr *e, const struct series *u)
{
    if (u->state != SERIES_IS_SUM) return series_open(u->state);
    struct series copy = *u;
    const struct series one = series_constant(expr_integer(b->f.dag, 1));
    mpq_t half;
    switch (e->kind) {
    case EXPR_abs: return magnitude(b, u);
    case EXPR_floor:
    case EXPR_round: return whole_number(b, e->kind, u);
    case EXPR_exponent: return exponent_series(b, u);
    case EXPR_sign: return sign_series(b, *u);
    case EXPR_sqrt:
        mpq_init(half);
        mpq_set_ui(half, 1, 2);
        copy = series_power(&b->f, u, half);
        mpq_clear(half);
        return copy;
    case EXPR_log: return logarithm(&b->f, copy);
    case EXPR_log1p: return logarithm(&b->f, series_plus(&b->f, &copy, &one));
    default: break;
    }
    if (copy.count && copy.term[0].power < 0) {
        const int sign = series_sign(&b->f, &copy);
        if (!copy.count || copy.term[0].power < 0)
            return sign == SIGN_UNKNOWN ? series_open(SERIES_IS_OPEN) : far_out(&b->f, e->kind, &copy, sign);
    }
    return copy.order > 0 ? smooth(&b->f, e->kind, &copy) : series_open(SERIES_IS_OPEN);
}

static struct series series_quotient(struct factors *f, const struct series *x, const struct series *y)
{
    mpq_t minus_one;
    mpq_init(minus_one);
    mpq_set_si(minus_one, -1, 1);
    const struct series inverse = series_power(f, y, minus_one);
    mpq_clear(minus_one);
    return series_times(f, x, &inverse);
}

/* Computes a node that contains `v`, or a truth value. */
static struct series node(struct beside *b, const expr *e, const struct series *const *operand)
{
    const struct series *x = operand[0], *y = operand[1], *z = operand[2];
    switch (e->kind) {
    case EXPR_ADD: return series_plus(&b->f, x, y);
    case EXPR_SUB: return series_minus(&b->f, x, y);
    case EXPR_MUL: return series_times(&b->f, x, y);
    case EXPR_DIV: return series_quotient(&b->f, x, y);
    case EXPR_NEG: return series_scaled(&b->f, x, expr_integer(b->f.dag, -1));
    case EXPR_POWER: return series_power(&b->f, x, e->number);
    case EXPR_MIN:
    case EXPR_MAX: return extreme(b, e->kind == EXPR_MAX, x, y);
    case EXPR_LT:
    case EXPR_LE:
    case EXPR_EQ: return comparison(b, e->kind, x, y);
    case EXPR_NOT: return negated_series(b, x);
    case EXPR_AND:
    case EXPR_OR: return connected(b, e->kind, x, y);
    case EXPR_IF:
        if (x->state == SERIES_IS_TRUTH) return x->truth ? *y : *z;
        return x->condition ? chosen(&b->f, x->condition, y, z) : series_open(SERIES_IS_OPEN);
    default: return e->kind >= EXPR_FIRST_FUNCTION ? function_node(b, e, x) : series_open(SERIES_IS_OPEN);
    }
}

/* Returns v0 + h, v0 - h or v0. */
static struct series variable(struct beside *b, const expr *at)
{
    struct series s = series_constant(factor_simplified(&b->f, at));
    if (b->side != SERIES_AT)
        s.term[s.count++] = (struct series_term){SERIES_UNIT, expr_integer(b->f.dag, b->side)};
    return s;
}

/* Computes the series of the last node. A number that does not contain `v` becomes a factor. */
static struct series of_nodes(struct beside *b, arena *memory, const expr *const *nodes, uint32_t count,
                              const expr *v, const expr *at)
{
    const uint32_t(*places)[3] = (const uint32_t(*)[3])expr_operand_places(memory, nodes, count);
    bool *has_v = arena_alloc(memory, count);
    struct series *values = arena_alloc(memory, count * sizeof *values);
    for (uint32_t i = 0; i < count && !factors_failed(&b->f); i++) {
        const expr *e = nodes[i];
        const struct series *operand[3] = {0};
        const unsigned arity = expr_arity(e->kind);
        for (unsigned k = 0; k < arity; k++) has_v[i] = has_v[i] || has_v[places[i][k]];
        has_v[i] = has_v[i] || e == v;
        const bool is_number = !has_v[i] && !expr_is_truth(e);
        for (unsigned k = 0; k < arity && e != v && !is_number; k++) operand[k] = &values[places[i][k]];
        values[i] = e == v      ? variable(b, at)
                    : is_number ? series_constant(factor_simplified(&b->f, e))
                                : node(b, e, operand);
        if (!has_v[i] && !is_number && values[i].state == SERIES_IS_OPEN) values[i].condition = e;
    }
    return factors_failed(&b->f) ? series_open(SERIES_IS_OPEN) : values[count - 1];
}

/* Computes the limit if the terms within the window tell it. */
static struct series_limit limit_within(long window, expr_dag *dag, const expr *e, const expr *v,
                                        const expr *at, enum series_side side, uint64_t *work)
{
    arena *memory = expr_dag_memory(dag);
    struct beside b = {.f = factors_new(memory, work, window), .side = side};
    struct series_limit limit = {.answer = SERIES_UNKNOWN};
    uint32_t count;
    const expr **nodes = expr_walk(memory, e, &count);
    struct series s = of_nodes(&b, memory, nodes, count, v, at);
    limit.is_tie = b.is_tie;
    if (s.state == SERIES_IS_NAN) limit.answer = SERIES_NO_VALUE;
    if (s.state != SERIES_IS_SUM) return limit;
    if (s.count && s.term[0].power < 0) series_sign(&b.f, &s); /* drops terms that are 0 */
    const expr *value = series_at_zero(&b.f, &s);
    if (s.order <= 0 || (s.count && s.term[0].power < 0)) return limit;
    if (expr_is_constant(value) && factor_sign(&b.f, value) == SIGN_UNKNOWN)
        /* the value may be infinite, or not exist */
        return limit;
    if (factors_failed(&b.f)) return limit;
    limit.answer = SERIES_LIMIT;
    limit.value = expr_import(dag, value);
    return limit;
}

struct series_limit series_limit(expr_dag *dag, const expr *e, const expr *v, const expr *at,
                                 enum series_side side, uint64_t *work)
{
    /* First terms seldom cancel, so the window begins small. More terms are expensive. */
    static const long windows[] = {SERIES_UNIT, 3 * SERIES_UNIT, 6 * SERIES_UNIT};
    struct series_limit limit = {.answer = SERIES_UNKNOWN};
    const unsigned last = side == SERIES_AT ? 1 : sizeof windows / sizeof *windows;
    for (unsigned i = 0; i < last && limit.answer == SERIES_UNKNOWN; i++)
        limit = limit_within(windows[i], dag, e, v, at, side, work);
    return limit;
}

bool series_equal(const expr *a, const expr *b, uint64_t *work)
{
    struct factors f = factors_new(a->memory, work, SERIES_UNIT);
    const expr *negative = factor_times(&f, expr_integer(f.dag, -1), expr_import(f.dag, b));
    const expr *difference = factor_plus(&f, expr_import(f.dag, a), negative);
    return !factors_failed(&f) && factor_sign(&f, difference) == 0;
}
