/* The intrinsics of AVX-512: F, BW, CD, DQ and VL. Truth values are masks. */
#include "checks.h"
#include "style.h"

#define M             "_mm512_"
#define SI            "si512"
#define SET64         "_mm512_set1_epi64"
#define NEAREST       "_MM_FROUND_TO_NEAREST_INT | _MM_FROUND_NO_EXC"
#define COMPARED(how) BY_FLOAT("_mm512_cmp_ps_mask($1, $2, " how ")", "_mm512_cmp_pd_mask($1, $2, " how ")")
#define MASKED(text)  ONE(LANE_TRUTH, "(__mmask16)(" text ")\n(__mmask8)(" text ")")

#define SAR64 "_mm512_srai_epi64($1, $n)"
#include "x86.inc"

static const struct source_op ops[LANE_OP_COUNT] = {
#include "x86_rows.inc"
    [LANE_FMA] = BY_FLOAT("_mm512_fmadd_ps($1, $2, $3)", "_mm512_fmadd_pd($1, $2, $3)"),
    [LANE_ROUND] = BY_FLOAT("_mm512_roundscale_ps($1, " NEAREST ")", "_mm512_roundscale_pd($1, " NEAREST ")"),
    /* The instruction takes the floor of the exponent. */
    [LANE_SCALE2] = FLOATS("scalef"),
    [LANE_SCALE2_FLOOR] = FLOATS("scalef"),
    [LANE_EQ] = COMPARED("_CMP_EQ_OQ"),
    [LANE_LT] = COMPARED("_CMP_LT_OQ"),
    [LANE_LE] = COMPARED("_CMP_LE_OQ"),
    [LANE_ILT] = BY_INTEGER("_mm512_cmplt_epi32_mask($1, $2)", "_mm512_cmplt_epi64_mask($1, $2)"),
    [LANE_MAND] = MASKED("$1 & $2"),
    [LANE_MOR] = MASKED("$1 | $2"),
    [LANE_MNOT] = MASKED("~$1"),
    [LANE_SELECT] = EACH("_mm512_mask_blend_ps($1, $3, $2)", "_mm512_mask_blend_pd(%1, $3, $2)",
                         "_mm512_mask_blend_epi32($1, $3, $2)", "_mm512_mask_blend_epi64(%1, $3, $2)"),
    [LANE_IMUL] = INTEGERS("mullo"),
    [LANE_IMIN] = INTEGERS("min"),
    [LANE_WIDEN] = ONE(LANE_F32, "_mm512_cvtps_pd(_mm512_castps512_ps256($1))\n"
                                 "_mm512_cvtps_pd(_mm512_extractf32x8_ps($1, 1))"),
    [LANE_NARROW] = ONE(
        LANE_F64, "_mm512_insertf32x8(_mm512_castps256_ps512(_mm512_cvtpd_ps($A)), _mm512_cvtpd_ps($B), 1)"),
    [LANE_IWIDEN] = ONE(LANE_I32, "_mm512_cvtepi32_epi64(_mm512_castsi512_si256($1))\n"
                                  "_mm512_cvtepi32_epi64(_mm512_extracti64x4_epi64($1, 1))"),
    [LANE_INARROW] = ONE(LANE_I64, "_mm512_inserti64x4(_mm512_castsi256_si512(_mm512_cvtepi64_epi32($A)), "
                                   "_mm512_cvtepi64_epi32($B), 1)"),
    [LANE_LOOKUP] = EACH("_mm512_i32gather_ps(_mm512_and_si512($1, _mm512_set1_epi32($k)), $t, 4)",
                         "_mm512_i64gather_pd(_mm512_and_si512($1, _mm512_set1_epi64($k)), $t, 8)",
                         "_mm512_i32gather_epi32(_mm512_and_si512($1, _mm512_set1_epi32($k)), $t, 4)",
                         "_mm512_i64gather_epi64(_mm512_and_si512($1, _mm512_set1_epi64($k)), $t, 8)"),
    [LANE_F2I] = BY_FLOAT("_mm512_cvtps_epi32($1)", "_mm512_cvtpd_epi64($1)"),
    [LANE_I2F] = BY_INTEGER("_mm512_cvtepi32_ps($1)", "_mm512_cvtepi64_pd($1)"),
    [LANE_EXPONENT] = ONE(LANE_F32, "_mm512_getexp_ps($1)"),
    [LANE_SIGNIFICAND] = ONE(LANE_F32, "_mm512_getmant_ps($1, _MM_MANT_NORM_1_2, _MM_MANT_SIGN_nan)"),
    [LANE_TO_F16] = ONE(LANE_F32, "_mm512_cvtph_ps(_mm512_cvtps_ph($1, " NEAREST "))"),
};

