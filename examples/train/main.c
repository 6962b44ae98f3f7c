/* Trains small networks. Their activations and gradients are compiled while the program runs. README.md has
 * the options. */
#include "../random.h"
#include "curves.h"
#include "network.h"
#include "tasks.h"
#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { MOST_ACTIVATIONS = 6 };

struct settings {
    const char *task, *loss, *data, *svg, *isa;
    const char *activations[MOST_ACTIVATIONS];
    size_t count; /* the number of activations */
    size_t epochs, hidden, batch;
    size_t outputs; /* 0: those of the task */
    size_t seeds;   /* the number of seeds to compare, or 0 */
    uint64_t seed;
    float rate;
};

static size_t largest(const float *values, size_t count)
{
    size_t best = 0;
    for (size_t i = 1; i < count; i++)
        if (values[i] > values[best]) best = i;
    return best;
}

/* Computes the share of the rows from `first` on whose largest output is the right one. */
static int judge(double *share, struct network *n, const struct task *t, size_t first, size_t rows,
                 actgen_error *error)
{
    size_t right = 0;
    for (size_t row = first; row < first + rows; row += n->batch) {
        const size_t count = first + rows - row < n->batch ? first + rows - row : n->batch;
        const int status = network_forward(n, count, t->x + row * t->inputs, error);
        if (status) return status;
        for (size_t i = 0; i < count; i++)
            right += largest(n->y + i * t->outputs, t->outputs) ==
                     largest(t->target + (row + i) * t->outputs, t->outputs);
    }
    *share = (double)right / (double)rows;
    return 0;
}

static void swap_rows(float *rows, size_t a, size_t b, size_t width)
{
    for (size_t i = 0; i < width; i++) {
        const float kept = rows[a * width + i];
        rows[a * width + i] = rows[b * width + i];
        rows[b * width + i] = kept;
    }
}

static void shuffle(struct task *t, uint64_t *random)
{
    for (size_t i = t->rows; i > 1; i--) {
        const size_t other = random_bits(random) % i;
        swap_rows(t->x, i - 1, other, t->inputs);
        swap_rows(t->target, i - 1, other, t->outputs);
    }
}

/* Trains on each batch once. *loss is their mean loss. */
static int train_epoch(struct network *n, struct task *t, float rate, double *loss, actgen_error *error)
{
    *loss = 0;
    for (size_t row = 0; row < t->rows; row += n->batch) {
        const size_t rows = t->rows - row < n->batch ? t->rows - row : n->batch;
        double part;
        const int status =
            network_train(n, rows, t->x + row * t->inputs, t->target + row * t->outputs, rate, &part, error);
        if (status) return status;
        *loss += part * (double)rows / (double)t->rows;
    }
    return 0;
}

/* Prints a line for epochs 1, 10, 100, ... and the last. On a terminal, shows the others in one line that
 * changes. */
static void tell(const struct settings *s, const char *activation, size_t epoch, double loss)
{
    size_t power = 1;
    while (power < epoch) power *= 10;
    if (epoch == power || epoch == s->epochs)
        printf("%-8s %-16s epoch %5zu  loss %.9g\n", s->task, activation, epoch, loss);
    else if (isatty(STDERR_FILENO))
        fprintf(stderr, "%-8s %-16s epoch %5zu  loss %.9g\r", s->task, activation, epoch, loss);
}

static int train(const struct settings *s, const char *what, actgen_engine *engine, double *losses,
                 actgen_error *error)
{
    uint64_t random = s->seed;
    struct task task = {0};
    struct differentiable activation = {NULL, NULL, 0};
    struct loss loss = {{NULL, NULL, 0}, 0};
    struct network network = {0};
    int status = task_make(&task, s->task, s->outputs, s->data, &random, engine, error);
    if (!status) status = activation_compile(&activation, engine, what, s->isa, error);
    if (!status) status = loss_compile(&loss, engine, s->loss, s->isa, error);
    if (!status &&
        network_make(&network, &activation, &loss, task.inputs, s->hidden, task.outputs, s->batch, &random))
        status = ACTGEN_ENOMEM;
    for (size_t epoch = 0; epoch < s->epochs && !status; epoch++) {
        shuffle(&task, &random);
        status = train_epoch(&network, &task, s->rate, &losses[epoch], error);
        if (!status && !s->seeds) tell(s, what, epoch + 1, losses[epoch]);
    }
    double seen, unseen;
    if (!status && task.test_rows && !s->seeds) {
        status = judge(&seen, &network, &task, 0, task.rows, error);
        if (!status) status = judge(&unseen, &network, &task, task.rows, task.test_rows, error);
        if (!status)
            printf("%-8s %-16s right: %.2f %% of %zu seen, %.2f %% of %zu unseen\n", s->task, what,
                   100 * seen, task.rows, 100 * unseen, task.test_rows);
    }
    network_free(&network);
    differentiable_free(&loss.kernels);
    differentiable_free(&activation);
    task_free(&task);
    return status;
}

