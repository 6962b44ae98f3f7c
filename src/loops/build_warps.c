/* A kernel with sums over columns, as one thread of a warp runs it. A warp takes a row at a time, and its
 * threads take the row's columns in turn. Thread i has columns i, i + 32, i + 64 ..., and so it has
 * accumulator i of a total (sums.h). The threads exchange their accumulators in the promised tree, after
 * which all threads have the total. So totals need no memory, and no other warp.
 *
 *     for each row of the warp:
 *         for each level:   the totals of this level
 *         results that are sums of the row
 *         all other results
 *
 * A part of the function is a pass of the kernel, or the whole kernel if it has no passes. What an earlier
 * part has made for a column is made again where a later part needs it. Arithmetic is cheaper on a GPU than
 * memory for it would be. */
#include "build_sums.h"
#include "spec.h"

enum { MOST_PARTS = SPEC_MAX_PASSES, UNROLL = 4 };

struct part {
    struct build b;
    struct loops l;
    struct backend_function what;
    uint32_t level;
    uint32_t needs; /* bits of the earlier parts whose values it takes */
    bool is_of_rows;
};

struct warps {
    struct build *b; /* of the whole kernel; it loads inputs that are totalled as they are */
    struct loops *l;
    struct part part[MOST_PARTS];
    uint32_t count;
    LLVMValueRef total[SPEC_MAX_TOTALS];      /* of this row */
    LLVMValueRef first_row, row_step, thread; /* the warp's rows; the thread's number in the warp */
};

/* The values of a column, which a part makes or an operand has. */
struct values {
    struct part *part; /* NULL: an operand */
    uint32_t name;     /* in the part, or in the whole kernel */
};

/* -- parts -- */

static const struct kernel_total *total_of_group(const struct warps *w, uint32_t group)
{
    const struct lane_kernel *called = w->b->what->called;
    for (uint32_t n = 0; n < called->total_count; n++)
        if (called->totals[n].group == group) return &called->totals[n];
    return NULL;
}

/* Returns the result of the called kernel that this result of a part is the summand of, or NULL. */
static const struct kernel_operand *sum_of_summands(const struct warps *w, const struct kernel_operand *o)
{
    const struct lane_kernel *called = w->b->what->called;
    for (uint32_t k = 0; k < called->operand_count && o->is_result; k++) {
        const struct kernel_operand *sum = &called->operands[k];
        if (sum->reduction && kernel_group_of_summands(called, sum) == o->group && sum->part == o->part)
            return sum;
    }
    return NULL;
}

/* Finds the part that makes this group for a total, and the name that it has there. */
static bool find_maker(struct warps *w, uint32_t group, struct values *out)
{
    for (uint32_t n = 0; n < w->count; n++)
        for (uint32_t k = 0; k < w->part[n].b.stream_count; k++) {
            const struct stream *s = &w->part[n].b.streams[k];
            if (!s->operand->is_result || s->operand->group != group) continue;
            *out = (struct values){&w->part[n], s->name};
            return true;
        }
    return false;
}

/* Tells the streams of a part where their values come from, if not from an operand. */
static void connect(struct warps *w, struct part *p)
{
    const struct lane_kernel *called = w->b->what->called;
    struct values made;
    for (uint32_t k = 0; k < p->b.stream_count; k++) {
        struct stream *s = &p->b.streams[k];
        const struct kernel_total *t = total_of_group(w, s->operand->group);
        if (s->operand->is_result) continue;
        if (t) {
            s->given = &w->total[t - called->totals];
        } else if (s->operand->is_internal && find_maker(w, s->operand->group, &made)) {
            s->given = moved(&made.part->b, made.name, 0);
            p->needs |= made.part->needs | UINT32_C(1) << (made.part - w->part);
        }
    }
}

