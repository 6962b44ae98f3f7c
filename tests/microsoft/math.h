/* Stands for Microsoft's math.h while Clang reads C source by Microsoft's rules, because its headers are only
 * on Windows. It has what C source uses. */
#ifndef ACTGEN_TEST_MICROSOFT_MATH_H
#define ACTGEN_TEST_MICROSOFT_MATH_H
#ifdef __cplusplus
extern "C" {
#endif
double fabs(double), sqrt(double), fma(double, double, double);
float fabsf(float), sqrtf(float), fmaf(float, float, float);
#ifdef __cplusplus
}
#endif
#ifndef INFINITY
#define INFINITY ((float)(1e300 * 1e300))
#endif
#ifndef NAN
#define NAN ((float)(INFINITY * 0.0f))
#endif
#endif
