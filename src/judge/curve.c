/* Newton's interpolation at Chebyshev points. One loop, compiled for every processor, for AVX2 and for
 * AVX-512. */
#include "curve.h"
#include "float_bits.h"
#include "wider.h"

#include <math.h>

static const double PI = 0x1.921fb54442d18p1;

bool curve_find(struct curve *c, struct judge *j, uint32_t first, uint32_t count)
{
    double x[CURVE_POINTS], error[CURVE_POINTS];
    const double *lanes = x;
    c->scale = 2.0 / count;
    for (int i = 0; i < CURVE_POINTS; i++) {
        const double chebyshev = -cos((i + 0.5) * PI / (double)CURVE_POINTS);
        const uint32_t number = (uint32_t)((1 + chebyshev) / 2 * count);
        x[i] = (double)f32_of_bits(first + number);
        c->place[i] = number * c->scale - 1;
    }
    reference_quick(j->truth, &lanes, CURVE_POINTS, c->coefficient, error);
    for (int i = 0; i < CURVE_POINTS; i++)
        if (!isfinite(c->coefficient[i]) || !isfinite(error[i])) return false;
    for (int order = 1; order < CURVE_POINTS; order++) /* divided differences */
        for (int i = CURVE_POINTS - 1; i >= order; i--)
            c->coefficient[i] =
                (c->coefficient[i] - c->coefficient[i - 1]) / (c->place[i] - c->place[i - order]);
    return true;
}

static inline __attribute__((always_inline)) uint64_t leaves(const struct curve *restrict c,
                                                             struct scan_format format, uint32_t from,
                                                             const float *restrict computed, size_t count,
                                                             double ulp_limit, double absolute_limit)
{
    uint64_t any = 0;
    for (size_t k = 0; k < count; k++) {
        const double place = (double)(int32_t)(from + (uint32_t)k) * c->scale - 1;
        double value = c->coefficient[CURVE_POINTS - 1], ulp, absolute;
        for (int i = CURVE_POINTS - 2; i >= 0; i--) value = value * (place - c->place[i]) + c->coefficient[i];
        scan_errors(&format, (double)computed[k], value, value, &ulp, &absolute);
        any |= (ulp > ulp_limit ? 1u : 0u) | (absolute > absolute_limit ? 1u : 0u);
    }
    return any;
}

static bool leaves_plain(const struct curve *c, struct scan_format format, uint32_t from,
                         const float *computed, size_t count, double ulp, double absolute)
{
    return leaves(c, format, from, computed, count, ulp, absolute);
}

WIDER_AVX2 static bool leaves_avx2(const struct curve *c, struct scan_format format, uint32_t from,
                                   const float *computed, size_t count, double ulp, double absolute)
{
    return leaves(c, format, from, computed, count, ulp, absolute);
}

WIDER_AVX512 static bool leaves_avx512(const struct curve *c, struct scan_format format, uint32_t from,
                                       const float *computed, size_t count, double ulp, double absolute)
{
    return leaves(c, format, from, computed, count, ulp, absolute);
}

bool curve_is_left(const struct curve *c, const struct judge *j, uint32_t from, const float *computed,
                   size_t count)
{
    const struct spec_bound *bound = &j->piece->bound;
    const bool by_abs = bound->kind == BOUND_ABS;
    const double allowed = judge_allowed(bound), ulp = by_abs ? INFINITY : allowed,
                 absolute = by_abs ? allowed : INFINITY;
    const struct scan_format format = j->scan.format;
    if (runs_avx512()) return leaves_avx512(c, format, from, computed, count, ulp, absolute);
    if (runs_avx2()) return leaves_avx2(c, format, from, computed, count, ulp, absolute);
    return leaves_plain(c, format, from, computed, count, ulp, absolute);
}
