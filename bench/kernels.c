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
    "kernel to_bf16(x: f32) -> (y: bf16) { y = x }\n"
    "kernel gelu_to_bf16(x: f32) -> (y: bf16) { y = gelu(x) }\n"
    "kernel times_f64(x: bf16, s: f64[rows]) -> (y: bf16) { y = x*s }\n"
    "kernel times_f32(x: bf16, s: f32[rows]) -> (y: bf16) { y = x*s }\n"
    "kernel gelu_i8(x: i8) -> (y: i8) { y = round(16*gelu(x/16)) }\n"
    "kernel geglu(gate: bf16, up: bf16) -> (y: bf16) { y = gelu(gate) * up }\n"
    "kernel geglu_backward = gradient geglu\n"
    "kernel geglu_backward_gate = gradient geglu of gate\n"
    "kernel geglu_backward_up = gradient geglu of up\n"
    "kernel softmax_backward = gradient softmax\n"
    "kernel rmsnorm_backward = gradient rmsnorm of x\n";

/* A side: a kernel of the text, or a library's function for a type. Further fields of the side may follow. */
#define KERNEL(...)                                                                                          \
    {                                                                                                        \
        .kernel = __VA_ARGS__                                                                                \
    }
#define FUNCTION(by, name, ...)                                                                              \
    {                                                                                                        \
        .library = by, .kernel = name, .type = __VA_ARGS__                                                   \
    }

/* Rows of a built-in, or of a kernel of the text, beside the loop of peer_rows.c for the same set and place.
 */
#define BESIDE_LOOP(rows, loops, where, name, set, side)                                                     \
    {                                                                                                        \
        name " f32, " rows ", " set ", of a hand-written loop", 1.1, side,                                   \
            FUNCTION(loops ", " set, name, "f32", .place = where)                                            \
    }
#define BUILT_IN_BESIDE_LOOP(name, set)                                                                      \
    BESIDE_LOOP("16 rows of 4,096", "row loops", ROWS, name, set,                                            \
                FUNCTION(BUILT_IN, name, "f32", .place = ROWS, .isa = set))
#define OF_LENGTH_BESIDE_LOOP(columns, where, name, set)                                                     \
    BESIDE_LOOP("rows of " columns, "row loops of " columns, where, name, set,                               \
                FUNCTION(BUILT_IN, name, "f32", .place = where, .isa = set))
#define KERNEL_BESIDE_LOOP(name, set)                                                                        \
    BESIDE_LOOP("16 rows of 4,096", "row loops", ROWS, name, set, KERNEL(name, .place = ROWS, .isa = set))

/* Rows of results in bf16: from f32, from products with f64 values, and of softmax. */
#define TO_BF16(set)                                                                                         \
    {"gelu f32 to bf16, " set ", of gelu and then the conversion", 1, KERNEL("gelu_to_bf16", .isa = set),    \
     KERNEL("gelu_f32", .then = "to_bf16", .isa = set)},                                                     \
        {"bf16 times f64 of its row, " set ", of bf16 times f32", 1.05, KERNEL("times_f64", .isa = set),     \
         KERNEL("times_f32", .isa = set)},                                                                   \
    {                                                                                                        \
        "softmax bf16, 16 rows of 4,096, " set ", of softmax f32", 1,                                        \
            FUNCTION(BUILT_IN, "softmax", "bf16", .place = ROWS, .isa = set),                                \
            FUNCTION(BUILT_IN, "softmax", "f32", .place = ROWS, .isa = set)                                  \
    }

