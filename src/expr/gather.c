/* Regroups products and sums of several values, so that the parts that depend on one value become one piece
 * of the kernel. For example, s*E/(1 + E)^2 with E = exp(-s*x) becomes s*(E/(1 + E)^2). A piece keeps its
 * bound and has the limits of the whole. Factors that are rounded one by one overflow on the way, and
 * inf/inf is NaN where the quotient is 0 or 1.
 *
 * A chain is a tree of products and quotients, or of sums and differences, whose nodes depend on several
 * values. Its members are the operands of the tree, in the order in which they are written. Members of the
 * same value join at the place of the first of them. Everything else stays as it is written, and so does a
 * chain without members to join. */
#include "expr.h"

enum { MOST_MEMBERS = 64 }; /* longer chains stay as they are */

struct member {
    const expr *e;
    const expr *value; /* the value of which it is a function, or NULL for a constant */
    bool inverted;     /* a divisor, or a subtracted term */
};

struct chain {
    expr_dag *dag;
    bool is_product;
    struct member list[MOST_MEMBERS];
    unsigned count;
    bool negated, is_full;
};

static bool is_input_or_cast(const expr *e) { return e->kind == EXPR_INPUT || e->kind == EXPR_CAST; }

/* Returns the value of which the node is a function, which may be the node itself. */
static const expr *gathered_value(const expr *e)
{
    return expr_is_constant(e) ? NULL : is_input_or_cast(e) ? e : e->argument;
}

static bool depends_on_several(const expr *e) { return gathered_value(e) == e && !is_input_or_cast(e); }

static bool is_of_product(const expr *e) { return e->kind == EXPR_MUL || e->kind == EXPR_DIV; }
static bool is_of_sum(const expr *e) { return e->kind == EXPR_ADD || e->kind == EXPR_SUB; }

/* Returns true if the node is a link of a chain, also below a minus or with a constant factor, as in
 * -(a*b)/2. */
static bool is_link(bool is_product, const expr *e)
{
    const expr *u, *power;
    for (;;) {
        const bool is_of_kind = is_product ? is_of_product(e) : is_of_sum(e);
        if (is_of_kind && depends_on_several(e)) return !expr_is_scaled_exponential(e, &u, &power);
        if (e->kind != EXPR_NEG && !is_of_kind) return false;
        if (expr_is_constant(e) || is_input_or_cast(e)) return false;
        const bool is_first = e->kind != EXPR_NEG && expr_is_constant(e->operand[0]);
        if (e->kind != EXPR_NEG && !is_first && !expr_is_constant(e->operand[1])) return false;
        e = e->operand[is_first];
    }
}

static bool is_value_of_member(const struct chain *members, const expr *e)
{
    for (unsigned i = 0; i < members->count; i++)
        if (members->list[i].e != e && members->list[i].value == e) return true;
    return false;
}

/* Adds the members below `e`, which is `depth` links down. A value on which other members depend is no
 * chain of its own, such as x*s in (x*s)*w*sigmoid(x*s). `values` has these members, or is NULL while they
 * are not known. */
static void collect(struct chain *c, const struct chain *values, const expr *e, bool inverted, unsigned depth)
{
    const bool is_value = values && is_value_of_member(values, e);
    c->is_full = c->is_full || depth > MOST_MEMBERS || c->count == MOST_MEMBERS;
    if (c->is_full) return;
    if (is_value || !is_link(c->is_product, e)) {
        c->list[c->count++] = (struct member){e, gathered_value(e), inverted};
    } else if (e->kind == EXPR_NEG) {
        c->negated = c->negated != c->is_product;
        collect(c, values, e->operand[0], inverted == c->is_product, depth + 1);
    } else {
        const bool inverts = e->kind == EXPR_DIV || e->kind == EXPR_SUB;
        collect(c, values, e->operand[0], inverted, depth + 1);
        collect(c, values, e->operand[1], inverted != inverts, depth + 1);
    }
}

static const expr *combine(const struct chain *c, const expr *a, const expr *b, bool inverted)
{
    const enum expr_kind kind = c->is_product ? inverted ? EXPR_DIV : EXPR_MUL
                                : inverted    ? EXPR_SUB
                                              : EXPR_ADD;
    return expr_binary(c->dag, kind, a, b);
}

/* Classifies a member. A monomial is a power of the value with constant factors. Rounding it where it
 * stands loses no more than any operation does. A function is a member with a function to be approximated. */
static void classify(arena *memory, const struct member *m, bool *is_monomial, bool *is_function)
{
    uint32_t count;
    const expr *const *nodes = expr_walk(memory, m->e, &count);
    bool *is_above = arena_alloc(memory, (size_t)m->e->id + 1); /* not only below the value */
    is_above[m->e->id] = m->e != m->value;
    *is_monomial = true;
    *is_function = false;
    for (uint32_t i = count; i-- > 0;) {
        const expr *e = nodes[i];
        if (!is_above[e->id] || expr_is_constant(e)) continue;
        *is_monomial = *is_monomial && (e->kind == EXPR_MUL || e->kind == EXPR_DIV || e->kind == EXPR_NEG ||
                                        e->kind == EXPR_POWER);
        *is_function = *is_function || expr_is_transcendental(e->kind);
        for (unsigned k = 0; k < expr_arity(e->kind); k++)
            if (e->operand[k] != m->value) is_above[e->operand[k]->id] = true;
    }
}

static unsigned members_of(const struct chain *c, const expr *value)
{
    unsigned count = 0;
    for (unsigned i = 0; i < c->count; i++) count += c->list[i].value == value;
    return count;
}

