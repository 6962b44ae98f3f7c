/* Fits by Lawson's algorithm, then rounds one coefficient after another. */
#include "quotient.h"
#include "wider.h"

#include <math.h>
#include <string.h>

enum {
    TERMS = 2 * (QUOTIENT_MAX_DEGREE + 1),
    LANES = 8,
    /* Whole groups of lanes, for the terms and the right-hand side. */
    WIDTH = TERMS / LANES * LANES + LANES,
    /* Rounds of reweighting. The error is then within some percent of the smallest. */
    ROUNDS = 40,
    REFIT_ROUNDS = 8, /* rounds after one more coefficient is rounded */
    POLISH_PASSES = 4,
};

typedef double lanes __attribute__((vector_size(LANES * sizeof(double))));

/* A fit. The coefficients are those of powers of v / scale. The scale is a power of two, so that rounding
 * these coefficients also rounds those of v. */
struct fit {
    const struct quotient_problem *problem;
    double scale, u[QUOTIENT_MAX_POINTS], share[QUOTIENT_MAX_POINTS];
    double coefficient[TERMS], best[TERMS], best_error;
    bool fixed[TERMS];
    lanes matrix[QUOTIENT_MAX_POINTS][WIDTH / LANES]; /* The last column in use is the right-hand side. */
};

static unsigned terms(const struct fit *f)
{
    return f->problem->numerator_degree + f->problem->denominator_degree + 2;
}

static double polynomial_at(const double *coefficient, unsigned degree, double u)
{
    double sum = coefficient[degree];
    for (unsigned k = degree; k-- > 0;) sum = sum * u + coefficient[k];
    return sum;
}

/* Evaluates the polynomial at all points. */
static void find_values(double *out, const struct fit *f, const double *coefficient, unsigned degree)
{
    for (unsigned i = 0; i < QUOTIENT_MAX_POINTS; i++) out[i] = coefficient[degree];
    for (unsigned k = degree; k-- > 0;)
        for (unsigned i = 0; i < QUOTIENT_MAX_POINTS; i++) out[i] = out[i] * f->u[i] + coefficient[k];
}

static const double *denominator_of(const struct fit *f)
{
    return f->coefficient + f->problem->numerator_degree + 1;
}

/* -- least squares -- */

/* Reflects column k below row k onto one element, and applies the reflection to the columns on its right.
 * Works on whole vectors: the other columns in these vectors are never read again. */
static inline __attribute__((always_inline)) void reflect(lanes (*matrix)[WIDTH / LANES], unsigned rows,
                                                          unsigned k, unsigned columns)
{
    double norm = 0, own[QUOTIENT_MAX_POINTS];
    for (unsigned i = k; i < rows; i++) own[i] = matrix[i][k / LANES][k % LANES];
    for (unsigned i = k; i < rows; i++) norm += own[i] * own[i];
    norm = sqrt(norm);
    if (norm == 0) return;
    const double diagonal = own[k] > 0 ? -norm : norm;
    own[k] -= diagonal;
    const double factor = 1 / (diagonal * own[k]);
    for (unsigned group = (k + 1) / LANES; group <= columns / LANES; group++) {
        lanes product = {0};
        for (unsigned i = k; i < rows; i++) product += own[i] * matrix[i][group];
        product *= factor;
        for (unsigned i = k; i < rows; i++) matrix[i][group] += product * own[i];
    }
    matrix[k][k / LANES][k % LANES] = diagonal;
}

static inline __attribute__((always_inline)) void triangle(struct fit *f, unsigned columns)
{
    for (unsigned k = 0; k < columns; k++) reflect(f->matrix, f->problem->point_count, k, columns);
}

static void triangle_plain(struct fit *f, unsigned columns) { triangle(f, columns); }
WIDER_AVX2 static void triangle_avx2(struct fit *f, unsigned columns) { triangle(f, columns); }
WIDER_AVX512 static void triangle_avx512(struct fit *f, unsigned columns) { triangle(f, columns); }

static double at(const struct fit *f, unsigned row, unsigned column)
{
    return f->matrix[row][column / LANES][column % LANES];
}

static bool solve_columns(struct fit *f, unsigned columns, double *solution)
{
    if (runs_avx512())
        triangle_avx512(f, columns);
    else if (runs_avx2())
        triangle_avx2(f, columns);
    else
        triangle_plain(f, columns);
    for (unsigned k = columns; k-- > 0;) {
        double sum = at(f, k, columns);
        for (unsigned j = k + 1; j < columns; j++) sum -= at(f, k, j) * solution[j];
        if (at(f, k, k) == 0) return false;
        solution[k] = sum / at(f, k, k);
    }
    return true;
}

