/* Functions of the vector ABI that this machine has: their names, and how to call them for an array. */
#ifndef VECTOR_CALLS_H
#define VECTOR_CALLS_H

#include <stddef.h>

/* Calls the function at `address` for n values, in whole vectors. */
typedef void vector_call(void (*address)(void), size_t n, const void *x, void *y);

struct vector_form {
    const char *prefix, *isa; /* how names begin, and the instruction set that the processor must have */
    int type;                 /* ACTGEN_F32 or ACTGEN_F64 */
    vector_call *call;
};
extern const struct vector_form vector_forms[]; /* the prefix of the last one is NULL */

#endif
