/* The canonical form, in which nothing cancels that need not.
 *
 * Subtraction, division, negation and sqrt become sums, products and powers; sums and products are
 * flattened, like terms and like factors merged, and sorted by structure, so that formulas that mean the
 * same in an obvious way become the same node. The rules that remove cancellation are the rows of
 * sum_rules and the functions of simplify_function below. All are identities of real analysis; where they
 * hold only on the functions' real domain, that domain is the formula's own. */
#include "simplify_parts.h"

/* c0 + c1 f(u), where c0 = ratio * c1, is factor * c1 * g(scale * u). */
struct sum_rule {
    const char *name;
    enum expr_kind function;
    long ratio, factor;
    enum expr_kind result;
    long scale;
};
static const struct sum_rule sum_rules[] = {
    {"1 + tanh", EXPR_tanh, 1, 2, EXPR_sigmoid, 2},
    {"1 - tanh", EXPR_tanh, -1, -2, EXPR_sigmoid, -2},
    {"1 + erf", EXPR_erf, 1, 1, EXPR_erfc, -1},
    {"1 - erf", EXPR_erf, -1, -1, EXPR_erfc, 1},
    {"1 - erfc", EXPR_erfc, -1, -1, EXPR_erf, 1},
    {"2 - erfc", EXPR_erfc, -2, -1, EXPR_erfc, -1},
    {"1 - sigmoid", EXPR_sigmoid, -1, -1, EXPR_sigmoid, -1},
    {"exp - 1", EXPR_exp, -1, 1, EXPR_expm1, 1},
    {"1 + expm1", EXPR_expm1, 1, 1, EXPR_exp, 1},
};

/* Applies the first rule that fits the constant and one term of the sum; true if one did. */
static bool apply_sum_rule(struct simplifier *s, struct terms *sum)
{
    const expr *c0 = sum->constant;
    if (expr_is_number(c0, 0, 1)) return false;
    for (size_t r = 0; r < sizeof sum_rules / sizeof *sum_rules; r++) {
        const struct sum_rule *rule = &sum_rules[r];
        for (uint32_t i = 0; i < sum->count; i++) {
            struct term *t = &sum->list[i];
            if (t->base->kind != rule->function || number_scale(s, t->number, rule->ratio) != c0) continue;
            long scale = simplify_is_broken(s, rule->name) ? 2 * rule->scale : rule->scale;
            const expr *u = simplify_scale(s, t->base->operand[0], scale);
            t->base = simplify_function(s, rule->result, u);
            t->number = number_scale(s, t->number, rule->factor);
            sum->constant = expr_integer(s->dag, 0);
            return true;
        }
    }
    return false;
}

const expr *simplify_sum(struct simplifier *s, struct terms *sum)
{
    terms_merge(s, sum, true);
    while (apply_sum_rule(s, sum)) {
        struct terms again = terms_new(s, expr_integer(s->dag, 0));
        again.constant = sum->constant;
        for (uint32_t i = 0; i < sum->count; i++)
            collect_sum(s, &again, sum->list[i].base, sum->list[i].number);
        *sum = again;
        terms_merge(s, sum, true);
    }
    return build_sum(s, sum);
}

/* exp(u) * sigmoid(-u)^k is sigmoid(u) * sigmoid(-u)^(k-1); expm1(u) * sigmoid(-u) is tanh(u/2). */
static bool apply_product_rule(struct simplifier *s, struct terms *product)
{
    const expr *one = expr_integer(s->dag, 1);
    for (uint32_t i = 0; i < product->count; i++) {
        struct term *e = &product->list[i];
        if ((e->base->kind != EXPR_exp && e->base->kind != EXPR_expm1) || e->number != one) continue;
        const expr *u = e->base->operand[0], *opposite = simplify_scale(s, u, -1);
        for (uint32_t k = 0; k < product->count; k++) {
            struct term *t = &product->list[k];
            if (t->base->kind != EXPR_sigmoid || t->base->operand[0] != opposite ||
                mpq_cmp_si(t->number->number, 1, 1) < 0)
                continue;
            t->number = number_add(s, t->number, expr_integer(s->dag, -1));
            e->base =
                e->base->kind == EXPR_exp
                    ? expr_unary(s->dag, EXPR_sigmoid, u)
                    : simplify_function(s, EXPR_tanh, simplify_multiply(s, expr_ratio(s->dag, 1, 2), u));
            return true;
        }
    }
    return false;
}

const expr *simplify_product(struct simplifier *s, struct terms *product)
{
    terms_merge(s, product, false);
    merge_exponentials(s, product);
    while (apply_product_rule(s, product)) { /* whose result may be a product, as tanh(-u) is */
        struct terms again = terms_new(s, product->constant);
        for (uint32_t i = 0; i < product->count; i++)
            collect_product(s, &again, product->list[i].base, product->list[i].number);
        *product = again;
        terms_merge(s, product, false);
    }
    return build_product(s, product);
}

bool simplify_logistic(struct simplifier *s, const expr *e, const expr **base, const expr **factor)
{
    struct terms sum = terms_new(s, expr_integer(s->dag, 0));
    collect_sum(s, &sum, e, expr_integer(s->dag, 1));
    terms_merge(s, &sum, true);
    if (sum.count != 1 || sum.list[0].base->kind != EXPR_exp || sum.list[0].number != sum.constant)
        return false;
    *base = expr_unary(s->dag, EXPR_sigmoid, simplify_scale(s, sum.list[0].base->operand[0], -1));
    *factor = number_power(s, sum.constant, -1);
    return mpq_sgn((*factor)->number) > 0;
}

