/* Tests of values that blocks of columns share, against the definitions of OCP's MX formats in plain C.
 * Blocks have each bf16 as their largest magnitude, and rows end with a shorter block. ACTGEN_TEST_ALL=1 adds
 * 10^7 elements. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>

#include "engine.h"
#include "isas.h"
#include "part.h"
#include "skipping.h"

enum { NUMBERS = 1 << 15 }; /* magnitudes of bf16 */

/* -- the definitions, in doubles -- */

static float f32_of(uint16_t bf16)
{
    const uint32_t bits = (uint32_t)bf16 << 16;
    float value;
    memcpy(&value, &bits, sizeof value);
    return value;
}

/* A float of 8 or 4 bits: its largest number and the bits of this, the exponent of its smallest normal
 * number, and the bits of its fraction. Also what NaN becomes. */
struct format {
    double largest;
    uint8_t largest_bits, nan, sign;
    int least_exponent, fraction_bits;
    bool has_infinity;
};
static const struct format e4m3 = {448, 0x7e, 0x7f, 0x80, -6, 3, false},
                           e5m2 = {57344, 0x7b, 0x7f, 0x80, -14, 2, true}, e2m1 = {6, 7, 7, 8, 0, 1, false};

/* Returns the number of the format that is nearest to x, ties to even, as its bits. */
static uint8_t bits_of(const struct format *f, double x)
{
    const uint8_t sign = signbit(x) ? f->sign : 0, infinity = (uint8_t)(31 << f->fraction_bits);
    int exponent;
    if (isnan(x)) return f->nan;
    frexp(x, &exponent);
    exponent = exponent - 1 < f->least_exponent || x == 0 ? f->least_exponent : exponent - 1;
    const double units = nearbyint(ldexp(fabs(x), f->fraction_bits - exponent)); /* of the last place */
    if (isinf(x) || ldexp(units, exponent - f->fraction_bits) > f->largest) {
        if (f->has_infinity) return sign | infinity;
        return sign | f->largest_bits;
    }
    const double normal = ldexp(1, f->fraction_bits); /* the units of 2^exponent */
    const double biased = exponent - f->least_exponent + 1;
    const double bits = units < normal ? units : biased * normal + (units - normal);
    return sign | (uint8_t)bits;
}

/* Returns the power of two of the scale, or NaN. It is 2^(floor(log2(amax)) - emax), or with `up` the next
 * one if the largest element would saturate. */
static double scale_of(double amax, int emax, double largest, bool up)
{
    int exponent;
    if (!isfinite(amax)) return NAN;
    frexp(amax, &exponent);
    exponent = amax == 0 || exponent - 1 - emax < -127 ? -127 : exponent - 1 - emax;
    return ldexp(1, up && amax > ldexp(largest, exponent) ? exponent + 1 : exponent);
}

static uint8_t byte_of_scale(double scale)
{
    int exponent;
    if (isnan(scale)) return 255;
    frexp(scale, &exponent);
    return (uint8_t)(exponent - 1 + 127);
}

/* -- calls -- */

/* With `up` a scale is such that no element saturates, or is not 0. `encode` is NVIDIA's scale of a tensor
 * for nvfp4, whose blocks have 16 columns. 0: blocks of OCP's MX formats. */
