/* actgen's gelu from an object, called with pointers as a C program calls it (bench/CMakeLists.txt). The
 * loop of docs/loops.md, y = gelu(x*w + b)*w, takes it by the vector ABI or from C source. GCC vectorises
 * the first. */
#include "peer_vectors.h"

#include "bench.h"

#include LINKED_HEADER
#include SOURCE_HEADER

/* Defines LINKED(name) and SOURCE(name): the object's functions of gelu, and those of the C source. */
#define JOINED_OF(a, b) a##b
#define JOINED(a, b)    JOINED_OF(a, b)
#define LINKED(name)    JOINED(LINKED_GELU, name)
#define SOURCE(name)    JOINED(SOURCE_GELU, name)

static volatile const float weight = 1.25f, bias = 0.125f; /* no constants of the loops */

static void gelu(size_t n, const float *x, float *y) { LINKED(_rows)(1, n, x, y); }
static void gelu_typed(size_t n, const void *x, void *y) { gelu(n, x, y); }

static void loop_by_abi(size_t n, const void *in, void *out)
{
    const float *restrict x = in, w = weight, b = bias;
    float *restrict y = out;
    for (size_t i = 0; i < n; i++) y[i] = LINKED()(x[i] * w + b) * w;
}

static void loop_by_source(size_t n, const void *in, void *out)
{
    const vector w = c(weight), b = c(bias);
    const float *x = in;
    float *y = out;
    size_t i = 0;
    for (; i + LANES <= n; i += LANES)
        V(storeu_ps)(y + i, mul(SOURCE(_ps)(multiply_add(V(loadu_ps)(x + i), w, b)), w));
    if (i < n) store_some(y + i, n - i, mul(SOURCE(_ps)(multiply_add(load_some(x + i, n - i), w, b)), w));
}

static float (*volatile const scalar)(float) = LINKED(); /* no compiler sees into the calls */

static void scalar_calls(size_t n, const void *in, void *out)
{
    const float *x = in;
    float *y = out, (*const function)(float) = scalar;
    for (size_t i = 0; i < n; i++) y[i] = function(x[i]);
}

/* Calls for tiles of 1 x 16, which are the smallest epilogues. */
static void tiles(size_t n, const void *in, void *out)
{
    enum { COLS = 16 };
    const float *x = in;
    float *y = out;
    size_t i = 0;
    for (; i + COLS <= n; i += COLS) LINKED(_strided)(1, COLS, x + i, COLS, y + i, COLS);
    if (i < n) LINKED(_strided)(1, n - i, x + i, COLS, y + i, COLS);
}

static const struct peer_row rows[] = {
    PEER_LOOP("gelu", "abs 2^-22", gelu),
    PEER_TYPED("gelu", "f32", gelu_typed),
    PEER_TYPED("loop by the vector ABI", "f32", loop_by_abi),
    PEER_TYPED("loop by C source", "f32", loop_by_source),
    PEER_TYPED("gelu of one value", "f32", scalar_calls),
    PEER_TYPED("gelu in tiles of 1 x 16", "f32", tiles),
    PEER_ROWS_END,
};

const struct peer PEER = {"linked object", ISA, NULL, rows};
