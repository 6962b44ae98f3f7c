/* A product of matrices by a library: openblas.c or libxsmm.c. All matrices have their rows in order. */
#ifndef PRODUCT_H
#define PRODUCT_H

#include <stddef.h>

extern const size_t tile_rows, tile_cols; /* the sums of a tile that suits the library */

struct product {
    size_t rows, cols, depth;
    const float *a, *b; /* rows x depth, depth x cols */
    float *own;         /* the library's copy of b, or NULL */
};
struct product product_open(size_t rows, size_t cols, size_t depth, const float *a, const float *b);
/* Computes a part of the product that begins at `row` and `col`. Rows of `out` are `leading` elements apart.
 * A part is a tile or everything. */
void multiply(const struct product *p, size_t row, size_t col, size_t rows, size_t cols, float *out,
              size_t leading);
void product_close(struct product *p);

#endif
