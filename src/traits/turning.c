/* Reads the coefficients of an argument, in quarter turns, off its formula. */
#include "turning.h"
#include "reference.h"

static bool power_of_input(const expr *e, unsigned *power)
{
    const bool square = e->kind == EXPR_POWER && !mpq_cmp_si(e->number, 2, 1);
    if (square) e = e->operand[0];
    *power += square ? 2 : 1;
    return e->kind == EXPR_INPUT && *power < TURNING_POWERS;
}

/* Adds a term constants * x^k. Returns false if the term has another form. */
static bool add_term(struct turning *a, const expr *e)
{
    mpfr_t product, factor;
    unsigned power = 0;
    bool fits = true;
    mpfr_inits2(mpfr_get_prec(a->coefficient[0]), product, factor, (mpfr_ptr)0);
    mpfr_set_ui(product, 1, MPFR_RNDN);
    for (bool last = false; fits && !last; e = e->operand[1]) {
        const expr *part = e->kind == EXPR_MUL ? e->operand[0] : e;
        last = e->kind != EXPR_MUL;
        if (expr_is_constant(part)) {
            reference_constant(factor, part, (unsigned)mpfr_get_prec(factor) - 20);
            mpfr_mul(product, product, factor, MPFR_RNDN);
        } else {
            fits = power_of_input(part, &power);
        }
        if (last) break;
    }
    fits = fits && mpfr_number_p(product);
    if (fits) mpfr_add(a->coefficient[power], a->coefficient[power], product, MPFR_RNDN);
    mpfr_clears(product, factor, (mpfr_ptr)0);
    return fits;
}

void turning_from_radians(mpfr_t c)
{
    const mpfr_prec_t precision = mpfr_get_prec(c);
    mpfr_t pi, nearest, apart;
    mpfr_inits2(precision, pi, apart, (mpfr_ptr)0);
    mpfr_init2(nearest, 53);
    mpfr_const_pi(pi, MPFR_RNDN);
    mpfr_mul_2ui(c, c, 1, MPFR_RNDN);
    mpfr_div(c, c, pi, MPFR_RNDN);
    mpfr_set(nearest, c, MPFR_RNDN);
    mpfr_sub(apart, c, nearest, MPFR_RNDN);
    if (mpfr_regular_p(apart) && mpfr_get_exp(apart) < mpfr_get_exp(c) - (precision - 60))
        mpfr_set(c, nearest, MPFR_RNDN);
    mpfr_clears(pi, nearest, apart, (mpfr_ptr)0);
}

void turning_of(struct turning *a, const expr *e, mpfr_prec_t precision)
{
    a->is_polynomial = true;
    for (unsigned k = 0; k < TURNING_POWERS; k++) {
        mpfr_init2(a->coefficient[k], precision);
        mpfr_set_zero(a->coefficient[k], 1);
    }
    for (; e->kind == EXPR_ADD && a->is_polynomial; e = e->operand[0])
        a->is_polynomial = add_term(a, e->operand[1]);
    a->is_polynomial = a->is_polynomial && add_term(a, e);
    for (unsigned k = 0; k < TURNING_POWERS; k++) turning_from_radians(a->coefficient[k]);
}

void turning_clear(struct turning *a)
{
    for (unsigned k = 0; k < TURNING_POWERS; k++) mpfr_clear(a->coefficient[k]);
}

bool turning_is_linear(const expr *argument, mpfr_t constant, mpfr_t slope)
{
    struct turning a;
    turning_of(&a, argument, mpfr_get_prec(slope));
    const bool is_linear = a.is_polynomial && !mpfr_zero_p(a.coefficient[1]) && mpfr_zero_p(a.coefficient[2]);
    mpfr_set(constant, a.coefficient[0], MPFR_RNDN);
    mpfr_set(slope, a.coefficient[1], MPFR_RNDN);
    turning_clear(&a);
    return is_linear;
}
