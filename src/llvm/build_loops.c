/* Loops over full vectors. A turn takes `unroll` neighbouring vectors, op by op, so that neighbours in the code do not wait
 * for each other: op by op, two vectors of a piecewise GELU take 8 % less time than one after the other on a Skylake
 * server, whose scheduler holds 97 operations. Where a program's chain is too long for that, the loop is pipelined
 * (pipeline.h): a turn does each stage for other vectors.
 *
 * All loads of a turn come before its stores, so that a result may stand in an input's place. */
#include "build_loops.h"

LLVMBasicBlockRef block(struct build *b, const char *name)
{
    return LLVMAppendBasicBlockInContext(b->context, b->function, name);
}

LLVMBasicBlockRef here(struct build *b) { return LLVMGetInsertBlock(b->ir); }

void go_on_at(struct build *b, LLVMBasicBlockRef at) { LLVMPositionBuilderAtEnd(b->ir, at); }

LLVMValueRef phi_start(struct build *b, LLVMTypeRef type, LLVMValueRef value, LLVMBasicBlockRef from)
{
    LLVMValueRef phi = LLVMBuildPhi(b->ir, type, "");
    LLVMAddIncoming(phi, &value, &from, 1);
    return phi;
}

void phi_add(LLVMValueRef phi, LLVMValueRef value, LLVMBasicBlockRef from)
{
    LLVMAddIncoming(phi, &value, &from, 1);
}

/* A freeze hides the induction from loop strength reduction, which finds nothing better than base + index and takes half
 * of a short kernel's compile time to see it. It becomes no instruction. */
LLVMValueRef advance(struct build *b, LLVMValueRef index, LLVMValueRef step)
{
    return LLVMBuildFreeze(b->ir, LLVMBuildAdd(b->ir, index, step, ""), "");
}

struct turn {
    struct loop_form form;
    LLVMValueRef load_at, store_at; /* the first vector's elements; those of the last stage's */
    LLVMValueRef rest;              /* NULL: full vectors */
};

/* The values of the turn's vector u, by instruction. */
static LLVMValueRef *values_of(struct build *b, unsigned u)
{
    return b->all_values + (size_t)u * b->program->count;
}

/* The same for all columns. */
static bool is_fixed(const struct build *b, uint32_t n)
{
    return b->uniform[n] || b->program->code[n].op == LANE_CONST;
}

static unsigned stage_of(const struct build *b, const struct turn *t, uint32_t n)
{
    return t->form.stages > 1 ? b->pipeline.stage[n] : 0;
}

/* The value of instruction n that an instruction of stage `stage` uses, of vector u: with stages between them it was made
 * turns ago. */
static LLVMValueRef value_at(struct build *b, const struct turn *t, unsigned u, uint32_t n, unsigned stage)
{
    const unsigned back = stage - stage_of(b, t, n);
    return back && !is_fixed(b, n) ? *carried_value(b, u, n, back) : values_of(b, u)[n];
}

static void build_stage_op(struct build *b, const struct turn *t, unsigned u, uint32_t n)
{
    const struct lane_instruction *i = &b->program->code[n];
    const unsigned arity = lane_ops[i->op].arity;
    LLVMValueRef own[3] = {0};
    b->values = values_of(b, u);
    for (unsigned k = 0; k < arity; k++) own[k] = b->values[i->operand[k]];
    for (unsigned k = 0; k < arity; k++)
        b->values[i->operand[k]] = value_at(b, t, u, i->operand[k], stage_of(b, t, n));
    LLVMValueRef value = build_op(b, n);
    for (unsigned k = arity; k-- > 0;) b->values[i->operand[k]] = own[k];
    b->values[n] = value;
}

/* The lines that come `l->ahead` bytes later. Those of results are asked for as their writer: a store that misses waits for
 * its line in one of few buffers, a prefetch of the kind does not. With 0 bytes it costs nothing that could be measured. */
static void prefetch_ahead(struct build *b, const struct loops *l, const struct turn *t)
{
    enum { LINE = 64 };
    for (uint32_t k = 0; k < b->stream_count; k++) {
        const struct stream *s = &b->streams[k];
        const unsigned column_bytes = s->parts * element_types[s->operand->type].bytes;
        const bool is_result = s->operand->is_result;
        if (uniformity_of(s->operand)) continue;
        for (unsigned byte = 0; byte < t->form.unroll * b->lanes * column_bytes; byte += LINE) {
            LLVMValueRef column = LLVMBuildAdd(b->ir, is_result ? t->store_at : t->load_at,
                                               size_constant(b, byte / column_bytes), "");
            prefetch(b, stream_address(b, s, l->data_ahead[k], column), is_result);
        }
    }
}

