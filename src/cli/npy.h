/* NumPy's .npy files of floats: versions 1.0 to 3.0, little-endian, C order. The format: numpy.lib.format's
 * documentation. NumPy has no bf16: arrays of it are uint16, or the two opaque bytes that ml_dtypes saves. */
#ifndef ACTGEN_CLI_NPY_H
#define ACTGEN_CLI_NPY_H

#include "file.h"

enum { NPY_MAX_DIMENSIONS = 32 };

struct npy {
    struct buffer file;
    char *data;                   /* inside the file's content, aligned to the element */
    int type;                     /* ACTGEN_F32 ...: the first that such a file may hold */
    const char *code, *type_text; /* "<f4"; "float32 ('<f4')" */
    size_t dimensions, shape[NPY_MAX_DIMENSIONS];
    size_t rows, cols; /* the last dimension is a row; the others together are the rows */
};

/* A file_extent: where the file ends by its header; 0 if it is no such file, or the header goes on behind the
 * beginning. */
size_t npy_extent(const struct buffer *beginning);
/* Takes the file's bytes apart. False if it is no such file: `why` (of `size` bytes) says so. Owns `file`
 * afterwards, also on failure. */
bool npy_parse(struct npy *out, struct buffer file, char *why, size_t size);
void npy_free(struct npy *n);
/* Returns true if the file's elements may be of that type: bytes may be of several. */
bool npy_holds(const struct npy *n, int type);

/* A new array of zeros, in out->file as the bytes to write. */
void npy_create(struct npy *out, int type, const size_t *shape, size_t dimensions);

/* "uint16 ('<u2')": what an ACTGEN_F32 ... is in a file. */
const char *npy_type_text(int type);
/* "(3, 4)", cut off where `size` ends. */
void npy_shape_text(char *out, size_t size, const size_t *shape, size_t dimensions);

#endif
