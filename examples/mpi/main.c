/* Computes the feed-forward layer y = (silu(x W) * (x V)) W2 on several ranks of MPI, as Megatron-LM does
 * (arXiv:1909.08053). Each rank has some columns of W and V, and the same rows of W2. It computes a part of
 * each sum, and one allreduce adds up the parts. */
#include "../random.h"
#include "gate.h"
#include <math.h>
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The hidden values of one rank: `count` of them, from `first` on. */
struct share {
    size_t dim, hidden, first, count;
};

/* Returns element i of matrix `matrix`, the same on every rank: draw number i of the matrix's seed. */
static float element(uint64_t matrix, size_t i)
{
    uint64_t state = (matrix << 56) + i * RANDOM_STEP;
    return random_uniform(&state);
}

/* Fills a matrix [dim, 2*count] with the share's columns of W, then those of V. */
static void fill_first(float *out, const struct share *s)
{
    const float scale = 1 / sqrtf((float)s->dim);
    for (size_t i = 0; i < s->dim; i++)
        for (size_t k = 0; k < 2 * s->count; k++) {
            const size_t column = s->first + k % s->count;
            *out++ = scale * element(k < s->count ? 1 : 2, i * s->hidden + column);
        }
}

/* Fills a matrix [count, dim] with the share's rows of W2. */
static void fill_second(float *out, const struct share *s)
{
    const float scale = 1 / sqrtf((float)s->hidden);
    for (size_t i = 0; i < s->count * s->dim; i++) out[i] = scale * element(3, s->first * s->dim + i);
}

/* Computes y[rows, cols] as x[rows, inner] times w[inner, cols]. Each sum begins at the first element, so the
 * bits of a column do not depend on the other columns. */
static void product(float *y, const float *x, const float *w, size_t rows, size_t inner, size_t cols)
{
    memset(y, 0, rows * cols * sizeof *y);
    for (size_t r = 0; r < rows; r++)
        for (size_t i = 0; i < inner; i++)
            for (size_t c = 0; c < cols; c++) y[r * cols + c] += x[r * inner + i] * w[i * cols + c];
}

/* One share of the layer, and the intermediate values of a batch. */
struct layer {
    struct share share;
    float *first, *second, *gate_up, *hidden;
};

static void *room(size_t count)
{
    void *out = calloc(count ? count : 1, sizeof(float));
    if (!out) {
        fputs("tensor_parallel: out of memory\n", stderr);
        MPI_Abort(MPI_COMM_WORLD, 1);
    }
    return out;
}

static struct layer layer_make(struct share s, size_t batch)
{
    struct layer l = {s, room(2 * s.dim * s.count), room(s.count * s.dim), room(2 * batch * s.count),
                      room(batch * s.count)};
    fill_first(l.first, &s);
    fill_second(l.second, &s);
    return l;
}

static void layer_free(struct layer *l)
{
    free(l->first);
    free(l->second);
    free(l->gate_up);
    free(l->hidden);
}

/* Computes y[batch, dim], the part of the results that the share adds. */
static void layer_run(const struct layer *l, size_t batch, const float *x, float *y)
{
    product(l->gate_up, x, l->first, batch, l->share.dim, 2 * l->share.count);
    swiglu(batch, l->share.count, l->gate_up, l->hidden);
    product(y, l->hidden, l->second, batch, l->share.count, l->share.dim);
}

/* Prints how far `y` is from the results of one rank that has all weights. Returns 0 if the distance is no
 * more than two sums of the same products can have. A sum of n additions, in any order, is off by at most
 * gamma times the sum of magnitudes. gamma is n*u/(1 - n*u) with u = 2^-24 (Higham, Accuracy and
 * Stability, 4.2). The hidden values have the same bits in both. */
static int compare(const struct layer *whole, size_t batch, const float *x, const float *y)
{
    const size_t dim = whole->share.dim, hidden = whole->share.hidden;
    const double u = 0x1p-24, gamma = (double)hidden * u / (1 - (double)hidden * u);
    double farthest = 0, share_of_bound = 0;
    float *alone = room(batch * dim);
    layer_run(whole, batch, x, alone);
    for (size_t i = 0; i < batch * dim; i++) {
        double magnitudes = 0;
        for (size_t k = 0; k < hidden; k++)
            magnitudes +=
                fabs((double)whole->hidden[i / dim * hidden + k] * (double)whole->second[k * dim + i % dim]);
        const double off = fabs((double)y[i] - (double)alone[i]);
        farthest = fmax(farthest, isnan(off) ? INFINITY : off);
        share_of_bound = fmax(share_of_bound, isnan(off) ? INFINITY : off / (2 * gamma * magnitudes));
    }
    free(alone);
    const int failed = !(share_of_bound <= 1);
    printf("at most %.2g from one rank's results, %.2g of what the summation can differ by%s\n", farthest,
           share_of_bound, failed ? ": WRONG" : "");
    return failed;
}

/* Runs the rank's share of the layer, and on rank 0 the comparison. */
static int run(size_t dim, size_t hidden, size_t batch, int rank, int ranks)
{
    const size_t first = hidden * (size_t)rank / (size_t)ranks,
                 end = hidden * ((size_t)rank + 1) / (size_t)ranks;
    struct layer own = layer_make((struct share){dim, hidden, first, end - first}, batch);
    float *x = room(batch * dim), *y = room(batch * dim);
    for (size_t i = 0; i < batch * dim; i++) x[i] = 4 * element(4, i);

    double times[3] = {MPI_Wtime()};
    layer_run(&own, batch, x, y);
    times[1] = MPI_Wtime();
    MPI_Allreduce(MPI_IN_PLACE, y, (int)(batch * dim), MPI_FLOAT, MPI_SUM, MPI_COMM_WORLD);
    times[2] = MPI_Wtime();
    int failed = 0;
    if (!rank) {
        printf("%zu x %zu, batch %zu, %d rank%s: %.1f ms of layer, %.1f ms of allreduce\n", dim, hidden,
               batch, ranks, ranks > 1 ? "s" : "", 1e3 * (times[1] - times[0]), 1e3 * (times[2] - times[1]));
        struct layer whole = layer_make((struct share){dim, hidden, 0, hidden}, batch);
        failed = compare(&whole, batch, x, y);
        layer_free(&whole);
    }
    MPI_Bcast(&failed, 1, MPI_INT, 0, MPI_COMM_WORLD); /* so that all exit with the same status */
    free(x);
    free(y);
    layer_free(&own);
    return failed;
}

int main(int argc, char **argv)
{
    size_t dim = 1024, hidden = 2752, batch = 16;
    int rank, ranks, failed;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    if (argc > 1 && (argc > 2 || sscanf(argv[1], "%zux%zux%zu", &dim, &hidden, &batch) != 3 || !dim ||
                     !hidden || !batch || dim > 1 << 14 || hidden > 1 << 16 || batch > 1 << 12)) {
        if (!rank) fputs("usage: mpirun -n RANKS tensor_parallel [DIMxHIDDENxBATCH]\n", stderr);
        failed = 2;
    } else {
        failed = run(dim, hidden, batch, rank, ranks);
    }
    MPI_Finalize();
    return failed;
}