static const struct rule {
    const char *text;
    const struct format *format;
    int emax;
    bool up;
    float encode;
} rules[] = {
    {"kernel q(x: bf16) -> (y: e4m3, scale: e8m0[rows, cols/32], v: f32) {\n"
     "s = e8m0(amax(abs(x), 32)/256); scale = s; y = x/s; v = x }",
     &e4m3, 8, false, 0},
    {"kernel q(x: bf16) -> (y: e4m3, scale: e8m0[rows, cols/32], v: f32) {\n"
     "m = amax(abs(x), 32); s = e8m0(m/256); t = e8m0(if m > 448*s then 2*s else s)\n"
     "scale = t; y = x/t; v = x }",
     &e4m3, 8, true, 0},
    {"kernel q(x: bf16) -> (y: e5m2, scale: e8m0[rows, cols/32], v: f32) {\n"
     "s = e8m0(amax(abs(x), 32)/32768); scale = s; y = e5m2(x/s, saturate = 0); v = x }",
     &e5m2, 15, false, 0},
    {"kernel q(x: bf16) -> (y: e2m1, scale: e8m0[rows, cols/32], v: f32) {\n"
     "s = e8m0(amax(abs(x), 32)/4); scale = s; y = x/s; v = x }",
     &e2m1, 2, false, 0},
    {"kernel q(x: bf16) -> (y: e4m3, scale: e8m0[rows, cols/32], v: f32) {\n"
     "t = e8m0(e8m0(amax(abs(x), 32) * 0x1.249248p-4)/16); scale = t; y = x/t; v = x }",
     &e4m3, 8, true, 0},
    {"kernel q(x: bf16) -> (y: e2m1, scale: e8m0[rows, cols/32], v: f32) {\n"
     "t = e8m0(e8m0(amax(abs(x), 32) * 0x1.555554p-1)/2); scale = t; y = x/t; v = x }",
     &e2m1, 2, true, 0},
    {"kernel q(x: bf16, encode: f32[]) -> (y: e2m1, scale: e4m3[rows, cols/16], v: f32) {\n"
     "s = e4m3(amax(abs(x), 16)/6*encode); scale = s\n"
     "y = x*f32(if s > 0 then encode/s else 0); v = x }",
     &e2m1, 0, false, 1},
    {"kernel q(x: bf16, encode: f32[]) -> (y: e2m1, scale: e4m3[rows, cols/16], v: f32) {\n"
     "s = e4m3(max(amax(abs(x), 16)/6*encode, 2^-9)); scale = s; y = x*f32(encode/s); v = x }",
     &e2m1, 0, true, 37.7f},
    {"kernel q([g | u]: bf16) -> (y: e4m3, scale: e8m0[rows, cols/32], v: f32) {\n"
     "w = silu(g)*u; s = e8m0(amax(abs(w), 32)/256); scale = s; y = w/s; v = w }",
     &e4m3, 8, false, 0},
};
enum { RULES = sizeof rules / sizeof *rules, GATE = RULES - 1 };

static size_t block_of(const struct rule *r) { return r->encode > 0 ? 16 : 32; }

struct call {
    size_t rows, cols, block, blocks, parts;
    uint16_t *x;
    uint8_t *y, *scale;
    float *v;
};

static struct call new_call(const struct rule *r, size_t rows, size_t cols, size_t parts)
{
    const size_t block = block_of(r);
    struct call c = {rows, cols, block, (cols + block - 1) / block, parts, NULL, NULL, NULL, NULL};
    c.x = calloc(rows * cols * parts, sizeof *c.x);
    c.y = malloc(rows * cols);
    c.scale = malloc(rows * c.blocks);
    c.v = malloc(rows * cols * sizeof *c.v);
    assert_true(c.x && c.y && c.scale && c.v);
    return c;
}

static void free_call(struct call *c)
{
    free(c->x);
    free(c->y);
    free(c->scale);
    free(c->v);
}

static uint64_t random_state = 1;
static uint32_t next_number(void)
{
    random_state = random_state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return (uint32_t)(random_state >> 33);
}

/* Makes block i of numbers that are not above bf16 number i in magnitude, which one of them has. */
static void fill_with_each_number(struct call *c)
{
    for (size_t i = 0; i < c->rows * c->cols; i++) {
        const uint16_t most = (uint16_t)(i / c->block & 0x7fff), sign = (uint16_t)((next_number() & 1) << 15);
        const uint16_t any = most ? (uint16_t)(most - next_number() % (most < 1200 ? most : 1200u)) : 0;
        c->x[i] = sign | (i % c->block == i / c->block % c->block ? most : any);
    }
}

static void fill_with_normal_numbers(struct call *c)
{
    for (size_t i = 0; i < c->rows * c->cols * c->parts; i++) {
        double sum = 0;
        for (int k = 0; k < 4; k++) sum += (double)next_number() * 0x1p-31 - 0.5;
        const float value = (float)(3 * sum);
        uint32_t bits;
        memcpy(&bits, &value, sizeof bits);
        c->x[i] = (uint16_t)(bits >> 16);
    }
}

static void check_equal(const struct rule *r, size_t at, uint8_t got, uint8_t wanted)
{
    const bool nans = (got & 0x7f) > 0x7c && (wanted & 0x7f) > 0x7c && r->format->has_infinity;
    const bool is_nan = (got & 0x7f) == 0x7f && (wanted & 0x7f) == 0x7f;
    if (got != wanted && !nans && !is_nan)
        fail_msg("%s\nelement %zu: %02x instead of %02x", r->text, at, got, wanted);
}

