/* Formulas in MPFR, with as many bits as are asked for. */
#include "ball.h"

#include <math.h>
#include <stdlib.h>

#define MPFR_WANT_FLOAT128 1
#include <mpfr.h>

/* The numbers of an evaluation. The next evaluation takes the same. */
enum { MOST_NUMBERS = 1 << 14 };
static mpfr_t numbers[MOST_NUMBERS];
static int used, made, precision;

static mpfr_ptr new_number(void)
{
    if (used == MOST_NUMBERS) abort();
    if (used == made) mpfr_init2(numbers[made++], precision);
    if (mpfr_get_prec(numbers[used]) != precision) mpfr_set_prec(numbers[used], precision);
    return numbers[used++];
}

static mpfr_ptr of_two(int (*operation)(mpfr_ptr, mpfr_srcptr, mpfr_srcptr, mpfr_rnd_t), mpfr_srcptr a,
                       mpfr_srcptr b)
{
    mpfr_ptr r = new_number();
    operation(r, a, b, MPFR_RNDN);
    return r;
}
static mpfr_ptr of_one(int (*operation)(mpfr_ptr, mpfr_srcptr, mpfr_rnd_t), mpfr_srcptr a)
{
    mpfr_ptr r = new_number();
    operation(r, a, MPFR_RNDN);
    return r;
}
static mpfr_ptr of_double(double v)
{
    mpfr_ptr r = new_number();
    mpfr_set_d(r, v, MPFR_RNDN);
    return r;
}
/* To an integer: functions that take a mode as all others do, although they need none. */
#define INTEGRAL(name, mode)                                                                                 \
    static int whole_##name(mpfr_ptr r, mpfr_srcptr a, mpfr_rnd_t unused)                                    \
    {                                                                                                        \
        (void)unused;                                                                                        \
        return mpfr_rint(r, a, mode);                                                                        \
    }
INTEGRAL(rint, MPFR_RNDN)
INTEGRAL(floor, MPFR_RNDD)
INTEGRAL(ceil, MPFR_RNDU)
INTEGRAL(trunc, MPFR_RNDZ)
static int whole_logb(mpfr_ptr r, mpfr_srcptr a, mpfr_rnd_t mode)
{
    if (mpfr_regular_p(a)) return mpfr_set_si(r, mpfr_get_exp(a) - 1, mode);
    mpfr_abs(r, a, mode);
    if (mpfr_zero_p(a)) mpfr_set_inf(r, -1);
    return 0;
}
#undef mpfr_floor
#undef mpfr_ceil
#undef mpfr_trunc
#define mpfr_rint  whole_rint
#define mpfr_logb  whole_logb
#define mpfr_floor whole_floor
#define mpfr_ceil  whole_ceil
#define mpfr_trunc whole_trunc

#define T            mpfr_ptr
#define E            long double
#define UNIT         ldexpl(1, -precision)
#define HUGE_NUMBER  of_double(1e300)
#define ADD(a, b)    of_two(mpfr_add, a, b)
#define SUB(a, b)    of_two(mpfr_sub, a, b)
#define MUL(a, b)    of_two(mpfr_mul, a, b)
#define DIV(a, b)    of_two(mpfr_div, a, b)
#define LESS(a, b)   (mpfr_less_p(a, b) != 0)
#define ROOT(e)      sqrtl(e)
#define MAGNITUDE(v) fabsl(mpfr_get_ld(v, MPFR_RNDA))
#define INTEGER(n)   of_double(n)
#define FROM(x)      of_double(x)
#define FN(name, v)  of_one(mpfr_##name, v)
#define LANES        1
#include "ball.inc"

static ball number(const char *text)
{
    mpfr_ptr r = new_number();
    const int inexact = mpfr_strtofr(r, text, NULL, 10, MPFR_RNDN);
    return ball_of(r, 0, inexact ? 1 : 0);
}

#include "steps.inc"

struct quad_ball mpfr_evaluate(const struct formula *f, int derivative, float x, int bits)
{
    static struct steps s;
    used = 0;
    precision = bits;
    s.formula = *f;
    const struct lanes *r = find(&s, derivative, &x, 0);
    /* The error of the conversion is far below an ulp of f32. */
    return (struct quad_ball){mpfr_get_float128(r->v[0], MPFR_RNDN), r->e[0]};
}
