/* Sums over a row. Their accumulators (sums.h) are in registers while the loops of a kernel, or of a pass,
 * compute the summands.
 *
 * Lanes are added to the accumulators of their columns. The accumulators are a vector of 16 lanes, which LLVM
 * divides into the set's vectors. Turns of whole sets of accumulators begin at multiples of 16 columns. In a
 * split loop, the accumulators of the even columns come first, then those of the odd columns. */
#include "build_loops.h"
#include "build_sums.h"

/* The accumulators of a stream. */
struct accumulators {
    enum operand_reduction how;
    enum lane_type type;
    unsigned count;
};
enum { MOST = TOTALS_ACCUMULATORS };

static struct accumulators accumulators_of(const struct stream *s)
{
    const struct kernel_total *t = s->total;
    if (t) return (struct accumulators){t->reduction, sums_type_of_total(t), TOTALS_ACCUMULATORS};
    return (struct accumulators){s->sum->reduction, kernel_lane_type(s->operand), SUMS_ACCUMULATORS};
}

/* Returns true if the accumulators take at most a third of the registers. If they took more, the program's
 * own values would be in memory. */
static bool have_registers(const struct build *b)
{
    unsigned bytes = 0;
    for (const struct stream *s = b->streams; s < b->streams + b->stream_count; s++)
        if (is_sum_of_row(s)) bytes += SUMS_ACCUMULATORS * lane_type_bytes(accumulators_of(s).type);
    return 3 * bytes <= b->isa->registers * b->isa->vector_bytes;
}

/* Returns true if lanes meet the accumulators that the order of sums.h promises. Vectors must begin at
 * multiples of their lanes. They do not after a first partial vector, which kernels with random draws have. A
 * partial vector of columns needs room after the totals, and a turn must have all accumulators of a row. */
static bool have_order(const struct build *b)
{
    const bool is_too_short = b->lanes * PIPELINE_MAX_UNROLL < SUMS_ACCUMULATORS;
    for (const struct stream *s = b->streams; s < b->streams + b->stream_count; s++) {
        if (s->sum && (s->parts > 1 || b->lanes > SUMS_ACCUMULATORS)) return false;
        if (is_sum_of_row(s) && (is_too_short || b->what->kernel->draw_count)) return false;
    }
    return true;
}

bool add_in_loop(struct build *b)
{
    const struct lane_kernel *called = b->what->called;
    if (!called || called->has_passes || b->options->quick || b->isa->scalable) return false;
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
        if (s->sum || s->total) return true;
    return false;
}

/* All streams of a function have the same number of accumulators. */
unsigned row_sum_unroll(const struct build *b)
{
    for (const struct stream *s = b->streams; s < b->streams + b->stream_count; s++)
        if (adds_in_row(s)) return accumulators_of(s).count / b->lanes;
    return 1;
}

/* -- totals, which a pass adds up -- */

const struct kernel_total *total_of_values(const struct lane_kernel *called, const struct kernel_operand *o)
{
    for (uint32_t n = 0; n < called->total_count; n++) { /* totals is NULL without any. */
        const struct kernel_total *t = &called->totals[n];
        if (o->is_result && !t->is_input && t->values == o->group && !t->block &&
            !reduction_picks(t->reduction))
            return t;
    }
    return NULL;
}

/* Returns true if a pass loads the values of total t, or another total needs them. */
static bool are_needed(const struct backend_function *caller, const struct kernel_total *t)
{
    const struct lane_kernel *k = caller->kernel, *called = caller->called;
    for (uint32_t n = 0; n < called->total_count; n++)
        if (&called->totals[n] != t && called->totals[n].values == t->values) return true;
    for (const struct kernel_pass *pass = k->passes; pass < k->passes + k->pass_count; pass++)
        for (uint32_t i = 0; i < pass->kernel->operand_count; i++) {
            const struct kernel_operand *o = &pass->kernel->operands[i];
            if (o->group == t->values && !o->is_result) return true;
        }
    return false;
}

/* Returns true if few operations are waiting while a vector is added. The limit was found by trying: on a Zen
 * 5 the powers of softmax and their sum take 1.15 of the time of two loops, perhaps because two vectors of a
 * long program and their sums fill the schedulers. */
