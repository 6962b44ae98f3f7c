/* Encloses values as factors times exponentials. Exponentials that have overflowed or died out cancel in this
 * form, as in exp(x)/(exp(x) + 2). */
#include "enclosure_nodes.h"

#include <math.h>

/* The difference of exponents from which on the smaller term of a sum is at most 2^-92 of the larger one. */
static const double APART = 64, NOTHING = 0x1p-92;

static const struct exponent no_exponent = {0};

/* -- exponents of nodes -- */

/* Finds e = slope x + rest for numbers. Returns false if e is no such sum, or is nested too deeply. */
static bool find_line(mpq_ptr slope, mpq_ptr rest, const expr *e, unsigned depth)
{
    enum { DEEPEST = 8 };
    mpq_t other_slope, other_rest;
    mpq_set_ui(slope, e->kind == EXPR_INPUT, 1);
    mpq_set_ui(rest, 0, 1);
    if (e->kind == EXPR_NUMBER) mpq_set(rest, e->number);
    if (e->kind == EXPR_NUMBER || e->kind == EXPR_INPUT) return true;
    const bool is_sum = e->kind == EXPR_ADD || e->kind == EXPR_SUB;
    if (!is_sum && e->kind != EXPR_MUL && e->kind != EXPR_DIV && e->kind != EXPR_NEG) return false;
    if (depth > DEEPEST || !find_line(slope, rest, e->operand[0], depth + 1)) return false;
    if (e->kind == EXPR_NEG) {
        mpq_neg(slope, slope);
        mpq_neg(rest, rest);
        return true;
    }
    mpq_inits(other_slope, other_rest, (mpq_ptr)0);
    bool known = find_line(other_slope, other_rest, e->operand[1], depth + 1);
    if (known && e->kind == EXPR_MUL && mpq_sgn(other_slope)) { /* the number is the second factor */
        mpq_swap(slope, other_slope);
        mpq_swap(rest, other_rest);
    }
    if (!is_sum) known = known && !mpq_sgn(other_slope) && mpq_sgn(other_rest);
    if (known && is_sum) {
        (e->kind == EXPR_ADD ? mpq_add : mpq_sub)(slope, slope, other_slope);
        (e->kind == EXPR_ADD ? mpq_add : mpq_sub)(rest, rest, other_rest);
    } else if (known) {
        (e->kind == EXPR_MUL ? mpq_mul : mpq_div)(slope, slope, other_rest);
        (e->kind == EXPR_MUL ? mpq_mul : mpq_div)(rest, rest, other_rest);
    }
    mpq_clears(other_slope, other_rest, (mpq_ptr)0);
    return known;
}

/* Sets the exponent of a function to a multiple of x. Returns false if the multiple is not a number of few
 * bits. */
static bool set_line(struct node *n)
{
    enum { MOST_BITS = 20 };
    mpq_t slope, rest;
    mpq_inits(slope, rest, (mpq_ptr)0);
    const bool known = find_line(slope, rest, n->e->operand[0], 0) && mpq_sgn(slope) &&
                       mpz_popcount(mpq_denref(slope)) == 1 &&
                       mpz_sizeinbase(mpq_denref(slope), 2) <= MOST_BITS &&
                       mpz_sizeinbase(mpq_numref(slope), 2) <= MOST_BITS;
    if (known) {
        n->exponent = (struct exponent){.slope = mpq_get_d(slope)};
        n->scale = enclosed_function(EXPR_exp, enclosed_number(rest));
    }
    mpq_clears(slope, rest, (mpq_ptr)0);
    return known && n->scale.low > 0 && isfinite(n->scale.high);
}

/* Returns the exponent of a function that decays or grows. Equal exponents are the same node of `dag`. */
static const expr *power_in(expr_dag *dag, const expr *e)
{
    const expr *u;
    switch (e->kind) {
    case EXPR_exp:
    case EXPR_expm1:
    case EXPR_sigmoid:
    case EXPR_softplus: return expr_simplify(dag, expr_import(dag, e->operand[0]), NULL);
    case EXPR_erfc:
        u = expr_import(dag, e->operand[0]);
        return expr_simplify(dag, expr_unary(dag, EXPR_NEG, expr_binary(dag, EXPR_MUL, u, u)), NULL);
    default: return NULL;
    }
}

static void set_exponent(expr_dag *dag, struct node *n)
{
    const expr *power = power_in(dag, n->e);
    n->scale = enclosed_between(1, 1);
    if (!power || (n->e->kind != EXPR_erfc && set_line(n))) return;
    n->scale = enclosed_between(1, 1);
    n->exponent =
        (struct exponent){power, expr_simplify(dag, expr_unary(dag, EXPR_NEG, power), NULL), .slope = 0};
}

