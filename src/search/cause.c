/* Examines the formula, as it is written, around the input where the best plan has its largest error. */
#include "cause.h"
#include "reference.h"

#include <math.h>

/* The relative difference below which two values count as close. */
static const double BESIDE = 0x1p-16;
/* The size from which on an argument of sin or cos has lost its turns, unless all its digits are known. */
static const double FAST = 0x1p20;

static double value_at(const expr *e, double x)
{
    double value = NAN;
    reference *truth = reference_create(e, e, 1);
    if (truth && reference_value(truth, &x, &value, NULL) != REFERENCE_DECIDED) value = NAN;
    reference_free(truth);
    return value;
}

static bool are_beside(const expr *a, const expr *b, double x)
{
    const double p = value_at(a, x), q = value_at(b, x);
    return isnan(p) || isnan(q) || fabs(p - q) <= BESIDE * fmax(fabs(p), fabs(q));
}

/* Returns whether rounding affects the expression. The input, and anything linear in it, is compared exactly
 * or nearly so. */
static bool is_computed(arena *memory, const expr *e)
{
    uint32_t count;
    const expr **nodes = expr_walk(memory, e, &count);
    for (uint32_t i = 0; i < count; i++)
        if ((nodes[i]->kind == EXPR_POWER || nodes[i]->kind == EXPR_DIV ||
             nodes[i]->kind >= EXPR_FIRST_FUNCTION) &&
            !expr_is_constant(nodes[i]))
            return true;
    return false;
}

/* Returns whether rounding decides the value of the node, a comparison or a sign, at x. */
static bool is_decided_by_rounding(arena *memory, const expr *e, double x, bool undecided)
{
    const expr *a = e->operand[0], *b = e->operand[1];
    const bool compares = e->kind == EXPR_LT || e->kind == EXPR_LE || e->kind == EXPR_EQ;
    if (!compares && e->kind != EXPR_sign) return false;
    if (!is_computed(memory, a) && !(compares && is_computed(memory, b))) return false;
    if (undecided) return true;
    if (compares) return are_beside(a, b, x);
    if ((a->kind != EXPR_SUB && a->kind != EXPR_ADD)) return false;
    const double p = value_at(a->operand[0], x), q = value_at(a->operand[1], x), d = value_at(a, x);
    return !(fabs(d) > BESIDE * fmax(fabs(p), fabs(q)));
}

static const char *of_condition(arena *memory, const expr *e, double x, bool undecided)
{
    static const char *const names[] = {"x"};
    struct text out = text_new(memory), condition = text_new(memory), place = text_new(memory);
    expr_print(&condition, e, names);
    if (!undecided) text_add(&place, " near x = %.9g", x);
    text_add(&out, "rounding decides `%s`%s: leave this input out by `on [a, b]`", condition.data,
             place.data ? place.data : "");
    return out.data;
}

static const char *of_oscillation(arena *memory, const expr *e, double x)
{
    struct text out = text_new(memory);
    text_add(&out,
             "%s has the argument %.3g there, and f64 does not resolve its turns: leave this input out by "
             "`on [a, b]`",
             expr_kind_name(e->kind), value_at(e->operand[0], x));
    return out.data;
}

/* Describes a root near x. At a root, the size falls to nothing between x (1 - width) and x (1 + width). */
static const char *of_root(arena *memory, const struct plan_request *r, double x)
{
    static const double deep = 0x1p-4, widths[] = {0x1p-4, 0x1p-10};
    const double here = value_at(r->piece.written, x);
    for (unsigned i = 0; i < sizeof widths / sizeof *widths && x != 0; i++) {
        const double below = value_at(r->piece.written, x * (1 - widths[i])),
                     above = value_at(r->piece.written, x * (1 + widths[i]));
        if (!(fabs(here) < deep * fabs(below) && fabs(here) < deep * fabs(above))) continue;
        struct text out = text_new(memory);
        text_add(&out,
                 "it %s near x = %.9g, where its ulps vanish: ask for `abs E`, or leave this input out by "
                 "`on [a, b]`",
                 (below < 0) == (above < 0) ? "touches zero" : "changes its sign", x);
        return out.data;
    }
    return NULL;
}

/* Describes a sum whose terms are large compared with the sum. */
static const char *of_cancellation(arena *memory, const struct plan_request *r, double x)
{
    static const double deep = 0x1p-48;
    const expr *e = r->piece.written;
    if (e->kind != EXPR_ADD && e->kind != EXPR_SUB) return NULL;
    const double size = fabs(value_at(e->operand[0], x));
    if (!(fabs(value_at(e, x)) < deep * size)) return NULL;
    struct text out = text_new(memory);
    text_add(
        &out,
        "its terms cancel and leave %.3g of %.3g: ask for `abs E`, or leave this input out by `on [a, b]`",
        value_at(e, x), size);
    return out.data;
}

const char *cause_of_refusal(arena *memory, const struct plan_request *request, double x, bool undecided)
{
    uint32_t count;
    const expr **nodes = expr_walk(memory, request->piece.written, &count);
    if (!isfinite(x)) return NULL;
    for (uint32_t i = 0; i < count; i++)
        if (is_decided_by_rounding(memory, nodes[i], x, undecided))
            return of_condition(memory, nodes[i], x, undecided);
    for (uint32_t i = 0; i < count; i++) {
        if (expr_is_wave(nodes[i]) && is_computed(memory, nodes[i]->operand[0]) &&
            !(fabs(value_at(nodes[i]->operand[0], x)) < FAST))
            return of_oscillation(memory, nodes[i], x);
    }
    if (request->piece.bound.kind == BOUND_ABS || undecided) return NULL;
    const char *root = of_root(memory, request, x);
    return root ? root : of_cancellation(memory, request, x);
}
