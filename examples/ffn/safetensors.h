/* Files of tensors. A file has 8 bytes with the length of a JSON header, little-endian, then the header, then
 * the data. This code handles only matrices of F32 and BF16, on little-endian machines. */
#ifndef SAFETENSORS_H
#define SAFETENSORS_H

#include <stddef.h>

struct tensor {
    const char *name;
    int type; /* ACTGEN_F32 or ACTGEN_BF16 */
    size_t rows, cols;
    const void *data;
};

/* A file in memory. */
struct safetensors;

/* Reads a file. Returns NULL, with a reason on stderr, if it cannot be read or is not a safetensors file. */
struct safetensors *safetensors_read(const char *path);
void safetensors_free(struct safetensors *file);

/* Fills *out with the matrix `name`. Its data lives as long as `file`. Returns 0, or -1 with a reason on
 * stderr if there is no such matrix. */
int safetensors_find(struct tensor *out, const struct safetensors *file, const char *name);

/* Writes a file. Returns 0, or -1 with a reason on stderr. After a failure there is no new file, and an old
 * one is unchanged. */
int safetensors_write(const char *path, const struct tensor *tensors, size_t count);

#endif
