/* Planning and code generation in a process of their own, which leaves both in the engine's disk cache:
 * whatever ends it, the host goes on. */
#ifndef ACTGEN_API_ELSEWHERE_H
#define ACTGEN_API_ELSEWHERE_H

#include "api.h"

struct elsewhere {
    const char *program; /* `actgen` of this very build */
    const struct spec *spec;
    const struct spec_kernel *kernel;
    const struct asked *asked;
    const char *cache; /* the directory */
    struct progress *progress;
    uint64_t memory_limit; /* bytes; 0: the program's own */
};

/* Runs the program on that kernel and waits for it. DIAG_NO_MEMORY or DIAG_BACKEND if it died, DIAG_ACCURACY
 * if it refused the kernel, with what it said, DIAG_LIMIT; DIAG_STOPPED if the progress says so, and the
 * program is killed. */
int make_elsewhere(const struct elsewhere *e, struct diag *error);

#endif
