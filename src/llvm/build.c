/* The kernel's function: operands, rows, and the loops over a row.
 *
 *   row:        for each row (all of them as one, where they follow each other without gaps):
 *   vectors:        full vectors: several a turn, then one a turn (build_loops.c)
 *   partial:        the last elements, fewer than a vector, by masks; where masks are registers it takes the full
 *                   vectors that are left as well, at the same speed, and the program is compiled once less
 * For operands that do not fit the caches, where the program is cheap enough for it to matter:
 *   partial:        first the elements before the result's first aligned vector
 *   large:          full vectors, written past the caches
 *   partial:        the last elements again (the same block), then a fence */
#include "build_loops.h"

#include <stdlib.h>
#include <string.h>

static void go_to_partial(struct build *b, struct loops *l, LLVMValueRef index, LLVMValueRef end)
{
    phi_add(l->partial_index, index, here(b));
    phi_add(l->partial_end, end, here(b));
    LLVMBuildBr(b->ir, l->partial);
}

/* The program's own loop, and what it leaves. */
static void build_cached(struct build *b, struct loops *l)
{
    const struct loop_form own = {b->pipeline.stages, b->pipeline.unroll, false}, single = {1, 1, false};
    LLVMValueRef index = build_vectors(b, l, size_constant(b, 0), own);
    if (!b->isa->mask_registers && (own.stages > 1 || own.unroll > 1))
        index = build_vectors(b, l, index, single);
    go_to_partial(b, l, index, l->cols);
}

/* Memory bounds this loop: neither pipelining nor neighbours would make it faster. */
static void build_large(struct build *b, struct loops *l, LLVMValueRef index)
{
    const struct loop_form single = {1, 1, true};
    go_to_partial(b, l, build_vectors(b, l, index, single), l->cols);
}

static LLVMValueRef address_bits(struct build *b, LLVMValueRef pointer)
{
    return LLVMBuildPtrToInt(b->ir, pointer, b->size, "");
}

static uint32_t first_result(const struct lane_kernel *k)
{
    uint32_t n = 0;
    while (!k->operands[n].is_result) n++;
    return n;
}

/* Elements before the first result's first aligned vector, as a first partial vector. */
static void build_head(struct build *b, struct loops *l)
{
    uint32_t result = first_result(b->what->kernel);
    unsigned bytes = element_types[b->what->kernel->operands[result].type].bytes;
    LLVMValueRef gap = LLVMBuildAnd(b->ir, LLVMBuildNeg(b->ir, address_bits(b, l->data[result]), ""),
                                    size_constant(b, b->isa->vector_bytes - 1), "");
    LLVMValueRef elements = LLVMBuildUDiv(b->ir, gap, size_constant(b, bytes), "");
    LLVMValueRef fits = LLVMBuildICmp(b->ir, LLVMIntULT, elements, l->cols, "");
    go_to_partial(b, l, size_constant(b, 0), LLVMBuildSelect(b->ir, fits, elements, l->cols, ""));
}

/* True in the elements of the vector at l->partial_index that come before l->partial_end. */
static LLVMValueRef mask_of_rest(struct build *b, const struct loops *l)
{
    LLVMValueRef rest = LLVMBuildSub(b->ir, l->partial_end, l->partial_index, "");
    if (!b->isa->mask_registers) return partial_mask(b, rest);
    LLVMValueRef lanes = size_constant(b, b->lanes);
    LLVMValueRef is_full = LLVMBuildICmp(b->ir, LLVMIntUGT, rest, lanes, "");
    return partial_mask(b, LLVMBuildSelect(b->ir, is_full, lanes, rest, ""));
}

static void build_partial(struct build *b, struct loops *l)
{
    LLVMBasicBlockRef some = block(b, "some"), done = block(b, "partial_done");
    go_on_at(b, l->partial);
    LLVMValueRef left = LLVMBuildICmp(b->ir, LLVMIntULT, l->partial_index, l->partial_end, "");
    LLVMBuildCondBr(b->ir, left, some, done);
    go_on_at(b, some);
    build_masked(b, l, l->partial_index, mask_of_rest(b, l));
    if (b->isa->mask_registers)
        go_to_partial(b, l, advance(b, l->partial_index, size_constant(b, b->lanes)), l->partial_end);
    else
        LLVMBuildBr(b->ir, done);

    go_on_at(b, done);
    if (!l->large) {
        LLVMBuildBr(b->ir, l->row_end);
        return;
    }
    LLVMBasicBlockRef more = block(b, "after_head");
    LLVMValueRef finished = LLVMBuildICmp(b->ir, LLVMIntEQ, l->partial_end, l->cols, "");
    LLVMBuildCondBr(b->ir, finished, l->row_end, more);
    go_on_at(b, more);
    build_large(b, l, l->partial_end);
}

