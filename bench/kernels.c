/* Kernels of other types, gates, layouts and gradients. Each is timed in turn with the kernel or loop that it
 * is compared with, in one run.
 *
 * The copy of a kernel moves the same operands by a loop that only adds or converts. */
#include "bench.h"

#include <stdlib.h>
#include <string.h>

static const char spec[] =
    "kernel relu_bf16(x: bf16) -> (y: bf16) { y = relu(x) }\n"
    "kernel relu_f16(x: f16) -> (y: f16) { y = relu(x) }\n"
    "kernel gelu_bf16(x: bf16) -> (y: bf16) { y = gelu(x) }\n"
    "kernel silu_bf16(x: bf16) -> (y: bf16) { y = silu(x) }\n"
    "kernel tanh_bf16(x: bf16) -> (y: bf16) { y = tanh(x) }\n"
    "kernel sigmoid_bf16(x: bf16) -> (y: bf16) { y = sigmoid(x) }\n"
    "kernel gelu_f16(x: f16) -> (y: f16) { y = gelu(x) }\n"
    "kernel gelu_loose(x: f16) -> (y: f16) { accuracy abs 2^-8; y = gelu(x) }\n"
    "kernel silu_loose(x: f16) -> (y: f16) { accuracy abs 2^-8; y = silu(x) }\n"
    "kernel swiglu_loose([gate | up]: f16) -> (y: f16) { accuracy abs 2^-8; y = silu(gate) * up }\n"
    "kernel geglu_loose([gate | up]: f16) -> (y: f16) { accuracy abs 2^-8; y = gelu(gate) * up }\n"
    "kernel gelu_f64(x: f64) -> (y: f64) { y = gelu(x) }\n"
    "kernel swiglu(gate: f32, up: f32) -> (y: f32) { accuracy abs 2^-22; y = silu(gate) * up }\n"
    "kernel add(gate: f32, up: f32) -> (y: f32) { y = gate + up }\n"
    "kernel swiglu_packed([gate | up]: bf16) -> (y: bf16) { y = silu(gate) * up }\n"
    "kernel add_packed([gate | up]: bf16) -> (y: bf16) { y = gate + up }\n"
    "kernel geglu(gate: bf16, up: bf16) -> (y: bf16) { y = gelu(gate) * up }\n"
    "kernel geglu_backward = gradient geglu\n"
    "kernel geglu_backward_gate = gradient geglu of gate\n"
    "kernel geglu_backward_up = gradient geglu of up\n";

enum place { IN_L2, IN_DRAM, CONTIGUOUS, STRIDED, ROWS };
static const struct call_shape shapes[] = {
    [IN_L2] = {1, 32768, 0},      [IN_DRAM] = {1, 1 << 24, 0},    [CONTIGUOUS] = {11, 2880, 0},
    [STRIDED] = {11, 2880, 5760}, [ROWS] = {16, SOFTMAX_COLS, 0},
};

enum { ORDINARY = -1, USUAL = 0, STREAMING = 1 }; /* stores, as in actgen_options */

struct side { /* a kernel, or the function and type of a library; with `second`, the sum of two kernels */
    const char *kernel, *second, *library;
    enum place place;
    int streaming;
    const char *isa; /* NULL: the best of this machine */
};

#define BUILT_IN "actgen" /* the library of kernels that are not in the text above */

