/* Affine arithmetic over Taylor models: the effect of each operation on a value and on the roundings in
 * it. */
#include "affine.h"

#include "float_bits.h"

#include <float.h>
#include <limits.h>
#include <stdlib.h>

static const double SLOPPY =
    /* The relative error of a factor. It exceeds the roundings of a few operations on doubles and of their
     * sum. */
    0x1p-46;

/* -- numbers -- */

/* Returns the largest effect of all roundings so far, in units of the model. */
double affine_moved(const struct affine_value *v)
{
    double all = 0;
    for (uint32_t k = 0; k < v->symbols; k++) all += fabs(v->moves[k].level) + fabs(v->moves[k].slope);
    return all * MODEL_GROW;
}

static void affine_find_bounds(struct affine_value *v)
{
    struct model wide = model_widened(v->real, affine_moved(v));
    wide.sign = 0;
    model_bounds(&wide, &v->low, &v->high);
}

/* Returns the exponent of the power of two at or below |x|. */
int affine_exponent_of(double x)
{
    int exponent = NO_GRAIN;
    if (x != 0 && isfinite(x)) frexp(x, &exponent);
    return exponent - 1;
}

int affine_grain_of(double x)
{
    int exponent = affine_exponent_of(x) - 52 > LEAST_GRAIN ? affine_exponent_of(x) - 52 : LEAST_GRAIN;
    if (x == 0) return INT_MAX / 4;
    while (exponent < 1024 && fmod(fabs(x), ldexp(1, exponent + 1)) == 0) exponent++;
    return exponent;
}

/* Returns the largest exponent for which all f64 numbers in the interval are multiples of 2^exponent. */
int affine_grain_between(double low, double high)
{
    const double least = low > 0 ? low : high < 0 ? -high : 0;
    const int grain = least > 0 ? affine_exponent_of(least) - 52 : LEAST_GRAIN;
    return grain > LEAST_GRAIN ? grain : LEAST_GRAIN;
}

struct affine_value affine_number(double x)
{
    struct affine_value v = {.kind = NUMBER, .real = model_number(x), .low = x, .high = x};
    v.grain = affine_grain_of(x);
    v.bits = bits_of_f64(x);
    return v;
}

bool affine_is_exactly(const struct affine_value *v, double x)
{
    return v->symbols == 0 && v->real.degree == 0 && v->real.rest == 0 && v->low == x && v->high == x;
}

/* Returns the memory for the factors of the value v. */
struct factor *affine_factors(struct affine *m, const struct affine_value *v)
{
    return m->all_factors + (size_t)(v - m->values) * m->room;
}

/* Returns the unit of one model in units of another. Less than 2^-1000 counts as 0. rest_of_ratio times the
 * size covers that. */
static double ratio_of(const struct model *a, const struct model *r)
{
    const long shift = a->exponent - r->exponent;
    return shift < -1000 ? 0 : ldexp(1, (int)(shift > 1100 ? 1100 : shift));
}

static double rest_of_ratio(double ratio) { return ratio > 0 ? 0 : 0x1p-1000; }

int affine_smaller_grain(int a, int b) { return a < b ? a : b; }

/* Returns whether |v| is certainly less than 2^exponent. */
static bool is_below(const struct affine_value *v, int exponent)
{
    const struct model wide = model_widened(v->real, affine_moved(v));
    const long shift = wide.exponent - exponent;
    return wide.known && shift < 900 && ldexp(model_size(&wide), shift < -900 ? -900 : (int)shift) < 1;
}

/* Returns the largest |v|, with its roundings, in units of 2^exponent. */
static double size_in(const struct affine_value *v, long exponent)
{
    const struct model wide = model_widened(v->real, affine_moved(v));
    const long shift = wide.exponent - exponent;
    const double size = model_size(&wide);
    if (!wide.known || size == 0) return wide.known ? 0 : (double)INFINITY;
    return larger_of(ldexp(size, (int)(shift > 2000 ? 2000 : shift < -1070 ? -1070 : shift)), 0x1p-1074);
}

