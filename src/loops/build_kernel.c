/* The kernel for any number of rows and columns: operands, rows, and loops over a row. build_few.c calls it
 * for all calls except those of a few columns.
 *
 *     row:        for each row (all rows as one, if they follow each other without gaps):
 *     vectors:        full vectors: several per turn, then one per turn (build_loops.c)
 *     partial:        the last elements, fewer than a vector, by masks
 *                     (full vectors too on sets with mask registers, where this is as fast)
 *
 * For operands that do not fit the caches, if the program is so cheap that this matters:
 *
 *     partial:        first the elements before the result's first aligned vector
 *     large:          full vectors, written past the caches
 *     partial:        the last elements again (the same block), then a fence */
#include "build_loops.h"
#include "build_sums.h"
#include "function.h"
#include "spec.h"

#include <stdio.h>
#include <stdlib.h>

void go_to_partial(struct build *b, struct loops *l, LLVMValueRef index, LLVMValueRef end)
{
    phi_add(l->partial_index, index, here(b));
    phi_add(l->partial_end, end, here(b));
    go_on_with_row_sums(b, l);
    LLVMBuildBr(b->ir, l->partial);
}

/* Returns true if turns test whether a rare choice is made. */
static bool has_tests(const struct build *b)
{
    for (uint32_t n = 0; n < b->program->count; n++)
        if (b->program->code[n].op == LANE_RARELY && !b->uniform[n] && !b->rare[n]) return true;
    return false;
}

/* Builds the full vectors that are left after the program's own loop, which are fewer than a turn. Two of
 * them share their tests: RMSNorm of 32 columns then takes 0.76 of the time (AVX-512, a Zen 5). */
static void build_single(struct build *b, struct loops *l, LLVMValueRef index)
{
    const struct loop_form pair = {1, 2, 1, false, false}, single = {1, 1, 1, false, false};
    const bool has_pairs = b->pipeline.unroll > pair.unroll && has_tests(b) && !adds_up(b);
    if (has_pairs) index = build_vectors(b, l, index, pair);
    if (!b->isa->mask_registers) index = build_vectors(b, l, index, single);
    go_to_partial(b, l, index, l->cols);
}

/* Builds the program's own loop, and the elements that it leaves. */
static void build_cached(struct build *b, struct loops *l, LLVMValueRef index)
{
    const struct loop_form own = {b->pipeline.stages, b->pipeline.unroll, b->split, false,
                                  b->shares_counters};
    const bool is_single = own.stages == 1 && own.unroll == 1;
    if (!b->has_one_loop) index = build_vectors(b, l, index, own);
    if (l->single) {
        phi_add(l->single_index, index, here(b));
        LLVMBuildBr(b->ir, l->single);
    } else if (is_single) {
        go_to_partial(b, l, index, l->cols);
    } else {
        build_single(b, l, index);
    }
}

/* Builds the columns before the first whole counter, as a first partial vector. If several draws of a row
 * have no counter's start in common, only single vectors are left, which share no counters. The same happens
 * with bits if a partial vector would be needed, because vectors of bits begin at multiples of their
 * lanes. */
static void build_draws_head(struct build *b, struct loops *l)
{
    LLVMValueRef zero = size_constant(b, 0);
    if (b->what->kernel->draw_count > 1 || shares_bytes(b)) {
        LLVMBasicBlockRef before = here(b), alike = block(b, "draws_alike");
        LLVMValueRef are_alike = draws_begin_alike(b, l->data), head = columns_before_counter(b, l->data[0]);
        LLVMValueRef no_head = LLVMBuildICmp(b->ir, LLVMIntEQ, head, zero, "");
        if (shares_bytes(b)) are_alike = LLVMBuildAnd(b->ir, are_alike, no_head, "");
        l->single = block(b, "single");
        LLVMBuildCondBr(b->ir, are_alike, alike, l->single);
        go_on_at(b, l->single);
        l->single_index = phi_start(b, b->size, zero, before);
        build_single(b, l, l->single_index);
        go_on_at(b, alike);
    }
    go_to_partial(b, l, zero, smaller_size(b, columns_before_counter(b, l->data[0]), l->cols));
}

/* Continues after a row's first partial vectors. */
static void build_after_head(struct build *b, struct loops *l)
{
    if (l->large && b->shares_counters) {
        LLVMBasicBlockRef large = block(b, "past_caches"), cached = block(b, "cached");
        LLVMBuildCondBr(b->ir, l->large, large, cached);
        go_on_at(b, cached);
        build_cached(b, l, l->partial_end);
        go_on_at(b, large);
    }
    if (l->large)
        build_large(b, l, l->partial_end);
    else
        build_cached(b, l, l->partial_end);
}

