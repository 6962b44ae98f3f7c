/* Adds up tiles (sums.h). Over the rows, it takes 16 columns at a time, row by row. Over the columns, it
 * takes a vector of accumulators at a time, row by row.
 *
 * On every instruction set, vectors have a fixed length with one lane per accumulator, because this is the
 * promised order. LLVM divides them. In a tile, loads may pass the end of a row. After tiles and totals there
 * is room for them, and the extra values are dropped. Inputs have no such room, so the last elements of a row
 * are loaded by a mask. */
#include "build_sums.h"

enum { MOST_LANES = TOTALS_ACCUMULATORS };

/* -- values -- */

LLVMValueRef sum_first(struct build *b, const struct sum *s)
{
    return nothing_to_add(s->reduction, LLVMVectorType(b->scalar[s->sum_type], s->lanes));
}

LLVMValueRef sum_met(struct build *b, enum operand_reduction how, LLVMValueRef all)
{
    for (unsigned half = lane_count(all) / 2; half; half /= 2)
        all = added(b, how, shuffle(b, all, all, 0, 1, half), shuffle(b, all, all, half, 1, half));
    return with_one_zero(b, how, LLVMBuildExtractElement(b->ir, all, i32_constant(b, 0), ""));
}

LLVMValueRef sum_address(struct build *b, LLVMTypeRef type, LLVMValueRef base, LLVMValueRef index)
{
    return LLVMBuildGEP2(b->ir, type, base, &index, 1, "");
}

LLVMValueRef sum_load(struct build *b, enum lane_type type, unsigned lanes, LLVMValueRef base,
                      LLVMValueRef index)
{
    LLVMTypeRef scalar = b->scalar[type];
    LLVMValueRef value = LLVMBuildLoad2(b->ir, lanes > 1 ? LLVMVectorType(scalar, lanes) : scalar,
                                        sum_address(b, scalar, base, index), "");
    LLVMSetAlignment(value, lane_type_bytes(type));
    return value;
}

void sum_store(struct build *b, enum lane_type type, LLVMValueRef value, LLVMValueRef base,
               LLVMValueRef index)
{
    LLVMValueRef made = LLVMBuildStore(b->ir, value, sum_address(b, b->scalar[type], base, index));
    LLVMSetAlignment(made, lane_type_bytes(type));
}

/* -- over the rows -- */

void add_rows(struct build *b, const struct sum *of, LLVMValueRef total, LLVMValueRef count)
{
    struct loop columns = begin_loop(b, of->width, size_constant(b, of->lanes), NULL);
    LLVMValueRef before = sum_load(b, of->type, of->lanes, total, columns.index);
    struct loop rows = begin_loop(b, count, size_constant(b, 1), before);
    LLVMValueRef at = LLVMBuildAdd(b->ir, LLVMBuildMul(b->ir, rows.index, of->width, ""), columns.index, "");
    LLVMValueRef sum = added(b, of->reduction, rows.value, sum_load(b, of->type, of->lanes, of->values, at));
    sum = with_one_zero(b, of->reduction, end_loop(b, &rows, before, sum));
    sum_store(b, of->type, sum, total, columns.index);
    end_loop(b, &columns, NULL, NULL);
}

/* -- over the columns -- */

/* Returns true if the accumulators of even elements come first, then those of odd elements. Pairs of bf16 are
 * divided into both without instructions that cross lanes. */
static bool is_apart(const struct sum *of) { return of->element == ELEMENT_BF16; }

static unsigned element_of_lane(const struct sum *of, unsigned lane)
{
    const unsigned half = of->lanes / 2;
    return is_apart(of) ? lane % half * 2 + lane / half : lane;
}

