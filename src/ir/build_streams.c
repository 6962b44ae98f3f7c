/* Streams: moves a kernel's operands between memory and vectors of lanes.
 *
 * `ways` counts the vectors whose elements alternate in memory. They are the names of an interleaved group
 * and, in a split turn, the even and the odd columns of each name. The columns may be in any order in
 * vectors, if all operands have the same order. For bf16 a split order costs nothing, because an i32 lane
 * holds two neighbours. */
#include "build.h"
#include "function.h"

enum { MOST_WAYS = 64 };

uint32_t find_streams(struct stream *out, const struct lane_kernel *kernel)
{
    uint32_t count = 0;
    for (uint32_t k = kernel->operand_count; k < name_count(kernel); k++)
        out[count++] = (struct stream){.operand = &kernel->operands[k], .name = k, .parts = 1};
    for (uint32_t k = 0; k < kernel->operand_count; k++) {
        const struct kernel_operand *o = &kernel->operands[k];
        if (o->type == ELEMENT_U64) continue;
        const bool interleaved = o->layout == LAYOUT_INTERLEAVED;
        if (!interleaved || o->part == 0)
            out[count++] = (struct stream){.operand = o, .name = k, .parts = interleaved ? o->parts : 1};
    }
    return count;
}

enum uniformity uniformity_of(const struct kernel_operand *o)
{
    return o->shape == SHAPE_ONE ? ONCE : o->shape == SHAPE_ROWS ? PER_ROW : VARIES;
}

bool stream_has_stride(const struct stream *s)
{
    return s->sum ? s->sum->shape == SHAPE_ROWS : kernel_has_stride(s->operand);
}

bool is_sum_of_row(const struct stream *s) { return s->sum && s->sum->shape != SHAPE_COLS; }

bool adds_in_row(const struct stream *s) { return s->total || is_sum_of_row(s); }

/* Returns true if elements are moved one by one. Scalable vectors can only be divided into halves, so this is
 * so if `ways` is no power of two. */
static bool goes_by_element(const struct build *b, unsigned ways)
{
    return b->isa->scalable && ways & (ways - 1);
}

static bool moves_pairs(const struct build *b, const struct stream *s, unsigned ways)
{
    return s->operand->type == ELEMENT_BF16 && ways % 2 == 0 && !goes_by_element(b, ways);
}

/* Counts the instructions that cross lanes, for `ways` vectors that alternate in memory. */
static unsigned crossings(const struct build *b, const struct stream *s, unsigned ways)
{
    const unsigned pairs = ways / 2, result = s->operand->is_result, alternate = ways > 1 ? ways : 0;
    switch (s->operand->type) {
    case ELEMENT_BF16:
        return moves_pairs(b, s, ways) ? (pairs > 1 ? pairs : 0) : ways * (1 + result) + alternate;
    case ELEMENT_F64: return 2 * alternate;
    default: return alternate;
    }
}

unsigned choose_split(const struct build *b)
{
    unsigned whole = 0, split = 0;
    if (has_bits(b) && !bits_can_split(b)) return 1;
    for (uint32_t n = 0; n < b->program->count; n++) {
        const struct lane_instruction *i = &b->program->code[n];
        const bool is_made = !b->uniform[n] && !b->rare[n] && i->op != LANE_CONST;
        if (is_made && lane_type_bytes(i->type) == 8) return 1; /* two such vectors fill the registers */
    }
    for (const struct stream *s = b->streams; s < b->streams + b->stream_count; s++) {
        if (s->operand->block && (b->isa->scalable || s->operand->block < 2 * b->lanes)) return 1;
        if (s->operand->block || uniformity_of(s->operand) || !is_in_memory(s) ||
            element_is_bit(s->operand->type))
            continue;
        if (2 * s->parts > MOST_WAYS || goes_by_element(b, 2 * s->parts)) return 1;
        whole += 2 * crossings(b, s, s->parts);
        split += crossings(b, s, 2 * s->parts);
    }
    return split < whole ? 2 : 1;
}

bool has_blocks(const struct build *b)
{
    for (const struct stream *s = b->streams; s < b->streams + b->stream_count; s++)
        if (s->operand->block) return true;
    return false;
}

unsigned column_bytes(const struct stream *s) { return s->parts * element_types[s->operand->type].bytes; }

bool loads_cheaply(const struct kernel_operand *o)
{
    const bool is_cheap =
        element_types[o->type].lanes == ELEMENT_OWN || o->type == ELEMENT_BF16 || element_is_bit(o->type);
    return is_cheap && !o->source && !o->block && (o->layout != LAYOUT_INTERLEAVED || o->parts == 1);
}