static void build_partial(struct build *b, struct loops *l)
{
    LLVMBasicBlockRef some = block(b, "some"), done = block(b, "partial_done");
    go_on_at(b, l->partial);
    LLVMValueRef left = LLVMBuildICmp(b->ir, LLVMIntULT, l->partial_index, l->partial_end, "");
    LLVMBuildCondBr(b->ir, left, some, done);
    go_on_at(b, some);
    take_row_sums(b, l);
    build_masked(b, l, l->partial_index, LLVMBuildSub(b->ir, l->partial_end, l->partial_index, ""));
    go_to_partial(b, l, advance(b, l->partial_index, lanes_in(b, 1)), l->partial_end);

    go_on_at(b, done);
    if (!l->large && !b->shares_counters) {
        LLVMBuildBr(b->ir, l->row_end);
        return;
    }
    LLVMBasicBlockRef more = block(b, "after_head");
    LLVMValueRef finished = LLVMBuildICmp(b->ir, LLVMIntEQ, l->partial_end, l->cols, "");
    LLVMBuildCondBr(b->ir, finished, l->row_end, more);
    go_on_at(b, more);
    build_after_head(b, l);
}

/* Builds one row, from l->data and l->cols. It ends in l->row_end. */
static void build_row(struct build *b, struct loops *l)
{
    LLVMBasicBlockRef start = here(b);
    l->partial = block(b, "partial");
    go_on_at(b, l->partial);
    l->partial_index = LLVMBuildPhi(b->ir, b->size, "");
    l->partial_end = LLVMBuildPhi(b->ir, b->size, "");
    partial_row_sums(b, l);
    go_on_at(b, start);
    begin_row_sums(b, l);
    if (l->large) {
        LLVMBasicBlockRef plain = block(b, "plain"), head = block(b, "head");
        LLVMBuildCondBr(b->ir, l->large, head, plain);
        go_on_at(b, head);
        build_large_head(b, l);
        go_on_at(b, plain);
    }
    if (b->shares_counters)
        build_draws_head(b, l);
    else
        build_cached(b, l, size_constant(b, 0));
    build_partial(b, l);
}

/* Calls the direct function for one row, from l->data and l->cols. */
static void call_for_row(struct build *b, const struct loops *l)
{
    const uint32_t groups = b->what->kernel->group_count;
    LLVMValueRef arguments[2 + TARGET_MOST_OPERANDS] = {size_constant(b, 1), l->cols};
    for (uint32_t group = 0; group < groups; group++)
        arguments[2 + group] = operand_field(b, group, 0, b->pointer);
    for (uint32_t k = 0; k < b->stream_count; k++) arguments[2 + b->streams[k].operand->group] = l->data[k];
    LLVMBuildCall2(b->ir, LLVMGlobalGetValueType(l->row_function), l->row_function, arguments, 2 + groups,
                   "");
    LLVMBuildBr(b->ir, l->row_end);
}

/* Returns how far an operand's address moves to row number `row`. `stride` is the distance of its rows in
 * memory, which several rows may share. */
static LLVMValueRef step_to_row(struct build *b, const struct kernel_operand *o, LLVMValueRef stride,
                                LLVMValueRef row)
{
    LLVMValueRef zero = size_constant(b, 0);
    if (!o->block_rows) return stride;
    LLVMValueRef within = LLVMBuildAnd(b->ir, row, size_constant(b, o->block_rows - 1), "");
    LLVMValueRef begins = LLVMBuildICmp(b->ir, LLVMIntEQ, within, zero, "");
    return LLVMBuildSelect(b->ir, begins, stride, zero, "");
}

/* Builds the loop over rows: row, row_end, row ... finished. The operands' addresses advance by their
 * strides. */
