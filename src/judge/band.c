/* Finds bands by forward analysis, node by node. Sums and products of lines are lines. Functions near 0 are
 * the first terms of their series. A value that the enclosure shows to be narrower is a constant.
 *
 * All roundings together count as ROUNDING times the sum of all terms. ROUNDING is four times the relative
 * error of one rounding. Underflow loses less than LOST. */
#include "band.h"
#include "enclosure_nodes.h"
#include "quick.h" /* the type of quick_functions.h */
#include "quick_functions.h"
#include "wider.h"

#include <math.h>
#include <stdlib.h>

#define ROUNDING 0x1p-51
#define LOST     0x1p-1040

/* The interval of inputs. */
struct along {
    double low, high;
    double middle, reach; /* |x - middle| <= reach */
    double most;          /* the largest |x| */
};

static const struct band unknown = {.radius = INFINITY};

static double most_of(struct enclosed v) { return fmax(fabs(v.low), fabs(v.high)); }

/* Returns a band whose radius includes the roundings of terms with sizes that add up to `terms`. */
static struct band made(double slope, double centre, double radius, double terms)
{
    const double sum = (radius + ROUNDING * terms + LOST) * (1 + ROUNDING);
    const bool known = isfinite(slope) && isfinite(centre) && sum < INFINITY;
    return known ? (struct band){.known = true, .slope = slope, .centre = centre, .radius = sum} : unknown;
}

static struct band constant(struct enclosed v)
{
    if (!v.defined || !isfinite(v.low) || !isfinite(v.high)) return unknown;
    const double centre = v.low / 2 + v.high / 2;
    return made(0, centre, fmax(v.high - centre, centre - v.low), most_of(v));
}

static struct band narrower(struct band a, struct band b) { return b.radius < a.radius ? b : a; }

static struct band band_sum(const struct along *x, struct band a, struct band b, int sign)
{
    if (!a.known || !b.known) return unknown;
    const double terms = (fabs(a.slope) + fabs(b.slope)) * x->most + fabs(a.centre) + fabs(b.centre);
    return made(a.slope + sign * b.slope, a.centre + sign * b.centre, a.radius + b.radius, terms);
}

/* Returns the product of two bands. Its square term is a line as well, except for half of reach^2. `most_a`
 * and `most_b` are the largest sizes of the factors. */
static struct band band_product(const struct along *x, struct band a, double most_a, struct band b,
                                double most_b)
{
    if (!a.known || !b.known) return unknown;
    const double square = a.slope * b.slope, half = x->reach * x->reach / 2;
    const double slope = square * 2 * x->middle + (a.slope * b.centre + b.slope * a.centre);
    const double centre = a.centre * b.centre + square * (half - x->middle * x->middle);
    const double terms =
        (fabs(square * 2 * x->middle) + fabs(a.slope * b.centre) + fabs(b.slope * a.centre)) * x->most +
        fabs(a.centre * b.centre) + fabs(square) * (half + x->middle * x->middle);
    return made(slope, centre, fabs(square) * half + a.radius * most_b + b.radius * (most_a + a.radius),
                terms);
}

/* Returns the reciprocal of an enclosed value. */
static struct band inverse(struct enclosed v)
{
    const struct band c = constant(v);
    const double least = fabs(c.centre) - c.radius;
    if (!c.known || !(least > 0)) return unknown;
    return made(0, 1 / c.centre, c.radius / (fabs(c.centre) * least) * (1 + ROUNDING), 1 / least);
}

/* The beginning of a function at 0: |f(u) - (at + slope u)| <= rest |u|^power, for |u| <= 1/4. */
struct beginning {
    double at, slope, rest;
    int power;
};

static const struct beginning beginnings[EXPR_KIND_COUNT] = {
    [EXPR_exp] = {1, 1, 0.65, 2}, /* e^(1/4) / 2 */
    [EXPR_expm1] = {0, 1, 0.65, 2},
    [EXPR_log1p] = {0, 1, 0.67, 2}, /* 1 / (2 (1 - 1/4)) */
    [EXPR_cos] = {1, 0, 0.5, 2},
    /* ln 2. The second derivative is at most 1/4. */
    [EXPR_softplus] = {0x1.62e42fefa39efp-1, 0.5, 0.125, 2},
    /* The odd functions have alternating series, in which the rest is smaller than its first term. */
    [EXPR_sin] = {0, 1, 0.1667, 3},
    [EXPR_tanh] = {0, 1, 0.3334, 3},
    [EXPR_atan] = {0, 1, 0.3334, 3},
    [EXPR_sigmoid] = {0.5, 0.25, 0.0209, 3},
    [EXPR_erf] = {0, 0x1.20dd750429b6dp0, 0.3762, 3}, /* 2/sqrt(pi) */
    [EXPR_erfc] = {1, -0x1.20dd750429b6dp0, 0.3762, 3},
    [EXPR_normcdf] = {0.5, 0x1.9884533d43651p-2, 0.0665, 3}, /* 1/sqrt(2 pi) */
};

static struct band of_beginning(const struct along *x, enum expr_kind kind, struct band u,
                                struct enclosed argument)
{
    const struct beginning *f = &beginnings[kind];
    const double most = most_of(argument);
    if (!f->power || !u.known || !argument.defined || !(most <= 0.25)) return unknown;
    const double rest = f->rest * most * most * (f->power == 3 ? most : 1) * (1 + ROUNDING);
    const double terms = fabs(f->slope) * (fabs(u.slope) * x->most + fabs(u.centre) + u.radius) + fabs(f->at);
    return made(f->slope * u.slope, f->at + f->slope * u.centre, fabs(f->slope) * u.radius + rest, terms);
}

