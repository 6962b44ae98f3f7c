/* Masks: operands whose elements are bits, which lanes hold as truth values.
 *
 * A row begins at a byte, and a vector at a multiple of its lanes. Vectors of eight lanes or more therefore
 * begin at a byte. Shorter vectors may begin within a byte. Their store keeps the bits that the vector before
 * has stored in the same byte. The first vector of a byte stores 0 in the other bits, so that the last byte
 * of a row has zeros after its columns. Two neighbouring vectors of four lanes are moved as one of eight if
 * the first begins at a byte. A split turn's two vectors have the even and the odd bits of a word. */
#include "build.h"

enum {
    BYTE = 8,
    WORD = 64,
    LANE_BITS = 32,
    REGISTER = 16 /* bytes of a vector that is moved by a mask */
};

bool has_bits(const struct build *b)
{
    for (uint32_t k = 0; k < b->stream_count; k++)
        if (element_is_bit(b->streams[k].operand->type)) return true;
    return false;
}

bool bits_can_split(const struct build *b)
{
    return !b->isa->scalable && 2 * b->lanes >= BYTE && 2 * b->lanes <= LANE_BITS;
}

/* The place of a vector's bits, which are counted from the first bit of a byte. */
struct bits {
    LLVMValueRef address, /* of this byte */
        before,           /* number of its bits that belong to vectors before, an i64; or NULL */
        bytes; /* number of bytes with bits of this vector, if it is partial or scalable; otherwise NULL */
    unsigned lanes;
};

static LLVMTypeRef word_type(struct build *b) { return LLVMInt64TypeInContext(b->context); }

static struct bits bits_at(struct build *b, LLVMValueRef data, LLVMValueRef column, LLVMValueRef rest,
                           unsigned lanes)
{
    struct bits all = {.address = byte_address(b, ELEMENT_U1, data, column), .lanes = lanes};
    LLVMValueRef count = lanes_in(b, 1), before = LLVMBuildAnd(b->ir, column, size_constant(b, BYTE - 1), "");
    if (rest) count = smaller_size(b, rest, count);
    if (b->isa->scalable || lanes < BYTE)
        all.before = LLVMBuildIntCast2(b->ir, before, word_type(b), false, "");
    if (b->isa->scalable) count = LLVMBuildAdd(b->ir, count, before, "");
    if (!b->isa->scalable && (!rest || lanes <= BYTE)) return all;
    count = LLVMBuildAdd(b->ir, count, size_constant(b, BYTE - 1), "");
    all.bytes = LLVMBuildLShr(b->ir, count, size_constant(b, 3), "");
    return all;
}

/* -- words, whose lowest bits are the vector's -- */

/* Loads the bytes as an integer. */
static LLVMValueRef load_word(struct build *b, const struct bits *at)
{
    const unsigned width = b->isa->scalable || at->lanes < BYTE ? WORD : at->lanes;
    LLVMTypeRef integer = LLVMIntTypeInContext(b->context, width);
    LLVMTypeRef byte = LLVMIntTypeInContext(b->context, BYTE);
    LLVMValueRef word;
    if (at->bytes) {
        const unsigned size = b->isa->scalable ? b->isa->vector_bytes : REGISTER;
        LLVMValueRef bytes = load_elements(b, vector_type(b, byte, size), at->address, at->bytes, 1);
        bytes = LLVMBuildBitCast(b->ir, bytes, vector_type(b, integer, size * BYTE / width), "");
        word = LLVMBuildExtractElement(b->ir, bytes, i32_constant(b, 0), "");
    } else {
        LLVMTypeRef own = at->lanes < BYTE ? byte : integer;
        word = LLVMBuildLoad2(b->ir, own, at->address, "");
        LLVMSetAlignment(word, 1);
        word = LLVMBuildZExt(b->ir, word, integer, "");
    }
    return at->before ? LLVMBuildLShr(b->ir, word, at->before, "") : word;
}

