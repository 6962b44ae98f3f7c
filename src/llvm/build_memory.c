/* Operands in memory: full vectors, partial ones by masks, streaming stores.
 *
 * Partial vectors use llvm.masked.load and .store everywhere (a bounce through the stack waits for store
 * forwarding). A streaming store must be fully aligned, or LLVM turns it into scalar ones. */
#include "build.h"

#include <string.h>

LLVMValueRef address_of(struct build *b, const struct kernel_operand *operand, LLVMValueRef data,
                        LLVMValueRef index)
{
    LLVMTypeRef element = LLVMIntTypeInContext(b->context, 8 * element_types[operand->type].bytes);
    return LLVMBuildGEP2(b->ir, element, data, &index, 1, "");
}

/* Up to LLVM 21 the alignment is an operand before the mask; from 22 it is an attribute, and 1 goes without
 * saying. */
static LLVMValueRef masked(struct build *b, const char *name, LLVMTypeRef vector, LLVMValueRef *arguments,
                           unsigned count, unsigned mask_at, unsigned alignment)
{
    LLVMTypeRef types[] = {vector, b->pointer};
    unsigned id = LLVMLookupIntrinsicID(name, strlen(name));
    LLVMValueRef all[5];
    unsigned n = 0;
    bool with_alignment = LLVMCountParamTypes(LLVMIntrinsicGetType(b->context, id, types, 2)) == count + 1;
    for (unsigned i = 0; i < count; i++) {
        if (with_alignment && i == mask_at) all[n++] = i32_constant(b, alignment);
        all[n++] = arguments[i];
    }
    return call_intrinsic(b, name, types, 2, all, n);
}

LLVMValueRef load_operand(struct build *b, const struct kernel_operand *operand, LLVMValueRef data,
                          LLVMValueRef index, LLVMValueRef mask)
{
    LLVMTypeRef vector = b->vector[LANE_F32];
    unsigned alignment = element_types[operand->type].bytes;
    LLVMValueRef address = address_of(b, operand, data, index);
    if (mask) {
        LLVMValueRef arguments[] = {address, mask, LLVMConstNull(vector)};
        return masked(b, "llvm.masked.load", vector, arguments, 3, 1, alignment);
    }
    LLVMValueRef load = LLVMBuildLoad2(b->ir, vector, address, "");
    LLVMSetAlignment(load, alignment);
    return load;
}

static void mark_streaming(struct build *b, LLVMValueRef store)
{
    static const char kind[] = "nontemporal";
    LLVMMetadataRef one = LLVMValueAsMetadata(i32_constant(b, 1));
    LLVMValueRef node = LLVMMetadataAsValue(b->context, LLVMMDNodeInContext2(b->context, &one, 1));
    LLVMSetMetadata(store, LLVMGetMDKindIDInContext(b->context, kind, sizeof kind - 1), node);
}

void store_operand(struct build *b, const struct kernel_operand *operand, LLVMValueRef data,
                   LLVMValueRef index, LLVMValueRef mask, bool streaming, LLVMValueRef value)
{
    unsigned alignment = element_types[operand->type].bytes;
    LLVMValueRef address = address_of(b, operand, data, index);
    if (mask) {
        LLVMValueRef arguments[] = {value, address, mask};
        masked(b, "llvm.masked.store", LLVMTypeOf(value), arguments, 3, 2, alignment);
        return;
    }
    LLVMValueRef store = LLVMBuildStore(b->ir, value, address);
    LLVMSetAlignment(store, streaming ? b->isa->vector_bytes : alignment);
    if (streaming) mark_streaming(b, store);
}

LLVMValueRef partial_mask(struct build *b, LLVMValueRef count)
{
    LLVMTypeRef mask = b->vector[LANE_TRUTH];
    LLVMValueRef narrow = LLVMBuildTrunc(b->ir, count, b->scalar[LANE_I32], "");
    if (b->isa->mask_registers) {
        LLVMTypeRef bits = LLVMIntTypeInContext(b->context, b->lanes);
        LLVMValueRef one = i32_constant(b, 1), power = LLVMBuildShl(b->ir, one, narrow, "");
        LLVMValueRef low = LLVMBuildSub(b->ir, power, one, "");
        return LLVMBuildBitCast(b->ir, LLVMBuildTrunc(b->ir, low, bits, ""), mask, "");
    }
    uint64_t numbers[64];
    for (unsigned i = 0; i < b->lanes; i++) numbers[i] = i;
    LLVMValueRef first =
        LLVMBuildInsertElement(b->ir, LLVMGetPoison(b->vector[LANE_I32]), narrow, i32_constant(b, 0), "");
    LLVMValueRef zeros = LLVMConstNull(b->vector[LANE_I32]);
    LLVMValueRef all = LLVMBuildShuffleVector(b->ir, first, first, zeros, "");
    return LLVMBuildICmp(b->ir, LLVMIntULT, constant_lanes(b, LANE_I32, numbers, b->lanes), all, "");
}

void store_fence(struct build *b)
{
    LLVMValueRef none = NULL;
    call_intrinsic(b, "llvm.x86.sse.sfence", NULL, 0, &none, 0);
}

void prefetch(struct build *b, LLVMValueRef address, bool for_writing)
{
    enum { ALL_CACHES = 3, DATA = 1 };
    LLVMValueRef arguments[] = {address, i32_constant(b, for_writing), i32_constant(b, ALL_CACHES),
                                i32_constant(b, DATA)};
    call_intrinsic(b, "llvm.prefetch", &b->pointer, 1, arguments, 4);
}

/* CPUID, leaf 0, names the maker in ebx, edx and ecx: "GenuineIntel". */
LLVMValueRef made_by_intel(struct build *b)
{
    static const char text[] = "cpuid",
                      constraints[] = "={ax},={bx},={cx},={dx},0,2,~{dirflag},~{fpsr},~{flags}";
    enum { GENU = 0x756e6547 };
    LLVMTypeRef word = b->scalar[LANE_I32], words[] = {word, word, word, word};
    LLVMTypeRef type =
        LLVMFunctionType(LLVMStructTypeInContext(b->context, words, 4, false), words, 2, false);
    LLVMValueRef code =
        LLVMGetInlineAsm(type, (char *)(uintptr_t)text, sizeof text - 1, (char *)(uintptr_t)constraints,
                         sizeof constraints - 1, true, false, LLVMInlineAsmDialectATT, false);
    LLVMValueRef zeros[] = {i32_constant(b, 0), i32_constant(b, 0)};
    LLVMValueRef answer = LLVMBuildCall2(b->ir, type, code, zeros, 2, "");
    return LLVMBuildICmp(b->ir, LLVMIntEQ, LLVMBuildExtractValue(b->ir, answer, 1, ""), i32_constant(b, GENU),
                         "");
}
