/* Stores each value in a file of its own: a head, which shows damage, and the bytes. */
#include "room.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* The size of a file's head. It has the name of the format, the size of the value in bytes, the key, and a
 * hash of these and the value. It is text, so `head -1` shows it. */
enum { MAGIC_SIZE = 8, LENGTH_DIGITS = 16, HEAD_SIZE = MAGIC_SIZE + LENGTH_DIGITS + 1 + 2 * HASH_TEXT_SIZE };
static const char magic[] = "actgen1 ";

cache *cache_open(const char *directory, uint64_t limit, struct diag *why)
{
    cache *c = calloc(1, sizeof *c);
    if (!c) return diag_set(why, DIAG_NO_MEMORY, "out of memory"), NULL;
    c->directory = directory_open(&c->path, directory, why);
    c->limit = limit ? limit : CACHE_DEFAULT_LIMIT;
    c->size = UINT64_MAX;
    if (c->directory >= 0 && !pthread_mutex_init(&c->lock, NULL)) return c;
    if (c->directory >= 0) close(c->directory);
    free(c->path);
    free(c);
    return NULL;
}

void cache_close(cache *c)
{
    if (!c) return;
    close(c->directory);
    pthread_mutex_destroy(&c->lock);
    free(c->path);
    free(c);
}

const char *cache_directory(const cache *c) { return c->path; }

/* Writes a file's head, for a value that follows it in memory. */
static void make_head(char *file, const char *key, size_t size)
{
    const size_t hashed = HEAD_SIZE - HASH_TEXT_SIZE;
    char *hash = file + hashed, text[HASH_TEXT_SIZE];
    char head[HEAD_SIZE + 1];
    snprintf(head, sizeof head, "%s%0*zx %s ", magic, LENGTH_DIGITS, size, key);
    memcpy(file, head, hashed);
    memset(hash, 0, HASH_TEXT_SIZE);
    hash_text(file, HEAD_SIZE + size, text);
    memcpy(hash, text, HASH_TEXT_SIZE);
    hash[HASH_TEXT_SIZE - 1] = '\n';
}

/* Returns true if the file's head is the head that make_head makes for its value. */
static bool is_whole(char *file, const char *key, size_t size)
{
    char head[HEAD_SIZE];
    memcpy(head, file, HEAD_SIZE);
    make_head(file, key, size);
    return !memcmp(head, file, HEAD_SIZE);
}

static bool read_all(int file, char *data, size_t size)
{
    for (size_t done = 0; done < size;) {
        const ssize_t got = read(file, data + done, size - done);
        if (got <= 0) return false;
        done += (size_t)got;
    }
    return true;
}

static bool write_all(int file, const char *data, size_t size)
{
    for (size_t done = 0; done < size;) {
        const ssize_t put = write(file, data + done, size - done);
        if (put <= 0) return false;
        done += (size_t)put;
    }
    return true;
}

/* Opens a file of plausible size that belongs to this user and that nobody else may write to. Does not wait
 * if it is a pipe. */
static int open_value(const cache *c, const char *key, struct stat *s)
{
    const int file = openat(c->directory, key, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
    if (file < 0) return -1;
    if (!fstat(file, s) && S_ISREG(s->st_mode) && s->st_uid == geteuid() &&
        !(s->st_mode & (S_IWGRP | S_IWOTH)) && s->st_size >= HEAD_SIZE &&
        s->st_size <= (off_t)HEAD_SIZE + CACHE_LARGEST_VALUE)
        return file;
    close(file);
    return -1;
}

/* Marks the value as used now, unless it was marked within a day. So a look-up rarely writes. */
static void note_use(int file, const struct stat *s)
{
    enum { DAY = 24 * 3600 };
    struct timespec now;
    if (!clock_gettime(CLOCK_REALTIME, &now) && now.tv_sec > s->st_mtim.tv_sec + DAY) futimens(file, NULL);
}

void *cache_get(cache *c, const char key[HASH_TEXT_SIZE], size_t *size)
{
    struct stat s;
    *size = 0;
    const int file = c ? open_value(c, key, &s) : -1;
    if (file < 0) return NULL;
    const size_t length = (size_t)s.st_size - HEAD_SIZE;
    char *data = malloc(HEAD_SIZE + length + 1), *value = NULL;
    if (data && read_all(file, data, HEAD_SIZE + length)) {
        if (is_whole(data, key, length)) {
            memmove(data, data + HEAD_SIZE, length);
            data[length] = 0; /* A caller can read text as a string. */
            *size = length;
            value = data;
            note_use(file, &s);
        } else {
            unlinkat(c->directory, key, 0);
        }
    }
    if (!value) free(data);
    close(file);
    return value;
}

/* Makes the name of a file that no other writer uses. */
static void name_temporary(cache *c, char *name, size_t size)
{
    pthread_mutex_lock(&c->lock);
    const unsigned number = c->temporaries++;
    pthread_mutex_unlock(&c->lock);
    snprintf(name, size, "%s%ld.%p.%u", temporary_prefix, (long)getpid(), (void *)c, number);
}

static bool write_file(cache *c, const char *key, const char *data, size_t size)
{
    char name[96];
    name_temporary(c, name, sizeof name);
    const int file = openat(c->directory, name, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);
    if (file < 0) return false;
    bool good = write_all(file, data, size);
    good = !close(file) && good;
    good = good && !renameat(c->directory, name, c->directory, key);
    if (!good) unlinkat(c->directory, name, 0);
    return good;
}

static void keep_limit(cache *c, uint64_t added)
{
    pthread_mutex_lock(&c->lock);
    const bool known = c->size != UINT64_MAX && c->size + added <= c->limit;
    c->size = known ? c->size + added : evict(c->directory, c->limit);
    pthread_mutex_unlock(&c->lock);
}

void cache_put(cache *c, const char key[HASH_TEXT_SIZE], const void *data, size_t size)
{
    if (!c || size > CACHE_LARGEST_VALUE || HEAD_SIZE + size > c->limit) return;
    char *file = malloc(HEAD_SIZE + size);
    if (!file) return;
    if (size) memcpy(file + HEAD_SIZE, data, size);
    make_head(file, key, size);
    if (write_file(c, key, file, HEAD_SIZE + size)) keep_limit(c, HEAD_SIZE + size);
    free(file);
}

void cache_drop(cache *c, const char key[HASH_TEXT_SIZE])
{
    if (c) unlinkat(c->directory, key, 0);
}
