/* Translates lane ops to vector IR, exact in every bit. Each row of lane/ops.def has a function op_<name>().
 *
 * On every instruction set and LLVM version, no operation here may become a call of a library. This rules out
 * llvm.rint and llvm.fma on baseline x86-64, llvm.ldexp and the saturating conversions. Comparisons in min
 * and max are strict, because they are one instruction, and LLVM miscompiles the others for WebAssembly. */
#include "build.h"
#include "float_bits.h"
#include "sum_behind.h"

#include <math.h>
#include <string.h>

typedef const struct lane_instruction instruction;

static LLVMValueRef operand(struct build *b, instruction *i, unsigned k) { return b->values[i->operand[k]]; }

static bool is_f32(instruction *i) { return i->type == LANE_F32; }

static LLVMValueRef op_const(struct build *b, instruction *i) { return splat_bits(b, i->type, i->bits); }

#define BINARY(name, Builder)                                                                                \
    static LLVMValueRef op_##name(struct build *b, instruction *i)                                           \
    {                                                                                                        \
        return LLVMBuild##Builder(b->ir, operand(b, i, 0), operand(b, i, 1), "");                            \
    }
BINARY(add, FAdd)
BINARY(sub, FSub)
BINARY(mul, FMul)
BINARY(div, FDiv)
BINARY(iadd, Add)
BINARY(isub, Sub)
BINARY(imul, Mul)
BINARY(mand, And)
BINARY(mor, Or)
BINARY(and, And)
BINARY(or, Or)
BINARY(xor, Xor)
BINARY(shl, Shl)
BINARY(shr, LShr)
BINARY(sar, AShr)
#undef BINARY

#define COMPARISON(name, Builder, predicate)                                                                 \
    static LLVMValueRef op_##name(struct build *b, instruction *i)                                           \
    {                                                                                                        \
        return LLVMBuild##Builder(b->ir, predicate, operand(b, i, 0), operand(b, i, 1), "");                 \
    }
COMPARISON(eq, FCmp, LLVMRealOEQ)
COMPARISON(lt, FCmp, LLVMRealOLT)
COMPARISON(le, FCmp, LLVMRealOLE)
COMPARISON(ilt, ICmp, LLVMIntSLT)
#undef COMPARISON

#define CONVERSION(name, Builder)                                                                            \
    static LLVMValueRef op_##name(struct build *b, instruction *i)                                           \
    {                                                                                                        \
        return LLVMBuild##Builder(b->ir, operand(b, i, 0), b->vector[i->type], "");                          \
    }
CONVERSION(bitcast, BitCast)
CONVERSION(of_integer, SIToFP)
CONVERSION(widen, FPExt)
CONVERSION(narrow, FPTrunc)
CONVERSION(iwiden, SExt)
CONVERSION(inarrow, Trunc)
#undef CONVERSION

#define UNARY(name, Builder)                                                                                 \
    static LLVMValueRef op_##name(struct build *b, instruction *i)                                           \
    {                                                                                                        \
        return LLVMBuild##Builder(b->ir, operand(b, i, 0), "");                                              \
    }
UNARY(neg, FNeg)
UNARY(not, Not)
UNARY(mnot, Not)
#undef UNARY

/* Calls an intrinsic that is overloaded on its only type. */
static LLVMValueRef on_vectors(struct build *b, const char *name, LLVMValueRef *arguments, unsigned count)
{
    LLVMTypeRef type = LLVMTypeOf(arguments[0]);
    return call_intrinsic(b, name, &type, 1, arguments, count);
}

static LLVMValueRef op_fma(struct build *b, instruction *i)
{
    LLVMValueRef arguments[] = {operand(b, i, 0), operand(b, i, 1), operand(b, i, 2)};
    return on_vectors(b, "llvm.fma", arguments, 3);
}

/* Returns true if |x| had better be an instruction that needs no constant in memory. A call of a function of
 * values loads its tables anew, and on AVX-512 these loads take most of its time. On a Zen 5 this saves a
 * twentieth of the time of a loop that calls gelu within 2^-22. */
static bool saves_a_load(const struct build *b, instruction *i)
{
    const struct target_instruction *own = &b->isa->absolute;
    return b->in_registers && b->program->table_count && own->intrinsic && is_f32(i) &&
           own->lanes == b->lanes;
}

