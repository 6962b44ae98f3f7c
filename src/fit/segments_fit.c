/* Finds minimax coefficients for one segment after another. Computes in double, which is fast and enough for
 * 48 bits. */
#include "chebyshev.h"
#include "fit.h"
#include "segments.h"

#include <math.h>
#include <string.h>

enum {
    POINTS = SEGMENTS_POINTS,
    NOISE_POINTS = 48,
    MORE = 4, /* factor for the points of a segment that is the only one */
    TERMS = SEGMENTS_MAX_DEGREE + 1,
    ROUNDS = 8,
    GUESS_POINTS = SEGMENTS_GUESS_POINTS
};
static const double NEAR = 1.02, LOST = 0x1p-40;
_Static_assert(sizeof((struct exchange_f64 *)0)->value >= POINTS * sizeof(double) &&
                   sizeof((struct exchange_f64 *)0)->solution >= TERMS * sizeof(double),
               "an exchange has room for a segment");

/* Points of a segment at which the f32 arithmetic is tried. */
struct noise_points {
    unsigned count;
    double t[NOISE_POINTS * MORE + 1], value[NOISE_POINTS * MORE + 1], unit[NOISE_POINTS * MORE + 1];
};

struct fit {
    unsigned degree, first;      /* the coefficients before `first` are rounded */
    double v[POINTS], z[POINTS]; /* the variable, and the position in the segment, -1 .. 1 */
    double first_v,
        last_v; /* the variable at the segment's ends, without subtracting the centre: z = -1 and 1 */
    double value[POINTS];
    double unit[POINTS];       /* the reciprocal of the unit in which the error counts */
    double coefficient[TERMS]; /* coefficients of v^k */
    struct exchange_f64 free;  /* the free part: the terms v^first T_k(z) */
    struct noise_points noise;
};

/* Computes cos(pi i / (count - 1)) for i = 0 .. count - 1. */
static void set_angles(double *out, unsigned count)
{
    quad exact[FIT_MAX_POINTS];
    chebyshev_cosines(exact, count, count - 1);
    for (unsigned i = 0; i < count; i++) out[i] = (double)exact[i];
}

void segments_set_nodes(struct segments_nodes *out)
{
    const unsigned n = GUESS_POINTS - 1;
    set_angles(out->fit, POINTS);
    set_angles(out->guess, GUESS_POINTS);
    for (unsigned j = 0; j <= n; j++)
        for (unsigned k = 0; k <= n; k++)
            out->series[j][k] = chebyshev_cosine(out->guess, n, k * j) / (j == 0 || j == n ? 2 : 1);
}

/* Returns the function that is approximated on a segment. */
static const struct segments_side *function_of(const struct segments_goal *goal, const struct segment *g)
{
    return &goal->side[goal->split > 0 && g->low >= goal->split ? 1 : g->side];
}

/* Returns the reciprocal of the unit in which errors count. */
static double weight_at(const struct segments_goal *goal, const struct segments_side *side, double t,
                        double f)
{
    double y = fabs(f + side->slope * t + side->constant);
    int exponent;
    if (!goal->relative) return 1 / fmax(y, 1);
    frexp(fmax(y, 0x1p-126), &exponent);
    return ldexp(1, 1 - exponent);
}

/* Returns a weight without jumps at powers of two, which would disturb the exchange. */
static double smooth_weight_at(const struct segments_goal *goal, const struct segments_side *side, double t,
                               double f)
{
    double y = fabs(f + side->slope * t + side->constant);
    return goal->relative ? 1 / fmax(y, 0x1p-126) : 1 / fmax(y, 1);
}

/* Returns the value that the polynomial should have at t. The value at the limit also serves everything
 * beyond the limit. */
static double wanted_value_at(const struct segments *s, const struct segments_side *side, double t)
{
    double f = surrogate_at(side->f, t);
    return t >= s->limit && !isnan(side->limit) ? (f + side->limit) / 2 : f;
}

static void sample_segment(struct fit *x, const struct segments *s, const struct segments_goal *goal,
                           const struct segment *g, const double *angle)
{
    const struct segments_side *side = function_of(goal, g);
    double least = goal->vanishes && g->low == 0 ? (g->high - g->low) * 0x1p-12 : 0;
    const double low = segments_variable(s, g->low), high = segments_variable(s, g->high);
    x->first_v = low;
    x->last_v = high;
    for (unsigned i = 0; i < POINTS; i++) {
        double t = segments_argument(s, (low + high) / 2 - (high - low) / 2 * angle[i]);
        if (i == 0) t = fmax(g->low, least);
        if (i == POINTS - 1) t = g->high;
        const double v = segments_variable(s, t);
        x->z[i] = (2 * v - low - high) / (high - low);
        x->v[i] = v - g->centre;
        x->value[i] = wanted_value_at(s, side, t);
        x->free.weight[i] = smooth_weight_at(goal, side, t, x->value[i]);
        x->unit[i] = weight_at(goal, side, t, x->value[i]);
    }
}