static bool is_short(const struct build *b)
{
    enum { FEW_OPERATIONS = 12 };
    unsigned count = 0;
    for (uint32_t n = 0; n < b->program->count; n++) {
        const enum lane_op op = b->program->code[n].op;
        count += !b->uniform[n] && op != LANE_LOAD && op != LANE_STORE && op != LANE_CONST;
    }
    return count <= FEW_OPERATIONS;
}

/* Returns true if a turn can have all accumulators of the totals. They take at most a third of the registers,
 * or half if all values are f64, whose tile has twice the bytes. */
static bool have_room(const struct build *b)
{
    enum { MOST_VECTORS = 4 };
    unsigned bytes = 0, share = 2;
    for (const struct stream *s = b->streams; s < b->streams + b->stream_count; s++) {
        if (!s->total) continue;
        if (s->parts > 1) return false;
        bytes += TOTALS_ACCUMULATORS * lane_type_bytes(accumulators_of(s).type);
        if (s->total->type != LANE_F64) share = 3;
    }
    return share * bytes <= b->isa->registers * b->isa->vector_bytes &&
           b->lanes * MOST_VECTORS >= TOTALS_ACCUMULATORS;
}

bool stores_totals(const struct build *b)
{
    for (const struct stream *s = b->streams; s < b->streams + b->stream_count; s++)
        if (s->total) return true;
    return false;
}

void add_totals(struct build *b)
{
    const struct backend_function *caller = b->what->caller;
    if (!caller || b->options->quick || b->isa->scalable || b->what->kernel->draw_count) return;
    for (struct stream *s = b->streams; s < b->streams + b->stream_count; s++) {
        s->total = total_of_values(caller->called, s->operand);
        s->is_dropped = s->total && !are_needed(caller, s->total);
    }
    if (have_room(b) && is_short(b)) return;
    for (struct stream *s = b->streams; s < b->streams + b->stream_count; s++)
        s->total = NULL, s->is_dropped = false;
}

/* -- accumulators from block to block -- */

static LLVMTypeRef all_type(struct build *b, const struct stream *s)
{
    const struct accumulators all = accumulators_of(s);
    return LLVMVectorType(b->scalar[all.type], all.count);
}

void begin_row_sums(struct build *b, const struct loops *l)
{
    for (uint32_t k = 0; k < b->stream_count; k++)
        if (adds_in_row(&b->streams[k]))
            l->sum[k] = nothing_to_add(accumulators_of(&b->streams[k]).how, all_type(b, &b->streams[k]));
}

void partial_row_sums(struct build *b, const struct loops *l)
{
    for (uint32_t k = 0; k < b->stream_count; k++)
        if (adds_in_row(&b->streams[k]))
            l->partial_sum[k] = LLVMBuildPhi(b->ir, all_type(b, &b->streams[k]), "");
}

void go_on_with_row_sums(struct build *b, const struct loops *l)
{
    for (uint32_t k = 0; k < b->stream_count; k++)
        if (adds_in_row(&b->streams[k])) phi_add(l->partial_sum[k], l->sum[k], here(b));
}

void take_row_sums(struct build *b, const struct loops *l)
{
    for (uint32_t k = 0; k < b->stream_count; k++)
        if (adds_in_row(&b->streams[k])) l->sum[k] = l->partial_sum[k];
}

/* Returns the accumulators with those of even columns first, if `apart`. Otherwise returns them to the order
 * of columns. */
static LLVMValueRef reordered(struct build *b, LLVMValueRef all, bool apart)
{
    const unsigned count = lane_count(all), half = count / 2;
    LLVMValueRef numbers[MOST];
    for (unsigned i = 0; i < count; i++)
        numbers[i] = i32_constant(b, apart ? i % half * 2 + i / half : i % 2 * half + i / 2);
    return LLVMBuildShuffleVector(b->ir, all, all, LLVMConstVector(numbers, count), "");
}

void split_row_sums(struct build *b, const struct loops *l, unsigned split, bool apart)
{
    for (uint32_t k = 0; k < b->stream_count && split > 1; k++)
        if (adds_in_row(&b->streams[k])) l->sum[k] = reordered(b, l->sum[k], apart);
}

