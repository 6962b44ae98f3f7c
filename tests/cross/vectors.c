/* Compares the vector functions of arm64 with calls over rows, bit for bit, in all lanes. kernels.inc lists
 * the kernels. */
#include <arm_neon.h>
#include <fenv.h>
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#ifdef HAS_SVE /* Only the functions between these options may use SVE. */
#pragma GCC push_options
#pragma GCC target("+sve")
#include <arm_sve.h>
#pragma GCC pop_options
#include <sys/auxv.h>
#endif

#include "f32.h"
#include "f64.h"

enum { COUNT = 1024, LONGEST = 256 };

static const char *kernel;
static int failures;
static size_t compared;

/* Returns any bits, mostly of numbers of usual size, and limits. */
static uint64_t bits_at(unsigned i, unsigned bytes)
{
    static const double usual[] = {
        0, -0.0, 1, -1, 0.5, -3.25, 7, -20, 90, -90, 1e-3, (double)INFINITY, -(double)INFINITY, (double)NAN};
    uint64_t random = (i + 1) * UINT64_C(0x9e3779b97f4a7c15), bits = random >> (64 - 8 * bytes);
    const double number =
        i % 3 ? (double)(int64_t)random * 0x1p-60 : usual[i / 3 % (sizeof usual / sizeof *usual)];
    const float narrow = (float)number;
    if (i % 11 == 10) return bits;
    if (bytes == 8) memcpy(&bits, &number, 8);
    if (bytes == 4) bits = 0, memcpy(&bits, &narrow, 4);
    return bits;
}

static int is_nan(const void *value, unsigned bytes)
{
    float narrow;
    double wide;
    if (bytes == 4) return memcpy(&narrow, value, 4), narrow != narrow;
    return memcpy(&wide, value, 8), wide != wide;
}

/* Returns true if lane i of a masked call is on. In the first call, all lanes are off. */
static int is_on(unsigned at, unsigned i)
{
    return at && ((at + 1) * 2654435761u + i * 2246822519u) >> 17 & 1;
}

static void compare(const char *form, const void *y, const void *expected, unsigned lanes, unsigned bytes)
{
    for (unsigned i = 0; i < lanes; i++) {
        const char *a = (const char *)y + i * bytes, *b = (const char *)expected + i * bytes;
        compared++;
        if (!memcmp(a, b, bytes) || (is_nan(a, bytes) && is_nan(b, bytes))) continue;
        if (!failures++) printf("%s of %s: lane %u differs\n", form, kernel, i);
    }
}

/* Compares a masked call. Without a lane that is on, a call raises no exception. */
static void compare_masked(const char *form, const void *y, const void *expected, unsigned lanes,
                           unsigned bytes, unsigned at)
{
    if (!at && fetestexcept(FE_ALL_EXCEPT & ~FE_INEXACT) && !failures++)
        printf("%s of %s: lanes that are off raise exceptions\n", form, kernel);
    for (unsigned i = 0; i < lanes; i++)
        if (is_on(at, i))
            compare(form, (const char *)y + i * bytes, (const char *)expected + i * bytes, 1, bytes);
    feclearexcept(FE_ALL_EXCEPT);
}

/* The vector types of GCC for each type, and their functions. */
typedef float f32_;
typedef double f64_;
typedef float32x4_t f32_n;
typedef float64x2_t f64_n;
typedef uint32x4_t f32_m;
typedef uint64x2_t f64_m;
#ifdef HAS_SVE
typedef svfloat32_t f32_s;
typedef svfloat64_t f64_s;
#define f32_differs      svcmpne_n_f32
#define f64_differs      svcmpne_n_f64
#define f32_whilelt      svwhilelt_b32_u32
#define f64_whilelt      svwhilelt_b64_u32
#define f32_ld1          svld1_f32
#define f64_ld1          svld1_f64
#define f32_st1          svst1_f32
#define f64_st1          svst1_f64
#define SVE1(type, name) type##_s _ZGVsMxv_##type##_##name(type##_s, svbool_t);
#define SVE2(type, name) type##_s _ZGVsMxvv_##type##_##name(type##_s, type##_s, svbool_t);
#else
#define SVE1(type, name)
#define SVE2(type, name)
#endif
#define VECTOR                __attribute__((aarch64_vector_pcs))
#define f32_lanes             4
#define f64_lanes             2
#define PASTE_(a, b, c, d, e) a##b##c##d##_##e
#define PASTE(a, b, c, d, e)  PASTE_(a, b, c, d, e)
#define KERNEL(type, name)                                                                                   \
    VECTOR type##_n PASTE(_ZGVnN, type##_lanes, v_, type, name)(type##_n);                                   \
    VECTOR type##_n PASTE(_ZGVnM, type##_lanes, v_, type, name)(type##_n, type##_m);                         \
    SVE1(type, name)
#define KERNEL2(type, name)                                                                                  \
    VECTOR type##_n PASTE(_ZGVnN, type##_lanes, vv_, type, name)(type##_n, type##_n);                        \
    VECTOR type##_n PASTE(_ZGVnM, type##_lanes, vv_, type, name)(type##_n, type##_n, type##_m);              \
    SVE2(type, name)
#include "kernels.inc"
#undef KERNEL
#undef KERNEL2
VECTOR float32x2_t _ZGVnN2v_f32_gelu(float32x2_t);
VECTOR float32x2_t _ZGVnM2v_f32_gelu(float32x2_t, uint32x2_t);

