/* Kernels with sums (sums.h): a function around the kernel's own function. It calls that function tile by
 * tile, and adds up the summands that it stored.
 *
 *     block:      for each 256 rows: its totals start at values that change no sum
 *     rows:           if the kernel's own loop can add up, in registers or to totals of columns:
 *                     one call for all rows of the block; otherwise:
 *     tile:           for some of its rows: the kernel's own function, with the tile as its result,
 *                     or the functions of its passes, and after each pass the totals of its level;
 *                     then adds up the tile of each result that is a sum: build_adding.c */
#include "build_sums.h"
#include "function.h"

enum { LANES = SUMS_ACCUMULATORS, LOG2_BLOCK_ROWS = 8 };
_Static_assert(SUMS_BLOCK_ROWS == 1 << LOG2_BLOCK_ROWS, "rows of a block");

struct sums {
    struct build *b;
    struct sum sum[TARGET_MOST_OPERANDS + SUMS_MOST_PLACES];
    unsigned count, total_count; /* sums of results come first, then sums of totals */
    LLVMTypeRef record, byte;
    const struct pass_function *functions; /* of the passes */
    LLVMValueRef rows, cols, here;         /* the arguments for a tile: its rows, columns and operands */
    LLVMValueRef tile_rows, block_bytes, workspace;
    LLVMValueRef column; /* the first column that is computed; NULL: all are */
};

static LLVMValueRef address(const struct sums *s, LLVMTypeRef type, LLVMValueRef base, LLVMValueRef index)
{
    return sum_address(s->b, type, base, index);
}

/* -- places, as sums_block_bytes() computes them for the columns of a call -- */

/* Computes sums_tile_rows() without a division, which some sets lack. */
static LLVMValueRef find_tile_rows(struct build *b, LLVMValueRef cols)
{
    LLVMValueRef rows = size_constant(b, 1);
    for (unsigned n = 2; n <= SUMS_BLOCK_ROWS; n *= 2) {
        LLVMValueRef fit = LLVMBuildICmp(b->ir, LLVMIntULE, cols, size_constant(b, SUMS_TILE / n), "");
        rows = LLVMBuildSelect(b->ir, fit, size_constant(b, n), rows, "");
    }
    return rows;
}

/* Returns the end of the part that begins at `at`, as place_part() in sums.c does. */
static LLVMValueRef behind(const struct sums *s, LLVMValueRef at, const struct sums_part *part)
{
    struct build *b = s->b;
    LLVMValueRef values = size_constant(b, part->count);
    if (!part->count) return at;
    if (part->extent != SUMS_VALUES)
        values = LLVMBuildMul(b->ir, values, blocks_in_row(b, part->block, s->cols), "");
    if (part->extent == SUMS_OF_TILE) values = LLVMBuildMul(b->ir, values, s->tile_rows, "");
    values = LLVMBuildAdd(b->ir, values, size_constant(b, SUMS_ROOM), "");
    LLVMValueRef size = LLVMBuildMul(b->ir, values, size_constant(b, lane_type_bytes(part->type)), "");
    size = LLVMBuildAdd(b->ir, size, size_constant(b, SUMS_ALIGNMENT - 1), "");
    size = LLVMBuildAnd(b->ir, size, LLVMConstNeg(size_constant(b, SUMS_ALIGNMENT)), "");
    return LLVMBuildAdd(b->ir, at, size, "");
}

struct sum sum_of_result(const struct kernel_operand *o)
{
    return (struct sum){.reduction = o->reduction,
                        .shape = o->shape,
                        .type = sums_type(o),
                        .sum_type = sums_type(o),
                        .element = sums_type(o) == LANE_F64 ? ELEMENT_F64 : ELEMENT_F32,
                        .lanes = LANES,
                        .group = o->group,
                        .result = o};
}

struct sum sum_of_total(const struct kernel_total *t)
{
    return (struct sum){.reduction = t->reduction,
                        .form = t->form,
                        .shape = SHAPE_ROWS,
                        .block = t->block,
                        .type = t->type,
                        .sum_type = sums_type_of_total(t),
                        .element = t->element,
                        .lanes = TOTALS_ACCUMULATORS,
                        .is_total = true,
                        .is_input = t->is_input,
                        .group = t->values};
}

