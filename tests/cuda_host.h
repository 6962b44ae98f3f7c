/* Defines what CUDA has, for a C++ compiler: `cuda` source then runs here, as a grid of one thread. */
#include <math.h>
#include <stdint.h>
#include <string.h>

#define __device__
#define __global__

struct place {
    unsigned x, y;
};
static const place blockIdx = {0, 0}, threadIdx = {0, 0}, blockDim = {1, 1}, gridDim = {1, 1};

static inline float __fadd_rn(float a, float b) { return a + b; }
static inline float __fsub_rn(float a, float b) { return a - b; }
static inline float __fmul_rn(float a, float b) { return a * b; }
static inline float __fdiv_rn(float a, float b) { return a / b; }
static inline float __fsqrt_rn(float a) { return sqrtf(a); }
static inline float __fmaf_rn(float a, float b, float c) { return fmaf(a, b, c); }
static inline double __dadd_rn(double a, double b) { return a + b; }
static inline double __dsub_rn(double a, double b) { return a - b; }
static inline double __dmul_rn(double a, double b) { return a * b; }
static inline double __ddiv_rn(double a, double b) { return a / b; }
static inline double __dsqrt_rn(double a) { return sqrt(a); }
static inline double __fma_rn(double a, double b, double c) { return fma(a, b, c); }
static inline int __float2int_rn(float x) { return (int)lrintf(x); }

static inline uint32_t __float_as_uint(float x)
{
    uint32_t y;
    memcpy(&y, &x, sizeof y);
    return y;
}

static inline float __uint_as_float(uint32_t x)
{
    float y;
    memcpy(&y, &x, sizeof y);
    return y;
}

static inline long long __double_as_longlong(double x)
{
    long long y;
    memcpy(&y, &x, sizeof y);
    return y;
}

static inline double __longlong_as_double(long long x)
{
    double y;
    memcpy(&y, &x, sizeof y);
    return y;
}
