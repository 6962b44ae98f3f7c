/* NumPy's .npy files of f32: versions 1.0 to 3.0, little-endian, C order. The format: numpy.lib.format's
 * documentation. */
#ifndef ACTGEN_CLI_NPY_H
#define ACTGEN_CLI_NPY_H

#include "file.h"

enum { NPY_MAX_DIMENSIONS = 32 };

struct npy {
    struct buffer file;
    float *data; /* inside the file's content */
    size_t dimensions, shape[NPY_MAX_DIMENSIONS];
    size_t rows, cols; /* the last dimension is a row; the others together are the rows */
};

/* Takes the file's bytes apart. False if it is no such file: `why` (of `size` bytes) says so. Owns `file`
 * afterwards, also on failure. */
bool npy_parse(struct npy *out, struct buffer file, char *why, size_t size);
void npy_free(struct npy *n);

/* A new array of the shape of `like`, in out->file as the bytes to write. */
void npy_create(struct npy *out, const struct npy *like);

#endif
