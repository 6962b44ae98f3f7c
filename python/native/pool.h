/* The threads of the process that share calls. */
#ifndef ACTGEN_PYTHON_POOL_H
#define ACTGEN_PYTHON_POOL_H

#include <stddef.h>

enum { POOL_MOST_THREADS = 256 };

/* Calls task(context, i) for all i < count on at most `threads` threads, the caller's among them, and returns
 * when all calls have returned. Fewer threads take part where they cannot be created. Calls of several
 * threads may overlap. */
void pool_share(size_t count, void (*task)(void *context, size_t i), void *context, size_t threads);

/* Ends the threads and waits for them. Later calls run only on the threads of their callers. */
void pool_end(void);

#endif
