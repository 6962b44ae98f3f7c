/* Opens, sorts, merges and builds sums and products as lists. The rules are in simplify.c. */
#include "simplify_parts.h"

#include <stdlib.h>
#include <string.h>

bool simplify_is_broken(const struct simplifier *s, const char *rule)
{
    return s->broken_rule && !strcmp(s->broken_rule, rule);
}

/* -- numbers -- */

typedef void (*rational_op)(mpq_ptr, mpq_srcptr, mpq_srcptr);

static const expr *number_op(struct simplifier *s, rational_op op, const expr *a, const expr *b)
{
    mpq_t q;
    mpq_init(q);
    op(q, a->number, b->number);
    const expr *e = expr_number(s->dag, q);
    mpq_clear(q);
    return e;
}

const expr *number_add(struct simplifier *s, const expr *a, const expr *b)
{
    return number_op(s, mpq_add, a, b);
}
const expr *number_multiply(struct simplifier *s, const expr *a, const expr *b)
{
    return number_op(s, mpq_mul, a, b);
}
const expr *number_scale(struct simplifier *s, const expr *a, long factor)
{
    return number_multiply(s, a, expr_integer(s->dag, factor));
}

const expr *number_power(struct simplifier *s, const expr *a, long exponent)
{
    const expr *power = expr_integer(s->dag, 1);
    for (long i = 0; i < labs(exponent); i++) power = number_multiply(s, power, a);
    return exponent < 0 ? number_op(s, mpq_div, expr_integer(s->dag, 1), power) : power;
}

/* -- lists -- */

struct terms terms_new(struct simplifier *s, const expr *constant)
{
    (void)s;
    return (struct terms){.constant = constant};
}

void terms_add(struct simplifier *s, struct terms *t, const expr *base, const expr *number)
{
    t->list = arena_with_room(s->memory, t->list, t->count, sizeof *t->list);
    t->list[t->count++] = (struct term){base, number};
}

/* Compares two nodes by the structure of their formulas, not by when they were made. Two different nodes
 * have a first difference, so this walks down one path. */
static int compare_structure(const expr *a, const expr *b)
{
    while (a != b) {
        if (a->kind != b->kind) return a->kind < b->kind ? -1 : 1;
        if (a->input != b->input) return a->input < b->input ? -1 : 1;
        if (a->type != b->type) return a->type < b->type ? -1 : 1;
        if (a->number && !mpq_equal(a->number, b->number)) return mpq_cmp(a->number, b->number) < 0 ? -1 : 1;
        unsigned k = 0;
        while (k < 2 && a->operand[k] == b->operand[k]) k++;
        a = a->operand[k];
        b = b->operand[k];
    }
    return 0;
}

static int compare_terms(const void *a, const void *b)
{
    const struct term *s = a, *t = b;
    int order = compare_structure(s->base, t->base);
    return order ? order : mpq_cmp(s->number->number, t->number->number);
}

bool simplify_has_pole(struct simplifier *s, const expr *e)
{
    uint32_t count;
    const expr *const *nodes = expr_walk(s->memory, e, &count);
    for (uint32_t i = 0; i < count; i++) {
        const expr *n = nodes[i];
        if (n->kind == EXPR_INFINITY) return true;
        if (n->kind == EXPR_POWER && mpq_sgn(n->number) < 0 && expr_is_number(n->operand[0], 0, 1))
            return true;
    }
    return false;
}

/* Returns true for a factor 0^-1, or for one that contains a pole. */
static bool is_pole_factor(struct simplifier *s, const struct term *t)
{
    if (expr_is_number(t->base, 0, 1)) return mpq_sgn(t->number->number) < 0;
    return simplify_has_pole(s, t->base);
}

/* Returns true if the two terms would cancel although they have poles. */
static bool cancel_poles(struct simplifier *s, const struct term *a, const struct term *b)
{
    return mpq_sgn(a->number->number) != mpq_sgn(b->number->number) &&
           (expr_is_number(a->base, 0, 1) || simplify_has_pole(s, a->base));
}

/* Returns true if the two terms may merge. x^(1/2)*x^(1/2) is x only where x >= 0, so powers whose
 * fractions vanish in the sum merge only for bases that are never negative. */
static bool may_merge(struct simplifier *s, const struct term *a, const struct term *b, bool is_sum)
{
    if (a->base != b->base || cancel_poles(s, a, b)) return false;
    if (is_sum || expr_is_constant(a->base) || (number_is_integer(a->number) && number_is_integer(b->number)))
        return true;
    return !number_is_integer(number_add(s, a->number, b->number)) || simplify_is_nonnegative(a->base);
}

enum { LARGEST_FOLD = 8192 }; /* bits */