/* Chooses points whose low bits are random, to expose rounding noise. */
static void sample_noise(struct noise_points *out, const struct segments *s, const struct segments_goal *goal,
                         const struct segment *g)
{
    const double low = segments_variable(s, g->low), high = segments_variable(s, g->high);
    const unsigned points = s->index == INDEX_RECIPROCAL ? NOISE_POINTS * MORE : NOISE_POINTS;
    const struct segments_side *side = function_of(goal, g);
    out->count = 0;
    for (unsigned i = 0; i <= points && s->type == LANE_F32; i++) {
        const unsigned stirred = i * 0x9e3779b9u >> 12, n = out->count;
        const double share = (i + (double)stirred * 0x1p-20) / (points + 1);
        out->t[n] = (double)(float)segments_argument(s, low + (high - low) * share);
        if (goal->vanishes && out->t[n] < g->high * 0x1p-8) continue;
        out->value[n] = surrogate_at(side->f, out->t[n]);
        out->unit[n] = weight_at(goal, side, out->t[n], out->value[n]);
        out->count++;
    }
}

/* Evaluates the rounded coefficients at the points. */
static void find_rounded_part(double *sum, const struct fit *x)
{
    for (unsigned i = 0; i < POINTS; i++) sum[i] = 0;
    for (unsigned k = x->first; k-- > 0;)
        for (unsigned i = 0; i < POINTS; i++) sum[i] = sum[i] * x->v[i] + x->coefficient[k];
}

static void set_exchange(struct fit *x)
{
    double before[POINTS], now[POINTS], rounded[POINTS];
    x->free.points = POINTS;
    x->free.terms = x->degree - x->first + 1;
    for (unsigned i = 0; i < POINTS; i++) now[i] = 1;
    for (unsigned k = 0; k < x->first; k++)
        for (unsigned i = 0; i < POINTS; i++) now[i] *= x->v[i];
    for (unsigned i = 0; i < POINTS; i++) before[i] = now[i] * x->z[i];
    for (unsigned k = 0; k < x->free.terms; k++)
        for (unsigned i = 0; i < POINTS; i++) {
            const double next = 2 * x->z[i] * now[i] - before[i];
            x->free.basis[k][i] = before[i] = now[i];
            now[i] = next;
        }
    find_rounded_part(rounded, x);
    for (unsigned i = 0; i < POINTS; i++) x->free.value[i] = x->value[i] - rounded[i];
}

/* Returns the worst error with every coefficient rounded. */
static double final_error(const struct fit *x)
{
    double worst = 0, rounded[POINTS];
    find_rounded_part(rounded, x);
    for (unsigned i = 0; i < POINTS; i++) worst = fmax(worst, fabs((rounded[i] - x->value[i]) * x->unit[i]));
    return worst;
}

/* Subtracts from the series its value at v = 0, and divides the rest by v = half * (z - origin). Works from
 * the top down: a_k of the product is (b_(k-1) + b_(k+1)) / 2 - origin * b_k, where b_0 counts twice. */
static void divide_series(struct fit *x, double origin, double half)
{
    const unsigned degree = x->degree - x->first;
    double above = 0, here = 0, quotient[TERMS] = {0};
    for (unsigned k = degree; k > 0; k--) {
        const double below = (2 * (x->free.solution[k] + origin * here) - above) / (k == 1 ? 2 : 1);
        quotient[k - 1] = below / half;
        above = here;
        here = below;
    }
    memcpy(x->free.solution, quotient, sizeof quotient);
}

static double round_to_lane(enum lane_type type, double value)
{
    return type == LANE_F32 ? (double)(float)value : value;
}

/* Returns a * b + c rounded to f32. The product is exact in double. The double rounding does no harm to an
 * estimate. */
static double fma32(double a, double b, double c) { return (double)(float)(a * b + c); }

static double variable32(const struct segments *s, const struct segment *g, double t)
{
    if (s->index == INDEX_RECIPROCAL) return (double)(float)(segments_variable(s, t) - g->centre);
    if (s->variable != VARIABLE_DISTANCE || s->index == INDEX_UNIFORM) return (double)(float)(t - g->centre);
    return (double)(float)((double)(float)(t + s->offset) - (g->centre + s->offset));
}

