/* Kernels of other types, gates, layouts and gradients: each beside what it is compared with, in turn, inside one run.
 *
 * A copy of a kernel moves the same operands by a loop that only adds or converts. */
#include "bench.h"

#include <math.h>
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
    "kernel gelu_f64(x: f64) -> (y: f64) { y = gelu(x) }\n"
    "kernel swiglu(gate: f32, up: f32) -> (y: f32) { accuracy abs 2^-22; y = silu(gate) * up }\n"
    "kernel add(gate: f32, up: f32) -> (y: f32) { y = gate + up }\n"
    "kernel swiglu_packed([gate | up]: bf16) -> (y: bf16) { y = silu(gate) * up }\n"
    "kernel add_packed([gate | up]: bf16) -> (y: bf16) { y = gate + up }\n"
    "kernel geglu(gate: bf16, up: bf16) -> (y: bf16) { y = gelu(gate) * up }\n"
    "kernel geglu_backward = gradient geglu\n"
    "kernel geglu_backward_gate = gradient geglu of gate\n"
    "kernel geglu_backward_up = gradient geglu of up\n";

/* Operands in memory of a call, results last: element type and parts of a row. */
struct group {
    char type; /* 'b'f16, 'h'alf, 'f'32, 'd'ouble */
    int parts;
};
enum { MOST_GROUPS = 6 };

static const struct form {
    const char *kernel;
    struct group groups[MOST_GROUPS];
} forms[] = {
    {"relu_bf16", {{'b', 1}, {'b', 1}}},
    {"relu_f16", {{'h', 1}, {'h', 1}}},
    {"gelu_bf16", {{'b', 1}, {'b', 1}}},
    {"silu_bf16", {{'b', 1}, {'b', 1}}},
    {"tanh_bf16", {{'b', 1}, {'b', 1}}},
    {"sigmoid_bf16", {{'b', 1}, {'b', 1}}},
    {"gelu_f16", {{'h', 1}, {'h', 1}}},
    {"gelu_f64", {{'d', 1}, {'d', 1}}},
    {"swiglu", {{'f', 1}, {'f', 1}, {'f', 1}}},
    {"add", {{'f', 1}, {'f', 1}, {'f', 1}}},
    {"swiglu_packed", {{'b', 2}, {'b', 1}}},
    {"add_packed", {{'b', 2}, {'b', 1}}},
    {"geglu_backward", {{'b', 1}, {'b', 1}, {'b', 1}, {'b', 1}, {'b', 1}}},
    {"geglu_backward_gate", {{'b', 1}, {'b', 1}, {'b', 1}, {'b', 1}}},
    {"geglu_backward_up", {{'b', 1}, {'b', 1}, {'b', 1}, {'b', 1}}},
};

struct shape {
    size_t rows, cols, stride; /* stride in elements of a part: 0, or of all operands */
};
#define IN_L2                                                                                                \
    {                                                                                                        \
        1, 32768, 0                                                                                          \
    }
#define IN_DRAM                                                                                              \
    {                                                                                                        \
        1, 1 << 24, 0                                                                                        \
    }
#define CONTIGUOUS                                                                                           \
    {                                                                                                        \
        11, 2880, 0                                                                                          \
    }
#define STRIDED                                                                                              \
    {                                                                                                        \
        11, 2880, 5760                                                                                       \
    }

enum { ORDINARY = -1, USUAL = 0, STREAMING = 1 }; /* stores, as in actgen_options */

struct side { /* a kernel, or "library function type"; the sum of two where there is a second */
    const char *kernel, *second, *library;
    struct shape shape;
    int streaming;
};

