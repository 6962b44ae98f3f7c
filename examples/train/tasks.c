/* Makes the rows to learn: noise, or pictures of digits from files. */
#include "tasks.h"
#include "../random.h"
#include "normal.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int fail(actgen_error *error, const char *what, const char *why)
{
    error->status = ACTGEN_EINVAL;
    snprintf(error->message, sizeof error->message, "%.300s: %.100s", what, why);
    return ACTGEN_EINVAL;
}

static int make_room(struct task *t, actgen_error *error)
{
    const size_t rows = t->rows + t->test_rows;
    t->x = calloc(rows * t->inputs, sizeof(float));
    t->target = calloc(rows * t->outputs, sizeof(float));
    return t->x && t->target ? 0 : fail(error, "task", "out of memory");
}

/* Gives all outputs of a row its number. The numbers stand at the beginning of the targets. */
static void spread(struct task *t)
{
    for (size_t i = t->rows * t->outputs; i-- > 0;) t->target[i] = t->target[i / t->outputs];
}

static int make_noise(struct task *t, int is_normal, size_t outputs, uint64_t *random, actgen_engine *engine,
                      actgen_error *error)
{
    *t = (struct task){.inputs = 64, .outputs = outputs ? outputs : 1, .rows = 10};
    int status = make_room(t, error);
    if (status) return status;
    if (is_normal) {
        status = random_normal(t->x, t->rows * t->inputs, random, engine, error);
        if (!status) status = random_normal(t->target, t->rows, random, engine, error);
    } else {
        for (size_t i = 0; i < t->rows * t->inputs; i++) t->x[i] = random_uniform(random);
        for (size_t i = 0; i < t->rows; i++) t->target[i] = random_uniform(random);
    }
    spread(t);
    return status;
}

/* Reads `count` bytes of a .npy file. Its header must name the type u1 and this shape. */
static int read_npy(uint8_t *out, size_t count, const char *folder, const char *name, const char *shape,
                    actgen_error *error)
{
    char path[500];
    unsigned char begin[10];
    char header[1024] = "";
    snprintf(path, sizeof path, "%s/%s", folder, name);
    FILE *file = fopen(path, "rb");
    if (!file) return fail(error, path, "it cannot be opened");
    size_t length = 0;
    if (fread(begin, 1, 10, file) == 10 && !memcmp(begin, "\x93NUMPY\x01", 7))
        length = begin[8] + 256u * begin[9];
    const int good = length && length < sizeof header && fread(header, 1, length, file) == length &&
                     strstr(header, "'|u1'") && strstr(header, shape) && fread(out, 1, count, file) == count;
    fclose(file);
    return good ? 0 : fail(error, path, "this is not the file that examples/data/make_digits.py writes");
}

/* Puts picture i of the file into its row. Every fifth picture comes after the others, for the test. */
static void add_picture(struct task *t, size_t i, const uint8_t *shades, unsigned digit)
{
    const size_t row = i % 5 == 4 ? t->rows + i / 5 : i - i / 5;
    for (size_t k = 0; k < t->inputs; k++) t->x[row * t->inputs + k] = (float)shades[k] / 16;
    t->target[row * t->outputs + digit] = 1;
}

static int make_digits(struct task *t, const char *data, actgen_error *error)
{
    enum { PICTURES = 1797, PIXELS = 64 };
    static const char images[] = "(1797, 8, 8)", labels[] = "(1797,)";
    *t = (struct task){
        .inputs = PIXELS, .outputs = 10, .rows = PICTURES - PICTURES / 5, .test_rows = PICTURES / 5};
    uint8_t *shades = malloc(PICTURES * PIXELS), digits[PICTURES];
    int status = make_room(t, error);
    if (!status && !shades) status = fail(error, "digits", "out of memory");
    if (!status) status = read_npy(shades, PICTURES * PIXELS, data, "digits.npy", images, error);
    if (!status) status = read_npy(digits, PICTURES, data, "digits_labels.npy", labels, error);
    for (size_t i = 0; i < PICTURES && !status; i++) add_picture(t, i, shades + i * PIXELS, digits[i] % 10);
    free(shades);
    return status;
}

int task_make(struct task *out, const char *name, size_t outputs, const char *data, uint64_t *random,
              actgen_engine *engine, actgen_error *error)
{
    *out = (struct task){0};
    if (!strcmp(name, "digits") && outputs) return fail(error, name, "the task has an output for each digit");
    if (!strcmp(name, "digits")) return make_digits(out, data, error);
    if (!strcmp(name, "normal") || !strcmp(name, "uniform"))
        return make_noise(out, *name == 'n', outputs, random, engine, error);
    return fail(error, name, "there is no such task: normal, uniform, digits");
}

void task_free(struct task *t)
{
    free(t->x);
    free(t->target);
}
