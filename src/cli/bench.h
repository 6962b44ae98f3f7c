/* Measuring: who is timed, on the operands and by the loop of src/measure/. */
#ifndef ACTGEN_CLI_BENCH_H
#define ACTGEN_CLI_BENCH_H

#include "cli.h"
#include "filled.h"
#include "input.h"

typedef void (*relu_loop)(size_t n, const float *in, float *out);
typedef void (*plain_loop)(size_t n, void *const *arrays); /* inputs, then results */

struct contestant {
    void (*run)(const void *contestant);    /* NULL: absent */
    const struct filled_operands *operands; /* of run_whole, with a workspace behind them */
    const actgen_kernel *whole;             /* of run_whole: by actgen_run, for it has sums */
    actgen_fn kernel;                       /* of run_kernel: all operands */
    relu_loop relu;                         /* of run_relu: the first input to the first result, as f32 */
    plain_loop plain;                       /* of run_plain: all operands */
    double ns_per_element;                  /* the result; NaN if absent */
    double worst_ns;                        /* an element, where the stack lies worst; NaN if absent */
};
void run_kernel(const void *contestant);
void run_whole(const void *contestant);
void run_first(const void *contestant); /* a kernel of one operand: the first input to the first result */
void run_relu(const void *contestant);
void run_plain(const void *contestant);
void run_memcpy(const void *contestant); /* the first input to the first result */

/* Times the contestants in turn, many times, and keeps each one's minimum. On one core, the current one. */
void bench_measure(struct contestant *contestants, size_t count);

/* A copying ReLU by the C compiler for an instruction set of actgen_isa_name, or NULL. The processor must
 * have it. */
relu_loop bench_relu(const char *isa);
void bench_relu_avx512(size_t n, const float *in, float *out);
void bench_relu_avx2(size_t n, const float *in, float *out);
void bench_relu_baseline(size_t n, const float *in, float *out);

/* A kernel of the same operands and instruction set that only adds its inputs, or of one input is a ReLU, and
 * sums that for results that are sums: what moving and converting them costs. NULL if it cannot be made. */
actgen_kernel *bench_copy_kernel(actgen_engine *engine, const actgen_kernel *kernel);

/* The kernel's formula as a plain C loop on libm, compiled by the system's C compiler. */
struct libm_loop {
    void *library;
    plain_loop call; /* NULL: no compiler, or it failed */
};
void libm_loop_open(struct libm_loop *loop, const actgen_kernel *kernel);
void libm_loop_close(struct libm_loop *loop);

/* Who a kernel is measured beside. */
struct rivals {
    const actgen_kernel *kernel;
    actgen_kernel *copy, *relu; /* bench_copy_kernel, and the built-in; NULL without one */
    relu_loop compiler_relu;
    struct libm_loop libm;
};
struct bench_times { /* nanoseconds an element; NaN if absent */
    double ns, worst, copy, relu, memcpy, libm;
};
/* It has no function of its operands alone: it is called by actgen_run. */
bool bench_has_sums(const actgen_kernel *kernel);
/* `kernel` has machine code that runs here. */
void rivals_open(struct rivals *rivals, actgen_engine *engine, const actgen_kernel *kernel);
void rivals_close(struct rivals *rivals);
/* An exit code: there may be no memory for the operands, and that is printed. */
int rivals_measure(struct bench_times *times, const struct rivals *rivals, struct call_shape shape);

/* actgen bench --latency, for the jobs. An exit code; failures are printed. */
int bench_latency(const struct options *options, struct jobs *jobs);

#endif
