/* Writes sums of quotients over a common denominator, if terms of the numerator cancel then.
 *
 * Derivatives of quotients and of roots are such sums. For example, 1/sqrt(1 + x^2) - x^2*(1 + x^2)^(-3/2)
 * becomes (1 + x^2)^(-3/2). The denominator is a power of a sum. All exponents that are joined differ by
 * integers, so the domain and the poles stay. */
#include "simplify_parts.h"

enum {
    MOST_POWER = 4, /* larger powers are not multiplied out */
    MOST_TERMS = 48 /* of a numerator */
};

static uint32_t count_terms(const struct terms *sum) { return sum->count + !number_is_zero(sum->constant); }

/* Returns true for a factor that is multiplied out: a small power of a sum. */
static bool is_opened(const struct term *factor)
{
    return factor->base->kind == EXPR_ADD && number_is_integer(factor->number) &&
           mpq_sgn(factor->number->number) > 0 && mpq_cmp_si(factor->number->number, MOST_POWER, 1) <= 0;
}

/* Adds the terms of `e` to the sum, with products of sums multiplied out. Returns false if there are too
 * many. */
static bool add_expanded(struct simplifier *s, struct terms *out, const expr *e)
{
    if (out->count > MOST_TERMS) return false;
    if (e->kind == EXPR_ADD) {
        const struct terms sum = terms_of_sum(s, e, number_one(s));
        out->constant = number_add(s, out->constant, sum.constant);
        for (uint32_t i = 0; i < sum.count; i++)
            if (!add_expanded(s, out, simplify_multiply(s, sum.list[i].number, sum.list[i].base)))
                return false;
        return true;
    }
    struct terms factors = terms_of_product(s, e, number_one(s));
    for (uint32_t i = 0; i < factors.count; i++) {
        if (!is_opened(&factors.list[i])) continue;
        const struct terms sum = terms_of_sum(s, factors.list[i].base, number_one(s));
        factors.list[i].number = number_add(s, factors.list[i].number, expr_integer(s->dag, -1));
        const expr *rest = simplify_product(s, &factors);
        if (!add_expanded(s, out, simplify_multiply(s, sum.constant, rest))) return false;
        for (uint32_t k = 0; k < sum.count; k++) {
            const expr *term = simplify_multiply(s, sum.list[k].number, sum.list[k].base);
            if (!add_expanded(s, out, simplify_multiply(s, term, rest))) return false;
        }
        return true;
    }
    collect_sum(s, out, e, number_one(s));
    return true;
}

/* Returns the number of different terms, whatever their coefficients are. */
static uint32_t count_different(struct simplifier *s, const struct terms *sum)
{
    struct terms all = terms_new(s, sum->constant);
    for (uint32_t i = 0; i < sum->count; i++)
        terms_add(s, &all, sum->list[i].base,
                  number_scale(s, sum->list[i].number, mpq_sgn(sum->list[i].number->number)));
    terms_merge(s, &all, true);
    return count_terms(&all);
}

/* The terms of a sum whose denominators are powers of one base. */
struct quotients {
    const expr *base, *least; /* the common denominator is base^least, least < 0 */
    struct terms top, rest;   /* the sum is top*base^least + rest */
    uint32_t joined;          /* terms of the sum in `top` */
};

/* Adds the term to the numerator, or to the rest if its denominator is none of those. Returns false if the
 * numerator becomes too long. `has_whole` says that terms without the base take part, too. */
static bool add_quotient(struct simplifier *s, struct quotients *q, const struct term *t, bool has_whole)
{
    struct terms factors = terms_of_product(s, t->base, t->number);
    const expr *own = terms_exponent(s, &factors, q->base);
    const expr *power = number_add(s, own, number_scale(s, q->least, -1));
    if (!number_is_integer(power) || mpq_sgn(power->number) < 0 ||
        mpq_cmp_si(power->number, MOST_POWER, 1) > 0 || (number_is_zero(own) && !has_whole)) {
        terms_add(s, &q->rest, t->base, t->number);
        return true;
    }
    collect_product(s, &factors, q->base, number_scale(s, q->least, -1));
    q->joined++;
    return add_expanded(s, &q->top, simplify_product(s, &factors));
}