LLVMValueRef stream_address(struct build *b, const struct stream *s, LLVMValueRef data, LLVMValueRef column)
{
    LLVMTypeRef element = element_type_in(b, s->operand->type);
    if (element_shares_byte(s->operand->type)) return byte_address(b, s->operand->type, data, column);
    if (s->parts > 1) element = LLVMArrayType2(element, s->parts);
    return LLVMBuildGEP2(b->ir, element, data, &column, 1, "");
}

/* Returns a field of an operand record. Threads of a grid have both fields as parameters, and direct
 * functions have the data. Other functions have the record in memory. */
LLVMValueRef operand_field(struct build *b, uint32_t group, unsigned field, LLVMTypeRef type)
{
    if (target_has_grid(b->isa)) return LLVMGetParam(b->function, 2 + 2 * group + field);
    if (b->direct) return field ? LLVMConstNull(type) : LLVMGetParam(b->function, 2 + group);
    LLVMTypeRef record = operand_record(b->context, b->pointer, b->size);
    LLVMValueRef path[] = {i32_constant(b, group), i32_constant(b, field)};
    LLVMValueRef address = LLVMBuildGEP2(b->ir, record, LLVMGetParam(b->function, 2), path, 2, "");
    return LLVMBuildLoad2(b->ir, type, address, "");
}

/* Returns the address at which the stream begins. In a packed operand's row, the elements of each part lie
 * together. */
LLVMValueRef first_row(struct build *b, const struct stream *s, LLVMValueRef cols)
{
    const struct kernel_operand *o = s->operand;
    if (!is_in_memory(s)) return first_place(b, s);
    LLVMValueRef data = operand_field(b, o->group, 0, b->pointer);
    if (o->layout != LAYOUT_PACKED || !o->part) return data;
    LLVMValueRef before = size_constant(b, o->part);
    if (o->shape != SHAPE_ONE && !is_sum_of_row(s)) before = LLVMBuildMul(b->ir, cols, before, "");
    return stream_address(b, s, data, before);
}

LLVMValueRef moved_on(struct build *b, const struct stream *s, LLVMValueRef data, LLVMValueRef elements)
{
    if (!is_in_memory(s)) return place_behind(b, data, elements);
    if (element_shares_byte(s->operand->type)) return byte_address(b, s->operand->type, data, elements);
    return LLVMBuildGEP2(b->ir, element_type_in(b, s->operand->type), data, &elements, 1, "");
}

/* -- vectors that alternate -- */

void zip_vectors(struct build *b, LLVMValueRef *out, LLVMValueRef x, LLVMValueRef y)
{
    const unsigned lanes = lane_count(x);
    if (b->isa->scalable) {
        interleave(b, out, x, y);
        return;
    }
    for (unsigned h = 0; h < 2; h++) {
        LLVMValueRef numbers[MOST_WAYS];
        for (unsigned i = 0; i < lanes; i++) {
            const unsigned at = h * lanes + i;
            numbers[i] = i32_constant(b, at / 2 + (at % 2 ? lanes : 0));
        }
        out[h] = LLVMBuildShuffleVector(b->ir, x, y, LLVMConstVector(numbers, lanes), "");
    }
}

/* Returns the even and the odd lanes of x followed by y. */
static void unzip(struct build *b, LLVMValueRef *even, LLVMValueRef *odd, LLVMValueRef x, LLVMValueRef y)
{
    const unsigned lanes = lane_count(x);
    if (b->isa->scalable) {
        deinterleave(b, even, odd, x, y);
        return;
    }
    *even = shuffle(b, x, y, 0, 2, lanes);
    *odd = shuffle(b, x, y, 1, 2, lanes);
}

/* Returns vector `out` of an odd number of vectors, taken apart or put together lane by lane. */
static LLVMValueRef gather_lanes(struct build *b, LLVMValueRef *vectors, unsigned ways, unsigned out,
                                 bool apart)
{
    const unsigned lanes = lane_count(vectors[0]);
    LLVMValueRef result = LLVMGetPoison(LLVMTypeOf(vectors[0]));
    for (unsigned w = 0; w < ways; w++) {
        LLVMValueRef numbers[MOST_WAYS];
        for (unsigned i = 0; i < lanes; i++) {
            /* element i * ways + out of memory, or lane (out * lanes + i) / ways of name (...) % ways */
            const unsigned at = apart ? i * ways + out : out * lanes + i;
            const unsigned vector = apart ? at / lanes : at % ways, lane = apart ? at % lanes : at / ways;
            numbers[i] = i32_constant(b, vector == w ? lanes + lane : i);
        }
        result = LLVMBuildShuffleVector(b->ir, result, vectors[w], LLVMConstVector(numbers, lanes), "");
    }
    return result;
}

