/* memcpy for any instruction set: the limit that memory sets. */
#include "bench.h"

#include <string.h>

static void copy(size_t n, const float *x, float *y) { memcpy(y, x, n * sizeof *x); }

static const struct peer_row rows[] = {
    PEER_LOOP(ANY_FUNCTION, "memcpy", copy),
    PEER_ROWS_END,
};

const struct peer PEER = {"limit", ISA, NULL, rows};
