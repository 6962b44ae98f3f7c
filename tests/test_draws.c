/* Tests of random numbers in kernels. The words are those that Philox's authors publish, an element's draw
 * depends only on its place, and the draws have the right distribution. Seeds are fixed, so a test always
 * passes or always fails. Fewer than one in a million good generators would exceed any of the bounds on
 * distributions. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "matrix.h"
#include "philox.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

static actgen_error error;

/* ---- words ---- */

/* The test vectors of kat_vectors in Random123 1.14, rows "philox4x32 10". */
static const struct {
    uint32_t counter[4], key[2], words[4];
} published[] = {
    {{0, 0, 0, 0}, {0, 0}, {0x6627e8d5, 0xe169c58d, 0xbc57ac4c, 0x9b00dbd8}},
    {{UINT32_MAX, UINT32_MAX, UINT32_MAX, UINT32_MAX},
     {UINT32_MAX, UINT32_MAX},
     {0x408f276d, 0x41c83b0e, 0xa20bc7c6, 0x6d5451fd}},
    {{0x243f6a88, 0x85a308d3, 0x13198a2e, 0x03707344},
     {0xa4093822, 0x299f31d0},
     {0xd16cfe09, 0x94fdcceb, 0x5001e420, 0x24126ea1}},
};

static void words_are_the_published_ones(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof published / sizeof *published; i++) {
        uint32_t words[4];
        memcpy(words, published[i].counter, sizeof words);
        philox_words(words, published[i].key);
        assert_memory_equal(words, published[i].words, sizeof words);
    }
}

/* Computes a draw as docs/language.md defines it. */
static float draw_at(uint64_t seed, uint64_t index)
{
    uint32_t words[4] = {(uint32_t)(index >> 2), (uint32_t)(index >> 34)};
    const uint32_t key[2] = {(uint32_t)seed, (uint32_t)(seed >> 32)};
    philox_words(words, key);
    return (float)ldexp(words[index & 3] >> 8, -24);
}

/* ---- machine code ---- */

static actgen_kernel *compiled_with(actgen_engine *engine, const char *text, const char *isa,
                                    actgen_options options)
{
    actgen_spec *spec;
    actgen_kernel *kernel = NULL;
    options.isa = isa;
    if (actgen_spec_parse(&spec, "test.act", text, strlen(text), &error) ||
        actgen_compile(&kernel, engine, spec, actgen_spec_kernel_name(spec, 0), &options, &error))
        fail_msg("%s: %s", text, error.message);
    actgen_spec_free(spec);
    return kernel;
}

/* Compiles the text's first kernel. */
static actgen_kernel *compiled(actgen_engine *engine, const char *text, const char *isa)
{
    return compiled_with(engine, text, isa, (actgen_options)ACTGEN_OPTIONS_INIT);
}

enum { ROWS = 3, COLS = 200, GAP = 5 };

/* Checks draws from numbers at which the halves of a counter carry, and the very last draws. */
static void check_draws(const actgen_kernel *kernel, bool interpreted)
{
    static const uint64_t seeds[] = {0, UINT64_MAX, UINT64_C(0x299f31d0a4093822)},
                          offsets[] = {0,           1, 2, 3, UINT64_C(1) << 34, (UINT64_C(1) << 34) - 301,
                                       (uint64_t)-7};
    static float y[ROWS * (COLS + GAP)];
    for (size_t s = 0; s < sizeof seeds / sizeof *seeds; s++)
        for (size_t o = 0; o < sizeof offsets / sizeof *offsets; o++)
            for (size_t cols = COLS - 67; cols <= COLS; cols++) {
                const actgen_operand operands[] = {
                    {(void *)&seeds[s], 0}, {(void *)&offsets[o], 0}, {y, cols % 2 ? 0 : cols + GAP}};
                const size_t stride = cols % 2 ? cols : cols + GAP;
                if ((interpreted ? actgen_interpret : actgen_run)(kernel, ROWS, cols, operands, 3, &error))
                    fail_msg("%s", error.message);
                for (size_t i = 0; i < ROWS * cols; i++)
                    if (y[i / cols * stride + i % cols] != draw_at(seeds[s], offsets[o] + i))
                        fail_msg("draw %zu of %zu columns from %llu on", i, cols,
                                 (unsigned long long)offsets[o]);
            }
}

