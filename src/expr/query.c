/* Answers questions about nodes, walks over them, and replaces them. */
#include "expr.h"

#include <string.h>

static const struct {
    const char *name;
    unsigned arity;
} kinds[EXPR_KIND_COUNT] = {
    [EXPR_NUMBER] = {"number", 0}, [EXPR_PI] = {"pi", 0},   [EXPR_INFINITY] = {"inf", 0},
    [EXPR_INPUT] = {"input", 0},   [EXPR_ADD] = {"+", 2},   [EXPR_SUB] = {"-", 2},
    [EXPR_MUL] = {"*", 2},         [EXPR_DIV] = {"/", 2},   [EXPR_NEG] = {"neg", 1},
    [EXPR_POWER] = {"^", 1},       [EXPR_MIN] = {"min", 2}, [EXPR_MAX] = {"max", 2},
    [EXPR_CAST] = {"cast", 1},     [EXPR_IF] = {"if", 3},   [EXPR_LT] = {"<", 2},
    [EXPR_LE] = {"<=", 2},         [EXPR_EQ] = {"==", 2},   [EXPR_NOT] = {"not", 1},
    [EXPR_AND] = {"and", 2},       [EXPR_OR] = {"or", 2},
#define FUNCTION(function, ...) [EXPR_##function] = {#function, 1},
#include "functions.def"
#undef FUNCTION
};

unsigned expr_arity(enum expr_kind kind) { return kinds[kind].arity; }
const char *expr_kind_name(enum expr_kind kind) { return kinds[kind].name; }

bool expr_kind_of_function(const char *name, size_t length, enum expr_kind *out)
{
    for (unsigned kind = EXPR_FIRST_FUNCTION; kind < EXPR_KIND_COUNT; kind++) {
        const char *own = kinds[kind].name;
        if (*own != *name || strncmp(own, name, length) != 0 || own[length]) continue;
        *out = (enum expr_kind)kind;
        return true;
    }
    return false;
}

bool expr_is_transcendental(enum expr_kind kind)
{
    return expr_functions[kind].nature == NATURE_CURVE || expr_functions[kind].nature == NATURE_WAVE;
}

bool expr_is_wave(const expr *e) { return expr_functions[e->kind].nature == NATURE_WAVE; }

bool expr_is_truth(const expr *e) { return e->kind >= EXPR_LT && e->kind <= EXPR_OR; }

bool expr_is_piece(const expr *e) { return e->argument != e && e->kind != EXPR_CAST && !expr_is_truth(e); }

bool expr_is_number(const expr *e, long numerator, unsigned long denominator)
{
    return e->kind == EXPR_NUMBER && !mpq_cmp_si(e->number, numerator, denominator);
}

bool expr_is_power_of_two(const expr *e)
{
    enum { LARGEST = 63 };
    if (e->kind != EXPR_NUMBER || !mpq_sgn(e->number)) return false;
    mpz_srcptr top = mpq_numref(e->number), bottom = mpq_denref(e->number);
    const size_t up = mpz_sizeinbase(top, 2) - 1, down = mpz_sizeinbase(bottom, 2) - 1;
    return mpz_scan1(top, 0) == up && mpz_scan1(bottom, 0) == down && up <= LARGEST && down <= LARGEST;
}

bool expr_depends(const expr *e, uint32_t input) { return e->inputs >> input & 1; }
bool expr_is_constant(const expr *e) { return !e->inputs; }

const expr **expr_walk_all(arena *memory, const expr *const *roots, uint32_t root_count, uint32_t *count)
{
    uint32_t last = 0;
    for (uint32_t i = 0; i < root_count; i++) last = roots[i]->id > last ? roots[i]->id : last;
    const expr **nodes = arena_alloc(memory, ((size_t)last + 1) * sizeof *nodes);
    for (uint32_t i = 0; i < root_count; i++) nodes[roots[i]->id] = roots[i];
    *count = 0;
    for (uint32_t id = last + 1; id-- > 0;) {
        if (!nodes[id]) continue;
        ++*count;
        for (unsigned i = 0; i < expr_arity(nodes[id]->kind); i++)
            nodes[nodes[id]->operand[i]->id] = nodes[id]->operand[i];
    }
    uint32_t kept = 0;
    for (uint32_t id = 0; id <= last; id++)
        if (nodes[id]) nodes[kept++] = nodes[id];
    return nodes;
}

const expr **expr_walk(arena *memory, const expr *root, uint32_t *count)
{
    return expr_walk_all(memory, &root, 1, count);
}

uint32_t (*expr_operand_places(arena *memory, const expr *const *nodes, uint32_t count))[3]
{
    uint32_t(*places)[3] = arena_alloc(memory, count * sizeof *places);
    uint32_t *place = arena_alloc(memory, ((size_t)nodes[count - 1]->id + 1) * sizeof *place); /* by id */
    for (uint32_t i = 0; i < count; i++) {
        place[nodes[i]->id] = i;
        for (unsigned k = 0; k < expr_arity(nodes[i]->kind); k++)
            places[i][k] = place[nodes[i]->operand[k]->id];
    }
    return places;
}

const expr *expr_rebuild(expr_dag *dag, const expr *e, const expr *const *operand)
{
    switch (e->kind) {
    case EXPR_NUMBER: return expr_number(dag, e->number);
    case EXPR_PI: return expr_pi(dag);
    case EXPR_INFINITY: return expr_infinity(dag);
    case EXPR_INPUT: return expr_input(dag, e->input);
    case EXPR_POWER: return expr_power(dag, operand[0], e->number);
    case EXPR_CAST: return expr_cast(dag, e->type, operand[0]);
    case EXPR_IF: return expr_if(dag, operand[0], operand[1], operand[2]);
    default:
        return expr_arity(e->kind) == 1 ? expr_unary(dag, e->kind, operand[0])
                                        : expr_binary(dag, e->kind, operand[0], operand[1]);
    }
}