/* Turns `ways` vectors of memory into as many vectors whose elements alternate there, in place. An even
 * number is divided into halves. */
static void take_apart(struct build *b, LLVMValueRef *v, unsigned ways)
{
    LLVMValueRef out[MOST_WAYS];
    const unsigned half = ways / 2;
    if (ways < 2) return;
    if (ways % 2) {
        for (unsigned w = 0; w < ways; w++) out[w] = gather_lanes(b, v, ways, w, true);
    } else {
        LLVMValueRef even[MOST_WAYS / 2], odd[MOST_WAYS / 2];
        for (unsigned w = 0; w < half; w++) unzip(b, &even[w], &odd[w], v[2 * w], v[2 * w + 1]);
        take_apart(b, even, half);
        take_apart(b, odd, half);
        for (unsigned w = 0; w < ways; w++) out[w] = w % 2 ? odd[w / 2] : even[w / 2];
    }
    for (unsigned w = 0; w < ways; w++) v[w] = out[w];
}

static void put_together(struct build *b, LLVMValueRef *v, unsigned ways)
{
    LLVMValueRef out[MOST_WAYS];
    const unsigned half = ways / 2;
    if (ways < 2) return;
    if (ways % 2) {
        for (unsigned w = 0; w < ways; w++) out[w] = gather_lanes(b, v, ways, w, false);
    } else {
        LLVMValueRef even[MOST_WAYS / 2], odd[MOST_WAYS / 2];
        for (unsigned w = 0; w < ways; w++) *(w % 2 ? &odd[w / 2] : &even[w / 2]) = v[w];
        put_together(b, even, half);
        put_together(b, odd, half);
        for (unsigned w = 0; w < half; w++) zip_vectors(b, &out[2 * w], even[w], odd[w]);
    }
    for (unsigned w = 0; w < ways; w++) v[w] = out[w];
}

/* -- loads -- */

/* Returns the address of vector `number` of the vectors from `address` on. */
static LLVMValueRef vector_address(struct build *b, LLVMTypeRef vector, LLVMValueRef address, unsigned number)
{
    LLVMValueRef index = lanes_in(b, number);
    return number ? LLVMBuildGEP2(b->ir, LLVMGetElementType(vector), address, &index, 1, "") : address;
}

/* Returns the addresses of elements w, w + ways, w + 2 * ways ... after the first. */
static LLVMValueRef every_address(struct build *b, enum element_type type, LLVMValueRef first, unsigned ways,
                                  unsigned w)
{
    LLVMValueRef none = NULL, all = splat_bits(b, LANE_I32, ways);
    LLVMValueRef numbers = call_intrinsic(b, STEP_VECTOR, &b->vector[LANE_I32], 1, &none, 0);
    LLVMValueRef index =
        LLVMBuildAdd(b->ir, LLVMBuildMul(b->ir, numbers, all, ""), splat_bits(b, LANE_I32, w), "");
    return LLVMBuildGEP2(b->ir, element_type_in(b, type), first, &index, 1, "");
}

/* Returns how many elements of `rest` columns are left at vector `number`. 0 if the vector is after them. */
static LLVMValueRef rest_at(struct build *b, LLVMValueRef rest, unsigned ways, unsigned number)
{
    if (!rest || ways == 1) return rest;
    LLVMValueRef elements = LLVMBuildMul(b->ir, rest, size_constant(b, ways), "");
    return size_beyond(b, elements, lanes_in(b, number));
}

/* Returns the alignment of a vector whose elements have so many bytes. */
static unsigned alignment_of(const struct build *b, unsigned element)
{
    return b->alignment ? b->alignment : element;
}

/* Returns true if lanes hold elements as they are, f16 or bytes. If one operand is loaded so, all are. */
static bool keeps_elements(const struct build *b)
{
    for (uint32_t n = 0; n < b->program->count; n++) {
        const struct lane_instruction *i = &b->program->code[n];
        if (i->op == LANE_LOAD && (i->type == LANE_F16 || i->type == LANE_I8)) return true;
    }
    return false;
}

