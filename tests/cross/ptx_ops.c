/* Computes the instructions of PTX that make a value from values (ptx_ops.def). */
#include "ptx.h"

#include <math.h>
#include <string.h>

typedef float f32;
typedef double f64;
typedef _Float16 f16;
typedef uint16_t u16;
typedef uint32_t u32;
typedef uint64_t u64;
typedef int32_t s32;
typedef int64_t s64;

/* Selects bytes. Each digit of the selector is the number of a byte of b:a. Its high bit asks for eight
 * copies of that byte's sign. */
static u32 permuted_bytes(u32 a, u32 b, u32 selector)
{
    const u64 both = (u64)b << 32 | a;
    u32 result = 0;
    for (unsigned i = 0; i < 4; i++) {
        const unsigned digit = selector >> 4 * i & 15;
        const u32 byte = (u32)(both >> 8 * (digit & 7) & 255);
        result |= (digit < 8 ? byte : byte > 127 ? UINT32_C(255) : 0) << 8 * i;
    }
    return result;
}

/* Returns the bits of the NaN that a GPU's operations on f32 give, whatever NaN they have. */
static u64 with_own_nan(const char *result_type, u64 bits)
{
    return !strcmp(result_type, "f32") && (bits & 0x7fffffff) > 0x7f800000 ? 0x7fffffff : bits;
}

/* Returns one of the two f32 of a register, the low one first. */
static f32 half(u64 both, unsigned which)
{
    const u32 bits = (u32)(both >> 32 * which);
    f32 x;
    memcpy(&x, &bits, sizeof x);
    return x;
}

static u64 pair(f32 low, f32 high)
{
    u32 bits[2];
    memcpy(&bits[0], &low, sizeof low);
    memcpy(&bits[1], &high, sizeof high);
    return with_own_nan("f32", bits[1]) << 32 | with_own_nan("f32", bits[0]);
}

/* Rounds to nearest even. NaNs become 0x7fff. */
static u16 bf16_of(f32 x)
{
    u32 bits;
    memcpy(&bits, &x, sizeof x);
    return isnan(x) ? 0x7fff : (u16)((bits + 0x7fff + (bits >> 16 & 1)) >> 16);
}

static f32 of_f16(u64 bits)
{
    const u16 low = (u16)bits;
    f16 x;
    memcpy(&x, &low, sizeof x);
    return x;
}

static u16 f16_bits(f32 x)
{
    const f16 narrow = (f16)x;
    u16 bits;
    memcpy(&bits, &narrow, sizeof bits);
    return bits;
}

/* Defines an operation. A register has 64 bits, and a value has the low ones. */
#define OP(name, text, result_type, operand_type, expression)                                                \
    static u64 do_##name(const u64 *in)                                                                      \
    {                                                                                                        \
        operand_type a, b, c;                                                                                \
        memcpy(&a, &in[0], sizeof a);                                                                        \
        memcpy(&b, &in[1], sizeof b);                                                                        \
        memcpy(&c, &in[2], sizeof c);                                                                        \
        (void)b, (void)c;                                                                                    \
        const result_type result = (expression);                                                             \
        u64 bits = 0;                                                                                        \
        memcpy(&bits, &result, sizeof result);                                                               \
        return with_own_nan(#result_type, bits);                                                             \
    }
#include "ptx_ops.def"
#undef OP

static const struct {
    const char *text;
    ptx_compute *compute;
} ops[] = {
#define OP(name, text, ...) {text, do_##name},
#include "ptx_ops.def"
#undef OP
};

ptx_compute *ptx_operation(const char *text)
{
    for (size_t k = 0; k < sizeof ops / sizeof *ops; k++)
        if (!strcmp(text, ops[k].text)) return ops[k].compute;
    return NULL;
}