static void store_word(struct build *b, const struct bits *at, LLVMValueRef word)
{
    LLVMTypeRef byte = LLVMIntTypeInContext(b->context, BYTE);
    if (at->before) {
        LLVMValueRef zero = LLVMConstNull(byte), known = LLVMBuildLoad2(b->ir, byte, at->address, "");
        LLVMValueRef is_first = LLVMBuildICmp(b->ir, LLVMIntEQ, at->before, LLVMConstNull(word_type(b)), "");
        known = LLVMBuildSelect(b->ir, is_first, zero, known, "");
        word = LLVMBuildOr(b->ir, LLVMBuildShl(b->ir, word, at->before, ""),
                           LLVMBuildZExt(b->ir, known, word_type(b), ""), "");
    }
    if (at->bytes) {
        const unsigned size = b->isa->scalable ? b->isa->vector_bytes : REGISTER;
        const unsigned width = LLVMGetIntTypeWidth(LLVMTypeOf(word));
        LLVMValueRef bytes = LLVMConstNull(vector_type(b, LLVMTypeOf(word), size * BYTE / width));
        bytes = LLVMBuildInsertElement(b->ir, bytes, word, i32_constant(b, 0), "");
        bytes = LLVMBuildBitCast(b->ir, bytes, vector_type(b, byte, size), "");
        store_elements(b, bytes, at->address, at->bytes, 1, false);
        return;
    }
    if (at->lanes < BYTE) word = LLVMBuildTrunc(b->ir, word, byte, "");
    LLVMSetAlignment(LLVMBuildStore(b->ir, word, at->address), 1);
}

/* -- words and truth values -- */

static bool are_integers(const struct build *b) { return b->isa->mask_registers && !b->isa->scalable; }

/* Returns 1, 2, 4, ... in lanes of the type, from bit `first` on. */
static LLVMValueRef bit_lanes(struct build *b, enum lane_type type, unsigned first, unsigned lanes)
{
    uint64_t bits[WORD];
    LLVMValueRef none = NULL;
    for (unsigned i = 0; i < lanes; i++) bits[i] = UINT64_C(1) << (first + i) % WORD;
    if (!b->isa->scalable) return constant_lanes(b, type, bits, lanes);
    LLVMValueRef numbers = call_intrinsic(b, STEP_VECTOR, &b->vector[type], 1, &none, 0);
    return LLVMBuildShl(b->ir, splat_bits(b, type, 1), numbers, "");
}

static LLVMValueRef truth_of_word(struct build *b, LLVMValueRef word, unsigned first, unsigned lanes)
{
    const enum lane_type type = b->isa->scalable ? LANE_I64 : LANE_I32;
    if (are_integers(b)) return LLVMBuildBitCast(b->ir, word, b->vector[LANE_TRUTH], "");
    LLVMValueRef narrow = LLVMBuildIntCast2(b->ir, word, b->scalar[type], false, "");
    LLVMValueRef own = bit_lanes(b, type, first, lanes),
                 all = LLVMBuildAnd(b->ir, splat_value(b, narrow, lanes), own, "");
    return LLVMBuildICmp(b->ir, LLVMIntEQ, all, own, "");
}

/* Builds a word from truth values. If no instruction collects the lanes' signs, adds up the lanes' bits. LLVM
 * would make a store and a load of each lane of a cast. */
static LLVMValueRef word_of_truth(struct build *b, LLVMValueRef truth, unsigned lanes)
{
    const enum lane_type type = b->isa->scalable ? LANE_I64 : LANE_I32;
    LLVMTypeRef integer = LLVMIntTypeInContext(b->context, lanes);
    if (are_integers(b) || b->isa->sign_bits) return LLVMBuildBitCast(b->ir, truth, integer, "");
    LLVMValueRef own = bit_lanes(b, type, 0, lanes), none = LLVMConstNull(LLVMTypeOf(own));
    LLVMValueRef bits = LLVMBuildSelect(b->ir, truth, own, none, "");
    LLVMTypeRef vector = LLVMTypeOf(bits);
    LLVMValueRef sum = call_intrinsic(b, "llvm.vector.reduce.add", &vector, 1, &bits, 1);
    return LLVMBuildIntCast2(b->ir, sum, b->isa->scalable || lanes < BYTE ? word_type(b) : integer, false,
                             "");
}

/* -- pairs of a split turn -- */

/* Returns 1, 4, 16, ... for the even vector, or 2, 8, 32, ... for the odd one. */
static LLVMValueRef every_other_bit(struct build *b, unsigned odd)
{
    uint64_t bits[LANE_BITS / 2];
    for (unsigned i = 0; i < b->lanes; i++) bits[i] = UINT64_C(1) << (2 * i + odd);
    return constant_lanes(b, LANE_I32, bits, b->lanes);
}