static const struct comparison {
    const char *what;
    struct side measured, with;
    double limit; /* the limit of measured / with */
} comparisons[] = {
    {"bf16 gelu, of copying bf16 ReLU",
     {"gelu_bf16", 0, 0, IN_L2, 0, 0},
     {"relu_bf16", 0, 0, IN_L2, 0, 0},
     5},
    {"bf16 silu, of copying bf16 ReLU",
     {"silu_bf16", 0, 0, IN_L2, 0, 0},
     {"relu_bf16", 0, 0, IN_L2, 0, 0},
     5},
    {"bf16 tanh, of copying bf16 ReLU",
     {"tanh_bf16", 0, 0, IN_L2, 0, 0},
     {"relu_bf16", 0, 0, IN_L2, 0, 0},
     5},
    {"bf16 sigmoid, of copying bf16 ReLU",
     {"sigmoid_bf16", 0, 0, IN_L2, 0, 0},
     {"relu_bf16", 0, 0, IN_L2, 0, 0},
     5},
    {"bf16 gelu, of oneDNN",
     {"gelu_bf16", 0, 0, IN_L2, 0, 0},
     {"gelu", "bf16", "oneDNN", IN_L2, 0, 0},
     1 / 1.8},
    {"bf16 silu, of oneDNN",
     {"silu_bf16", 0, 0, IN_L2, 0, 0},
     {"silu", "bf16", "oneDNN", IN_L2, 0, 0},
     1 / 1.8},
    {"bf16 tanh, of oneDNN",
     {"tanh_bf16", 0, 0, IN_L2, 0, 0},
     {"tanh", "bf16", "oneDNN", IN_L2, 0, 0},
     1 / 1.8},
    {"bf16 sigmoid, of oneDNN",
     {"sigmoid_bf16", 0, 0, IN_L2, 0, 0},
     {"sigmoid", "bf16", "oneDNN", IN_L2, 0, 0},
     1 / 1.8},
    {"f16 gelu, of copying f16 ReLU", {"gelu_f16", 0, 0, IN_L2, 0, 0}, {"relu_f16", 0, 0, IN_L2, 0, 0}, 5},
    {"f16 gelu, abs 2^-8, by avx512fp16, of avx512",
     {"gelu_loose", 0, 0, IN_L2, 0, "avx512fp16"},
     {"gelu_loose", 0, 0, IN_L2, 0, "avx512"},
     0.7},
    {"f16 silu, abs 2^-8, by avx512fp16, of avx512",
     {"silu_loose", 0, 0, IN_L2, 0, "avx512fp16"},
     {"silu_loose", 0, 0, IN_L2, 0, "avx512"},
     0.6},
    {"SwiGLU f16 packed, abs 2^-8, by avx512fp16, of avx512",
     {"swiglu_loose", 0, 0, IN_L2, 0, "avx512fp16"},
     {"swiglu_loose", 0, 0, IN_L2, 0, "avx512"},
     0.5},
    {"GEGLU f16 packed, abs 2^-8, by avx512fp16, of avx512",
     {"geglu_loose", 0, 0, IN_L2, 0, "avx512fp16"},
     {"geglu_loose", 0, 0, IN_L2, 0, "avx512"},
     0.5},
    {"SwiGLU f32, abs 2^-22, of its copy", {"swiglu", 0, 0, IN_L2, 0, 0}, {"add", 0, 0, IN_L2, 0, 0}, 2.2},
    {"SwiGLU bf16 packed, of its copy",
     {"swiglu_packed", 0, 0, IN_L2, 0, 0},
     {"add_packed", 0, 0, IN_L2, 0, 0},
     4.3},
    {"GEGLU backward bf16, of the two gradients one by one",
     {"geglu_backward", 0, 0, IN_L2, 0, 0},
     {"geglu_backward_gate", "geglu_backward_up", 0, IN_L2, 0, 0},
     0.6},
    {"f64 gelu, 3 ulp, of gcc -O3 on libm's erfc",
     {"gelu_f64", 0, 0, IN_L2, 0, 0},
     {"gelu", "f64", "libm", IN_L2, 0, 0},
     0.25},
    {"softmax f32, 3 ulp, 16 rows of 4,096, of oneDNN",
     {"softmax", 0, BUILT_IN, ROWS, 0, 0},
     {"softmax", "f32", "oneDNN", ROWS, 0, 0},
     1},
    {"softmax f32, 3 ulp, 16 rows of 4,096, avx2, of oneDNN",
     {"softmax", 0, BUILT_IN, ROWS, 0, "avx2"},
     {"softmax", "f32", "oneDNN", ROWS, 0, 0},
     1},
    {"SwiGLU f32 in DRAM, ordinary stores, of its copy",
     {"swiglu", 0, 0, IN_DRAM, ORDINARY, 0},
     {"add", 0, 0, IN_DRAM, ORDINARY, 0},
     1.02},
    {"SwiGLU f32 in DRAM, as compiled, of its copy with ordinary stores",
     {"swiglu", 0, 0, IN_DRAM, USUAL, 0},
     {"add", 0, 0, IN_DRAM, ORDINARY, 0},
     1},
    {"SwiGLU f32, rows of 2,880 at stride 5,760, of contiguous rows",
     {"swiglu", 0, 0, STRIDED, 0, 0},
     {"swiglu", 0, 0, CONTIGUOUS, 0, 0},
     1.05},
    {"bf16 gelu, rows of 2,880 at stride 5,760, of contiguous rows",
     {"gelu_bf16", 0, 0, STRIDED, 0, 0},
     {"gelu_bf16", 0, 0, CONTIGUOUS, 0, 0},
     1.05},
    {"SwiGLU bf16 packed, rows of 2,880 at stride 5,760 of each part, of contiguous rows",
     {"swiglu_packed", 0, 0, STRIDED, 0, 0},
     {"swiglu_packed", 0, 0, CONTIGUOUS, 0, 0},
     1.05},
};
enum { COMPARISONS = sizeof comparisons / sizeof *comparisons };

/* ---- calls ---- */

