/* Computes the layers: their products, and the activation in the three forms that layer.h names. */
#include "layer.h"
#include <cblas.h>
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The rows of bf16 weights that are widened at once, so that they stay in the L2 cache. */
enum { PANEL = 64 };

/* -- the activations, and their plain loops -- */

/* Rounds a finite number to bf16, ties to even. */
static uint16_t to_bf16(float value)
{
    uint32_t bits;
    memcpy(&bits, &value, sizeof bits);
    return (uint16_t)((bits + 0x7FFF + (bits >> 16 & 1)) >> 16);
}

static void store(void *out, int type, size_t i, float value)
{
    if (type == ACTGEN_BF16)
        ((uint16_t *)out)[i] = to_bf16(value);
    else
        ((float *)out)[i] = value;
}

/* Defines f in double precision, and the loop that a C programmer would write with libm's float functions. */
#define ACTIVATION(name, exact, plain)                                                                       \
    static double exact_##name(double x) { return exact; }                                                   \
    static void plain_##name(size_t rows, size_t hidden, int is_gated, const float *gate_up, int type,       \
                             void *out)                                                                      \
    {                                                                                                        \
        for (size_t row = 0; row < rows; row++) {                                                            \
            const float *gate = gate_up + row * hidden * (is_gated ? 2 : 1), *up = gate + hidden;            \
            for (size_t i = 0; i < hidden; i++) {                                                            \
                const float x = gate[i], y = plain;                                                          \
                store(out, type, row *hidden + i, is_gated ? y * up[i] : y);                                 \
            }                                                                                                \
        }                                                                                                    \
    }
ACTIVATION(relu, x > 0 ? x : 0, x > 0 ? x : 0)
ACTIVATION(gelu, x / 2 * erfc(-x * sqrt(0.5)), x / 2 * erfcf(-x * 0.70710678F))
ACTIVATION(swish, x / (1 + exp(-x)), x / (1 + expf(-x)))
ACTIVATION(identity, x, x)
ACTIVATION(sigmoid, 1 / (1 + exp(-x)), 1 / (1 + expf(-x)))

const struct activation activations[] = {
    {"relu", "relu(gate)", 0, exact_relu, plain_relu},
    {"gelu", "gelu(gate)", 0, exact_gelu, plain_gelu},
    {"swish", "silu(gate)", 0, exact_swish, plain_swish},
    {"bilinear", "gate", 1, exact_identity, plain_identity},
    {"glu", "sigmoid(gate)", 1, exact_sigmoid, plain_sigmoid},
    {"reglu", "relu(gate)", 1, exact_relu, plain_relu},
    {"geglu", "gelu(gate)", 1, exact_gelu, plain_gelu},
    {"swiglu", "silu(gate)", 1, exact_swish, plain_swish},
};
const size_t activation_count = sizeof activations / sizeof *activations;

/* -- kernels -- */

static int spec_of(actgen_spec **out, const struct activation *a, int type, actgen_error *error)
{
    const char *t = actgen_type_name(type);
    char text[600];
    const int length = snprintf(text, sizeof text,
                                "kernel fused(%s: f32) -> (y: %s) { y = %s%s }\n"
                                "kernel activation(gate: %s) -> (y: %s) { y = %s }\n"
                                "kernel multiply(a: %s, up: %s) -> (y: %s) { y = a * up }\n"
                                "kernel narrow(x: f32) -> (y: %s) { y = x }\n"
                                "kernel widen(x: %s) -> (y: f32) { y = x }\n",
                                a->is_gated ? "[gate | up]" : "gate", t, a->formula,
                                a->is_gated ? " * up" : "", t, t, a->formula, t, t, t, t, t);
    return actgen_spec_parse(out, a->name, text, (size_t)length, error);
}

int kernels_compile(struct kernels *out, actgen_engine *engine, const struct activation *activation, int type,
                    const char *accuracy)
{
    actgen_options options = ACTGEN_OPTIONS_INIT;
    actgen_error error = {0};
    actgen_spec *spec = NULL;
    *out = (struct kernels){.activation = activation};
    int failed = spec_of(&spec, activation, type, &error);
    for (size_t i = 0; i < KERNEL_COUNT && !failed; i++) {
        options.accuracy = i == KERNEL_FUSED || i == KERNEL_ACTIVATION ? accuracy : NULL;
        failed =
            actgen_compile(&out->list[i], engine, spec, actgen_spec_kernel_name(spec, i), &options, &error);
    }
    actgen_spec_free(spec);
    if (failed) fprintf(stderr, "%s:%u:%u: %s\n", activation->name, error.line, error.column, error.message);
    return failed ? -1 : 0;
}

void kernels_free(struct kernels *kernels)
{
    for (size_t i = 0; i < KERNEL_COUNT; i++) actgen_kernel_free(kernels->list[i]);
}

