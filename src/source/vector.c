/* The style `vector`: the vector extensions of GCC and Clang, which every processor has. A value is one
 * vector. ACTGEN_LANES is the number of its lanes, as wide as the processor's registers unless the user says
 * another power of two. Lanes of f16, i16 and i8 are their bits in a uint32_t. Truth values are -1 or 0. */
#include "checks.h"
#include "style.h"

#include "kinds.inc"
#define FLOATS(text)           BY_FLOAT(text, text)
#define ALL_FLOATS(text, half) BY_ANY_FLOAT(text, text, half)
#define INTEGERS(text)         BY_ANY_INTEGER(text, text, "(" text ") & 0xffffu")

#define COMPARED(operator)                                                                                   \
    BY_ANY_FLOAT(TRUTH("$1 " operator" $2"), NARROW_TRUTH("$1 " operator" $2"),                              \
                 TRUTH("@f32_of_f16($1) " operator" @f32_of_f16($2)"))

#define TRUTH(text)        "(actgen_i32v)(" text ")"
#define NARROW_TRUTH(text) "__builtin_convertvector(" text ", actgen_i32v)"
#define HALF(text)         "@f16_of_f32(" text ")"

static const struct source_op ops[LANE_OP_COUNT] = {
    [LANE_CONST] = EACH_AND_BITS("@splat_f32($c)", "@splat_f64($c)", "@splat_u32($c)", "@splat_u64($c)",
                                 "@splat_u32($c)"),
    [LANE_ADD] = ALL_FLOATS("$1 + $2", HALF("@f32_of_f16($1) + @f32_of_f16($2)")),
    [LANE_SUB] = ALL_FLOATS("$1 - $2", HALF("@f32_of_f16($1) - @f32_of_f16($2)")),
    [LANE_MUL] = ALL_FLOATS("$1 * $2", HALF("@f32_of_f16($1) * @f32_of_f16($2)")),
    [LANE_DIV] = ALL_FLOATS("$1 / $2", HALF("@f32_of_f16($1) / @f32_of_f16($2)")),
    [LANE_FMA] = BY_ANY_FLOAT("@fma_f32($1, $2, $3)", "@fma_f64($1, $2, $3)",
                              "@f16_of_f64(@f64_of_f16($1) * @f64_of_f16($2) + @f64_of_f16($3))"),
    [LANE_NEG] = ALL_FLOATS("-$1", "$1 ^ 0x8000u"),
    [LANE_ABS] =
        BY_ANY_FLOAT("(actgen_f32v)((actgen_u32v)$1 & 0x7fffffffu)",
                     "(actgen_f64v)((actgen_u64v)$1 & UINT64_C(0x7fffffffffffffff))", "$1 & 0x7fffu"),
    [LANE_MIN] = BY_ANY_FLOAT("@select_f32($1 < $2, $1, $2)", "@choose_f64($1 < $2, $1, $2)",
                              "@select_u32(" TRUTH("@f32_of_f16($1) < @f32_of_f16($2)") ", $1, $2)"),
    [LANE_MAX] = BY_ANY_FLOAT("@select_f32($1 > $2, $1, $2)", "@choose_f64($1 > $2, $1, $2)",
                              "@select_u32(" TRUTH("@f32_of_f16($1) > @f32_of_f16($2)") ", $1, $2)"),
    [LANE_SQRT] = BY_ANY_FLOAT("@sqrt_f32($1)", "@sqrt_f64($1)", HALF("@sqrt_f32(@f32_of_f16($1))")),
    [LANE_EQ] = COMPARED("=="),
    [LANE_LT] = COMPARED("<"),
    [LANE_LE] = COMPARED("<="),
    [LANE_ILT] = BY_ANY_INTEGER(TRUTH("(actgen_i32v)$1 < (actgen_i32v)$2"),
                                NARROW_TRUTH("(actgen_i64v)$1 < (actgen_i64v)$2"),
                                TRUTH("($1 ^ 0x8000u) < ($2 ^ 0x8000u)")),
    [LANE_MAND] = ONE(LANE_TRUTH, "$1 & $2"),
    [LANE_MOR] = ONE(LANE_TRUTH, "$1 | $2"),
    [LANE_MNOT] = ONE(LANE_TRUTH, "~$1"),
    [LANE_SELECT] =
        EACH_AND_BITS("@select_f32($1, $2, $3)", "@select_f64($1, $2, $3)", "@select_u32($1, $2, $3)",
                      "@select_u64($1, $2, $3)", "@select_u32($1, $2, $3)"),
    [LANE_IADD] = INTEGERS("$1 + $2"),
    [LANE_ISUB] = INTEGERS("$1 - $2"),
    [LANE_IMUL] = INTEGERS("$1 * $2"),
    [LANE_IMULHI] = ONE(LANE_I32, "__builtin_convertvector(__builtin_convertvector($1, actgen_u64v) * "
                                  "__builtin_convertvector($2, actgen_u64v) >> 32, actgen_u32v)"),
    [LANE_IMIN] = ONE(LANE_I16, "@select_u32(" TRUTH("($1 ^ 0x8000u) < ($2 ^ 0x8000u)") ", $1, $2)"),
    [LANE_AND] = INTEGERS("$1 & $2"),
    [LANE_OR] = INTEGERS("$1 | $2"),
    [LANE_XOR] = INTEGERS("$1 ^ $2"),
    [LANE_NOT] = INTEGERS("~$1"),
    [LANE_SHL] = INTEGERS("$1 << $n"),
    [LANE_SHR] = INTEGERS("$1 >> $n"),
    [LANE_SAR] =
        BY_ANY_INTEGER("(actgen_u32v)((actgen_i32v)$1 >> $n)", "(actgen_u64v)((actgen_i64v)$1 >> $n)",
                       "((($1 ^ 0x8000u) >> $n) - (0x8000u >> $n)) & 0xffffu"),
    [LANE_BITCAST] =
        EACH_AND_BITS("(actgen_u32v)$1", "(actgen_u64v)$1", "(actgen_f32v)$1", "(actgen_f64v)$1", "$1"),
    [LANE_I2F] = ONE(LANE_I32, "__builtin_convertvector((actgen_i32v)$1, actgen_f32v)"),
    [LANE_WIDEN] = ONE(LANE_F32, "__builtin_convertvector($1, actgen_f64v)"),
    [LANE_NARROW] = ONE(LANE_F64, "__builtin_convertvector($1, actgen_f32v)"),
    [LANE_IWIDEN] = ONE(LANE_I32, "(actgen_u64v)__builtin_convertvector((actgen_i32v)$1, actgen_i64v)"),
    [LANE_INARROW] = ONE(LANE_I64, "__builtin_convertvector($1, actgen_u32v)"),
    [LANE_LOOKUP] = {{[LANE_F32] = "@lookup_f32($t, $1 & $k)",
                      [LANE_F64] = "@lookup_f64($t, $1 & $k)",
                      [LANE_I32] = "@lookup_u32($t, $1 & $k)",
                      [LANE_I64] = "@lookup_u64($t, $1 & $k)",
                      [LANE_F16] = "@lookup_u16($t, $1 & $k)",
                      [LANE_I16] = "@lookup_u16($t, $1 & $k)",
                      [LANE_I8] = "@lookup_u8($t, $1 & $k)"}},
};