static void load_vectors(struct build *b, const struct stream *s, LLVMValueRef address, LLVMValueRef rest,
                         unsigned ways, LLVMValueRef *out)
{
    const enum element_type type = s->operand->type;
    const unsigned bytes = alignment_of(b, element_types[type].bytes);
    LLVMTypeRef vector = vector_type(b, element_type_in(b, type), b->lanes);
    if (!rest && moves_pairs(b, s, ways)) {
        LLVMValueRef pairs[MOST_WAYS / 2] = {NULL};
        for (unsigned w = 0; w < ways / 2; w++) {
            LLVMTypeRef words = b->vector[LANE_I32];
            pairs[w] = load_elements(b, words, vector_address(b, words, address, w), NULL, bytes);
        }
        take_apart(b, pairs, ways / 2);
        for (unsigned w = 0; w < ways; w++) out[w] = f32_of_pairs(b, pairs[w / 2], w % 2);
        return;
    }
    const bool by_element = goes_by_element(b, ways);
    for (unsigned w = 0; w < ways; w++) {
        LLVMValueRef at =
            by_element ? every_address(b, type, address, ways, w) : vector_address(b, vector, address, w);
        out[w] = load_elements(b, vector, at, by_element ? rest : rest_at(b, rest, ways, w), bytes);
        out[w] = lanes_of_elements(b, type, keeps_elements(b), out[w]);
    }
    if (!by_element) take_apart(b, out, ways);
}

LLVMValueRef load_uniform(struct build *b, const struct stream *s, LLVMValueRef data)
{
    const enum element_type type = s->operand->type;
    if (b->in_registers) return b->in_registers[s->name];
    if (s->given) return splat_value(b, *s->given, b->lanes);
    if (!is_in_memory(s)) return place_in_all_lanes(b, data);
    LLVMValueRef scalar = LLVMBuildLoad2(b->ir, element_type_in(b, type), data, "");
    LLVMSetAlignment(scalar, element_types[type].bytes);
    LLVMValueRef all = splat_value(b, scalar, b->lanes);
    return lanes_of_elements(b, type, keeps_elements(b), all);
}

/* Loads the element that a vector's columns share. Vectors begin at multiples of their lanes, so that a
 * vector of fixed length has one element. A scalable vector may have several. */
static LLVMValueRef load_shared(struct build *b, const struct stream *s, LLVMValueRef data,
                                LLVMValueRef column, LLVMValueRef rest)
{
    const enum element_type type = s->operand->type;
    const unsigned shift = (unsigned)__builtin_ctz(s->operand->block);
    LLVMValueRef number = LLVMBuildLShr(b->ir, column, size_constant(b, shift), "");
    LLVMValueRef first = stream_address(b, s, data, number), none = NULL;
    if (!b->isa->scalable) return load_uniform(b, s, first);
    LLVMValueRef within = LLVMBuildAnd(b->ir, column, size_constant(b, s->operand->block - 1), "");
    LLVMValueRef start = LLVMBuildTrunc(b->ir, within, b->scalar[LANE_I32], "");
    LLVMValueRef numbers = call_intrinsic(b, STEP_VECTOR, &b->vector[LANE_I32], 1, &none, 0);
    numbers = LLVMBuildAdd(b->ir, numbers, splat_value(b, start, b->lanes), "");
    numbers = LLVMBuildLShr(b->ir, numbers, splat_bits(b, LANE_I32, shift), "");
    LLVMValueRef at = LLVMBuildGEP2(b->ir, element_type_in(b, type), first, &numbers, 1, "");
    LLVMTypeRef vector = vector_type(b, element_type_in(b, type), b->lanes);
    LLVMValueRef elements = load_elements(b, vector, at, rest, element_types[type].bytes);
    return lanes_of_elements(b, type, keeps_elements(b), elements);
}

static void load_blocks(struct build *b, const struct stream *s, LLVMValueRef data, const struct columns *at)
{
    for (unsigned u = 0; u < at->vectors; u += at->split) {
        LLVMValueRef column = LLVMBuildAdd(b->ir, at->column, lanes_in(b, u), "");
        LLVMValueRef lanes = load_shared(b, s, data, column, at->rest);
        for (unsigned w = 0; w < at->split; w++) *moved(b, s->name, u + w) = lanes;
    }
}

