/* Functions of an object, and their attributes. */
#include "function.h"
#include "architecture.h"

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

static void add_text(LLVMValueRef function, const char *key, const char *value)
{
    LLVMContextRef context = LLVMGetModuleContext(LLVMGetGlobalParent(function));
    LLVMAttributeRef a =
        LLVMCreateStringAttribute(context, key, (unsigned)strlen(key), value, (unsigned)strlen(value));
    LLVMAddAttributeAtIndex(function, (LLVMAttributeIndex)LLVMAttributeFunctionIndex, a);
}

static void add_number(LLVMValueRef function, const char *key, uint64_t value)
{
    LLVMContextRef context = LLVMGetModuleContext(LLVMGetGlobalParent(function));
    unsigned kind = LLVMGetEnumAttributeKindForName(key, strlen(key));
    LLVMAddAttributeAtIndex(function, (LLVMAttributeIndex)LLVMAttributeFunctionIndex,
                            LLVMCreateEnumAttribute(context, kind, value));
}

/* Two attributes are for what is outside the code's results. With a frame pointer LLVM can align the frame to the vectors that
 * are spilled; without one it spills to where the caller's stack happens to end, and a spill across two pages takes a
 * hundred times as long. Debuggers and profilers walk by it, or by the tables for unwinding, which hold at every
 * instruction. */
LLVMValueRef add_function(LLVMModuleRef module, const char *symbol, LLVMTypeRef result,
                          LLVMTypeRef *parameters, unsigned count, const struct target_isa *isa)
{
    enum { AT_EVERY_INSTRUCTION = 2 };
    LLVMValueRef function =
        LLVMAddFunction(module, symbol, LLVMFunctionType(result, parameters, count, false));
    LLVMSetVisibility(function, LLVMHiddenVisibility);
    add_number(function, "nounwind", 0);
    if (!architecture_of(isa)->no_unwinding) add_number(function, "uwtable", AT_EVERY_INSTRUCTION);
    add_text(function, "frame-pointer", "all");
    add_text(function, "no-builtins", "");
    add_text(function, "target-cpu", isa->cpu);
    if (*isa->features) add_text(function, "target-features", isa->features);
    return function;
}
