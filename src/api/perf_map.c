/* /tmp/perf-<process>.map: a line for each function, with its address and size in hexadecimal. The process may have other
 * writers of it, so that a line is one write() to the end of the file.
 *
 * Anyone may have put something at that name before: links are not followed, nor is anything written to a file that another
 * user owns or that has another name besides. */
#include "perf_map.h"

#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

bool perf_map_is_asked_for(void)
{
    const char *text = secure_getenv("ACTGEN_PERF");
    return text && *text && strcmp(text, "0") != 0;
}

static bool is_own_file(int file)
{
    struct stat status;
    return !fstat(file, &status) && S_ISREG(status.st_mode) && status.st_uid == geteuid() &&
           status.st_nlink == 1;
}

void perf_map_add(const void *start, size_t size, const char *name)
{
    char path[64], line[256];
    snprintf(path, sizeof path, "/tmp/perf-%ld.map", (long)getpid());
    const int length =
        snprintf(line, sizeof line, "%zx %zx actgen:%.200s\n", (size_t)(uintptr_t)start, size, name);
    const int file =
        open(path, O_WRONLY | O_APPEND | O_CREAT | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY | O_CLOEXEC, 0600);
    if (file < 0) return;
    if (length > 0 && is_own_file(file) && write(file, line, (size_t)length) < 0)
        line[0] = 0; /* a name less */
    close(file);
}
