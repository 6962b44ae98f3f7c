/* Constants in memory. In a pipelined loop, values of earlier turns fill the registers. LLVM still keeps
 * constants in registers, and spills the values. With 16 registers, half of a loop's instructions can be
 * spills. An operation on floats takes one operand from memory at no cost, if memory holds the value of all
 * its lanes. Such a constant needs no register.
 *
 * All loops of such a function read these constants in memory, except the loop that writes past the caches.
 * Next to its stores, such a read costs as much as a vector of the stream. With one vector per turn, it has
 * registers for most constants, and loads them just before it begins. If it wanted the constants themselves,
 * LLVM would keep them in registers through the other loops.
 *
 * LLVM turns a load of a known constant into a broadcast, and moves that out of the loop. It does not see
 * through the empty assembly below. */
#include "build.h"

#include <string.h>

bool has_constants_to_place(const struct build *b)
{
    if (!b->isa->memory_operands) return false;
    for (uint32_t user = 0; user < b->program->count; user++)
        for (unsigned k = 0; k < lane_ops[b->program->code[user].op].arity; k++)
            if (pipeline_reads_constant(b->program, user, b->program->code[user].operand[k])) return true;
    return false;
}

static LLVMValueRef hidden_address(struct build *b, LLVMValueRef global)
{
    static const char same[] = "=r,0"; /* LLVM's declaration takes it as not const */
    LLVMTypeRef type = LLVMFunctionType(b->pointer, &b->pointer, 1, false);
    LLVMValueRef nothing = LLVMGetInlineAsm(type, (char *)(uintptr_t)same, 0, (char *)(uintptr_t)same,
                                            sizeof same - 1, true, false, LLVMInlineAsmDialectATT, false);
    return LLVMBuildCall2(b->ir, type, nothing, &global, 1, "");
}

/* Returns true if the user can read constant n from memory. A blend can as well, if the constant is what it
 * chooses where its condition holds. Such constants are in memory only if all are, because a loop that has
 * registers enough gains nothing. */
static bool is_read(const struct build *b, uint32_t user, uint32_t n)
{
    const struct lane_instruction *i = &b->program->code[user];
    const bool blends = i->op == LANE_SELECT && i->operand[1] == n && lane_is_float(i->type) &&
                        b->program->code[n].op == LANE_CONST && b->program->code[n].bits;
    return pipeline_reads_constant(b->program, user, n) || (b->pipeline.constants_in_memory && blends);
}

/* Returns true for the 1 of min(1, y) * v on f32. On sets with mask registers, LLVM knows that 1 leaves v as
 * it is, and makes a comparison, the product and a masked move. This takes one operation more than the
 * original. LLVM does not know the value of a constant in memory. */
static bool hides_from_folding(const struct build *b, uint32_t user, uint32_t n)
{
    const lane_program *p = b->program;
    const enum lane_op op = p->code[user].op;
    if (!b->isa->mask_registers || (op != LANE_MIN && op != LANE_MAX) || p->code[n].type != LANE_F32)
        return false;
    for (uint32_t m = user + 1; m < p->count; m++)
        if (p->code[m].op == LANE_MUL && (p->code[m].operand[0] == user || p->code[m].operand[1] == user))
            return p->code[n].bits == 0x3f800000u;
    return false;
}

void place_constants(struct build *b)
{
    const lane_program *p = b->program;
    const bool all_of_them = b->pipeline.constants_in_memory;
    uint16_t count = 0;
    for (uint32_t user = 0; user < p->count; user++)
        for (unsigned k = 0; k < lane_ops[p->code[user].op].arity; k++) {
            const uint32_t n = p->code[user].operand[k];
            if (!is_read(b, user, n) || b->place[n]) continue;
            if (!all_of_them && !hides_from_folding(b, user, n)) continue;
            b->placed[count] = splat_bits(b, p->code[n].type, p->code[n].bits);
            b->place[n] = ++count;
        }
    if (!count) return;
    LLVMValueRef all = LLVMConstStructInContext(b->context, b->placed, count, false);
    b->placed_type = LLVMTypeOf(all);
    LLVMValueRef global = LLVMAddGlobal(b->module, b->placed_type, "constants");
    LLVMSetInitializer(global, all);
    LLVMSetGlobalConstant(global, true);
    LLVMSetLinkage(global, LLVMPrivateLinkage);
    b->placed_at = hidden_address(b, global);
}

void forget_places(struct build *b) { memset(b->place, 0, b->program->count * sizeof *b->place); }

static LLVMValueRef load_placed(struct build *b, uint32_t n)
{
    LLVMValueRef at = LLVMBuildStructGEP2(b->ir, b->placed_type, b->placed_at, b->place[n] - 1u, "");
    return LLVMBuildLoad2(b->ir, b->vector[b->program->code[n].type], at, "");
}

void hold_constants(struct build *b)
{
    unsigned count = 0;
    for (uint32_t n = 0; n < b->program->count && count < b->pipeline.holds; n++)
        if (b->place[n]) b->held_constants[b->place[n] - 1] = load_placed(b, n), count++;
}

void release_constants(struct build *b)
{
    memset(b->held_constants, 0, b->program->count * sizeof *b->held_constants);
}

LLVMValueRef placed_constant(struct build *b, uint32_t n, uint32_t user)
{
    if (!b->place[n] || !is_read(b, user, n)) return NULL;
    LLVMValueRef held = b->held_constants[b->place[n] - 1];
    return held ? held : load_placed(b, n);
}