static void set_column(struct fit *f, unsigned column, const double *value)
{
    for (unsigned i = 0; i < f->problem->point_count; i++)
        f->matrix[i][column / LANES][column % LANES] = value[i];
}

/* Fits the free coefficients by least squares. Each point has a row, with the free coefficients' share in P -
 * value Q and the remainder of the fixed ones. */
static bool refit(struct fit *f)
{
    const struct quotient_problem *p = f->problem;
    double solution[TERMS], weight[QUOTIENT_MAX_POINTS], power[QUOTIENT_MAX_POINTS],
        rest[QUOTIENT_MAX_POINTS] = {0};
    unsigned columns = 0, column = 0;
    for (unsigned t = 0; t < terms(f); t++) columns += !f->fixed[t];
    if (!columns || columns >= p->point_count) return false;
    find_values(power, f, denominator_of(f), p->denominator_degree);
    for (unsigned i = 0; i < p->point_count; i++)
        power[i] = weight[i] = sqrt(f->share[i]) * p->weight[i] / power[i];
    for (unsigned t = 0; t < terms(f); t++) {
        for (unsigned i = 0; t == p->numerator_degree + 1 && i < p->point_count; i++)
            power[i] = -weight[i] * p->value[i];
        if (!f->fixed[t]) set_column(f, column++, power);
        for (unsigned i = 0; f->fixed[t] && i < p->point_count; i++) rest[i] -= power[i] * f->coefficient[t];
        for (unsigned i = 0; i < p->point_count; i++) power[i] *= f->u[i];
    }
    set_column(f, columns, rest);
    if (!solve_columns(f, columns, solution)) return false;
    column = 0;
    for (unsigned t = 0; t < terms(f); t++)
        if (!f->fixed[t]) f->coefficient[t] = solution[column++];
    return true;
}

/* -- reweighting -- */

static double largest_error(const struct fit *f, double *error)
{
    const struct quotient_problem *p = f->problem;
    double worst = 0, made[QUOTIENT_MAX_POINTS], below[QUOTIENT_MAX_POINTS];
    find_values(made, f, f->coefficient, p->numerator_degree);
    find_values(below, f, denominator_of(f), p->denominator_degree);
    for (unsigned i = 0; i < p->point_count; i++)
        error[i] = fabs(made[i] / below[i] - p->value[i]) * p->weight[i];
    for (unsigned i = 0; i < p->point_count; i++) {
        if (!(below[i] > 0)) return (double)INFINITY;
        if (!(error[i] <= worst)) worst = error[i];
    }
    return worst;
}

static void keep_if_best(struct fit *f, double error)
{
    if (!(error < f->best_error)) return;
    f->best_error = error;
    memcpy(f->best, f->coefficient, sizeof f->best);
}

/* Reweights the points. A point with a small error loses its share, but always keeps enough to regain it. */
static void iterate(struct fit *f, unsigned rounds)
{
    double error[QUOTIENT_MAX_POINTS];
    for (unsigned round = 0; round < rounds && refit(f); round++) {
        const double worst = largest_error(f, error);
        if (!isfinite(worst) || worst == 0) break;
        keep_if_best(f, worst);
        double sum = 0;
        for (unsigned i = 0; i < f->problem->point_count; i++)
            sum += f->share[i] = fmax(f->share[i] * (error[i] / worst), 1e-12);
        for (unsigned i = 0; i < f->problem->point_count; i++) f->share[i] /= sum;
    }
    if (isfinite(f->best_error)) memcpy(f->coefficient, f->best, sizeof f->best);
}

static void start(struct fit *f, const struct quotient_problem *problem)
{
    memset(f, 0, sizeof *f);
    f->problem = problem;
    f->scale = 0x1p-20;
    f->best_error = (double)INFINITY;
    for (unsigned i = 0; i < problem->point_count; i++)
        while (fabs(problem->point[i]) > f->scale) f->scale *= 2;
    for (unsigned i = 0; i < problem->point_count; i++) {
        f->u[i] = problem->point[i] / f->scale;
        f->share[i] = 1;
    }
    f->coefficient[problem->numerator_degree + 1] = 1; /* the denominator's constant */
    f->fixed[problem->numerator_degree + 1] = true;
}

static void finish(struct quotient *out, const struct fit *f)
{
    const struct quotient_problem *p = f->problem;
    double power = 1;
    *out = (struct quotient){p->numerator_degree, p->denominator_degree, {0}, {0}, f->best_error};
    for (unsigned k = 0; k <= QUOTIENT_MAX_DEGREE; k++, power /= f->scale) {
        if (k <= p->numerator_degree) out->numerator[k] = f->best[k] * power;
        if (k <= p->denominator_degree) out->denominator[k] = f->best[p->numerator_degree + 1 + k] * power;
    }
}

