/* Kernels with sums (sums.h): a function around the kernel's own, which calls it tile by tile, and adds up what it stored there.
 *
 *   block:      for each 256 rows: what it comes to begins at nothing
 *   tile:           for some of its rows: the kernel's own function, results that are sums into tiles
 *                   for each of those: over rows, 16 columns at a time, row by row; else row by row, 16 elements at a time
 *
 * Vectors have 16 lanes on every instruction set, of a type of fixed length, and LLVM takes them apart: this is the order that is promised.
 * Loads may go beyond a row, up to 15 elements; behind tiles and totals there is room for them, and what they read is dropped. */
#include "build_sums.h"
#include "build_loops.h"
#include "function.h"
#include "sums.h"

enum { LANES = SUMS_ACCUMULATORS, LOG2_BLOCK_ROWS = 8 };
_Static_assert(SUMS_BLOCK_ROWS == 1 << LOG2_BLOCK_ROWS, "rows of a block");

struct sum { /* one group of results */
    const struct kernel_operand *result;
    enum lane_type type;
    LLVMTypeRef vector;
    LLVMValueRef width;       /* of a row of the tile, elements */
    LLVMValueRef total, tile; /* places, bytes from the block's begin */
    LLVMValueRef values;      /* the tile */
};

struct sums {
    struct build *b;
    struct sum sum[TARGET_MOST_OPERANDS];
    unsigned count;
    LLVMTypeRef record, byte;
    LLVMValueRef tile_function, rows, cols, here; /* the operands of a tile */
    LLVMValueRef tile_rows, block_bytes, workspace;
};

/* -- values -- */

static LLVMValueRef first_value(const struct sum *s, LLVMTypeRef scalar)
{
    return LLVMConstReal(scalar, s->result->reduction == REDUCE_AMAX ? -(double)__builtin_inf() : 0);
}

static LLVMValueRef first_of(const struct sum *s)
{
    LLVMValueRef lanes[LANES], one = first_value(s, LLVMGetElementType(s->vector));
    for (unsigned i = 0; i < LANES; i++) lanes[i] = one;
    return LLVMConstVector(lanes, LANES);
}

static LLVMValueRef scalar_of(LLVMValueRef vector, struct build *b)
{
    return LLVMBuildExtractElement(b->ir, vector, i32_constant(b, 0), "");
}

/* The larger: of zeros +0, whose bits are those that both have; and a NaN, if there is one. */
static LLVMValueRef larger(struct build *b, LLVMTypeRef integer, LLVMValueRef x, LLVMValueRef y)
{
    LLVMValueRef bits = LLVMBuildAnd(b->ir, LLVMBuildBitCast(b->ir, x, integer, ""),
                                     LLVMBuildBitCast(b->ir, y, integer, ""), "");
    LLVMValueRef equal = LLVMBuildBitCast(b->ir, bits, LLVMTypeOf(x), "");
    LLVMValueRef most = LLVMBuildSelect(b->ir, LLVMBuildFCmp(b->ir, LLVMRealOLT, y, x, ""), x, y, "");
    most = LLVMBuildSelect(b->ir, LLVMBuildFCmp(b->ir, LLVMRealOEQ, x, y, ""), equal, most, "");
    LLVMValueRef is_nan = LLVMBuildFCmp(b->ir, LLVMRealUNO, x, y, "");
    return LLVMBuildSelect(b->ir, is_nan, LLVMBuildFAdd(b->ir, x, y, ""), most, "");
}

/* x and y are vectors of any length, or scalars. */
static LLVMValueRef combined(struct build *b, const struct sum *s, LLVMValueRef x, LLVMValueRef y)
{
    const bool is_wide = LLVMTypeOf(x) == b->scalar[LANE_F64] || s->type == LANE_F64;
    LLVMTypeRef integer = b->scalar[is_wide ? LANE_I64 : LANE_I32];
    if (s->result->reduction != REDUCE_AMAX) return LLVMBuildFAdd(b->ir, x, y, "");
    if (LLVMGetTypeKind(LLVMTypeOf(x)) == LLVMVectorTypeKind)
        integer = LLVMVectorType(integer, lane_count(x));
    return larger(b, integer, x, y);
}