/* Helpers of a kind, by the name of the type. */
#define SPLAT(type, number, operator)                                                                        \
    {                                                                                                        \
        "splat_" type, "static ACTGEN_INLINE actgen_" type "v $0(" number " x) "                             \
                       "{ const actgen_" type "v zero = {0}; return x "                                      \
                       operator" zero; }\n"                                                                  \
    }
#define SELECT(type, truth, bits)                                                                            \
    {                                                                                                        \
        "select_" type, "static ACTGEN_INLINE actgen_" type "v $0(actgen_i32v truth, actgen_" type           \
                        "v a, actgen_" type "v b)\n{\n"                                                      \
                        "    const actgen_" bits "v own = (actgen_" bits "v)" truth ";\n"                    \
                        "    return (actgen_" type "v)((own & (actgen_" bits "v)a) | (~own & (actgen_" bits  \
                        "v)b));\n}\n"                                                                        \
    }
#define LOOP(type, name, parameters, expression)                                                             \
    {                                                                                                        \
        name, "static ACTGEN_INLINE actgen_" type "v $0(" parameters ")\n{\n    actgen_" type "v y;\n"       \
              "    for (int k = 0; k < ACTGEN_LANES; k++) y[k] = " expression ";\n    return y;\n}\n"        \
    }
#define LOOKUP(type, lanes, index, entry)                                                                    \
    LOOP(lanes, "lookup_" type, "const " entry " *table, actgen_" index "v i", "table[i[k]]")
