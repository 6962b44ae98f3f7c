/* Types and shorthands for the IR builder: constants with given bits, intrinsics by name, vectors in
 * pieces. */
#include "build.h"

#include <llvm-c/Target.h>
#include <string.h>

void set_lanes(struct build *b, unsigned lanes)
{
    b->lanes = lanes;
    for (int t = 0; t < LANE_NOTHING; t++) b->vector[t] = vector_type(b, b->scalar[t], lanes);
}

void find_types(struct build *b)
{
    LLVMContextRef c = b->context;
    b->scalar[LANE_F32] = LLVMFloatTypeInContext(c);
    b->scalar[LANE_F64] = LLVMDoubleTypeInContext(c);
    b->scalar[LANE_I32] = LLVMInt32TypeInContext(c);
    b->scalar[LANE_I64] = LLVMInt64TypeInContext(c);
    b->scalar[LANE_F16] = LLVMHalfTypeInContext(c);
    b->scalar[LANE_I16] = LLVMInt16TypeInContext(c);
    b->scalar[LANE_I8] = LLVMInt8TypeInContext(c);
    b->scalar[LANE_TRUTH] = LLVMInt1TypeInContext(c);
    set_lanes(b, b->lanes);
    b->pointer = LLVMPointerTypeInContext(c, b->isa->grid.operand_space);
    LLVMTargetDataRef layout = LLVMGetModuleDataLayout(b->module);
    b->size = LLVMIntPtrTypeInContext(c, layout);
    b->big_endian = LLVMByteOrder(layout) == LLVMBigEndian;
}

static LLVMTypeRef integer_of(struct build *b, enum lane_type type)
{
    return LLVMIntTypeInContext(b->context, type == LANE_TRUTH ? 1 : 8 * lane_type_bytes(type));
}

/* Makes a constant from its bits. LLVM 19's C API cannot make a float from bits, but it folds casts of
 * constants exactly. */
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

