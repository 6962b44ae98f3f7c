/* The hash-consed DAG. Nodes are made once, compared by pointer, and never changed. */
#include "expr.h"

#include <string.h>

enum { FIRST_BUCKETS = 256 };

struct expr_dag {
    arena *memory;
    const expr **nodes; /* by id */
    uint32_t count, capacity, limit;
    const expr **buckets;
    uint32_t bucket_count; /* a power of two */
    const expr *zero;
    bool full;
};

static uint64_t mix(uint64_t h, uint64_t value)
{
    /* The bits of the golden ratio, as in Knuth's multiplicative hashing. */
    h = (h ^ value) * 0x9e3779b97f4a7c15u;
    return h ^ h >> 29;
}

static uint64_t hash_integer(uint64_t h, mpz_srcptr z)
{
    h = mix(h, (uint64_t)(mpz_sgn(z) + 1));
    for (size_t i = 0; i < mpz_size(z); i++) h = mix(h, mpz_getlimbn(z, (mp_size_t)i));
    return h;
}

static uint64_t hash_node(const expr *e)
{
    uint64_t h = mix(mix(e->kind, e->input), e->type);
    for (int i = 0; i < 3; i++) h = mix(h, e->operand[i] ? e->operand[i]->id + 1u : 0);
    if (e->number) h = hash_integer(hash_integer(h, mpq_numref(e->number)), mpq_denref(e->number));
    return h;
}

static bool is_same_node(const expr *a, const expr *b)
{
    return a->kind == b->kind && a->input == b->input && a->type == b->type &&
           a->operand[0] == b->operand[0] && a->operand[1] == b->operand[1] &&
           a->operand[2] == b->operand[2] && !a->number == !b->number &&
           (!a->number || mpq_equal(a->number, b->number));
}

/* Makes a read-only copy of `value` whose limbs are in the arena. */
static mpq_srcptr keep_number(arena *memory, mpq_srcptr value)
{
    __mpq_struct *copy = arena_alloc(memory, sizeof *copy);
    const mpz_srcptr parts[2] = {mpq_numref(value), mpq_denref(value)};
    mpz_ptr copies[2] = {mpq_numref(copy), mpq_denref(copy)};
    for (int i = 0; i < 2; i++) {
        size_t limbs = mpz_size(parts[i]);
        const mp_limb_t *data = arena_copy(memory, mpz_limbs_read(parts[i]), limbs * sizeof(mp_limb_t));
        mpz_roinit_n(copies[i], data, mpz_sgn(parts[i]) < 0 ? -(mp_size_t)limbs : (mp_size_t)limbs);
    }
    return copy;
}

static void grow(expr_dag *dag)
{
    uint32_t capacity = dag->capacity * 2;
    const expr **nodes = arena_alloc(dag->memory, capacity * sizeof *nodes);
    memcpy(nodes, dag->nodes, dag->count * sizeof *nodes);
    dag->nodes = nodes;
    dag->capacity = capacity;
    dag->bucket_count = capacity;
    dag->buckets = arena_alloc(dag->memory, dag->bucket_count * sizeof *dag->buckets);
    for (uint32_t i = 0; i < dag->count; i++) {
        expr *e = (expr *)dag->nodes[i];
        const expr **bucket = &dag->buckets[e->hash & (dag->bucket_count - 1)];
        e->next = *bucket;
        *bucket = e;
    }
}

/* Returns expr.argument, the value on which all operands depend, or NULL if that is the node itself. A
 * condition is no number, so a choice cannot have it as its argument. */
static const expr *single_argument(const expr *e)
{
    const expr *argument = NULL;
    for (int i = 0; i < 3; i++) {
        const expr *operand = e->operand[i];
        if (!operand || expr_is_constant(operand)) continue;
        const bool is_leaf = operand->kind == EXPR_INPUT || operand->kind == EXPR_CAST;
        const expr *own = is_leaf ? operand : operand->argument;
        if (argument && own != argument) return NULL;
        argument = own;
    }
    return argument && expr_is_truth(argument) && !expr_is_truth(e) ? NULL : argument;
}

