/* sin and cos, for every f32 argument.
 *
 * u = high + low, high an f32 number of 24 bits. high * 2/pi modulo 4 is needed to 80 bits: 2/pi is cut
 * into chunks of 27 bits, whose products with high are exact in f64; the chunks whose products are
 * multiples of 4 are skipped by choosing the first one by high's exponent (Payne and Hanek's reduction).
 * low, which is zero when u is an f32 number, is reduced plainly: arguments like 3*x lose accuracy beyond
 * about 2^40. */
#include "compose.h"

#include <mpfr.h>

#include <string.h>

enum { CHUNK = 27, CHUNKS_SKIPPED = 4, PARTS = 4 };

struct reduced {
    lane_value angle;    /* u - k pi/2, at most pi/4 in size */
    lane_value quadrant; /* i64 whose low two bits are k's */
};

/* Chunk `first` + part of 2/pi; the last part is all the rest, rounded. */
static double chunk_of_two_over_pi(unsigned first, unsigned part)
{
    mpfr_t value;
    mpfr_init2(value, 400);
    mpfr_const_pi(value, MPFR_RNDN);
    mpfr_ui_div(value, 2, value, MPFR_RNDN);
    mpfr_mul_2ui(value, value, (first + part) * CHUNK, MPFR_RNDN);
    mpfr_frac(value, value, MPFR_RNDN);
    if (part < PARTS - 1) {
        mpfr_mul_2ui(value, value, CHUNK, MPFR_RNDN);
        mpfr_trunc(value, value);
        mpfr_div_2ui(value, value, CHUNK, MPFR_RNDN);
    }
    mpfr_div_2ui(value, value, (first + part) * CHUNK, MPFR_RNDN);
    double chunk = mpfr_get_d(value, MPFR_RNDN);
    mpfr_clear(value);
    return chunk;
}

static lane_value chunk_lookup(struct composer *c, lane_value first, unsigned part)
{
    uint64_t bits[CHUNKS_SKIPPED];
    for (unsigned i = 0; i < CHUNKS_SKIPPED; i++) {
        double chunk = chunk_of_two_over_pi(i, part);
        memcpy(&bits[i], &chunk, sizeof chunk);
    }
    return lane_lookup(c->program, lane_table_add(c->program, LANE_F64, 2, bits), first);
}

/* max(0, floor((e - 152) / 27)) from the biased exponent e of an f32: high's last bit times the chunk
 * before is a multiple of 4. 19/512 stands for 1/27, exact for these e. */
static lane_value first_chunk(struct composer *c, lane_value high)
{
    lane_program *p = c->program;
    lane_value e = lane_binary(p, LANE_SHR, lane_unary(p, LANE_BITCAST, high), lane_const(p, LANE_I32, 23));
    e = lane_binary(p, LANE_AND, e, lane_const(p, LANE_I32, 255));
    e = lane_binary(p, LANE_ISUB, e, lane_const(p, LANE_I32, 152));
    lane_value j = lane_binary(p, LANE_IMUL, e, lane_const(p, LANE_I32, 19));
    j = lane_binary(p, LANE_SAR, j, lane_const(p, LANE_I32, 9));
    lane_value negative = lane_binary(p, LANE_SAR, j, lane_const(p, LANE_I32, 31));
    return lane_binary(p, LANE_AND, j, lane_unary(p, LANE_NOT, negative));
}

/* x - 4 round(x / 4), exact for |x| below 2^53. */
static lane_value modulo_4(struct composer *c, lane_value x)
{
    lane_value shifter = compose_number(c, 0x1.8p52), quarter = compose_mul(c, x, compose_number(c, 0.25));
    lane_value turns = compose_sub(c, compose_add(c, quarter, shifter), shifter);
    return compose_sub(c, x, compose_mul(c, turns, compose_number(c, 4)));
}

static struct reduced reduce(struct composer *c, lane_value u)
{
    lane_program *p = c->program;
    lane_value high32 = lane_unary(p, LANE_NARROW, u), first = first_chunk(c, high32);
    lane_value high = lane_unary(p, LANE_WIDEN, high32), low = compose_sub(c, u, high);
    lane_value part[PARTS];
    for (unsigned i = 0; i < PARTS; i++) part[i] = compose_mul(c, high, chunk_lookup(c, first, i));
    for (unsigned i = 0; i < 2; i++) part[i] = modulo_4(c, part[i]);
    lane_value rest = modulo_4(c, compose_mul(c, low, compose_number(c, 0x1.45f306dc9c883p-1 /* 2/pi */)));
    rest = compose_add(c, part[2], rest);
    lane_value shifter = compose_number(c, 0x1.8p52);
    lane_value shifted = compose_add(c, compose_add(c, compose_add(c, part[0], part[1]), rest), shifter);
    lane_value k = compose_sub(c, shifted, shifter);
    lane_value turn = compose_add(c, compose_sub(c, part[0], k), part[1]);
    turn = compose_add(c, compose_add(c, turn, rest), part[3]);
    return (struct reduced){compose_mul(c, turn, compose_number(c, 0x1.921fb54442d18p+0 /* pi/2 */)),
                            lane_unary(p, LANE_BITCAST, shifted)};
}

static lane_value bit_is_set(struct composer *c, lane_value integer, int64_t bit)
{
    lane_program *p = c->program;
    lane_value masked = lane_binary(p, LANE_AND, integer, lane_const_bits(p, LANE_I64, (uint64_t)bit));
    return lane_binary(p, LANE_ILT, lane_const_bits(p, LANE_I64, 0), masked);
}

/* sin(u + quarters * pi/2) */
static lane_value sine(struct composer *c, lane_value u, unsigned quarters)
{
    lane_program *p = c->program;
    if (c->type != LANE_F64) {
        c->impossible = "sin and cos are computed in f64 only";
        return u;
    }
    struct reduced r = reduce(c, u);
    lane_value quadrant =
        quarters ? lane_binary(p, LANE_IADD, r.quadrant, lane_const_bits(p, LANE_I64, quarters)) : r.quadrant;
    lane_value x = r.angle, z = compose_mul(c, x, x);
    lane_value sin = compose_fma(c, compose_mul(c, x, z), compose_polynomial(c, KERNEL_SIN, z), x);
    lane_value cos = compose_fma(c, z, compose_number(c, -0.5), compose_number(c, 1));
    cos = compose_fma(c, compose_mul(c, z, z), compose_polynomial(c, KERNEL_COS, z), cos);
    lane_value y = lane_select(p, bit_is_set(c, quadrant, 1), cos, sin);
    return lane_select(p, bit_is_set(c, quadrant, 2), compose_neg(c, y), y);
}

lane_value compose_sin(struct composer *c, lane_value u) { return sine(c, u, 0); }
lane_value compose_cos(struct composer *c, lane_value u) { return sine(c, u, 1); }