static int train_all(const struct settings *s, actgen_engine *engine, actgen_error *error)
{
    struct curve curves[MOST_ACTIVATIONS];
    char title[80];
    snprintf(title, sizeof title, "%.20s loss, %.20s", s->loss, s->task);
    double *losses = calloc(s->count * s->epochs, sizeof *losses);
    int status = losses ? 0 : ACTGEN_ENOMEM;
    for (size_t i = 0; i < s->count && !status; i++) {
        curves[i] = (struct curve){s->activations[i], losses + i * s->epochs};
        status = train(s, s->activations[i], engine, losses + i * s->epochs, error);
    }
    if (!status && s->svg && curves_write(s->svg, title, curves, s->count, s->epochs)) {
        fprintf(stderr, "%s: it cannot be written\n", s->svg);
        status = ACTGEN_EWRITE;
    }
    free(losses);
    return status;
}

/* Trains with each seed, and prints for how many of them the first activation has the lower loss. */
static int compare_seeds(const struct settings *s, actgen_engine *engine, actgen_error *error)
{
    static const size_t after[] = {10, 100, 1000};
    size_t lower[] = {0, 0, 0};
    double *losses = calloc(2 * s->epochs, sizeof *losses);
    int status = losses ? 0 : ACTGEN_ENOMEM;
    for (size_t seed = 1; seed <= s->seeds && !status; seed++) {
        struct settings one = *s;
        one.seed = seed;
        for (size_t i = 0; i < 2 && !status; i++)
            status = train(&one, s->activations[i], engine, losses + i * s->epochs, error);
        for (size_t k = 0; k < 3; k++)
            if (after[k] <= s->epochs) lower[k] += losses[after[k] - 1] < losses[s->epochs + after[k] - 1];
    }
    for (size_t k = 0; k < 3 && !status; k++)
        if (after[k] <= s->epochs)
            printf("%-8s epoch %5zu  %s is lower than %s for %zu of %zu seeds\n", s->task, after[k],
                   s->activations[0], s->activations[1], lower[k], s->seeds);
    free(losses);
    return status;
}

/* Returns the number in a text, or 0 if there is none. */
static size_t number(const char *text)
{
    char *end;
    const unsigned long value = strtoul(text, &end, 10);
    return *end || value > 1000000 ? 0 : value;
}

static int read_options(struct settings *s, int argc, char **argv)
{
    static const struct option options[] = {{"activation", 1, NULL, 'a'},
                                            {"epochs", 1, NULL, 'e'},
                                            {"hidden", 1, NULL, 'h'},
                                            {"batch", 1, NULL, 'b'},
                                            {"seed", 1, NULL, 's'},
                                            {"rate", 1, NULL, 'r'},
                                            {"svg", 1, NULL, 'o'},
                                            {"data", 1, NULL, 'd'},
                                            {"isa", 1, NULL, 'i'},
                                            {"outputs", 1, NULL, 'y'},
                                            {"seeds", 1, NULL, 'n'},
                                            {"loss", 1, NULL, 'l'},
                                            {NULL, 0, NULL, 0}};
    for (int c; (c = getopt_long(argc, argv, "", options, NULL)) != -1;) {
        switch (c) {
        case 'a':
            if (s->count == MOST_ACTIVATIONS) return -1;
            s->activations[s->count++] = optarg;
            break;
        case 'e': s->epochs = number(optarg); break;
        case 'h': s->hidden = number(optarg); break;
        case 'b': s->batch = number(optarg); break;
        case 's': s->seed = number(optarg); break;
        case 'r': s->rate = (float)atof(optarg); break;
        case 'o': s->svg = optarg; break;
        case 'd': s->data = optarg; break;
        case 'i': s->isa = optarg; break;
        case 'y': s->outputs = number(optarg); break;
        case 'l': s->loss = optarg; break;
        case 'n': s->seeds = number(optarg); break;
        default: return -1;
        }
    }
    if (argc != optind + 1) return -1;
    s->task = argv[optind];
    const int is_digits = !strcmp(s->task, "digits");
    if (!s->epochs) s->epochs = is_digits ? 30 : s->seeds ? 100 : 1000;
    if (!s->count) s->activations[s->count++] = is_digits ? "swiglu" : "gelu";
    if (s->count == 1 && !is_digits && !strcmp(s->activations[0], "gelu"))
        s->activations[s->count++] = "relu";
    return s->hidden && s->batch && s->rate > 0 && (!s->seeds || s->count == 2) ? 0 : -1;
}

int main(int argc, char **argv)
{
    struct settings s = {
        .loss = "squared", .data = DATA, .hidden = 64, .batch = 32, .seed = 1, .rate = 0.001F};
    actgen_engine *engine = NULL;
    actgen_error error = {0};
    if (read_options(&s, argc, argv)) {
        fprintf(stderr,
                "usage: train normal|uniform|digits [--activation NAME|FORMULA]... [--epochs N] [--seed N]\n"
                "             [--hidden N] [--batch N] [--rate R] [--svg FILE] [--data FOLDER] [--isa NAME]\n"
                "             [--outputs N] [--seeds N] [--loss squared|entropy]\n");
        return 2;
    }
    int status = actgen_engine_create(&engine, &error);
    if (!status) status = (s.seeds ? compare_seeds : train_all)(&s, engine, &error);
    if (status) fprintf(stderr, "train: %s\n", *error.message ? error.message : actgen_status_name(status));
    actgen_engine_free(engine);
    return status != 0;
}