/* One row: l->data, l->cols. Ends in l->row_end. */
static void build_row(struct build *b, struct loops *l)
{
    LLVMBasicBlockRef start = here(b);
    l->partial = block(b, "partial");
    go_on_at(b, l->partial);
    l->partial_index = LLVMBuildPhi(b->ir, b->size, "");
    l->partial_end = LLVMBuildPhi(b->ir, b->size, "");
    go_on_at(b, start);
    if (l->large) {
        LLVMBasicBlockRef plain = block(b, "plain"), head = block(b, "head");
        LLVMBuildCondBr(b->ir, l->large, head, plain);
        go_on_at(b, head);
        build_head(b, l);
        go_on_at(b, plain);
    }
    build_cached(b, l);
    build_partial(b, l);
}

static LLVMValueRef operand_field(struct build *b, uint32_t operand, unsigned field, LLVMTypeRef type)
{
    LLVMTypeRef fields[] = {b->pointer, b->size};
    LLVMTypeRef record = LLVMStructTypeInContext(b->context, fields, 2, false);
    LLVMValueRef path[] = {i32_constant(b, operand), i32_constant(b, field)};
    LLVMValueRef address = LLVMBuildGEP2(b->ir, record, LLVMGetParam(b->function, 2), path, 2, "");
    return LLVMBuildLoad2(b->ir, type, address, "");
}

/* Whether rows follow each other without gaps in all operands. */
static LLVMValueRef read_strides(struct build *b, struct loops *l, LLVMValueRef cols)
{
    LLVMValueRef dense = LLVMConstInt(b->scalar[LANE_TRUTH], 1, false);
    for (uint32_t k = 0; k < b->what->kernel->operand_count; k++) {
        LLVMValueRef stride = operand_field(b, k, 1, b->size);
        LLVMValueRef is_width = LLVMBuildICmp(b->ir, LLVMIntEQ, stride, size_constant(b, 0), "");
        l->stride[k] = LLVMBuildSelect(b->ir, is_width, cols, stride, "");
        dense = LLVMBuildAnd(b->ir, dense, LLVMBuildICmp(b->ir, LLVMIntEQ, l->stride[k], cols, ""), "");
    }
    return dense;
}

/* Reads the operands; makes one row of rows without gaps. A single row asks for no strides: a short call is mostly this. */
static void build_operands(struct build *b, struct loops *l)
{
    LLVMValueRef rows = LLVMGetParam(b->function, 0), cols = LLVMGetParam(b->function, 1);
    LLVMValueRef one = size_constant(b, 1), zero = size_constant(b, 0);
    const uint32_t count = b->what->kernel->operand_count;
    for (uint32_t k = 0; k < count; k++) l->first[k] = operand_field(b, k, 0, b->pointer);
    LLVMBasicBlockRef before = here(b), several = block(b, "several_rows"), ready = block(b, "");
    LLVMBuildCondBr(b->ir, LLVMBuildICmp(b->ir, LLVMIntEQ, rows, one, ""), ready, several);
    go_on_at(b, several);
    LLVMValueRef dense = read_strides(b, l, cols);
    LLVMValueRef dense_rows = LLVMBuildSelect(b->ir, dense, one, rows, "");
    LLVMValueRef dense_cols = LLVMBuildSelect(b->ir, dense, LLVMBuildMul(b->ir, rows, cols, ""), cols, "");
    LLVMBuildBr(b->ir, ready);
    go_on_at(b, ready);
    l->rows = phi_start(b, b->size, one, before);
    phi_add(l->rows, dense_rows, several);
    l->cols = phi_start(b, b->size, cols, before);
    phi_add(l->cols, dense_cols, several);
    for (uint32_t k = 0; k < count; k++) {
        LLVMValueRef stride = phi_start(b, b->size, zero, before);
        phi_add(stride, l->stride[k], several);
        l->stride[k] = stride;
    }
}

enum { ALWAYS_STREAMING = 1 }; /* of options->streaming_bytes */

/* How large operands are written. Streaming stores save a quarter of the time of ordinary ones on Zen 5, and nothing on a
 * Skylake server, where one core has too few buffers to keep memory busy with them; there, lines asked for 4 KiB ahead save
 * a sixth of memcpy's time (64 MiB arrays). The kernel asks what it runs on, once a call, and only for large operands, so
 * that one object suits both. */
static LLVMValueRef choose_writing(struct build *b, LLVMValueRef suits, LLVMValueRef *ahead)
{
    enum { AHEAD = 4096 };
    *ahead = size_constant(b, 0);
    if (b->options->streaming_bytes == ALWAYS_STREAMING) return suits;
    LLVMValueRef intel = made_by_intel(b);
    *ahead =
        LLVMBuildSelect(b->ir, LLVMBuildAnd(b->ir, intel, suits, ""), size_constant(b, AHEAD), *ahead, "");
    return LLVMBuildAnd(b->ir, suits, LLVMBuildNot(b->ir, intel, ""), "");
}

