/* Lookups in tables. A small table is a permute, if the instruction set has one. A larger table takes several
 * permutes and blends. Otherwise lookups load from memory.
 *
 * Permutes by lanes ignore the high bits of the index, as the op does. */
#include "build.h"

#include <llvm-c/Target.h>
#include <string.h>

/* Returns the smallest permute that holds the table, or else the largest permute. NULL if there is none. */
static const struct target_permute *find_permute(const struct target_isa *isa, unsigned bytes,
                                                 unsigned log2_size)
{
    const struct target_permute *best = NULL;
    for (unsigned i = 0; i < TARGET_MOST_PERMUTES && isa->permutes[i].intrinsic; i++) {
        const struct target_permute *p = &isa->permutes[i];
        if (p->bytes != bytes) continue;
        best = p;
        if (p->log2_entries >= log2_size) break;
    }
    return best;
}

enum lane_type integer_of_bytes(unsigned bytes)
{
    return bytes == 1 ? LANE_I8 : bytes == 2 ? LANE_I16 : bytes == 4 ? LANE_I32 : LANE_I64;
}

static enum lane_type entry_of(unsigned bytes)
{
    return bytes == 4 ? LANE_F32 : bytes == 8 ? LANE_F64 : integer_of_bytes(bytes);
}

struct piece { /* the part of a table that one instruction holds */
    const struct target_permute *permute;
    const uint64_t *bits;
    unsigned log2_size;
};

enum { MOST_ENTRIES = 128, MOST_REGISTERS = 4 };

/* Returns the numbers of an entry's bytes, computed from those of lanes. For entries of 4 bytes and index i
 * they are 4i, 4i + 1, 4i + 2 and 4i + 3, in the order of a lane's bytes. Few sets multiply 64-bit lanes, so
 * such lanes are multiplied by halves. The index is copied into the high half. */
static LLVMValueRef bytes_of_lanes(struct build *b, const struct target_permute *p, LLVMValueRef index)
{
    const bool wide = p->bytes == 8;
    if (p->bytes == 1)
        return LLVMBuildAnd(b->ir, index, constant_splat(b, LANE_I8, p->lanes, (1u << p->log2_entries) - 1),
                            "");
    const enum lane_type type = wide ? LANE_I64 : LANE_I32;
    const uint64_t low_first = wide ? UINT64_C(0x0706050403020100) : 0x03020100,
                   high_first = wide ? UINT64_C(0x0001020304050607) : 0x00010203;
    const uint64_t numbers = b->big_endian ? high_first : low_first;
    LLVMValueRef entries = constant_splat(b, type, p->lanes, (1u << p->log2_entries) - 1);
    LLVMValueRef spread = LLVMBuildAnd(b->ir, index, entries, "");
    if (wide) {
        LLVMValueRef high = LLVMBuildShl(b->ir, spread, constant_splat(b, type, p->lanes, 32), "");
        spread = LLVMBuildBitCast(b->ir, LLVMBuildOr(b->ir, spread, high, ""),
                                  LLVMVectorType(b->scalar[LANE_I32], 2 * p->lanes), "");
    }
    LLVMValueRef all = constant_splat(b, LANE_I32, lane_count(spread), 0x01010101u * p->bytes);
    LLVMValueRef first = LLVMBuildMul(b->ir, spread, all, "");
    LLVMValueRef offsets =
        LLVMBuildBitCast(b->ir, constant_splat(b, type, p->lanes, numbers), LLVMTypeOf(first), "");
    return LLVMBuildAdd(b->ir, first, offsets, "");
}

/* Permutes bytes: `registers` hold the table, `numbers` the numbers of bytes. Each becomes a vector of the
 * type that the intrinsic takes. */
static LLVMValueRef permute_bytes(struct build *b, const struct target_permute *p, LLVMValueRef *registers,
                                  unsigned count, LLVMValueRef numbers)
{
    LLVMTypeRef bytes = LLVMVectorType(LLVMIntTypeInContext(b->context, 8), p->lanes * p->bytes);
    LLVMTypeRef types[MOST_REGISTERS + 1];
    LLVMValueRef arguments[MOST_REGISTERS + 1];
    const unsigned id = LLVMLookupIntrinsicID(p->intrinsic, strlen(p->intrinsic));
    const bool from_end = p->index == BY_BYTE_FROM_END;
    if (id) LLVMGetParamTypes(LLVMIntrinsicGetType(b->context, id, &bytes, p->overloads), types);
    for (unsigned i = 0; i < count; i++) arguments[i] = registers[from_end ? count - 1 - i : i];
    arguments[count] = from_end ? LLVMBuildNot(b->ir, numbers, "") : numbers;
    for (unsigned i = 0; id && i <= count; i++)
        arguments[i] = LLVMBuildBitCast(b->ir, arguments[i], types[i], "");
    return call_intrinsic(b, p->intrinsic, &bytes, p->overloads, arguments, count + 1);
}