/* base^exponent, both simplified, exponent a number. */
const expr *simplify_power(struct simplifier *s, const expr *base, const expr *exponent)
{
    struct terms product = terms_new(s, expr_integer(s->dag, 1));
    collect_product(s, &product, base, exponent);
    return simplify_product(s, &product);
}

/* log(1 + rest): softplus(u) if rest is exp(u), else log1p(rest); log of a logistic or an exponential
 * likewise. */
static const expr *simplify_log(struct simplifier *s, const expr *u)
{
    if (u->kind == EXPR_exp) return u->operand[0];
    if (u->kind == EXPR_sigmoid)
        return simplify_scale(s, simplify_function(s, EXPR_softplus, simplify_scale(s, u->operand[0], -1)),
                              -1);
    struct terms sum = terms_new(s, expr_integer(s->dag, 0));
    collect_sum(s, &sum, u, expr_integer(s->dag, 1));
    terms_merge(s, &sum, true);
    if (!expr_is_number(sum.constant, 1, 1) || !sum.count) return expr_unary(s->dag, EXPR_log, u);
    sum.constant = expr_integer(s->dag, 0);
    return simplify_function(s, EXPR_log1p, build_sum(s, &sum));
}

/* normcdf(u) = erfc(-u / sqrt 2) / 2 */
static const expr *simplify_normcdf(struct simplifier *s, const expr *u)
{
    const expr *root = expr_power_ratio(s->dag, expr_integer(s->dag, 2), -1, 2);
    const expr *argument = simplify_scale(s, simplify_multiply(s, root, u), -1);
    return simplify_multiply(s, expr_ratio(s->dag, 1, 2), simplify_function(s, EXPR_erfc, argument));
}

const expr *simplify_function(struct simplifier *s, enum expr_kind kind, const expr *u)
{
    switch (kind) {
    case EXPR_tanh:
    case EXPR_erf:
    case EXPR_sin:
    case EXPR_sign:
        if (leads_negative(u))
            return simplify_scale(s, simplify_function(s, kind, simplify_scale(s, u, -1)), -1);
        break;
    case EXPR_cos:
    case EXPR_abs:
        if (leads_negative(u)) return simplify_function(s, kind, simplify_scale(s, u, -1));
        break;
    case EXPR_exp:
        if (expr_is_number(u, 0, 1)) return expr_integer(s->dag, 1);
        break;
    case EXPR_sqrt: return simplify_power(s, u, expr_ratio(s->dag, 1, 2));
    case EXPR_log: return simplify_log(s, u);
    case EXPR_log1p:
        if (u->kind == EXPR_exp) return expr_unary(s->dag, EXPR_softplus, u->operand[0]);
        break;
    case EXPR_normcdf: return simplify_normcdf(s, u);
    default: break;
    }
    return expr_unary(s->dag, kind, u);
}

static const expr *simplify_node(struct simplifier *s, const expr *e, const expr *const *operand)
{
    const expr *one = expr_integer(s->dag, 1), *minus_one = expr_integer(s->dag, -1);
    struct terms sum = terms_new(s, expr_integer(s->dag, 0)), product = terms_new(s, one);
    switch (e->kind) {
    case EXPR_ADD:
    case EXPR_SUB:
        collect_sum(s, &sum, operand[0], one);
        collect_sum(s, &sum, operand[1], e->kind == EXPR_ADD ? one : minus_one);
        return simplify_sum(s, &sum);
    case EXPR_NEG: return simplify_scale(s, operand[0], -1);
    case EXPR_MUL:
        collect_product(s, &product, operand[0], one);
        collect_product(s, &product, operand[1], one);
        return simplify_product(s, &product);
    case EXPR_DIV:
        collect_product(s, &product, operand[0], one);
        collect_product(s, &product, simplify_power(s, operand[1], minus_one), one);
        return simplify_product(s, &product);
    case EXPR_POWER: return simplify_power(s, operand[0], expr_number(s->dag, e->number));
    case EXPR_IF: return operand[1] == operand[2] ? operand[1] : expr_rebuild(s->dag, e, operand);
    default:
        return e->kind >= EXPR_FIRST_FUNCTION ? simplify_function(s, e->kind, operand[0])
                                              : expr_rebuild(s->dag, e, operand);
    }
}

const expr *expr_simplify(expr_dag *dag, const expr *e, const char *broken_rule)
{
    struct simplifier s = {.dag = dag, .memory = expr_dag_memory(dag), .broken_rule = broken_rule};
    uint32_t count;
    const expr **nodes = expr_walk(s.memory, e, &count);
    const expr **images = arena_alloc(s.memory, ((size_t)e->id + 1) * sizeof *images);
    for (uint32_t i = 0; i < count; i++) {
        const expr *operand[3] = {0};
        for (unsigned k = 0; k < expr_arity(nodes[i]->kind); k++)
            operand[k] = images[nodes[i]->operand[k]->id];
        images[nodes[i]->id] = simplify_node(&s, nodes[i], operand);
    }
    return images[e->id];
}
