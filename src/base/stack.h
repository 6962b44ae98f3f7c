/* How much of its stack a thread has left: recursion over formulas takes some of it, and a thread may have
 * little. */
#ifndef ACTGEN_STACK_H
#define ACTGEN_STACK_H

#include <stddef.h>

/* Bytes below this function's frame; SIZE_MAX where nobody knows, as on a stack that the host has made for a
 * coroutine. */
size_t stack_left(void);

#endif
