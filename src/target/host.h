/* Inside target/: what is asked of this processor and this system. One of host_<architecture>.c answers, with
 * target_architecture_here() and target_processor_here(). */
#ifndef ACTGEN_HOST_H
#define ACTGEN_HOST_H

#include "target.h"

enum { HOST_MOST_ROWS = 8 };
struct host_answers {
    bool has[HOST_MOST_ROWS]; /* of each row of the architecture's table, what it names */
    unsigned saved;           /* registers that the system saves, as struct target_requirement has them */
    unsigned family, model;   /* of struct target_family; 0 where nobody says */
};
struct host_answers host_ask(void);

#endif
