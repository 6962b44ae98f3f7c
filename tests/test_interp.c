/* Tests of the interpreter against a definition of each lane operation, written here for one lane at a
 * time and sharing no code with it. They cover special and random values, and both compiled variants. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "float_bits.h"
#include "interp.h"
#include "interp_ops.h"
#include "one_arena.h"
#include "rounded_half.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { LANES = 4096, MAX_LANES = 6000 };

static const struct target_profile fma_profile = {
    .name = "test", .fma = true, .lookup_f32 = 32, .lookup_f64 = 16};

static float as_f32(uint64_t bits) { return f32_of_bits((uint32_t)bits); }

static bool is_nan_bits(enum lane_type type, uint64_t bits)
{
    return (type == LANE_F32 && isnan(as_f32(bits))) || (type == LANE_F64 && isnan(f64_of_bits(bits)));
}

/* Returns the nearest integer, ties to even, by comparing the distances of the neighbours. The result is
 * exact for every double. */
static double nearest(double x)
{
    if (isnan(x) || fabs(x) >= 0x1p52) return x;
    const double below = floor(x), distance = x - below;
    double result = distance < 0.5        ? below
                    : distance > 0.5      ? below + 1
                    : fmod(below, 2) == 0 ? below
                                          : below + 1;
    return copysign(result, x);
}

static int64_t sign_extended(enum lane_type type, uint64_t bits)
{
    return type == LANE_I32 ? (int64_t)(int32_t)(uint32_t)bits : (int64_t)bits;
}

static uint64_t float_op(enum lane_op op, bool wide, uint64_t a, uint64_t b, uint64_t c)
{
    const double x = wide ? f64_of_bits(a) : (double)as_f32(a), y = wide ? f64_of_bits(b) : (double)as_f32(b);
    const double z = wide ? f64_of_bits(c) : (double)as_f32(c);
    double r;
    switch (op) {
    /* A double holds the exact product of two f32. Rounding a sum, quotient or root twice is harmless. */
    case LANE_ADD: r = x + y; break;
    case LANE_SUB: r = x - y; break;
    case LANE_MUL: r = x * y; break;
    case LANE_DIV: r = x / y; break;
    case LANE_SQRT: r = sqrt(x); break;
    case LANE_FMA:
        return wide ? bits_of_f64(fma(x, y, z)) : bits_of_f32(fmaf(as_f32(a), as_f32(b), as_f32(c)));
    case LANE_MIN: return x < y ? a : b;
    case LANE_MAX: return x > y ? a : b;
    case LANE_NEG: return a ^ (wide ? UINT64_C(1) << 63 : UINT64_C(1) << 31);
    case LANE_ABS: return a & ~(wide ? UINT64_C(1) << 63 : UINT64_C(1) << 31);
    case LANE_ROUND: r = nearest(x); break;
    case LANE_SCALE2:
    case LANE_SCALE2_FLOOR:
        return wide ? bits_of_f64(ldexp(x, (int)floor(y))) : bits_of_f32(ldexpf(as_f32(a), (int)floor(y)));
    case LANE_EXPONENT: r = x == 0 ? -(double)INFINITY : isfinite(x) ? ilogb(x) : fabs(x); break;
    case LANE_SIGNIFICAND:
        r = x == 0 || isinf(x) ? 1 : x / ldexp(1, ilogb(x));
        r = signbit(x) && x == 0 ? -1 : x >= 0 ? r : (double)NAN;
        break;
    default: fail_msg("float op %s has no definition in the test", lane_ops[op].name); return 0;
    }
    return wide ? bits_of_f64(r) : bits_of_f32((float)r);
}