/* Returns constant words of two bytes each. The first byte is the low one, or the high one if
 * `first_is_high`. */
static LLVMValueRef pairs_of_bytes(struct build *b, LLVMValueRef bytes, LLVMTypeRef words, bool first_is_high)
{
    LLVMValueRef pairs = LLVMBuildBitCast(b->ir, bytes, words, "");
    if (!first_is_high) return pairs;
    LLVMValueRef byte = constant_splat(b, LANE_I16, LLVMGetVectorSize(words), 8);
    return LLVMBuildOr(b->ir, LLVMBuildShl(b->ir, pairs, byte, ""), LLVMBuildLShr(b->ir, pairs, byte, ""),
                       "");
}

/* Looks up bytes in words: one lookup for the even bytes, one for the odd bytes. The lowest bit of the index
 * selects a byte of the word, which is shifted to its place. For an even byte, it moves down from the high
 * half if the bit is set. For an odd byte, it moves up from the low half, and the words have their bytes
 * exchanged. The instruction ignores high bits of an index. */
static LLVMValueRef permute_pairs(struct build *b, const struct target_permute *p, LLVMValueRef *registers,
                                  LLVMValueRef index)
{
    const unsigned lanes = p->lanes / 2;
    LLVMTypeRef words = vector_type(b, LLVMIntTypeInContext(b->context, 16), lanes);
    LLVMValueRef x = LLVMBuildBitCast(b->ir, index, words, ""), found[2];
    LLVMValueRef low = constant_splat(b, LANE_I16, lanes, 0xff),
                 high = constant_splat(b, LANE_I16, lanes, 0xff00);
    LLVMValueRef shifts[2] = {LLVMBuildShl(b->ir, x, constant_splat(b, LANE_I16, lanes, 3), ""),
                              LLVMBuildLShr(b->ir, x, constant_splat(b, LANE_I16, lanes, 5), "")};
    for (unsigned odd = 0; odd < 2; odd++) {
        LLVMValueRef first = pairs_of_bytes(b, registers[0], words, odd),
                     second = pairs_of_bytes(b, registers[1], words, odd);
        LLVMValueRef number = LLVMBuildLShr(b->ir, x, constant_splat(b, LANE_I16, lanes, odd ? 9 : 1), "");
        LLVMValueRef arguments[] = {first, number, second};
        found[odd] = call_intrinsic(b, p->intrinsic, NULL, 0, arguments, 3);
        shifts[odd] = LLVMBuildAnd(b->ir, shifts[odd], constant_splat(b, LANE_I16, lanes, 8), "");
    }
    LLVMValueRef even = LLVMBuildAnd(b->ir, LLVMBuildLShr(b->ir, found[0], shifts[0], ""), low, "");
    LLVMValueRef odd = LLVMBuildAnd(b->ir, LLVMBuildShl(b->ir, found[1], shifts[1], ""), high, "");
    return LLVMBuildBitCast(b->ir, LLVMBuildOr(b->ir, even, odd, ""), LLVMTypeOf(index), "");
}

/* Returns the constant, which is a register of a table. Linkers and LLVM join equal constants of up to 32
 * bytes. Functions share a larger one in code that is to be short. Otherwise each function has its own. */
static LLVMValueRef shared_register(struct build *b, LLVMValueRef constant)
{
    enum { MOST_JOINED = 32 };
    LLVMTypeRef type = LLVMTypeOf(constant);
    if (!b->options->compact || LLVMABISizeOfType(LLVMGetModuleDataLayout(b->module), type) <= MOST_JOINED)
        return constant;
    LLVMValueRef load = LLVMBuildLoad2(b->ir, type, shared_global(b, constant), "");
    mark_invariant(b, load);
    return load;
}

/* -- permutes -- */