/* Outside the loop, where the operands are l->ahead bytes later: within it, an address is then one addressing mode. */
static void find_data_ahead(struct build *b, const struct loops *l)
{
    LLVMTypeRef byte = LLVMIntTypeInContext(b->context, 8);
    LLVMValueRef ahead = l->ahead;
    for (uint32_t k = 0; k < b->stream_count; k++)
        l->data_ahead[k] = LLVMBuildGEP2(b->ir, byte, l->data[k], &ahead, 1, "");
}

static bool prefetches(const struct loops *l, struct loop_form form)
{
    return l->ahead && (form.stages > 1 || form.unroll > 1) && !form.large;
}

static void load_turn(struct build *b, const struct loops *l, const struct turn *t)
{
    const struct columns at = {t->load_at, t->rest, t->form.unroll, t->form.split};
    for (uint32_t k = 0; k < b->stream_count; k++) {
        const struct stream *s = &b->streams[k];
        if (!s->operand->is_result && !uniformity_of(s->operand)) load_stream(b, s, l->data[k], &at);
    }
    for (uint32_t n = 0; n < b->program->count; n++)
        for (unsigned u = 0; u < t->form.unroll; u++) {
            const struct lane_instruction *i = &b->program->code[n];
            if (b->uniform[n])
                values_of(b, u)[n] = b->row_values[n];
            else if (i->op == LANE_CONST)
                build_stage_op(b, t, u, n);
            else if (i->op == LANE_LOAD)
                values_of(b, u)[n] = *moved(b, i->index, u);
        }
}

static void store_turn(struct build *b, const struct loops *l, const struct turn *t)
{
    const struct columns at = {t->store_at, t->rest, t->form.unroll, t->form.split};
    for (uint32_t n = 0; n < b->program->count; n++)
        for (unsigned u = 0; b->program->code[n].op == LANE_STORE && u < t->form.unroll; u++) {
            const struct lane_instruction *i = &b->program->code[n];
            LLVMValueRef value = value_at(b, t, u, i->operand[0], t->form.stages - 1);
            const bool is_bf16 = b->what->kernel->operands[i->index].type == ELEMENT_BF16;
            *moved(b, i->index, u) = is_bf16 ? round_to_bf16(b, i->operand[0], value) : value;
        }
    for (uint32_t k = 0; k < b->stream_count; k++)
        if (b->streams[k].operand->is_result) store_stream(b, &b->streams[k], l->data[k], &at, t->form.large);
}

static void build_turn(struct build *b, const struct loops *l, const struct turn *t)
{
    const lane_program *p = b->program;
    if (prefetches(l, t->form)) prefetch_ahead(b, l, t);
    load_turn(b, l, t);
    for (unsigned s = t->form.stages; s-- > 0;)
        for (uint32_t n = 0; n < p->count; n++) {
            const enum lane_op op = p->code[n].op;
            const bool here_now =
                op != LANE_LOAD && op != LANE_STORE && !is_fixed(b, n) && stage_of(b, t, n) == s;
            for (unsigned u = 0; here_now && u < t->form.unroll; u++) build_stage_op(b, t, u, n);
        }
    store_turn(b, l, t);
}

void build_masked(struct build *b, const struct loops *l, LLVMValueRef index, LLVMValueRef rest)
{
    struct turn turn = {{1, 1, 1, false}, index, index, rest};
    build_turn(b, l, &turn);
}

void build_uniform(struct build *b, const struct loops *l, enum uniformity which)
{
    const lane_program *p = b->program;
    for (uint32_t k = 0; k < b->stream_count; k++)
        if (uniformity_of(b->streams[k].operand) == which)
            *moved(b, b->streams[k].name, 0) = load_uniform(b, &b->streams[k], l->data[k]);
    b->values = b->row_values;
    for (uint32_t n = 0; n < p->count; n++) {
        const bool is_constant = which == ONCE && p->code[n].op == LANE_CONST;
        if (p->code[n].op == LANE_LOAD && b->uniform[n] == which)
            b->values[n] = *moved(b, p->code[n].index, 0);
        else if (is_constant || b->uniform[n] == which)
            b->values[n] = build_op(b, n);
    }
}

