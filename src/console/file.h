/* Files: reading a whole one, and writing several so that either all appear or none. */
#ifndef ACTGEN_CLI_FILE_H
#define ACTGEN_CLI_FILE_H

#include "cli.h"

struct buffer { /* bytes that grow; start with {0} and end with buffer_free */
    char *data;
    size_t size, capacity;
};
int buffer_write(void *buffer, const void *data, size_t size); /* an actgen_write_fn */
void buffer_free(struct buffer *buffer);

/* Reads `path` ("-": the standard input) up to `limit` bytes; more is an error. Always ends with a 0 byte
 * that is not counted. An exit code; a failure is already printed. */
int file_read(struct buffer *out, const char *path, size_t limit);

/* The bytes that a file of that beginning has, as it says itself; SIZE_MAX if it does not say. */
typedef size_t file_extent(const struct buffer *beginning);
/* file_read of a file that may have no end, such as a device: stops soon after the extent, which is asked for
 * after 64 KiB. An extent for which there is no memory is an error at once. */
int file_read_extent(struct buffer *out, const char *path, size_t limit, file_extent *extent);

struct output {
    const char *path; /* "-": the standard output */
    struct buffer content;
    char *target;    /* inside: where the path leads */
    bool is_direct;  /* inside: written itself */
    char *temporary; /* inside: the file of the same directory that becomes the target, or NULL */
};
/* Whether that can be written, tried by a temporary that goes at once: for before long work. An exit code; a
 * failure is printed. */
int output_check(const char *path);
/* Writes temporaries beside the targets, then renames them: a file that is replaced leaves its mode to the
 * new one, and a link stays a link. Before that, what a rename cannot replace (a device, a pipe, a file that
 * has other names or another owner) is written itself. On failure no temporary is left behind, the failure is
 * printed, and the exit code is EXIT_IO. */
int outputs_write(struct output *outputs, size_t count);

bool same_file(const char *a, const char *b); /* both lead to one existing file */

void remove_folder(const char *path); /* with its files; it has no folders. What cannot be removed stays */

#endif
