/* Writes segments as operations. Integer operations on the bits of u give index and centre. They are nearly
 * free on cores where permutes and fused multiply-adds share ports. */
#include "half.h"
#include "segments.h"

struct emitter {
    const struct segments *s;
    lane_program *p;
    enum lane_type type, integer;
    unsigned fraction; /* bits of a float's fraction */
};

static lane_value integer(const struct emitter *e, uint64_t value)
{
    return lane_const_bits(e->p, e->integer, value & UINT64_MAX >> (64 - 8 * lane_type_bytes(e->integer)));
}

static lane_value number(const struct emitter *e, double value) { return lane_const(e->p, e->type, value); }
static lane_value bitcast(const struct emitter *e, lane_value v) { return lane_unary(e->p, LANE_BITCAST, v); }

static lane_value difference(const struct emitter *e, lane_value a, lane_value b, bool swapped)
{
    return lane_sub(e->p, swapped ? b : a, swapped ? a : b);
}

static struct segments_place exponent_argument(const struct emitter *e, lane_value t)
{
    const struct segments *s = e->s;
    const unsigned shift = e->fraction - s->fraction_bits;
    lane_value offset = number(e, s->offset);
    lane_value u = s->index == INDEX_SQUARE ? lane_fma(e->p, t, t, offset)
                   : s->mirrored            ? difference(e, offset, t, false)
                                            : lane_add(e->p, t, offset);
    lane_value bits = bitcast(e, u), index = lane_binary(e->p, LANE_SHR, bits, integer(e, shift));
    if (s->variable == VARIABLE_ARGUMENT) return (struct segments_place){.index = index, .variable = t};
    lane_value centre = lane_binary(e->p, LANE_AND, bits, integer(e, UINT64_MAX << shift));
    centre = bitcast(e, lane_binary(e->p, LANE_OR, centre, integer(e, UINT64_C(1) << (shift - 1))));
    if (s->variable == VARIABLE_DISTANCE)
        return (struct segments_place){.index = index, .variable = difference(e, u, centre, s->mirrored)};
    centre = difference(e, centre, offset, s->mirrored);
    return (struct segments_place){.index = index, .variable = lane_sub(e->p, t, centre)};
}

/* Returns 1.5 times the first power of two from which on the type's numbers are integers. The last bits of a
 * sum with it hold an integer. */
double segments_shifter(enum lane_type type)
{
    return type == LANE_F16 ? 0x1.8p10 : type == LANE_F32 ? 0x1.8p23 : 0x1.8p52;
}

/* Finds index = round(t / width) by an addition. */
static struct segments_place uniform_argument(const struct emitter *e, lane_value t)
{
    lane_value shifter = number(e, segments_shifter(e->type));
    double width = e->s->mirrored ? -e->s->width : e->s->width;
    lane_value shifted = lane_fma(e->p, t, number(e, 1 / width), shifter), index = bitcast(e, shifted);
    if (e->s->variable == VARIABLE_ARGUMENT) return (struct segments_place){.index = index, .variable = t};
    lane_value steps = lane_sub(e->p, shifted, shifter);
    return (struct segments_place){.index = index, .variable = lane_fma(e->p, steps, number(e, -width), t)};
}

/* As whole_reciprocal, without fma: the first half of the quotient u is the reciprocal, and the rest counts
 * as its rounding error. The products of the halves are exact, and so are their differences from the
 * numerator, because the offset has eight bits and is more than an eighth of t. */
static struct segments_place whole_reciprocal_in_halves(const struct emitter *e, lane_value t, lane_value u)
{
    const double numerator = e->s->numerator;
    const lane_value half = lane_leading_half(e->p, u), first = lane_leading_half(e->p, t);
    const lane_value factors[] = {number(e, e->s->offset), first, lane_sub(e->p, t, first)};
    lane_value rest = number(e, numerator);
    for (unsigned i = 0; i < 3; i++) rest = lane_sub(e->p, rest, lane_mul(e->p, half, factors[i]));
    struct segments_place at = {.index = integer(e, 0)};
    at.high = lane_sub(e->p, half, number(e, e->s->middle));
    at.low = lane_mul(e->p, rest, lane_mul(e->p, u, number(e, 1 / numerator)));
    at.variable = lane_add(e->p, at.high, at.low);
    return at;
}