/* Inputs, and the results of calls over rows. */
static f32_ f32_x[2][COUNT + LONGEST], f32_expected[COUNT + LONGEST];
static f64_ f64_x[2][COUNT + LONGEST], f64_expected[COUNT + LONGEST];

#ifdef HAS_SVE
#pragma GCC push_options
#pragma GCC target("+sve")
static unsigned vector_bytes(void) { return (unsigned)svcntb(); }

#define CHECK(type, name, letters, arguments)                                                                \
    static void check_sve_##type##_##name(unsigned lanes)                                                    \
    {                                                                                                        \
        for (unsigned at = 0; at < COUNT; at += lanes) {                                                     \
            const svbool_t all = type##_whilelt(0u, lanes);                                                  \
            type##_ y[LONGEST], on[LONGEST];                                                                 \
            for (unsigned i = 0; i < lanes; i++) on[i] = (type##_)is_on(at, i);                              \
            const svbool_t mask = type##_differs(all, type##_ld1(all, on), 0);                               \
            feclearexcept(FE_ALL_EXCEPT);                                                                    \
            type##_st1(all, y, PASTE(_ZGVsM, x, letters##_, type, name)(arguments, mask));                   \
            compare_masked("_ZGVsMx", y, &type##_expected[at], lanes, sizeof(type##_), at);                  \
        }                                                                                                    \
    }
#define LOAD(type, k)       type##_ld1(all, &type##_x[k][at])
#define KERNEL(type, name)  CHECK(type, name, v, LOAD(type, 0))
#define KERNEL2(type, name) CHECK(type, name, vv, LOAD(type, 0) COMMA LOAD(type, 1))
#define COMMA               ,
#include "kernels.inc"
#undef KERNEL
#undef KERNEL2
#undef CHECK
#undef LOAD
#pragma GCC pop_options
#define CHECK_SVE(type, name) check_sve_##type##_##name(bytes / sizeof(type##_))
#else
#define CHECK_SVE(type, name) (void)bytes
#endif

/* Checks a kernel. `bytes` is the length of SVE's vectors, or 0 without SVE. */
#define CHECK(type, name, inputs, letters)                                                                   \
    static void check_##type##_##name(unsigned bytes)                                                        \
    {                                                                                                        \
        type##_n v[2], y;                                                                                    \
        kernel = #type "_" #name;                                                                            \
        for (unsigned k = 0; k < inputs; k++)                                                                \
            for (unsigned i = 0; i < COUNT + LONGEST; i++) {                                                 \
                const uint64_t bits = bits_at(i + 77 * k, sizeof(type##_));                                  \
                memcpy(&type##_x[k][i], &bits, sizeof(type##_));                                             \
            }                                                                                                \
        const actgen_operand operands[] = {ROWS##inputs(type), {type##_expected, 0}};                        \
        type##_##name##_kernel(1, COUNT + LONGEST, operands);                                                \
        for (unsigned at = 0; at < COUNT; at += type##_lanes) {                                              \
            type##_m on;                                                                                     \
            for (unsigned i = 0; i < type##_lanes; i++) on[i] = 0 - (uint64_t)is_on(at, i);                  \
            y = PASTE(_ZGVnN, type##_lanes, letters##_, type, name)(ARGUMENTS##inputs(type));                \
            compare("_ZGVnN", &y, &type##_expected[at], type##_lanes, sizeof(type##_));                      \
            feclearexcept(FE_ALL_EXCEPT);                                                                    \
            y = PASTE(_ZGVnM, type##_lanes, letters##_, type, name)(ARGUMENTS##inputs(type), on);            \
            compare_masked("_ZGVnM", &y, &type##_expected[at], type##_lanes, sizeof(type##_), at);           \
        }                                                                                                    \
        if (bytes) CHECK_SVE(type, name);                                                                    \
    }
#define LOAD(type, k)    (memcpy(&v[k], &type##_x[k][at], sizeof v[k]), v[k])
#define ARGUMENTS1(type) LOAD(type, 0)
#define ARGUMENTS2(type) LOAD(type, 0), LOAD(type, 1)
#define ROWS1(type)                                                                                          \
    {                                                                                                        \
        type##_x[0], 0                                                                                       \
    }
#define ROWS2(type)                                                                                          \
    {type##_x[0], 0}, { type##_x[1], 0 }
#define KERNEL(type, name)  CHECK(type, name, 1, v)
#define KERNEL2(type, name) CHECK(type, name, 2, vv)
#include "kernels.inc"
#undef KERNEL
#undef KERNEL2

/* Vectors of 8 bytes. */
static void check_short(void)
{
    float x[2] = {-0.75f, 2.5f}, expected[2];
    const actgen_operand operands[] = {{x, 0}, {expected, 0}};
    const uint32x2_t on = {0, ~0u};
    kernel = "f32_gelu";
    f32_gelu_kernel(1, 2, operands);
    float32x2_t y = _ZGVnN2v_f32_gelu(vld1_f32(x));
    compare("_ZGVnN2v", &y, expected, 2, 4);
    y = _ZGVnM2v_f32_gelu(vld1_f32(x), on);
    compare("_ZGVnM2v", (const float *)&y + 1, &expected[1], 1, 4);
}

int main(void)
{
    unsigned bytes = 0;
#ifdef HAS_SVE
    if (getauxval(AT_HWCAP) >> 22 & 1) bytes = vector_bytes();
#endif
#define KERNEL(type, name) check_##type##_##name(bytes);
#define KERNEL2            KERNEL
#include "kernels.inc"
    check_short();
    printf("%zu values, SVE of %u bytes, %d wrong\n", compared, bytes, failures);
    return failures != 0;
}
