/* Prints formulas in the syntax of the language. */
#include "printer.h"

static const char *fraction_text(struct printer *p, mpq_srcptr q)
{
    struct text t = text_new(p->out->memory);
    text_add(&t, "%s/%s", printer_integer(p, mpq_numref(q), 10), printer_integer(p, mpq_denref(q), 10));
    return t.data;
}

static const char *signed_number(struct printer *p, mpq_srcptr q, int *level)
{
    mpq_t magnitude;
    mpq_init(magnitude);
    mpq_abs(magnitude, q);
    const char *word = printer_number(p, magnitude);
    mpq_clear(magnitude);
    *level = printer_number_level(q, !word);
    if (!word) return fraction_text(p, q);
    struct text t = text_new(p->out->memory);
    text_add(&t, "%s%s", mpq_sgn(q) < 0 ? "-" : "", word);
    return t.data;
}

/* Prints a power such as x^3, x^-2 or x^(1/2). */
static void visit_power(struct printer *p, const expr *e)
{
    int level;
    const bool fraction = mpz_cmp_ui(mpq_denref(e->number), 1) != 0;
    if (fraction) printer_say(p, ")");
    printer_say(p, fraction ? fraction_text(p, e->number) : signed_number(p, e->number, &level));
    printer_say(p, fraction ? "^(" : "^");
    printer_visit(p, e->operand[0], LEVEL_PRIMARY);
}

static void visit_in_language(struct printer *p, const expr *e, int level)
{
    static const char *const choice[] = {"if ", " then ", " else "};
    switch (e->kind) {
    case EXPR_PI:
    case EXPR_INFINITY: printer_say(p, expr_kind_name(e->kind)); break;
    case EXPR_NEG:
    case EXPR_NOT:
        printer_visit(p, e->operand[0], level);
        printer_say(p, e->kind == EXPR_NEG ? "-" : "not ");
        break;
    case EXPR_POWER: visit_power(p, e); break;
    case EXPR_CAST: printer_call(p, e, element_types[e->type].name); break;
    case EXPR_IF: printer_choice(p, e, LEVEL_IF, choice); break;
    default: printer_call(p, e, expr_kind_name(e->kind)); break;
    }
}

static int level_of(const expr *e)
{
    switch (e->kind) {
    case EXPR_IF: return LEVEL_IF;
    case EXPR_NOT: return LEVEL_NOT;
    case EXPR_NEG: return LEVEL_NEGATE;
    case EXPR_POWER: return LEVEL_POWER;
    default: return LEVEL_PRIMARY;
    }
}

void expr_print_named(struct text *out, const expr *e, const char *const *input_names,
                      const char *const *node_names)
{
    struct printer p = {.out = out,
                        .names = input_names,
                        .node_names = node_names,
                        .number = signed_number,
                        .node = visit_in_language,
                        .level = level_of};
    printer_run(&p, e);
}

void expr_print(struct text *out, const expr *e, const char *const *input_names)
{
    expr_print_named(out, e, input_names, NULL);
}