/* Checks that parts of a call's rows, of any size and in any order, draw the same as the whole call. */
static void check_parts(const actgen_kernel *kernel)
{
    enum { MANY = 12, SOME = 37 };
    static float x[MANY * SOME], whole[MANY * SOME], parts[MANY * SOME];
    const uint64_t seed = 5, offset = 11;
    for (size_t i = 0; i < MANY * SOME; i++) x[i] = (float)i;
    actgen_operand operands[] = {{x, 0}, {(void *)&seed, 0}, {(void *)&offset, 0}, {whole, 0}};
    assert_int_equal(actgen_run(kernel, MANY, SOME, operands, 4, &error), ACTGEN_OK);
    operands[3].data = parts;
    for (size_t count = 1; count <= MANY; count++) {
        memset(parts, 0, sizeof parts);
        for (size_t first = (MANY - 1) / count * count;; first -= count) {
            const size_t left = MANY - first;
            assert_int_equal(
                actgen_run_rows(kernel, first, left < count ? left : count, MANY, SOME, operands, 4, &error),
                ACTGEN_OK);
            if (!first) break;
        }
        assert_memory_equal(parts, whole, sizeof whole);
    }
}

/* Checks limits next to a draw that no f32 represents. A limit rounded to nearest would choose
 * wrongly there. */
static void check_limits(actgen_engine *engine, const char *isa)
{
    enum { COUNT = 100 };
    static const struct {
        const char *choice;
        /* The choices for a limit just above the draw, and for the draw itself. */
        bool above, equal;
    } forms[] = {{"bernoulli(%.45g, seed, offset)", true, false},
                 {"if uniform(seed, offset) <= %.45g then 1 else 0", true, true},
                 {"if %.45g < uniform(seed, offset) then 1 else 0", false, false},
                 {"if %.45g <= uniform(seed, offset) then 1 else 0", false, true}};
    static float y[COUNT];
    const uint64_t seed = 6, offset = 40;
    for (size_t n = 0; n < sizeof forms / sizeof *forms; n++)
        for (size_t i = n; i < COUNT; i += COUNT / 2) {
            const double draw = (double)draw_at(seed, offset + i);
            for (int above = 0; above < 2; above++) {
                char choice[128], text[256];
                snprintf(choice, sizeof choice, forms[n].choice, above ? draw + 0x1p-40 : draw);
                snprintf(text, sizeof text, "kernel k(seed: u64[], offset: u64[]) -> (y: f32) { y = %s }",
                         choice);
                actgen_kernel *kernel = compiled(engine, text, isa);
                const actgen_operand operands[] = {{(void *)&seed, 0}, {(void *)&offset, 0}, {y, 0}};
                if (actgen_run(kernel, 1, COUNT, operands, 3, &error)) fail_msg("%s", error.message);
                if ((y[i] != 0) != (above ? forms[n].above : forms[n].equal)) fail_msg("%s", text);
                actgen_kernel_free(kernel);
            }
        }
}

#define DROPPED "y = if uniform(seed, offset) < 0.25 then 2*x else 0"
static const char plain[] = "kernel k(seed: u64[], offset: u64[]) -> (y: f32) { y = uniform(seed, offset) }";
static const char dropped[] = "kernel k(x: f32, seed: u64[], offset: u64[]) -> (y: f32) { " DROPPED " }";

/* Kernels with every kind of layout, f64 lanes, draws that end at a row's end or at an offset within a
 * counter, and programs long enough for stages. */
static const char *const texts[] = {
    plain,
    dropped,
    "kernel k(x: bf16, seed: u64[], offset: u64[]) -> (y: bf16) { " DROPPED " }",
    "kernel k(x: f64, seed: u64[], offset: u64[]) -> (y: f64) { y = x + uniform(seed, offset) }",
    "kernel k(x: f16, seed: u64[], offset: u64[]) -> (y: f16) { y = x * bernoulli(sigmoid(x), seed, offset) "
    "}",
    "kernel k([a | b]: bf16, s: f32[rows], seed: u64[], offset: u64[], other: u64[]) -> (y: bf16, z: f32) {\n"
    "    y = gelu(a) * bernoulli(0.5, seed, offset) + s\n"
    "    z = b - uniform(seed, other) * uniform(other, offset)\n}",
    "kernel k(x: bf16, seed: u64[], offset: u64[]) -> (y: bf16, kept: u8) {\n"
    "    y = dropout(gelu(x), seed, offset, p = 0.1)\n"
    "    kept = if uniform(seed, offset) < 0.1 then 0 else 1\n}",
    "kernel k([a, b]: bf16, c: f32[cols], seed: u64[], offset: u64[]) -> ([y, z]: e5m2) {\n"
    "    y = c * bernoulli(b, seed, offset); z = a }",
};

