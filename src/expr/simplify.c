/* Makes the canonical form, which has no avoidable cancellation.
 *
 * Subtraction, division, negation and sqrt become sums, products and powers. Sums and products are
 * flattened, like terms and like factors are merged, and all are sorted by structure. Formulas that mean
 * the same in an obvious way so become the same node. The rules that remove cancellation are the rows of
 * sum_rules and the functions of simplify_function below. All are identities of real analysis. Some hold
 * only on the real domain of the functions, which is the domain of the formula as well. */
#include "simplify_parts.h"

/* A rule for c0 + c1*f(u) with c0 = ratio/2 * c1. The sum is factor/2 * c1 * g(scale/2 * u +
 * shift*pi/4)^power, where g is the result. */
struct sum_rule {
    const char *name;
    enum expr_kind function;
    long ratio, factor;
    enum expr_kind result;
    long scale, shift, power;
};
static const struct sum_rule sum_rules[] = {
    {"1 + tanh", EXPR_tanh, 2, 4, EXPR_sigmoid, 4, 0, 1},
    {"1 - tanh", EXPR_tanh, -2, -4, EXPR_sigmoid, -4, 0, 1},
    {"1 + erf", EXPR_erf, 2, 2, EXPR_erfc, -2, 0, 1},
    {"1 - erf", EXPR_erf, -2, -2, EXPR_erfc, 2, 0, 1},
    {"1 - erfc", EXPR_erfc, -2, -2, EXPR_erf, 2, 0, 1},
    {"2 - erfc", EXPR_erfc, -4, -2, EXPR_erfc, -2, 0, 1},
    {"1 - sigmoid", EXPR_sigmoid, -2, -2, EXPR_sigmoid, -2, 0, 1},
    {"1/2 - sigmoid", EXPR_sigmoid, -1, 1, EXPR_tanh, 1, 0, 1},
    {"exp - 1", EXPR_exp, -2, 2, EXPR_expm1, 2, 0, 1},
    {"1 + expm1", EXPR_expm1, 2, 2, EXPR_exp, 2, 0, 1},
    {"1 + cos", EXPR_cos, 2, 4, EXPR_cos, 1, 0, 2},
    {"1 - cos", EXPR_cos, -2, -4, EXPR_sin, 1, 0, 2},
    {"1 + sin", EXPR_sin, 2, 4, EXPR_sin, 1, 1, 2},
    {"1 - sin", EXPR_sin, -2, -4, EXPR_sin, -1, 1, 2},
};

static const expr *halves(struct simplifier *s, const expr *e, long count)
{
    return simplify_multiply(s, expr_ratio(s->dag, count, 2), e);
}

/* Makes scale/2 * u + shift*pi/4. */
static const expr *rule_argument(struct simplifier *s, const struct sum_rule *rule, const expr *u)
{
    const expr *scaled = halves(s, u, simplify_is_broken(s, rule->name) ? 2 * rule->scale : rule->scale);
    struct terms sum = terms_new(s, expr_integer(s->dag, 0));
    if (!rule->shift) return scaled;
    collect_sum(s, &sum, scaled, expr_integer(s->dag, 1));
    collect_sum(s, &sum, expr_pi(s->dag), expr_ratio(s->dag, rule->shift, 4));
    return simplify_sum(s, &sum);
}

