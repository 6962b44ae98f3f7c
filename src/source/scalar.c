/* The style `scalar`: C99 without extensions. A value is one number. Lanes of f16, i16 and i8 are their bits
 * in a uint32_t. */
#include "checks.h"
#include "style.h"

#include "kinds.inc"
#define FLOATS(text)           BY_FLOAT(text, text)
#define ALL_FLOATS(text, half) BY_ANY_FLOAT(text, text, half)
#define ALL(text)              EACH_AND_BITS(text, text, text, text, text)
#define INTEGERS(text)         BY_ANY_INTEGER(text, text, "(" text ") & 0xffffu")

/* Computes in f32 and rounds to f16 (interp/interp_ops.c says why this rounds once). */
#define HALF_1(operation)       "@f16_of_f32(" operation "(@f32_of_f16($1)))"
#define HALF_2(operator)        "@f16_of_f32(@f32_of_f16($1) " operator" @f32_of_f16($2))"
#define HALF_COMPARED(operator) "@f32_of_f16($1) " operator" @f32_of_f16($2)"

static const struct source_op ops[LANE_OP_COUNT] = {
    [LANE_CONST] = ALL("$c"),
    [LANE_ADD] = ALL_FLOATS("$1 + $2", HALF_2("+")),
    [LANE_SUB] = ALL_FLOATS("$1 - $2", HALF_2("-")),
    [LANE_MUL] = ALL_FLOATS("$1 * $2", HALF_2("*")),
    [LANE_DIV] = ALL_FLOATS("$1 / $2", HALF_2("/")),
    [LANE_FMA] = BY_ANY_FLOAT(
        "fmaf($1, $2, $3)", "fma($1, $2, $3)",
        "@f16_of_f64((double)@f32_of_f16($1) * (double)@f32_of_f16($2) + (double)@f32_of_f16($3))"),
    [LANE_NEG] = ALL_FLOATS("-$1", "$1 ^ 0x8000u"),
    [LANE_ABS] = BY_ANY_FLOAT("fabsf($1)", "fabs($1)", "$1 & 0x7fffu"),
    [LANE_MIN] = ALL_FLOATS("$1 < $2 ? $1 : $2", HALF_COMPARED("<") " ? $1 : $2"),
    [LANE_MAX] = ALL_FLOATS("$1 > $2 ? $1 : $2", HALF_COMPARED(">") " ? $1 : $2"),
    [LANE_SQRT] = BY_ANY_FLOAT("sqrtf($1)", "sqrt($1)", HALF_1("sqrtf")),
    [LANE_EQ] = ALL_FLOATS("$1 == $2", HALF_COMPARED("==")),
    [LANE_LT] = ALL_FLOATS("$1 < $2", HALF_COMPARED("<")),
    [LANE_LE] = ALL_FLOATS("$1 <= $2", HALF_COMPARED("<=")),
    [LANE_ILT] = BY_ANY_INTEGER("(int32_t)$1 < (int32_t)$2", "(int64_t)$1 < (int64_t)$2",
                                "($1 ^ 0x8000u) < ($2 ^ 0x8000u)"),
    [LANE_MAND] = ONE(LANE_TRUTH, "$1 & $2"),
    [LANE_MOR] = ONE(LANE_TRUTH, "$1 | $2"),
    [LANE_MNOT] = ONE(LANE_TRUTH, "!$1"),
    [LANE_SELECT] = ALL("$1 ? $2 : $3"),
    [LANE_IADD] = INTEGERS("$1 + $2"),
    [LANE_ISUB] = INTEGERS("$1 - $2"),
    [LANE_IMUL] = INTEGERS("$1 * $2"),
    [LANE_IMULHI] = ONE(LANE_I32, "(uint32_t)((uint64_t)$1 * $2 >> 32)"),
    [LANE_IMIN] = BY_ANY_INTEGER("(int32_t)$1 < (int32_t)$2 ? $1 : $2", "(int64_t)$1 < (int64_t)$2 ? $1 : $2",
                                 "($1 ^ 0x8000u) < ($2 ^ 0x8000u) ? $1 : $2"),
    [LANE_AND] = INTEGERS("$1 & $2"),
    [LANE_OR] = INTEGERS("$1 | $2"),
    [LANE_XOR] = INTEGERS("$1 ^ $2"),
    [LANE_NOT] = INTEGERS("~$1"),
    [LANE_SHL] = INTEGERS("$1 << $n"),
    [LANE_SHR] = INTEGERS("$1 >> $n"),
    /* The shift of a negative number is arithmetic in every C compiler, and in C++20. */
    [LANE_SAR] = BY_ANY_INTEGER("(uint32_t)((int32_t)$1 >> $n)", "(uint64_t)((int64_t)$1 >> $n)",
                                "((($1 ^ 0x8000u) >> $n) - (0x8000u >> $n)) & 0xffffu"),
    [LANE_BITCAST] =
        EACH_AND_BITS("@bits_of_f32($1)", "@bits_of_f64($1)", "@f32_of_bits($1)", "@f64_of_bits($1)", "$1"),
    [LANE_I2F] = BY_INTEGER("(float)(int32_t)$1", "(double)(int64_t)$1"),
    [LANE_WIDEN] = ONE(LANE_F32, "(double)$1"),
    [LANE_NARROW] = ONE(LANE_F64, "(float)$1"),
    [LANE_IWIDEN] = ONE(LANE_I32, "(uint64_t)(int64_t)(int32_t)$1"),
    [LANE_INARROW] = ONE(LANE_I64, "(uint32_t)$1"),
    [LANE_LOOKUP] = {{[LANE_F32] = "$t[$1 & $k]",
                      [LANE_F64] = "$t[$1 & $k]",
                      [LANE_I32] = "$t[$1 & $k]",
                      [LANE_I64] = "$t[$1 & $k]",
                      [LANE_F16] = "$t[$1 & $k]",
                      [LANE_I16] = "$t[$1 & $k]",
                      [LANE_I8] = "(uint8_t)$t[$1 & $k]"}},
};

