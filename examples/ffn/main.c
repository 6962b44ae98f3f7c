/* Times the feed-forward layers of transformers, and the share of their activations. These are compiled into
 * one kernel with the gate, run operator by operator, and run as a plain C loop. The results are checked
 * against double precision. README.md has the options. */
#include "../random.h"
#include "layer.h"
#include "safetensors.h"
#include <cblas.h>
#include <getopt.h>
#include <math.h>
#include <openblas_config.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

struct settings {
    size_t dim, hidden;
    const char *batches, *only, *accuracy;
    const char *weights, *prefix, *save;
    double seconds; /* the least time to spend on each line of the table */
};

static double now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/* -- weights -- */

/* Returns a matrix of uniform numbers with the variance 1/columns, so that products neither grow nor
 * shrink. */
static float *seeded(size_t rows, size_t cols, uint64_t seed)
{
    float *out = malloc(rows * cols * sizeof *out);
    const float scale = (float)sqrt(3 / (double)cols);
    for (size_t i = 0; out && i < rows * cols; i++) out[i] = scale * random_uniform(&seed);
    return out;
}

/* Returns the file's matrix `name` as f32, or NULL. */
static float *loaded(const struct safetensors *file, const struct settings *s, const char *name,
                     const struct kernels *bf16, struct tensor *shape)
{
    char full[300];
    snprintf(full, sizeof full, "%s%s", s->prefix, name);
    if (safetensors_find(shape, file, full)) return NULL;
    const size_t count = shape->rows * shape->cols;
    float *out = malloc(count * sizeof *out);
    if (out && shape->type == ACTGEN_F32)
        memcpy(out, shape->data, count * sizeof *out);
    else if (out)
        as_f32(bf16, shape->type, shape->data, count, out);
    return out;
}

/* Reads W above V, and W2, under the names that Llama's files have. */
static int load(struct weights *out, const struct settings *s, const struct kernels *bf16)
{
    struct tensor gate, up, down;
    struct safetensors *file = safetensors_read(s->weights);
    if (!file) return -1;
    float *in = loaded(file, s, "gate_proj.weight", bf16, &gate);
    float *above = in ? loaded(file, s, "up_proj.weight", bf16, &up) : NULL;
    float *last = above ? loaded(file, s, "down_proj.weight", bf16, &down) : NULL;
    int failed = !last || up.rows != gate.rows || up.cols != gate.cols || down.rows != gate.cols ||
                 down.cols != gate.rows;
    if (last && failed) fprintf(stderr, "%s: the shapes do not fit\n", s->weights);
    float *both = failed ? NULL : realloc(in, 2 * gate.rows * gate.cols * sizeof *in);
    if (both) {
        memcpy(both + gate.rows * gate.cols, above, gate.rows * gate.cols * sizeof *in);
        *out = (struct weights){gate.cols, gate.rows, ACTGEN_F32, both, last};
    } else {
        free(in);
        free(last);
    }
    free(above);
    safetensors_free(file);
    return both ? 0 : -1;
}

static int save(const struct weights *w, const struct settings *s)
{
    const float *in = w->in;
    char names[3][300];
    const char *const ends[] = {"gate_proj.weight", "up_proj.weight", "down_proj.weight"};
    for (int i = 0; i < 3; i++) snprintf(names[i], sizeof names[i], "%s%s", s->prefix, ends[i]);
    const struct tensor tensors[] = {{names[0], w->type, w->hidden, w->dim, in},
                                     {names[1], w->type, w->hidden, w->dim, in + w->hidden * w->dim},
                                     {names[2], w->type, w->dim, w->hidden, w->out}};
    return safetensors_write(s->save, tensors, 3);
}

static int make_weights(struct weights *out, const struct settings *s, const struct kernels *bf16)
{
    if (s->weights) return load(out, s, bf16);
    *out = (struct weights){s->dim, s->hidden, ACTGEN_F32, seeded(2 * s->hidden, s->dim, 1),
                            seeded(s->dim, s->hidden, 2)};
    return out->in && out->out ? 0 : -1;
}

/* Converts the weights to bf16. */
static int narrow_weights(struct weights *out, const struct weights *w, const struct kernels *bf16)
{
    const size_t in_count = 2 * w->hidden * w->dim, out_count = w->dim * w->hidden;
    void *in = malloc(in_count * 2), *last = malloc(out_count * 2);
    *out = (struct weights){w->dim, w->hidden, ACTGEN_BF16, in, last};
    if (!in || !last) return -1;
    narrow(bf16, w->in, in_count, in);
    narrow(bf16, w->out, out_count, last);
    return 0;
}

/* -- double precision -- */

/* The errors of the last row. */
struct errors {
    double between; /* the error of the kernel between the products, in ulps of the layer's type */
    double layer;   /* the layer's largest error, divided by the root mean square of its results */
};

static double ulp_of(double value, int type)
{
    int exponent;
    frexp(value, &exponent);
    return ldexp(1, (exponent < -125 ? -125 : exponent) - (type == ACTGEN_F32 ? 24 : 8));
}

