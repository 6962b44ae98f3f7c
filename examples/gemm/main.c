/* A layer y = finish(A B): the matrix product by OpenBLAS, and what follows it by a kernel of tile.act.
 *
 *     gemm [ROWS COLS DEPTH [SECONDS]]
 *
 * The layer is computed in two ways. In two passes, the whole product goes to memory, and the kernel reads it
 * from there. In tiles, the kernel takes each tile of the product while it is in a cache. The
 * kernel's function with strides is what takes a tile: it reads `rows` by `cols` accumulators whose rows are
 * a leading dimension apart, and writes to a part of the result. */
#include "layer.h"
#include "tile.h"

#include <cblas.h>

struct layer {
    size_t rows, cols, depth;
    float *a, *b, *scale, *bias, *product;
    uint16_t *residual, *passes, *tiles; /* bf16 */
};

static void multiply(const struct layer *l, size_t row, size_t col, size_t rows, size_t cols, float *out,
                     size_t leading)
{
    cblas_sgemm(CblasRowMajor, CblasNoTrans, CblasNoTrans, (int)rows, (int)cols, (int)l->depth, 1,
                l->a + row * l->depth, (int)l->depth, l->b + col, (int)l->cols, 0, out, (int)leading);
}

static void in_two_passes(const void *layer, double *product_seconds)
{
    const struct layer *l = layer;
    const double start = now();
    multiply(l, 0, 0, l->rows, l->cols, l->product, l->cols);
    *product_seconds = now() - start;
    finish(l->rows, l->cols, l->product, l->scale, l->bias, l->residual, l->passes);
}

static void in_tiles(const void *layer)
{
    const struct layer *l = layer;
    for (size_t i = 0; i < l->rows; i += TILE_ROWS)
        for (size_t j = 0; j < l->cols; j += TILE_COLS) {
            const size_t rows = smaller(TILE_ROWS, l->rows - i), cols = smaller(TILE_COLS, l->cols - j);
            const size_t at = i * l->cols + j;
            multiply(l, i, j, rows, cols, l->product, TILE_COLS);
            finish_strided(rows, cols, l->product, TILE_COLS, l->scale + i, 1, l->bias + j, l->residual + at,
                           l->cols, l->tiles + at, l->cols);
        }
}

/* Fills an array with numbers between -1 and 1, times `factor`. */
static float *numbers(size_t count, float factor)
{
    static uint32_t state = 1;
    float *out = allocate(count, sizeof *out);
    for (size_t i = 0; i < count; i++) {
        state = state * 1664525 + 1013904223;
        out[i] = ((float)(state >> 8) * 0x1p-23F - 1) * factor;
    }
    return out;
}

static double value_of(uint16_t bf16)
{
    const double significand = 1 + (bf16 & 0x7F) * 0x1p-7, exponent = (bf16 >> 7 & 0xFF);
    return (bf16 >> 15 ? -1 : 1) * (exponent > 0 ? ldexp(significand, (int)exponent - 127) : 0);
}

/* Returns the largest error of the tiles, measured by an exact GELU of a product in double precision. Looks
 * at some rows only, because that product is slow. */
static double largest_error(const struct layer *l)
{
    double largest = 0;
    for (size_t i = 0; i < l->rows; i += 37)
        for (size_t j = 0; j < l->cols; j++) {
            double sum = 0;
            for (size_t k = 0; k < l->depth; k++)
                sum += (double)l->a[i * l->depth + k] * l->b[k * l->cols + j];
            const double x = sum * l->scale[i] + l->bias[j];
            const double y = x / 2 * erfc(-x * sqrt(0.5)) + value_of(l->residual[i * l->cols + j]);
            const double error = fabs(value_of(l->tiles[i * l->cols + j]) - y) / fmax(1, fabs(y));
            if (!(error <= largest)) largest = isnan(error) ? INFINITY : error;
        }
    return largest;
}

static struct layer make_layer(size_t rows, size_t cols, size_t depth)
{
    struct layer l = {.rows = rows, .cols = cols, .depth = depth};
    l.a = numbers(rows * depth, 1);
    l.b = numbers(depth * cols, 1);
    l.scale = numbers(rows, 0.1F);
    l.bias = numbers(cols, 1);
    l.product = allocate(larger(rows * cols, TILE_ROWS * TILE_COLS), sizeof *l.product);
    l.residual = allocate(rows * cols, sizeof *l.residual);
    l.passes = allocate(rows * cols, sizeof *l.passes);
    l.tiles = allocate(rows * cols, sizeof *l.tiles);
    for (size_t i = 0; i < rows * cols; i++) l.residual[i] = (uint16_t)(0x3F00 + i % 64);
    return l;
}

int main(int count, char **arguments)
{
    const size_t rows = count > 3 ? strtoul(arguments[1], NULL, 10) : 512;
    const size_t cols = count > 3 ? strtoul(arguments[2], NULL, 10) : 4096;
    const size_t depth = count > 3 ? strtoul(arguments[3], NULL, 10) : 512;
    const double seconds = count > 4 ? strtod(arguments[4], NULL) : 3;
    struct layer l = make_layer(rows, cols, depth);
    print_times(rows, cols, depth, measured(&l, seconds, in_two_passes, in_tiles));
    const double error = largest_error(&l);
    printf("largest error: %.2g, %s\n", error, error < 0x1p-7 ? "within bf16" : "TOO LARGE");
    free(l.a), free(l.b), free(l.scale), free(l.bias), free(l.product);
    free(l.residual), free(l.passes), free(l.tiles);
    return !(error < 0x1p-7);
}
