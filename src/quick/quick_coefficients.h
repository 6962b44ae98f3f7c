/* Printed by quick_coefficients.py: polynomials for quick_math.h, the highest power first.
 *
 * ERFC: (x + 4) exp(x^2) erfc(x) in (x - 4) / (x + 4), for x from 0 to 28, or 107 for long doubles. ERF:
 * erf(sqrt z) / sqrt z for z up to 1. ATAN: atan(sqrt z) / sqrt z for z up to tan(pi/8)^2. Their relative
 * errors are below 2^-56.7, for long doubles below 2^-68.4. */
#ifndef ACTGEN_QUICK_COEFFICIENTS_H
#define ACTGEN_QUICK_COEFFICIENTS_H

#ifdef QUICK_LONG
#define ERFC_COEFFICIENTS                                                                                    \
    -0xa624e66a7e2d83a5p-101L, -0x8a879a0bf8e7694bp-103L, 0x8711ac99e7c0f324p-97L, 0xa175cfe8a62bbeb4p-99L,  \
        -0x804e4231a29bc96bp-94L, -0xba7c8d3296cfda73p-96L, 0xce4e1c6f1d9a03b0p-92L,                         \
        0x816765376225f2f6p-93L, -0xa50803976c3e1cf6p-89L, -0xaecb17735bb650bap-94L,                         \
        0x895cfb31bf2f649cp-86L, -0x9f02b6c4df89f56ep-87L, -0xe3c6518ac6873a2fp-84L,                         \
        0xbf086bc8de92fb82p-83L, 0x9d8cb8b59bb6fde3p-81L, -0x9e36b77070aa553cp-79L,                          \
        -0xf3f802daff1a6e73p-82L, 0xb966ce9c20d2ebcdp-76L, -0xee9421b62cc9db24p-75L,                         \
        -0x934da8a9e2920cbep-75L, 0xc847a3911ab56cc7p-71L, -0xd806029642a6a903p-69L,                         \
        0x9c6de96471a3595cp-67L, -0xb22fec525dc4a814p-66L, 0xa965611b880a7a34p-65L,                          \
        -0x8a75658d681a4849p-64L, 0xc5f1016936382c47p-64L, -0xf9ff18f65a4df911p-64L, 0x8c4995f8470aa213p-63L
#define ERF_COEFFICIENTS                                                                                     \
    -0x94dcf8d9efaab105p-101L, 0xbf8390c470ca6b1bp-97L, -0xa7303da0d320b100p-93L, 0xfe21ab24c616c5a2p-90L,   \
        -0xafb6c92d05e3cdeep-86L, 0xdcf3284dcc33eac8p-83L, -0xfa692b0d757e9fe2p-80L,                         \
        0xfcd19361198a2e8bp-77L, -0xe016d9ff75abc73cp-74L, 0xab2de687328165fbp-71L,                          \
        -0xdc167189444dd180p-69L, 0xe71790d0215eedf6p-67L, -0xc093a3581bcf35f3p-65L, 0x906eba8214db688dp-63L
#define ATAN_COEFFICIENTS                                                                                    \
    -0xd389bc6841cdb89fp-70L, 0xf1ef6b0705a5a852p-69L, -0xa5ef57128b69073fp-68L, 0xc0b1935e83cd07aap-68L,    \
        -0xd7423e2ce2e41f0fp-68L, 0xf0e904aa9c375304p-68L, -0x888842efeeeec061p-67L,                         \
        0x9d89d5450c06da41p-67L, -0xba2e8b86dc02f0ccp-67L, 0xe38e38e2f5745dafp-67L,                          \
        -0x92492492482ad4c4p-66L, 0xcccccccccccb21eep-66L, -0xaaaaaaaaaaaaaa1bp-65L,                         \
        0x10000000000000000p-64L
#else
#define ERFC_COEFFICIENTS                                                                                    \
    0x1.f36d8f26067d6p-31, -0x1.5e243bcb5bcd0p-31, -0x1.055c642430266p-26, 0x1.d16930edb8c31p-29,            \
        0x1.0a395a44d8d18p-23, -0x1.534dbf9f8d75fp-24, -0x1.c6596b17a2096p-21, 0x1.7f048f4ea1fbdp-20,        \
        0x1.3b0cf5024bf2dp-18, -0x1.3c7440d5e91e8p-16, -0x1.e7ebd7777a24ep-19, 0x1.72cddbdba093ap-13,        \
        -0x1.dd2843b0c3d54p-12, -0x1.269b5709946d1p-12, 0x1.908f471ffe9afp-8, -0x1.b00c0529fc336p-6,         \
        0x1.38dbd2c8e8e74p-4, -0x1.645fd8a4c08c6p-3, 0x1.52cac23710011p-2, -0x1.14eacb1ad02b6p-1,            \
        0x1.8be202d26c708p-1, -0x1.f3fe31ecb49c0p-1, 0x1.18932bf08e154p+0
#define ERF_COEFFICIENTS                                                                                     \
    -0x1.ac9585a44fe29p-31, 0x1.d76af6ca49787p-27, -0x1.5c131500d3f88p-23, 0x1.b981d78881a5dp-20,            \
        -0x1.f4ca838adb73bp-17, 0x1.f9a2be4f731a1p-14, -0x1.c02db0665e53dp-11, 0x1.565bccfa44156p-8,         \
        -0x1.b82ce31203772p-6, 0x1.ce2f21a040f66p-4, -0x1.812746b0379c1p-2, 0x1.20dd750429b6dp+0
#define ATAN_COEFFICIENTS                                                                                    \
    -0x1.23b93fac21dacp-6, 0x1.3702ea64c11f2p-5, -0x1.9c79c07a989c6p-5, 0x1.def9ecd6a20f2p-5,                \
        -0x1.10ea1d157f6ffp-4, 0x1.3b10f0f5b1224p-4, -0x1.745cf64dcc6bdp-4, 0x1.c71c70cb775cep-4,            \
        -0x1.2492492259b3ep-3, 0x1.999999999466ap-3, -0x1.555555555552fp-2, 0x1.0000000000000p+0
#endif

/* 128 zeros, then the bits of 2/pi after the binary point. */
#define TWO_OVER_PI_WORDS                                                                                    \
    UINT64_C(0x0000000000000000), UINT64_C(0x0000000000000000), UINT64_C(0xa2f9836e4e441529),                \
        UINT64_C(0xfc2757d1f534ddc0), UINT64_C(0xdb6295993c439041), UINT64_C(0xfe5163abdebbc561),            \
        UINT64_C(0xb7246e3a424dd2e0), UINT64_C(0x06492eea09d1921c), UINT64_C(0xfe1deb1cb129a73e),            \
        UINT64_C(0xe88235f52ebb4484), UINT64_C(0xe99c7026b45f7e41), UINT64_C(0x3991d639835339f4),            \
        UINT64_C(0x9c845f8bbdf9283b), UINT64_C(0x1ff897ffde05980f), UINT64_C(0xef2f118b5a0a6d1f),            \
        UINT64_C(0x6d367ecf27cb09b7), UINT64_C(0x4f463f669e5fea2d), UINT64_C(0x7527bac7ebe5f17b),            \
        UINT64_C(0x3d0739f78a5292ea), UINT64_C(0x6bfb5fb11f8d5d08), UINT64_C(0x56033046fc7b6bab),            \
        UINT64_C(0xf0cfbc209af4361d)

#endif