/* Returns how far v may lie beyond `power`, in units of v's model. `power` is a power of two or its
 * negative. */
static double most_beyond(const struct affine_value *v, double power)
{
    struct model wide = model_widened(v->real, affine_moved(v));
    const struct model edge = model_number(power);
    wide.sign = 0;
    const struct model off = model_sub(&wide, &edge);
    double low, high;
    if (!off.known) return INFINITY;
    model_range(&off, &low, &high);
    const double most = power > 0 ? high : -low;
    return most > 0 ? ldexp(most, (int)(off.exponent - v->real.exponent)) : 0;
}

/* Returns the largest rounding error of v, where |value| <= most, in units of its model. This is half a unit
 * of the last place. Up to a power of two, the unit below the power counts. The power is itself a number, so
 * that the rounding error just beyond it is at most the distance to it. */
static double most_of_rounding(const struct affine_value *v, double most)
{
    const double below = nextafter(most, 0);
    const int unit = affine_exponent_of(v->beyond ? DBL_MAX : below) - 52,
              half = (unit > LEAST_GRAIN ? unit : LEAST_GRAIN) - 1;
    const long shift = half - v->real.exponent;
    const double factor = ldexp(1, (int)(shift > 2000 ? 2000 : shift < -1070 ? -1070 : shift));
    if (v->beyond || unit <= LEAST_GRAIN || !f64_is_power_of_two(below)) return factor;
    const double beyond = larger_of(most_beyond(v, below), most_beyond(v, -below));
    return fmin(factor, larger_of(factor / 2, beyond));
}

/* Returns whether all values of v round to one number, and sets this number. */
static bool rounds_to_one(const struct affine_value *v, double *number)
{
    const double middle = v->low + (v->high - v->low) / 2, below = nextafter(fabs(middle), 0);
    if (v->beyond || middle == 0 || v->high > nextafter(nextafter(middle, INFINITY), INFINITY) ||
        v->low < nextafter(nextafter(middle, -INFINITY), -INFINITY))
        return false;
    struct model wide = model_widened(v->real, affine_moved(v));
    const struct model one = model_number(middle);
    wide.sign = 0;
    const struct model off = model_sub(&wide, &one);
    const long shift = off.exponent - affine_exponent_of(fabs(middle) - below);
    *number = middle;
    return off.known && shift < 900 && ldexp(model_size(&off), shift < -900 ? -900 : (int)shift) < 0.5;
}

/* Settles v and adds its rounding, if there is one. The real part and the factors of v are those of the exact
 * result. `has_53_bits` says that the result has no more bits than that, wherever they lie. The exact result
 * may be a number of f64 plus a small part. `beside` is that part, or NULL. Rounding moves the result no
 * further than this. */
