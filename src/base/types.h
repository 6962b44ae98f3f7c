/* Element types of operands, as the language names them, one row each; shapes and layouts of operands. */
#ifndef ACTGEN_TYPES_H
#define ACTGEN_TYPES_H

#include <stdbool.h>

/* TYPE(enumerator, name in a spec, bytes, usable in this version, bits of the significand with the leading one, exponents
 * of the smallest and the largest normal number). What is no binary float has 0 bits. */
#define ELEMENT_TYPES(TYPE)                                                                                  \
    TYPE(ELEMENT_F32, "f32", 4, 1, 24, -126, 127)                                                            \
    TYPE(ELEMENT_F64, "f64", 8, 1, 53, -1022, 1023)                                                          \
    TYPE(ELEMENT_F16, "f16", 2, 1, 11, -14, 15)                                                              \
    TYPE(ELEMENT_BF16, "bf16", 2, 1, 8, -126, 127)                                                           \
    TYPE(ELEMENT_E4M3, "e4m3", 1, 0, 4, -6, 8)                                                               \
    TYPE(ELEMENT_E5M2, "e5m2", 1, 0, 3, -14, 15)                                                             \
    TYPE(ELEMENT_I8, "i8", 1, 0, 0, 0, 0)                                                                    \
    TYPE(ELEMENT_U8, "u8", 1, 0, 0, 0, 0)                                                                    \
    TYPE(ELEMENT_U64, "u64", 8, 0, 0, 0, 0)

enum element_type {
#define TYPE(enumerator, name, bytes, usable, precision, least, most) enumerator,
    ELEMENT_TYPES(TYPE)
#undef TYPE
        ELEMENT_TYPE_COUNT
};

struct element_type_info {
    const char *name;
    unsigned bytes;
    bool usable;
    int precision, min_exponent, max_exponent; /* 1.0 has exponent 0 */
};

extern const struct element_type_info element_types[ELEMENT_TYPE_COUNT];

/* f16 and bf16: small enough to try every input. */
bool element_is_half(enum element_type type);

enum operand_shape {
    SHAPE_MATRIX, /* [rows, cols] */
    SHAPE_COLS,   /* one value a column */
    SHAPE_ROWS,   /* one value a row */
    SHAPE_ONE     /* one value */
};

enum operand_layout { /* of the names that are one operand in memory */
                      LAYOUT_SEPARATE,
                      LAYOUT_PACKED,     /* [a | b]: a row holds all of a, then all of b */
                      LAYOUT_INTERLEAVED /* [a, b]: a row holds a[0], b[0], a[1], b[1], ... */
};

#endif
