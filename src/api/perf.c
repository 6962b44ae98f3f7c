/* /tmp/perf-<process>.map: a line for each function, with its address and size in hexadecimal. The process may have other
 * writers of it, so that a line is one write() to the end of the file. */
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
    if (length > 0 && write(file, line, (size_t)length) < 0) line[0] = 0; /* a name less */
    close(file);
}

perf_namer *perf_namer_of(int32_t option)
{
    if (option) return option == ACTGEN_PERF_DUMP ? perf_dump_add : add_to_map;
    const char *text = secure_getenv("ACTGEN_PERF");
    if (!text || !*text || !strcmp(text, "0")) return NULL;
    return strcmp(text, "dump") ? add_to_map : perf_dump_add;
}
