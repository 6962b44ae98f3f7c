/* Turns constant expressions into numbers. Their product is computed in COMPOSE_CONSTANT_BITS and rounded
 * once. */
#include "arena_watch.h"
#include "compose.h"
#include "number.h"
#include "reference.h"

void constant_multiply(mpfr_ptr product, const expr *e)
{
    mpfr_t factor;
    mpfr_init2(factor, COMPOSE_CONSTANT_BITS);
    reference_constant(factor, e, COMPOSE_CONSTANT_BITS - 8);
    mpfr_mul(product, product, factor, MPFR_RNDN);
    mpfr_clear(factor);
}

struct number number_of_constants(struct composer *c, const expr *const *list, unsigned count)
{
    mpfr_t product;
    if (count) arena_ask(list[0]->memory); /* A constant of hundreds of terms takes about 25 ms. */
    mpfr_init2(product, COMPOSE_CONSTANT_BITS);
    mpfr_set_ui(product, 1, MPFR_RNDN);
    for (unsigned i = 0; i < count; i++) constant_multiply(product, list[i]);
    const struct number value = number_of_mpfr(c, product);
    mpfr_clear(product);
    return value;
}

bool constant_is_rounded(const struct composer *c, const expr *e)
{
    if (e->kind != EXPR_NUMBER || mpz_popcount(mpq_denref(e->number)) != 1) return true;
    mpz_srcptr top = mpq_numref(e->number);
    return mpz_sgn(top) && mpz_sizeinbase(top, 2) - mpz_scan1(top, 0) > word_precision(c);
}

bool constant_is_quotient(const struct composer *c, const expr *e)
{
    return c->ways & COMPOSE_QUOTIENTS && e->kind == EXPR_NUMBER && mpz_popcount(mpq_denref(e->number)) > 1 &&
           mpz_sizeinbase(mpq_numref(e->number), 2) <= 24 && mpz_sizeinbase(mpq_denref(e->number), 2) <= 24;
}
