/* Questions about this processor and this system, for the files of target/. One of host_<architecture>.c
 * answers them, and defines target_architecture_here() and target_processor_here(). */
#ifndef ACTGEN_HOST_H
#define ACTGEN_HOST_H

#include "target.h"

enum { HOST_MOST_ROWS = 8 };
struct host_answers {
    /* For each row of the architecture's table: true if the processor meets the row. */
    bool has[HOST_MOST_ROWS];
    /* The registers that the system saves, as bits of struct target_requirement. */
    unsigned saved;
    unsigned family, model; /* As in struct target_family. 0: unknown. */
};
struct host_answers host_ask(void);

#endif
