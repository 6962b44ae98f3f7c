#include "lower.h"

#include "judge.h"

struct lowering {
    const struct lower_request *request;
    expr_dag *dag;
    lane_program *program;
    struct lowered *result;
    lane_value *value; /* by node id, once `done` */
    bool *done;
    uint32_t capacity; /* of value and done, in node ids */
    struct diag *error;
    int status;
};

static lane_value lower_node(struct lowering *l, const expr *e);

/* -- the lane value that an expression is a function of -- */

static bool is_leaf(const expr *e, const expr *root)
{
    return e->kind == EXPR_INPUT || (e->kind == EXPR_CAST && e != root);
}

struct dominators { /* by node id; depth 0 is the root */
    const expr **immediate;
    uint32_t *depth;
};

static const expr *common(const struct dominators *d, const expr *a, const expr *b)
{
    while (a != b) {
        if (d->depth[a->id] < d->depth[b->id])
            b = d->immediate[b->id];
        else
            a = d->immediate[a->id];
    }
    return a;
}

/* The lowest node that all paths from `root` to its leaves run through: `root` is a function of it alone. */
static const expr *sole_argument(arena *memory, const expr *root)
{
    uint32_t count;
    const expr **nodes = expr_walk(memory, root, &count), *argument = NULL;
    size_t size = (size_t)root->id + 1;
    struct dominators d = {arena_alloc(memory, size * sizeof *d.immediate),
                           arena_alloc(memory, size * sizeof *d.depth)};
    d.immediate[root->id] = root;
    for (uint32_t i = count; i-- > 0;) { /* users before operands */
        const expr *e = nodes[i];
        if (!d.immediate[e->id]) continue; /* only reached through a leaf */
        if (e != root) d.depth[e->id] = d.depth[d.immediate[e->id]->id] + 1;
        if (is_leaf(e, root)) {
            argument = argument ? common(&d, argument, e) : e;
            continue;
        }
        for (unsigned k = 0; k < expr_arity(e->kind); k++) {
            const expr *operand = e->operand[k], **immediate = &d.immediate[operand->id];
            if (!expr_is_constant(operand)) *immediate = *immediate ? common(&d, *immediate, e) : e;
        }
    }
    if (!argument) return root;
    while (argument != root && expr_is_truth(argument))
        argument = d.immediate[argument->id]; /* a truth value is no lane value: the choice it makes is */
    return argument;
}

/* -- pieces -- */

static void add_piece(struct lowering *l, struct lowered_piece piece)
{
    struct lowered *r = l->result;
    struct lowered_piece *pieces =
        arena_alloc(expr_dag_memory(l->dag), (r->piece_count + 1) * sizeof *pieces);
    for (uint32_t i = 0; i < r->piece_count; i++) pieces[i] = r->pieces[i];
    pieces[r->piece_count++] = piece;
    r->pieces = pieces;
}

static const struct plan *plan_piece(struct lowering *l, const expr *written)
{
    for (uint32_t i = 0; i < l->result->piece_count; i++)
        if (l->result->pieces[i].written == written) return l->result->pieces[i].plan;
    const struct lower_request *r = l->request;
    struct plan_request request = {l->dag,   written,    expr_simplify(l->dag, written, r->broken_rule),
                                   r->bound, r->profile, r->costs,
                                   NULL};
    struct plan *plan;
    l->status = r->planner.find(r->planner.context, &plan, &request, l->error);
    if (l->status) return NULL;
    add_piece(l, (struct lowered_piece){written, request.simplified, plan});
    return plan;
}

/* A constant, rounded once. */
static lane_value lower_constant(struct lowering *l, const expr *e)
{
    double value = 0, none = 0;
    reference *truth = reference_create(e, expr_simplify(l->dag, e, NULL), 0);
    if (!truth) {
        l->status = diag_set(l->error, DIAG_NO_MEMORY, "no memory for the reference");
        return 0;
    }
    enum reference_state state = reference_rounded(truth, &none, 24, -126, 127, &value);
    reference_free(truth);
    if (state != REFERENCE_DECIDED)
        l->status =
            diag_set(l->error, DIAG_ACCURACY, "a constant of the formula cannot be decided; simplify it");
    return lane_const(l->program, LANE_F32, value);
}

/* -- the arithmetic around pieces -- */

/* `y` where v is a number, else v. */
static lane_value keep_nan(struct lowering *l, lane_value v, lane_value y)
{
    return lane_select(l->program, lane_binary(l->program, LANE_EQ, v, v), y, v);
}

/* A NaN in any operand that the choice depends on is the result. */
static lane_value lower_choice(struct lowering *l, const expr *e, const lane_value *operand)
{
    lane_value y = lane_select(l->program, operand[0], operand[1], operand[2]);
    for (uint32_t i = 0; i < l->request->kernel->input_count; i++)
        if (expr_depends(e, i)) y = keep_nan(l, lane_load(l->program, LANE_F32, i), y);
    return y;
}

