/* Finds the functions whose results are multiplied into a number of 8 or 16 bits. The rounding to that type
 * hides errors of its factors, so less is asked of these functions than of others. */
#include "spec.h"

#include <math.h>

/* Returns true if the node multiplies or divides several values. These operations keep relative errors. */
static bool is_product(const expr *e)
{
    const bool keeps =
        e->kind == EXPR_MUL || e->kind == EXPR_DIV || e->kind == EXPR_NEG || e->kind == EXPR_abs;
    return keeps && e->argument == e;
}

/* Returns true if the node is a function of one value, which a plan computes. */
static bool is_piece(const expr *e)
{
    return e->kind != EXPR_INPUT && e->kind != EXPR_CAST && e->argument != e && !expr_is_constant(e);
}

static bool hides_errors(enum element_type type) { return element_is_half(type) || element_is_nibble(type); }

/* Returns the ulps of f32 in a hundredth of an ulp of the type, except for 1/40 of them, which products take.
 * An ulp of f32 is at most 2^-23 of a number. A number of the type has fewer than 2^precision of its ulps. */
static double hidden_ulps(enum element_type type)
{
    return ldexp(0.01 * 2.5 / 2.56, 23 - element_types[type].format.precision);
}

/* Lets the node have an error of that many ulps, unless another use allows less. */
static void allow(double *allowed, const expr *e, double ulps)
{
    allowed[e->id] = allowed[e->id] == 0 ? ulps : fmin(allowed[e->id], ulps);
}

double *spec_factor_ulps(arena *memory, const expr *const *results, const enum element_type *types,
                         uint32_t result_count)
{
    static const double usual = SPEC_DEFAULT_ULP;
    uint32_t count, most = 0;
    const expr **nodes = expr_walk_all(memory, results, result_count, &count);
    for (uint32_t i = 0; i < count; i++) most = nodes[i]->id > most ? nodes[i]->id : most;
    double *allowed = arena_alloc(memory, (most + 1) * sizeof *allowed),
           *pieces = arena_alloc(memory, (most + 1) * sizeof *pieces);
    for (uint32_t i = 0; i < count; i++) { /* operands come before users */
        const expr *e = nodes[i];
        pieces[e->id] = is_piece(e);
        for (unsigned k = 0; is_product(e) && k < expr_arity(e->kind); k++)
            pieces[e->id] += pieces[e->operand[k]->id];
    }
    for (uint32_t i = 0; i < result_count; i++) {
        const expr *e = results[i];
        allow(allowed, e, hides_errors(types[i]) ? hidden_ulps(types[i]) / fmax(1, pieces[e->id]) : usual);
    }
    for (uint32_t i = count; i-- > 0;) {
        const expr *e = nodes[i];
        const bool is_narrowed = e->kind == EXPR_CAST && hides_errors(e->type);
        for (unsigned k = 0; k < expr_arity(e->kind); k++) {
            const expr *operand = e->operand[k];
            allow(allowed, operand,
                  is_narrowed     ? hidden_ulps(e->type) / fmax(1, pieces[operand->id])
                  : is_product(e) ? allowed[e->id]
                                  : usual);
        }
    }
    for (uint32_t i = 0; i <= most; i++) allowed[i] = fmax(allowed[i], usual);
    return allowed;
}
