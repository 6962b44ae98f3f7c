/* Finds how fast a formula decays on a side.
 *
 * One walk over the simplified formula gives each node's exponent far out on a side. The exponent of exp(u)
 * is u. sigmoid(u) and softplus(u) have u where u falls, normcdf(u) has -u^2/2, erfc(u) has -u^2: their tails
 * in functions.def. Exponents of a product add. A sum takes the slower exponent. Functions that begin like
 * the identity pass their operand's exponent on. */
#include "enclosure.h"
#include "factor.h"

/* -- polynomials -- */

static unsigned degree_of(const quad *c)
{
    unsigned degree = FACTOR_MAX_DEGREE;
    while (degree > 0 && c[degree] == 0) degree--;
    return degree;
}

static struct factor_polynomial constant(quad c) { return (struct factor_polynomial){0, {c}}; }

static struct factor_polynomial factor_sum(struct factor_polynomial a, struct factor_polynomial b)
{
    for (unsigned k = 0; k <= FACTOR_MAX_DEGREE; k++) a.coefficient[k] += b.coefficient[k];
    a.degree = degree_of(a.coefficient);
    return a;
}

static struct factor_polynomial scaled_polynomial(struct factor_polynomial a, quad factor)
{
    for (unsigned k = 0; k <= FACTOR_MAX_DEGREE; k++) a.coefficient[k] *= factor;
    a.degree = degree_of(a.coefficient);
    return a;
}

/* Multiplies. Returns false if the degree is too high. */
static bool multiply(struct factor_polynomial *out, struct factor_polynomial a, struct factor_polynomial b)
{
    if (a.degree + b.degree > FACTOR_MAX_DEGREE) return false;
    struct factor_polynomial product = constant(0);
    for (unsigned i = 0; i <= a.degree; i++)
        for (unsigned j = 0; j <= b.degree; j++)
            product.coefficient[i + j] += a.coefficient[i] * b.coefficient[j];
    product.degree = degree_of(product.coefficient);
    *out = product;
    return true;
}

/* Returns the sign of p for t to plus infinity, or 0 for a constant. */
static int trend(const struct factor_polynomial *p)
{
    const quad leading = p->coefficient[p->degree];
    return p->degree == 0 ? 0 : leading > 0 ? 1 : leading < 0 ? -1 : 0;
}

static struct factor_polynomial slower(struct factor_polynomial a, struct factor_polynomial b)
{
    struct factor_polynomial difference = factor_sum(a, scaled_polynomial(b, -1));
    return trend(&difference) < 0 ? b : a;
}

/* -- one walk over the formula, for one side -- */

struct growth {
    bool is_polynomial;             /* a polynomial in t, except for terms that vanish far out */
    struct factor_polynomial value; /* the polynomial, if it is one */
    bool known;                     /* the exponent is known */
    struct factor_polynomial exponent;
};

struct walk {
    struct growth *of; /* indexed by node id */
    bool negative;
};

static bool constant_value(quad *out, const expr *e)
{
    reference *r = reference_create(e, e, 1);
    const bool known = r && formula_value(out, r, 0);
    reference_free(r);
    return known;
}

static struct growth exponential(struct factor_polynomial q)
{
    return (struct growth){.known = true, .exponent = q};
}
static const struct growth unknown = {0};

static struct growth polynomial(struct factor_polynomial p)
{
    return (struct growth){true, p, true, constant(0)};
}

static struct growth of_power(const expr *e, const struct growth *a)
{
    const double exponent = mpq_get_d(e->number);
    struct growth g = a->known ? exponential(scaled_polynomial(a->exponent, (quad)exponent)) : unknown;
    if (!a->is_polynomial || mpz_cmp_ui(mpq_denref(e->number), 1) || exponent < 0 ||
        exponent > (double)FACTOR_MAX_DEGREE)
        return g;
    struct factor_polynomial p = constant(1);
    for (int i = 0; i < (int)exponent; i++)
        if (!multiply(&p, p, a->value)) return g;
    return polynomial(p);
}

static struct growth of_product(const struct growth *a, const struct growth *b)
{
    struct factor_polynomial p;
    if (a->is_polynomial && b->is_polynomial && multiply(&p, a->value, b->value)) return polynomial(p);
    return a->known && b->known ? exponential(factor_sum(a->exponent, b->exponent)) : unknown;
}

