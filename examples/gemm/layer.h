/* Measures layers in two passes and in tiles, for both programs of this folder. */
#ifndef LAYER_H
#define LAYER_H

#include <math.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

/* 131,072 accumulators. Libraries copy their operands for each product, so smaller tiles cost more. */
enum { TILE_ROWS = 256, TILE_COLS = 512 };

static inline double now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

static inline size_t smaller(size_t a, size_t b) { return a < b ? a : b; }

static inline size_t larger(size_t a, size_t b) { return a > b ? a : b; }

static inline void *allocate(size_t count, size_t size)
{
    void *memory = calloc(count, size);
    if (!memory) exit(1);
    return memory;
}

/* The least times that were seen, in seconds. */
struct times {
    double product, passes, tiles;
};

/* Computes a layer in both ways for some seconds, at least once. */
static inline struct times measured(const void *layer, double seconds,
                                    void (*in_two_passes)(const void *layer, double *product_seconds),
                                    void (*in_tiles)(const void *layer))
{
    struct times t = {INFINITY, INFINITY, INFINITY};
    for (const double end = now() + seconds; t.passes == INFINITY || now() < end;) {
        double alone, start = now();
        in_two_passes(layer, &alone);
        t.passes = fmin(t.passes, now() - start);
        t.product = fmin(t.product, alone);
        start = now();
        in_tiles(layer);
        t.tiles = fmin(t.tiles, now() - start);
    }
    return t;
}

static inline void print_times(size_t rows, size_t cols, size_t depth, struct times t)
{
    printf("%zu x %zu x %zu: product %.3f ms, two passes %.3f ms, tiles %.3f ms\n", rows, cols, depth,
           t.product * 1e3, t.passes * 1e3, t.tiles * 1e3);
    printf("after the product: %.1f %% of two passes\n", 100 * (t.passes - t.product) / t.passes);
}

#endif
