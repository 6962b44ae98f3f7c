/* Products by OpenBLAS, which copies its operands for each product. So smaller tiles cost more. */
#include "layer.h"
#include "product.h"

#include <cblas.h>

const size_t tile_rows = TILE_ROWS, tile_cols = TILE_COLS;

struct product product_open(size_t rows, size_t cols, size_t depth, const float *a, const float *b)
{
    return (struct product){rows, cols, depth, a, b, NULL};
}

void multiply(const struct product *p, size_t row, size_t col, size_t rows, size_t cols, float *out,
              size_t leading)
{
    cblas_sgemm(CblasRowMajor, CblasNoTrans, CblasNoTrans, (int)rows, (int)cols, (int)p->depth, 1,
                p->a + row * p->depth, (int)p->depth, p->b + col, (int)p->cols, 0, out, (int)leading);
}

void product_close(struct product *p) { (void)p; }
