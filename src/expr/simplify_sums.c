/* Applies rules to whole sums, which remove cancellation between terms or take out common factors. */
#include "simplify_parts.h"

static uint32_t term_count(struct simplifier *s, const expr *e)
{
    const struct terms sum = terms_of_sum(s, e, number_one(s));
    return sum.count + !number_is_zero(sum.constant);
}

static const expr *term_value(struct simplifier *s, const struct term *t)
{
    return simplify_multiply(s, t->number, t->base);
}

static bool is_root(const struct term *t)
{
    return t->base->kind == EXPR_POWER && !mpq_cmp_si(t->base->number, 1, 2);
}

/* Returns e^2. For n*sqrt(a) it is n^2*a. Where a < 0, neither has a value. */
static const expr *square_of(struct simplifier *s, const expr *e)
{
    const expr *two = expr_integer(s->dag, 2), *number = number_one(s), *base = e;
    if (e->kind == EXPR_MUL && e->operand[0]->kind == EXPR_NUMBER)
        number = e->operand[0], base = e->operand[1];
    if (base->kind != EXPR_POWER || mpq_cmp_si(base->number, 1, 2)) return simplify_power(s, e, two);
    struct terms sum = terms_new(s, number_zero(s));
    collect_sum(s, &sum, base->operand[0], number_multiply(s, number, number));
    return build_sum(s, &sum);
}

/* Rewrites root + other, where root is n*sqrt(a) and the square of `other` cancels terms of n^2*a. The
 * result is d/(root - other), the quotient by the conjugate, where the two have opposite signs. Returns
 * NULL if nothing is gained. */
static const expr *root_difference(struct simplifier *s, const struct term *root, const expr *other)
{
    const expr *value = term_value(s, root), *square = square_of(s, value);
    const expr *d = simplify_add(s, square, square_of(s, other), -1);
    if (term_count(s, d) >= term_count(s, square)) return NULL;
    struct terms sum = terms_new(s, number_zero(s)); /* without rules, which would lead back */
    collect_sum(s, &sum, value, number_one(s));
    collect_sum(s, &sum, other, expr_integer(s->dag, -1));
    terms_merge(s, &sum, true);
    const expr *conjugate = simplify_power(s, build_sum(s, &sum), expr_integer(s->dag, -1));
    const expr *quotient = simplify_multiply(s, d, conjugate);
    const bool positive = mpq_sgn(root->number->number) > 0;
    const bool falls = simplify_is_nonnegative(simplify_scale(s, other, -1));
    if (falls || simplify_is_nonnegative(other)) return falls == positive ? quotient : NULL;
    const expr *low = positive ? other : number_zero(s), *high = positive ? number_zero(s) : other;
    const expr *plain = expr_binary(s->dag, EXPR_ADD, value, other);
    return expr_if(s->dag, expr_binary(s->dag, EXPR_LT, low, high), quotient, plain);
}

static struct terms factors_of(struct simplifier *s, const struct term *t)
{
    return terms_of_product(s, t->base, t->number);
}

/* Returns the term divided by base^exponent. */
static const expr *without(struct simplifier *s, const struct term *t, const expr *base, const expr *exponent)
{
    struct terms product = factors_of(s, t);
    collect_product(s, &product, base, number_scale(s, exponent, -1));
    return simplify_product(s, &product);
}

/* Rewrites c + t/sqrt(a) as (c*sqrt(a) + t)/sqrt(a), if the numerator is a difference of roots. */
static const expr *root_quotient(struct simplifier *s, const struct terms *sum)
{
    if (sum->count != 1 || number_is_zero(sum->constant)) return NULL;
    const struct terms factors = factors_of(s, &sum->list[0]);
    for (uint32_t i = 0; i < factors.count; i++) {
        const struct term *f = &factors.list[i];
        if (f->base->kind != EXPR_ADD || mpq_cmp_si(f->number->number, -1, 2)) continue;
        const expr *root = simplify_power(s, f->base, expr_ratio(s->dag, 1, 2));
        const struct term scaled = {root, sum->constant};
        const expr *e = root_difference(s, &scaled, without(s, &sum->list[0], f->base, f->number));
        if (e) return simplify_multiply(s, e, simplify_power(s, f->base, f->number));
    }
    return NULL;
}

static const expr *roots(struct simplifier *s, const struct terms *sum)
{
    if (sum->count + !number_is_zero(sum->constant) != 2) return NULL;
    for (uint32_t i = 0; i < sum->count; i++) {
        if (!is_root(&sum->list[i]) || expr_is_constant(sum->list[i].base)) continue;
        const expr *other = sum->count == 1 ? sum->constant : term_value(s, &sum->list[1 - i]);
        const expr *e = root_difference(s, &sum->list[i], other);
        if (e) return e;
    }
    return NULL;
}