/* Checks streaming stores, whose vectors begin where the result's memory is aligned and not where a
 * counter begins. */
static void check_streaming(actgen_engine *engine, const char *isa)
{
    actgen_options options = ACTGEN_OPTIONS_INIT;
    options.streaming = 1;
    actgen_kernel *kernel = compiled_with(engine, plain, isa, options);
    check_draws(kernel, false);
    actgen_kernel_free(kernel);
}

static void check_isa(actgen_engine *engine, struct matrix *m, const char *isa)
{
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        actgen_kernel *kernel = compiled(engine, texts[i], isa);
        matrix_take(m, kernel, texts[i]);
        matrix_check_lengths(m);
        if (texts[i] == plain) {
            check_draws(kernel, false);
            check_streaming(engine, isa);
            check_limits(engine, isa);
        }
        if (texts[i] == dropped) check_parts(kernel);
        actgen_kernel_free(kernel);
    }
}

#include "each_isa.h"

static void interpreter_draws_the_same(void **state)
{
    (void)state;
    actgen_engine *engine;
    assert_int_equal(actgen_engine_create(&engine, NULL), ACTGEN_OK);
    actgen_kernel *kernel = compiled(engine, plain, NULL);
    check_draws(kernel, true);
    actgen_kernel_free(kernel);
    actgen_engine_free(engine);
}

/* ---- distributions ---- */

enum { MANY = 1 << 20, SERIES = 8, BINS = 256 };
static const double many = MANY, bins = BINS;

/* The normal deviate with 1e-8 in each tail. With fewer than 50 tests here, that makes one in a million. */
static const double deviate = 5.62;

/* Checks the chi-square statistic, which has `BINS` - 1 degrees of freedom, by the approximation of
 * Wilson and Hilferty. */
static void check_chi_square(const uint32_t *counts, const char *what)
{
    const double expected = many / bins, freedom = bins - 1, part = 2 / (9 * freedom);
    double sum = 0;
    for (size_t i = 0; i < BINS; i++)
        sum += ((double)counts[i] - expected) * ((double)counts[i] - expected) / expected;
    const double z = (cbrt(sum / freedom) - (1 - part)) / sqrt(part);
    if (fabs(z) > deviate) fail_msg("chi-square of %s is %.1f, %.1f deviations away", what, sum, z);
}

static void draws_are_uniform(void **state)
{
    (void)state;
    static float y[MANY];
    for (uint64_t seed = 0; seed < SERIES; seed++) {
        uint32_t high[BINS] = {0}, low[BINS] = {0}, pairs[BINS] = {0};
        double sum = 0, products = 0;
        philox_draws(y, seed, seed << 40, MANY);
        for (size_t i = 0; i < MANY; i++) {
            const uint32_t bits = (uint32_t)ldexp((double)y[i], 24),
                           next = (uint32_t)ldexp((double)y[(i + 1) % MANY], 24);
            high[bits >> 16]++;
            low[bits & 255]++;
            pairs[(bits >> 20) << 4 | next >> 20]++;
            sum += (double)y[i] - 0.5;
            products += ((double)y[i] - 0.5) * ((double)y[(i + 4) % MANY] - 0.5);
        }
        check_chi_square(high, "the upper bits");
        check_chi_square(low, "the lower bits");
        check_chi_square(pairs, "neighbours");
        assert_true(fabs(sum) < deviate * sqrt(many / 12));
        /* The products are of words of neighbouring counters. */
        assert_true(fabs(products) < deviate * sqrt(many / 144));
    }
}

static double uniform_mean(const float *y)
{
    double sum = 0;
    for (size_t i = 0; i < MANY; i++) sum += (double)y[i];
    return sum / many;
}

/* Runs the kernel (x: f32, seed: u64[], offset: u64[]) -> (y: f32) on one value. Returns the mean
 * of its results. */
static double mean_at(const actgen_kernel *kernel, float value, uint64_t seed)
{
    static float x[MANY], y[MANY];
    const uint64_t offset = 0;
    for (size_t i = 0; i < MANY; i++) x[i] = value;
    const actgen_operand operands[] = {{x, 0}, {(void *)&seed, 0}, {(void *)&offset, 0}, {y, 0}};
    if (actgen_run(kernel, MANY / 1024, 1024, operands, 4, &error)) fail_msg("%s", error.message);
    return uniform_mean(y);
}

