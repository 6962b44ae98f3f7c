/* The kernel's function: operands, rows, and the loops over a row.
 *
 *   row:        for each row (all of them as one, where they follow each other without gaps):
 *   vectors:        `unroll` full vectors a turn                   single: one a turn, if unroll > 1
 *   partial:        the last elements, fewer than a vector, by masks
 * Programs with long chains of operations have a pipelined loop (pipeline.h) in the place of the first one.
 * With streaming stores, for operands that do not fit the caches:
 *   partial:        first the elements before the result's first aligned vector
 *   streaming:      full vectors, written past the caches
 *   partial:        the last elements again (the same block), then a fence
 * All loads of a vector come before its stores, so that a result may stand in an input's place. */
#include "build.h"

#include <stdlib.h>
#include <string.h>

struct loops {               /* values and blocks that the parts of a function share */
    LLVMValueRef *data;      /* of each operand, in this row */
    LLVMValueRef *first;     /* of each operand, in the first row */
    LLVMValueRef *stride;    /* in elements */
    LLVMValueRef rows, cols; /* after rows without gaps have become one */
    LLVMValueRef streaming;  /* truth value, NULL if never */
    LLVMBasicBlockRef partial, row_end;
    LLVMValueRef partial_index, partial_count; /* phis */
};

static LLVMBasicBlockRef block(struct build *b, const char *name)
{
    return LLVMAppendBasicBlockInContext(b->context, b->function, name);
}

static LLVMBasicBlockRef here(struct build *b) { return LLVMGetInsertBlock(b->ir); }

static void go_on_at(struct build *b, LLVMBasicBlockRef at) { LLVMPositionBuilderAtEnd(b->ir, at); }

static LLVMValueRef phi_start(struct build *b, LLVMTypeRef type, LLVMValueRef value, LLVMBasicBlockRef from)
{
    LLVMValueRef phi = LLVMBuildPhi(b->ir, type, "");
    LLVMAddIncoming(phi, &value, &from, 1);
    return phi;
}

static void phi_add(LLVMValueRef phi, LLVMValueRef value, LLVMBasicBlockRef from)
{
    LLVMAddIncoming(phi, &value, &from, 1);
}

/* The program on one vector of elements. */
static void build_body(struct build *b, const struct loops *l, LLVMValueRef index, LLVMValueRef mask,
                       bool streaming)
{
    const lane_program *p = b->program;
    const struct kernel_operand *operands = b->what->kernel->operands;
    for (uint32_t n = 0; n < p->count; n++)
        if (p->code[n].op == LANE_LOAD) {
            uint32_t k = p->code[n].index;
            b->values[n] = load_operand(b, &operands[k], l->data[k], index, mask);
        }
    for (uint32_t n = 0; n < p->count; n++)
        if (p->code[n].op != LANE_LOAD && p->code[n].op != LANE_STORE) b->values[n] = build_op(b, n);
    for (uint32_t n = 0; n < p->count; n++)
        if (p->code[n].op == LANE_STORE) {
            uint32_t k = p->code[n].index;
            store_operand(b, &operands[k], l->data[k], index, mask, streaming,
                          b->values[p->code[n].operand[0]]);
        }
}

/* From `start` while `step` elements are left before cols: full vectors. Continues behind the loop, and gives
 * the index there. */
static LLVMValueRef build_vectors(struct build *b, const struct loops *l, LLVMValueRef start, unsigned unroll,
                                  bool streaming)
{
    LLVMValueRef step = size_constant(b, (uint64_t)unroll * b->lanes);
    LLVMValueRef left = LLVMBuildSub(b->ir, l->cols, start, "");
    LLVMValueRef whole = LLVMBuildAnd(b->ir, left, LLVMConstNeg(step), ""); /* step is a power of two */
    LLVMValueRef end = LLVMBuildAdd(b->ir, start, whole, "");
    LLVMBasicBlockRef before = here(b), loop = block(b, streaming ? "streaming" : "vectors"),
                      after = block(b, "");
    LLVMBuildCondBr(b->ir, LLVMBuildICmp(b->ir, LLVMIntULT, start, end, ""), loop, after);

    go_on_at(b, loop);
    LLVMValueRef index = phi_start(b, b->size, start, before);
    for (unsigned u = 0; u < unroll; u++) {
        LLVMValueRef at = LLVMBuildAdd(b->ir, index, size_constant(b, (uint64_t)u * b->lanes), "");
        build_body(b, l, u ? at : index, NULL, streaming);
    }
    LLVMValueRef next = LLVMBuildAdd(b->ir, index, step, "");
    phi_add(index, next, here(b));
    LLVMBuildCondBr(b->ir, LLVMBuildICmp(b->ir, LLVMIntULT, next, end, ""), loop, after);

    go_on_at(b, after);
    return end;
}

