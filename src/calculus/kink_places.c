/* Finds the places where a formula may bend. Each place solves an equation, which is undone step by step
 * from the outside to the inside. If the equation has other variables, it is solved only where it is linear
 * in the one that moves. A place where nothing bends does no harm, because the caller looks at both sides
 * of each. */
#include "kink_places.h"

#include "rational_roots.h"

#include <float.h>

enum { MOST_STEPS = 256 };

struct places {
    expr_dag *dag; /* the DAG of the places */
    struct kink_places *out;
};

struct solver {
    expr_dag *dag;
    const expr *v;
    struct places *out;
    unsigned steps; /* used by this equation */
    uint64_t *work;
};

/* Returns true if the number is a double. No operand has another value. */
static bool is_double(mpq_srcptr q)
{
    return mpz_popcount(mpq_denref(q)) == 1 && mpz_sizeinbase(mpq_numref(q), 2) <= DBL_MANT_DIG &&
           mpz_sizeinbase(mpq_denref(q), 2) < DBL_MAX_EXP;
}

static void add_kink_place(void *context, const expr *place)
{
    struct places *p = context;
    struct kink_places *out = p->out;
    place = expr_import(p->dag, place);
    if (out->count == KINK_MOST_PLACES) return;
    if (place->kind == EXPR_NUMBER && !is_double(place->number)) return;
    for (unsigned i = 0; i < out->count; i++)
        if (out->list[i] == place) return;
    out->list[out->count++] = place;
}

/* Subtracts the cost of a walk over the DAG from the work that is left. Returns false if none is left. */
static bool pay_for_walk(struct solver *s)
{
    const uint64_t cost = expr_dag_count(s->dag);
    *s->work = *s->work > cost ? *s->work - cost : 0;
    return *s->work && !expr_dag_full(s->dag);
}

static void solve(struct solver *s, const expr *e, const expr *value);

/* Solves base^exponent = value: continues with value^(1/exponent) where that is exact, and with both signs
 * if the exponent is even. */
static void solve_power(struct solver *s, const expr *e, const expr *value)
{
    mpz_srcptr a = mpq_numref(e->number), b = mpq_denref(e->number);
    if (mpz_cmpabs_ui(a, 64) > 0 || mpz_cmp_ui(b, 64) > 0) return;
    const unsigned long degree = mpz_get_ui(a); /* mpz_get_ui takes the magnitude */
    const bool is_even = degree % 2 == 0, is_inverse = mpz_sgn(a) < 0;
    mpq_t q;
    mpq_init(q);
    bool good =
        degree && (mpq_sgn(value->number) || !is_inverse) && (mpq_sgn(value->number) >= 0 || !is_even);
    if (good) {
        mpz_pow_ui(mpq_numref(q), mpq_numref(value->number), mpz_get_ui(b));
        mpz_pow_ui(mpq_denref(q), mpq_denref(value->number), mpz_get_ui(b));
        if (is_inverse) mpq_inv(q, q);
        good =
            mpz_root(mpq_numref(q), mpq_numref(q), degree) & mpz_root(mpq_denref(q), mpq_denref(q), degree);
    }
    const expr *root = good ? expr_number(s->dag, q) : NULL;
    mpq_clear(q);
    if (!root) return;
    solve(s, e->operand[0], root);
    if (is_even) solve(s, e->operand[0], expr_combined(s->dag, EXPR_MUL, root, expr_integer(s->dag, -1)));
}

/* Solves a sum with one term that is no number for that term. If there are several, continues with each
 * term and the value 0, to find where all of them are 0. */
static void solve_sum(struct solver *s, const expr *e, const expr *value)
{
    const expr *only = NULL, *rest = value;
    unsigned terms = 0;
    for (const expr *left = e; left; left = left->kind == EXPR_ADD ? left->operand[0] : NULL) {
        const expr *term = left->kind == EXPR_ADD ? left->operand[1] : left;
        if (term->kind == EXPR_NUMBER) {
            rest = expr_combined(s->dag, EXPR_SUB, rest, term);
            continue;
        }
        only = term;
        terms++;
    }
    if (terms == 1) {
        solve(s, only, rest);
        return;
    }
    for (const expr *left = e; left; left = left->kind == EXPR_ADD ? left->operand[0] : NULL)
        solve(s, left->kind == EXPR_ADD ? left->operand[1] : left, expr_integer(s->dag, 0));
}

static void solve_product(struct solver *s, const expr *e, const expr *value)
{
    const expr *a = e->operand[0], *b = e->operand[1];
    if (a->kind == EXPR_NUMBER && mpq_sgn(a->number)) {
        solve(s, b, expr_combined(s->dag, EXPR_DIV, value, a));
    } else if (expr_is_number(value, 0, 1)) {
        solve(s, a, value);
        solve(s, b, value);
    }
}

/* Solves floor(u) = n, which begins at u = n and ends at n + 1, or round(u) = n, which begins half a step
 * earlier. */
static void solve_steps(struct solver *s, const expr *e, const expr *value)
{
    mpq_t n;
    mpq_init(n);
    mpz_fdiv_q(mpq_numref(n), mpq_numref(value->number), mpq_denref(value->number));
    const expr *place = expr_number(s->dag, n);
    mpq_clear(n);
    if (e->kind == EXPR_round) place = expr_combined(s->dag, EXPR_SUB, place, expr_ratio(s->dag, 1, 2));
    for (unsigned i = 0; i < 3; i++, place = expr_combined(s->dag, EXPR_ADD, place, expr_integer(s->dag, 1)))
        solve(s, e->operand[0], place);
}

