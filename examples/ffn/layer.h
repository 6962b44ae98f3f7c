/* The feed-forward layers of transformers, y = (f(x W) * (x V)) W2 or f(x W) W2 (Shazeer, arXiv:2002.05202).
 * OpenBLAS computes the products. The work between them is done in three forms. */
#ifndef LAYER_H
#define LAYER_H

#include <actgen.h>
#include <stddef.h>

struct activation {
    const char *name;    /* the layer's name, such as "swiglu" */
    const char *formula; /* f as a formula of `gate`, in actgen's language */
    int is_gated;
    double (*exact)(double); /* f by libm, in double precision */
    /* Computes rows of `hidden` elements of `type` from rows of [gate | up], or of gate only, by a loop on
     * libm. */
    void (*plain)(size_t rows, size_t hidden, int is_gated, const float *gate_up, int type, void *out);
};
extern const struct activation activations[];
extern const size_t activation_count;

/* Matrices as models store them, with one row per output: `in` is [2*hidden, dim], W above V, and `out` is
 * [dim, hidden]. */
struct weights {
    size_t dim, hidden;
    int type; /* ACTGEN_F32 or ACTGEN_BF16: the type of the weights and of the second product's input */
    const void *in, *out;
};

enum form { FORM_PLAIN, FORM_UNFUSED, FORM_FUSED, FORM_COUNT };

/* The kernels of one activation in one type. */
enum { KERNEL_FUSED, KERNEL_ACTIVATION, KERNEL_MULTIPLY, KERNEL_NARROW, KERNEL_WIDEN, KERNEL_COUNT };
struct kernels {
    const struct activation *activation;
    actgen_kernel *list[KERNEL_COUNT];
};
/* Compiles the kernels. Returns 0, or -1 with a reason on stderr. `accuracy` is as in actgen_options, and may
 * be NULL. */
int kernels_compile(struct kernels *out, actgen_engine *engine, const struct activation *activation, int type,
                    const char *accuracy);
void kernels_free(struct kernels *kernels);

/* The intermediate values of one batch. buffers_free frees them, also after buffers_make failed with -1. */
struct buffers {
    float *gate_up; /* [batch, 2*hidden], or [batch, hidden] in a layer without gate */
    void *narrowed; /* the same in the layer's type, for FORM_UNFUSED */
    void *hidden;   /* [batch, hidden] in the layer's type */
    float *widened; /* the same as f32, for the second product of a bf16 layer */
    float *panel;   /* widened rows of weights */
    float *y;       /* [batch, dim] */
};
int buffers_make(struct buffers *out, const struct weights *w, size_t batch);
void buffers_free(struct buffers *b);

/* Compute the three steps of a layer. Kernels were checked when they were compiled, and shapes when weights
 * were read. */
void first_product(const struct weights *w, const struct kernels *k, size_t batch, const float *x,
                   struct buffers *b);
void between_products(enum form form, const struct weights *w, const struct kernels *k, size_t batch,
                      struct buffers *b);
void second_product(const struct weights *w, const struct kernels *k, size_t batch, struct buffers *b);

/* Returns `count` elements of the layer's type as f32: themselves if they are f32, else a copy at `out`. */
const float *as_f32(const struct kernels *k, int type, const void *elements, size_t count, float *out);
/* Writes `count` f32 elements to `out` in the layer's type. */
void narrow(const struct kernels *k, const float *elements, size_t count, void *out);

#endif
