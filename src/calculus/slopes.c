/* Computes derivatives as the language promises them: the rules of expr_derivative, corrected at kinks
 * (ties.h). In a formula of several values, a kink belongs to one value that changes with the input. It
 * lies at a number or where that value meets another one. Other inputs are variables there. */
#include "calculus.h"
#include "ties.h"

enum {
    MOST_WORK = 1 << 24
    /* The limit for all derivatives of a file, in nodes that are visited. Beyond it only the rules apply. */
};

/* Returns true if a node of that kind can make a derivative bend, jump, or have no value as written. */
static bool may_bend(const expr *e)
{
    switch (e->kind) {
    case EXPR_DIV: return !expr_is_constant(e->operand[1]);
    case EXPR_POWER:
        return !expr_is_constant(e) && (mpq_sgn(e->number) < 0 || mpz_cmp_ui(mpq_denref(e->number), 1));
    case EXPR_MIN:
    case EXPR_MAX:
    case EXPR_IF: return !expr_is_constant(e);
    default:
        return !expr_is_constant(e) &&
               (expr_functions[e->kind].nature == NATURE_KINK || expr_functions[e->kind].domain.has_end);
    }
}

/* Marks the nodes that may bend, and those with such a node below them. */
static const bool *bending(expr_dag *dag, const expr *const *nodes, uint32_t count)
{
    arena *memory = expr_dag_memory(dag);
    bool *bends = arena_alloc(memory, count);
    const uint32_t(*places)[3] = (const uint32_t(*)[3])expr_operand_places(memory, nodes, count);
    for (uint32_t i = 0; i < count; i++) {
        bends[i] = may_bend(nodes[i]);
        for (unsigned k = 0; k < expr_arity(nodes[i]->kind); k++) bends[i] = bends[i] || bends[places[i][k]];
    }
    return bends;
}

/* Returns `e`, a formula of `v`, corrected at its kinks. */
static const expr *mended_by(struct calculus *c, expr_dag *dag, const expr *e, const expr *v)
{
    struct ties t = {dag, v, c->work_on_ties < MOST_WORK ? MOST_WORK - c->work_on_ties : 0};
    if (t.work) e = ties_mended(&t, e);
    c->work_on_ties = MOST_WORK - t.work;
    return e;
}

/* Adds `e` to the sum or subtracts it. A sum of NULL is empty. */
static const expr *added(expr_dag *dag, const expr *sum, const expr *e, bool is_negative)
{
    if (!sum) return is_negative ? expr_unary(dag, EXPR_NEG, e) : e;
    return expr_binary(dag, is_negative ? EXPR_SUB : EXPR_ADD, sum, e);
}

/* A sum that is taken apart: the terms that depend only on v, and the rest, each in the written order. */
struct parts {
    const expr *v, *own, *rest;
    unsigned own_count, visits;
};
enum { MOST_VISITS = 1 << 10, MOST_DEPTH = 200 };

/* Splits the sum `e` into its parts. Returns false if the sum is too large, or too deep for the stack. */
static bool take_apart(expr_dag *dag, struct parts *p, const expr *e, bool is_negative, unsigned depth)
{
    if (++p->visits > MOST_VISITS || depth > MOST_DEPTH) return false;
    for (; e->kind == EXPR_NEG; e = e->operand[0]) is_negative = !is_negative;
    if (e->argument != p->v && (e->kind == EXPR_ADD || e->kind == EXPR_SUB))
        return take_apart(dag, p, e->operand[0], is_negative, depth + 1) &&
               take_apart(dag, p, e->operand[1], is_negative != (e->kind == EXPR_SUB), depth + 1);
    const bool is_own = e->argument == p->v && e != p->v;
    const expr **sum = is_own ? &p->own : &p->rest;
    *sum = added(dag, *sum, e, is_negative);
    p->own_count += is_own;
    return true;
}

/* Corrects a derivative of several values at the kinks of `v`. First the terms that depend only on v are
 * combined and corrected, because their sum may lack a kink that each term has. Then the whole is corrected
 * by a choice on v. */
static const expr *mended_sum(struct calculus *c, expr_dag *dag, const expr *e, const expr *v)
{
    struct parts parts = {.v = v};
    const bool is_mixed = take_apart(dag, &parts, e, false, 0) && parts.own_count > 1 && parts.rest;
    const expr *own = is_mixed ? mended_by(c, dag, parts.own, v) : parts.own;
    return mended_by(c, dag, own != parts.own ? added(dag, own, parts.rest, false) : e, v);
}

