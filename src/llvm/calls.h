/* The calls of an object, and how they choose among instruction sets. Only for use inside llvm/. */
#ifndef ACTGEN_CALLS_H
#define ACTGEN_CALLS_H

#include "backend.h"

#include <llvm-c/Core.h>

/* Adds options->calls to the module, which has their functions already. In calls.c. */
int build_calls(LLVMModuleRef module, const struct backend_function *functions, size_t count,
                const struct backend_options *options, struct diag *error);

/* Makes functions with equal code one function. The module is complete. In share.c. */
int share_functions(LLVMModuleRef module, struct diag *error);

/* Adds a function `i32 ()` that returns the instruction sets that the user allows, with the bits that
 * detection uses (architecture.h). In environment.c. */
LLVMValueRef add_allowed(LLVMModuleRef module, const struct target_isa *any);

#endif
