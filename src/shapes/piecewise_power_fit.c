/* Intervals and coefficients of piecewise power plans. */
#include "half.h"
#include "interval_fit.h"
#include "piecewise_power.h"

#include <math.h>
#include <string.h>

/* -- the intervals that the results allow -- */

static double smaller(double a, double b) { return a < b ? a : b; }

/* Returns the upper or lower end of the numbers that round to y. y is a number of the type, and y >=
 * 0. */
static double edge(const struct float_format *f, double y, bool upper)
{
    const double least = ldexp(1, f->min_exponent - f->precision + 1);
    if (y == 0) return upper ? least / 2 : -least / 2;
    return upper ? y + float_spacing(f, y) / 2 : y - float_spacing(f, nextafter(y, 0)) / 2;
}

/* Returns the most that rounding to f32 moves the value before it is rounded to the type. 0: rounding to f32
 * is the only rounding. */
static double f32_rounding(enum element_type type, double value)
{
    return type == ELEMENT_F32 ? 0 : fmax(fabs(value) * 0x1p-24, 0x1p-150);
}

/* Sets the range of results that round to an allowed result. The range leaves room for f32's own rounding. If
 * a result of 0 must have a certain sign, the range ends at 0. */
static void set_result(struct power_point *p, const struct answers *a, uint32_t n)
{
    const struct float_format *f = &element_types[a->result].format;
    const bool negative = signbit(a->right[n]);
    const double inner = fabs((double)(negative ? a->most[n] : a->least[n])) *
                         (a->least[n] < 0 && a->most[n] > 0 ? -1 : 1),
                 outer = fabs((double)(negative ? a->least[n] : a->most[n]));
    p->least = inner < 0 ? -edge(f, -inner, true) : inner == 0 && !a->any_sign[n] ? 0 : edge(f, inner, false);
    p->most = edge(f, outer, true);
    if (isinf(a->right[n])) {
        p->least = f->largest + float_spacing(f, f->largest) / 2;
        p->most = HUGE_VAL;
    }
    if (p->least != 0) p->least += f32_rounding(a->result, p->least) * 1.01;
    p->most -= f32_rounding(a->result, p->most) * 1.01;
    if (!negative) return;
    const double swap = p->least;
    p->least = -p->most;
    p->most = -swap;
}

static double base_of(const struct piecewise_power *w, float x)
{
    return w->form == POWER_RAMP ? fmax(0, (double)x) : 0;
}

/* Returns whether f is sum - part here. */
static bool is_turned(const struct piecewise_power *w, float x)
{
    return w->form == POWER_POINT && (x < 0) != w->decays_left;
}

static double repeated_power(double v, unsigned m)
{
    double y = 1;
    while (m--) y *= v;
    return y;
}

/* Sets the range that v^m q^(2^k) may have at v. */
static void set_part(struct power_point *p, const struct piecewise_power *w, double v)
{
    const double base = base_of(w, p->x), scale = w->sign * repeated_power(v, w->m);
    double low = p->least - base, high = p->most - base;
    if (is_turned(w, p->x)) {
        const double swap = low;
        low = w->sum - high;
        high = w->sum - swap;
    }
    p->low = (scale < 0 ? high : low) / scale;
    p->high = (scale < 0 ? low : high) / scale;
}

static bool is_absolute(const struct piecewise_power *w) { return w->form != POWER_SIDES; }

/* Returns v where t is clamped to `t`. `held` says whether v is clamped as well. */
static float v_at(const struct piecewise_power *w, float x, float t, bool held)
{
    if (w->form == POWER_RAMP || w->form == POWER_POINT) return t;
    if (!held) return x;
    return w->form == POWER_PRODUCT ? copysignf(t, x) : t;
}

/* Takes points from the outermost one inwards as long as all of them have a value in common. The program
 * holds this value. Returns the number of points. */
static uint32_t common_end(const struct piecewise_power *w, struct power_point *const *outer, uint32_t count,
                           bool held, double *end)
{
    double low = -HUGE_VAL, high = HUGE_VAL, narrowest = HUGE_VAL;
    uint32_t n = 0;
    for (; n < count; n++) {
        struct power_point p = *outer[n];
        /* All points get the v of one place. Their intervals keep the difference. */
        set_part(&p, w,
                 held ? copysign(1, (double)v_at(w, p.x, p.t, true)) : (double)v_at(w, p.x, p.t, false));
        low = larger_of(low, p.low);
        high = smaller(high, p.high);
        narrowest = smaller(narrowest, p.high - p.low);
        if (!(high - low > larger_of(0x1p-20 * fabs(high), w->share * narrowest))) break;
        *end = (double)p.t;
    }
    return n;
}

