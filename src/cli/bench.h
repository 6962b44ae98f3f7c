/* Measuring: operands, contestants, and the loop that times them in turn. */
#ifndef ACTGEN_CLI_BENCH_H
#define ACTGEN_CLI_BENCH_H

#include "cli.h"
#include "input.h"

enum { BENCH_MAX_OPERANDS = 16 };

/* Arrays of `capacity` floats, inputs filled with normal numbers (mean 0, standard deviation 2) from a fixed
 * seed. No two arrays have the same address modulo 4 KiB, where the processor would take loads for stores
 * before them. */
struct bench_data {
    size_t capacity, input_count, result_count;
    float *inputs[BENCH_MAX_OPERANDS], *results[BENCH_MAX_OPERANDS];
};
bool bench_data_reserve(struct bench_data *data, size_t inputs, size_t results); /* false: no memory */
void bench_data_free(struct bench_data *data);

struct contestant {
    void (*run)(const struct contestant *c, size_t n);   /* NULL: absent */
    actgen_fn kernel;                                    /* of run_kernel */
    void (*loop)(size_t n, const float *in, float *out); /* of run_loop */
    void (*pointers)(size_t n, float *const *arrays);    /* of run_pointers */
    actgen_operand operands[2 * BENCH_MAX_OPERANDS];     /* inputs, then results */
    float *arrays[2 * BENCH_MAX_OPERANDS];               /* the same */
    double ns_per_element;                               /* the result; NaN if absent */
};
/* Gives it `inputs` arrays to read and `results` to write, which are reserved. */
void contestant_prepare(struct contestant *c, const struct bench_data *data, size_t inputs, size_t results);
void run_kernel(const struct contestant *c, size_t n);
void run_loop(const struct contestant *c, size_t n);
void run_pointers(const struct contestant *c, size_t n);
void run_memcpy(const struct contestant *c, size_t n);

/* Times the contestants in turn, many times, and keeps each one's minimum. On one core, the current one. */
void bench_measure(struct contestant *contestants, size_t count, size_t n);

/* A copying ReLU by the C compiler for an instruction set of actgen_isa_name, or NULL. The processor must
 * have it. */
typedef void (*relu_loop)(size_t n, const float *in, float *out);
relu_loop bench_relu(const char *isa);
void bench_relu_avx512(size_t n, const float *in, float *out);
void bench_relu_avx2(size_t n, const float *in, float *out);
void bench_relu_baseline(size_t n, const float *in, float *out);

/* The kernel's formula as a plain C loop on libm, compiled by the system's C compiler. */
struct libm_loop {
    void *library;
    void (*call)(size_t n, float *const *arrays); /* NULL: no compiler, or it failed */
};
void libm_loop_open(struct libm_loop *loop, const actgen_kernel *kernel);
void libm_loop_close(struct libm_loop *loop);

/* actgen bench --latency, for the jobs. An exit code; failures are printed. */
int bench_latency(const struct options *options, struct jobs *jobs);

#endif