static bool open_parts(struct warps *w)
{
    const struct backend_function *what = w->b->what;
    const struct lane_kernel *k = what->kernel;
    w->count = k->pass_count ? k->pass_count : 1;
    for (uint32_t n = 0; n < w->count; n++) {
        struct part *p = &w->part[n];
        p->what = *what;
        p->what.called = NULL;
        if (k->pass_count) p->what.kernel = k->passes[n].kernel;
        p->level = k->pass_count ? k->passes[n].level : 0;
        p->is_of_rows = k->pass_count && k->passes[n].is_of_rows;
        if (!open_build(&p->b, &p->l, &p->what, w->b->options)) return false;
        p->b.context = w->b->context;
        p->b.module = w->b->module;
        p->b.ir = w->b->ir;
        p->b.function = w->b->function;
        find_types(&p->b);
        set_lanes(&p->b, 1);
        p->b.apart = w->b->isa->grid.warp_threads;
        connect(w, p);
    }
    return true;
}

static void close_parts(struct warps *w)
{
    for (uint32_t n = 0; n < w->count; n++) {
        if (w->part[n].b.missing) w->b->missing = w->part[n].b.missing;
        close_build(&w->part[n].b);
    }
}

/* -- operands -- */

static void find_operands(struct build *b, struct loops *l)
{
    l->rows = LLVMGetParam(b->function, 0);
    l->cols = LLVMGetParam(b->function, 1);
    for (uint32_t k = 0; k < b->stream_count; k++) {
        const struct stream *s = &b->streams[k];
        const struct kernel_operand *o = s->operand;
        LLVMValueRef width;
        if (s->given) continue;
        l->first[k] = l->data[k] = first_row(b, s, l->cols);
        if (!stream_has_stride(s)) continue;
        l->stride[k] = is_in_memory(s)
                           ? rows_apart(b, o, operand_field(b, o->group, 1, b->size), l->cols, &width)
                           : places_apart(b, s, l->cols);
    }
}

/* -- columns -- */

/* Builds `count` columns of a part, and before them those of the parts that it needs. */
static void build_part(struct warps *w, const struct part *p, LLVMValueRef column, unsigned count)
{
    for (struct part *q = w->part; q < w->part + w->count; q++)
        if (q == p || (p->needs >> (q - w->part) & 1)) build_together(&q->b, &q->l, column, count);
}

/* Makes the values of `count` columns. They are in moved() under the name. */
static const LLVMValueRef *make_values(struct warps *w, const struct values *v, LLVMValueRef column,
                                       unsigned count)
{
    struct build *b = v->part ? &v->part->b : w->b;
    const struct columns at = {column, NULL, count, 1, NULL, false};
    if (v->part) {
        build_part(w, v->part, column, count);
        return moved(b, v->name, 0);
    }
    for (uint32_t k = 0; k < b->stream_count; k++) {
        const struct stream *s = &b->streams[k];
        if (v->name - s->name < s->parts) load_stream(b, s, w->l->data[k], &at);
    }
    return moved(b, v->name, 0);
}

/* Two loops over the columns of a thread, `apart` columns from one to the next. The first loop takes UNROLL
 * columns at a time, so that their loads wait together. */
struct stretch {
    LLVMValueRef first, end, step;
    unsigned count;
};
static void find_stretches(struct warps *w, unsigned apart, struct stretch stretches[2])
{
    struct build *b = w->b;
    LLVMValueRef cols = w->l->cols, together = size_constant(b, UNROLL * apart);
    LLVMValueRef is_one = LLVMBuildICmp(b->ir, LLVMIntULT, w->thread, size_constant(b, apart), "");
    LLVMValueRef first = LLVMBuildSelect(b->ir, is_one, w->thread, cols, "");
    LLVMValueRef end = size_beyond(b, cols, size_constant(b, (UNROLL - 1) * apart));
    LLVMValueRef turns =
        LLVMBuildAdd(b->ir, size_beyond(b, end, first), size_constant(b, UNROLL * apart - 1), "");
    turns = LLVMBuildUDiv(b->ir, turns, together, "");
    stretches[0] = (struct stretch){first, end, together, UNROLL};
    first = LLVMBuildAdd(b->ir, first, LLVMBuildMul(b->ir, turns, together, ""), "");
    stretches[1] = (struct stretch){first, cols, size_constant(b, apart), 1};
}

