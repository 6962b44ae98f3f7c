/* A network of two linear layers with an activation between them. The activation may be any kernel of f32. A
 * kernel of n inputs, such as a gate with two, gets n hidden values for each of its results. Sums have a
 * fixed order, so the same seed gives the same bits everywhere. */
#ifndef NETWORK_H
#define NETWORK_H

#include <actgen.h>
#include <stdint.h>

/* A kernel and its gradient, from one spec. */
struct differentiable {
    actgen_kernel *forward, *backward;
    size_t inputs;
};
void differentiable_free(struct differentiable *d);

/* Compiles an activation and its gradient. `what` is the name of a built-in, such as "gelu" or "swiglu", or a
 * formula of x, such as "x*sigmoid(1.7*x)". `isa` is as in actgen_options. */
int activation_compile(struct differentiable *out, actgen_engine *engine, const char *what, const char *isa,
                       actgen_error *error);

struct loss {
    struct differentiable kernels;
    int is_of_rows; /* the loss is a mean over rows, and not over elements */
};

/* Compiles the loss `name`: "squared" for the mean squared error, or "entropy" for the mean cross-entropy of
 * the softmax of each row. */
int loss_compile(struct loss *out, actgen_engine *engine, const char *name, const char *isa,
                 actgen_error *error);

struct network {
    const struct differentiable *activation;
    const struct loss *loss;
    size_t inputs, hidden, outputs; /* `hidden` counts the results of the activation */
    size_t batch;                   /* the most rows at once */
    size_t parameters;
    double left[2]; /* the weight that Adam's moments still give to their start: powers of its betas */
    /* All parameters, their gradients, and Adam's two moments. Each array has weights [inputs, n*hidden],
     * biases [n*hidden], weights [hidden, outputs], and biases [outputs]. */
    float *values, *gradients, *first, *second;
    float *before, *after, *d_before, *d_after; /* the activation's inputs and results in a batch */
    float *y, *d_y;
};

/* Makes a network. Weights are uniform within 1/sqrt(inputs) of 0, as in PyTorch's Linear. Returns 0, or -1
 * if memory ran out. network_free frees it in both cases. */
int network_make(struct network *out, const struct differentiable *activation, const struct loss *loss,
                 size_t inputs, size_t hidden, size_t outputs, size_t batch, uint64_t *random);
void network_free(struct network *n);

/* Computes network.y, the results for `rows` rows of x. */
int network_forward(struct network *n, size_t rows, const float *x, actgen_error *error);

/* Makes one step of Adam on the loss of `target`. *loss is this loss before the step. */
int network_train(struct network *n, size_t rows, const float *x, const float *target, float rate,
                  double *loss, actgen_error *error);

#endif
