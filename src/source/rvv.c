/* The intrinsics of RISC-V's vector extension, at any length of vectors. A lane of 4 bytes has a register of
 * its own among others, and lanes of 8 bytes take a group of two. So all values of a program have as many
 * lanes, and are one variable each. Truth values are masks, which both widths share. */
#include "checks.h"
#include "style.h"

#include "kinds.inc"
#define RVV(name)          "__riscv_" name
#define VL                 ", ACTGEN_VL)"
#define TWO(name)          RVV(name) "($1, $2" VL
#define ONLY(name)         RVV(name) "($1" VL
#define FLOATS(name)       BY_FLOAT(TWO(name "_vv_f32m1"), TWO(name "_vv_f64m2"))
#define ONE_FLOAT(name)    BY_FLOAT(ONLY(name "_v_f32m1"), ONLY(name "_v_f64m2"))
#define COMPARED(name)     BY_FLOAT(TWO(name "_vv_f32m1_b32"), TWO(name "_vv_f64m2_b32"))
#define INTEGERS(name)     BY_INTEGER(TWO(name "_vv_u32m1"), TWO(name "_vv_u64m2"))
#define SHIFTED(name)      BY_INTEGER(RVV(name) "_vx_u32m1($1, $n" VL, RVV(name) "_vx_u64m2($1, $n" VL)
#define CAST(from, to, x)  RVV("vreinterpret_v_") from "_" to "(" x ")"
#define SIGNED32(x)        CAST("u32m1", "i32m1", x)
#define SIGNED64(x)        CAST("u64m2", "i64m2", x)
#define UNSIGNED32(x)      CAST("i32m1", "u32m1", x)
#define UNSIGNED64(x)      CAST("i64m2", "u64m2", x)
#define SIGNED_BY(name, w) RVV(name) "(" SIGNED##w("$1") ", " SIGNED##w("$2") VL
#define CHOSEN(test, type) RVV("vmerge_vvm_") type "($2, $1, " TWO(test "_vv_" type "_b32") VL
#define SELECTED(type)     RVV("vmerge_vvm_") type "($3, $2, $1" VL
#define INDEX32            RVV("vand_vx_u32m1") "($1, $k" VL
#define INDEX64            RVV("vand_vx_u64m2") "($1, $k" VL
#define GATHERED32(type)   RVV("vluxei32_v_") type "($t, " RVV("vsll_vx_u32m1") "(" INDEX32 ", 2" VL VL
#define GATHERED64(type)   RVV("vluxei64_v_") type "($t, " RVV("vsll_vx_u64m2") "(" INDEX64 ", 3" VL VL