static double dot(const double *a, const float *b, size_t count)
{
    double sum = 0;
    for (size_t i = 0; i < count; i++) sum += a[i] * (double)b[i];
    return sum;
}

static double apply(const struct activation *a, double gate, double up)
{
    return a->exact(gate) * (a->is_gated ? up : 1);
}

/* Computes the last row in double precision from the same x and weights, and returns the errors of `b`.
 * `room` holds the intermediate values. */
static struct errors errors_of(const struct weights *w, const struct kernels *k, size_t batch, const float *x,
                               struct buffers *b, double *room)
{
    const struct activation *a = k->activation;
    const size_t width = (a->is_gated ? 2 : 1) * w->hidden, bytes = actgen_type_bytes(w->type);
    const size_t up = a->is_gated ? w->hidden : 0;
    const float *gate_up = b->gate_up + (batch - 1) * width, *y = b->y + (batch - 1) * w->dim;
    const float *got = as_f32(k, w->type, b->hidden, batch * w->hidden, b->widened) + (batch - 1) * w->hidden;
    double *input = room, *hidden = room + w->dim, *projected = hidden + w->hidden;
    struct errors e = {0, 0};
    for (size_t i = 0; i < w->dim; i++) input[i] = (double)x[(batch - 1) * w->dim + i];
    for (size_t i = 0; i < width; i++)
        projected[i] = dot(
            input, as_f32(k, w->type, (const char *)w->in + i * w->dim * bytes, w->dim, b->panel), w->dim);
    for (size_t i = 0; i < w->hidden; i++) {
        const double want = apply(a, (double)gate_up[i], (double)gate_up[up + i]);
        const double off = fabs((double)got[i] - want) / ulp_of(want, w->type);
        if (!(off <= e.between)) e.between = isnan(off) ? INFINITY : off;
        hidden[i] = apply(a, projected[i], projected[up + i]);
    }
    double squares = 0, worst = 0;
    for (size_t i = 0; i < w->dim; i++) {
        const double want =
            dot(hidden, as_f32(k, w->type, (const char *)w->out + i * w->hidden * bytes, w->hidden, b->panel),
                w->hidden);
        const double off = fabs((double)y[i] - want);
        if (!(off <= worst)) worst = isnan(off) ? INFINITY : off;
        squares += want * want;
    }
    e.layer = worst / sqrt(squares / (double)w->dim);
    return e;
}

/* -- times -- */

struct times {
    double products, between[FORM_COUNT]; /* seconds, each the least of several runs */
};

static void least(double *out, double begin)
{
    const double took = now() - begin;
    if (*out == 0 || took < *out) *out = took;
}

/* Times the steps in turn, until `seconds` have passed. The fused form runs last, so that its result is
 * checked. */
static struct times time_layer(const struct weights *w, const struct kernels *k, size_t batch, const float *x,
                               struct buffers *b, double seconds)
{
    struct times t = {0};
    double first = 0, second = 0;
    const double begin = now();
    do {
        double start = now();
        first_product(w, k, batch, x, b);
        least(&first, start);
        for (enum form form = FORM_PLAIN; form < FORM_COUNT; form++) {
            start = now();
            between_products(form, w, k, batch, b);
            least(&t.between[form], start);
        }
        start = now();
        second_product(w, k, batch, b);
        least(&second, start);
    } while (now() - begin < seconds);
    t.products = first + second;
    return t;
}

static void print_share(double between, double products)
{
    printf("  %9.3f %5.1f%%", 1e3 * between, 100 * between / (between + products));
}

/* Prints one line of the table. Returns 0 if rounding explains the errors. */
static int report(const struct weights *w, const struct kernels *k, size_t batch, const struct settings *s)
{
    /* f has a bound of 3 ulp. The product with `up` can double an error in ulps, if it lies just below a
     * power of two and the value of f just above one. The product is rounded once more. In the layer the
     * rounding errors of many products add up. In bf16 the rounding of the hidden values outweighs them. */
    const int is_f32 = w->type == ACTGEN_F32;
    const double allowed = is_f32 ? (s->accuracy ? INFINITY : 6.5) : 0.51,
                 allowed_layer = is_f32 ? 1e-5 : 0x1p-6;
    uint64_t seed = 3;
    struct buffers b;
    float *x = malloc(batch * w->dim * sizeof *x);
    double *room = malloc((w->dim + 3 * w->hidden) * sizeof *room);
    int failed = buffers_make(&b, w, batch) || !x || !room;
    if (!failed) {
        for (size_t i = 0; i < batch * w->dim; i++)
            x[i] = (float)(int8_t)(random_bits(&seed) >> 56) / 64; /* exact in bf16 */
        const struct times t = time_layer(w, k, batch, x, &b, s->seconds);
        const struct errors e = errors_of(w, k, batch, x, &b, room);
        printf("%-8s  %-4s  %5zu  %9.2f", k->activation->name, actgen_type_name(w->type), batch,
               1e3 * t.products);
        for (enum form form = FORM_PLAIN; form < FORM_COUNT; form++) print_share(t.between[form], t.products);
        failed = !(e.between <= allowed && e.layer <= allowed_layer);
        printf("  %8.3f  %8.1e%s\n", e.between, e.layer, failed ? "  WRONG" : "");
        fflush(stdout);
    }
    buffers_free(&b);
    free(x);
    free(room);
    return failed;
}

