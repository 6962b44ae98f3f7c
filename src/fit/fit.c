#include "fit.h"

#include <stdlib.h>
#include <string.h>

/* The exchange converges in a few rounds or goes in circles by the last bits; either way the best round is
 * kept. */
enum { EXCHANGE_ROUNDS = 12 };

/* cos(pi * i / n) by the recurrence of the Chebyshev polynomials: exact enough, and the same on every machine. */
void fit_points(struct fit_problem *p, double low, double high, unsigned count)
{
    const quad cosine = quad_cos_pi_over(count - 1);
    quad middle = ((quad)low + (quad)high) / 2, half = ((quad)high - (quad)low) / 2;
    quad previous = cosine, current = 1; /* cos(-angle), cos(0) */
    p->point_count = count;
    for (unsigned i = 0; i < count; i++) {
        p->point[count - 1 - i] = (double)(middle + half * current);
        quad next = 2 * cosine * current - previous;
        previous = current;
        current = next;
    }
    p->point[0] = low;
    p->point[count - 1] = high;
}

unsigned fit_terms_guess(const struct fit_problem *p, double wanted)
{
    unsigned n = p->point_count - 1, terms = 1;
    double x[FIT_MAX_POINTS], before[FIT_MAX_POINTS],
        now[FIT_MAX_POINTS]; /* T_1, T_(k-1), T_k at the points */
    double middle = (double)(p->point[0] + p->point[n]) / 2, half = (double)(p->point[n] - p->point[0]) / 2;
    for (unsigned i = 0; i <= n; i++) {
        before[i] = x[i] = ((double)p->point[i] - middle) / half;
        now[i] = 1;
    }
    for (unsigned k = 0; k < FIT_MAX_TERMS && k < n;
         k++) { /* sum of value * T_k over the grid, ends halved */
        double sum = 0;
        for (unsigned i = 0; i <= n; i++) {
            sum += (double)(p->value[i] * p->weight[i]) * now[i] / (i == 0 || i == n ? 2 : 1);
            double next = 2 * x[i] * now[i] - before[i];
            before[i] = now[i];
            now[i] = next;
        }
        if ((sum < 0 ? -sum : sum) * 2 / n > wanted) terms = k + 1;
    }
    return terms > 1 ? terms - 1 : 1;
}

struct exchange {
    const struct fit_problem *problem;
    unsigned first; /* terms before this one are fixed */
    quad coefficient[FIT_MAX_TERMS];
    quad error[FIT_MAX_POINTS]; /* weighted, signed */
    quad basis[FIT_MAX_POINTS][FIT_MAX_TERMS];
};

static quad update_errors(struct exchange *x)
{
    const struct fit_problem *p = x->problem;
    quad worst = 0;
    for (unsigned i = 0; i < p->point_count; i++) {
        quad sum = 0;
        for (unsigned k = 0; k < p->term_count; k++) sum += x->coefficient[k] * x->basis[i][k];
        x->error[i] = (sum - p->value[i]) * p->weight[i];
        if (quad_abs(x->error[i]) > worst) worst = quad_abs(x->error[i]);
    }
    return worst;
}

/* Where the first free term is negative, signs count reversed: the free terms are that term times a
 * polynomial with a constant term, and it is the quotient by it that alternates. Without this, x^3 alone
 * could not be fitted on both sides of 0. */
static int side_of(const struct exchange *x, unsigned point)
{
    quad leading = x->basis[point][x->first];
    return leading > 0 ? 1 : leading < 0 ? -1 : 0;
}

/* The polynomial whose weighted error has the same size and alternating signs at the chosen points. */
static bool level_errors(struct exchange *x, const unsigned *chosen, unsigned count)
{
    const struct fit_problem *p = x->problem;
    quad row[FIT_MAX_TERMS + 1][FIT_MAX_TERMS + 2];
    for (unsigned r = 0; r < count; r++) {
        unsigned i = chosen[r];
        quad value = p->value[i];
        for (unsigned k = 0; k < x->first; k++) value -= x->coefficient[k] * x->basis[i][k];
        for (unsigned k = x->first; k < p->term_count; k++) row[r][k - x->first] = x->basis[i][k];
        row[r][count - 1] = (r & 1 ? -side_of(x, i) : side_of(x, i)) / p->weight[i];
        row[r][count] = value;
    }
    if (!quad_solve(row[0], FIT_MAX_TERMS + 2, count, 0)) return false;
    for (unsigned k = x->first; k < p->term_count; k++) x->coefficient[k] = row[k - x->first][count];
    return true;
}

