/* Inputs that are drawn (base/philox.h): their vectors are computed from the numbers of their elements where others are loaded.
 *
 * A Philox word is the low half of a 64-bit lane: a product of two words is then one multiplication, which reads no upper half, and
 * its own upper half is a shift away. */
#include "build.h"
#include "philox.h"

static LLVMTypeRef words_type(const struct build *b, unsigned count)
{
    return vector_type(b, b->scalar[LANE_I64], count);
}

static LLVMValueRef word_constant(struct build *b, uint64_t value)
{
    return LLVMConstInt(b->scalar[LANE_I64], value, false);
}

static LLVMValueRef as_word(struct build *b, LLVMValueRef size)
{
    return LLVMBuildZExt(b->ir, size, b->scalar[LANE_I64], "");
}

static LLVMValueRef counter_operand(struct build *b, uint32_t operand)
{
    LLVMValueRef data = operand_field(b, b->what->kernel->operands[operand].group, 0, b->pointer);
    LLVMValueRef value = LLVMBuildLoad2(b->ir, b->scalar[LANE_I64], data, "");
    LLVMSetAlignment(value, lane_type_bytes(LANE_I64));
    return value;
}

LLVMValueRef first_draw(struct build *b, const struct stream *s)
{
    const struct kernel_operand *o = s->operand, *offset = &b->what->kernel->operands[o->offset];
    LLVMValueRef begin = as_word(b, operand_field(b, offset->group, 1, b->size));
    b->seeds[s->name - b->what->kernel->operand_count] = counter_operand(b, o->seed);
    return LLVMBuildAdd(b->ir, counter_operand(b, o->offset), begin, "");
}

LLVMValueRef draw_behind(struct build *b, LLVMValueRef number, LLVMValueRef elements)
{
    return LLVMBuildAdd(b->ir, number, as_word(b, elements), "");
}

/* A multiplier times the low half. */
static LLVMValueRef product(struct build *b, LLVMValueRef word, unsigned which, unsigned count)
{
    LLVMValueRef low = LLVMBuildAnd(b->ir, word, splat_value(b, word_constant(b, UINT32_MAX), count), "");
    return LLVMBuildMul(b->ir, low, splat_value(b, word_constant(b, philox_multipliers[which]), count), "");
}

/* The upper half of the product, the word and the key, in the low half. */
static LLVMValueRef mixed(struct build *b, LLVMValueRef product, LLVMValueRef word, LLVMValueRef key,
                          unsigned count)
{
    LLVMValueRef half = splat_value(b, word_constant(b, 32), count);
    LLVMValueRef high = LLVMBuildLShr(b->ir, product, half, "");
    return LLVMBuildXor(b->ir, LLVMBuildXor(b->ir, word, key, ""), high, "");
}

/* Half `which` of the seed in the given round. */
static LLVMValueRef round_key(struct build *b, LLVMValueRef seed, unsigned round, unsigned which,
                              unsigned count)
{
    LLVMTypeRef half = b->scalar[LANE_I32];
    LLVMValueRef upper = LLVMBuildLShr(b->ir, seed, word_constant(b, 32), "");
    LLVMValueRef key = LLVMBuildTrunc(b->ir, which ? upper : seed, half, "");
    key = LLVMBuildAdd(b->ir, key, i32_constant(b, round * philox_growth[which]), "");
    return splat_value(b, LLVMBuildZExt(b->ir, key, b->scalar[LANE_I64], ""), count);
}

static void build_words(struct build *b, LLVMValueRef *word, LLVMValueRef seed, unsigned count)
{
    for (unsigned round = 0; round < PHILOX_ROUNDS; round++) {
        LLVMValueRef first = product(b, word[0], 0, count), second = product(b, word[2], 1, count);
        word[0] = mixed(b, second, word[1], round_key(b, seed, round, 0, count), count);
        word[1] = second;
        word[2] = mixed(b, first, word[3], round_key(b, seed, round, 1, count), count);
        word[3] = first;
    }
}

/* The numbers of the elements in a vector: from `number` on, `step` apart. */
static LLVMValueRef element_numbers(struct build *b, LLVMValueRef number, unsigned step)
{
    LLVMValueRef place[64], places, none = NULL;
    LLVMTypeRef type = words_type(b, b->lanes);
    if (b->isa->scalable) {
        places = call_intrinsic(b, STEP_VECTOR, &type, 1, &none, 0);
        places = LLVMBuildMul(b->ir, places, splat_value(b, word_constant(b, step), b->lanes), "");
    } else {
        for (unsigned i = 0; i < b->lanes; i++) place[i] = word_constant(b, (uint64_t)i * step);
        places = LLVMConstVector(place, b->lanes);
    }
    return LLVMBuildAdd(b->ir, splat_value(b, number, b->lanes), places, "");
}

static LLVMValueRef has_bit(struct build *b, LLVMValueRef numbers, uint64_t bit)
{
    LLVMValueRef zero = LLVMConstNull(LLVMTypeOf(numbers));
    LLVMValueRef masked = LLVMBuildAnd(b->ir, numbers, splat_value(b, word_constant(b, bit), b->lanes), "");
    return LLVMBuildICmp(b->ir, LLVMIntNE, masked, zero, "");
}

/* Words of 32 bits to draws. */
static LLVMValueRef draws_of_words(struct build *b, LLVMValueRef words)
{
    LLVMValueRef kept = LLVMBuildLShr(b->ir, words, splat_bits(b, LANE_I32, PHILOX_DROPPED_BITS), "");
    LLVMValueRef whole = LLVMBuildSIToFP(b->ir, kept, b->vector[LANE_F32], "");
    return LLVMBuildFMul(b->ir, whole, splat_float(b, LANE_F32, (double)PHILOX_DRAW_UNIT), "");
}

/* A vector at any number: each lane computes all words of its counter. */
static LLVMValueRef draw_vector(struct build *b, LLVMValueRef seed, LLVMValueRef number, unsigned step)
{
    LLVMValueRef numbers = element_numbers(b, number, step);
    LLVMValueRef two = splat_value(b, word_constant(b, 2), b->lanes),
                 half = splat_value(b, word_constant(b, 32), b->lanes);
    LLVMValueRef counter = LLVMBuildLShr(b->ir, numbers, two, ""), zero = LLVMConstNull(LLVMTypeOf(counter));
    LLVMValueRef word[PHILOX_WORDS] = {counter, LLVMBuildLShr(b->ir, counter, half, ""), zero, zero};
    build_words(b, word, seed, b->lanes);
    LLVMValueRef is_odd = has_bit(b, numbers, 1), is_late = has_bit(b, numbers, 2);
    LLVMValueRef early = LLVMBuildSelect(b->ir, is_odd, word[1], word[0], ""),
                 late = LLVMBuildSelect(b->ir, is_odd, word[3], word[2], "");
    LLVMValueRef own = LLVMBuildSelect(b->ir, is_late, late, early, "");
    return draws_of_words(b, LLVMBuildTrunc(b->ir, own, b->vector[LANE_I32], ""));
}

void draw_stream(struct build *b, const struct stream *s, LLVMValueRef first, const struct columns *at)
{
    LLVMValueRef seed = b->seeds[s->name - b->what->kernel->operand_count];
    for (unsigned u = 0; u < at->vectors; u++) {
        const unsigned beside = u % at->split;
        LLVMValueRef column = LLVMBuildAdd(b->ir, at->column, lanes_in(b, u - beside), "");
        column = LLVMBuildAdd(b->ir, column, size_constant(b, beside), "");
        *moved(b, s->name, u) = draw_vector(b, seed, draw_behind(b, first, column), at->split);
    }
}
