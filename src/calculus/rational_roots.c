/* Reads polynomials of one variable with rational coefficients from formulas, and solves them. */
#include "rational_roots.h"

enum { MOST_DEGREE = 12, MOST_DIVISOR = 4096, MOST_HALVINGS = 24 };

struct polynomial {
    bool is_one; /* false if the formula is no such polynomial */
    unsigned degree;
    const expr *c[MOST_DEGREE + 1]; /* numbers */
};

static struct polynomial of_degree(expr_dag *dag, unsigned degree)
{
    struct polynomial p = {.is_one = degree <= MOST_DEGREE, .degree = degree};
    for (unsigned i = 0; i <= MOST_DEGREE; i++) p.c[i] = expr_integer(dag, 0);
    return p;
}

static struct polynomial polynomial_sum(expr_dag *dag, const struct polynomial *a, const struct polynomial *b)
{
    struct polynomial p = of_degree(dag, a->degree > b->degree ? a->degree : b->degree);
    for (unsigned i = 0; i <= p.degree; i++) p.c[i] = expr_combined(dag, EXPR_ADD, a->c[i], b->c[i]);
    return p;
}

static struct polynomial product(expr_dag *dag, const struct polynomial *a, const struct polynomial *b)
{
    struct polynomial p = of_degree(dag, a->degree + b->degree);
    for (unsigned i = 0; i <= a->degree && p.is_one; i++)
        for (unsigned k = 0; k <= b->degree; k++)
            p.c[i + k] =
                expr_combined(dag, EXPR_ADD, p.c[i + k], expr_combined(dag, EXPR_MUL, a->c[i], b->c[k]));
    return p;
}

static struct polynomial of_node(expr_dag *dag, const expr *e, const expr *v, const struct polynomial *a,
                                 const struct polynomial *b)
{
    struct polynomial p = of_degree(dag, e == v);
    if (e == v || e->kind == EXPR_NUMBER) {
        p.c[p.degree] = e == v ? expr_integer(dag, 1) : e;
        return p;
    }
    const bool is_sum = e->kind == EXPR_ADD, is_product = e->kind == EXPR_MUL;
    const bool is_power = e->kind == EXPR_POWER && !mpz_cmp_ui(mpq_denref(e->number), 1) &&
                          mpq_sgn(e->number) > 0 && mpz_cmp_ui(mpq_numref(e->number), MOST_DEGREE) <= 0;
    if (is_sum && a->is_one && b->is_one) return polynomial_sum(dag, a, b);
    if (is_product && a->is_one && b->is_one) return product(dag, a, b);
    if (!is_power || !a->is_one) return (struct polynomial){0};
    p = *a;
    for (unsigned long n = mpz_get_ui(mpq_numref(e->number)); n > 1 && p.is_one; n--) p = product(dag, &p, a);
    return p;
}

/* -- roots -- */

struct roots {
    expr_dag *dag;
    void (*visit)(void *context, const expr *root);
    void *context;
};

/* Visits the roots (-b +- sqrt(b^2 - 4*a*c))/(2*a), if they are rational. */
static void solve_quadratic(const struct roots *r, const struct polynomial *p)
{
    mpq_t d, t;
    mpq_inits(d, t, NULL);
    mpq_mul(d, p->c[1]->number, p->c[1]->number);
    mpq_mul(t, p->c[0]->number, p->c[2]->number);
    mpq_mul_2exp(t, t, 2);
    mpq_sub(d, d, t);
    const bool is_square = mpz_perfect_square_p(mpq_numref(d)) && mpz_perfect_square_p(mpq_denref(d));
    const expr *root[2] = {0};
    for (int side = 0; side < 2 && is_square; side++) {
        if (!side) mpz_sqrt(mpq_numref(d), mpq_numref(d)), mpz_sqrt(mpq_denref(d), mpq_denref(d));
        if (side) mpq_neg(d, d);
        mpq_sub(t, d, p->c[1]->number);
        mpq_div(t, t, p->c[2]->number);
        mpq_div_2exp(t, t, 1);
        root[side] = expr_number(r->dag, t);
    }
    mpq_clears(d, t, NULL);
    for (int side = 0; side < 2 && is_square; side++) r->visit(r->context, root[side]);
}

