/* Gathers powers of one base, and finds the bases for which that holds on the whole line.
 *
 * For u >= 0, powers multiply and add up: (u^a)^b = u^(a*b). Elsewhere (u^(1/2))^2 is u only on the domain of
 * the root, and (u^2)^(1/2) is abs(u). */
#include "simplify_parts.h"

enum { DEEPEST = 12 }; /* signs of deeper formulas stay unknown */

/* Returns 1 if e > 0 wherever it has a value, 0 if e >= 0, and -1 if its sign is unknown. */
static int least_sign(const expr *e, unsigned depth)
{
    int sign[3] = {-1, -1, -1};
    if (depth == DEEPEST) return -1;
    for (unsigned k = 0; k < expr_arity(e->kind); k++) sign[k] = least_sign(e->operand[k], depth + 1);
    const int low = sign[0] < sign[1] ? sign[0] : sign[1], high = sign[0] < sign[1] ? sign[1] : sign[0];
    switch (e->kind) {
    case EXPR_NUMBER: return mpq_sgn(e->number);
    case EXPR_PI:
    case EXPR_exp:
    case EXPR_sigmoid:
    case EXPR_erfc:
    case EXPR_softplus: return 1;
    case EXPR_ADD: return low < 0 ? -1 : high;
    case EXPR_MAX: return high;
    case EXPR_MUL:
    case EXPR_MIN: return low;
    case EXPR_IF: return sign[1] < sign[2] ? sign[1] : sign[2];
    case EXPR_abs: return sign[0] > 0;
    case EXPR_POWER:
        if (sign[0] > 0) return 1;
        return mpz_odd_p(mpq_numref(e->number)) && !mpz_cmp_ui(mpq_denref(e->number), 1) ? sign[0] : 0;
    case EXPR_expm1:
    case EXPR_tanh:
    case EXPR_erf:
    case EXPR_erfinv:
    case EXPR_atan:
    case EXPR_log1p: return sign[0];
    default: return -1;
    }
}

bool simplify_is_nonnegative(const expr *e) { return least_sign(e, 0) >= 0; }

/* Returns the term of that base, or NULL. */
static struct term *term_of(const struct terms *product, const expr *base)
{
    for (uint32_t i = 0; i < product->count; i++)
        if (product->list[i].base == base) return &product->list[i];
    return NULL;
}

/* Replaces (u^p)^n * u^m by u^(n*p + m), where p and m are fractions. If the sum is a fraction as well, the
 * domain stays. */
static bool gather_roots(struct simplifier *s, struct terms *product)
{
    for (uint32_t i = 0; i < product->count; i++) {
        struct term *root = &product->list[i];
        if (root->base->kind != EXPR_POWER || mpz_cmp_ui(mpq_denref(root->base->number), 1) == 0) continue;
        struct term *other = term_of(product, root->base->operand[0]);
        if (!other || number_is_integer(other->number)) continue;
        const expr *inner = expr_number(s->dag, root->base->number);
        const expr *all = number_add(s, other->number, number_multiply(s, inner, root->number));
        if (number_is_integer(all)) continue;
        other->number = all;
        root->number = expr_integer(s->dag, 0);
        return true;
    }
    return false;
}

/* Replaces abs(u)^n, where |n| > 1, by u^n for even n and by u^(n - 1)*abs(u) for odd n. */
static bool open_absolute_power(struct simplifier *s, struct terms *product)
{
    for (uint32_t i = 0; i < product->count; i++) {
        struct term *t = &product->list[i];
        if (t->base->kind != EXPR_abs || !number_is_integer(t->number) ||
            mpz_cmpabs_ui(mpq_numref(t->number->number), 1) <= 0)
            continue;
        const expr *u = t->base->operand[0], *base = t->base, *n = t->number;
        const bool is_odd = mpz_odd_p(mpq_numref(n->number));
        const expr *rest = expr_integer(s->dag, is_odd ? mpq_sgn(n->number) : 0);
        *t = (struct term){u, number_add(s, n, number_scale(s, rest, -1))};
        terms_add(s, product, base, rest);
        return true;
    }
    return false;
}

/* Replaces sign(u)^n by sign(u) or sign(u)^2, u^n*sign(u) by u^(n - 1)*abs(u), and abs(u)*sign(u) by u. */
static bool join_signs(struct simplifier *s, struct terms *product)
{
    const expr *one = expr_integer(s->dag, 1), *two = expr_integer(s->dag, 2);
    for (uint32_t i = 0; i < product->count; i++) {
        struct term *sign = &product->list[i];
        if (sign->base->kind != EXPR_sign || !number_is_integer(sign->number) ||
            mpq_sgn(sign->number->number) < 0)
            continue;
        const bool is_odd = mpz_odd_p(mpq_numref(sign->number->number));
        const expr *u = sign->base->operand[0], *size = simplify_function(s, EXPR_abs, u);
        struct term *factor = term_of(product, u), *magnitude = term_of(product, size);
        if (factor && number_is_integer(factor->number) && mpq_sgn(factor->number->number) > 0) {
            sign->number = is_odd ? one : expr_integer(s->dag, 0);
            sign->base = size;
            if (is_odd) factor->number = number_add(s, factor->number, expr_integer(s->dag, -1));
            return true;
        }
        if (magnitude && magnitude->number == one) {
            magnitude->base = is_odd ? u : size;
            sign->number = expr_integer(s->dag, 0);
            return true;
        }
        if (sign->number != one && sign->number != two) {
            sign->number = is_odd ? one : two;
            return true;
        }
    }
    return false;
}

/* Returns true if merging left (u^n)^m with integers n and m, which collect_product() opens. */
static bool has_power_of_power(const struct terms *product)
{
    for (uint32_t i = 0; i < product->count; i++) {
        const struct term *t = &product->list[i];
        if (t->base->kind == EXPR_POWER && number_is_integer(t->number) &&
            !mpz_cmp_ui(mpq_denref(t->base->number), 1))
            return true;
    }
    return false;
}

bool simplify_powers(struct simplifier *s, struct terms *product)
{
    return has_power_of_power(product) || gather_roots(s, product) || open_absolute_power(s, product) ||
           join_signs(s, product);
}
