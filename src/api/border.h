/* The border between host and library. Whatever the host has set for its threads, the library computes,
 * prints and reads under a state of its own, and the host's functions are called under the host's. */
#ifndef ACTGEN_API_BORDER_H
#define ACTGEN_API_BORDER_H

#include "actgen.h"
#include "diag.h"
#include "progress.h"
#include "thread_state.h"

/* The first line of each public call that computes, prints or reads numbers, and of each task that runs on a
 * host's thread: `host` is the state of its caller, which is back when it returns. */
#define ENTER_LIBRARY(host) THREAD_STATE_IN_BLOCK(host, NULL)

/* The host's functions, called in the state `host`: that of the public call's caller, on other threads too.
 */
struct host_sink {
    const struct thread_state *host;
    actgen_write_fn write;
    void *payload;
};
int host_write(const struct host_sink *sink, const void *data, size_t size,
               struct diag *error); /* DIAG_WRITE */

struct host_parallel {
    const struct thread_state *host;
    actgen_parallel_fn parallel;
    void *payload;
};
void host_parallel(void *host_parallel, size_t count, void (*task)(void *context, size_t i), void *context);
struct host_progress {
    const struct thread_state *host;
    int (*progress)(void *payload, double done, double max_ulp);
    void *payload;
};
int host_progress(void *host_progress, double done, double max_ulp);

/* What the options of a compilation lend to planning. */
struct host_planning {
    struct host_parallel parallel;
    const struct thread_state *host;
    int (*progress)(void *payload, double done, const char *what);
    void *payload;
};
/* `out` and `host` must outlive what is returned. */
struct progress progress_of(struct host_planning *out, const actgen_options *options,
                            const struct thread_state *host);

#endif