/* Rewrites n*exp(a) - n*exp(b) as n*exp(b)*expm1(a - b). */
static const expr *exponentials(struct simplifier *s, const struct terms *sum)
{
    if (sum->count != 2 || !number_is_zero(sum->constant)) return NULL;
    const struct term *a = &sum->list[0], *b = &sum->list[1];
    if (a->base->kind != EXPR_exp || b->base->kind != EXPR_exp) return NULL;
    if (number_scale(s, a->number, -1) != b->number) return NULL;
    if (leads_negative(a->base->operand[0])) {
        const struct term *swap = a;
        a = b;
        b = swap;
    }
    const expr *less = simplify_add(s, a->base->operand[0], b->base->operand[0], -1);
    const expr *product = simplify_multiply(s, b->base, simplify_function(s, EXPR_expm1, less));
    return simplify_multiply(s, a->number, product);
}

/* Rewrites c - 4*c*sigmoid(u)*sigmoid(-u) as c*tanh(u/2)^2. */
static const expr *logistic_bell(struct simplifier *s, const struct terms *sum)
{
    if (sum->count != 1 || number_is_zero(sum->constant)) return NULL;
    const struct term *t = &sum->list[0];
    if (t->base->kind != EXPR_MUL || t->number != number_scale(s, sum->constant, -4)) return NULL;
    const expr *a = t->base->operand[0], *b = t->base->operand[1];
    if (a->kind != EXPR_sigmoid || b->kind != EXPR_sigmoid) return NULL;
    if (simplify_scale(s, a->operand[0], -1) != b->operand[0]) return NULL;
    const expr *half = simplify_multiply(s, expr_ratio(s->dag, 1, 2), b->operand[0]);
    const expr *square = simplify_power(s, simplify_function(s, EXPR_tanh, half), expr_integer(s->dag, 2));
    return simplify_multiply(s, sum->constant, square);
}

/* Returns true if f + 1 or f - 1 has a term less than f. */
static bool is_beside_one(const expr *f)
{
    if (f->kind != EXPR_ADD) return false;
    const expr *first = f->operand[0], *last = f->operand[1];
    return expr_is_number(first, 1, 1) || expr_is_number(first, -1, 1) || expr_is_number(last, 1, 1) ||
           expr_is_number(last, -1, 1);
}

/* Rewrites c - c*f(u)^2 as c*(1 - f(u))*(1 + f(u)), where rules remove the cancellation from both factors.
 * For sin and cos it is the square of the other function. */
static const expr *difference_of_squares(struct simplifier *s, const struct terms *sum)
{
    if (sum->count != 1 || number_scale(s, sum->constant, -1) != sum->list[0].number) return NULL;
    const expr *square = sum->list[0].base, *two = expr_integer(s->dag, 2);
    if (square->kind != EXPR_POWER || mpq_cmp_si(square->number, 2, 1)) return NULL;
    const expr *f = square->operand[0];
    const bool is_sine = f->kind == EXPR_sin, is_wave = is_sine || f->kind == EXPR_cos;
    if (!is_wave && f->kind != EXPR_tanh && f->kind != EXPR_erf && !is_beside_one(f)) return NULL;
    const expr *product =
        is_wave ? simplify_power(s, simplify_function(s, is_sine ? EXPR_cos : EXPR_sin, f->operand[0]), two)
                : simplify_multiply(s, simplify_add(s, number_one(s), f, -1),
                                    simplify_add(s, number_one(s), f, 1));
    return simplify_multiply(s, sum->constant, product);
}

/* Makes the second factor of tanh(softplus(u)) = sigmoid(u) * (1 +
 * sigmoid(u)*sigmoid(-u)*sigmoid(2*softplus(u))). It combines with other terms that have the factor
 * sigmoid(u). */
static const expr *tanh_of_softplus(struct simplifier *s, const expr *u)
{
    const expr *twice = simplify_scale(s, simplify_function(s, EXPR_softplus, u), 2);
    const expr *bell = simplify_multiply(s, simplify_function(s, EXPR_sigmoid, u),
                                         simplify_function(s, EXPR_sigmoid, simplify_scale(s, u, -1)));
    return simplify_add(s, number_one(s),
                        simplify_multiply(s, bell, simplify_function(s, EXPR_sigmoid, twice)), 1);
}

