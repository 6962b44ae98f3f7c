/* Numbers as elements of an array. */
#ifndef ACTGEN_MEASURE_ELEMENT_H
#define ACTGEN_MEASURE_ELEMENT_H

#include <stdbool.h>
#include <stddef.h>

/* Writes x as an element of the type (ACTGEN_F32, ...), rounded to nearest, ties to even. An element that
 * shares a byte takes the lowest bits of it. Returns false if x is finite and too large, or infinite or NaN
 * and the type has none. */
bool element_put(void *element, int type, double x);
/* Returns the number that formulas see. For i32 this is the nearest f32. */
double element_get(const void *element, int type);
/* Returns how many elements of the type share a byte: 8 of u1, 2 of e2m1 and i4, 1 of others. */
unsigned elements_of_byte(int type);
/* Write and read element `i` of an array. Elements that share its byte keep their values. */
bool element_put_at(void *array, size_t i, int type, double x);
double element_get_at(const void *array, size_t i, int type);

struct element_format {
    int bits;            /* The significant bits, with the leading bit that is not stored. */
    int least, greatest; /* The exponents of normal numbers, which are 2^e times 1 to 2. */
};
struct element_format element_format(int type);
/* Returns the distance of neighbouring numbers of the type at y, which is an ulp of y. y must be finite. */
double element_spacing(int type, double y);

#endif
