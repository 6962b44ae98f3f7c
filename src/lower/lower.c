/* Lowers a kernel in three steps. Turns the formulas into a program with a hole for each use of a piece,
 * finds a plan for each piece, and puts the plans' programs into the holes. */
#include "lowering.h"

#include "judge.h"

#include <stdio.h>
#include <string.h>

/* -- plans -- */

/* Lists the piece's companions: other functions of the value of its first use. */
static void set_companions(const struct lowering *l, struct plan_request *request, uint32_t piece)
{
    enum { MOST = 4 };
    const struct piece *own = &l->result->pieces[piece];
    const struct hole *first = l->holes;
    struct piece *list = arena_alloc(expr_dag_memory(l->dag), MOST * sizeof *list);
    while (first->piece != piece) first++;
    for (uint32_t i = 0; i < l->hole_count && request->companion_count < MOST; i++) {
        const struct piece *other = &l->result->pieces[l->holes[i].piece];
        bool listed = other == own || l->holes[i].argument != first->argument || !piece_same_kind(other, own);
        for (unsigned k = 0; k < request->companion_count; k++)
            listed = listed || list[k].written == other->written;
        if (!listed) list[request->companion_count++] = *other;
    }
    request->companions = list;
}

static void name_in_message(struct diag *error, const char *name)
{
    char message[DIAG_MESSAGE_SIZE];
    if (!name || !error || error->status != DIAG_ACCURACY) return;
    memcpy(message, error->message, sizeof message);
    snprintf(error->message, sizeof error->message, "`%s`: %.*s", name, DIAG_MESSAGE_SIZE - 70, message);
}

uint32_t lower_piece_count(const struct lowering *l) { return l->result->piece_count; }

const struct plan *lower_piece_plan(const struct lowering *l, uint32_t n)
{
    return l->result->pieces[n].plan;
}

arena *lower_memory(const struct lowering *l) { return expr_dag_memory(l->dag); }

void lower_digest(struct text *out, const struct lowering *l)
{
    const struct spec_kernel *k = l->request.kernel;
    for (uint32_t i = 0; i < k->operand_count + k->made_count; i++) {
        const struct spec_operand *o = &k->operands[i];
        text_add(out, "%s %d %d %u %u", element_types[o->type].name, (int)o->shape, (int)o->layout, o->part,
                 o->parts);
        if (o->block) text_add(out, " block %u", o->block);
        if (o->block_rows) text_add(out, " of %u rows", o->block_rows);
        if (o->source) text_add(out, " made %d %u %u", (int)o->source, o->seed, o->offset);
        text_add(out, "\n");
    }
    text_add(out, "%u inputs\n", k->input_count);
    for (uint32_t i = 0; i < l->hole_count; i++) text_add(out, "piece %u\n", l->holes[i].piece);
    lane_pack(out, lane_canonical(l->program));
}

struct plan_request lower_piece_request(const struct lowering *l, uint32_t n)
{
    const struct piece *piece = &l->result->pieces[n];
    struct plan_request request = {
        .dag = l->dag,
        .piece = *piece,
        .profile = lower_suits_halves(l) ? l->request.profile : target_profile_plain(&l->request.profile),
        .costs = l->request.costs,
        .sweeps = l->request.prove ? PLAN_SWEEPS_ALL : PLAN_SWEEPS_NONE,
        .most_work = l->request.plan_limit};
    set_companions(l, &request, n);
    return request;
}

void lower_take_plan(struct lowering *l, uint32_t n, struct plan *plan)
{
    l->result->pieces[n].plan = plan;
    l->result->pieces[n].program = plan->program;
}

int lower_plans(struct lowering *l)
{
    const struct planner *planner = &l->request.planner;
    for (uint32_t n = 0; n < l->result->piece_count && !l->status; n++) {
        const struct plan_request request = lower_piece_request(l, n);
        struct plan *plan;
        l->status = planner->find(planner->context, &plan, &request, l->error);
        if (l->status)
            name_in_message(l->error, l->result->pieces[n].name);
        else
            lower_take_plan(l, n, plan);
    }
    return l->status;
}

