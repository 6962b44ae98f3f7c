/* Rows as hand-written loops: one pass for each sum over the row, and one for the results. Softmax adds up in
 * f32, as libraries do, and the norms in f64. Compiled for AVX-512 and for AVX2, and for several
 * lengths of rows.
 *
 * A call has one input. Other operands are arrays of this file: weights and shifts of a row, and gates and
 * gradients of all rows. */
#include "bench.h"
#include "peer_vectors.h"

#include <math.h>

#ifndef COLUMNS
#define COLUMNS ROW_COLS
#define NAME    "row loops, " ISA
#else
#define TEXT_OF(x) #x
#define TEXT(x)    TEXT_OF(x)
#define NAME       "row loops of " TEXT(COLUMNS) ", " ISA
#endif

enum { CHAINS = 4, STEP = CHAINS * LANES, ELEMENTS = ROW_ELEMENTS };
static const float epsilon = 1e-5f;
static const double cols = COLUMNS;
static float weights[COLUMNS], shifts[COLUMNS], others[ELEMENTS];

static vector at(const float *x) { return V(loadu_ps)(x); }
static void put(float *y, vector v) { V(storeu_ps)(y, v); }

static bool start(void)
{
    for (size_t i = 0; i < COLUMNS; i++) {
        for (size_t at = i; at < ELEMENTS; at += COLUMNS) others[at] = (float)(i % 13) / 4 - 1.5f;
        shifts[i] = (float)(i % 5) / 8;
        weights[i] = 1 + (float)(i % 7) / 8;
    }
    return true;
}

/* -- sums -- */

static float lanes_added(vector v)
{
    float lane[LANES], sum = 0;
    put(lane, v);
    for (int i = 0; i < LANES; i++) sum += lane[i];
    return sum;
}