/* Corrects each part that is a function of one value, if the value changes with the input. */
static const expr *mended_pieces(struct calculus *c, expr_dag *dag, const expr *e, const expr *input)
{
    arena *memory = expr_dag_memory(dag);
    uint32_t count;
    const expr **nodes = expr_walk(memory, e, &count);
    const bool *bends = bending(dag, nodes, count);
    const expr **images = arena_alloc(memory, ((size_t)e->id + 1) * sizeof *images);
    bool *is_reached = arena_alloc(memory, (size_t)e->id + 1);
    is_reached[e->id] = bends[count - 1];
    for (uint32_t i = count; i-- > 0;)
        for (unsigned k = 0; k < expr_arity(nodes[i]->kind); k++)
            if (is_reached[nodes[i]->id] && !expr_is_piece(nodes[i]))
                is_reached[nodes[i]->operand[k]->id] = true;
    for (uint32_t i = 0; i < count; i++) {
        const expr *n = nodes[i], *operand[3] = {0};
        for (unsigned k = 0; k < expr_arity(n->kind); k++) operand[k] = images[n->operand[k]->id];
        const bool is_asked = is_reached[n->id] && bends[i] && (n->inputs & input->inputs);
        images[n->id] = !is_asked          ? n
                        : expr_is_piece(n) ? mended_by(c, dag, n, n->argument)
                                           : expr_rebuild(dag, n, operand);
    }
    return images[e->id];
}

/* The values at which a formula of several values bends as the input moves. */
struct values {
    const expr *list[8];
    unsigned count;
};

static void add_value(struct values *values, const expr *v, const expr *input)
{
    if (!(v->inputs & input->inputs) || values->count == sizeof values->list / sizeof *values->list) return;
    for (unsigned i = 0; i < values->count; i++)
        if (values->list[i] == v) return;
    values->list[values->count++] = v;
}

static bool has_sides(const expr *e)
{
    switch (e->kind) {
    case EXPR_LT:
    case EXPR_LE:
    case EXPR_EQ:
    case EXPR_MIN:
    case EXPR_MAX: return true;
    default: return false;
    }
}

/* Lists these values: for a node that is a function of one value, that value. For a node where two values
 * meet, the value of each side. */
static struct values bending_values(expr_dag *dag, const expr *e, const expr *input)
{
    struct values values = {.count = 0};
    uint32_t count;
    const expr **nodes = expr_walk(expr_dag_memory(dag), e, &count);
    for (uint32_t i = 0; i < count; i++) {
        const expr *n = nodes[i];
        if (!may_bend(n) && !expr_is_truth(n)) continue;
        if (n->argument != n) add_value(&values, n->argument, input);
        for (unsigned k = 0; k < 2 && n->argument == n && has_sides(n); k++)
            add_value(&values, n->operand[k]->argument, input);
    }
    return values;
}

/* Returns d e / d input by the chain rule, as (d e / d v) * (d v / d input) with a corrected first factor.
 * Returns NULL if `e` depends on the input by more than v. */
static const expr *by_way_of(struct calculus *c, expr_dag *dag, const expr *e, const expr *v,
                             const expr *input)
{
    const expr *letter = ties_letter(dag, e, v);
    const expr *of_letter = letter ? expr_substitute(dag, e, v, letter) : e;
    if (v == input || !letter || (of_letter->inputs & input->inputs)) return NULL;
    const expr *d = expr_substitute(dag, derivative_of(c, dag, of_letter, letter), letter, v);
    return expr_times(dag, d, expr_derivative(dag, v, input));
}

const expr *derivative_of(struct calculus *c, expr_dag *dag, const expr *e, const expr *input)
{
    /* Gathering keeps a factor from overflowing before another one makes it small. */
    e = expr_gather(dag, e);
    if (!c->refused) c->refused = expr_without_slope(dag, e, input);
    const expr *d = mended_pieces(c, dag, expr_derivative(dag, e, input), input);
    c->steps += e->id; /* derivatives count as steps */
    const struct values values = bending_values(dag, d, input);
    for (unsigned i = 0; i < values.count; i++) {
        if (expr_is_piece(d) && values.list[i] == d->argument) continue; /* already corrected */
        const expr *mended = mended_sum(c, dag, d, values.list[i]);
        const expr *other = mended == d ? NULL : by_way_of(c, dag, e, values.list[i], input);
        if (other) return other;
        d = mended;
    }
    return d;
}