static bool vanishes_at(const struct polynomial *p, mpq_srcptr x)
{
    mpq_t value;
    mpq_init(value);
    for (unsigned i = p->degree + 1; i-- > 0;) {
        mpq_mul(value, value, x);
        mpq_add(value, value, p->c[i]->number);
    }
    const bool is_zero = !mpq_sgn(value);
    mpq_clear(value);
    return is_zero;
}

/* Tries p/q where p divides the constant term and q is a power of two. If all coefficients are integers, p
 * divides the constant term for every rational root (rational root theorem). Operands are doubles, which
 * have no other q. */
static void try_divisors(const struct roots *r, const struct polynomial *p, mpz_srcptr last)
{
    mpq_t x;
    mpq_init(x);
    for (unsigned long d = 1; d <= MOST_DIVISOR && mpz_cmpabs_ui(last, d) >= 0; d++) {
        if (!mpz_divisible_ui_p(last, d)) continue;
        for (unsigned halvings = 0; halvings <= MOST_HALVINGS; halvings++) {
            mpq_set_ui(x, d, 1);
            mpq_div_2exp(x, x, halvings);
            for (int side = 0; side < 2; side++, mpq_neg(x, x))
                if (vanishes_at(p, x)) r->visit(r->context, expr_number(r->dag, x));
        }
    }
    mpq_clear(x);
}

static void solve_higher(const struct roots *r, const struct polynomial *p)
{
    mpz_t common;
    mpz_init_set_ui(common, 1);
    for (unsigned i = 0; i <= p->degree; i++) mpz_lcm(common, common, mpq_denref(p->c[i]->number));
    mpz_divexact(common, common, mpq_denref(p->c[0]->number));
    mpz_mul(common, common, mpq_numref(p->c[0]->number));
    try_divisors(r, p, common);
    mpz_clear(common);
}

static void solve_polynomial(const struct roots *r, struct polynomial *p)
{
    const expr *zero = expr_integer(r->dag, 0);
    while (p->degree && p->c[p->degree] == zero) p->degree--;
    if (p->degree && p->c[0] == zero) r->visit(r->context, zero);
    while (p->degree && p->c[0] == zero) {
        for (unsigned i = 0; i < p->degree; i++) p->c[i] = p->c[i + 1];
        p->c[p->degree--] = zero;
    }
    if (p->degree == 1)
        r->visit(r->context,
                 expr_combined(r->dag, EXPR_DIV, expr_combined(r->dag, EXPR_SUB, zero, p->c[0]), p->c[1]));
    if (p->degree == 2) solve_quadratic(r, p);
    if (p->degree > 2) solve_higher(r, p);
}

bool polynomial_roots(expr_dag *dag, const expr *e, const expr *v, const expr *value,
                      void (*visit)(void *context, const expr *root), void *context)
{
    arena *memory = expr_dag_memory(dag);
    uint32_t count;
    const expr **nodes = expr_walk(memory, e, &count);
    const uint32_t(*places)[3] = (const uint32_t(*)[3])expr_operand_places(memory, nodes, count);
    struct polynomial *p = arena_alloc(memory, count * sizeof *p);
    for (uint32_t i = 0; i < count; i++) p[i] = of_node(dag, nodes[i], v, &p[places[i][0]], &p[places[i][1]]);
    struct polynomial *all = &p[count - 1];
    if (!all->is_one || expr_dag_full(dag)) return false;
    all->c[0] = expr_combined(dag, EXPR_SUB, all->c[0], value);
    solve_polynomial(&(struct roots){dag, visit, context}, all);
    return true;
}