static void find_places(struct sums *s)
{
    struct build *b = s->b;
    const struct lane_kernel *called = b->what->called;
    struct sums_part parts[SUMS_MOST_PARTS];
    const uint32_t count = sums_parts(called, parts);
    LLVMValueRef at = size_constant(b, 0);
    s->tile_rows = find_tile_rows(b, s->cols);
    for (uint32_t k = 0; k < called->operand_count; k++)
        if (called->operands[k].reduction && !called->operands[k].part)
            s->sum[s->count++] = sum_of_result(&called->operands[k]);
    for (uint32_t k = 0; k < called->total_count; k++)
        s->sum[s->count + s->total_count++] = sum_of_total(&called->totals[k]);
    for (struct sum *of = s->sum; of < s->sum + s->count + s->total_count; of++)
        of->width =
            of->is_total ? s->cols : LLVMBuildMul(b->ir, s->cols, size_constant(b, of->result->parts), "");
    for (uint32_t n = 0; n < count; n++) {
        struct sum *own = &s->sum[n / 2];
        *(n % 2 ? &own->tile : &own->total) = at;
        if (n % 2) own->values = address(s, s->byte, s->workspace, at);
        at = behind(s, at, &parts[n]);
    }
    s->block_bytes = at;
}

/* -- a tile -- */

static const struct sum *sum_of(const struct sums *s, uint32_t group)
{
    for (unsigned i = 0; i < s->count; i++)
        if (s->sum[i].group == group) return &s->sum[i];
    return NULL;
}

static void set_field(const struct sums *s, uint32_t group, unsigned field, LLVMValueRef value)
{
    struct build *b = s->b;
    LLVMValueRef path[] = {i32_constant(b, group), i32_constant(b, field)};
    LLVMBuildStore(b->ir, value, LLVMBuildGEP2(b->ir, s->record, s->here, path, 2, ""));
}

static void set_array(const struct sums *s, uint32_t group, LLVMValueRef data)
{
    set_field(s, group, 0, data);
    set_field(s, group, 1, size_constant(s->b, 0));
}

/* Tells the totals that are made of this input where it lies. */
static void set_values(struct sums *s, uint32_t group, LLVMValueRef data, LLVMValueRef between)
{
    for (struct sum *of = s->sum + s->count; of < s->sum + s->count + s->total_count; of++) {
        if (!of->is_input || of->group != group) continue;
        of->values = data;
        of->width = between;
    }
}

/* Returns the address of s->column in an operand, or in its totals. `data` is the operand's address, `type`
 * that of the elements. */
static LLVMValueRef at_column(const struct sums *s, const struct kernel_operand *o, LLVMTypeRef type,
                              LLVMValueRef data)
{
    struct build *b = s->b;
    if (!s->column || o->shape == SHAPE_ROWS || o->shape == SHAPE_ONE) return data;
    if (element_shares_byte(o->type)) return byte_address(b, o->type, data, s->column);
    LLVMValueRef elements = LLVMBuildMul(b->ir, s->column, size_constant(b, o->parts), "");
    return address(s, type, data, elements);
}

/* Sets the operand to start at `row`, with the address that kernel_row() gives. */
static void set_operand(struct sums *s, const struct kernel_operand *o, LLVMValueRef row)
{
    struct build *b = s->b;
    const uint32_t group = kernel_group_of_summands(b->what->called, o);
    LLVMValueRef data = operand_field(b, o->group, 0, b->pointer),
                 stride = operand_field(b, o->group, 1, b->size);
    if (o->type == ELEMENT_U64) {
        LLVMValueRef before = o->counts_rows ? row : LLVMBuildMul(b->ir, row, s->cols, "");
        stride = LLVMBuildAdd(b->ir, stride, before, "");
    } else if (kernel_has_stride(o)) {
        LLVMValueRef width, between = rows_apart(b, o, stride, s->cols, &width);
        LLVMValueRef in_memory =
            o->block_rows ? LLVMBuildUDiv(b->ir, row, size_constant(b, o->block_rows), "") : row;
        LLVMValueRef first = LLVMBuildMul(b->ir, in_memory, between, "");
        data = element_shares_byte(o->type) ? byte_address(b, o->type, data, first)
                                            : address(s, element_type_in(b, o->type), data, first);
        if (!o->is_result) set_values(s, group, data, between);
        if (s->column) stride = between;
    }
    set_field(s, group, 0, at_column(s, o, element_type_in(b, o->type), data));
    set_field(s, group, 1, stride);
}

