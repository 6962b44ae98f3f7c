/* Polynomials by the exchange algorithm in 113-bit floats. */
#include "fit.h"
#include "chebyshev.h"

#include <math.h>
#include <string.h>

/* The exchange converges in a few rounds, or cycles because of the last bits. In both cases the best round is
 * kept. */
enum { EXCHANGE_ROUNDS = 12 };
#define NEAR ((quad)1.001)

void fit_points(struct fit_problem *p, double low, double high, unsigned count)
{
    quad middle = ((quad)low + (quad)high) / 2, half = ((quad)high - (quad)low) / 2, cosine[FIT_MAX_POINTS];
    p->point_count = count;
    chebyshev_cosines(cosine, count, count - 1);
    for (unsigned i = 0; i < count; i++) p->point[count - 1 - i] = (double)(middle + half * cosine[i]);
    p->point[0] = low;
    p->point[count - 1] = high;
}

void fit_powers(struct fit_problem *p, unsigned terms)
{
    p->term_count = terms;
    for (unsigned k = 0; k < terms; k++) p->power[k] = k;
}

static quad round_coefficient(enum lane_type type, quad value)
{
    return type == LANE_F32 ? (quad)(float)value : (quad)(double)value;
}

/* Sets up the exchange for the terms from `first` on. The earlier terms have their coefficients. */
static void set_exchange(struct exchange_quad *x, const struct fit_problem *p, unsigned first,
                         const quad *coefficient)
{
    x->points = p->point_count;
    x->terms = p->term_count - first;
    x->most = HUGE_VAL;
    for (unsigned i = 0; i < p->point_count; i++) {
        x->value[i] = p->value[i];
        x->weight[i] = p->weight[i];
        for (unsigned k = 0; k < first; k++)
            x->value[i] -= coefficient[k] * quad_power(p->point[i], p->power[k]);
        for (unsigned k = first; k < p->term_count; k++)
            x->basis[k - first][i] = quad_power(p->point[i], p->power[k]);
    }
}

double fit_error(const struct fit_problem *p, double most)
{
    struct exchange_quad x;
    set_exchange(&x, p, 0, NULL);
    x.most = most;
    return exchange_solve_quad(&x, EXCHANGE_ROUNDS, NEAR, false) ? (double)exchange_errors_quad(&x) : 1;
}

bool fit_polynomial(const struct fit_problem *p, enum lane_type type, struct fit_result *out)
{
    struct exchange_quad x;
    quad coefficient[FIT_MAX_TERMS];
    for (unsigned first = 0; first < p->term_count; first++) {
        set_exchange(&x, p, first, coefficient);
        if (!exchange_solve_quad(&x, EXCHANGE_ROUNDS, NEAR, first > 0)) return false;
        coefficient[first] = round_coefficient(type, x.solution[0]);
        memmove(x.solution, x.solution + 1, sizeof x.solution - sizeof *x.solution);
    }
    set_exchange(&x, p, p->term_count, coefficient);
    out->error = (double)exchange_errors_quad(&x);
    for (unsigned k = 0; k < p->term_count; k++) out->coefficient[k] = (double)coefficient[k];
    return true;
}