#define LOAD(name, type, own, result)                                                                        \
    {                                                                                                        \
        "load_" name, "static ACTGEN_INLINE actgen_" type "v $0(const void *from) "                          \
                      "{ actgen_" own "v x; memcpy(&x, from, sizeof x); return " result "; }\n"              \
    }
#define STORE(name, type, own, stored)                                                                       \
    {                                                                                                        \
        "store_" name, "static ACTGEN_INLINE void $0(void *to, actgen_" type "v x) "                         \
                       "{ const actgen_" own "v y = " stored "; memcpy(to, &y, sizeof y); }\n"               \
    }

/* Helpers for two elements in each byte. */
#define NIBBLES(name, signature, body)                                                                       \
    {                                                                                                        \
        name, "static ACTGEN_INLINE " signature "\n{\n"                                                      \
              "    typedef uint8_t half __attribute__((vector_size(ACTGEN_LANES / 2)));\n"                   \
              "    typedef uint16_t pairs __attribute__((vector_size(ACTGEN_LANES)));\n" body "}\n"          \
    }

static const struct source_helper helpers[] = {
    COMPARED_HELPERS("static ACTGEN_INLINE", "actgen_f32v", "actgen_f64v", "+m"),
    SPLAT("f32", "float", "-"),
    SPLAT("f64", "double", "-"),
    SPLAT("u32", "uint32_t", "^"),
    SPLAT("u64", "uint64_t", "^"),
    SELECT("f32", "truth", "u32"),
    SELECT("u32", "truth", "u32"),
    SELECT("f64", "__builtin_convertvector(truth, actgen_i64v)", "u64"),
    SELECT("u64", "__builtin_convertvector(truth, actgen_i64v)", "u64"),
    {"choose_f64", "static ACTGEN_INLINE actgen_f64v $0(actgen_i64v truth, actgen_f64v a, actgen_f64v b)\n{\n"
                   "    return (actgen_f64v)((truth & (actgen_i64v)a) | (~truth & (actgen_i64v)b));\n}\n"},
    LOOP("f32", "fma_f32", "actgen_f32v a, actgen_f32v b, actgen_f32v c", "__builtin_fmaf(a[k], b[k], c[k])"),
    LOOP("f64", "fma_f64", "actgen_f64v a, actgen_f64v b, actgen_f64v c", "__builtin_fma(a[k], b[k], c[k])"),
    LOOP("f32", "sqrt_f32", "actgen_f32v x", "__builtin_sqrtf(x[k])"),
    LOOP("f64", "sqrt_f64", "actgen_f64v x", "__builtin_sqrt(x[k])"),
    LOOKUP("f32", "f32", "u32", "float"),
    LOOKUP("f64", "f64", "u64", "double"),
    LOOKUP("u32", "u32", "u32", "uint32_t"),
    LOOKUP("u64", "u64", "u64", "uint64_t"),
    LOOKUP("u16", "u32", "u32", "uint16_t"),
    LOOP("u32", "lookup_u8", "const void *table, actgen_u32v i", "((const uint8_t *)table)[i[k]]"),
    {"is_any", "static ACTGEN_INLINE int $0(actgen_i32v x)\n{\n    int32_t y = 0;\n"
               "    for (int k = 0; k < ACTGEN_LANES; k++) y |= x[k];\n    return y != 0;\n}\n"},
    {"f64_of_f16", "static ACTGEN_INLINE actgen_f64v $0(actgen_u32v x)\n{\n"
                   "    return __builtin_convertvector(@f32_of_f16(x), actgen_f64v);\n}\n"},
    LOAD("f32", "f32", "f32", "x"),
    LOAD("f64", "f64", "f64", "x"),
    LOAD("i32", "f32", "i32", "__builtin_convertvector(x, actgen_f32v)"),
    LOAD("u16", "u32", "u16", "__builtin_convertvector(x, actgen_u32v)"),
    LOAD("u8", "u32", "u8", "__builtin_convertvector(x, actgen_u32v)"),
    STORE("f32", "f32", "f32", "x"),
    STORE("f64", "f64", "f64", "x"),
    STORE("u16", "u32", "u16", "__builtin_convertvector(x, actgen_u16v)"),
    STORE("u8", "u32", "u8", "__builtin_convertvector(x, actgen_u8v)"),
    NIBBLES("load_nibbles", "actgen_u32v $0(const void *from)",
            "    half x;\n    memcpy(&x, from, sizeof x);\n"
            "    pairs w = __builtin_convertvector(x, pairs);\n"
            "#if __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__\n    w = w | w << 4;\n"
            "#else\n    w = w << 8 | w >> 4;\n#endif\n"
            "    return __builtin_convertvector((actgen_u8v)(w & 0x0f0f), actgen_u32v);\n"),
    NIBBLES("store_nibbles", "void $0(void *to, actgen_u32v y)",
            "    pairs w = (pairs)__builtin_convertvector(y, actgen_u8v);\n"
            "#if __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__\n    w = w | w >> 4;\n"
            "#else\n    w = w >> 8 | w << 4;\n#endif\n"
            "    const half x = __builtin_convertvector(w & 0xff, half);\n    memcpy(to, &x, sizeof x);\n"),
    ALONE_VECTOR("f32"),
    ALONE_VECTOR("f64"),
};

