/* The intrinsics of SSE2, which every x86-64 has. Truth values are registers of floats with all bits or none.
 */
#include "checks.h"
#include "style.h"

#define M     "_mm_"
#define SI    "si128"
#define SET64 "_mm_set1_epi64x"
#define PS(x) "_mm_castsi128_ps(" x ")"
#define PD(x) "_mm_castsi128_pd(" x ")"
/* The bits of $2 where the truth value has ones, and of $3 elsewhere. */
#define CHOSEN(truth) "_mm_or_si128(_mm_and_si128(" truth ", $2), _mm_andnot_si128(" truth ", $3))"

#define SAR64 SAR64_BY_SHR
#include "x86.inc"

static const struct source_op ops[LANE_OP_COUNT] = {
#include "x86_rows.inc"
    [LANE_EQ] = FLOATS("cmpeq"),
    [LANE_LT] = FLOATS("cmplt"),
    [LANE_LE] = FLOATS("cmple"),
    [LANE_ILT] = ONE(LANE_I32, PS("_mm_cmplt_epi32($1, $2)")),
    [LANE_MAND] = ONE(LANE_TRUTH, "_mm_and_ps($1, $2)\n_mm_and_pd($1, $2)"),
    [LANE_MOR] = ONE(LANE_TRUTH, "_mm_or_ps($1, $2)\n_mm_or_pd($1, $2)"),
    [LANE_MNOT] = ONE(LANE_TRUTH, "_mm_xor_ps($1, " PS(ALL_BITS) ")\n_mm_xor_pd($1, " PD(ALL_BITS) ")"),
    [LANE_SELECT] = EACH("_mm_or_ps(_mm_and_ps($1, $2), _mm_andnot_ps($1, $3))",
                         "_mm_or_pd(_mm_and_pd(%1, $2), _mm_andnot_pd(%1, $3))",
                         CHOSEN("_mm_castps_si128($1)"), CHOSEN("_mm_castpd_si128(%1)")),
    [LANE_F2I] = ONE(LANE_F32, "_mm_cvtps_epi32($1)"),
    [LANE_I2F] = ONE(LANE_I32, "_mm_cvtepi32_ps($1)"),
    [LANE_WIDEN] = ONE(LANE_F32, "_mm_cvtps_pd($1)\n_mm_cvtps_pd(_mm_movehl_ps($1, $1))"),
    [LANE_NARROW] = ONE(LANE_F64, "_mm_movelh_ps(_mm_cvtpd_ps($A), _mm_cvtpd_ps($B))"),
    [LANE_IWIDEN] = ONE(LANE_I32, "_mm_unpacklo_epi32($1, _mm_srai_epi32($1, 31))\n"
                                  "_mm_unpackhi_epi32($1, _mm_srai_epi32($1, 31))"),
    [LANE_INARROW] = ONE(LANE_I64, "_mm_castps_si128(_mm_shuffle_ps(" PS("$A") ", " PS("$B") ", 0x88))"),
    [LANE_LOOKUP] = EACH("@lookup_f32($t, _mm_and_si128($1, _mm_set1_epi32($k)))",
                         "@lookup_f64($t, _mm_and_si128($1, _mm_set1_epi64x($k)))",
                         "@lookup_u32($t, _mm_and_si128($1, _mm_set1_epi32($k)))",
                         "@lookup_u64($t, _mm_and_si128($1, _mm_set1_epi64x($k)))"),
};

#define LOOKUP(name, type, entry, number, lanes, loaded)                                                     \
    {                                                                                                        \
        name, "static inline " type " $0(const " entry " *t, __m128i i)\n{\n    " number " k[" lanes "];\n"  \
              "    _mm_storeu_si128((__m128i *)(void *)k, i);\n    return " loaded ";\n}\n"                  \
    }