static LLVMValueRef op_abs(struct build *b, instruction *i)
{
    LLVMValueRef a = operand(b, i, 0);
    if (saves_a_load(b, i)) return call_instruction(b, &b->isa->absolute, b->scalar[LANE_F32], a, a);
    return on_vectors(b, "llvm.fabs", &a, 1);
}

static LLVMValueRef op_sqrt(struct build *b, instruction *i)
{
    LLVMValueRef a = operand(b, i, 0);
    return on_vectors(b, "llvm.sqrt", &a, 1);
}

/* Returns true if all users of value n are arithmetic, or clamps whose results have only such users.
 * Arithmetic quiets a NaN, as a maximum does. */
static bool is_for_arithmetic(const lane_program *p, uint32_t n)
{
    for (uint32_t user = n + 1; user < p->count; user++) {
        const instruction *i = &p->code[user];
        bool uses = false;
        for (unsigned k = 0; k < lane_ops[i->op].arity; k++) uses = uses || i->operand[k] == n;
        if (!uses) continue;
        const unsigned class = lane_ops[i->op].class[0];
        const bool is_clamp = class == CLASS_MINMAX && i->operand[1] == n && is_for_arithmetic(p, user);
        const bool is_arithmetic = class == CLASS_ADD || class == CLASS_MUL || class == CLASS_DIV32;
        if (!is_arithmetic && !is_clamp) return false;
    }
    return true;
}

/* Returns true if IEEE 754's minimum and maximum have the same results as the op. They return a NaN of either
 * operand, as a quiet NaN, and order +0 above -0. So the first operand must be a constant number. If it is
 * zero, it must be +0 for min and -0 for max. Nobody may see whether a NaN is quiet. */
static bool is_plain_clamp(const struct build *b, const instruction *i)
{
    const lane_program *p = b->program;
    const instruction *limit = &p->code[i->operand[0]];
    if (!b->isa->maximum || limit->op != LANE_CONST || (!is_f32(limit) && limit->type != LANE_F64))
        return false;
    const double number =
        is_f32(limit) ? (double)f32_of_bits((uint32_t)limit->bits) : f64_of_bits(limit->bits);
    const bool is_ordered = number != 0 || !signbit(number) == (i->op == LANE_MIN);
    return !isnan(number) && is_ordered && is_for_arithmetic(p, (uint32_t)(i - p->code));
}

static LLVMValueRef least_or_most(struct build *b, instruction *i, LLVMRealPredicate is_first,
                                  const char *clamp)
{
    LLVMValueRef x[] = {operand(b, i, 0), operand(b, i, 1)};
    if (is_plain_clamp(b, i)) return on_vectors(b, clamp, x, 2);
    return LLVMBuildSelect(b->ir, LLVMBuildFCmp(b->ir, is_first, x[0], x[1], ""), x[0], x[1], "");
}

static LLVMValueRef op_min(struct build *b, instruction *i)
{
    return least_or_most(b, i, LLVMRealOLT, "llvm.minimum");
}

static LLVMValueRef op_max(struct build *b, instruction *i)
{
    return least_or_most(b, i, LLVMRealOGT, "llvm.maximum");
}

static LLVMValueRef op_imin(struct build *b, instruction *i)
{
    LLVMValueRef x = operand(b, i, 0), y = operand(b, i, 1);
    return LLVMBuildSelect(b->ir, LLVMBuildICmp(b->ir, LLVMIntSLT, x, y, ""), x, y, "");
}

/* Returns the opposite of a truth value. The opposite comparison, unlike a not, lets LLVM keep one mask. */
static LLVMValueRef opposite(struct build *b, LLVMValueRef truth)
{
    enum { OTHER_PREDICATE = 15 }; /* LLVM's predicates are sets of: equal, greater, less, unordered. */
    if (!LLVMIsAFCmpInst(truth)) return LLVMBuildNot(b->ir, truth, "");
    const LLVMRealPredicate other = (LLVMRealPredicate)(OTHER_PREDICATE - LLVMGetFCmpPredicate(truth));
    return LLVMBuildFCmp(b->ir, other, LLVMGetOperand(truth, 0), LLVMGetOperand(truth, 1), "");
}

/* Returns a choice between a constant and a scaled value as one masked instruction, or NULL if it is none.
 * Where the mask is used twice, LLVM would scale all lanes first, which factored/ended.h avoids. */