static void build_rows(struct build *b, struct loops *l, LLVMBasicBlockRef finished)
{
    LLVMBasicBlockRef before = here(b), row = block(b, "row");
    l->row_end = block(b, "row_end");
    LLVMBuildBr(b->ir, row);
    go_on_at(b, row);
    LLVMValueRef number = phi_start(b, b->size, size_constant(b, 0), before);
    for (uint32_t k = 0; k < b->stream_count; k++)
        l->data[k] = stream_has_stride(&b->streams[k])
                         ? phi_start(b, LLVMTypeOf(l->first[k]), l->first[k], before)
                         : l->first[k];
    if (l->row_function) {
        call_for_row(b, l);
    } else {
        build_uniform(b, l, PER_ROW);
        build_row(b, l);
    }

    go_on_at(b, l->row_end);
    end_row_sums(b, l, number);
    LLVMValueRef next = LLVMBuildAdd(b->ir, number, size_constant(b, 1), "");
    phi_add(number, next, l->row_end);
    for (uint32_t k = 0; k < b->stream_count; k++) {
        if (!stream_has_stride(&b->streams[k])) continue;
        LLVMValueRef step = step_to_row(b, b->streams[k].operand, l->stride[k], next);
        phi_add(l->data[k], moved_on(b, &b->streams[k], l->data[k], step), l->row_end);
    }
    LLVMBuildCondBr(b->ir, LLVMBuildICmp(b->ir, LLVMIntULT, next, l->rows, ""), row, finished);
}

/* Makes the scratch memory in the entry block, where it is part of the stack frame. */
static void make_scratch(struct build *b)
{
    unsigned most = 0;
    for (const struct stream *s = b->streams; s < b->streams + b->stream_count; s++)
        if (s->operand->is_result && column_bytes(s) > most) most = column_bytes(s);
    LLVMTypeRef byte = LLVMIntTypeInContext(b->context, 8);
    b->scratch = LLVMBuildArrayAlloca(b->ir, vector_type(b, byte, b->lanes),
                                      i32_constant(b, most * b->pipeline.unroll), "");
    LLVMSetAlignment(b->scratch, b->isa->vector_bytes);
}

/* Builds the direct function of short code, whose rows are one row. */
static void build_one_row(struct build *b, struct loops *l)
{
    LLVMBasicBlockRef entry = block(b, "entry"), some = block(b, "operands");
    l->row_end = block(b, "end");
    go_on_at(b, entry);
    l->cols = LLVMBuildMul(b->ir, LLVMGetParam(b->function, 0), LLVMGetParam(b->function, 1), "");
    LLVMBuildCondBr(b->ir, LLVMBuildIsNull(b->ir, l->cols, ""), l->row_end, some);
    go_on_at(b, some);
    for (uint32_t k = 0; k < b->stream_count; k++) l->data[k] = first_row(b, &b->streams[k], l->cols);
    build_uniform(b, l, ONCE);
    build_uniform(b, l, PER_ROW);
    if (b->isa->memory_operands) place_constants(b);
    build_row(b, l);
    go_on_at(b, l->row_end);
    LLVMBuildRetVoid(b->ir);
}

static void build_all(struct build *b, struct loops *l)
{
    LLVMBasicBlockRef entry = block(b, "entry"), some = block(b, "operands"), finished = block(b, "finished"),
                      end = block(b, "end");
    go_on_at(b, entry);
    if (b->pipeline.stages > 1) make_scratch(b);
    LLVMValueRef zero = size_constant(b, 0);
    LLVMValueRef no_rows = LLVMBuildICmp(b->ir, LLVMIntEQ, LLVMGetParam(b->function, 0), zero, "");
    LLVMValueRef no_cols = LLVMBuildICmp(b->ir, LLVMIntEQ, LLVMGetParam(b->function, 1), zero, "");
    LLVMValueRef nothing = stores_totals(b) ? no_rows : LLVMBuildOr(b->ir, no_rows, no_cols, "");
    LLVMBuildCondBr(b->ir, nothing, end, some);
    go_on_at(b, some);
    build_operands(b, l);
    if (b->shares_counters) hold_keys(b);
    build_streaming_decision(b, l);
    for (uint32_t k = 0; k < b->stream_count; k++) l->data[k] = l->first[k];
    if (!l->row_function) build_uniform(b, l, ONCE);
    if (b->isa->memory_operands && !l->row_function) place_constants(b);
    build_rows(b, l, finished);
    go_on_at(b, finished);
    if (l->large) {
        LLVMBasicBlockRef fence = block(b, "fence");
        LLVMBuildCondBr(b->ir, l->large, fence, end);
        go_on_at(b, fence);
        store_fence(b);
    }
    LLVMBuildBr(b->ir, end);
    go_on_at(b, end);
    LLVMBuildRetVoid(b->ir);
}

static LLVMValueRef add_kernel_function(struct build *b, const char *symbol)
{
    LLVMTypeRef parameters[] = {b->size, b->size, b->pointer};
    return add_function(b->module, symbol, LLVMVoidTypeInContext(b->context), parameters, 3, b->isa);
}