/* Rounds the coefficients one after another. After each rounding the rest is fitted again, which makes up for
 * the rounding error. Where a new fit does not help, the rest stays. Also returns false as soon as no
 * polynomial can have an error of `most` or less. Errors below LOST are roundings of double, and so are
 * differences between remainders of rounded coefficients. */
static bool fit_rounded(struct fit *x, const struct segments *s, const struct segment *g, bool no_constant,
                        double most)
{
    const double length = x->last_v - x->first_v;
    const double origin = (2 * g->centre - x->first_v - x->last_v) / length;
    bool has_solution = false;
    x->first = 0;
    if (no_constant && x->degree) x->coefficient[x->first++] = 0;
    for (; x->first <= x->degree; x->first++) {
        set_exchange(x);
        x->free.most = x->first > no_constant ? HUGE_VAL : fmax(most, LOST);
        if (!exchange_solve_f64(&x->free, ROUNDS, NEAR, has_solution)) return false;
        const double exact = chebyshev_sum(x->free.solution, x->degree - x->first, origin); /* at v = 0 */
        x->coefficient[x->first] = x->first < s->low_words ? exact : round_to_lane(s->type, exact);
        divide_series(x, origin, length / 2);
        has_solution = true;
    }
    return true;
}

/* Returns a * b + c with the product rounded to f32, too. */
static double mul_add32(double a, double b, double c) { return (double)(float)((double)(float)(a * b) + c); }

/* Returns the value that the operations give without fma. The last product is of halves, and is exact. */
static double value_in_halves(const struct segments *s, const struct segment *g, const struct fit *x,
                              double t)
{
    const double v = variable32(s, g, t), exact = segments_variable(s, t) - g->centre;
    double h = x->coefficient[x->degree];
    for (unsigned k = x->degree; k-- > 2;) h = mul_add32(h, v, x->coefficient[k]);
    return fma32((double)(float)(h * v) + x->coefficient[1], exact, x->coefficient[0]);
}

/* Returns the value that the operations give. The last operations of a reciprocal are in two words. */
static double value32(const struct segments *s, const struct segment *g, const struct fit *x, double t)
{
    double v = variable32(s, g, t), h = x->coefficient[x->degree];
    if (s->without_fma) return value_in_halves(s, g, x, t);
    if (s->low_words) {
        for (unsigned k = x->degree; k-- > 1;) h = fma32(h, v, x->coefficient[k]);
        return x->degree ? h * v + x->coefficient[0] : h;
    }
    if (s->index != INDEX_RECIPROCAL || x->degree < 2) {
        for (unsigned k = x->degree; k-- > 0;) h = fma32(h, v, x->coefficient[k]);
        return h;
    }
    for (unsigned k = x->degree; k-- > 2;) h = fma32(h, v, x->coefficient[k]);
    const double slope = h * v + x->coefficient[1], exact = segments_variable(s, t);
    const double u = (double)(float)(s->numerator / (double)(float)(t + s->offset)), high = u - g->centre;
    const double rounded = (double)(float)slope;
    return fma32(rounded, high, x->coefficient[0]) + rounded * (exact - u) + (slope - rounded) * high;
}

/* Returns whether the segment must hit the limit. Beyond the last segment f is its limit, and all bits of the
 * limit count where errors are in ulps. */
static bool is_at_limit(const struct segments *s, const struct segments_goal *goal, const struct segment *g)
{
    return goal->relative && s->type == LANE_F32 && g->high >= s->limit &&
           !isnan(function_of(goal, g)->limit);
}

static void hit_limit(const struct segments *s, const struct segment *g, struct fit *x, double limit)
{
    enum { TRIES = 4 };
    for (int i = 0; i < TRIES; i++)
        x->coefficient[0] = (double)(float)(x->coefficient[0] + (limit - value32(s, g, x, s->limit)));
}

/* Returns the largest error at points of the segment, with f32 arithmetic if the type is f32. Stops at an
 * error of `most` or more, and returns that error. */
static double noise_of(const struct segments *s, const struct segment *g, const struct fit *x, double most)
{
    const struct noise_points *p = &x->noise;
    double worst = 0;
    for (unsigned i = 0; i < p->count && worst < most; i++)
        worst = fmax(worst, fabs(value32(s, g, x, p->t[i]) - p->value[i]) * p->unit[i]);
    return worst;
}

