/* An independent judge of kernels, which shares nothing with src/. Its definitions are formulas of its own.
 * It evaluates them in double with a bound of the error. Where that does not tell, it takes __float128, and
 * then MPFR.
 *
 *     judge LIBRARY SYMBOL FORMULA [derivative] [1/PART] [BOUND]
 *
 * The symbol is a function as `actgen compile` makes it, of a kernel or of its gradient:
 *
 *     void f(size_t rows, size_t cols, const float *x, float *y)
 *     void f(size_t rows, size_t cols, const float *x, const float *d_y, float *d_x)
 *
 * Prints the largest error in ulp, its input and its bits, the result, the right value, and counts of inputs:
 * all, those of __float128, those of MPFR, undecided ones. Exits with 1 if the error exceeds BOUND. */
#include "ball.h"

#include <dlfcn.h>
#include <math.h>
#include <quadmath.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { CHUNK = 64 * BLOCK };
static const double sure = 0x1p-6; /* ulp: a right result is known well enough */

struct judgement {
    struct formula formula;
    struct double_steps *steps;
    int derivative;
    void (*of_value)(size_t, size_t, const float *, float *);
    void (*of_slope)(size_t, size_t, const float *, const float *, float *);
    double worst; /* ulp */
    float at, got;
    __float128 right;
    uint64_t inputs, by_quad, by_mpfr, undecided;
};

/* Returns the distance of f32 numbers at v. It is 2^-149 for subnormal ones. */
static double ulp_at(double v)
{
    int exponent;
    frexp(v, &exponent);
    return ldexp(1, (exponent < -125 ? -125 : exponent > 128 ? 128 : exponent) - 24);
}

/* Returns the error of y in ulp of the right value. An infinite y counts as 2^128. */
static double error_of(float y, __float128 right)
{
    const double ulp = ulp_at((double)right);
    const double most = 0x1p128;
    const __float128 limited = right > most ? most : right < -most ? -most : right;
    const __float128 got = isinf(y) ? copysign(most, y) : y,
                     away = got < limited ? limited - got : got - limited;
    return (double)(away / ulp);
}

/* Returns true if the right value is surely beyond f32. Then its error does not matter. */
static int is_far_beyond(const struct quad_ball *r)
{
    const __float128 size = r->value < 0 ? -r->value : r->value;
    return size - r->error > 0x1p130;
}

/* Judges an input for which double does not tell, or whose error may be the largest. */
static void judge_closely(struct judgement *j, float x, float y)
{
    struct quad_ball r = quad_evaluate(&j->formula, j->derivative, x);
    j->by_quad++;
    for (int bits = 256; r.value - r.value == 0 && !is_far_beyond(&r) &&
                         !(r.error < (long double)sure * ulp_at((double)r.value));
         bits *= 4) {
        if (bits > 4096) {
            j->undecided++;
            return;
        }
        r = mpfr_evaluate(&j->formula, j->derivative, x, bits);
        j->by_mpfr += bits == 256;
    }
    if (j->derivative && r.value - r.value != 0) return; /* a pole, or outside the domain */
    if (isinfq(r.value) && isinf(y)) return;             /* a pole, whose sign is a convention */
    const double error = r.value != r.value ? (isnan(y) ? 0 : INFINITY)
                         : isnan(y)         ? INFINITY
                                            : error_of(y, r.value);
    if (error > j->worst) {
        j->worst = error;
        j->at = x, j->got = y, j->right = r.value;
    }
}

static float from_bits(uint32_t bits)
{
    float x;
    memcpy(&x, &bits, sizeof x);
    return x;
}
static uint32_t bits_of(float x)
{
    uint32_t bits;
    memcpy(&bits, &x, sizeof bits);
    return bits;
}

static void judge_block(struct judgement *j, const float *x, const float *y)
{
    struct block right;
    double_evaluate(j->steps, j->derivative, x, &right);
    for (int n = 0; n < BLOCK; n++) {
        const double v = right.value[n], ulp = ulp_at(v), uncertain = right.error[n] / ulp;
        const double error = fabs((double)y[n] - v) / ulp;
        /* Outside the domain. __float128, which does not overflow, is asked at some of these inputs. */
        if (isnan(v) && (j->derivative || isnan(y[n])) && bits_of(x[n]) % 16) continue;
        if (isinf(y[n]) && (v > 0) == (y[n] > 0) && fabs(v) - right.error[n] > 0x1p130)
            continue; /* overflows, and must */
        if (!(uncertain < sure) || !(error + uncertain <= fmax(j->worst * (1 + 0x1p-20), sure)))
            judge_closely(j, x[n], y[n]);
    }
    j->inputs += BLOCK;
}

