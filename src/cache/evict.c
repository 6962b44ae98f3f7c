/* Keeps the directory within its limit. */
#include "room.h"

#include <dirent.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

struct file {
    char name[HASH_TEXT_SIZE];
    struct timespec used;
    uint64_t size;
};

struct listing {
    struct file *files;
    size_t count, room;
    uint64_t size;
};

/* A temporary file of this age is abandoned. No writer takes that long, so it was killed. */
enum { ABANDONED_SECONDS = 3600 };

static bool is_key(const char *name)
{
    return strlen(name) == HASH_TEXT_SIZE - 1 && strspn(name, "0123456789abcdef") == HASH_TEXT_SIZE - 1;
}

/* Adds a file to the listing. Returns false if memory runs out. Files with names that the cache does not use
 * are left as they are. */
static bool take_note(struct listing *l, int directory, const char *name)
{
    struct stat s;
    const bool temporary = !strncmp(name, temporary_prefix, sizeof temporary_prefix - 1);
    if ((!temporary && !is_key(name)) || fstatat(directory, name, &s, AT_SYMLINK_NOFOLLOW)) return true;
    if (temporary) {
        if (s.st_mtim.tv_sec + ABANDONED_SECONDS < time(NULL)) unlinkat(directory, name, 0);
        return true;
    }
    if (l->count == l->room) {
        const size_t room = l->room ? 2 * l->room : 256;
        struct file *more = realloc(l->files, room * sizeof *more);
        if (!more) return false;
        l->files = more;
        l->room = room;
    }
    struct file *f = &l->files[l->count++];
    memcpy(f->name, name, HASH_TEXT_SIZE);
    f->used = s.st_mtim;
    f->size = s.st_size > 0 ? (uint64_t)s.st_size : 0;
    l->size += f->size;
    return true;
}

static int by_age(const void *a, const void *b)
{
    const struct file *x = a, *y = b;
    if (x->used.tv_sec != y->used.tv_sec) return x->used.tv_sec < y->used.tv_sec ? -1 : 1;
    if (x->used.tv_nsec != y->used.tv_nsec) return x->used.tv_nsec < y->used.tv_nsec ? -1 : 1;
    return memcmp(x->name, y->name, HASH_TEXT_SIZE);
}

uint64_t evict(int directory, uint64_t limit)
{
    struct listing l = {0};
    /* A separate descriptor has its own position in the directory. */
    const int own = openat(directory, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    DIR *entries = own < 0 ? NULL : fdopendir(own);
    if (!entries) {
        if (own >= 0) close(own);
        return 0;
    }
    for (const struct dirent *e; (e = readdir(entries));)
        if (!take_note(&l, directory, e->d_name)) break;
    closedir(entries);
    if (l.size > limit) {
        qsort(l.files, l.count, sizeof *l.files, by_age);
        for (size_t i = 0; i < l.count && l.size > limit / 4 * 3; i++) {
            if (unlinkat(directory, l.files[i].name, 0)) continue;
            l.size -= l.files[i].size;
        }
    }
    free(l.files);
    return l.size;
}