void affine_round_off(struct affine *m, struct affine_value *v, int grain, bool has_53_bits,
                      const struct affine_value *beside)
{
    if (!v->real.known) {
        v->kind = NOTHING_KNOWN;
        return;
    }
    v->kind = NUMBER;
    affine_find_bounds(v);
    v->unrounded_low = v->low;
    v->unrounded_high = v->high;
    const double most = larger_of(fabs(v->low), fabs(v->high));
    const bool is_normal = v->low >= DBL_MIN || v->high <= -DBL_MIN;
    const bool fits = has_53_bits ? grain >= LEAST_GRAIN || is_normal
                                  : grain >= LEAST_GRAIN && most <= ldexp(1, grain > 960 ? 1013 : grain + 53);
    v->beyond = most > DBL_MAX;
    v->last = 0;
    v->grain = grain > affine_grain_between(v->low, v->high) ? grain : affine_grain_between(v->low, v->high);
    /* A multiple of 2^grain that is smaller than 2^grain is 0. A value below half the smallest number rounds
     * to 0. A value that consists only of roundings stays, because the roundings cancel elsewhere. */
    const bool has_sign = has_53_bits && (v->low >= 0 || v->high <= 0); /* a zero then also has this sign */
    if (!has_sign && v->low <= 0 && v->high >= 0 && (!fits || affine_moved(v) <= v->real.rest) &&
        is_below(v, fits ? affine_smaller_grain(grain, 1023) : LEAST_GRAIN - 1)) {
        *v = affine_number(0);
        v->is_some_zero = true;
        return;
    }
    v->is_exact = fits && !v->beyond;
    if (fits && (!v->beyond || has_53_bits))
        return; /* If it then overflows, its error is infinite in any unit. */
    double number;
    if (rounds_to_one(v, &number)) {
        *v = affine_number(number);
        return;
    }
    double factor = most_of_rounding(v, most);
    if (beside) factor = fmin(factor, size_in(beside, v->real.exponent));
    v->is_exact = factor == 0;
    if (v->is_exact) return;
    for (uint32_t k = v->symbols; k < m->symbols; k++) v->moves[k] = (struct factor){0, 0};
    v->moves[m->symbols] = (struct factor){factor, 0};
    v->symbols = v->last = ++m->symbols;
    if (!(factor < INFINITY)) v->kind = NOTHING_KNOWN;
    /* Rounding is monotone, and the bounds are numbers of f64. */
}

/* Widens the model. If this changes the model's unit, the factors follow. */
static void affine_widen(struct affine_value *v, double rest)
{
    const long before = v->real.exponent;
    if (rest == 0) return;
    v->real = model_widened(v->real, rest);
    const long shift = before - v->real.exponent;
    if (!v->real.known || !shift) return;
    if (labs(shift) > 1000) {
        v->real = model_unknown;
        return;
    }
    const double ratio = ldexp(1, (int)shift);
    for (uint32_t k = 0; k < v->symbols; k++) {
        v->moves[k].level *= ratio;
        v->moves[k].slope *= ratio;
    }
    /* A part that became subnormal on the way is smaller than this rest. The rest also keeps the size, and so
     * the unit. */
    v->real.rest += 0x1p-1000 * v->symbols;
}

/* Settles v, which is exact and a multiple of 2^grain. */
void affine_settle_exact(struct affine_value *v, int grain)
{
    /* A rest that is small compared with the roundings keeps the model's unit near them. */
    affine_widen(v, affine_moved(v) * 0x1p-50);
    affine_find_bounds(v);
    v->grain = grain;
    v->is_exact = true;
    if (!v->real.known) v->kind = NOTHING_KNOWN;
}

void affine_add(struct affine *m, struct affine_value *v, const struct affine_value *a,
                const struct affine_value *b, bool negative)
{
    v->real = negative ? model_sub(&a->real, &b->real) : model_add(&a->real, &b->real);
    if (!v->real.known) return;
    const double ra = a->symbols ? ratio_of(&a->real, &v->real) : 0,
                 rb = b->symbols ? ratio_of(&b->real, &v->real) : 0;
    v->moves = affine_factors(m, v);
    v->symbols = a->symbols > b->symbols ? a->symbols : b->symbols;
    double rest = 0;
    for (uint32_t k = 0; k < v->symbols; k++) {
        const struct factor none = {0, 0}, x = k < a->symbols ? a->moves[k] : none,
                            y = k < b->symbols ? b->moves[k] : none;
        const double s = negative ? -rb : rb;
        v->moves[k] = (struct factor){ra * x.level + s * y.level, ra * x.slope + s * y.slope};
        rest += ra * (fabs(x.level) + fabs(x.slope)) + rb * (fabs(y.level) + fabs(y.slope));
    }
    if (!v->symbols) return;
    rest = rest * 0x1p-50 + rest_of_ratio(ra) * affine_moved(a) + rest_of_ratio(rb) * affine_moved(b);
    affine_widen(v, rest + PAIR_TINY);
}

/* A model as a line and the rest. */
struct line {
    double level, slope, beside, size;
};
static struct line line_of(const struct model *a)
{
    return (struct line){a->c[0].high, a->degree ? a->c[1].high : 0, model_bend(a), model_size(a)};
}

