/* Inside llvm/: what all functions of an object have in common. */
#ifndef ACTGEN_FUNCTION_H
#define ACTGEN_FUNCTION_H

#include <llvm-c/Core.h>

/* Adds `result symbol(parameters)` for a processor with LLVM's name `cpu` and `features` ("" for none). It is hidden: code of
 * the same program or shared library sees it, nothing else. */
LLVMValueRef add_function(LLVMModuleRef module, const char *symbol, LLVMTypeRef result,
                          LLVMTypeRef *parameters, unsigned count, const char *cpu, const char *features);

#endif