/* Returns a constant, because the builder folds a splat of a constant. */
LLVMValueRef constant_splat(struct build *b, enum lane_type type, unsigned count, uint64_t bits)
{
    return splat_value(b, constant_scalar(b, type, bits), count);
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

LLVMValueRef lanes_in(struct build *b, unsigned vectors)
{
    LLVMValueRef none = NULL, least = size_constant(b, (uint64_t)vectors * b->lanes);
    if (!b->isa->scalable || !vectors) return least;
    return LLVMBuildMul(b->ir, call_intrinsic(b, "llvm.vscale", &b->size, 1, &none, 0), least, "");
}

LLVMValueRef columns_before(struct build *b, unsigned vectors, unsigned each)
{
    if (b->apart) return size_constant(b, (uint64_t)vectors * b->apart * each);
    return lanes_in(b, vectors * each);
}

LLVMTypeRef vector_type(const struct build *b, LLVMTypeRef scalar, unsigned lanes)
{
    if (!lanes) return scalar;
    return b->isa->scalable ? LLVMScalableVectorType(scalar, lanes) : LLVMVectorType(scalar, lanes);
}

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

LLVMValueRef smaller_size(struct build *b, LLVMValueRef x, LLVMValueRef y)
{
    return call_intrinsic(b, "llvm.umin", &b->size, 1, (LLVMValueRef[]){x, y}, 2);
}

LLVMValueRef size_beyond(struct build *b, LLVMValueRef x, LLVMValueRef y)
{
    return call_intrinsic(b, "llvm.usub.sat", &b->size, 1, (LLVMValueRef[]){x, y}, 2);
}

unsigned lane_count(LLVMValueRef vector) { return LLVMGetVectorSize(LLVMTypeOf(vector)); }

LLVMValueRef shuffle(struct build *b, LLVMValueRef x, LLVMValueRef y, unsigned first, unsigned step,
                     unsigned count)
{
    LLVMValueRef lanes[MOST_LANES];
    for (unsigned i = 0; i < count; i++) lanes[i] = i32_constant(b, first + i * step);
    return LLVMBuildShuffleVector(b->ir, x, y, LLVMConstVector(lanes, count), "");
}

/* Returns a vector of so many lanes that begins with those of x. The others may have any value. */
static LLVMValueRef lengthened(struct build *b, LLVMValueRef x, unsigned lanes)
{
    LLVMValueRef numbers[MOST_LANES];
    const unsigned own = lane_count(x);
    for (unsigned i = 0; i < lanes; i++)
        numbers[i] = i < own ? i32_constant(b, i) : LLVMGetPoison(b->scalar[LANE_I32]);
    return LLVMBuildShuffleVector(b->ir, x, x, LLVMConstVector(numbers, lanes), "");
}

LLVMValueRef in_pieces(struct build *b, unsigned lanes, piece_function function, const void *context,
                       LLVMValueRef x, LLVMValueRef y)
{
    unsigned count = lane_count(x);
    if (count < lanes && !b->isa->scalable) {
        LLVMValueRef long_x = lengthened(b, x, lanes), long_y = y ? lengthened(b, y, lanes) : NULL;
        LLVMValueRef all = function(b, context, long_x, long_y);
        return shuffle(b, all, all, 0, 1, count);
    }
    if (count <= lanes) return function(b, context, x, y);
    LLVMValueRef halves[2];
    for (unsigned h = 0; h < 2; h++) {
        LLVMValueRef part_x = shuffle(b, x, x, h * count / 2, 1, count / 2);
        LLVMValueRef part_y = y ? shuffle(b, y, y, h * count / 2, 1, count / 2) : NULL;
        halves[h] = in_pieces(b, lanes, function, context, part_x, part_y);
    }
    return shuffle(b, halves[0], halves[1], 0, 1, count);
}

LLVMValueRef with_part(struct build *b, LLVMValueRef all, LLVMValueRef part, unsigned first)
{
    LLVMTypeRef types[] = {LLVMTypeOf(all), LLVMTypeOf(part)};
    LLVMValueRef arguments[] = {all, part, LLVMConstInt(LLVMInt64TypeInContext(b->context), first, false)};
    return call_intrinsic(b, "llvm.vector.insert", types, 2, arguments, 3);
}

void interleave(struct build *b, LLVMValueRef *out, LLVMValueRef x, LLVMValueRef y)
{
    const unsigned lanes = lane_count(x);
    LLVMTypeRef types[] = {LLVMTypeOf(x), vector_type(b, LLVMGetElementType(LLVMTypeOf(x)), 2 * lanes)};
    LLVMValueRef both[] = {x, y}, all = call_intrinsic(b, "llvm.vector.interleave2", &types[1], 1, both, 2);
    for (unsigned h = 0; h < 2; h++) {
        LLVMTypeRef index = LLVMInt64TypeInContext(b->context);
        LLVMValueRef arguments[] = {all, LLVMConstInt(index, (uint64_t)h * lanes, false)};
        out[h] = call_intrinsic(b, "llvm.vector.extract", types, 2, arguments, 2);
    }
}

void deinterleave(struct build *b, LLVMValueRef *even, LLVMValueRef *odd, LLVMValueRef x, LLVMValueRef y)
{
    const unsigned lanes = lane_count(x);
    LLVMTypeRef type = vector_type(b, LLVMGetElementType(LLVMTypeOf(x)), 2 * lanes);
    LLVMValueRef all = with_part(b, with_part(b, LLVMGetPoison(type), x, 0), y, lanes);
    LLVMValueRef apart = call_intrinsic(b, "llvm.vector.deinterleave2", &type, 1, &all, 1);
    *even = LLVMBuildExtractValue(b->ir, apart, 0, "");
    *odd = LLVMBuildExtractValue(b->ir, apart, 1, "");
}

struct instruction_call {
    const struct target_instruction *instruction;
    LLVMTypeRef result;
};

/* The last arguments of a masked instruction: the values of other lanes, the mask, and the rounding. */
enum { MASK_ARGUMENTS = 3 };

static LLVMValueRef call_piece(struct build *b, const void *context, LLVMValueRef x, LLVMValueRef y)
{
    enum { CURRENT_ROUNDING = 4 };
    const struct instruction_call *call = context;
    const unsigned lanes = call->instruction->lanes;
    LLVMValueRef arguments[6];
    unsigned count = 0;
    arguments[count++] = x;
    if (y) arguments[count++] = y;
    if (call->instruction->immediate) arguments[count++] = i32_constant(b, call->instruction->immediate);
    if (call->instruction->masked) {
        arguments[count++] = LLVMConstNull(vector_type(b, call->result, lanes));
        arguments[count++] = LLVMConstAllOnes(LLVMIntTypeInContext(b->context, lanes));
        arguments[count++] = i32_constant(b, CURRENT_ROUNDING);
    }
    LLVMTypeRef types[] = {vector_type(b, call->result, lanes), LLVMTypeOf(x)};
    return call_intrinsic(b, call->instruction->intrinsic, types, call->instruction->overloads, arguments,
                          count);
}

LLVMValueRef call_instruction(struct build *b, const struct target_instruction *instruction,
                              LLVMTypeRef result, LLVMValueRef x, LLVMValueRef y)
{
    const struct instruction_call call = {instruction, result};
    const unsigned lanes = instruction->lanes;
    if (b->lanes) return in_pieces(b, lanes, call_piece, &call, x, y);
    return lane_0(b, call_piece(b, &call, splat_value(b, x, lanes), y ? splat_value(b, y, lanes) : NULL));
}

LLVMValueRef masked_call(struct build *b, LLVMValueRef call, LLVMValueRef mask, LLVMValueRef instead)
{
    LLVMValueRef masked = LLVMInstructionClone(call);
    const unsigned at = LLVMGetNumArgOperands(call) - MASK_ARGUMENTS;
    LLVMTypeRef bits = LLVMTypeOf(LLVMGetOperand(call, at + 1));
    LLVMSetOperand(masked, at, instead);
    LLVMSetOperand(masked, at + 1, LLVMBuildBitCast(b->ir, mask, bits, ""));
    LLVMInsertIntoBuilder(b->ir, masked);
    return masked;
}

LLVMValueRef lane_0(struct build *b, LLVMValueRef vector)
{
    return LLVMBuildExtractElement(b->ir, vector, i32_constant(b, 0), "");
}

LLVMValueRef splat_value(struct build *b, LLVMValueRef scalar, unsigned count)
{
    if (!count) return scalar;
    LLVMValueRef none = LLVMGetPoison(vector_type(b, LLVMTypeOf(scalar), count));
    LLVMValueRef first = LLVMBuildInsertElement(b->ir, none, scalar, i32_constant(b, 0), "");
    LLVMValueRef zeros = LLVMConstNull(vector_type(b, b->scalar[LANE_I32], count));
    return LLVMBuildShuffleVector(b->ir, first, first, zeros, "");
}
