/* Reads and writes .npy: a magic, a version, the length of a header, the header (a Python dictionary), the
 * data. */
#include "npy.h"

#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char magic[] = "\x93NUMPY";
enum { MAGIC = 6, DATA_ALIGNMENT = 64 };

struct reader { /* over the header's text */
    const char *at, *end;
    char *why;
    size_t why_size;
};

static bool fail(struct reader *r, const char *format, ...) __attribute__((format(printf, 2, 3)));
static bool fail(struct reader *r, const char *format, ...)
{
    va_list list;
    va_start(list, format);
    vsnprintf(r->why, r->why_size, format, list);
    va_end(list);
    return false;
}

static void skip_blanks(struct reader *r)
{
    while (r->at < r->end && (*r->at == ' ' || *r->at == '\n' || *r->at == '\t')) r->at++;
}

static bool take(struct reader *r, char c)
{
    skip_blanks(r);
    if (r->at == r->end || *r->at != c) return false;
    r->at++;
    return true;
}

static bool take_word(struct reader *r, const char *word)
{
    skip_blanks(r);
    size_t length = strlen(word);
    if ((size_t)(r->end - r->at) < length || memcmp(r->at, word, length)) return false;
    r->at += length;
    return true;
}

static bool take_string(struct reader *r, char *out, size_t size)
{
    char quote = take(r, '\'') ? '\'' : take(r, '"') ? '"' : 0;
    size_t length = 0;
    if (!quote) return false;
    while (r->at < r->end && *r->at != quote && length + 1 < size) out[length++] = *r->at++;
    out[length] = 0;
    return take(r, quote);
}

static bool take_size(struct reader *r, size_t *out)
{
    skip_blanks(r);
    if (r->at == r->end || *r->at < '0' || *r->at > '9') return false;
    *out = 0;
    for (; r->at < r->end && *r->at >= '0' && *r->at <= '9'; r->at++) {
        size_t digit = (size_t)(*r->at - '0');
        if (*out > (SIZE_MAX - digit) / 10) return fail(r, "a dimension is too large");
        *out = *out * 10 + digit;
    }
    return true;
}

static bool take_shape(struct reader *r, struct npy *n)
{
    if (!take(r, '(')) return false;
    while (!take(r, ')')) {
        if (n->dimensions == NPY_MAX_DIMENSIONS)
            return fail(r, "more than %d dimensions", NPY_MAX_DIMENSIONS);
        if (!take_size(r, &n->shape[n->dimensions])) return false;
        n->dimensions++;
        if (!take(r, ',')) return take(r, ')');
    }
    return true;
}

static bool check_type(struct reader *r, const char *type)
{
    if (!strcmp(type, "<f4")) return true;
    if (!strcmp(type, ">f4")) return fail(r, "big-endian floats are not read; save with astype('<f4')");
    return fail(r, "its type is '%.20s'; only float32 ('<f4') can be read, others not yet", type);
}

/* {'descr': '<f4', 'fortran_order': False, 'shape': (3, 4), } */
static bool take_header(struct reader *r, struct npy *n)
{
    char name[32], type[32];
    bool has_type = false, has_order = false, has_shape = false;
    snprintf(r->why, r->why_size, "its header cannot be understood");
    if (!take(r, '{')) return false;
    while (!take(r, '}')) {
        if (!take_string(r, name, sizeof name) || !take(r, ':')) return false;
        if (!strcmp(name, "descr") && !has_type) {
            if (take(r, '['))
                return fail(r, "it holds records; only float32 ('<f4') can be read, others not yet");
            if (!take_string(r, type, sizeof type) || !check_type(r, type)) return false;
            has_type = true;
        } else if (!strcmp(name, "fortran_order") && !has_order) {
            if (take_word(r, "True"))
                return fail(r, "it is in Fortran order; save with numpy.ascontiguousarray");
            if (!take_word(r, "False")) return false;
            has_order = true;
        } else if (!strcmp(name, "shape") && !has_shape) {
            if (!take_shape(r, n)) return false;
            has_shape = true;
        } else {
            return false;
        }
        if (!take(r, ',')) {
            if (!take(r, '}')) return false;
            break;
        }
    }
    return has_type && has_order && has_shape;
}