void quotient_fit(struct quotient *out, const struct quotient_problem *problem)
{
    struct fit f;
    start(&f, problem);
    iterate(&f, ROUNDS);
    finish(out, &f);
}

/* -- rounding -- */

/* Multiplies P and Q by the factor for which P's constant is closest to an f32 number. */
static void choose_constant(struct fit *f)
{
    enum { STEPS = 64 };
    double best = 1, least = (double)INFINITY;
    for (int step = 0; step < STEPS; step++) {
        const double factor = 1 + (double)step / (double)STEPS, value = f->coefficient[0] * factor;
        const double loss = fabs((double)(float)value - value) / fabs(value);
        if (loss < least * 0.75) { /* 1, unless another factor is clearly better */
            least = loss;
            best = factor;
        }
    }
    for (unsigned t = 0; t < terms(f); t++) f->coefficient[t] *= best;
}

/* Fixes P's constant at 1, in place of Q's. */
static void choose_numerator(struct fit *f)
{
    const double factor = 1 / f->coefficient[0];
    for (unsigned t = 0; t < terms(f); t++) f->coefficient[t] *= factor;
    f->coefficient[0] = 1;
    f->fixed[0] = true;
    f->fixed[f->problem->numerator_degree + 1] = false;
}

static void round_term(struct fit *f, unsigned t)
{
    double error[QUOTIENT_MAX_POINTS];
    f->coefficient[t] = (double)(float)f->coefficient[t];
    f->fixed[t] = true;
    f->best_error = (double)INFINITY;
    keep_if_best(f, largest_error(f, error));
    iterate(f, REFIT_ROUNDS);
}

/* Tries the f32 neighbours of each coefficient as long as one of them is better. */
static void polish(struct fit *f)
{
    double error[QUOTIENT_MAX_POINTS];
    bool better = true;
    for (int pass = 0; pass < POLISH_PASSES && better; pass++) {
        const double before = f->best_error;
        for (unsigned t = 0; t < terms(f); t++)
            for (int side = -1; side <= 1; side += 2) {
                memcpy(f->coefficient, f->best, sizeof f->best);
                if (f->problem->unit_numerator && t == 0) continue;
                if (!f->problem->denominator_degree && t == f->problem->numerator_degree + 1) continue;
                f->coefficient[t] =
                    (double)nextafterf((float)f->coefficient[t], side < 0 ? -INFINITY : INFINITY);
                keep_if_best(f, largest_error(f, error));
            }
        better = f->best_error < before;
    }
}

void quotient_fit_rounded(struct quotient *out, const struct quotient_problem *problem)
{
    struct fit f;
    start(&f, problem);
    iterate(&f, ROUNDS);
    const unsigned constant = problem->numerator_degree + 1;
    if (problem->unit_numerator)
        choose_numerator(&f);
    else if (problem->denominator_degree)
        choose_constant(&f);
    for (unsigned k = 0; k <= QUOTIENT_MAX_DEGREE; k++) {
        if (k <= problem->numerator_degree) round_term(&f, k);
        if (k <= problem->denominator_degree && !f.fixed[constant + k]) round_term(&f, constant + k);
    }
    polish(&f);
    finish(out, &f);
}

/* -- the result -- */

/* Bounds the denominator on short intervals. On each, terms that grow with |v| count at the near end, the
 * others at the far end. */
bool quotient_is_finite(const struct quotient *q, double low, double high)
{
    enum { INTERVALS = 512 };
    const double sign = low < 0 ? -1 : 1, from = fmin(fabs(low), fabs(high)),
                 to = fmax(fabs(low), fabs(high));
    for (int i = 0; i < INTERVALS; i++) {
        const double near = from + (to - from) * i / (double)INTERVALS,
                     far = from + (to - from) * (i + 1) / (double)INTERVALS;
        double least = 0, near_power = 1, far_power = 1;
        for (unsigned k = 0; k <= q->denominator_degree; k++) {
            const double c = q->denominator[k] * (k & 1 ? sign : 1);
            least += c > 0 ? c * near_power : c * far_power;
            near_power *= near;
            far_power *= far;
        }
        if (!(least > 0)) return false;
    }
    return true;
}

double quotient_value(const struct quotient *q, double v)
{
    return polynomial_at(q->numerator, q->numerator_degree, v) /
           polynomial_at(q->denominator, q->denominator_degree, v);
}