void load_stream(struct build *b, const struct stream *s, LLVMValueRef data, const struct columns *at)
{
    const unsigned ways = at->split * s->parts;
    if (b->in_registers) {
        for (unsigned w = 0; w < ways; w++) *moved(b, s->name + w, 0) = b->in_registers[s->name + w];
        return;
    }
    if (s->given) {
        for (unsigned u = 0; u < at->vectors; u++) *moved(b, s->name, u) = s->given[u];
        return;
    }
    if (!is_in_memory(s)) {
        place_stream(b, s, data, at);
        return;
    }
    if (s->operand->block) {
        load_blocks(b, s, data, at);
        return;
    }
    if (element_shares_byte(s->operand->type)) {
        (element_is_bit(s->operand->type) ? load_bits : load_nibbles)(b, s, data, at);
        return;
    }
    for (unsigned u = 0; u < at->vectors; u += at->split) {
        LLVMValueRef column = LLVMBuildAdd(b->ir, at->column, columns_before(b, u, 1), "");
        LLVMValueRef vectors[MOST_WAYS] = {NULL};
        load_vectors(b, s, stream_address(b, s, data, column), at->rest, ways, vectors);
        for (unsigned w = 0; w < ways; w++) *moved(b, s->name + w % s->parts, u + w / s->parts) = vectors[w];
    }
}

/* -- stores -- */

/* Adds a vector to the totals of columns, by whole vectors. A mask would store a partial vector in one row,
 * and the load for the next row would have to wait. There is room after the totals of a block. */
static void add_to_columns(struct build *b, const struct stream *s, LLVMValueRef value, LLVMValueRef address,
                           LLVMValueRef rest)
{
    const enum operand_reduction how = s->sum->reduction;
    const unsigned bytes = element_types[s->operand->type].bytes;
    LLVMValueRef none = nothing_to_add(how, LLVMTypeOf(value));
    if (rest) value = LLVMBuildSelect(b->ir, partial_mask(b, rest, lane_count(value)), value, none, "");
    LLVMValueRef all = load_elements(b, LLVMTypeOf(value), address, NULL, bytes);
    store_elements(b, with_one_zero(b, how, added(b, how, all, value)), address, NULL, bytes, false);
}

static void store_vectors(struct build *b, const struct stream *s, LLVMValueRef address, LLVMValueRef rest,
                          unsigned ways, bool streaming, LLVMValueRef *values)
{
    const enum element_type type = s->operand->type;
    const unsigned element = element_types[type].bytes, bytes = alignment_of(b, element),
                   vector_bytes = b->isa->vector_bytes;
    if (!rest && moves_pairs(b, s, ways)) {
        for (unsigned w = 0; w < ways / 2; w++) values[w] = pairs_of_f32(b, values[2 * w], values[2 * w + 1]);
        put_together(b, values, ways / 2);
        for (unsigned w = 0; w < ways / 2; w++)
            store_elements(b, values[w], vector_address(b, b->vector[LANE_I32], address, w), NULL,
                           streaming ? vector_bytes : bytes, streaming);
        return;
    }
    const unsigned size = b->lanes * element, whole = size < vector_bytes ? size : vector_bytes;
    const bool by_element = goes_by_element(b, ways);
    if (!by_element) put_together(b, values, ways);
    for (unsigned w = 0; w < ways; w++) {
        LLVMValueRef value = elements_of_lanes(b, type, values[w]);
        LLVMValueRef at = by_element ? every_address(b, type, address, ways, w)
                                     : vector_address(b, LLVMTypeOf(value), address, w);
        LLVMValueRef left = by_element ? rest : rest_at(b, rest, ways, w);
        if (s->sum)
            add_to_columns(b, s, value, at, left);
        else
            store_elements(b, value, at, left, streaming ? whole : bytes, streaming);
    }
}

void store_stream(struct build *b, const struct stream *s, LLVMValueRef data, const struct columns *at,
                  bool streaming)
{
    const unsigned ways = at->split * s->parts;
    LLVMTypeRef byte = LLVMIntTypeInContext(b->context, 8);
    if (b->in_registers) {
        for (unsigned w = 0; w < ways; w++) b->in_registers[s->name + w] = *moved(b, s->name + w, 0);
        return;
    }
    if (element_shares_byte(s->operand->type)) {
        (element_is_bit(s->operand->type) ? store_bits : store_nibbles)(b, s, data, at);
        return;
    }
    LLVMValueRef first = stream_address(b, s, data, at->column);
    if (at->has_result) first = LLVMBuildSelect(b->ir, at->has_result, first, b->scratch, "");
    for (unsigned u = 0; u < at->vectors; u += at->split) {
        LLVMValueRef vectors[MOST_WAYS], behind = columns_before(b, u, column_bytes(s));
        for (unsigned w = 0; w < ways; w++) vectors[w] = *moved(b, s->name + w % s->parts, u + w / s->parts);
        store_vectors(b, s, LLVMBuildGEP2(b->ir, byte, first, &behind, 1, ""), at->rest, ways, streaming,
                      vectors);
    }
}
