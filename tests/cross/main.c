/* Runs the tests on a system with files and pages. Usage: main DATA LANES STEP [FILE...]. */
#include "check.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

unsigned char *cross_read_file(const char *path)
{
    FILE *file = fopen(path, "rb");
    if (!file || fseek(file, 0, SEEK_END)) return NULL;
    const size_t size = (size_t)ftell(file);
    unsigned char *data = malloc(size + 1);
    rewind(file);
    if (data && fread(data, 1, size, file) != size) data = NULL;
    if (data) data[size] = 0;
    fclose(file);
    return data;
}

/* Returns memory that a guard page follows. */
static unsigned char *guarded_memory(void)
{
    const size_t page = (size_t)sysconf(_SC_PAGESIZE), size = (CROSS_MEMORY + page - 1) / page * page;
    unsigned char *memory =
        mmap(NULL, size + page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (memory == MAP_FAILED || mprotect(memory + size, page, PROT_NONE)) return NULL;
    return memory + size - CROSS_MEMORY;
}

static int hashes_are_right(unsigned most, bool is_first, unsigned char *const *memory)
{
    struct cross_wrong w = {0};
    const size_t hashed = cross_hash(most, is_first, memory, &w);
    if (!w.kernel)
        printf("the hashes of %zu results are right\n", hashed);
    else
        printf("the hash of %s at %zu inputs is 0x%" PRIx64 ", not 0x%" PRIx64 "\n", w.kernel, w.cols,
               w.computed, w.expected);
    return !w.kernel;
}

/* Checks the kernels and their hashes. Without DATA, it checks only the hashes. */
int main(int argc, char **argv)
{
    unsigned char *memory[CROSS_NAMES];
    struct cross_wrong w = {0};
    for (int i = 0; i < CROSS_NAMES; i++)
        if (!(memory[i] = guarded_memory())) return fprintf(stderr, "no memory\n"), 2;
    if (argc == 1) return !hashes_are_right(cross_start(argv + 1, memory), true, memory);
    const unsigned char *data = argc > 3 ? cross_read_file(argv[1]) : NULL;
    if (!data) return fprintf(stderr, "usage: main DATA LANES STEP [FILE...]\n"), 2;
    const unsigned most = cross_start(argv + 4, memory);
    const size_t compared = cross_check(data, (size_t)atoi(argv[2]), (size_t)atoi(argv[3]), memory, &w);
    if (!compared) {
        printf("%s of %zu rows of %zu columns, name %u, row %zu, column %zu: 0x%" PRIx64 ", not 0x%" PRIx64
               "\n",
               w.kernel, w.rows, w.cols, (unsigned)w.name, w.row, w.col, w.computed, w.expected);
        return 1;
    }
    printf("%zu kernels, %zu values are right, ", cross_kernel_count, compared);
    return !hashes_are_right(most, atoi(argv[3]) == 1, memory);
}