void lower_operands(struct lane_kernel *out, const struct spec_kernel *k, arena *memory)
{
    const uint32_t count = k->operand_count + k->made_count;
    struct kernel_operand *operands = arena_alloc(memory, count * sizeof *operands);
    for (uint32_t i = 0; i < count; i++) {
        const struct spec_operand *o = &k->operands[i];
        operands[i] = (struct kernel_operand){.name = o->name,
                                              .type = o->type,
                                              .shape = o->shape,
                                              .layout = o->layout,
                                              .block = o->block,
                                              .block_rows = o->block_rows,
                                              .reduction = o->reduction,
                                              .is_result = i >= k->input_count && !o->source,
                                              .part = o->part,
                                              .parts = o->parts,
                                              .is_internal = o->is_internal,
                                              .nan_from = o->is_total ? o->nan_from : UINT64_C(1) << (i & 63),
                                              .source = o->source,
                                              .seed = o->seed,
                                              .offset = o->offset};
    }
    for (uint32_t i = k->operand_count; i < count; i++)
        if (operands[i].source == SOURCE_ROW) operands[operands[i].offset].counts_rows = true;
    *out = lane_kernel_make(k->name, operands, k->operand_count, NULL);
    out->made_count = k->made_count;
    for (uint32_t i = k->operand_count; i < count; i++)
        out->draw_count += operands[i].source == SOURCE_RANDOM;
}

/* Returns true if every result is one piece of an operand, or the operand itself. With `or_constant`, a
 * result may also be constant. */
static bool is_whole(const struct spec_kernel *k, bool or_constant)
{
    bool whole = true;
    for (uint32_t i = 0; i < k->result_count; i++) {
        const expr *value = k->results[i].value;
        whole = whole && ((or_constant && expr_is_constant(value)) || value->argument->kind == EXPR_INPUT);
    }
    return whole;
}

/* Returns true if a result is a mask. No piece has bits as its result. */
static bool has_masks(const struct spec_kernel *k)
{
    for (uint32_t i = 0; i < k->result_count; i++)
        if (element_is_bit(k->operands[k->results[i].operand].type)) return true;
    return false;
}

/* Refuses 0.5 ulp for arithmetic on several values. Each piece's result and each operation is rounded, so the
 * last operation rounds a value that is not exact. */
static int refuse_exact(const struct spec_kernel *k, struct diag *error)
{
    return diag_set(
        error, DIAG_ACCURACY,
        "0.5 ulp is for functions of one operand, and `%s` does arithmetic on several values; write "
        "`1 ulp`, which then holds for each function of one value",
        k->name);
}

/* Returns whether a result is no f32, or an input is f64, so that the kernel computes in f64. */
static bool has_other_types(const struct spec_kernel *k)
{
    bool has_other = false;
    for (uint32_t i = 0; i < k->result_count; i++)
        has_other = has_other || k->operands[k->results[i].operand].type != ELEMENT_F32;
    for (uint32_t i = 0; i < k->operand_count; i++)
        has_other = has_other || k->operands[i].type == ELEMENT_F64;
    return has_other;
}

/* Refuses `flush` for kernels whose results are not f32. */
static int refuse_flush(const struct spec_kernel *k, struct diag *error)
{
    return diag_set(error, DIAG_ACCURACY,
                    "`flush` is for results of f32, and `%s` has another result or an operand of f64; leave "
                    "out `flush`",
                    k->name);
}

/* -- the steps -- */

static struct kept_values keep_values(arena *memory, uint32_t capacity)
{
    return (struct kept_values){.value = arena_alloc(memory, capacity * sizeof(lane_value)),
                                .done = arena_alloc(memory, capacity * sizeof(bool))};
}

static const double *factor_ulps_of(const struct spec_kernel *k, arena *memory)
{
    const expr **values = arena_alloc(memory, k->result_count * sizeof *values);
    enum element_type *types = arena_alloc(memory, k->result_count * sizeof *types);
    for (uint32_t i = 0; i < k->result_count; i++) {
        values[i] = k->results[i].value;
        types[i] = k->operands[k->results[i].operand].type;
    }
    return spec_factor_ulps(memory, values, types, k->result_count);
}