/* The calls of a side: one or two kernels, or a library's loop. */
struct prepared {
    actgen_kernel *kernel[2];        /* the second may be NULL */
    struct filled_operands operands; /* of both kernels */
    const struct typed_row *row;
};

/* Prepares a library's loop over an array. `second` is the type. */
static bool prepare_loop(struct prepared *p, const struct side *side)
{
    const int type = !strcmp(side->second, "bf16")  ? ACTGEN_BF16
                     : !strcmp(side->second, "f32") ? ACTGEN_F32
                                                    : ACTGEN_F64;
    struct filled_operands *o = &p->operands;
    p->row = find_typed(side->library, side->kernel, side->second);
    *o = (struct filled_operands){.shape = shapes[side->place], .count = 2};
    for (size_t i = 0; i < o->count; i++)
        o->list[i].data = array_filled(type, o->shape.rows * o->shape.cols, i);
    return p->row && o->list[0].data && o->list[1].data;
}

static bool prepare(struct prepared *p, const struct side *side)
{
    const char *names[2] = {side->kernel, side->second};
    *p = (struct prepared){0};
    if (side->library && strcmp(side->library, BUILT_IN) != 0) return prepare_loop(p, side);
    for (int k = 0; k < 2 && names[k]; k++) {
        p->kernel[k] = side->library ? bench_builtin(names[k], "3 ulp", side->isa)
                                     : bench_compile(spec, names[k], side->isa, side->streaming);
        if (!p->kernel[k]) return false;
    }
    return filled_open(&p->operands, p->kernel[0], shapes[side->place]);
}

static void run(const void *context)
{
    const struct prepared *p = context;
    const struct call_shape *shape = &p->operands.shape;
    const actgen_operand *list = p->operands.list;
    if (p->row) p->row->loop(shape->rows * shape->cols, list[0].data, (void *)list[1].data);
    for (int k = 0; k < 2 && p->kernel[k]; k++) {
        const actgen_fn fn = actgen_kernel_fn(p->kernel[k]); /* NULL for kernels with sums */
        if (fn)
            fn(shape->rows, shape->cols, list);
        else
            actgen_run(p->kernel[k], shape->rows, shape->cols, list, p->operands.count, NULL);
    }
}

static void prepared_free(struct prepared *p)
{
    for (int k = 0; k < 2; k++) actgen_kernel_free(p->kernel[k]);
    filled_close(&p->operands);
}

/* ---- the table ---- */

static void print_row(const struct comparison *c, const struct timing *times, size_t elements, bool json,
                      bool first)
{
    const bool measured = times[0].min > 0 && times[1].min > 0;
    const double ratio = measured ? times[0].min / times[1].min : 0, count = (double)elements;
    const double worst = measured ? times[0].worst / times[1].min : 0;
    const char *verdict = !measured ? "not measured" : ratio <= c->limit ? "met" : "not met";
    if (json)
        printf("%s\n {\"comparison\": \"%s\", \"ns_per_element\": %.4g, \"with_ns_per_element\": %.4g, "
               "\"ratio\": %.4g, \"worst_ratio\": %.4g, "
               "\"limit\": %.4g, \"verdict\": \"%s\"}",
               first ? "" : ",", c->what, times[0].min / count, times[1].min / count, ratio, worst, c->limit,
               verdict);
    else
        printf("| %s | %.4f | %.4f | %.3g | %.3g | %.3g | %s |\n", c->what, times[0].min / count,
               times[1].min / count, c->limit, ratio, worst, verdict);
    fflush(stdout);
}

static void compare(const struct comparison *c, double seconds, struct timing *times)
{
    struct prepared sides[2];
    const bool ready[2] = {prepare(&sides[0], &c->measured), prepare(&sides[1], &c->with)};
    const struct timed_call calls[2] = {{run, &sides[0]}, {run, &sides[1]}};
    if (ready[0] && ready[1]) measure_calls(calls, 2, seconds, times);
    for (int k = 0; k < 2; k++) prepared_free(&sides[k]);
}

int bench_kernels(const struct plan *plan)
{
    if (plan->json) printf("{");
    report_machine(plan->json);
    if (plan->json)
        printf(",\n\"kernels\": [");
    else
        printf("\n| kernel | ns an element | with | limit of the ratio | measured | at worst | "
               "|\n|---|--:|--:|--:|--:|--:|---|\n");
    for (size_t i = 0; i < COMPARISONS; i++) {
        const struct comparison *c = &comparisons[i];
        struct timing times[2] = {0};
        compare(c, plan->seconds / COMPARISONS, times);
        print_row(c, times, shapes[c->measured.place].rows * shapes[c->measured.place].cols, plan->json,
                  i == 0);
    }
    if (plan->json) printf("\n]}\n");
    return EXIT_SUCCESS;
}