/* Joins the accumulators of a row. Their tree joins even accumulators, and odd ones, before it joins both. */
static LLVMValueRef met_in_order(struct build *b, const struct sum *of, LLVMValueRef all)
{
    const unsigned half = of->lanes / 2;
    if (!is_apart(of)) return sum_met(b, of->reduction, all);
    LLVMValueRef even = sum_met(b, of->reduction, shuffle(b, all, all, 0, 1, half)),
                 odd = sum_met(b, of->reduction, shuffle(b, all, all, half, 1, half));
    return with_one_zero(b, of->reduction, added(b, of->reduction, even, odd));
}

/* Returns a mask that is true for the first `rest` elements, in the order of memory or of accumulators. */
static LLVMValueRef first_lanes(struct build *b, const struct sum *of, LLVMValueRef rest, bool in_memory)
{
    LLVMTypeRef integer = b->scalar[LANE_I32];
    LLVMValueRef numbers[MOST_LANES];
    LLVMValueRef end = LLVMBuildIntCast2(b->ir, rest, integer, false, "");
    LLVMValueRef ends = LLVMGetPoison(LLVMVectorType(integer, of->lanes));
    LLVMValueRef zeros = LLVMConstNull(LLVMVectorType(integer, of->lanes));
    for (unsigned i = 0; i < of->lanes; i++)
        numbers[i] = i32_constant(b, in_memory ? i : element_of_lane(of, i));
    ends = LLVMBuildInsertElement(b->ir, ends, end, i32_constant(b, 0), "");
    ends = LLVMBuildShuffleVector(b->ir, ends, ends, zeros, "");
    return LLVMBuildICmp(b->ir, LLVMIntULT, LLVMConstVector(numbers, of->lanes), ends, "");
}

/* Returns the summands of the values v, which are v, |v| or v*v, in the type of the accumulators. */
static LLVMValueRef summands(struct build *b, const struct sum *of, LLVMValueRef v)
{
    LLVMTypeRef own = LLVMTypeOf(v), sum = LLVMVectorType(b->scalar[of->sum_type], of->lanes);
    if (of->form == SUMMAND_MAGNITUDE) v = call_intrinsic(b, "llvm.fabs", &own, 1, &v, 1);
    if (of->type != of->sum_type) v = LLVMBuildFPExt(b->ir, v, sum, "");
    return of->form == SUMMAND_SQUARE ? LLVMBuildFMul(b->ir, v, v, "") : v;
}

/* Returns the values of elements of memory, whose bits are those of a bf16 if that is their type. */
static LLVMValueRef values_of_elements(struct build *b, const struct sum *of, LLVMValueRef elements)
{
    if (!is_apart(of)) return elements;
    const unsigned pairs = of->lanes / 2;
    LLVMValueRef word = LLVMBuildBitCast(b->ir, elements, LLVMVectorType(b->scalar[LANE_I32], pairs), "");
    LLVMValueRef halves[MOST_LANES], uppers[MOST_LANES]; /* these vectors have a fixed size on every set */
    for (unsigned i = 0; i < pairs; i++)
        halves[i] = i32_constant(b, 16), uppers[i] = i32_constant(b, 0xffff0000);
    LLVMValueRef low = LLVMBuildShl(b->ir, word, LLVMConstVector(halves, pairs), ""),
                 high = LLVMBuildAnd(b->ir, word, LLVMConstVector(uppers, pairs), "");
    LLVMValueRef bits =
        b->big_endian ? shuffle(b, high, low, 0, 1, of->lanes) : shuffle(b, low, high, 0, 1, of->lanes);
    return LLVMBuildBitCast(b->ir, bits, LLVMVectorType(b->scalar[LANE_F32], of->lanes), "");
}

/* Loads as many values as there are accumulators, from element `at` on. */
static LLVMValueRef load_values(struct build *b, const struct sum *of, LLVMValueRef at)
{
    LLVMTypeRef element = element_type_in(b, of->element);
    return values_of_elements(b, of,
                              load_elements(b, LLVMVectorType(element, of->lanes),
                                            sum_address(b, element, of->values, at), NULL,
                                            element_types[of->element].bytes));
}

