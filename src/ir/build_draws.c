/* Random draws (base/philox.h), and numbers of rows and columns (base/row_numbers.h). Their vectors are
 * computed from the numbers of their elements, instead of loaded.
 *
 * A Philox word is the low half of a 64-bit lane. A product of two words is then one multiplication, which
 * ignores upper halves. The upper half of the product is a shift away. */
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

LLVMValueRef first_place(struct build *b, const struct stream *s)
{
    const struct kernel_operand *o = s->operand;
    if (!source_has_counters(o->source)) return word_constant(b, 0);
    const uint32_t offset = b->what->kernel->operands[o->offset].group;
    LLVMValueRef begin = as_word(b, operand_field(b, offset, 1, b->size));
    if (o->source == SOURCE_RANDOM)
        b->seeds[s->name - b->what->kernel->operand_count] = counter_operand(b, o->seed);
    return LLVMBuildAdd(b->ir, counter_operand(b, o->offset), begin, "");
}

LLVMValueRef places_apart(struct build *b, const struct stream *s, LLVMValueRef cols)
{
    return s->operand->source == SOURCE_ROW ? size_constant(b, 1) : cols;
}

LLVMValueRef place_behind(struct build *b, LLVMValueRef number, LLVMValueRef elements)
{
    return LLVMBuildAdd(b->ir, number, as_word(b, elements), "");
}

/* Multiplies the low half of the word by a multiplier. */
static LLVMValueRef wide_product(struct build *b, LLVMValueRef word, unsigned which, unsigned count)
{
    LLVMValueRef low = LLVMBuildAnd(b->ir, word, splat_value(b, word_constant(b, UINT32_MAX), count), "");
    return LLVMBuildMul(b->ir, low, splat_value(b, word_constant(b, philox_multipliers[which]), count), "");
}

/* Returns the exclusive or of the product's upper half, the word and the key, in the low half. */
static LLVMValueRef mixed(struct build *b, LLVMValueRef product, LLVMValueRef word, LLVMValueRef key,
                          unsigned count)
{
    LLVMValueRef half = splat_value(b, word_constant(b, 32), count);
    LLVMValueRef high = LLVMBuildLShr(b->ir, product, half, "");
    return LLVMBuildXor(b->ir, LLVMBuildXor(b->ir, word, key, ""), high, "");
}

/* Returns the key of a round: half `which` of the seed, grown by the rounds before. */
static LLVMValueRef round_key(struct build *b, LLVMValueRef seed, unsigned round, unsigned which,
                              unsigned count)
{
    LLVMTypeRef half = b->scalar[LANE_I32];
    LLVMValueRef upper = LLVMBuildLShr(b->ir, seed, word_constant(b, 32), "");
    LLVMValueRef key = LLVMBuildTrunc(b->ir, which ? upper : seed, half, "");
    key = LLVMBuildAdd(b->ir, key, i32_constant(b, round * philox_growth[which]), "");
    return splat_value(b, LLVMBuildZExt(b->ir, key, b->scalar[LANE_I64], ""), count);
}

/* Builds one round on the four words of the counter in each lane. */
static void build_round(struct build *b, LLVMValueRef *word, LLVMValueRef *key, unsigned count)
{
    LLVMValueRef first = wide_product(b, word[0], 0, count), second = wide_product(b, word[2], 1, count);
    word[0] = mixed(b, second, word[1], key[0], count);
    word[1] = second;
    word[2] = mixed(b, first, word[3], key[1], count);
    word[3] = first;
}

/* Returns 0, step, 2 step, ... in `count` lanes of integers. */
static LLVMValueRef lane_numbers(struct build *b, enum lane_type type, unsigned step, unsigned count)
{
    LLVMValueRef number[64], none = NULL;
    LLVMTypeRef scalar = b->scalar[type], vector = vector_type(b, scalar, count);
    if (b->isa->scalable) {
        LLVMValueRef by_one = call_intrinsic(b, STEP_VECTOR, &vector, 1, &none, 0);
        return LLVMBuildMul(b->ir, by_one, splat_value(b, LLVMConstInt(scalar, step, false), count), "");
    }
    for (unsigned i = 0; i < count; i++) number[i] = LLVMConstInt(scalar, (uint64_t)i * step, false);
    return LLVMConstVector(number, count);
}

/* Returns the numbers of elements in `count` lanes: number, number + step, .... */
static LLVMValueRef element_numbers(struct build *b, LLVMValueRef number, unsigned step, unsigned count)
{
    return LLVMBuildAdd(b->ir, splat_value(b, number, count), lane_numbers(b, LANE_I64, step, count), "");
}

/* Builds the counters of the elements with these numbers, before the first round. */
static void begin_words(struct build *b, LLVMValueRef *word, LLVMValueRef numbers, unsigned count)
{
    LLVMValueRef two = splat_value(b, word_constant(b, 2), count),
                 upper = splat_value(b, word_constant(b, 32 + 2), count);
    word[0] = LLVMBuildLShr(b->ir, numbers, two, "");
    word[1] = LLVMBuildLShr(b->ir, numbers, upper, "");
    word[2] = word[3] = LLVMConstNull(words_type(b, count));
}

