/* Where a function of an f32 changes its kind: roots, poles, ends of the domain and of the format's range. */
#ifndef ACTGEN_CHANGES_H
#define ACTGEN_CHANGES_H

#include <stddef.h>
#include <stdint.h>

enum { CHANGES_BLOCK = 256 };
/* Writes the values at x; count <= CHANGES_BLOCK. */
typedef void (*changes_values)(void *context, const float *x, double *values, size_t count);
/* Writes the quick values of a reference of one input, the context. */
void changes_quick_values(void *truth, const float *x, double *values, size_t count);
/* Writes such values, but asks the reference itself where a quick value leaves the sign open, which next to a multiple root is noise. */
void changes_sure_values(void *truth, const float *x, double *values, size_t count);

/* The bits of the first input of another kind than those nearer to 0, for both signs of the input; returns how
 * many, at most `room`. What happens twice within a 64th of a binade is missed. */
size_t changes_find(uint32_t *places, size_t room, changes_values values, void *context);

/* Finds the inputs next to which the values come near zero without changing their sign: (x - 1)^2 at 1. The
 * smaller inputs come first; not all are found if there are many. */
size_t changes_find_touching(uint32_t *places, size_t room, changes_values values, void *context);

#endif
