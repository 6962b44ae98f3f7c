/* Walks over the nodes that may bend or jump, and solves for the inputs where they do. */
#include "kinks.h"

#include <math.h>

struct linear { /* slope * x + constant, where known */
    bool known;
    double slope, constant;
};

static struct linear linear_constant(double value) { return (struct linear){true, 0, value}; }

static struct linear linear_product(struct linear a, struct linear b)
{
    if (a.slope != 0 && b.slope != 0) return (struct linear){false, 0, 0};
    return (struct linear){a.known && b.known, a.slope * b.constant + b.slope * a.constant,
                           a.constant * b.constant};
}

static struct linear sum(struct linear a, struct linear b, double sign)
{
    return (struct linear){a.known && b.known, a.slope + sign * b.slope, a.constant + sign * b.constant};
}

static struct linear linear_form(const expr *e, const struct linear *forms)
{
    struct linear a = {0}, b = {0};
    if (e->operand[0]) a = forms[e->operand[0]->id];
    if (e->operand[1]) b = forms[e->operand[1]->id];
    switch (e->kind) {
    case EXPR_NUMBER: return linear_constant(mpq_get_d(e->number));
    case EXPR_INPUT: return (struct linear){true, 1, 0};
    case EXPR_ADD: return sum(a, b, 1);
    case EXPR_SUB: return sum(a, b, -1);
    case EXPR_NEG: return sum(linear_constant(0), a, -1);
    case EXPR_MUL: return linear_product(a, b);
    case EXPR_DIV:
        return b.known && b.slope == 0 ? linear_product(a, linear_constant(1 / b.constant))
                                       : (struct linear){false, 0, 0};
    default: return (struct linear){false, 0, 0};
    }
}

static void visit_root(struct linear l, void (*visit)(void *context, double x), void *context)
{
    double root = -l.constant / l.slope;
    if (l.known && l.slope != 0 && isfinite(root)) visit(context, root);
}

/* Visits the ends of a function's domain. */
static void visit_domain(const struct expr_function *f, struct linear argument,
                         void (*visit)(void *context, double x), void *context)
{
    const double from = (double)f->domain.from;
    if (!f->domain.has_end) return;
    visit_root(sum(argument, linear_constant(from), -1), visit, context);
    if (f->domain.is_two_sided) visit_root(sum(argument, linear_constant(from), 1), visit, context);
}

void formula_kinks(arena *memory, const expr *formula, void (*visit)(void *context, double x), void *context)
{
    uint32_t count;
    const expr **nodes = expr_walk(memory, formula, &count);
    struct linear *forms = arena_alloc(memory, ((size_t)formula->id + 1) * sizeof *forms);
    for (uint32_t i = 0; i < count; i++) {
        const expr *e = nodes[i];
        forms[e->id] = linear_form(e, forms);
        if (e->kind == EXPR_NUMBER) {
            visit(context, forms[e->id].constant);
            visit(context, -forms[e->id].constant);
        }
        visit_root(forms[e->id], visit, context);
        bool compares =
            e->kind == EXPR_MIN || e->kind == EXPR_MAX || (e->kind >= EXPR_LT && e->kind <= EXPR_EQ);
        if (e->kind >= EXPR_FIRST_FUNCTION)
            visit_domain(&expr_functions[e->kind], forms[e->operand[0]->id], visit, context);
        if (compares) visit_root(sum(forms[e->operand[0]->id], forms[e->operand[1]->id], -1), visit, context);
    }
}
