/* The feed-forward layers of transformers, y = (f(x W) * (x V)) W2 or f(x W) W2 (Shazeer, arXiv:2002.05202):
 * products by OpenBLAS, and what stands between them in three forms. */
#ifndef LAYER_H
#define LAYER_H

#include <actgen.h>
#include <stddef.h>

struct activation {
    const char *name;    /* of the layer, "swiglu" */
    const char *formula; /* f, of `gate`, in actgen's language */
    int is_gated;
    double (*exact)(double); /* f by libm */
    /* rows of [gate | up], or of gate alone, to rows of `hidden` elements of `type`: a loop on libm */
    void (*plain)(size_t rows, size_t hidden, int is_gated, const float *gate_up, int type, void *out);
};
extern const struct activation activations[];
extern const size_t activation_count;

/* Matrices as models store them, a row an output: `in` is [2*hidden, dim], W above V, and `out` [dim,
 * hidden]. */
struct weights {
    size_t dim, hidden;
    int type; /* ACTGEN_F32 or ACTGEN_BF16, of weights and of what goes into the second product */
    const void *in, *out;
};

enum form { FORM_PLAIN, FORM_UNFUSED, FORM_FUSED, FORM_COUNT };

/* The kernels of one activation in one type. */
enum { KERNEL_FUSED, KERNEL_ACTIVATION, KERNEL_MULTIPLY, KERNEL_NARROW, KERNEL_WIDEN, KERNEL_COUNT };
struct kernels {
    const struct activation *activation;
    actgen_kernel *list[KERNEL_COUNT];
};
/* 0, or -1 and a reason on stderr. `accuracy` as in actgen_options; may be NULL. */
int kernels_compile(struct kernels *out, actgen_engine *engine, const struct activation *activation, int type,
                    const char *accuracy);
void kernels_free(struct kernels *kernels);

/* What one batch needs on the way; freed by buffers_free, also after buffers_make failed with -1. */
struct buffers {
    float *gate_up; /* [batch, 2*hidden], or [batch, hidden] of a layer without gate */
    void *narrowed; /* the same in the layer's type, for FORM_UNFUSED */
    void *hidden;   /* [batch, hidden] in the layer's type */
    float *widened; /* the same as f32, for the second product of a bf16 layer */
    float *panel;   /* of weights, widened */
    float *y;       /* [batch, dim] */
};
int buffers_make(struct buffers *out, const struct weights *w, size_t batch);
void buffers_free(struct buffers *b);

/* The three steps of a layer. Kernels were checked when they were compiled, shapes when weights were read. */
void first_product(const struct weights *w, const struct kernels *k, size_t batch, const float *x,
                   struct buffers *b);
void between_products(enum form form, const struct weights *w, const struct kernels *k, size_t batch,
                      struct buffers *b);
void second_product(const struct weights *w, const struct kernels *k, size_t batch, struct buffers *b);

/* `count` elements of the layer's type as f32, at `out` if they are not already. */
const float *as_f32(const struct kernels *k, int type, const void *elements, size_t count, float *out);
/* and the other way */
void narrow(const struct kernels *k, const float *elements, size_t count, void *out);

#endif