static LLVMValueRef has_bit(struct build *b, LLVMValueRef numbers, uint64_t bit)
{
    LLVMValueRef zero = LLVMConstNull(LLVMTypeOf(numbers));
    LLVMValueRef masked = LLVMBuildAnd(b->ir, numbers, splat_value(b, word_constant(b, bit), b->lanes), "");
    return LLVMBuildICmp(b->ir, LLVMIntNE, masked, zero, "");
}

/* Converts words of 32 bits into draws. */
static LLVMValueRef draws_of_words(struct build *b, LLVMValueRef words)
{
    LLVMValueRef kept = LLVMBuildLShr(b->ir, words, splat_bits(b, LANE_I32, PHILOX_DROPPED_BITS), "");
    LLVMValueRef whole = LLVMBuildSIToFP(b->ir, kept, b->vector[LANE_F32], "");
    return LLVMBuildFMul(b->ir, whole, splat_float(b, LANE_F32, (double)PHILOX_DRAW_UNIT), "");
}

/* -- a counter for each element -- */

/* Draws a vector that may begin at any number. Each lane computes all words of its counter and keeps one. */
static LLVMValueRef draw_vector(struct build *b, LLVMValueRef seed, LLVMValueRef number, unsigned step)
{
    LLVMValueRef numbers = element_numbers(b, number, step, b->lanes), word[PHILOX_WORDS];
    begin_words(b, word, numbers, b->lanes);
    for (unsigned round = 0; round < PHILOX_ROUNDS; round++) {
        LLVMValueRef key[] = {round_key(b, seed, round, 0, b->lanes), round_key(b, seed, round, 1, b->lanes)};
        build_round(b, word, key, b->lanes);
    }
    LLVMValueRef is_odd = has_bit(b, numbers, 1), is_late = has_bit(b, numbers, 2);
    LLVMValueRef early = LLVMBuildSelect(b->ir, is_odd, word[1], word[0], ""),
                 late = LLVMBuildSelect(b->ir, is_odd, word[3], word[2], "");
    LLVMValueRef own = LLVMBuildSelect(b->ir, is_late, late, early, "");
    return draws_of_words(b, LLVMBuildTrunc(b->ir, own, b->vector[LANE_I32], ""));
}

/* -- a counter for four elements -- */

/* Turns each lane of 64 bits into two of 32 bits: a half of x and the same half of y. */
static LLVMValueRef halves(struct build *b, LLVMValueRef x, LLVMValueRef y, bool upper)
{
    const unsigned lanes = b->lanes, first = upper != b->big_endian;
    if (!b->isa->scalable) {
        LLVMValueRef numbers[64];
        for (unsigned i = 0; i < lanes; i++)
            numbers[i] = i32_constant(b, i / 2 * 2 + first + (i % 2 ? lanes : 0));
        x = LLVMBuildBitCast(b->ir, x, b->vector[LANE_I32], "");
        y = LLVMBuildBitCast(b->ir, y, b->vector[LANE_I32], "");
        return LLVMBuildShuffleVector(b->ir, x, y, LLVMConstVector(numbers, lanes), "");
    }
    LLVMValueRef half = splat_value(b, word_constant(b, 32), lanes / 2),
                 low = splat_value(b, word_constant(b, UINT32_MAX), lanes / 2);
    x = upper ? LLVMBuildLShr(b->ir, x, half, "") : LLVMBuildAnd(b->ir, x, low, "");
    y = upper ? LLVMBuildAnd(b->ir, y, LLVMBuildNot(b->ir, low, ""), "") : LLVMBuildShl(b->ir, y, half, "");
    return LLVMBuildBitCast(b->ir, LLVMBuildOr(b->ir, x, y, ""), b->vector[LANE_I32], "");
}

/* Returns the keys of a round, as vectors of counters need them. They are held, because LLVM would compute
 * each key again wherever it is used. */
static LLVMValueRef *held_key(const struct build *b, uint32_t draw, unsigned round)
{
    return b->keys + ((size_t)draw * PHILOX_ROUNDS + round) * PHILOX_KEYS;
}

void hold_keys(struct build *b)
{
    for (uint32_t draw = 0; draw < b->what->kernel->draw_count; draw++) {
        LLVMValueRef seed = b->seeds[draw], *last = held_key(b, draw, PHILOX_ROUNDS - 1);
        for (unsigned round = 0; round < PHILOX_ROUNDS; round++)
            for (unsigned which = 0; which < PHILOX_KEYS; which++)
                held_key(b, draw, round)[which] = round_key(b, seed, round, which, b->lanes / 2);
        last[0] = halves(b, last[0], last[1], false);
    }
}

/* Builds the last round. It leaves words 0 and 2 of each counter as neighbours in `even`, and words 1 and 3
 * in `odd`. */
