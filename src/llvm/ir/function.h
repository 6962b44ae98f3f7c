/* Inside llvm/ and loops/: what all functions of an object have in common. */
#ifndef ACTGEN_FUNCTION_H
#define ACTGEN_FUNCTION_H

#include "target.h"

#include <llvm-c/Core.h>

/* Adds `result symbol(parameters)` for processors with the instruction set. It is hidden: code of
 * the same program or shared library sees it, nothing else. */
LLVMValueRef add_function(LLVMModuleRef module, const char *symbol, LLVMTypeRef result,
                          LLVMTypeRef *parameters, unsigned count, const struct target_isa *isa);
/* A function of the C library, whose address is NULL where there is none. */
LLVMValueRef add_weak_function(LLVMModuleRef module, const char *name, LLVMTypeRef type);
/* The operand of a call, as memory has it: its data and its stride. */
LLVMTypeRef operand_record(LLVMContextRef context, LLVMTypeRef data, LLVMTypeRef stride);

/* A block at the end of the function that is being built. */
LLVMBasicBlockRef add_block(LLVMBuilderRef ir);
/* Goes on in a block of its own where the condition holds, else at `otherwise`. */
void require(LLVMBuilderRef ir, LLVMValueRef condition, LLVMBasicBlockRef otherwise);

/* Between the two calls stands code that runs where the condition holds; the second returns the value that it
 * made, or else `otherwise`. */
struct detour {
    LLVMBasicBlockRef before, after;
};
struct detour begin_detour(LLVMBuilderRef ir, LLVMValueRef condition);
LLVMValueRef end_detour(LLVMBuilderRef ir, const struct detour *d, LLVMValueRef otherwise,
                        LLVMValueRef value);

#endif
