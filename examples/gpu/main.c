/* Runs kernels on an NVIDIA GPU, and compares them with the same kernels on the CPU.
 *
 *     gpu kernels.ptx [inputs of gelu, a power of two up to 2^32]
 *
 * It compares the bits, and prints the times of 10^8 elements beside those of a copy on the GPU. Where there
 * is no GPU, it says so. */
#include "driver.h"
#include "kernels.h"
#include "kernels_ptx.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

enum { ROWS = 4096, COLS = 4099, CHUNK = 1 << 24, TRIALS = 20 };

static struct cuda_driver cuda;
static void *module;

static void must(int status, const char *what)
{
    if (!status) return;
    fprintf(stderr, "%s: CUDA's error %d\n", what, status);
    exit(1);
}

static void *allocate(size_t size)
{
    void *memory = malloc(size);
    if (!memory) must(2, "no memory");
    return memory;
}

static cuda_address on_gpu(size_t size)
{
    cuda_address there;
    must(cuda.cuMemAlloc_v2(&there, size), "cuMemAlloc");
    return there;
}

static char *read_text(const char *path)
{
    FILE *file = fopen(path, "rb");
    char *text = allocate(1 << 22);
    if (!file) {
        perror(path);
        exit(1);
    }
    text[fread(text, 1, (1 << 22) - 1, file)] = 0; /* the driver wants a 0 at the end */
    fclose(file);
    return text;
}

static void launch(const char *entry, actgen_launch l, size_t rows, size_t cols, cuda_address x,
                   cuda_address y)
{
    void *function, *parameters[] = {&rows, &cols, &x, &y};
    must(cuda.cuModuleGetFunction(&function, module, entry), entry);
    must(cuda.cuLaunchKernel(function, l.blocks_x, l.blocks_y, 1, l.threads_x, l.threads_y, 1, 0, NULL,
                             parameters, NULL),
         entry);
}

/* Returns how many results differ. NaNs are equal. */
static size_t differences(const float *a, const float *b, size_t count)
{
    size_t found = 0;
    for (size_t i = 0; i < count; i++)
        found += memcmp(&a[i], &b[i], sizeof *a) && !(isnan(a[i]) && isnan(b[i]));
    return found;
}

/* Compares gelu on `count` inputs, which are evenly spaced among all f32. */
static size_t compare_gelu(uint64_t count)
{
    const size_t chunk = count < CHUNK ? (size_t)count : CHUNK, size = chunk * sizeof(float);
    float *x = allocate(size), *y = allocate(size), *other = allocate(size);
    const cuda_address x_there = on_gpu(size), y_there = on_gpu(size);
    const uint64_t step = (UINT64_C(1) << 32) / count;
    size_t found = 0;
    for (uint64_t first = 0; first < count; first += chunk) {
        for (size_t i = 0; i < chunk; i++) {
            const uint32_t bits = (uint32_t)((first + i) * step);
            memcpy(&x[i], &bits, sizeof bits);
        }
        must(cuda.cuMemcpyHtoD_v2(x_there, x, size), "cuMemcpyHtoD");
        launch("gelu", actgen_launch_for(1, chunk), 1, chunk, x_there, y_there);
        gelu(1, chunk, x, other);
        must(cuda.cuMemcpyDtoH_v2(y, y_there, size), "cuMemcpyDtoH");
        found += differences(y, other, chunk);
    }
    must(cuda.cuMemFree_v2(x_there), "cuMemFree");
    must(cuda.cuMemFree_v2(y_there), "cuMemFree");
    free(x), free(y), free(other);
    return found;
}

static size_t compare_softmax(void)
{
    const size_t count = (size_t)ROWS * COLS, size = count * sizeof(float);
    float *x = allocate(size), *y = allocate(size), *other = allocate(size);
    void *workspace = allocate(softmax_workspace(ROWS, COLS));
    const cuda_address x_there = on_gpu(size), y_there = on_gpu(size);
    for (size_t i = 0; i < count; i++) x[i] = (float)(i * 2654435761u % 65536) / 2048 - 16;
    must(cuda.cuMemcpyHtoD_v2(x_there, x, size), "cuMemcpyHtoD");
    launch("softmax", actgen_launch_for_rows(ROWS), ROWS, COLS, x_there, y_there);
    softmax(ROWS, COLS, x, other, workspace);
    must(cuda.cuMemcpyDtoH_v2(y, y_there, size), "cuMemcpyDtoH");
    const size_t found = differences(y, other, count);
    must(cuda.cuMemFree_v2(x_there), "cuMemFree");
    must(cuda.cuMemFree_v2(y_there), "cuMemFree");
    free(x), free(y), free(other), free(workspace);
    return found;
}

