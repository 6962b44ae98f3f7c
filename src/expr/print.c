/* Formulas in the language's own syntax. */
#include "printer.h"

/* Any number; *level is how tightly its text binds. */
static const char *signed_number(struct printer *p, mpq_srcptr q, int *level)
{
    mpq_t magnitude;
    mpq_init(magnitude);
    mpq_abs(magnitude, q);
    const char *word = printer_number(p, magnitude);
    mpq_clear(magnitude);
    *level = printer_number_level(q, !word);
    struct text t = text_new(p->out->memory);
    if (word) {
        text_add(&t, "%s%s", mpq_sgn(q) < 0 ? "-" : "", word);
    } else {
        text_add(&t, "%s/%s", printer_integer(p, mpq_numref(q), 10), printer_integer(p, mpq_denref(q), 10));
    }
    return t.data;
}

/* x^3, x^-2, x^(1/2) */
static void visit_power(struct printer *p, const expr *e)
{
    int level;
    const char *exponent = signed_number(p, e->number, &level);
    bool fraction = mpz_cmp_ui(mpq_denref(e->number), 1) != 0;
    if (fraction) {
        struct text t = text_new(p->out->memory);
        text_add(&t, "%s/%s", printer_integer(p, mpq_numref(e->number), 10),
                 printer_integer(p, mpq_denref(e->number), 10));
        exponent = t.data;
        printer_say(p, ")");
    }
    printer_say(p, exponent);
    printer_say(p, fraction ? "^(" : "^");
    printer_visit(p, e->operand[0], LEVEL_PRIMARY);
}

static void visit_node(struct printer *p, const expr *e, int level)
{
    if (p->node_names && p->node_names[e->id] && e->id != p->root) {
        printer_say(p, p->node_names[e->id]);
        return;
    }
    int own = printer_level(e);
    const char *number = e->kind == EXPR_NUMBER ? signed_number(p, e->number, &own) : NULL;
    if (own < level) printer_say(p, ")");
    switch (e->kind) {
    case EXPR_NUMBER: printer_say(p, number); break;
    case EXPR_PI:
    case EXPR_INFINITY: printer_say(p, expr_kind_name(e->kind)); break;
    case EXPR_INPUT: printer_say(p, printer_input(p, e)); break;
    case EXPR_ADD: printer_infix(p, e, own, true, " + "); break;
    case EXPR_SUB: printer_infix(p, e, own, true, " - "); break;
    case EXPR_MUL: printer_infix(p, e, own, true, " * "); break;
    case EXPR_DIV: printer_infix(p, e, own, true, " / "); break;
    case EXPR_LT: printer_infix(p, e, own, false, " < "); break;
    case EXPR_LE: printer_infix(p, e, own, false, " <= "); break;
    case EXPR_EQ: printer_infix(p, e, own, false, " == "); break;
    case EXPR_AND: printer_infix(p, e, own, true, " and "); break;
    case EXPR_OR: printer_infix(p, e, own, true, " or "); break;
    case EXPR_NEG:
    case EXPR_NOT:
        printer_visit(p, e->operand[0], own);
        printer_say(p, e->kind == EXPR_NEG ? "-" : "not ");
        break;
    case EXPR_POWER: visit_power(p, e); break;
    case EXPR_CAST: printer_call(p, e, element_types[e->type].name); break;
    case EXPR_IF:
        printer_visit(p, e->operand[2], LEVEL_IF);
        printer_say(p, " else ");
        printer_visit(p, e->operand[1], LEVEL_IF);
        printer_say(p, " then ");
        printer_visit(p, e->operand[0], LEVEL_IF);
        printer_say(p, "if ");
        break;
    default: printer_call(p, e, expr_kind_name(e->kind)); break;
    }
    if (own < level) printer_say(p, "(");
}

void expr_print_named(struct text *out, const expr *e, const char *const *input_names,
                      const char *const *node_names)
{
    struct printer p = {.out = out, .names = input_names, .node_names = node_names};
    printer_run(&p, e, visit_node);
}

void expr_print(struct text *out, const expr *e, const char *const *input_names)
{
    expr_print_named(out, e, input_names, NULL);
}
