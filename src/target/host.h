/* Questions about this processor and this system, for the files of target/. One of host_<architecture>.c
 * answers them, and defines target_architecture_here() and target_processor_here(). */
#ifndef ACTGEN_HOST_H
#define ACTGEN_HOST_H

#include "target.h"

struct host_answers {
    /* The features of this architecture that the processor and the system have: bits 1 << FEATURE_... */
    uint64_t features;
    unsigned family, model; /* As in struct target_family. 0: unknown. */
};
struct host_answers host_ask(void);

#endif
