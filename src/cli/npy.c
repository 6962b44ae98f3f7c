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

struct reader { /* a position in the header's text */
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

static const struct npy_type {
    const char *code;
    int type;
    const char *text;
} types[] = {
    {"<f4", ACTGEN_F32, "float32 ('<f4')"},
    {"<f8", ACTGEN_F64, "float64 ('<f8')"},
    {"<f2", ACTGEN_F16, "float16 ('<f2')"},
    {"<u2", ACTGEN_BF16, "uint16 ('<u2')"},
    {"|V2", ACTGEN_BF16, "uint16 ('<u2')"},
    {"<V2", ACTGEN_BF16, "uint16 ('<u2')"},
    {"|u1", ACTGEN_U8, "uint8 ('|u1')"}, /* files do not tell which one-byte type they hold */
    {"|i1", ACTGEN_I8, "int8 ('|i1')"},
    {"<i4", ACTGEN_I32, "int32 ('<i4')"},
    {"|u1", ACTGEN_E4M3, "uint8 ('|u1')"},
    {"|V1", ACTGEN_E4M3, "float8_e4m3fn ('|V1')"},
    {"<V1", ACTGEN_E4M3, "float8_e4m3fn ('<V1')"},
    {"|u1", ACTGEN_E5M2, "uint8 ('|u1')"},
    {"<f1", ACTGEN_E5M2, "float8_e5m2 ('<f1')"},
    {"|V1", ACTGEN_E5M2, "float8_e5m2 ('|V1')"},
    {"|u1", ACTGEN_E8M0, "uint8 ('|u1')"},
    {"|V1", ACTGEN_E8M0, "float8_e8m0fnu ('|V1')"},
    {"<u8", ACTGEN_U64, "uint64 ('<u8')"},
    {"|u1", ACTGEN_U1,
     "uint8 ('|u1')"}, /* eight elements per byte, as numpy.packbits(bitorder="little") writes them */
    {"|u1", ACTGEN_E2M1, "uint8 ('|u1')"}, /* two per byte, the first in the low half */
    {"|u1", ACTGEN_I4, "uint8 ('|u1')"},
};
enum { TYPES = sizeof types / sizeof types[0] };

const char *npy_type_text(int type)
{
    for (size_t i = 0; i < TYPES; i++)
        if (types[i].type == type) return types[i].text;
    return "?";
}

/* Finds the type of a file. ml_dtypes saves e5m2 as '<f1', and its other types as untyped bytes. */
static bool take_type(struct reader *r, struct npy *n)
{
    static const char known[] =
        "float64, float32, float16, int32, int8 and uint8 can be read, "
        "bf16 as uint16, e4m3, e5m2, e8m0, pairs of e2m1 or i4, and packed bits as uint8, "
        "and seeds as uint64";
    char code[32];
    if (take(r, '[')) return fail(r, "it holds records; %s", known);
    if (!take_string(r, code, sizeof code)) return false;
    for (size_t i = 0; i < TYPES; i++) {
        if (!strcmp(code, types[i].code)) {
            n->type = types[i].type;
            n->code = types[i].code;
            n->type_text = types[i].text;
            return true;
        }
        if (code[0] == '>' && !strcmp(code + 1, types[i].code + 1))
            return fail(r, "big-endian numbers are not read; save with astype('%s')", types[i].code);
    }
    return fail(r, "its type is '%.20s'; %s", code, known);
}

/* Reads a header such as {'descr': '<f4', 'fortran_order': False, 'shape': (3, 4), }. */
static bool take_header(struct reader *r, struct npy *n)
{
    char name[32];
    bool has_type = false, has_order = false, has_shape = false;
    snprintf(r->why, r->why_size, "its header cannot be understood");
    if (!take(r, '{')) return false;
    while (!take(r, '}')) {
        if (!take_string(r, name, sizeof name) || !take(r, ':')) return false;
        if (!strcmp(name, "descr") && !has_type) {
            if (!take_type(r, n)) return false;
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
           !__builtin_mul_overflow(*bytes, actgen_type_bytes(n->type), bytes);
}

/* Reads the header. The data begin at *begin and have *data bytes. */
static bool take_beginning(struct npy *out, struct reader *r, size_t *begin, size_t *data)
{
    const struct buffer file = out->file;
    const unsigned char *bytes = (const unsigned char *)file.data;
    size_t header = 0;
    if (file.size < MAGIC + 4 || memcmp(bytes, magic, MAGIC)) return fail(r, "it is no .npy file");
    if (bytes[6] < 1 || bytes[6] > 3) return fail(r, "its version %d.%d is unknown", bytes[6], bytes[7]);
    size_t length_bytes = bytes[6] == 1 ? 2 : 4, start = MAGIC + 2 + length_bytes;
    if (file.size < start) return fail(r, "it ends inside its header");
    for (size_t i = length_bytes; i-- > 0;) header = header << 8 | bytes[MAGIC + 2 + i];
    if (header > file.size - start) return fail(r, "it ends inside its header");
    r->at = file.data + start;
    r->end = r->at + header;
    if (!take_header(r, out)) return false;
    skip_blanks(r);
    if (r->at != r->end) return fail(r, "its header cannot be understood");
    if (!count_elements(out, data)) return fail(r, "its shape is too large");
    *begin = start + header;
    return true;
}

size_t npy_extent(const struct buffer *beginning)
{
    char why[8];
    struct npy n = {.file = *beginning};
    size_t start = 0, data = 0, end;
    struct reader r = {.why = why, .why_size = sizeof why};
    return take_beginning(&n, &r, &start, &data) && !__builtin_add_overflow(start, data, &end) ? end : 0;
}

bool npy_parse(struct npy *out, struct buffer file, char *why, size_t size)
{
    struct reader r = {.why = why, .why_size = size};
    size_t start = 0, data = 0;
    *out = (struct npy){.file = file};
    if (!take_beginning(out, &r, &start, &data)) return false;
    size_t present = file.size - start;
    if (present != data) return fail(&r, "it has %zu bytes of data where its shape needs %zu", present, data);
    if (start % actgen_type_bytes(out->type)) { /* old files align to 16 bytes, but need not */
        memmove(out->file.data, out->file.data + start, data);
        out->data = out->file.data;
    } else {
        out->data = out->file.data + start;
    }
    return true;
}

bool npy_holds(const struct npy *n, int type)
{
    for (size_t i = 0; i < TYPES; i++)
        if (types[i].type == type && !strcmp(types[i].code, n->code)) return true;
    return false;
}

void npy_free(struct npy *n) { buffer_free(&n->file); }

void npy_shape_text(char *out, size_t size, const size_t *shape, size_t dimensions)
{
    size_t length = (size_t)snprintf(out, size, "(");
    for (size_t i = 0; i < dimensions && length < size; i++)
        length += (size_t)snprintf(out + length, size - length, "%zu%s", shape[i],
                                   i + 1 < dimensions ? ", "
                                   : dimensions == 1  ? ","
                                                      : "");
    if (length < size) snprintf(out + length, size - length, ")");
}

static const char *code_of(int type)
{
    size_t i = 0;
    while (types[i].type != type) i++;
    return types[i].code;
}

void npy_create(struct npy *out, int type, const size_t *shape, size_t dimensions)
{
    struct buffer header = {0};
    char shape_text[NPY_MAX_DIMENSIONS * 24];
    *out = (struct npy){
        .type = type, .code = code_of(type), .type_text = npy_type_text(type), .dimensions = dimensions};
    memcpy(out->shape, shape, dimensions * sizeof *shape);
    npy_shape_text(shape_text, sizeof shape_text, shape, dimensions);
    char *text =
        must_format("{'descr': '%s', 'fortran_order': False, 'shape': %s, }", code_of(type), shape_text);
    buffer_write(&header, text, strlen(text));
    free(text);
    while ((MAGIC + 4 + header.size + 1) % DATA_ALIGNMENT) buffer_write(&header, " ", 1);
    buffer_write(&header, "\n", 1);
    const char prefix[4] = {1, 0, (char)(header.size & 0xff), (char)(header.size >> 8)};
    buffer_write(&out->file, magic, MAGIC);
    buffer_write(&out->file, prefix, sizeof prefix);
    buffer_write(&out->file, header.data, header.size);
    buffer_free(&header);
    size_t start = out->file.size, bytes = 0;
    const bool fits = count_elements(out, &bytes);
    out->file.data = must_grow(out->file.data, fits ? start + bytes + 1 : SIZE_MAX, 1);
    out->file.size = start + bytes;
    out->file.capacity = start + bytes + 1;
    memset(out->file.data + start, 0, bytes + 1);
    out->data = out->file.data + start;
}
