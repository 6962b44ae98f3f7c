/* Planning and code generation in another process, which leaves both in the engine's disk cache. Whatever
 * ends that process, the host goes on. */
#ifndef ACTGEN_API_ELSEWHERE_H
#define ACTGEN_API_ELSEWHERE_H

#include "api.h"

struct elsewhere {
    const char *program; /* The path of `actgen` of this very build. */
    const struct spec *spec;
    const struct spec_kernel *kernel;
    const struct asked *asked;
    const char *cache; /* The path of the cache directory. */
    struct progress *progress;
    uint64_t memory_limit; /* In bytes. 0: the program's own limit. */
};

/* Runs the program on that kernel and waits for it. DIAG_NO_MEMORY or DIAG_BACKEND: it died. DIAG_ACCURACY or
 * DIAG_LIMIT: it refused the kernel, for the reason that it wrote. DIAG_STOPPED: the progress function asked
 * to stop, and the program was killed. */
int make_elsewhere(const struct elsewhere *e, struct diag *error);

#endif
