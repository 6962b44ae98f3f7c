/* Random lane programs over all ops, with arguments in each op's domain. Their results show every bit
 * of every value.
 *
 * A program stores a digest of all values (NaNs as one value), so that an op that is wrong in one
 * bit cannot hide. */
#ifndef ACTGEN_RANDOM_PROGRAM_H
#define ACTGEN_RANDOM_PROGRAM_H

#include "float_bits.h"
#include "lane.h"
#include "target.h"

#include <string.h>

struct randomness {
    uint64_t state;
};

static inline uint64_t random_bits(struct randomness *r)
{ /* SplitMix64 */
    uint64_t z = r->state += 0x9e3779b97f4a7c15u;
    z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9u;
    z = (z ^ z >> 27) * 0x94d049bb133111ebu;
    return z ^ z >> 31;
}

static inline uint32_t random_below(struct randomness *r, uint32_t n)
{
    return (uint32_t)((random_bits(r) >> 32) * n >> 32);
}

/* Returns a special value, any bits, or an ordinary number. NaNs are quiet. LLVM may take a signalling NaN
 * for a quiet one (LangRef, "Behavior of Floating-Point NaN values"). It does so where a comparison and a
 * select become AArch64's fmaxnm. */
static inline float random_float(struct randomness *r)
{
    static const uint32_t special[] = {0x00000000, 0x80000000, 0x00000001, 0x80000001, 0x007fffff, 0x00800000,
                                       0x807fffff, 0x7f800000, 0xff800000, 0x7fc00000, 0xffc00000, 0x7f7fffff,
                                       0xff7fffff, 0x3f000000, 0xbf000000, 0x3fc00000, 0x40200000, 0x4b000000,
                                       0xcb000001, 0x4effffff, 0x3f800000};
    switch (random_below(r, 4)) {
    case 0: return f32_of_bits(special[random_below(r, sizeof special / sizeof *special)]);
    case 1: {
        const uint32_t bits = (uint32_t)random_bits(r), quiet = 0x400000;
        return f32_of_bits((bits & 0x7f800000) == 0x7f800000 && bits & 0x7fffff ? bits | quiet : bits);
    }
    default: return ((float)random_below(r, 1u << 24) - 0x1p23f) * 0x1p-20f;
    }
}

enum { POOL = 256 };

struct generator {
    struct randomness random;
    /* The next op. All ops come in turn, first for narrow types, then for wide ones. */
    enum lane_op op;
    bool wide;
    lane_program *p;
    lane_value pool[LANE_TYPE_COUNT][POOL];
    uint32_t count[LANE_TYPE_COUNT];
};

static inline void keep(struct generator *g, lane_value v)
{
    enum lane_type type = g->p->code[v].type;
    if (g->count[type] < POOL) g->pool[type][g->count[type]++] = v;
}

static inline lane_value pick(struct generator *g, enum lane_type type)
{ /* This picks mostly a recent value. */
    uint32_t n = g->count[type], window = n > 6 && random_below(&g->random, 3) ? 6 : n;
    return g->pool[type][n - 1 - random_below(&g->random, window)];
}

static inline lane_value clamped(struct generator *g, lane_value x, double low, double high)
{ /* NaN becomes low. */
    enum lane_type type = g->p->code[x].type;
    lane_value above = lane_binary(g->p, LANE_MAX, x, lane_const(g->p, type, low));
    return lane_binary(g->p, LANE_MIN, above, lane_const(g->p, type, high));
}

static inline lane_value without_nan(struct generator *g, lane_value x)
{
    lane_value is_number = lane_binary(g->p, LANE_EQ, x, x);
    return lane_select(g->p, is_number, x, lane_const(g->p, g->p->code[x].type, 3));
}

static inline lane_value random_scale2(struct generator *g, enum lane_op op, enum lane_type type)
{
    bool f32 = type == LANE_F32;
    lane_value magnitude = lane_unary(g->p, LANE_ABS, pick(g, type));
    lane_value x = clamped(g, magnitude, f32 ? 0.5 : 0x1p-20, f32 ? 3.0 : 0x1p20);
    if (random_below(&g->random, 2)) x = lane_unary(g->p, LANE_NEG, x);
    lane_value zero = lane_const(g->p, type, 0), sometimes = lane_binary(g->p, LANE_LT, pick(g, type), zero);
    x = lane_select(g->p, sometimes, zero, x);
    double reach = f32 ? 250 : 2000;
    lane_value far = lane_binary(g->p, LANE_MUL, pick(g, type), lane_const(g->p, type, f32 ? 40 : 300));
    lane_value n = clamped(g, far, -reach, reach);
    if (op == LANE_SCALE2) n = lane_unary(g->p, LANE_ROUND, n);
    return lane_binary(g->p, op, x, n);
}