static struct growth of_sum(const struct growth *a, const struct growth *b)
{
    if (a->is_polynomial && b->is_polynomial) return polynomial(factor_sum(a->value, b->value));
    return a->known && b->known ? exponential(slower(a->exponent, b->exponent)) : unknown;
}

/* Handles a function of u with a tail. If u is no polynomial but does not grow exponentially, a function with
 * a tail on one side has no exponential size. */
static struct growth tail_of(const struct growth *u, const struct function_tail *tail)
{
    const int side = tail->side;
    if (!u->is_polynomial)
        return side && u->known && trend(&u->exponent) <= 0 ? exponential(constant(0)) : unknown;
    if (side && trend(&u->value) != side) return exponential(constant(0));
    struct factor_polynomial p = u->value;
    for (int n = 1; n < tail->power; n++)
        if (!multiply(&p, p, u->value)) return unknown;
    return exponential(scaled_polynomial(p, (quad)tail->factor));
}

/* Handles softplus(u), which is u where u grows, except for terms that vanish. */
static struct growth of_softplus(const struct growth *u)
{
    return u->is_polynomial && trend(&u->value) > 0 ? polynomial(u->value)
                                                    : tail_of(u, &expr_functions[EXPR_softplus].tail);
}

static struct growth of_abs(const struct growth *u)
{
    return u->is_polynomial ? polynomial(scaled_polynomial(u->value, trend(&u->value) < 0 ? -1 : 1)) : *u;
}

/* Handles functions that begin like the identity. Where the operand decays, the function decays like it. */
static struct growth like_identity(const struct growth *u)
{
    const bool bounded = u->known && trend(&u->exponent) <= 0;
    return bounded ? exponential(u->exponent) : unknown;
}

/* Handles other functions, by their rows. One that begins like its argument and does not turn is of the size
 * of an argument that decays. */
static struct growth of_function(const struct expr_function *f, const struct growth *u)
{
    if (f->tail.power) return tail_of(u, &f->tail);
    return f->at_zero == AT_ZERO_LIKE_U && f->monotony != MONOTONY_TURNS ? like_identity(u) : unknown;
}

/* Returns the branch that is taken far out, or NULL if it is not known. */
static const expr *branch(const expr *e, bool negative)
{
    struct enclosure *condition = enclosure_create(e->operand[0]);
    const float far[] = {negative ? -0x1p20f : 0x1p20f, negative ? -0x1p30f : 0x1p30f};
    struct enclosed truth = {0};
    if (condition) truth = enclosure_of(condition, far, 2);
    enclosure_free(condition);
    return !truth.defined ? NULL : truth.low == 1 ? e->operand[1] : truth.high == 0 ? e->operand[2] : NULL;
}

static struct growth growth_of(const struct walk *w, const expr *e)
{
    const struct growth *a = e->operand[0] ? &w->of[e->operand[0]->id] : NULL;
    const struct growth *b = e->operand[1] ? &w->of[e->operand[1]->id] : NULL;
    quad value;
    if (expr_is_truth(e)) return unknown;
    if (expr_is_constant(e)) return constant_value(&value, e) ? polynomial(constant(value)) : unknown;
    switch (e->kind) {
    case EXPR_INPUT: return polynomial((struct factor_polynomial){1, {0, w->negative ? -1 : 1}});
    case EXPR_ADD:
    case EXPR_MIN:
    case EXPR_MAX: return of_sum(a, b);
    case EXPR_MUL: return of_product(a, b);
    case EXPR_POWER: return of_power(e, a);
    case EXPR_softplus: return of_softplus(a);
    case EXPR_abs: return of_abs(a);
    case EXPR_sqrt: return a->known ? exponential(scaled_polynomial(a->exponent, (quad)0.5)) : unknown;
    case EXPR_IF: {
        const expr *taken = branch(e, w->negative);
        return taken ? w->of[taken->id] : unknown;
    }
    default: return of_function(&expr_functions[e->kind], a);
    }
}

bool factor_exponent(struct factor_polynomial *q, arena *memory, const expr *formula, bool negative)
{
    uint32_t count;
    const expr **nodes = expr_walk(memory, formula, &count);
    const struct walk w = {arena_alloc(memory, (formula->id + 1) * sizeof *w.of), negative};
    for (uint32_t i = 0; i < count; i++) w.of[nodes[i]->id] = growth_of(&w, nodes[i]);
    const struct growth *g = &w.of[formula->id];
    *q = g->exponent;
    q->coefficient[0] = 0;
    return g->known && trend(&g->exponent) < 0;
}
