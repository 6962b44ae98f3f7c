/* The border between the host program and the library. The library computes, prints and reads under a thread
 * state of its own. It calls the host's functions under the host's state. */
#ifndef ACTGEN_API_BORDER_H
#define ACTGEN_API_BORDER_H

#include "actgen.h"
#include "diag.h"
#include "progress.h"
#include "thread_state.h"

/* Sets the library's state until the end of the block, and keeps the caller's state in `host`. This is the
 * first line of each public call that computes, prints or reads numbers. Each task that runs on a host's
 * thread also begins with it. */
#define ENTER_LIBRARY(host) THREAD_STATE_IN_BLOCK(host, NULL)

/* Copies the error to the caller and returns its status. */
int error_return(actgen_error *out, const struct diag *d);

/* Returns true if `size`, the first member of a public struct, can have been set. Every size that a version
 * has had is a multiple of a pointer's size. An uninitialised struct rarely looks like that. */
static inline bool size_is_set(size_t size)
{
    return size >= 2 * sizeof(void *) && size <= 4096 && size % sizeof(void *) == 0;
}

/* Copies the members that the caller's version has from `given` over the defaults in `out`, which has `size`
 * bytes. A NULL `given` changes nothing. `what` names the initialiser for the message:
 * "ACTGEN_OPTIONS_INIT". */
int take_options(void *out, size_t size, const void *given, const char *what, struct diag *error);

/* Returns the error of a call whose kernel is NULL. */
int refuse_no_kernel(actgen_error *error);

/* A function of the host, with the state `host` of the thread that made the public call. The function is
 * called in that state, also on other threads. */
struct host_sink {
    const struct thread_state *host;
    actgen_write_fn write;
    void *payload;
};
/* Returns DIAG_WRITE if the host's function fails. */
int host_write(const struct host_sink *sink, const void *data, size_t size, struct diag *error);

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

/* The functions of the host that planning may call. */
struct host_planning {
    struct host_parallel parallel;
    const struct thread_state *host;
    int (*progress)(void *payload, double done, const char *what);
    void *payload;
};
/* Returns the progress that calls the host's functions. `out` and `host` must outlive it. */
struct progress progress_of(struct host_planning *out, const actgen_options *options,
                            const struct thread_state *host);

#endif