int lower_pieces(struct lowering **out, const struct lower_request *request, struct diag *error)
{
    arena *memory = expr_dag_memory(request->spec->dag);
    const struct spec_kernel *k = request->kernel;
    struct lowering *l = arena_alloc(memory, sizeof *l);
    *l = (struct lowering){.request = *request, .dag = request->spec->dag, .error = error};
    *out = l;
    if (request->bound.flush && has_other_types(k)) return refuse_flush(k, error);
    if (judge_is_exact(&request->bound) && !is_whole(k, true)) return refuse_exact(k, error);
    l->result = arena_alloc(memory, sizeof *l->result);
    l->result->is_whole = is_whole(k, false) && !has_masks(k);
    const struct target_profile profile = target_profile_plain(&request->profile);
    l->program = lane_create(memory, &profile);
    l->capacity = expr_dag_count(l->dag); /* pieces add nodes, but this code never asks for them */
    for (int wide = 0; wide < 2; wide++) {
        l->made[wide] = keep_values(memory, l->capacity);
        l->chosen[wide] = keep_values(memory, l->capacity);
    }
    if (request->bound.kind == BOUND_DEFAULT) l->factor_ulps = factor_ulps_of(k, memory);
    for (uint32_t i = 0; i < k->result_count && !l->status; i++) lower_result(l, &k->results[i]);
    return l->status;
}

/* Returns true if the instruction rounds a value that its plan has rounded already. */
static bool rounds_nothing(const lane_program *p, const struct lane_instruction *i)
{
    for (int type = 0; type < ELEMENT_TYPE_COUNT; type++)
        if (i->op == lane_rounding_to((enum element_type)type) &&
            lane_is_rounded(p, i->operand[0], (enum element_type)type))
            return true;
    return false;
}

static lane_program *fill_holes(const struct lowering *l)
{
    const lane_program *open = l->program;
    const bool halves = lower_is_in_halves(l);
    lane_program *p =
        lane_create(open->memory, halves ? &l->result->pieces[0].program->profile : &open->profile);
    lane_value *map = arena_alloc(open->memory, open->count * sizeof *map);
    for (uint32_t n = 0; n < open->count; n++) {
        struct lane_instruction i = open->code[n];
        for (unsigned k = 0; k < lane_ops[i.op].arity; k++) i.operand[k] = map[i.operand[k]];
        if (i.op == LANE_LOAD && i.index >= HOLES) {
            const struct hole *hole = &l->holes[i.index - HOLES];
            map[n] = lane_inline(p, l->result->pieces[hole->piece].program, &map[hole->input]);
        } else if (halves) {
            map[n] = lower_as_half(p, open, i);
        } else {
            map[n] = rounds_nothing(p, &i) ? i.operand[0] : lane_append(p, open, i);
        }
    }
    return p;
}

int lower_program(struct lowered **out, struct lowering *l)
{
    if (expr_dag_full(l->dag))
        return diag_set(l->error, DIAG_SYNTAX, "the formula grows too large when it is simplified");
    lower_operands(&l->result->kernel, l->request.kernel, expr_dag_memory(l->dag));
    l->result->kernel.program = lane_canonical(fill_holes(l));
    if (l->request.profile.lookup_i8)
        l->result->kernel.program = lower_to_bytes(&l->result->kernel, &l->request.profile);
    *out = l->result;
    if (spec_has_passes(l->request.kernel)) lower_to_passes(&l->result->kernel, l->request.kernel);
    return lane_verify(l->result->kernel.program, l->error);
}

int lower_kernel(struct lowered **out, const struct lower_request *request, struct diag *error)
{
    struct lowering *l;
    *out = NULL;
    int status = lower_pieces(&l, request, error);
    if (!status) status = lower_plans(l);
    return status ? status : lower_program(out, l);
}