/* Loads the last values of a row, of which only the first `rest` count. */
static LLVMValueRef load_last_values(struct build *b, const struct sum *of, LLVMValueRef at,
                                     LLVMValueRef rest)
{
    if (!of->is_input) return load_values(b, of, at);
    const unsigned bytes = element_types[of->element].bytes;
    LLVMTypeRef element = element_type_in(b, of->element), vector = LLVMVectorType(element, of->lanes);
    LLVMValueRef address = sum_address(b, element, of->values, at);
    const bool has_mask = bytes > 2 || !b->isa->word_masks;
    return values_of_elements(b, of,
                              has_mask
                                  ? load_masked(b, vector, address, first_lanes(b, of, rest, true), bytes)
                                  : load_elements(b, vector, address, rest, bytes));
}

/* The square of an f32 is exact in f64, so an fma rounds no other value than an addition does. It takes one
 * operation instead of two. */
LLVMValueRef sum_with_values(struct build *b, const struct sum *of, LLVMValueRef all, LLVMValueRef v)
{
    const bool is_exact = of->form == SUMMAND_SQUARE && of->type == LANE_F32 && of->sum_type == LANE_F64;
    if (!is_exact || !b->isa->profile.fma) return added(b, of->reduction, all, summands(b, of, v));
    LLVMTypeRef type = LLVMTypeOf(all);
    v = LLVMBuildFPExt(b->ir, v, type, "");
    LLVMValueRef arguments[] = {v, v, all};
    return call_intrinsic(b, "llvm.fma", &type, 1, arguments, 3);
}

/* Returns the last summands of a row, fewer than there are accumulators. The other lanes change no sum. */
static LLVMValueRef last_summands(struct build *b, const struct sum *of, LLVMValueRef at, LLVMValueRef rest)
{
    LLVMValueRef mask = first_lanes(b, of, rest, false), values = load_last_values(b, of, at, rest);
    return LLVMBuildSelect(b->ir, mask, summands(b, of, values), sum_first(b, of), "");
}

/* Returns vector number `k` of the summands that begin at element `at`. */
static LLVMValueRef summands_at(struct build *b, const struct sum *of, LLVMValueRef at, unsigned k)
{
    at = LLVMBuildAdd(b->ir, at, size_constant(b, k * of->lanes), "");
    return summands(b, of, load_values(b, of, at));
}

/* Picks one of `count` elements, which form whole pairs of vectors. Their order is free, and one
 * comparison finds a NaN in either vector of a pair. So a vector takes half the operations of added() and a
 * third of its latency. */
static LLVMValueRef pick_of_pairs(struct build *b, const struct sum *of, LLVMValueRef begin,
                                  LLVMValueRef count)
{
    LLVMValueRef none = sum_first(b, of);
    LLVMValueRef nan = LLVMBuildFSub(b->ir, none, none, ""); /* infinity minus infinity */
    struct loop pairs = begin_loop(b, count, size_constant(b, 2 * of->lanes), none);
    LLVMValueRef at = LLVMBuildAdd(b->ir, begin, pairs.index, "");
    LLVMValueRef x = summands_at(b, of, at, 0), y = summands_at(b, of, at, 1);
    LLVMValueRef pick = picked(b, of->reduction, picked(b, of->reduction, x, y), pairs.value);
    pick = LLVMBuildSelect(b->ir, LLVMBuildFCmp(b->ir, LLVMRealUNO, x, y, ""), nan, pick, "");
    return end_loop(b, &pairs, none, pick);
}

