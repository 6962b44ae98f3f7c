/* The actgen_parallel_fn of this program, which runs a loop on all cores. */
#ifndef ACTGEN_CLI_PARALLEL_H
#define ACTGEN_CLI_PARALLEL_H

#include <stddef.h>

/* Runs task(context, i) for all i < count on as many threads as this process may use. `payload` is not used.
 */
void parallel_for(void *payload, size_t count, void (*task)(void *context, size_t i), void *context);

#endif
