/* Inside llvm/: what calls of an object choose by. */
#ifndef ACTGEN_CALLS_H
#define ACTGEN_CALLS_H

#include "backend.h"

#include <llvm-c/Core.h>

/* calls.c: adds options->calls, of functions that the module has. */
int build_calls(LLVMModuleRef module, const struct backend_function *functions, size_t count,
                const struct backend_options *options, struct diag *error);

/* environment.c: adds a function `i32 ()` that returns bits as detection does (architecture.h): what the user
 * allows. */
LLVMValueRef add_allowed(LLVMModuleRef module, const struct target_isa *any);

#endif
