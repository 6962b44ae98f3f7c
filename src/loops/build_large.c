/* Operands that do not fit the caches: decides whether a call writes its results past the caches, and builds
 * the loop that does so. */
#include "architecture.h"
#include "build_loops.h"

#include <string.h>

/* Returns the bytes of an element of all matrices in memory, except those that share bytes. */
static unsigned bytes_of_column(const struct build *b)
{
    unsigned bytes = 0;
    for (uint32_t k = 0; k < b->stream_count; k++)
        if (b->streams[k].operand->shape == SHAPE_MATRIX && is_in_memory(&b->streams[k]))
            bytes += element_shares_byte(b->streams[k].operand->type) ? 0 : column_bytes(&b->streams[k]);
    return bytes;
}

/* Returns true if the program has so few operations that memory takes longer, which takes the time of
 * `of_byte` operations for a byte. Elements of fewer than 8 bytes have the limit of 8 bytes. */
static bool has_few_operations(const struct build *b, unsigned of_byte)
{
    enum { LEAST_BYTES = 8 };
    const unsigned bytes = bytes_of_column(b);
    return b->pipeline.operations <= of_byte * (bytes > LEAST_BYTES ? bytes : LEAST_BYTES) &&
           !b->what->kernel->draw_count;
}

/* Returns true if memory takes longer than the program on any processor. (bench/, 16M elements of f32 on a
 * Zen 5: with 33 to 48 operations, kernels of one input take 1.0 to 1.2 times the time of ordinary stores,
 * and kernels of two inputs 0.79 to 0.93 times.) */
static bool is_short(const struct build *b) { return has_few_operations(b, 4); }

/* Returns true if a core of the set prefetches the inputs of a loop that writes past the caches. */
static bool some_core_prefetches(const struct target_isa *isa)
{
    const char *name = target_isa_extended(isa)->name;
    const struct target_costs *core;
    for (size_t i = 0; (core = target_core_at(i)); i++)
        if (core->stream_ahead && !strcmp(core->isa, name)) return true;
    return false;
}

/* Returns true if memory takes longer than the program on a core that prefetches. (16M elements of f32 on an
 * Emerald Rapids under load: gelu and mish within 3 ulp take 0.33 and 0.58 times the time of ordinary stores,
 * and silu, tanh and gelu within 1 ulp 0.69 to 0.85 times.) */
static bool is_short_ahead(const struct build *b)
{
    return has_few_operations(b, 8) && some_core_prefetches(b->isa);
}

/* Builds the loop that writes past the caches. Memory limits it, so neither pipelining nor neighbouring
 * vectors would make it faster. (Five kernels on a Zen 5, 16M elements: two vectors per turn take 0.99 to
 * 1.01 of the time of one, four 1.11 to 1.20, and prefetches 2 KiB ahead 1.02 to 1.11.) Golden Cove's window
 * holds too few loads, so its inputs are prefetched (target_costs.stream_ahead). The constants are in
 * registers, see build_constants.c. */
void build_large(struct build *b, struct loops *l, LLVMValueRef index)
{
    const struct loop_form shortest = {1, b->split, b->split, true, false};
    hold_constants(b);
    LLVMValueRef reached = build_vectors(b, l, index, shortest);
    release_constants(b);
    go_to_partial(b, l, reached, l->cols);
}

static LLVMValueRef address_bits(struct build *b, LLVMValueRef pointer)
{
    return LLVMBuildPtrToInt(b->ir, pointer, b->size, "");
}

static bool is_written_past(const struct stream *s)
{
    return s->operand->is_result && !element_shares_byte(s->operand->type);
}

/* Returns the number of the first stream that is written past the caches, or b->stream_count if there is
 * none. */
static uint32_t first_result(const struct build *b)
{
    uint32_t k = 0;
    while (k < b->stream_count && !is_written_past(&b->streams[k])) k++;
    return k;
}

