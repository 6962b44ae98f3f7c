/* Constants in memory. In a pipelined loop values of earlier turns fill the registers. LLVM keeps constants in registers all the
 * same, and spills the values: on 16 registers half of a loop's instructions can be spills. Operations of floats take one operand
 * from memory at no cost, if all of its lanes are there, so that such a constant needs no register.
 *
 * All loops of such a function read them there: a constant that one of them wants in a register, LLVM would keep there through
 * the others. LLVM makes a broadcast of a load that it knows, and moves that out of the loop. It does not see through the empty assembly. */
#include "build.h"

#include <stdlib.h>

enum { MOST_LANES = 64, FEW_REGISTERS = 16 };

static bool takes_memory(const struct build *b, uint32_t user)
{
    const unsigned class = lane_ops[b->program->code[user].op].class[0];
    return class == CLASS_ADD || class == CLASS_MUL || class == CLASS_MINMAX;
}

static bool is_float_constant(const struct lane_instruction *i)
{
    return i->op == LANE_CONST && (i->type == LANE_F32 || i->type == LANE_F64);
}

/* Where constant n lies behind the first. */
static uint64_t place_of(const struct build *b, uint32_t n)
{
    uint64_t bytes = 0;
    for (uint32_t k = 0; k < n; k++)
        if (is_float_constant(&b->program->code[k])) bytes += b->lanes * (uint64_t)lane_type_bytes(LANE_F64);
    return bytes;
}

/* One of the slots, which are as large as the largest type's vectors. */
static LLVMValueRef slot_of(struct build *b, const struct lane_instruction *i)
{
    LLVMValueRef lanes[MOST_LANES];
    LLVMTypeRef word = b->scalar[LANE_I64];
    const uint64_t bits = i->type == LANE_F32 ? i->bits << 32 | (uint32_t)i->bits : i->bits;
    for (unsigned k = 0; k < b->lanes; k++) lanes[k] = LLVMConstInt(word, bits, false);
    return LLVMConstArray2(word, lanes, b->lanes);
}

static LLVMValueRef hidden_address(struct build *b, LLVMValueRef global)
{
    static char same[] = "=r,0";
    LLVMTypeRef type = LLVMFunctionType(b->pointer, &b->pointer, 1, false);
    LLVMValueRef nothing =
        LLVMGetInlineAsm(type, same, 0, same, sizeof same - 1, true, false, LLVMInlineAsmDialectATT, false);
    return LLVMBuildCall2(b->ir, type, nothing, &global, 1, "");
}

void place_constants(struct build *b)
{
    const lane_program *p = b->program;
    LLVMTypeRef slot = LLVMArrayType2(b->scalar[LANE_I64], b->lanes);
    LLVMValueRef *slots = b->isa->registers > FEW_REGISTERS ? NULL : calloc(p->count, sizeof(LLVMValueRef));
    unsigned count = 0;
    if (!slots) return; /* they are then LLVM's to place */
    for (uint32_t n = 0; n < p->count; n++)
        if (is_float_constant(&p->code[n])) slots[count++] = slot_of(b, &p->code[n]);
    if (count) {
        LLVMValueRef all = LLVMConstArray2(slot, slots, count);
        LLVMValueRef global = LLVMAddGlobal(b->module, LLVMTypeOf(all), "constants");
        LLVMSetInitializer(global, all);
        LLVMSetGlobalConstant(global, true);
        LLVMSetLinkage(global, LLVMPrivateLinkage);
        LLVMSetAlignment(global, b->isa->vector_bytes);
        b->constants = hidden_address(b, global);
    }
    free(slots);
}

LLVMValueRef constant_in_memory(struct build *b, uint32_t n, uint32_t user)
{
    const struct lane_instruction *i = &b->program->code[n];
    if (!b->constants || !is_float_constant(i) || !takes_memory(b, user)) return NULL;
    LLVMValueRef place = size_constant(b, place_of(b, n));
    LLVMValueRef at = LLVMBuildGEP2(b->ir, LLVMIntTypeInContext(b->context, 8), b->constants, &place, 1, "");
    LLVMValueRef value = LLVMBuildLoad2(b->ir, b->vector[i->type], at, "");
    LLVMSetAlignment(value, b->isa->vector_bytes);
    return value;
}