/* Returns the reciprocal minus the middle of its values, and the rounding errors of the sum and of the
 * quotient. The function falls like the reciprocal, so that the last bits of the reciprocal count.
 *
 * Let e = t - ((t + offset) - offset), which is exact because the offset has eight bits. The error of the
 * quotient u is (numerator - u (t + offset + e)) / (t + offset). There, 1 / (t + offset) is close enough to u
 * / numerator. */
static struct segments_place whole_reciprocal(const struct emitter *e, lane_value t, lane_value below,
                                              lane_value u)
{
    const double numerator = e->s->numerator;
    if (e->s->without_fma) return whole_reciprocal_in_halves(e, t, u);
    const lane_value back = difference(e, below, number(e, e->s->offset), false);
    const lane_value minus = lane_unary(e->p, LANE_NEG, u), lost = difference(e, t, back, false);
    const lane_value rest = lane_fma(e->p, minus, lost, lane_fma(e->p, minus, below, number(e, numerator)));
    const lane_value share = lane_mul(e->p, u, number(e, 1 / numerator));
    struct segments_place at = {.index = integer(e, 0)};
    at.high = difference(e, u, number(e, e->s->middle), false);
    at.low = lane_mul(e->p, rest, share);
    at.variable = lane_fma(e->p, rest, share, at.high);
    return at;
}

/* Finds the reciprocal and its nearest integer, by the same addition. */
static struct segments_place reciprocal_argument(const struct emitter *e, lane_value t)
{
    const lane_value shifter = number(e, 0x1.8p52);
    const lane_value below = lane_add(e->p, t, number(e, e->s->offset));
    const lane_value u = lane_binary(e->p, LANE_DIV, number(e, e->s->numerator), below);
    if (segments_per_side(e->s) == 1) return whole_reciprocal(e, t, below, u);
    const lane_value shifted = lane_add(e->p, u, shifter);
    const lane_value centre = lane_sub(e->p, shifted, shifter), index = bitcast(e, shifted);
    return (struct segments_place){.index = index, .variable = lane_sub(e->p, u, centre)};
}

/* Selects the upper half of the table for a negative `sign`. The permute ignores higher bits. */
static lane_value with_side(const struct emitter *e, lane_value index, lane_value sign)
{
    const unsigned side_bit = e->s->log2_entries - 1, width = 8 * lane_type_bytes(e->type);
    if (side_bit == 0) return lane_binary(e->p, LANE_SHR, bitcast(e, sign), integer(e, width - 1));
    const uint64_t mask = (UINT64_C(1) << side_bit) - 1;
    sign = lane_binary(e->p, LANE_SHR, bitcast(e, sign), integer(e, width - 1 - side_bit));
    return lane_binary(e->p, LANE_OR, lane_binary(e->p, LANE_AND, index, integer(e, mask)),
                       lane_binary(e->p, LANE_AND, sign, integer(e, ~mask)));
}

unsigned segments_fraction_bits(enum lane_type type)
{
    return type == LANE_F16 ? 10 : type == LANE_F32 ? 23 : 52;
}

static struct emitter emitter_of(const struct segments *s, lane_program *p)
{
    return (struct emitter){s, p, s->type, lane_types[s->type].other_side, segments_fraction_bits(s->type)};
}

lane_value segments_coefficient(const struct segments *s, lane_program *p, lane_value index, unsigned k)
{
    uint64_t bits[SEGMENTS_MAX_ENTRIES];
    for (unsigned i = 0; i < 1u << s->log2_entries; i++) {
        const double value = s->mirrored && k % 2 ? -s->coefficient[k][i] : s->coefficient[k][i];
        bits[i] = s->type == LANE_F16   ? f16_of_f64(value)
                  : s->type == LANE_F32 ? bits_of_f32((float)value)
                                        : bits_of_f64(value);
    }
    if (!s->log2_entries) return lane_const(p, s->type, s->coefficient[k][0]);
    return lane_lookup(p, lane_table_add(p, s->type, s->log2_entries, bits), index);
}

struct segments_place segments_place(const struct segments *s, lane_program *p, lane_value t)
{
    const struct emitter e = emitter_of(s, p);
    return s->index == INDEX_UNIFORM      ? uniform_argument(&e, t)
           : s->index == INDEX_RECIPROCAL ? reciprocal_argument(&e, t)
                                          : exponent_argument(&e, t);
}

/* Adds the terms from `first` on to `stride` sums. `step` is the variable's power from one term of a sum to
 * the next. */