/* Solves exponent(u) = n, which begins at u = 2^n and ends at 2^(n + 1), for both signs of u. */
static void solve_exponent(struct solver *s, const expr *u, const expr *value)
{
    if (mpz_cmp_ui(mpq_denref(value->number), 1) || mpz_cmpabs_ui(mpq_numref(value->number), DBL_MAX_EXP) > 0)
        return;
    const long n = mpz_get_si(mpq_numref(value->number));
    for (long k = n; k <= n + 1; k++) {
        const expr *place = expr_power_ratio(s->dag, expr_integer(s->dag, 2), k, 1);
        place = expr_simplify(s->dag, place, NULL);
        solve(s, u, place);
        solve(s, u, expr_combined(s->dag, EXPR_MUL, place, expr_integer(s->dag, -1)));
    }
}

static void solve_function(struct solver *s, const expr *e, const expr *value)
{
    const expr *u = e->operand[0];
    long halves;
    if (expr_halves_at_zero(e->kind, &halves) && expr_ratio(s->dag, halves, 2) == value)
        solve(s, u, expr_integer(s->dag, 0));
    if (e->kind == EXPR_log && expr_is_number(value, 0, 1)) solve(s, u, expr_integer(s->dag, 1));
    if (e->kind == EXPR_floor || e->kind == EXPR_round) solve_steps(s, e, value);
    if (e->kind == EXPR_exponent) solve_exponent(s, u, value);
    if (e->kind != EXPR_abs) return;
    solve(s, u, value);
    solve(s, u, expr_combined(s->dag, EXPR_MUL, value, expr_integer(s->dag, -1)));
}

/* Finds the places where the simplified formula `e` has the number `value`. */
static void solve(struct solver *s, const expr *e, const expr *value)
{
    if (e->inputs != s->v->inputs || ++s->steps > MOST_STEPS || !pay_for_walk(s)) return;
    if (polynomial_roots(s->dag, e, s->v, value, add_kink_place, s->out)) return;
    switch (e->kind) {
    case EXPR_ADD: solve_sum(s, e, value); break;
    case EXPR_MUL: solve_product(s, e, value); break;
    case EXPR_POWER: solve_power(s, e, value); break;
    case EXPR_MIN:
    case EXPR_MAX:
        solve(s, e->operand[0], value);
        solve(s, e->operand[1], value);
        break;
    case EXPR_IF:
        solve(s, e->operand[1], value);
        solve(s, e->operand[2], value);
        break;
    default:
        if (e->kind >= EXPR_FIRST_FUNCTION) solve_function(s, e, value);
    }
}

/* Returns the formula that is 0 where the node may bend, jump or have no value. Returns NULL if it never
 * does. */
static const expr *what_vanishes(expr_dag *dag, const expr *e)
{
    switch (e->kind) {
    case EXPR_LT:
    case EXPR_LE:
    case EXPR_EQ:
    case EXPR_MIN:
    case EXPR_MAX: return expr_binary(dag, EXPR_SUB, e->operand[0], e->operand[1]);
    case EXPR_DIV: return e->operand[1];
    case EXPR_POWER:
        return mpq_sgn(e->number) < 0 || mpz_cmp_ui(mpq_denref(e->number), 1) ? e->operand[0] : NULL;
    default: break;
    }
    const struct expr_function *f = &expr_functions[e->kind];
    if (f->domain.is_two_sided)
        return expr_binary(dag, EXPR_ADD, expr_unary(dag, EXPR_abs, e->operand[0]),
                           expr_integer(dag, f->domain.from));
    if (f->domain.from) return expr_binary(dag, EXPR_ADD, e->operand[0], expr_integer(dag, -f->domain.from));
    return f->nature == NATURE_KINK || f->domain.has_end ? e->operand[0] : NULL;
}

/* Adds the place where u is 0, if u is linear in v with a number as slope. */
static void solve_line(struct solver *s, const expr *u)
{
    const expr *slope = expr_simplify(s->dag, expr_derivative(s->dag, u, s->v), NULL);
    if (slope->kind != EXPR_NUMBER || expr_is_number(slope, 0, 1) || !pay_for_walk(s)) return;
    const expr *at_zero = expr_substitute(s->dag, u, s->v, expr_integer(s->dag, 0));
    const expr *minus_slope = expr_combined(s->dag, EXPR_MUL, slope, expr_integer(s->dag, -1));
    const expr *place = expr_simplify(s->dag, expr_binary(s->dag, EXPR_DIV, at_zero, minus_slope), NULL);
    if (pay_for_walk(s)) add_kink_place(s->out, place);
}

/* Solves the equation u = 0 in a DAG of its own, because each step walks over the whole DAG. */
static void solve_alone(struct places *out, const expr *u, const expr *v, uint64_t *work)
{
    enum { MOST_NODES = 1 << 12 };
    struct solver s = {.dag = expr_dag_create(u->memory, MOST_NODES), .out = out, .work = work};
    s.v = expr_input(s.dag, v->input);
    *work -= *work < u->id ? *work : u->id;
    const expr *simplified = expr_simplify(s.dag, u, NULL);
    if (!pay_for_walk(&s)) return;
    if (u->inputs == v->inputs)
        solve(&s, simplified, expr_integer(s.dag, 0));
    else
        solve_line(&s, simplified);
}

void kink_places(struct kink_places *out, expr_dag *dag, const expr *e, const expr *v, uint64_t *work)
{
    uint32_t count;
    const expr **nodes = expr_walk(expr_dag_memory(dag), expr_expand(dag, e), &count);
    struct places places = {dag, out};
    out->count = 0;
    for (uint32_t i = 0; i < count && !expr_dag_full(dag); i++) {
        const expr *u = what_vanishes(dag, nodes[i]);
        if (u && expr_depends(u, v->input)) solve_alone(&places, u, v, work);
    }
}
