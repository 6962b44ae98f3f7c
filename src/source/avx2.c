/* The intrinsics of AVX2, with FMA and F16C. Truth values are registers of floats with all bits or none. */
#include "checks.h"
#include "style.h"

#define M       "_mm256_"
#define SI      "si256"
#define SET64   "_mm256_set1_epi64x"
#define NEAREST "_MM_FROUND_TO_NEAREST_INT | _MM_FROUND_NO_EXC"
/* The masks of lanes of 8 bytes. */
#define LOW_MASK      "_mm256_cvtepi32_epi64(_mm256_castsi256_si128(@mask($n)))"
#define HIGH_MASK     "_mm256_cvtepi32_epi64(_mm256_extracti128_si256(@mask($n), 1))"
#define COMPARED(how) BY_FLOAT("_mm256_cmp_ps($1, $2, " how ")", "_mm256_cmp_pd($1, $2, " how ")")
#define PS(x)         "_mm256_castsi256_ps(" x ")"
#define PD(x)         "_mm256_castsi256_pd(" x ")"
/* Brings the even lanes of two registers of 4-byte lanes together. */
#define EVEN(a, b)                                                                                           \
    "_mm256_permute4x64_epi64(_mm256_castps_si256(_mm256_shuffle_ps(" a ", " b ", 0x88)), 0xd8)"

#define SAR64 SAR64_BY_SHR
#include "x86.inc"

static const struct source_op ops[LANE_OP_COUNT] = {
#include "x86_rows.inc"
    [LANE_FMA] = BY_FLOAT("_mm256_fmadd_ps($1, $2, $3)", "_mm256_fmadd_pd($1, $2, $3)"),
    [LANE_ROUND] = BY_FLOAT("_mm256_round_ps($1, " NEAREST ")", "_mm256_round_pd($1, " NEAREST ")"),
    [LANE_EQ] = COMPARED("_CMP_EQ_OQ"),
    [LANE_LT] = COMPARED("_CMP_LT_OQ"),
    [LANE_LE] = COMPARED("_CMP_LE_OQ"),
    [LANE_ILT] = BY_INTEGER(PS("_mm256_cmpgt_epi32($2, $1)"), PD("_mm256_cmpgt_epi64($2, $1)")),
    [LANE_MAND] = ONE(LANE_TRUTH, "_mm256_and_ps($1, $2)\n_mm256_and_pd($1, $2)"),
    [LANE_MOR] = ONE(LANE_TRUTH, "_mm256_or_ps($1, $2)\n_mm256_or_pd($1, $2)"),
    [LANE_MNOT] = ONE(LANE_TRUTH, "_mm256_xor_ps($1, " PS(ALL_BITS) ")\n_mm256_xor_pd($1, " PD(ALL_BITS) ")"),
    [LANE_SELECT] = EACH("_mm256_blendv_ps($3, $2, $1)", "_mm256_blendv_pd($3, $2, %1)",
                         "_mm256_castps_si256(_mm256_blendv_ps(" PS("$3") ", " PS("$2") ", $1))",
                         "_mm256_castpd_si256(_mm256_blendv_pd(" PD("$3") ", " PD("$2") ", %1))"),
    [LANE_IMUL] = ONE(LANE_I32, "_mm256_mullo_epi32($1, $2)"),
    [LANE_IMIN] = ONE(LANE_I32, "_mm256_min_epi32($1, $2)"),
    [LANE_F2I] = ONE(LANE_F32, "_mm256_cvtps_epi32($1)"),
    [LANE_I2F] = ONE(LANE_I32, "_mm256_cvtepi32_ps($1)"),
    [LANE_WIDEN] = ONE(LANE_F32, "_mm256_cvtps_pd(_mm256_castps256_ps128($1))\n"
                                 "_mm256_cvtps_pd(_mm256_extractf128_ps($1, 1))"),
    [LANE_NARROW] = ONE(
        LANE_F64, "_mm256_insertf128_ps(_mm256_castps128_ps256(_mm256_cvtpd_ps($A)), _mm256_cvtpd_ps($B), "
                  "1)"),
    [LANE_IWIDEN] = ONE(LANE_I32, "_mm256_cvtepi32_epi64(_mm256_castsi256_si128($1))\n"
                                  "_mm256_cvtepi32_epi64(_mm256_extracti128_si256($1, 1))"),
    [LANE_INARROW] = ONE(LANE_I64, EVEN(PS("$A"), PS("$B"))),
    [LANE_LOOKUP] = EACH(
        "_mm256_i32gather_ps($t, _mm256_and_si256($1, _mm256_set1_epi32($k)), 4)",
        "_mm256_i64gather_pd($t, _mm256_and_si256($1, _mm256_set1_epi64x($k)), 8)",
        "_mm256_i32gather_epi32((const int *)$t, _mm256_and_si256($1, _mm256_set1_epi32($k)), 4)",
        "_mm256_i64gather_epi64((const long long *)$t, _mm256_and_si256($1, _mm256_set1_epi64x($k)), 8)"),
    [LANE_TO_F16] = ONE(LANE_F32, "_mm256_cvtph_ps(_mm256_cvtps_ph($1, _MM_FROUND_TO_NEAREST_INT))"),
};