/* Applies the first rule that fits the constant and one term of the sum. Returns true if one did. */
static bool apply_sum_rule(struct simplifier *s, struct terms *sum)
{
    const expr *c0 = sum->constant;
    if (expr_is_number(c0, 0, 1)) return false;
    for (size_t r = 0; r < sizeof sum_rules / sizeof *sum_rules; r++) {
        const struct sum_rule *rule = &sum_rules[r];
        for (uint32_t i = 0; i < sum->count; i++) {
            struct term *t = &sum->list[i];
            if (t->base->kind != rule->function || halves(s, t->number, rule->ratio) != c0) continue;
            const expr *u = rule_argument(s, rule, t->base->operand[0]);
            const expr *value = simplify_function(s, rule->result, u);
            t->base = rule->power == 1 ? value : simplify_power(s, value, expr_integer(s->dag, rule->power));
            t->number = halves(s, t->number, rule->factor);
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
    const expr *whole = simplify_whole_sum(s, sum);
    return whole ? whole : build_sum(s, sum);
}

/* Replaces exp(u) * sigmoid(-u)^k by sigmoid(u) * sigmoid(-u)^(k-1). Replaces expm1(u)^n * sigmoid(-u)^k,
 * n <= k, by tanh(u/2)^n * sigmoid(-u)^(k-n). */
static bool apply_product_rule(struct simplifier *s, struct terms *product)
{
    const expr *one = expr_integer(s->dag, 1);
    for (uint32_t i = 0; i < product->count; i++) {
        struct term *e = &product->list[i];
        const bool is_power = e->base->kind == EXPR_expm1 && mpq_cmp_si(e->number->number, 1, 1) >= 0;
        if ((e->base->kind != EXPR_exp || e->number != one) && !is_power) continue;
        const expr *u = e->base->operand[0], *opposite = simplify_scale(s, u, -1);
        for (uint32_t k = 0; k < product->count; k++) {
            struct term *t = &product->list[k];
            if (t->base->kind != EXPR_sigmoid || t->base->operand[0] != opposite ||
                mpq_cmp(t->number->number, e->number->number) < 0)
                continue;
            t->number = number_add(s, t->number, number_scale(s, e->number, -1));
            e->base =
                e->base->kind == EXPR_exp
                    ? expr_unary(s->dag, EXPR_sigmoid, u)
                    : simplify_function(s, EXPR_tanh, simplify_multiply(s, expr_ratio(s->dag, 1, 2), u));
            return true;
        }
    }
    return false;
}

/* Replaces (1 + exp(-u)) * sigmoid(u)^k by sigmoid(u)^(k-1). Of another sum, f / sigmoid(u), f stays. */
static bool apply_logistic_rule(struct simplifier *s, struct terms *product)
{
    const expr *one = expr_integer(s->dag, 1);
    for (uint32_t i = 0; i < product->count; i++) {
        const expr *sigmoid, *factor;
        struct term *sum = &product->list[i];
        if (sum->base->kind != EXPR_ADD || sum->number != one ||
            !simplify_logistic(s, sum->base, &sigmoid, &factor))
            continue;
        for (uint32_t k = 0; k < product->count; k++) {
            struct term *t = &product->list[k];
            if (t->base != sigmoid || mpq_cmp_si(t->number->number, 1, 1) < 0) continue;
            t->number = number_add(s, t->number, expr_integer(s->dag, -1));
            sum->base = factor;
            sum->number = expr_integer(s->dag, -1);
            return true;
        }
    }
    return false;
}

/* Makes 2*u with the factor in each term, so that the argument of a sine stays a sum. */
static const expr *doubled(struct simplifier *s, const expr *u)
{
    struct terms sum = terms_of_sum(s, u, expr_integer(s->dag, 1));
    sum.constant = number_scale(s, sum.constant, 2);
    for (uint32_t i = 0; i < sum.count; i++) sum.list[i].number = number_scale(s, sum.list[i].number, 2);
    return build_sum(s, &sum);
}

/* Replaces sin(u)^k * cos(u)^k by sin(2*u)^k / 2^k. This is one wave, in which other rules may find a
 * double root. */
static bool apply_wave_rule(struct simplifier *s, struct terms *product)
{
    enum { MOST_POWER = 64 };
    for (uint32_t i = 0; i < product->count; i++)
        for (uint32_t k = 0; k < product->count; k++) {
            struct term *sine = &product->list[i], *cosine = &product->list[k];
            if (sine->base->kind != EXPR_sin || cosine->base->kind != EXPR_cos ||
                sine->base->operand[0] != cosine->base->operand[0] || sine->number != cosine->number ||
                mpz_cmp_ui(mpq_denref(sine->number->number), 1) ||
                mpz_cmpabs_ui(mpq_numref(sine->number->number), MOST_POWER) > 0)
                continue;
            const long power = mpz_get_si(mpq_numref(sine->number->number));
            product->constant =
                number_multiply(s, product->constant, number_power(s, expr_integer(s->dag, 2), -power));
            sine->base = simplify_function(s, EXPR_sin, doubled(s, sine->base->operand[0]));
            cosine->number = expr_integer(s->dag, 0);
            return true;
        }
    return false;
}

const expr *simplify_product(struct simplifier *s, struct terms *product)
{
    terms_merge(s, product, false);
    merge_exponentials(s, product);
    /* The result of a rule may be a product, as tanh(-u) is, so it is collected again. */
    while (apply_product_rule(s, product) || apply_logistic_rule(s, product) || apply_wave_rule(s, product) ||
           simplify_powers(s, product)) {
        struct terms again = terms_new(s, product->constant);
        for (uint32_t i = 0; i < product->count; i++)
            collect_product(s, &again, product->list[i].base, product->list[i].number);
        *product = again;
        terms_merge(s, product, false);
        merge_exponentials(s, product);
    }
    return build_product(s, product);
}

bool simplify_logistic(struct simplifier *s, const expr *e, const expr **base, const expr **factor)
{
    struct terms sum = terms_of_sum(s, e, expr_integer(s->dag, 1));
    if (!sum.count || sum.count > 2 || sum.list[0].base->kind != EXPR_exp) return false;
    const expr *c = sum.list[0].number, *u = sum.list[0].base->operand[0], *divisor = NULL;
    /* The exponential of the other term is a factor of the sum. */
    if (sum.count == 2) {
        if (sum.list[1].base->kind != EXPR_exp || !expr_is_number(sum.constant, 0, 1)) return false;
        divisor = sum.list[1].base->operand[0];
        sum.constant = sum.list[1].number;
    }
    if (c != sum.constant || mpq_sgn(c->number) < 0) return false;
    *factor = number_power(s, c, -1);
    if (divisor) {
        const expr *minus = simplify_scale(s, divisor, -1);
        u = simplify_add(s, u, minus, 1);
        *factor = simplify_multiply(s, *factor, simplify_function(s, EXPR_exp, minus));
    }
    *base = expr_unary(s->dag, EXPR_sigmoid, simplify_scale(s, u, -1));
    return true;
}

/* Makes base^exponent. Both are simplified, and the exponent is a number. */
const expr *simplify_power(struct simplifier *s, const expr *base, const expr *exponent)
{
    struct terms product = terms_new(s, expr_integer(s->dag, 1));
    collect_product(s, &product, base, exponent);
    return simplify_product(s, &product);
}

/* Makes log(1 + rest): softplus(u) if rest is exp(u), else log1p(rest). For c + rest with c > 1, makes
 * log1p(c - 1 + rest) if a rule for sums removes the difference, as in 2 + sin(u). Returns NULL otherwise. */
static const expr *log_of_sum(struct simplifier *s, struct terms *sum)
{
    if (!sum->count || mpq_cmp_si(sum->constant->number, 1, 1) < 0) return NULL;
    const bool is_one = expr_is_number(sum->constant, 1, 1);
    sum->constant = number_add(s, sum->constant, expr_integer(s->dag, -1));
    const expr *rest = is_one ? build_sum(s, sum) : simplify_sum(s, sum);
    return is_one || rest->kind != EXPR_ADD ? simplify_function(s, EXPR_log1p, rest) : NULL;
}

/* Makes the logarithm of u. A logistic, an exponential, or a sum of exponentials simplifies. A root, which
 * has no value where its base is negative, gives its exponent as a factor. */
static const expr *simplify_log(struct simplifier *s, const expr *u)
{
    if (u->kind == EXPR_exp) return u->operand[0];
    if (u->kind == EXPR_POWER && mpz_cmp_ui(mpq_denref(u->number), 1))
        return simplify_multiply(s, expr_number(s->dag, u->number), simplify_log(s, u->operand[0]));
    if (expr_is_number(u, 1, 1)) return expr_integer(s->dag, 0);
    if (u->kind == EXPR_sigmoid)
        return simplify_scale(s, simplify_function(s, EXPR_softplus, simplify_scale(s, u->operand[0], -1)),
                              -1);
    const bool is_scaled = u->kind == EXPR_MUL && u->operand[0]->kind == EXPR_NUMBER;
    const expr *factor = is_scaled ? u->operand[0] : expr_integer(s->dag, 1);
    const expr *f = is_scaled ? u->operand[1] : u, *log = simplify_log_near_one(s, factor, f);
    if (!log && mpq_sgn(factor->number) > 0) log = simplify_log_of_exponentials(s, factor, f);
    if (log) return log;
    struct terms sum = terms_of_sum(s, u, expr_integer(s->dag, 1));
    const expr *log1p = log_of_sum(s, &sum);
    return log1p ? log1p : expr_unary(s->dag, EXPR_log, u);
}

/* Makes normcdf(u) as erfc(-u/sqrt(2))/2. */
static const expr *simplify_normcdf(struct simplifier *s, const expr *u)
{
    const expr *root = expr_power_ratio(s->dag, expr_integer(s->dag, 2), -1, 2);
    const expr *argument = simplify_scale(s, simplify_multiply(s, root, u), -1);
    return simplify_multiply(s, expr_ratio(s->dag, 1, 2), simplify_function(s, EXPR_erfc, argument));
}

const expr *simplify_function(struct simplifier *s, enum expr_kind kind, const expr *u)
{
    long halves;
    if (expr_is_number(u, 0, 1) && expr_halves_at_zero(kind, &halves)) return expr_ratio(s->dag, halves, 2);
    if (u->kind == EXPR_NUMBER && kind == EXPR_sign) return expr_integer(s->dag, mpq_sgn(u->number));
    if (u->kind == EXPR_NUMBER && kind == EXPR_abs) return number_scale(s, u, mpq_sgn(u->number));
    const int parity = expr_functions[kind].parity;
    if (parity && leads_negative(u))
        return simplify_scale(s, simplify_function(s, kind, simplify_scale(s, u, -1)), parity);
    switch (kind) {
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

static const expr *simplify_node(void *context, expr_dag *dag, const expr *e, const expr *const *operand)
{
    struct simplifier *s = context;
    switch (e->kind) {
    case EXPR_ADD: return simplify_add(s, operand[0], operand[1], 1);
    case EXPR_SUB: return simplify_add(s, operand[0], operand[1], -1);
    case EXPR_NEG: return simplify_scale(s, operand[0], -1);
    case EXPR_MUL: return simplify_multiply(s, operand[0], operand[1]);
    case EXPR_DIV:
        return simplify_multiply(s, operand[0], simplify_power(s, operand[1], expr_integer(dag, -1)));
    case EXPR_POWER: return simplify_power(s, operand[0], expr_number(dag, e->number));
    case EXPR_IF: return operand[1] == operand[2] ? operand[1] : expr_rebuild(dag, e, operand);
    case EXPR_LT:
    case EXPR_LE:
    case EXPR_EQ: return simplify_comparison(s, e, operand);
    default:
        return e->kind >= EXPR_FIRST_FUNCTION ? simplify_function(s, e->kind, operand[0])
                                              : expr_rebuild(dag, e, operand);
    }
}

const expr *expr_simplify(expr_dag *dag, const expr *e, const char *broken_rule)
{
    struct simplifier s = {.dag = dag, .memory = expr_dag_memory(dag), .broken_rule = broken_rule};
    return expr_transform(dag, expr_expand(dag, e), simplify_node, &s);
}