/* Returns the number of bytes before the next aligned vector. */
static LLVMValueRef gap_at(struct build *b, LLVMValueRef pointer)
{
    return LLVMBuildAnd(b->ir, LLVMBuildNeg(b->ir, address_bits(b, pointer), ""),
                        size_constant(b, b->isa->vector_bytes - 1), "");
}

/* Builds the columns before the first aligned vector of the first result, as first partial vectors. */
void build_large_head(struct build *b, struct loops *l)
{
    const uint32_t result = first_result(b);
    LLVMValueRef gap = gap_at(b, l->data[result]);
    LLVMValueRef columns = LLVMBuildUDiv(b->ir, gap, size_constant(b, column_bytes(&b->streams[result])), "");
    LLVMValueRef fits = LLVMBuildICmp(b->ir, LLVMIntULT, columns, l->cols, "");
    go_to_partial(b, l, size_constant(b, 0), LLVMBuildSelect(b->ir, fits, columns, l->cols, ""));
}

enum { ALWAYS_STREAMING = 1 }; /* a value of options->streaming_bytes */

/* Chooses how large operands are written. If the processor gains nothing by streaming stores, prefetching 4
 * KiB ahead saves a sixth of memcpy's time (64 MiB arrays, a Skylake server). A core that gains by both
 * together has a distance of its own, and only such a core streams the results of a longer program. The
 * kernel asks for its processor once per call, and only for large operands, so that one object suits all
 * processors. */
static LLVMValueRef choose_writing(struct build *b, struct loops *l, LLVMValueRef suits, LLVMValueRef *ahead)
{
    enum { AHEAD = 4096 };
    const struct questions *a = questions_for(b->isa);
    *ahead = size_constant(b, 0);
    if (b->options->streaming_bytes == ALWAYS_STREAMING || !a->prefers_ordinary_stores) return suits;
    const bool is_for_all = is_short(b);
    LLVMValueRef ordinary = is_for_all ? a->prefers_ordinary_stores(b->context, b->ir)
                                       : LLVMConstInt(b->scalar[LANE_TRUTH], 1, false);
    LLVMValueRef of_core = LLVMBuildZExt(b->ir, a->stream_ahead(b->context, b->ir, b->isa), b->size, "");
    LLVMValueRef gains = LLVMBuildICmp(b->ir, LLVMIntNE, of_core, *ahead, "");
    LLVMValueRef chosen =
        LLVMBuildSelect(b->ir, gains, of_core, size_constant(b, is_for_all ? AHEAD : 0), "");
    l->large_prefetches = some_core_prefetches(b->isa);
    *ahead = LLVMBuildSelect(b->ir, LLVMBuildAnd(b->ir, ordinary, suits, ""), chosen, *ahead, "");
    return LLVMBuildAnd(b->ir, suits, LLVMBuildOr(b->ir, LLVMBuildNot(b->ir, ordinary, ""), gains, ""), "");
}

/* Returns true if all results are at whole vectors after the first partial vectors of the first result. Tests
 * this in the first row. For several results, it also tests that further rows are whole vectors apart. With
 * bits there are no partial vectors before, because vectors of bits begin at multiples of their lanes. */
static LLVMValueRef results_lie_alike(struct build *b, const struct loops *l)
{
    const uint32_t first = first_result(b);
    LLVMValueRef in_vector = size_constant(b, b->isa->vector_bytes - 1), wrong = size_constant(b, 0),
                 steps = wrong;
    LLVMValueRef columns = LLVMBuildUDiv(b->ir, gap_at(b, l->first[first]),
                                         size_constant(b, column_bytes(&b->streams[first])), "");
    if (shares_bytes(b)) columns = size_constant(b, 0);
    for (uint32_t k = first; k < b->stream_count; k++) {
        if (!is_written_past(&b->streams[k])) continue;
        const unsigned element = element_types[b->streams[k].operand->type].bytes;
        LLVMValueRef begin = stream_address(b, &b->streams[k], l->first[k], columns);
        LLVMValueRef step = LLVMBuildMul(b->ir, l->stride[k], size_constant(b, element), "");
        wrong = LLVMBuildOr(b->ir, wrong, address_bits(b, begin), "");
        steps = LLVMBuildOr(b->ir, steps, step, "");
    }
    if (b->stream_count - first > 1 || b->streams[first].parts > 1 || shares_bytes(b)) {
        LLVMValueRef single = LLVMBuildICmp(b->ir, LLVMIntEQ, l->rows, size_constant(b, 1), "");
        wrong = LLVMBuildOr(b->ir, wrong, LLVMBuildSelect(b->ir, single, size_constant(b, 0), steps, ""), "");
    }
    return LLVMBuildICmp(b->ir, LLVMIntEQ, LLVMBuildAnd(b->ir, wrong, in_vector, ""), size_constant(b, 0),
                         "");
}

