/* The table of element types, and the functions of each type. */
#include "types.h"
#include "half.h"

#include <math.h>

/* Copies n elements of any alignment. */
static void copy(void *to, size_t to_step, const void *from, size_t from_step, size_t bytes, size_t n)
{
    if (to_step == 1 && from_step == 1) {
        memcpy(to, from, n * bytes);
        return;
    }
    for (size_t k = 0; k < n; k++)
        memcpy((char *)to + k * to_step * bytes, (const char *)from + k * from_step * bytes, bytes);
}

typedef uint32_t f32_bits;
typedef uint64_t f64_bits;

/* Element i of those that share bytes by two. Writing the first of a byte makes the other 0. */
static uint8_t half_byte(const void *data, size_t i)
{
    return ((const uint8_t *)data)[i / 2] >> i % 2 * 4 & 15;
}

static void set_half_byte(void *data, size_t i, unsigned bits)
{
    uint8_t *byte = (uint8_t *)data + i / 2;
    *byte = (uint8_t)(i % 2 ? *byte | bits << 4 : bits);
}

#define FUNCTIONS_OWN(enumerator, name, type, width)                                                         \
    static double name##_value(uint64_t bits) { return (double)name##_of_bits((name##_bits)bits); }          \
    static uint64_t name##_near(double value) { return bits_of_##name((type)value); }                        \
    static float name##_rounded(float lane) { return lane; }                                                 \
    static void name##_read(void *lanes, const void *data, size_t step, size_t n)                            \
    {                                                                                                        \
        copy(lanes, 1, data, step, sizeof(type), n);                                                         \
    }                                                                                                        \
    static void name##_write(void *data, size_t step, const void *lanes, size_t n)                           \
    {                                                                                                        \
        copy(data, step, lanes, 1, sizeof(type), n);                                                         \
    }

#define FUNCTIONS_HELD(name, type, width)                                                                    \
    static double name##_value(uint64_t bits) { return (double)f32_of_##name((type)bits); }                  \
    static uint64_t name##_near(double value)                                                                \
    {                                                                                                        \
        return (uint64_t)name##_of_f32((float)value) & UINT64_MAX >> (64 - (width));                         \
    }                                                                                                        \
    static void name##_read(void *lanes, const void *data, size_t step, size_t n)                            \
    {                                                                                                        \
        for (size_t k = 0; k < n; k++) {                                                                     \
            type bits;                                                                                       \
            if ((width) < 8)                                                                                 \
                bits = (type)half_byte(data, k * step);                                                      \
            else                                                                                             \
                memcpy(&bits, (const char *)data + k * step * sizeof bits, sizeof bits);                     \
            ((float *)lanes)[k] = f32_of_##name(bits);                                                       \
        }                                                                                                    \
    }                                                                                                        \
    static void name##_write(void *data, size_t step, const void *lanes, size_t n)                           \
    {                                                                                                        \
        for (size_t k = 0; k < n; k++) {                                                                     \
            const type bits = name##_of_f32(((const float *)lanes)[k]);                                      \
            if ((width) < 8)                                                                                 \
                set_half_byte(data, k *step, (unsigned)bits);                                                \
            else                                                                                             \
                memcpy((char *)data + k * step * sizeof bits, &bits, sizeof bits);                           \
        }                                                                                                    \
    }

#define FUNCTIONS_NARROW(enumerator, name, type, width)                                                      \
    static float name##_rounded(float lane) { return f32_of_##name(name##_of_f32(lane)); }                   \
    FUNCTIONS_HELD(name, type, width)

#define FUNCTIONS_INTEGER(enumerator, name, type, width)                                                     \
    static float name##_rounded(float lane)                                                                  \
    {                                                                                                        \
        return (float)float_round(&element_types[enumerator].format, (double)lane);                          \
    }                                                                                                        \
    FUNCTIONS_HELD(name, type, width)

#define FUNCTIONS_NEAREST(enumerator, name, type, width) FUNCTIONS_NARROW(enumerator, name, type, width)
#define FUNCTIONS_POWER(enumerator, name, type, width)   FUNCTIONS_NARROW(enumerator, name, type, width)

#define FUNCTIONS_BIT(enumerator, name, type, width)                                                         \
    static double name##_value(uint64_t bits) { return (double)(bits & 1); }                                 \
    static uint64_t name##_near(double value) { return value > 0.5; }                                        \
    static float name##_rounded(float lane) { return lane > 0.5f ? 1 : 0; }                                  \
    static void name##_read(void *lanes, const void *data, size_t step, size_t n)                            \
    {                                                                                                        \
        (void)step;                                                                                          \
        for (size_t k = 0; k < n; k++)                                                                       \
            ((int32_t *)lanes)[k] = -(int32_t)(((const type *)data)[k / 8] >> k % 8 & 1);                    \
    }                                                                                                        \
    static void name##_write(void *data, size_t step, const void *lanes, size_t n)                           \
    {                                                                                                        \
        (void)step;                                                                                          \
        for (size_t k = 0; k < n; k++) {                                                                     \
            type *byte = (type *)data + k / 8;                                                               \
            const unsigned bit = (unsigned)((const int32_t *)lanes)[k] & 1;                                  \
            *byte = (type)((k % 8 ? *byte : 0u) | bit << k % 8);                                             \
        }                                                                                                    \
    }

#define FUNCTIONS_NONE(enumerator, name, type, width)

#define TYPE(enumerator, name, type, bits, lanes, ...) FUNCTIONS_##lanes(enumerator, name, type, bits)
ELEMENT_TYPES(TYPE)
#undef TYPE

#define POINTERS_OWN(name)     name##_value, name##_near, name##_rounded, name##_read, name##_write
#define POINTERS_NARROW(name)  POINTERS_OWN(name)
#define POINTERS_INTEGER(name) POINTERS_OWN(name)
#define POINTERS_NEAREST(name) POINTERS_OWN(name)
#define POINTERS_POWER(name)   POINTERS_OWN(name)
#define POINTERS_BIT(name)     POINTERS_OWN(name)
#define POINTERS_NONE(name)    NULL, NULL, NULL, NULL, NULL

const struct element_type_info element_types[ELEMENT_TYPE_COUNT] = {
#define TYPE(enumerator, name, type, bits, lanes, precision, least, most, largest, infinity)                 \
    [enumerator] = {#name,                                                                                   \
                    #type,                                                                                   \
                    bits,                                                                                    \
                    ((bits) + 7) / 8,                                                                        \
                    ELEMENT_##lanes,                                                                         \
                    {precision, least, most, largest, infinity},                                             \
                    POINTERS_##lanes(name)},
    ELEMENT_TYPES(TYPE)
#undef TYPE
};

const struct reduction_row reductions[REDUCE_COUNT] = {
    [REDUCE_NONE] = {.name = ""},
#define REDUCTION(id, name, start, join, is_mean, gradient)                                                  \
    [REDUCE_##id] = {name, start, JOIN_##join, is_mean, GRADIENT_##gradient},
#include "reductions.def"
#undef REDUCTION
};

bool element_has_nan(enum element_type type)
{
    const struct element_type_info *t = &element_types[type];
    return isnan(t->value(t->near((double)NAN)));
}

double element_least(enum element_type type)
{
    const struct element_type_info *t = &element_types[type];
    return t->value(t->near(-(double)INFINITY));
}

double element_most(enum element_type type)
{
    const struct element_type_info *t = &element_types[type];
    return t->value(t->near((double)INFINITY));
}
