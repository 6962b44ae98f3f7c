/* Reads whole files, and writes several so that all appear or none. */
#ifndef ACTGEN_CLI_FILE_H
#define ACTGEN_CLI_FILE_H

#include "cli.h"

struct buffer { /* bytes that grow; start with {0} and end with buffer_free */
    char *data;
    size_t size, capacity;
};
int buffer_write(void *buffer, const void *data, size_t size); /* an actgen_write_fn */
void buffer_free(struct buffer *buffer);

/* Reads `path` ("-": the standard input). A file of more than `limit` bytes is an error. A 0 byte, which is
 * not counted, follows the text. Returns an exit code; a failure is printed. */
int file_read(struct buffer *out, const char *path, size_t limit);

/* Returns the size that the beginning of a file announces, or SIZE_MAX if it announces none. */
typedef size_t file_extent(const struct buffer *beginning);
/* Reads a file that may have no end, such as a device. It asks for the extent after 64 KiB, and stops soon
 * after that many bytes. An extent for which there is no memory is an error at once. */
int file_read_extent(struct buffer *out, const char *path, size_t limit, file_extent *extent);

struct output {
    const char *path; /* "-": the standard output */
    struct buffer content;
    int directory;   /* private: the directory of the file to which the path leads, if target is not NULL */
    char *target;    /* private: the name of that file in the directory, or NULL */
    bool is_direct;  /* private: no rename; the file itself is written */
    char *temporary; /* private: the name of the file that becomes the target, or NULL */
};
/* Checks before long work that the file can be written, by making and deleting a temporary. Returns an exit
 * code; a failure is printed. */
int output_check(const char *path);
/* Writes all files, or none. It first writes those that a rename cannot replace: a device, a pipe, a file
 * with other names or another owner. For the others it writes temporaries in their directories, then renames
 * them. A new file keeps the mode of the old one, and a link stays a link. On failure no temporary is left,
 * the failure is printed, and the exit code is EXIT_IO. */
int outputs_write(struct output *outputs, size_t count);

bool same_file(const char *a, const char *b); /* true if both lead to one existing file */

void remove_folder(const char *path); /* removes a folder with its files, as far as possible */

#endif