/* Adds to v's factors those of a, each times a line. Returns what they leave out. */
static double add_moves(struct affine_value *v, const struct affine_value *a, struct line line, double ratio)
{
    double rest = 0;
    const double level = line.level * ratio, slope = line.slope * ratio, beside = line.beside * ratio;
    for (uint32_t k = 0; k < a->symbols; k++) {
        const double n = a->moves[k].level, s = a->moves[k].slope;
        const double square = s * slope / 2; /* s u * slope u is between 0 and twice that */
        v->moves[k].level += n * level + square;
        v->moves[k].slope += n * slope + s * level;
        rest += fabs(square) +
                (fabs(n) + fabs(s)) * (beside + (SLOPPY * ratio + rest_of_ratio(ratio)) * line.size);
    }
    return rest;
}

/* Computes the product without rounding. Its factors go to `moves`. */
void affine_multiply(struct affine_value *v, const struct affine_value *a, const struct affine_value *b,
                     struct factor *moves)
{
    v->real = model_mul(&a->real, &b->real);
    v->moves = moves;
    v->symbols = 0;
    if (!v->real.known || affine_is_exactly(a, 0) || affine_is_exactly(b, 0)) return;
    struct model unit = a->real;
    unit.exponent += b->real.exponent;
    const double ratio = ratio_of(&unit, &v->real);
    v->moves = moves;
    v->symbols = a->symbols > b->symbols ? a->symbols : b->symbols;
    if (!v->symbols) return;
    for (uint32_t k = 0; k < v->symbols; k++) moves[k] = (struct factor){0, 0};
    double rest = add_moves(v, a, line_of(&b->real), ratio) + add_moves(v, b, line_of(&a->real), ratio);
    rest += affine_moved(a) * affine_moved(b) * (ratio + rest_of_ratio(ratio));
    affine_widen(v, rest + PAIR_TINY);
}

int affine_product_grain(const struct affine_value *a, const struct affine_value *b)
{
    const long grain = (long)a->grain + b->grain;
    return grain > INT_MAX / 4 ? INT_MAX / 4 : (int)grain;
}

/* Computes (A + x) / (B + y) as A / B + (x - y A / B) / B, times 1 / (1 + y / B) in the second term. */
void affine_divide(struct affine *m, struct affine_value *v, const struct affine_value *a,
                   const struct affine_value *b)
{
    v->real = model_div(&a->real, &b->real);
    const struct model one = model_number(1), inverse = model_div(&one, &b->real),
                       product = model_mul(&inverse, &v->real), less = model_neg(&product);
    if (!v->real.known || !product.known) {
        v->real = model_unknown;
        return;
    }
    struct model unit_a = inverse, unit_b = less;
    unit_a.exponent += a->real.exponent;
    unit_b.exponent += b->real.exponent;
    v->moves = affine_factors(m, v);
    v->symbols = a->symbols > b->symbols ? a->symbols : b->symbols;
    for (uint32_t k = 0; k < v->symbols; k++) v->moves[k] = (struct factor){0, 0};
    const double ra = a->symbols ? ratio_of(&unit_a, &v->real) : 0,
                 rb = b->symbols ? ratio_of(&unit_b, &v->real) : 0;
    double rest = add_moves(v, a, line_of(&inverse), ra) + add_moves(v, b, line_of(&less), rb);
    struct model unit = inverse;
    unit.exponent += b->real.exponent;
    unit.degree = 0;
    unit.c[0] = pair_of(1);
    unit.rest = 0;
    double low, high;
    model_bounds(&unit, &low, &high);
    const double share = affine_moved(b) * model_size(&inverse) * high; /* the share of y in B */
    if (!(share < 0x1p-20)) {
        v->real = model_unknown;
        return;
    }
    rest += (affine_moved(v) + rest) * share * 2;
    affine_widen(v, rest + PAIR_TINY);
}

