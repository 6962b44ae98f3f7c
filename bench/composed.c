/* Kernels for scripts/costs to compare with, composed as hand-written libraries for NEON do it. They take one
 * exponential by a polynomial (Cephes' expf, of degree 5 after its first two terms) and one division. Vectors
 * of four floats use GNU C's extension, so that one text is compiled for every machine. gelu takes erf by
 * formula 7.1.26 of Abramowitz and Stegun, which has an error of 1.5e-7. log is Cephes' logf, of degree 8. It
 * is NaN for 0 and below, and takes subnormal numbers for the smallest normal one. */
typedef float vector __attribute__((vector_size(16)));
typedef int integers __attribute__((vector_size(16)));

void silu(const vector *x, vector *y, unsigned long count);
void sigmoid(const vector *x, vector *y, unsigned long count);
void tanh_(const vector *x, vector *y, unsigned long count);
void gelu(const vector *x, vector *y, unsigned long count);
void log_(const vector *x, vector *y, unsigned long count);

static inline vector all(float value) { return (vector){value, value, value, value}; }
static inline vector least(vector a, vector b)
{
    return (vector)(((integers)a & (a < b)) | ((integers)b & ~(a < b)));
}
static inline vector most(vector a, vector b)
{
    return (vector)(((integers)a & (a > b)) | ((integers)b & ~(a > b)));
}

static inline vector exponential(vector x)
{
    const vector shift = all(0x1.8p23f);
    x = most(least(x, all(88.3762626647949f)), all(-87.3365478515625f));
    const vector n = x * all(1.44269504088896341f) + shift, whole = n - shift;
    const vector r = x - whole * all(0.693359375f) - whole * all(-2.12194440e-4f);
    vector p = all(1.9875691500e-4f);
    p = p * r + all(1.3981999507e-3f);
    p = p * r + all(8.3334519073e-3f);
    p = p * r + all(4.1665795894e-2f);
    p = p * r + all(1.6666665459e-1f);
    p = p * r + all(5.0000001201e-1f);
    p = p * (r * r) + r + all(1.0f);
    return (vector)((integers)p + ((integers)n << 23));
}

void silu(const vector *x, vector *y, unsigned long count)
{
    for (unsigned long i = 0; i < count; i++) y[i] = x[i] / (all(1) + exponential(-x[i]));
}

void sigmoid(const vector *x, vector *y, unsigned long count)
{
    for (unsigned long i = 0; i < count; i++) y[i] = all(1) / (all(1) + exponential(-x[i]));
}

void tanh_(const vector *x, vector *y, unsigned long count)
{
    for (unsigned long i = 0; i < count; i++) y[i] = all(1) - all(2) / (all(1) + exponential(x[i] + x[i]));
}

void gelu(const vector *x, vector *y, unsigned long count)
{
    for (unsigned long i = 0; i < count; i++) {
        const vector a = (vector)((integers)x[i] & 0x7fffffff) * all(0.70710678f);
        const vector t = all(1) / (all(1) + all(0.3275911f) * a);
        vector p = all(1.061405429f);
        p = p * t + all(-1.453152027f);
        p = p * t + all(1.421413741f);
        p = p * t + all(-0.284496736f);
        p = p * t + all(0.254829592f);
        const vector erf = all(1) - p * t * exponential(-a * a);
        const vector sign = (vector)((integers)erf | ((integers)x[i] & (int)0x80000000));
        y[i] = all(0.5f) * x[i] * (all(1) + sign);
    }
}

void log_(const vector *x, vector *y, unsigned long count)
{
    for (unsigned long i = 0; i < count; i++) {
        const integers bits = (integers)most(x[i], all(0x1p-126f)), fraction = (bits & 0x7fffff) | 0x3f000000;
        const integers is_low = (vector)fraction < all(0.707106781186547524f);
        const integers exponent = (bits >> 23) - 126 + is_low;
        const vector e = __builtin_convertvector(exponent, vector);
        const vector m = (vector)fraction - all(1.0f) + (vector)((integers)(vector)fraction & is_low),
                     z = m * m;
        vector p = all(7.0376836292e-2f);
        p = p * m + all(-1.1514610310e-1f);
        p = p * m + all(1.1676998740e-1f);
        p = p * m + all(-1.2420140846e-1f);
        p = p * m + all(1.4249322787e-1f);
        p = p * m + all(-1.6668057665e-1f);
        p = p * m + all(2.0000714765e-1f);
        p = p * m + all(-2.4999993993e-1f);
        p = p * m + all(3.3333331174e-1f);
        p = p * m * z + e * all(-2.12194440e-4f) - all(0.5f) * z;
        const vector result = m + p + e * all(0.693359375f);
        y[i] = (vector)((integers)result | ~(x[i] > all(0)));
    }
}
