/* Runs a feed-forward layer, y = gelu(x A) B, in bf16, in int8 and in fp8 (e4m3), and prints the error of
 * each compared with f64. layer.act has the kernels. The products are plain loops in f32, whose sums of whole
 * numbers are exact here. */
#include "../random.h"
#include "layer.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { ROWS = 48, INPUTS = 96, HIDDEN = 256, OUTPUTS = 96 };

static float x[ROWS * INPUTS], a[INPUTS * HIDDEN],
    b[HIDDEN * OUTPUTS]; /* the layer, in numbers that bf16 has */
static double exact_hidden[ROWS * HIDDEN], exact[ROWS * OUTPUTS];
static float hidden_sums[ROWS * HIDDEN], sums[ROWS * OUTPUTS], y[ROWS * OUTPUTS];

/* -- the layer -- */

/* Returns a nearly normal number, a sum of eight uniform ones. */
static float normal(uint64_t *state)
{
    float sum = 0;
    for (int i = 0; i < 8; i++) sum += random_uniform(state);
    return sum * 0.612372436F; /* sqrt(3/8) */
}

/* Fills a matrix with random bf16 numbers. Some columns are larger than others, as in trained layers. */
static void fill(float *matrix, size_t rows, size_t cols, double size, uint64_t seed)
{
    static uint16_t narrow[INPUTS * HIDDEN];
    for (size_t i = 0; i < rows * cols; i++)
        matrix[i] = normal(&seed) * (float)size * (1 + 0.25F * (float)(i % cols % 8));
    round_bf16(rows, cols, matrix, narrow);
    widen_bf16(rows, cols, narrow, matrix);
}

static void evaluate_exactly(void)
{
    for (int r = 0; r < ROWS; r++)
        for (int h = 0; h < HIDDEN; h++) {
            double sum = 0;
            for (int i = 0; i < INPUTS; i++) sum += (double)x[r * INPUTS + i] * (double)a[i * HIDDEN + h];
            exact_hidden[r * HIDDEN + h] = sum / 2 * erfc(-sum / sqrt(2));
        }
    for (int r = 0; r < ROWS; r++)
        for (int o = 0; o < OUTPUTS; o++)
            for (int h = 0; h < HIDDEN; h++)
                exact[r * OUTPUTS + o] += exact_hidden[r * HIDDEN + h] * (double)b[h * OUTPUTS + o];
}

/* -- products and scales -- */

static void multiply(size_t rows, size_t inner, size_t cols, const float *left, const float *right,
                     float *out)
{
    memset(out, 0, rows * cols * sizeof *out);
    for (size_t r = 0; r < rows; r++)
        for (size_t i = 0; i < inner; i++)
            for (size_t c = 0; c < cols; c++) out[r * cols + c] += left[r * inner + i] * right[i * cols + c];
}

static float largest(size_t count, const float *numbers, size_t step)
{
    float most = 0;
    for (size_t i = 0; i < count; i++) most = fmaxf(most, fabsf(numbers[i * step]));
    return most;
}

/* Finds the scale of each column that maps its largest number to `most`. */
static void find_scales(size_t rows, size_t cols, const float *matrix, float most, float *scale)
{
    for (size_t c = 0; c < cols; c++) scale[c] = largest(rows, matrix + c, cols) / most;
}

/* Finds one scale for the whole matrix. */
static void find_scale(size_t rows, size_t cols, const float *matrix, float most, float *scale)
{
    const float all = largest(rows * cols, matrix, 1) / most;
    for (size_t c = 0; c < cols; c++) scale[c] = all;
}

/* Finds the range of the exact layer's hidden values, as a calibration would. */
static void find_range(float *least, float *most)
{
    *least = *most = 0;
    for (int i = 0; i < ROWS * HIDDEN; i++) {
        *least = fminf(*least, (float)exact_hidden[i]);
        *most = fmaxf(*most, (float)exact_hidden[i]);
    }
}

/* -- the layer in each type -- */

static void run_bf16(void)
{
    static uint16_t narrow[ROWS * HIDDEN];
    static float hidden[ROWS * HIDDEN];
    multiply(ROWS, INPUTS, HIDDEN, x, a, hidden_sums);
    gelu_bf16(ROWS, HIDDEN, hidden_sums, narrow);
    widen_bf16(ROWS, HIDDEN, narrow, hidden);
    multiply(ROWS, HIDDEN, OUTPUTS, hidden, b, y);
    round_bf16(ROWS, OUTPUTS, y, narrow);
    widen_bf16(ROWS, OUTPUTS, narrow, y);
}

static float x_scale[INPUTS], a_scale[HIDDEN], b_scale[OUTPUTS], sum_scale[HIDDEN];
static float wide_x[ROWS * INPUTS], wide_a[INPUTS * HIDDEN], wide_b[HIDDEN * OUTPUTS],
    wide_hidden[ROWS * HIDDEN];