void enter_row_sums(struct build *b, const struct loops *l, LLVMBasicBlockRef before)
{
    for (uint32_t k = 0; k < b->stream_count; k++) {
        if (!adds_in_row(&b->streams[k])) continue;
        l->sum_in_loop[k] = phi_start(b, all_type(b, &b->streams[k]), l->sum[k], before);
        l->sum[k] = l->sum_in_loop[k];
    }
}

void repeat_row_sums(struct build *b, const struct loops *l)
{
    for (uint32_t k = 0; k < b->stream_count; k++)
        if (adds_in_row(&b->streams[k])) phi_add(l->sum_in_loop[k], l->sum[k], here(b));
}

void leave_row_sums(struct build *b, const struct loops *l, LLVMBasicBlockRef before, LLVMBasicBlockRef loop)
{
    for (uint32_t k = 0; k < b->stream_count; k++) {
        if (!adds_in_row(&b->streams[k])) continue;
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
    const struct accumulators all = accumulators_of(s);
    LLVMValueRef none = nothing_to_add(all.how, LLVMTypeOf(v)), part[MOST];
    LLVMValueRef place = LLVMBuildAnd(b->ir, column, size_constant(b, all.count - 1), "");
    for (unsigned n = 0; n < all.count / b->lanes; n++) {
        LLVMValueRef is_here =
            LLVMBuildICmp(b->ir, LLVMIntEQ, place, size_constant(b, (uint64_t)n * b->lanes), "");
        part[n] = where(b, is_here, v, none);
    }
    return lanes_of(b, part, 1, 0, all.count);
}

/* Adds values to all accumulators of a stream. */
static LLVMValueRef with_values(struct build *b, const struct stream *s, LLVMValueRef all,
                                LLVMValueRef values)
{
    if (!s->total) return added(b, s->sum->reduction, all, values);
    const struct sum of = sum_of_total(s->total);
    return sum_with_values(b, &of, all, values);
}

void add_to_row_sum(struct build *b, const struct loops *l, uint32_t k, const struct columns *at)
{
    const struct stream *s = &b->streams[k];
    const struct accumulators all = accumulators_of(s);
    LLVMValueRef v[PIPELINE_MAX_UNROLL];
    for (unsigned u = 0; u < at->vectors; u++) {
        LLVMValueRef none = nothing_to_add(all.how, b->vector[kernel_lane_type(s->operand)]);
        v[u] = *moved(b, s->name, u);
        if (at->rest) v[u] = LLVMBuildSelect(b->ir, partial_mask(b, at->rest, b->lanes), v[u], none, "");
        if (at->has_result) v[u] = where(b, at->has_result, v[u], none);
    }
    if (at->vectors * b->lanes % all.count) { /* a single vector */
        l->sum[k] = with_values(b, s, l->sum[k], in_place(b, s, v[0], at->column));
        return;
    }
    for (unsigned first = 0; first < at->vectors * b->lanes; first += all.count) {
        LLVMValueRef own = at->split == 1 ? lanes_of(b, v, 1, first, all.count)
                                          : joined_vectors(b, lanes_of(b, v, 2, first / 2, all.count / 2),
                                                           lanes_of(b, v + 1, 2, first / 2, all.count / 2));
        l->sum[k] = with_values(b, s, l->sum[k], own);
    }
}

/* -- a row -- */

void end_row_sums(struct build *b, const struct loops *l, LLVMValueRef row)
{
    for (uint32_t k = 0; k < b->stream_count; k++) {
        const struct stream *s = &b->streams[k];
        if (s->total) {
            const struct sum of = sum_of_total(s->total);
            LLVMValueRef place = operand_field(b, s->total->group, 0, b->pointer);
            store_total(b, &of, sum_met(b, of.reduction, l->partial_sum[k]), l->cols, place, row);
        }
        if (!is_sum_of_row(s)) continue;
        const struct accumulators all = accumulators_of(s);
        const enum operand_reduction how = all.how;
        LLVMValueRef sum = sum_met(b, how, l->partial_sum[k]), at = l->data[k], zero = size_constant(b, 0);
        if (s->sum->shape == SHAPE_ONE) sum = added(b, how, sum_load(b, all.type, 1, at, zero), sum);
        sum_store(b, all.type, sum, at, zero);
    }
}
