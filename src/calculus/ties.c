/* Corrects derivatives at kinks.
 *
 * The rules choose a side of each kink on their own. At 0, the derivative of max(x, 0) is that of the left
 * side, and the derivative of max(0, x) is that of the right side. The derivative of abs(x) is neither. If
 * a function is a sum of such terms and smooth at 0, the sum of their derivatives there may belong to
 * neither side.
 *
 * This file replaces the derivative at a kink by its limit, if the limit is the same from both sides and
 * the rules give another value. The replacement is one formula if both sides simplify to it. Otherwise it
 * is a comparison with the other strictness, if that suffices. Otherwise it is a choice, `if x == 0 then
 * 1/2 else ...`. At an end of the domain the limit from within counts. Limits are exact (series.h). */
#include "ties.h"

#include "kink_places.h"
#include "series.h"

#include <stdlib.h>

enum {
    MOST_NODES = 1 << 14, /* of a question */
    MOST_FLIPS = 8,
    /* The work of one question, in nodes visited. Each node takes some 40 bytes for a while. */
    MOST_WORK = 1 << 20
};

/* The memory of one question, which is freed with the answer. */
struct scratch {
    /* A guest of the formula's arena, whose escape would lose this memory. */
    struct arena_guest guest;
    arena *memory;
};

static void free_scratch(struct arena_guest *guest)
{
    struct scratch *s = (struct scratch *)guest;
    arena_free(s->memory);
    free(s);
}

/* A derivative as a formula of the variable v, in a DAG of its own. */
struct question {
    expr_dag *dag;
    const expr *e, *v, *simplified;
    uint64_t *work;
};

/* A place, which is a number or a formula of the other variables, and the value that the derivative has
 * there instead. */
struct mend {
    /* NULL if there is nothing to correct. */
    const expr *place, *value;
};

const expr *ties_letter(expr_dag *dag, const expr *e, const expr *v)
{
    uint32_t input = v->kind == EXPR_INPUT ? v->input : 0;
    while (v->kind != EXPR_INPUT && input < 64 && expr_depends(e, input)) input++;
    return input < 64 ? expr_input(dag, input) : NULL;
}

static bool ask_question(struct question *q, arena *memory, const expr *e, const expr *v)
{
    *q->work -= *q->work < e->id ? *q->work : e->id;
    q->dag = expr_dag_create(memory, MOST_NODES);
    q->v = ties_letter(q->dag, e, v);
    if (!q->v) return false;
    q->e = expr_substitute(q->dag, e, v, q->v);
    q->simplified = expr_simplify(q->dag, q->e, NULL);
    return !expr_dag_full(q->dag);
}

/* Returns the value at the place by the rules. Where the written formula has none, the value of the
 * simplified formula counts, as in the reference. */
static struct series_limit series_value_at(const struct question *q, const expr *e, const expr *place)
{
    struct series_limit at = series_limit(q->dag, e, q->v, place, SERIES_AT, q->work);
    if (at.answer == SERIES_LIMIT || e != q->e) return at;
    at = series_limit(q->dag, q->simplified, q->v, place, SERIES_AT, q->work);
    at.is_tie = true;
    return at;
}

/* Returns the limit from both sides, if the rules give another value. Returns NULL otherwise. */
static const expr *mended_value(const struct question *q, const expr *place)
{
    const struct series_limit at = series_value_at(q, q->e, place);
    if (!at.is_tie && at.answer == SERIES_LIMIT) return NULL;
    const struct series_limit right = series_limit(q->dag, q->e, q->v, place, SERIES_RIGHT, q->work);
    if (right.answer == SERIES_UNKNOWN) return NULL;
    const struct series_limit left = series_limit(q->dag, q->e, q->v, place, SERIES_LEFT, q->work);
    const expr *value = right.value ? right.value : left.value;
    if (left.answer == SERIES_UNKNOWN || !value) return NULL;
    if (left.value && right.value && !series_equal(left.value, right.value, q->work)) return NULL;
    return at.answer == SERIES_LIMIT && series_equal(at.value, value, q->work) ? NULL : value;
}

/* -- the replacement of a derivative -- */