/* Returns the rest of the term after the factor `f` is taken out, or NULL if `f` is no factor. */
static const expr *cofactor(struct simplifier *s, const struct term *t, const expr *f)
{
    const struct terms factors = factors_of(s, t);
    const expr *exponent = terms_exponent(s, &factors, f);
    if (mpq_cmp_si(exponent->number, 1, 1) >= 0) return without(s, t, f, number_one(s));
    for (uint32_t i = 0; i < factors.count; i++) {
        const expr *base = factors.list[i].base;
        if (base->kind != EXPR_tanh || base->operand[0]->kind != EXPR_softplus || f->kind != EXPR_sigmoid ||
            base->operand[0]->operand[0] != f->operand[0] || factors.list[i].number != number_one(s))
            continue;
        return simplify_multiply(s, without(s, t, base, number_one(s)), tanh_of_softplus(s, f->operand[0]));
    }
    return NULL;
}

/* Rewrites a*sigmoid(u) - a*sigmoid(-u) as a*tanh(u/2), which does not cancel at u = 0. Other terms would
 * hide the cancellation, and two logistics are cheaper. */
static const expr *logistic_difference(struct simplifier *s, const struct terms *sum)
{
    if (sum->count != 2 || !number_is_zero(sum->constant)) return NULL;
    const struct term *t = &sum->list[0];
    const struct terms factors = factors_of(s, t);
    for (uint32_t k = 0; k < factors.count; k++) {
        const expr *f = factors.list[k].base, *u = f->operand[0];
        if (f->kind != EXPR_sigmoid || mpq_cmp_si(factors.list[k].number->number, 1, 1) < 0) continue;
        const expr *rest = without(s, t, f, number_one(s));
        const expr *mirror = simplify_function(s, EXPR_sigmoid, simplify_scale(s, u, -1));
        const expr *opposite = simplify_scale(s, simplify_multiply(s, rest, mirror), -1);
        if (term_value(s, &sum->list[1]) != opposite) continue;
        const expr *half = simplify_multiply(s, expr_ratio(s->dag, 1, 2), u);
        return simplify_multiply(s, rest, simplify_function(s, EXPR_tanh, half));
    }
    return NULL;
}

/* Takes out a common factor that decays to 0. The sign and the size of the sum are then known where the
 * factor is too small for its format. */
static const expr *common_factor(struct simplifier *s, const struct terms *sum)
{
    if (sum->count < 2 || !number_is_zero(sum->constant)) return NULL;
    for (uint32_t k = 0; k < sum->count; k++) {
        const struct terms factors = factors_of(s, &sum->list[k]);
        for (uint32_t i = 0; i < factors.count; i++) {
            const expr *f = factors.list[i].base;
            if (f->kind != EXPR_sigmoid && f->kind != EXPR_exp && f->kind != EXPR_erfc) continue;
            if (simplify_has_pole(s, f)) continue; /* a quotient of such factors stays */
            struct terms rest = terms_new(s, number_zero(s));
            uint32_t shared = 0;
            for (; shared < sum->count; shared++) {
                const expr *left = cofactor(s, &sum->list[shared], f);
                if (!left) break;
                collect_sum(s, &rest, left, number_one(s));
            }
            if (shared == sum->count) return simplify_multiply(s, f, simplify_sum(s, &rest));
        }
    }
    return NULL;
}

/* Rewrites n*softplus(u) as n*u + n*softplus(-u), if n*u cancels other terms. */
static const expr *softplus_difference(struct simplifier *s, const struct terms *sum)
{
    for (uint32_t i = 0; i < sum->count; i++) {
        const struct term *t = &sum->list[i];
        if (t->base->kind != EXPR_softplus) continue;
        struct terms rest = terms_new(s, sum->constant);
        for (uint32_t k = 0; k < sum->count; k++)
            if (k != i) terms_add(s, &rest, sum->list[k].base, sum->list[k].number);
        collect_sum(s, &rest, simplify_multiply(s, t->number, t->base->operand[0]), number_one(s));
        terms_merge(s, &rest, true);
        if (rest.count + !number_is_zero(rest.constant) + 1 >= sum->count + !number_is_zero(sum->constant))
            continue;
        const expr *mirror = simplify_function(s, EXPR_softplus, simplify_scale(s, t->base->operand[0], -1));
        collect_sum(s, &rest, mirror, t->number);
        return simplify_sum(s, &rest);
    }
    return NULL;
}

const expr *simplify_whole_sum(struct simplifier *s, const struct terms *sum)
{
    static const expr *(*const rules[])(struct simplifier * s, const struct terms *sum) = {
        roots,         root_quotient,       exponentials,          softplus_difference,
        logistic_bell, logistic_difference, difference_of_squares, simplify_quotients,
        common_factor};
    for (size_t i = 0; i < sizeof rules / sizeof *rules; i++) {
        const expr *e = rules[i](s, sum);
        if (e) return e;
    }
    return NULL;
}