static const struct source_lookup lookups[] = {
    {LANE_F32, 4, "_mm512_permutexvar_ps($1, _mm512_loadu_ps($t))"},
    {LANE_F32, 5, "_mm512_permutex2var_ps(_mm512_loadu_ps($t), $1, _mm512_loadu_ps($t + 16))"},
    {LANE_F32, 6, "@lookup_64($t, $1)"},
    {LANE_F32, 7, "@lookup_128($t, $1)"},
    {LANE_I32, 4, "_mm512_permutexvar_epi32($1, _mm512_loadu_si512($t))"},
    {LANE_I32, 5, "_mm512_permutex2var_epi32(_mm512_loadu_si512($t), $1, _mm512_loadu_si512($t + 16))"},
    {LANE_F64, 3, "_mm512_permutexvar_pd($1, _mm512_loadu_pd($t))"},
    {LANE_F64, 4, "_mm512_permutex2var_pd(_mm512_loadu_pd($t), $1, _mm512_loadu_pd($t + 8))"},
    {LANE_I64, 3, "_mm512_permutexvar_epi64($1, _mm512_loadu_si512($t))"},
    {LANE_I64, 4, "_mm512_permutex2var_epi64(_mm512_loadu_si512($t), $1, _mm512_loadu_si512($t + 8))"},
};