/* Reports all layers with all batches. */
static int report_all(const struct settings *s, actgen_engine *engine, const struct weights *w)
{
    int failed = 0;
    for (size_t i = 0; i < activation_count; i++) {
        if (s->only && strcmp(s->only, activations[i].name) != 0) continue;
        struct kernels k;
        failed |=
            kernels_compile(&k, engine, &activations[i], w->type, w->type == ACTGEN_F32 ? s->accuracy : NULL);
        char *end = (char *)s->batches;
        for (const char *next = s->batches; !failed && *next; next = *end ? end + 1 : end) {
            const unsigned long batch = strtoul(next, &end, 10);
            if (!batch || batch > 1 << 20 || (*end && *end != ',')) {
                fprintf(stderr, "batches are numbers from 1, such as 1,16,512\n");
                failed = 1;
                break;
            }
            failed |= report(w, &k, batch, s);
        }
        kernels_free(&k);
    }
    return failed;
}

static int run(const struct settings *s, actgen_engine *engine)
{
    struct weights f32 = {0}, bf16 = {0};
    struct kernels convert = {0};
    int failed = kernels_compile(&convert, engine, &activations[0], ACTGEN_BF16, NULL) ||
                 make_weights(&f32, s, &convert) || narrow_weights(&bf16, &f32, &convert) ||
                 (s->save && save(&f32, s));
    if (!failed) {
        printf("%zu x %zu, one thread, %s; milliseconds, and the share of the layer's time\n", f32.dim,
               f32.hidden, openblas_get_corename());
        printf("layer     type  batch   products    plain loop        unfused           fused             "
               "ulp     error\n");
        failed = report_all(s, engine, &f32) | report_all(s, engine, &bf16);
        if (!failed) puts("all within rounding of double precision");
    }
    kernels_free(&convert);
    free((void *)f32.in);
    free((void *)f32.out);
    free((void *)bf16.in);
    free((void *)bf16.out);
    return failed;
}

/* Returns 1 if --layer is absent or names a layer. */
static int is_layer_known(const struct settings *s)
{
    for (size_t i = 0; i < activation_count && s->only; i++)
        if (!strcmp(s->only, activations[i].name)) return 1;
    if (!s->only) return 1;
    fprintf(stderr, "there is no layer '%s'; there are", s->only);
    for (size_t i = 0; i < activation_count; i++) fprintf(stderr, "%s %s", i ? "," : "", activations[i].name);
    fputc('\n', stderr);
    return 0;
}

static int read_options(struct settings *s, int argc, char **argv)
{
    static const struct option options[] = {
        {"size", 1, NULL, 'z'},     {"batch", 1, NULL, 'b'},   {"layer", 1, NULL, 'l'},
        {"accuracy", 1, NULL, 'a'}, {"weights", 1, NULL, 'w'}, {"prefix", 1, NULL, 'p'},
        {"save", 1, NULL, 's'},     {"seconds", 1, NULL, 't'}, {NULL, 0, NULL, 0}};
    for (int c; (c = getopt_long(argc, argv, "", options, NULL)) != -1;) {
        switch (c) {
        case 'z':
            if (sscanf(optarg, "%zux%zu", &s->dim, &s->hidden) == 2 && s->dim && s->hidden &&
                s->dim < 1 << 16 && s->hidden < 1 << 17)
                break;
            fprintf(stderr, "--size is DIMxHIDDEN, such as 4096x11008\n");
            return -1;
        case 'b': s->batches = optarg; break;
        case 'l': s->only = optarg; break;
        case 'a': s->accuracy = optarg; break;
        case 'w': s->weights = optarg; break;
        case 'p': s->prefix = optarg; break;
        case 's': s->save = optarg; break;
        case 't': s->seconds = atof(optarg); break;
        default: return -1;
        }
    }
    return optind == argc && is_layer_known(s) ? 0 : -1;
}

int main(int argc, char **argv)
{
    struct settings s = {.dim = 2880, .hidden = 2880, .batches = "1,16,512", .prefix = "", .seconds = 0.2};
    actgen_engine *engine = NULL;
    actgen_error error = {0};
    if (read_options(&s, argc, argv)) {
        fprintf(
            stderr,
            "usage: feed_forward [--size DIMxHIDDEN] [--batch N,...] [--layer NAME] [--accuracy BOUND] "
            "[--seconds S]\n"
            "                    [--weights FILE.safetensors] [--prefix NAME.] [--save FILE.safetensors]\n");
        return 2;
    }
    openblas_set_num_threads(1); /* like the kernels */
    if (actgen_engine_create(&engine, &error)) fprintf(stderr, "actgen: %s\n", error.message);
    const int failed = !engine || run(&s, engine);
    actgen_engine_free(engine);
    return failed;
}