static unsigned carried_count(const struct build *b, uint32_t n)
{
    return is_fixed(b, n) ? 0u : (unsigned)(b->pipeline.last_use[n] - b->pipeline.stage[n]);
}

static void carry_values(struct build *b, unsigned unroll, LLVMBasicBlockRef before)
{
    for (uint32_t n = 0; n < b->program->count; n++)
        for (unsigned u = 0; u < unroll; u++)
            for (unsigned back = 1; back <= carried_count(b, n); back++) {
                LLVMTypeRef type = b->vector[b->program->code[n].type];
                *carried_value(b, u, n, back) = phi_start(b, type, LLVMConstNull(type), before);
            }
}

static void pass_values_on(struct build *b, unsigned unroll)
{
    for (uint32_t n = 0; n < b->program->count; n++)
        for (unsigned u = 0; u < unroll; u++)
            for (unsigned back = 1; back <= carried_count(b, n); back++)
                phi_add(*carried_value(b, u, n, back),
                        back == 1 ? values_of(b, u)[n] : *carried_value(b, u, n, back - 1), here(b));
}

/* A pipelined turn's first stage loads at `index`, its last stores `lead` elements before. In the first turns, whose last
 * stages have nothing yet, what they store goes where the first result will; in the last ones the last vectors are loaded
 * again. */
static struct turn pipelined_turn(struct build *b, struct loop_form form, LLVMValueRef index,
                                  LLVMValueRef start, LLVMValueRef lead, LLVMValueRef last)
{
    LLVMValueRef first_done = LLVMBuildAdd(b->ir, start, lead, "");
    LLVMValueRef within = LLVMBuildICmp(b->ir, LLVMIntULT, index, last, "");
    LLVMValueRef early = LLVMBuildICmp(b->ir, LLVMIntULT, index, first_done, "");
    LLVMValueRef done = LLVMBuildSub(b->ir, index, lead, "");
    return (struct turn){form, LLVMBuildSelect(b->ir, within, index, last, ""),
                         LLVMBuildSelect(b->ir, early, start, done, ""), NULL};
}

LLVMValueRef build_vectors(struct build *b, const struct loops *l, LLVMValueRef start, struct loop_form form)
{
    const bool pipelined = form.stages > 1;
    LLVMValueRef step = size_constant(b, (uint64_t)form.unroll * b->lanes);
    LLVMValueRef lead = size_constant(b, (uint64_t)(form.stages - 1) * form.unroll * b->lanes);
    LLVMValueRef left = LLVMBuildSub(b->ir, l->cols, start, "");
    LLVMValueRef whole = LLVMBuildAnd(b->ir, left, LLVMConstNeg(step), "");
    LLVMValueRef behind = LLVMBuildAdd(b->ir, start, whole, ""), last = LLVMBuildSub(b->ir, behind, step, "");
    LLVMValueRef end = LLVMBuildAdd(b->ir, behind, lead, "");
    if (prefetches(l, form)) find_data_ahead(b, l);
    LLVMBasicBlockRef before = here(b), loop = block(b, form.large ? "large" : "vectors"),
                      after = block(b, "");
    LLVMBuildCondBr(b->ir, LLVMBuildICmp(b->ir, LLVMIntUGT, whole, lead, ""), loop, after);

    go_on_at(b, loop);
    LLVMValueRef index = phi_start(b, b->size, start, before);
    if (pipelined) carry_values(b, form.unroll, before);
    struct turn turn = pipelined ? pipelined_turn(b, form, index, start, lead, last)
                                 : (struct turn){form, index, index, NULL};
    build_turn(b, l, &turn);
    if (pipelined) pass_values_on(b, form.unroll);
    LLVMValueRef next = advance(b, index, step);
    phi_add(index, next, here(b));
    LLVMBuildCondBr(b->ir, LLVMBuildICmp(b->ir, LLVMIntULT, next, end, ""), loop, after);

    go_on_at(b, after);
    LLVMValueRef reached = phi_start(b, b->size, start, before);
    phi_add(reached, behind, loop);
    return reached;
}
