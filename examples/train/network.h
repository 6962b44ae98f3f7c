/* A network of two linear layers and an activation between them, which any kernel of f32 can be: one of n
 * inputs, as gates have two, gets n hidden values for each that it gives. Sums are in a fixed order, so that
 * the same seed gives the same bits everywhere. */
#ifndef NETWORK_H
#define NETWORK_H

#include <actgen.h>
#include <stdint.h>

struct activation { /* forward and backward, from one spec */
    actgen_kernel *forward, *backward;
    size_t inputs;
};

/* `what` is a built-in's name, "gelu" or "swiglu", or a formula of x, "x*sigmoid(1.7*x)". `isa` as in
 * actgen_options. */
int activation_compile(struct activation *out, actgen_engine *engine, const char *what, const char *isa,
                       actgen_error *error);
void activation_free(struct activation *a);

struct network {
    const struct activation *activation;
    size_t inputs, hidden, outputs; /* `hidden`: what the activation gives */
    size_t batch;                   /* rows at once, at most */
    size_t parameters;
    double left[2]; /* of Adam's moments at the first step: the powers of its betas */
    /* All parameters, their gradients, and Adam's two moments: of each, weights [inputs, n*hidden], biases
     * [n*hidden], weights [hidden, outputs], biases [outputs]. */
    float *values, *gradients, *first, *second;
    /* A batch's: */
    float *before, *after, *d_before, *d_after; /* the activation */
    float *y, *d_y;
};

/* With weights uniform within 1/sqrt(inputs) of 0, as PyTorch's Linear. 0, or -1 if memory ran out; freed by
 * network_free then, too. */
int network_make(struct network *out, const struct activation *activation, size_t inputs, size_t hidden,
                 size_t outputs, size_t batch, uint64_t *random);
void network_free(struct network *n);

/* network.y = the network's results for `rows` rows of x. */
int network_forward(struct network *n, size_t rows, const float *x, actgen_error *error);

/* One step of Adam on the mean squared error beside `target`, which is *loss before the step. */
int network_train(struct network *n, size_t rows, const float *x, const float *target, float rate,
                  double *loss, actgen_error *error);

#endif