/* The 16 of a row. */
static LLVMValueRef met(struct build *b, const struct sum *s, LLVMValueRef all)
{
    for (unsigned half = LANES / 2; half; half /= 2)
        all = combined(b, s, shuffle(b, all, all, 0, 1, half), shuffle(b, all, all, half, 1, half));
    return scalar_of(all, b);
}

static LLVMValueRef address(const struct sums *s, LLVMTypeRef type, LLVMValueRef base, LLVMValueRef index)
{
    return LLVMBuildGEP2(s->b->ir, type, base, &index, 1, "");
}

static LLVMValueRef load(const struct sums *s, const struct sum *of, LLVMTypeRef type, LLVMValueRef base,
                         LLVMValueRef index)
{
    LLVMValueRef value =
        LLVMBuildLoad2(s->b->ir, type, address(s, LLVMGetElementType(of->vector), base, index), "");
    LLVMSetAlignment(value, lane_type_bytes(of->type));
    return value;
}

static void store(const struct sums *s, const struct sum *of, LLVMValueRef value, LLVMValueRef base,
                  LLVMValueRef index)
{
    LLVMValueRef made =
        LLVMBuildStore(s->b->ir, value, address(s, LLVMGetElementType(of->vector), base, index));
    LLVMSetAlignment(made, lane_type_bytes(of->type));
}

/* -- loops: for index = 0; index < end; index += step, which may have no turn -- */

struct loop {
    LLVMBasicBlockRef before, body, after;
    LLVMValueRef index, end, step, value; /* a phi, or NULL */
};

static struct loop begin_loop(struct build *b, LLVMValueRef end, LLVMValueRef step, LLVMValueRef value)
{
    struct loop l = {
        .before = here(b), .body = block(b, ""), .after = block(b, ""), .end = end, .step = step};
    LLVMValueRef zero = size_constant(b, 0);
    LLVMBuildCondBr(b->ir, LLVMBuildICmp(b->ir, LLVMIntULT, zero, end, ""), l.body, l.after);
    go_on_at(b, l.body);
    l.index = phi_start(b, b->size, zero, l.before);
    l.value = value ? phi_start(b, LLVMTypeOf(value), value, l.before) : NULL;
    return l;
}

/* Returns what the value is behind the loop. */
static LLVMValueRef end_loop(struct build *b, const struct loop *l, LLVMValueRef before, LLVMValueRef value)
{
    LLVMValueRef next = LLVMBuildAdd(b->ir, l->index, l->step, ""), all = NULL;
    LLVMBasicBlockRef last = here(b);
    phi_add(l->index, next, last);
    if (value) phi_add(l->value, value, last);
    LLVMBuildCondBr(b->ir, LLVMBuildICmp(b->ir, LLVMIntULT, next, l->end, ""), l->body, l->after);
    go_on_at(b, l->after);
    if (!value) return NULL;
    all = phi_start(b, LLVMTypeOf(value), before, l->before);
    phi_add(all, value, last);
    return all;
}

/* -- places: sums_block_bytes() of this call's columns -- */

static LLVMValueRef smaller(struct build *b, LLVMValueRef x, LLVMValueRef y)
{
    return LLVMBuildSelect(b->ir, LLVMBuildICmp(b->ir, LLVMIntULT, x, y, ""), x, y, "");
}

/* sums_tile_rows(), without a division, which not all sets have. */
static LLVMValueRef find_tile_rows(struct build *b, LLVMValueRef cols)
{
    LLVMValueRef rows = size_constant(b, 1);
    for (unsigned n = 2; n <= SUMS_BLOCK_ROWS; n *= 2) {
        LLVMValueRef fit = LLVMBuildICmp(b->ir, LLVMIntULE, cols, size_constant(b, SUMS_TILE / n), "");
        rows = LLVMBuildSelect(b->ir, fit, size_constant(b, n), rows, "");
    }
    return rows;
}

/* sums.c's place(). */
static LLVMValueRef behind(struct build *b, LLVMValueRef at, LLVMValueRef values, unsigned bytes)
{
    LLVMValueRef size = LLVMBuildMul(b->ir, values, size_constant(b, bytes), "");
    size = LLVMBuildAdd(b->ir, size, size_constant(b, SUMS_ALIGNMENT - 1), "");
    size = LLVMBuildAnd(b->ir, size, LLVMConstNeg(size_constant(b, SUMS_ALIGNMENT)), "");
    return LLVMBuildAdd(b->ir, at, size, "");
}

