/* Functions of an object, with their attributes and branches. */
#include "function.h"

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

static const char frame_pointer[] = "frame-pointer";

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

/* Two attributes do not change results. With a frame pointer, LLVM can align the frame to the vectors that
 * are spilled. Without it, LLVM spills to where the caller's stack happens to end, and a spill across two
 * pages takes a hundred times as long. Debuggers and profilers walk the stack by the frame pointer, or by the
 * tables for unwinding, which hold at every instruction. */
LLVMValueRef add_function(LLVMModuleRef module, const char *symbol, LLVMTypeRef result,
                          LLVMTypeRef *parameters, unsigned count, const struct target_isa *isa)
{
    enum { AT_EVERY_INSTRUCTION = 2 };
    LLVMValueRef function =
        LLVMAddFunction(module, symbol, LLVMFunctionType(result, parameters, count, false));
    LLVMSetVisibility(function, LLVMHiddenVisibility);
    add_number(function, "nounwind", 0);
    if (!target_architectures[isa->architecture].no_unwinding)
        add_number(function, "uwtable", AT_EVERY_INSTRUCTION);
    add_text(function, frame_pointer, "all");
    add_text(function, "no-builtins", "");
    add_text(function, "target-cpu", isa->cpu);
    if (*isa->features) add_text(function, "target-features", isa->features);
    return function;
}

void add_abi_features(LLVMValueRef function, const struct target_isa *isa,
                      const struct target_vector_abi *abi)
{
    char all[128];
    const bool has_both = *isa->features && *abi->features;
    snprintf(all, sizeof all, "%s%s%s", isa->features, has_both ? "," : "", abi->features);
    if (*all) add_text(function, "target-features", all);
    if (abi->cpu) add_text(function, "target-cpu", abi->cpu);
}

void drop_frame(LLVMValueRef function)
{
    LLVMRemoveStringAttributeAtIndex(function, (LLVMAttributeIndex)LLVMAttributeFunctionIndex, frame_pointer,
                                     sizeof frame_pointer - 1);
}

struct symbol direct_symbol(const char *symbol)
{
    struct symbol direct;
    snprintf(direct.text, sizeof direct.text, "%s.direct", symbol);
    return direct;
}

LLVMValueRef add_weak_function(LLVMModuleRef module, const char *name, LLVMTypeRef type)
{
    LLVMValueRef function = LLVMGetNamedFunction(module, name);
    if (function) return function;
    function = LLVMAddFunction(module, name, type);
    LLVMSetLinkage(function, LLVMExternalWeakLinkage);
    return function;
}

LLVMTypeRef operand_record(LLVMContextRef context, LLVMTypeRef data, LLVMTypeRef stride)
{
    LLVMTypeRef fields[] = {data, stride};
    return LLVMStructTypeInContext(context, fields, 2, false);
}

LLVMBasicBlockRef add_block(LLVMBuilderRef ir)
{
    LLVMValueRef function = LLVMGetBasicBlockParent(LLVMGetInsertBlock(ir));
    return LLVMAppendBasicBlockInContext(LLVMGetModuleContext(LLVMGetGlobalParent(function)), function, "");
}

void require(LLVMBuilderRef ir, LLVMValueRef condition, LLVMBasicBlockRef otherwise)
{
    LLVMBasicBlockRef next = add_block(ir);
    LLVMBuildCondBr(ir, condition, next, otherwise);
    LLVMPositionBuilderAtEnd(ir, next);
}

struct detour begin_detour(LLVMBuilderRef ir, LLVMValueRef condition)
{
    LLVMBasicBlockRef body = add_block(ir);
    const struct detour d = {LLVMGetInsertBlock(ir), add_block(ir)};
    LLVMBuildCondBr(ir, condition, body, d.after);
    LLVMPositionBuilderAtEnd(ir, body);
    return d;
}

LLVMValueRef end_detour(LLVMBuilderRef ir, const struct detour *d, LLVMValueRef otherwise, LLVMValueRef value)
{
    LLVMBasicBlockRef from[] = {d->before, LLVMGetInsertBlock(ir)};
    LLVMValueRef values[] = {otherwise, value};
    LLVMBuildBr(ir, d->after);
    LLVMPositionBuilderAtEnd(ir, d->after);
    LLVMValueRef result = LLVMBuildPhi(ir, LLVMTypeOf(value), "");
    LLVMAddIncoming(result, values, from, 2);
    return result;
}