/* -- software pipelining -- */

/* While a loop's turn is built: the values of earlier vectors that it uses, each a phi. */
struct carried {
    const struct pipeline *stages;
    LLVMValueRef *delayed; /* of instruction n, d vectors back: [n * PIPELINE_MAX_STAGES + d], d >= 1 */
};

static LLVMValueRef *carried_at(const struct carried *c, uint32_t n, unsigned back)
{
    return &c->delayed[(size_t)n * PIPELINE_MAX_STAGES + back];
}

static unsigned carried_count(const struct carried *c, const lane_program *p, uint32_t n)
{
    return p->code[n].op == LANE_CONST ? 0u : (unsigned)(c->stages->last_use[n] - c->stages->stage[n]);
}

static void carry_values(struct build *b, const struct carried *c, LLVMBasicBlockRef before)
{
    const lane_program *p = b->program;
    for (uint32_t n = 0; n < p->count; n++)
        for (unsigned d = 1; d <= carried_count(c, p, n); d++) {
            LLVMTypeRef type = b->vector[p->code[n].type];
            *carried_at(c, n, d) = phi_start(b, type, LLVMConstNull(type), before);
        }
}

static void pass_values_on(struct build *b, const struct carried *c)
{
    const lane_program *p = b->program;
    for (uint32_t n = 0; n < p->count; n++)
        for (unsigned d = 1; d <= carried_count(c, p, n); d++)
            phi_add(*carried_at(c, n, d), d == 1 ? b->values[n] : *carried_at(c, n, d - 1), here(b));
}

/* The operands of instruction n, as its stage's vector has them, put where build_op looks. */
static void build_stage_op(struct build *b, const struct carried *c, uint32_t n)
{
    const struct lane_instruction *i = &b->program->code[n];
    LLVMValueRef own[3] = {0};
    const unsigned arity = lane_ops[i->op].arity;
    for (unsigned k = 0; k < arity; k++) {
        const lane_value v = i->operand[k];
        const unsigned back = (unsigned)(c->stages->stage[n] - c->stages->stage[v]);
        own[k] = b->values[v];
        if (back && b->program->code[v].op != LANE_CONST) b->values[v] = *carried_at(c, v, back);
    }
    LLVMValueRef value = build_op(b, n);
    for (unsigned k = arity; k-- > 0;) b->values[i->operand[k]] = own[k];
    b->values[n] = value;
}

static void build_turn(struct build *b, const struct loops *l, const struct carried *c, LLVMValueRef load_at,
                       LLVMValueRef store_at, bool streaming)
{
    const lane_program *p = b->program;
    const struct kernel_operand *operands = b->what->kernel->operands;
    for (uint32_t n = 0; n < p->count; n++) {
        const uint32_t k = p->code[n].index;
        if (p->code[n].op == LANE_CONST) b->values[n] = build_op(b, n);
        if (p->code[n].op == LANE_LOAD)
            b->values[n] = load_operand(b, &operands[k], l->data[k], load_at, NULL);
    }
    for (unsigned s = c->stages->stages; s-- > 0;)
        for (uint32_t n = 0; n < p->count; n++) {
            const enum lane_op op = p->code[n].op;
            if (op != LANE_LOAD && op != LANE_STORE && op != LANE_CONST && c->stages->stage[n] == s)
                build_stage_op(b, c, n);
        }
    for (uint32_t n = 0; n < p->count; n++) {
        if (p->code[n].op != LANE_STORE) continue;
        const uint32_t k = p->code[n].index;
        const lane_value v = p->code[n].operand[0];
        const unsigned back = c->stages->stages - 1u - c->stages->stage[v];
        const bool now = back == 0 || p->code[v].op == LANE_CONST;
        store_operand(b, &operands[k], l->data[k], store_at, NULL, streaming,
                      now ? b->values[v] : *carried_at(c, v, back));
    }
}

/* The same as build_vectors for at least as many vectors as stages; gives the index behind them, or `start`. A turn's
 * first stage loads vector i, its last stores vector i - lead. In the first turns, whose last stages have nothing yet,
 * what they store goes where the first vector's result will; in the last ones the last vector is loaded again. */
