/* actgen's gelu from an object, called with pointers as a C program calls it (bench/CMakeLists.txt). */
#include "bench.h"

#include LINKED_HEADER

static void gelu(size_t n, const float *x, float *y) { LINKED_GELU(1, n, x, y); }

static const struct peer_row rows[] = {
    PEER_LOOP("gelu", "abs 2^-22", gelu),
    PEER_ROWS_END,
};

const struct peer PEER = {"linked object", ISA, NULL, rows};