static uint64_t integer_op(enum lane_op op, enum lane_type type, uint64_t a, uint64_t b)
{
    const int64_t x = sign_extended(type, a), y = sign_extended(type, b);
    switch (op) {
    case LANE_IADD: return a + b;
    case LANE_ISUB: return a - b;
    case LANE_IMUL: return a * b;
    case LANE_IMULHI: return (a * b) >> 32;
    case LANE_IMIN: return x < y ? a : b;
    case LANE_AND: return a & b;
    case LANE_OR: return a | b;
    case LANE_XOR: return a ^ b;
    case LANE_NOT: return ~a;
    case LANE_SHL: return a << b;
    case LANE_SHR: return a >> b;
    case LANE_SAR: return x < 0 ? ~(~(uint64_t)x >> b) : (uint64_t)x >> b;
    case LANE_ILT: return x < y;
    default: fail_msg("integer op %s has no definition in the test", lane_ops[op].name); return 0;
    }
}

struct row { /* An operation on operands of one type. */
    enum lane_op op;
    enum lane_type type;
    unsigned shift; /* The constant second operand of shifts. */
};

/* clang-format off */
#define BOTH(op) {op, LANE_F32, 0}, {op, LANE_F64, 0}
#define INTS(op) {op, LANE_I32, 0}, {op, LANE_I64, 0}
#define SHIFTS(op) \
    {op, LANE_I32, 0}, {op, LANE_I32, 1}, {op, LANE_I32, 23}, {op, LANE_I32, 31}, \
    {op, LANE_I64, 0}, {op, LANE_I64, 1}, {op, LANE_I64, 52}, {op, LANE_I64, 63}
static const struct row rows[] = {
    BOTH(LANE_ADD), BOTH(LANE_SUB), BOTH(LANE_MUL), BOTH(LANE_DIV), BOTH(LANE_FMA), BOTH(LANE_NEG),
    BOTH(LANE_ABS), BOTH(LANE_MIN), BOTH(LANE_MAX), BOTH(LANE_SQRT), BOTH(LANE_ROUND), BOTH(LANE_SCALE2),
    BOTH(LANE_SCALE2_FLOOR), {LANE_EXPONENT, LANE_F32, 0}, {LANE_SIGNIFICAND, LANE_F32, 0}, BOTH(LANE_EQ),
    BOTH(LANE_LT), BOTH(LANE_LE), INTS(LANE_ILT), BOTH(LANE_MAND), BOTH(LANE_MOR), BOTH(LANE_MNOT),
    BOTH(LANE_SELECT), INTS(LANE_SELECT), BOTH(LANE_RARELY), INTS(LANE_RARELY), INTS(LANE_IADD),
    INTS(LANE_ISUB), INTS(LANE_IMUL), {LANE_IMULHI, LANE_I32, 0}, INTS(LANE_IMIN), INTS(LANE_AND),
    INTS(LANE_OR), INTS(LANE_XOR), INTS(LANE_NOT), SHIFTS(LANE_SHL), SHIFTS(LANE_SHR), SHIFTS(LANE_SAR),
    BOTH(LANE_BITCAST), INTS(LANE_BITCAST), BOTH(LANE_F2I), INTS(LANE_I2F), {LANE_WIDEN, LANE_F32, 0},
    {LANE_TO_F16, LANE_F32, 0}, {LANE_TO_BF16, LANE_F32, 0}, {LANE_TO_BF16_AWAY, LANE_F32, 0},
    {LANE_TO_E4M3, LANE_F32, 0}, {LANE_TO_E5M2, LANE_F32, 0}, {LANE_TO_I8, LANE_F32, 0},
    {LANE_TO_U8, LANE_F32, 0}, {LANE_NARROW, LANE_F64, 0}, {LANE_IWIDEN, LANE_I32, 0},
    {LANE_INARROW, LANE_I64, 0}, INTS(LANE_LOOKUP),
};
/* clang-format on */

static bool is_float(enum lane_type type) { return type == LANE_F32 || type == LANE_F64; }

static const uint64_t table_entries[16] = {1,  3,  5,  7,  11, 13, 17, 0x7fc00000,
                                           23, 29, 31, 37, 41, 43, 47, UINT64_MAX};

