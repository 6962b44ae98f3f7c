/* Finds functions that are rational in an exponential. It solves for N and D at a few points and tests them
 * at others with 90 bits, so that they are exact. */
#include "logistic_ratio.h"

#include "exchange.h"
#include "float_bits.h"

enum { UNKNOWNS = 2 * RATIO_DEGREE + 1, PROBES = UNKNOWNS + 4, MOST_DECAY = 4 };

/* At t, the exponential of f is `power`, and R is `rest`. E and y follow from the form that is tried. */
struct probe {
    double t;
    quad rest, e, y;
};
struct probes {
    struct probe side[2][PROBES];
};

static quad polynomial(const float *c, quad e)
{
    quad value = 0;
    for (int k = RATIO_DEGREE; k >= 0; k--) value = value * e + (quad)c[k];
    return value;
}

static bool is_near(float c, quad exact)
{
    return quad_abs((quad)c - exact) <= (quad)0x1p-60 * (1 + quad_abs(exact));
}

static bool holds_at(const struct ratio *r, quad scale, const struct probe *p)
{
    const quad error = scale * polynomial(r->top, p->e) - p->y * polynomial(r->bottom, p->e);
    return quad_abs(error) <= (quad)0x1p-80 * (1 + quad_abs(p->y));
}

/* Finds a ratio of these degrees that is right at every probe. Except for its scale, its coefficients are f32
 * numbers. */
static bool find_ratio(struct ratio *out, const struct probe *p, unsigned top, unsigned bottom)
{
    quad row[UNKNOWNS][UNKNOWNS + 1];
    const unsigned unknowns = top + 1 + bottom;
    for (unsigned i = 0; i < unknowns; i++) {
        quad power = 1;
        for (unsigned k = 0; k <= RATIO_DEGREE; k++, power *= p[i].e) {
            if (k <= top) row[i][k] = power;
            if (k >= 1 && k <= bottom) row[i][top + k] = -p[i].y * power;
        }
        row[i][unknowns] = p[i].y;
    }
    if (!solve_quad(row[0], UNKNOWNS + 1, unknowns, (quad)0x1p-70)) return false;
    *out = (struct ratio){{0}, {1}, {1, 0}};
    const quad first = row[0][unknowns], scale = is_near((float)first, first) ? 1 : first;
    out->scale[0] = f32_towards_0((double)scale); /* one sign for both words, so that zeros keep theirs */
    out->scale[1] = (float)(scale - (quad)out->scale[0]);
    for (unsigned k = 0; k < unknowns; k++) {
        const quad exact = k <= top ? row[k][unknowns] / scale : row[k][unknowns];
        const float c = is_near(0, exact) ? 0 : (float)exact;
        if (!is_near(c, exact)) return false;
        *(k <= top ? &out->top[k] : &out->bottom[k - top]) = c;
    }
    for (unsigned k = 1; k <= RATIO_DEGREE; k++) /* The program divides by top[0]. */
        if ((quad)(out->top[k] / out->top[0]) * (quad)out->top[0] != (quad)out->top[k]) return false;
    for (unsigned i = 0; i < PROBES; i++)
        if (!holds_at(out, scale, &p[i])) return false;
    return true;
}

/* Finds the ratio of least degrees. */
static bool find_least(struct ratio *out, const struct probe *p)
{
    for (unsigned bottom = 0; bottom <= RATIO_DEGREE; bottom++)
        for (unsigned top = 0; top <= bottom; top++)
            if (find_ratio(out, p, top, bottom)) return true;
    return false;
}

/* Returns a t with q of about -1, around which the probes are spread. */
static double spread_of_probes(const struct factor_polynomial *q)
{
    double t = 0x1p-20;
    while (factor_exponential(q, t) > (quad)0.4 && t < 0x1p20) t *= 1.5;
    return t;
}

static bool find_rests(struct probe *p, const struct factor *f, reference *truth,
                       const struct factor_polynomial *q, bool negative)
{
    static const double places[PROBES] = {0.0625, 0.1875, 0.3125, 0.5,  0.75, 1, 1.375,
                                          1.875,  2.5,    3.25,   4.25, 5.5,  7};
    const double unit = (double)(float)spread_of_probes(q);
    struct factor_rest rest = {f, truth, .side = negative};
    if (f->side[negative].decays) rest.q = *q;
    for (unsigned i = 0; i < PROBES; i++) {
        p[i].t = places[i] * unit;
        if (!factor_rest_at(&rest, p[i].t, &p[i].rest)) return false;
    }
    return true;
}

/* Finds the ratios of both sides for a form of which all else is set. */
static bool find_ratios(struct logistic_form *form, struct probes *p)
{
    for (unsigned side = 0; side < 2; side++) {
        for (struct probe *at = p->side[side]; at < p->side[side] + PROBES; at++) {
            at->e = factor_exponential(&form->q, at->t);
            at->y = at->rest;
            for (unsigned i = 0; i < form->steps; i++) at->y *= (quad)at->t / (1 - at->e);
        }
        if (!find_least(&form->side[side], p->side[side])) return false;
    }
    return true;
}

bool logistic_find(struct logistic_form *out, const struct factor *f, reference *truth)
{
    const struct factor_side *side = f->side;
    const struct factor_polynomial *q = &side[!side[0].decays].q;
    struct probes p;
    for (unsigned k = 0; k <= FACTOR_MAX_DEGREE && side[0].decays && side[1].decays; k++)
        if (side[0].q.coefficient[k] != side[1].q.coefficient[k]) return false;
    if (!find_rests(p.side[0], f, truth, q, false) || !find_rests(p.side[1], f, truth, q, true)) return false;
    for (unsigned decay = 1; decay <= MOST_DECAY; decay++)
        for (unsigned steps = 0; steps <= f->power; steps++) {
            *out = (struct logistic_form){.q = *q, .power = f->power - steps, .steps = steps, .decay = decay};
            for (unsigned k = 0; k <= FACTOR_MAX_DEGREE; k++) out->q.coefficient[k] /= (quad)decay;
            if (find_ratios(out, &p)) return true;
        }
    return false;
}

bool logistic_scale_bottom(struct scaled_bottom *out, const struct ratio *r)
{
    const quad inverse = 1 / ((quad)r->scale[0] + (quad)r->scale[1]);
    const float high = (float)inverse;
    out->share = (float)(inverse / (quad)high - 1);
    for (unsigned k = 0; k <= RATIO_DEGREE; k++) {
        out->coefficient[k] = r->bottom[k] * high;
        if ((double)out->coefficient[k] != (double)r->bottom[k] * (double)high) return false;
    }
    return true;
}