/* Return the byte of a block's scale, and set the factor by which elements are multiplied. */
static uint8_t mx_scale(const struct rule *r, double amax, double *factor)
{
    const double scale = scale_of(amax, r->emax, r->format->largest, r->up);
    *factor = 1 / scale;
    return byte_of_scale(scale);
}
static uint8_t nvfp4_scale(const struct rule *r, float amax, double *factor)
{
    static const double values[] = {0, 0x1p-9, 0x1p-8, 0x1.8p-8, 0x1p-7, 0x1.4p-7, 0x1.8p-7, 0x1.cp-7};
    const float sixth = amax / 6, exact = sixth * r->encode;
    const float wanted = r->up && exact < 0x1p-9f ? 0x1p-9f : exact;
    const uint8_t bits = bits_of(&e4m3, (double)wanted), size = bits & 0x7f;
    const double value = size < 8 ? values[size] : ldexp(1 + size % 8 / 8.0, size / 8 - 7);
    *factor = size == 0x7f ? (double)NAN : size ? (double)(r->encode / (float)value) : 0;
    return bits;
}

/* Returns element i, of which two share a byte if the format has 4 bits. */
static uint8_t bits_at(const struct rule *r, const struct call *c, size_t i)
{
    return r->format->sign == 8 ? c->y[i / 2] >> i % 2 * 4 & 15 : c->y[i];
}

/* Compares with the definitions, for the values v that the call has. */
static void check_results(const struct rule *r, const struct call *c)
{
    for (size_t b = 0; b < c->rows * c->blocks; b++) {
        const size_t first = b % c->blocks * c->block, row = b / c->blocks * c->cols;
        const size_t end = first + c->block < c->cols ? first + c->block : c->cols;
        double amax = 0;
        for (size_t j = first; j < end; j++) {
            const double v = fabs((double)c->v[row + j]);
            if (v > amax || isnan(v)) amax = v;
            if (isnan(v)) break;
        }
        double factor;
        const uint8_t scale =
            r->encode > 0 ? nvfp4_scale(r, (float)amax, &factor) : mx_scale(r, amax, &factor);
        const bool are_nan = r->encode > 0 && (c->scale[b] & scale & 0x7f) == 0x7f;
        if (c->scale[b] != scale && !are_nan)
            fail_msg("%s\nblock %zu: scale %02x instead of %02x, of %a", r->text, b, c->scale[b], scale,
                     amax);
        for (size_t j = first; j < end; j++) {
            const double v = (double)c->v[row + j] * factor;
            check_equal(r, row + j, bits_at(r, c, row + j),
                        bits_of(r->format, r->encode > 0 ? (double)(float)v : v));
        }
    }
}

/* Checks that v is the gate's value, if the kernel has a gate. */
static void check_values(const struct call *c)
{
    for (size_t i = 0; i < c->rows * c->cols; i++) {
        const size_t row = i / c->cols * c->parts * c->cols, j = i % c->cols;
        const double x = (double)f32_of(c->x[row + j]);
        if (c->parts == 1 && !isnan(x)) assert_true((double)c->v[i] == x);
        if (c->parts == 1) continue;
        const double y = x / (1 + exp(-x)) * (double)f32_of(c->x[row + c->cols + j]);
        if (fabs((double)c->v[i] - y) > 0x1p-20 * fabs(y)) fail_msg("%a instead of %a", (double)c->v[i], y);
    }
}

typedef int run_call(const actgen_kernel *kernel, size_t rows, size_t cols, const actgen_operand *operands,
                     size_t count, actgen_error *error);

static void check_call(const struct rule *r, const actgen_kernel *kernel, const struct call *c, run_call *run)
{
    memset(c->y, 0xa5, c->rows * c->cols);
    memset(c->scale, 0xa5, c->rows * c->blocks);
    float encode = r->encode;
    actgen_operand operands[5] = {{c->x, 0}, {&encode, 0}, {c->y, 0}, {c->scale, 0}, {c->v, 0}};
    if (r->encode == 0) operands[1] = operands[0];
    const bool has_scale = r->encode > 0;
    if (run(kernel, c->rows, c->cols, operands + !has_scale, 4 + has_scale, &error))
        fail_msg("%s", error.message);
    check_results(r, c);
    check_values(c);
}