bool fit_extrema(const struct fit_errors *e, unsigned *chosen, unsigned count)
{
    unsigned extrema[FIT_MAX_POINTS], found = 0, first = 0;
    int run = 0;
    for (unsigned i = 0; i < e->points; i++) {
        const int sign = e->sign(e->context, i);
        if (!sign) continue;
        if (sign != run)
            extrema[found++] = i;
        else if (e->is_less(e->context, extrema[found - 1], i))
            extrema[found - 1] = i;
        run = sign;
    }
    while (found - first > count) {
        if (e->is_less(e->context, extrema[first], extrema[found - 1]))
            first++;
        else
            found--;
    }
    if (found - first < count) return false;
    memcpy(chosen, extrema + first, count * sizeof *chosen);
    return true;
}

static int error_sign(const void *context, unsigned i)
{
    const struct exchange *x = context;
    const int side = side_of(x, i);
    return x->error[i] * side < 0 ? -1 : abs(side);
}

static bool error_is_less(const void *context, unsigned a, unsigned b)
{
    const struct exchange *x = context;
    return quad_abs(x->error[a]) < quad_abs(x->error[b]);
}

/* Fits the free terms; leaves the best coefficients found. */
static bool exchange_points(struct exchange *x)
{
    unsigned free_terms = x->problem->term_count - x->first, count = free_terms + 1;
    unsigned chosen[FIT_MAX_TERMS + 1];
    const struct fit_errors errors = {x, x->problem->point_count, error_sign, error_is_less};
    quad best_error = -1, best[FIT_MAX_TERMS];
    if (x->first) { /* the coefficients fitted before the last one was rounded are not to be made worse */
        best_error = update_errors(x);
        memcpy(best, x->coefficient, sizeof best);
    }
    for (unsigned r = 0; r < count; r++) {
        chosen[r] = r * (x->problem->point_count - 1) / (count - 1);
        while (!side_of(x, chosen[r]) && chosen[r] + 1 < x->problem->point_count) chosen[r]++;
    }
    for (int round = 0; round < EXCHANGE_ROUNDS; round++) {
        if (!level_errors(x, chosen, count)) break;
        quad worst = update_errors(x);
        if (best_error < 0 || worst < best_error) {
            best_error = worst;
            memcpy(best, x->coefficient, sizeof best);
        }
        quad level = quad_abs(x->error[chosen[0]]);
        if (worst <= level * (quad)1.001 || !fit_extrema(&errors, chosen, count)) break;
    }
    if (best_error < 0) return false;
    memcpy(x->coefficient, best, sizeof best);
    return true;
}

static quad round_to(enum lane_type type, quad value)
{
    return type == LANE_F32 ? (quad)(float)value : (quad)(double)value;
}

static void set_basis(struct exchange *x)
{
    const struct fit_problem *p = x->problem;
    for (unsigned i = 0; i < p->point_count; i++)
        for (unsigned k = 0; k < p->term_count; k++) x->basis[i][k] = quad_power(p->point[i], p->power[k]);
}

double fit_error(const struct fit_problem *p)
{
    struct exchange x = {.problem = p};
    set_basis(&x);
    return exchange_points(&x) ? (double)update_errors(&x) : 1;
}

bool fit_polynomial(const struct fit_problem *p, enum lane_type type, struct fit_result *out)
{
    struct exchange x = {.problem = p};
    set_basis(&x);
    for (x.first = 0; x.first < p->term_count; x.first++) {
        if (!exchange_points(&x)) return false;
        x.coefficient[x.first] = round_to(type, x.coefficient[x.first]);
    }
    out->error = (double)update_errors(&x);
    for (unsigned k = 0; k < p->term_count; k++) out->coefficient[k] = (double)x.coefficient[k];
    return true;
}