static LLVMValueRef permute_piece(struct build *b, const void *context, LLVMValueRef index,
                                  LLVMValueRef unused)
{
    const struct piece *piece = context;
    const struct target_permute *p = piece->permute;
    const enum lane_type type = entry_of(p->bytes);
    uint64_t all[MOST_ENTRIES];
    LLVMValueRef arguments[MOST_REGISTERS + 1];
    unsigned count = 0;
    (void)unused;
    /* A table smaller than a register is repeated in it: pshufb reads 16 bytes for each 16. */
    const unsigned entries = 1u << p->log2_entries, filled = entries < p->lanes ? p->lanes : entries;
    for (unsigned i = 0; i < filled; i++) all[i] = piece->bits[i & ((1u << piece->log2_size) - 1)];
    for (unsigned first = 0; first < filled; first += p->lanes)
        arguments[count++] = shared_register(b, constant_lanes(b, type, all + first, p->lanes));
    if (p->index == BY_TWO_LANE_OF_WORDS) return permute_pairs(b, p, arguments, index);
    if (p->index >= BY_BYTE) {
        LLVMValueRef found = permute_bytes(b, p, arguments, count, bytes_of_lanes(b, p, index));
        return LLVMBuildBitCast(b->ir, found, LLVMVectorType(b->scalar[type], p->lanes), "");
    }
    arguments[count++] = index;
    if (p->index == BY_TWO_LANE) {
        arguments[2] = arguments[1];
        arguments[1] = index;
    }
    return call_intrinsic(b, p->intrinsic, NULL, 0, arguments, count);
}

/* Returns true if each entry i is first + i * step. */
static bool is_sequence(const uint64_t *bits, unsigned log2_size, uint64_t first, unsigned step)
{
    for (unsigned i = 0; i >> log2_size == 0; i++)
        if (bits[i] != first + (uint64_t)i * step) return false;
    return true;
}

/* A part of a table: the entries whose numbers share their high bits. */
struct part {
    const uint64_t *bits;
    unsigned log2_size;
    uint64_t first; /* the number of the first entry */
    bool is_chosen; /* the part is used only where the high bits of the index are those of the part */
};

/* Returns the bytes of a part that needs no lookup: all bytes are equal, or each is the index itself.
 * Examples are the saturated ends of functions of a byte, ReLU, and functions that map 8 bits to 8 bits.
 * NULL: the part needs a lookup. */
static LLVMValueRef simple_part(struct build *b, const struct target_permute *permute,
                                const struct part *part, LLVMValueRef index)
{
    if (permute->bytes != 1) return NULL;
    if (part->is_chosen && is_sequence(part->bits, part->log2_size, part->first, 1)) return index;
    if (!is_sequence(part->bits, part->log2_size, part->bits[0], 0)) return NULL;
    return splat_bits(b, LANE_I8, part->bits[0]);
}

/* Looks up a table that needs more than one instruction. Looks into both halves, and chooses by the index bit
 * above theirs. This bit moves to the sign, where a blend finds it without a comparison. */
static LLVMValueRef from_registers(struct build *b, const struct target_permute *permute, struct part part,
                                   LLVMValueRef index)
{
    LLVMValueRef simple = simple_part(b, permute, &part, index);
    if (simple) return simple;
    if (part.log2_size <= permute->log2_entries) {
        struct piece piece = {permute, part.bits, part.log2_size};
        return in_pieces(b, permute->lanes, permute_piece, &piece, index, NULL);
    }
    const enum lane_type type = integer_of_bytes(permute->bytes);
    const uint64_t half = UINT64_C(1) << (part.log2_size - 1);
    struct part halves[2] = {{part.bits, part.log2_size - 1, part.first, part.is_chosen},
                             {part.bits + half, part.log2_size - 1, part.first + half, part.is_chosen}};
    if (!memcmp(part.bits, part.bits + half, half * sizeof *part.bits)) {
        halves[0].is_chosen = false;
        return from_registers(b, permute, halves[0], index);
    }
    LLVMValueRef low = from_registers(b, permute, halves[0], index);
    LLVMValueRef high = from_registers(b, permute, halves[1], index);
    LLVMValueRef to_sign = splat_bits(b, type, 8 * permute->bytes - part.log2_size);
    LLVMValueRef sign = LLVMBuildShl(b->ir, index, to_sign, "");
    LLVMValueRef is_high = LLVMBuildICmp(b->ir, LLVMIntSLT, sign, LLVMConstNull(b->vector[type]), "");
    return LLVMBuildSelect(b->ir, is_high, high, low, "");
}

/* -- tables in registers of scalable sets -- */

/* Returns the permute for a table that registers can hold, or NULL. */
static const struct target_permute *holding_permute(const struct build *b, uint32_t number)
{
    const struct lane_table *t = &b->program->tables[number];
    const struct target_permute *p = find_permute(b->isa, lane_type_bytes(t->type), t->log2_size);
    return b->isa->scalable && p && t->log2_size <= p->log2_entries ? p : NULL;
}

