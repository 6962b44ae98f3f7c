/* Quick values of a block of inputs, node by node. */
#include "quick.h"

#include "reference.h"
#include "ziv.h"

#include <stdlib.h>

enum { QUICK_SCRATCH = 3 };

typedef const struct quick_lanes *operand;

/* The error of a truth value is 0 if it is known, this if it may be either, infinity if it may be undefined.
 */
static const double UNCERTAIN = 1;

static void add(struct quick_lanes *restrict r, operand a, operand b, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        r->value[i] = a->value[i] + b->value[i];
        r->error[i] = quick_bound(a->error[i] + b->error[i] + QUICK_ROUNDING * fabs(r->value[i]));
    }
}

static void subtract(struct quick_lanes *restrict r, operand a, operand b, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        r->value[i] = a->value[i] - b->value[i];
        r->error[i] = quick_bound(a->error[i] + b->error[i] + QUICK_ROUNDING * fabs(r->value[i]));
    }
}

static void multiply(struct quick_lanes *restrict r, operand a, operand b, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        r->value[i] = a->value[i] * b->value[i];
        double propagated = fabs(a->value[i]) * b->error[i] + (fabs(b->value[i]) + b->error[i]) * a->error[i];
        r->error[i] = quick_bound(propagated + QUICK_ROUNDING * fabs(r->value[i]) + QUICK_TINY);
    }
}

/* a'/b' - a/b = (da - (a/b) db) / b'. */
static void divide(struct quick_lanes *restrict r, operand a, operand b, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        double quotient = a->value[i] / b->value[i];
        double least = fabs(b->value[i]) - b->error[i];
        double slack = QUICK_ROUNDING * fabs(quotient) + QUICK_TINY;
        double propagated = (a->error[i] + (fabs(quotient) + slack) * b->error[i]) / (least > 0 ? least : 0);
        r->value[i] = quotient;
        r->error[i] = quick_bound((a->error[i] + b->error[i] > 0 ? propagated : 0) + slack);
    }
}

/* Of min and max: the chosen operand's, if the choice is certain, else that of the worse one. */
static inline double error_of_choice(double a, double error_a, double b, double error_b, bool first)
{
    double worse = error_a > error_b ? error_a : error_b;
    bool certain = fabs(a - b) * (1 - 0x1p-50) > (error_a + error_b) * QUICK_GROW;
    return certain ? first ? error_a : error_b : worse;
}

static void smaller(struct quick_lanes *restrict r, operand a, operand b, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        bool first = a->value[i] < b->value[i];
        r->value[i] = first ? a->value[i] : b->value[i];
        r->error[i] = error_of_choice(a->value[i], a->error[i], b->value[i], b->error[i], first);
    }
}

static void larger(struct quick_lanes *restrict r, operand a, operand b, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        bool first = a->value[i] > b->value[i];
        r->value[i] = first ? a->value[i] : b->value[i];
        r->error[i] = error_of_choice(a->value[i], a->error[i], b->value[i], b->error[i], first);
    }
}

static void negate(struct quick_lanes *restrict r, operand a, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        r->value[i] = -a->value[i];
        r->error[i] = a->error[i];
    }
}

static void copy(struct quick_lanes *restrict r, operand a, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        r->value[i] = a->value[i];
        r->error[i] = a->error[i];
    }
}

/* Which branch is certain, or the hull of both around the likely one's value. */
static void choose(struct quick_lanes *restrict r, operand condition, operand then, operand otherwise,
                   size_t count)
{
    for (size_t i = 0; i < count; i++) {
        bool yes = condition->value[i] != 0;
        double value = yes ? then->value[i] : otherwise->value[i];
        double error = yes ? then->error[i] : otherwise->error[i];
        double apart = fabs(then->value[i] - otherwise->value[i]);
        double hull = quick_bound(then->error[i] + otherwise->error[i] + apart);
        r->value[i] = value;
        r->error[i] = condition->error[i] == 0 ? error : condition->error[i] == UNCERTAIN ? hull : INFINITY;
    }
}

static void compare(struct quick_lanes *restrict r, enum expr_kind kind, operand a, operand b, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        double x = a->value[i], y = b->value[i], error = a->error[i] + b->error[i];
        bool apart = fabs(x - y) * (1 - 0x1p-50) > error * QUICK_GROW;
        r->value[i] = kind == EXPR_LT ? x < y : kind == EXPR_LE ? x <= y : x == y;
        r->error[i] = apart || error == 0 ? 0 : error < INFINITY ? UNCERTAIN : INFINITY;
    }
}