static bool count_elements(struct npy *n, size_t *bytes)
{
    size_t rows = 1;
    n->cols = n->dimensions ? n->shape[n->dimensions - 1] : 1;
    for (size_t i = 0; i + 1 < n->dimensions; i++)
        if (__builtin_mul_overflow(rows, n->shape[i], &rows)) return false;
    n->rows = rows;
    return !__builtin_mul_overflow(rows, n->cols, bytes) &&
           !__builtin_mul_overflow(*bytes, sizeof(float), bytes);
}

bool npy_parse(struct npy *out, struct buffer file, char *why, size_t size)
{
    const unsigned char *bytes = (const unsigned char *)file.data;
    struct reader r = {.why = why, .why_size = size};
    size_t header = 0, data = 0;
    *out = (struct npy){.file = file};
    if (file.size < MAGIC + 4 || memcmp(bytes, magic, MAGIC)) return fail(&r, "it is no .npy file");
    if (bytes[6] < 1 || bytes[6] > 3) return fail(&r, "its version %d.%d is unknown", bytes[6], bytes[7]);
    size_t length_bytes = bytes[6] == 1 ? 2 : 4, start = MAGIC + 2 + length_bytes;
    if (file.size < start) return fail(&r, "it ends inside its header");
    for (size_t i = length_bytes; i-- > 0;) header = header << 8 | bytes[MAGIC + 2 + i];
    if (header > file.size - start) return fail(&r, "it ends inside its header");
    r.at = file.data + start;
    r.end = r.at + header;
    if (!take_header(&r, out)) return false;
    skip_blanks(&r);
    if (r.at != r.end) return fail(&r, "its header cannot be understood");
    if (!count_elements(out, &data)) return fail(&r, "its shape is too large");
    size_t present = file.size - start - header;
    if (present != data) return fail(&r, "it has %zu bytes of data where its shape needs %zu", present, data);
    if ((start + header) % sizeof(float)) { /* old files align to 16, but nothing makes them */
        memmove(out->file.data, out->file.data + start + header, data);
        out->data = (float *)(void *)out->file.data;
    } else {
        out->data = (float *)(void *)(out->file.data + start + header);
    }
    return true;
}

void npy_free(struct npy *n) { buffer_free(&n->file); }

void npy_create(struct npy *out, const struct npy *like)
{
    struct buffer header = {0};
    char number[32];
    *out = *like;
    out->file = (struct buffer){0};
    static const char opening[] = "{'descr': '<f4', 'fortran_order': False, 'shape': (";
    buffer_write(&header, opening, sizeof opening - 1);
    for (size_t i = 0; i < like->dimensions; i++) {
        int length = snprintf(number, sizeof number, "%zu%s", like->shape[i],
                              i + 1 < like->dimensions ? ", "
                              : like->dimensions == 1  ? ","
                                                       : "");
        buffer_write(&header, number, (size_t)length);
    }
    buffer_write(&header, "), }", 4);
    while ((MAGIC + 4 + header.size + 1) % DATA_ALIGNMENT) buffer_write(&header, " ", 1);
    buffer_write(&header, "\n", 1);
    const char prefix[4] = {1, 0, (char)(header.size & 0xff), (char)(header.size >> 8)};
    buffer_write(&out->file, magic, MAGIC);
    buffer_write(&out->file, prefix, sizeof prefix);
    buffer_write(&out->file, header.data, header.size);
    size_t start = out->file.size, bytes = like->rows * like->cols * sizeof(float);
    buffer_free(&header);
    out->file.data = must_grow(out->file.data, start + bytes + 1, 1);
    out->file.size = start + bytes;
    out->file.capacity = start + bytes + 1;
    memset(out->file.data + start, 0, bytes + 1);
    out->data = (float *)(void *)(out->file.data + start);
}