/* Lets a number to an integer power join the constant of a product. Returns false if it stays a factor. */
static bool join_constant(struct simplifier *s, struct terms *t, const struct term *term)
{
    if (term->base->kind != EXPR_NUMBER || !number_is_integer(term->number)) return false;
    if (mpz_cmpabs_ui(mpq_numref(term->number->number), 64) > 0) return false;
    long exponent = mpz_get_si(mpq_numref(term->number->number));
    if (exponent < 0 && !mpq_sgn(term->base->number)) return false; /* a pole */
    if (expr_number_bits(term->base->number) * (size_t)labs(exponent) > LARGEST_FOLD)
        return false; /* towers of powers stay as they are */
    t->constant = number_multiply(s, t->constant, number_power(s, term->base, exponent));
    return true;
}

void terms_merge(struct simplifier *s, struct terms *t, bool is_sum)
{
    if (t->count) qsort(t->list, t->count, sizeof *t->list, compare_terms);
    uint32_t kept = 0;
    for (uint32_t i = 0; i < t->count; i++) {
        if (kept && may_merge(s, &t->list[kept - 1], &t->list[i], is_sum))
            t->list[kept - 1].number = number_add(s, t->list[kept - 1].number, t->list[i].number);
        else
            t->list[kept++] = t->list[i];
    }
    t->count = 0;
    for (uint32_t i = 0; i < kept; i++) {
        struct term term = t->list[i];
        if (!mpq_sgn(term.number->number) && !(is_sum && simplify_has_pole(s, term.base))) continue;
        if (!is_sum && join_constant(s, t, &term)) continue;
        t->list[t->count++] = term;
    }
    if (is_sum || !expr_is_number(t->constant, 0, 1)) return;
    kept = 0; /* 0 absorbs all factors except poles */
    for (uint32_t i = 0; i < t->count; i++)
        if (is_pole_factor(s, &t->list[i])) t->list[kept++] = t->list[i];
    t->count = kept;
}

/* -- opening -- */

void collect_sum(struct simplifier *s, struct terms *sum, const expr *e, const expr *factor)
{
    bool keeps_size = expr_is_number(factor, 1, 1) || expr_is_number(factor, -1, 1);
    for (; e->kind == EXPR_ADD && keeps_size; e = e->operand[0]) collect_sum(s, sum, e->operand[1], factor);
    if (e->kind == EXPR_NUMBER)
        sum->constant = number_add(s, sum->constant, number_multiply(s, e, factor));
    else if (e->kind == EXPR_MUL && e->operand[0]->kind == EXPR_NUMBER)
        terms_add(s, sum, e->operand[1], number_multiply(s, factor, e->operand[0]));
    else
        terms_add(s, sum, e, factor);
}

struct terms terms_of_sum(struct simplifier *s, const expr *e, const expr *factor)
{
    struct terms sum = terms_new(s, expr_integer(s->dag, 0));
    collect_sum(s, &sum, e, factor);
    terms_merge(s, &sum, true);
    return sum;
}

/* Adds number^exponent for an exponent that is a fraction. Exact roots are taken. Otherwise numerator and
 * denominator become bases. */
static void collect_root(struct simplifier *s, struct terms *product, const expr *number,
                         const expr *exponent)
{
    if (mpq_sgn(number->number) <= 0 || !mpz_fits_ulong_p(mpq_denref(exponent->number))) {
        terms_add(s, product, number, exponent);
        return;
    }
    unsigned long degree = mpz_get_ui(mpq_denref(exponent->number));
    for (int part = 0; part < 2; part++) { /* numerator, denominator */
        mpq_t base;
        mpq_init(base);
        mpz_set(mpq_numref(base), part ? mpq_denref(number->number) : mpq_numref(number->number));
        bool exact = mpz_root(mpq_numref(base), mpq_numref(base), degree);
        if (!exact) mpz_set(mpq_numref(base), part ? mpq_denref(number->number) : mpq_numref(number->number));
        const expr *node = expr_number(s->dag, base);
        mpq_clear(base);
        const expr *power = part ? number_scale(s, exponent, -1) : exponent;
        if (exact) power = number_scale(s, power, (long)degree);
        if (!expr_is_number(node, 1, 1)) terms_add(s, product, node, power);
    }
}

static bool is_positive_constant(const expr *e)
{
    if (e->kind == EXPR_POWER) e = e->operand[0];
    return e->kind == EXPR_PI || (e->kind == EXPR_NUMBER && mpq_sgn(e->number) > 0);
}

/* Adds base^exponent as a factor. A logistic in the denominator becomes a sigmoid in the numerator. */
static void add_factor(struct simplifier *s, struct terms *product, const expr *base, const expr *exponent)
{
    const expr *sigmoid, *constant;
    if (base->kind != EXPR_ADD || mpq_sgn(exponent->number) >= 0 ||
        !simplify_logistic(s, base, &sigmoid, &constant)) {
        terms_add(s, product, base, exponent);
        return;
    }
    const expr *positive = number_scale(s, exponent, -1);
    terms_add(s, product, sigmoid, positive);
    collect_product(s, product, constant, positive);
}