/* Returns the bits of the expected result, with truth values as 0 and 1. */
static uint64_t expected(const struct row *r, uint64_t a, uint64_t b, uint64_t c)
{
    const bool wide = r->type == LANE_F64;
    const double x = wide ? f64_of_bits(a) : (double)as_f32(a), y = wide ? f64_of_bits(b) : (double)as_f32(b);
    switch (r->op) {
    case LANE_EQ: return x == y;
    case LANE_LT: return x < y;
    case LANE_LE: return x <= y;
    /* The operands of truth operations are a < b and b <= c. */
    case LANE_MAND: return x < y && y <= (wide ? f64_of_bits(c) : (double)as_f32(c));
    case LANE_MOR: return x < y || y <= (wide ? f64_of_bits(c) : (double)as_f32(c));
    case LANE_MNOT: return !(x < y);
    case LANE_SELECT:
    case LANE_RARELY: /* a < b ? b : c */
        if (is_float(r->type)) return x < y ? b : c;
        return sign_extended(r->type, a) < sign_extended(r->type, b) ? b : c;
    case LANE_BITCAST: return a;
    case LANE_F2I: return (uint64_t)(int64_t)nearest(x);
    case LANE_I2F:
        return r->type == LANE_I32 ? bits_of_f32((float)(int32_t)(uint32_t)a)
                                   : bits_of_f64((double)(int64_t)a);
    case LANE_WIDEN: return bits_of_f64(as_f32(a));
    case LANE_NARROW: return bits_of_f32((float)f64_of_bits(a));
    case LANE_TO_F16: return bits_of_f32((float)nearest_of_type(as_f32(a), 11, -14, 65504));
    case LANE_TO_BF16: return bits_of_f32((float)nearest_of_type(as_f32(a), 8, -126, 0x1.fep127));
    case LANE_TO_BF16_AWAY: return bits_of_f32((float)away_of_bf16(as_f32(a)));
    case LANE_TO_E4M3: return bits_of_f32((float)saturated(nearest_of_type(as_f32(a), 4, -6, 448), 448));
    case LANE_TO_E5M2: return bits_of_f32((float)nearest_of_type(as_f32(a), 3, -14, 57344));
    case LANE_TO_I8: return bits_of_f32((float)integer_within((double)as_f32(a), -128, 127));
    case LANE_TO_U8: return bits_of_f32((float)integer_within((double)as_f32(a), 0, 255));
    case LANE_IWIDEN: return (uint64_t)sign_extended(LANE_I32, a);
    case LANE_INARROW: return (uint32_t)a;
    case LANE_LOOKUP: return table_entries[a % 16];
    default: return is_float(r->type) ? float_op(r->op, wide, a, b, c) : integer_op(r->op, r->type, a, b);
    }
}

/* Builds a program that loads a, b and c, applies the operation and stores the result. A select of 1 and 0
 * stores truth values. */
static enum lane_type build(lane_program *p, const struct row *r)
{
    const lane_value a = lane_load(p, r->type, 0), b = lane_load(p, r->type, 1), c = lane_load(p, r->type, 2);
    const bool real = is_float(r->type);
    lane_value v = 0;
    switch (r->op) {
    case LANE_SHL:
    case LANE_SHR:
    case LANE_SAR: v = lane_binary(p, r->op, a, lane_const_bits(p, r->type, r->shift)); break;
    case LANE_MAND:
    case LANE_MOR:
        v = lane_binary(p, r->op, lane_binary(p, LANE_LT, a, b), lane_binary(p, LANE_LE, b, c));
        break;
    case LANE_MNOT: v = lane_unary(p, r->op, lane_binary(p, LANE_LT, a, b)); break;
    case LANE_SELECT: v = lane_select(p, lane_binary(p, real ? LANE_LT : LANE_ILT, a, b), b, c); break;
    case LANE_RARELY: v = lane_rarely(p, lane_binary(p, real ? LANE_LT : LANE_ILT, a, b), b, c); break;
    case LANE_LOOKUP:
        v = lane_lookup(p, lane_table_add(p, r->type == LANE_I32 ? LANE_F64 : LANE_I32, 4, table_entries), a);
        break;
    case LANE_FMA: v = lane_fma(p, a, b, c); break;
    default: v = lane_ops[r->op].arity == 1 ? lane_unary(p, r->op, a) : lane_binary(p, r->op, a, b); break;
    }
    if (p->code[v].type == LANE_TRUTH)
        v = lane_select(p, v, lane_const_bits(p, LANE_I32, 1), lane_const_bits(p, LANE_I32, 0));
    lane_store(p, v, 3);
    return p->code[v].type;
}