/* Returns the sum over the common denominator base^least, or NULL if nothing cancels in its numerator. */
static const expr *join_quotients(struct simplifier *s, const struct terms *sum, const expr *base,
                                  const expr *least, bool has_whole)
{
    struct quotients q = {base, least, terms_new(s, number_zero(s)), terms_new(s, number_zero(s)), 0};
    has_whole = has_whole && number_is_integer(least);
    for (uint32_t i = 0; i < sum->count; i++)
        if (!add_quotient(s, &q, &sum->list[i], has_whole)) return NULL;
    if (!has_whole) {
        q.rest.constant = sum->constant;
    } else if (!number_is_zero(sum->constant)) {
        const struct term constant = {number_one(s), sum->constant};
        if (!add_quotient(s, &q, &constant, true)) return NULL;
    }
    const uint32_t different = count_different(s, &q.top);
    if (q.joined < 2) return NULL;
    terms_merge(s, &q.top, true);
    const expr *paired = simplify_absolute_pairs(s, &q.top);
    if (!paired && count_terms(&q.top) >= different) return NULL;
    const expr *numerator = paired ? paired : simplify_sum(s, &q.top);
    collect_sum(s, &q.rest, simplify_multiply(s, numerator, simplify_power(s, base, least)), number_one(s));
    return simplify_sum(s, &q.rest);
}

/* Joins the terms whose denominators are powers of one sum. */
static const expr *join_any(struct simplifier *s, const struct terms *sum)
{
    for (uint32_t i = 0; i < sum->count; i++) {
        const struct terms factors = terms_of_product(s, sum->list[i].base, number_one(s));
        for (uint32_t k = 0; k < factors.count; k++) {
            const struct term *f = &factors.list[k];
            if (f->base->kind != EXPR_ADD || mpq_sgn(f->number->number) >= 0) continue;
            const expr *e = join_quotients(s, sum, f->base, f->number, false);
            if (!e) e = join_quotients(s, sum, f->base, f->number, true);
            if (e) return e;
        }
    }
    return NULL;
}

const expr *simplify_quotients(struct simplifier *s, const struct terms *sum)
{
    if (count_terms(sum) < 2) return NULL;
    const expr *e = join_any(s, sum);
    if (e) return e;
    /* A factor may be a sum of quotients itself. */
    struct terms opened = terms_new(s, sum->constant);
    bool is_open = true;
    for (uint32_t i = 0; i < sum->count; i++) {
        const uint32_t before = opened.count;
        if (!add_expanded(s, &opened, simplify_multiply(s, sum->list[i].number, sum->list[i].base)))
            return NULL;
        is_open = is_open && opened.count == before + 1;
    }
    terms_merge(s, &opened, true);
    return is_open ? NULL : join_any(s, &opened);
}

/* Returns the term with u in place of its factor abs(u), and sets *u and *rest, its other factors. Returns
 * NULL if it has no such factor. */
static const expr *without_absolute(struct simplifier *s, const expr *e, const expr **u, const expr **rest)
{
    struct terms factors = terms_of_product(s, e, number_one(s));
    for (uint32_t i = 0; i < factors.count; i++) {
        struct term *f = &factors.list[i];
        if (f->base->kind != EXPR_abs || f->number != number_one(s)) continue;
        *u = f->base->operand[0];
        f->number = number_zero(s);
        *rest = simplify_product(s, &factors);
        return simplify_multiply(s, *u, *rest);
    }
    return NULL;
}

const expr *simplify_absolute_pairs(struct simplifier *s, const struct terms *sum)
{
    for (uint32_t i = 0; i < sum->count; i++) {
        const expr *u, *rest, *plain = without_absolute(s, sum->list[i].base, &u, &rest);
        if (!plain) continue;
        const struct terms partner = terms_of_sum(s, plain, sum->list[i].number);
        for (uint32_t k = 0; k < sum->count && partner.count == 1; k++) {
            const struct term *t = &sum->list[k];
            const bool is_same = t->number == partner.list[0].number;
            if (t->base != partner.list[0].base ||
                (!is_same && t->number != number_scale(s, partner.list[0].number, -1)))
                continue;
            const expr *part =
                expr_binary(s->dag, EXPR_MAX, simplify_scale(s, u, is_same ? 1 : -1), number_zero(s));
            struct terms joined = terms_new(s, sum->constant);
            for (uint32_t j = 0; j < sum->count; j++)
                if (j != i && j != k) terms_add(s, &joined, sum->list[j].base, sum->list[j].number);
            collect_sum(s, &joined, simplify_multiply(s, part, rest),
                        number_scale(s, sum->list[i].number, 2));
            return simplify_sum(s, &joined);
        }
    }
    return NULL;
}