struct affine_value affine_negated(const struct affine_value *a, struct factor *moves)
{
    struct affine_value v = *a;
    v.real = model_neg(&a->real);
    v.moves = moves;
    for (uint32_t k = 0; k < a->symbols; k++)
        moves[k] = (struct factor){-a->moves[k].level, -a->moves[k].slope};
    v.low = -a->high;
    v.high = -a->low;
    v.unrounded_low = -a->unrounded_high;
    v.unrounded_high = -a->unrounded_low;
    v.bits = bits_of_f64(v.low);
    return v;
}

struct affine_value affine_hull(const struct affine_value *a, const struct affine_value *b)
{
    struct affine_value x = *a, y = *b, v = {.kind = NOTHING_KNOWN};
    if (a->kind != NUMBER || b->kind != NUMBER) return v;
    const struct model wide_a = model_widened(x.real, affine_moved(a)),
                       wide_b = model_widened(y.real, affine_moved(b));
    v.kind = NUMBER;
    v.real = model_hull(&wide_a, &wide_b);
    v.low = fmin(a->low, b->low);
    v.high = fmax(a->high, b->high);
    v.grain = affine_smaller_grain(a->grain, b->grain);
    v.beyond = a->beyond || b->beyond;
    if (!v.real.known) v.kind = NOTHING_KNOWN;
    return v;
}

/* Computes x * 2^n. n is a constant. Any other n is allowed too, but then only the interval of the result is
 * known. */
void affine_scale(struct affine *m, struct affine_value *v, const struct affine_value *a,
                  const struct affine_value *n)
{
    const bool fixed = n->low == n->high && n->low == rint(n->low);
    if (!(fabs(n->low) <= 5000) || !(fabs(n->high) <= 5000)) return;
    if (fixed) {
        struct affine_value exact = *a;
        const int by = (int)n->low;
        exact.real = model_scale(&a->real, by);
        if (!exact.real.known) return;
        /* The factors are in units of the model. */
        exact.moves = affine_factors(m, v);
        for (uint32_t k = 0; k < a->symbols; k++) exact.moves[k] = a->moves[k];
        const uint32_t symbols = m->symbols;
        *v = exact;
        affine_round_off(m, v, a->grain < INT_MAX / 8 ? a->grain + by : a->grain, true, NULL);
        if (affine_is_exactly(v, v->low)) return;
        const bool rounded = m->symbols > symbols;
        if (!rounded && !v->beyond) {
            v->low = larger_of(v->low, ldexp(a->low, by));
            v->high = fmin(v->high, ldexp(a->high, by));
        }
        v->keeps_sign = true;
        if (!rounded) {
            v->last = a->last;
            /* A subnormal number that is scaled up has a larger rounding error than the result's own unit. */
            if (a->low < DBL_MIN && a->high > -DBL_MIN) v->last = 0;
            if (v->last) {
                v->unrounded_low = ldexp(a->unrounded_low, by);
                v->unrounded_high = ldexp(a->unrounded_high, by);
                v->keeps_sign = a->keeps_sign;
            }
        }
        return;
    }
    const double corners[] = {ldexp(a->low, (int)floor(n->low)), ldexp(a->low, (int)ceil(n->high)),
                              ldexp(a->high, (int)floor(n->low)), ldexp(a->high, (int)ceil(n->high))};
    double low = corners[0], high = corners[0];
    for (int k = 1; k < 4; k++) low = fmin(low, corners[k]), high = fmax(high, corners[k]);
    if (!isfinite(low) || !isfinite(high)) {
        if (low == high) *v = affine_number(low), v->kind = CONSTANT_BITS; /* infinite everywhere */
        return;
    }
    const struct model least = model_number(low), most = model_number(high);
    *v = (struct affine_value){.kind = NUMBER, .real = model_hull(&least, &most), .grain = LEAST_GRAIN};
    affine_find_bounds(v);
    if (!v->real.known) v->kind = NOTHING_KNOWN;
}