/* Loads tables into registers. Elements after the end of a table are 0. */
void hold_tables(struct build *b)
{
    for (uint32_t number = 0; number < b->program->table_count; number++) {
        const struct lane_table *t = &b->program->tables[number];
        const struct target_permute *p = holding_permute(b, number);
        const unsigned count = p ? (1u << p->log2_entries) / p->lanes : 0, bytes = lane_type_bytes(t->type);
        LLVMTypeRef vector = b->vector[entry_of(bytes)];
        for (unsigned i = 0; i < count; i++) {
            LLVMValueRef first = lanes_in(b, i);
            LLVMValueRef rest = size_beyond(b, size_constant(b, UINT64_C(1) << t->log2_size), first);
            LLVMValueRef at =
                LLVMBuildGEP2(b->ir, LLVMGetElementType(vector), table_global(b, number), &first, 1, "");
            *held_table(b, number, i) = load_elements(b, vector, at, rest, bytes);
        }
    }
}

/* Looks into each register by itself. Each lookup finds 0 if another register has the entry. */
static LLVMValueRef or_of_registers(struct build *b, const struct target_permute *p, uint32_t number,
                                    LLVMValueRef entry)
{
    const enum lane_type type = entry_of(p->bytes), integer = integer_of_bytes(p->bytes);
    LLVMTypeRef types[] = {b->vector[type], b->size};
    LLVMValueRef all = NULL;
    for (unsigned i = 0; i < (1u << p->log2_entries) / p->lanes; i++) {
        LLVMValueRef first = LLVMBuildIntCast2(b->ir, lanes_in(b, i), b->scalar[integer], false, "");
        LLVMValueRef number_in = LLVMBuildSub(b->ir, entry, splat_value(b, first, b->lanes), "");
        LLVMValueRef arguments[] = {LLVMGetPoison(b->vector[type]), *held_table(b, number, i), number_in,
                                    LLVMConstAllOnes(b->size)};
        const bool has_length = p->index == BY_LANE_OF_LENGTH;
        LLVMValueRef found =
            call_intrinsic(b, p->intrinsic, types, p->overloads, arguments + !has_length, has_length ? 4 : 2);
        found = LLVMBuildBitCast(b->ir, found, b->vector[integer], "");
        all = all ? LLVMBuildOr(b->ir, all, found, "") : found;
    }
    return LLVMBuildBitCast(b->ir, all, b->vector[type], "");
}

static LLVMValueRef from_held(struct build *b, const struct target_permute *p, uint32_t number,
                              LLVMValueRef index)
{
    const unsigned log2_size = b->program->tables[number].log2_size;
    LLVMValueRef last = splat_bits(b, integer_of_bytes(p->bytes), (1u << log2_size) - 1);
    LLVMValueRef entry = LLVMBuildAnd(b->ir, index, last, "");
    if (p->index != BY_LANE_OF_BOTH) return or_of_registers(b, p, number, entry);
    LLVMValueRef arguments[] = {*held_table(b, number, 0), *held_table(b, number, 1), entry};
    return call_intrinsic(b, p->intrinsic, &b->vector[entry_of(p->bytes)], p->overloads, arguments, 3);
}

LLVMValueRef lookup_f32(struct build *b, const uint64_t *bits, unsigned log2_size, LLVMValueRef index)
{
    const struct target_permute *permute = find_permute(b->isa, 4, log2_size);
    const struct part whole = {bits, log2_size, 0, false};
    if (!permute || b->isa->scalable || log2_size > permute->log2_entries + 1) return NULL;
    return LLVMBuildBitCast(b->ir, from_registers(b, permute, whole, index), b->vector[LANE_F32], "");
}

LLVMValueRef build_lookup(struct build *b, uint32_t table, LLVMValueRef index)
{
    const struct lane_table *t = &b->program->tables[table];
    unsigned bytes = lane_type_bytes(t->type);
    const struct target_permute *permute = find_permute(b->isa, bytes, t->log2_size);
    const struct target_permute *holding = holding_permute(b, table);
    const unsigned blended = bytes == 1 ? TARGET_MOST_BLENDED_BITS_OF_BYTES : TARGET_MOST_BLENDED_BITS;
    if (!permute || t->log2_size > permute->log2_entries + blended || (b->isa->scalable && !holding))
        return lookup_in_memory(b, table, index);
    /* zero-extended, narrowed, or unchanged */
    index = LLVMBuildIntCast2(b->ir, index, b->vector[integer_of_bytes(bytes)], false, "");
    /* Only indices of bytes have no bits above those of the table. */
    const struct part whole = {t->bits, t->log2_size, 0, bytes == 1 && t->log2_size == 8};
    LLVMValueRef value =
        holding ? from_held(b, holding, table, index) : from_registers(b, permute, whole, index);
    return LLVMBuildBitCast(b->ir, value, b->vector[t->type], "");
}
