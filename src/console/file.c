/* Reading and writing whole files. */
#include "file.h"
#include "diagnostics.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

int buffer_write(void *payload, const void *data, size_t size)
{
    struct buffer *b = payload;
    if (size >= b->capacity - b->size) {
        size_t capacity = b->capacity ? b->capacity : 4096;
        while (capacity - b->size <= size) capacity *= 2;
        b->data = must_grow(b->data, capacity, 1);
        b->capacity = capacity;
    }
    if (size) memcpy(b->data + b->size, data, size);
    b->size += size;
    b->data[b->size] = 0;
    return 0;
}

void buffer_free(struct buffer *b)
{
    free(b->data);
    *b = (struct buffer){0};
}

static int read_all(struct buffer *out, int descriptor, const char *path, size_t limit)
{
    char chunk[65536];
    buffer_write(out, "", 0);
    for (;;) {
        ssize_t got = read(descriptor, chunk, sizeof chunk);
        if (got < 0 && errno == EINTR) continue;
        if (got < 0) return print_file_error(EXIT_IO, path, "cannot read '%s': %s", path, strerror(errno));
        if (got == 0) return EXIT_GOOD;
        if ((size_t)got > limit - out->size)
            return print_file_error(EXIT_INPUT, path, "'%s' is larger than %zu bytes", path, limit);
        buffer_write(out, chunk, (size_t)got);
    }
}

int file_read(struct buffer *out, const char *path, size_t limit)
{
    bool standard = !strcmp(path, "-");
    int descriptor = standard ? STDIN_FILENO : open(path, O_RDONLY | O_CLOEXEC);
    *out = (struct buffer){0};
    if (descriptor < 0) return print_file_error(EXIT_IO, path, "cannot open '%s': %s", path, strerror(errno));
    int code = read_all(out, descriptor, standard ? "standard input" : path, limit);
    if (!standard) close(descriptor);
    if (code) buffer_free(out);
    return code;
}

static int cannot_write(const char *path)
{
    return print_file_error(EXIT_IO, path, "cannot write '%s': %s", path, strerror(errno));
}

static bool write_all(int descriptor, const struct buffer *content)
{
    for (size_t done = 0; done < content->size;) {
        ssize_t put = write(descriptor, content->data + done, content->size - done);
        if (put < 0 && errno != EINTR) return false;
        if (put > 0) done += (size_t)put;
    }
    return true;
}

/* Opens what is to be written: a temporary beside what can be replaced by a rename, devices and pipes themselves. A file
 * descriptor; negative, with errno, if that is impossible. */
static int output_open(struct output *o)
{
    struct stat status;
    char *resolved = realpath(o->path, NULL); /* a link stays a link */
    o->target = must_format("%s", resolved ? resolved : o->path);
    free(resolved);
    const bool direct = !stat(o->target, &status) && !S_ISREG(status.st_mode);
    if (direct) return open(o->target, O_WRONLY | O_CLOEXEC);           /* EISDIR of a folder */
    if (!access(o->target, F_OK) && access(o->target, W_OK)) return -1; /* a rename would not ask */
    o->temporary = must_format("%s.%ld.tmp", o->target, (long)getpid());
    const int descriptor = open(o->temporary, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
    if (descriptor >= 0) return descriptor;
    const int reason = errno;
    free(o->temporary);
    o->temporary = NULL;
    errno = reason;
    return -1;
}

/* The temporary becomes the target, if all is `good`, or goes. */
static bool output_close(struct output *o, bool good)
{
    const bool renamed = !o->temporary || !good || !rename(o->temporary, o->target);
    const int reason = errno;
    if (o->temporary && !(good && renamed)) unlink(o->temporary);
    free(o->temporary);
    free(o->target);
    o->temporary = o->target = NULL;
    errno = reason;
    return renamed;
}

static int output_prepare(struct output *o)
{
    if (!strcmp(o->path, "-")) {
        fflush(stdout);
        return write_all(STDOUT_FILENO, &o->content) ? EXIT_GOOD : cannot_write("standard output");
    }
    const int descriptor = output_open(o);
    if (descriptor < 0) return cannot_write(o->path);
    bool good = write_all(descriptor, &o->content);
    int reason = errno;
    if (close(descriptor) && good) return cannot_write(o->path);
    errno = reason;
    return good ? EXIT_GOOD : cannot_write(o->path);
}

/* Signals must not leave a temporary behind: they wait until the mask is set back. */
static void delay_signals(sigset_t *before)
{
    static const int delayed[] = {SIGINT, SIGTERM, SIGHUP, SIGPIPE};
    sigset_t block;
    sigemptyset(&block);
    for (size_t i = 0; i < sizeof delayed / sizeof delayed[0]; i++) sigaddset(&block, delayed[i]);
    sigprocmask(SIG_BLOCK, &block, before);
}

int output_check(const char *path)
{
    struct output o = {.path = path};
    struct stat status;
    sigset_t before;
    if (!strcmp(path, "-")) return EXIT_GOOD;
    if (!stat(path, &status) && S_ISFIFO(status.st_mode)) /* to open it is to wait for its reader */
        return access(path, W_OK) ? cannot_write(path) : EXIT_GOOD;
    delay_signals(&before);
    const int descriptor = output_open(&o);
    const int code = descriptor < 0 ? cannot_write(path) : EXIT_GOOD;
    if (descriptor >= 0) close(descriptor);
    output_close(&o, false);
    sigprocmask(SIG_SETMASK, &before, NULL);
    return code;
}

int outputs_write(struct output *outputs, size_t count)
{
    sigset_t before;
    delay_signals(&before);
    int code = EXIT_GOOD;
    for (size_t i = 0; i < count && !code; i++) code = output_prepare(&outputs[i]);
    for (size_t i = 0; i < count; i++)
        if (!output_close(&outputs[i], !code)) code = cannot_write(outputs[i].path);
    sigprocmask(SIG_SETMASK, &before, NULL);
    return code;
}

void remove_folder(const char *path)
{
    DIR *entries = opendir(path);
    if (!entries) return;
    for (const struct dirent *e; (e = readdir(entries));)
        if (strcmp(e->d_name, ".") && strcmp(e->d_name, "..")) unlinkat(dirfd(entries), e->d_name, 0);
    closedir(entries);
    rmdir(path);
}

bool same_file(const char *a, const char *b)
{
    struct stat first, second;
    if (stat(a, &first) || stat(b, &second)) return false;
    return first.st_dev == second.st_dev && first.st_ino == second.st_ino;
}