/* -- logarithms of sums of exponentials -- */

static const expr *log_of_ratio(struct simplifier *s, const expr *a, const expr *b)
{
    const expr *ratio = number_multiply(s, a, number_power(s, b, -1));
    return expr_is_number(ratio, 1, 1) ? number_zero(s) : expr_unary(s->dag, EXPR_log, ratio);
}

/* Makes log(exp(a) + exp(b)) as max(a, b) + softplus(-|a - b|). Nothing overflows. Where the smaller term
 * vanishes, the larger one remains. */
static const expr *log_of_two(struct simplifier *s, const expr *a, const expr *b)
{
    const expr *size = simplify_function(s, EXPR_abs, simplify_add(s, a, b, -1));
    const expr *most = simplify_add(s, a, b, 1) == number_zero(s) ? simplify_function(s, EXPR_abs, a)
                                                                  : expr_binary(s->dag, EXPR_MAX, a, b);
    return simplify_add(s, most, simplify_function(s, EXPR_softplus, simplify_scale(s, size, -1)), 1);
}

/* Returns the sum times exp(-most). */
static const expr *sum_scaled(struct simplifier *s, const struct terms *sum, const expr *most)
{
    struct terms scaled = terms_new(s, number_zero(s));
    for (uint32_t i = 0; i < sum->count; i++) {
        const expr *less = simplify_add(s, sum->list[i].base->operand[0], most, -1);
        collect_sum(s, &scaled, simplify_function(s, EXPR_exp, less), sum->list[i].number);
    }
    const expr *constant = simplify_function(s, EXPR_exp, simplify_scale(s, most, -1));
    if (!number_is_zero(sum->constant)) collect_sum(s, &scaled, constant, sum->constant);
    terms_merge(s, &scaled, true);
    return build_sum(s, &scaled);
}

/* Makes log(sum) as most + log(sum*exp(-most)), where `most` is the largest exponent. For 1 + rest, makes
 * log1p(rest) where the rest is small. */
static const expr *log_of_many(struct simplifier *s, const struct terms *sum)
{
    const bool is_one = expr_is_number(sum->constant, 1, 1);
    const expr *most = sum->list[0].base->operand[0];
    for (uint32_t i = 1; i < sum->count; i++)
        most = expr_binary(s->dag, EXPR_MAX, most, sum->list[i].base->operand[0]);
    const expr *largest =
        number_is_zero(sum->constant) || is_one ? most : expr_binary(s->dag, EXPR_MAX, most, number_zero(s));
    const expr *scaled = expr_unary(s->dag, EXPR_log, sum_scaled(s, sum, largest));
    const expr *log = simplify_add(s, largest, scaled, 1);
    if (!is_one) return log;
    struct terms rest = *sum;
    rest.constant = number_zero(s);
    const expr *near = expr_unary(s->dag, EXPR_log1p, build_sum(s, &rest));
    return expr_if(s->dag, expr_binary(s->dag, EXPR_LT, number_zero(s), most), log, near);
}

/* Returns true if the formula has a max, which the rules below may have made. */
static bool has_max(struct simplifier *s, const expr *e) { return expr_has(s->memory, e, EXPR_MAX); }

static bool is_sum_of_exponentials(struct simplifier *s, const struct terms *sum)
{
    for (uint32_t i = 0; i < sum->count; i++)
        if (sum->list[i].base->kind != EXPR_exp || mpq_sgn(sum->list[i].number->number) <= 0 ||
            has_max(s, sum->list[i].base))
            return false;
    return mpq_sgn(sum->constant->number) >= 0 && sum->count + !number_is_zero(sum->constant) >= 2;
}

const expr *simplify_log_of_exponentials(struct simplifier *s, const expr *factor, const expr *u)
{
    const struct terms sum = terms_of_sum(s, u, number_one(s));
    if (!is_sum_of_exponentials(s, &sum)) return NULL;
    if (sum.count + !number_is_zero(sum.constant) > 2)
        return simplify_add(s, log_of_ratio(s, factor, number_one(s)), log_of_many(s, &sum), 1);
    const struct term *a = &sum.list[0], *b = sum.count == 2 ? &sum.list[1] : NULL;
    const expr *least = b ? b->number : sum.constant, *exponent = a->base->operand[0];
    const expr *scale = log_of_ratio(s, number_multiply(s, factor, least), number_one(s));
    const expr *shifted = simplify_add(s, exponent, log_of_ratio(s, a->number, least), 1);
    const expr *rest =
        b ? log_of_two(s, shifted, b->base->operand[0]) : simplify_function(s, EXPR_softplus, shifted);
    return simplify_add(s, scale, rest, 1);
}

