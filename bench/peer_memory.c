/* The limit that memory sets: a ReLU that copies, with ordinary and with streaming stores, compiled for each
 * instruction set. */
#include "bench.h"

#include <stdint.h>

#if defined(__x86_64__)
#include <immintrin.h>
#endif

static void relu(size_t n, const float *restrict x, float *restrict y)
{
    for (size_t i = 0; i < n; i++) y[i] = x[i] > 0 ? x[i] : 0;
}

#if defined(__AVX512F__)
enum { LANES = 16 };
static void stream(float *y, const float *x)
{
    _mm512_stream_ps(y, _mm512_max_ps(_mm512_loadu_ps(x), _mm512_setzero_ps()));
}
#elif defined(__AVX2__)
enum { LANES = 8 };
static void stream(float *y, const float *x)
{
    _mm256_stream_ps(y, _mm256_max_ps(_mm256_loadu_ps(x), _mm256_setzero_ps()));
}
#endif

#if defined(__AVX2__)
static void relu_streaming(size_t n, const float *x, float *y)
{
    size_t head = (0 - (uintptr_t)y) / sizeof *y % LANES, i = head < n ? head : n;
    relu(i, x, y);
    for (; i + LANES <= n; i += LANES) stream(y + i, x + i);
    relu(n - i, x + i, y + i);
    _mm_sfence();
}
#endif

static const struct peer_row rows[] = {
    PEER_LOOP(ANY_FUNCTION, "relu", relu),
#if defined(__AVX2__)
    PEER_LOOP(ANY_FUNCTION, "relu, streaming", relu_streaming),
#endif
    PEER_ROWS_END,
};

const struct peer PEER = {"limit", ISA, NULL, rows};
