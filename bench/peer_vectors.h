/* Vectors of f32 for peers that are written in them: AVX-512's if the file is compiled for it, otherwise
 * AVX2's. */
#ifndef ACTGEN_PEER_VECTORS_H
#define ACTGEN_PEER_VECTORS_H

#include <immintrin.h>
#include <stddef.h>

#if defined(__AVX512F__)
typedef __m512 vector;
enum { LANES = 16 };
#define V(name) _mm512_##name
static inline vector load_some(const float *x, size_t n)
{
    return _mm512_maskz_loadu_ps((__mmask16)((1u << n) - 1), x);
}
static inline void store_some(float *y, size_t n, vector v)
{
    _mm512_mask_storeu_ps(y, (__mmask16)((1u << n) - 1), v);
}
static inline vector where_positive(vector x, vector y, vector otherwise)
{
    return _mm512_mask_blend_ps(_mm512_cmp_ps_mask(x, _mm512_setzero_ps(), _CMP_GT_OQ), otherwise, y);
}
static inline vector negative_abs(vector x) { return _mm512_or_ps(x, _mm512_set1_ps(-0.0f)); }
/* Returns 2^(n - 127) for an integer n in the last bits. */
static inline vector power_of_bits(vector bits)
{
    return _mm512_castsi512_ps(_mm512_slli_epi32(_mm512_castps_si512(bits), 23));
}
#else
typedef __m256 vector;
enum { LANES = 8 };
#define V(name) _mm256_##name
static inline __m256i mask_of(size_t n)
{
    return _mm256_cmpgt_epi32(_mm256_set1_epi32((int)n), _mm256_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7));
}
static inline vector load_some(const float *x, size_t n) { return _mm256_maskload_ps(x, mask_of(n)); }
static inline void store_some(float *y, size_t n, vector v) { _mm256_maskstore_ps(y, mask_of(n), v); }
static inline vector where_positive(vector x, vector y, vector otherwise)
{
    return _mm256_blendv_ps(otherwise, y, _mm256_cmp_ps(x, _mm256_setzero_ps(), _CMP_GT_OQ));
}
static inline vector negative_abs(vector x) { return _mm256_or_ps(x, _mm256_set1_ps(-0.0f)); }
static inline vector power_of_bits(vector bits)
{
    return _mm256_castsi256_ps(_mm256_slli_epi32(_mm256_castps_si256(bits), 23));
}
#endif

static inline vector c(float value) { return V(set1_ps)(value); }
static inline vector add(vector a, vector b) { return V(add_ps)(a, b); }
static inline vector sub(vector a, vector b) { return V(sub_ps)(a, b); }
static inline vector mul(vector a, vector b) { return V(mul_ps)(a, b); }
static inline vector divide(vector a, vector b) { return V(div_ps)(a, b); }
static inline vector multiply_add(vector a, vector b, vector d) { return V(fmadd_ps)(a, b, d); }
static inline vector least(vector a, vector b) { return V(min_ps)(a, b); } /* b if one is NaN */
static inline vector most(vector a, vector b) { return V(max_ps)(a, b); }

/* Defines name_loop: full vectors, then one by masks. */
#define VECTOR_LOOP(name)                                                                                    \
    static void name##_loop(size_t n, const float *x, float *y)                                              \
    {                                                                                                        \
        size_t i = 0;                                                                                        \
        for (; i + LANES <= n; i += LANES) V(storeu_ps)(y + i, name(V(loadu_ps)(x + i)));                    \
        if (i < n) store_some(y + i, n - i, name(load_some(x + i, n - i)));                                  \
    }

/* Defines name_gate: the same, times the second array. */
#define VECTOR_GATE(name)                                                                                    \
    static void name##_gate(size_t n, const float *x, const float *up, float *y)                             \
    {                                                                                                        \
        size_t i = 0;                                                                                        \
        for (; i + LANES <= n; i += LANES)                                                                   \
            V(storeu_ps)(y + i, mul(name(V(loadu_ps)(x + i)), V(loadu_ps)(up + i)));                         \
        if (i < n) store_some(y + i, n - i, mul(name(load_some(x + i, n - i)), load_some(up + i, n - i)));   \
    }

#endif
