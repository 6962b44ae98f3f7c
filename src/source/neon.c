/* The intrinsics of Advanced SIMD on AArch64. Truth values are registers of integers with all bits or none.
 */
#include "checks.h"
#include "style.h"

#include "kinds.inc"

#define FLOATS(name)       BY_FLOAT(name "q_f32($1, $2)", name "q_f64($1, $2)")
#define ONE_FLOAT(name)    BY_FLOAT(name "q_f32($1)", name "q_f64($1)")
#define INTEGERS(name)     BY_INTEGER(name "q_u32($1, $2)", name "q_u64($1, $2)")
#define SIGNED(x, width)   "vreinterpretq_s" width "_u" width "(" x ")"
#define UNSIGNED(x, width) "vreinterpretq_u" width "_s" width "(" x ")"
/* The second part of a text is for truth values of 8-byte lanes. */
#define TRUTHS(name) ONE(LANE_TRUTH, name "q_u32($1, $2)\n" name "q_u64($1, $2)")

static const struct source_op ops[LANE_OP_COUNT] = {
    [LANE_CONST] = EACH("vdupq_n_f32($c)", "vdupq_n_f64($c)", "vdupq_n_u32($c)", "vdupq_n_u64($c)"),
    [LANE_ADD] = FLOATS("vadd"),
    [LANE_SUB] = FLOATS("vsub"),
    [LANE_MUL] = FLOATS("vmul"),
    [LANE_DIV] = FLOATS("vdiv"),
    [LANE_FMA] = BY_FLOAT("vfmaq_f32($3, $1, $2)", "vfmaq_f64($3, $1, $2)"),
    [LANE_NEG] = ONE_FLOAT("vneg"),
    [LANE_ABS] = ONE_FLOAT("vabs"),
    /* The set's own minimum orders zeros and returns NaN. */
    [LANE_MIN] = BY_FLOAT("vbslq_f32(vcltq_f32($1, $2), $1, $2)", "vbslq_f64(vcltq_f64($1, $2), $1, $2)"),
    [LANE_MAX] = BY_FLOAT("vbslq_f32(vcgtq_f32($1, $2), $1, $2)", "vbslq_f64(vcgtq_f64($1, $2), $1, $2)"),
    [LANE_SQRT] = ONE_FLOAT("vsqrt"),
    [LANE_ROUND] = ONE_FLOAT("vrndn"),
    [LANE_EQ] = FLOATS("vceq"),
    [LANE_LT] = FLOATS("vclt"),
    [LANE_LE] = FLOATS("vcle"),
    [LANE_ILT] = BY_INTEGER("vcltq_s32(" SIGNED("$1", "32") ", " SIGNED("$2", "32") ")",
                            "vcltq_s64(" SIGNED("$1", "64") ", " SIGNED("$2", "64") ")"),
    [LANE_MAND] = TRUTHS("vand"),
    [LANE_MOR] = TRUTHS("vorr"),
    [LANE_MNOT] = ONE(LANE_TRUTH, "vmvnq_u32($1)\nveorq_u64($1, vdupq_n_u64(UINT64_C(0xffffffffffffffff)))"),
    [LANE_SELECT] = EACH("vbslq_f32($1, $2, $3)", "vbslq_f64(%1, $2, $3)", "vbslq_u32($1, $2, $3)",
                         "vbslq_u64(%1, $2, $3)"),
    [LANE_IADD] = INTEGERS("vadd"),
    [LANE_ISUB] = INTEGERS("vsub"),
    [LANE_IMUL] = ONE(LANE_I32, "vmulq_u32($1, $2)"),
    [LANE_IMIN] = ONE(LANE_I32, UNSIGNED("vminq_s32(" SIGNED("$1", "32") ", " SIGNED("$2", "32") ")", "32")),
    [LANE_AND] = INTEGERS("vand"),
    [LANE_OR] = INTEGERS("vorr"),
    [LANE_XOR] = INTEGERS("veor"),
    [LANE_NOT] = BY_INTEGER("vmvnq_u32($1)", "veorq_u64($1, vdupq_n_u64(UINT64_C(0xffffffffffffffff)))"),
    [LANE_SHL] = BY_INTEGER("@shl_i32($1, $n)", "@shl_i64($1, $n)"),
    [LANE_SHR] = BY_INTEGER("@shr_i32($1, $n)", "@shr_i64($1, $n)"),
    [LANE_SAR] = BY_INTEGER("@sar_i32($1, $n)", "@sar_i64($1, $n)"),
    [LANE_BITCAST] = EACH("vreinterpretq_u32_f32($1)", "vreinterpretq_u64_f64($1)",
                          "vreinterpretq_f32_u32($1)", "vreinterpretq_f64_u64($1)"),
    [LANE_F2I] = BY_FLOAT(UNSIGNED("vcvtnq_s32_f32($1)", "32"), UNSIGNED("vcvtnq_s64_f64($1)", "64")),
    [LANE_I2F] = BY_INTEGER("vcvtq_f32_s32(" SIGNED("$1", "32") ")", "vcvtq_f64_s64(" SIGNED("$1", "64") ")"),
    [LANE_WIDEN] = ONE(LANE_F32, "vcvt_f64_f32(vget_low_f32($1))\nvcvt_high_f64_f32($1)"),
    [LANE_NARROW] = ONE(LANE_F64, "vcvt_high_f32_f64(vcvt_f32_f64($A), $B)"),
    [LANE_IWIDEN] =
        ONE(LANE_I32, UNSIGNED("vmovl_s32(vget_low_s32(" SIGNED("$1", "32") "))",
                               "64") "\n" UNSIGNED("vmovl_high_s32(" SIGNED("$1", "32") ")", "64")),
    [LANE_INARROW] = ONE(LANE_I64, "vmovn_high_u64(vmovn_u64($A), $B)"),
    [LANE_LOOKUP] = EACH(
        "@lookup_f32($t, vandq_u32($1, vdupq_n_u32($k)))", "@lookup_f64($t, vandq_u64($1, vdupq_n_u64($k)))",
        "@lookup_u32($t, vandq_u32($1, vdupq_n_u32($k)))", "@lookup_u64($t, vandq_u64($1, vdupq_n_u64($k)))"),
    [LANE_TO_F16] = ONE(LANE_F32, "vcvt_f32_f16(vcvt_f16_f32($1))"),
};

