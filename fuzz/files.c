/* Fuzzes the files that the program reads: .npy files, JSON and journals. The first byte chooses. */
#include "fuzz.h"
#include "json_read.h"
#include "npy.h"
#include "verify_journal.h"

#include <stdio.h>
#include <sys/mman.h>
#include <unistd.h>

static void read_npy(const uint8_t *data, size_t size)
{
    struct buffer file = {0};
    struct npy npy;
    char why[200];
    if (buffer_write(&file, data, size)) abort();
    (void)npy_extent(&file);
    if (npy_parse(&npy, file, why, sizeof why)) {
        char shape[100];
        npy_shape_text(shape, sizeof shape, npy.shape, npy.dimensions);
        fuzz_expect(npy.data >= npy.file.data && npy.data <= npy.file.data + npy.file.size);
    }
    npy_free(&npy); /* it owns the file, even if this is no array */
}

static void read_json(const uint8_t *data, size_t size)
{
    char *text = fuzz_text(data, size), *at = text;
    struct json_members members;
    const char *problem = NULL;
    while (json_next(&members, &at, &problem))
        for (size_t i = 0; i < members.count; i++) (void)json_find(&members, members.list[i].name);
    free(text);
}

static void read_journal(const uint8_t *data, size_t size)
{
    char path[64];
    const int file = memfd_create("journal", MFD_CLOEXEC);
    if (file < 0 || write(file, data, size) != (ssize_t)size) abort();
    snprintf(path, sizeof path, "/proc/self/fd/%d", file);
    struct journal journal;
    struct record record;
    struct begun begun;
    int code = journal_open(&journal, path);
    while (!code && journal_next(&journal, &record, &begun, &code)) {}
    journal_close(&journal);
    close(file);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    if (!size) return 0;
    static void (*const readers[])(const uint8_t *, size_t) = {read_npy, read_json, read_journal};
    readers[data[0] % 3](data + 1, size - 1);
    return 0;
}
