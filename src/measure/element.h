/* Numbers as elements of an array. */
#ifndef ACTGEN_MEASURE_ELEMENT_H
#define ACTGEN_MEASURE_ELEMENT_H

#include <stdbool.h>

/* Writes x as an element of the type (ACTGEN_F32 ...), rounded to nearest, ties to even. False if it is finite and too large. */
bool element_put(void *element, int type, double x);

#endif
