/* Numbers as elements of an array. */
#ifndef ACTGEN_MEASURE_ELEMENT_H
#define ACTGEN_MEASURE_ELEMENT_H

#include <stdbool.h>

/* Writes x as an element of the type (ACTGEN_F32, ...), rounded to nearest, ties to even. Returns false if x
 * is finite and too large, or infinite and the type has no infinity. */
bool element_put(void *element, int type, double x);
/* Returns the number that formulas see. For i32 this is the nearest f32. */
double element_get(const void *element, int type);

struct element_format {
    int bits;            /* The significant bits, with the leading bit that is not stored. */
    int least, greatest; /* The exponents of normal numbers, which are 2^e times 1 to 2. */
};
struct element_format element_format(int type);
/* Returns the distance of neighbouring numbers of the type at y, which is an ulp of y. y must be finite. */
double element_spacing(int type, double y);

#endif