static const char opening[] = EXACT_OPTIONS
    "#if defined(__clang__)\n" EXACT_CLANG "#elif !defined(__GNUC__)\n"
    "#error \"these are vector extensions of GCC and Clang; actgen's style `scalar` is for all compilers\"\n"
    "#endif\n\n"
    "#include <math.h>\n#include <stddef.h>\n#include <stdint.h>\n#include <string.h>\n\n"
    "#if defined(ACTGEN_LANES) /* The lanes of a vector of f32. Any power of two is right. */\n"
    "#elif defined(__AVX512F__)\n#define ACTGEN_LANES 16\n"
    "#elif defined(__AVX__)\n#define ACTGEN_LANES 8\n"
    "#else\n#define ACTGEN_LANES 4\n#endif\n\n"
    "#ifndef ACTGEN_VECTORS\n#define ACTGEN_VECTORS\n"
    "typedef float actgen_f32v __attribute__((vector_size(4 * ACTGEN_LANES)));\n"
    "typedef double actgen_f64v __attribute__((vector_size(8 * ACTGEN_LANES)));\n"
    "typedef uint8_t actgen_u8v __attribute__((vector_size(ACTGEN_LANES)));\n"
    "typedef uint16_t actgen_u16v __attribute__((vector_size(2 * ACTGEN_LANES)));\n"
    "typedef uint32_t actgen_u32v __attribute__((vector_size(4 * ACTGEN_LANES)));\n"
    "typedef uint64_t actgen_u64v __attribute__((vector_size(8 * ACTGEN_LANES)));\n"
    "typedef int32_t actgen_i32v __attribute__((vector_size(4 * ACTGEN_LANES)));\n"
    "typedef int64_t actgen_i64v __attribute__((vector_size(8 * ACTGEN_LANES)));\n#endif\n\n"
    "/* Warnings of vectors as parameters are off: inlined functions pass none. GCC warns at the end. */\n"
    "#ifndef ACTGEN_INLINE\n#define ACTGEN_INLINE inline __attribute__((always_inline))\n#endif\n"
    "#pragma GCC diagnostic ignored \"-Wpsabi\"\n";

