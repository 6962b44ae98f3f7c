/* Interpolates functions that MPFR computes, and evaluates segments in double words. */
#include "extended_fit.h"
#include "interpolate.h"

bool ext_quad_value(void *function, double t, quad *out)
{
    const struct ext_function *own = function;
    mpfr_t x, y;
    mpfr_inits2(EXT_FIT_BITS, x, y, (mpfr_ptr)0);
    mpfr_set_d(x, t, MPFR_RNDN);
    const bool known = own->f(own->context, y, x) && mpfr_number_p(y);
    if (known) *out = quad_of_mpfr(y);
    mpfr_clears(x, y, (mpfr_ptr)0);
    return known;
}

bool ext_interpolate(quad *coefficient, unsigned terms, double low, double high, fit_function f,
                     void *context)
{
    struct ext_function function = {f, context};
    return fit_interpolate(coefficient, terms, low, high, 0, ext_quad_value, &function);
}

bool ext_fit(double *coefficient, unsigned terms, double low, double high, fit_function f, void *context)
{
    quad exact[EXT_MOST_TERMS];
    if (!ext_interpolate(exact, terms, low, high, f, context)) return false;
    for (unsigned k = 0; k < terms; k++) coefficient[k] = (double)exact[k];
    return true;
}

struct number ext_segments_value(struct composer *c, const struct segments *s, struct number t)
{
    lane_program *p = c->program;
    struct segments_place at = segments_place(s, p, t.high);
    if (t.has_low) at.variable = word_add(c, at.variable, t.low);
    const struct number rise = word_two_product(c, segments_terms(s, p, at, 1), at.variable);
    struct number y = word_quick_two_sum(c, segments_coefficient(s, p, at.index, 0), rise.high);
    const lane_value low = segments_coefficient(s, p, at.index, s->degree + 1);
    y.low = word_add(c, y.low, word_add(c, rise.low, low));
    y.bounded = true;
    return y;
}