/* Returns true if the members of that value gain by joining. Factors gain if one is a function, or if a
 * power is divided by more than a power, as in x*w/(1 + abs(x)). Terms gain if one is a function. */
static bool should_join(const struct chain *c, const expr *value)
{
    unsigned functions = 0, divisors = 0, powers = 0;
    if (!value || members_of(c, value) < 2) return false;
    for (unsigned i = 0; i < c->count; i++) {
        bool is_monomial, is_function;
        if (c->list[i].value != value) continue;
        classify(expr_dag_memory(c->dag), &c->list[i], &is_monomial, &is_function);
        functions += is_function;
        divisors += !is_monomial && c->list[i].inverted;
        powers += is_monomial && !c->list[i].inverted;
    }
    return functions || (c->is_product && divisors && powers);
}

/* Returns the part in its canonical form, which overflows less on the way. If the value vanishes from that
 * form, returns the part as it is. */
static const expr *simplified(expr_dag *dag, const expr *joined, const expr *value)
{
    const expr *x = expr_input(dag, 0); /* the only input, because everything else depends on the value */
    const expr *simple = expr_simplify(dag, expr_substitute(dag, joined, value, x), NULL);
    return expr_is_constant(simple) ? joined : expr_substitute(dag, simple, x, value);
}

/* Joins the members of a value at the place of the first of them. */
static void join(struct chain *c, unsigned first)
{
    const expr *value = c->list[first].value, *joined = NULL;
    /* In sums, all signs turn with the first one. */
    const bool sign = !c->is_product && c->list[first].inverted;
    for (int divisors = 0; divisors < 2; divisors++)
        for (unsigned i = first; i < c->count; i++) {
            const struct member *m = &c->list[i];
            const bool inverted = m->inverted != sign;
            if (m->value != value || (c->is_product ? inverted != divisors : divisors)) continue;
            if (!joined && c->is_product && inverted) joined = expr_integer(c->dag, 1);
            joined = joined ? combine(c, joined, m->e, inverted) : m->e;
        }
    unsigned kept = first + 1;
    for (unsigned i = first + 1; i < c->count; i++)
        if (c->list[i].value != value) c->list[kept++] = c->list[i];
    c->list[first] = (struct member){simplified(c->dag, joined, value), value, sign};
    c->count = kept;
}

static const expr *rebuild(const struct chain *c)
{
    const expr *e = c->list[0].e;
    if (c->list[0].inverted)
        e = c->is_product ? expr_binary(c->dag, EXPR_DIV, expr_integer(c->dag, 1), e)
                          : expr_unary(c->dag, EXPR_NEG, e);
    for (unsigned i = 1; i < c->count; i++) e = combine(c, e, c->list[i].e, c->list[i].inverted);
    return c->negated ? expr_unary(c->dag, EXPR_NEG, e) : e;
}

static const expr *gather_chain(expr_dag *dag, const expr *e, bool is_product)
{
    struct chain all = {.dag = dag, .is_product = is_product}, c = all;
    collect(&all, NULL, e, false, 0);
    collect(&c, &all, e, false, 0);
    bool changed = false;
    for (unsigned i = 0; i < c.count && !c.is_full; i++) {
        if (!should_join(&c, c.list[i].value)) continue;
        join(&c, i);
        changed = true;
    }
    return changed ? rebuild(&c) : e;
}

/* Returns a product of several values without the minus signs of its factors, and turns *negative for each.
 * Returns `e` if there are none. The result is exact. */
static const expr *without_minus(expr_dag *dag, const expr *e, bool *negative)
{
    if (!depends_on_several(e) || (e->kind != EXPR_MUL && e->kind != EXPR_DIV)) return e;
    const expr *part[2];
    bool changed = false;
    for (unsigned k = 0; k < 2; k++) {
        part[k] = e->operand[k];
        if (part[k]->kind == EXPR_NEG) {
            part[k] = part[k]->operand[0];
            *negative = !*negative;
            changed = true;
        }
    }
    return changed ? expr_binary(dag, e->kind, part[0], part[1]) : e;
}

static const expr *gathered(void *context, expr_dag *dag, const expr *e, const expr *const *operand)
{
    const bool *is_top = context;
    const expr *own[3] = {operand[0], operand[1], operand[2]};
    if (e->kind >= EXPR_FIRST_FUNCTION) { /* makes exp(-s*x) and exp(s*x) functions of one value */
        bool negative = false;
        const expr *u = without_minus(dag, own[0], &negative);
        own[0] = negative ? expr_unary(dag, EXPR_NEG, u) : u;
    }
    const expr *image = expr_rebuild(dag, e, own);
    if (!is_top[e->id] || (!is_of_product(e) && !is_of_sum(e)) || !is_link(is_of_product(e), image))
        return image;
    return gather_chain(dag, image, is_of_product(e));
}

const expr *expr_gather(expr_dag *dag, const expr *e)
{
    uint32_t count;
    arena *memory = expr_dag_memory(dag);
    const expr *const *nodes = expr_walk(memory, e, &count);
    /* True for the top of a chain: the node is not only a link of a longer one. */
    bool *is_top = arena_alloc(memory, (size_t)e->id + 1);
    is_top[e->id] = true;
    for (uint32_t i = 0; i < count; i++)
        for (unsigned k = 0; k < expr_arity(nodes[i]->kind); k++) {
            const expr *operand = nodes[i]->operand[k];
            const bool is_within = (is_of_product(nodes[i]) && is_of_product(operand)) ||
                                   (is_of_sum(nodes[i]) && is_of_sum(operand));
            if (!is_within) is_top[operand->id] = true;
        }
    return expr_transform(dag, e, gathered, is_top);
}