/* Runs a kernel. The call cannot fail, because the operands come from this program. */
static void call(const actgen_kernel *kernel, size_t rows, size_t cols, const actgen_operand *operands)
{
    actgen_error error;
    if (!actgen_run(kernel, rows, cols, operands, actgen_kernel_group_count(kernel), &error)) return;
    fprintf(stderr, "%s: %s\n", actgen_kernel_name(kernel), error.message);
    abort();
}

const float *as_f32(const struct kernels *k, int type, const void *elements, size_t count, float *out)
{
    if (type == ACTGEN_F32) return elements;
    call(k->list[KERNEL_WIDEN], 1, count, (actgen_operand[]){{elements, 0}, {out, 0}});
    return out;
}

void narrow(const struct kernels *k, const float *elements, size_t count, void *out)
{
    call(k->list[KERNEL_NARROW], 1, count, (actgen_operand[]){{elements, 0}, {out, 0}});
}

/* -- the layer -- */

int buffers_make(struct buffers *out, const struct weights *w, size_t batch)
{
    const size_t hidden = batch * w->hidden, longer = w->dim > w->hidden ? w->dim : w->hidden;
    *out = (struct buffers){.gate_up = malloc(2 * hidden * sizeof(float)),
                            .narrowed = malloc(2 * hidden * sizeof(float)),
                            .hidden = malloc(hidden * sizeof(float)),
                            .widened = malloc(hidden * sizeof(float)),
                            .panel = malloc(PANEL * longer * sizeof(float)),
                            .y = malloc(batch * w->dim * sizeof(float))};
    return out->gate_up && out->narrowed && out->hidden && out->widened && out->panel && out->y ? 0 : -1;
}

void buffers_free(struct buffers *b)
{
    void *const all[] = {b->gate_up, b->narrowed, b->hidden, b->widened, b->panel, b->y};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) free(all[i]);
}

/* Computes out[batch, rows] as x[batch, cols] times the transpose of weights[rows, cols]. Debian's OpenBLAS
 * does not multiply bf16. Such weights take half the memory, and are widened panel by panel. */
static void product(float *out, const float *x, const struct kernels *k, int type, const void *weights,
                    size_t batch, size_t rows, size_t cols, float *panel)
{
    const size_t step = type == ACTGEN_F32 ? rows : PANEL;
    for (size_t row = 0; row < rows; row += step) {
        const size_t count = rows - row < step ? rows - row : step;
        const char *from = (const char *)weights + row * cols * actgen_type_bytes(type);
        cblas_sgemm(CblasRowMajor, CblasNoTrans, CblasTrans, (int)batch, (int)count, (int)cols, 1, x,
                    (int)cols, as_f32(k, type, from, count * cols, panel), (int)cols, 0, out + row,
                    (int)rows);
    }
}

void first_product(const struct weights *w, const struct kernels *k, size_t batch, const float *x,
                   struct buffers *b)
{
    const size_t rows = (k->activation->is_gated ? 2 : 1) * w->hidden;
    product(b->gate_up, x, k, w->type, w->in, batch, rows, w->dim, b->panel);
}

void second_product(const struct weights *w, const struct kernels *k, size_t batch, struct buffers *b)
{
    const float *hidden = as_f32(k, w->type, b->hidden, batch * w->hidden, b->widened);
    product(b->y, hidden, k, w->type, w->out, batch, w->dim, w->hidden, b->panel);
}

/* Runs one operator after the other, as frameworks do. Each reads and writes the layer's type. */
static void unfused(const struct weights *w, const struct kernels *k, size_t batch, struct buffers *b)
{
    const size_t width = (k->activation->is_gated ? 2 : 1) * w->hidden;
    const char *gate = (const char *)b->gate_up;
    if (w->type != ACTGEN_F32) {
        narrow(k, b->gate_up, batch * width, b->narrowed);
        gate = b->narrowed;
    }
    const actgen_operand hidden = {b->hidden, 0}, up = {gate + w->hidden * actgen_type_bytes(w->type), width};
    call(k->list[KERNEL_ACTIVATION], batch, w->hidden, (actgen_operand[]){{gate, width}, hidden});
    if (k->activation->is_gated)
        call(k->list[KERNEL_MULTIPLY], batch, w->hidden, (actgen_operand[]){hidden, up, hidden});
}

void between_products(enum form form, const struct weights *w, const struct kernels *k, size_t batch,
                      struct buffers *b)
{
    if (form == FORM_PLAIN)
        k->activation->plain(batch, w->hidden, k->activation->is_gated, b->gate_up, w->type, b->hidden);
    else if (form == FORM_UNFUSED)
        unfused(w, k, batch, b);
    else
        call(k->list[KERNEL_FUSED], batch, w->hidden, (actgen_operand[]){{b->gate_up, 0}, {b->hidden, 0}});
}