static LLVMValueRef masked_scale(struct build *b, instruction *i)
{
    const struct target_instruction *own = &b->isa->scale2_f32;
    LLVMValueRef scaled = operand(b, i, 2);
    if (!is_f32(i) || !own->masked || own->lanes != b->lanes || !LLVMIsACallInst(scaled)) return NULL;
    return lane_masked_scale(b->program, (lane_value)(i - b->program->code))
               ? masked_call(b, scaled, opposite(b, operand(b, i, 0)), operand(b, i, 1))
               : NULL;
}

static LLVMValueRef op_select(struct build *b, instruction *i)
{
    LLVMValueRef scaled = masked_scale(b, i);
    if (scaled) return scaled;
    return LLVMBuildSelect(b->ir, operand(b, i, 0), operand(b, i, 1), operand(b, i, 2), "");
}

/* The loop over vectors branches (loops/build_rare.c) before it builds this choice. */
static LLVMValueRef op_rarely(struct build *b, instruction *i) { return op_select(b, i); }

static LLVMValueRef op_imulhi(struct build *b, instruction *i)
{
    LLVMTypeRef wide = b->vector[LANE_I64];
    LLVMValueRef x = LLVMBuildZExt(b->ir, operand(b, i, 0), wide, "");
    LLVMValueRef y = LLVMBuildZExt(b->ir, operand(b, i, 1), wide, "");
    LLVMValueRef high = LLVMBuildLShr(b->ir, LLVMBuildMul(b->ir, x, y, ""), splat_bits(b, LANE_I64, 32), "");
    return LLVMBuildTrunc(b->ir, high, b->vector[i->type], "");
}

/* Rounds to an integer without roundps. For |x| below 2^23 (2^52), adding this number leaves no fraction
 * bits. Larger values are integers or NaN. The sign returns at the end, so that -0.3 gives -0. */
static LLVMValueRef round_by_adding(struct build *b, LLVMValueRef x, enum lane_type type)
{
    LLVMValueRef big = splat_float(b, type, type == LANE_F32 ? 0x1p23 : 0x1p52);
    LLVMValueRef magnitude = on_vectors(b, "llvm.fabs", &x, 1);
    LLVMValueRef sum = LLVMBuildFAdd(b->ir, magnitude, big, "");
    LLVMValueRef signed_result[] = {LLVMBuildFSub(b->ir, sum, big, ""), x};
    LLVMValueRef rounded = on_vectors(b, "llvm.copysign", signed_result, 2);
    LLVMValueRef is_small = LLVMBuildFCmp(b->ir, LLVMRealOLT, magnitude, big, "");
    return LLVMBuildSelect(b->ir, is_small, rounded, x, "");
}

static LLVMValueRef round_to_integer(struct build *b, LLVMValueRef x, enum lane_type type)
{
    return b->isa->round ? on_vectors(b, b->isa->round, &x, 1) : round_by_adding(b, x, type);
}

static LLVMValueRef op_round(struct build *b, instruction *i)
{
    return round_to_integer(b, operand(b, i, 0), i->type);
}

/* Converts f32 to i32. A lane that is not selected or stored later may hold any number. For such a number
 * fptosi has no value, so this function uses the saturating conversion. */
static LLVMValueRef i32_of_f32(struct build *b, LLVMValueRef x)
{
    const struct target_instruction *own = &b->isa->f2i;
    if (own->intrinsic) return call_instruction(b, own, b->scalar[LANE_I32], x, NULL);
    LLVMTypeRef types[] = {b->vector[LANE_I32], LLVMTypeOf(x)};
    LLVMValueRef rounded = round_to_integer(b, x, LANE_F32);
    return call_intrinsic(b, "llvm.fptosi.sat", types, 2, &rounded, 1);
}

/* Converts to an integer. For f64, the sum with 1.5 * 2^52 holds the integer in its low bits. */
static LLVMValueRef to_integer(struct build *b, LLVMValueRef x, enum lane_type from)
{
    if (from == LANE_F32) return i32_of_f32(b, x);
    LLVMValueRef magic = splat_float(b, LANE_F64, 0x1.8p52);
    LLVMTypeRef integers = b->vector[LANE_I64];
    LLVMValueRef sum = LLVMBuildBitCast(b->ir, LLVMBuildFAdd(b->ir, x, magic, ""), integers, "");
    return LLVMBuildSub(b->ir, sum, LLVMConstBitCast(magic, integers), "");
}

