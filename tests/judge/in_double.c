/* Formulas in double, for blocks of inputs. */
#include "ball.h"

#include <math.h>
#include <stdlib.h>

#define T            double
#define E            double
#define UNIT         0x1p-53
#define HUGE_NUMBER  1e300
#define ADD(a, b)    ((a) + (b))
#define SUB(a, b)    ((a) - (b))
#define MUL(a, b)    ((a) * (b))
#define DIV(a, b)    ((a) / (b))
#define LESS(a, b)   ((a) < (b))
#define ROOT(e)      sqrt(e)
#define MAGNITUDE(v) fabs(v)
#define INTEGER(n)   ((double)(n))
#define FROM(x)      ((double)(x))
#define FN(name, v)  name(v)
#define LANES        BLOCK
#include "ball.inc"

static ball number(const char *text)
{
    const double v = strtod(text, NULL);
    return ball_of(v, 0, v == floor(v) || v == 0.5 ? 0 : 1);
}

#include "steps.inc"

struct double_steps {
    struct steps steps;
    int has_constants;
};

struct double_steps *double_prepare(const struct formula *f)
{
    struct double_steps *s = calloc(1, sizeof *s);
    if (!s) abort();
    s->steps.formula = *f;
    return s;
}

void double_evaluate(struct double_steps *s, int derivative, const float *x, struct block *out)
{
    const struct lanes *r = find(&s->steps, derivative, x, s->has_constants);
    s->has_constants = 1;
    for (int n = 0; n < BLOCK; n++) out->value[n] = r->v[n], out->error[n] = r->e[n];
}