static void set_apart(struct warps *w, unsigned apart)
{
    w->b->apart = apart;
    for (uint32_t n = 0; n < w->count; n++) w->part[n].b.apart = apart;
}

/* -- sums -- */

/* Returns x of the thread of the warp whose number differs in the bits `other`. */
static LLVMValueRef exchanged(struct build *b, LLVMValueRef x, unsigned other)
{
    const unsigned last_thread = b->isa->grid.warp_threads - 1;
    LLVMTypeRef type = LLVMTypeOf(x), word = b->scalar[LANE_I32];
    const unsigned count = type == vector_type(b, b->scalar[LANE_F64], 1) ? 2 : 1;
    LLVMTypeRef words = LLVMVectorType(word, count);
    LLVMValueRef from = LLVMBuildBitCast(b->ir, x, words, ""), to = LLVMGetPoison(words);
    for (unsigned n = 0; n < count; n++) {
        LLVMValueRef arguments[] = {i32_constant(b, UINT32_MAX),
                                    LLVMBuildExtractElement(b->ir, from, i32_constant(b, n), ""),
                                    i32_constant(b, other), i32_constant(b, last_thread)};
        LLVMValueRef got = call_intrinsic(b, b->isa->grid.exchange, NULL, 0, arguments, 4);
        to = LLVMBuildInsertElement(b->ir, to, got, i32_constant(b, n), "");
    }
    return LLVMBuildBitCast(b->ir, to, type, "");
}

/* Returns the sum of the values of a row, with as many accumulators as `of` has. As many threads return it.
 */
static LLVMValueRef row_total(struct warps *w, const struct values *v, const struct sum *of)
{
    struct build *b = w->b;
    struct stretch stretches[2];
    struct sum own = *of;
    own.lanes = 1;
    set_apart(w, of->lanes);
    find_stretches(w, of->lanes, stretches);
    LLVMValueRef all = sum_first(b, &own);
    for (const struct stretch *s = stretches; s < stretches + 2; s++) {
        LLVMValueRef before = all;
        struct loop columns = begin_loop_at(b, s->first, s->end, s->step, before);
        const LLVMValueRef *values = make_values(w, v, columns.index, s->count);
        LLVMValueRef sum = columns.value;
        for (unsigned u = 0; u < s->count; u++) sum = sum_with_values(b, &own, sum, values[u]);
        all = end_loop(b, &columns, before, sum);
    }
    for (unsigned half = of->lanes / 2; half; half /= 2)
        all = added(b, of->reduction, all, exchanged(b, all, half));
    return with_one_zero(b, of->reduction, lane_0(b, all));
}

/* Returns where the summands of a total are. */
static struct values values_of_total(struct warps *w, const struct kernel_total *t)
{
    const struct kernel_operand *inputs = w->b->what->kernel->operands;
    struct values v = {NULL, 0};
    if (!t->is_input)
        find_maker(w, t->values, &v);
    else
        while (inputs[v.name].group != t->values) v.name++;
    return v;
}

static void build_totals(struct warps *w, uint32_t level)
{
    const struct lane_kernel *called = w->b->what->called;
    for (uint32_t n = 0; n < called->total_count; n++) {
        const struct kernel_total *t = &called->totals[n];
        if (t->level != level) continue;
        const struct sum of = sum_of_total(t);
        const struct values v = values_of_total(w, t);
        w->total[n] = mean_of_total(w->b, &of, row_total(w, &v, &of), w->l->cols);
    }
}

/* -- results -- */

/* Drops all results of the part, or only those that are not stored as elements. */
static void drop_results(struct warps *w, struct part *p, bool all)
{
    for (struct stream *s = p->b.streams; s < p->b.streams + p->b.stream_count; s++)
        if (s->operand->is_result)
            s->is_dropped = all || s->operand->is_internal || sum_of_summands(w, s->operand);
}

