/* Taylor's theorem: f(x) = f(0) + f'(0) x + ... + f^(n)(t)/n! x^n for a t between 0 and x. The derivatives
 * are symbolic. The reference gives their values at 0, and tells which of the first ones are zero. The quick
 * values of the last derivative, for an argument of 0 with an error of `reach`, bound it between -reach and
 * reach. */
#include "beginning.h"

#include "quick.h"
#include "quick_functions.h"
#include "wider.h"
#include "ziv.h"

#include <math.h>
#include <stdlib.h>

enum {
    MOST_POWER = 8, /* highest power of the first term; higher ones underflow */
    TERMS = 4,      /* terms before the remainder */
    NODES = 1 << 13 /* limit of the DAG, because derivatives may grow */
};

/* The sum of |terms| is below this number, so underflows between the terms add less than QUICK_TINY. */
#define LARGEST_TERMS 0x1p40

struct beginning {
    double reach;
    unsigned power;          /* power of the first term */
    double term[TERMS + 1];  /* coefficients of x^(power + k); the last one is the remainder's */
    double doubt[TERMS + 1]; /* bound of each coefficient's error */
};

struct ball { /* the numbers from value - error to value + error */
    double value, error;
};

/* Returns true if the operation has derivatives of every order wherever it and its operands have values. */
static bool is_smooth(const expr *e)
{
    switch (e->kind) {
    case EXPR_MIN:
    case EXPR_MAX:
    case EXPR_CAST:
    case EXPR_IF:
    case EXPR_INFINITY: return false;
    default:
        return !expr_is_truth(e) && expr_functions[e->kind].nature != NATURE_KINK &&
               expr_functions[e->kind].nature != NATURE_STEPS;
    }
}

static bool all_smooth(arena *memory, const expr *formula)
{
    uint32_t count;
    const expr **nodes = expr_walk(memory, formula, &count);
    for (uint32_t i = 0; i < count; i++)
        if (!is_smooth(nodes[i])) return false;
    return true;
}

/* The derivatives up to the one that follows the last term. */
struct derivatives {
    reference *of_order[MOST_POWER + TERMS + 1];
    struct ball at_zero[MOST_POWER + TERMS + 1];
    /* orders of the first derivative that is not 0 at 0, and of the one that bounds the remainder */
    unsigned first, last;
};

/* Computes the value at 0. A value that the reference cannot tell from zero counts as zero, which QUICK_TINY
 * covers. */
static bool value_at_zero(struct ball *out, reference *r, bool *is_zero)
{
    const double zero = 0;
    if (!r || reference_value(r, &zero, &out->value, is_zero) != REFERENCE_DECIDED) return false;
    out->error = QUICK_ROUNDING * fabs(out->value) + QUICK_TINY;
    return isfinite(out->value);
}

static bool find_derivatives(struct derivatives *d, expr_dag *dag, const expr *formula)
{
    const expr *x = expr_input(dag, 0), *derivative = expr_expand(dag, expr_import(dag, formula));
    bool has_begun = false;
    d->last = MOST_POWER;
    for (unsigned order = 0; order <= d->last; order++) {
        bool is_zero;
        if (order) derivative = expr_simplify(dag, expr_derivative(dag, derivative, x), NULL);
        if (expr_dag_full(dag)) return false;
        d->of_order[order] = reference_create(derivative, derivative, 1);
        if (!value_at_zero(&d->at_zero[order], d->of_order[order], &is_zero)) return false;
        if (has_begun || is_zero) continue;
        has_begun = true;
        d->first = order;
        d->last = order + TERMS;
    }
    return has_begun;
}

/* Finds the terms for the interval. All derivatives must have values on all of it. */
static bool find_terms(struct beginning *b, const struct derivatives *d)
{
    double factorial = 1;
    for (unsigned order = 0; order <= d->last; order++) {
        struct ball around;
        quick_around_zero(d->of_order[order], b->reach, &around.value, &around.error);
        if (!(around.error < (double)INFINITY)) return false;
        factorial *= order ? order : 1;
        if (order < d->first) continue;
        const struct ball used = order == d->last ? around : d->at_zero[order];
        b->term[order - d->first] = used.value / factorial;
        b->doubt[order - d->first] =
            quick_bound((used.error + QUICK_ROUNDING * fabs(used.value)) / factorial + QUICK_TINY);
    }
    b->power = d->first;
    return true;
}

