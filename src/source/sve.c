/* The intrinsics of SVE, at any length of vectors. Truth values are predicates. A predicate for lanes of 4
 * bytes has a bit for every fourth byte, and one for lanes of 8 bytes has it for every eighth. */
#include "checks.h"
#include "style.h"

#include "kinds.inc"
#define P32                     "svptrue_b32()"
#define P64                     "svptrue_b64()"
#define TWO(name, type, p)      "sv" name "_" type "_x(" p ", $1, $2)"
#define FLOATS(name)            BY_FLOAT(TWO(name, "f32", P32), TWO(name, "f64", P64))
#define INTEGERS(name)          BY_INTEGER(TWO(name, "u32", P32), TWO(name, "u64", P64))
#define ONE_FLOAT(name)         BY_FLOAT("sv" name "_f32_x(" P32 ", $1)", "sv" name "_f64_x(" P64 ", $1)")
#define COMPARED(name)          BY_FLOAT("sv" name "_f32(" P32 ", $1, $2)", "sv" name "_f64(" P64 ", $1, $2)")
#define SHIFTED(name)           BY_INTEGER(SHIFT(name, "u32", P32, "$1"), SHIFT(name, "u64", P64, "$1"))
#define SHIFT(name, type, p, x) "sv" name "_n_" type "_x(" p ", " x ", $n)"
/* The second part of a text is for truth values of 8-byte lanes. */
#define TRUTH(name, p)        "sv" name "_b_z(" p ", $1, $2)"
#define TRUTHS(name)          ONE(LANE_TRUTH, TRUTH(name, P32) "\n" TRUTH(name, P64))
#define SIGNED(x, w)          "svreinterpret_s" w "_u" w "(" x ")"
#define UNSIGNED(x, w)        "svreinterpret_u" w "_s" w "(" x ")"
#define BITS(x)               "svreinterpret_u32_f32(" x ")"
#define INTEGER(x, w, p)      "svcvt_s" w "_f" w "_x(" p ", " x ")"
#define ROUNDED(how, w, p, x) "svrint" how "_f" w "_x(" p ", " x ")"
#define CHOSEN(test, w, p)    "svsel_f" w "(sv" test "_f" w "(" p ", $1, $2), $1, $2)"
#define INDEX32               "svand_n_u32_x(" P32 ", $1, $k)"
#define INDEX64               "svand_n_u64_x(" P64 ", $1, $k)"
#define SCALED(w, p, b)       "svscale_f" w "_x(" p ", $1, " INTEGER(b, w, p) ")"

