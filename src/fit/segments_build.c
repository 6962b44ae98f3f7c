/* Segments as operations. Integer operations on the bits of u give index and centre: on cores where permutes
 * and fused multiply-adds share ports they are nearly free. */
#include "float_bits.h"
#include "segments.h"

struct emitter {
    const struct segments *s;
    lane_program *p;
    enum lane_type type, integer;
    unsigned fraction; /* bits of a float's fraction */
};

static lane_value integer(const struct emitter *e, uint64_t value)
{
    return lane_const_bits(e->p, e->integer, e->integer == LANE_I32 ? (uint32_t)value : value);
}

static lane_value number(const struct emitter *e, double value) { return lane_const(e->p, e->type, value); }
static lane_value bitcast(const struct emitter *e, lane_value v) { return lane_unary(e->p, LANE_BITCAST, v); }

static lane_value difference(const struct emitter *e, lane_value a, lane_value b, bool swapped)
{
    return lane_binary(e->p, LANE_SUB, swapped ? b : a, swapped ? a : b);
}

static struct segments_place exponent_argument(const struct emitter *e, lane_value t)
{
    const struct segments *s = e->s;
    const unsigned shift = e->fraction - s->fraction_bits;
    lane_value offset = number(e, s->offset);
    lane_value u = s->index == INDEX_SQUARE ? lane_fma(e->p, t, t, offset)
                   : s->mirrored            ? difference(e, offset, t, false)
                                            : lane_binary(e->p, LANE_ADD, t, offset);
    lane_value bits = bitcast(e, u), index = lane_binary(e->p, LANE_SHR, bits, integer(e, shift));
    if (s->variable == VARIABLE_ARGUMENT) return (struct segments_place){index, t};
    lane_value centre = lane_binary(e->p, LANE_AND, bits, integer(e, UINT64_MAX << shift));
    centre = bitcast(e, lane_binary(e->p, LANE_OR, centre, integer(e, UINT64_C(1) << (shift - 1))));
    if (s->variable == VARIABLE_DISTANCE)
        return (struct segments_place){index, difference(e, u, centre, s->mirrored)};
    centre = difference(e, centre, offset, s->mirrored);
    return (struct segments_place){index, lane_binary(e->p, LANE_SUB, t, centre)};
}

/* index = round(t / width) by adding 1.5 * 2^23 (2^52), whose last bits then hold it. */
static struct segments_place uniform_argument(const struct emitter *e, lane_value t)
{
    lane_value shifter = number(e, e->type == LANE_F32 ? 0x1.8p23 : 0x1.8p52);
    double width = e->s->mirrored ? -e->s->width : e->s->width;
    lane_value shifted = lane_fma(e->p, t, number(e, 1 / width), shifter), index = bitcast(e, shifted);
    if (e->s->variable == VARIABLE_ARGUMENT) return (struct segments_place){index, t};
    lane_value steps = lane_binary(e->p, LANE_SUB, shifted, shifter);
    return (struct segments_place){index, lane_fma(e->p, steps, number(e, -width), t)};
}

/* The upper half of the table is for negative `sign`. The permute ignores higher bits. */
static lane_value with_side(const struct emitter *e, lane_value index, lane_value sign)
{
    const unsigned side_bit = e->s->log2_entries - 1, width = e->type == LANE_F32 ? 32 : 64;
    const uint64_t mask = (UINT64_C(1) << side_bit) - 1;
    sign = lane_binary(e->p, LANE_SHR, bitcast(e, sign), integer(e, width - 1 - side_bit));
    return lane_binary(e->p, LANE_OR, lane_binary(e->p, LANE_AND, index, integer(e, mask)),
                       lane_binary(e->p, LANE_AND, sign, integer(e, ~mask)));
}

static lane_value coefficient(const struct emitter *e, unsigned k, lane_value index)
{
    uint64_t bits[SEGMENTS_MAX_ENTRIES];
    for (unsigned i = 0; i < 1u << e->s->log2_entries; i++) {
        const double value = e->s->mirrored && k % 2 ? -e->s->coefficient[k][i] : e->s->coefficient[k][i];
        bits[i] = e->type == LANE_F32 ? bits_of_f32((float)value) : bits_of_f64(value);
    }
    return lane_lookup(e->p, lane_table_add(e->p, e->type, e->s->log2_entries, bits), index);
}

static struct emitter emitter_of(const struct segments *s, lane_program *p)
{
    const bool narrow = s->type == LANE_F32;
    return (struct emitter){s, p, s->type, narrow ? LANE_I32 : LANE_I64, narrow ? 23 : 52};
}

struct segments_place segments_place(const struct segments *s, lane_program *p, lane_value t)
{
    const struct emitter e = emitter_of(s, p);
    return s->index == INDEX_UNIFORM ? uniform_argument(&e, t) : exponent_argument(&e, t);
}

struct segments_parts segments_build_parts(const struct segments *s, lane_program *p, lane_value t,
                                           lane_value sign)
{
    const struct emitter e = emitter_of(s, p);
    struct segments_place a = segments_place(s, p, t);
    if (s->sides == 2) a.index = with_side(&e, a.index, sign);
    struct segments_parts parts = {.constant = coefficient(&e, 0, a.index), .variable = a.variable};
    parts.slope = coefficient(&e, s->degree, a.index);
    for (unsigned k = s->degree; k-- > 1;)
        parts.slope = lane_fma(p, parts.slope, a.variable, coefficient(&e, k, a.index));
    return parts;
}

lane_value segments_build(const struct segments *s, lane_program *p, lane_value t, lane_value sign)
{
    const struct segments_parts parts = segments_build_parts(s, p, t, sign);
    return s->degree ? lane_fma(p, parts.slope, parts.variable, parts.constant) : parts.constant;
}

void segments_describe(struct text *out, const struct segments *s)
{
    static const char *const kinds[] = {"uniform", "exponent", "exponent"};
    static const char *const variables[] = {"", " from the centre", " from the exact centre"};
    text_add(out, "%u %s segments", 1u << s->log2_entries, kinds[s->index]);
    if (s->index == INDEX_UNIFORM)
        text_add(out, " of width %g", s->width);
    else
        text_add(out, " of %s + %g with %u fraction bits", s->index == INDEX_SQUARE ? "t^2" : "t", s->offset,
                 s->fraction_bits);
    text_add(out, ", degree %u%s", s->degree, variables[s->variable]);
}
