/* Products as one quotient: negative exponents are below the bar, and constants are one number. */
#include "quarter_turns.h"
#include "walk.h"

struct fraction {
    struct number top, bottom;
    bool has_top, has_bottom;
    const expr *constants[MOST_CONSTANTS]; /* above the bar */
    unsigned constant_count;
};

static void multiply_part(struct composer *c, struct number *part, bool *has_part, struct number factor)
{
    *part = *has_part ? number_times(c, *part, factor) : factor;
    *has_part = true;
}

static void collect_factor(struct walk *w, struct fraction *f, const expr *factor)
{
    struct composer *c = w->composer;
    if (constant_is_quotient(c, factor)) {
        multiply_part(c, &f->top, &f->has_top, number_integer(c, mpz_get_d(mpq_numref(factor->number))));
        multiply_part(c, &f->bottom, &f->has_bottom,
                      number_integer(c, mpz_get_d(mpq_denref(factor->number))));
    } else if (is_folded(factor) && f->constant_count < MOST_CONSTANTS) {
        f->constants[f->constant_count++] = factor;
    } else if (is_divisor(factor)) {
        multiply_part(c, &f->bottom, &f->has_bottom,
                      compose_power_size(c, value_of(w, factor->operand[0]), factor->number));
    } else {
        multiply_part(c, &f->top, &f->has_top, value_of(w, factor));
    }
}

/* Collects the factors of e's right-nested chain. Constant factors are separate, and factors with negative
 * exponents are below the bar. */
static struct fraction fraction_of(struct walk *w, const expr *e)
{
    struct fraction f = {.constant_count = 0};
    for (; e->kind == EXPR_MUL; e = e->operand[1]) collect_factor(w, &f, e->operand[0]);
    collect_factor(w, &f, e);
    return f;
}

const expr *product_single_factor(mpfr_ptr constants, const expr *product)
{
    const expr *variable = NULL;
    bool is_single = true;
    mpfr_set_ui(constants, 1, MPFR_RNDN);
    for (const expr *rest = product; rest; rest = rest->kind == EXPR_MUL ? rest->operand[1] : NULL) {
        const expr *factor = rest->kind == EXPR_MUL ? rest->operand[0] : rest;
        if (is_folded(factor)) {
            constant_multiply(constants, factor);
        } else {
            is_single = is_single && !variable && !is_divisor(factor);
            variable = factor;
        }
    }
    return is_single ? variable : NULL;
}

/* Computes a logarithm times constants, whose tables include the constants. A power of two stays a factor,
 * which rounds nothing. Returns false if the product is none of that kind. */
static bool logarithm_times(struct number *out, struct walk *w, const expr *product)
{
    mpfr_t constants;
    if (!(w->composer->ways & COMPOSE_TABLES)) return false;
    mpfr_init2(constants, COMPOSE_CONSTANT_BITS);
    const expr *log = product_single_factor(constants, product);
    const bool fits = log && log->kind == EXPR_log && mpfr_min_prec(constants) > 1;
    if (fits) *out = compose_log_times(w->composer, constants, value_of(w, log->operand[0]));
    mpfr_clear(constants);
    return fits;
}

struct number product_as_quotient(struct walk *w, const expr *e)
{
    struct composer *c = w->composer;
    const expr *number = e->operand[0], *function = e->operand[1];
    if (c->kind == NUMBER_F32 && !(c->ways & COMPOSE_PAIRS) && number->kind == EXPR_NUMBER &&
        function->kind == EXPR_tanh && constant_is_rounded(c, number))
        return compose_tanh_times(c, number->number, value_of(w, function->operand[0]));
    if (is_tangent_by_turn_parts(c, e))
        return tangent_by_turn_parts(c, e->operand[e->operand[0]->kind == EXPR_POWER]->operand[0]);
    struct number logarithm;
    if (logarithm_times(&logarithm, w, e)) return logarithm;
    struct fraction f = fraction_of(w, e);
    const bool negates = f.constant_count == 1 && f.has_top && expr_is_number(f.constants[0], -1, 1);
    if (f.constant_count && !negates) {
        const struct number constant = number_of_constants(c, f.constants, f.constant_count);
        f.top = f.has_top ? number_times(c, constant, f.top) : constant;
    } else if (!f.has_top) {
        f.top = number_integer(c, 1);
    }
    if (f.has_bottom) f.top = number_over(c, f.top, f.bottom);
    return negates ? number_neg(c, f.top) : f.top;
}
