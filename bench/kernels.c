/* Kernels of other types, gates, layouts and gradients. Each is timed in turn with the kernel or loop that it
 * is compared with, in one run.
 *
 * The copy of a kernel moves the same operands by a loop that only adds or converts. */
#include "sides.h"

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
    "kernel layer_norm(x: f32, [w | b]: f32[cols]) -> (y: f32) "
    "{ d = x - mean(x); y = d*f32(1/sqrt(f64(mean(d^2)) + 1e-5))*w + b }\n"
    "kernel layer_norm_bf16(x: bf16, [w | b]: f32[cols]) -> (y: bf16) "
    "{ d = x - mean(x); y = d*f32(1/sqrt(f64(mean(d^2)) + 1e-5))*w + b }\n"
    "kernel gelu_f32(x: f32) -> (y: f32) { y = gelu(x) }\n"
    "kernel to_i8(x: f32) -> (y: i8) { y = x }\n"
    "kernel to_e4m3(x: f32) -> (y: e4m3) { y = x }\n"
    "kernel gelu_to_i8(x: f32) -> (y: i8) { y = gelu(x) }\n"
    "kernel gelu_to_e4m3(x: f32) -> (y: e4m3) { y = gelu(x) }\n"
    "kernel gelu_i8(x: i8) -> (y: i8) { y = round(16*gelu(x/16)) }\n"
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
    {"softmax bf16, 16 rows of 4,096, of oneDNN",
     {"softmax", "bf16", BUILT_IN, ROWS, 0, 0},
     {"softmax", "bf16", "oneDNN", ROWS, 0, 0},
     1},
    {"softmax f32, 3 ulp, 16 rows of 4,096, of XNNPACK",
     {"softmax", 0, BUILT_IN, ROWS, 0, 0},
     {"softmax", "f32", "XNNPACK", ROWS, 0, 0},
     1},
    {"layer norm f32, 16 rows of 4,096, of oneDNN",
     {"layer_norm", 0, 0, ROWS, 0, 0},
     {"layer_norm", "f32", "oneDNN", ROWS, 0, 0},
     1},
    {"layer norm bf16, 16 rows of 4,096, of oneDNN",
     {"layer_norm_bf16", 0, 0, ROWS, 0, 0},
     {"layer_norm", "bf16", "oneDNN", ROWS, 0, 0},
     1},
    {"RMSNorm f32, 16 rows of 4,096, of oneDNN's layer norm",
     {"rmsnorm", 0, BUILT_IN, ROWS, 0, 0},
     {"layer_norm", "f32", "oneDNN", ROWS, 0, 0},
     1},
    {"RMSNorm bf16, 16 rows of 4,096, of oneDNN's layer norm",
     {"rmsnorm", "bf16", BUILT_IN, ROWS, 0, 0},
     {"layer_norm", "bf16", "oneDNN", ROWS, 0, 0},
     1},
    {"RMSNorm f32, 16 rows of 4,096, of oneDNN",
     {"rmsnorm", 0, BUILT_IN, ROWS, 0, 0},
     {"rmsnorm", "f32", "oneDNN", ROWS, 0, 0},
     1},
    {"RMSNorm bf16, 16 rows of 4,096, of oneDNN",
     {"rmsnorm", "bf16", BUILT_IN, ROWS, 0, 0},
     {"rmsnorm", "bf16", "oneDNN", ROWS, 0, 0},
     1},
    {"f32 to i8, of oneDNN's reorder",
     {"to_i8", 0, 0, IN_L2, 0, 0},
     {"to_i8", "f32", "oneDNN", IN_L2, 0, 0},
     1},
    {"f32 to i8, of XNNPACK's convert",
     {"to_i8", 0, 0, IN_L2, 0, 0},
     {"to_i8", "f32", "XNNPACK", IN_L2, 0, 0},
     1},
    {"i8 gelu of sixteenths, of XNNPACK's table",
     {"gelu_i8", 0, 0, IN_L2, 0, 0},
     {"gelu", "i8", "XNNPACK", IN_L2, 0, 0},
     1},
    {"gelu f32 to i8, of gelu and then the conversion",
     {"gelu_to_i8", 0, 0, IN_L2, 0, 0},
     {"gelu_f32", "to_i8", 0, IN_L2, 0, 0},
     1},
    {"gelu f32 to e4m3, of gelu and then the conversion",
     {"gelu_to_e4m3", 0, 0, IN_L2, 0, 0},
     {"gelu_f32", "to_e4m3", 0, IN_L2, 0, 0},
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

/* Returns true if no library that runs here has the loop. */
static bool is_absent(const struct side *with)
{
    return with->library && strcmp(with->library, BUILT_IN) != 0 &&
           !find_typed(with->library, with->kernel, with->second);
}

static void print_row(const struct comparison *c, const struct timing *times, size_t elements, bool json,
                      bool first)
{
    const bool measured = times[0].min > 0 && times[1].min > 0;
    const double ratio = measured ? times[0].min / times[1].min : 0, count = (double)elements;
    const double worst = measured ? times[0].worst / times[1].min : 0;
    char verdict[48];
    if (!measured && is_absent(&c->with))
        snprintf(verdict, sizeof verdict, "no %s with it", c->with.library);
    else
        snprintf(verdict, sizeof verdict, !measured ? "not measured" : ratio <= c->limit ? "met" : "not met");
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

/* Returns true if the row has one of the words, which have commas between them, or if there are none. */
static bool is_wanted(const char *row, const char *words)
{
    bool found = !words;
    while (words && *words && !found) {
        char word[64];
        const size_t length = strcspn(words, ",");
        snprintf(word, sizeof word, "%.*s", (int)length, words);
        found = strstr(row, word);
        words += length + (words[length] == ',');
    }
    return found;
}

int bench_kernels(const struct plan *plan, const char *only)
{
    size_t wanted = 0;
    bool first = true;
    for (size_t i = 0; i < COMPARISONS; i++) wanted += is_wanted(comparisons[i].what, only);
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
        if (!is_wanted(c->what, only)) continue;
        pair_time(&pair, spec, &c->measured, &c->with, plan->seconds / (double)wanted);
        print_row(c, pair.times, place_elements(c->measured.place), plan->json, first);
        first = false;
    }
    if (plan->json) printf("\n]}\n");
    return EXIT_SUCCESS;
}