static void choices_have_their_probability(void **state)
{
    (void)state;
    static const float p[] = {0.25F, 0.5F, 0.9F, 0x1p-10F};
    actgen_engine *engine;
    assert_int_equal(actgen_engine_create(&engine, NULL), ACTGEN_OK);
    actgen_kernel *kernel = compiled(
        engine, "kernel k(x: f32, seed: u64[], offset: u64[]) -> (y: f32) { y = bernoulli(x, seed, offset) }",
        NULL);
    for (size_t i = 0; i < sizeof p / sizeof *p; i++) {
        const double wanted = (double)p[i];
        assert_true(fabs(mean_at(kernel, p[i], i) - wanted) < deviate * sqrt(wanted * (1 - wanted) / many));
    }
    assert_true(mean_at(kernel, 0, 1) == 0 && mean_at(kernel, -1, 1) == 0 &&
                mean_at(kernel, -INFINITY, 1) == 0);
    assert_true(mean_at(kernel, 1, 1) == 1 && mean_at(kernel, 2, 1) == 1 &&
                mean_at(kernel, INFINITY, 1) == 1);
    assert_true(isnan(mean_at(kernel, NAN, 1)));
    actgen_kernel_free(kernel);
    /* The mean of stochastic GELU is GELU. */
    kernel =
        compiled(engine,
                 "kernel k(x: f32, seed: u64[], offset: u64[]) -> (y: f32) { y = x * bernoulli(normcdf(x), "
                 "seed, offset) }",
                 NULL);
    const double wanted = 0.7 * 0.758036347776927; /* The factor is Phi(0.7). */
    assert_true(fabs(mean_at(kernel, 0.7F, 3) - wanted) < deviate * 0.7 * sqrt(0.758 * 0.242 / many));
    actgen_kernel_free(kernel);
    actgen_engine_free(engine);
}

/* ---- gradients and refusals ---- */

/* Checks that the gradient repeats the draws and treats them as constants. */
static void gradients_draw_the_same(void **state)
{
    (void)state;
    enum { COUNT = 999 };
    static float x[COUNT], y[COUNT], d_y[COUNT], d_x[COUNT];
    const uint64_t seed = 77, offset = 123456789;
    char text[512];
    actgen_engine *engine;
    assert_int_equal(actgen_engine_create(&engine, NULL), ACTGEN_OK);
    actgen_kernel *forward = compiled(engine, dropped, NULL);
    snprintf(text, sizeof text, "kernel back = gradient k\n%s", dropped);
    actgen_kernel *backward = compiled(engine, text, NULL);
    for (size_t i = 0; i < COUNT; i++) {
        x[i] = (float)i + 1;
        d_y[i] = (float)i - 500;
    }
    const actgen_operand there[] = {{x, 0}, {(void *)&seed, 0}, {(void *)&offset, 0}, {y, 0}},
                         back[] = {{x, 0}, {(void *)&seed, 0}, {(void *)&offset, 0}, {d_y, 0}, {d_x, 0}};
    if (actgen_run(forward, 3, COUNT / 3, there, 4, &error) ||
        actgen_run(backward, 3, COUNT / 3, back, 5, &error))
        fail_msg("%s", error.message);
    size_t kept = 0;
    for (size_t i = 0; i < COUNT; i++) {
        assert_true(d_x[i] == (y[i] > 0 ? 2 * d_y[i] : 0));
        kept += y[i] > 0;
    }
    assert_in_range(kept, COUNT / 5, COUNT * 3 / 10);
    double value, inputs[] = {1, 2, 3};
    assert_int_equal(actgen_reference(forward, 0, inputs, &value, &error), ACTGEN_EINVAL);
    assert_non_null(strstr(error.message, "draws random numbers"));
    actgen_operand missing[4];
    memcpy(missing, there, sizeof missing);
    missing[1].data = NULL;
    assert_int_equal(actgen_run(forward, 3, COUNT / 3, missing, 4, &error), ACTGEN_EINVAL);
    assert_non_null(strstr(error.message, "operand `seed` is NULL"));
    actgen_kernel_free(forward);
    actgen_kernel_free(backward);
    actgen_engine_free(engine);
}

/* ---- built-ins, and masks that are kept ---- */

enum { KEPT_ROWS = 3, KEPT_COLS = 333, KEPT = KEPT_ROWS * KEPT_COLS };

/* Runs the text's kernel of that name on the operands. */
static void run_of(actgen_engine *engine, const char *text, const char *name, const actgen_operand *operands,
                   size_t count)
{
    const actgen_options options = ACTGEN_OPTIONS_INIT;
    actgen_spec *spec;
    actgen_kernel *kernel = NULL;
    if (actgen_spec_parse(&spec, "test.act", text, strlen(text), &error) ||
        actgen_compile(&kernel, engine, spec, name, &options, &error) ||
        actgen_run(kernel, KEPT_ROWS, KEPT_COLS, operands, count, &error))
        fail_msg("%s: %s", name, error.message);
    actgen_kernel_free(kernel);
    actgen_spec_free(spec);
}