static const struct source_lookup lookups[] = {
    {LANE_F32, 3, "_mm256_permutevar8x32_ps(_mm256_loadu_ps($t), $1)"},
    {LANE_F32, 4, "@lookup_16($t, $1)"},
    {LANE_F32, 5, "@lookup_32($t, $1)"},
    {LANE_I32, 3, "_mm256_permutevar8x32_epi32(_mm256_loadu_si256((const __m256i *)(const void *)$t), $1)"},
};

static const struct source_helper helpers[] = {
    COMPARED_HELPERS("static inline", "__m256", "__m256d", "+x"),
    IMULHI("__m256i"),
    IMUL64("__m256i"),
    ALONE("alone_f32", "__m256", "+x"),
    ALONE("alone_f64", "__m256d", "+x"),
    {"lookup_16",
     "static inline __m256 $0(const float *t, __m256i i)\n{\n"
     "    const __m256 low = _mm256_permutevar8x32_ps(_mm256_loadu_ps(t), i);\n"
     "    const __m256 high = _mm256_permutevar8x32_ps(_mm256_loadu_ps(t + 8), i);\n"
     "    return _mm256_blendv_ps(low, high, _mm256_castsi256_ps(_mm256_slli_epi32(i, 28)));\n}\n"},
    {"lookup_32", "static inline __m256 $0(const float *t, __m256i i)\n{\n"
                  "    const __m256 is_high = _mm256_castsi256_ps(_mm256_slli_epi32(i, 27));\n"
                  "    return _mm256_blendv_ps(@lookup_16(t, i), @lookup_16(t + 16, i), is_high);\n}\n"},
    {"mask", "static inline __m256i $0(size_t n)\n{\n"
             "    const __m256i lanes = _mm256_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7);\n"
             "    return _mm256_cmpgt_epi32(_mm256_set1_epi32((int)n), lanes);\n}\n"},
    {"load_u16",
     "static inline __m256i $0(const uint16_t *from)\n{\n"
     "    return _mm256_cvtepu16_epi32(_mm_loadu_si128((const __m128i *)(const void *)from));\n}\n"},
    {"store_u16", "static inline void $0(uint16_t *to, __m256i x)\n{\n"
                  "    const __m256i pairs = _mm256_permute4x64_epi64(_mm256_packus_epi32(x, x), 0x08);\n"
                  "    _mm_storeu_si128((__m128i *)(void *)to, _mm256_castsi256_si128(pairs));\n}\n"},
    {"load_u8", "static inline __m256i $0(const void *from)\n{\n"
                "    return _mm256_cvtepu8_epi32(_mm_loadl_epi64((const __m128i *)from));\n}\n"},
    {"store_u8", "static inline void $0(void *to, __m256i x)\n{\n"
                 "    const __m256i own = _mm256_and_si256(x, _mm256_set1_epi32(0xff));\n"
                 "    const __m128i words = _mm256_castsi256_si128(\n"
                 "        _mm256_permute4x64_epi64(_mm256_packus_epi32(own, own), 0x08));\n"
                 "    _mm_storel_epi64((__m128i *)to, _mm_packus_epi16(words, words));\n}\n"},
    {"load_nibbles",
     "#include <string.h>\nstatic inline __m256i $0(const void *from)\n{\n"
     "    int32_t pairs;\n    memcpy(&pairs, from, sizeof pairs);\n"
     "    const __m256i x = _mm256_cvtepu8_epi64(_mm_cvtsi32_si128(pairs));\n" NIBBLES_OF_PAIRS},
    {"store_nibbles", "#include <string.h>\nstatic inline void $0(void *to, __m256i x)\n{\n"
                      "    const __m256i even = _mm256_setr_epi32(0, 2, 4, 6, 0, 2, 4, 6);\n"
                      "    const __m128i own = _mm256_castsi256_si128(\n"
                      "        _mm256_permutevar8x32_epi32(" PAIRS_OF_NIBBLES ", even));\n"
                      "    const __m128i words = _mm_packus_epi32(own, own);\n"
                      "    const int32_t pairs = _mm_cvtsi128_si32(_mm_packus_epi16(words, words));\n"
                      "    memcpy(to, &pairs, sizeof pairs);\n}\n"},
    {"to_high_half_f32",
     "/* Rounds to the nearest bf16, in the high half. */\n"
     "static inline __m256 $0(__m256 a)\n{\n"
     "    const __m256 nan = _mm256_castsi256_ps(_mm256_set1_epi32(0x7fc00000));\n"
     "    return _mm256_or_ps(@to_high_half_by_sum_f32(a), _mm256_and_ps(_mm256_cmp_ps(a, a, _CMP_UNORD_Q), "
     "nan));\n}\n"},
    {"store_pairs", "static inline void $0(uint16_t *to, __m256 even, __m256 odd)\n{\n"
                    "    const __m256i low = _mm256_srli_epi32(_mm256_castps_si256(even), 16);\n"
                    "    _mm256_storeu_si256((__m256i *)(void *)to, _mm256_blend_epi16(low, "
                    "_mm256_castps_si256(odd), 0xaa));\n"
                    "}\n"},
};

