/* A piecewise plan as operations. Integer operations on the bits of u give index and centre: on cores
 * where permutes and fused multiply-adds share ports they are nearly free. */
#include "piecewise.h"

#include <string.h>

static uint32_t bits_of(float f)
{
    uint32_t bits;
    memcpy(&bits, &f, sizeof bits);
    return bits;
}

struct argument {
    lane_value index, distance;
};

static lane_value integer(lane_program *p, uint32_t bits) { return lane_const_bits(p, LANE_I32, bits); }
static lane_value number(lane_program *p, float value)
{
    return lane_const_bits(p, LANE_F32, bits_of(value));
}

/* A NaN must reach the result by floating-point operations: through the base, else through the clamp,
 * whose form keeps it. */
static lane_value clamp(const struct piecewise *w, lane_program *p, lane_value u, float limit)
{
    if (w->f.base == BASE_ZERO) return lane_binary(p, LANE_MIN, number(p, limit), u);
    lane_value bits = lane_binary(p, LANE_IMIN, lane_unary(p, LANE_BITCAST, u), integer(p, bits_of(limit)));
    return lane_unary(p, LANE_BITCAST, bits);
}

/* The upper half of the table is for negative x. */
static lane_value with_side(const struct piecewise *w, lane_program *p, lane_value index, lane_value x)
{
    unsigned side_bit = w->log2_entries - 1;
    lane_value sign = lane_binary(p, LANE_SHR, lane_unary(p, LANE_BITCAST, x), integer(p, 31 - side_bit));
    sign = lane_binary(p, LANE_AND, sign, integer(p, 1u << side_bit));
    return lane_binary(p, LANE_OR, lane_binary(p, LANE_AND, index, integer(p, (1u << side_bit) - 1)), sign);
}

static struct argument exponent_argument(const struct piecewise *w, lane_program *p, lane_value x)
{
    unsigned shift = 23 - w->fraction_bits;
    lane_value t = lane_unary(p, LANE_ABS, x), offset = number(p, w->offset);
    if (w->exact_argument) t = clamp(w, p, t, w->limit - w->offset);
    lane_value u = lane_binary(p, LANE_ADD, t, offset);
    if (!w->exact_argument) u = clamp(w, p, u, w->limit);
    lane_value bits = lane_unary(p, LANE_BITCAST, u);
    lane_value index = lane_binary(p, LANE_SHR, bits, integer(p, shift));
    lane_value centre = lane_binary(p, LANE_AND, bits, integer(p, UINT32_MAX << shift));
    centre = lane_unary(p, LANE_BITCAST, lane_binary(p, LANE_OR, centre, integer(p, 1u << (shift - 1))));
    if (w->f.symmetry == SYMMETRY_NONE) index = with_side(w, p, index, x);
    if (w->exact_argument)
        return (struct argument){index,
                                 lane_binary(p, LANE_SUB, t, lane_binary(p, LANE_SUB, centre, offset))};
    return (struct argument){index, lane_binary(p, LANE_SUB, u, centre)};
}

/* index = round(t / width) by adding 1.5 * 2^23, whose last bits then hold it. */
static struct argument uniform_argument(const struct piecewise *w, lane_program *p, lane_value x)
{
    lane_value t = clamp(w, p, lane_unary(p, LANE_ABS, x), w->limit), shifter = number(p, 0x1.8p23f);
    lane_value shifted = lane_fma(p, t, number(p, 1 / w->width), shifter);
    lane_value steps = lane_binary(p, LANE_SUB, shifted, shifter);
    return (struct argument){lane_unary(p, LANE_BITCAST, shifted),
                             lane_fma(p, steps, number(p, -w->width), t)};
}

static lane_value coefficient(const struct piecewise *w, lane_program *p, unsigned k, lane_value index)
{
    uint64_t bits[PIECEWISE_MAX_ENTRIES];
    for (unsigned i = 0; i < 1u << w->log2_entries; i++) bits[i] = bits_of(w->coefficient[k][i]);
    return lane_lookup(p, lane_table_add(p, LANE_F32, w->log2_entries, bits), index);
}

/* 1 with x's sign. */
static lane_value sign_of(lane_program *p, lane_value x)
{
    lane_value sign = lane_binary(p, LANE_AND, lane_unary(p, LANE_BITCAST, x), integer(p, 0x80000000));
    return lane_unary(p, LANE_BITCAST, lane_binary(p, LANE_OR, sign, integer(p, bits_of(1))));
}

lane_value piecewise_build(void *parameters, lane_program *p, lane_value x, bool *possible)
{
    const struct piecewise *w = parameters;
    (void)possible;
    struct argument a = w->uniform ? uniform_argument(w, p, x) : exponent_argument(w, p, x);
    lane_value h = coefficient(w, p, w->degree, a.index);
    for (unsigned k = w->degree; k-- > 0;) h = lane_fma(p, h, a.distance, coefficient(w, p, k, a.index));
    if (w->f.symmetry == SYMMETRY_ODD) return lane_binary(p, LANE_MUL, h, sign_of(p, x));
    if (w->f.symmetry == SYMMETRY_POINT) return lane_fma(p, h, sign_of(p, x), number(p, (float)w->f.middle));
    lane_value zero = number(p, 0);
    switch (w->f.base) {
    case BASE_MAX: return lane_binary(p, LANE_ADD, lane_binary(p, LANE_MAX, zero, x), h);
    case BASE_MIN: return lane_binary(p, LANE_ADD, lane_binary(p, LANE_MIN, zero, x), h);
    case BASE_IDENTITY: return lane_binary(p, LANE_ADD, x, h);
    default: return h;
    }
}