const struct source_style source_vector = {
    .name = "vector",
    .summary = "One vector",
    .suffix = "_v",
    .lanes = "ACTGEN_LANES",
    .wide_lanes = "ACTGEN_LANES",
    .function = "static ACTGEN_INLINE",
    .table = "static const",
    .opening = opening,
    .closing = "\n#if defined(__clang__)\n" EXACT_CLANG_END "#endif\n",
    .type = {[LANE_F32] = "actgen_f32v",
             [LANE_F64] = "actgen_f64v",
             [LANE_I32] = "actgen_u32v",
             [LANE_I64] = "actgen_u64v",
             [LANE_F16] = "actgen_u32v",
             [LANE_I16] = "actgen_u32v",
             [LANE_I8] = "actgen_u32v",
             [LANE_TRUTH] = "actgen_i32v"},
    .any_truth = "@is_any($1)",
    .ending = {[LANE_F32] = "_vector",
               [LANE_F64] = "_vector",
               [LANE_F16] = "_vector",
               [LANE_I8] = "_vector",
               [LANE_TRUTH] = "_vector"},
    .endings = "_vector",
    .alone = {[LANE_F32] = "@alone_f32($v)", [LANE_F64] = "@alone_f64($v)"},
    .compared = COMPARED_TEXTS,
    .ops = ops,
    .load = {[ELEMENT_F32] = "@load_f32($e)",
             [ELEMENT_F64] = "@load_f64($e)",
             [ELEMENT_F16] = "@f32_of_f16(@load_u16($e))",
             [ELEMENT_BF16] = "@f32_of_bf16(@load_u16($e))",
             [ELEMENT_E4M3] = "@f32_of_e4m3(@load_u8($e))",
             [ELEMENT_E5M2] = "@f32_of_e5m2(@load_u8($e))",
             [ELEMENT_I8] = "@f32_of_i8(@load_u8($e))",
             [ELEMENT_U8] = "@f32_of_u8(@load_u8($e))",
             [ELEMENT_I32] = "@load_i32($e)",
             [ELEMENT_E8M0] = "@f32_of_e8m0(@load_u8($e))",
             [ELEMENT_E2M1] = "@f32_of_e2m1(@load_nibbles($e))",
             [ELEMENT_I4] = "@f32_of_i4(@load_nibbles($e))"},
    .store = {[ELEMENT_F32] = "@store_f32($e, $v)",
              [ELEMENT_F64] = "@store_f64($e, $v)",
              [ELEMENT_F16] = "@store_u16($e, @f16_of_f32($v))",
              [ELEMENT_BF16] = "@store_u16($e, @bf16_of_f32($v))",
              [ELEMENT_E4M3] = "@store_u8($e, @e4m3_of_f32($v))",
              [ELEMENT_E5M2] = "@store_u8($e, @e5m2_of_f32($v))",
              [ELEMENT_I8] = "@store_u8($e, @i8_of_f32($v))",
              [ELEMENT_U8] = "@store_u8($e, @u8_of_f32($v))",
              [ELEMENT_E8M0] = "@store_u8($e, @e8m0_of_f32($v))",
              [ELEMENT_E2M1] = "@store_nibbles($e, @e2m1_of_f32($v))",
              [ELEMENT_I4] = "@store_nibbles($e, @i4_of_f32($v))"},
    .load_bits = {[ELEMENT_F16] = "@load_u16($e)",
                  [ELEMENT_E4M3] = "@load_u8($e)",
                  [ELEMENT_E5M2] = "@load_u8($e)",
                  [ELEMENT_I8] = "@load_u8($e)",
                  [ELEMENT_U8] = "@load_u8($e)"},
    .store_bits = {[ELEMENT_F16] = "@store_u16($e, $v)",
                   [ELEMENT_E4M3] = "@store_u8($e, $v)",
                   [ELEMENT_E5M2] = "@store_u8($e, $v)",
                   [ELEMENT_I8] = "@store_u8($e, $v)",
                   [ELEMENT_U8] = "@store_u8($e, $v)"},
    .helpers = helpers,
    .helper_count = sizeof helpers / sizeof *helpers,
};