static bool is_order(const expr *e) { return e->kind == EXPR_LT || e->kind == EXPR_LE; }

/* Returns the sign of the slope of a - b, if that difference is linear and 0 at the place. Returns 0
 * otherwise. If `b` is NULL, the difference is a. */
static int direction(const struct question *q, const expr *a, const expr *b, const expr *place)
{
    const expr *difference = expr_simplify(q->dag, b ? expr_binary(q->dag, EXPR_SUB, a, b) : a, NULL);
    if (difference->inputs != (q->v->inputs | place->inputs)) return 0;
    const expr *slope = expr_simplify(q->dag, expr_derivative(q->dag, difference, q->v), NULL);
    const expr *there = expr_simplify(q->dag, expr_substitute(q->dag, difference, q->v, place), NULL);
    return slope->kind == EXPR_NUMBER && expr_is_number(there, 0, 1) ? mpq_sgn(slope->number) : 0;
}

struct one_side {
    const struct question *q;
    const expr *place;
    int side; /* 1 for the right side, -1 for the left one */
};

/* Makes the formula of the derivative on one side of the place: kinks at the place take that side. */
static const expr *on_side(void *context, expr_dag *dag, const expr *e, const expr *const *operand)
{
    const struct one_side *s = context;
    const expr *a = e->operand[0], *b = e->operand[1];
    const bool is_choice = e->kind == EXPR_IF && is_order(a),
               is_extreme = e->kind == EXPR_MIN || e->kind == EXPR_MAX;
    int sign = is_choice    ? direction(s->q, a->operand[0], a->operand[1], s->place)
               : is_extreme ? direction(s->q, a, b, s->place)
               : e->kind == EXPR_abs || e->kind == EXPR_sign ? direction(s->q, a, NULL, s->place)
                                                             : 0;
    if (!sign) return expr_rebuild(dag, e, operand);
    sign *= s->side; /* the sign of the difference on that side */
    if (is_choice) return operand[sign < 0 ? 1 : 2];
    if (is_extreme) return operand[(sign > 0) == (e->kind == EXPR_MAX) ? 0 : 1];
    if (e->kind == EXPR_sign) return expr_integer(dag, sign);
    return sign > 0 ? operand[0] : expr_unary(dag, EXPR_NEG, operand[0]);
}

/* Returns the one formula that the derivative is on both sides of the place; NULL if there are two. */
static const expr *same_on_both_sides(const struct question *q, const struct mend *m)
{
    struct one_side right = {q, m->place, 1}, left = {q, m->place, -1};
    const expr *e = expr_simplify(q->dag, expr_transform(q->dag, q->e, on_side, &right), NULL);
    if (e != expr_simplify(q->dag, expr_transform(q->dag, q->e, on_side, &left), NULL)) return NULL;
    const struct series_limit at = series_limit(q->dag, e, q->v, m->place, SERIES_AT, q->work);
    const bool is_right = at.answer == SERIES_LIMIT && series_equal(at.value, m->value, q->work);
    return is_right && e->inputs == q->e->inputs ? e : NULL; /* a NaN makes it NaN as well */
}

/* Returns the derivative with < and <= exchanged in one comparison, so that it has the wanted value at the
 * place. Returns NULL if no comparison does that. */
static const expr *with_other_order(const struct question *q, const struct mend *m)
{
    uint32_t count, tried = 0;
    const expr **nodes = expr_walk(expr_dag_memory(q->dag), q->e, &count);
    for (uint32_t i = 0; i < count && tried < MOST_FLIPS; i++) {
        const expr *e = nodes[i];
        if (!is_order(e) || !direction(q, e->operand[0], e->operand[1], m->place)) continue;
        const enum expr_kind kind = e->kind == EXPR_LT ? EXPR_LE : EXPR_LT;
        const expr *flipped =
            expr_substitute(q->dag, q->e, e, expr_binary(q->dag, kind, e->operand[0], e->operand[1]));
        const struct series_limit at = series_limit(q->dag, flipped, q->v, m->place, SERIES_AT, q->work);
        tried++;
        if (at.answer == SERIES_LIMIT && series_equal(at.value, m->value, q->work)) return flipped;
    }
    return NULL;
}