static uint64_t random_state = 88172645463325252u;
static uint64_t random_bits(void)
{
    random_state ^= random_state << 13;
    random_state ^= random_state >> 7;
    random_state ^= random_state << 17;
    return random_state * UINT64_C(0x2545f4914f6cdd1d);
}

static const double special[] = {0.0,
                                 -0.0,
                                 1,
                                 -1,
                                 0.5,
                                 -0.5,
                                 1.5,
                                 2.5,
                                 -2.5,
                                 0.49999997,
                                 0x1.fffffep-2,
                                 0x1p23,
                                 0x1.000002p23,
                                 8388607.5,
                                 -4194304.5,
                                 0x1p52,
                                 0x1p51,
                                 0x1.8p51,
                                 4503599627370495.5,
                                 -2251799813685247.5,
                                 INFINITY,
                                 -INFINITY,
                                 NAN,
                                 0x1p-126,
                                 0x1p-149,
                                 -0x1p-149,
                                 0x1.fffffep127,
                                 0x1p-1022,
                                 0x1p-1074,
                                 0x1.fffffffffffffp1023,
                                 0x1p31,
                                 -0x1p31,
                                 448,
                                 464,
                                 464.1,
                                 -480,
                                 61440,
                                 -61439.9,
                                 0x1p-10,
                                 0x1.000002p-10,
                                 -0x1.8p-9,
                                 0x1p-17,
                                 -0x1.8p-16,
                                 2147483520.0,
                                 0x1p62,
                                 -0x1p63,
                                 0x1.0000010000001p0,
                                 0x1.000001p0,
                                 0x1p-150,
                                 0x1.000001p-150};

/* Returns operand `k` of lane `lane` for this row: special values and their pairs first, then random ones. */
static uint64_t operand_bits(const struct row *r, unsigned k, size_t lane)
{
    enum { SPECIALS = sizeof special / sizeof *special };
    const uint64_t random = random_bits();
    const bool scales = r->op == LANE_SCALE2 || r->op == LANE_SCALE2_FLOOR;
    if (scales && k == 1) { /* The domain: x * 2^(n / 2) is normal. */
        const int limit = r->type == LANE_F32 ? 250 : 2000,
                  n = (int)(random % (2 * (unsigned)limit + 1)) - limit;
        return r->type == LANE_F32 ? bits_of_f32((float)n) : bits_of_f64(n);
    }
    if (scales && k == 0) {
        const double x = 1 + (double)(random >> 12) * 0x1p-52;
        return r->type == LANE_F32 ? bits_of_f32((float)x) : bits_of_f64(lane % 16 ? x : 0);
    }
    if (r->op == LANE_F2I) {
        const double limit = r->type == LANE_F32   ? 0x1p30
                             : lane / 256 % 3 == 0 ? 0x1p62
                             : lane / 256 % 3 == 1 ? 0x1p52
                                                   : 0x1p50;
        const double x =
            lane % 3 ? ((double)(random >> 11) * 0x1p-52 - 1) * limit : ((int)(random % 2001) - 1000) * 0.5;
        return r->type == LANE_F32 ? bits_of_f32((float)x) : bits_of_f64(x);
    }
    if (is_float(r->type) && lane < SPECIALS * SPECIALS) {
        const double x = special[k == 0 ? lane % SPECIALS : k == 1 ? lane / SPECIALS : (lane * 7) % SPECIALS];
        return r->type == LANE_F32 ? bits_of_f32((float)x) : bits_of_f64(x);
    }
    if (is_float(r->type) && random % 4 == 0) { /* Operands near each other, so that sums cancel. */
        const double x = 1 + (double)(random >> 40) * 0x1p-24;
        return r->type == LANE_F32 ? bits_of_f32((float)x) : bits_of_f64(x);
    }
    const uint64_t small = random % 5 == 0 ? (uint64_t)(int64_t)(int)(random % 7 - 3) : random;
    return r->type == LANE_F32 || r->type == LANE_I32 ? (uint32_t)small : small;
}