static const struct source_helper helpers[] = {
    COMPARED_HELPERS("static inline", "__m128", "__m128d", "+x"),
    IMULHI("__m128i"),
    IMUL64("__m128i"),
    {"imul_i32",
     "static inline __m128i $0(__m128i a, __m128i b)\n{\n"
     "    const __m128i even = _mm_mul_epu32(a, b);\n"
     "    const __m128i odd = _mm_mul_epu32(_mm_srli_epi64(a, 32), _mm_srli_epi64(b, 32));\n"
     "    return _mm_unpacklo_epi32(_mm_shuffle_epi32(even, 0x08), _mm_shuffle_epi32(odd, 0x08));\n"
     "}\n"},
    {"ilt_i64", "/* Compares high halves, and where they are equal the low ones. */\n"
                "static inline __m128d $0(__m128i a, __m128i b)\n{\n"
                "    const __m128i half = _mm_set_epi32(0, INT32_MIN, 0, INT32_MIN);\n"
                "    const __m128i low = _mm_cmplt_epi32(_mm_xor_si128(a, half), _mm_xor_si128(b, half));\n"
                "    const __m128i less = _mm_or_si128(_mm_cmplt_epi32(a, b),\n"
                "        _mm_and_si128(_mm_cmpeq_epi32(a, b), _mm_shuffle_epi32(low, 0xa0)));\n"
                "    return _mm_castsi128_pd(_mm_shuffle_epi32(less, 0xf5));\n}\n"},
    LOOKUP("lookup_f32", "__m128", "float", "uint32_t", "4",
           "_mm_setr_ps(t[k[0]], t[k[1]], t[k[2]], t[k[3]])"),
    LOOKUP("lookup_f64", "__m128d", "double", "uint64_t", "2", "_mm_setr_pd(t[k[0]], t[k[1]])"),
    LOOKUP("lookup_u32", "__m128i", "uint32_t", "uint32_t", "4",
           "_mm_setr_epi32((int)t[k[0]], (int)t[k[1]], (int)t[k[2]], (int)t[k[3]])"),
    LOOKUP("lookup_u64", "__m128i", "uint64_t", "uint64_t", "2",
           "_mm_set_epi64x((long long)t[k[1]], (long long)t[k[0]])"),
    ALONE("alone_f32", "__m128", "+x"),
    ALONE("alone_f64", "__m128d", "+x"),
    {"to_high_half_f32",
     "/* Rounds to the nearest bf16, in the high half. */\n"
     "static inline __m128 $0(__m128 a)\n{\n"
     "    const __m128 nan = _mm_castsi128_ps(_mm_set1_epi32(0x7fc00000));\n"
     "    return _mm_or_ps(@to_high_half_by_sum_f32(a), _mm_and_ps(_mm_cmpunord_ps(a, a), nan));\n}\n"},
    {"load_u16", "static inline __m128i $0(const uint16_t *from)\n{\n"
                 "    return _mm_unpacklo_epi16(_mm_loadl_epi64((const __m128i *)(const void *)from), "
                 "_mm_setzero_si128());\n}\n"},
    {"load_u8", "#include <string.h>\nstatic inline __m128i $0(const void *from)\n{\n"
                "    int32_t bytes;\n    memcpy(&bytes, from, sizeof bytes);\n"
                "    const __m128i zero = _mm_setzero_si128(), x = _mm_cvtsi32_si128(bytes);\n"
                "    return _mm_unpacklo_epi16(_mm_unpacklo_epi8(x, zero), zero);\n}\n"},
    {"store_u8", "#include <string.h>\nstatic inline void $0(void *to, __m128i x)\n{\n"
                 "    const __m128i own = _mm_and_si128(x, _mm_set1_epi32(0xff)), words = "
                 "_mm_packs_epi32(own, own);\n"
                 "    const int32_t bytes = _mm_cvtsi128_si32(_mm_packus_epi16(words, words));\n"
                 "    memcpy(to, &bytes, sizeof bytes);\n}\n"},
    {"load_nibbles", "static inline __m128i $0(const void *from)\n{\n"
                     "    const uint8_t *pairs = (const uint8_t *)from;\n"
                     "    const __m128i x = _mm_set_epi64x(pairs[1], pairs[0]);\n" NIBBLES_OF_PAIRS},
    {"store_nibbles", "static inline void $0(void *to, __m128i x)\n{\n"
                      "    uint8_t *pairs = (uint8_t *)to;\n"
                      "    const __m128i own = " PAIRS_OF_NIBBLES ";\n"
                      "    pairs[0] = (uint8_t)_mm_cvtsi128_si32(own);\n"
                      "    pairs[1] = (uint8_t)_mm_cvtsi128_si32(_mm_srli_si128(own, 8));\n}\n"},
    {"store_u16", "static inline void $0(uint16_t *to, __m128i x)\n{\n"
                  "    const __m128i words = _mm_srai_epi32(_mm_slli_epi32(x, 16), 16);\n"
                  "    _mm_storel_epi64((__m128i *)(void *)to, _mm_packs_epi32(words, words));\n}\n"},
};

const struct source_style source_sse2 = {
    .name = "intrinsics",
    .isa = "x86-64",
    .summary = "One vector",
    .suffix = "_sse2",
    .lanes = "4",
    .wide_lanes = "2",
    .function = "static inline",
    .value = "static ACTGEN_INLINE",
    .table = "static const",
    .opening = EXACT_CHECKS
    "\n#include <emmintrin.h>\n#include <math.h>\n#include <stddef.h>\n#include <stdint.h>\n" INLINE_MACRO,
    .closing = EXACT_END,
    .type = {[LANE_F32] = "__m128",
             [LANE_F64] = "__m128d",
             [LANE_I32] = "__m128i",
             [LANE_I64] = "__m128i",
             [LANE_TRUTH] = "__m128"},
    .wide_truth = "__m128d",
    .joined_truth = "_mm_shuffle_ps(_mm_castpd_ps($A), _mm_castpd_ps($B), 0x88)",
    .half_truth = "_mm_castps_pd(_mm_unpacklo_ps($1, $1))\n_mm_castps_pd(_mm_unpackhi_ps($1, $1))",
    .any_truth = "_mm_movemask_ps($1) != 0\n_mm_movemask_pd($1) != 0",
    .ending = {[LANE_F32] = "_ps", [LANE_F64] = "_pd"},
    .endings = "_ps or <kernel>_pd",
    .alone = {[LANE_F32] = "@alone_f32($v)", [LANE_F64] = "@alone_f64($v)"},
    .compared = COMPARED_TEXTS,
    .ops = ops,
    .load = {[ELEMENT_F32] = "_mm_loadu_ps($e)",
             [ELEMENT_F64] = "_mm_loadu_pd($e)\n_mm_loadu_pd($e + 2)",
             [ELEMENT_F16] = "@f32_of_f16(@load_u16($e))",
             [ELEMENT_BF16] = "@f32_of_bf16(@load_u16($e))",
             [ELEMENT_I32] = "_mm_cvtepi32_ps(_mm_loadu_si128((const __m128i *)(const void *)($e)))",
             BYTE_LOADS},
    .store = {[ELEMENT_F32] = "_mm_storeu_ps($e, $v)",
              [ELEMENT_F64] = "_mm_storeu_pd($e, $v)\n_mm_storeu_pd($e + 2, $v)",
              [ELEMENT_F16] = "@store_u16($e, @f16_of_f32($v))",
              [ELEMENT_BF16] = "@store_u16($e, @bf16_of_f32($v))",
              BYTE_STORES},
    .helpers = helpers,
    .helper_count = sizeof helpers / sizeof *helpers,
};
