/* Affine arithmetic over Taylor models, operation by operation.
 *
 * The value of an operation is real(u) + sum of (n_k + m_k u) e_k, where e_k in [-1, 1] is what rounding k did at that input. A
 * rounding adds half a unit of the last place of the largest result, unless the result is seen to be exact: its last bit has a place,
 * `grain`, and all values are multiples of that and small enough for 53 bits. What is of second order in the roundings, or bends
 * along the interval, goes to the model's rest.
 *
 * Integers are made of the bits of floats here: where an interval does not show them to be constants (narrowed.h), a float's bits with
 * some last ones cut off are known as that float and how many units it may lie below. */
#include "program_model.h"

#include "float_bits.h"

#include <float.h>
#include <limits.h>
#include <stdlib.h>
#include <stdio.h>

enum kind { NOTHING_KNOWN, NUMBER, TRUTH, BITS, CONSTANT_BITS };
enum { LEAST_GRAIN = -1074, NO_GRAIN = -5000 };
static const double SLOPPY = 0x1p-46; /* more than the roundings of a factor: of a few operations on doubles, and their sum's */

struct factor {
    double level, slope;
};

struct value {
    enum kind kind;
    struct model real;
    struct factor *moves; /* by symbol */
    uint32_t symbols;     /* those beyond have no factor */
    double low, high;     /* of the value with its roundings */
    int grain;            /* it is a multiple of 2^grain */
    bool truth;
    lane_value source; /* BITS: of this number, */
    double most_below; /* less so many units of its last place at most */
    uint64_t bits;
    /* Of the operation that rounded last, if it is the value but for its sign and a power of two: */
    uint32_t last; /* its symbol + 1; 0: none */
    double unrounded_low, unrounded_high;
    bool keeps_sign, beyond;
    bool is_some_zero; /* whose sign nobody knows */
    bool is_exact; /* what the operation should give, without a rounding */
};

struct program_model {
    uint32_t room;
    struct value *values;
    struct factor *factors; /* `room` for each value */
    uint32_t symbols;
    const lane_program *program;
};

struct program_model *program_model_create(arena *memory, uint32_t most_values)
{
    struct program_model *m = arena_alloc(memory, sizeof *m);
    m->room = most_values;
    m->values = arena_alloc(memory, most_values * sizeof *m->values);
    m->factors = arena_alloc(memory, (size_t)most_values * most_values * sizeof *m->factors);
    return m;
}

static double larger(double a, double b) { return a > b ? a : b; }

/* -- numbers -- */

/* All that the roundings so far can do, in units of the model. */
static double moved(const struct value *v)
{
    double all = 0;
    for (uint32_t k = 0; k < v->symbols; k++) all += fabs(v->moves[k].level) + fabs(v->moves[k].slope);
    return all * MODEL_GROW;
}

static void find_bounds(struct value *v)
{
    struct model wide = model_widened(v->real, moved(v));
    wide.sign = 0;
    model_bounds(&wide, &v->low, &v->high);
}

static int exponent_of(double x) /* of the power of two below it */
{
    int exponent = NO_GRAIN;
    if (x != 0 && isfinite(x)) frexp(x, &exponent);
    return exponent - 1;
}

static int grain_of_constant(double x)
{
    int exponent = exponent_of(x) - 52 > LEAST_GRAIN ? exponent_of(x) - 52 : LEAST_GRAIN;
    if (x == 0) return INT_MAX / 4;
    while (exponent < 1024 && fmod(fabs(x), ldexp(1, exponent + 1)) == 0) exponent++;
    return exponent;
}

/* Of numbers of f64 in an interval. */
static int grain_between(double low, double high)
{
    const double least = low > 0 ? low : high < 0 ? -high : 0;
    const int grain = least > 0 ? exponent_of(least) - 52 : LEAST_GRAIN;
    return grain > LEAST_GRAIN ? grain : LEAST_GRAIN;
}

static struct value number_of(double x)
{
    struct value v = {.kind = NUMBER, .real = model_number(x), .low = x, .high = x};
    v.grain = grain_of_constant(x);
    v.bits = bits_of_f64(x);
    return v;
}

static bool is_exactly(const struct value *v, double x)
{
    return v->symbols == 0 && v->real.degree == 0 && v->real.rest == 0 && v->low == x && v->high == x;
}

/* The factors of the operation that is being done. */
static struct factor *fresh_factors(struct program_model *m, const struct value *v)
{
    return m->factors + (size_t)(v - m->values) * m->room;
}

