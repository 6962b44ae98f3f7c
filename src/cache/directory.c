/* Which directory, and whether it is safe: objects found in it are run. */
#include "room.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static char *joined(const char *folder, const char *rest)
{
    char *path = NULL;
    return asprintf(&path, "%s/%s", folder, rest) < 0 ? NULL : path;
}

/* NULL: none, or no memory. Variables that the user did not set himself (set-user-id programs) do not count. */
static char *default_directory(void)
{
    const char *own = secure_getenv("ACTGEN_CACHE_DIR"), *xdg = secure_getenv("XDG_CACHE_HOME"),
               *home = secure_getenv("HOME");
    if (own) return *own ? strdup(own) : NULL;
    if (xdg && *xdg == '/') return joined(xdg, "actgen"); /* relative ones are invalid, says its standard */
    if (home && *home == '/') return joined(home, ".cache/actgen");
    return NULL;
}

/* Each missing folder of the path, for this user alone. */
static void make_folders(char *path)
{
    for (char *slash = path + 1; *slash; slash++) {
        if (*slash != '/') continue;
        *slash = 0;
        mkdir(path, 0700);
        *slash = '/';
    }
    mkdir(path, 0700);
}

static bool is_safe(int directory, const char *path, struct diag *why)
{
    struct stat s;
    if (fstat(directory, &s))
        diag_set(why, DIAG_INVALID, "%s: %s", path, strerror(errno));
    else if (s.st_uid != geteuid())
        diag_set(why, DIAG_INVALID, "%s belongs to another user", path);
    else if (s.st_mode & (S_IWGRP | S_IWOTH))
        diag_set(why, DIAG_INVALID, "%s can be written by others; chmod go-w mends that", path);
    else
        return true;
    return false;
}

int directory_open(char **path, const char *wanted, struct diag *why)
{
    *path = wanted ? *wanted ? strdup(wanted) : NULL : default_directory();
    if (!*path) {
        diag_set(why, DIAG_INVALID, wanted ? "no directory is wanted" : "the environment names no directory");
        return -1;
    }
    int directory = open(*path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (directory < 0) {
        make_folders(*path);
        directory = open(*path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    }
    if (directory < 0) {
        diag_set(why, DIAG_INVALID, "%s: %s", *path, strerror(errno));
    } else if (!is_safe(directory, *path, why)) {
        close(directory);
        directory = -1;
    }
    return directory;
}