/* Only operations with two operands compare exponents, so formulas without one need none. */
void enclosure_find_exponents(struct enclosure *e)
{
    enum { NODES = 1 << 14 };
    bool compares = false;
    for (uint32_t n = 0; n < e->count; n++) compares = compares || expr_arity(e->nodes[n].e->kind) > 1;
    if (!compares) return;
    expr_dag *dag = expr_dag_create(e->memory, NODES);
    for (uint32_t n = 0; n < e->count; n++)
        if (!expr_is_constant(e->nodes[n].e)) set_exponent(dag, &e->nodes[n]);
    for (uint32_t n = 0; expr_dag_full(dag) && n < e->count; n++) e->nodes[n].exponent = no_exponent;
}

/* -- values -- */

static struct scaled plainly(struct enclosed plain)
{
    return (struct scaled){no_exponent, {.defined = true}, plain};
}

/* Returns what is known if both are, or `found` alone. */
static struct enclosed narrowed(struct enclosed plain, struct enclosed found)
{
    return plain.defined && found.defined ? enclosed_common(plain, found) : found.defined ? found : plain;
}

/* Returns slope x over the interval. */
static struct enclosed multiple_of_input(const struct enclosure *e, double slope)
{
    return enclosed_product(enclosed_between(slope, slope), enclosed_between(e->low, e->high));
}

static struct scaled with_slope(const struct enclosure *e, double slope, struct enclosed factor)
{
    return (struct scaled){{.slope = slope}, multiple_of_input(e, slope), factor};
}

/* Returns the function's value, `factor` times exp of its argument `u`. */
static struct scaled times_exponential(const struct enclosure *e, const struct node *n, struct enclosed u,
                                       struct enclosed factor)
{
    if (n->exponent.power) return (struct scaled){n->exponent, u, factor};
    return with_slope(e, n->exponent.slope, enclosed_product(n->scale, factor));
}

/* Encloses exp(u^2) erfc(u) for u >= 1 by Abramowitz and Stegun 7.1.13. */
static struct enclosed scaled_erfc(struct enclosed u)
{
    const double scale = 0x1.20dd750429b6dp0; /* 2/sqrt(pi) */
    const double low = scale / (u.high + sqrt(u.high * u.high + 2));
    const double high = scale / (u.low + sqrt(u.low * u.low + 1.2732395447351628)); /* 4/pi, rounded up */
    return enclosed_above(enclosed_between(low * (1 - 0x1p-40), high * (1 + 0x1p-40)), 0);
}

static struct scaled scaled_function(const struct enclosure *e, const struct node *n, struct enclosed plain)
{
    const struct enclosed u = e->values[n->operand[0]], nearly_one = enclosed_between(1 - 0x1p-53, 1);
    if (exponent_is_zero(&n->exponent) || !u.defined) return plainly(plain);
    switch (n->e->kind) {
    case EXPR_exp: return times_exponential(e, n, u, enclosed_between(1, 1));
    case EXPR_expm1: /* e^u - 1 */
        if (u.low >= APART) return times_exponential(e, n, u, nearly_one);
        break;
    case EXPR_sigmoid:  /* e^u / (1 + e^u) */
    case EXPR_softplus: /* log(1 + t) / t for t = e^u <= 1 */
        if (u.high <= -APART) return times_exponential(e, n, u, nearly_one);
        if (u.high <= 0) return times_exponential(e, n, u, enclosed_between(0.5, 1));
        break;
    case EXPR_erfc:
        if (u.low >= 1)
            return (struct scaled){n->exponent, enclosed_negative_of(enclosed_product(u, u)), scaled_erfc(u)};
        break;
    default: break;
    }
    return plainly(plain);
}

static struct scaled scaled_inverse(struct scaled a)
{
    return (struct scaled){{a.exponent.opposite, a.exponent.power, -a.exponent.slope},
                           enclosed_negative_of(a.at),
                           enclosed_inverse(a.factor)};
}

/* Multiplies. Where the sum of the exponents is no known exponent, its value may still tell the product. */
static struct scaled scaled_product(const struct enclosure *e, struct scaled a, struct scaled b,
                                    struct enclosed plain)
{
    const struct enclosed factor = enclosed_product(a.factor, b.factor), at = enclosed_sum(a.at, b.at);
    const struct exponent *p = &a.exponent, *q = &b.exponent;
    if (exponent_is_zero(p) || exponent_is_zero(q))
        return (struct scaled){exponent_is_zero(p) ? *q : *p, at, factor};
    if (p->power && p->power == q->opposite) return plainly(factor);
    if (!p->power && !q->power) {
        const double slope = p->slope + q->slope;
        if (isnan(slope)) return (struct scaled){{.slope = slope}, at, factor};
        return slope == 0 ? plainly(factor) : with_slope(e, slope, factor);
    }
    if (!factor.defined || !at.defined || !(at.high < -APART)) return plainly(plain);
    return plainly(narrowed(plain, enclosed_product(factor, enclosed_function(EXPR_exp, at))));
}