static void add_terms(lane_value *sum, const struct segments *s, lane_program *p, lane_value index,
                      unsigned first, unsigned stride, lane_value step)
{
    for (unsigned k = s->degree + 1; k-- > first;) {
        const lane_value c = segments_coefficient(s, p, index, k);
        sum[k % stride] = k + stride > s->degree ? c : lane_fma(p, sum[k % stride], step, c);
    }
}

lane_value segments_terms(const struct segments *s, lane_program *p, struct segments_place at, unsigned first)
{
    lane_value sum = 0;
    add_terms(&sum, s, p, at.index, first, 1, at.variable);
    return sum;
}

static struct segments_place place_on_side(const struct segments *s, lane_program *p, lane_value t,
                                           lane_value sign)
{
    const struct emitter e = emitter_of(s, p);
    struct segments_place at = segments_place(s, p, t);
    if (s->sides == 2) at.index = with_side(&e, at.index, sign);
    return at;
}

/* Sets the rest of f without fma. The slope is first + above * variable. Its first half times the
 * reciprocal's is exact. The rest is the difference from the rounded product, and the products that the
 * halves leave. */
static struct segments_parts parts_in_halves(lane_program *p, struct segments_place at,
                                             struct segments_parts f, lane_value first, lane_value above)
{
    const lane_value half = lane_leading_half(p, f.slope);
    const lane_value other = lane_add(p, lane_sub(p, first, half), lane_mul(p, above, at.variable));
    const lane_value lost = lane_sub(p, lane_mul(p, half, at.high), lane_mul(p, f.slope, at.variable));
    const lane_value beside = lane_add(p, lane_mul(p, other, at.high), lane_mul(p, f.slope, at.low));
    f.rest = lane_add(p, lost, beside);
    return f;
}

struct segments_parts segments_build_parts(const struct segments *s, lane_program *p, lane_value t,
                                           lane_value sign)
{
    const struct segments_place at = place_on_side(s, p, t, sign);
    const lane_value constant = segments_coefficient(s, p, at.index, 0);
    if (!at.low)
        return (struct segments_parts){constant, segments_terms(s, p, at, 1), at.variable,
                                       s->low_words ? segments_coefficient(s, p, at.index, s->degree + 1)
                                                    : 0};
    const lane_value first = segments_coefficient(s, p, at.index, 1), above = segments_terms(s, p, at, 2);
    const lane_value slope = lane_fma(p, above, at.variable, first);
    if (s->without_fma)
        return parts_in_halves(p, at, (struct segments_parts){constant, slope, at.variable, 0}, first, above);
    const lane_value lost = lane_fma(p, above, at.variable, lane_sub(p, first, slope));
    const lane_value rest = lane_fma(p, lost, at.high, lane_mul(p, slope, at.low));
    return (struct segments_parts){constant, slope, at.high, rest};
}

struct segments_words segments_words_of(lane_program *p, const struct segments_parts *r)
{
    if (!r->slope) return (struct segments_words){r->constant, r->rest};
    const lane_value whole = lane_fma(p, r->slope, r->variable, r->constant);
    const lane_value lost = lane_fma(p, r->slope, r->variable, lane_sub(p, r->constant, whole));
    return (struct segments_words){whole, lane_add(p, lost, r->rest)};
}

lane_value segments_build(const struct segments *s, lane_program *p, lane_value t, lane_value sign)
{
    return segments_terms(s, p, place_on_side(s, p, t, sign), 0);
}

lane_value segments_build_halves(const struct segments *s, lane_program *p, lane_value t)
{
    const struct segments_place at = segments_place(s, p, t);
    lane_value sum[2] = {0};
    add_terms(sum, s, p, at.index, 0, 2, lane_mul(p, at.variable, at.variable));
    return lane_fma(p, sum[1], at.variable, sum[0]);
}

void segments_describe(struct text *out, const struct segments *s)
{
    static const char *const kinds[] = {"uniform", "exponent", "exponent", "reciprocal"};
    static const char *const variables[] = {"", " from the centre", " from the exact centre"};
    text_add(out, "%u %s segment%s", 1u << s->log2_entries, kinds[s->index], s->log2_entries ? "s" : "");
    if (s->index == INDEX_UNIFORM)
        text_add(out, " of width %g", s->width);
    else if (s->index == INDEX_RECIPROCAL)
        text_add(out, " of %g / (t + %g)", s->numerator, s->offset);
    else
        text_add(out, " of %s + %g with %u fraction bits", s->index == INDEX_SQUARE ? "t^2" : "t", s->offset,
                 s->fraction_bits);
    text_add(out, ", degree %u%s", s->degree, variables[s->variable]);
}
