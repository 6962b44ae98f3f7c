/* Products by LIBXSMM, which makes machine code for small products of fixed sizes. The columns of b are
 * copied once, in panels of a product's width. A tile has eight products, whose sums stay in the second
 * cache. So the kernel writes 1 KB of each row of the result. With 128 bytes, it took twice as long. */
#include "layer.h"
#include "product.h"

#include <libxsmm.h>
#include <string.h>

enum { ROWS = 32, COLS = 64 };
const size_t tile_rows = ROWS, tile_cols = 8 * COLS;

struct product product_open(size_t rows, size_t cols, size_t depth, const float *a, const float *b)
{
    const size_t panels = (cols + COLS - 1) / COLS;
    float *own = allocate(panels * depth * COLS, sizeof *own);
    for (size_t j = 0; j < cols; j += COLS)
        for (size_t k = 0; k < depth; k++)
            memcpy(own + j * depth + k * COLS, b + k * cols + j, smaller(COLS, cols - j) * sizeof *own);
    libxsmm_init();
    return (struct product){rows, cols, depth, a, b, own};
}

/* LIBXSMM has columns in order. So it gets the transposed matrices, and their product in the other order. */
static void multiply_small(const struct product *p, size_t row, size_t col, size_t rows, size_t cols,
                           float *out, size_t leading)
{
    const libxsmm_blasint of_b = COLS, of_a = (libxsmm_blasint)p->depth, of_out = (libxsmm_blasint)leading;
    const float alpha = 1, beta = 0;
    const libxsmm_smmfunction code =
        libxsmm_smmdispatch((libxsmm_blasint)cols, (libxsmm_blasint)rows, (libxsmm_blasint)p->depth, &of_b,
                            &of_a, &of_out, &alpha, &beta, NULL, NULL);
    if (!code) exit(1);
    code(p->own + col * p->depth, p->a + row * p->depth, out);
}

void multiply(const struct product *p, size_t row, size_t col, size_t rows, size_t cols, float *out,
              size_t leading)
{
    for (size_t i = 0; i < rows; i += ROWS)
        for (size_t j = 0; j < cols; j += COLS)
            multiply_small(p, row + i, col + j, smaller(ROWS, rows - i), smaller(COLS, cols - j),
                           out + i * leading + j, leading);
}

void product_close(struct product *p)
{
    free(p->own);
    libxsmm_finalize();
}