static void call_pass(const struct sums *s, uint32_t pass, LLVMValueRef rows, LLVMValueRef cols)
{
    struct build *b = s->b;
    LLVMValueRef arguments[] = {rows, cols, s->here}, function = s->functions[pass].function;
    LLVMBuildCall2(b->ir, LLVMGlobalGetValueType(function), function, arguments, 3, "");
}

static bool is_added_by_pass(const struct sums *s, const struct kernel_total *t)
{
    const struct lane_kernel *called = s->b->what->called, *k = s->b->what->kernel;
    for (uint32_t pass = 0; pass < k->pass_count; pass++) {
        const struct lane_kernel *own = k->passes[pass].kernel;
        for (uint32_t i = 0; s->functions[pass].adds_up && i < own->operand_count; i++)
            if (total_of_values(called, &own->operands[i]) == t) return true;
    }
    return false;
}

/* Calls the passes, level by level, and then computes the totals of the level. Takes `count` rows from number
 * `row` of the block on. */
static void call_passes(const struct sums *s, LLVMValueRef row, LLVMValueRef count)
{
    struct build *b = s->b;
    const struct lane_kernel *called = b->what->called, *k = b->what->kernel;
    const struct sum *totals = s->sum + s->count;
    uint32_t pass = 0, number = 0;
    for (uint32_t n = 0; n < called->total_count; n++) {
        LLVMValueRef total = address(s, s->byte, s->workspace, totals[n].total);
        if (!totals[n].block) total = address(s, b->scalar[totals[n].sum_type], total, row);
        set_array(s, called->totals[n].group, total);
        if (!totals[n].is_input)
            set_array(s, called->totals[n].values, totals[n].reduction ? totals[n].values : total);
    }
    for (uint32_t level = 0; pass < k->pass_count || number < called->total_count; level++) {
        for (; pass < k->pass_count && k->passes[pass].level == level; pass++)
            call_pass(s, pass, count,
                      k->passes[pass].is_of_rows ? size_constant(b, 1)
                                                 : blocks_in_row(b, k->passes[pass].block, s->cols));
        for (; number < called->total_count && called->totals[number].level == level; number++) {
            LLVMValueRef total = address(s, s->byte, s->workspace, totals[number].total);
            if (!totals[number].reduction) continue;
            if (totals[number].block)
                add_blocks(b, &totals[number], s->cols, total, count);
            else if (!is_added_by_pass(s, &called->totals[number]))
                add_columns(b, &totals[number], s->cols, total, row, count);
        }
    }
}

/* Sets all operands that are not sums to the rows from number `row` on. */
static void set_operands(struct sums *s, LLVMValueRef row)
{
    const struct lane_kernel *called = s->b->what->called;
    for (const struct kernel_operand *o = called->operands; o < called->operands + called->operand_count; o++)
        if (!o->part && !o->reduction) set_operand(s, o, row);
}

/* Calls the kernel for `count` rows from number `in_block` of the block on. The block begins with row
 * `first`. */
static void call_tile(struct sums *s, LLVMValueRef first, LLVMValueRef in_block, LLVMValueRef count)
{
    struct build *b = s->b;
    const struct lane_kernel *called = b->what->called;
    set_operands(s, LLVMBuildAdd(b->ir, first, in_block, ""));
    for (uint32_t k = 0; k < called->operand_count; k++) {
        const struct kernel_operand *o = &called->operands[k];
        if (!o->part && o->reduction)
            set_array(s, kernel_group_of_summands(called, o), sum_of(s, o->group)->values);
    }
    if (called->has_passes)
        call_passes(s, in_block, count);
    else
        call_pass(s, 0, count, s->cols);
}

/* -- a block -- */

static LLVMValueRef total_of(const struct sums *s, const struct sum *of, LLVMValueRef block_begin)
{
    return address(s, s->byte, block_begin, of->total);
}

/* Returns how many totals a block has for a result: one per column, one per row, or one per value. */
static LLVMValueRef totals_of_block(struct build *b, const struct sum *of)
{
    if (of->shape == SHAPE_COLS) return of->width;
    return size_constant(b, of->shape == SHAPE_ROWS ? SUMS_BLOCK_ROWS : of->result->parts);
}

