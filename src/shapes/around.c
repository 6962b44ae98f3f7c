/* Exact operations around plans of other functions. min, max, abs, negation, choices and products with powers
 * of two do not change how well a function is known. The parts below them are functions of their own:
 *
 *     min(gelu(x), 10)          min(f(x), 10), with a plan for f = gelu
 *     gelu(clamp(x, -10, 10))   f(clamp(x, -10, 10)), with a plan for f = gelu
 *
 * The search plans each part as if it stood alone, for the bound of the whole. The bound is judged on the
 * whole. The traits of the whole would show kinks, and no symmetry and no decay, where the part has all of
 * them. A part is planned for the whole line, as it is built in, or else for the inputs that it meets. */
#include "compose.h"
#include "enclosure.h"
#include "shape.h"

#include <float.h>
#include <math.h>

enum { MOST_PARTS = 4 };

/* An interval from low to high. It is empty if low > high. */
struct stretch {
    double low, high;
};
static const struct stretch whole_line = {-INFINITY, INFINITY}, nothing = {INFINITY, -INFINITY};

struct part {
    const expr *formula, *argument; /* functions of EXPR_INPUT 0 */
    struct stretch span;            /* the inputs of the whole for which the part is chosen */
    struct planned_part plan;
};

struct around {
    const expr *frame; /* the exact operations, with the parts as EXPR_INPUT 1 and so on */
    struct part part[MOST_PARTS];
    unsigned count;
    enum number_kind kind;
};

/* -- exact operations -- */

/* Returns whether the operation chooses, so that its value may bend or jump. */
static bool bends(enum expr_kind kind)
{
    return kind == EXPR_MIN || kind == EXPR_MAX || kind == EXPR_IF || kind == EXPR_abs;
}

static bool is_scaled(const expr *e)
{
    if (e->kind == EXPR_MUL && expr_is_power_of_two(e->operand[0])) return true;
    return (e->kind == EXPR_MUL || e->kind == EXPR_DIV) && expr_is_power_of_two(e->operand[1]);
}

static bool is_exact_operation(const expr *e)
{
    return bends(e->kind) || expr_is_truth(e) || e->kind == EXPR_NEG || is_scaled(e);
}

static bool is_leaf(const expr *e) { return expr_is_constant(e) || e->kind == EXPR_INPUT; }

/* -- the inputs for which a branch is chosen -- */

static struct stretch common(struct stretch a, struct stretch b)
{
    return (struct stretch){fmax(a.low, b.low), fmin(a.high, b.high)};
}

static struct stretch joined_stretches(struct stretch a, struct stretch b)
{
    return (struct stretch){fmin(a.low, b.low), fmax(a.high, b.high)};
}

/* Returns an interval that holds the inputs for which a choice takes that operand. Only comparisons of x with
 * a rational number tell. */
static struct stretch span_of_branch(expr_dag *dag, const expr *choice, unsigned operand)
{
    const expr *condition = choice->operand[0];
    if (operand == 0 || (condition->kind != EXPR_LT && condition->kind != EXPR_LE)) return whole_line;
    const bool is_below = condition->operand[0]->kind == EXPR_INPUT;
    const expr *other = condition->operand[is_below];
    if (condition->operand[!is_below]->kind != EXPR_INPUT || !expr_is_constant(other)) return whole_line;
    const expr *number = expr_simplify(dag, other, NULL); /* -2 is written as the negation of 2 */
    if (number->kind != EXPR_NUMBER) return whole_line;
    const double end = mpq_get_d(number->number);
    return is_below == (operand == 1) ? (struct stretch){-INFINITY, end} : (struct stretch){end, INFINITY};
}

/* -- the parts -- */

struct cut {
    expr_dag *dag;
    arena *memory;
    struct around *around;
    bool bends; /* An operation of the frame or of an argument bends. */
};

/* Returns the largest exact expression of x through which alone the part depends on x. It bends. Returns x if
 * there is none. */