static void keep_segment(struct segments *s, const struct segment *g, const struct fit *x)
{
    for (unsigned k = 0; k <= s->degree; k++)
        s->coefficient[k][g->entry] = k <= x->degree ? round_to_lane(s->type, x->coefficient[k]) : 0;
    for (unsigned k = 0; k < s->low_words; k++)
        s->coefficient[s->degree + 1 + k][g->entry] = x->coefficient[k] - s->coefficient[k][g->entry];
}

/* Fits a segment at the degree for which arithmetic has the least error. In a narrow segment, large
 * coefficients of high powers would cancel. If no polynomial can keep `most`, the noise need not be known. */
static bool fit_segment(struct segments *s, const struct segments_goal *goal, const struct segment *g,
                        const double *angle, double most)
{
    struct fit x;
    double error = 0, noise = -1;
    sample_segment(&x, s, goal, g, angle);
    sample_noise(&x.noise, s, goal, g);
    for (unsigned degree = s->degree + 1; degree-- > 0;) {
        x.degree = degree;
        if (!fit_rounded(&x, s, g, goal->vanishes && g->low == 0, noise < 0 ? most : noise)) {
            if (x.free.hopeless) break;
            continue;
        }
        if (is_at_limit(s, goal, g)) hit_limit(s, g, &x, (double)(float)function_of(goal, g)->limit);
        if (x.coefficient[0] == 0 && degree) /* takes the sign of the function there */
            x.coefficient[0] = copysign(0, x.coefficient[1]);
        const double new_error = final_error(&x);
        if (noise >= 0 && !(new_error < noise)) break;
        const double new_noise = fmax(new_error, noise_of(s, g, &x, noise < 0 ? HUGE_VAL : noise));
        if (noise >= 0 && !(new_noise < noise)) break;
        error = new_error;
        noise = new_noise;
        keep_segment(s, g, &x);
    }
    s->error = fmax(s->error, error);
    s->noise = fmax(s->noise, noise);
    return noise >= 0 && noise <= most;
}

void segments_clear(struct segments *s, arena *memory)
{
    s->coefficient = arena_alloc(memory, (s->degree + 1 + s->low_words) * sizeof *s->coefficient);
    s->error = s->noise = 0;
}

bool segments_fit(struct segments *s, const struct segments_goal *goal, const struct segments_nodes *nodes,
                  double most, arena *memory)
{
    struct segment cut[SEGMENTS_MAX_ENTRIES];
    const unsigned count = segments_cut(s, cut);
    segments_clear(s, memory);
    for (unsigned i = 0; i < count; i++)
        if (!fit_segment(s, goal, &cut[i], nodes->fit, most)) return false;
    return true;
}

/* Samples the segment. Returns the weight by which errors count. */
static double sample_guess(double *value, const struct segments *s, const struct segments_goal *goal,
                           const struct segment *g, const double *angle)
{
    const struct segments_side *side = function_of(goal, g);
    const double a = segments_variable(s, g->low), b = segments_variable(s, g->high);
    double weight = 0;
    for (unsigned j = 0; j < GUESS_POINTS; j++) {
        const double t = segments_argument(s, (a + b) / 2 + (b - a) / 2 * angle[j]);
        value[j] = surrogate_at(side->f, t);
        /* Near a zero at t = 0 the polynomial also has the factor t. */
        const bool near_zero = goal->vanishes && t < g->high / 16;
        if (!near_zero) weight = fmax(weight, weight_at(goal, side, t, value[j]));
    }
    return weight;
}

void segments_guess(const struct segments *s, const struct segments_goal *goal,
                    const struct segments_nodes *nodes, double error[SEGMENTS_MAX_DEGREE + 1])
{
    struct segment cut[SEGMENTS_MAX_ENTRIES];
    double value[GUESS_POINTS];
    const unsigned count = segments_cut(s, cut), n = GUESS_POINTS - 1;
    for (unsigned k = 0; k <= SEGMENTS_MAX_DEGREE; k++) error[k] = 0;
    for (unsigned i = 0; i < count; i++) {
        const double weight = sample_guess(value, s, goal, &cut[i], nodes->guess);
        double coefficient[GUESS_POINTS] = {0}, rest = 0;
        for (unsigned j = 0; j <= n; j++)
            for (unsigned k = 0; k <= n; k++) coefficient[k] += value[j] * nodes->series[j][k];
        for (unsigned k = n; k > 0; k--) {
            rest += fabs(coefficient[k] * 2 / n);
            if (k - 1 <= SEGMENTS_MAX_DEGREE) error[k - 1] = fmax(error[k - 1], rest * weight);
        }
    }
}
