/* The contestants that `actgen bench` and `actgen report` compare a kernel with. src/measure/ has the
 * operands and the timing loop. These files are linked into the program. */
#ifndef ACTGEN_RIVALS_H
#define ACTGEN_RIVALS_H

#include "cli.h"
#include "filled.h"
#include "input.h"

typedef void (*relu_loop)(size_t n, const float *in, float *out);
typedef void (*plain_loop)(size_t n, void *const *arrays); /* inputs, then results */

struct contestant {
    void (*run)(const void *contestant);    /* NULL: absent */
    const struct filled_operands *operands; /* for run_whole, followed by a workspace */
    const actgen_kernel *whole; /* for run_whole, which calls actgen_run because the kernel has sums */
    actgen_fn kernel;           /* for run_kernel, with all operands */
    relu_loop relu;             /* for run_relu: from the first input to the first result, as f32 */
    plain_loop plain;           /* for run_plain, with all operands */
    double ns_per_element;      /* the result; NaN if absent */
    double worst_ns;            /* per element, at the worst place of the stack; NaN if absent */
};
void run_kernel(const void *contestant);
void run_whole(const void *contestant);
void run_first(const void *contestant); /* a kernel of one input: from the first input to the first result */
void run_relu(const void *contestant);
void run_plain(const void *contestant);
void run_memcpy(const void *contestant); /* from the first input to the first result */

/* Times the contestants in turn, many times, and keeps the minimum of each. Runs on the current core. */
void bench_measure(struct contestant *contestants, size_t count);

/* Returns a copying ReLU that the C compiler made for an instruction set of actgen_isa_name, or NULL. The
 * processor must have the set. */
relu_loop bench_relu(const char *isa);
void bench_relu_avx512(size_t n, const float *in, float *out);
void bench_relu_avx2(size_t n, const float *in, float *out);
void bench_relu_baseline(size_t n, const float *in, float *out);

/* Compiles a kernel of the same operands and instruction set that shows the cost of moving and converting
 * them. It only adds its inputs, or is a ReLU of one input, and sums that for results that are sums. Returns
 * NULL if it cannot be made. */
actgen_kernel *bench_copy_kernel(actgen_engine *engine, const actgen_kernel *kernel);

/* The kernel's formula as a plain C loop on libm, which the system's C compiler compiles. */
struct libm_loop {
    void *library;
    plain_loop call; /* NULL without a compiler, or if it failed */
};
void libm_loop_open(struct libm_loop *loop, const actgen_kernel *kernel);
void libm_loop_close(struct libm_loop *loop);

/* The contestants that a kernel is compared with. */
struct rivals {
    const actgen_kernel *kernel;
    actgen_kernel *copy, *relu; /* bench_copy_kernel, and the built-in; NULL without one */
    relu_loop compiler_relu;
    struct libm_loop libm;
    const double *interval; /* of the inputs; NULL: they are normal numbers */
};
struct bench_times { /* nanoseconds per element; NaN if absent */
    double ns, worst, copy, relu, memcpy, libm;
};
/* Returns true if the kernel has sums, so that it has no plain function and actgen_run calls it. */
bool bench_has_sums(const actgen_kernel *kernel);
/* Opens the contestants, with no interval. `kernel` must have machine code that runs here. */
void rivals_open(struct rivals *rivals, actgen_engine *engine, const actgen_kernel *kernel);
void rivals_close(struct rivals *rivals);
/* Times the kernel and the contestants. Returns an exit code; if there is no memory for the operands, that is
 * printed. */
int rivals_measure(struct bench_times *times, const struct rivals *rivals, struct call_shape shape);

#endif
