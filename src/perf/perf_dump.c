/* Writes jit-<process>.dump in $JITDUMPDIR, else in /tmp. The format is version 1 of Linux's
 * tools/perf/Documentation/jitdump-specification.txt: a header, then a record with the code of each function.
 * perf finds the file because a page of it is mapped executable. Records have the time of CLOCK_MONOTONIC, so
 * `perf record` needs `-k mono`. */
#include "perf.h"

#include <elf.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <time.h>
#include <unistd.h>

struct header {
    uint32_t magic, version, bytes, machine, padding, process;
    uint64_t time, flags;
};

struct record {
    uint32_t kind, bytes;
    uint64_t time;
    uint32_t process, thread;
    uint64_t virtual_address, address, code_bytes, number;
};

static uint64_t now(void)
{
    struct timespec t;
    return clock_gettime(CLOCK_MONOTONIC, &t) ? 0 : (uint64_t)t.tv_sec * 1000000000 + (uint64_t)t.tv_nsec;
}

/* Returns the processor as ELF names it. Code of this process is for the machine that its program is for. */
static uint32_t machine_of_process(void)
{
    Elf64_Half machine = EM_NONE;
    const int file = open("/proc/self/exe", O_RDONLY | O_CLOEXEC);
    if (file < 0) return EM_NONE;
    const bool known =
        pread(file, &machine, sizeof machine, offsetof(Elf64_Ehdr, e_machine)) == sizeof machine;
    close(file);
    return known ? machine : EM_NONE;
}

/* Maps the first page of the file. It stays mapped while the process lives, so that a perf that starts later
 * finds the file. */
static void mark(int file)
{
    const long page = sysconf(_SC_PAGESIZE);
    if (page > 0) mmap(NULL, (size_t)page, PROT_READ | PROT_EXEC, MAP_PRIVATE, file, 0);
}

/* Appends all of it or nothing, so that the next record is where perf expects it. */
static void append(int file, off_t end, const struct iovec *parts, int count)
{
    size_t bytes = 0;
    for (int i = 0; i < count; i++) bytes += parts[i].iov_len;
    const ssize_t written = writev(file, parts, count);
    if (written > 0 && (size_t)written < bytes && ftruncate(file, end))
        return; /* Nothing more can be done then. */
}

void perf_dump_add(const void *start, size_t size, const char *name)
{
    char path[4096], title[256];
    const char *folder = secure_getenv("JITDUMPDIR");
    if (!folder || !*folder) folder = "/tmp";
    const int length = snprintf(path, sizeof path, "%s/jit-%ld.dump", folder, (long)getpid());
    if (length < 0 || (size_t)length >= sizeof path) return;
    const int file = perf_open(path);
    struct stat status;
    if (file < 0) return;
    if (flock(file, LOCK_EX) || fstat(file, &status)) {
        close(file);
        return;
    }
    snprintf(title, sizeof title, "actgen:%.200s", name);
    const uint64_t time = now();
    struct header header = {0x4a695444, 1, sizeof header, machine_of_process(), 0, (uint32_t)getpid(),
                            time,       0};
    /* The last member is a number that must differ between records. The time serves for that. */
    struct record record = {0,
                            (uint32_t)(sizeof record + strlen(title) + 1 + size),
                            time,
                            (uint32_t)getpid(),
                            (uint32_t)gettid(),
                            (uint64_t)(uintptr_t)start,
                            (uint64_t)(uintptr_t)start,
                            size,
                            time};
    union { /* writev() wants a pointer to non-const data, which it does not write to. */
        const void *read;
        void *any;
    } code = {start};
    const struct iovec parts[] = {
        {&header, sizeof header}, {&record, sizeof record}, {title, strlen(title) + 1}, {code.any, size}};
    const int first = status.st_size ? 1 : 0;
    append(file, status.st_size, parts + first, 4 - first);
    if (!first) mark(file);
    flock(file, LOCK_UN); /* Closing would not unlock, because the mapping keeps the file open. */
    close(file);
}
