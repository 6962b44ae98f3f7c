/* The coefficients of a piecewise plan. */
#include "piecewise.h"

#include <math.h>
#include <string.h>

enum { POINTS = 20 };

struct segment {
    unsigned entry;
    bool negative;
    double low, high; /* t */
    double centre;    /* t, where the polynomial's variable is 0 */
};

static double value_of_bits(uint32_t bits)
{
    float f;
    memcpy(&f, &bits, sizeof f);
    return (double)f;
}

static uint32_t bits_of(float f)
{
    uint32_t bits;
    memcpy(&bits, &f, sizeof bits);
    return bits;
}

static unsigned uniform_segments(const struct piecewise *p, struct segment *out)
{
    unsigned count = 1u << p->log2_entries;
    for (unsigned k = 0; k < count; k++) {
        double w = (double)p->width, centre = k * w;
        out[k] = (struct segment){k, false, k ? centre - w / 2 : 0, centre + w / 2, centre};
    }
    return count;
}

static unsigned exponent_segments(const struct piecewise *p, struct segment *out)
{
    unsigned shift = 23 - p->fraction_bits, count = 0;
    unsigned sides = p->f.symmetry == SYMMETRY_NONE ? 2 : 1, per_side = (1u << p->log2_entries) / sides;
    uint32_t first = bits_of(p->offset) >> shift, last = bits_of(p->limit) >> shift;
    for (unsigned side = 0; side < sides; side++)
        for (uint32_t key = first; key <= last; key++) {
            double start = value_of_bits(key << shift), end = value_of_bits((key + 1) << shift);
            double offset = (double)p->offset;
            out[count++] =
                (struct segment){(key & (per_side - 1)) + side * per_side, side == 1, fmax(start - offset, 0),
                                 fmin(end, (double)p->limit) - offset, (start + end) / 2 - offset};
        }
    return count;
}

/* Function values at the segment's points. */
static bool sample(struct fit_problem *out, const struct segment *s, const struct piecewise *p,
                   reference *truth)
{
    fit_points(out, s->low - s->centre, s->high - s->centre, POINTS);
    for (unsigned i = 0; i < POINTS; i++) {
        double t = fmax(s->centre + (double)out->point[i], 0);
        out->point[i] = (quad)t - s->centre;
        out->weight[i] = 1;
        if (!piecewise_value(&out->value[i], &p->f, truth, t, s->negative)) return false;
    }
    return true;
}

static bool fit_segment(struct piecewise *p, struct fit_problem *problem, const struct segment *s)
{
    struct fit_result result;
    problem->term_count = p->degree + 1;
    for (unsigned k = 0; k <= p->degree; k++) problem->power[k] = k;
    if (!fit_polynomial(problem, LANE_F32, &result)) return false;
    for (unsigned k = 0; k <= p->degree; k++) p->coefficient[k][s->entry] = (float)result.coefficient[k];
    p->error = fmax(p->error, result.error);
    return true;
}

bool piecewise_fit(struct piecewise *p, unsigned highest, reference *truth, double bound, arena *memory)
{
    struct segment segment[2 * PIECEWISE_MAX_ENTRIES];
    unsigned count = p->uniform ? uniform_segments(p, segment) : exponent_segments(p, segment), terms = 1;
    struct fit_problem *problems = arena_alloc(memory, count * sizeof *problems);
    const double wanted = 0.9 * bound;
    for (unsigned i = 0; i < count; i++) {
        if (!sample(&problems[i], &segment[i], p, truth)) return false;
        unsigned guess = fit_terms_guess(&problems[i], wanted);
        if (guess > terms) terms = guess;
    }
    for (p->degree = terms - 1; p->degree <= highest; p->degree++) {
        p->error = 0;
        for (unsigned i = 0; i < count && p->error <= wanted; i++)
            if (!fit_segment(p, &problems[i], &segment[i])) return false;
        if (p->error <= wanted) return true;
    }
    return false;
}