static const struct source_op ops[LANE_OP_COUNT] = {
    [LANE_CONST] = EACH("svdup_n_f32($c)", "svdup_n_f64($c)", "svdup_n_u32($c)", "svdup_n_u64($c)"),
    [LANE_ADD] = FLOATS("add"),
    [LANE_SUB] = FLOATS("sub"),
    [LANE_MUL] = FLOATS("mul"),
    [LANE_DIV] = FLOATS("div"),
    [LANE_FMA] = BY_FLOAT("svmla_f32_x(" P32 ", $3, $1, $2)", "svmla_f64_x(" P64 ", $3, $1, $2)"),
    [LANE_NEG] = ONE_FLOAT("neg"),
    [LANE_ABS] = ONE_FLOAT("abs"),
    /* The set's own minimum orders zeros and returns NaN. */
    [LANE_MIN] = BY_FLOAT(CHOSEN("cmplt", "32", P32), CHOSEN("cmplt", "64", P64)),
    [LANE_MAX] = BY_FLOAT(CHOSEN("cmpgt", "32", P32), CHOSEN("cmpgt", "64", P64)),
    [LANE_SQRT] = ONE_FLOAT("sqrt"),
    [LANE_ROUND] = ONE_FLOAT("rintn"),
    [LANE_SCALE2] = BY_FLOAT(SCALED("32", P32, "$2"), SCALED("64", P64, "$2")),
    [LANE_SCALE2_FLOOR] = BY_FLOAT(SCALED("32", P32, ROUNDED("m", "32", P32, "$2")),
                                   SCALED("64", P64, ROUNDED("m", "64", P64, "$2"))),
    [LANE_EQ] = COMPARED("cmpeq"),
    [LANE_LT] = COMPARED("cmplt"),
    [LANE_LE] = COMPARED("cmple"),
    [LANE_ILT] = BY_INTEGER("svcmplt_s32(" P32 ", " SIGNED("$1", "32") ", " SIGNED("$2", "32") ")",
                            "svcmplt_s64(" P64 ", " SIGNED("$1", "64") ", " SIGNED("$2", "64") ")"),
    [LANE_MAND] = TRUTHS("and"),
    [LANE_MOR] = TRUTHS("orr"),
    [LANE_MNOT] = ONE(LANE_TRUTH, "svnot_b_z(" P32 ", $1)\nsvnot_b_z(" P64 ", $1)"),
    [LANE_SELECT] = EACH("svsel_f32($1, $2, $3)", "svsel_f64(%1, $2, $3)", "svsel_u32($1, $2, $3)",
                         "svsel_u64(%1, $2, $3)"),
    [LANE_IADD] = INTEGERS("add"),
    [LANE_ISUB] = INTEGERS("sub"),
    [LANE_IMUL] = INTEGERS("mul"),
    [LANE_IMULHI] = ONE(LANE_I32, "svmulh_u32_x(" P32 ", $1, $2)"),
    [LANE_IMIN] =
        BY_INTEGER(UNSIGNED("svmin_s32_x(" P32 ", " SIGNED("$1", "32") ", " SIGNED("$2", "32") ")", "32"),
                   UNSIGNED("svmin_s64_x(" P64 ", " SIGNED("$1", "64") ", " SIGNED("$2", "64") ")", "64")),
    [LANE_AND] = INTEGERS("and"),
    [LANE_OR] = INTEGERS("orr"),
    [LANE_XOR] = INTEGERS("eor"),
    [LANE_NOT] = BY_INTEGER("svnot_u32_x(" P32 ", $1)", "svnot_u64_x(" P64 ", $1)"),
    [LANE_SHL] = SHIFTED("lsl"),
    [LANE_SHR] = SHIFTED("lsr"),
    [LANE_SAR] = BY_INTEGER(UNSIGNED(SHIFT("asr", "s32", P32, SIGNED("$1", "32")), "32"),
                            UNSIGNED(SHIFT("asr", "s64", P64, SIGNED("$1", "64")), "64")),
    [LANE_BITCAST] = EACH(BITS("$1"), "svreinterpret_u64_f64($1)", "svreinterpret_f32_u32($1)",
                          "svreinterpret_f64_u64($1)"),
    [LANE_F2I] = BY_FLOAT(UNSIGNED(INTEGER(ROUNDED("n", "32", P32, "$1"), "32", P32), "32"),
                          UNSIGNED(INTEGER(ROUNDED("n", "64", P64, "$1"), "64", P64), "64")),
    [LANE_I2F] = BY_INTEGER("svcvt_f32_s32_x(" P32 ", " SIGNED("$1", "32") ")",
                            "svcvt_f64_s64_x(" P64 ", " SIGNED("$1", "64") ")"),
    /* Conversions between 4 and 8 bytes take the lower half of each 8 bytes. */
    [LANE_WIDEN] = ONE(LANE_F32, "svcvt_f64_f32_x(" P64 ", svreinterpret_f32_u64(svunpklo_u64(" BITS(
                                     "$1") ")))\n"
                                           "svcvt_f64_f32_x(" P64
                                           ", svreinterpret_f32_u64(svunpkhi_u64(" BITS("$1") ")))"),
    [LANE_NARROW] = ONE(LANE_F64, "svuzp1_f32(svcvt_f32_f64_x(" P64 ", $A), svcvt_f32_f64_x(" P64 ", $B))"),
    [LANE_IWIDEN] = ONE(LANE_I32, UNSIGNED("svunpklo_s64(" SIGNED("$1", "32") ")",
                                           "64") "\n" UNSIGNED("svunpkhi_s64(" SIGNED("$1", "32") ")", "64")),
    [LANE_INARROW] = ONE(LANE_I64, "svuzp1_u32(svreinterpret_u32_u64($A), svreinterpret_u32_u64($B))"),
    [LANE_LOOKUP] = EACH("svld1_gather_u32index_f32(" P32 ", $t, " INDEX32 ")",
                         "svld1_gather_u64index_f64(" P64 ", $t, " INDEX64 ")",
                         "svld1_gather_u32index_u32(" P32 ", $t, " INDEX32 ")",
                         "svld1_gather_u64index_u64(" P64 ", $t, " INDEX64 ")"),
    [LANE_TO_F16] = ONE(LANE_F32, "svcvt_f32_f16_x(" P32 ", svcvt_f16_f32_x(" P32 ", $1))"),
};

