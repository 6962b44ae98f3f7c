/* Reads which instruction sets the user allows. ACTGEN_ISA in the environment names the best set to use, so
 * that results of another machine can be reproduced.
 *
 *     i32 actgen_allowed():
 *         is secure_getenv or getenv linked?
 *         is ACTGEN_ISA set?
 *         for each set: is this its name? Then return the set and the sets below it.
 *
 * If any answer is no, all sets are allowed. A text that names no set also allows all, because the code of an
 * object has no way to complain.
 *
 * In programs with more rights than their user, secure_getenv returns nothing. The function asks getenv if
 * the C library lacks secure_getenv, or if a statically linked program does not call it. */
#include "calls.h"
#include "function.h"

#include <string.h>

struct environment {
    LLVMContextRef context;
    LLVMModuleRef module;
    LLVMBuilderRef ir;
    LLVMTypeRef word, pointer;
    const struct target_isa *any;
};

static LLVMValueRef word_constant(const struct environment *e, uint64_t value)
{
    return LLVMConstInt(e->word, value, false);
}

static LLVMValueRef text_constant(const struct environment *e, const char *text)
{
    LLVMValueRef value = LLVMConstStringInContext2(e->context, text, strlen(text), false);
    LLVMValueRef global = LLVMAddGlobal(e->module, LLVMTypeOf(value), "text");
    LLVMSetInitializer(global, value);
    LLVMSetGlobalConstant(global, true);
    LLVMSetLinkage(global, LLVMPrivateLinkage);
    return global;
}

static LLVMValueRef start_function(const struct environment *e, const char *name, LLVMTypeRef result,
                                   LLVMTypeRef *parameters, unsigned count)
{
    LLVMValueRef function = add_function(e->module, name, result, parameters, count, e->any);
    LLVMSetLinkage(function, LLVMPrivateLinkage);
    LLVMPositionBuilderAtEnd(e->ir, LLVMAppendBasicBlockInContext(e->context, function, "entry"));
    return function;
}

/* Adds i1 actgen_same(a, b), which compares two texts byte by byte. */
static LLVMValueRef add_same(const struct environment *e)
{
    LLVMTypeRef byte = LLVMInt8TypeInContext(e->context), truth = LLVMInt1TypeInContext(e->context);
    LLVMTypeRef parameters[] = {e->pointer, e->pointer};
    LLVMValueRef function = start_function(e, "actgen_same", truth, parameters, 2);
    LLVMValueRef zero = LLVMConstNull(byte), bytes[2];
    LLVMBasicBlockRef entry = LLVMGetInsertBlock(e->ir), loop = add_block(e->ir), equal = add_block(e->ir),
                      end = add_block(e->ir);
    LLVMBuildBr(e->ir, loop);
    LLVMPositionBuilderAtEnd(e->ir, loop);
    LLVMValueRef i = LLVMBuildPhi(e->ir, e->word, ""), next = LLVMBuildAdd(e->ir, i, word_constant(e, 1), "");
    for (unsigned k = 0; k < 2; k++) {
        LLVMValueRef at = LLVMBuildGEP2(e->ir, byte, LLVMGetParam(function, k), &i, 1, "");
        bytes[k] = LLVMBuildLoad2(e->ir, byte, at, "");
    }
    LLVMValueRef same = LLVMBuildICmp(e->ir, LLVMIntEQ, bytes[0], bytes[1], "");
    LLVMBuildCondBr(e->ir, same, equal, end);
    LLVMPositionBuilderAtEnd(e->ir, equal);
    LLVMBuildCondBr(e->ir, LLVMBuildICmp(e->ir, LLVMIntEQ, bytes[0], zero, ""), end, loop);
    LLVMValueRef starts[] = {word_constant(e, 0), next};
    LLVMBasicBlockRef from[] = {entry, equal};
    LLVMAddIncoming(i, starts, from, 2);
    LLVMPositionBuilderAtEnd(e->ir, end);
    LLVMBuildRet(e->ir, LLVMBuildICmp(e->ir, LLVMIntEQ, bytes[0], bytes[1], ""));
    return function;
}

LLVMValueRef add_allowed(LLVMModuleRef module, const struct target_isa *any)
{
    LLVMContextRef context = LLVMGetModuleContext(module);
    const struct environment e = {.context = context,
                                  .module = module,
                                  .ir = LLVMCreateBuilderInContext(context),
                                  .word = LLVMInt32TypeInContext(context),
                                  .pointer = LLVMPointerTypeInContext(context, 0),
                                  .any = any};
    LLVMTypeRef parameters[] = {e.pointer}, type = LLVMFunctionType(e.pointer, parameters, 1, false);
    LLVMValueRef same = add_same(&e), plain = add_weak_function(module, "getenv", type);
    LLVMValueRef secure = add_weak_function(module, "secure_getenv", type);
    LLVMValueRef function = start_function(&e, "actgen_allowed", e.word, NULL, 0);
    LLVMBasicBlockRef all = add_block(e.ir);
    LLVMValueRef get = LLVMBuildSelect(e.ir, LLVMBuildIsNotNull(e.ir, secure, ""), secure, plain, "");
    require(e.ir, LLVMBuildIsNotNull(e.ir, get, ""), all);
    LLVMValueRef name = text_constant(&e, "ACTGEN_ISA");
    LLVMValueRef value = LLVMBuildCall2(e.ir, type, get, &name, 1, "");
    require(e.ir, LLVMBuildIsNotNull(e.ir, value, ""), all);
    for (size_t i = 0; target_isa_at(i); i++) {
        if (target_isa_at(i)->architecture != any->architecture) continue;
        LLVMValueRef texts[] = {value, text_constant(&e, target_isa_at(i)->name)};
        LLVMValueRef is = LLVMBuildCall2(e.ir, LLVMGlobalGetValueType(same), same, texts, 2, "");
        LLVMBasicBlockRef found = add_block(e.ir), other = add_block(e.ir);
        LLVMBuildCondBr(e.ir, is, found, other);
        LLVMPositionBuilderAtEnd(e.ir, found);
        LLVMBuildRet(e.ir, word_constant(&e, UINT32_MAX & ~((UINT64_C(1) << i) - 1)));
        LLVMPositionBuilderAtEnd(e.ir, other);
    }
    LLVMBuildBr(e.ir, all);
    LLVMPositionBuilderAtEnd(e.ir, all);
    LLVMBuildRet(e.ir, word_constant(&e, UINT32_MAX));
    LLVMDisposeBuilder(e.ir);
    return function;
}