static void begin_block(const struct sums *s, LLVMValueRef block_begin, LLVMValueRef rows)
{
    struct build *b = s->b;
    for (const struct sum *of = s->sum; of < s->sum + s->count; of++) {
        LLVMValueRef total = total_of(s, of, block_begin), step = size_constant(b, LANES);
        if (of->shape == SHAPE_ROWS && !b->adds_in_loop) continue;
        LLVMValueRef count = of->shape == SHAPE_ROWS ? rows : totals_of_block(b, of);
        struct loop columns = begin_loop(b, count, step, NULL);
        sum_store(b, of->type, sum_first(b, of), total, columns.index);
        end_loop(b, &columns, NULL, NULL);
    }
}

/* Returns true if columns can be computed separately. Nothing may be added up over them, or depend on the
 * number of columns. */
static bool columns_are_apart(const struct build *b)
{
    const struct lane_kernel *called = b->what->called;
    for (const struct stream *s = b->streams; s < b->streams + b->stream_count; s++)
        if (is_sum_of_row(s)) return false;
    for (const struct kernel_operand *o = called->operands; o < called->operands + called->operand_count; o++)
        if (o->parts > 1 && o->layout != LAYOUT_INTERLEAVED) return false;
    return !b->what->kernel->made_count;
}

/* Lets the kernel's own loop add up all rows. Takes so many columns at a time that their totals, and operands
 * with one value per column, stay in the first-level cache. */
static void add_up_block(struct sums *s, LLVMValueRef block_begin, LLVMValueRef first, LLVMValueRef rows)
{
    enum { COLUMNS = 1024 };
    struct build *b = s->b;
    LLVMValueRef step = columns_are_apart(b) ? size_constant(b, COLUMNS) : s->cols;
    struct loop columns = begin_loop(b, s->cols, step, NULL);
    LLVMValueRef count = smaller_size(b, LLVMBuildSub(b->ir, s->cols, columns.index, ""), step);
    if (columns_are_apart(b)) s->column = columns.index;
    set_operands(s, first);
    for (const struct sum *of = s->sum; of < s->sum + s->count; of++)
        set_array(s, of->group, at_column(s, of->result, b->scalar[of->type], total_of(s, of, block_begin)));
    call_pass(s, 0, rows, count);
    end_loop(b, &columns, NULL, NULL);
}

/* Builds the block of `rows` rows that begins at row `first`. */
static void build_block(struct sums *s, LLVMValueRef block_begin, LLVMValueRef first, LLVMValueRef rows)
{
    struct build *b = s->b;
    begin_block(s, block_begin, rows);
    if (b->adds_in_loop) {
        add_up_block(s, block_begin, first, rows);
        return;
    }
    struct loop tiles = begin_loop(b, rows, s->tile_rows, NULL);
    LLVMValueRef count = smaller_size(b, LLVMBuildSub(b->ir, rows, tiles.index, ""), s->tile_rows);
    call_tile(s, first, tiles.index, count);
    for (const struct sum *of = s->sum; of < s->sum + s->count; of++) {
        LLVMValueRef total = total_of(s, of, block_begin);
        if (of->shape == SHAPE_COLS)
            add_rows(b, of, total, count);
        else
            add_columns(b, of, s->cols, total, tiles.index, count);
    }
    end_loop(b, &tiles, NULL, NULL);
}

/* -- results: sums_finish() -- */

static LLVMValueRef as_double(struct build *b, LLVMValueRef size)
{
    return LLVMBuildUIToFP(b->ir, size, b->scalar[LANE_F64], "");
}

/* Returns the number of values whose mean is taken. */
static LLVMValueRef count_of_mean(struct build *b, const struct sum *of, LLVMValueRef rows, LLVMValueRef cols)
{
    const enum operand_shape shape = of->result->shape;
    if (shape == SHAPE_ROWS) return as_double(b, cols);
    if (shape == SHAPE_COLS) return as_double(b, rows);
    return LLVMBuildFMul(b->ir, as_double(b, rows), as_double(b, cols), "");
}