/* Every length of vectors holds 16 bytes of a table. An index beyond a vector gives 0. */
static const struct source_lookup lookups[] = {
    {LANE_F32, 2, "svtbl_f32(svld1rq_f32(" P32 ", $t), " INDEX32 ")"},
    {LANE_I32, 2, "svtbl_u32(svld1rq_u32(" P32 ", $t), " INDEX32 ")"},
    {LANE_F32, 3, "@lookup_8($t, " INDEX32 ")"},
    {LANE_F64, 1, "svtbl_f64(svld1rq_f64(" P64 ", $t), " INDEX64 ")"},
    {LANE_I64, 1, "svtbl_u64(svld1rq_u64(" P64 ", $t), " INDEX64 ")"},
};

/* A statement without instructions keeps a compiler from joining a product and a sum. */
#define ALONE(name, type)                                                                                    \
    {                                                                                                        \
        name, "static inline " type " $0(" type " x)\n{\n"                                                   \
              "#if !defined(ACTGEN_FP_CONTRACT_OFF)\n    __asm__(\"\" : \"+w\"(x));\n#endif\n"               \
              "    return x;\n}\n"                                                                           \
    }

static const struct source_helper helpers[] = {
    COMPARED_HELPERS("static inline", "svfloat32_t", "svfloat64_t", "+w"),
    ALONE("alone_f32", "svfloat32_t"),
    ALONE("alone_f64", "svfloat64_t"),
    {"lookup_8",
     "static inline svfloat32_t $0(const float *t, svuint32_t i)\n{\n"
     "    const uint64_t n = svcntw() < 8 ? svcntw() : 8;\n"
     "    const svuint32_t low = svreinterpret_u32_f32(svld1_f32(svwhilelt_b32_u64(0, 8), t));\n"
     "    const svuint32_t high = svreinterpret_u32_f32(svld1_f32(svwhilelt_b32_u64(n, 8), t + n));\n"
     "    const svuint32_t beyond = svsub_n_u32_x(" P32 ", i, (uint32_t)n);\n"
     "    return svreinterpret_f32_u32(svorr_u32_x(" P32
     ", svtbl_u32(low, i), svtbl_u32(high, beyond)));\n}\n"},
};

/* The first $n lanes. */
#define PART      "svwhilelt_b32_u64(0, $n)"
#define LOW_PART  "svwhilelt_b64_u64(0, $n)"
#define HIGH_PART "svwhilelt_b64_u64(svcntd(), $n)"
/* Texts for elements by type, for the lanes `p`. $v is the value of a store. */
#define LOADS(p, low, high)                                                                                  \
    {                                                                                                        \
        [ELEMENT_F32] = "svld1_f32(" p ", $e)",                                                              \
        [ELEMENT_F64] = "svld1_f64(" low ", $e)\nsvld1_f64(" high ", $e + svcntd())",                        \
        [ELEMENT_F16] = "svcvt_f32_f16_x(" P32 ", svreinterpret_f16_u32(svld1uh_u32(" p ", $e)))",           \
        [ELEMENT_BF16] = "@f32_of_bf16(svld1uh_u32(" p ", $e))",                                             \
        [ELEMENT_E4M3] = "@f32_of_e4m3(svld1ub_u32(" p ", $e))",                                             \
        [ELEMENT_E5M2] = "@f32_of_e5m2(svld1ub_u32(" p ", $e))",                                             \
        [ELEMENT_I8] = "svcvt_f32_s32_x(" P32 ", svld1sb_s32(" p ", $e))",                                   \
        [ELEMENT_U8] = "svcvt_f32_u32_x(" P32 ", svld1ub_u32(" p ", $e))",                                   \
        [ELEMENT_I32] = "svcvt_f32_s32_x(" P32 ", svld1_s32(" p ", $e))",                                    \
        [ELEMENT_E8M0] = "@f32_of_e8m0(svld1ub_u32(" p ", $e))"                                              \
    }