/* The unit of one model in units of another. Less than 2^-1000 is counted as nothing: rest_of_ratio times what there is of it. */
static double ratio_of(const struct model *a, const struct model *r)
{
    const long shift = a->exponent - r->exponent;
    return shift < -1000 ? 0 : ldexp(1, (int)(shift > 1100 ? 1100 : shift));
}

static double rest_of_ratio(double ratio) { return ratio > 0 ? 0 : 0x1p-1000; }

static int smaller_grain(int a, int b) { return a < b ? a : b; }

/* Whether |v| certainly is less than 2^exponent. */
static bool is_below(const struct value *v, int exponent)
{
    const struct model wide = model_widened(v->real, moved(v));
    const long shift = wide.exponent - exponent;
    return wide.known && shift < 900 && ldexp(model_size(&wide), shift < -900 ? -900 : (int)shift) < 1;
}

/* Settles v, whose real part and factors are those of the exact result: it is rounded, if it has to be. `has_53_bits`: it has no more
 * than those, wherever they lie. */
static void round_off(struct program_model *m, struct value *v, int grain, bool has_53_bits)
{
    if (!v->real.known) {
        v->kind = NOTHING_KNOWN;
        return;
    }
    v->kind = NUMBER;
    find_bounds(v);
    v->unrounded_low = v->low;
    v->unrounded_high = v->high;
    const double most = larger(fabs(v->low), fabs(v->high));
    const bool is_normal = v->low >= DBL_MIN || v->high <= -DBL_MIN;
    const bool fits = has_53_bits ? grain >= LEAST_GRAIN || is_normal
                                  : grain >= LEAST_GRAIN && most <= ldexp(1, grain > 960 ? 1013 : grain + 53);
    v->beyond = most > DBL_MAX;
    v->last = 0;
    v->grain = grain > grain_between(v->low, v->high) ? grain : grain_between(v->low, v->high);
    /* A multiple of 2^grain that is smaller is 0, and so is what rounds to less than half the smallest number. But where roundings alone
     * make it up, it stays what they are: they cancel elsewhere. */
    if (v->low <= 0 && v->high >= 0 && (!fits || moved(v) <= v->real.rest) &&
        is_below(v, fits ? smaller_grain(grain, 1023) : LEAST_GRAIN - 1)) {
        *v = number_of(0);
        v->is_some_zero = true;
        return;
    }
    v->is_exact = fits && !v->beyond;
    if (fits && (!v->beyond || has_53_bits)) return; /* what overflows then is too large by any count */
    /* Below a power of two, or at it, half a unit is that of the binade below. */
    const int unit = exponent_of(v->beyond ? DBL_MAX : nextafter(most, 0)) - 52,
              half = (unit > LEAST_GRAIN ? unit : LEAST_GRAIN) - 1;
    const long shift = half - v->real.exponent;
    const double factor = ldexp(1, (int)(shift > 2000 ? 2000 : shift < -1070 ? -1070 : shift));
    for (uint32_t k = v->symbols; k < m->symbols; k++) v->moves[k] = (struct factor){0, 0};
    v->moves[m->symbols] = (struct factor){factor, 0};
    v->symbols = v->last = ++m->symbols;
    if (!(factor < INFINITY)) v->kind = NOTHING_KNOWN;
    /* Rounding is monotone, and the bounds are numbers of f64. */
}

/* Widens the model; where that changes its unit, the factors follow. */
static void widen(struct value *v, double rest)
{
    const long before = v->real.exponent;
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
    /* What became subnormal on the way is less than that; with it the size, and so the unit, stays. */
    v->real.rest += 0x1p-1000 * v->symbols;
}

static void add_numbers(struct program_model *m, struct value *v, const struct value *a,
                        const struct value *b, bool negative)
{
    v->real = negative ? model_sub(&a->real, &b->real) : model_add(&a->real, &b->real);
    if (!v->real.known) return;
    const double ra = a->symbols ? ratio_of(&a->real, &v->real) : 0,
                 rb = b->symbols ? ratio_of(&b->real, &v->real) : 0;
    v->moves = fresh_factors(m, v);
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
    rest = rest * 0x1p-50 + rest_of_ratio(ra) * moved(a) + rest_of_ratio(rb) * moved(b);
    widen(v, rest + PAIR_TINY);
}

/* A model as a line and what is beside it. */
struct line {
    double level, slope, beside, size;
};
static struct line line_of(const struct model *a)
{
    return (struct line){a->c[0].high, a->degree ? a->c[1].high : 0, model_bend(a), model_size(a)};
}

