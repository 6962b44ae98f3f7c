/* Measuring: operands, contestants, and the loop that times them in turn. */
#ifndef ACTGEN_CLI_BENCH_H
#define ACTGEN_CLI_BENCH_H

#include "cli.h"
#include "input.h"

enum { BENCH_MAX_OPERANDS = 64 }; /* of a call */

struct bench_shape {
    size_t rows, cols;
    size_t stride; /* columns from row to row, of each part; 0: no gap */
};

/* Operands of a call: inputs are normal numbers (mean 0, standard deviation 2) from a fixed seed. No two arrays have the
 * same address modulo 4 KiB, where the processor would take loads for stores before them. */
struct bench_operands {
    struct bench_shape shape;
    actgen_operand list[BENCH_MAX_OPERANDS]; /* inputs, then results */
    size_t count, input_count;
    int plain_type; /* ACTGEN_F32 or ACTGEN_F64 if all are arrays of it, each of rows * cols elements; else -1 */
};
struct bench_numbers; /* where inputs come from; one for all operands. malloc'ed */
struct bench_numbers *bench_numbers_create(void);
/* False: no memory. Close in both cases. */
bool bench_operands_open(struct bench_operands *o, const actgen_kernel *kernel, struct bench_shape shape,
                         const struct bench_numbers *numbers);
void bench_operands_close(struct bench_operands *o);

typedef void (*relu_loop)(size_t n, const float *in, float *out);
typedef void (*plain_loop)(size_t n, void *const *arrays); /* inputs, then results */

struct contestant {
    void (*run)(const struct contestant *c); /* NULL: absent */
    const struct bench_operands *operands;
    actgen_fn kernel;      /* of run_kernel: all operands */
    relu_loop relu;        /* of run_relu: the first input to the first result, as f32 */
    plain_loop plain;      /* of run_plain: all operands */
    double ns_per_element; /* the result; NaN if absent */
};
void run_kernel(const struct contestant *c);
void run_first(const struct contestant *c); /* a kernel of one operand: the first input to the first result */
void run_relu(const struct contestant *c);
void run_plain(const struct contestant *c);
void run_memcpy(const struct contestant *c); /* the first input to the first result */

/* Times the contestants in turn, many times, and keeps each one's minimum. On one core, the current one. */
void bench_measure(struct contestant *contestants, size_t count);

/* A copying ReLU by the C compiler for an instruction set of actgen_isa_name, or NULL. The processor must
 * have it. */
relu_loop bench_relu(const char *isa);
void bench_relu_avx512(size_t n, const float *in, float *out);
void bench_relu_avx2(size_t n, const float *in, float *out);
void bench_relu_baseline(size_t n, const float *in, float *out);

/* A kernel of the same operands and instruction set that only adds its inputs, or of one input is a ReLU: what moving and
 * converting them costs. NULL if it cannot be made. */
actgen_kernel *bench_copy_kernel(actgen_engine *engine, const actgen_kernel *kernel);

/* The kernel's formula as a plain C loop on libm, compiled by the system's C compiler. */
struct libm_loop {
    void *library;
    plain_loop call; /* NULL: no compiler, or it failed */
};
void libm_loop_open(struct libm_loop *loop, const actgen_kernel *kernel);
void libm_loop_close(struct libm_loop *loop);

/* actgen bench --latency, for the jobs. An exit code; failures are printed. */
int bench_latency(const struct options *options, struct jobs *jobs);

#endif