static const struct source_op ops[LANE_OP_COUNT] = {
    [LANE_CONST] = EACH(RVV("vfmv_v_f_f32m1") "($c" VL, RVV("vfmv_v_f_f64m2") "($c" VL,
                        RVV("vmv_v_x_u32m1") "($c" VL, RVV("vmv_v_x_u64m2") "($c" VL),
    [LANE_ADD] = FLOATS("vfadd"),
    [LANE_SUB] = FLOATS("vfsub"),
    [LANE_MUL] = FLOATS("vfmul"),
    [LANE_DIV] = FLOATS("vfdiv"),
    [LANE_FMA] = BY_FLOAT(RVV("vfmacc_vv_f32m1") "($3, $1, $2" VL, RVV("vfmacc_vv_f64m2") "($3, $1, $2" VL),
    [LANE_NEG] = ONE_FLOAT("vfneg"),
    [LANE_ABS] = ONE_FLOAT("vfabs"),
    /* The set's own minimum orders zeros and loses NaN. */
    [LANE_MIN] = BY_FLOAT(CHOSEN("vmflt", "f32m1"), CHOSEN("vmflt", "f64m2")),
    [LANE_MAX] = BY_FLOAT(CHOSEN("vmfgt", "f32m1"), CHOSEN("vmfgt", "f64m2")),
    [LANE_SQRT] = ONE_FLOAT("vfsqrt"),
    [LANE_EQ] = COMPARED("vmfeq"),
    [LANE_LT] = COMPARED("vmflt"),
    [LANE_LE] = COMPARED("vmfle"),
    [LANE_ILT] = BY_INTEGER(SIGNED_BY("vmslt_vv_i32m1_b32", 32), SIGNED_BY("vmslt_vv_i64m2_b32", 64)),
    [LANE_MAND] = ONE(LANE_TRUTH, TWO("vmand_mm_b32")),
    [LANE_MOR] = ONE(LANE_TRUTH, TWO("vmor_mm_b32")),
    [LANE_MNOT] = ONE(LANE_TRUTH, ONLY("vmnot_m_b32")),
    [LANE_SELECT] = EACH(SELECTED("f32m1"), SELECTED("f64m2"), SELECTED("u32m1"), SELECTED("u64m2")),
    [LANE_IADD] = INTEGERS("vadd"),
    [LANE_ISUB] = INTEGERS("vsub"),
    [LANE_IMUL] = INTEGERS("vmul"),
    [LANE_IMULHI] = ONE(LANE_I32, TWO("vmulhu_vv_u32m1")),
    [LANE_IMIN] =
        BY_INTEGER(UNSIGNED32(SIGNED_BY("vmin_vv_i32m1", 32)), UNSIGNED64(SIGNED_BY("vmin_vv_i64m2", 64))),
    [LANE_AND] = INTEGERS("vand"),
    [LANE_OR] = INTEGERS("vor"),
    [LANE_XOR] = INTEGERS("vxor"),
    [LANE_NOT] = BY_INTEGER(ONLY("vnot_v_u32m1"), ONLY("vnot_v_u64m2")),
    [LANE_SHL] = SHIFTED("vsll"),
    [LANE_SHR] = SHIFTED("vsrl"),
    [LANE_SAR] = BY_INTEGER(UNSIGNED32(RVV("vsra_vx_i32m1") "(" SIGNED32("$1") ", $n" VL),
                            UNSIGNED64(RVV("vsra_vx_i64m2") "(" SIGNED64("$1") ", $n" VL)),
    [LANE_BITCAST] = EACH(CAST("f32m1", "u32m1", "$1"), CAST("f64m2", "u64m2", "$1"),
                          CAST("u32m1", "f32m1", "$1"), CAST("u64m2", "f64m2", "$1")),
    [LANE_F2I] = BY_FLOAT(UNSIGNED32(ONLY("vfcvt_x_f_v_i32m1")), UNSIGNED64(ONLY("vfcvt_x_f_v_i64m2"))),
    [LANE_I2F] = BY_INTEGER(RVV("vfcvt_f_x_v_f32m1") "(" SIGNED32("$1") VL,
                            RVV("vfcvt_f_x_v_f64m2") "(" SIGNED64("$1") VL),
    [LANE_WIDEN] = ONE(LANE_F32, ONLY("vfwcvt_f_f_v_f64m2")),
    [LANE_NARROW] = ONE(LANE_F64, ONLY("vfncvt_f_f_w_f32m1")),
    [LANE_IWIDEN] = ONE(LANE_I32, UNSIGNED64(RVV("vsext_vf2_i64m2") "(" SIGNED32("$1") VL)),
    [LANE_INARROW] = ONE(LANE_I64, ONLY("vncvt_x_x_w_u32m1")),
    [LANE_LOOKUP] = EACH(GATHERED32("f32m1"), GATHERED64("f64m2"), GATHERED32("u32m1"), GATHERED64("u64m2")),
};

/* Every length of vectors holds 16 bytes of a table. */
static const struct source_lookup lookups[] = {
    {LANE_F32, 2, RVV("vrgather_vv_f32m1") "(" RVV("vle32_v_f32m1") "($t, 4), " INDEX32 VL},
    {LANE_I32, 2, RVV("vrgather_vv_u32m1") "(" RVV("vle32_v_u32m1") "($t, 4), " INDEX32 VL},
};

/* A statement without instructions keeps a compiler from joining a product and a sum. */
#define ALONE(name, type)                                                                                    \
    {                                                                                                        \
        name, "static inline " type " $0(" type " x)\n{\n"                                                   \
              "#if !defined(__clang__) && !defined(ACTGEN_FP_CONTRACT_OFF)\n"                                \
              "    __asm__(\"\" : \"+vr\"(x));\n#endif\n    return x;\n}\n"                                  \
    }

static const struct source_helper helpers[] = {
    ALONE("alone_f32", "vfloat32m1_t"),
    ALONE("alone_f64", "vfloat64m2_t"),
};

