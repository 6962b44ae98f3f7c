/* Finds the directory, and checks that it is safe, because objects in it are run. */
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

/* The folders of a path that may be made. The cache must not make a home directory: some system users have a
 * home that must not exist. LAST_TWO stands for .cache/actgen, or for $XDG_CACHE_HOME and its folder
 * actgen. */
enum { ALL_FOLDERS = -1, LAST_TWO = 2 };

/* Returns the default directory. NULL: there is none, or memory ran out. In set-user-id programs the
 * environment does not count, because another user may have set it. */
static char *default_directory(int *made)
{
    *made = LAST_TWO;
    const char *own = secure_getenv("ACTGEN_CACHE_DIR"), *xdg = secure_getenv("XDG_CACHE_HOME"),
               *home = secure_getenv("HOME");
    if (own) {
        *made = ALL_FOLDERS;
        return *own ? strdup(own) : NULL;
    }
    /* The standard of XDG_CACHE_HOME says that relative paths are invalid. */
    if (xdg && *xdg == '/') return joined(xdg, "actgen");
    if (home && *home == '/') return joined(home, ".cache/actgen");
    return NULL;
}

/* Makes missing folders of the path, for this user only. Makes at most the last `made` of them. */
static void make_folders(char *path, int made)
{
    int left = 1;
    for (const char *c = path + 1; *c; c++) left += *c == '/';
    for (char *slash = path + 1; *slash; slash++) {
        if (*slash != '/') continue;
        *slash = 0;
        if (made == ALL_FOLDERS || left <= made) mkdir(path, 0700);
        *slash = '/';
        left--;
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
    int made = ALL_FOLDERS;
    errno = 0;
    *path = wanted ? *wanted ? strdup(wanted) : NULL : default_directory(&made);
    if (!*path && errno == ENOMEM) return diag_set(why, DIAG_NO_MEMORY, "out of memory"), -1;
    if (!*path) {
        diag_set(why, DIAG_INVALID, wanted ? "no directory is wanted" : "the environment names no directory");
        return -1;
    }
    int directory = open(*path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (directory < 0) {
        make_folders(*path, made);
        directory = open(*path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    }
    if (directory < 0) {
        diag_set(why, DIAG_INVALID, "%s: %s%s", *path, strerror(errno),
                 errno == ENOENT && made != ALL_FOLDERS ? "; a home is not made for it" : "");
    } else if (!is_safe(directory, *path, why)) {
        close(directory);
        directory = -1;
    }
    return directory;
}
