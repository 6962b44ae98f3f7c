/* Structures as packed bytes. A row for each field says what the field is and which values it may have. The
 * writer and the reader follow the rows, so that they agree. */
#ifndef ACTGEN_RECORD_H
#define ACTGEN_RECORD_H

#include "bytes.h"

struct record_field {
    enum record_kind {
        RECORD_END,    /* no field: the end of the rows */
        RECORD_TEXT,   /* const char * */
        RECORD_BIT,    /* bool */
        RECORD_WORD,   /* uint32_t or an enum, below `end` */
        RECORD_NUMBER, /* uint64_t */
        RECORD_F64,    /* double, with all its bits */
        RECORD_PLACE   /* uint64_t, in as many bytes as the caller says */
    } kind;
    size_t offset; /* in the structure */
    uint64_t end;
};

/* Appends the fields of the structure `from`. */
void record_add(struct text *out, const struct record_field *fields, const void *from, unsigned place_bytes);
/* Reads the fields into the structure `to`. Texts are copied into the arena. If a value is not one that its
 * row allows, b->failed is set, and the fields from there on are 0 or "". */
void record_read(void *to, struct bytes *b, const struct record_field *fields, arena *memory,
                 unsigned place_bytes);

#endif