/* Adds. Where one exponential is far larger, the sum is its multiple. */
static struct scaled scaled_sum(const struct enclosure *e, struct scaled a, struct scaled b,
                                struct enclosed plain)
{
    const bool alike = a.exponent.power == b.exponent.power && a.exponent.slope == b.exponent.slope;
    struct enclosed more = enclosed_sum(b.at, enclosed_negative_of(a.at));
    if (alike) return (struct scaled){a.exponent, a.at, enclosed_sum(a.factor, b.factor)};
    if (!a.exponent.power && !b.exponent.power) {
        const double slope = b.exponent.slope - a.exponent.slope;
        if (!isnan(slope)) more = multiple_of_input(e, slope);
    }
    if (!more.defined || (more.low < APART && more.high > -APART)) return plainly(plain);
    const struct scaled larger = more.low >= APART ? b : a, smaller = more.low >= APART ? a : b;
    const struct enclosed rest = enclosed_product(smaller.factor, enclosed_between(0, NOTHING));
    return (struct scaled){larger.exponent, larger.at, enclosed_sum(larger.factor, rest)};
}

static struct scaled scaled_power(struct scaled a, mpq_srcptr number)
{
    const double power = mpq_get_d(number), slope = a.exponent.slope * power;
    if (!mpq_cmp_si(number, -1, 1)) return scaled_inverse(a);
    const bool is_exact = mpz_popcount(mpq_denref(number)) == 1 && fabs(power) <= 64 && fabs(power) >= 0x1p-6;
    const bool is_known = !a.exponent.power && is_exact && fabs(slope) <= 0x1p26;
    return (struct scaled){{.slope = is_known ? slope : (double)NAN},
                           enclosed_product(a.at, enclosed_number(number)),
                           enclosed_power(a.factor, number)};
}

static struct scaled scaled_root(struct scaled a, struct enclosed plain)
{
    if (a.exponent.power) return plainly(plain);
    return (struct scaled){{.slope = a.exponent.slope / 2},
                           enclosed_product(a.at, enclosed_between(0.5, 0.5)),
                           enclosed_function(EXPR_sqrt, a.factor)};
}

struct scaled enclosure_scaled_value(const struct enclosure *e, const struct node *n, struct enclosed plain)
{
    const unsigned arity = expr_arity(n->e->kind);
    if (!arity || plain.undefined) return plainly(plain);
    struct scaled a = e->scaled[n->operand[0]], b = e->scaled[n->operand[arity > 1]];
    if (!a.factor.defined || !b.factor.defined) return plainly(plain);
    if (exponent_is_zero(&a.exponent) && (arity < 2 || exponent_is_zero(&b.exponent)))
        return arity == 1 ? scaled_function(e, n, plain) : plainly(plain);
    switch (n->e->kind) {
    case EXPR_NEG: return (struct scaled){a.exponent, a.at, enclosed_negative_of(a.factor)};
    case EXPR_ADD: return scaled_sum(e, a, b, plain);
    case EXPR_SUB: b.factor = enclosed_negative_of(b.factor); return scaled_sum(e, a, b, plain);
    case EXPR_MUL: return scaled_product(e, a, b, plain);
    case EXPR_DIV: return scaled_product(e, a, scaled_inverse(b), plain);
    case EXPR_POWER: return scaled_power(a, n->e->number);
    case EXPR_sqrt: return scaled_root(a, plain);
    case EXPR_log:
        if (!enclosed_positive(&a.factor)) break;
        return plainly(narrowed(plain, enclosed_sum(enclosed_function(EXPR_log, a.factor), a.at)));
    default: break;
    }
    return scaled_function(e, n, plain);
}

struct enclosed enclosed_narrowed(struct enclosed plain, const struct scaled *scaled)
{
    const struct enclosed *factor = &scaled->factor;
    if (!factor->defined) return plain;
    /* Exponents that have cancelled may give a narrower enclosure. */
    if (exponent_is_zero(&scaled->exponent)) return narrowed(plain, *factor);
    if ((!plain.defined || isinf(plain.low) || isinf(plain.high)) && scaled->at.defined)
        plain = narrowed(plain, enclosed_product(*factor, enclosed_function(EXPR_exp, scaled->at)));
    if (!plain.defined) return plain;
    return enclosed_signed(plain, enclosed_positive(factor), enclosed_negative(factor));
}
