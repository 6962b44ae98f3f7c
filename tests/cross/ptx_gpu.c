/* Runs kernels on a GPU by CUDA's driver, which is loaded where there is one. */
#define _GNU_SOURCE
#include "../../examples/gpu/driver.h"
#include "ptx.h"

#include <stdio.h>
#include <stdlib.h>

enum { MAPPED = 2 /* CU_MEMHOSTREGISTER_DEVICEMAP */, MOST_MODULES = 16 };

static struct cuda_driver cuda;

static void *modules[MOST_MODULES];
static size_t module_count;
static unsigned char *here[CROSS_NAMES];
static cuda_address there[CROSS_NAMES];

static void must(int status, const char *what)
{
    if (!status) return;
    printf("%s: CUDA's error %d\n", what, status);
    exit(1);
}

const char *ptx_gpu_open(unsigned char *const *memory)
{
    const char *why = cuda_open(&cuda);
    if (why) return why;
    for (int i = 0; i < CROSS_NAMES; i++) {
        here[i] = memory[i];
        must(cuda.cuMemHostRegister_v2(memory[i], CROSS_MEMORY, MAPPED), "cuMemHostRegister");
        must(cuda.cuMemHostGetDevicePointer_v2(&there[i], memory[i], 0), "cuMemHostGetDevicePointer");
    }
    printf("%s: ", cuda.device);
    return NULL;
}

void ptx_gpu_load(const char *text)
{
    if (module_count == MOST_MODULES) exit(1);
    const char *target = strstr(text, ".target sm_");
    if (target && atoi(target + strlen(".target sm_")) > cuda.capability) {
        printf("SKIPPED: the texts are for later GPUs\n");
        exit(0);
    }
    must(cuda.cuModuleLoadData(&modules[module_count++], text), "cuModuleLoadData");
}

void ptx_gpu_launch(const char *entry, struct ptx_grid grid, size_t rows, size_t cols,
                    const struct cross_operand *operands)
{
    struct {
        cuda_address data;
        uint64_t stride;
    } values[CROSS_NAMES] = {{0, 0}};
    void *parameters[] = {&rows, &cols, values}, *function = NULL;
    for (int i = 0; i < CROSS_NAMES; i++) {
        const unsigned char *data = operands[i].data;
        for (int k = 0; k < CROSS_NAMES; k++)
            if (data >= here[k] && data <= here[k] + CROSS_MEMORY)
                values[i].data = there[k] + (cuda_address)(data - here[k]);
        values[i].stride = operands[i].stride;
    }
    for (size_t m = 0; m < module_count && !function; m++)
        if (cuda.cuModuleGetFunction(&function, modules[m], entry)) function = NULL;
    must(!function, entry);
    must(cuda.cuLaunchKernel(function, grid.blocks[0], grid.blocks[1], 1, grid.threads[0], grid.threads[1], 1,
                             0, NULL, parameters, NULL),
         entry);
    must(cuda.cuCtxSynchronize(), entry);
}