#if defined(__AVX512F__)
typedef __m512d wide;
static wide low_half(vector v) { return _mm512_cvtps_pd(_mm512_castps512_ps256(v)); }
static wide high_half(vector v) { return _mm512_cvtps_pd(_mm512_extractf32x8_ps(v, 1)); }
static vector exp_of(vector x)
{
    const vector n = _mm512_roundscale_ps(mul(x, c(1.44269504f)), 8);
#else
typedef __m256d wide;
static wide low_half(vector v) { return _mm256_cvtps_pd(_mm256_castps256_ps128(v)); }
static wide high_half(vector v) { return _mm256_cvtps_pd(_mm256_extractf128_ps(v, 1)); }
static vector exp_of(vector x)
{
    x = most(c(-87), x);
    const vector shift = c(0x1.8000fep23f), shifted = multiply_add(x, c(1.44269504f), shift);
    const vector n = sub(shifted, shift);
#endif
    static const float coefficient[] = {8.3333333e-3f, 4.1666667e-2f, 0.16666667f, 0.5f, 1, 1};
    vector r = multiply_add(n, c(-0.693359375f), x), p = c(1.3888889e-3f);
    r = multiply_add(n, c(2.12194440e-4f), r);
    for (int i = 0; i < 6; i++) p = multiply_add(p, r, c(coefficient[i]));
#if defined(__AVX512F__)
    return _mm512_scalef_ps(p, n);
#else
    return mul(p, power_of_bits(shifted));
#endif
}

/* Sums in f64, each in chains that do not wait for each other. */
struct sum {
    wide chain[2 * CHAINS];
};

static void add_product(struct sum *s, int chain, vector a, vector b)
{
    s->chain[2 * chain] = V(fmadd_pd)(low_half(a), low_half(b), s->chain[2 * chain]);
    s->chain[2 * chain + 1] = V(fmadd_pd)(high_half(a), high_half(b), s->chain[2 * chain + 1]);
}

static double total(const struct sum *s)
{
    wide all = s->chain[0];
    double lane[LANES / 2], sum = 0;
    for (int k = 1; k < 2 * CHAINS; k++) all = V(add_pd)(all, s->chain[k]);
    V(storeu_pd)(lane, all);
    for (int i = 0; i < LANES / 2; i++) sum += lane[i];
    return sum;
}

static double dot_product(const float *x, const float *y)
{
    struct sum s = {{{0}}};
    for (size_t i = 0; i < COLUMNS; i += STEP)
        for (int k = 0; k < CHAINS; k++) add_product(&s, k, at(x + i + k * LANES), at(y + i + k * LANES));
    return total(&s);
}

static float largest(const float *x)
{
    vector chain[CHAINS];
    float lane[LANES], found;
    for (int k = 0; k < CHAINS; k++) chain[k] = c(-INFINITY);
    for (size_t i = 0; i < COLUMNS; i += STEP)
        for (int k = 0; k < CHAINS; k++) chain[k] = most(chain[k], at(x + i + k * LANES));
    put(lane, most(most(chain[0], chain[1]), most(chain[2], chain[3])));
    found = lane[0];
    for (int i = 1; i < LANES; i++) found = fmaxf(found, lane[i]);
    return found;
}

/* Adds up e^(x - m), and its products with g if that is not NULL. Stores the powers if y is not NULL. */
static inline float powers(const float *x, float *y, const float *g, float *dot)
{
    const vector m = c(largest(x));
    vector sum[CHAINS], product[CHAINS];
    for (int k = 0; k < CHAINS; k++) sum[k] = product[k] = c(0);
    for (size_t i = 0; i < COLUMNS; i += STEP)
        for (int k = 0; k < CHAINS; k++) {
            const size_t j = i + (size_t)k * LANES;
            const vector e = exp_of(sub(at(x + j), m));
            if (y) put(y + j, e);
            if (g) product[k] = multiply_add(e, at(g + j), product[k]);
            sum[k] = add(sum[k], e);
        }
    if (g) *dot = lanes_added(add(add(product[0], product[1]), add(product[2], product[3])));
    return lanes_added(add(add(sum[0], sum[1]), add(sum[2], sum[3])));
}

/* -- loops -- */

/* Defines name(): the last argument is what each row computes first, `result` is for the vector at j. x and y
 * are the row's input and results, z the row of the other operand. */
#define ROW_LOOP(name, result, ...)                                                                          \
    static void name(size_t n, const void *in, void *out)                                                    \
    {                                                                                                        \
        for (size_t row = 0; row < n / COLUMNS; row++) {                                                     \
            const float *x = (const float *)in + row * COLUMNS, *z = others + row * COLUMNS;                 \
            float *y = (float *)out + row * COLUMNS;                                                         \
            (void)z;                                                                                         \
            __VA_ARGS__;                                                                                     \
            for (size_t j = 0; j < COLUMNS; j += LANES) put(y + j, result);                                  \
        }                                                                                                    \
    }

static vector silu(vector x) { return divide(x, add(c(1), exp_of(sub(c(0), x)))); }

static double inverse_root(double mean) { return 1 / sqrt(mean + (double)epsilon); }

/* Returns the sum of (x - mean)^2. */
static double squares(const float *x, float mean)
{
    struct sum s = {{{0}}};
    for (size_t i = 0; i < COLUMNS; i += STEP)
        for (int k = 0; k < CHAINS; k++) {
            const vector d = sub(at(x + i + k * LANES), c(mean));
            add_product(&s, k, d, d);
        }
    return total(&s);
}

static double mean_of(const float *x)
{
    struct sum s = {{{0}}};
    for (size_t i = 0; i < COLUMNS; i += STEP)
        for (int k = 0; k < CHAINS; k++) add_product(&s, k, at(x + i + k * LANES), c(1));
    return total(&s) / cols;
}

/* Returns the sum of x*w*z, for the gradient of a norm. */
static double weighted_product(const float *x, const float *z)
{
    struct sum s = {{{0}}};
    for (size_t i = 0; i < COLUMNS; i += STEP)
        for (int k = 0; k < CHAINS; k++) {
            const size_t j = i + (size_t)k * LANES;
            add_product(&s, k, at(x + j), mul(at(weights + j), at(z + j)));
        }
    return total(&s);
}

ROW_LOOP(softmax, mul(at(y + j), r), const vector r = c(1 / powers(x, y, NULL, NULL)))
ROW_LOOP(log_softmax, sub(at(x + j), r), const vector r = c(largest(x) + logf(powers(x, NULL, NULL, NULL))))
ROW_LOOP(softmax_backward, mul(mul(at(y + j), r), sub(at(z + j), mean)), float dot;
         const float inverse = 1 / powers(x, y, z, &dot); const vector r = c(inverse);
         const vector mean = c(dot * inverse))
ROW_LOOP(rmsnorm, mul(mul(at(x + j), r), at(weights + j)),
         const vector r = c((float)inverse_root(dot_product(x, x) / cols)))
ROW_LOOP(rmsnorm_gated, mul(mul(mul(at(x + j), r), at(weights + j)), silu(at(z + j))),
         const vector r = c((float)inverse_root(dot_product(x, x) / cols)))
ROW_LOOP(rmsnorm_backward, multiply_add(at(x + j), back, mul(mul(at(weights + j), at(z + j)), scale)),
         const double r = inverse_root(dot_product(x, x) / cols);
         const vector scale = c((float)r);
         const vector back = c((float)(-r * r * r * weighted_product(x, z) / cols)))
ROW_LOOP(layer_norm, multiply_add(mul(sub(at(x + j), m), r), at(weights + j), at(shifts + j)),
         const float mean = (float)mean_of(x);
         const vector m = c(mean); const vector r = c((float)inverse_root(squares(x, mean) / cols)))

static const struct peer_row rows[] = {
    PEER_TYPED("softmax", "f32", softmax),
    PEER_TYPED("log_softmax", "f32", log_softmax),
    PEER_TYPED("softmax_backward", "f32", softmax_backward),
    PEER_TYPED("rmsnorm", "f32", rmsnorm),
    PEER_TYPED("rmsnorm_gated", "f32", rmsnorm_gated),
    PEER_TYPED("rmsnorm_backward", "f32", rmsnorm_backward),
    PEER_TYPED("layer_norm", "f32", layer_norm),
    PEER_ROWS_END,
};

const struct peer PEER = {NAME, ISA, start, rows};