/* Returns the sum of one row, which begins at element `begin`. */
static LLVMValueRef row_sum(struct build *b, const struct sum *of, LLVMValueRef cols, LLVMValueRef begin)
{
    LLVMValueRef whole = LLVMBuildAnd(b->ir, cols, LLVMConstNeg(size_constant(b, of->lanes)), "");
    LLVMValueRef rest = LLVMBuildSub(b->ir, cols, whole, ""), paired = size_constant(b, 0),
                 none = sum_first(b, of);
    if (reduction_picks(of->reduction)) {
        paired = LLVMBuildAnd(b->ir, cols, LLVMConstNeg(size_constant(b, 2 * of->lanes)), "");
        none = pick_of_pairs(b, of, begin, paired);
    }
    struct loop columns =
        begin_loop(b, LLVMBuildSub(b->ir, whole, paired, ""), size_constant(b, of->lanes), none);
    LLVMValueRef at = LLVMBuildAdd(b->ir, LLVMBuildAdd(b->ir, begin, paired, ""), columns.index, "");
    LLVMValueRef sum = sum_with_values(b, of, columns.value, load_values(b, of, at));
    sum = end_loop(b, &columns, none, sum);
    LLVMBasicBlockRef before = here(b), some = block(b, ""), after = block(b, "");
    LLVMBuildCondBr(b->ir, LLVMBuildICmp(b->ir, LLVMIntEQ, rest, size_constant(b, 0), ""), after, some);
    go_on_at(b, some);
    at = LLVMBuildAdd(b->ir, begin, whole, "");
    LLVMValueRef last = added(b, of->reduction, sum, last_summands(b, of, at, rest));
    LLVMBasicBlockRef from = here(b);
    LLVMBuildBr(b->ir, after);
    go_on_at(b, after);
    LLVMValueRef all = phi_start(b, LLVMTypeOf(sum), sum, before);
    phi_add(all, last, from);
    return met_in_order(b, of, all);
}

/* Adds the sum of the row that begins at element `begin` to total number `place`. */
static void add_row(struct build *b, const struct sum *of, LLVMValueRef cols, LLVMValueRef begin,
                    LLVMValueRef total, LLVMValueRef place)
{
    LLVMValueRef sum = row_sum(b, of, cols, begin);
    LLVMValueRef all = added(b, of->reduction, sum_load(b, of->sum_type, 1, total, place), sum);
    sum_store(b, of->sum_type, all, total, place);
}

LLVMValueRef mean_of_total(struct build *b, const struct sum *of, LLVMValueRef sum, LLVMValueRef cols)
{
    if (!of->is_total || !reductions[of->reduction].is_mean) return sum;
    return LLVMBuildFDiv(b->ir, sum, LLVMBuildUIToFP(b->ir, cols, b->scalar[LANE_F64], ""), "");
}

void store_total(struct build *b, const struct sum *of, LLVMValueRef sum, LLVMValueRef cols,
                 LLVMValueRef total, LLVMValueRef row)
{
    sum_store(b, of->sum_type, mean_of_total(b, of, sum, cols), total, row);
}

/* -- blocks of columns -- */

/* A row in which blocks are added up: its first element, its columns, and the place of its first total. */
struct blocks_of_row {
    LLVMValueRef begin, cols, total, place;
};

static LLVMValueRef larger_integer(struct build *b, LLVMValueRef x, LLVMValueRef y)
{
    return LLVMBuildSelect(b->ir, LLVMBuildICmp(b->ir, LLVMIntSGT, x, y, ""), x, y, "");
}

/* Returns the largest magnitude of a whole block of f32 that begins at element `begin`. The bits of
 * magnitudes rise with them, and those of a NaN are above all numbers, so an integer comparison picks. */
static LLVMValueRef largest_magnitude(struct build *b, const struct sum *of, LLVMValueRef begin)
{
    const unsigned lanes = of->block < of->lanes ? of->block : of->lanes;
    LLVMTypeRef integers = LLVMVectorType(b->scalar[LANE_I32], lanes);
    LLVMValueRef masks[MOST_LANES], all = NULL;
    for (unsigned i = 0; i < lanes; i++) masks[i] = i32_constant(b, 0x7fffffff);
    for (unsigned k = 0; k < of->block; k += lanes) {
        LLVMValueRef at = LLVMBuildAdd(b->ir, begin, size_constant(b, k), "");
        LLVMValueRef v = sum_load(b, LANE_F32, lanes, of->values, at);
        v = LLVMBuildAnd(b->ir, LLVMBuildBitCast(b->ir, v, integers, ""), LLVMConstVector(masks, lanes), "");
        all = all ? larger_integer(b, all, v) : v;
    }
    for (unsigned half = lanes / 2; half; half /= 2)
        all = larger_integer(b, shuffle(b, all, all, 0, 1, half), shuffle(b, all, all, half, 1, half));
    LLVMValueRef bits = LLVMBuildExtractElement(b->ir, all, i32_constant(b, 0), "");
    return LLVMBuildBitCast(b->ir, bits, b->scalar[LANE_F32], "");
}

