/* Formulas in __float128. */
#include "ball.h"

#include <math.h>
#include <quadmath.h>

#define T            __float128
#define E            long double
#define UNIT         0x1p-113L
#define HUGE_NUMBER  1e300Q
#define ADD(a, b)    ((a) + (b))
#define SUB(a, b)    ((a) - (b))
#define MUL(a, b)    ((a) * (b))
#define DIV(a, b)    ((a) / (b))
#define LESS(a, b)   ((a) < (b))
#define ROOT(e)      sqrtl(e)
#define MAGNITUDE(v) ((long double)fabsq(v))
#define INTEGER(n)   ((__float128)(n))
#define FROM(x)      ((__float128)(x))
#define FN(name, v)  name##q(v)
#define LANES        1
#include "ball.inc"

static ball number(const char *text)
{
    const __float128 v = strtoflt128(text, NULL);
    return ball_of(v, 0, v == floorq(v) || v == 0.5Q ? 0 : 1);
}

#include "steps.inc"

struct quad_ball quad_evaluate(const struct formula *f, int derivative, float x)
{
    static struct steps s;
    s.formula = *f;
    const struct lanes *r = find(&s, derivative, &x, 0);
    return (struct quad_ball){r->v[0], r->e[0]};
}
