/* Runs the kernels that write.c put into texts of PTX: on a machine that reads them, or on a GPU if the
 * environment has PTX_ON=gpu. Grids have many forms, because all of them give the same bits. */
#include "ptx.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const struct ptx_grid grids[] = {{{1, 1}, {1, 1}}, {{2, 1}, {32, 1}}, {{1, 2}, {3, 2}},
                                        {{1, 1}, {2, 5}}, {{3, 2}, {8, 2}},  {{1, 3}, {64, 1}}};
/* Kernels with sums need blocks of whole warps. Threads beyond these have no row. */
static const struct ptx_grid grids_of_warps[] = {{{1, 1}, {32, 1}}, {{2, 1}, {8, 8}}, {{1, 2}, {7, 10}}};
static size_t launches;
static int on_gpu;

static void launch(const char *entry, size_t rows, size_t cols, const struct cross_operand *operands)
{
    const size_t number = launches++;
    struct ptx_grid grid = grids[number % (sizeof grids / sizeof *grids)];
    if (ptx_machine_needs_warps(entry))
        grid = grids_of_warps[number % (sizeof grids_of_warps / sizeof *grids_of_warps)];
    (on_gpu ? ptx_gpu_launch : ptx_machine_launch)(entry, grid, rows, cols, operands);
}

#define KERNEL(name, function)                                                                               \
    void function(size_t rows, size_t cols, const struct cross_operand *operands)                            \
    {                                                                                                        \
        launch(#function, rows, cols, operands);                                                             \
    }
#define AGAIN(name, function)
#define HASHED(function) KERNEL(, function)
#define HASH(...)
#include "hashes.inc"
#include "table.inc"
#undef KERNEL
#undef AGAIN
#undef HASHED
#undef HASH

const struct cross_kernel cross_kernels[] = {
#define KERNEL(name, function) {name, function},
#define AGAIN                  KERNEL
#include "table.inc"
#undef KERNEL
#undef AGAIN
};
const size_t cross_kernel_count = sizeof cross_kernels / sizeof *cross_kernels;

/* Starts the machine. The one that reads text takes minutes for large samples. */
unsigned cross_start(char **files, unsigned char *const *memory)
{
    const char *on = getenv("PTX_ON");
    on_gpu = on && !strcmp(on, "gpu");
    const char *why = on_gpu ? ptx_gpu_open(memory) : NULL;
    if (why) {
        printf("SKIPPED: %s\n", why);
        exit(0);
    }
    for (; *files; files++) {
        const char *text = (const char *)cross_read_file(*files);
        if (!text) {
            printf("%s cannot be read\n", *files);
            exit(2);
        }
        ptx_machine_load(text);
        if (on_gpu) ptx_gpu_load(text);
    }
    return on_gpu ? 32 : 14;
}
