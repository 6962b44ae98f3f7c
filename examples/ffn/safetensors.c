/* Reads the header by cJSON, then finds tensors in it by name. */
#include "safetensors.h"
#include <actgen.h>
#include <cJSON.h>
#include <errno.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct safetensors {
    const char *path;
    cJSON *header;
    char *bytes; /* the contents of the file */
    size_t begin, size;
};

static const struct dtype {
    const char *name;
    int type;
} dtypes[] = {{"F32", ACTGEN_F32}, {"BF16", ACTGEN_BF16}};
enum { DTYPES = sizeof dtypes / sizeof *dtypes };

static int complain(const char *path, const char *what)
{
    fprintf(stderr, "%s: %s\n", path, what);
    return -1;
}

static int read_all(struct safetensors *file, FILE *stream)
{
    if (fseek(stream, 0, SEEK_END)) return complain(file->path, strerror(errno));
    const long size = ftell(stream);
    rewind(stream);
    file->size = size > 0 ? (size_t)size : 0;
    file->bytes = malloc(file->size + 1);
    if (!file->bytes || fread(file->bytes, 1, file->size, stream) != file->size)
        return complain(file->path, "it cannot be read");
    uint64_t length = 0;
    if (file->size >= 8) memcpy(&length, file->bytes, 8);
    if (!length || length > file->size - 8) return complain(file->path, "this is no safetensors file");
    file->begin = 8 + length;
    file->header = cJSON_ParseWithLength(file->bytes + 8, length);
    return file->header ? 0 : complain(file->path, "the header is no JSON");
}

struct safetensors *safetensors_read(const char *path)
{
    struct safetensors *file = calloc(1, sizeof *file);
    FILE *stream = fopen(path, "rb");
    if (file) file->path = path;
    const int failed = !stream ? complain(path, strerror(errno)) : !file || read_all(file, stream);
    if (stream) fclose(stream);
    if (!failed) return file;
    safetensors_free(file);
    return NULL;
}

void safetensors_free(struct safetensors *file)
{
    if (!file) return;
    cJSON_Delete(file->header);
    free(file->bytes);
    free(file);
}

/* Returns element i of a list of numbers, or 0 where there is none. */
static size_t number(const cJSON *list, int i)
{
    const cJSON *item = cJSON_GetArrayItem(list, i);
    return cJSON_IsNumber(item) && item->valuedouble >= 0 && item->valuedouble < 0x1p48
               ? (size_t)item->valuedouble
               : 0;
}

int safetensors_find(struct tensor *out, const struct safetensors *file, const char *name)
{
    const cJSON *entry = cJSON_GetObjectItemCaseSensitive(file->header, name);
    const cJSON *shape = cJSON_GetObjectItem(entry, "shape"),
                *place = cJSON_GetObjectItem(entry, "data_offsets");
    const char *dtype = cJSON_GetStringValue(cJSON_GetObjectItem(entry, "dtype"));
    int i = 0;
    while (dtype && i < DTYPES && strcmp(dtypes[i].name, dtype) != 0) i++;
    const size_t begin = number(place, 0), end = number(place, 1), available = file->size - file->begin;
    *out = (struct tensor){name, 0, number(shape, 0), number(shape, 1), file->bytes + file->begin + begin};
    if (dtype && i < DTYPES && cJSON_GetArraySize(shape) == 2 && begin <= end && end <= available) {
        out->type = dtypes[i].type;
        const size_t bytes = actgen_type_bytes(out->type);
        if (out->rows && out->cols == (end - begin) / bytes / out->rows &&
            end - begin == out->rows * out->cols * bytes && (uintptr_t)out->data % bytes == 0)
            return 0;
    }
    fprintf(stderr, "%s: no matrix `%s` of F32 or BF16\n", file->path, name);
    return -1;
}

static char *header_of(const struct tensor *tensors, size_t count)
{
    cJSON *header = cJSON_CreateObject();
    double begin = 0;
    for (size_t i = 0; i < count; i++) {
        const struct tensor *t = &tensors[i];
        const double shape[] = {(double)t->rows, (double)t->cols};
        const double place[] = {begin, begin + shape[0] * shape[1] * (double)actgen_type_bytes(t->type)};
        int k = 0;
        while (dtypes[k].type != t->type) k++;
        cJSON *entry = cJSON_AddObjectToObject(header, t->name);
        cJSON_AddStringToObject(entry, "dtype", dtypes[k].name);
        cJSON_AddItemToObject(entry, "shape", cJSON_CreateDoubleArray(shape, 2));
        cJSON_AddItemToObject(entry, "data_offsets", cJSON_CreateDoubleArray(place, 2));
        begin = place[1];
    }
    char *text = cJSON_PrintUnformatted(header);
    cJSON_Delete(header);
    return text;
}

static int write_all(FILE *stream, const struct tensor *tensors, size_t count)
{
    char *header = header_of(tensors, count);
    if (!header) return -1;
    const uint64_t length =
        (strlen(header) + 7) / 8 * 8; /* aligns the data; spaces fill the rest of the header */
    fwrite(&length, 8, 1, stream);
    fprintf(stream, "%-*s", (int)length, header);
    free(header);
    for (size_t i = 0; i < count; i++)
        fwrite(tensors[i].data, actgen_type_bytes(tensors[i].type), tensors[i].rows * tensors[i].cols,
               stream);
    return ferror(stream);
}

int safetensors_write(const char *path, const struct tensor *tensors, size_t count)
{
    char temporary[4096];
    if (snprintf(temporary, sizeof temporary, "%s.new", path) >= (int)sizeof temporary)
        return complain(path, "the path is too long");
    FILE *stream = fopen(temporary, "wb");
    if (!stream) return complain(temporary, strerror(errno));
    int failed = write_all(stream, tensors, count);
    failed = fclose(stream) || failed || rename(temporary, path);
    if (!failed) return 0;
    remove(temporary);
    return complain(path, "it cannot be written");
}
