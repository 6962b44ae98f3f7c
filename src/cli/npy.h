/* NumPy's .npy files, versions 1.0 to 3.0, little-endian, in C order. The format is in the documentation of
 * numpy.lib.format. NumPy has no bf16: such arrays are uint16, or the two opaque bytes that ml_dtypes saves.
 */
#ifndef ACTGEN_CLI_NPY_H
#define ACTGEN_CLI_NPY_H

#include "file.h"

enum { NPY_MAX_DIMENSIONS = 32 };

struct npy {
    struct buffer file;
    char *data;                   /* points into the file's content, aligned to the element */
    int type;                     /* ACTGEN_F32 ...; the first type that such a file may hold */
    const char *code, *type_text; /* "<f4"; "float32 ('<f4')" */
    size_t dimensions, shape[NPY_MAX_DIMENSIONS];
    size_t rows, cols; /* the last dimension is a row; the others together are the rows */
};

/* A file_extent: returns the size of the file by its header. Returns 0 if it is no .npy file, or if the
 * header is longer than the beginning. */
size_t npy_extent(const struct buffer *beginning);
/* Parses the file. Returns false if it is no .npy file, with the reason in `why` (of `size` bytes). Owns
 * `file` afterwards, also on failure. */
bool npy_parse(struct npy *out, struct buffer file, char *why, size_t size);
void npy_free(struct npy *n);
/* Returns true if the file's elements may have that type. Bytes may have several. */
bool npy_holds(const struct npy *n, int type);

/* Makes an array of zeros. out->file has the bytes to write. */
void npy_create(struct npy *out, int type, const size_t *shape, size_t dimensions);

/* Returns how a type (ACTGEN_F32 ...) is stored in a file, such as "uint16 ('<u2')". */
const char *npy_type_text(int type);
/* Writes a shape such as "(3, 4)", cut off at `size`. */
void npy_shape_text(char *out, size_t size, const size_t *shape, size_t dimensions);

#endif