/* Checks that a gradient that reads a mask of bytes equals the gradient that draws again. A dropped
 * element has a zero of either sign. */
static void masks_keep_what_was_dropped(void **state)
{
    (void)state;
    static const char text[] =
        "kernel there(x: f32, seed: u64[], offset: u64[]) -> (y: f32, kept: u8) {\n"
        "    y = dropout(x, seed, offset, p = 0.25)\n"
        "    kept = if uniform(seed, offset) < 0.25 then 0 else 1\n}\n"
        "kernel back(kept: u8, d_y: f32) -> (d_x: f32) { d_x = if kept == 0 then 0 else d_y/(1 - 0.25) }\n"
        "kernel plain(x: f32, seed: u64[], offset: u64[]) -> (y: f32) { y = dropout(x, seed, offset, p = "
        "0.25) }\n"
        "kernel again = gradient plain\n";
    static float x[KEPT], y[KEPT], d_y[KEPT], by_mask[KEPT], by_draws[KEPT];
    static unsigned char kept[KEPT];
    const uint64_t seed = 8, offset = 1001;
    actgen_engine *engine;
    assert_int_equal(actgen_engine_create(&engine, NULL), ACTGEN_OK);
    for (size_t i = 0; i < KEPT; i++) {
        x[i] = (float)i - 300.5F;
        d_y[i] = (float)i / 8 - 50;
    }
    const actgen_operand there[] = {{x, 0}, {(void *)&seed, 0}, {(void *)&offset, 0}, {y, 0}, {kept, 0}},
                         back[] = {{kept, 0}, {d_y, 0}, {by_mask, 0}},
                         again[] = {
                             {x, 0}, {(void *)&seed, 0}, {(void *)&offset, 0}, {d_y, 0}, {by_draws, 0}};
    run_of(engine, text, "there", there, 5);
    run_of(engine, text, "back", back, 3);
    run_of(engine, text, "again", again, 5);
    for (size_t i = 0; i < KEPT; i++) {
        const bool is_kept = draw_at(seed, offset + i) >= 0.25F;
        const double wanted = is_kept ? (double)x[i] / 0.75 : 0;
        assert_int_equal(kept[i], is_kept);
        assert_true(fabs((double)y[i] - wanted) <= 3e-7 * fabs(wanted));
        assert_true(by_mask[i] == by_draws[i]);
    }
    actgen_engine_free(engine);
}

/* Checks that the result is x where the draw is below the normal distribution at x, and 0 elsewhere,
 * infinities included. */
static void stochastic_gelu_keeps_by_its_input(void **state)
{
    (void)state;
    static float x[KEPT], y[KEPT];
    const uint64_t seed = 9, offset = 2;
    actgen_engine *engine;
    assert_int_equal(actgen_engine_create(&engine, NULL), ACTGEN_OK);
    for (size_t i = 0; i < KEPT; i++) x[i] = (float)i / 100 - 5;
    x[0] = -INFINITY;
    x[1] = INFINITY;
    const actgen_operand operands[] = {{x, 0}, {(void *)&seed, 0}, {(void *)&offset, 0}, {y, 0}};
    run_of(
        engine,
        "kernel k(x: f32, seed: u64[], offset: u64[]) -> (y: f32) { y = stochastic_gelu(x, seed, offset) }",
        "k", operands, 4);
    for (size_t i = 0; i < KEPT; i++) {
        const double chance = erfc(-(double)x[i] / sqrt(2)) / 2, draw = (double)draw_at(seed, offset + i);
        if (fabs(draw - chance) > 1e-6 && y[i] != (draw < chance ? x[i] : 0))
            fail_msg("of %g, with the draw %g, %g", (double)x[i], draw, (double)y[i]);
    }
    actgen_engine_free(engine);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(words_are_the_published_ones),
        cmocka_unit_test(interpreter_draws_the_same),
        EACH_ISA,
        cmocka_unit_test(draws_are_uniform),
        cmocka_unit_test(choices_have_their_probability),
        cmocka_unit_test(gradients_draw_the_same),
        cmocka_unit_test(masks_keep_what_was_dropped),
        cmocka_unit_test(stochastic_gelu_keeps_by_its_input),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