static inline lane_value random_lookup(struct generator *g)
{
    uint64_t bits[64];
    enum lane_type type = g->wide                       ? random_below(&g->random, 2) ? LANE_F64 : LANE_I64
                          : random_below(&g->random, 2) ? LANE_F32
                                                        : LANE_I32;
    unsigned log2_size = random_below(&g->random, 7);
    for (unsigned i = 0; i < 64; i++) {
        bits[i] = random_bits(&g->random);
        if (lane_type_bytes(type) == 4) bits[i] >>= 32;
    }
    uint32_t table = lane_table_add(g->p, type, log2_size, bits);
    return lane_lookup(g->p, table, pick(g, random_below(&g->random, 2) ? LANE_I32 : LANE_I64));
}

static inline lane_value random_conversion(struct generator *g, enum lane_op op)
{
    bool wide = g->wide;
    enum lane_type floats = wide ? LANE_F64 : LANE_F32, integers = wide ? LANE_I64 : LANE_I32;
    switch (op) {
    case LANE_BITCAST:
        return lane_unary(g->p, op,
                          random_below(&g->random, 2) ? pick(g, integers) : without_nan(g, pick(g, floats)));
    case LANE_F2I:
        return lane_unary(g->p, op,
                          clamped(g, pick(g, floats), wide ? -0x1p50 : -0x1p30, wide ? 0x1p50 : 0x1p30));
    default: return lane_unary(g->p, op, pick(g, integers)); /* The op is i2f. */
    }
}

static inline lane_value random_constant(struct generator *g)
{
    enum lane_type type = (enum lane_type)random_below(&g->random, 4);
    uint64_t bits = random_bits(&g->random);
    if (lane_type_bytes(type) == 4) bits >>= 32;
    if (random_below(&g->random, 2))
        return lane_const(g->p, type, (double)random_float(&g->random) < 100 ? 7 : -3);
    return lane_const_bits(g->p, type, bits);
}

static inline lane_value random_by_signature(struct generator *g, enum lane_op op)
{
    bool wide = g->wide;
    enum lane_type floats = wide ? LANE_F64 : LANE_F32, integers = wide ? LANE_I64 : LANE_I32;
    enum lane_type any = (enum lane_type)random_below(&g->random, 4), type[3];
    for (unsigned k = 0; k < lane_ops[op].arity; k++) {
        char letter = lane_ops[op].signature[k + 1];
        type[k] = letter == 'f' || letter == 'g'   ? floats
                  : letter == 'i' || letter == 'n' ? integers
                  : letter == 'm'                  ? LANE_TRUTH
                  : letter == 's'                  ? LANE_F32
                  : letter == 'd'                  ? LANE_F64
                  : letter == 'j'                  ? LANE_I32
                  : letter == 'l'                  ? LANE_I64
                                                   : any;
    }
    if (op == LANE_SHL || op == LANE_SHR || op == LANE_SAR) {
        uint32_t amount = random_below(&g->random, 8 * lane_type_bytes(integers));
        return lane_binary(g->p, op, pick(g, integers), lane_const_bits(g->p, integers, amount));
    }
    lane_value a = pick(g, type[0]);
    if (lane_ops[op].arity == 1) return lane_unary(g->p, op, a);
    lane_value b = pick(g, type[1]);
    if (lane_ops[op].arity == 2) return lane_binary(g->p, op, a, b);
    lane_value c = pick(g, type[2]);
    if (op == LANE_RARELY && c == b) c = lane_const(g->p, type[2], 5); /* a choice of equal values is no op */
    if (op == LANE_RARELY) return lane_rarely(g->p, a, b, c);
    return op == LANE_FMA ? lane_fma(g->p, a, b, c) : lane_select(g->p, a, b, c);
}

static inline lane_value next_instruction(struct generator *g)
{
    do {
        g->op = (enum lane_op)((g->op + 1) % LANE_OP_COUNT);
        if (!g->op) g->wide = !g->wide;
    } while (g->op == LANE_LOAD || g->op == LANE_STORE);
    switch (g->op) {
    case LANE_CONST: return random_constant(g);
    case LANE_SCALE2:
    case LANE_SCALE2_FLOOR: return random_scale2(g, g->op, g->wide ? LANE_F64 : LANE_F32);
    case LANE_LOOKUP: return random_lookup(g);
    case LANE_BITCAST:
    case LANE_F2I:
    case LANE_I2F: return random_conversion(g, g->op);
    case LANE_TO_BF16_AWAY: return lane_unary(g->p, g->op, without_nan(g, pick(g, LANE_F32)));
    default: return random_by_signature(g, g->op);
    }
}