static void put(unsigned char *at, enum lane_type type, size_t lane, uint64_t bits)
{
    const unsigned bytes = lane_type_bytes(type);
    const uint32_t narrow = (uint32_t)bits;
    memcpy(at + lane * bytes, bytes == 8 ? (const void *)&bits : (const void *)&narrow, bytes);
}

static uint64_t get(const unsigned char *at, enum lane_type type, size_t lane)
{
    const unsigned bytes = lane_type_bytes(type);
    uint64_t wide = 0;
    uint32_t narrow = 0;
    memcpy(bytes == 8 ? (void *)&wide : (void *)&narrow, at + lane * bytes, bytes);
    return bytes == 8 ? wide : narrow;
}

static unsigned char arrays[4][MAX_LANES * 8 + 64];

static void check_row(const struct row *r, interp *i, enum lane_type result, const char *variant)
{
    random_state = 88172645463325252u;
    for (size_t lane = 0; lane < LANES; lane++)
        for (unsigned k = 0; k < 3; k++) put(arrays[k], r->type, lane, operand_bits(r, k, lane));
    interp_run(i, (void *[]){arrays[0], arrays[1], arrays[2], arrays[3]}, LANES);
    for (size_t lane = 0; lane < LANES; lane++) {
        const uint64_t a = get(arrays[0], r->type, lane), b = get(arrays[1], r->type, lane);
        const uint64_t c = get(arrays[2], r->type, lane), got = get(arrays[3], result, lane);
        uint64_t wanted =
            expected(r, a, r->op == LANE_SHL || r->op == LANE_SHR || r->op == LANE_SAR ? r->shift : b, c);
        if (lane_type_bytes(result) == 4) wanted = (uint32_t)wanted;
        if (got != wanted && !(is_nan_bits(result, got) && is_nan_bits(result, wanted)))
            fail_msg("%s %s of %s: %016llx, %016llx, %016llx gives %016llx, not %016llx", variant,
                     lane_ops[r->op].name, lane_types[r->type].name, (unsigned long long)a,
                     (unsigned long long)b, (unsigned long long)c, (unsigned long long)got,
                     (unsigned long long)wanted);
    }
}

static void test_each_operation(void **state)
{
    (void)state;
    bool seen[LANE_OP_COUNT] = {[LANE_LOAD] = true, [LANE_CONST] = true, [LANE_STORE] = true};
    assert_false(setjmp(*arena_escape(memory)));
    for (size_t n = 0; n < sizeof rows / sizeof *rows; n++) {
        lane_program *p = lane_create(memory, &fma_profile);
        const enum lane_type result = build(p, &rows[n]);
        interp *best = interp_create(p), *plain = interp_create_plain(p);
        assert_non_null(best);
        assert_non_null(plain);
        check_row(&rows[n], best, result, "best");
        check_row(&rows[n], plain, result, "plain");
        interp_free(best);
        interp_free(plain);
        seen[rows[n].op] = true;
    }
    for (int op = 0; op < LANE_OP_COUNT; op++)
        if (!seen[op]) fail_msg("no row for %s", lane_ops[op].name);
}

/* Checks that each op has a loop for each type that its signature allows. The exceptions are ops whose
 * blocks move unchanged. */
static void test_each_type_has_a_loop(void **state)
{
    (void)state;
    for (enum lane_op op = 0; op < LANE_OP_COUNT; op++)
        for (enum lane_type type = 0; type < LANE_TYPE_COUNT; type++) {
            const bool moved = !lane_ops[op].arity || op == LANE_STORE || op == LANE_BITCAST;
            if (moved || !lane_op_has_type(op, type)) continue;
            if (!interp_ops_plain[op][type] || !interp_ops_fma[op][type])
                fail_msg("the interpreter has no %s of %s", lane_ops[op].name, lane_types[type].name);
        }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_each_operation),
        cmocka_unit_test(test_each_type_has_a_loop),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