const expr *expr_transform(expr_dag *dag, const expr *e, expr_image *image, void *context)
{
    uint32_t count;
    const expr **nodes = expr_walk(expr_dag_memory(dag), e, &count);
    const expr **images = arena_alloc(expr_dag_memory(dag), ((size_t)e->id + 1) * sizeof *images);
    for (uint32_t i = 0; i < count; i++) {
        const expr *operand[3] = {0};
        for (unsigned k = 0; k < expr_arity(nodes[i]->kind); k++)
            operand[k] = images[nodes[i]->operand[k]->id];
        images[nodes[i]->id] = image(context, dag, nodes[i], operand);
    }
    return images[e->id];
}

struct replacement {
    const expr *from, *to;
};

static const expr *replaced(void *context, expr_dag *dag, const expr *e, const expr *const *operand)
{
    const struct replacement *r = context;
    return e == r->from ? r->to : expr_rebuild(dag, e, operand);
}

const expr *expr_substitute(expr_dag *dag, const expr *e, const expr *from, const expr *to)
{
    struct replacement r = {from, to};
    return expr_transform(dag, e, replaced, &r);
}

static const expr *renumbered(void *to, expr_dag *dag, const expr *e, const expr *const *operand)
{
    return e->kind == EXPR_INPUT ? expr_input(dag, ((const uint32_t *)to)[e->input])
                                 : expr_rebuild(dag, e, operand);
}

const expr *expr_renumber(expr_dag *dag, const expr *e, const uint32_t *to)
{
    return expr_transform(dag, e, renumbered, (void *)(uintptr_t)to);
}

const expr *expr_import(expr_dag *dag, const expr *e) { return expr_substitute(dag, e, NULL, NULL); }

bool expr_has(arena *memory, const expr *e, enum expr_kind kind)
{
    uint32_t count;
    const expr **nodes = expr_walk(memory, e, &count);
    for (uint32_t i = 0; i < count; i++)
        if (nodes[i]->kind == kind) return true;
    return false;
}

bool expr_is_algebraic(arena *memory, const expr *e)
{
    uint32_t count;
    const expr **nodes = expr_walk(memory, e, &count);
    for (uint32_t i = 0; i < count; i++) {
        enum expr_kind kind = nodes[i]->kind;
        if (expr_is_transcendental(kind) ||
            (kind == EXPR_POWER && mpz_cmp_ui(mpq_denref(nodes[i]->number), 4) > 0))
            return false;
    }
    return true;
}

bool expr_is_scaled_exponential(const expr *e, const expr **u, const expr **power)
{
    if (e->kind != EXPR_MUL) return false;
    const unsigned exponential = e->operand[0]->kind == EXPR_exp ? 0 : 1;
    const expr *scale = e->operand[1 - exponential];
    *u = e->operand[exponential]->operand[0];
    *power = scale->operand[0];
    return e->operand[exponential]->kind == EXPR_exp && scale->kind == EXPR_exp2 &&
           (*power)->kind == EXPR_round;
}

/* Returns u if the expression is floor(u), trunc(u) or the definition of trunc, else NULL. */
static const expr *behind_whole(const expr *e, bool *floors)
{
    *floors = e->kind == EXPR_floor;
    if (e->kind == EXPR_floor || e->kind == EXPR_trunc) return e->operand[0];
    const bool is_product = e->kind == EXPR_MUL && e->operand[0]->kind == EXPR_sign &&
                            e->operand[1]->kind == EXPR_floor && e->operand[1]->operand[0]->kind == EXPR_abs;
    const expr *u = is_product ? e->operand[0]->operand[0] : NULL;
    return u && e->operand[1]->operand[0]->operand[0] == u ? u : NULL;
}

bool expr_is_remainder(const expr *e, const expr **a, const expr **b, bool *floors)
{
    if (e->kind != EXPR_SUB || e->operand[1]->kind != EXPR_MUL) return false;
    *a = e->operand[0];
    for (unsigned k = 0; k < 2; k++) {
        *b = e->operand[1]->operand[k];
        const expr *quotient = behind_whole(e->operand[1]->operand[1 - k], floors);
        if (quotient && quotient->kind == EXPR_DIV && quotient->operand[0] == *a &&
            quotient->operand[1] == *b)
            return true;
    }
    return false;
}

bool expr_is_inverse_of_power(const expr *e)
{
    return e->kind == EXPR_DIV && expr_is_constant(e->operand[0]) && e->operand[1]->kind == EXPR_CAST &&
           element_is_power(e->operand[1]->type);
}

bool expr_is_rounded_sum_of_product(const expr *e, const expr *part[3])
{
    if (e->kind != EXPR_CAST || e->type != ELEMENT_F32 || e->operand[0]->kind != EXPR_ADD) return false;
    const expr *sum = e->operand[0];
    const unsigned product = sum->operand[0]->kind == EXPR_MUL ? 0 : 1;
    if (sum->operand[product]->kind != EXPR_MUL) return false;
    part[0] = sum->operand[product]->operand[0];
    part[1] = sum->operand[product]->operand[1];
    part[2] = sum->operand[1 - product];
    return true;
}
