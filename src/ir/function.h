/* Functions of an object, and shorthands to build them. Only for use inside llvm/ and loops/. */
#ifndef ACTGEN_FUNCTION_H
#define ACTGEN_FUNCTION_H

#include "target.h"

#include <llvm-c/Core.h>

/* Adds `result symbol(parameters)` for processors with the instruction set. The function is hidden: only code
 * of the same program or shared library sees it. */
LLVMValueRef add_function(LLVMModuleRef module, const char *symbol, LLVMTypeRef result,
                          LLVMTypeRef *parameters, unsigned count, const struct target_isa *isa);
/* The name of a function. A prefix, the name of a kernel, a set and an ending are shorter. */
enum { SYMBOL_SIZE = 512 };
struct symbol {
    char text[SYMBOL_SIZE];
};
/* Returns the name of the direct function of the kernel whose own function is `symbol` (build_few.c). */
struct symbol direct_symbol(const char *symbol);
/* Lets the function use what the ABI needs in addition to the instruction set. */
void add_abi_features(LLVMValueRef function, const struct target_isa *isa,
                      const struct target_vector_abi *abi);
/* Makes the function set up no frame. It must only jump to another function. */
void drop_frame(LLVMValueRef function);
/* Declares a function of the C library. Its address is NULL if the program has no such function. */
LLVMValueRef add_weak_function(LLVMModuleRef module, const char *name, LLVMTypeRef type);
/* Returns the type of an operand record in memory: data and stride. */
LLVMTypeRef operand_record(LLVMContextRef context, LLVMTypeRef data, LLVMTypeRef stride);

/* Adds a block at the end of the function that is being built. */
LLVMBasicBlockRef add_block(LLVMBuilderRef ir);
/* Continues in a new block if the condition holds, and at `otherwise` if it does not. */
void require(LLVMBuilderRef ir, LLVMValueRef condition, LLVMBasicBlockRef otherwise);

/* A detour: code that runs only if a condition holds, between begin_detour() and end_detour(). end_detour()
 * returns `value`, which the detour computed, or `otherwise`. */
struct detour {
    LLVMBasicBlockRef before, after;
};
struct detour begin_detour(LLVMBuilderRef ir, LLVMValueRef condition);
LLVMValueRef end_detour(LLVMBuilderRef ir, const struct detour *d, LLVMValueRef otherwise,
                        LLVMValueRef value);

#endif
