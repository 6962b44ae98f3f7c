/* gelu by intrinsics, as a programmer would write actgen's plan for abs 2^-22: constants in registers before
 * the loop, one vector per iteration, the rest by a mask. The arithmetic is alike, so this shows what
 * actgen's call of few elements costs.
 *
 * Numbers and tables are those of `actgen show gelu --accuracy "abs 2^-22" --isa avx512 --stage lane`, and of
 * --isa avx2. */
#include "bench.h"
#include "peer_vectors.h"

#if defined(__AVX512F__)
static const uint32_t coefficients[][32] = {
    {0xbd87b05a, 0xbd7d7679, 0xbd4a04e3, 0xbcfef4fc, 0xbc2e7ba1, 0x3c0d0214, 0x3cc2f33f, 0x3d0828c3,
     0x3d15e1fc, 0x3d0dfbb7, 0x3cedbc38, 0x3cb004f6, 0x3c60b9d6, 0x3be288ae, 0x3ae37707, 0x00000000,
     0x00000000, 0x00000000, 0x00000000, 0x00000000, 0x00000000, 0x00000000, 0x00000000, 0x00000000,
     0x00000000, 0x00000000, 0x00000000, 0x00000000, 0x00000000, 0x00000000, 0x00000000, 0x00000000},
    {0xb796b8a0, 0xbb07d109, 0xbc803712, 0xbd435caa, 0xbdc8590f, 0xbe220d27, 0xbe5d9264, 0xbe849508,
     0xbe8d67ea, 0xbe876701, 0xbe6840c8, 0xbe2f8e66, 0xbddf338a, 0xbd4b2fb0, 0xba5a3503, 0x3c83b81f,
     0x3c68e080, 0x3c3d0968, 0x3c0f5496, 0x3bcd0815, 0x3b8b34b1, 0x3b3433f2, 0x3adf0faf, 0x3a844f8c,
     0x3a16b0b3, 0x39a4fcfa, 0x392dd92f, 0x38b07365, 0x382ca2d3, 0x37a2ea39, 0x37145e67, 0x00000000},
    {0x3ecc4235, 0x3ecc73f8, 0x3ecf5481, 0x3eda405a, 0x3ef1eb1f, 0x3f0b35bd, 0x3f2098d7, 0x3f330a47,
     0x3f3b8e26, 0x3f34b5d2, 0x3f1c9618, 0x3eeb01e0, 0x3e8a95dd, 0x3d9c2a49, 0xbdc4c72d, 0xbe218924,
     0xbe11f491, 0xbdf4752c, 0xbdc009a1, 0xbd8e940c, 0xbd491aaa, 0xbd0733cb, 0xbcadc2e4, 0xbc55e28a,
     0xbbfc8ebc, 0xbb8f39f2, 0xbb1c33b7, 0xbaa3f26d, 0xba25ba68, 0xb9a17354, 0xb917a928, 0x36a5b5a3},
    {0xbf000000, 0xbf000216, 0xbf00470f, 0xbf01e7d9, 0xbf06c681, 0xbf105ea3, 0xbf1e0e1c, 0xbf2bf18e,
     0xbf334098, 0xbf2c5062, 0xbf117676, 0xbec31780, 0xbe03a5e3, 0x3e1e2a8f, 0x3ed9afd9, 0x3f065df7,
     0x3ef78cb8, 0x3ed54d61, 0x3ead3784, 0x3e854163, 0x3e42f3d0, 0x3e07fbab, 0x3db5495c, 0x3d675e18,
     0x3d0d8aea, 0x3ca639a0, 0x3c3b8edc, 0x3bcb8157, 0x3b547d31, 0x3ad5a579, 0x3a4ef758, 0xb85c799e},
    {0x2de0d014, 0x35867005, 0x389f7c9e, 0x3a4fb2e7, 0x3b7516c1, 0x3c36a041, 0x3cc49453, 0x3d211dfd,
     0x3d46c7e3, 0x3d1c93d2, 0xbbb6b7b7, 0xbdbbbeb8, 0xbe5fe670, 0xbebf1468, 0xbf085fe6, 0xbf17ceea,
     0xbf0e3495, 0xbefb733d, 0xbed292e6, 0xbea784c6, 0xbe7dccb7, 0xbe377024, 0xbdfd6bbe, 0xbda78913,
     0xbd544312, 0xbd00fc11, 0xbc968276, 0xbc28c2d9, 0xbbb5f579, 0xbb3cc610, 0xbabc8cb9, 0x39126c9e},
};

static inline vector coefficient(size_t k, __m512i index)
{
    const __m512 low = _mm512_loadu_ps(coefficients[k]), high = _mm512_loadu_ps(coefficients[k] + LANES);
    return _mm512_permutex2var_ps(low, index, high);
}

static inline vector gelu(vector x)
{
    const vector t = least(c(5.5f), _mm512_abs_ps(x));
    const __m512i index = _mm512_castps_si512(multiply_add(t, c(5.72067022f), c(0x1.8p23f)));
    vector y = coefficient(0, index);
    for (size_t k = 1; k < sizeof coefficients / sizeof *coefficients; k++)
        y = multiply_add(y, t, coefficient(k, index));
    return add(most(c(0), x), y);
}
#else
static inline vector gelu(vector x)
{
    static const float coefficients[] = {-2.04132284e-05f, 0.000118179618f, 8.74996258e-05f, 0.00112515746f,
                                         0.00931665953f,   0.0488697588f,   0.108752206f,    1.09050834f};
    const vector t = least(c(5.625f), _mm256_andnot_ps(c(-0.0f), x));
    vector y = c(3.35796267e-06f);
    for (size_t k = 0; k < sizeof coefficients / sizeof *coefficients; k++)
        y = multiply_add(y, t, c(coefficients[k]));
    for (int square = 0; square < 3; square++) y = mul(y, y);
    return sub(most(c(0), x), divide(t, y));
}
#endif

VECTOR_LOOP(gelu)

static const struct peer_row rows[] = {
    PEER_LOOP("gelu", "actgen's plan", gelu_loop),
    PEER_ROWS_END,
};

const struct peer PEER = {"plain loop", ISA, NULL, rows};