static void find_places(struct sums *s)
{
    struct build *b = s->b;
    const struct lane_kernel *called = b->what->called;
    LLVMValueRef at = size_constant(b, 0);
    s->tile_rows = find_tile_rows(b, s->cols);
    for (uint32_t k = 0; k < called->operand_count; k++) {
        const struct kernel_operand *o = &called->operands[k];
        if (!o->reduction || o->part) continue;
        struct sum *own = &s->sum[s->count++];
        *own = (struct sum){.result = o, .type = sums_type(o)};
        const unsigned bytes = lane_type_bytes(own->type);
        own->vector = LLVMVectorType(b->scalar[own->type], LANES);
        own->width = LLVMBuildMul(b->ir, s->cols, size_constant(b, o->parts), "");
        LLVMValueRef room = size_constant(b, SUMS_ROOM);
        LLVMValueRef totals = o->shape == SHAPE_COLS
                                  ? own->width
                                  : size_constant(b, o->shape == SHAPE_ROWS ? SUMS_BLOCK_ROWS : 1);
        LLVMValueRef tile = LLVMBuildMul(b->ir, own->width, s->tile_rows, "");
        own->total = at;
        at = behind(b, at, LLVMBuildAdd(b->ir, totals, room, ""), bytes);
        own->tile = at;
        own->values = address(s, s->byte, s->workspace, at);
        at = behind(b, at, LLVMBuildAdd(b->ir, tile, room, ""), bytes);
    }
    s->block_bytes = at;
}

/* -- a tile -- */

static const struct sum *sum_of(const struct sums *s, uint32_t group)
{
    for (unsigned i = 0; i < s->count; i++)
        if (s->sum[i].result->group == group) return &s->sum[i];
    return NULL;
}

static void set_field(const struct sums *s, uint32_t group, unsigned field, LLVMValueRef value)
{
    struct build *b = s->b;
    LLVMValueRef path[] = {i32_constant(b, group), i32_constant(b, field)};
    LLVMBuildStore(b->ir, value, LLVMBuildGEP2(b->ir, s->record, s->here, path, 2, ""));
}

/* The operand at that row; kernel_row() says where. */
static void set_operand(const struct sums *s, const struct kernel_operand *o, LLVMValueRef row)
{
    struct build *b = s->b;
    LLVMValueRef data = operand_field(b, o->group, 0, b->pointer),
                 stride = operand_field(b, o->group, 1, b->size);
    if (o->type == ELEMENT_U64) {
        stride = LLVMBuildAdd(b->ir, stride, LLVMBuildMul(b->ir, row, s->cols, ""), "");
    } else if (kernel_has_stride(o)) {
        LLVMValueRef width = o->shape == SHAPE_ROWS
                                 ? size_constant(b, 1)
                                 : LLVMBuildMul(b->ir, s->cols, size_constant(b, o->parts), "");
        LLVMValueRef none = LLVMBuildICmp(b->ir, LLVMIntEQ, stride, size_constant(b, 0), "");
        LLVMValueRef between = LLVMBuildSelect(b->ir, none, row_width(b, o, width), stride, "");
        LLVMValueRef first = LLVMBuildMul(b->ir, row, between, "");
        data = element_is_bit(o->type) ? bits_address(b, data, first)
                                       : address(s, element_type_in(b, o->type), data, first);
    }
    set_field(s, o->group, 0, data);
    set_field(s, o->group, 1, stride);
}

static void call_tile(const struct sums *s, LLVMValueRef row, LLVMValueRef count)
{
    struct build *b = s->b;
    const struct lane_kernel *called = b->what->called;
    for (uint32_t k = 0; k < called->operand_count; k++) {
        const struct kernel_operand *o = &called->operands[k];
        if (o->part) continue;
        if (!o->reduction) set_operand(s, o, row);
        if (!o->reduction) continue;
        set_field(s, o->group, 0, sum_of(s, o->group)->values);
        set_field(s, o->group, 1, size_constant(b, 0));
    }
    LLVMValueRef arguments[] = {count, s->cols, s->here};
    LLVMBuildCall2(b->ir, LLVMGlobalGetValueType(s->tile_function), s->tile_function, arguments, 3, "");
}