/* Returns true if memory may limit the program. A program with more operations, or with random draws, takes
 * longer than memory does. A second loop would only lengthen its compilation. A vector below 16 bytes becomes
 * scalar if it is written past the caches. */
static bool memory_may_bound(const struct build *b)
{
    enum { SHORTEST = 16 };
    const uint32_t first = first_result(b);
    if (first == b->stream_count) return false;
    for (uint32_t k = first; k < b->stream_count; k++)
        if (is_written_past(&b->streams[k]) &&
            b->split * b->lanes * element_types[b->streams[k].operand->type].bytes < SHORTEST)
            return false;
    return is_short(b) || is_short_ahead(b) || b->options->streaming_bytes == ALWAYS_STREAMING;
}

/* Returns true if the kernel is a pass of another (lower/passes.c). Its operands are in the nearest cache
 * unless a single row exceeds it, so prefetches would only take the place of loads. */
static bool is_pass(const struct build *b)
{
    for (const struct stream *s = b->streams; s < b->streams + b->stream_count; s++)
        if (s->operand->is_internal) return true;
    return false;
}

/* Builds the decision to write past the caches. Only calls of large operands run the further tests. Their
 * rows must be so long that their ends do not matter. */
void build_streaming_decision(struct build *b, struct loops *l)
{
    enum { SHORTEST_ROW = 32 }; /* vectors */
    if (!b->isa->streaming || !b->options->streaming_bytes || !memory_may_bound(b) ||
        backend_has_short_loops(b->options) || adds_up(b) || has_blocks(b))
        return;
    LLVMValueRef limit = size_constant(b, b->options->streaming_bytes / bytes_of_column(b)), ahead;
    LLVMValueRef no = LLVMConstNull(b->scalar[LANE_TRUTH]), zero = size_constant(b, 0);
    LLVMBasicBlockRef before = here(b), exceeds = block(b, "exceeds"), chosen = block(b, "");
    LLVMValueRef elements = LLVMBuildMul(b->ir, l->rows, l->cols, "");
    LLVMBuildCondBr(b->ir, LLVMBuildICmp(b->ir, LLVMIntUGT, elements, limit, ""), exceeds, chosen);
    go_on_at(b, exceeds);
    LLVMValueRef least = lanes_in(b, SHORTEST_ROW);
    LLVMValueRef is_long = LLVMBuildICmp(b->ir, LLVMIntUGE, l->cols, least, "");
    LLVMValueRef single = LLVMBuildICmp(b->ir, LLVMIntEQ, l->rows, size_constant(b, 1), "");
    LLVMValueRef forgets = LLVMBuildOr(b->ir, single, is_long, "");
    LLVMValueRef suits = LLVMBuildAnd(b->ir, forgets, results_lie_alike(b, l), "");
    LLVMValueRef streaming = choose_writing(b, l, suits, &ahead);
    LLVMBuildBr(b->ir, chosen);
    go_on_at(b, chosen);
    l->large = phi_start(b, b->scalar[LANE_TRUTH], no, before);
    phi_add(l->large, streaming, exceeds);
    if (is_pass(b)) return;
    l->ahead = phi_start(b, b->size, zero, before);
    phi_add(l->ahead, ahead, exceeds);
}