/* And, or: an operand that decides need not know the other. */
static void connect(struct quick_lanes *restrict r, operand a, operand b, double decisive, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        bool a_decides = a->error[i] == 0 && a->value[i] == decisive;
        bool b_decides = b->error[i] == 0 && b->value[i] == decisive;
        double worse = a->error[i] > b->error[i] ? a->error[i] : b->error[i];
        r->value[i] = a->value[i] == decisive || b->value[i] == decisive ? decisive : 1 - decisive;
        r->error[i] = (a_decides || b_decides) && worse < INFINITY ? 0 : worse;
    }
}

static void not(struct quick_lanes *restrict r, operand a, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        r->value[i] = 1 - a->value[i];
        r->error[i] = a->error[i];
    }
}

/* Rounding is monotone: the roundings of both ends enclose that of the exact value. */
static void cast(struct quick_lanes *restrict r, operand a, enum element_type type, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        double margin = a->error[i] > 0 ? (a->error[i] + QUICK_ROUNDING * fabs(a->value[i])) * QUICK_GROW : 0;
        double value = (float)a->value[i], lo = (float)(a->value[i] - margin),
               hi = (float)(a->value[i] + margin);
        double error = hi - value > value - lo ? hi - value : value - lo;
        r->value[i] = value;
        r->error[i] = isfinite(value) && type == ELEMENT_F32 ? quick_bound(error) : INFINITY;
    }
}

static void fill(struct quick_lanes *r, double value, double error)
{
    for (size_t i = 0; i < QUICK_BLOCK; i++) {
        r->value[i] = value;
        r->error[i] = error;
    }
}

/* Products, as the language defines powers; the slack of multiply() covers what underflows between them. */
static void power(struct quick_lanes *restrict r, operand a, mpq_srcptr exponent, struct quick_lanes *scratch,
                  size_t count)
{
    bool by_products =
        mpz_cmp_ui(mpq_denref(exponent), 1) == 0 && mpz_cmpabs_ui(mpq_numref(exponent), 64) <= 0;
    if (!by_products) {
        double q = mpq_get_d(exponent);
        for (size_t i = 0; i < count; i++) {
            quick_number n = quick_power((quick_number){a->value[i], a->error[i]}, q);
            r->value[i] = n.value;
            r->error[i] = n.error;
        }
        return;
    }
    unsigned long left = mpz_get_ui(mpq_numref(exponent));
    struct quick_lanes *square = &scratch[0], *next = &scratch[1], *result = &scratch[2];
    copy(square, a, count);
    fill(result, 1, 0);
    for (bool empty = true; left; left /= 2) {
        if (left % 2) {
            if (empty)
                copy(result, square, count);
            else {
                multiply(next, result, square, count);
                copy(result, next, count);
            }
            empty = false;
        }
        if (left == 1) break;
        multiply(next, square, square, count);
        copy(square, next, count);
    }
    if (mpq_sgn(exponent) < 0) {
        fill(next, 1, 0);
        divide(r, next, result, count);
    } else
        copy(r, result, count);
}

static void read_input(struct quick_lanes *restrict r, const double *restrict from, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        r->value[i] = from[i];
        r->error[i] = isfinite(from[i]) ? 0 : INFINITY;
    }
}

#define EACH_LANE(function)                                                                                  \
    for (size_t i = 0; i < count; i++) {                                                                     \
        quick_number n = function((quick_number){a->value[i], a->error[i]});                                 \
        r->value[i] = n.value;                                                                               \
        r->error[i] = n.error;                                                                               \
    }