/* Begins what only the warp's first thread stores, when all threads have read the row: a result with one
 * value for the row may be in the place of an input. Returns the block after it. */
static LLVMBasicBlockRef begin_first_thread(struct warps *w)
{
    struct build *b = w->b;
    LLVMValueRef all = i32_constant(b, UINT32_MAX);
    call_intrinsic(b, b->isa->grid.meet, NULL, 0, &all, 1);
    LLVMBasicBlockRef first = block(b, "first_thread"), after = block(b, "");
    LLVMBuildCondBr(b->ir, LLVMBuildICmp(b->ir, LLVMIntEQ, w->thread, size_constant(b, 0), ""), first, after);
    go_on_at(b, first);
    return after;
}

static void end_first_thread(struct warps *w, LLVMBasicBlockRef after)
{
    LLVMBuildBr(w->b->ir, after);
    go_on_at(w->b, after);
}

/* Stores the results that are sums of the row. The first thread has the accumulators' tree. */
static void build_row_results(struct warps *w, struct part *p, LLVMValueRef row)
{
    struct build *b = w->b;
    for (uint32_t k = 0; k < p->b.stream_count; k++) {
        const struct stream *s = &p->b.streams[k];
        const struct kernel_operand *o = sum_of_summands(w, s->operand);
        if (!o) continue;
        const struct sum of = sum_of_result(o);
        const struct values v = {p, s->name};
        LLVMValueRef sum = row_total(w, &v, &of), width;
        LLVMBasicBlockRef after = begin_first_thread(w);
        LLVMValueRef data = operand_field(b, s->operand->group, 0, b->pointer),
                     stride = operand_field(b, s->operand->group, 1, b->size);
        stride = rows_apart(b, o, stride, w->l->cols, &width);
        store_sum(b, &of, sum, w->l->rows, w->l->cols, data, LLVMBuildMul(b->ir, row, stride, ""));
        end_first_thread(w, after);
    }
}

static bool has_elements(const struct part *p)
{
    for (const struct stream *s = p->b.streams; s < p->b.streams + p->b.stream_count; s++)
        if (s->operand->is_result && !s->is_dropped) return true;
    return false;
}

/* Stores the elements of results, after all sums. So a result may be in the place of an input. */
static void build_elements(struct warps *w, struct part *p)
{
    struct build *b = w->b;
    struct stretch stretches[2];
    if (!has_elements(p)) return;
    const unsigned threads = b->isa->grid.warp_threads;
    set_apart(w, threads);
    find_stretches(w, threads, stretches);
    for (const struct stretch *s = stretches; s < stretches + 2; s++) {
        const struct loop columns = begin_loop_at(b, s->first, s->end, s->step, NULL);
        build_part(w, p, columns.index, s->count);
        end_loop(b, &columns, NULL, NULL);
    }
}

/* Stores the results with one value for the row. */
static void build_values_of_row(struct warps *w, struct part *p)
{
    LLVMBasicBlockRef after = begin_first_thread(w);
    build_part(w, p, size_constant(w->b, 0), 1);
    end_first_thread(w, after);
}

static void build_row(struct warps *w, LLVMValueRef row)
{
    const uint32_t last = w->part[w->count - 1].level;
    find_row(w->b, w->l, row);
    for (uint32_t level = 0; level <= last; level++) {
        for (struct part *p = w->part; p < w->part + w->count; p++) {
            if (p->level != level) continue;
            find_row(&p->b, &p->l, row);
            build_uniform(&p->b, &p->l, PER_ROW);
            drop_results(w, p, true);
        }
        build_totals(w, level);
    }
    for (struct part *p = w->part; p < w->part + w->count; p++)
        if (!p->is_of_rows) build_row_results(w, p, row);
    for (struct part *p = w->part; p < w->part + w->count; p++) {
        drop_results(w, p, false);
        p->is_of_rows ? build_values_of_row(w, p) : build_elements(w, p);
    }
}

/* -- the function -- */

