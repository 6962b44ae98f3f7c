/* Runs kernels on a GPU by CUDA's driver, which is loaded where there is one. The declarations here are
 * those of cuda.h, of the CUDA driver API. So compiling this file needs no CUDA. */
#define _GNU_SOURCE
#include "ptx.h"

#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef int result;
typedef uint64_t device_pointer;
enum { MAPPED = 2 /* CU_MEMHOSTREGISTER_DEVICEMAP */, MOST_MODULES = 16 };

/* The functions of the driver, with the suffixes that cuda.h gives them by macros. */
#define FUNCTIONS(FUNCTION)                                                                                  \
    FUNCTION(cuInit, (unsigned flags))                                                                       \
    FUNCTION(cuDeviceGet, (int *device, int number))                                                         \
    FUNCTION(cuDeviceGetName, (char *name, int length, int device))                                          \
    FUNCTION(cuDevicePrimaryCtxRetain, (void **context, int device))                                         \
    FUNCTION(cuCtxSetCurrent, (void *context))                                                               \
    FUNCTION(cuCtxSynchronize, (void))                                                                       \
    FUNCTION(cuModuleLoadData, (void **module, const void *image))                                           \
    FUNCTION(cuModuleGetFunction, (void **function, void *module, const char *name))                         \
    FUNCTION(cuMemHostRegister_v2, (void *memory, size_t size, unsigned flags))                              \
    FUNCTION(cuMemHostGetDevicePointer_v2, (device_pointer * there, void *here, unsigned flags))             \
    FUNCTION(cuLaunchKernel, (void *function, unsigned blocks_x, unsigned blocks_y, unsigned blocks_z,       \
                              unsigned threads_x, unsigned threads_y, unsigned threads_z, unsigned shared,   \
                              void *stream, void **parameters, void **extra))

static struct {
#define FUNCTION(name, parameters) result(*name) parameters;
    FUNCTIONS(FUNCTION)
#undef FUNCTION
} cuda;

static void *modules[MOST_MODULES];
static size_t module_count;
static unsigned char *here[CROSS_NAMES];
static device_pointer there[CROSS_NAMES];

static void must(result status, const char *what)
{
    if (!status) return;
    printf("%s: CUDA's error %d\n", what, status);
    exit(1);
}

const char *ptx_gpu_open(unsigned char *const *memory)
{
    void *library = dlopen("libcuda.so.1", RTLD_NOW), *address, *context;
    int device;
    static char name[100] = "";
    if (!library) return "there is no libcuda.so.1";
#define FUNCTION(name, parameters)                                                                           \
    if (!(address = dlsym(library, #name))) return "libcuda.so.1 has no " #name;                             \
    memcpy(&cuda.name, &address, sizeof address);
    FUNCTIONS(FUNCTION)
#undef FUNCTION
    if (cuda.cuInit(0) || cuda.cuDeviceGet(&device, 0)) return "CUDA's driver finds no GPU";
    must(cuda.cuDeviceGetName(name, sizeof name, device), "cuDeviceGetName");
    must(cuda.cuDevicePrimaryCtxRetain(&context, device), "cuDevicePrimaryCtxRetain");
    must(cuda.cuCtxSetCurrent(context), "cuCtxSetCurrent");
    for (int i = 0; i < CROSS_NAMES; i++) {
        here[i] = memory[i];
        must(cuda.cuMemHostRegister_v2(memory[i], CROSS_MEMORY, MAPPED), "cuMemHostRegister");
        must(cuda.cuMemHostGetDevicePointer_v2(&there[i], memory[i], 0), "cuMemHostGetDevicePointer");
    }
    printf("%s: ", name);
    return NULL;
}

void ptx_gpu_load(const char *text)
{
    if (module_count == MOST_MODULES) exit(1);
    must(cuda.cuModuleLoadData(&modules[module_count++], text), "cuModuleLoadData");
}

void ptx_gpu_launch(const char *entry, struct ptx_grid grid, size_t rows, size_t cols,
                    const struct cross_operand *operands)
{
    struct {
        device_pointer data;
        uint64_t stride;
    } values[CROSS_NAMES] = {{0, 0}};
    void *parameters[] = {&rows, &cols, values}, *function = NULL;
    for (int i = 0; i < CROSS_NAMES; i++) {
        const unsigned char *data = operands[i].data;
        for (int k = 0; k < CROSS_NAMES; k++)
            if (data >= here[k] && data <= here[k] + CROSS_MEMORY)
                values[i].data = there[k] + (device_pointer)(data - here[k]);
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