static const expr *exact_argument(struct cut *c, const expr *e)
{
    const expr *x = expr_input(c->dag, 0), *rest = expr_input(c->dag, 1);
    uint32_t count;
    const expr **nodes = expr_walk(c->memory, e, &count);
    bool *exact = arena_alloc(c->memory, ((size_t)e->id + 1) * sizeof *exact),
         *bent = arena_alloc(c->memory, ((size_t)e->id + 1) * sizeof *bent);
    for (uint32_t i = 0; i < count; i++) {
        const expr *node = nodes[i];
        exact[node->id] = is_leaf(node) || is_exact_operation(node);
        bent[node->id] = bends(node->kind);
        for (unsigned k = 0; k < expr_arity(node->kind) && !is_leaf(node); k++) {
            exact[node->id] = exact[node->id] && exact[node->operand[k]->id];
            bent[node->id] = bent[node->id] || bent[node->operand[k]->id];
        }
    }
    for (uint32_t i = count; i-- > 0;) {
        const expr *node = nodes[i];
        if (!exact[node->id] || !bent[node->id] || is_leaf(node) || expr_is_truth(node)) continue;
        if (!expr_depends(expr_substitute(c->dag, e, node, rest), 0)) return node;
    }
    return x;
}

static bool add_part(struct cut *c, const expr *e, struct stretch span)
{
    struct around *a = c->around;
    const expr *x = expr_input(c->dag, 0);
    if (a->count == MOST_PARTS) return false;
    struct part *part = &a->part[a->count++];
    part->argument = exact_argument(c, e);
    part->formula = expr_substitute(c->dag, e, part->argument, x);
    part->span = span;
    c->bends = c->bends || part->argument != x;
    a->frame = expr_substitute(c->dag, a->frame, e, expr_input(c->dag, a->count));
    return true;
}

/* Cuts the formula into exact operations and parts. Returns false if there is nothing to gain: no operation
 * bends, or a condition depends on a part. */
static bool cut_formula(struct cut *c, const expr *e)
{
    uint32_t count;
    const expr **nodes = expr_walk(c->memory, e, &count);
    struct stretch *span = arena_alloc(c->memory, ((size_t)e->id + 1) * sizeof *span);
    bool *decides = arena_alloc(c->memory, ((size_t)e->id + 1) * sizeof *decides);
    for (uint32_t i = 0; i < count; i++) span[nodes[i]->id] = nothing;
    span[e->id] = whole_line;
    c->around->frame = e;
    for (uint32_t i = count; i-- > 0;) { /* users before their operands */
        const expr *node = nodes[i];
        const struct stretch own = span[node->id];
        if (own.low > own.high || is_leaf(node)) continue;
        if (!is_exact_operation(node)) {
            if (decides[node->id] || !add_part(c, node, own)) return false;
            continue;
        }
        c->bends = c->bends || bends(node->kind);
        for (unsigned k = 0; k < expr_arity(node->kind); k++) {
            const expr *operand = node->operand[k];
            const struct stretch branch =
                node->kind == EXPR_IF ? span_of_branch(c->dag, node, k) : whole_line;
            span[operand->id] = joined_stretches(span[operand->id], common(own, branch));
            decides[operand->id] = decides[operand->id] || decides[node->id] || expr_is_truth(node);
        }
    }
    return c->bends && c->around->count > 0;
}

/* -- plans of the parts -- */

/* Returns the arguments that the part meets. */
static struct stretch arguments_of(const struct part *part)
{
    static const float all[2] = {-FLT_MAX, FLT_MAX};
    if (part->argument->kind == EXPR_INPUT) return part->span;
    struct enclosure *own = enclosure_create(part->argument);
    const struct enclosed y = own ? enclosure_of(own, all, 2) : (struct enclosed){.defined = false};
    enclosure_free(own);
    return y.defined ? (struct stretch){y.low, y.high} : whole_line;
}