static void evaluate(struct quick_lanes *restrict r, const expr *node, operand a, operand b, operand c,
                     struct quick_lanes *scratch, size_t count)
{
    switch (node->kind) {
    case EXPR_ADD: add(r, a, b, count); break;
    case EXPR_SUB: subtract(r, a, b, count); break;
    case EXPR_MUL: multiply(r, a, b, count); break;
    case EXPR_DIV: divide(r, a, b, count); break;
    case EXPR_NEG: negate(r, a, count); break;
    case EXPR_POWER: power(r, a, node->number, scratch, count); break;
    case EXPR_MIN: smaller(r, a, b, count); break;
    case EXPR_MAX: larger(r, a, b, count); break;
    case EXPR_CAST: cast(r, a, node->type, count); break;
    case EXPR_IF: choose(r, a, b, c, count); break;
    case EXPR_LT:
    case EXPR_LE:
    case EXPR_EQ: compare(r, node->kind, a, b, count); break;
    case EXPR_NOT: not(r, a, count); break;
    case EXPR_AND: connect(r, a, b, 0, count); break;
    case EXPR_OR: connect(r, a, b, 1, count); break;
#define FUNCTION(name)                                                                                       \
    case EXPR_##name:                                                                                        \
        EACH_LANE(quick_##name) break;
#include "functions.def"
#undef FUNCTION
    default: fill(r, NAN, INFINITY); break;
    }
}

/* Constants are the nearest doubles of the true ones. */
static bool make(struct quick *q, struct evaluator *e)
{
    q->lanes = malloc((e->count + QUICK_SCRATCH) * sizeof *q->lanes);
    if (!q->lanes) return false;
    struct range saved = range_widen();
    for (uint32_t i = 0; i < e->count; i++) {
        const interval *constant = evaluator_constant(e, 0, i);
        double value = NAN, error = INFINITY;
        if (constant && constant->state == INTERVAL_DEFINED) {
            value = mpfr_get_d(constant->lo, MPFR_RNDN);
            bool exact = interval_is_point(constant) && mpfr_cmp_d(constant->lo, value) == 0;
            double width = mpfr_get_d(constant->hi, MPFR_RNDN) - value;
            error = quick_bound(exact ? 0 : width + 2 * QUICK_ROUNDING * fabs(value) + QUICK_TINY);
            if (!isfinite(value)) error = INFINITY;
        }
        fill(&q->lanes[i], value, error);
    }
    range_restore(saved);
    return true;
}

const struct quick_lanes *quick_run(struct quick *q, struct evaluator *e, const double *const *inputs,
                                    size_t first, size_t count)
{
    if (!q->lanes && !make(q, e)) return NULL;
    for (uint32_t i = 0; i < e->count; i++) {
        const expr *node = e->nodes[i];
        struct quick_lanes *r = &q->lanes[i];
        operand a = &q->lanes[e->operands[i][0]], b = &q->lanes[e->operands[i][1]],
                c = &q->lanes[e->operands[i][2]];
        if (node->kind == EXPR_INPUT)
            read_input(r, inputs[node->input] + first, count);
        else if (!expr_is_constant(node) || expr_is_truth(node))
            evaluate(r, node, a, b, c, &q->lanes[e->count], count);
    }
    return &q->lanes[e->count - 1];
}

void quick_clear(struct quick *q) { free(q->lanes); }

/* Too coarse to decide the rounding of a float with high probability. */
static bool is_coarse(double value, double error)
{
    return error == INFINITY || (error > 0x1p-36 * fabs(value) && error > 0x1p-300);
}

static bool any_coarse(const double *value, const double *error, size_t count)
{
    bool any = false;
    for (size_t i = 0; i < count; i++) any |= is_coarse(value[i], error[i]);
    return any;
}

/* Where the simplified form's bound is tighter it is taken, unless both contradict each other: then nothing
 * is known. */
static void merge(double *value, double *error, operand other, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        if (!is_coarse(value[i], error[i]) || !(other->error[i] < error[i])) continue;
        bool apart = error[i] < INFINITY &&
                     fabs(value[i] - other->value[i]) > (error[i] + other->error[i]) * QUICK_GROW;
        value[i] = other->value[i];
        error[i] = apart ? INFINITY : other->error[i];
    }
}

static void quick_block(reference *r, const double *const *inputs, size_t first, size_t count, double *value,
                        double *error)
{
    operand written = quick_run(&r->quick_written, &r->written, inputs, first, count);
    for (size_t i = 0; i < count; i++) {
        value[i] = written ? written->value[i] : NAN;
        error[i] = written ? written->error[i] : INFINITY;
    }
    if (!r->same && any_coarse(value, error, count)) {
        operand simplified = quick_run(&r->quick_simplified, &r->simplified, inputs, first, count);
        if (simplified) merge(value, error, simplified, count);
    }
    for (unsigned k = 0; k < r->input_count && k < 64; k++) { /* a NaN in a branch not taken counts, too */
        if (!expr_depends(r->root, k)) continue;
        for (size_t i = 0; i < count; i++) error[i] = isnan(inputs[k][first + i]) ? INFINITY : error[i];
    }
}

void reference_quick(reference *r, const double *const *inputs, size_t count, double *value, double *error)
{
    for (size_t first = 0; first < count; first += QUICK_BLOCK) {
        size_t left = count - first;
        quick_block(r, inputs, first, left < QUICK_BLOCK ? left : QUICK_BLOCK, value + first, error + first);
    }
}