static const struct comparison {
    const char *what;
    struct side measured, with;
    double limit; /* of measured / with */
} comparisons[] = {
    {"bf16 gelu, of copying bf16 ReLU", {"gelu_bf16", 0, 0, IN_L2, 0}, {"relu_bf16", 0, 0, IN_L2, 0}, 5},
    {"bf16 silu, of copying bf16 ReLU", {"silu_bf16", 0, 0, IN_L2, 0}, {"relu_bf16", 0, 0, IN_L2, 0}, 5},
    {"bf16 tanh, of copying bf16 ReLU", {"tanh_bf16", 0, 0, IN_L2, 0}, {"relu_bf16", 0, 0, IN_L2, 0}, 5},
    {"bf16 sigmoid, of copying bf16 ReLU",
     {"sigmoid_bf16", 0, 0, IN_L2, 0},
     {"relu_bf16", 0, 0, IN_L2, 0},
     5},
    {"bf16 gelu, of oneDNN", {"gelu_bf16", 0, 0, IN_L2, 0}, {"gelu", "bf16", "oneDNN", IN_L2, 0}, 1 / 1.8},
    {"bf16 silu, of oneDNN", {"silu_bf16", 0, 0, IN_L2, 0}, {"silu", "bf16", "oneDNN", IN_L2, 0}, 1 / 1.8},
    {"bf16 tanh, of oneDNN", {"tanh_bf16", 0, 0, IN_L2, 0}, {"tanh", "bf16", "oneDNN", IN_L2, 0}, 1 / 1.8},
    {"bf16 sigmoid, of oneDNN",
     {"sigmoid_bf16", 0, 0, IN_L2, 0},
     {"sigmoid", "bf16", "oneDNN", IN_L2, 0},
     1 / 1.8},
    {"f16 gelu, of copying f16 ReLU", {"gelu_f16", 0, 0, IN_L2, 0}, {"relu_f16", 0, 0, IN_L2, 0}, 5},
    {"SwiGLU f32, abs 2^-22, of its copy", {"swiglu", 0, 0, IN_L2, 0}, {"add", 0, 0, IN_L2, 0}, 2.2},
    {"SwiGLU bf16 packed, of its copy",
     {"swiglu_packed", 0, 0, IN_L2, 0},
     {"add_packed", 0, 0, IN_L2, 0},
     4.5},
    {"GEGLU backward bf16, of the two gradients one by one",
     {"geglu_backward", 0, 0, IN_L2, 0},
     {"geglu_backward_gate", "geglu_backward_up", 0, IN_L2, 0},
     0.6},
    {"f64 gelu, 3 ulp, of gcc -O3 on libm's erfc",
     {"gelu_f64", 0, 0, IN_L2, 0},
     {"gelu", "f64", "libm", IN_L2, 0},
     0.25},
    {"SwiGLU f32 in DRAM, ordinary stores, of its copy",
     {"swiglu", 0, 0, IN_DRAM, ORDINARY},
     {"add", 0, 0, IN_DRAM, ORDINARY},
     1.02},
    {"SwiGLU f32 in DRAM, as compiled, of its copy with ordinary stores",
     {"swiglu", 0, 0, IN_DRAM, USUAL},
     {"add", 0, 0, IN_DRAM, ORDINARY},
     1},
    {"SwiGLU f32, rows of 2,880 at stride 5,760, of contiguous rows",
     {"swiglu", 0, 0, STRIDED, 0},
     {"swiglu", 0, 0, CONTIGUOUS, 0},
     1.05},
    {"bf16 gelu, rows of 2,880 at stride 5,760, of contiguous rows",
     {"gelu_bf16", 0, 0, STRIDED, 0},
     {"gelu_bf16", 0, 0, CONTIGUOUS, 0},
     1.05},
    {"SwiGLU bf16 packed, rows of 2,880 at stride 5,760 of each part, of contiguous rows",
     {"swiglu_packed", 0, 0, STRIDED, 0},
     {"swiglu_packed", 0, 0, CONTIGUOUS, 0},
     1.05},
};
enum { COMPARISONS = sizeof comparisons / sizeof *comparisons };

/* ---- data ---- */

static size_t bytes_of(char type) { return type == 'd' ? 8 : type == 'f' ? 4 : 2; }

/* The exact bits do not matter: a value of the type near x, normal or zero. */
static void put(void *array, char type, size_t i, double x)
{
    const float narrow = (float)x;
    uint32_t bits;
    memcpy(&bits, &narrow, sizeof bits);
    const uint32_t exponent = bits >> 23 & 255, sign = bits >> 16 & 0x8000;
    const bool fits = exponent > 112 && exponent < 143;
    switch (type) {
    case 'd': ((double *)array)[i] = x; break;
    case 'f': ((float *)array)[i] = narrow; break;
    case 'b': ((uint16_t *)array)[i] = (uint16_t)(bits >> 16); break;
    default:
        ((uint16_t *)array)[i] =
            (uint16_t)(sign | (fits ? (exponent - 112) << 10 | (bits >> 13 & 0x3ff) : 0));
    }
}

enum { STAGGER = 2048 + 320 }; /* between arrays, modulo 4 KiB */

/* One array a group and type, shared by the calls. */
struct arrays {
    void *of[4][MOST_GROUPS];
    size_t bytes[4][MOST_GROUPS];
};

static int type_number(char type) { return type == 'b' ? 0 : type == 'h' ? 1 : type == 'f' ? 2 : 3; }

static void *array_for(struct arrays *a, size_t group, char type, size_t elements)
{
    const int t = type_number(type);
    const size_t bytes = elements * bytes_of(type), offset = group * STAGGER;
    if (a->bytes[t][group] >= bytes) return a->of[t][group];
    array_free(a->of[t][group], offset);
    a->of[t][group] = array_make(bytes, offset);
    a->bytes[t][group] = a->of[t][group] ? bytes : 0;
    uint64_t state = group + 1;
    for (size_t i = 0; a->of[t][group] && i < elements; i++)
        put(a->of[t][group], type, i, normal_input(&state));
    return a->of[t][group];
}

static void arrays_free(struct arrays *a)
{
    for (int t = 0; t < 4; t++)
        for (size_t g = 0; g < MOST_GROUPS; g++) array_free(a->of[t][g], g * STAGGER);
}