/* Over the tile's rows, to the totals of its columns. */
static void add_rows(const struct sums *s, const struct sum *of, LLVMValueRef total, LLVMValueRef count)
{
    struct build *b = s->b;
    struct loop columns = begin_loop(b, of->width, size_constant(b, LANES), NULL);
    LLVMValueRef before = load(s, of, of->vector, total, columns.index);
    struct loop rows = begin_loop(b, count, size_constant(b, 1), before);
    LLVMValueRef at = LLVMBuildAdd(b->ir, LLVMBuildMul(b->ir, rows.index, of->width, ""), columns.index, "");
    LLVMValueRef sum = combined(b, of, rows.value, load(s, of, of->vector, of->values, at));
    store(s, of, end_loop(b, &rows, before, sum), total, columns.index);
    end_loop(b, &columns, NULL, NULL);
}

/* The first `rest` of the lanes, and what changes nothing. */
static LLVMValueRef kept(const struct sums *s, const struct sum *of, LLVMValueRef vector, LLVMValueRef rest)
{
    struct build *b = s->b;
    LLVMTypeRef integer = b->scalar[lane_types[of->type].other_side];
    LLVMValueRef numbers[LANES], all[LANES];
    LLVMValueRef end = LLVMBuildIntCast2(b->ir, rest, integer, false, "");
    LLVMValueRef ends = LLVMGetPoison(LLVMVectorType(integer, LANES));
    for (unsigned i = 0; i < LANES; i++) {
        numbers[i] = LLVMConstInt(integer, i, false);
        all[i] = i32_constant(b, 0);
    }
    ends = LLVMBuildInsertElement(b->ir, ends, end, i32_constant(b, 0), "");
    ends = LLVMBuildShuffleVector(b->ir, ends, ends, LLVMConstVector(all, LANES), "");
    LLVMValueRef within = LLVMBuildICmp(b->ir, LLVMIntULT, LLVMConstVector(numbers, LANES), ends, "");
    return LLVMBuildSelect(b->ir, within, vector, first_of(of), "");
}

/* The sum of one row of the tile, which begins at element `begin`. */
static LLVMValueRef row_sum(const struct sums *s, const struct sum *of, LLVMValueRef begin)
{
    struct build *b = s->b;
    LLVMValueRef whole = LLVMBuildAnd(b->ir, s->cols, LLVMConstNeg(size_constant(b, LANES)), "");
    LLVMValueRef rest = LLVMBuildSub(b->ir, s->cols, whole, ""), none = first_of(of);
    struct loop columns = begin_loop(b, whole, size_constant(b, LANES), none);
    LLVMValueRef at = LLVMBuildAdd(b->ir, begin, columns.index, "");
    LLVMValueRef sum = combined(b, of, columns.value, load(s, of, of->vector, of->values, at));
    sum = end_loop(b, &columns, none, sum);
    LLVMBasicBlockRef before = here(b), some = block(b, ""), after = block(b, "");
    LLVMBuildCondBr(b->ir, LLVMBuildICmp(b->ir, LLVMIntEQ, rest, size_constant(b, 0), ""), after, some);
    go_on_at(b, some);
    at = LLVMBuildAdd(b->ir, begin, whole, "");
    LLVMValueRef last = combined(b, of, sum, kept(s, of, load(s, of, of->vector, of->values, at), rest));
    LLVMBuildBr(b->ir, after);
    go_on_at(b, after);
    LLVMValueRef all = phi_start(b, of->vector, sum, before);
    phi_add(all, last, some);
    return met(b, of, all);
}