/* Adds the function of a thread. Only the calls of the object use it. */
static LLVMValueRef add_thread_function(struct build *b)
{
    const uint32_t groups = b->what->kernel->group_count;
    LLVMTypeRef types[2 + 2 * TARGET_MOST_OPERANDS];
    for (uint32_t i = 0; i < 2 + 2 * groups; i++) types[i] = i < 2 || i % 2 ? b->size : b->pointer;
    LLVMValueRef function = add_function(b->module, b->what->symbol, LLVMVoidTypeInContext(b->context), types,
                                         2 + 2 * groups, b->isa);
    LLVMSetLinkage(function, LLVMInternalLinkage);
    return function;
}

/* Adds the function that calls with pointers use, if the object has calls. Otherwise returns NULL. */
static LLVMValueRef add_direct_function(struct build *b)
{
    const uint32_t groups = b->what->kernel->group_count;
    LLVMTypeRef types[2 + TARGET_MOST_OPERANDS], nothing = LLVMVoidTypeInContext(b->context);
    if (!b->options->call_count || groups > TARGET_MOST_OPERANDS) return NULL;
    for (uint32_t i = 0; i < 2 + groups; i++) types[i] = i < 2 ? b->size : b->pointer;
    const struct symbol symbol = direct_symbol(b->what->symbol);
    LLVMValueRef function = add_function(b->module, symbol.text, nothing, types, 2 + groups, b->isa);
    LLVMSetLinkage(function, LLVMInternalLinkage);
    return function;
}

static void build_direct(struct build *b, struct loops *l, LLVMValueRef many)
{
    LLVMValueRef direct = add_direct_function(b);
    if (!direct) return;
    b->function = direct;
    b->direct = true;
    build_few(b, l, many);
    b->direct = false;
}

/* Builds the only loop over elements of short code whose rows can be one row: the direct function. The
 * kernel's function calls it for each row. It stands before its caller, so that share_functions() finds both
 * equal to those of another kernel. */
static void build_row_function(struct build *b, struct loops *l)
{
    const struct lane_kernel *k = b->what->kernel;
    if (b->what->called || k->made_count || !rows_can_be_one(b)) return;
    LLVMValueRef direct = add_direct_function(b);
    if (!direct) return;
    b->function = direct;
    b->direct = true;
    build_one_row(b, l);
    b->direct = false;
    l->row_function = direct;
}

enum { MOST_PASSES = SPEC_MAX_PASSES };

/* Builds a pass, or finds it if it has been built. It adds up the totals of its values if its loop can, and
 * if pass->caller is set. */
static int build_pass(struct pass_function *out, const struct build *b, struct backend_function *pass,
                      uint32_t number, struct diag *error)
{
    char symbol[SYMBOL_SIZE];
    struct build own;
    struct loops l = {0};
    pass->kernel = b->what->kernel->passes[number].kernel;
    pass->called = NULL;
    const bool opened = open_build(&own, &l, pass, b->options);
    out->adds_up = opened && stores_totals(&own);
    close_build(&own);
    if (!out->adds_up) pass->caller = NULL;
    snprintf(symbol, sizeof symbol, "%s.%s%u", b->what->symbol, out->adds_up ? "adding" : "pass",
             (unsigned)number);
    pass->symbol = symbol;
    out->function = LLVMGetNamedFunction(b->module, symbol);
    if (out->function) return DIAG_OK;
    const int status = build_function(b->context, b->module, pass, b->options, error);
    out->function = LLVMGetNamedFunction(b->module, symbol);
    if (!status) LLVMSetLinkage(out->function, LLVMInternalLinkage);
    return status;
}

/* Builds the functions of a kernel's passes. */
static int build_passes(struct pass_function *out, struct build *b, bool add, struct diag *error)
{
    int status = DIAG_OK;
    for (uint32_t n = 0; n < b->what->kernel->pass_count && !status; n++) {
        struct backend_function pass = *b->what;
        pass.caller = add ? b->what : NULL;
        status = build_pass(&out[n], b, &pass, n, error);
    }
    return status;
}

