/* Printed by quick_coefficients.py: polynomials for quick_math.h, the highest power first.
 *
 * ERFC: (x + 4) exp(x^2) erfc(x) in (x - 4) / (x + 4), for x from 0 to 28, or 107 for long doubles. ERF:
 * erf(sqrt z) / sqrt z for z up to 1. ATAN: atan(sqrt z) / sqrt z for z up to tan(pi/8)^2. LGAMMA,
 * DIGAMMA, TRIGAMMA: (w + 1/2) times binet(w), log w - digamma(w) and trigamma(w), in (w - 3/2) / (w + 1/2),
 * for w from 1/2 on. Their relative errors are below 2^-56, for long doubles below 2^-68. */
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
#define LGAMMA_COEFFICIENTS                                                                                  \
    -0xab0f8255e95face2p-105L, -0xd02953d4e0bf265cp-104L, 0xbfa154b97232be7ap-103L,                          \
        0xa371c941ba7061ecp-101L, -0xb40b9524fb683a2cp-103L, -0xc466a7f19671e500p-100L,                      \
        -0x9635db2a539418b3p-103L, 0x88f379bb73bbc771p-99L, 0x89bf8a6df860b886p-103L,                        \
        -0xc154e71a792ea12dp-99L, -0xaf98bd597488c284p-100L, 0xcd51a8489f5ddbdcp-100L,                       \
        0xe547bb4464c63a2dp-100L, 0xb92a284c27a0f221p-99L, 0x95599ab16c665248p-97L, 0xea521e7a6c247322p-97L, \
        0xb6df85b9bffae6dcp-96L, -0xb1c54ddfd6f479d9p-97L, -0x90037ff6033e169bp-97L,                         \
        -0xa7588e1c4459a6b3p-92L, 0xd4d5bd7c84088158p-95L, -0x80f29fb39b6fcae3p-89L,                         \
        0x90287fa117622ea3p-88L, -0xd0b0b948721b9dc2p-87L, 0xe55b0e46d8077705p-85L,                          \
        -0x9067d2292a848b81p-83L, 0x89e8da24dbd74454p-81L, -0xe7da7d05bff0b4efp-80L,                         \
        0xb3f55fb97f8dea15p-78L, -0xab1fd2352527a57fp-76L, 0x92085a35592fa271p-74L,                          \
        -0xfce2ec1726c9fcd9p-73L, 0x857b5711fb54fa65p-70L, -0x86eb0109b9f2260cp-68L, 0xe084c5946e799b37p-67L
#define DIGAMMA_COEFFICIENTS                                                                                 \
    0xf3683fe51085ca88p-102L, 0xe7d742651dc6e261p-102L, -0xfeab3b655e92db56p-99L, -0x8ebd0c1018da79fcp-98L,  \
        0xd5bc56c069eda873p-97L, 0x8667ea247d92e231p-96L, -0xc24003ef97f9dde4p-96L,                          \
        -0x80b4229ca54b6531p-95L, 0x819559c1b670de85p-95L, 0xa806a19434b71a68p-95L,                          \
        -0x88a8df9526633a50p-95L, -0xd8f1af9cf2ba9dc9p-95L, 0xfb65c3ed2cd13671p-98L,                         \
        -0x9ef91a17a0231ed1p-97L, 0x81483f5afb4a21a4p-95L, -0x81572953eff07689p-93L,                         \
        0x9bf6a014a6c3d6f6p-91L, -0x8004306388883178p-90L, 0x9476e5a8a6398ba8p-88L,                          \
        -0xb9fae8e4f6398de5p-87L, 0x9010d56b4747951dp-85L, -0xe1efe22765d4388fp-84L,                         \
        0x9e04aa0f965ffcc6p-82L, -0xf95fe999dd21274cp-81L, 0xb5f265567bd595b6p-79L,                          \
        -0x87bb97500446d804p-77L, 0xce37fdd30eef72e0p-76L, -0x96c17515bbe841f5p-74L,                         \
        0xe2ee19b4bf003a9fp-73L, -0xa929d813235f3616p-71L, 0xf5d357df58701319p-70L,                          \
        -0xb76a193e4ceef5adp-68L, 0x8566c19807f3cfcap-66L, -0xab4fa00eb7a3b423p-65L, 0xbcea4f0c3f61d58ep-64L
