/* Each node of the formula becomes a quotient of polynomials with rational coefficients, operands before
 * their users. Two polynomials are equal if they have the same terms. Nothing is evaluated at points, because
 * an equation that holds at some points may fail elsewhere. */
#include "letters.h"

#include <string.h>

enum {
    MOST_LETTERS = 8,
    MOST_TERMS = 64,  /* most terms of a polynomial */
    MOST_POWER = 16,  /* largest exponent of a node, and of a letter in a term */
    MOST_NODES = 512, /* most nodes of a formula */
    MOST_NUMBERS = 1 << 13
};

struct monomial {
    const expr *coefficient; /* a number other than 0 */
    unsigned char power[MOST_LETTERS];
};

/* A polynomial. Its terms are sorted by their powers, and no two terms have the same powers. */
struct polynomial {
    bool is_known; /* false if it has too many terms, or is no polynomial */
    unsigned count;
    const struct monomial *term;
};

struct quotient {
    struct polynomial over, under;
};

struct letters {
    expr_dag *dag; /* the DAG that holds the coefficients */
    const expr *letter[MOST_LETTERS];
    unsigned count;
    uint64_t *work;
};

static bool pay(const struct letters *l, uint64_t work)
{
    *l->work = *l->work > work ? *l->work - work : 0;
    return *l->work && !expr_dag_full(l->dag);
}

static struct polynomial unknown(void) { return (struct polynomial){0}; }

/* Adds a term to the sorted list, which has room for it. Returns the new count. */
static unsigned add_monomial(const struct letters *l, struct monomial *list, unsigned count,
                             const struct monomial *m)
{
    unsigned i = 0;
    int order = -1;
    while (i < count && (order = memcmp(list[i].power, m->power, sizeof m->power)) < 0) i++;
    if (i == count || order) {
        memmove(list + i + 1, list + i, (count - i) * sizeof *list);
        list[i] = *m;
        return count + 1;
    }
    list[i].coefficient = expr_combined(l->dag, EXPR_ADD, list[i].coefficient, m->coefficient);
    if (!expr_is_number(list[i].coefficient, 0, 1)) return count;
    memmove(list + i, list + i + 1, (count - i - 1) * sizeof *list);
    return count - 1;
}

static struct polynomial as_polynomial(const struct letters *l, const struct monomial *list, unsigned count)
{
    if (count > MOST_TERMS) return unknown();
    return (struct polynomial){true, count, arena_copy(expr_dag_memory(l->dag), list, count * sizeof *list)};
}

static struct polynomial number(const struct letters *l, const expr *value)
{
    const struct monomial m = {.coefficient = expr_import(l->dag, value)};
    return as_polynomial(l, &m, !expr_is_number(value, 0, 1));
}

static struct polynomial sum(const struct letters *l, const struct polynomial *a, const struct polynomial *b)
{
    struct monomial list[2 * MOST_TERMS];
    unsigned count = 0;
    if (!a->is_known || !b->is_known || !pay(l, a->count + b->count)) return unknown();
    for (unsigned i = 0; i < a->count; i++) list[count++] = a->term[i];
    for (unsigned i = 0; i < b->count; i++) count = add_monomial(l, list, count, &b->term[i]);
    return as_polynomial(l, list, count);
}

static struct polynomial product(const struct letters *l, const struct polynomial *a,
                                 const struct polynomial *b)
{
    struct monomial list[MOST_TERMS + 1];
    unsigned count = 0;
    if (!a->is_known || !b->is_known) return unknown();
    for (unsigned i = 0; i < a->count * b->count; i++) {
        const struct monomial *x = &a->term[i / b->count], *y = &b->term[i % b->count];
        struct monomial m = {.coefficient = expr_combined(l->dag, EXPR_MUL, x->coefficient, y->coefficient)};
        bool is_small = true;
        for (unsigned k = 0; k < MOST_LETTERS; k++) {
            m.power[k] = (unsigned char)(x->power[k] + y->power[k]);
            is_small = is_small && m.power[k] <= MOST_POWER;
        }
        if (!is_small || count > MOST_TERMS || !pay(l, 1)) return unknown();
        count = add_monomial(l, list, count, &m);
    }
    return as_polynomial(l, list, count);
}