/* Returns the band of softplus(u), which is u plus at most e^-u. */
static struct band of_softplus(const struct along *x, struct band u, struct enclosed argument)
{
    if (!u.known || !argument.defined || !(argument.low >= 0)) return unknown;
    const struct quick_number rest = quick_exp((struct quick_number){.value = -argument.low});
    const double half = (rest.value + rest.error) / 2;
    return made(u.slope, u.centre + half, u.radius + half,
                fabs(u.slope) * x->most + fabs(u.centre) + 2 * half);
}

static struct band negated_band(struct band a)
{
    a.slope = -a.slope;
    a.centre = -a.centre;
    return a;
}

static struct band band_of_function(const struct along *x, enum expr_kind kind, struct band u,
                                    struct enclosed argument)
{
    if (kind == EXPR_abs && argument.defined)
        return argument.low >= 0 ? u : argument.high <= 0 ? negated_band(u) : unknown;
    const struct band begins = of_beginning(x, kind, u, argument);
    return kind == EXPR_softplus ? narrower(begins, of_softplus(x, u, argument)) : begins;
}

static struct band extreme(enum expr_kind kind, struct band a, struct enclosed in_a, struct band b,
                           struct enclosed in_b)
{
    if (!in_a.defined || !in_b.defined) return unknown;
    if (in_a.high <= in_b.low) return kind == EXPR_MIN ? a : b;
    if (in_b.high <= in_a.low) return kind == EXPR_MIN ? b : a;
    return unknown;
}

static struct band evaluate(const struct along *x, const struct enclosure *e, const struct band *bands,
                            const struct node *node)
{
    const struct band a = bands[node->operand[0]], b = bands[node->operand[1]];
    const struct enclosed in_a = e->values[node->operand[0]], in_b = e->values[node->operand[1]];
    switch (node->e->kind) {
    case EXPR_INPUT: return made(1, 0, 0, 0);
    case EXPR_ADD: return band_sum(x, a, b, 1);
    case EXPR_SUB: return band_sum(x, a, b, -1);
    case EXPR_NEG: return negated_band(a);
    case EXPR_MUL: return band_product(x, a, most_of(in_a), b, most_of(in_b));
    case EXPR_DIV: {
        const struct band over = inverse(in_b);
        return band_product(x, a, most_of(in_a), over, fabs(over.centre) + over.radius);
    }
    case EXPR_MIN:
    case EXPR_MAX: return extreme(node->e->kind, a, in_a, b, in_b);
    case EXPR_IF:
        if (!in_a.defined || in_a.low != in_a.high) return unknown;
        return bands[node->operand[in_a.low != 0 ? 1 : 2]];
    default: return expr_arity(node->e->kind) == 1 ? band_of_function(x, node->e->kind, a, in_a) : unknown;
    }
}

/* Adds to the band the least and the largest size of its values, which its ends show. */
static struct band measured(const struct along *x, struct band b)
{
    const double first = b.slope * x->low + b.centre, last = b.slope * x->high + b.centre;
    b.radius += ROUNDING * (fabs(b.slope) * x->most + fabs(b.centre)); /* the rounding errors of the line */
    b.most = fmax(fabs(first), fabs(last)) + b.radius;
    b.least = first * last > 0 ? fmax(0, fmin(fabs(first), fabs(last)) - b.radius) : 0;
    return b;
}

struct band band_find(struct enclosure *e)
{
    struct along x = {.low = e->low, .high = e->high, .middle = e->low / 2 + e->high / 2};
    x.reach = fmax(x.high - x.middle, x.middle - x.low) * (1 + ROUNDING);
    x.most = fmax(fabs(x.low), fabs(x.high));
    struct band *bands = x.low <= x.high ? malloc(e->count * sizeof *bands) : NULL;
    if (!bands) return unknown;
    for (uint32_t n = 0; n < e->count; n++) {
        const struct enclosed value = e->values[n];
        bands[n] = value.defined ? narrower(constant(value), evaluate(&x, e, bands, &e->nodes[n])) : unknown;
    }
    const struct band found = bands[e->count - 1];
    free(bands);
    return found.known ? measured(&x, found) : unknown;
}

/* ---- results ---- */

static inline __attribute__((always_inline)) bool holds(double slope, double centre, const float *restrict x,
                                                        const float *restrict computed, size_t count,
                                                        double distance, uint32_t no_zero)
{
    uint32_t outside = 0;
    for (size_t k = 0; k < count; k++) {
        const double off = fabs((double)computed[k] - (slope * (double)x[k] + centre));
        outside |= off <= distance ? 0 : 1; /* also catches a NaN */
        outside |= computed[k] == 0 ? no_zero : 0;
    }
    return !outside;
}

static bool holds_plain(double slope, double centre, const float *x, const float *computed, size_t count,
                        double distance, uint32_t no_zero)
{
    return holds(slope, centre, x, computed, count, distance, no_zero);
}

WIDER_AVX2 static bool holds_avx2(double slope, double centre, const float *x, const float *computed,
                                  size_t count, double distance, uint32_t no_zero)
{
    return holds(slope, centre, x, computed, count, distance, no_zero);
}

WIDER_AVX512 static bool holds_avx512(double slope, double centre, const float *x, const float *computed,
                                      size_t count, double distance, uint32_t no_zero)
{
    return holds(slope, centre, x, computed, count, distance, no_zero);
}

bool band_holds(const struct band *b, const float *x, const float *computed, size_t count, double distance,
                bool no_zero)
{
    if (runs_avx512()) return holds_avx512(b->slope, b->centre, x, computed, count, distance, no_zero);
    if (runs_avx2()) return holds_avx2(b->slope, b->centre, x, computed, count, distance, no_zero);
    return holds_plain(b->slope, b->centre, x, computed, count, distance, no_zero);
}