#define TRIGAMMA_COEFFICIENTS                                                                                \
    0xd369f051902311fap-100L, 0x8020ed291d40d27bp-98L, -0xec6f7fd94b1ee40ap-98L, -0xc99f6cf1f5e38294p-96L,   \
        0xe1345ebf6e8acd48p-98L, 0xf12d98c74c14aad3p-95L, 0xcb570f5ea6796d59p-98L, -0xac375d0d348c297bp-94L, \
        -0xc739c8281f646a51p-103L, 0xd0f7e8379e23ed84p-94L, 0xc0867ad403269ed5p-94L,                         \
        -0xb875002fb3b8d669p-93L, 0x8ad3748cabd1b172p-92L, -0x8b18b655102a6699p-90L,                         \
        0x9b78fc14068933d3p-89L, -0x88636acbe7e9457ap-87L, 0xae2ff5e93fbc463ap-86L,                          \
        -0xff7c079a202b3238p-85L, 0xb640acace61e385fp-83L, -0xf9ee990f59239143p-82L,                         \
        0xb3b32c68878db7cap-80L, -0xf67ad0f1fa8ba336p-79L, 0xabf9ef8fa071c76dp-77L,                          \
        -0xed69fcad722537fdp-76L, 0xa12b3a48c5948e1ep-74L, -0xdbaecdb918e090c6p-73L,                         \
        0x925b887e6a00906ap-71L, -0xc0d376d41e3279a2p-70L, 0xfa88f08ea7c888a4p-69L,                          \
        -0x9cd857613844a3cfp-67L, 0xbeeae2e00561389ep-66L, -0xdcf162b81410489fp-65L,                         \
        0xe02704df7a5f7370p-64L, -0xb908d63479428bcep-63L, 0xef4f326f91779693p-63L
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
#define LGAMMA_COEFFICIENTS                                                                                  \
    0x1.28467b584b79ep-37, 0x1.144ec49fcd7aap-37, -0x1.ecb535f6eb5cdp-35, -0x1.38884846c590ap-34,            \
        0x1.f780186c7ecd8p-34, 0x1.94b227a5c25a2p-33, -0x1.08f74bc0803c8p-34, -0x1.afac81f3e462ep-34,        \
        0x1.2a4d0c115cdddp-32, 0x1.887086c909984p-34, -0x1.104bd645d3a83p-33, -0x1.5be618c5c8765p-29,        \
        0x1.c222c476f503ep-32, -0x1.0141988f16279p-26, 0x1.2044504b75ad0p-25, -0x1.a16c2fc335a89p-24,        \
        0x1.cab661e0e6620p-22, -0x1.20cf86ad4ede3p-20, 0x1.13d1b3d3d473bp-18, -0x1.cfb4fa711890ep-17,        \
        0x1.67eabf73e0acfp-15, -0x1.563fa469e894ap-13, 0x1.2410b46ab1faep-11, -0x1.f9c5d82e4deb4p-10,        \
        0x1.0af6ae23f6aa0p-7, -0x1.0dd6021373e44p-5, 0x1.c1098b28dcf33p-4
#define DIGAMMA_COEFFICIENTS                                                                                 \
    0x1.060dbfbac0066p-35, 0x1.4d0f522f65754p-34, -0x1.8a8196e04397cp-35, -0x1.757b6b5a0db94p-32,            \
        -0x1.893e7ffdbde5dp-33, 0x1.337b43ff63dffp-34, 0x1.18cb50ce6a0aep-31, -0x1.39da7abe2ba0cp-30,        \
        0x1.272224c401f6ap-28, -0x1.f6b41638a8b5bp-28, 0x1.2a36c6f988c05p-25, -0x1.7433bc7498090p-24,        \
        0x1.20109d9d5855cp-22, -0x1.c3ddc13ac7ba3p-21, 0x1.3c09eb3eae7c5p-19, -0x1.f2bfdd487b17ap-18,        \
        0x1.6be4c74805086p-16, -0x1.0f772e930e783p-14, 0x1.9c6ffbb219dbap-13, -0x1.2d82ea2b7dd1bp-11,        \
        0x1.c5dc336966776p-10, -0x1.5253b02646e74p-8, 0x1.eba6afbeb0f57p-7, -0x1.6ed4327c99ddbp-5,           \
        0x1.0acd83300fe7ap-3, -0x1.569f401d6f477p-2, 0x1.79d49e187ec3bp-1
#define TRIGAMMA_COEFFICIENTS                                                                                \
    -0x1.0f52374167a95p-32, -0x1.32b7ff48d5225p-31, 0x1.42dfe50cbe6cep-29, 0x1.4b91e981f8ee6p-29,            \
        -0x1.ca3fab1519d24p-30, -0x1.097758e6a07c8p-26, 0x1.875f4022cb354p-26, -0x1.d2b6c600f9583p-25,       \
        0x1.541f940876a1ap-23, -0x1.038f397e8b495p-21, 0x1.6d14304b99a0ap-20, -0x1.f34a49a342384p-19,        \
        0x1.675f580bb23f4p-17, -0x1.ecfcba921294fp-16, 0x1.57f419358894dp-14, -0x1.dad3bdd4b5b07p-13,        \
        0x1.4256735415efep-11, -0x1.b75d9cba82aa7p-10, 0x1.24b711010b89fp-8, -0x1.81a6eda3d7eecp-7,          \
        0x1.f511e11d3f6e6p-6, -0x1.39b0aec278fbbp-4, 0x1.7dd5c5c00ad0dp-3, -0x1.b9e2c57028118p-2,            \
        0x1.c04e09bef4beep-1, -0x1.7211ac68f2852p+0, 0x1.de9e64df22ef3p+0
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