static const struct source_helper helpers[] = {
    COMPARED_HELPERS("static inline", "__m512", "__m512d", "+v"),
    IMULHI("__m512i"),
    ALONE("alone_f32", "__m512", "+v"),
    ALONE("alone_f64", "__m512d", "+v"),
    {"lookup_64",
     "static inline __m512 $0(const float *t, __m512i i)\n{\n"
     "    const __m512 low = _mm512_permutex2var_ps(_mm512_loadu_ps(t), i, _mm512_loadu_ps(t + 16));\n"
     "    const __m512 high = _mm512_permutex2var_ps(_mm512_loadu_ps(t + 32), i, _mm512_loadu_ps(t + 48));\n"
     "    return _mm512_mask_blend_ps(_mm512_test_epi32_mask(i, _mm512_set1_epi32(32)), low, high);\n}\n"},
    {"lookup_128", "static inline __m512 $0(const float *t, __m512i i)\n{\n"
                   "    const __mmask16 is_high = _mm512_test_epi32_mask(i, _mm512_set1_epi32(64));\n"
                   "    return _mm512_mask_blend_ps(is_high, @lookup_64(t, i), @lookup_64(t + 64, i));\n}\n"},
    {"mask", "static inline __mmask16 $0(size_t n)\n{\n    return (__mmask16)((1u << n) - 1);\n}\n"},
    {"load_u16",
     "static inline __m512i $0(const uint16_t *from)\n{\n"
     "    return _mm512_cvtepu16_epi32(_mm256_loadu_si256((const __m256i *)(const void *)from));\n}\n"},
    {"store_u16", "static inline void $0(uint16_t *to, __m512i x)\n{\n"
                  "    _mm256_storeu_si256((__m256i *)(void *)to, _mm512_cvtepi32_epi16(x));\n}\n"},
    {"load_u8", "static inline __m512i $0(const void *from)\n{\n"
                "    return _mm512_cvtepu8_epi32(_mm_loadu_si128((const __m128i *)from));\n}\n"},
    {"store_u8", "static inline void $0(void *to, __m512i x)\n{\n"
                 "    _mm_storeu_si128((__m128i *)to, _mm512_cvtepi32_epi8(x));\n}\n"},
    {"load_nibbles", "static inline __m512i $0(const void *from)\n{\n"
                     "    const __m512i x = _mm512_cvtepu8_epi64(_mm_loadl_epi64((const __m128i "
                     "*)from));\n" NIBBLES_OF_PAIRS},
    {"store_nibbles",
     "static inline void $0(void *to, __m512i x)\n{\n"
     "    _mm_storel_epi64((__m128i *)to, _mm512_cvtepi64_epi8(" PAIRS_OF_NIBBLES "));\n}\n"},
    {"to_high_half_by_sum_f32",
     "/* Rounds to the nearest bf16, in the high half. The low half of a NaN is 0. */\n"
     "static ACTGEN_INLINE __m512 $0(__m512 a)\n{\n"
     "    const __m512i bits = _mm512_castps_si512(a), below = _mm512_add_epi32(bits, "
     "_mm512_set1_epi32(0x7fff));\n"
     "    const __mmask16 is_odd = _mm512_test_epi32_mask(bits, _mm512_set1_epi32(0x10000));\n"
     "    return _mm512_castsi512_ps(_mm512_mask_add_epi32(below, is_odd, bits, "
     "_mm512_set1_epi32(0x8000)));\n}\n"},
    {"to_high_half_f32", "/* Rounds to the nearest bf16, in the high half. */\n"
                         "static ACTGEN_INLINE __m512 $0(__m512 a)\n{\n"
                         "    const __m512i sum = _mm512_castps_si512(@to_high_half_by_sum_f32(a));\n"
                         "    const __mmask16 is_nan = _mm512_cmp_ps_mask(a, a, _CMP_UNORD_Q);\n"
                         "    return _mm512_castsi512_ps(_mm512_mask_or_epi32(sum, is_nan, sum, "
                         "_mm512_set1_epi32(0x7fc00000)));\n}\n"},
    {"store_pairs",
     "static inline void $0(uint16_t *to, __m512 even, __m512 odd)\n{\n"
     "    const __m512i low = _mm512_srli_epi32(_mm512_castps_si512(even), 16);\n"
     "    _mm512_storeu_si512(to, _mm512_mask_blend_epi16(0xaaaaaaaa, low, _mm512_castps_si512(odd)));\n"
     "}\n"},
};

