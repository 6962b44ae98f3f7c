/* Text doubles its room in the arena when it is full. */
#include "text.h"

#include <float.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void reserve(struct text *t, size_t more)
{
    if (t->capacity - t->length > more) return;
    size_t capacity = (t->length + more + 1) * 2;
    char *data = arena_alloc(t->memory, capacity);
    memcpy(data, t->data, t->length);
    t->data = data;
    t->capacity = capacity;
}

struct text text_new(arena *memory)
{
    return (struct text){.memory = memory, .data = arena_alloc(memory, 256), .capacity = 256};
}

void text_add(struct text *t, const char *format, ...)
{
    va_list arguments, again;
    va_start(arguments, format);
    va_copy(again, arguments);
    int length = vsnprintf(t->data + t->length, t->capacity - t->length, format, arguments);
    va_end(arguments);
    if (length > 0 && t->capacity - t->length <= (size_t)length) {
        reserve(t, (size_t)length);
        vsnprintf(t->data + t->length, (size_t)length + 1, format, again);
    }
    if (length > 0) t->length += (size_t)length;
    va_end(again);
}

void text_bytes(struct text *t, const char *data, size_t length)
{
    reserve(t, length);
    memcpy(t->data + t->length, data, length);
    t->length += length;
    t->data[t->length] = 0;
}

void double_text(char out[DOUBLE_TEXT_SIZE], double value, int least)
{
    for (int digits = least; digits <= DBL_DECIMAL_DIG; digits++) {
        snprintf(out, DOUBLE_TEXT_SIZE, "%.*g", digits, value);
        if (strtod(out, NULL) == value) break;
    }
}