/* ---- calls ---- */

struct prepared {
    actgen_kernel *kernel[2]; /* the second may be NULL */
    const struct typed_row *row;
    size_t rows, cols;
    actgen_operand operands[2][MOST_GROUPS];
};

static const struct form *find_form(const char *kernel)
{
    for (size_t i = 0; i < sizeof forms / sizeof *forms; i++)
        if (!strcmp(forms[i].kernel, kernel)) return &forms[i];
    return NULL;
}

static bool set_operands(actgen_operand *out, const struct form *form, const struct shape *s,
                         struct arrays *arrays)
{
    for (size_t g = 0; g < MOST_GROUPS && form->groups[g].parts; g++) {
        const size_t parts = (size_t)form->groups[g].parts, width = parts * (s->stride ? s->stride : s->cols);
        out[g].data = array_for(arrays, g, form->groups[g].type, s->rows * width);
        out[g].stride = s->stride ? width : 0;
        if (!out[g].data) return false;
    }
    return true;
}

static bool prepare(struct prepared *p, const struct side *side, struct arrays *arrays)
{
    const char *names[2] = {side->kernel, side->second};
    *p = (struct prepared){.rows = side->shape.rows, .cols = side->shape.cols};
    if (side->library) { /* the function, and in `second` the type */
        p->row = find_typed(side->library, side->kernel, side->second);
        const struct form form = {
            side->kernel, {{side->second[0] == 'b' ? 'b' : 'd', 1}, {side->second[0] == 'b' ? 'b' : 'd', 1}}};
        return p->row && set_operands(p->operands[0], &form, &side->shape, arrays);
    }
    for (int k = 0; k < 2 && names[k]; k++) {
        const struct form *form = find_form(names[k]);
        p->kernel[k] = form ? bench_compile(spec, names[k], NULL, side->streaming) : NULL;
        if (!p->kernel[k] || !set_operands(p->operands[k], form, &side->shape, arrays)) return false;
    }
    return true;
}

static void run(const void *context)
{
    const struct prepared *p = context;
    if (p->row) p->row->loop(p->rows * p->cols, p->operands[0][0].data, (void *)p->operands[0][1].data);
    for (int k = 0; k < 2 && p->kernel[k]; k++)
        actgen_kernel_fn(p->kernel[k])(p->rows, p->cols, p->operands[k]);
}

static void prepared_free(struct prepared *p)
{
    for (int k = 0; k < 2; k++) actgen_kernel_free(p->kernel[k]);
}

/* ---- the table ---- */

static void print_row(const struct comparison *c, const struct timing *times, size_t elements, bool json,
                      bool first)
{
    const bool measured = times[0].min > 0 && times[1].min > 0;
    const double ratio = measured ? times[0].min / times[1].min : 0, count = (double)elements;
    const char *verdict = !measured ? "not measured" : ratio <= c->limit ? "met" : "not met";
    if (json)
        printf("%s\n {\"comparison\": \"%s\", \"ns_per_element\": %.4g, \"with_ns_per_element\": %.4g, "
               "\"ratio\": %.4g, "
               "\"limit\": %.4g, \"verdict\": \"%s\"}",
               first ? "" : ",", c->what, times[0].min / count, times[1].min / count, ratio, c->limit,
               verdict);
    else
        printf("| %s | %.4f | %.4f | %.3g | %.3g | %s |\n", c->what, times[0].min / count,
               times[1].min / count, c->limit, ratio, verdict);
    fflush(stdout);
}

static void compare(const struct comparison *c, struct arrays *arrays, double seconds, struct timing *times)
{
    struct prepared sides[2];
    const bool ready[2] = {prepare(&sides[0], &c->measured, arrays), prepare(&sides[1], &c->with, arrays)};
    const struct call calls[2] = {{run, &sides[0]}, {run, &sides[1]}};
    if (ready[0] && ready[1]) measure_calls(calls, 2, seconds, times);
    for (int k = 0; k < 2; k++) prepared_free(&sides[k]);
}

int bench_kernels(const struct plan *plan)
{
    struct arrays arrays = {0};
    if (plan->json) printf("{");
    report_machine(plan->json);
    if (plan->json)
        printf(",\n\"kernels\": [");
    else
        printf("\n| kernel | ns an element | with | limit of the ratio | measured | "
               "|\n|---|--:|--:|--:|--:|---|\n");
    for (size_t i = 0; i < COMPARISONS; i++) {
        const struct comparison *c = &comparisons[i];
        struct timing times[2] = {0};
        compare(c, &arrays, plan->seconds / COMPARISONS, times);
        print_row(c, times, c->measured.shape.rows * c->measured.shape.cols, plan->json, i == 0);
    }
    if (plan->json) printf("\n]}\n");
    arrays_free(&arrays);
    return EXIT_SUCCESS;
}