void collect_product(struct simplifier *s, struct terms *product, const expr *e, const expr *exponent)
{
    for (; e->kind == EXPR_MUL && (number_is_integer(exponent) || is_positive_constant(e->operand[0]));
         e = e->operand[1])
        collect_product(s, product, e->operand[0], exponent);
    if (e->kind == EXPR_NUMBER && !number_is_integer(exponent)) {
        collect_root(s, product, e, exponent);
    } else if (e->kind == EXPR_POWER) {
        const expr *inner = expr_number(s->dag, e->number), *both = number_multiply(s, inner, exponent);
        bool merges = number_is_integer(inner) ? number_is_integer(exponent) : !number_is_integer(both);
        if (merges || is_positive_constant(e))
            add_factor(s, product, e->operand[0], both);
        else if (simplify_is_nonnegative(e->operand[0]))
            collect_product(s, product, e->operand[0], both);
        else
            add_factor(s, product, e, exponent);
    } else {
        add_factor(s, product, e, exponent);
    }
}

struct terms terms_of_product(struct simplifier *s, const expr *e, const expr *number)
{
    struct terms product = terms_new(s, number);
    collect_product(s, &product, e, expr_integer(s->dag, 1));
    terms_merge(s, &product, false);
    return product;
}

const expr *terms_exponent(struct simplifier *s, const struct terms *factors, const expr *base)
{
    for (uint32_t i = 0; i < factors->count; i++)
        if (factors->list[i].base == base) return factors->list[i].number;
    return expr_integer(s->dag, 0);
}

void merge_exponentials(struct simplifier *s, struct terms *product)
{
    struct terms sum = terms_new(s, expr_integer(s->dag, 0));
    uint32_t kept = 0, found = 0;
    bool powers = false;
    for (uint32_t i = 0; i < product->count; i++) {
        if (product->list[i].base->kind != EXPR_exp) continue;
        powers |= !expr_is_number(product->list[i].number, 1, 1);
        found++;
    }
    if (found < 2 && !powers) return;
    for (uint32_t i = 0; i < product->count; i++) {
        struct term t = product->list[i];
        if (t.base->kind != EXPR_exp)
            product->list[kept++] = t;
        else
            collect_sum(s, &sum, simplify_multiply(s, t.number, t.base->operand[0]), expr_integer(s->dag, 1));
    }
    product->count = kept;
    const expr *merged = simplify_function(s, EXPR_exp, simplify_sum(s, &sum));
    collect_product(s, product, merged, expr_integer(s->dag, 1));
    terms_merge(s, product, false);
}

/* -- building -- */

const expr *build_sum(struct simplifier *s, const struct terms *sum)
{
    const expr *e = NULL;
    for (uint32_t i = 0; i < sum->count; i++) {
        const struct term *t = &sum->list[i];
        bool plain = expr_is_number(t->number, 1, 1);
        const expr *term = plain ? t->base : expr_binary(s->dag, EXPR_MUL, t->number, t->base);
        e = e ? expr_binary(s->dag, EXPR_ADD, e, term) : term;
    }
    if (!e) return sum->constant;
    return expr_is_number(sum->constant, 0, 1) ? e : expr_binary(s->dag, EXPR_ADD, e, sum->constant);
}

const expr *build_product(struct simplifier *s, const struct terms *product)
{
    const expr *e = NULL;
    /* The first factor is the outermost, as collect_product opens it. */
    for (uint32_t i = product->count; i-- > 0;) {
        const struct term *t = &product->list[i];
        bool plain = expr_is_number(t->number, 1, 1);
        const expr *factor = plain ? t->base : expr_power(s->dag, t->base, t->number->number);
        e = e ? expr_binary(s->dag, EXPR_MUL, factor, e) : factor;
    }
    if (!e) return product->constant;
    if (expr_is_number(product->constant, 1, 1)) return e;
    if (e->kind == EXPR_ADD && expr_is_number(product->constant, -1, 1)) { /* -(a + b) is -a - b */
        const struct terms sum = terms_of_sum(s, e, product->constant);
        return build_sum(s, &sum);
    }
    return expr_binary(s->dag, EXPR_MUL, product->constant, e);
}

bool leads_negative(const expr *e)
{
    while (e->kind == EXPR_ADD) e = e->operand[0];
    if (e->kind == EXPR_MUL) e = e->operand[0];
    return e->kind == EXPR_NUMBER && mpq_sgn(e->number) < 0;
}

const expr *simplify_multiply(struct simplifier *s, const expr *a, const expr *b)
{
    const expr *one = expr_integer(s->dag, 1);
    struct terms product = terms_new(s, one);
    collect_product(s, &product, a, one);
    collect_product(s, &product, b, one);
    return simplify_product(s, &product);
}

const expr *simplify_add(struct simplifier *s, const expr *a, const expr *b, long factor_of_b)
{
    struct terms sum = terms_new(s, expr_integer(s->dag, 0));
    collect_sum(s, &sum, a, expr_integer(s->dag, 1));
    collect_sum(s, &sum, b, expr_integer(s->dag, factor_of_b));
    return simplify_sum(s, &sum);
}

const expr *simplify_scale(struct simplifier *s, const expr *e, long factor)
{
    return factor == 1 ? e : simplify_multiply(s, expr_integer(s->dag, factor), e);
}