static LLVMValueRef build_pipelined(struct build *b, const struct loops *l, LLVMValueRef start,
                                    bool streaming)
{
    const struct carried c = {&b->stages, b->delayed};
    LLVMValueRef lead = size_constant(b, (uint64_t)(b->stages.stages - 1) * b->lanes);
    LLVMValueRef step = size_constant(b, b->lanes), left = LLVMBuildSub(b->ir, l->cols, start, "");
    LLVMValueRef whole = LLVMBuildAnd(b->ir, left, LLVMConstNeg(step), "");
    LLVMBasicBlockRef before = here(b), after = block(b, "");
    LLVMBasicBlockRef loop = block(b, streaming ? "pipelined_streaming" : "pipelined");
    LLVMValueRef behind = LLVMBuildAdd(b->ir, start, whole, ""), last = LLVMBuildSub(b->ir, behind, step, "");
    LLVMValueRef first_done = LLVMBuildAdd(b->ir, start, lead, ""),
                 end = LLVMBuildAdd(b->ir, behind, lead, "");
    LLVMBuildCondBr(b->ir, LLVMBuildICmp(b->ir, LLVMIntUGT, whole, lead, ""), loop, after);

    go_on_at(b, loop);
    LLVMValueRef index = phi_start(b, b->size, start, before);
    carry_values(b, &c, before);
    LLVMValueRef within = LLVMBuildICmp(b->ir, LLVMIntULT, index, last, "");
    LLVMValueRef done = LLVMBuildSub(b->ir, index, lead, "");
    LLVMValueRef early = LLVMBuildICmp(b->ir, LLVMIntULT, index, first_done, "");
    build_turn(b, l, &c, LLVMBuildSelect(b->ir, within, index, last, ""),
               LLVMBuildSelect(b->ir, early, start, done, ""), streaming);
    pass_values_on(b, &c);
    LLVMValueRef next = LLVMBuildAdd(b->ir, index, step, "");
    phi_add(index, next, here(b));
    LLVMBuildCondBr(b->ir, LLVMBuildICmp(b->ir, LLVMIntULT, next, end, ""), loop, after);

    go_on_at(b, after);
    LLVMValueRef reached = phi_start(b, b->size, start, before);
    phi_add(reached, behind, loop);
    return reached;
}

static void go_to_partial(struct build *b, struct loops *l, LLVMValueRef index, LLVMValueRef count)
{
    phi_add(l->partial_index, index, here(b));
    phi_add(l->partial_count, count, here(b));
    LLVMBuildBr(b->ir, l->partial);
}

/* Plans of many ops keep the core busy by themselves; for short ones the loop's own work counts. The 22 ops
 * of a piecewise GELU gain 10 % from two vectors a turn on a Skylake server (32768 elements, AVX-512) and
 * nothing on Zen 5. */
static unsigned unroll_of(const lane_program *p)
{
    unsigned ops = 0;
    for (uint32_t n = 0; n < p->count; n++)
        ops += p->code[n].op != LANE_LOAD && p->code[n].op != LANE_STORE && p->code[n].op != LANE_CONST;
    return ops <= 4 ? 4 : ops <= 30 ? 2 : 1;
}