static const double FARTHEST = 0x1p10;

/* Finds where t ends on a side, and whether v ends there as well. */
static bool find_end(struct piecewise_power *w, struct power_point *const *outer, uint32_t count,
                     unsigned side, double *end)
{
    for (int held = 1; held >= 0; held--) {
        if (!held && (w->form == POWER_RAMP || w->form == POWER_POINT || !w->m)) break;
        if (!common_end(w, outer, count, held, end) || fabs(*end) > FARTHEST) continue;
        w->held[side] = held;
        return true;
    }
    return false;
}

/* -- the points -- */

void piecewise_power_inputs(struct power_points *out, const struct answers *a, arena *memory)
{
    *out = (struct power_points){.point = arena_alloc(memory, (a->count + 1) * sizeof *out->point)};
    for (uint32_t n = 0; n < a->count; n++) {
        if (a->x[n] == 0 || isnan(a->right[n]) || (isinf(a->x[n]) && isinf(a->right[n]))) continue;
        struct power_point *p = &out->point[out->count++];
        *p = (struct power_point){.x = a->x[n]};
        set_result(p, a, n);
    }
}

/* Copies the inputs sorted by t. */
static void arrange(struct power_point *point, const struct piecewise_power *w,
                    const struct power_points *inputs)
{
    uint32_t positive = 0, at = 0;
    while (positive < inputs->count && inputs->point[positive].x > 0) positive++;
    if (!is_absolute(w)) {
        for (uint32_t n = inputs->count; n-- > positive;) point[at++] = inputs->point[n];
        memcpy(&point[at], inputs->point, positive * sizeof *point);
    }
    for (uint32_t a = 0, b = positive; is_absolute(w) && (a < positive || b < inputs->count);) {
        const bool first = b == inputs->count || (a < positive && inputs->point[a].x <= -inputs->point[b].x);
        point[at++] = inputs->point[first ? a++ : b++];
    }
    for (uint32_t n = 0; n < inputs->count; n++) {
        point[n].t = is_absolute(w) ? fabsf(point[n].x) : point[n].x;
        point[n].v = v_at(w, point[n].x, point[n].t, false);
    }
}

/* Returns the size below which all inputs together count as 0. There the quotient of f and its leading power
 * changes less than the rounding of the result. */
static float tiny_of(const struct answers *a)
{
    return ldexpf(1, -2 * element_types[a->result].format.precision);
}

/* Clamps t and v, and merges points that become equal. Returns false if too many inputs contradict each
 * other. */
static bool settle_points(struct power_points *p, struct piecewise_power *w, float tiny_size)
{
    enum { MOST_CONTRADICTIONS = 4 };
    uint32_t count = 0, contradictions = 0;
    for (uint32_t n = 0; n < p->count; n++) {
        struct power_point q = p->point[n];
        const bool tiny = fabsf(q.x) < tiny_size, beyond_high = (double)q.t >= w->high,
                   beyond_low = (double)q.t <= w->low && !is_absolute(w);
        if (beyond_high || beyond_low) {
            q.t = (float)(beyond_high ? w->high : w->low);
            q.v = v_at(w, q.x, q.t, w->held[beyond_high]);
        }
        if (w->m && q.v == 0) continue;
        set_part(&q, w, (double)q.v);
        if (tiny) q.x = q.t = 0;
        struct power_point *last = count ? &p->point[count - 1] : NULL;
        if (last && last->t == q.t && (tiny || beyond_high || beyond_low)) {
            last->x = tiny ? 0 : last->x;
            last->low = larger_of(last->low, q.low);
            last->high = smaller(last->high, q.high);
            contradictions += last->low >= last->high;
        } else {
            if (last && last->t == q.t) contradictions += q.low >= last->high || q.high <= last->low;
            p->point[count++] = q;
        }
        if (contradictions > MOST_CONTRADICTIONS) return false;
    }
    p->count = count;
    return count > 0;
}

