/* The stack that a thread has left. Recursion over formulas needs some of it, and a thread may have
 * little. */
#ifndef ACTGEN_STACK_H
#define ACTGEN_STACK_H

#include <stddef.h>

/* Returns the bytes below this function's frame. Returns SIZE_MAX if they are unknown, as on a stack that the
 * host has made for a coroutine. */
size_t stack_left(void);

#endif
