/* Sums over a row. Their accumulators (sums.h) are in registers while the kernel's own loops compute the
 * summands.
 *
 * Lanes are added to the accumulators of their columns. The accumulators are a vector of 16 lanes, which LLVM
 * divides into the set's vectors. Turns of whole sets of accumulators begin at multiples of 16 columns. In a
 * split loop, the accumulators of the even columns come first, then those of the odd columns. */
#include "build_loops.h"
#include "build_sums.h"

enum { ALL = SUMS_ACCUMULATORS, HALF = ALL / 2 };

static enum lane_type type_of(const struct stream *s) { return kernel_lane_type(s->operand); }

/* Returns true if the accumulators take at most a third of the registers. If they took more, the program's
 * own values would be in memory. */
static bool have_registers(const struct build *b)
{
    unsigned bytes = 0;
    for (const struct stream *s = b->streams; s < b->streams + b->stream_count; s++)
        if (is_sum_of_row(s)) bytes += ALL * lane_type_bytes(type_of(s));
    return 3 * bytes <= b->isa->registers * b->isa->vector_bytes;
}

/* Returns true if lanes meet the accumulators that the order of sums.h promises. Vectors must begin at
 * multiples of their lanes. They do not after a first partial vector, which kernels with random draws have. A
 * partial vector of columns needs room after the totals, and a turn must have all accumulators of a row. */
static bool have_order(const struct build *b)
{
    const bool is_too_short = b->lanes * PIPELINE_MAX_UNROLL < ALL;
    for (const struct stream *s = b->streams; s < b->streams + b->stream_count; s++) {
        if (s->sum && (s->parts > 1 || b->lanes > ALL)) return false;
        if (is_sum_of_row(s) && (is_too_short || b->what->kernel->draw_count)) return false;
    }
    return true;
}

bool add_in_loop(struct build *b)
{
    const struct lane_kernel *called = b->what->called;
    if (!called || called->total_count || b->options->quick || b->isa->scalable) return false;
    for (struct stream *s = b->streams; s < b->streams + b->stream_count; s++)
        if (s->operand->is_result && called->operands[s->name].reduction) s->sum = &called->operands[s->name];
    if (have_registers(b) && have_order(b)) return true;
    store_summands(b);
    return false;
}

void store_summands(struct build *b)
{
    for (struct stream *s = b->streams; s < b->streams + b->stream_count; s++) s->sum = NULL;
}

bool adds_up(const struct build *b)
{
    for (const struct stream *s = b->streams; s < b->streams + b->stream_count; s++)
        if (s->sum) return true;
    return false;
}

unsigned row_sum_unroll(const struct build *b)
{
    for (const struct stream *s = b->streams; s < b->streams + b->stream_count; s++)
        if (is_sum_of_row(s)) return ALL / b->lanes;
    return 1;
}

/* -- accumulators from block to block -- */

static LLVMTypeRef all_type(struct build *b, const struct stream *s)
{
    return LLVMVectorType(b->scalar[type_of(s)], ALL);
}

void begin_row_sums(struct build *b, const struct loops *l)
{
    for (uint32_t k = 0; k < b->stream_count; k++)
        if (is_sum_of_row(&b->streams[k]))
            l->sum[k] = nothing_to_add(b->streams[k].sum->reduction, all_type(b, &b->streams[k]));
}

void partial_row_sums(struct build *b, const struct loops *l)
{
    for (uint32_t k = 0; k < b->stream_count; k++)
        if (is_sum_of_row(&b->streams[k]))
            l->partial_sum[k] = LLVMBuildPhi(b->ir, all_type(b, &b->streams[k]), "");
}

void go_on_with_row_sums(struct build *b, const struct loops *l)
{
    for (uint32_t k = 0; k < b->stream_count; k++)
        if (is_sum_of_row(&b->streams[k])) phi_add(l->partial_sum[k], l->sum[k], here(b));
}

void take_row_sums(struct build *b, const struct loops *l)
{
    for (uint32_t k = 0; k < b->stream_count; k++)
        if (is_sum_of_row(&b->streams[k])) l->sum[k] = l->partial_sum[k];
}

/* Returns the accumulators with those of even columns first, if `apart`. Otherwise returns them to the order
 * of columns. */
static LLVMValueRef reordered(struct build *b, LLVMValueRef all, bool apart)
{
    LLVMValueRef numbers[ALL];
    for (unsigned i = 0; i < ALL; i++)
        numbers[i] = i32_constant(b, apart ? i % HALF * 2 + i / HALF : i % 2 * HALF + i / 2);
    return LLVMBuildShuffleVector(b->ir, all, all, LLVMConstVector(numbers, ALL), "");
}

void split_row_sums(struct build *b, const struct loops *l, unsigned split, bool apart)
{
    for (uint32_t k = 0; k < b->stream_count && split > 1; k++)
        if (is_sum_of_row(&b->streams[k])) l->sum[k] = reordered(b, l->sum[k], apart);
}