/* Ends the launch with an error if a block has no whole warp, because no row would be computed. */
static void refuse_small_blocks(struct build *b, LLVMValueRef warps)
{
    LLVMValueRef none = NULL;
    LLVMBasicBlockRef small = block(b, "small_block"), go_on = block(b, "");
    LLVMBuildCondBr(b->ir, LLVMBuildICmp(b->ir, LLVMIntEQ, warps, size_constant(b, 0), ""), small, go_on);
    go_on_at(b, small);
    call_intrinsic(b, "llvm.trap", NULL, 0, &none, 0);
    LLVMBuildUnreachable(b->ir);
    go_on_at(b, go_on);
}

/* Finds the thread's number in its warp, and the rows of the warp. Threads beyond a block's last whole warp
 * have no row. */
static void find_warp(struct warps *w)
{
    struct build *b = w->b;
    const struct target_grid *g = &b->isa->grid;
    LLVMValueRef width = size_constant(b, g->warp_threads), wide = grid_value(b, g->columns.threads);
    LLVMValueRef thread = LLVMBuildMul(b->ir, grid_value(b, g->rows.thread), wide, "");
    LLVMValueRef warps = LLVMBuildMul(b->ir, grid_value(b, g->rows.threads), wide, "");
    LLVMValueRef before =
        LLVMBuildMul(b->ir, grid_value(b, g->rows.block), grid_value(b, g->columns.blocks), "");
    LLVMValueRef blocks =
        LLVMBuildMul(b->ir, grid_value(b, g->rows.blocks), grid_value(b, g->columns.blocks), "");
    thread = LLVMBuildAdd(b->ir, thread, grid_value(b, g->columns.thread), "");
    before = LLVMBuildAdd(b->ir, before, grid_value(b, g->columns.block), "");
    warps = LLVMBuildUDiv(b->ir, warps, width, "");
    refuse_small_blocks(b, warps);
    LLVMValueRef warp = LLVMBuildUDiv(b->ir, thread, width, "");
    w->thread = LLVMBuildURem(b->ir, thread, width, "");
    w->row_step = LLVMBuildMul(b->ir, blocks, warps, "");
    LLVMValueRef row = LLVMBuildAdd(b->ir, LLVMBuildMul(b->ir, before, warps, ""), warp, "");
    LLVMValueRef is_whole = LLVMBuildICmp(b->ir, LLVMIntULT, warp, warps, "");
    w->first_row = LLVMBuildSelect(b->ir, is_whole, row, LLVMGetParam(b->function, 0), "");
}

static void build_warp_function(struct warps *w)
{
    struct build *b = w->b;
    LLVMBasicBlockRef entry = block(b, "entry"), some = block(b, "operands"), end = block(b, "end");
    go_on_at(b, entry);
    find_warp(w);
    LLVMValueRef rows = LLVMGetParam(b->function, 0);
    LLVMBuildCondBr(b->ir, LLVMBuildICmp(b->ir, LLVMIntULT, w->first_row, rows, ""), some, end);
    go_on_at(b, some);
    set_lanes(b, 1);
    find_operands(b, w->l);
    for (struct part *p = w->part; p < w->part + w->count; p++) {
        find_operands(&p->b, &p->l);
        build_uniform(&p->b, &p->l, ONCE);
    }
    const struct loop row = begin_loop_at(b, w->first_row, rows, w->row_step, NULL);
    build_row(w, row.index);
    end_loop(b, &row, NULL, NULL);
    LLVMBuildBr(b->ir, end);
    go_on_at(b, end);
    LLVMBuildRetVoid(b->ir);
}

int build_warps(struct build *b, struct loops *l, struct diag *error)
{
    struct warps w = {.b = b, .l = l};
    const bool is_open = open_parts(&w);
    if (is_open) build_warp_function(&w);
    close_parts(&w);
    if (is_open) return DIAG_OK;
    return diag_set(error, DIAG_NO_MEMORY, "no memory for the code of '%s'", b->what->symbol);
}
