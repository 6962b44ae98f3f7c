/* Makes one call of the system fail, in a program that loads this library first (LD_PRELOAD). The environment
 * says which: FAULT="write 3" makes the third `write` fail, FAULT="write 3 short" makes it write half of its
 * bytes, and FAULT="malloc 3 all" makes all allocations from the third on fail, whoever asks for the memory.
 * FAULT_COUNTS=FILE adds a line `write 17` for each kind of call at the end of a process. Calls inside libc
 * are not seen. */
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/types.h>
#include <unistd.h>

enum call { OPEN, OPENAT, READ, PREAD, WRITE, FSYNC, CLOSE, RENAME, RENAMEAT, MMAP, MPROTECT, MALLOC, CALLS };
static const struct {
    const char *name;
    int error;
} calls[CALLS] = {
    [OPEN] = {"open", EMFILE}, [OPENAT] = {"openat", EMFILE},     [READ] = {"read", EIO},
    [PREAD] = {"pread", EIO},  [WRITE] = {"write", ENOSPC},       [FSYNC] = {"fsync", EIO},
    [CLOSE] = {"close", EIO},  [RENAME] = {"rename", EACCES},     [RENAMEAT] = {"renameat", EACCES},
    [MMAP] = {"mmap", ENOMEM}, [MPROTECT] = {"mprotect", ENOMEM}, [MALLOC] = {"malloc", ENOMEM}};
static unsigned long made[CALLS];

enum outcome { WORKS, FAILS, IS_SHORT };

/* The fault that the environment asks for. It is read once, because a program allocates often. */
static struct {
    bool is_read;
    char name[16], kind[16];
    unsigned long at;
} fault;

static void read_fault(void)
{
    const char *text = getenv("FAULT");
    fault.is_read = true; /* Reading may allocate. */
    if (text && sscanf(text, "%15s %lu %15s", fault.name, &fault.at, fault.kind) < 2) fault.at = 0;
}

/* Counts a call, and says what becomes of it. */
static enum outcome next(enum call call)
{
    const unsigned long number = __atomic_add_fetch(&made[call], 1, __ATOMIC_RELAXED);
    if (!fault.is_read) read_fault();
    if (!fault.at || number < fault.at || strcmp(fault.name, calls[call].name) != 0) return WORKS;
    const bool for_good = !strcmp(fault.kind, "all");
    if (number > fault.at && !for_good) return WORKS;
    if (*fault.kind && !for_good) return IS_SHORT;
    errno = calls[call].error;
    return FAILS;
}

__attribute__((destructor)) static void write_counts(void)
{
    const char *path = getenv("FAULT_COUNTS");
    FILE *file = path ? fopen(path, "ae") : NULL;
    for (int i = 0; file && i < CALLS; i++)
        if (made[i]) fprintf(file, "%s %lu\n", calls[i].name, made[i]);
    if (file) fclose(file);
}

/* Finds the function that this library stands before. */
#define REAL(name, result, ...) ((result(*)(__VA_ARGS__))dlsym(RTLD_NEXT, name))

static int mode_of(int flags, va_list more) { return flags & (O_CREAT | O_TMPFILE) ? va_arg(more, int) : 0; }

int open(const char *path, int flags, ...)
{
    va_list more;
    va_start(more, flags);
    const int mode = mode_of(flags, more);
    va_end(more);
    return next(OPEN) ? -1 : REAL("open", int, const char *, int, ...)(path, flags, mode);
}
int openat(int directory, const char *path, int flags, ...)
{
    va_list more;
    va_start(more, flags);
    const int mode = mode_of(flags, more);
    va_end(more);
    return next(OPENAT) ? -1 : REAL("openat", int, int, const char *, int, ...)(directory, path, flags, mode);
}
ssize_t read(int file, void *data, size_t size)
{
    const enum outcome o = next(READ);
    return o == FAILS
               ? -1
               : REAL("read", ssize_t, int, void *, size_t)(file, data, o && size > 1 ? size / 2 : size);
}
ssize_t pread(int file, void *data, size_t size, off_t at)
{
    const enum outcome o = next(PREAD);
    return o == FAILS
               ? -1
               : REAL("pread", ssize_t, int, void *, size_t, off_t)(file, data, o ? size / 2 : size, at);
}
ssize_t write(int file, const void *data, size_t size)
{
    const enum outcome o = next(WRITE);
    return o == FAILS ? -1
                      : REAL("write", ssize_t, int, const void *, size_t)(file, data,
                                                                          o && size > 1 ? size / 2 : size);
}
int fsync(int file) { return next(FSYNC) ? -1 : REAL("fsync", int, int)(file); }
int close(int file)
{
    const enum outcome o = next(CLOSE);
    const int result = REAL("close", int, int)(file); /* a close that fails has closed the file */
    if (o) errno = calls[CLOSE].error;
    return o ? -1 : result;
}
int rename(const char *from, const char *to)
{
    return next(RENAME) ? -1 : REAL("rename", int, const char *, const char *)(from, to);
}
int renameat(int a, const char *from, int b, const char *to)
{
    return next(RENAMEAT) ? -1 : REAL("renameat", int, int, const char *, int, const char *)(a, from, b, to);
}
void *mmap(void *at, size_t size, int protection, int flags, int file, off_t offset)
{
    if (next(MMAP)) return MAP_FAILED;
    return REAL("mmap", void *, void *, size_t, int, int, int, off_t)(at, size, protection, flags, file,
                                                                      offset);
}
int mprotect(void *at, size_t size, int protection)
{
    return next(MPROTECT) ? -1 : REAL("mprotect", int, void *, size_t, int)(at, size, protection);
}

/* glibc's own names, because dlsym itself allocates. */
void *__libc_malloc(size_t size);
void *__libc_calloc(size_t count, size_t size);
void *__libc_realloc(void *old, size_t size);
void *__libc_memalign(size_t alignment, size_t size);
void *malloc(size_t size) { return next(MALLOC) ? NULL : __libc_malloc(size); }
void *calloc(size_t count, size_t size) { return next(MALLOC) ? NULL : __libc_calloc(count, size); }
void *realloc(void *old, size_t size) { return next(MALLOC) ? NULL : __libc_realloc(old, size); }
void *aligned_alloc(size_t alignment, size_t size)
{
    return next(MALLOC) ? NULL : __libc_memalign(alignment, size);
}
int posix_memalign(void **out, size_t alignment, size_t size)
{
    *out = aligned_alloc(alignment, size);
    return *out ? 0 : ENOMEM;
}

/* The names of programs that ask for 64-bit offsets. */
int open64(const char *path, int flags, ...) __attribute__((alias("open")));
int openat64(int directory, const char *path, int flags, ...) __attribute__((alias("openat")));
ssize_t pread64(int file, void *data, size_t size, off_t at) __attribute__((alias("pread")));
void *mmap64(void *at, size_t size, int protection, int flags, int file, off_t offset)
    __attribute__((alias("mmap")));
