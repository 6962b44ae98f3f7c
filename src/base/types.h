/* The element types of operands, one row each, with the names that they have in the language. Also the shapes
 * and layouts of operands. */
#ifndef ACTGEN_TYPES_H
#define ACTGEN_TYPES_H

#include "float_format.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* The element types. The columns of a row are:
 *
 * - The enumerator, the name, and the C type of the bits in headers.
 * - The bits of an element. Elements of less than 8 bits share a byte: the first has its lowest bits, and a
 * row begins at a byte.
 * - How lanes hold the type, see below.
 * - The format: bits of the significand with the leading one, the exponents of the smallest normal and of the
 *   largest number, the largest number, and if it has infinities. A format without infinities saturates.
 *
 * Integers have the format of floats that are 1 apart, up to the largest size. The largest size of i8 and i4
 * exists only as a negative number. e2m1 has no NaN: lanes keep a NaN, which is stored as 6, as PTX does. A
 * type without arithmetic has 0 bits. Lanes hold a type in one of these ways:
 *
 * - OWN: as the bits of the type.
 * - NARROW: as an f32. base/half.h has f32_of_<name>() and <name>_of_f32(), and ir/build_half.c has
 *   their builders.
 * - INTEGER: like NARROW. NaN becomes 0. Numbers beyond the type become its nearest number.
 * - NEAREST: as the f32 nearest to the integer. Only inputs have such a type.
 * - POWER: like NARROW. A number becomes the largest power of two of the type that is not above its
 * magnitude.
 * - BIT: as a truth value.
 * - NONE: not at all. This version refuses the type. */
#define ELEMENT_TYPES(TYPE)                                                                                  \
    TYPE(ELEMENT_F32, f32, float, 32, OWN, 24, -126, 127, 0x1.fffffep127, true)                              \
    TYPE(ELEMENT_F64, f64, double, 64, OWN, 53, -1022, 1023, 0x1.fffffffffffffp1023, true)                   \
    TYPE(ELEMENT_F16, f16, uint16_t, 16, NARROW, 11, -14, 15, 65504, true)                                   \
    TYPE(ELEMENT_BF16, bf16, uint16_t, 16, NARROW, 8, -126, 127, 0x1.fep127, true)                           \
    TYPE(ELEMENT_E4M3, e4m3, uint8_t, 8, NARROW, 4, -6, 8, 448, false)                                       \
    TYPE(ELEMENT_E5M2, e5m2, uint8_t, 8, NARROW, 3, -14, 15, 57344, true)                                    \
    TYPE(ELEMENT_I8, i8, int8_t, 8, INTEGER, 8, 7, 7, 128, false)                                            \
    TYPE(ELEMENT_U8, u8, uint8_t, 8, INTEGER, 8, 7, 7, 255, false)                                           \
    TYPE(ELEMENT_U64, u64, uint64_t, 64, NONE, 0, 0, 0, 0x1p64, false)                                       \
    TYPE(ELEMENT_U1, u1, uint8_t, 1, BIT, 1, 0, 0, 1, false)                                                 \
    TYPE(ELEMENT_I32, i32, int32_t, 32, NEAREST, 32, 31, 31, 0x1p31, false)                                  \
    TYPE(ELEMENT_E8M0, e8m0, uint8_t, 8, POWER, 1, -127, 127, 0x1p127, false)                                \
    TYPE(ELEMENT_E2M1, e2m1, uint8_t, 4, NARROW, 2, 0, 2, 6, false)                                          \
    TYPE(ELEMENT_I4, i4, uint8_t, 4, INTEGER, 4, 3, 3, 8, false)

enum element_type {
#define TYPE(enumerator, ...) enumerator,
    ELEMENT_TYPES(TYPE)
#undef TYPE
        ELEMENT_TYPE_COUNT
};

enum element_lanes {
    ELEMENT_OWN,
    ELEMENT_NARROW,
    ELEMENT_INTEGER,
    ELEMENT_NEAREST,
    ELEMENT_POWER,
    ELEMENT_BIT,
    ELEMENT_NONE
};

/* The properties of an element type. The functions are NULL if lanes do not hold the type. */
struct element_type_info {
    const char *name, *c_type;
    unsigned bits;
    /* The bytes of an element, or of the byte that elements share. element_bytes() returns the bytes of
     * several elements. */
    unsigned bytes;
    enum element_lanes lanes;
    struct float_format format;
    double (*value)(uint64_t bits); /* Returns the exact value. */
    /* Returns the bits of a value that the type has. For any other value, returns the bits of a neighbour. */
    uint64_t (*near)(double value);
    /* Rounds a lane as storing and loading it again does. For integers the result is the number before the
     * conversion: a whole number of either sign up to the largest size, or NaN. */
    float (*rounded)(float lane);
    /* Read n elements, `step` apart, into adjacent lanes, and write them back. Lanes are f64 for f64, truth
     * values for bits, else f32. A truth value is an int32_t with all bits or none. Elements that share a
     * byte have the step 1. Data may have any alignment. In the last byte that is written, the other bits
     * become 0. */
    void (*read)(void *lanes, const void *data, size_t step, size_t n);
    void (*write)(void *data, size_t step, const void *lanes, size_t n);
};

extern const struct element_type_info element_types[ELEMENT_TYPE_COUNT];

static inline bool element_is_usable(enum element_type type)
{
    return element_types[type].lanes != ELEMENT_NONE;
}