/* Returns all bits of a value as an i32 that differs if the value does, except for hash collisions. */
static inline lane_value as_i32(struct generator *g, lane_value v)
{
    lane_program *p = g->p;
    enum lane_type type = p->code[v].type;
    if (type == LANE_TRUTH) return lane_select(p, v, lane_const(p, LANE_I32, 1), lane_const(p, LANE_I32, 2));
    if (type == LANE_F32 || type == LANE_F64) v = lane_unary(p, LANE_BITCAST, without_nan(g, v));
    if (lane_type_bytes(type) == 4) return v;
    lane_value high = lane_binary(p, LANE_SHR, v, lane_const(p, LANE_I64, 32));
    return lane_binary(p, LANE_ISUB, lane_unary(p, LANE_INARROW, v), lane_unary(p, LANE_INARROW, high));
}

static inline lane_value rotated(struct generator *g, lane_value bits)
{
    lane_value left = lane_binary(g->p, LANE_SHL, bits, lane_const(g->p, LANE_I32, 5));
    return lane_binary(g->p, LANE_OR, left,
                       lane_binary(g->p, LANE_SHR, bits, lane_const(g->p, LANE_I32, 27)));
}

/* Returns the bits as a number in [1, 2), which survives every comparison. */
static inline lane_value shown(struct generator *g, lane_value bits)
{
    lane_value fraction = lane_binary(g->p, LANE_AND, bits, lane_const_bits(g->p, LANE_I32, 0x7fffff));
    lane_value one = lane_const_bits(g->p, LANE_I32, 0x3f800000);
    return lane_unary(g->p, LANE_BITCAST, lane_binary(g->p, LANE_OR, fraction, one));
}

/* Builds a program with one or four ops per result, short enough for the loop to be unrolled. */
static inline lane_program *short_program(arena *memory, const struct target_profile *profile, uint64_t seed,
                                          uint32_t inputs, uint32_t results)
{
    lane_program *p = lane_create(memory, profile);
    for (uint32_t r = 0; r < results; r++) {
        lane_value x = lane_load(p, LANE_F32, r % inputs), c = lane_const(p, LANE_F32, r);
        for (uint64_t n = 0; n < 3 * (seed % 2); n++) x = lane_binary(p, n % 2 ? LANE_SUB : LANE_MUL, x, c);
        lane_store(p, lane_binary(p, LANE_MAX, c, x), inputs + r);
    }
    return p;
}

/* Builds a program that loads operands 0 to inputs - 1 and stores 1 to 3 `results`. `first` counts the ops
 * of all programs of a series, so that together they have every op for every type. */
static inline lane_program *random_program(arena *memory, const struct target_profile *profile, uint64_t seed,
                                           uint32_t inputs, uint32_t results, uint32_t first, uint32_t length)
{
    struct generator g = {.random = {seed}, .p = lane_create(memory, profile)};
    g.op = (enum lane_op)(first % LANE_OP_COUNT);
    g.wide = first / LANE_OP_COUNT % 2;
    for (uint32_t k = 0; k < inputs; k++) keep(&g, lane_load(g.p, LANE_F32, k));
    keep(&g, lane_unary(g.p, LANE_WIDEN, pick(&g, LANE_F32)));
    keep(&g, lane_unary(g.p, LANE_BITCAST, without_nan(&g, pick(&g, LANE_F32))));
    keep(&g, lane_unary(g.p, LANE_BITCAST, without_nan(&g, pick(&g, LANE_F64))));
    keep(&g, lane_binary(g.p, LANE_LT, pick(&g, LANE_F32), lane_const(g.p, LANE_F32, 0.25)));
    for (uint32_t n = 0; n < length; n++) keep(&g, next_instruction(&g));
    uint32_t end = g.p->count;
    lane_value digest = lane_const(g.p, LANE_I32, 1);
    for (uint32_t n = 0; n < end; n++)
        digest = lane_binary(g.p, LANE_XOR, rotated(&g, digest), as_i32(&g, n));
    lane_value top = lane_binary(g.p, LANE_SHR, digest, lane_const(g.p, LANE_I32, 9));
    if (results > 2) lane_store(g.p, pick(&g, LANE_F32), inputs + 2);
    lane_store(g.p, shown(&g, digest), inputs);
    if (results > 1) lane_store(g.p, shown(&g, top), inputs + 1);
    return g.p;
}

#endif