static LLVMValueRef op_f2i(struct build *b, instruction *i)
{
    return to_integer(b, operand(b, i, 0), i->type == LANE_I32 ? LANE_F32 : LANE_F64);
}

/* Converts i64 to f64, for which AVX-512 has the first vector instruction. The halves become 2^84 + (high +
 * 2^31) * 2^32 and 2^52 + low. The subtraction is exact, and the addition rounds once. */
static LLVMValueRef f64_of_i64(struct build *b, LLVMValueRef x)
{
    LLVMTypeRef floats = b->vector[LANE_F64];
    LLVMValueRef low = LLVMBuildAnd(b->ir, x, splat_bits(b, LANE_I64, 0xffffffffu), "");
    LLVMValueRef high = LLVMBuildLShr(b->ir, x, splat_bits(b, LANE_I64, 32), "");
    low = LLVMBuildOr(b->ir, low, splat_bits(b, LANE_I64, 0x4330000000000000u), "");
    high = LLVMBuildXor(b->ir, high, splat_bits(b, LANE_I64, 0x4530000080000000u), "");
    LLVMValueRef excess = splat_float(b, LANE_F64, 0x1p84 + 0x1p63 + 0x1p52);
    LLVMValueRef rest = LLVMBuildFSub(b->ir, LLVMBuildBitCast(b->ir, high, floats, ""), excess, "");
    return LLVMBuildFAdd(b->ir, rest, LLVMBuildBitCast(b->ir, low, floats, ""), "");
}

static LLVMValueRef op_i2f(struct build *b, instruction *i)
{
    bool split = i->type == LANE_F64 && !b->isa->convert64;
    return split ? f64_of_i64(b, operand(b, i, 0)) : op_of_integer(b, i);
}

/* Returns the power of two with this biased exponent, a normal number. */
static LLVMValueRef power_of_two_vector(struct build *b, LLVMValueRef biased, bool f32)
{
    enum lane_type integer = f32 ? LANE_I32 : LANE_I64, type = f32 ? LANE_F32 : LANE_F64;
    LLVMValueRef bits = LLVMBuildShl(b->ir, biased, splat_bits(b, integer, f32 ? 23 : 52), "");
    return LLVMBuildBitCast(b->ir, bits, b->vector[type], "");
}

/* Finds the sum behind a difference (sum_behind.h), and returns its bits. Returns NULL if there is none, or
 * if another stage computed the difference. */
static LLVMValueRef bits_of_sum(struct build *b, struct sum_behind *s, lane_value difference,
                                enum lane_type integer)
{
    LLVMValueRef value = b->values[difference];
    const bool is_here = LLVMIsAInstruction(value) && LLVMGetInstructionOpcode(value) == LLVMFSub;
    if (!is_here || !sum_find(s, b->program, difference)) return NULL;
    return LLVMBuildBitCast(b->ir, LLVMGetOperand(value, 0), b->vector[integer], "");
}

static LLVMValueRef floor_of(struct build *b, LLVMValueRef x, enum lane_type type)
{
    LLVMValueRef nearest = round_to_integer(b, x, type);
    LLVMValueRef less = LLVMBuildFSub(b->ir, nearest, splat_float(b, type, 1), "");
    return LLVMBuildSelect(b->ir, LLVMBuildFCmp(b->ir, LLVMRealOLT, x, nearest, ""), less, nearest, "");
}

/* Scales without an instruction for it, by two multiplications with powers of two. Their exponents are the
 * halves of floor(n). The first multiplication is exact on the op's domain (lane.h). Twice the exponents'
 * bias is added to n, so that both halves are biased exponents. A logical shift halves the sum, because
 * 64-bit arithmetic shifts came with AVX-512. */
static LLVMValueRef scaled_by_halves(struct build *b, instruction *i, LLVMValueRef x, LLVMValueRef exponent)
{
    const bool f32 = is_f32(i);
    const enum lane_type integer = f32 ? LANE_I32 : LANE_I64;
    const uint64_t twice = 2 * (f32 ? 127 : 1023);
    struct sum_behind s = {0};
    LLVMValueRef bits = bits_of_sum(b, &s, i->operand[1], integer);
    if (!bits) {
        s = (struct sum_behind){0};
        bits = to_integer(b, i->op == LANE_SCALE2 ? exponent : floor_of(b, exponent, i->type), i->type);
    }
    LLVMValueRef n = LLVMBuildAdd(b->ir, bits, splat_bits(b, integer, (twice << s.fraction) - s.magic), "");
    LLVMValueRef first = LLVMBuildLShr(b->ir, n, splat_bits(b, integer, s.fraction + 1), "");
    LLVMValueRef whole = s.fraction ? LLVMBuildLShr(b->ir, n, splat_bits(b, integer, s.fraction), "") : n;
    LLVMValueRef second = LLVMBuildSub(b->ir, whole, first, "");
    LLVMValueRef halfway = LLVMBuildFMul(b->ir, x, power_of_two_vector(b, first, f32), "");
    return LLVMBuildFMul(b->ir, halfway, power_of_two_vector(b, second, f32), "");
}

