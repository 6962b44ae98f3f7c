/* Inside llvm/: what all functions of an object have in common. */
#ifndef ACTGEN_FUNCTION_H
#define ACTGEN_FUNCTION_H

#include "target.h"

#include <llvm-c/Core.h>

/* Adds `result symbol(parameters)` for processors with the instruction set. It is hidden: code of
 * the same program or shared library sees it, nothing else. */
LLVMValueRef add_function(LLVMModuleRef module, const char *symbol, LLVMTypeRef result,
                          LLVMTypeRef *parameters, unsigned count, const struct target_isa *isa);

#endif