/* Builds a function that runs all passes on all elements, without sums in between. */
static void build_tile(struct build *b, const struct pass_function *passes)
{
    const struct kernel_pass *pass = b->what->kernel->passes;
    LLVMValueRef arguments[3];
    go_on_at(b, block(b, "entry"));
    for (unsigned i = 0; i < 3; i++) arguments[i] = LLVMGetParam(b->function, i);
    for (uint32_t n = 0; n < b->what->kernel->pass_count; n++) {
        arguments[1] = blocks_in_row(b, pass[n].block, LLVMGetParam(b->function, 1));
        LLVMBuildCall2(b->ir, LLVMGlobalGetValueType(passes[n].function), passes[n].function, arguments, 3,
                       "");
    }
    LLVMBuildRetVoid(b->ir);
}

static int build_with_passes(struct build *b, struct diag *error)
{
    char symbol[SYMBOL_SIZE];
    struct pass_function passes[MOST_PASSES];
    int status = DIAG_OK;
    if (!b->options->call_count) {
        status = build_passes(passes, b, false, error);
        if (status) return status;
        snprintf(symbol, sizeof symbol, "%s_tile", b->what->symbol);
        b->function = add_kernel_function(b, symbol);
        build_tile(b, passes);
    }
    status = build_passes(passes, b, true, error);
    if (status) return status;
    b->function = add_kernel_function(b, b->what->symbol);
    build_sums(b, passes);
    return DIAG_OK;
}

/* Builds a kernel with sums whose own loop adds up. A second function computes all rows of a block. */
static void build_adding(struct build *b, struct loops *l)
{
    char symbol[SYMBOL_SIZE];
    snprintf(symbol, sizeof symbol, "%s.block", b->what->symbol);
    LLVMValueRef rows = add_kernel_function(b, symbol);
    const struct pass_function all = {rows, true};
    LLVMSetLinkage(rows, LLVMInternalLinkage);
    b->function = add_kernel_function(b, b->what->symbol);
    build_sums(b, &all);
    b->function = rows;
    build_all(b, l);
    store_summands(b);
    forget_places(b);
}

static void build_functions(struct build *b, struct loops *l)
{
    char symbol[SYMBOL_SIZE];
    const bool has_sums = b->what->called != NULL;
    if (b->adds_in_loop) {
        build_adding(b, l);
        if (b->options->call_count) return; /* nobody calls a function of tiles */
    }
    if (backend_has_short_loops(b->options)) build_row_function(b, l);
    snprintf(symbol, sizeof symbol, "%s%s", b->what->symbol, has_sums ? "_tile" : "");
    LLVMValueRef few = add_kernel_function(b, symbol);
    if (has_sums && !b->adds_in_loop) {
        if (b->options->call_count) LLVMSetLinkage(few, LLVMInternalLinkage);
        const struct pass_function summands = {few, false};
        b->function = add_kernel_function(b, b->what->symbol);
        build_sums(b, &summands);
    }
    if (backend_has_short_loops(b->options) || stores_totals(b)) {
        b->function = few;
        build_all(b, l);
        return;
    }
    snprintf(symbol, sizeof symbol, "%s.many", b->what->symbol);
    LLVMValueRef many = add_kernel_function(b, symbol);
    LLVMSetLinkage(many, LLVMInternalLinkage); /* objects export only the names of kernels */
    b->function = few;
    build_few(b, l, many);
    if (!has_sums) build_direct(b, l, many);
    b->function = many;
    build_all(b, l);
}

static int build_for_grid(struct build *b, struct loops *l, struct diag *error)
{
    b->function = add_thread_function(b);
    if (b->what->called) return build_warps(b, l, error);
    build_grid(b, l);
    return DIAG_OK;
}

int build_function(LLVMContextRef context, LLVMModuleRef module, const struct backend_function *what,
                   const struct backend_options *options, struct diag *error)
{
    struct build b;
    struct loops l = {0};
    if (!open_build(&b, &l, what, options)) {
        close_build(&b);
        return diag_set(error, DIAG_NO_MEMORY, "no memory for the code of '%s'", what->symbol);
    }
    b.context = context;
    b.module = module;
    b.ir = LLVMCreateBuilderInContext(context);
    find_types(&b);
    int status = DIAG_OK;
    if (target_has_grid(b.isa))
        status = build_for_grid(&b, &l, error);
    else if (what->kernel->pass_count)
        status = build_with_passes(&b, error);
    else
        build_functions(&b, &l);
    LLVMDisposeBuilder(b.ir);
    close_build(&b);
    if (status) return status;
    if (b.missing)
        return diag_set(error, DIAG_BACKEND, "'%s' for %s: this LLVM has no intrinsic %s", what->symbol,
                        what->isa->name, b.missing);
    return 0;
}