/* Scales x by 2^floor(exponent). The instruction, if the set has one, takes the floor itself. */
static LLVMValueRef op_scale2_floor(struct build *b, instruction *i)
{
    LLVMValueRef x = operand(b, i, 0), exponent = operand(b, i, 1);
    const struct target_instruction *own = is_f32(i) ? &b->isa->scale2_f32 : &b->isa->scale2_f64;
    return own->intrinsic ? call_instruction(b, own, b->scalar[i->type], x, exponent)
                          : scaled_by_halves(b, i, x, exponent);
}

static LLVMValueRef op_scale2(struct build *b, instruction *i) { return op_scale2_floor(b, i); }

/* The bits of |x|, or for a subnormal x those of |x| 2^24. */
struct raised {
    LLVMValueRef magnitude, is_tiny, bits;
};

static struct raised raise_subnormal(struct build *b, LLVMValueRef x)
{
    struct raised r = {.magnitude = on_vectors(b, "llvm.fabs", &x, 1)};
    LLVMValueRef larger = LLVMBuildFMul(b->ir, r.magnitude, splat_float(b, LANE_F32, 0x1p24), "");
    r.is_tiny = LLVMBuildFCmp(b->ir, LLVMRealOLT, r.magnitude, splat_float(b, LANE_F32, 0x1p-126), "");
    LLVMValueRef normal = LLVMBuildSelect(b->ir, r.is_tiny, larger, r.magnitude, "");
    r.bits = LLVMBuildBitCast(b->ir, normal, b->vector[LANE_I32], "");
    return r;
}

static LLVMValueRef op_exponent(struct build *b, instruction *i)
{
    LLVMValueRef x = operand(b, i, 0);
    if (b->isa->exponent.intrinsic)
        return call_instruction(b, &b->isa->exponent, b->scalar[LANE_F32], x, NULL);
    const struct raised r = raise_subnormal(b, x);
    LLVMValueRef bias = LLVMBuildSelect(b->ir, r.is_tiny, splat_bits(b, LANE_I32, 127 + 24),
                                        splat_bits(b, LANE_I32, 127), "");
    LLVMValueRef biased = LLVMBuildLShr(b->ir, r.bits, splat_bits(b, LANE_I32, 23), "");
    LLVMValueRef e = LLVMBuildSub(b->ir, biased, bias, "");
    e = LLVMBuildSIToFP(b->ir, e, b->vector[LANE_F32], "");
    LLVMValueRef infinity = splat_float(b, LANE_F32, (double)INFINITY);
    LLVMValueRef is_zero = LLVMBuildICmp(b->ir, LLVMIntEQ, r.bits, splat_bits(b, LANE_I32, 0), "");
    e = LLVMBuildSelect(b->ir, is_zero, splat_float(b, LANE_F32, -(double)INFINITY), e, "");
    LLVMValueRef is_finite = LLVMBuildFCmp(b->ir, LLVMRealOLT, r.magnitude, infinity, "");
    return LLVMBuildSelect(b->ir, is_finite, e, r.magnitude, "");
}

static LLVMValueRef op_significand(struct build *b, instruction *i)
{
    LLVMValueRef x = operand(b, i, 0);
    if (b->isa->significand.intrinsic)
        return call_instruction(b, &b->isa->significand, b->scalar[LANE_F32], x, NULL);
    LLVMValueRef fraction =
        LLVMBuildAnd(b->ir, raise_subnormal(b, x).bits, splat_bits(b, LANE_I32, 0x7fffff), "");
    LLVMValueRef m = LLVMBuildOr(b->ir, fraction, splat_bits(b, LANE_I32, 0x3f800000), "");
    LLVMValueRef with_sign[] = {LLVMBuildBitCast(b->ir, m, b->vector[LANE_F32], ""), x};
    m = on_vectors(b, "llvm.copysign", with_sign, 2);
    LLVMValueRef is_number = LLVMBuildFCmp(b->ir, LLVMRealOGE, x, splat_float(b, LANE_F32, 0), "");
    return LLVMBuildSelect(b->ir, is_number, m, splat_float(b, LANE_F32, (double)NAN), "");
}

