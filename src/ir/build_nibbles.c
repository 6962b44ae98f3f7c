/* Elements of 4 bits, two of which share a byte. The first is in the low half.
 *
 * A row begins at a byte, and so does each vector, because a vector has at least two lanes and begins at a
 * multiple of them. A byte becomes a word of two lanes without instructions that cross lanes. A split turn's
 * two vectors have the low and the high halves of the same bytes. */
#include "build.h"

enum { NIBBLE = 4, LOW = 15, BYTE = 8, WORD = 64, LANE_BITS = 32 };

bool shares_bytes(const struct build *b)
{
    for (uint32_t k = 0; k < b->stream_count; k++)
        if (element_shares_byte(b->streams[k].operand->type)) return true;
    return false;
}

LLVMValueRef byte_address(struct build *b, enum element_type type, LLVMValueRef data, LLVMValueRef elements)
{
    const unsigned together = (unsigned)__builtin_ctz(elements_of_byte(type));
    LLVMValueRef bytes = LLVMBuildLShr(b->ir, elements, size_constant(b, together), "");
    return LLVMBuildGEP2(b->ir, LLVMIntTypeInContext(b->context, BYTE), data, &bytes, 1, "");
}

/* The bytes of a vector, or of a split turn's pair of vectors. */
struct nibbles {
    LLVMTypeRef bytes, words;   /* vectors: of the bytes, and of an integer for each byte */
    LLVMValueRef address, rest; /* number of bytes with elements of the row, or NULL for all */
};

static struct nibbles nibbles_at(struct build *b, const struct stream *s, LLVMValueRef data,
                                 LLVMValueRef column, const struct columns *at)
{
    const unsigned count = at->split > 1 ? b->lanes : b->lanes / 2, width = at->split > 1 ? LANE_BITS : WORD;
    LLVMValueRef rest = at->rest, one = size_constant(b, 1);
    if (rest) rest = LLVMBuildLShr(b->ir, LLVMBuildAdd(b->ir, rest, one, ""), one, "");
    return (struct nibbles){vector_type(b, LLVMIntTypeInContext(b->context, BYTE), count),
                            vector_type(b, LLVMIntTypeInContext(b->context, width), count),
                            byte_address(b, s->operand->type, data, column), rest};
}

static LLVMValueRef word(struct build *b, LLVMTypeRef words, uint64_t value)
{
    LLVMTypeRef integer = LLVMGetElementType(words);
    const unsigned lanes_of_one = LLVMGetIntTypeWidth(integer) / LANE_BITS;
    return splat_value(b, LLVMConstInt(integer, value, false), b->lanes / lanes_of_one);
}

/* Shifts the integers to the left, or to the right if `left` is negative. */
static LLVMValueRef shifted(struct build *b, LLVMValueRef v, int left)
{
    LLVMTypeRef words = LLVMTypeOf(v);
    return left < 0 ? LLVMBuildLShr(b->ir, v, word(b, words, (uint64_t)-left), "")
                    : LLVMBuildShl(b->ir, v, word(b, words, (uint64_t)left), "");
}

/* Returns the halves of bytes, which are integers of 64 bits, as adjacent lanes. */
static LLVMValueRef lanes_of_words(struct build *b, LLVMValueRef words)
{
    LLVMTypeRef type = LLVMTypeOf(words);
    LLVMValueRef low = LLVMBuildAnd(b->ir, words, word(b, type, LOW), ""),
                 high = LLVMBuildAnd(b->ir, words, word(b, type, LOW << NIBBLE), "");
    LLVMValueRef first = b->big_endian ? shifted(b, low, LANE_BITS) : low,
                 second = shifted(b, high, b->big_endian ? -NIBBLE : LANE_BITS - NIBBLE);
    return LLVMBuildBitCast(b->ir, LLVMBuildOr(b->ir, first, second, ""), b->vector[LANE_I32], "");
}

/* Returns bytes as integers of 64 bits, whose upper bits are of no use. */
static LLVMValueRef words_of_lanes(struct build *b, LLVMValueRef lanes, LLVMTypeRef words)
{
    LLVMValueRef pairs = LLVMBuildBitCast(b->ir, lanes, words, "");
    const int apart = b->big_endian ? LANE_BITS : NIBBLE - LANE_BITS;
    if (!b->big_endian) return LLVMBuildOr(b->ir, pairs, shifted(b, pairs, apart), "");
    return LLVMBuildOr(b->ir, shifted(b, pairs, -apart), shifted(b, pairs, NIBBLE), "");
}

void load_nibbles(struct build *b, const struct stream *s, LLVMValueRef data, const struct columns *at)
{
    const enum element_type type = s->operand->type;
    for (unsigned u = 0; u < at->vectors; u += at->split) {
        LLVMValueRef column = LLVMBuildAdd(b->ir, at->column, lanes_in(b, u), "");
        const struct nibbles own = nibbles_at(b, s, data, column, at);
        LLVMValueRef bytes = load_elements(b, own.bytes, own.address, own.rest, 1);
        LLVMValueRef words = LLVMBuildZExt(b->ir, bytes, own.words, "");
        if (at->split > 1) {
            LLVMValueRef low = LLVMBuildAnd(b->ir, words, word(b, own.words, LOW), "");
            *moved(b, s->name, u) = lanes_of_elements(b, type, false, low);
            *moved(b, s->name, u + 1) = lanes_of_elements(b, type, false, shifted(b, words, -NIBBLE));
        } else {
            *moved(b, s->name, u) = lanes_of_elements(b, type, false, lanes_of_words(b, words));
        }
    }
}

void store_nibbles(struct build *b, const struct stream *s, LLVMValueRef data, const struct columns *at)
{
    const enum element_type type = s->operand->type;
    LLVMValueRef begin = at->column;
    if (at->has_result) {
        data = LLVMBuildSelect(b->ir, at->has_result, data, b->scratch, "");
        begin = LLVMBuildSelect(b->ir, at->has_result, begin, size_constant(b, 0), "");
    }
    for (unsigned u = 0; u < at->vectors; u += at->split) {
        LLVMValueRef column = LLVMBuildAdd(b->ir, begin, lanes_in(b, u), "");
        const struct nibbles own = nibbles_at(b, s, data, column, at);
        LLVMValueRef words, lanes = elements_of_lanes(b, type, *moved(b, s->name, u));
        if (at->split > 1) {
            LLVMValueRef second = elements_of_lanes(b, type, *moved(b, s->name, u + 1));
            words = LLVMBuildOr(b->ir, lanes, shifted(b, second, NIBBLE), "");
        } else {
            if (at->rest)
                lanes = LLVMBuildSelect(b->ir, partial_mask(b, at->rest, b->lanes), lanes,
                                        LLVMConstNull(LLVMTypeOf(lanes)), "");
            words = words_of_lanes(b, lanes, own.words);
        }
        LLVMValueRef bytes = LLVMBuildTrunc(b->ir, words, own.bytes, "");
        store_elements(b, bytes, own.address, own.rest, 1, false);
    }
}