#define BITS(name, from, to)                                                                                 \
    {                                                                                                        \
        name, "static inline " to " $0(" from " x)\n{\n    " to " y;\n    memcpy(&y, &x, sizeof y);\n"       \
              "    return y;\n}\n"                                                                           \
    }

static const struct source_helper helpers[] = {
    COMPARED_HELPERS("static inline", "float", "double", "+m"),
    BITS("bits_of_f32", "float", "uint32_t"),
    BITS("f32_of_bits", "uint32_t", "float"),
    BITS("bits_of_f64", "double", "uint64_t"),
    BITS("f64_of_bits", "uint64_t", "double"),
    {"f2i_f32", "/* Rounds a number below 2^31 to an integer, ties to even. */\n"
                "static inline uint32_t $0(float x)\n{\n"
                "    return x >= -2147483648.0f && x < 2147483648.0f ? (uint32_t)(int32_t)@round_f32(x) : "
                "0x80000000u;\n}\n"},
    {"alone_f32", ALONE_MACRO "static inline float $0(float x)\n{\n    ACTGEN_ALONE(x);\n    return x;\n}\n"},
    {"alone_f64",
     ALONE_MACRO "static inline double $0(double x)\n{\n    ACTGEN_ALONE(x);\n    return x;\n}\n"},
};

const struct source_style source_scalar = {
    .name = "scalar",
    .summary = "One element",
    .suffix = "",
    .reads_tables = true,
    .function = "static inline",
    .table = "static const",
    .opening =
        EXACT_CHECKS "\n#include <math.h>\n#include <stddef.h>\n#include <stdint.h>\n#include <string.h>\n",
    .closing = EXACT_END,
    .type = {[LANE_F32] = "float",
             [LANE_F64] = "double",
             [LANE_I32] = "uint32_t",
             [LANE_I64] = "uint64_t",
             [LANE_F16] = "uint32_t",
             [LANE_I16] = "uint32_t",
             [LANE_I8] = "uint32_t",
             [LANE_TRUTH] = "int"},
    .any_truth = "$1",
    .ending = {[LANE_F32] = "_value",
               [LANE_F64] = "_value",
               [LANE_F16] = "_value",
               [LANE_I8] = "_value",
               [LANE_TRUTH] = "_value"},
    .endings = "_value",
    .alone = {[LANE_F32] = "@alone_f32($v)", [LANE_F64] = "@alone_f64($v)"},
    .compared = COMPARED_TEXTS,
    .ops = ops,
    .load = {[ELEMENT_F32] = "$e",
             [ELEMENT_F64] = "$e",
             [ELEMENT_F16] = "@f32_of_f16($e)",
             [ELEMENT_BF16] = "@f32_of_bf16($e)",
             [ELEMENT_E4M3] = "@f32_of_e4m3($e)",
             [ELEMENT_E5M2] = "@f32_of_e5m2($e)",
             [ELEMENT_I8] = "(float)$e",
             [ELEMENT_U8] = "(float)$e",
             [ELEMENT_U1] = "$e & 1"},
    .store = {[ELEMENT_F32] = "$e = $v",
              [ELEMENT_F64] = "$e = $v",
              [ELEMENT_F16] = "$e = (uint16_t)@f16_of_f32($v)",
              [ELEMENT_BF16] = "$e = (uint16_t)@bf16_of_f32($v)",
              [ELEMENT_E4M3] = "$e = (uint8_t)@e4m3_of_f32($v)",
              [ELEMENT_E5M2] = "$e = (uint8_t)@e5m2_of_f32($v)",
              [ELEMENT_I8] = "$e = (int8_t)(int32_t)@i8_of_f32($v)",
              [ELEMENT_U8] = "$e = (uint8_t)@u8_of_f32($v)",
              [ELEMENT_U1] = "$e = (uint8_t)($e | $v << j % 8)"},
    .load_bits = {[ELEMENT_F16] = "$e",
                  [ELEMENT_E4M3] = "$e",
                  [ELEMENT_E5M2] = "$e",
                  [ELEMENT_I8] = "(uint8_t)$e",
                  [ELEMENT_U8] = "$e"},
    .store_bits = {[ELEMENT_F16] = "$e = (uint16_t)$v",
                   [ELEMENT_E4M3] = "$e = (uint8_t)$v",
                   [ELEMENT_E5M2] = "$e = (uint8_t)$v",
                   [ELEMENT_I8] = "$e = (int8_t)(uint8_t)$v",
                   [ELEMENT_U8] = "$e = (uint8_t)$v"},
    .helpers = helpers,
    .helper_count = sizeof helpers / sizeof *helpers,
};