static inline bool element_is_bit(enum element_type type) { return element_types[type].lanes == ELEMENT_BIT; }

/* Returns how many elements share a byte, or 1. */
static inline unsigned elements_of_byte(enum element_type type)
{
    return element_types[type].bits < 8 ? 8 / element_types[type].bits : 1;
}

static inline bool element_shares_byte(enum element_type type) { return elements_of_byte(type) > 1; }

/* Returns the bytes of n elements that follow each other. This is also the offset of element n, if n is a
 * multiple of elements_of_byte(). */
static inline size_t element_bytes(enum element_type type, size_t n)
{
    const unsigned together = elements_of_byte(type);
    return together > 1 ? n / together + (n % together != 0) : n * element_types[type].bytes;
}

/* Returns true for numbers of 4 bits, of which two share a byte. */
static inline bool element_is_nibble(enum element_type type) { return element_types[type].bits == 4; }

/* Returns true for numbers of 8 and 16 bits. They are few enough to try every input. Lanes hold them as
 * f32. */
static inline bool element_is_half(enum element_type type)
{
    const enum element_lanes lanes = element_types[type].lanes;
    return (lanes == ELEMENT_NARROW || lanes == ELEMENT_INTEGER) && !element_is_nibble(type);
}

static inline bool element_is_integer(enum element_type type)
{
    return element_types[type].lanes == ELEMENT_INTEGER || element_types[type].lanes == ELEMENT_NEAREST;
}

/* Returns true for the type of scales, whose numbers are powers of two. */
static inline bool element_is_power(enum element_type type)
{
    return element_types[type].lanes == ELEMENT_POWER;
}

/* Returns true if lanes of f32 hold numbers that storing rounds. */
static inline bool element_is_rounded(enum element_type type)
{
    return element_is_half(type) || element_is_nibble(type) || element_is_power(type);
}

/* Returns true if results can have the type. */
static inline bool element_is_stored(enum element_type type)
{
    return element_is_usable(type) && element_types[type].lanes != ELEMENT_NEAREST;
}

/* Returns true if memory can hold a NaN of the type. */
bool element_has_nan(enum element_type type);

/* Return the least and the largest number of an integer type. */
double element_least(enum element_type type);
double element_most(enum element_type type);

enum operand_shape {
    SHAPE_MATRIX, /* [rows, cols] */
    SHAPE_COLS,   /* One value per column. */
    SHAPE_ROWS,   /* One value per row. */
    SHAPE_ONE,    /* One value. */
    SHAPE_COUNT
};

/* How a result reduces the values that its formula gives. A result of shape [cols] reduces over the rows, one
 * of shape [rows] over the columns, and one of shape [] over both. REDUCE_NONE: it has an element for each
 * element of the matrix. */
enum operand_reduction {
    REDUCE_NONE,
#define REDUCTION(name, ...) REDUCE_##name,
#include "reductions.def"
#undef REDUCTION
    REDUCE_COUNT
};

/* A row of reductions.def, in the words of that file. The name of REDUCE_NONE is "". */
struct reduction_row {
    const char *name;
    double start;
    enum { JOIN_ADD, JOIN_LARGER, JOIN_SMALLER } join;
    bool is_mean;
    enum { GRADIENT_TO_EACH, GRADIENT_MEAN_TO_EACH, GRADIENT_TO_PICKED } gradient;
};

extern const struct reduction_row reductions[REDUCE_COUNT];

/* Returns true if the reduction picks one of its values. */
static inline bool reduction_picks(enum operand_reduction how) { return reductions[how].join != JOIN_ADD; }
/* Returns true if the value has the type of those that are reduced. Sums of f32 are f64. */
static inline bool reduction_keeps_type(enum operand_reduction how)
{
    return how == REDUCE_NONE || reduction_picks(how);
}

/* The form in which a reduction in a formula takes each element v. |v| and v*v are computed during the
 * reduction, so that v itself can be read from memory, or be kept for later. */
enum summand_form { SUMMAND_PLAIN, SUMMAND_MAGNITUDE, SUMMAND_SQUARE, SUMMAND_COUNT };

/* How several names are one operand in memory. */
enum operand_layout {
    LAYOUT_SEPARATE,
    LAYOUT_PACKED,      /* [a | b]: a row holds all of a, then all of b */
    LAYOUT_INTERLEAVED, /* [a, b]: a row holds a[0], b[0], a[1], b[1], ... */
    LAYOUT_COUNT
};

/* Where the values of an input come from: the memory of a call, or its element's place. A random number is
 * made of the number of the element (philox.h), a row's or a column's number is that number (row_numbers.h).
 */
enum operand_source { SOURCE_MEMORY, SOURCE_RANDOM, SOURCE_ROW, SOURCE_COL };

/* Returns true if u64 operands of the call have the seed or the first number. */
static inline bool source_has_counters(enum operand_source source)
{
    return source == SOURCE_RANDOM || source == SOURCE_ROW;
}

/* Returns true if names of that shape and layout are the values of a list. The values of `c: f32[6]` are c[0]
 * to c[5]. They are adjacent in memory, and each is the same for all elements. The part of their names before
 * the bracket is the name of the list. */
static inline bool operand_is_list(enum operand_shape shape, enum operand_layout layout)
{
    return shape == SHAPE_ONE && layout == LAYOUT_PACKED;
}

#endif
