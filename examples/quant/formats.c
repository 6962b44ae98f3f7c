/* Takes SwiGLU's results to the formats of 8 and 4 bits that formats.act has. Prints the error of each, and
 * the time of the pass that makes it. */
#include "formats.h"
#include "../random.h"

#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { TOKENS = 64, COLUMNS = 4096, RUNS = 200, ELEMENTS = TOKENS * COLUMNS };

static uint16_t sums[2 * ELEMENTS]; /* bf16: a row has all gates, then all factors */
static float exact[ELEMENTS], back[ELEMENTS];
static uint8_t numbers[ELEMENTS], copied[sizeof sums];
static float scales[ELEMENTS]; /* large enough for every format */
static float encode;           /* nvfp4's scale of the tensor */

/* The kernels of a format, and the bytes of the workspace that its maxima need. */
struct format {
    const char *name;
    void (*to)(size_t rows, size_t cols, const actgen_operand *operands);
    size_t (*workspace)(size_t rows, size_t cols);
    void (*from)(size_t rows, size_t cols, const actgen_operand *operands);
    double most;     /* the largest error that is allowed, in percent */
    bool has_encode; /* the second input is the scale of the tensor */
};
static const struct format formats[] = {
    {"mxfp8, scale of the specification", to_mxfp8_kernel, to_mxfp8_workspace, from_mxfp8_kernel, 4, false},
    {"mxfp8, no element saturates", to_mxfp8_up_kernel, to_mxfp8_up_workspace, from_mxfp8_kernel, 4, false},
    {"int8, scale of a token", to_int8_kernel, to_int8_workspace, from_int8_kernel, 8, false},
    {"int8, groups of 128", to_int8_groups_kernel, to_int8_groups_workspace, from_int8_groups_kernel, 3,
     false},
    {"mxfp4", to_mxfp4_kernel, to_mxfp4_workspace, from_mxfp4_kernel, 20, false},
    {"nvfp4", to_nvfp4_kernel, to_nvfp4_workspace, from_nvfp4_kernel, 15, true},
    {"int4, groups of 32", to_int4_groups_kernel, to_int4_groups_workspace, from_int4_groups_kernel, 20,
     false},
};

/* Fills the sums with bf16 numbers. Some columns are larger, as in trained layers. */
static void fill(void)
{
    uint64_t state = 1;
    for (size_t i = 0; i < 2 * (size_t)ELEMENTS; i++) {
        float x = 0;
        uint32_t bits;
        for (int k = 0; k < 8; k++) x += random_uniform(&state);
        x *= i % 509 == 0 ? 8 : 1;
        memcpy(&bits, &x, sizeof bits);
        sums[i] = (uint16_t)(bits >> 16);
    }
}

static double seconds(void)
{
    struct timespec now;
    timespec_get(&now, TIME_UTC);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

/* Returns the root mean square of the error, in percent of that of the results. */
static double error_of(const struct format *f)
{
    double error = 0, size = 0;
    const actgen_operand result = {back, 0};
    actgen_operand operands[] = {{numbers, 0}, {scales, 0}, {&encode, 0}, result};
    if (!f->has_encode) operands[2] = result;
    f->from(TOKENS, COLUMNS, operands);
    for (size_t i = 0; i < ELEMENTS; i++) {
        const double off = (double)back[i] - (double)exact[i];
        error += off * off;
        size += (double)exact[i] * (double)exact[i];
    }
    return 100 * sqrt(error / size);
}

/* Returns the least time of a pass, in ns an element. */
static double time_of(const struct format *f, void *workspace, size_t size)
{
    actgen_operand operands[] = {{sums, 0}, {&encode, 0}, {numbers, 0}, {scales, 0}, {workspace, size}};
    if (!f->has_encode) operands[1] = operands[0];
    double least = INFINITY;
    for (int run = 0; run < RUNS; run++) {
        const double start = seconds();
        f->to(TOKENS, COLUMNS, f->has_encode ? operands : operands + 1);
        least = fmin(least, seconds() - start);
    }
    return 1e9 * least / ELEMENTS;
}

static double time_of_copy(void)
{
    void *(*volatile copy)(void *, const void *, size_t) = memcpy; /* so that it is not left out */
    double least = INFINITY;
    for (int run = 0; run < RUNS; run++) {
        const double start = seconds();
        copy(copied, sums, sizeof sums);
        least = fmin(least, seconds() - start);
    }
    return 1e9 * least / ELEMENTS;
}

int main(void)
{
    int failed = 0;
    float most = 0;
    fill();
    swiglu(TOKENS, COLUMNS, sums, exact);
    for (size_t i = 0; i < ELEMENTS; i++) most = fmaxf(most, fabsf(exact[i]));
    encode = 6 * 448 / most;
    printf("SwiGLU of %d tokens, %d columns: error of the root mean square, ns an element\n", TOKENS,
           COLUMNS);
    for (size_t n = 0; n < sizeof formats / sizeof *formats; n++) {
        const size_t size = formats[n].workspace(TOKENS, COLUMNS);
        void *workspace = malloc(size);
        if (!workspace) return 1;
        const double time = time_of(&formats[n], workspace, size), error = error_of(&formats[n]);
        printf("%-34s  %.3f %%  %.3f\n", formats[n].name, error, time);
        failed |= !(error < formats[n].most);
        free(workspace);
    }
    printf("a copy of the operands: %.3f\n", time_of_copy());
    puts(failed ? "larger than it should be" : "all within what these types can hold");
    return failed;
}