bool piecewise_power_points(struct power_points *out, struct piecewise_power *w,
                            const struct power_points *inputs, const struct answers *a, arena *memory)
{
    const uint32_t count = inputs->count;
    struct power_point *point = arena_alloc(memory, (count + 1) * sizeof *point);
    struct power_point **outer = arena_alloc(memory, (count + 1) * sizeof *outer);
    arrange(point, w, inputs);
    w->low = 0;
    for (uint32_t n = 0; n < count; n++) outer[n] = &point[count - 1 - n];
    if (!find_end(w, outer, count, 1, &w->high)) return false;
    for (uint32_t n = 0; n < count; n++) outer[n] = &point[n];
    if (!is_absolute(w) && (!find_end(w, outer, count, 0, &w->low) || w->low >= w->high)) return false;
    if (is_absolute(w)) w->held[0] = w->held[1];
    *out = (struct power_points){.point = point, .count = count};
    if (!settle_points(out, w, tiny_of(a))) return false;
    out->variable = arena_alloc(memory, out->count * sizeof *out->variable);
    out->interval = arena_alloc(memory, out->count * sizeof *out->interval);
    return true;
}

void piecewise_power_thin(struct power_points *out, const struct power_points *points, arena *memory)
{
    enum { ABOUT = 3072 };
    const uint32_t stride = points->count / ABOUT + 1;
    out->point = arena_alloc(memory, (points->count / stride + 1) * sizeof *out->point);
    for (uint32_t n = out->count = 0; n < points->count; n += stride)
        out->point[out->count++] = points->point[n];
    out->variable = points->variable;
    out->interval = points->interval;
}

/* -- the program's arithmetic -- */

static const struct float_format *format_of(const struct segments *s)
{
    return &element_types[s->type == LANE_F16 ? ELEMENT_F16 : ELEMENT_F32].format;
}

/* Rounds once to the type of the segments. In f64, products of two numbers are exact. A sum that is not exact
 * lies far from the midpoint between two f16 numbers. */
static float rounded(const struct segments *s, double value)
{
    return s->type == LANE_F16 ? f32_of_f16(f16_of_f64(value)) : (float)value;
}

static float fma_as(const struct segments *s, float a, float b, float c)
{
    return rounded(s, (double)a * (double)b + (double)c);
}

static float mul_as(const struct segments *s, float a, float b) { return rounded(s, (double)a * (double)b); }

static uint32_t bits_as(const struct segments *s, float v)
{
    return s->type == LANE_F16 ? f16_of_f32(v) : bits_of_f32(v);
}

static float of_bits_as(const struct segments *s, uint32_t bits)
{
    return s->type == LANE_F16 ? f32_of_f16((uint16_t)bits) : f32_of_bits(bits);
}

/* Returns the segment of t, and sets its polynomial's variable. */
static unsigned segment_of(const struct segments *s, float t, float *variable)
{
    const unsigned mask = (1u << s->log2_entries) - 1;
    *variable = t;
    if (s->index == INDEX_UNIFORM) {
        const float shifter = (float)segments_shifter(s->type);
        const float shifted = fma_as(s, t, rounded(s, 1 / s->width), shifter);
        if (s->variable == VARIABLE_DISTANCE)
            *variable = fma_as(s, shifted - shifter, rounded(s, -s->width), t);
        return bits_as(s, shifted) & mask;
    }
    const float u = rounded(s, (double)t + s->offset);
    const unsigned shift = segments_fraction_bits(s->type) - s->fraction_bits;
    const float centre = of_bits_as(s, (bits_as(s, u) & UINT32_MAX << shift) | 1u << (shift - 1));
    if (s->variable == VARIABLE_DISTANCE) *variable = rounded(s, (double)u - (double)centre);
    return bits_as(s, u) >> shift & mask;
}

