/* Runs the network forward and backward. The activation and the loss are actgen kernels, and so are their
 * gradients. */
#include "network.h"
#include "../random.h"
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* -- kernels with their gradients -- */

/* Compiles the only kernel of `formula`, and its gradient by the inputs that `of` names, or by all inputs. */
static int compile_both(struct differentiable *out, actgen_engine *engine, const actgen_spec *formula,
                        const char *const *of, size_t count, const char *isa, actgen_error *error)
{
    actgen_options options = ACTGEN_OPTIONS_INIT;
    options.profile = "portable-nofma"; /* the same bits on every machine */
    options.isa = isa;
    actgen_spec *both = NULL;
    int status = actgen_spec_gradient(&both, formula, NULL, of, count, error);
    actgen_kernel **const kernels[] = {&out->forward, &out->backward};
    for (size_t i = 0; i < 2 && !status; i++)
        status = actgen_compile(kernels[i], engine, both, actgen_spec_kernel_name(both, i), &options, error);
    if (!status) out->inputs = actgen_kernel_group_count(out->forward) - 1;
    actgen_spec_free(both);
    return status;
}

int activation_compile(struct differentiable *out, actgen_engine *engine, const char *what, const char *isa,
                       actgen_error *error)
{
    const char *const letters = "abcdefghijklmnopqrstuvwxyz0123456789_";
    actgen_spec *formula = NULL;
    int status = what[strspn(what, letters)] ? actgen_spec_expression(&formula, what, error)
                                             : actgen_spec_builtin(&formula, what, error);
    if (!status) status = compile_both(out, engine, formula, NULL, 0, isa, error);
    actgen_spec_free(formula);
    return status;
}

/* The losses. `part` is 1 divided by the number of elements for "squared", and by the number of rows for
 * "entropy". A target of "entropy" is a probability. */
static const char squared[] =
    "kernel squared(y: f32, target: f32, part: f32[]) -> (loss: f32[]) { loss = sum((y - target)^2*part) }";
static const char entropy[] = "kernel entropy(y: f32, target: f32, part: f32[]) -> (loss: f32[]) {\n"
                              "    d = y - amax(y)\n"
                              "    loss = sum(target*(log(sum(exp(d))) - d)*part)\n"
                              "}";

int loss_compile(struct loss *out, actgen_engine *engine, const char *name, const char *isa,
                 actgen_error *error)
{
    const char *const y = "y";
    const char *text = !strcmp(name, "squared") ? squared : !strcmp(name, "entropy") ? entropy : NULL;
    out->is_of_rows = text == entropy;
    if (!text) {
        error->status = ACTGEN_EINVAL;
        snprintf(error->message, sizeof error->message,
                 "there is no loss '%.60s'; the losses are squared and entropy", name);
        return ACTGEN_EINVAL;
    }
    actgen_spec *spec = NULL;
    int status = actgen_spec_parse(&spec, name, text, strlen(text), error);
    if (!status) status = compile_both(&out->kernels, engine, spec, &y, 1, isa, error);
    actgen_spec_free(spec);
    return status;
}

/* Computes the loss of `rows` rows of network.y, and network.d_y. */
static int take_loss(struct network *n, size_t rows, const float *target, double *loss, actgen_error *error)
{
    const float part = 1 / (float)(n->loss->is_of_rows ? rows : rows * n->outputs), one = 1;
    float value;
    const actgen_operand forward[] = {{n->y, 0}, {target, 0}, {&part, 0}, {&value, 0}};
    const actgen_operand backward[] = {{n->y, 0}, {target, 0}, {&part, 0}, {&one, 0}, {n->d_y, 0}};
    int status = actgen_run(n->loss->kernels.forward, rows, n->outputs, forward, 4, error);
    if (!status) status = actgen_run(n->loss->kernels.backward, rows, n->outputs, backward, 5, error);
    *loss = (double)value;
    return status;
}

void differentiable_free(struct differentiable *d)
{
    actgen_kernel_free(d->forward);
    actgen_kernel_free(d->backward);
}

/* -- the activation -- */

/* Appends the activation's inputs. They lie side by side in the rows of `before`, each `hidden` wide. */
static actgen_operand *add_inputs(actgen_operand *next, const struct network *n, const float *before)
{
    for (size_t i = 0; i < n->activation->inputs; i++)
        *next++ = (actgen_operand){before + i * n->hidden, n->activation->inputs * n->hidden};
    return next;
}

enum { MOST_OPERANDS = 64 }; /* the most operands of a kernel (docs/language.md, "Limits") */

static int activate(const struct network *n, size_t rows, actgen_error *error)
{
    actgen_operand operands[MOST_OPERANDS], *next = add_inputs(operands, n, n->before);
    *next++ = (actgen_operand){n->after, 0};
    return actgen_run(n->activation->forward, rows, n->hidden, operands, (size_t)(next - operands), error);
}

static int activate_backward(const struct network *n, size_t rows, actgen_error *error)
{
    actgen_operand operands[2 * MOST_OPERANDS], *next = add_inputs(operands, n, n->before);
    *next++ = (actgen_operand){n->d_after, 0};
    next = add_inputs(next, n, n->d_before);
    return actgen_run(n->activation->backward, rows, n->hidden, operands, (size_t)(next - operands), error);
}

/* -- linear layers: the iterations of inner loops are independent, so that compilers may vectorise them -- */

/* Computes y[rows, outputs] as x[rows, inputs] times weights[inputs, outputs], plus the biases, which follow
 * the weights. */
