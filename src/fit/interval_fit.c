/* Solves the linear program on a few points, then adds the points whose constraints are broken. */
#include "interval_fit.h"
#include "exchange.h"

#include <math.h>
#include <string.h>

enum { MOST = INTERVAL_MAX_DEGREE + 2, STEPS = 60 };

/* The constraint way * (p(z) - end) + unit * distance <= 0. */
struct constraint {
    const struct interval_point *point;
    int way; /* 1: the high end, -1: the low end */
};

struct exchange {
    unsigned size; /* the coefficients and the distance */
    struct constraint chosen[MOST];
    double solution[MOST]; /* the coefficients, then the distance */
};

static void set_row(double *row, const struct constraint *c, unsigned size)
{
    double power = c->way;
    for (unsigned k = 0; k + 1 < size; k++, power *= c->point->z) row[k] = power;
    row[size - 1] = c->point->unit;
}

/* Solves the equations of the chosen constraints. With `by_columns`, solves the transposed equations: finds
 * the multiples of the constraints whose sum is `right`. */
static bool solve_chosen(double *out, const struct exchange *x, const double *right, bool by_columns)
{
    double row[MOST][MOST + 1], own[MOST];
    for (unsigned j = 0; j < x->size; j++) {
        set_row(own, &x->chosen[j], x->size);
        for (unsigned i = 0; i < x->size; i++) row[by_columns ? i : j][by_columns ? j : i] = own[i];
    }
    for (unsigned i = 0; i < x->size; i++) row[i][x->size] = right[i];
    if (!solve_f64(row[0], MOST + 1, x->size, 0)) return false;
    for (unsigned i = 0; i < x->size; i++) out[i] = row[i][x->size];
    return true;
}

/* Finds the solution for which all chosen constraints hold as equations. */
static bool level(struct exchange *x)
{
    double end[MOST];
    for (unsigned i = 0; i < x->size; i++) {
        const struct constraint *c = &x->chosen[i];
        end[i] = c->way * (c->way > 0 ? c->point->high : c->point->low);
    }
    return solve_chosen(x->solution, x, end, false);
}

/* Returns by how many units the polynomial, with that distance, breaks the point's nearer constraint. */
static double broken_by(struct constraint *c, const double *coefficient, unsigned degree, double distance,
                        const struct interval_point *p)
{
    double sum = coefficient[degree];
    for (unsigned k = degree; k-- > 0;) sum = sum * p->z + coefficient[k];
    const double above = sum - p->high, below = p->low - sum;
    *c = (struct constraint){p, above > below ? 1 : -1};
    return (above > below ? above : below) / p->unit + distance;
}

/* Finds the constraint that is broken by most. Returns false if no constraint is broken. */
static bool find_broken(struct constraint *out, const struct exchange *x, const struct interval_point *point,
                        uint32_t count)
{
    const double distance = x->solution[x->size - 1];
    double worst = fabs(distance) * 1e-6 + 1e-13;
    struct constraint c;
    bool found = false;
    for (uint32_t i = 0; i < count; i++) {
        const double over = broken_by(&c, x->solution, x->size - 2, distance, &point[i]);
        if (over <= worst) continue;
        worst = over;
        *out = c;
        found = true;
    }
    return found;
}

/* Replaces the constraint whose multiplier vanishes first by `in`. */
static bool replace(struct exchange *x, const struct constraint *in)
{
    double target[MOST] = {0}, now[MOST], change[MOST], least = HUGE_VAL;
    unsigned leaves = x->size;
    target[x->size - 1] = 1;
    if (!solve_chosen(now, x, target, true)) return false;
    set_row(target, in, x->size);
    if (!solve_chosen(change, x, target, true)) return false;
    for (unsigned j = 0; j < x->size; j++) {
        if (!(change[j] > 1e-12) || !(now[j] / change[j] < least)) continue;
        least = now[j] / change[j];
        leaves = j;
    }
    if (leaves == x->size) return false;
    x->chosen[leaves] = *in;
    return true;
}

/* Chooses alternating ends at points that are spread over the whole range. */
static bool choose_first(struct exchange *x, const struct interval_point *point, uint32_t count)
{
    double last = -HUGE_VAL;
    for (unsigned i = 0; i < x->size; i++) {
        const double wanted = -1 + 2 * (double)i / (double)(x->size - 1);
        const struct interval_point *best = NULL;
        for (uint32_t n = 0; n < count; n++)
            if (point[n].z > last && (!best || fabs(point[n].z - wanted) < fabs(best->z - wanted)))
                best = &point[n];
        if (!best) return false;
        x->chosen[i] = (struct constraint){best, i % 2 ? -1 : 1};
        last = best->z;
    }
    return true;
}

/* Interpolates if there are no more places than coefficients. The polynomial goes through the middle of the
 * interval that all points at a place have in common. */