/* Adds to the factors, each times a line, and returns what they leave out. */
static double add_moves(struct value *v, const struct value *a, struct line line, double ratio)
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

/* The product without rounding; its factors go to `moves`. */
static void multiply(struct value *v, const struct value *a, const struct value *b, struct factor *moves)
{
    v->real = model_mul(&a->real, &b->real);
    v->moves = moves;
    v->symbols = 0;
    if (!v->real.known || is_exactly(a, 0) || is_exactly(b, 0)) return;
    struct model unit = a->real;
    unit.exponent += b->real.exponent;
    const double ratio = ratio_of(&unit, &v->real);
    v->moves = moves;
    v->symbols = a->symbols > b->symbols ? a->symbols : b->symbols;
    if (!v->symbols) return;
    for (uint32_t k = 0; k < v->symbols; k++) moves[k] = (struct factor){0, 0};
    double rest = add_moves(v, a, line_of(&b->real), ratio) + add_moves(v, b, line_of(&a->real), ratio);
    rest += moved(a) * moved(b) * (ratio + rest_of_ratio(ratio));
    widen(v, rest + PAIR_TINY);
}

static int product_grain(const struct value *a, const struct value *b)
{
    const long grain = (long)a->grain + b->grain;
    return grain > INT_MAX / 4 ? INT_MAX / 4 : (int)grain;
}

/* (A + x) / (B + y) is A / B + (x - y A / B) / B, times 1 / (1 + y / B). */
static void divide(struct program_model *m, struct value *v, const struct value *a, const struct value *b)
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
    v->moves = fresh_factors(m, v);
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
    const double share = moved(b) * model_size(&inverse) * high; /* of y in B */
    if (!(share < 0x1p-20)) {
        v->real = model_unknown;
        return;
    }
    rest += (moved(v) + rest) * share * 2;
    widen(v, rest + PAIR_TINY);
}