/* Returns a number below `part` for each multiple of `part`, so that no pattern of low bits is left out. */
static uint32_t scattered(uint64_t n, uint32_t part)
{
    n = (n + 0x9e3779b97f4a7c15u) * 0xbf58476d1ce4e5b9u;
    n = (n ^ n >> 29) * 0x94d049bb133111ebu;
    return (uint32_t)((n >> 32) * part >> 32);
}

/* Finds the results at x, and judges them. Repeats the last input where a block is not full. */
static void judge_inputs(struct judgement *j, float *x, int count)
{
    static float y[CHUNK], ones[CHUNK];
    while (count % BLOCK) x[count] = x[count - 1], count++;
    for (int n = 0; n < count; n++) ones[n] = 1;
    if (j->derivative)
        j->of_slope(1, (size_t)count, x, ones, y);
    else
        j->of_value(1, (size_t)count, x, y);
    for (int n = 0; n < count; n += BLOCK) judge_block(j, x + n, y + n);
}

/* Judges where formulas have corners: powers of two, multiples of 1/2, and their neighbours. */
static void judge_corners(struct judgement *j)
{
    static float x[CHUNK];
    int count = 0;
    for (int n = -64; n <= 64; n++)
        for (int next = -1; next <= 1; next++)
            x[count++] = from_bits(bits_of((float)n / 2) + (uint32_t)(n ? next : 0));
    for (int exponent = -149; exponent < 128; exponent++)
        for (int next = -1; next <= 1; next++) {
            x[count++] = from_bits(bits_of(ldexpf(1, exponent)) + (uint32_t)next);
            x[count] = -x[count - 1], count++;
        }
    judge_inputs(j, x, count);
}

/* Judges one of `part` inputs. */
static void judge(struct judgement *j, uint32_t part)
{
    static float x[CHUNK];
    judge_corners(j);
    for (uint64_t begin = 0; begin < UINT64_C(1) << 32;) {
        int count = 0;
        for (; begin < UINT64_C(1) << 32 && count < CHUNK; begin += part) {
            const float at = from_bits((uint32_t)(begin + scattered(begin, part)));
            if (isfinite(at)) x[count++] = at;
        }
        if (count) judge_inputs(j, x, count);
    }
}

int main(int count, char **given)
{
    struct judgement j = {0};
    uint32_t part = 1;
    double bound = INFINITY;
    if (count < 4) {
        fprintf(stderr, "usage: judge LIBRARY SYMBOL FORMULA [derivative] [1/PART] [BOUND]\n");
        return 2;
    }
    for (int i = 4; i < count; i++)
        if (!strcmp(given[i], "derivative"))
            j.derivative = 1;
        else if (!strncmp(given[i], "1/", 2))
            part = (uint32_t)strtoul(given[i] + 2, 0, 10);
        else
            bound = strtod(given[i], 0);
    const char *wrong = formula_parse(&j.formula, given[3]);
    void *library = dlopen(given[1], RTLD_NOW), *function = library ? dlsym(library, given[2]) : 0;
    if (wrong || !function || !part) {
        fprintf(stderr, "judge: %s: %s\n", given[2], wrong ? wrong : part ? dlerror() : "no part");
        return 2;
    }
    j.steps = double_prepare(&j.formula);
    memcpy(&j.of_value, &function, sizeof function);
    memcpy(&j.of_slope, &function, sizeof function);
    judge(&j, part);
    printf("%-20s %10.4f %15.9g 0x%08x %15.9g %15.9g %10llu %8llu %7llu %4llu\n", given[2], j.worst, j.at,
           bits_of(j.at), j.got, (double)j.right, (unsigned long long)j.inputs, (unsigned long long)j.by_quad,
           (unsigned long long)j.by_mpfr, (unsigned long long)j.undecided);
    return !(j.worst <= bound) || j.undecided ? 1 : 0;
}