static bool interpolate(double *coefficient, double *distance, const struct interval_point *point,
                        uint32_t count, unsigned degree)
{
    double row[MOST][MOST + 1] = {{0}};
    unsigned places = 0;
    *distance = HUGE_VAL;
    for (double last = -HUGE_VAL;;) {
        double z = HUGE_VAL, low = -HUGE_VAL, high = HUGE_VAL, unit = 1;
        for (uint32_t n = 0; n < count; n++)
            if (point[n].z > last && point[n].z < z) z = point[n].z;
        if (z == HUGE_VAL) break;
        if (places == degree + 1) return false;
        for (uint32_t n = 0; n < count; n++) {
            if (point[n].z != z) continue;
            low = point[n].low > low ? point[n].low : low;
            high = point[n].high < high ? point[n].high : high;
            unit = point[n].unit;
        }
        *distance = fmin(*distance, (high - low) / 2 / unit);
        row[places][MOST] = (low + high) / 2;
        row[places++][0] = last = z;
    }
    for (unsigned i = 0; i < places; i++) {
        const double z = row[i][0];
        row[i][places] = row[i][MOST];
        row[i][0] = 1;
        for (unsigned k = 1; k < places; k++) row[i][k] = row[i][k - 1] * z;
    }
    if (!solve_f64(row[0], MOST + 1, places, 0)) *distance = (double)NAN;
    for (unsigned k = 0; k < places; k++) coefficient[k] = row[k][places];
    return true;
}

/* Solves the linear program with the constraints of these points only. */
static double fit_few(double *coefficient, const struct interval_point *point, uint32_t count,
                      unsigned degree, double enough)
{
    struct exchange x = {.size = degree + 2};
    struct constraint broken;
    double middle;
    while (x.size > 2 && !choose_first(&x, point, count)) x.size--; /* fewer places than coefficients */
    memset(coefficient, 0, (degree + 1) * sizeof *coefficient);
    if (x.size == 2 && !choose_first(&x, point, count)) {
        interpolate(coefficient, &middle, point, count, degree);
        return middle;
    }
    for (int step = 0; step < STEPS; step++) {
        if (!level(&x)) return (double)NAN;
        memcpy(coefficient, x.solution, (x.size - 1) * sizeof *coefficient);
        if (x.solution[x.size - 1] < enough || !find_broken(&broken, &x, point, count)) break;
        if (!replace(&x, &broken)) return (double)NAN;
    }
    /* A smooth curve that keeps all intervals is better than a curve through the middle of all. */
    const bool is_short = x.size < degree + 2 && !(x.solution[x.size - 1] > 0);
    if (is_short && interpolate(coefficient, &middle, point, count, degree)) return middle;
    return x.solution[x.size - 1];
}

enum { FEW = 192, FIRST = 96, CELLS = 16, ROUNDS = 24 };

/* Adds the worst broken point of each cell to `few`. Returns false if no point is broken. */
static bool add_broken(struct interval_point *few, uint32_t *few_count, const struct interval_point *point,
                       uint32_t count, const double *coefficient, unsigned degree, double distance)
{
    const struct interval_point *worst[CELLS] = {NULL};
    double most[CELLS];
    struct constraint c;
    const double free = fabs(distance) * 1e-5 + 1e-12;
    bool any = false;
    for (unsigned i = 0; i < CELLS; i++) most[i] = free;
    for (uint32_t n = 0; n < count; n++) {
        const double over = broken_by(&c, coefficient, degree, distance, &point[n]);
        if (!(over > free)) continue;
        const unsigned cell = (unsigned)((point[n].z + 1) * (0.5 * (double)CELLS - 0.01));
        if (over <= most[cell]) continue;
        most[cell] = over;
        worst[cell] = &point[n];
    }
    for (unsigned i = 0; i < CELLS; i++) {
        if (!worst[i] || *few_count == FEW) continue;
        few[(*few_count)++] = *worst[i];
        any = true;
    }
    return any;
}

double interval_fit(double *coefficient, const struct interval_point *point, uint32_t count, unsigned degree,
                    double enough)
{
    struct interval_point few[FEW];
    if (count <= FEW) return fit_few(coefficient, point, count, degree, enough);
    uint32_t few_count = 0;
    for (uint32_t i = 0; i < FIRST; i++) few[few_count++] = point[(uint64_t)i * (count - 1) / (FIRST - 1)];
    double distance = 0;
    for (int round = 0; round < ROUNDS; round++) {
        distance = fit_few(coefficient, few, few_count, degree, enough);
        if (!(distance >= enough) ||
            !add_broken(few, &few_count, point, count, coefficient, degree, distance))
            break;
    }
    return distance;
}

double interval_fit_rounded(double *coefficient, struct interval_point *point, uint32_t count,
                            unsigned degree, double scale, const struct float_format *format)
{
    double first = 0, free[INTERVAL_MAX_DEGREE + 1];
    for (unsigned k = degree + 1; k-- > 0;) {
        const double distance = interval_fit(free, point, count, k, -HUGE_VAL);
        double leading = free[k];
        if (isnan(distance)) return distance;
        if (k == degree) first = distance;
        for (unsigned i = 0; i < k; i++) leading /= scale;
        coefficient[k] = float_round(format, leading);
        for (uint32_t i = 0; i < count; i++) {
            double part = coefficient[k];
            for (unsigned n = 0; n < k; n++) part *= point[i].v;
            point[i].low -= part;
            point[i].high -= part;
        }
    }
    return first;
}
