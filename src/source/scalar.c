/* The style `scalar`: C99 without extensions. A value is one number. Lanes of f16, i16 and i8 are their bits
 * in a uint32_t. */
#include "checks.h"
#include "style.h"

#include "scalar.inc"

/* Computes in f32 and rounds to f16 (interp/interp_ops.c says why this rounds once). */
#define HALF_1(operation) "@f16_of_f32(" operation "(@f32_of_f16($1)))"
#define HALF_2(operator)  "@f16_of_f32(@f32_of_f16($1) " operator" @f32_of_f16($2))"

static const struct source_op ops[LANE_OP_COUNT] = {
#include "scalar_rows.inc"
    [LANE_ADD] = ALL_FLOATS("$1 + $2", HALF_2("+")),
    [LANE_SUB] = ALL_FLOATS("$1 - $2", HALF_2("-")),
    [LANE_MUL] = ALL_FLOATS("$1 * $2", HALF_2("*")),
    [LANE_DIV] = ALL_FLOATS("$1 / $2", HALF_2("/")),
    [LANE_FMA] = BY_ANY_FLOAT(
        "fmaf($1, $2, $3)", "fma($1, $2, $3)",
        "@f16_of_f64((double)@f32_of_f16($1) * (double)@f32_of_f16($2) + (double)@f32_of_f16($3))"),
    [LANE_SQRT] = BY_ANY_FLOAT("sqrtf($1)", "sqrt($1)", HALF_1("sqrtf")),
    [LANE_BITCAST] =
        EACH_AND_BITS("@bits_of_f32($1)", "@bits_of_f64($1)", "@f32_of_bits($1)", "@f64_of_bits($1)", "$1"),
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
    .any_truth = "$1",
    .alone = {[LANE_F32] = "@alone_f32($v)", [LANE_F64] = "@alone_f64($v)"},
    .compared = COMPARED_TEXTS,
    .ops = ops,
#include "scalar_elements.inc"
    .load[ELEMENT_U1] = "$e & 1",
    .store[ELEMENT_U1] = "$e = (uint8_t)($e | $v << j % 8)",
    .store[ELEMENT_E2M1] = "$e = (uint8_t)($e | @e2m1_of_f32($v) << j % 2 * 4)",
    .store[ELEMENT_I4] = "$e = (uint8_t)($e | @i4_of_f32($v) << j % 2 * 4)",
    .helpers = helpers,
    .helper_count = sizeof helpers / sizeof *helpers,
};
