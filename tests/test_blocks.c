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

enum { BLOCK = 32, NUMBERS = 1 << 15 }; /* magnitudes of bf16 */

/* -- the definitions, in doubles -- */

static float f32_of(uint16_t bf16)
{
    const uint32_t bits = (uint32_t)bf16 << 16;
    float value;
    memcpy(&value, &bits, sizeof value);
    return value;
}

/* An 8-bit float: its largest number, the exponent of its smallest normal number, and the bits of its
 * fraction. */
struct format {
    double largest;
    int least_exponent, fraction_bits;
    bool has_infinity;
};
static const struct format e4m3 = {448, -6, 3, false}, e5m2 = {57344, -14, 2, true};

/* Returns the number of the format that is nearest to x, ties to even, as its bits. */
static uint8_t bits_of(const struct format *f, double x)
{
    const uint8_t sign = signbit(x) ? 0x80 : 0, infinity = (uint8_t)(31 << f->fraction_bits);
    int exponent;
    if (isnan(x)) return 0x7f;
    frexp(x, &exponent);
    exponent = exponent - 1 < f->least_exponent || x == 0 ? f->least_exponent : exponent - 1;
    const double units = nearbyint(ldexp(fabs(x), f->fraction_bits - exponent)); /* of the last place */
    if (isinf(x) || ldexp(units, exponent - f->fraction_bits) > f->largest) {
        if (f->has_infinity) return sign | infinity;
        return sign | 0x7e;
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

static const struct rule {
    const char *text;
    const struct format *format;
    int emax;
    bool up;
} rules[] = {
    {"kernel q(x: bf16) -> (y: e4m3, scale: e8m0[rows, cols/32], v: f32) {\n"
     "s = e8m0(amax(abs(x), 32)/256); scale = s; y = x/s; v = x }",
     &e4m3, 8, false},
    {"kernel q(x: bf16) -> (y: e4m3, scale: e8m0[rows, cols/32], v: f32) {\n"
     "m = amax(abs(x), 32); s = e8m0(m/256); t = e8m0(if m > 448*s then 2*s else s)\n"
     "scale = t; y = x/t; v = x }",
     &e4m3, 8, true},
    {"kernel q(x: bf16) -> (y: e5m2, scale: e8m0[rows, cols/32], v: f32) {\n"
     "s = e8m0(amax(abs(x), 32)/32768); scale = s; y = e5m2(x/s, saturate = 0); v = x }",
     &e5m2, 15, false},
    {"kernel q([g | u]: bf16) -> (y: e4m3, scale: e8m0[rows, cols/32], v: f32) {\n"
     "w = silu(g)*u; s = e8m0(amax(abs(w), 32)/256); scale = s; y = w/s; v = w }",
     &e4m3, 8, false},
};
enum { RULES = sizeof rules / sizeof *rules, GATE = RULES - 1 };

struct call {
    size_t rows, cols, blocks, parts;
    uint16_t *x;
    uint8_t *y, *scale;
    float *v;
};

static struct call new_call(size_t rows, size_t cols, size_t parts)
{
    struct call c = {.rows = rows, .cols = cols, .blocks = (cols + BLOCK - 1) / BLOCK, .parts = parts};
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
        const uint16_t most = (uint16_t)(i / BLOCK & 0x7fff), sign = (uint16_t)((next_number() & 1) << 15);
        const uint16_t any = most ? (uint16_t)(most - next_number() % (most < 1200 ? most : 1200u)) : 0;
        c->x[i] = sign | (i % BLOCK == i / BLOCK % BLOCK ? most : any);
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

/* Compares with the definitions, for the values v that the call has. */
static void check_results(const struct rule *r, const struct call *c)
{
    for (size_t b = 0; b < c->rows * c->blocks; b++) {
        const size_t first = b % c->blocks * BLOCK, row = b / c->blocks * c->cols;
        const size_t end = first + BLOCK < c->cols ? first + BLOCK : c->cols;
        double amax = 0;
        for (size_t j = first; j < end; j++) {
            const double v = fabs((double)c->v[row + j]);
            if (v > amax || isnan(v)) amax = v;
            if (isnan(v)) break;
        }
        const double scale = scale_of(amax, r->emax, r->format->largest, r->up);
        if (c->scale[b] != byte_of_scale(scale))
            fail_msg("%s\nblock %zu: scale %02x instead of %02x, of %a", r->text, b, c->scale[b],
                     byte_of_scale(scale), amax);
        for (size_t j = first; j < end; j++)
            check_equal(r, row + j, c->y[row + j], bits_of(r->format, (double)c->v[row + j] / scale));
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
    const actgen_operand operands[] = {{c->x, 0}, {c->y, 0}, {c->scale, 0}, {c->v, 0}};
    if (run(kernel, c->rows, c->cols, operands, 4, &error)) fail_msg("%s", error.message);
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
        struct call each = new_call(NUMBERS / 128, 128 * BLOCK, parts), some = new_call(20, 1000, parts),
                    many = new_call(takes_all() ? 2500 : 1, 4096, parts);
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

static void first_isa(void **state) { (void)state, check_isa(0); }
static void second_isa(void **state) { (void)state, check_isa(1); }
static void third_isa(void **state) { (void)state, check_isa(2); }

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(first_isa),
        cmocka_unit_test(second_isa),
        cmocka_unit_test(third_isa),
    };
    return cmocka_run_group_tests(tests, open_engine, close_engine);
}
