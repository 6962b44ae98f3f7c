/* Writes structures as packed bytes and reads them, by rows of fields. */
#include "record.h"

#include "float_bits.h"

_Static_assert(sizeof(enum record_kind) == sizeof(uint32_t), "RECORD_WORD reads and writes enums");

void record_add(struct text *out, const struct record_field *f, const void *from, unsigned place_bytes)
{
    for (; f->kind; f++) {
        const void *at = (const char *)from + f->offset;
        switch (f->kind) {
        case RECORD_TEXT: bytes_add_text(out, *(const char *const *)at); break;
        case RECORD_BIT: bytes_add_number(out, *(const bool *)at); break;
        case RECORD_WORD: bytes_add_number(out, *(const uint32_t *)at); break;
        case RECORD_NUMBER: bytes_add_number(out, *(const uint64_t *)at); break;
        case RECORD_F64: bytes_add_fixed(out, bits_of_f64(*(const double *)at), 8); break;
        case RECORD_PLACE: bytes_add_fixed(out, *(const uint64_t *)at, place_bytes); break;
        case RECORD_END: break;
        }
    }
}

void record_read(void *to, struct bytes *b, const struct record_field *f, arena *memory, unsigned place_bytes)
{
    for (; f->kind; f++) {
        void *at = (char *)to + f->offset;
        switch (f->kind) {
        case RECORD_TEXT: *(const char **)at = bytes_text(b, memory); break;
        case RECORD_BIT: *(bool *)at = bytes_below(b, 2); break;
        case RECORD_WORD: *(uint32_t *)at = (uint32_t)bytes_below(b, f->end); break;
        case RECORD_NUMBER: *(uint64_t *)at = bytes_number(b); break;
        case RECORD_F64: *(double *)at = f64_of_bits(bytes_fixed(b, 8)); break;
        case RECORD_PLACE: *(uint64_t *)at = bytes_fixed(b, place_bytes); break;
        case RECORD_END: break;
        }
    }
}
