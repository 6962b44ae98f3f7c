/* Engines: what the compilations of a process share. An engine has the disk cache, the back end, the facts
 * about this machine, and the kernels that are in use. */
#ifndef ACTGEN_ENGINE_H
#define ACTGEN_ENGINE_H

#include "actgen.h"
#include "backend.h"
#include "cache.h"
#include "target.h"
#include "timing.h"

#include <pthread.h>

/* The facts about this machine. They are kept because asking the processor takes longer than finding a
 * kernel. */
struct host {
    struct target_here here;
    const struct target_isa *isa; /* The best set that runs here and that ACTGEN_ISA allows. */
    bool is_misnamed;             /* ACTGEN_ISA names no set. */
    const char *core;             /* NULL: unknown. */
};

struct actgen_engine {
    cache *cache;                     /* The disk cache, or NULL. */
    char no_cache[DIAG_MESSAGE_SIZE]; /* The reason for no cache, or "". */
    int32_t perf; /* ACTGEN_PERF_*: how profilers get the names of kernels. 0: not at all. */
    struct host host;
    timing_function time; /* time_in_turn, except in tests. */
    /* Guards all members below, and the kernels' reference counts. */
    pthread_mutex_t lock;
    unsigned references;            /* One for the user, and one for each kernel. */
    const struct backend *backend;  /* NULL until something is compiled. */
    struct backend_spare spare;     /* Has its own synchronisation. */
    struct actgen_kernel **kernels; /* Lists of kernels, by asked_hash. */
    size_t lists, kernel_count;     /* The number of lists is a power of two. */
};

/* Makes an engine without cache and host. NULL: out of memory. */
actgen_engine *engine_make(void);

/* Drops one reference. The caller holds the lock, and the function releases it. */
void engine_release(actgen_engine *e);

/* Calls backend_emit() of the library that compiles. The first call loads the library. Fails with
 * DIAG_BACKEND if there is no such library. */
int engine_emit(actgen_engine *e, const struct backend_function *functions, size_t count,
                const struct backend_options *options, enum backend_output output, struct backend_buffer *out,
                struct diag *error);
/* Calls backend_loops(). *count becomes at most LOOP_MOST_CHOICES. */
int engine_loops(actgen_engine *e, struct loop_choice *out, size_t *count, const struct backend_function *f,
                 struct diag *error);

#endif