static void linear(float *y, const float *x, const float *weights, size_t rows, size_t inputs, size_t outputs)
{
    for (size_t r = 0; r < rows; r++, x += inputs, y += outputs) {
        memcpy(y, weights + inputs * outputs, outputs * sizeof *y);
        for (size_t i = 0; i < inputs; i++)
            for (size_t o = 0; o < outputs; o++) y[o] += x[i] * weights[i * outputs + o];
    }
}

/* Computes the gradients of weights and biases from those of the results. */
static void linear_backward(float *d_weights, const float *x, const float *d_y, size_t rows, size_t inputs,
                            size_t outputs)
{
    memset(d_weights, 0, (inputs + 1) * outputs * sizeof *d_weights);
    for (size_t r = 0; r < rows; r++, x += inputs, d_y += outputs) {
        for (size_t i = 0; i < inputs; i++)
            for (size_t o = 0; o < outputs; o++) d_weights[i * outputs + o] += x[i] * d_y[o];
        for (size_t o = 0; o < outputs; o++) d_weights[inputs * outputs + o] += d_y[o];
    }
}

/* Computes the gradients of the inputs: d_x is d_y times the transpose of the weights. */
static void linear_backward_inputs(float *d_x, const float *weights, const float *d_y, size_t rows,
                                   size_t inputs, size_t outputs)
{
    for (size_t r = 0; r < rows; r++, d_x += inputs, d_y += outputs) {
        for (size_t i = 0; i < inputs; i++) {
            d_x[i] = 0;
            for (size_t o = 0; o < outputs; o++) d_x[i] += d_y[o] * weights[i * outputs + o];
        }
    }
}

/* -- the network -- */

int network_make(struct network *out, const struct differentiable *activation, const struct loss *loss,
                 size_t inputs, size_t hidden, size_t outputs, size_t batch, uint64_t *random)
{
    const size_t width = activation->inputs * hidden, first = (inputs + 1) * width;
    const size_t parameters = first + (hidden + 1) * outputs;
    float **const of_parameters[] = {&out->values, &out->gradients, &out->first, &out->second};
    *out = (struct network){.activation = activation,
                            .loss = loss,
                            .inputs = inputs,
                            .hidden = hidden,
                            .outputs = outputs,
                            .batch = batch,
                            .parameters = parameters,
                            .left = {1, 1},
                            .before = calloc(batch * width, sizeof(float)),
                            .after = calloc(batch * hidden, sizeof(float)),
                            .d_before = calloc(batch * width, sizeof(float)),
                            .d_after = calloc(batch * hidden, sizeof(float)),
                            .y = calloc(batch * outputs, sizeof(float)),
                            .d_y = calloc(batch * outputs, sizeof(float))};
    for (int i = 0; i < 4; i++)
        if (!(*of_parameters[i] = calloc(parameters, sizeof(float)))) return -1;
    if (!out->before || !out->after || !out->d_before || !out->d_after || !out->y || !out->d_y) return -1;
    for (size_t i = 0; i < parameters; i++)
        out->values[i] = random_uniform(random) / sqrtf((float)(i < first ? inputs : hidden));
    return 0;
}

void network_free(struct network *n)
{
    float *const all[] = {n->values, n->gradients, n->first,   n->second, n->before,
                          n->after,  n->d_before,  n->d_after, n->y,      n->d_y};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) free(all[i]);
}

int network_forward(struct network *n, size_t rows, const float *x, actgen_error *error)
{
    const size_t width = n->activation->inputs * n->hidden;
    linear(n->before, x, n->values, rows, n->inputs, width);
    const int status = activate(n, rows, error);
    linear(n->y, n->after, n->values + (n->inputs + 1) * width, rows, n->hidden, n->outputs);
    return status;
}

static int backward(struct network *n, size_t rows, const float *x, actgen_error *error)
{
    const size_t width = n->activation->inputs * n->hidden, first = (n->inputs + 1) * width;
    linear_backward(n->gradients + first, n->after, n->d_y, rows, n->hidden, n->outputs);
    linear_backward_inputs(n->d_after, n->values + first, n->d_y, rows, n->hidden, n->outputs);
    const int status = activate_backward(n, rows, error);
    linear_backward(n->gradients, x, n->d_before, rows, n->inputs, width);
    return status;
}

/* Makes one step of Adam (Kingma and Ba, arXiv:1412.6980) with PyTorch's defaults. */
static void adam(struct network *n, float rate)
{
    const float beta1 = 0.9F, beta2 = 0.999F, epsilon = 1e-8F;
    n->left[0] *= (double)beta1; /* a running product, because libm's pow is not the same everywhere */
    n->left[1] *= (double)beta2;
    const float correct1 = (float)(1 / (1 - n->left[0])), correct2 = (float)(1 / (1 - n->left[1]));
    for (size_t i = 0; i < n->parameters; i++) {
        const float g = n->gradients[i];
        n->first[i] = beta1 * n->first[i] + (1 - beta1) * g;
        n->second[i] = beta2 * n->second[i] + (1 - beta2) * g * g;
        n->values[i] -= rate * (n->first[i] * correct1) / (sqrtf(n->second[i] * correct2) + epsilon);
    }
}

int network_train(struct network *n, size_t rows, const float *x, const float *target, float rate,
                  double *loss, actgen_error *error)
{
    int status = network_forward(n, rows, x, error);
    if (!status) status = take_loss(n, rows, target, loss, error);
    if (!status) status = backward(n, rows, x, error);
    if (!status) adam(n, rate);
    return status;
}