static void check_isa(size_t number)
{
    const char *isa = own_isa_to_run(number);
    actgen_options options = ACTGEN_OPTIONS_INIT;
    if (!isa) SKIP_BECAUSE("no further instruction set on this processor, or watched by a sanitizer");
    options.isa = isa;
    for (size_t k = 0; k < RULES; k++) {
        const struct rule *r = &rules[k];
        const size_t parts = k == GATE ? 2 : 1;
        actgen_kernel *kernel = compile_with(r->text, &options);
        struct call each = new_call(r, NUMBERS / 128, 128 * block_of(r), parts),
                    some = new_call(r, 20, 1000, parts),
                    many = new_call(r, takes_all() ? 2500 : 1, 4096, parts);
        if (parts == 1) fill_with_each_number(&each);
        fill_with_normal_numbers(parts == 1 ? &some : &each);
        fill_with_normal_numbers(&some);
        fill_with_normal_numbers(&many);
        check_call(r, kernel, &each, actgen_run);
        if (number == 0) check_call(r, kernel, &each, actgen_interpret);
        check_call(r, kernel, &some, actgen_run);
        check_call(r, kernel, &some, actgen_interpret);
        check_call(r, kernel, &many, actgen_run);
        free_call(&each);
        free_call(&some);
        free_call(&many);
        actgen_kernel_free(kernel);
    }
}

/* -- scales of blocks of rows and columns, as those of DeepSeek's weights -- */

enum { SIDE = 128, WEIGHT_ROWS = 2 * SIDE + 5, WEIGHT_COLS = 3 * SIDE + 19 };

/* Each weight is its bits' number times the scale of its block. Such products are exact in f32, because e4m3
 * has few bits and so have the scales. */
static void weights_on_isa(void **state)
{
    static uint8_t q[WEIGHT_ROWS * WEIGHT_COLS];
    static float scale[3 * 4], y[WEIGHT_ROWS * WEIGHT_COLS];
    const actgen_operand operands[] = {{q, 0}, {scale, 0}, {y, 0}};
    actgen_options options = ACTGEN_OPTIONS_INIT;
    options.isa = own_isa_to_run(*(const size_t *)*state);
    if (!options.isa) SKIP_BECAUSE("no further instruction set on this processor, or watched by a sanitizer");
    actgen_kernel *k =
        compile_with("kernel w(q: e4m3, s: f32[rows/128, cols/128]) -> (y: f32) { y = q*s }", &options);
    for (size_t i = 0; i < sizeof q; i++) q[i] = (uint8_t)(next_number() % 127);
    for (size_t i = 0; i < 3 * 4; i++) scale[i] = (float)(1 + next_number() % 1000);
    run_call *const runs[] = {actgen_run, actgen_interpret};
    for (size_t way = 0; way < 2; way++) {
        if (runs[way](k, WEIGHT_ROWS, WEIGHT_COLS, operands, 3, &error)) fail_msg("%s", error.message);
        for (size_t i = 0; i < sizeof q; i++) {
            const size_t row = i / WEIGHT_COLS / SIDE, column = i % WEIGHT_COLS / SIDE;
            const int exponent = q[i] / 8, fraction = q[i] % 8;
            const double value = exponent ? ldexp(8 + fraction, exponent - 10) : ldexp(fraction, -9);
            if ((double)y[i] != value * (double)scale[4 * row + column])
                fail_msg("weight %zu: %a instead of %a", i, (double)y[i],
                         value * (double)scale[4 * row + column]);
        }
    }
    actgen_kernel_free(k);
}

static void first_isa(void **state) { (void)state, check_isa(0); }
static void second_isa(void **state) { (void)state, check_isa(1); }
static void third_isa(void **state) { (void)state, check_isa(2); }

int main(void)
{
    static size_t numbers[] = {0, 1, 2};
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_prestate(weights_on_isa, &numbers[0]),
        cmocka_unit_test_prestate(weights_on_isa, &numbers[1]),
        cmocka_unit_test_prestate(weights_on_isa, &numbers[2]),
        cmocka_unit_test(first_isa),
        cmocka_unit_test(second_isa),
        cmocka_unit_test(third_isa),
    };
    return cmocka_run_group_tests(tests, open_engine, close_engine);
}
