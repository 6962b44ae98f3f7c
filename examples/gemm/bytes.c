/* Computes a layer of 8 bits, y = finish_bytes(A B). oneDNN computes the product, whose sums have 32 bits.
 * The kernel of bytes.act does what follows: dequantisation, bias, GELU and quantisation.
 *
 *     gemm_bytes [ROWS COLS DEPTH [SECONDS]]
 *
 * The layer is computed in two passes and in tiles, as by main.c. */
#include "bytes.h"
#include "layer.h"

#include <oneapi/dnnl/dnnl.h>

static const float step = 1 / 64.0F;

struct layer {
    size_t rows, cols, depth;
    int8_t *a, *b, *passes, *tiles;
    int32_t *product;
    float *scale, *bias;
};

static void multiply(const struct layer *l, size_t row, size_t col, size_t rows, size_t cols, int32_t *out,
                     size_t leading)
{
    static const int32_t offset = 0;
    const dnnl_status_t status = dnnl_gemm_s8s8s32(
        'N', 'N', 'F', (dnnl_dim_t)rows, (dnnl_dim_t)cols, (dnnl_dim_t)l->depth, 1, l->a + row * l->depth,
        (dnnl_dim_t)l->depth, 0, l->b + col, (dnnl_dim_t)l->cols, 0, 0, out, (dnnl_dim_t)leading, &offset);
    if (status != dnnl_success) exit(1);
}

static void in_two_passes(const void *layer, double *product_seconds)
{
    const struct layer *l = layer;
    const double start = now();
    multiply(l, 0, 0, l->rows, l->cols, l->product, l->cols);
    *product_seconds = now() - start;
    finish_bytes(l->rows, l->cols, l->product, l->scale, l->bias, &step, l->passes);
}

static void in_tiles(const void *layer)
{
    const struct layer *l = layer;
    for (size_t i = 0; i < l->rows; i += TILE_ROWS)
        for (size_t j = 0; j < l->cols; j += TILE_COLS) {
            const size_t rows = smaller(TILE_ROWS, l->rows - i), cols = smaller(TILE_COLS, l->cols - j);
            multiply(l, i, j, rows, cols, l->product, TILE_COLS);
            finish_bytes_strided(rows, cols, l->product, TILE_COLS, l->scale + j, l->bias + j, &step,
                                 l->tiles + i * l->cols + j, l->cols);
        }
}

/* Fills an array with integers from -127 to 127. */
static int8_t *integers(size_t count)
{
    static uint32_t state = 1;
    int8_t *out = allocate(count, sizeof *out);
    for (size_t i = 0; i < count; i++) {
        state = state * 1664525 + 1013904223;
        out[i] = (int8_t)((int)(state >> 8) % 255 - 127);
    }
    return out;
}

/* Returns the largest distance of a result from the exact one, in steps. Looks at some rows only. */
static double largest_error(const struct layer *l)
{
    double largest = 0;
    for (size_t i = 0; i < l->rows; i += 37)
        for (size_t j = 0; j < l->cols; j++) {
            int32_t sum = 0;
            for (size_t k = 0; k < l->depth; k++) sum += l->a[i * l->depth + k] * l->b[k * l->cols + j];
            const double x = (double)sum * l->scale[j] + l->bias[j];
            const double y = x / 2 * erfc(-x * sqrt(0.5)) / step, exact = fmin(fmax(y, -128), 127);
            const double error = fabs(l->tiles[i * l->cols + j] - exact);
            if (!(error <= largest)) largest = isnan(error) ? INFINITY : error;
        }
    return largest;
}

int main(int count, char **arguments)
{
    const size_t rows = count > 3 ? strtoul(arguments[1], NULL, 10) : 512;
    const size_t cols = count > 3 ? strtoul(arguments[2], NULL, 10) : 4096;
    const size_t depth = count > 3 ? strtoul(arguments[3], NULL, 10) : 512;
    struct layer l = {.rows = rows, .cols = cols, .depth = depth};
    l.a = integers(rows * depth);
    l.b = integers(depth * cols);
    l.scale = allocate(cols, sizeof *l.scale);
    l.bias = allocate(cols, sizeof *l.bias);
    for (size_t j = 0; j < cols; j++) {
        l.scale[j] = (float)(j % 7 + 1) * 4e-5F / sqrtf((float)depth);
        l.bias[j] = (float)(j % 5) * 0.1F - 0.2F;
    }
    l.product = allocate(larger(rows * cols, TILE_ROWS * TILE_COLS), sizeof *l.product);
    l.passes = allocate(rows * cols, sizeof *l.passes);
    l.tiles = allocate(rows * cols, sizeof *l.tiles);
    print_times(rows, cols, depth,
                measured(&l, count > 4 ? strtod(arguments[4], NULL) : 3, in_two_passes, in_tiles));
    const double error = largest_error(&l);
    printf("largest error: %.3f steps, %s\n", error, error < 0.511 ? "within i8" : "TOO LARGE");
    free(l.a), free(l.b), free(l.scale), free(l.bias), free(l.product), free(l.passes), free(l.tiles);
    return !(error < 0.511);
}