/* Shifts by a variable, which compilers make constant. A negative amount shifts to the right. */
#define SHIFT(name, type, expression)                                                                        \
    {                                                                                                        \
        name, "static inline " type " $0(" type " x, int n)\n{\n    return " expression ";\n}\n"             \
    }
#define LOOKUP(name, type, lanes, entry, index, end)                                                         \
    {                                                                                                        \
        name, "static inline " type " $0(const " entry " *t, " index " i)\n{\n    " entry " y[" lanes "];\n" \
              "    for (int k = 0; k < " lanes "; k++) y[k] = t[i[k]];\n    return vld1q_" end "(y);\n}\n"   \
    }
/* A statement without instructions keeps a compiler from joining a product and a sum. */
#define ALONE(name, type)                                                                                    \
    {                                                                                                        \
        name, "static inline " type " $0(" type " x)\n{\n"                                                   \
              "#if defined(__GNUC__) && !defined(ACTGEN_FP_CONTRACT_OFF)\n"                                  \
              "    __asm__(\"\" : \"+w\"(x));\n#endif\n    return x;\n}\n"                                   \
    }

static const struct source_helper helpers[] = {
    COMPARED_HELPERS("static inline", "float32x4_t", "float64x2_t", "+w"),
    SHIFT("shl_i32", "uint32x4_t", "vshlq_u32(x, vdupq_n_s32(n))"),
    SHIFT("shr_i32", "uint32x4_t", "vshlq_u32(x, vdupq_n_s32(-n))"),
    SHIFT("sar_i32", "uint32x4_t",
          "vreinterpretq_u32_s32(vshlq_s32(vreinterpretq_s32_u32(x), vdupq_n_s32(-n)))"),
    SHIFT("shl_i64", "uint64x2_t", "vshlq_u64(x, vdupq_n_s64(n))"),
    SHIFT("shr_i64", "uint64x2_t", "vshlq_u64(x, vdupq_n_s64(-n))"),
    SHIFT("sar_i64", "uint64x2_t",
          "vreinterpretq_u64_s64(vshlq_s64(vreinterpretq_s64_u64(x), vdupq_n_s64(-n)))"),
    {"imul_i64", "static inline uint64x2_t $0(uint64x2_t a, uint64x2_t b)\n{\n"
                 "    uint64_t y[2];\n    for (int k = 0; k < 2; k++) y[k] = a[k] * b[k];\n"
                 "    return vld1q_u64(y);\n}\n"},
    {"imulhi_i32", "static inline uint32x4_t $0(uint32x4_t a, uint32x4_t b)\n{\n"
                   "    const uint64x2_t low = vmull_u32(vget_low_u32(a), vget_low_u32(b));\n"
                   "    return vshrn_high_n_u64(vshrn_n_u64(low, 32), vmull_high_u32(a, b), 32);\n}\n"},
    LOOKUP("lookup_f32", "float32x4_t", "4", "float", "uint32x4_t", "f32"),
    LOOKUP("lookup_f64", "float64x2_t", "2", "double", "uint64x2_t", "f64"),
    LOOKUP("lookup_u32", "uint32x4_t", "4", "uint32_t", "uint32x4_t", "u32"),
    LOOKUP("lookup_u64", "uint64x2_t", "2", "uint64_t", "uint64x2_t", "u64"),
    ALONE("alone_f32", "float32x4_t"),
    ALONE("alone_f64", "float64x2_t"),
};

