/* CUDA's driver API, as far as the programs here use it. It is loaded while they run, and nothing of CUDA is
 * needed to compile them. The declarations are those of cuda.h. */
#ifndef ACTGEN_EXAMPLE_CUDA_DRIVER_H
#define ACTGEN_EXAMPLE_CUDA_DRIVER_H

#include <dlfcn.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

typedef uint64_t cuda_address; /* CUdeviceptr */

/* The functions, with the suffixes that cuda.h gives them by macros. Each returns 0 or CUDA's number of an
 * error. */
#define CUDA_FUNCTIONS(FUNCTION)                                                                             \
    FUNCTION(cuInit, (unsigned flags))                                                                       \
    FUNCTION(cuDeviceGet, (int *device, int number))                                                         \
    FUNCTION(cuDeviceGetName, (char *name, int length, int device))                                          \
    FUNCTION(cuDeviceGetAttribute, (int *value, int attribute, int device))                                  \
    FUNCTION(cuDevicePrimaryCtxRetain, (void **context, int device))                                         \
    FUNCTION(cuCtxSetCurrent, (void *context))                                                               \
    FUNCTION(cuCtxSynchronize, (void))                                                                       \
    FUNCTION(cuModuleLoadData, (void **module, const void *image))                                           \
    FUNCTION(cuModuleGetFunction, (void **function, void *module, const char *name))                         \
    FUNCTION(cuMemAlloc_v2, (cuda_address * there, size_t size))                                             \
    FUNCTION(cuMemFree_v2, (cuda_address there))                                                             \
    FUNCTION(cuMemcpyHtoD_v2, (cuda_address there, const void *here, size_t size))                           \
    FUNCTION(cuMemcpyDtoH_v2, (void *here, cuda_address there, size_t size))                                 \
    FUNCTION(cuMemcpyDtoDAsync_v2, (cuda_address to, cuda_address from, size_t size, void *stream))          \
    FUNCTION(cuMemHostRegister_v2, (void *memory, size_t size, unsigned flags))                              \
    FUNCTION(cuMemHostGetDevicePointer_v2, (cuda_address * there, void *here, unsigned flags))               \
    FUNCTION(cuEventCreate, (void **event, unsigned flags))                                                  \
    FUNCTION(cuEventRecord, (void *event, void *stream))                                                     \
    FUNCTION(cuEventSynchronize, (void *event))                                                              \
    FUNCTION(cuEventElapsedTime, (float *milliseconds, void *start, void *end))                              \
    FUNCTION(cuLaunchKernel, (void *function, unsigned blocks_x, unsigned blocks_y, unsigned blocks_z,       \
                              unsigned threads_x, unsigned threads_y, unsigned threads_z, unsigned shared,   \
                              void *stream, void **parameters, void **extra))

struct cuda_driver {
#define CUDA_FUNCTION(name, parameters) int(*name) parameters;
    CUDA_FUNCTIONS(CUDA_FUNCTION)
#undef CUDA_FUNCTION
    char device[100]; /* the name of the GPU */
    int capability;   /* its compute capability, 80 for 8.0 */
};

/* Loads the driver and takes the first GPU. Returns NULL, or the reason why there is none. */
static inline const char *cuda_open(struct cuda_driver *cuda)
{
    void *library = dlopen("libcuda.so.1", RTLD_NOW), *address, *context;
    int device, major, minor;
    /* CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR and _MINOR */
    enum { MAJOR = 75, MINOR = 76 };
    if (!library) return "there is no libcuda.so.1";
#define CUDA_FUNCTION(name, parameters)                                                                      \
    if (!(address = dlsym(library, #name))) return "libcuda.so.1 has no " #name;                             \
    memcpy(&cuda->name, &address, sizeof address);
    CUDA_FUNCTIONS(CUDA_FUNCTION)
#undef CUDA_FUNCTION
    if (cuda->cuInit(0) || cuda->cuDeviceGet(&device, 0)) return "CUDA's driver finds no GPU";
    if (cuda->cuDeviceGetName(cuda->device, sizeof cuda->device, device) ||
        cuda->cuDeviceGetAttribute(&major, MAJOR, device) ||
        cuda->cuDeviceGetAttribute(&minor, MINOR, device) ||
        cuda->cuDevicePrimaryCtxRetain(&context, device) || cuda->cuCtxSetCurrent(context))
        return "CUDA's driver cannot use the GPU";
    cuda->capability = 10 * major + minor;
    return NULL;
}

#endif