static bool is_right(const struct piecewise_power *w, const struct power_point *p, unsigned entry,
                     float variable)
{
    const struct segments *s = &w->q;
    float y = (float)s->coefficient[s->degree][entry], v = (float)w->sign;
    for (unsigned k = s->degree; k-- > 0;) y = fma_as(s, y, variable, (float)s->coefficient[k][entry]);
    for (unsigned k = 0; k < w->k; k++) y = mul_as(s, y, y);
    for (unsigned k = 0; k < w->m; k++) v = mul_as(s, v, p->v);
    y = fma_as(s, v, y, (float)base_of(w, p->x));
    if (is_turned(w, p->x)) y = rounded(s, w->sum - (double)y);
    /* Gives back the room that set_result left for f32's rounding of y. */
    const double spare = f32_rounding(w->result, (double)y) * 1.005;
    return (double)y >= p->least - spare && (double)y <= p->most + spare;
}

/* -- coefficients -- */

/* The points of one segment. */
struct run {
    unsigned entry;
    const struct power_point *point;
    const float *variable;
    struct interval_point *interval; /* scratch space */
    uint32_t count;
    double scale;
};

static double root_of(double y, unsigned k)
{
    for (y = larger_of(y, 0); k; k--) y = sqrt(y);
    return y;
}

/* Narrows an interval of q by f16's roundings. The last steps of the polynomial take one and a half times
 * 2^-12 of the value there. The squarings take less than 2^-12 of it. If the interval is too narrow for that,
 * the results show whether the fit is good enough. */
static void leave_to_f16(struct interval_point *i)
{
    const double spare = 0x1p-12 * 1.5 * i->unit, most = 0.4 * (i->high - i->low);
    i->low += smaller(spare, most);
    i->high -= smaller(spare, most);
}

/* Sets the intervals that q has to keep. */
static void set_intervals(struct run *r, const struct piecewise_power *w)
{
    const unsigned k = w->k;
    double least = HUGE_VAL, most = -HUGE_VAL;
    for (uint32_t n = 0; n < r->count; n++) {
        least = smaller(least, (double)r->variable[n]);
        most = larger_of(most, (double)r->variable[n]);
    }
    const double middle = (least + most) / 2;
    r->scale = most > least ? (most - least) / 2 : 1;
    for (uint32_t n = 0; n < r->count; n++) {
        struct interval_point *i = &r->interval[n];
        const struct power_point *p = &r->point[n];
        *i = (struct interval_point){.v = (double)r->variable[n], .low = p->low, .high = p->high};
        if (k) i->low = root_of(p->low, k), i->high = root_of(p->high, k);
        i->z = (i->v - middle) / r->scale;
        i->unit = larger_of(fabs(i->low), fabs(i->high));
        if (w->q.type == LANE_F16) leave_to_f16(i);
    }
}

enum { CRITICAL = 48 };

/* The points of a run that are nearest to the ends of their intervals, nearest first. */
struct critical {
    uint32_t count, point[CRITICAL];
    double distance[CRITICAL];
};

/* Finds the critical points after interval_fit_rounded, which leaves in the intervals the distances to the
 * polynomial. Returns the number of intervals that are not kept. */
static uint32_t find_critical(struct critical *c, const struct run *r)
{
    uint32_t broken = 0;
    c->count = 0;
    for (uint32_t n = 0; n < r->count; n++) {
        const struct interval_point *i = &r->interval[n];
        const double distance = (i->high < -i->low ? i->high : -i->low) / i->unit;
        if (r->point[n].x == 0) continue;
        broken += distance < 0;
        if (c->count == CRITICAL && distance >= c->distance[CRITICAL - 1]) continue;
        uint32_t at = c->count < CRITICAL ? c->count++ : CRITICAL - 1;
        for (; at && c->distance[at - 1] > distance; at--) {
            c->distance[at] = c->distance[at - 1];
            c->point[at] = c->point[at - 1];
        }
        c->distance[at] = distance;
        c->point[at] = n;
    }
    return broken;
}

static uint32_t wrong_in(const struct piecewise_power *w, const struct run *r, const struct critical *c,
                         uint32_t most)
{
    uint32_t wrong = 0;
    for (uint32_t i = 0; i < c->count && wrong <= most; i++) {
        const uint32_t n = c->point[i];
        wrong += !is_right(w, &r->point[n], r->entry, r->variable[n]);
    }
    return wrong;
}

static double moved_by_units(const struct segments *s, double coefficient, int units)
{
    const float c = (float)coefficient;
    return c == 0 ? 0 : (double)of_bits_as(s, bits_as(s, c) + (uint32_t)units);
}

/* Tries other last bits of the coefficients. Roundings are noise, so that other bits may work where the first
 * ones do not. Returns the number of inputs that remain wrong. */