/* Returns true if the remainder is small compared with the first term, and no term is large. */
static bool is_useful(const struct beginning *b)
{
    double sum = 0, rest = b->doubt[TERMS];
    for (unsigned k = 0; k <= TERMS; k++) sum += fabs(b->term[k]) + b->doubt[k];
    for (unsigned k = 0; k < TERMS; k++) rest *= b->reach;
    return sum < LARGEST_TERMS && rest < 0x1p-6 * fabs(b->term[0]);
}

static bool find_beginning(struct beginning *b, arena *memory, const expr *formula)
{
    enum { STEP = 2, LEAST = -16 };
    struct derivatives d = {0};
    if (!all_smooth(memory, formula) || !find_derivatives(&d, expr_dag_create(memory, NODES), formula))
        return false;
    for (b->reach = (double)BEGINNING_MOST_REACH; b->reach >= ldexp(1, LEAST);
         b->reach = ldexp(b->reach, -STEP))
        if (find_terms(b, &d) && is_useful(b)) return true;
    return false;
}

struct beginning *beginning_create(const expr *formula)
{
    struct beginning *b = calloc(1, sizeof *b);
    arena *memory = b ? arena_create(0) : NULL;
    bool is_found = false;
    if (memory && !setjmp(*arena_escape(memory))) is_found = find_beginning(b, memory, formula);
    if (!memory || arena_failed(memory)) arena_fail(formula->memory);
    if (b && !is_found) b->reach = -1; /* nothing is known at 0 either */
    arena_free(memory);                /* also frees the references, its guests */
    return b;
}

void beginning_free(struct beginning *b) { free(b); }

/* Computes the sum. Horner's rule, the `power` factors and the roundings of the coefficients together make
 * fewer than ROUNDINGS roundings. Each is relative to at most the sum of the terms' sizes. */
QUICK_INLINE void values(const struct beginning *b, const double *restrict x, size_t count,
                         double *restrict value, double *restrict error)
{
    enum { ROUNDINGS = 2 * (MOST_POWER + 2 * TERMS) };
    const struct beginning known = *b;
    for (size_t i = 0; i < count; i++) {
        const double size = fabs(x[i]);
        double sum = known.term[TERMS], sizes = fabs(known.term[TERMS]), doubts = known.doubt[TERMS];
        for (unsigned k = TERMS; k-- > 0;) {
            sum = sum * x[i] + known.term[k];
            sizes = sizes * size + fabs(known.term[k]);
            doubts = doubts * size + known.doubt[k];
        }
        value[i] = sum;
        error[i] = (double)ROUNDINGS * QUICK_ROUNDING * sizes + doubts;
    }
    for (unsigned k = 0; k < known.power; k++) {
        for (size_t i = 0; i < count; i++) {
            value[i] *= x[i];
            error[i] *= fabs(x[i]);
        }
    }
    for (size_t i = 0; i < count; i++)
        error[i] = fabs(x[i]) <= known.reach ? quick_bound(error[i] + QUICK_TINY) : (double)INFINITY;
}

static void values_plain(const struct beginning *b, const double *x, size_t count, double *value,
                         double *error)
{
    values(b, x, count, value, error);
}

WIDER_AVX2 static void values_avx2(const struct beginning *b, const double *x, size_t count, double *value,
                                   double *error)
{
    values(b, x, count, value, error);
}

WIDER_AVX512 static void values_avx512(const struct beginning *b, const double *x, size_t count,
                                       double *value, double *error)
{
    values(b, x, count, value, error);
}

bool beginning_values(const struct beginning *b, const double *x, size_t count, double *value, double *error)
{
    bool any = false;
    for (size_t i = 0; i < count; i++) any |= fabs(x[i]) <= b->reach;
    if (!any) return false;
    if (runs_avx512())
        values_avx512(b, x, count, value, error);
    else if (runs_avx2())
        values_avx2(b, x, count, value, error);
    else
        values_plain(b, x, count, value, error);
    return true;
}