/* All results lie at the same place within a vector, an element's multiple. */
static LLVMValueRef results_lie_alike(struct build *b, const struct loops *l)
{
    const struct lane_kernel *kernel = b->what->kernel;
    const uint32_t result = first_result(kernel);
    LLVMValueRef address = address_bits(b, l->first[result]);
    LLVMValueRef wrong = LLVMBuildAnd(
        b->ir, address, size_constant(b, element_types[kernel->operands[result].type].bytes - 1), "");
    for (uint32_t k = result + 1; k < kernel->operand_count; k++) {
        LLVMValueRef apart = LLVMBuildXor(b->ir, address_bits(b, l->first[k]), address, "");
        LLVMValueRef in_vector = LLVMBuildAnd(b->ir, apart, size_constant(b, b->isa->vector_bytes - 1), "");
        wrong = LLVMBuildOr(b->ir, wrong, in_vector, "");
    }
    return LLVMBuildICmp(b->ir, LLVMIntEQ, wrong, size_constant(b, 0), "");
}

/* A program of more operations takes longer than memory does, and only its compilation would notice a second loop. */
static bool memory_may_bound(const struct build *b)
{
    enum { FEW_OPERATIONS = 32 };
    return b->pipeline.operations <= FEW_OPERATIONS || b->options->streaming_bytes == ALWAYS_STREAMING;
}

/* Only one row, and a large one, is asked for more. */
static void build_streaming_decision(struct build *b, struct loops *l)
{
    const struct lane_kernel *kernel = b->what->kernel;
    if (!b->options->streaming_bytes || !memory_may_bound(b)) return;
    uint64_t bytes = 0;
    for (uint32_t k = 0; k < kernel->operand_count; k++)
        bytes += element_types[kernel->operands[k].type].bytes;
    LLVMValueRef limit = size_constant(b, b->options->streaming_bytes / bytes), ahead;
    LLVMValueRef no = LLVMConstNull(b->scalar[LANE_TRUTH]), zero = size_constant(b, 0);
    LLVMBasicBlockRef before = here(b), exceeds = block(b, "exceeds"), chosen = block(b, "");
    LLVMBuildCondBr(b->ir, LLVMBuildICmp(b->ir, LLVMIntUGT, l->cols, limit, ""), exceeds, chosen);
    go_on_at(b, exceeds);
    LLVMValueRef single = LLVMBuildICmp(b->ir, LLVMIntEQ, l->rows, size_constant(b, 1), "");
    LLVMValueRef suits = LLVMBuildAnd(b->ir, single, results_lie_alike(b, l), "");
    LLVMValueRef streaming = choose_writing(b, suits, &ahead);
    LLVMBuildBr(b->ir, chosen);
    go_on_at(b, chosen);
    l->large = phi_start(b, b->scalar[LANE_TRUTH], no, before);
    phi_add(l->large, streaming, exceeds);
    l->ahead = phi_start(b, b->size, zero, before);
    phi_add(l->ahead, ahead, exceeds);
}

/* row -> row_end -> row ... -> exit. The operands' addresses advance by their strides. */
static void build_rows(struct build *b, struct loops *l, LLVMBasicBlockRef finished)
{
    const struct kernel_operand *operands = b->what->kernel->operands;
    uint32_t count = b->what->kernel->operand_count;
    LLVMBasicBlockRef before = here(b), row = block(b, "row");
    l->row_end = block(b, "row_end");
    LLVMBuildBr(b->ir, row);
    go_on_at(b, row);
    LLVMValueRef number = phi_start(b, b->size, size_constant(b, 0), before);
    for (uint32_t k = 0; k < count; k++) l->data[k] = phi_start(b, b->pointer, l->first[k], before);
    build_row(b, l);

    go_on_at(b, l->row_end);
    LLVMValueRef next = LLVMBuildAdd(b->ir, number, size_constant(b, 1), "");
    phi_add(number, next, l->row_end);
    for (uint32_t k = 0; k < count; k++) {
        LLVMTypeRef element = LLVMIntTypeInContext(b->context, 8 * element_types[operands[k].type].bytes);
        phi_add(l->data[k], LLVMBuildGEP2(b->ir, element, l->data[k], &l->stride[k], 1, ""), l->row_end);
    }
    LLVMBuildCondBr(b->ir, LLVMBuildICmp(b->ir, LLVMIntULT, next, l->rows, ""), row, finished);
}