void enter_row_sums(struct build *b, const struct loops *l, LLVMBasicBlockRef before)
{
    for (uint32_t k = 0; k < b->stream_count; k++) {
        if (!is_sum_of_row(&b->streams[k])) continue;
        l->sum_in_loop[k] = phi_start(b, all_type(b, &b->streams[k]), l->sum[k], before);
        l->sum[k] = l->sum_in_loop[k];
    }
}

void repeat_row_sums(struct build *b, const struct loops *l)
{
    for (uint32_t k = 0; k < b->stream_count; k++)
        if (is_sum_of_row(&b->streams[k])) phi_add(l->sum_in_loop[k], l->sum[k], here(b));
}

void leave_row_sums(struct build *b, const struct loops *l, LLVMBasicBlockRef before, LLVMBasicBlockRef loop)
{
    for (uint32_t k = 0; k < b->stream_count; k++) {
        if (!is_sum_of_row(&b->streams[k])) continue;
        LLVMValueRef start = LLVMGetIncomingValue(l->sum_in_loop[k], 0), last = l->sum[k];
        l->sum[k] = phi_start(b, LLVMTypeOf(last), start, before);
        phi_add(l->sum[k], last, loop);
    }
}

/* -- a turn -- */

/* Chooses v or the other value for all lanes, without a branch. */
static LLVMValueRef where(struct build *b, LLVMValueRef truth, LLVMValueRef v, LLVMValueRef otherwise)
{
    return LLVMBuildSelect(b->ir, splat_value(b, truth, lane_count(v)), v, otherwise, "");
}

static LLVMValueRef joined_vectors(struct build *b, LLVMValueRef x, LLVMValueRef y)
{
    return shuffle(b, x, y, 0, 1, lane_count(x) + lane_count(y));
}

/* Returns `count` lanes of every `step`-th vector of v, from lane `first` of these vectors on. */
static LLVMValueRef lanes_of(struct build *b, LLVMValueRef *v, unsigned step, unsigned first, unsigned count)
{
    const unsigned lanes = b->lanes;
    LLVMValueRef x = v[first / lanes * step];
    if (count == lanes) return x;
    if (count < lanes) return shuffle(b, x, x, first % lanes, 1, count);
    return joined_vectors(b, lanes_of(b, v, step, first, count / 2),
                          lanes_of(b, v, step, first + count / 2, count / 2));
}

/* Returns a vector with its lanes at their columns' places among all accumulators. The other lanes change no
 * sum. */
static LLVMValueRef in_place(struct build *b, const struct stream *s, LLVMValueRef v, LLVMValueRef column)
{
    LLVMValueRef none = nothing_to_add(s->sum->reduction, LLVMTypeOf(v)), part[ALL];
    LLVMValueRef place = LLVMBuildAnd(b->ir, column, size_constant(b, ALL - 1), "");
    for (unsigned n = 0; n < ALL / b->lanes; n++) {
        LLVMValueRef is_here =
            LLVMBuildICmp(b->ir, LLVMIntEQ, place, size_constant(b, (uint64_t)n * b->lanes), "");
        part[n] = where(b, is_here, v, none);
    }
    return lanes_of(b, part, 1, 0, ALL);
}

void add_to_row_sum(struct build *b, const struct loops *l, uint32_t k, const struct columns *at)
{
    const struct stream *s = &b->streams[k];
    const enum operand_reduction how = s->sum->reduction;
    LLVMValueRef v[PIPELINE_MAX_UNROLL];
    for (unsigned u = 0; u < at->vectors; u++) {
        LLVMValueRef none = nothing_to_add(how, b->vector[type_of(s)]);
        v[u] = *moved(b, s->name, u);
        if (at->rest) v[u] = LLVMBuildSelect(b->ir, partial_mask(b, at->rest, b->lanes), v[u], none, "");
        if (at->has_result) v[u] = where(b, at->has_result, v[u], none);
    }
    if (at->vectors * b->lanes % ALL) { /* a single vector */
        l->sum[k] = added(b, how, l->sum[k], in_place(b, s, v[0], at->column));
        return;
    }
    for (unsigned first = 0; first < at->vectors * b->lanes; first += ALL) {
        LLVMValueRef own = at->split == 1 ? lanes_of(b, v, 1, first, ALL)
                                          : joined_vectors(b, lanes_of(b, v, 2, first / 2, HALF),
                                                           lanes_of(b, v + 1, 2, first / 2, HALF));
        l->sum[k] = added(b, how, l->sum[k], own);
    }
}

/* -- a row -- */

void end_row_sums(struct build *b, const struct loops *l)
{
    for (uint32_t k = 0; k < b->stream_count; k++) {
        const struct stream *s = &b->streams[k];
        if (!is_sum_of_row(s)) continue;
        const enum operand_reduction how = s->sum->reduction;
        LLVMValueRef sum = sum_met(b, how, l->partial_sum[k]), at = l->data[k], zero = size_constant(b, 0);
        if (s->sum->shape == SHAPE_ONE) sum = added(b, how, sum_load(b, type_of(s), 1, at, zero), sum);
        sum_store(b, type_of(s), sum, at, zero);
    }
}