/* Over the columns: the rows from number `row` of the block on. */
static void add_columns(const struct sums *s, const struct sum *of, LLVMValueRef total, LLVMValueRef row,
                        LLVMValueRef count)
{
    struct build *b = s->b;
    LLVMTypeRef scalar = b->scalar[of->type];
    struct loop rows = begin_loop(b, count, size_constant(b, 1), NULL);
    LLVMValueRef sum = row_sum(s, of, LLVMBuildMul(b->ir, rows.index, of->width, ""));
    LLVMValueRef zero = size_constant(b, 0);
    if (of->result->shape == SHAPE_ROWS)
        store(s, of, sum, total, LLVMBuildAdd(b->ir, row, rows.index, ""));
    else
        store(s, of, combined(b, of, load(s, of, scalar, total, zero), sum), total, zero);
    end_loop(b, &rows, NULL, NULL);
}

/* -- a block -- */

static LLVMValueRef total_of(const struct sums *s, const struct sum *of, LLVMValueRef block_begin)
{
    return address(s, s->byte, block_begin, of->total);
}

static void begin_block(const struct sums *s, LLVMValueRef block_begin)
{
    struct build *b = s->b;
    for (const struct sum *of = s->sum; of < s->sum + s->count; of++) {
        LLVMValueRef total = total_of(s, of, block_begin), step = size_constant(b, LANES);
        if (of->result->shape == SHAPE_ROWS) continue;
        struct loop columns = begin_loop(b, of->result->shape == SHAPE_ONE ? step : of->width, step, NULL);
        store(s, of, first_of(of), total, columns.index);
        end_loop(b, &columns, NULL, NULL);
    }
}

/* The block of `rows` rows that begins at row `first`. */
static void build_block(const struct sums *s, LLVMValueRef block_begin, LLVMValueRef first, LLVMValueRef rows)
{
    struct build *b = s->b;
    begin_block(s, block_begin);
    struct loop tiles = begin_loop(b, rows, s->tile_rows, NULL);
    LLVMValueRef count = smaller(b, LLVMBuildSub(b->ir, rows, tiles.index, ""), s->tile_rows);
    call_tile(s, LLVMBuildAdd(b->ir, first, tiles.index, ""), count);
    for (const struct sum *of = s->sum; of < s->sum + s->count; of++) {
        LLVMValueRef total = total_of(s, of, block_begin);
        if (of->result->shape == SHAPE_COLS)
            add_rows(s, of, total, count);
        else
            add_columns(s, of, total, tiles.index, count);
    }
    end_loop(b, &tiles, NULL, NULL);
}

/* -- results: sums_finish() -- */

static LLVMValueRef as_double(const struct sums *s, LLVMValueRef size)
{
    return LLVMBuildUIToFP(s->b->ir, size, s->b->scalar[LANE_F64], "");
}

/* How many values a mean is of. */
static LLVMValueRef count_of(const struct sums *s, const struct sum *of)
{
    const enum operand_shape shape = of->result->shape;
    LLVMValueRef rows = as_double(s, s->rows), cols = as_double(s, s->cols);
    return shape == SHAPE_ROWS ? cols : shape == SHAPE_COLS ? rows : LLVMBuildFMul(s->b->ir, rows, cols, "");
}

/* Element `index` of the result, of an f64. What is narrower than f32 is made in a vector, of whose lanes one is stored. */
static void write_result(const struct sums *s, const struct sum *of, LLVMValueRef value, LLVMValueRef index)
{
    struct build *b = s->b;
    const enum element_type type = of->result->type;
    if (of->result->reduction == REDUCE_MEAN) value = LLVMBuildFDiv(b->ir, value, count_of(s, of), "");
    if (type != ELEMENT_F64) value = LLVMBuildFPTrunc(b->ir, value, b->scalar[LANE_F32], "");
    if (element_is_half(type)) {
        LLVMValueRef all = splat_value(b, value, b->lanes);
        if (type == ELEMENT_BF16) all = round_to_bf16_with(b, LOW_ANY, all);
        value = scalar_of(elements_of_lanes(b, type, all), b);
    }
    LLVMValueRef data = operand_field(b, of->result->group, 0, b->pointer);
    LLVMValueRef made = LLVMBuildStore(b->ir, value, address(s, LLVMTypeOf(value), data, index));
    LLVMSetAlignment(made, element_types[type].bytes);
}