const struct source_style source_neon = {
    .name = "intrinsics",
    .isa = "neon",
    .summary = "One vector",
    .suffix = "_neon",
    .lanes = "4",
    .wide_lanes = "2",
    .function = "static inline",
    .table = "static const",
    .opening =
        EXACT_CHECKS "#if !defined(__aarch64__)\n#error \"this file is for AArch64\"\n#endif\n\n"
                     "#include <arm_neon.h>\n#include <math.h>\n#include <stddef.h>\n#include <stdint.h>\n",
    .closing = EXACT_END,
    .type = {[LANE_F32] = "float32x4_t",
             [LANE_F64] = "float64x2_t",
             [LANE_I32] = "uint32x4_t",
             [LANE_I64] = "uint64x2_t",
             [LANE_TRUTH] = "uint32x4_t"},
    .wide_truth = "uint64x2_t",
    .joined_truth = "vmovn_high_u64(vmovn_u64($A), $B)",
    .half_truth = "vreinterpretq_u64_s64(vmovl_s32(vget_low_s32(vreinterpretq_s32_u32($1))))\n"
                  "vreinterpretq_u64_s64(vmovl_high_s32(vreinterpretq_s32_u32($1)))",
    .any_truth = "vmaxvq_u32($1) != 0\nvmaxvq_u32(vreinterpretq_u32_u64($1)) != 0",
    .ending = {[LANE_F32] = "_f32x4", [LANE_F64] = "_f64x2"},
    .endings = "_f32x4 or <kernel>_f64x2",
    .alone = {[LANE_F32] = "@alone_f32($v)", [LANE_F64] = "@alone_f64($v)"},
    .compared = COMPARED_TEXTS,
    .ops = ops,
    .load = {[ELEMENT_F32] = "vld1q_f32($e)",
             [ELEMENT_F64] = "vld1q_f64($e)\nvld1q_f64($e + 2)",
             [ELEMENT_F16] = "vcvt_f32_f16(vreinterpret_f16_u16(vld1_u16($e)))",
             [ELEMENT_BF16] = "vreinterpretq_f32_u32(vshll_n_u16(vld1_u16($e), 16))",
             [ELEMENT_I32] = "vcvtq_f32_s32(vld1q_s32($e))"},
    .store = {[ELEMENT_F32] = "vst1q_f32($e, $v)",
              [ELEMENT_F64] = "vst1q_f64($e, $v)\nvst1q_f64($e + 2, $v)",
              [ELEMENT_F16] = "vst1_u16($e, vreinterpret_u16_f16(vcvt_f16_f32($v)))",
              [ELEMENT_BF16] = "vst1_u16($e, vmovn_u32(@bf16_of_f32($v)))"},
    .helpers = helpers,
    .helper_count = sizeof helpers / sizeof *helpers,
};
