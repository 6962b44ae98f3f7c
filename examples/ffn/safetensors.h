/* Files of tensors: 8 bytes that hold the length of a JSON header, little-endian, the header, then the data.
 * Only what weights need: matrices of F32 and BF16. For little-endian machines. */
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

/* NULL, and a reason on stderr, if it cannot be read or is no such file. */
struct safetensors *safetensors_read(const char *path);
void safetensors_free(struct safetensors *file);

/* Fills *out, whose data lives as long as `file`; 0, or -1 and a reason on stderr if there is no such matrix.
 */
int safetensors_find(struct tensor *out, const struct safetensors *file, const char *name);

/* 0, or -1 and a reason on stderr; then there is no new file, and an old one is as before. */
int safetensors_write(const char *path, const struct tensor *tensors, size_t count);

#endif
