/* Writes powers with constant exponents. */
#include "compose.h"

/* Returns x^n by repeated squaring. */
static struct number integer_power(struct composer *c, struct number x, unsigned long n)
{
    struct number power = x, result = number_integer(c, 1);
    bool started = false;
    for (; n; n >>= 1) {
        if (n & 1) result = started ? number_times(c, result, power) : power;
        started = started || (n & 1);
        if (n > 1) power = number_times(c, power, power);
    }
    return result;
}

/* Returns x^(n/degree) for a degree of 1, 2 or 4. Whole powers are taken of x, because a root has a rounding
 * error of its own, which a power of the root multiplies. */
static struct number root_power(struct composer *c, struct number x, unsigned long n, unsigned long degree)
{
    struct number root = x;
    for (unsigned long left = degree; left > 1; left /= 2) root = number_sqrt(c, root);
    if (n < degree || degree == 1) return integer_power(c, root, n);
    return number_times(c, integer_power(c, x, n / degree), integer_power(c, root, n % degree));
}

enum { LARGEST_INTEGER_POWER = 64 };

/* Returns x^|exponent|: by products for integers, by square roots for halves and quarters, and otherwise by
 * exp(exponent log x). */
struct number compose_power_size(struct composer *c, struct number x, mpq_srcptr exponent)
{
    const bool small = mpz_cmpabs_ui(mpq_numref(exponent), LARGEST_INTEGER_POWER) <= 0 &&
                       mpz_cmp_ui(mpq_denref(exponent), 4) <= 0 && mpz_cmp_ui(mpq_denref(exponent), 3) != 0;
    if (small) return root_power(c, x, mpz_get_ui(mpq_numref(exponent)), mpz_get_ui(mpq_denref(exponent)));
    mpfr_t factor;
    mpfr_init2(factor, COMPOSE_CONSTANT_BITS);
    mpfr_set_q(factor, exponent, MPFR_RNDN);
    mpfr_abs(factor, factor, MPFR_RNDN);
    const struct number constant = number_of_mpfr(c, factor);
    mpfr_clear(factor);
    return compose_exp(c, number_times(c, constant, compose_log(c, x)));
}

struct number compose_power(struct composer *c, struct number x, mpq_srcptr exponent)
{
    const struct number y = compose_power_size(c, x, exponent);
    return mpq_sgn(exponent) < 0 ? number_over(c, number_integer(c, 1), y) : y;
}