/* Stores the totals of the blocks from number `first` up to `end` of a row. */
static void add_blocks_of_row(struct build *b, const struct sum *of, const struct blocks_of_row *row,
                              LLVMValueRef first, LLVMValueRef end, bool whole)
{
    LLVMValueRef step = size_constant(b, of->block), own = step;
    struct loop blocks = begin_loop_at(b, first, end, size_constant(b, 1), NULL);
    LLVMValueRef column = LLVMBuildMul(b->ir, blocks.index, step, "");
    LLVMValueRef begin = LLVMBuildAdd(b->ir, row->begin, column, "");
    if (!whole) own = smaller_size(b, LLVMBuildSub(b->ir, row->cols, column, ""), step);
    LLVMValueRef sum = whole ? largest_magnitude(b, of, begin) : row_sum(b, of, own, begin);
    store_total(b, of, sum, own, row->total, LLVMBuildAdd(b->ir, row->place, blocks.index, ""));
    end_loop(b, &blocks, NULL, NULL);
}

void add_blocks(struct build *b, const struct sum *of, LLVMValueRef cols, LLVMValueRef total,
                LLVMValueRef count)
{
    const bool is_magnitude = reductions[of->reduction].join == JOIN_LARGER &&
                              of->form == SUMMAND_MAGNITUDE && of->element == ELEMENT_F32;
    LLVMValueRef in_row = blocks_in_row(b, of->block, cols), first = size_constant(b, 0);
    struct loop rows = begin_loop(b, count, size_constant(b, 1), NULL);
    const struct blocks_of_row row = {.begin = LLVMBuildMul(b->ir, rows.index, of->width, ""),
                                      .cols = cols,
                                      .total = total,
                                      .place = LLVMBuildMul(b->ir, rows.index, in_row, "")};
    if (is_magnitude) {
        LLVMValueRef whole = LLVMBuildUDiv(b->ir, cols, size_constant(b, of->block), "");
        add_blocks_of_row(b, of, &row, first, whole, true);
        first = whole;
    }
    add_blocks_of_row(b, of, &row, first, in_row, false);
    end_loop(b, &rows, NULL, NULL);
}

void add_columns(struct build *b, const struct sum *of, LLVMValueRef cols, LLVMValueRef total,
                 LLVMValueRef row, LLVMValueRef count)
{
    LLVMValueRef zero = size_constant(b, 0), one = size_constant(b, 1);
    struct loop rows = begin_loop(b, count, one, NULL);
    LLVMValueRef begin = LLVMBuildMul(b->ir, rows.index, of->width, "");
    if (of->shape == SHAPE_ROWS) {
        store_total(b, of, row_sum(b, of, cols, begin), cols, total,
                    LLVMBuildAdd(b->ir, row, rows.index, ""));
    } else if (of->result->parts == 1) {
        add_row(b, of, cols, begin, total, zero);
    } else { /* the values of a list, packed in the tile */
        struct loop parts = begin_loop(b, size_constant(b, of->result->parts), one, NULL);
        LLVMValueRef before = LLVMBuildMul(b->ir, parts.index, cols, "");
        add_row(b, of, cols, LLVMBuildAdd(b->ir, begin, before, ""), total, parts.index);
        end_loop(b, &parts, NULL, NULL);
    }
    end_loop(b, &rows, NULL, NULL);
}