/* Returns the least time of some trials in milliseconds. Without an entry, it is that of a copy of `bytes`.
 */
static float time_of(const char *entry, actgen_launch l, size_t rows, size_t cols, cuda_address x,
                     cuda_address y, size_t bytes)
{
    void *start, *end;
    float least = INFINITY, now;
    must(cuda.cuEventCreate(&start, 0), "cuEventCreate");
    must(cuda.cuEventCreate(&end, 0), "cuEventCreate");
    for (int trial = 0; trial < TRIALS; trial++) {
        must(cuda.cuEventRecord(start, NULL), "cuEventRecord");
        if (entry)
            launch(entry, l, rows, cols, x, y);
        else
            must(cuda.cuMemcpyDtoDAsync_v2(y, x, bytes, NULL), "cuMemcpyDtoD");
        must(cuda.cuEventRecord(end, NULL), "cuEventRecord");
        must(cuda.cuEventSynchronize(end), "cuEventSynchronize");
        must(cuda.cuEventElapsedTime(&now, start, end), "cuEventElapsedTime");
        if (now < least) least = now;
    }
    return least;
}

/* Prints times. A copy reads and writes each byte, so it is a bound for what reads and writes as many. */
static void print_times(void)
{
    const size_t n = 100000000, rows = n / COLS, size = n * sizeof(float);
    const cuda_address x = on_gpu(size), y = on_gpu(size);
    const actgen_launch none = {0, 0, 0, 0}, for_all = actgen_launch_for(1, n);
    const float copy = time_of(NULL, none, 0, 0, x, y, size);
    printf("%zu elements: copy %.3f ms, %.0f GB/s\n", n, copy, 2e-6 * (double)size / copy);
    printf("gelu f32: %.2f of the copy\n", time_of("gelu", for_all, 1, n, x, y, 0) / copy);
    /* bf16: n/2 pairs are 2n bytes of inputs and n bytes of results, 3/8 of the copy */
    const float of_pairs =
        time_of("swiglu", actgen_launch_for(rows / 2, COLS - 3), rows / 2, COLS - 3, x, y, 0);
    printf("swiglu bf16: %.2f of a copy of its bytes\n", of_pairs / (copy * 3 / 8));
    printf("softmax f32, rows of %d: %.2f of the copy\n", COLS,
           time_of("softmax", actgen_launch_for_rows(rows), rows, COLS, x, y, 0) / copy);
    must(cuda.cuMemFree_v2(x), "cuMemFree");
    must(cuda.cuMemFree_v2(y), "cuMemFree");
}

int main(int argc, char **argv)
{
    const uint64_t inputs = argc > 2 ? strtoull(argv[2], NULL, 0) : UINT64_C(1) << 24;
    if (argc < 2 || !inputs || inputs > UINT64_C(1) << 32 || (inputs & (inputs - 1))) {
        fprintf(stderr, "usage: %s kernels.ptx [inputs of gelu, a power of two up to 2^32]\n", argv[0]);
        return 2;
    }
    const char *why = cuda_open(&cuda);
    if (why) {
        printf("skipped: %s\n", why);
        return 0;
    }
    char *text = read_text(argv[1]);
    must(cuda.cuModuleLoadData(&module, text), "cuModuleLoadData");
    free(text);
    printf("%s\n", cuda.device);
    const size_t gelus = compare_gelu(inputs), softmaxes = compare_softmax();
    printf("gelu: %zu of %llu results differ from the CPU's\n", gelus, (unsigned long long)inputs);
    printf("softmax: %zu of %d x %d results differ from the CPU's\n", softmaxes, ROWS, COLS);
    print_times();
    return gelus || softmaxes;
}