/* Texts for elements by type, for the first `n` lanes. Elements of 1 and 2 bytes are extended. */
#define HALVES(n)     RVV("vzext_vf2_u32m1") "(" RVV("vle16_v_u16mf2") "($e, " n ")" VL
#define QUARTERS(n)   RVV("vzext_vf4_u32m1") "(" RVV("vle8_v_u8mf4") "((const uint8_t *)($e), " n ")" VL
#define HALF(x)       RVV("vncvt_x_x_w_u16mf2") "(" x VL
#define QUARTER(x)    RVV("vncvt_x_x_w_u8mf4") "(" HALF(x) VL
#define STORE16(x, n) RVV("vse16_v_u16mf2") "($e, " HALF(x) ", " n ")"
#define STORE8(x, n)  RVV("vse8_v_u8mf4") "((uint8_t *)($e), " QUARTER(x) ", " n ")"
#define LOADS(n)                                                                                             \
    {                                                                                                        \
        [ELEMENT_F32] = RVV("vle32_v_f32m1") "($e, " n ")",                                                  \
        [ELEMENT_F64] = RVV("vle64_v_f64m2") "($e, " n ")", [ELEMENT_F16] = "@f32_of_f16(" HALVES(n) ")",    \
        [ELEMENT_BF16] = "@f32_of_bf16(" HALVES(n) ")", [ELEMENT_E4M3] = "@f32_of_e4m3(" QUARTERS(n) ")",    \
        [ELEMENT_E5M2] = "@f32_of_e5m2(" QUARTERS(n) ")", [ELEMENT_I8] = "@f32_of_i8(" QUARTERS(n) ")",      \
        [ELEMENT_U8] = "@f32_of_u8(" QUARTERS(n) ")", [ELEMENT_E8M0] = "@f32_of_e8m0(" QUARTERS(n) ")",      \
        [ELEMENT_I32] = RVV("vfcvt_f_x_v_f32m1") "(" RVV("vle32_v_i32m1") "($e, " n ")" VL                   \
    }
#define STORES(n)                                                                                            \
    {                                                                                                        \
        [ELEMENT_F32] = RVV("vse32_v_f32m1") "($e, $v, " n ")",                                              \
        [ELEMENT_F64] = RVV("vse64_v_f64m2") "($e, $v, " n ")",                                              \
        [ELEMENT_F16] = STORE16("@f16_of_f32($v)", n), [ELEMENT_BF16] = STORE16("@bf16_of_f32($v)", n),      \
        [ELEMENT_E4M3] = STORE8("@e4m3_of_f32($v)", n), [ELEMENT_E5M2] = STORE8("@e5m2_of_f32($v)", n),      \
        [ELEMENT_I8] = STORE8("@i8_of_f32($v)", n), [ELEMENT_U8] = STORE8("@u8_of_f32($v)", n),              \
        [ELEMENT_E8M0] = STORE8("@e8m0_of_f32($v)", n)                                                       \
    }

const struct source_style source_rvv = {
    .name = "intrinsics",
    .isa = "rvv",
    .summary = "One vector",
    .suffix = "_rvv",
    .lanes = "ACTGEN_VL",
    .wide_lanes = "ACTGEN_VL",
    .most_lanes = "64",
    .function = "static inline",
    .table = "static const",
    .opening = EXACT_CHECKS
    "#if !defined(__riscv_v) || !defined(__riscv_v_intrinsic) || __riscv_v_intrinsic < 11000\n"
    "#error \"this file is for RISC-V's V: compile it with -march=rv64gcv, GCC 14 or Clang 17 or later\"\n"
    "#endif\n\n"
    "#include <math.h>\n#include <riscv_vector.h>\n#include <stddef.h>\n#include <stdint.h>\n\n"
    "/* The lanes of a vector, as many as a register has of 4 bytes, but at most 64. */\n"
    "#ifndef ACTGEN_VL\n#define ACTGEN_VL __riscv_vsetvl_e32m1(64)\n#endif\n",
    .closing = EXACT_END,
    .type = {[LANE_F32] = "vfloat32m1_t",
             [LANE_F64] = "vfloat64m2_t",
             [LANE_I32] = "vuint32m1_t",
             [LANE_I64] = "vuint64m2_t",
             [LANE_TRUTH] = "vbool32_t"},
    .any_truth = RVV("vfirst_m_b32") "($1" VL " >= 0",
    .ending = {[LANE_F32] = "_f32m1", [LANE_F64] = "_f64m2"},
    .endings = "_f32m1 or <kernel>_f64m2",
    .alone = {[LANE_F32] = "@alone_f32($v)", [LANE_F64] = "@alone_f64($v)"},
    .ops = ops,
    .load = LOADS("ACTGEN_VL"),
    .store = STORES("ACTGEN_VL"),
    .load_part = LOADS("$n"),
    .store_part = STORES("$n"),
    .lookups = lookups,
    .lookup_count = sizeof lookups / sizeof *lookups,
    .helpers = helpers,
    .helper_count = sizeof helpers / sizeof *helpers,
};
