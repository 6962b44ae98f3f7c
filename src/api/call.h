/* The operands of a call, as actgen.h says what may be given. */
#ifndef ACTGEN_API_CALL_H
#define ACTGEN_API_CALL_H

#include "api.h"

/* DIAG_INVALID, with the operand by name, for what actgen_run refuses; `k` is the kernel as it is called, and
 * has a workspace behind its operands where `count` says so. Takes a time that does not grow with rows or
 * cols. */
int check_call(const struct lane_kernel *k, size_t rows, size_t cols, const actgen_operand *operands,
               size_t count, struct diag *error);

#endif