static const struct comparison {
    const char *what;
    double limit; /* the limit of measured / with */
    struct side measured, with;
} comparisons[] = {
    {"bf16 gelu, of copying bf16 ReLU", 5, KERNEL("gelu_bf16"), KERNEL("relu_bf16")},
    {"bf16 silu, of copying bf16 ReLU", 5, KERNEL("silu_bf16"), KERNEL("relu_bf16")},
    {"bf16 tanh, of copying bf16 ReLU", 5, KERNEL("tanh_bf16"), KERNEL("relu_bf16")},
    {"bf16 sigmoid, of copying bf16 ReLU", 5, KERNEL("sigmoid_bf16"), KERNEL("relu_bf16")},
    {"bf16 gelu, of oneDNN", 1 / 1.8, KERNEL("gelu_bf16"), FUNCTION("oneDNN", "gelu", "bf16")},
    {"bf16 silu, of oneDNN", 1 / 1.8, KERNEL("silu_bf16"), FUNCTION("oneDNN", "silu", "bf16")},
    {"bf16 tanh, of oneDNN", 1 / 1.8, KERNEL("tanh_bf16"), FUNCTION("oneDNN", "tanh", "bf16")},
    {"bf16 sigmoid, of oneDNN", 1 / 1.8, KERNEL("sigmoid_bf16"), FUNCTION("oneDNN", "sigmoid", "bf16")},
    {"f16 gelu, of copying f16 ReLU", 5, KERNEL("gelu_f16"), KERNEL("relu_f16")},
    {"f16 gelu, abs 2^-8, by avx512fp16, of avx512", 0.7, KERNEL("gelu_loose", .isa = "avx512fp16"),
     KERNEL("gelu_loose", .isa = "avx512")},
    {"f16 silu, abs 2^-8, by avx512fp16, of avx512", 0.6, KERNEL("silu_loose", .isa = "avx512fp16"),
     KERNEL("silu_loose", .isa = "avx512")},
    {"SwiGLU f16 packed, abs 2^-8, by avx512fp16, of avx512", 0.5,
     KERNEL("swiglu_loose", .isa = "avx512fp16"), KERNEL("swiglu_loose", .isa = "avx512")},
    {"GEGLU f16 packed, abs 2^-8, by avx512fp16, of avx512", 0.5, KERNEL("geglu_loose", .isa = "avx512fp16"),
     KERNEL("geglu_loose", .isa = "avx512")},
    {"SwiGLU f32, abs 2^-22, of its copy", 2.2, KERNEL("swiglu"), KERNEL("add")},
    {"SwiGLU bf16 packed, of its copy", 4.3, KERNEL("swiglu_packed"), KERNEL("add_packed")},
    {"GEGLU backward bf16, of the two gradients one by one", 0.6, KERNEL("geglu_backward"),
     KERNEL("geglu_backward_gate", .then = "geglu_backward_up")},
    {"f64 gelu, 3 ulp, of gcc -O3 on libm's erfc", 0.25, KERNEL("gelu_f64"), FUNCTION("libm", "gelu", "f64")},
    {"loop of gelu(x*w + b)*w by GCC and the vector ABI, of the kernel alone", 1.7,
     FUNCTION("linked object", "loop by the vector ABI", "f32"), FUNCTION("linked object", "gelu", "f32")},
    {"loop of gelu(x*w + b)*w by C source, of the kernel alone", 1.7,
     FUNCTION("linked object", "loop by C source", "f32"), FUNCTION("linked object", "gelu", "f32")},
    {"gelu of one value, abs 2^-22, of libm's erff form", 1,
     FUNCTION("linked object", "gelu of one value", "f32"), FUNCTION("libm", "gelu of one value", "f32")},
    /* A call may take 5 ns more than the kernel by itself, which takes 1.25 ns for 16 elements of a Zen 5. */
    {"gelu in tiles of 1 x 16, a call for each, of the kernel alone", 5,
     FUNCTION("linked object", "gelu in tiles of 1 x 16", "f32"), FUNCTION("linked object", "gelu", "f32")},
    {"softmax f32, 3 ulp, 16 rows of 4,096, of oneDNN", 1,
     FUNCTION(BUILT_IN, "softmax", "f32", .place = ROWS),
     FUNCTION("oneDNN", "softmax", "f32", .place = ROWS)},
    {"softmax f32, 3 ulp, 16 rows of 4,096, avx2, of oneDNN", 1,
     FUNCTION(BUILT_IN, "softmax", "f32", .place = ROWS, .isa = "avx2"),
     FUNCTION("oneDNN", "softmax", "f32", .place = ROWS)},
    {"softmax bf16, 16 rows of 4,096, of oneDNN", 1, FUNCTION(BUILT_IN, "softmax", "bf16", .place = ROWS),
     FUNCTION("oneDNN", "softmax", "bf16", .place = ROWS)},
    {"softmax f32, 3 ulp, 16 rows of 4,096, of XNNPACK", 1,
     FUNCTION(BUILT_IN, "softmax", "f32", .place = ROWS),
     FUNCTION("XNNPACK", "softmax", "f32", .place = ROWS)},
    {"layer norm f32, 16 rows of 4,096, of oneDNN", 1, KERNEL("layer_norm", .place = ROWS),
     FUNCTION("oneDNN", "layer_norm", "f32", .place = ROWS)},
    {"layer norm bf16, 16 rows of 4,096, of oneDNN", 1, KERNEL("layer_norm_bf16", .place = ROWS),
     FUNCTION("oneDNN", "layer_norm", "bf16", .place = ROWS)},
    {"RMSNorm f32, 16 rows of 4,096, of oneDNN's layer norm", 1,
     FUNCTION(BUILT_IN, "rmsnorm", "f32", .place = ROWS),
     FUNCTION("oneDNN", "layer_norm", "f32", .place = ROWS)},
    {"RMSNorm bf16, 16 rows of 4,096, of oneDNN's layer norm", 1,
     FUNCTION(BUILT_IN, "rmsnorm", "bf16", .place = ROWS),
     FUNCTION("oneDNN", "layer_norm", "bf16", .place = ROWS)},
    {"RMSNorm f32, 16 rows of 4,096, of oneDNN", 1, FUNCTION(BUILT_IN, "rmsnorm", "f32", .place = ROWS),
     FUNCTION("oneDNN", "rmsnorm", "f32", .place = ROWS)},
    {"RMSNorm bf16, 16 rows of 4,096, of oneDNN", 1, FUNCTION(BUILT_IN, "rmsnorm", "bf16", .place = ROWS),
     FUNCTION("oneDNN", "rmsnorm", "bf16", .place = ROWS)},
    OF_LENGTH_BESIDE_LOOP("64", SHORT_ROWS, "softmax", "avx512"),
    OF_LENGTH_BESIDE_LOOP("64", SHORT_ROWS, "softmax", "avx2"),
    OF_LENGTH_BESIDE_LOOP("64", SHORT_ROWS, "rmsnorm", "avx512"),
    OF_LENGTH_BESIDE_LOOP("64", SHORT_ROWS, "rmsnorm", "avx2"),
    OF_LENGTH_BESIDE_LOOP("32768", LONG_ROWS, "softmax", "avx512"),
    OF_LENGTH_BESIDE_LOOP("32768", LONG_ROWS, "softmax", "avx2"),
    OF_LENGTH_BESIDE_LOOP("32768", LONG_ROWS, "rmsnorm", "avx512"),
    OF_LENGTH_BESIDE_LOOP("32768", LONG_ROWS, "rmsnorm", "avx2"),
    BUILT_IN_BESIDE_LOOP("softmax", "avx512"),
    BUILT_IN_BESIDE_LOOP("softmax", "avx2"),
    BUILT_IN_BESIDE_LOOP("log_softmax", "avx512"),
    BUILT_IN_BESIDE_LOOP("log_softmax", "avx2"),
    BUILT_IN_BESIDE_LOOP("rmsnorm", "avx512"),
    BUILT_IN_BESIDE_LOOP("rmsnorm", "avx2"),
    BUILT_IN_BESIDE_LOOP("rmsnorm_gated", "avx512"),
    BUILT_IN_BESIDE_LOOP("rmsnorm_gated", "avx2"),
    KERNEL_BESIDE_LOOP("layer_norm", "avx512"),
    KERNEL_BESIDE_LOOP("layer_norm", "avx2"),
    KERNEL_BESIDE_LOOP("softmax_backward", "avx512"),
    KERNEL_BESIDE_LOOP("softmax_backward", "avx2"),
    KERNEL_BESIDE_LOOP("rmsnorm_backward", "avx512"),
    KERNEL_BESIDE_LOOP("rmsnorm_backward", "avx2"),
    {"f32 to i8, of oneDNN's reorder", 1, KERNEL("to_i8"), FUNCTION("oneDNN", "to_i8", "f32")},
    {"f32 to i8, of XNNPACK's convert", 1, KERNEL("to_i8"), FUNCTION("XNNPACK", "to_i8", "f32")},
    {"i8 gelu of sixteenths, of XNNPACK's table", 1, KERNEL("gelu_i8"), FUNCTION("XNNPACK", "gelu", "i8")},
    {"gelu f32 to i8, of gelu and then the conversion", 1, KERNEL("gelu_to_i8"),
     KERNEL("gelu_f32", .then = "to_i8")},
    {"gelu f32 to e4m3, of gelu and then the conversion", 1, KERNEL("gelu_to_e4m3"),
     KERNEL("gelu_f32", .then = "to_e4m3")},
    {"gelu f32 to i8, avx2, of gelu and then the conversion", 1, KERNEL("gelu_to_i8", .isa = "avx2"),
     KERNEL("gelu_f32", .then = "to_i8", .isa = "avx2")},
    {"gelu f32 to e4m3, avx2, of gelu and then the conversion", 1, KERNEL("gelu_to_e4m3", .isa = "avx2"),
     KERNEL("gelu_f32", .then = "to_e4m3", .isa = "avx2")},
    TO_BF16("avx512"),
    TO_BF16("avx2"),
    {"SwiGLU f32 in DRAM, ordinary stores, of its copy", 1.02,
     KERNEL("swiglu", .place = IN_DRAM, .streaming = ORDINARY),
     KERNEL("add", .place = IN_DRAM, .streaming = ORDINARY)},
    {"SwiGLU f32 in DRAM, as compiled, of its copy with ordinary stores", 1,
     KERNEL("swiglu", .place = IN_DRAM, .streaming = USUAL),
     KERNEL("add", .place = IN_DRAM, .streaming = ORDINARY)},
    {"SwiGLU f32, rows of 2,880 at stride 5,760, of contiguous rows", 1.05,
     KERNEL("swiglu", .place = STRIDED), KERNEL("swiglu", .place = CONTIGUOUS)},
    {"bf16 gelu, rows of 2,880 at stride 5,760, of contiguous rows", 1.05,
     KERNEL("gelu_bf16", .place = STRIDED), KERNEL("gelu_bf16", .place = CONTIGUOUS)},
    {"SwiGLU bf16 packed, rows of 2,880 at stride 5,760 of each part, of contiguous rows", 1.05,
     KERNEL("swiglu_packed", .place = STRIDED), KERNEL("swiglu_packed", .place = CONTIGUOUS)},
};
enum { COMPARISONS = sizeof comparisons / sizeof *comparisons };

/* ---- the table ---- */

/* Returns true if no library that runs here has the loop. */
static bool is_absent(const struct side *with)
{
    return with->library && strcmp(with->library, BUILT_IN) != 0 &&
           !find_typed(with->library, with->kernel, with->type);
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

int bench_kernels(const struct plan *plan)
{
    size_t wanted = 0;
    bool first = true;
    for (size_t i = 0; i < COMPARISONS; i++) wanted += is_wanted(comparisons[i].what, plan->only);
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
        if (!is_wanted(c->what, plan->only)) continue;
        pair_time(&pair, spec, &c->measured, &c->with, plan->seconds / (double)wanted);
        print_row(c, pair.times, place_elements(c->measured.place), plan->json, first);
        first = false;
    }
    if (plan->json) printf("\n]}\n");
    return EXIT_SUCCESS;
}
