/* Writes /tmp/perf-<process>.map, with a line for each function: its address and size in hexadecimal, and its
 * name. Other code in the process may write there as well. So each line is one write() to the end of the
 * file. */
#include "perf.h"

#include "actgen.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

int perf_open(const char *path)
{
    struct stat status;
    const int file =
        open(path, O_RDWR | O_APPEND | O_CREAT | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY | O_CLOEXEC, 0600);
    if (file < 0) return -1;
    if (!fstat(file, &status) && S_ISREG(status.st_mode) && status.st_uid == geteuid() &&
        status.st_nlink == 1)
        return file;
    close(file);
    return -1;
}

static void add_to_map(const void *start, size_t size, const char *name)
{
    char path[64], line[256];
    snprintf(path, sizeof path, "/tmp/perf-%ld.map", (long)getpid());
    const int length =
        snprintf(line, sizeof line, "%zx %zx actgen:%.200s\n", (size_t)(uintptr_t)start, size, name);
    const int file = perf_open(path);
    if (file < 0) return;
    if (length > 0 && write(file, line, (size_t)length) < 0) line[0] = 0; /* A name is lost. */
    close(file);
}

static const struct {
    const char *word;
    perf_namer *add; /* NULL: debuggers read the whole object. */
} kinds[] = {
    [ACTGEN_PERF_MAP] = {"map", add_to_map},
    [ACTGEN_PERF_DUMP] = {"dump", perf_dump_add},
    [ACTGEN_PERF_GDB] = {"gdb", NULL},
};
enum { KINDS = sizeof kinds / sizeof *kinds };

int32_t perf_wanted(int32_t option)
{
    if (option) return option > 0 && option < KINDS ? option : ACTGEN_PERF_MAP;
    const char *text = secure_getenv("ACTGEN_PERF");
    if (!text || !*text || !strcmp(text, "0")) return 0;
    for (int32_t i = ACTGEN_PERF_MAP; i < KINDS; i++)
        if (!strcmp(text, kinds[i].word)) return i;
    return ACTGEN_PERF_MAP;
}

void perf_name(int32_t wanted, loader_code *code, const void *object, size_t size)
{
    if (!wanted) return;
    if (kinds[wanted].add)
        loader_functions(code, kinds[wanted].add);
    else
        loader_show(code, object, size);
}