/* Removes an earlier choice of a value at the place, which is no longer needed. */
static const expr *without_choice(void *condition, expr_dag *dag, const expr *e, const expr *const *operand)
{
    return e->kind == EXPR_IF && operand[0] == condition ? operand[2] : expr_rebuild(dag, e, operand);
}

/* Returns the condition that v is at the place. If the place is computed, the condition compares the two
 * sides of a kink there, as they are written. A place that is rounded in another way would be missed. */
static const expr *is_at(const struct question *q, const expr *place)
{
    const bool is_computed = expr_arity(place->kind) > 0;
    uint32_t count;
    const expr **nodes = expr_walk(expr_dag_memory(q->dag), q->e, &count);
    for (uint32_t i = 0; i < count && is_computed; i++) {
        const expr *e = nodes[i], *a = e->operand[0], *b = e->operand[1];
        const bool has_sides =
            is_order(e) || e->kind == EXPR_EQ || e->kind == EXPR_MIN || e->kind == EXPR_MAX;
        const bool is_alone = e->kind == EXPR_abs || e->kind == EXPR_sign;
        if ((has_sides && direction(q, a, b, place)) || (is_alone && direction(q, a, NULL, place)))
            return expr_binary(q->dag, EXPR_EQ, a, has_sides ? b : expr_integer(q->dag, 0));
    }
    return expr_binary(q->dag, EXPR_EQ, q->v, place);
}

static const expr *with_choice(const struct question *q, const struct mend *m)
{
    const expr *is_there = is_at(q, m->place);
    return expr_if(q->dag, is_there, m->value,
                   expr_transform(q->dag, q->e, without_choice, (void *)is_there));
}

static const expr *mended_at(const struct question *q, const expr *place)
{
    if (place->inputs & q->v->inputs) return NULL; /* the place depends on a variable that has changed */
    const struct mend m = {place, mended_value(q, place)};
    if (!m.value) return NULL;
    const expr *e = same_on_both_sides(q, &m);
    if (!e) e = with_other_order(q, &m);
    if (!e) e = with_choice(q, &m);
    return *q->work && !expr_dag_full(q->dag) ? e : NULL;
}

/* Finds where `e` may bend if `places` is not NULL. Otherwise sets *e to the formula that is corrected at
 * `place`. */
static void work_in(struct scratch *s, struct ties *t, const expr **e, struct kink_places *places,
                    const expr *place, uint64_t *work)
{
    struct question q = {.work = work};
    if (setjmp(*arena_escape(s->memory))) arena_escape_to(expr_dag_memory(t->dag), s->memory);
    if (!ask_question(&q, s->memory, *e, t->v)) return;
    if (places) {
        kink_places(places, q.dag, q.e, q.v, q.work);
        for (unsigned i = 0; i < places->count; i++) places->list[i] = expr_import(t->dag, places->list[i]);
        return;
    }
    const expr *mended = mended_at(&q, expr_import(q.dag, place));
    if (mended) *e = expr_substitute(t->dag, mended, q.v, t->v);
}

static void with_scratch(struct ties *t, const expr **e, struct kink_places *places, const expr *place)
{
    arena *host = expr_dag_memory(t->dag);
    struct scratch *s = calloc(1, sizeof *s);
    const bool is_there = s && (s->memory = arena_create_within(host));
    if (!is_there) arena_fail(host);
    if (s) arena_host(host, &s->guest, free_scratch);
    uint64_t left = t->work < MOST_WORK ? t->work : MOST_WORK;
    t->work -= left;
    if (is_there) work_in(s, t, e, places, place, &left);
    t->work += left;
    if (!s) return;
    arena_leave(&s->guest);
    free_scratch(&s->guest);
}

const expr *ties_mended(struct ties *t, const expr *e)
{
    struct kink_places places = {.count = 0};
    with_scratch(t, &e, &places, NULL);
    for (unsigned i = 0; i < places.count && t->work && !expr_dag_full(t->dag); i++)
        with_scratch(t, &e, NULL, places.list[i]);
    return e;
}