static LLVMValueRef load_total(const struct sums *s, const struct sum *of, LLVMValueRef total,
                               LLVMValueRef index)
{
    struct build *b = s->b;
    LLVMValueRef value = load(s, of, b->scalar[of->type], total, index);
    return of->type == LANE_F64 ? value : LLVMBuildFPExt(b->ir, value, b->scalar[LANE_F64], "");
}

static void finish_rows(const struct sums *s, const struct sum *of)
{
    struct build *b = s->b;
    LLVMValueRef given = operand_field(b, of->result->group, 1, b->size), one = size_constant(b, 1);
    LLVMValueRef none = LLVMBuildICmp(b->ir, LLVMIntEQ, given, size_constant(b, 0), "");
    LLVMValueRef stride = LLVMBuildSelect(b->ir, none, one, given, "");
    struct loop rows = begin_loop(b, s->rows, one, NULL);
    LLVMValueRef block_rows = size_constant(b, SUMS_BLOCK_ROWS - 1);
    LLVMValueRef in_block = LLVMBuildAnd(b->ir, rows.index, block_rows, "");
    LLVMValueRef number = LLVMBuildLShr(b->ir, rows.index, size_constant(b, LOG2_BLOCK_ROWS), "");
    LLVMValueRef begin = LLVMBuildMul(b->ir, number, s->block_bytes, "");
    LLVMValueRef total = total_of(s, of, address(s, s->byte, s->workspace, begin));
    LLVMValueRef value = load_total(s, of, total, in_block);
    write_result(s, of, value, LLVMBuildMul(b->ir, rows.index, stride, ""));
    end_loop(b, &rows, NULL, NULL);
}

static void finish_columns(const struct sums *s, const struct sum *of)
{
    struct build *b = s->b;
    LLVMValueRef one = size_constant(b, 1), first = first_value(of, b->scalar[LANE_F64]);
    LLVMValueRef width = of->result->shape == SHAPE_COLS ? of->width : one;
    struct loop columns = begin_loop(b, width, one, NULL);
    struct loop blocks = begin_loop(b, s->rows, size_constant(b, SUMS_BLOCK_ROWS), first);
    LLVMValueRef number = LLVMBuildLShr(b->ir, blocks.index, size_constant(b, LOG2_BLOCK_ROWS), "");
    LLVMValueRef begin = LLVMBuildMul(b->ir, number, s->block_bytes, "");
    LLVMValueRef total = total_of(s, of, address(s, s->byte, s->workspace, begin));
    LLVMValueRef sum = combined(b, of, blocks.value, load_total(s, of, total, columns.index));
    write_result(s, of, end_loop(b, &blocks, first, sum), columns.index);
    end_loop(b, &columns, NULL, NULL);
}

static void finish(const struct sums *s)
{
    for (const struct sum *of = s->sum; of < s->sum + s->count; of++)
        (of->result->shape == SHAPE_ROWS ? finish_rows : finish_columns)(s, of);
}

void build_sums(struct build *b, LLVMValueRef tile_function)
{
    struct sums s = {.b = b,
                     .tile_function = tile_function,
                     .rows = LLVMGetParam(b->function, 0),
                     .cols = LLVMGetParam(b->function, 1)};
    const uint32_t groups = b->what->called->group_count;
    LLVMTypeRef fields[] = {b->pointer, b->size};
    LLVMBasicBlockRef entry = block(b, "entry");
    go_on_at(b, entry);
    s.byte = LLVMIntTypeInContext(b->context, 8);
    s.record = LLVMStructTypeInContext(b->context, fields, 2, false);
    s.here = LLVMBuildAlloca(b->ir, LLVMArrayType2(s.record, groups), "");
    s.workspace = operand_field(b, groups, 0, b->pointer);
    find_places(&s);
    LLVMValueRef block_rows = size_constant(b, SUMS_BLOCK_ROWS);
    struct loop blocks = begin_loop(b, s.rows, block_rows, s.workspace);
    LLVMValueRef left = LLVMBuildSub(b->ir, s.rows, blocks.index, "");
    build_block(&s, blocks.value, blocks.index, smaller(b, left, block_rows));
    end_loop(b, &blocks, s.workspace, address(&s, s.byte, blocks.value, s.block_bytes));
    if (b->options->call_count) finish(&s);
    LLVMBuildRetVoid(b->ir);
}