/* -- logarithms of functions that are near 1 on one side -- */

static const expr *log1p_of(struct simplifier *s, const expr *e, long numerator, unsigned long denominator)
{
    return expr_unary(s->dag, EXPR_log1p,
                      simplify_multiply(s, expr_ratio(s->dag, numerator, denominator), e));
}

/* Returns `below` where u < limit, else log(factor*f(u)). The argument of f is written as max(u, limit), so
 * that no rule takes the logarithm for another one. */
static const expr *log_beyond(struct simplifier *s, const expr *u, const expr *limit, const expr *below,
                              const expr *factor, enum expr_kind f)
{
    const expr *beyond = expr_unary(s->dag, f, expr_binary(s->dag, EXPR_MAX, u, limit));
    const expr *log = expr_unary(s->dag, EXPR_log, simplify_multiply(s, factor, beyond));
    return expr_if(s->dag, expr_binary(s->dag, EXPR_LT, u, limit), below, log);
}

/* Makes log(-expm1(u)), which is log1p(-exp(u)) where exp(u) is small. */
static const expr *log_of_complement(struct simplifier *s, const expr *u)
{
    const expr *minus = expr_integer(s->dag, -1);
    return log_beyond(s, u, minus, log1p_of(s, simplify_function(s, EXPR_exp, u), -1, 1), minus, EXPR_expm1);
}

const expr *simplify_log_near_one(struct simplifier *s, const expr *factor, const expr *f)
{
    const expr *u = expr_arity(f->kind) ? f->operand[0] : f;
    if (has_max(s, u)) return NULL;
    if (f->kind == EXPR_expm1 && expr_is_number(factor, -1, 1)) return log_of_complement(s, u);
    if (f->kind == EXPR_expm1 && expr_is_number(factor, 1, 1)) /* exp(u)*(1 - exp(-u)) */
        return simplify_add(s, u, log_of_complement(s, simplify_scale(s, u, -1)), 1);
    if (f->kind == EXPR_erfc && expr_is_number(factor, 1, 2)) {
        const expr *mirror = simplify_function(s, EXPR_erfc, simplify_scale(s, u, -1));
        return log_beyond(s, u, expr_ratio(s->dag, -1, 2), log1p_of(s, mirror, -1, 2), factor, EXPR_erfc);
    }
    if (f->kind == EXPR_erfc && expr_is_number(factor, 1, 1))
        return log_beyond(s, u, expr_ratio(s->dag, 1, 2),
                          log1p_of(s, simplify_function(s, EXPR_erf, u), -1, 1), factor, EXPR_erfc);
    return NULL;
}

/* -- comparisons -- */

/* Returns the sign of a product of functions that are never 0. Returns 0 for other formulas, and if a
 * factor may have no value. */
static int sign_of_positive(struct simplifier *s, const expr *e)
{
    struct terms product = terms_new(s, number_one(s));
    uint32_t count;
    collect_product(s, &product, e, number_one(s));
    terms_merge(s, &product, false);
    for (uint32_t i = 0; i < product.count; i++) {
        const enum expr_kind kind = product.list[i].base->kind;
        if (kind != EXPR_exp && kind != EXPR_sigmoid && kind != EXPR_erfc) return 0;
    }
    const expr **nodes = expr_walk(s->memory, e, &count);
    for (uint32_t i = 0; i < count; i++)
        if (nodes[i]->kind == EXPR_log || nodes[i]->kind == EXPR_log1p ||
            (nodes[i]->kind == EXPR_POWER && mpz_cmp_ui(mpq_denref(nodes[i]->number), 1)))
            return 0;
    return mpq_sgn(product.constant->number);
}

const expr *simplify_comparison(struct simplifier *s, const expr *e, const expr *const *operand)
{
    const expr *d = simplify_add(s, operand[0], operand[1], -1);
    if (d->kind == EXPR_ADD || d->kind == EXPR_NUMBER) return expr_rebuild(s->dag, e, operand);
    const int sign = sign_of_positive(s, d);
    if (sign) return expr_binary(s->dag, e->kind, expr_integer(s->dag, sign), number_zero(s));
    if (operand[0] == number_zero(s) || operand[1] == number_zero(s)) return expr_rebuild(s->dag, e, operand);
    return expr_binary(s->dag, e->kind, d, number_zero(s));
}
