/* A layer y = finish(A B): the matrix product by a library, and what follows it by a kernel of tile.act.
 *
 *     gemm [ROWS COLS DEPTH [SECONDS]]             by OpenBLAS
 *     gemm_libxsmm [ROWS COLS DEPTH [SECONDS]]     by LIBXSMM
 *
 * The layer is computed in two ways. In two passes, the whole product goes to memory, and the kernel reads it
 * from there. In tiles, the kernel takes each tile of the product while it is in a cache. The
 * kernel's function with strides is what takes a tile: it reads `rows` by `cols` accumulators whose rows are
 * a leading dimension apart, and writes to a part of the result. */
#include "layer.h"
#include "product.h"
#include "tile.h"

struct layer {
    struct product of;
    float *a, *b, *scale, *bias, *product;
    uint16_t *residual, *passes, *tiles; /* bf16 */
};

static void in_two_passes(const void *layer, double *product_seconds)
{
    const struct layer *l = layer;
    const double start = now();
    multiply(&l->of, 0, 0, l->of.rows, l->of.cols, l->product, l->of.cols);
    *product_seconds = now() - start;
    finish(l->of.rows, l->of.cols, l->product, l->scale, l->bias, l->residual, l->passes);
}

static void in_tiles(const void *layer)
{
    const struct layer *l = layer;
    const size_t rows = l->of.rows, cols = l->of.cols;
    for (size_t i = 0; i < rows; i += tile_rows)
        for (size_t j = 0; j < cols; j += tile_cols) {
            const size_t own_rows = smaller(tile_rows, rows - i), own_cols = smaller(tile_cols, cols - j);
            const size_t at = i * cols + j;
            multiply(&l->of, i, j, own_rows, own_cols, l->product, tile_cols);
            finish_strided(own_rows, own_cols, l->product, tile_cols, l->scale + i, 1, l->bias + j,
                           l->residual + at, cols, l->tiles + at, cols);
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
    const size_t cols = l->of.cols, depth = l->of.depth;
    double largest = 0;
    for (size_t i = 0; i < l->of.rows; i += 37)
        for (size_t j = 0; j < cols; j++) {
            double sum = 0;
            for (size_t k = 0; k < depth; k++) sum += (double)l->a[i * depth + k] * l->b[k * cols + j];
            const double x = sum * l->scale[i] + l->bias[j];
            const double y = x / 2 * erfc(-x * sqrt(0.5)) + value_of(l->residual[i * cols + j]);
            const double error = fabs(value_of(l->tiles[i * cols + j]) - y) / fmax(1, fabs(y));
            if (!(error <= largest)) largest = isnan(error) ? INFINITY : error;
        }
    return largest;
}

static struct layer make_layer(size_t rows, size_t cols, size_t depth)
{
    struct layer l = {0};
    l.a = numbers(rows * depth, 1);
    l.b = numbers(depth * cols, 1);
    l.of = product_open(rows, cols, depth, l.a, l.b);
    l.scale = numbers(rows, 0.1F);
    l.bias = numbers(cols, 1);
    l.product = allocate(larger(rows * cols, tile_rows * tile_cols), sizeof *l.product);
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
    product_close(&l.of);
    free(l.a), free(l.b), free(l.scale), free(l.bias), free(l.product);
    free(l.residual), free(l.passes), free(l.tiles);
    return !(error < 0x1p-7);
}