static void finish_words(struct build *b, LLVMValueRef *even, LLVMValueRef *odd, LLVMValueRef *word,
                         LLVMValueRef keys)
{
    const unsigned count = b->lanes / 2;
    LLVMValueRef first = wide_product(b, word[0], 0, count), second = wide_product(b, word[2], 1, count);
    LLVMValueRef others = LLVMBuildXor(b->ir, halves(b, word[1], word[3], false), keys, "");
    *even = LLVMBuildXor(b->ir, others, halves(b, second, first, true), "");
    *odd = halves(b, second, first, false);
}

/* Draws all vectors of a turn, from a number that is a multiple of four. A pair of vectors has whole
 * counters: each lane of 64 bits has one counter with all its words. The rounds of the pairs alternate, so
 * that no round waits for the one before. */
static void draw_pairs(struct build *b, const struct stream *s, LLVMValueRef number, const struct columns *at)
{
    const unsigned pairs = at->vectors / 2, count = b->lanes / 2;
    const uint32_t draw = s->name - b->what->kernel->operand_count;
    LLVMValueRef word[PIPELINE_MAX_UNROLL / 2][PHILOX_WORDS];
    for (unsigned p = 0; p < pairs; p++) {
        LLVMValueRef begin = place_behind(b, number, lanes_in(b, 2 * p));
        begin_words(b, word[p], element_numbers(b, begin, PHILOX_WORDS, count), count);
    }
    for (unsigned round = 0; round + 1 < PHILOX_ROUNDS; round++)
        for (unsigned p = 0; p < pairs; p++) build_round(b, word[p], held_key(b, draw, round), count);
    for (unsigned p = 0; p < pairs; p++) {
        LLVMValueRef pair[2];
        finish_words(b, &pair[0], &pair[1], word[p], *held_key(b, draw, PHILOX_ROUNDS - 1));
        if (at->split == 1) zip_vectors(b, pair, pair[0], pair[1]);
        for (unsigned v = 0; v < 2; v++) *moved(b, s->name, 2 * p + v) = draws_of_words(b, pair[v]);
    }
}

unsigned draw_unroll(const struct build *b)
{
    const bool one_by_one = backend_has_short_loops(b->options) || target_has_grid(b->isa);
    return b->what->kernel->draw_count && !one_by_one ? 2 : 1;
}

/* Compares the numbers of all draws with the first one's, modulo a counter's words. */
LLVMValueRef draws_begin_alike(struct build *b, LLVMValueRef *first)
{
    LLVMValueRef differ = word_constant(b, 0);
    for (uint32_t k = 1; k < b->what->kernel->draw_count; k++)
        differ = LLVMBuildOr(b->ir, differ, LLVMBuildXor(b->ir, first[k], first[0], ""), "");
    LLVMValueRef low = LLVMBuildAnd(b->ir, differ, word_constant(b, PHILOX_WORDS - 1), "");
    return LLVMBuildICmp(b->ir, LLVMIntEQ, low, word_constant(b, 0), "");
}

LLVMValueRef columns_before_counter(struct build *b, LLVMValueRef first)
{
    LLVMValueRef before =
        LLVMBuildAnd(b->ir, LLVMBuildNeg(b->ir, first, ""), word_constant(b, PHILOX_WORDS - 1), "");
    return LLVMBuildIntCast2(b->ir, before, b->size, false, "");
}

/* -- numbers of rows and columns (row_numbers.h) -- */

static LLVMValueRef low_half(struct build *b, LLVMValueRef number)
{
    return LLVMBuildTrunc(b->ir, number, b->scalar[LANE_I32], "");
}

/* Returns number, number + step, ... in all lanes, as f32. */
static LLVMValueRef number_vector(struct build *b, LLVMValueRef number, unsigned step)
{
    LLVMValueRef lanes = lane_numbers(b, LANE_I32, step, b->lanes),
                 all = LLVMBuildAdd(b->ir, splat_value(b, low_half(b, number), b->lanes), lanes, "");
    return LLVMBuildSIToFP(b->ir, all, b->vector[LANE_F32], "");
}

LLVMValueRef place_in_all_lanes(struct build *b, LLVMValueRef number)
{
    LLVMValueRef one = LLVMBuildSIToFP(b->ir, low_half(b, number), b->scalar[LANE_F32], "");
    return splat_value(b, one, b->lanes);
}

void place_stream(struct build *b, const struct stream *s, LLVMValueRef first, const struct columns *at)
{
    const bool is_random = s->operand->source == SOURCE_RANDOM;
    LLVMValueRef seed = is_random ? b->seeds[s->name - b->what->kernel->operand_count] : NULL;
    if (is_random && at->whole_counters) {
        draw_pairs(b, s, place_behind(b, first, at->column), at);
        return;
    }
    for (unsigned u = 0; u < at->vectors; u++) {
        const unsigned beside = u % at->split;
        LLVMValueRef column = LLVMBuildAdd(b->ir, at->column, columns_before(b, u - beside, 1), "");
        column = LLVMBuildAdd(b->ir, column, size_constant(b, beside), "");
        LLVMValueRef number = place_behind(b, first, column);
        *moved(b, s->name, u) =
            is_random ? draw_vector(b, seed, number, at->split) : number_vector(b, number, at->split);
    }
}