const struct source_style source_avx512 = {
    .name = "intrinsics",
    .isa = "avx512",
    .at_once = 4,
    .summary = "One vector",
    .suffix = "_avx512",
    .lanes = "16",
    .wide_lanes = "8",
    .function = "static inline",
    .value = "static ACTGEN_INLINE",
    .table = "static const",
    .opening = EXACT_CHECKS
    "#if !defined(__AVX512F__) || !defined(__AVX512BW__) || !defined(__AVX512DQ__) || "
    "!defined(__AVX512VL__)\n"
    "#error \"this file is for AVX-512: compile it with -march=x86-64-v4 or a processor that has it\"\n"
    "#endif\n\n"
    "#if defined(__GNUC__) && !defined(__clang__) /* Warnings of GCC's own header and its macros. */\n"
    "#pragma GCC diagnostic push\n#pragma GCC diagnostic ignored \"-Wsign-conversion\"\n"
    "#pragma GCC diagnostic ignored \"-Wuninitialized\"\n"
    "#pragma GCC diagnostic ignored \"-Wmaybe-uninitialized\"\n#endif\n"
    "#include <immintrin.h>\n#include <math.h>\n#include <stddef.h>\n#include <stdint.h>\n" INLINE_MACRO,
    .closing = "\n#if defined(__GNUC__) && !defined(__clang__)\n#pragma GCC diagnostic pop\n#endif" EXACT_END,
    .type = {[LANE_F32] = "__m512",
             [LANE_F64] = "__m512d",
             [LANE_I32] = "__m512i",
             [LANE_I64] = "__m512i",
             [LANE_TRUTH] = "__mmask16"},
    .masked_scale = "_mm512_mask_blend_ps((__mmask16)~$1, $2, $3)",
    .wide_truth = "__mmask8",
    .joined_truth = "(__mmask16)($A | $B << 8)",
    .half_truth = "(__mmask8)$1\n(__mmask8)($1 >> 8)",
    .any_truth = "$1 != 0",
    .ending = {[LANE_F32] = "_ps", [LANE_F64] = "_pd"},
    .endings = "_ps or <kernel>_pd",
    .alone = {[LANE_F32] = "@alone_f32($v)", [LANE_F64] = "@alone_f64($v)"},
    .compared = COMPARED_TEXTS,
    .ops = ops,
    .load = {[ELEMENT_F32] = "_mm512_loadu_ps($e)",
             [ELEMENT_F64] = "_mm512_loadu_pd($e)\n_mm512_loadu_pd($e + 8)",
             [ELEMENT_F16] = "_mm512_cvtph_ps(_mm256_loadu_si256((const __m256i *)(const void *)($e)))",
             [ELEMENT_BF16] = "@f32_of_bf16(@load_u16($e))",
             [ELEMENT_I32] = "_mm512_cvtepi32_ps(_mm512_loadu_si512($e))",
             BYTE_LOADS},
    .store = {[ELEMENT_F32] = "_mm512_storeu_ps($e, $v)",
              [ELEMENT_F64] = "_mm512_storeu_pd($e, $v)\n_mm512_storeu_pd($e + 8, $v)",
              [ELEMENT_F16] =
                  "_mm256_storeu_si256((__m256i *)(void *)($e), _mm512_cvtps_ph($v, " NEAREST "))",
              [ELEMENT_BF16] = "@store_u16($e, @bf16_of_f32($v))",
              BYTE_STORES},
    .load_part = {[ELEMENT_F32] = "_mm512_maskz_loadu_ps(@mask($n), $e)",
                  [ELEMENT_F64] = "_mm512_maskz_loadu_pd((__mmask8)@mask($n), $e)\n"
                                  "_mm512_maskz_loadu_pd((__mmask8)(@mask($n) >> 8), $e + 8)",
                  [ELEMENT_F16] = "_mm512_cvtph_ps(_mm256_maskz_loadu_epi16(@mask($n), $e))",
                  [ELEMENT_BF16] =
                      "@f32_of_bf16(_mm512_cvtepu16_epi32(_mm256_maskz_loadu_epi16(@mask($n), $e)))",
                  [ELEMENT_I32] = "_mm512_cvtepi32_ps(_mm512_maskz_loadu_epi32(@mask($n), $e))"},
    .store_part = {[ELEMENT_F32] = "_mm512_mask_storeu_ps($e, @mask($n), $v)",
                   [ELEMENT_F64] = "_mm512_mask_storeu_pd($e, (__mmask8)@mask($n), $v)\n"
                                   "_mm512_mask_storeu_pd($e + 8, (__mmask8)(@mask($n) >> 8), $v)",
                   [ELEMENT_F16] =
                       "_mm256_mask_storeu_epi16($e, @mask($n), _mm512_cvtps_ph($v, " NEAREST "))",
                   [ELEMENT_BF16] = "_mm256_mask_storeu_epi16($e, @mask($n), "
                                    "_mm512_cvtepi32_epi16(@bf16_of_f32($v)))"},
    .load_pair =
        {[ELEMENT_BF16] =
             "_mm512_castsi512_ps(_mm512_slli_epi32(_mm512_loadu_si512($e), 16))\n"
             "_mm512_castsi512_ps(_mm512_and_si512(_mm512_loadu_si512($e), _mm512_set1_epi32(-0x10000)))"},
    .store_pair = {[ELEMENT_BF16] = "@store_pairs($e, $A, $B)"},
    .lookups = lookups,
    .lookup_count = sizeof lookups / sizeof *lookups,
    .helpers = helpers,
    .helper_count = sizeof helpers / sizeof *helpers,
};
