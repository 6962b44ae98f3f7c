/* Inside target/: what is asked of this processor and this system. One of host_<architecture>.c answers, with
 * target_architecture_here() and target_processor_here(). */
#ifndef ACTGEN_HOST_H
#define ACTGEN_HOST_H

#include "target.h"

bool host_has(const struct target_requirement *needs); /* of a set of this architecture */

struct host_numbers {
    unsigned family, model; /* of struct target_family; 0 where nobody says */
};
struct host_numbers host_numbers(void);

#endif