const struct source_style source_avx2 = {
    .name = "intrinsics",
    .isa = "avx2",
    .summary = "One vector",
    .suffix = "_avx2",
    .lanes = "8",
    .wide_lanes = "4",
    .at_once = 4,
    .function = "static inline",
    .value = "static ACTGEN_INLINE",
    .table = "static const",
    .opening = EXACT_CHECKS
    "#if !defined(__AVX2__) || (defined(__GNUC__) && (!defined(__FMA__) || !defined(__F16C__)))\n"
    "#error \"this file is for AVX2, FMA and F16C: compile it with -march=x86-64-v3 or better\"\n"
    "#endif\n\n#include <immintrin.h>\n#include <math.h>\n#include <stddef.h>\n#include "
    "<stdint.h>\n" INLINE_MACRO,
    .closing = EXACT_END,
    .type = {[LANE_F32] = "__m256",
             [LANE_F64] = "__m256d",
             [LANE_I32] = "__m256i",
             [LANE_I64] = "__m256i",
             [LANE_TRUTH] = "__m256"},
    .wide_truth = "__m256d",
    .joined_truth = PS(EVEN("_mm256_castpd_ps($A)", "_mm256_castpd_ps($B)")),
    .half_truth = PD("_mm256_cvtepi32_epi64(_mm256_castsi256_si128(_mm256_castps_si256($1)))") "\n" PD(
        "_mm256_cvtepi32_epi64(_mm256_extracti128_si256(_mm256_castps_si256($1), 1))"),
    .any_truth = "_mm256_movemask_ps($1) != 0\n_mm256_movemask_pd($1) != 0",
    .ending = {[LANE_F32] = "_ps", [LANE_F64] = "_pd"},
    .endings = "_ps or <kernel>_pd",
    .alone = {[LANE_F32] = "@alone_f32($v)", [LANE_F64] = "@alone_f64($v)"},
    .compared = COMPARED_TEXTS,
    .ops = ops,
    .load = {[ELEMENT_F32] = "_mm256_loadu_ps($e)",
             [ELEMENT_F64] = "_mm256_loadu_pd($e)\n_mm256_loadu_pd($e + 4)",
             [ELEMENT_F16] = "_mm256_cvtph_ps(_mm_loadu_si128((const __m128i *)(const void *)($e)))",
             [ELEMENT_BF16] = "@f32_of_bf16(@load_u16($e))",
             [ELEMENT_I32] = "_mm256_cvtepi32_ps(_mm256_loadu_si256((const __m256i *)(const void *)($e)))",
             BYTE_LOADS},
    .store = {[ELEMENT_F32] = "_mm256_storeu_ps($e, $v)",
              [ELEMENT_F64] = "_mm256_storeu_pd($e, $v)\n_mm256_storeu_pd($e + 4, $v)",
              [ELEMENT_F16] =
                  "_mm_storeu_si128((__m128i *)(void *)($e), _mm256_cvtps_ph($v, _MM_FROUND_TO_NEAREST_INT))",
              [ELEMENT_BF16] = "@store_u16($e, @bf16_of_f32($v))",
              BYTE_STORES},
    .load_part = {[ELEMENT_F32] = "_mm256_maskload_ps($e, @mask($n))",
                  [ELEMENT_F64] = "_mm256_maskload_pd($e, " LOW_MASK ")\n"
                                  "_mm256_maskload_pd($e + 4, " HIGH_MASK ")",
                  [ELEMENT_I32] = "_mm256_cvtepi32_ps(_mm256_maskload_epi32($e, @mask($n)))"},
    .store_part = {[ELEMENT_F32] = "_mm256_maskstore_ps($e, @mask($n), $v)",
                   [ELEMENT_F64] = "_mm256_maskstore_pd($e, " LOW_MASK ", $v)\n"
                                   "_mm256_maskstore_pd($e + 4, " HIGH_MASK ", $v)"},
    .load_pair =
        {[ELEMENT_BF16] =
             "_mm256_castsi256_ps(_mm256_slli_epi32(_mm256_loadu_si256((const __m256i *)(const void *)($e)), "
             "16))\n"
             "_mm256_castsi256_ps(_mm256_and_si256(_mm256_loadu_si256((const __m256i *)(const void *)($e)), "
             "_mm256_set1_epi32(-0x10000)))"},
    .store_pair = {[ELEMENT_BF16] = "@store_pairs($e, $A, $B)"},
    .lookups = lookups,
    .lookup_count = sizeof lookups / sizeof *lookups,
    .helpers = helpers,
    .helper_count = sizeof helpers / sizeof *helpers,
};