static void build_all(struct build *b, struct loops *l)
{
    LLVMBasicBlockRef entry = block(b, "entry"), some = block(b, "operands"), finished = block(b, "finished"),
                      end = block(b, "end");
    go_on_at(b, entry);
    LLVMValueRef zero = size_constant(b, 0);
    LLVMValueRef no_rows = LLVMBuildICmp(b->ir, LLVMIntEQ, LLVMGetParam(b->function, 0), zero, "");
    LLVMValueRef no_cols = LLVMBuildICmp(b->ir, LLVMIntEQ, LLVMGetParam(b->function, 1), zero, "");
    LLVMBuildCondBr(b->ir, LLVMBuildOr(b->ir, no_rows, no_cols, ""), end, some);
    go_on_at(b, some);
    build_operands(b, l);
    build_streaming_decision(b, l);
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

static void add_attribute(struct build *b, const char *key, const char *value)
{
    LLVMAttributeRef a =
        LLVMCreateStringAttribute(b->context, key, (unsigned)strlen(key), value, (unsigned)strlen(value));
    LLVMAddAttributeAtIndex(b->function, (LLVMAttributeIndex)LLVMAttributeFunctionIndex, a);
}

static void start_function(struct build *b)
{
    LLVMContextRef c = b->context;
    b->scalar[LANE_F32] = LLVMFloatTypeInContext(c);
    b->scalar[LANE_F64] = LLVMDoubleTypeInContext(c);
    b->scalar[LANE_I32] = LLVMInt32TypeInContext(c);
    b->scalar[LANE_I64] = LLVMInt64TypeInContext(c);
    b->scalar[LANE_TRUTH] = LLVMInt1TypeInContext(c);
    for (int t = 0; t < LANE_NOTHING; t++) b->vector[t] = LLVMVectorType(b->scalar[t], b->lanes);
    b->pointer = LLVMPointerTypeInContext(c, 0);
    b->size = b->scalar[LANE_I64];
    LLVMTypeRef parameters[] = {b->size, b->size, b->pointer};
    LLVMTypeRef type = LLVMFunctionType(LLVMVoidTypeInContext(c), parameters, 3, false);
    b->function = LLVMAddFunction(b->module, b->what->symbol, type);
    unsigned nounwind = LLVMGetEnumAttributeKindForName("nounwind", 8);
    LLVMAddAttributeAtIndex(b->function, (LLVMAttributeIndex)LLVMAttributeFunctionIndex,
                            LLVMCreateEnumAttribute(c, nounwind, 0));
    add_attribute(b, "no-builtins", "");
    add_attribute(b, "target-cpu", b->isa->cpu);
    if (*b->isa->features) add_attribute(b, "target-features", b->isa->features);
}

int build_function(LLVMContextRef context, LLVMModuleRef module, const struct backend_function *what,
                   const struct backend_options *options, struct diag *error)
{
    const lane_program *p = what->kernel->program;
    uint32_t operands = what->kernel->operand_count;
    struct build b = {.what = what,
                      .options = options,
                      .program = p,
                      .isa = what->isa,
                      .context = context,
                      .module = module,
                      .lanes = what->isa->vector_bytes / lane_type_bytes(LANE_F32)};
    const size_t per_vector = p->count * (size_t)(1 + PIPELINE_MAX_STAGES);
    const size_t count = PIPELINE_MAX_UNROLL * per_vector + p->table_count + 4 * (size_t)operands;
    LLVMValueRef *values = calloc(count, sizeof *values);
    uint16_t *depths = calloc(3 * (size_t)p->count, sizeof *depths); /* last, and two bytes for each */
    if (!values || !depths) {
        free(values);
        free(depths);
        return diag_set(error, DIAG_NO_MEMORY, "no memory for the code of '%s'", what->symbol);
    }
    b.pipeline = (struct pipeline){.depth = depths};
    b.pipeline.last = depths + p->count;
    b.pipeline.stage = (uint8_t *)(depths + 2 * (size_t)p->count);
    b.pipeline.last_use = b.pipeline.stage + p->count;
    pipeline_plan(&b.pipeline, p, b.isa->vector_bytes == 64 ? 32 : 16);
    b.all_values = b.values = values;
    b.carried = b.all_values + PIPELINE_MAX_UNROLL * (size_t)p->count;
    b.tables = values + PIPELINE_MAX_UNROLL * per_vector;
    struct loops l = {.data = b.tables + p->table_count};
    l.first = l.data + operands;
    l.stride = l.first + operands;
    l.data_ahead = l.stride + operands;
    b.ir = LLVMCreateBuilderInContext(context);
    start_function(&b);
    build_all(&b, &l);
    LLVMDisposeBuilder(b.ir);
    free(values);
    free(depths);
    if (b.missing)
        return diag_set(error, DIAG_BACKEND, "'%s' for %s: this LLVM has no intrinsic %s", what->symbol,
                        what->isa->name, b.missing);
    return 0;
}
