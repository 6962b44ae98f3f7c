/* Checks of the operands of a call, as actgen.h defines them. */
#ifndef ACTGEN_API_CALL_H
#define ACTGEN_API_CALL_H

#include "api.h"

/* Returns DIAG_INVALID for operands that actgen_run refuses, and names the operand. `k` is the kernel as it
 * is called. `count` says whether there is a workspace after the operands. The time does not grow with rows
 * or cols. */
int check_call(const struct lane_kernel *k, size_t rows, size_t cols, const actgen_operand *operands,
               size_t count, struct diag *error);

#endif