#define STORES(p, low, high)                                                                                 \
    {                                                                                                        \
        [ELEMENT_F32] = "svst1_f32(" p ", $e, $v)",                                                          \
        [ELEMENT_F64] = "svst1_f64(" low ", $e, $v)\nsvst1_f64(" high ", $e + svcntd(), $v)",                \
        [ELEMENT_F16] = "svst1h_u32(" p ", $e, svreinterpret_u32_f16(svcvt_f16_f32_x(" P32 ", $v)))",        \
        [ELEMENT_BF16] = "svst1h_u32(" p ", $e, @bf16_of_f32($v))",                                          \
        [ELEMENT_E4M3] = "svst1b_u32(" p ", $e, @e4m3_of_f32($v))",                                          \
        [ELEMENT_E5M2] = "svst1b_u32(" p ", $e, @e5m2_of_f32($v))",                                          \
        [ELEMENT_I8] = "svst1b_s32(" p ", $e, " SIGNED("@i8_of_f32($v)", "32") ")",                          \
        [ELEMENT_U8] = "svst1b_u32(" p ", $e, @u8_of_f32($v))",                                              \
        [ELEMENT_E8M0] = "svst1b_u32(" p ", $e, @e8m0_of_f32($v))"                                           \
    }

/* SVE2 has the same texts: what it adds serves no operation. */
#define STYLE                                                                                                \
    .name = "intrinsics", .summary = "One vector", .suffix = "_sve", .lanes = "svcntw()",                    \
    .wide_lanes = "svcntd()", .most_lanes = "64", .function = "static inline", .table = "static const",      \
    .opening = EXACT_CHECKS                                                                                  \
        "#if !defined(__ARM_FEATURE_SVE)\n"                                                                  \
        "#error \"this file is for SVE: compile it with -march=armv8-a+sve or better\"\n#endif\n\n"          \
        "#include <arm_sve.h>\n#include <math.h>\n#include <stddef.h>\n#include <stdint.h>\n",               \
    .closing = EXACT_END,                                                                                    \
    .type = {[LANE_F32] = "svfloat32_t",                                                                     \
             [LANE_F64] = "svfloat64_t",                                                                     \
             [LANE_I32] = "svuint32_t",                                                                      \
             [LANE_I64] = "svuint64_t",                                                                      \
             [LANE_TRUTH] = "svbool_t"},                                                                     \
    .wide_truth = "svbool_t", .joined_truth = "svuzp1_b32($A, $B)",                                          \
    .half_truth = "svunpklo_b($1)\nsvunpkhi_b($1)",                                                          \
    .any_truth = "svptest_any(" P32 ", $1)\nsvptest_any(" P64 ", $1)",                                       \
    .ending = {[LANE_F32] = "_svf32", [LANE_F64] = "_svf64"}, .endings = "_svf32 or <kernel>_svf64",         \
    .alone = {[LANE_F32] = "@alone_f32($v)", [LANE_F64] = "@alone_f64($v)"}, .compared = COMPARED_TEXTS,     \
    .ops = ops, .load = LOADS(P32, P64, P64), .store = STORES(P32, P64, P64),                                \
    .load_part = LOADS(PART, LOW_PART, HIGH_PART), .store_part = STORES(PART, LOW_PART, HIGH_PART),          \
    .lookups = lookups, .lookup_count = sizeof lookups / sizeof *lookups, .helpers = helpers,                \
    .helper_count = sizeof helpers / sizeof *helpers

const struct source_style source_sve = {.isa = "sve", STYLE};
const struct source_style source_sve2 = {.isa = "sve2", STYLE};