static lane_value lower_arithmetic(struct lowering *l, const expr *e)
{
    static const enum lane_op ops[EXPR_KIND_COUNT] = {
        [EXPR_ADD] = LANE_ADD, [EXPR_SUB] = LANE_SUB,  [EXPR_MUL] = LANE_MUL, [EXPR_DIV] = LANE_DIV,
        [EXPR_MIN] = LANE_MIN, [EXPR_MAX] = LANE_MAX,  [EXPR_LT] = LANE_LT,   [EXPR_LE] = LANE_LE,
        [EXPR_EQ] = LANE_EQ,   [EXPR_AND] = LANE_MAND, [EXPR_OR] = LANE_MOR,  [EXPR_NOT] = LANE_MNOT,
    };
    lane_value operand[3] = {0};
    for (unsigned k = 0; k < expr_arity(e->kind) && !l->status; k++)
        operand[k] = lower_node(l, e->operand[k]);
    if (l->status) return 0;
    switch (e->kind) {
    case EXPR_NOT: return lane_unary(l->program, LANE_MNOT, operand[0]);
    case EXPR_IF: return lower_choice(l, e, operand);
    case EXPR_MIN:
    case EXPR_MAX: /* gives the second operand if either is NaN */
        return keep_nan(l, operand[0], lane_binary(l->program, ops[e->kind], operand[0], operand[1]));
    default: break;
    }
    if (!ops[e->kind]) { /* LANE_LOAD, the first op, is nobody's arithmetic */
        l->status = diag_set(l->error, DIAG_BACKEND,
                             "`%s` of several operands cannot be lowered; this is a fault of actgen",
                             expr_kind_name(e->kind));
        return 0;
    }
    return lane_binary(l->program, ops[e->kind], operand[0], operand[1]);
}

static lane_value lower_new_node(struct lowering *l, const expr *e)
{
    if (e->kind == EXPR_INPUT) return lane_load(l->program, LANE_F32, e->input);
    if (e->kind == EXPR_CAST) return lower_node(l, e->operand[0]); /* to f32, which every lane value is */
    if (expr_is_constant(e) && !expr_is_truth(e)) return lower_constant(l, e);
    const expr *argument = sole_argument(expr_dag_memory(l->dag), e);
    if (argument == e || expr_is_truth(e)) return lower_arithmetic(l, e);
    lane_value input = lower_node(l, argument);
    if (l->status) return 0;
    const expr *variable = expr_input(l->dag, 0);
    const struct plan *plan = plan_piece(l, expr_substitute(l->dag, e, argument, variable));
    return plan ? lane_inline(l->program, plan->program, input) : 0;
}

static lane_value lower_node(struct lowering *l, const expr *e)
{
    if (e->id < l->capacity && l->done[e->id]) return l->value[e->id];
    lane_value value = lower_new_node(l, e);
    if (e->id < l->capacity) {
        l->done[e->id] = true;
        l->value[e->id] = value;
    }
    return value;
}

static void set_operands(struct lane_kernel *out, const struct spec_kernel *k, arena *memory)
{
    out->name = k->name;
    out->operand_count = k->operand_count;
    out->operands = arena_alloc(memory, k->operand_count * sizeof *out->operands);
    for (uint32_t i = 0; i < k->operand_count; i++)
        out->operands[i] = (struct kernel_operand){.name = k->operands[i].name,
                                                   .type = k->operands[i].type,
                                                   .is_result = i >= k->input_count,
                                                   .parts = 1};
}

/* Whether every result is one piece of an operand, that operand, or, with `or_constant`, constant. */
static bool is_whole(arena *memory, const struct spec_kernel *k, bool or_constant)
{
    bool whole = true;
    for (uint32_t i = 0; i < k->result_count; i++) {
        const expr *value = k->results[i].value;
        whole = whole && ((or_constant && expr_is_constant(value)) ||
                          sole_argument(memory, value)->kind == EXPR_INPUT);
    }
    return whole;
}

/* Each piece's result and each operation is rounded, so that the last one rounds what is no longer exact. */
static int refuse_exact(const struct spec_kernel *k, struct diag *error)
{
    return diag_set(
        error, DIAG_ACCURACY,
        "0.5 ulp is for functions of one operand, and `%s` does arithmetic on several values; its "
        "best is 1 ulp, which each function of one value keeps",
        k->name);
}

int lower_kernel(struct lowered **out, const struct lower_request *request, struct diag *error)
{
    arena *memory = expr_dag_memory(request->spec->dag);
    struct lowering l = {.request = request, .dag = request->spec->dag, .error = error};
    *out = NULL;
    l.result = arena_alloc(memory, sizeof *l.result);
    l.program = lane_create(memory, &request->profile);
    l.capacity = expr_dag_count(l.dag); /* planning adds nodes, but none that is asked for here */
    l.value = arena_alloc(memory, l.capacity * sizeof *l.value);
    l.done = arena_alloc(memory, l.capacity * sizeof *l.done);
    l.result->is_whole = is_whole(memory, request->kernel, false);
    if (judge_is_exact(&request->bound) && !is_whole(memory, request->kernel, true))
        return refuse_exact(request->kernel, error);
    for (uint32_t i = 0; i < request->kernel->result_count && !l.status; i++) {
        const struct spec_result *r = &request->kernel->results[i];
        lane_value value = lower_node(&l, r->value);
        if (!l.status) lane_store(l.program, value, r->operand);
    }
    if (l.status) return l.status;
    if (expr_dag_full(l.dag))
        return diag_set(error, DIAG_SYNTAX, "the formula grows too large when it is simplified");
    set_operands(&l.result->kernel, request->kernel, memory);
    l.result->kernel.program = lane_canonical(l.program);
    *out = l.result;
    return lane_verify(l.result->kernel.program, error);
}