/* Converts from f64. A type narrower than f32 is converted in a vector, of which one lane is stored. */
void store_sum(struct build *b, const struct sum *of, LLVMValueRef value, LLVMValueRef rows,
               LLVMValueRef cols, LLVMValueRef data, LLVMValueRef index)
{
    const enum element_type type = of->result->type;
    if (LLVMTypeOf(value) != b->scalar[LANE_F64])
        value = LLVMBuildFPExt(b->ir, value, b->scalar[LANE_F64], "");
    if (reductions[of->result->reduction].is_mean)
        value = LLVMBuildFDiv(b->ir, value, count_of_mean(b, of, rows, cols), "");
    if (type != ELEMENT_F64) value = LLVMBuildFPTrunc(b->ir, value, b->scalar[LANE_F32], "");
    if (element_types[type].bytes < lane_type_bytes(LANE_F32)) {
        LLVMValueRef all = splat_value(b, value, b->lanes);
        if (type == ELEMENT_BF16) all = round_to_bf16_with(b, LOW_ANY, all);
        value = LLVMBuildExtractElement(b->ir, elements_of_lanes(b, type, all), i32_constant(b, 0), "");
    }
    LLVMValueRef made = LLVMBuildStore(b->ir, value, sum_address(b, LLVMTypeOf(value), data, index));
    LLVMSetAlignment(made, element_types[type].bytes);
}

/* Stores element `index` of the result. */
static void write_result(const struct sums *s, const struct sum *of, LLVMValueRef value, LLVMValueRef index)
{
    LLVMValueRef data = operand_field(s->b, of->result->group, 0, s->b->pointer);
    store_sum(s->b, of, value, s->rows, s->cols, data, index);
}

static LLVMValueRef load_total(const struct sums *s, const struct sum *of, LLVMValueRef total,
                               LLVMValueRef index)
{
    struct build *b = s->b;
    LLVMValueRef value = sum_load(b, of->type, 1, total, index);
    return of->type == LANE_F64 ? value : LLVMBuildFPExt(b->ir, value, b->scalar[LANE_F64], "");
}

static void finish_rows(const struct sums *s, const struct sum *of)
{
    struct build *b = s->b;
    LLVMValueRef given = operand_field(b, of->result->group, 1, b->size), one = size_constant(b, 1), width;
    LLVMValueRef stride = rows_apart(b, of->result, given, s->cols, &width);
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
    LLVMValueRef one = size_constant(b, 1), first = nothing_to_add(of->reduction, b->scalar[LANE_F64]);
    struct loop columns = begin_loop(b, totals_of_block(b, of), one, NULL);
    struct loop blocks = begin_loop(b, s->rows, size_constant(b, SUMS_BLOCK_ROWS), first);
    LLVMValueRef number = LLVMBuildLShr(b->ir, blocks.index, size_constant(b, LOG2_BLOCK_ROWS), "");
    LLVMValueRef begin = LLVMBuildMul(b->ir, number, s->block_bytes, "");
    LLVMValueRef total = total_of(s, of, address(s, s->byte, s->workspace, begin));
    LLVMValueRef sum = added(b, of->reduction, blocks.value, load_total(s, of, total, columns.index));
    write_result(s, of, end_loop(b, &blocks, first, sum), columns.index);
    end_loop(b, &columns, NULL, NULL);
}

static void finish(const struct sums *s)
{
    for (const struct sum *of = s->sum; of < s->sum + s->count; of++)
        (of->result->shape == SHAPE_ROWS ? finish_rows : finish_columns)(s, of);
}

void build_sums(struct build *b, const struct pass_function *functions)
{
    struct sums s = {.b = b,
                     .functions = functions,
                     .rows = LLVMGetParam(b->function, 0),
                     .cols = LLVMGetParam(b->function, 1)};
    const uint32_t groups = b->what->called->group_count, tile_groups = b->what->kernel->group_count;
    LLVMBasicBlockRef entry = block(b, "entry");
    go_on_at(b, entry);
    s.byte = LLVMIntTypeInContext(b->context, 8);
    s.record = operand_record(b->context, b->pointer, b->size);
    enum { PAIR_BYTES = 16 }; /* LLVM copies the two words as one vector, which then never crosses a page */
    s.here = LLVMBuildAlloca(b->ir, LLVMArrayType2(s.record, tile_groups), "");
    LLVMSetAlignment(s.here, PAIR_BYTES);
    s.workspace = operand_field(b, groups, 0, b->pointer);
    find_places(&s);
    LLVMValueRef block_rows = size_constant(b, SUMS_BLOCK_ROWS);
    struct loop blocks = begin_loop(b, s.rows, block_rows, s.workspace);
    LLVMValueRef left = LLVMBuildSub(b->ir, s.rows, blocks.index, "");
    build_block(&s, blocks.value, blocks.index, smaller_size(b, left, block_rows));
    end_loop(b, &blocks, s.workspace, address(&s, s.byte, blocks.value, s.block_bytes));
    if (b->options->call_count) finish(&s);
    LLVMBuildRetVoid(b->ir);
}
