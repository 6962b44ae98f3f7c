/* Reads and writes whole files. */
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

/* Reserves memory for a file of so many bytes and one more chunk. Fails at once if the beginning of a stream
 * announces more than the machine has, instead of reading until memory ends. */
static int reserve(struct buffer *b, size_t extent, size_t chunk, const char *path)
{
    const double present = (double)sysconf(_SC_PHYS_PAGES) * (double)sysconf(_SC_PAGESIZE);
    const bool is_known = present > 0; /* a system that does not know says -1 */
    char *data = is_known && (double)extent > present ? NULL : realloc(b->data, extent + 2 * chunk);
    if (!data)
        return print_file_error(EXIT_INPUT, path,
                                "'%s' has %zu bytes by its header, and there is no memory for them", path,
                                extent);
    b->data = data;
    b->capacity = extent + 2 * chunk;
    return EXIT_GOOD;
}

static int read_all(struct buffer *out, int descriptor, const char *path, size_t limit, file_extent *extent)
{
    char chunk[65536];
    size_t told = SIZE_MAX; /* the size that the file's beginning announces */
    buffer_write(out, "", 0);
    for (;;) {
        if (extent && out->size >= sizeof chunk) {
            told = extent(out), extent = NULL;
            int code =
                told > out->size && told != SIZE_MAX ? reserve(out, told, sizeof chunk, path) : EXIT_GOOD;
            if (code) return code;
        }
        if (out->size > told) return EXIT_GOOD;
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
    return file_read_extent(out, path, limit, NULL);
}

int file_read_extent(struct buffer *out, const char *path, size_t limit, file_extent *extent)
{
    bool standard = !strcmp(path, "-");
    int descriptor = standard ? STDIN_FILENO : open(path, O_RDONLY | O_CLOEXEC);
    *out = (struct buffer){0};
    if (descriptor < 0) return print_file_error(EXIT_IO, path, "cannot open '%s': %s", path, strerror(errno));
    int code = read_all(out, descriptor, standard ? "standard input" : path, limit, extent);
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

/* Returns true if the path must be opened and written, because a rename cannot replace it. Such paths are the
 * standard output, devices, pipes, files with other names or another owner, and dangling links. */
static bool is_direct(const char *path)
{
    struct stat found;
    if (!strcmp(path, "-")) return true;
    if (stat(path, &found)) return errno != ENOENT || !lstat(path, &found); /* opening it will tell why not */
    return !S_ISREG(found.st_mode) || found.st_nlink != 1 || found.st_uid != geteuid();
}

static int open_direct(const char *path, int more)
{
    const int missing = access(path, F_OK) && errno == ENOENT ? O_CREAT : 0;
    return open(path, O_WRONLY | O_CLOEXEC | O_NOCTTY | missing | more, 0666); /* EISDIR of a folder */
}

/* Writes the file itself. For a pipe this waits for a reader, and signals still end the process. */
static int write_direct(const struct output *o)
{
    const bool is_standard = !strcmp(o->path, "-");
    if (is_standard) fflush(stdout);
    const int descriptor = is_standard ? STDOUT_FILENO : open_direct(o->path, O_TRUNC);
    if (descriptor < 0) return cannot_write(o->path);
    int code = EXIT_GOOD;
    if (!write_all(descriptor, &o->content)) code = cannot_write(is_standard ? "standard output" : o->path);
    if (!is_standard && close(descriptor) && !code) code = cannot_write(o->path);
    return code;
}

/* Gives the new file the mode of the old one and, if this user may, its group. Without that group, the
 * group's rights become those of all others. */
static void take_mode(int descriptor, const struct stat *of)
{
    mode_t mode = of->st_mode & 0777;
    if (fchown(descriptor, (uid_t)-1, of->st_gid)) mode = (mode & ~(mode_t)070) | (mode & 07) << 3;
    if (fchmod(descriptor, mode)) return; /* on failure it keeps the mode of the umask */
}

/* Opens the directory of a file. All further calls name the file by that descriptor: whoever replaces a part
 * of the path meanwhile cannot lead them to another place. Returns false with errno. */
static bool open_directory(struct output *o, const char *path)
{
    const char *slash = strrchr(path, '/');
    char *directory = slash ? must_format("%.*s", (int)(slash + 1 - path), path) : must_format(".");
    o->directory = open(directory, O_PATH | O_DIRECTORY | O_CLOEXEC);
    const int reason = errno;
    free(directory);
    errno = reason;
    if (o->directory < 0) return false;
    o->target = must_format("%s", slash ? slash + 1 : path);
    return true;
}

/* Makes a file of a short name that nothing in the directory has. The target's own name may be as long as
 * names can be. Returns a file descriptor, or a negative number with errno. */
static int open_new(struct output *o)
{
    enum { MOST = 1000 }; /* names, of which other outputs and ended processes have some */
    for (unsigned number = 0;; number++) {
        o->temporary = must_format(".actgen.%ld.%u.tmp", (long)getpid(), number);
        const int descriptor =
            openat(o->directory, o->temporary, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0666);
        if (descriptor >= 0) return descriptor;
        const int reason = errno;
        free(o->temporary);
        o->temporary = NULL;
        errno = reason;
        if (errno != EEXIST || number == MOST) return -1;
    }
}

/* Opens a temporary file in the directory of the file that it will replace. Returns a file descriptor, or a
 * negative number with errno. */
static int open_temporary(struct output *o)
{
    struct stat status;
    const bool is_found = !stat(o->path, &status);
    char *resolved = is_found ? realpath(o->path, NULL) : NULL; /* a link stays a link */
    const bool is_opened = open_directory(o, resolved ? resolved : o->path);
    free(resolved);
    if (!is_opened) return -1;
    if (is_found && faccessat(o->directory, o->target, W_OK, 0))
        return -1; /* a rename would replace it all the same */
    const int descriptor = open_new(o);
    if (descriptor >= 0 && is_found) take_mode(descriptor, &status);
    return descriptor;
}

/* Renames the temporary to the target if all is `good`, else deletes it. */
static bool output_close(struct output *o, bool good)
{
    const bool renamed =
        !o->temporary || !good || !renameat(o->directory, o->temporary, o->directory, o->target);
    const int reason = errno;
    if (o->temporary && !(good && renamed)) unlinkat(o->directory, o->temporary, 0);
    if (o->target) close(o->directory);
    free(o->temporary);
    free(o->target);
    o->temporary = o->target = NULL;
    errno = reason;
    return renamed;
}

/* Returns true if one of the outputs before `o` becomes the same file, which its path need not show. */
static bool is_taken(const struct output *first, const struct output *o)
{
    struct stat own, other;
    if (fstat(o->directory, &own)) return false;
    for (const struct output *p = first; p < o; p++)
        if (p->target && !strcmp(p->target, o->target) && !fstat(p->directory, &other) &&
            other.st_dev == own.st_dev && other.st_ino == own.st_ino)
            return true;
    return false;
}

static int write_temporary(const struct output *first, struct output *o)
{
    const int descriptor = open_temporary(o);
    if (descriptor < 0) return cannot_write(o->path);
    const bool is_own = !is_taken(first, o), good = is_own && write_all(descriptor, &o->content);
    const int reason = is_own ? errno : EEXIST;
    if (close(descriptor) && good) return cannot_write(o->path);
    errno = reason;
    return good ? EXIT_GOOD : cannot_write(o->path);
}

/* Delays signals until the mask is restored, so that none leaves a temporary behind. */
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
    struct stat status = {0};
    sigset_t before;
    const bool direct = is_direct(path), is_missing = stat(path, &status) && errno == ENOENT;
    if (!strcmp(path, "-")) return EXIT_GOOD;
    if (direct && is_missing) return EXIT_GOOD;  /* a dangling link: opening it would make a file */
    if (!is_missing && S_ISFIFO(status.st_mode)) /* opening it would wait for a reader */
        return access(path, W_OK) ? cannot_write(path) : EXIT_GOOD;
    delay_signals(&before);
    const int descriptor = direct ? open_direct(path, O_NONBLOCK) : open_temporary(&o);
    const int code = descriptor < 0 ? cannot_write(path) : EXIT_GOOD;
    if (descriptor >= 0) close(descriptor);
    output_close(&o, false);
    sigprocmask(SIG_SETMASK, &before, NULL);
    return code;
}

int outputs_write(struct output *outputs, size_t count)
{
    sigset_t before;
    int code = EXIT_GOOD;
    for (size_t i = 0; i < count && !code; i++)
        if ((outputs[i].is_direct = is_direct(outputs[i].path))) code = write_direct(&outputs[i]);
    delay_signals(&before);
    for (size_t i = 0; i < count && !code; i++)
        if (!outputs[i].is_direct) code = write_temporary(outputs, &outputs[i]);
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