static const expr *make_node(expr_dag *dag, expr wanted)
{
    if (wanted.kind == EXPR_INPUT) wanted.inputs = UINT64_C(1) << (wanted.input & 63);
    for (int i = 0; i < 3; i++)
        if (wanted.operand[i]) wanted.inputs |= wanted.operand[i]->inputs;
    wanted.hash = hash_node(&wanted);
    for (const expr *e = dag->buckets[wanted.hash & (dag->bucket_count - 1)]; e; e = e->next)
        if (e->hash == wanted.hash && is_same_node(e, &wanted)) return e;
    if (dag->count == dag->limit) {
        dag->full = true;
        return dag->zero;
    }
    if (dag->count == dag->capacity) grow(dag);
    if (wanted.number) wanted.number = keep_number(dag->memory, wanted.number);
    const expr **bucket = &dag->buckets[wanted.hash & (dag->bucket_count - 1)];
    wanted.id = dag->count;
    wanted.next = *bucket;
    wanted.argument = single_argument(&wanted);
    wanted.memory = dag->memory;
    expr *e = arena_copy(dag->memory, &wanted, sizeof wanted);
    if (!e->argument) e->argument = e;
    *bucket = e;
    dag->nodes[dag->count++] = e;
    return e;
}

expr_dag *expr_dag_create(arena *memory, uint32_t node_limit)
{
    expr_dag *dag = arena_alloc(memory, sizeof *dag);
    dag->memory = memory;
    dag->limit = node_limit;
    dag->capacity = dag->bucket_count = FIRST_BUCKETS;
    dag->nodes = arena_alloc(memory, dag->capacity * sizeof *dag->nodes);
    dag->buckets = arena_alloc(memory, dag->bucket_count * sizeof *dag->buckets);
    dag->zero = expr_integer(dag, 0);
    return dag;
}

bool expr_dag_full(const expr_dag *dag) { return dag->full; }
arena *expr_dag_memory(const expr_dag *dag) { return dag->memory; }
uint32_t expr_dag_count(const expr_dag *dag) { return dag->count; }
const expr *expr_dag_node(const expr_dag *dag, uint32_t id) { return dag->nodes[id]; }

const expr *expr_number(expr_dag *dag, mpq_srcptr value)
{
    return make_node(dag, (expr){.kind = EXPR_NUMBER, .number = value});
}

/* Makes the number numerator/denominator, or `base` to that power if there is a base. The number's limbs are
 * on the stack, because an escape of the arena would lose what GMP allocates. */
static const expr *with_ratio(expr_dag *dag, const expr *base, long numerator, unsigned long denominator)
{
    const unsigned long size = numerator < 0 ? 0 - (unsigned long)numerator : (unsigned long)numerator;
    unsigned long divisor = denominator; /* becomes the greatest common divisor, by Euclid */
    for (unsigned long rest = size; rest;) {
        const unsigned long next = divisor % rest;
        divisor = rest;
        rest = next;
    }
    const mp_limb_t limbs[] = {size / divisor, denominator / divisor};
    __mpq_struct q;
    mpz_roinit_n(mpq_numref(&q), &limbs[0], size == 0 ? 0 : numerator < 0 ? -1 : 1);
    mpz_roinit_n(mpq_denref(&q), &limbs[1], 1);
    return base ? expr_power(dag, base, &q) : expr_number(dag, &q);
}

const expr *expr_ratio(expr_dag *dag, long numerator, unsigned long denominator)
{
    return with_ratio(dag, NULL, numerator, denominator);
}

const expr *expr_power_ratio(expr_dag *dag, const expr *base, long numerator, unsigned long denominator)
{
    return with_ratio(dag, base, numerator, denominator);
}

const expr *expr_integer(expr_dag *dag, long value) { return expr_ratio(dag, value, 1); }
const expr *expr_pi(expr_dag *dag) { return make_node(dag, (expr){.kind = EXPR_PI}); }
const expr *expr_infinity(expr_dag *dag) { return make_node(dag, (expr){.kind = EXPR_INFINITY}); }
const expr *expr_input(expr_dag *dag, uint32_t index)
{
    return make_node(dag, (expr){.kind = EXPR_INPUT, .input = index});
}

const expr *expr_unary(expr_dag *dag, enum expr_kind kind, const expr *a)
{
    return make_node(dag, (expr){.kind = kind, .operand = {a}});
}

const expr *expr_binary(expr_dag *dag, enum expr_kind kind, const expr *a, const expr *b)
{
    return make_node(dag, (expr){.kind = kind, .operand = {a, b}});
}

const expr *expr_power(expr_dag *dag, const expr *base, mpq_srcptr exponent)
{
    return make_node(dag, (expr){.kind = EXPR_POWER, .operand = {base}, .number = exponent});
}

const expr *expr_if(expr_dag *dag, const expr *condition, const expr *then, const expr *otherwise)
{
    return make_node(dag, (expr){.kind = EXPR_IF, .operand = {condition, then, otherwise}});
}

const expr *expr_cast(expr_dag *dag, enum element_type type, const expr *a)
{
    return make_node(dag, (expr){.kind = EXPR_CAST, .type = type, .operand = {a}});
}
