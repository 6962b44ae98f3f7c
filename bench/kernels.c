/* Kernels of other types, gates, layouts and gradients. Each is timed in turn with the kernel or loop that it
 * is compared with, in one run.
 *
 * The copy of a kernel moves the same operands by a loop that only adds or converts. */
#include "sides.h"

#include <stdlib.h>

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
        struct pair pair;
        pair_time(&pair, spec, &c->measured, &c->with, plan->seconds / COMPARISONS);
        print_row(c, pair.times, place_elements(c->measured.place), plan->json, i == 0);
    }
    if (plan->json) printf("\n]}\n");
    return EXIT_SUCCESS;
}