static void build_plain(struct build *b, struct loops *l)
{
    const unsigned unroll = unroll_of(b->program);
    const bool pipelined = b->stages.stages > 1;
    LLVMValueRef zero = size_constant(b, 0);
    LLVMValueRef index =
        pipelined ? build_pipelined(b, l, zero, false) : build_vectors(b, l, zero, unroll, false);
    if (pipelined || unroll > 1) index = build_vectors(b, l, index, 1, false);
    go_to_partial(b, l, index, LLVMBuildSub(b->ir, l->cols, index, ""));
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

static void build_partial(struct build *b, struct loops *l)
{
    LLVMBasicBlockRef some = block(b, "some"), done = block(b, "partial_done");
    go_on_at(b, l->partial);
    LLVMValueRef zero = size_constant(b, 0);
    LLVMBuildCondBr(b->ir, LLVMBuildICmp(b->ir, LLVMIntEQ, l->partial_count, zero, ""), done, some);
    go_on_at(b, some);
    build_body(b, l, l->partial_index, partial_mask(b, l->partial_count), false);
    LLVMBuildBr(b->ir, done);

    go_on_at(b, done);
    if (!l->streaming) {
        LLVMBuildBr(b->ir, l->row_end);
        return;
    }
    LLVMBasicBlockRef more = block(b, "after_head");
    LLVMValueRef index = LLVMBuildAdd(b->ir, l->partial_index, l->partial_count, "");
    LLVMBuildCondBr(b->ir, LLVMBuildICmp(b->ir, LLVMIntEQ, index, l->cols, ""), l->row_end, more);
    go_on_at(b, more);
    if (b->stages.stages > 1) index = build_pipelined(b, l, index, true);
    LLVMValueRef end = build_vectors(b, l, index, 1, true);
    go_to_partial(b, l, end, LLVMBuildSub(b->ir, l->cols, end, ""));
}

/* One row: l->data, l->cols. Ends in l->row_end. */
static void build_row(struct build *b, struct loops *l)
{
    LLVMBasicBlockRef start = here(b);
    l->partial = block(b, "partial");
    go_on_at(b, l->partial);
    l->partial_index = LLVMBuildPhi(b->ir, b->size, "");
    l->partial_count = LLVMBuildPhi(b->ir, b->size, "");
    go_on_at(b, start);
    if (l->streaming) {
        LLVMBasicBlockRef plain = block(b, "plain"), head = block(b, "head");
        LLVMBuildCondBr(b->ir, l->streaming, head, plain);
        go_on_at(b, head);
        build_head(b, l);
        go_on_at(b, plain);
    }
    build_plain(b, l);
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

/* Reads the operands; makes one row of rows without gaps. */
static void build_operands(struct build *b, struct loops *l)
{
    LLVMValueRef rows = LLVMGetParam(b->function, 0), cols = LLVMGetParam(b->function, 1);
    LLVMValueRef one = size_constant(b, 1), zero = size_constant(b, 0);
    LLVMValueRef dense = LLVMConstInt(b->scalar[LANE_TRUTH], 1, false);
    for (uint32_t k = 0; k < b->what->kernel->operand_count; k++) {
        l->first[k] = operand_field(b, k, 0, b->pointer);
        LLVMValueRef stride = operand_field(b, k, 1, b->size);
        LLVMValueRef is_width = LLVMBuildICmp(b->ir, LLVMIntEQ, stride, zero, "");
        l->stride[k] = LLVMBuildSelect(b->ir, is_width, cols, stride, "");
        dense = LLVMBuildAnd(b->ir, dense, LLVMBuildICmp(b->ir, LLVMIntEQ, l->stride[k], cols, ""), "");
    }
    dense = LLVMBuildOr(b->ir, dense, LLVMBuildICmp(b->ir, LLVMIntEQ, rows, one, ""), "");
    l->rows = LLVMBuildSelect(b->ir, dense, one, rows, "");
    l->cols = LLVMBuildSelect(b->ir, dense, LLVMBuildMul(b->ir, rows, cols, ""), cols, "");
}

/* One row, large, and all results at the same place within a vector, an element's multiple. */
static void build_streaming_decision(struct build *b, struct loops *l)
{
    const struct lane_kernel *kernel = b->what->kernel;
    if (!b->options->streaming_bytes) return;
    uint64_t bytes = 0;
    uint32_t result = first_result(kernel);
    for (uint32_t k = 0; k < kernel->operand_count; k++)
        bytes += element_types[kernel->operands[k].type].bytes;
    LLVMValueRef limit = size_constant(b, b->options->streaming_bytes / bytes);
    LLVMValueRef yes = LLVMBuildICmp(b->ir, LLVMIntUGT, l->cols, limit, "");
    LLVMValueRef single = LLVMBuildICmp(b->ir, LLVMIntEQ, l->rows, size_constant(b, 1), "");
    LLVMValueRef address = address_bits(b, l->first[result]);
    LLVMValueRef wrong = LLVMBuildAnd(
        b->ir, address, size_constant(b, element_types[kernel->operands[result].type].bytes - 1), "");
    for (uint32_t k = result + 1; k < kernel->operand_count; k++) {
        LLVMValueRef apart = LLVMBuildXor(b->ir, address_bits(b, l->first[k]), address, "");
        LLVMValueRef in_vector = LLVMBuildAnd(b->ir, apart, size_constant(b, b->isa->vector_bytes - 1), "");
        wrong = LLVMBuildOr(b->ir, wrong, in_vector, "");
    }
    LLVMValueRef aligned = LLVMBuildICmp(b->ir, LLVMIntEQ, wrong, size_constant(b, 0), "");
    l->streaming = LLVMBuildAnd(b->ir, yes, LLVMBuildAnd(b->ir, single, aligned, ""), "");
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
    if (l->streaming) {
        LLVMBasicBlockRef fence = block(b, "fence");
        LLVMBuildCondBr(b->ir, l->streaming, fence, end);
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
    size_t count = p->count * (size_t)(1 + PIPELINE_MAX_STAGES) + p->table_count + 3 * (size_t)operands;
    LLVMValueRef *values = calloc(count, sizeof *values);
    uint16_t *depths = calloc(2 * (size_t)p->count, sizeof *depths); /* and two bytes for each */
    if (!values || !depths) {
        free(values);
        free(depths);
        return diag_set(error, DIAG_NO_MEMORY, "no memory for the code of '%s'", what->symbol);
    }
    b.stages = (struct pipeline){.depth = depths};
    b.stages.stage = (uint8_t *)(depths + p->count);
    b.stages.last_use = b.stages.stage + p->count;
    pipeline_plan(&b.stages, p);
    b.values = values;
    b.tables = b.values + p->count;
    b.delayed = b.tables + p->table_count;
    struct loops l = {.data = b.delayed + (size_t)p->count * PIPELINE_MAX_STAGES};
    l.first = l.data + operands;
    l.stride = l.first + operands;
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