static LLVMValueRef truth_of_pair(struct build *b, LLVMValueRef word, unsigned odd)
{
    LLVMValueRef own = every_other_bit(b, odd),
                 narrow = LLVMBuildIntCast2(b->ir, word, b->scalar[LANE_I32], false, "");
    LLVMValueRef bits = LLVMBuildAnd(b->ir, splat_value(b, narrow, b->lanes), own, "");
    if (b->isa->mask_registers) return LLVMBuildICmp(b->ir, LLVMIntNE, bits, splat_bits(b, LANE_I32, 0), "");
    return LLVMBuildICmp(b->ir, LLVMIntEQ, bits, own, "");
}

/* Builds a word from a pair. Each lane of 32 bits becomes two of 16 bits, whose signs are in memory's order.
 * If no instruction collects signs, adds up the lanes' bits. */
static LLVMValueRef word_of_pair(struct build *b, LLVMValueRef *truth)
{
    const unsigned lanes = 2 * b->lanes;
    LLVMTypeRef word = LLVMIntTypeInContext(b->context, lanes), vector = b->vector[LANE_I32];
    LLVMValueRef half[2];
    for (unsigned odd = 0; odd < 2; odd++) {
        LLVMValueRef one = b->isa->sign_bits ? splat_bits(b, LANE_I32, odd ? 0xffff0000u : 0xffffu)
                                             : every_other_bit(b, odd);
        half[odd] = LLVMBuildSelect(b->ir, truth[odd], one, splat_bits(b, LANE_I32, 0), "");
    }
    LLVMValueRef both = LLVMBuildOr(b->ir, half[0], half[1], "");
    if (!b->isa->sign_bits) {
        LLVMValueRef sum = call_intrinsic(b, "llvm.vector.reduce.add", &vector, 1, &both, 1);
        return LLVMBuildIntCast2(b->ir, sum, word, false, "");
    }
    LLVMTypeRef narrow = LLVMVectorType(b->scalar[LANE_I16], lanes);
    both = LLVMBuildBitCast(b->ir, both, narrow, "");
    return LLVMBuildBitCast(b->ir, LLVMBuildICmp(b->ir, LLVMIntSLT, both, LLVMConstNull(narrow), ""), word,
                            "");
}

/* -- streams -- */

/* Returns how many vectors a word has. */
static unsigned vectors_of_word(const struct build *b, const struct columns *at)
{
    const bool begin_alike = !b->isa->scalable && 2 * b->lanes == BYTE && at->vectors % 2 == 0;
    return begin_alike ? 2 : 1;
}

void load_bits(struct build *b, const struct stream *s, LLVMValueRef data, const struct columns *at)
{
    const unsigned step = at->split > 1 ? at->split : vectors_of_word(b, at);
    for (unsigned u = 0; u < at->vectors; u += step) {
        LLVMValueRef column = LLVMBuildAdd(b->ir, at->column, lanes_in(b, u), "");
        const struct bits bits = bits_at(b, data, column, at->rest, step * b->lanes);
        LLVMValueRef word = load_word(b, &bits);
        for (unsigned v = 0; v < step; v++)
            *moved(b, s->name, u + v) =
                at->split > 1 ? truth_of_pair(b, word, v) : truth_of_word(b, word, v * b->lanes, b->lanes);
    }
}

void store_bits(struct build *b, const struct stream *s, LLVMValueRef data, const struct columns *at)
{
    const unsigned step = at->split > 1 ? at->split : vectors_of_word(b, at);
    if (at->has_result) data = LLVMBuildSelect(b->ir, at->has_result, data, b->scratch, "");
    LLVMValueRef begin = at->column;
    if (at->has_result) begin = LLVMBuildSelect(b->ir, at->has_result, begin, size_constant(b, 0), "");
    for (unsigned u = 0; u < at->vectors; u += step) {
        LLVMValueRef column = LLVMBuildAdd(b->ir, begin, lanes_in(b, u), ""), truth = *moved(b, s->name, u);
        const struct bits bits = bits_at(b, data, column, at->rest, step * b->lanes);
        if (at->split > 1) {
            store_word(b, &bits, word_of_pair(b, moved(b, s->name, u)));
            continue;
        }
        if (step == 2) truth = shuffle(b, truth, *moved(b, s->name, u + 1), 0, 1, 2 * b->lanes);
        if (at->rest) truth = LLVMBuildAnd(b->ir, truth, partial_mask(b, at->rest, b->lanes), "");
        store_word(b, &bits, word_of_truth(b, truth, step * b->lanes));
    }
}
