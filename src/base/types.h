/* Element types of operands, as the language names them, one row each; shapes and layouts of operands. */
#ifndef ACTGEN_TYPES_H
#define ACTGEN_TYPES_H

#include "float_format.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* TYPE(enumerator, name, C type of its bits in headers, bytes, lanes, bits of the significand with the
 * leading one, exponents of the smallest normal and of the largest number, the largest number, whether it has
 * infinities; what has none saturates). Integers have the format of floats that lie 1 apart, up to the
 * largest size, which i8 has as -128 alone; what no arithmetic is done in has 0 bits. Lanes: OWN     hold its
 * bits NARROW  hold its value as f32: base/half.h has f32_of_<name>() and <name>_of_f32(),
 * llvm/ir/build_half.c their builders INTEGER do so, too; NaN becomes 0, and what is beyond the type's
 * numbers the nearest of them BIT     hold it as a truth value: elements are bits, the first the lowest of
 * its byte, and a row begins at a byte NONE    do not hold it yet: this version refuses the type */
#define ELEMENT_TYPES(TYPE)                                                                                  \
    TYPE(ELEMENT_F32, f32, float, 4, OWN, 24, -126, 127, 0x1.fffffep127, true)                               \
    TYPE(ELEMENT_F64, f64, double, 8, OWN, 53, -1022, 1023, 0x1.fffffffffffffp1023, true)                    \
    TYPE(ELEMENT_F16, f16, uint16_t, 2, NARROW, 11, -14, 15, 65504, true)                                    \
    TYPE(ELEMENT_BF16, bf16, uint16_t, 2, NARROW, 8, -126, 127, 0x1.fep127, true)                            \
    TYPE(ELEMENT_E4M3, e4m3, uint8_t, 1, NARROW, 4, -6, 8, 448, false)                                       \
    TYPE(ELEMENT_E5M2, e5m2, uint8_t, 1, NARROW, 3, -14, 15, 57344, true)                                    \
    TYPE(ELEMENT_I8, i8, int8_t, 1, INTEGER, 8, 7, 7, 128, false)                                            \
    TYPE(ELEMENT_U8, u8, uint8_t, 1, INTEGER, 8, 7, 7, 255, false)                                           \
    TYPE(ELEMENT_U64, u64, uint64_t, 8, NONE, 0, 0, 0, 0x1p64, false)                                        \
    TYPE(ELEMENT_U1, u1, uint8_t, 1, BIT, 1, 0, 0, 1, false)

enum element_type {
#define TYPE(enumerator, ...) enumerator,
    ELEMENT_TYPES(TYPE)
#undef TYPE
        ELEMENT_TYPE_COUNT
};

enum element_lanes { ELEMENT_OWN, ELEMENT_NARROW, ELEMENT_INTEGER, ELEMENT_BIT, ELEMENT_NONE };

/* The functions are NULL where lanes do not hold the type. */
struct element_type_info {
    const char *name, *c_type;
    /* of an element; of bits, of what they are moved by: element_bytes() says what several take */
    unsigned bytes;
    enum element_lanes lanes;
    struct float_format format;
    double (*value)(uint64_t bits); /* exact */
    uint64_t (*near)(double value); /* of a value that the type has, its bits; else those of a neighbour */
    /* As a store does, loaded again; of integers what is stored then: a whole number of either sign up to the
     * largest size, or NaN. */
    float (*rounded)(float lane);
    /* n elements, `step` apart, to lanes one after the other and back: f64 of f64, truth values (all bits of
     * an int32_t or none) of bits, whose step is 1, else f32. Data may be of any alignment. Of the last byte
     * that bits are written to, the others become 0. */
    void (*read)(void *lanes, const void *data, size_t step, size_t n);
    void (*write)(void *data, size_t step, const void *lanes, size_t n);
};

extern const struct element_type_info element_types[ELEMENT_TYPE_COUNT];

static inline bool element_is_usable(enum element_type type)
{
    return element_types[type].lanes != ELEMENT_NONE;
}

static inline bool element_is_bit(enum element_type type) { return element_types[type].lanes == ELEMENT_BIT; }

/* The bytes of n elements that follow each other. The place of element n, too; of bits, n is a multiple of 8
 * then. */
static inline size_t element_bytes(enum element_type type, size_t n)
{
    return element_is_bit(type) ? n / 8 + (n % 8 != 0) : n * element_types[type].bytes;
}

/* The numbers of 8 and 16 bits: small enough to try every input; lanes hold them as f32. */
static inline bool element_is_half(enum element_type type)
{
    return element_types[type].lanes == ELEMENT_NARROW || element_types[type].lanes == ELEMENT_INTEGER;
}

static inline bool element_is_integer(enum element_type type)
{
    return element_types[type].lanes == ELEMENT_INTEGER;
}

/* The least and the largest of an integer type. */
double element_least(enum element_type type);
double element_most(enum element_type type);

enum operand_shape {
    SHAPE_MATRIX, /* [rows, cols] */
    SHAPE_COLS,   /* one value a column */
    SHAPE_ROWS,   /* one value a row */
    SHAPE_ONE     /* one value */
};

/* What a result that has no element for each of the matrix is of the values that its formula gives for all
 * that it lacks: over the rows for [cols], over the columns for [rows], over both for []. */
enum operand_reduction { REDUCE_NONE, REDUCE_SUM, REDUCE_MEAN, REDUCE_AMAX };

/* What a reduction in a formula takes of each element v: |v| and v*v are made where it adds up, so that v
 * itself can be read from memory, or be kept for later. */
enum summand_form { SUMMAND_PLAIN, SUMMAND_MAGNITUDE, SUMMAND_SQUARE };

enum operand_layout { /* of the names that are one operand in memory */
                      LAYOUT_SEPARATE,
                      LAYOUT_PACKED,     /* [a | b]: a row holds all of a, then all of b */
                      LAYOUT_INTERLEAVED /* [a, b]: a row holds a[0], b[0], a[1], b[1], ... */
};

/* Whether names of that shape and layout are the values of a list, `c: f32[6]`: c[0] to c[5], one after the
 * other in memory, each the same for all elements. The list's own name is what stands before the bracket of
 * its values' names. */
static inline bool operand_is_list(enum operand_shape shape, enum operand_layout layout)
{
    return shape == SHAPE_ONE && layout == LAYOUT_PACKED;
}

#endif