static uint32_t polish(struct piecewise_power *w, const struct run *r, const struct critical *c)
{
    enum { TRIES = 200, SPREAD = 7 };
    struct segments *s = &w->q;
    double start[INTERVAL_MAX_DEGREE + 1], best[INTERVAL_MAX_DEGREE + 1];
    uint32_t random = 1, fewest = wrong_in(w, r, c, CRITICAL);
    for (unsigned k = 0; k <= s->degree; k++) best[k] = start[k] = s->coefficient[k][r->entry];
    for (int n = 0; n < TRIES && fewest; n++) {
        for (unsigned k = 0; k <= s->degree; k++) {
            random = random * 1664525u + 1013904223u;
            s->coefficient[k][r->entry] =
                moved_by_units(s, start[k], (int)(random >> 16) % SPREAD - SPREAD / 2);
        }
        const uint32_t wrong = wrong_in(w, r, c, fewest);
        if (wrong >= fewest) continue;
        fewest = wrong;
        for (unsigned k = 0; k <= s->degree; k++) best[k] = s->coefficient[k][r->entry];
    }
    for (unsigned k = 0; k <= s->degree; k++) s->coefficient[k][r->entry] = best[k];
    return fewest;
}

static unsigned cut_runs(struct run *runs, const struct piecewise_power *w, const struct power_points *points)
{
    float *variable = points->variable;
    struct interval_point *interval = points->interval;
    unsigned count = 0;
    for (uint32_t n = 0; n < points->count; n++) {
        const unsigned entry = segment_of(&w->q, points->point[n].t, &variable[n]);
        if (!count || runs[count - 1].entry != entry) {
            if (count == 1u << w->q.log2_entries) return 0;
            runs[count++] = (struct run){.entry = entry,
                                         .point = &points->point[n],
                                         .variable = &variable[n],
                                         .interval = &interval[n]};
        }
        runs[count - 1].count++;
    }
    return count;
}

/* Returns half the last bit of q. Anything nearer to an end is lost in roundings. */
static double noise_of(const struct piecewise_power *w) { return ldexp(1, -1 - format_of(&w->q)->precision); }

bool piecewise_power_is_possible(const struct piecewise_power *w, const struct power_points *points,
                                 unsigned most_wrong, unsigned *hard)
{
    struct run runs[SEGMENTS_MAX_ENTRIES];
    const unsigned count = cut_runs(runs, w, points), first = *hard < count ? *hard : 0;
    const double noise = noise_of(w);
    double coefficient[INTERVAL_MAX_DEGREE + 1];
    unsigned broken = 0;
    for (unsigned i = 0; i < count; i++) {
        const unsigned n = (first + i) % count;
        struct run *r = &runs[n];
        set_intervals(r, w);
        if (!(interval_fit(coefficient, r->interval, r->count, w->q.degree, noise) <= noise)) continue;
        *hard = n;
        if (++broken > most_wrong) return false;
    }
    return count > 0;
}

bool piecewise_power_fit(struct piecewise_power *w, const struct power_points *points, unsigned most_wrong,
                         unsigned *hard, arena *memory)
{
    struct run runs[SEGMENTS_MAX_ENTRIES];
    const unsigned count = cut_runs(runs, w, points), begin = *hard < count ? *hard : 0;
    double coefficient[INTERVAL_MAX_DEGREE + 1];
    struct critical critical;
    uint32_t wrong = 0;
    segments_clear(&w->q, memory);
    for (unsigned i = 0; i < count; i++) {
        const unsigned n = (begin + i) % count;
        struct run *r = &runs[n];
        set_intervals(r, w);
        *hard = n;
        if (i == 0 && interval_fit(coefficient, r->interval, r->count, w->q.degree, 0) <= 0) return false;
        if (isnan(interval_fit_rounded(coefficient, r->interval, r->count, w->q.degree, r->scale,
                                       format_of(&w->q))))
            return false;
        for (unsigned k = 0; k <= w->q.degree; k++) w->q.coefficient[k][r->entry] = coefficient[k];
        if (wrong + find_critical(&critical, r) > most_wrong) return false;
        wrong += polish(w, r, &critical);
        if (wrong > most_wrong) return false;
    }
    return count > 0;
}