static struct value negated(const struct value *a, struct factor *moves)
{
    struct value v = *a;
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

/* -- choices -- */

static struct value hull_of(const struct value *a, const struct value *b)
{
    struct value x = *a, y = *b, v = {.kind = NOTHING_KNOWN};
    if (a->kind != NUMBER || b->kind != NUMBER) return v;
    const struct model wide_a = model_widened(x.real, moved(a)), wide_b = model_widened(y.real, moved(b));
    v.kind = NUMBER;
    v.real = model_hull(&wide_a, &wide_b);
    v.low = fmin(a->low, b->low);
    v.high = fmax(a->high, b->high);
    v.grain = smaller_grain(a->grain, b->grain);
    v.beyond = a->beyond || b->beyond;
    if (!v.real.known) v.kind = NOTHING_KNOWN;
    return v;
}

static struct value extreme_of(const struct value *a, const struct value *b, bool least)
{
    /* Equal numbers are one, but for the sign of a zero. */
    if (a->high < b->low || (a->high == b->low && a->high != 0)) return least ? *a : *b;
    if (b->high < a->low || (b->high == a->low && b->high != 0)) return least ? *b : *a;
    struct value v = hull_of(a, b);
    if (v.kind != NUMBER) return v;
    v.low = least ? fmin(a->low, b->low) : fmax(a->low, b->low);
    v.high = least ? fmin(a->high, b->high) : fmax(a->high, b->high);
    if (!isfinite(v.low) || !isfinite(v.high)) return (struct value){.kind = NOTHING_KNOWN};
    const struct model low = model_number(v.low), high = model_number(v.high);
    v.real = model_hull(&low, &high);
    return v;
}

static struct value truth(bool is_true) { return (struct value){.kind = TRUTH, .truth = is_true}; }

static struct value compared(enum lane_op op, const struct value *a, const struct value *b, bool same)
{
    const struct value unknown = {.kind = NOTHING_KNOWN};
    if (a->kind != NUMBER || b->kind != NUMBER) return unknown;
    if (same) return truth(op != LANE_LT); /* numbers, no NaN */
    if (a->high < b->low) return truth(op != LANE_EQ);
    if (a->low > b->high) return truth(false);
    return op == LANE_LE && a->high <= b->low ? truth(true)
                                              : (op == LANE_LT && a->low >= b->high ? truth(false) : unknown);
}

static struct value connected(enum lane_op op, const struct value *a, const struct value *b)
{
    const bool decisive = op == LANE_MOR;
    if ((a->kind == TRUTH && a->truth == decisive) || (b->kind == TRUTH && b->truth == decisive))
        return truth(decisive);
    if (a->kind == TRUTH && b->kind == TRUTH) return truth(!decisive);
    return (struct value){.kind = NOTHING_KNOWN};
}

/* -- bits -- */

static struct value cut_bits(const struct value *a, const struct value *mask)
{
    struct value v = *a;
    const uint64_t low = ~mask->bits;
    if (a->kind != BITS || mask->kind != CONSTANT_BITS || (low & (low + 1)) || low > 0xffff)
        return (struct value){.kind = NOTHING_KNOWN};
    v.most_below = a->most_below + (double)low;
    return v;
}

/* The number of those bits. */
static struct value number_of_bits(const struct program_model *m, const struct value *a)
{
    const struct value unknown = {.kind = NOTHING_KNOWN}, *source = &m->values[a->source];
    if (a->kind != BITS) return unknown;
    if (a->most_below == 0) return *source;
    const int exponent = exponent_of(source->low);
    if (source->low <= 0 || exponent != exponent_of(source->high) || exponent < -900 || exponent > 900)
        return unknown;
    const double unit = ldexp(1, exponent - 52), low = source->low - a->most_below * unit;
    if (exponent_of(low) != exponent) return unknown;
    struct value v = *source;
    const struct model middle = model_number(-a->most_below * unit / 2);
    v.real = model_add(&source->real, &middle);
    if (!v.real.known || v.real.exponent != source->real.exponent) return unknown;
    v.real = model_widened(v.real, ldexp(a->most_below * unit, (int)-v.real.exponent - 1) * MODEL_GROW);
    if (!v.real.known || v.real.exponent != source->real.exponent) return unknown;
    v.low = low;
    v.last = 0;
    v.grain = exponent - 52;
    return v;
}

/* Any of the table's entries, which is a symbol of its own: it may be subtracted again. */
static struct value entry_of(struct program_model *m, struct value *place, const struct lane_table *t)
{
    struct value v = {.kind = NOTHING_KNOWN};
    double low = INFINITY, high = -INFINITY;
    int grain = INT_MAX / 4;
    if (t->type != LANE_F64) return v;
    for (uint32_t k = 0; k < UINT32_C(1) << t->log2_size; k++) {
        const double entry = f64_of_bits(t->bits[k]);
        if (!(fabs(entry) < 0x1p500)) return v;
        low = fmin(low, entry);
        high = fmax(high, entry);
        grain = smaller_grain(grain, grain_of_constant(entry));
    }
    const double middle = low / 2 + high / 2;
    v = number_of(middle);
    if (low == high) return v;
    v.moves = fresh_factors(m, place);
    for (uint32_t k = 0; k < m->symbols; k++) v.moves[k] = (struct factor){0, 0};
    const long shift = -v.real.exponent;
    if (labs(shift) > 1000) return (struct value){.kind = NOTHING_KNOWN};
    v.moves[m->symbols++] =
        (struct factor){ldexp(larger(high - middle, middle - low) * MODEL_GROW, (int)shift), 0};
    v.symbols = m->symbols;
    v.low = low;
    v.high = high;
    v.grain = grain;
    return v;
}

/* -- operations -- */

/* x * 2^n, n one constant or, where no more is asked than where the result lies, any. */
static void scale(struct program_model *m, struct value *v, const struct value *a, const struct value *n)
{
    const bool fixed = n->low == n->high && n->low == rint(n->low);
    if (!(fabs(n->low) <= 5000) || !(fabs(n->high) <= 5000)) return;
    if (fixed) {
        struct value exact = *a;
        const int by = (int)n->low;
        exact.real = model_scale(&a->real, by);
        if (!exact.real.known) return;
        /* The factors are in units of the model. */
        exact.moves = fresh_factors(m, v);
        for (uint32_t k = 0; k < a->symbols; k++) exact.moves[k] = a->moves[k];
        const uint32_t symbols = m->symbols;
        *v = exact;
        round_off(m, v, a->grain < INT_MAX / 8 ? a->grain + by : a->grain, true);
        if (v->is_some_zero) return;
        const bool rounded = m->symbols > symbols;
        if (!rounded && !v->beyond) {
            v->low = larger(v->low, ldexp(a->low, by));
            v->high = fmin(v->high, ldexp(a->high, by));
        }
        v->keeps_sign = true;
        if (!rounded) {
            v->last = a->last;
            /* A subnormal number scaled up is rounded more coarsely than the result's own unit. */
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
        if (low == high) *v = number_of(low), v->kind = CONSTANT_BITS; /* infinite all over */
        return;
    }
    const struct model least = model_number(low), most = model_number(high);
    *v = (struct value){.kind = NUMBER, .real = model_hull(&least, &most), .grain = LEAST_GRAIN};
    find_bounds(v);
    if (!v->real.known) v->kind = NOTHING_KNOWN;
}

static void twice(struct program_model *m, struct value *v, const struct value *a)
{
    const struct value one = number_of(1);
    scale(m, v, a, &one);
}

static bool excludes_zero(const struct value *v) { return v->low > 0 || v->high < 0; }

static bool is_power_of_two(const struct value *v)
{
    int exponent;
    return is_exactly(v, v->low) && fabs(frexp(v->low, &exponent)) == 0.5;
}

static bool is_usable(const struct value *v) { return v->kind == NUMBER && !v->beyond; }

/* Whether the instruction finds what the rounding of a * b left, and that is nothing that f64 has. */
static bool is_error_of_product(const struct program_model *m, const struct lane_instruction *i)
{
    const struct lane_instruction *less = &m->program->code[i->operand[2]],
                                  *product = &m->program->code[less->operand[0]];
    if (less->op != LANE_NEG || product->op != LANE_MUL) return false;
    if (product->operand[0] != i->operand[0] || product->operand[1] != i->operand[1]) return false;
    const struct value *p = &m->values[less->operand[0]];
    return p->low >= -0x1p-1021 && p->high <= 0x1p-1021;
}

/* Whether `v` is s less some other value, exactly. */
static bool is_difference_from(const struct program_model *m, lane_value v, lane_value s)
{
    const struct lane_instruction *i = &m->program->code[v];
    return i->op == LANE_SUB && i->operand[0] == s && m->values[v].is_exact &&
           is_usable(&m->values[i->operand[1]]);
}

static void arithmetic(struct program_model *m, struct value *v, const struct lane_instruction *i)
{
    const struct value *a = &m->values[i->operand[0]], *b = &m->values[i->operand[1]],
                       *c = &m->values[i->operand[2]];
    const unsigned arity = lane_ops[i->op].arity;
    if (i->type != LANE_F64 || !is_usable(a) || (arity > 1 && !is_usable(b)) || (arity > 2 && !is_usable(c)))
        return;
    switch (i->op) {
    case LANE_ADD:
    case LANE_SUB:
        if (i->op == LANE_ADD && a == b) {
            twice(m, v, a);
        } else if (i->op == LANE_SUB && is_difference_from(m, i->operand[1], i->operand[0])) {
            *v = m->values[m->program->code[i->operand[1]].operand[1]]; /* s - (s - a), as in sums without error */
        } else if (is_exactly(b, 0) && excludes_zero(a)) {
            *v = *a;
        } else if (i->op == LANE_ADD && is_exactly(a, 0) && excludes_zero(b)) {
            *v = *b;
        } else {
            add_numbers(m, v, a, b, i->op == LANE_SUB);
            round_off(m, v, smaller_grain(a->grain, b->grain), false);
        }
        break;
    case LANE_MUL:
        multiply(v, a, b, fresh_factors(m, v));
        round_off(m, v, product_grain(a, b), is_power_of_two(a) || is_power_of_two(b));
        v->keeps_sign = true;
        break;
    case LANE_FMA: {
        if (is_error_of_product(m, i)) { /* of a subnormal product: at most half the smallest number, which rounds to 0 */
            *v = number_of(0);
            v->is_some_zero = true;
            break;
        }
        /* The product's factors are put where the next value's will be. */
        struct value product = {0};
        multiply(&product, a, b, fresh_factors(m, v) + m->room);
        if (!product.real.known) return;
        add_numbers(m, v, &product, c, false);
        round_off(m, v, smaller_grain(product_grain(a, b), c->grain), false);
        v->keeps_sign = true;
        break;
    }
    case LANE_DIV:
        divide(m, v, a, b);
        round_off(m, v, is_power_of_two(b) ? product_grain(a, &(struct value){.grain = -b->grain}) : NO_GRAIN,
                  is_power_of_two(b));
        v->keeps_sign = true;
        break;
    case LANE_SCALE2: scale(m, v, a, b); break;
    case LANE_NEG: *v = negated(a, fresh_factors(m, v)); break;
    case LANE_ABS:
        if (a->low >= 0)
            *v = *a;
        else if (a->high <= 0)
            *v = negated(a, fresh_factors(m, v));
        break;
    case LANE_MIN:
    case LANE_MAX: *v = extreme_of(a, b, i->op == LANE_MIN); break;
    default: break;
    }
}

static void find_value(struct program_model *m, lane_value n, const struct value *input)
{
    const struct lane_instruction *i = &m->program->code[n];
    const struct value *a = &m->values[i->operand[0]], *b = &m->values[i->operand[1]],
                       *c = &m->values[i->operand[2]];
    struct value *v = &m->values[n];
    *v = (struct value){.kind = NOTHING_KNOWN};
    switch (i->op) {
    case LANE_LOAD: *v = *input; break;
    case LANE_CONST:
        v->bits = i->bits;
        v->kind = CONSTANT_BITS;
        if (i->type == LANE_F64 && isfinite(f64_of_bits(i->bits))) *v = number_of(f64_of_bits(i->bits));
        break;
    case LANE_EQ:
    case LANE_LT:
    case LANE_LE: *v = compared(i->op, a, b, i->operand[0] == i->operand[1]); break;
    case LANE_MNOT:
        if (a->kind == TRUTH) *v = truth(!a->truth);
        break;
    case LANE_MAND:
    case LANE_MOR: *v = connected(i->op, a, b); break;
    case LANE_SELECT:
        *v = a->kind == TRUTH ? (a->truth ? *b : *c) : hull_of(b, c);
        break;
    case LANE_BITCAST:
        if (i->type == LANE_F64)
            *v = number_of_bits(m, a);
        else if (a->kind == NUMBER)
            *v = (struct value){.kind = BITS, .source = i->operand[0]};
        break;
    case LANE_AND:
        *v = b->kind == CONSTANT_BITS ? cut_bits(a, b) : cut_bits(b, a);
        break;
    case LANE_LOOKUP: *v = entry_of(m, v, &m->program->tables[i->index]); break;
    default: arithmetic(m, v, i);
    }
}

static struct program_result result_of(const struct value *v)
{
    struct program_result r = {.known = v->kind == NUMBER, .low = v->low, .high = v->high, .real = v->real};
    if (v->kind == CONSTANT_BITS && isinf(f64_of_bits(v->bits)))
        return (struct program_result){.known = true, .is_constant = true, .low = f64_of_bits(v->bits)};
    if (!r.known) return r;
    if (v->is_some_zero) r.known = false;
    r.is_constant = is_exactly(v, v->low);
    if (r.is_constant) r.low = f64_of_bits(v->bits);
    r.moved = moved(v);
    r.last_keeps_sign = v->last && v->keeps_sign;
    if (v->last) {
        const struct factor *last = &v->moves[v->last - 1];
        r.last = fabs(last->level) + fabs(last->slope);
        r.low = v->unrounded_low;
        r.high = v->unrounded_high;
        struct value others = *v;
        const struct factor kept = *last;
        v->moves[v->last - 1] = (struct factor){0, 0};
        r.moved = moved(&others);
        v->moves[v->last - 1] = kept;
    }
    return r;
}

struct program_result program_model_run(struct program_model *m, const lane_program *p, double low,
                                        double high)
{
    const struct program_result unknown = {0};
    if (p->count + 1 >= m->room) return unknown;
    struct value input = {.kind = NUMBER, .real = model_variable(low, high), .low = low, .high = high};
    input.grain = grain_between(low, high);
    m->program = p;
    m->symbols = 0;
    for (lane_value n = 0; n < p->count; n++) {
        const struct lane_instruction *i = &p->code[n];
        if (i->op == LANE_STORE) return result_of(&m->values[i->operand[0]]);
        find_value(m, n, &input);
        if (getenv("DBV") && low == atof(getenv("DBV"))) fprintf(stderr, "%%%u %s(%u %u %u) kind %d [%.17g %.17g] moved %g = %g rest %g e %ld grain %d exact %d\n", n, lane_ops[i->op].name, i->operand[0], i->operand[1], i->operand[2], m->values[n].kind, m->values[n].low, m->values[n].high, m->values[n].kind == NUMBER ? moved(&m->values[n]) : 0, m->values[n].kind == NUMBER ? ldexp(moved(&m->values[n]),1074+(int)m->values[n].real.exponent):0,m->values[n].real.rest, m->values[n].real.exponent, m->values[n].grain, m->values[n].is_exact);
    }
    return unknown;
}