/* Returns the number c with a = c b, where b is not 0. Returns NULL if there is none. */
static const expr *ratio(const struct letters *l, const struct polynomial *a, const struct polynomial *b)
{
    if (!a->is_known || !b->is_known || !b->count) return NULL;
    if (!a->count) return expr_integer(l->dag, 0);
    const expr *c = expr_combined(l->dag, EXPR_DIV, a->term[0].coefficient, b->term[0].coefficient);
    for (unsigned i = 0; i < b->count; i++) {
        if (a->count != b->count || memcmp(a->term[i].power, b->term[i].power, sizeof a->term[i].power))
            return NULL;
        if (a->term[i].coefficient != expr_combined(l->dag, EXPR_MUL, c, b->term[i].coefficient)) return NULL;
    }
    return c;
}

static struct quotient quotient_sum(const struct letters *l, const struct quotient *a,
                                    const struct quotient *b)
{
    /* A common denominator is kept, so that denominators do not grow without need. */
    const expr *c = ratio(l, &a->under, &b->under);
    const struct polynomial scale = c ? number(l, c) : a->under;
    const struct polynomial left = c ? a->over : product(l, &a->over, &b->under),
                            right = product(l, &b->over, &scale);
    return (struct quotient){sum(l, &left, &right), c ? a->under : product(l, &a->under, &b->under)};
}

static struct quotient quotient_product(const struct letters *l, const struct quotient *a,
                                        const struct quotient *b)
{
    return (struct quotient){product(l, &a->over, &b->over), product(l, &a->under, &b->under)};
}

static struct quotient letter(struct letters *l, const expr *e)
{
    struct monomial m = {.coefficient = expr_integer(l->dag, 1)};
    const struct polynomial one = number(l, m.coefficient);
    unsigned i = 0;
    while (i < l->count && l->letter[i] != e) i++;
    if (i == MOST_LETTERS || e->kind == EXPR_INFINITY || expr_is_truth(e))
        return (struct quotient){unknown(), one};
    if (i == l->count) l->letter[l->count++] = e;
    m.power[i] = 1;
    return (struct quotient){as_polynomial(l, &m, 1), one};
}

static struct quotient power(const struct letters *l, const struct quotient *base, long exponent)
{
    const struct quotient b = exponent < 0 ? (struct quotient){base->under, base->over} : *base;
    struct quotient p = b;
    for (long n = exponent < 0 ? -exponent : exponent; n > 1; n--) p = quotient_product(l, &p, &b);
    return p;
}

static struct quotient of_node(struct letters *l, const expr *e, const struct quotient *a,
                               const struct quotient *b)
{
    const bool is_power = e->kind == EXPR_POWER && !mpz_cmp_ui(mpq_denref(e->number), 1) &&
                          mpq_sgn(e->number) && mpz_cmpabs_ui(mpq_numref(e->number), MOST_POWER) <= 0;
    if (e->kind == EXPR_NUMBER) return (struct quotient){number(l, e), number(l, expr_integer(l->dag, 1))};
    if (e->kind == EXPR_ADD) return quotient_sum(l, a, b);
    if (e->kind == EXPR_MUL) return quotient_product(l, a, b);
    return is_power ? power(l, a, mpz_get_si(mpq_numref(e->number))) : letter(l, e);
}

const expr *letters_number(const expr *e, uint64_t *work)
{
    arena *memory = e->memory;
    struct letters l = {.dag = expr_dag_create(memory, MOST_NUMBERS), .work = work};
    uint32_t count;
    const expr **nodes = expr_walk(memory, e, &count);
    if (count > MOST_NODES || !pay(&l, count)) return NULL;
    const uint32_t(*places)[3] = (const uint32_t(*)[3])expr_operand_places(memory, nodes, count);
    struct quotient *q = arena_alloc(memory, count * sizeof *q);
    for (uint32_t i = 0; i < count; i++) q[i] = of_node(&l, nodes[i], &q[places[i][0]], &q[places[i][1]]);
    const expr *value = ratio(&l, &q[count - 1].over, &q[count - 1].under);
    return pay(&l, 1) ? value : NULL;
}