static void set_sum_scale(size_t cols, const float *column_scale, float other)
{
    for (size_t c = 0; c < cols; c++) sum_scale[c] = column_scale[c] * other;
}

/* The conversions of a matrix to a type's numbers and back. They have the common form of kernels, because
 * each type has its own pointers. */
struct narrow_type {
    float most; /* the largest number of the type that is used */
    void (*quantise)(size_t rows, size_t cols, const actgen_operand *operands);
    void (*widen)(size_t rows, size_t cols, const actgen_operand *operands);
};

/* Rounds a matrix, scaled by column, to the type's numbers, and writes these as f32. */
static void take_to(const struct narrow_type *type, size_t rows, size_t cols, float *matrix, float *scale,
                    float *out)
{
    static unsigned char narrow[INPUTS * HIDDEN];
    type->quantise(rows, cols, (actgen_operand[]){{matrix, 0}, {scale, 0}, {narrow, 0}});
    type->widen(rows, cols, (actgen_operand[]){{narrow, 0}, {out, 0}});
}

/* Computes the first product's sums, and their scale. */
static void begin_layer(const struct narrow_type *type)
{
    find_scale(ROWS, INPUTS, x, type->most, x_scale);
    find_scales(INPUTS, HIDDEN, a, type->most, a_scale);
    find_scales(HIDDEN, OUTPUTS, b, type->most, b_scale);
    take_to(type, ROWS, INPUTS, x, x_scale, wide_x);
    take_to(type, INPUTS, HIDDEN, a, a_scale, wide_a);
    take_to(type, HIDDEN, OUTPUTS, b, b_scale, wide_b);
    multiply(ROWS, INPUTS, HIDDEN, wide_x, wide_a, hidden_sums);
    set_sum_scale(HIDDEN, a_scale, x_scale[0]);
}

/* Computes the second product. Hidden values have the scale `step`. */
static void end_layer(float step)
{
    multiply(ROWS, HIDDEN, OUTPUTS, wide_hidden, wide_b, sums);
    set_sum_scale(OUTPUTS, b_scale, step);
    scaled(ROWS, OUTPUTS, sums, sum_scale, y);
}

static void run_int8(void)
{
    static const struct narrow_type int8 = {127, quantise_i8_kernel, widen_i8_kernel};
    static uint8_t hidden[ROWS * HIDDEN];
    float least, most;
    find_range(&least, &most);
    const float step = (most - least) / 255;
    const uint8_t zero = (uint8_t)roundf(-least / step);
    begin_layer(&int8);
    gelu_u8(ROWS, HIDDEN, hidden_sums, sum_scale, &step, &zero, hidden);
    widen_u8(ROWS, HIDDEN, hidden, &zero, wide_hidden);
    end_layer(step);
}

static void run_e4m3(void)
{
    static const struct narrow_type e4m3 = {448, quantise_e4m3_kernel, widen_e4m3_kernel};
    static uint8_t hidden[ROWS * HIDDEN];
    float least, most;
    find_range(&least, &most);
    const float step = most / 448;
    begin_layer(&e4m3);
    gelu_e4m3(ROWS, HIDDEN, hidden_sums, sum_scale, &step, hidden);
    widen_e4m3(ROWS, HIDDEN, hidden, wide_hidden);
    end_layer(step);
}

/* Returns the root mean square of the error, in percent of that of the results. */
static double error_of_y(void)
{
    double error = 0, size = 0;
    for (int i = 0; i < ROWS * OUTPUTS; i++) {
        const double off = (double)y[i] - exact[i];
        error += off * off;
        size += exact[i] * exact[i];
    }
    return 100 * sqrt(error / size);
}

int main(void)
{
    static const struct {
        const char *name;
        void (*run)(void);
        double most; /* percent */
    } types[] = {{"bf16", run_bf16, 1}, {"int8", run_int8, 4}, {"e4m3", run_e4m3, 8}};
    int failed = 0;
    fill(x, ROWS, INPUTS, 1, 1);
    fill(a, INPUTS, HIDDEN, 0.08, 2);
    fill(b, HIDDEN, OUTPUTS, 0.05, 3);
    evaluate_exactly();
    printf("gelu(x A) B of %d rows, %d x %d and %d x %d: error, of the results' root mean square\n", ROWS,
           INPUTS, HIDDEN, HIDDEN, OUTPUTS);
    for (size_t n = 0; n < sizeof types / sizeof *types; n++) {
        types[n].run();
        const double error = error_of_y();
        printf("%s  %.3f %%\n", types[n].name, error);
        failed |= !(error < types[n].most);
    }
    puts(failed ? "larger than it should be" : "all within what these types can hold");
    return failed;
}
