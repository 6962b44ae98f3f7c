/* Fuzzes records of kernels and values of the cache. A value comes back as it was stored, and a damaged file
 * gives nothing. */
#include "fuzz.h"
#include "cache.h"
#include "kernel_record.h"

#include <fcntl.h>
#include <stdio.h>
#include <unistd.h>

static void read_record(arena *memory, const uint8_t *data, size_t size)
{
    struct bytes bytes = {.data = data, .left = size};
    struct lane_kernel kernel;
    (void)kernel_record_read(&kernel, &bytes, memory);
}

/* Returns a cache in a folder of this process, with the folder's descriptor. */
static cache *own_cache(int *folder)
{
    static cache *own;
    static int descriptor = -1;
    if (!own) {
        const char *parent = getenv("TMPDIR");
        char path[500];
        struct diag why = {0};
        snprintf(path, sizeof path, "%s/actgen-fuzz-XXXXXX", parent ? parent : "/tmp");
        own = mkdtemp(path) ? cache_open(path, 0, &why) : NULL;
        descriptor = open(path, O_RDONLY | O_DIRECTORY);
        if (!own || descriptor < 0) abort();
    }
    *folder = descriptor;
    return own;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    fuzz_with_arena(read_record, data, size);
    static const char key[HASH_TEXT_SIZE] = "0123456789abcdef0123456789abcdef";
    int folder;
    size_t found_size;
    cache *c = own_cache(&folder);
    const int file = openat(folder, key, O_WRONLY | O_CREAT | O_TRUNC, 0600);
    if (file < 0 || write(file, data, size) != (ssize_t)size) abort();
    close(file);
    free(cache_get(c, key, &found_size));
    cache_put(c, key, data, size);
    uint8_t *found = cache_get(c, key, &found_size);
    fuzz_expect(!size || (found && found_size == size && !memcmp(found, data, size)));
    free(found);
    cache_drop(c, key);
    return 0;
}