/* Returns whether the program computes in f64 lanes what it loads as f32. */
static bool widens(const lane_program *p)
{
    for (uint32_t i = 0; i < p->count; i++)
        if (p->code[i].op == LANE_WIDEN) return true;
    return false;
}

/* Finds a plan of the part for the whole line, and otherwise for the arguments that it meets. */
static bool plan_part(struct part *part, const struct shape_context *context)
{
    const struct plan_request *r = context->request;
    struct piece piece = r->piece;
    piece.written = part->formula;
    piece.simplified = expr_simplify(r->dag, part->formula, NULL);
    if (part->argument->kind != EXPR_INPUT) piece.bound.has_interval = false;
    if (context->parts->plan(&part->plan, context->parts->context, &piece, false)) return true;
    const struct stretch met = arguments_of(part);
    if (piece.bound.has_interval || (met.low == -INFINITY && met.high == INFINITY) || met.low >= met.high)
        return false;
    piece.bound.has_interval = true;
    piece.bound.low = fmax(met.low, -DBL_MAX);
    piece.bound.high = fmin(met.high, DBL_MAX);
    return context->parts->plan(&part->plan, context->parts->context, &piece, false);
}

/* -- the candidate -- */

static lane_value build_around(void *parameters, lane_program *p, lane_value x, bool *possible)
{
    const struct around *a = parameters;
    struct number values[MOST_PARTS];
    struct composer c = {.program = p, .kind = a->kind, .bits = 24, .others = values};
    for (unsigned i = 0; i < a->count; i++) {
        const lane_value u = compose_expr(&c, a->part[i].argument, number_of_word(x)).high;
        values[i] = number_of_word(lane_inline(p, a->part[i].plan.program, &u));
    }
    const lane_value y = compose_expr(&c, a->frame, number_of_word(x)).high;
    *possible = !c.impossible;
    return y;
}

static const char *describe_around(const struct around *a, arena *memory)
{
    static const char *const names[MOST_PARTS + 1] = {"x", "f", "g", "h", "k"};
    struct text t = text_new(memory);
    expr_print(&t, a->frame, names);
    for (unsigned i = 0; i < a->count; i++) {
        text_add(&t, "; %s of ", names[i + 1]);
        expr_print(&t, a->part[i].argument, NULL);
        text_add(&t, ": %s, %s", a->part[i].plan.shape, a->part[i].plan.description);
    }
    return t.data;
}

static size_t make_around(struct candidate *out, size_t room, const struct shape_context *context)
{
    const struct plan_request *r = context->request;
    struct around *a = arena_alloc(context->memory, sizeof *a);
    struct cut c = {.dag = r->dag, .memory = context->memory, .around = a};
    if (!room || !context->parts || r->unrounded)
        return no_candidates(context, "around", "parts are not planned for this search");
    if (!cut_formula(&c, r->piece.written))
        return no_candidates(context, "around", "the formula is no exact operation around other functions");
    a->kind = r->piece.argument == ELEMENT_F64 ? NUMBER_F64 : NUMBER_F32;
    for (unsigned i = 0; i < a->count; i++)
        /* In f64 lanes, the whole rounds once and costs less than its parts. */
        if (!plan_part(&a->part[i], context) || widens(a->part[i].plan.program))
            return no_candidates(context, "around", "a part has no plan in lanes of the whole");
    *out = (struct candidate){.shape = "around",
                              .description = describe_around(a, context->memory),
                              .build = build_around,
                              .parameters = a,
                              .many_roundings = true};
    return candidate_finish(out, context);
}

size_t around_candidates(struct candidate *out, size_t room, const struct shape_context *context)
{
    if (context->traits->is_algebraic) return no_candidates(context, "around", WHY_ALGEBRAIC);
    return make_around(out, room, context);
}

size_t around_algebraic_candidates(struct candidate *out, size_t room, const struct shape_context *context)
{
    return context->traits->is_algebraic ? make_around(out, room, context) : 0;
}