static LLVMValueRef op_to_f16(struct build *b, instruction *i) { return round_to_f16(b, operand(b, i, 0)); }

static LLVMValueRef op_to_e4m3(struct build *b, instruction *i) { return round_to_e4m3(b, operand(b, i, 0)); }

static LLVMValueRef op_to_e5m2(struct build *b, instruction *i) { return round_to_e5m2(b, operand(b, i, 0)); }

static LLVMValueRef op_to_i8(struct build *b, instruction *i)
{
    return round_to_integer_type(b, ELEMENT_I8, operand(b, i, 0));
}

static LLVMValueRef op_to_u8(struct build *b, instruction *i)
{
    return round_to_integer_type(b, ELEMENT_U8, operand(b, i, 0));
}

/* Returns true if the value is only stored as bf16. The store ignores the low half of its bits. */
static bool is_only_stored(const struct build *b, instruction *i)
{
    const uint32_t n = (uint32_t)(i - b->program->code);
    for (uint32_t u = n + 1; u < b->program->count; u++) {
        instruction *user = &b->program->code[u];
        for (unsigned k = 0; k < lane_ops[user->op].arity; k++)
            if (user->operand[k] == n &&
                (user->op != LANE_STORE || b->what->kernel->operands[user->index].type != ELEMENT_BF16))
                return false;
    }
    return true;
}

static LLVMValueRef op_to_bf16(struct build *b, instruction *i)
{
    LLVMValueRef high = round_to_bf16(b, i->operand[0], operand(b, i, 0));
    return is_only_stored(b, i) ? high : bf16_alone(b, high);
}

static LLVMValueRef op_to_bf16_away(struct build *b, instruction *i)
{
    LLVMValueRef high = round_to_bf16_away(b, i->operand[0], operand(b, i, 0));
    return is_only_stored(b, i) ? high : bf16_alone(b, high);
}

static LLVMValueRef op_lookup(struct build *b, instruction *i)
{
    return build_lookup(b, i->index, operand(b, i, 0));
}

typedef LLVMValueRef (*op_builder)(struct build *b, instruction *i);

/* The loop builds loads and stores. */
#define op_load  NULL
#define op_store NULL

/* A row of ops.def without its function does not compile. */
static const op_builder builders[LANE_OP_COUNT] = {
#define OP(enumerator, code, name, ...) [enumerator] = op_##name,
#include "ops.def"
#undef OP
};

/* Breaks a value, for the tests that check that a wrong op is noticed. Flips the sign and the leading
 * fraction bit of a float. Flips the lowest bit of an integer, and the bit that would lead a float's
 * fraction. */
static LLVMValueRef broken(struct build *b, LLVMValueRef value, enum lane_type type)
{
    if (type == LANE_TRUTH) return LLVMBuildNot(b->ir, value, "");
    const enum lane_type integer = lane_is_float(type) ? lane_types[type].other_side : type;
    static const uint64_t flips[] = {[LANE_F16] = 0x8200,     [LANE_I16] = 0x0201,
                                     [LANE_F32] = 0x80400000, [LANE_F64] = 0x8008000000000000,
                                     [LANE_I32] = 0x00400001, [LANE_I64] = 0x0008000000000001};
    uint64_t flipped = flips[type];
    LLVMValueRef bits = LLVMBuildBitCast(b->ir, value, b->vector[integer], "");
    bits = LLVMBuildXor(b->ir, bits, splat_bits(b, integer, flipped), "");
    return LLVMBuildBitCast(b->ir, bits, b->vector[type], "");
}

LLVMValueRef build_op(struct build *b, uint32_t number)
{
    instruction *i = &b->program->code[number];
    /* A large program takes a second. The answer is ignored, because emission stops between functions
     * only. */
    progress_goes_on(b->options->progress);
    LLVMValueRef value = builders[i->op](b, i);
    const char *wrong = b->options->broken_op;
    return wrong && !strcmp(wrong, lane_ops[i->op].name) ? broken(b, value, i->type) : value;
}
