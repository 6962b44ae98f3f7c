/* Shorthands for the IR builder: constants with given bits, intrinsics by name, vectors in pieces. */
#include "build.h"

#include <string.h>

static LLVMTypeRef integer_of(struct build *b, enum lane_type type)
{
    return LLVMIntTypeInContext(b->context, type == LANE_TRUTH ? 1 : 8 * lane_type_bytes(type));
}

/* LLVM 19 cannot make a float constant from its bits through the C API, but casts of constants are folded
 * exactly. */
static LLVMValueRef constant_scalar(struct build *b, enum lane_type type, uint64_t bits)
{
    return LLVMConstBitCast(LLVMConstInt(integer_of(b, type), bits, false), b->scalar[type]);
}

enum { MOST_LANES = 64 };

LLVMValueRef constant_lanes(struct build *b, enum lane_type type, const uint64_t *bits, unsigned count)
{
    LLVMValueRef lanes[MOST_LANES];
    for (unsigned i = 0; i < count; i++) lanes[i] = constant_scalar(b, type, bits[i]);
    return LLVMConstVector(lanes, count);
}

LLVMValueRef constant_splat(struct build *b, enum lane_type type, unsigned count, uint64_t bits)
{
    uint64_t all[MOST_LANES];
    for (unsigned i = 0; i < count; i++) all[i] = bits;
    return constant_lanes(b, type, all, count);
}

LLVMValueRef splat_bits(struct build *b, enum lane_type type, uint64_t bits)
{
    return constant_splat(b, type, b->lanes, bits);
}

LLVMValueRef splat_float(struct build *b, enum lane_type type, double value)
{
    uint64_t bits = 0;
    if (type == LANE_F32) {
        float narrow = (float)value;
        uint32_t narrow_bits;
        memcpy(&narrow_bits, &narrow, sizeof narrow_bits);
        bits = narrow_bits;
    } else {
        memcpy(&bits, &value, sizeof bits);
    }
    return splat_bits(b, type, bits);
}

LLVMValueRef size_constant(struct build *b, uint64_t value) { return LLVMConstInt(b->size, value, false); }

LLVMValueRef i32_constant(struct build *b, uint32_t value)
{
    return LLVMConstInt(b->scalar[LANE_I32], value, false);
}

LLVMValueRef call_intrinsic(struct build *b, const char *name, LLVMTypeRef *types, size_t type_count,
                            LLVMValueRef *arguments, unsigned argument_count)
{
    unsigned id = LLVMLookupIntrinsicID(name, strlen(name));
    if (!id) {
        b->missing = name;
        return arguments[0];
    }
    LLVMValueRef callee = LLVMGetIntrinsicDeclaration(b->module, id, types, type_count);
    LLVMTypeRef type = LLVMGlobalGetValueType(callee);
    return LLVMBuildCall2(b->ir, type, callee, arguments, argument_count, "");
}

unsigned lane_count(LLVMValueRef vector) { return LLVMGetVectorSize(LLVMTypeOf(vector)); }

LLVMValueRef shuffle(struct build *b, LLVMValueRef x, LLVMValueRef y, unsigned first, unsigned step,
                     unsigned count)
{
    LLVMValueRef lanes[MOST_LANES];
    for (unsigned i = 0; i < count; i++) lanes[i] = i32_constant(b, first + i * step);
    return LLVMBuildShuffleVector(b->ir, x, y, LLVMConstVector(lanes, count), "");
}

LLVMValueRef in_pieces(struct build *b, unsigned lanes, piece_function function, const void *context,
                       LLVMValueRef x, LLVMValueRef y)
{
    unsigned count = lane_count(x);
    if (count <= lanes) return function(b, context, x, y);
    LLVMValueRef halves[2];
    for (unsigned h = 0; h < 2; h++) {
        LLVMValueRef part_x = shuffle(b, x, x, h * count / 2, 1, count / 2);
        LLVMValueRef part_y = y ? shuffle(b, y, y, h * count / 2, 1, count / 2) : NULL;
        halves[h] = in_pieces(b, lanes, function, context, part_x, part_y);
    }
    return shuffle(b, halves[0], halves[1], 0, 1, count);
}

struct instruction_call {
    const struct target_instruction *instruction;
    LLVMTypeRef result;
};

static LLVMValueRef call_piece(struct build *b, const void *context, LLVMValueRef x, LLVMValueRef y)
{
    enum { CURRENT_ROUNDING = 4 };
    const struct instruction_call *call = context;
    const unsigned lanes = call->instruction->lanes;
    LLVMValueRef arguments[5];
    unsigned count = 0;
    arguments[count++] = x;
    if (y) arguments[count++] = y;
    if (call->instruction->masked) {
        arguments[count++] = LLVMConstNull(LLVMVectorType(call->result, lanes));
        arguments[count++] = LLVMConstAllOnes(LLVMIntTypeInContext(b->context, lanes));
        arguments[count++] = i32_constant(b, CURRENT_ROUNDING);
    }
    LLVMTypeRef types[] = {LLVMVectorType(call->result, lanes), LLVMTypeOf(x)};
    return call_intrinsic(b, call->instruction->intrinsic, types, call->instruction->overloads, arguments,
                          count);
}

LLVMValueRef call_instruction(struct build *b, const struct target_instruction *instruction,
                              LLVMTypeRef result, LLVMValueRef x, LLVMValueRef y)
{
    const struct instruction_call call = {instruction, result};
    return in_pieces(b, instruction->lanes, call_piece, &call, x, y);
}

LLVMValueRef splat_value(struct build *b, LLVMValueRef scalar, unsigned count)
{
    LLVMValueRef none = LLVMGetPoison(LLVMVectorType(LLVMTypeOf(scalar), count));
    LLVMValueRef first = LLVMBuildInsertElement(b->ir, none, scalar, i32_constant(b, 0), "");
    return shuffle(b, first, first, 0, 0, count);
}
