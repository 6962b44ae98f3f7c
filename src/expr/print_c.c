/* Prints formulas as C on libm, as a user would write them by hand, for comparison. The C code keeps no
 * bound. */
#include "printer.h"

#include <string.h>

/* Appends the suffix: "exp" becomes "expf", and "1.0" becomes "1.0f". */
static const char *suffixed(struct printer *p, const char *name)
{
    struct text t = text_new(p->out->memory);
    text_add(&t, "%s%s", name, p->suffix);
    return t.data;
}

/* Returns a floating constant for q >= 0 that is no fraction. */
static const char *constant_in_c(struct printer *p, mpq_srcptr q)
{
    const char *word = printer_number(p, q);
    bool hex = word[0] == '0' && word[1] == 'x';
    struct text t = text_new(p->out->memory);
    text_add(&t, "%s%s", word, hex || strpbrk(word, ".e") ? "" : ".0");
    return suffixed(p, t.data);
}

static const char *number_in_c(struct printer *p, mpq_srcptr q, int *level)
{
    mpq_t part;
    mpq_init(part);
    mpq_abs(part, q);
    bool fraction = !printer_number(p, part);
    struct text t = text_new(p->out->memory);
    if (mpq_sgn(q) < 0) text_add(&t, "-");
    if (fraction) {
        mpz_set_ui(mpq_denref(part), 1);
        text_add(&t, "%s / ", constant_in_c(p, part));
        mpz_set(mpq_numref(part), mpq_denref(q));
    }
    text_add(&t, "%s", constant_in_c(p, part));
    mpq_clear(part);
    *level = printer_number_level(q, fraction);
    return t.data;
}

/* Returns true for small powers of an input, which are written x * x * x. Others call pow. */
static bool is_product(const expr *e)
{
    enum { LONGEST = 4 };
    mpz_srcptr n = mpq_numref(e->number);
    return e->operand[0]->kind == EXPR_INPUT && !mpz_cmp_ui(mpq_denref(e->number), 1) &&
           mpz_cmp_ui(n, 2) >= 0 && mpz_cmp_ui(n, LONGEST) <= 0;
}

/* Functions that libm lacks or has under another name. `@` is the argument, which binds at `level`, and `$`
 * is the suffix. */
static const struct written {
    enum expr_kind kind;
    const char *text;
    int level;
} written[] = {
    {EXPR_sigmoid, "(1.0$ / (1.0$ + exp$(-@)))", LEVEL_POWER},
    {EXPR_normcdf, "(0.5$ * erfc$(-@ * 0.70710678118654752440$))", LEVEL_POWER},
    {EXPR_softplus, "log1p$(exp$(@))", LEVEL_IF},
    {EXPR_sign, "((@ > 0) - (@ < 0))", LEVEL_SUM},
    {EXPR_rsqrt, "(1.0$ / sqrt$(@))", LEVEL_IF},
    {EXPR_sech, "(1.0$ / cosh$(@))", LEVEL_IF},
    {EXPR_erfcx, "(exp$(@ * @) * erfc$(@))", LEVEL_POWER},
    {EXPR_exp10, "pow$(10.0$, @)", LEVEL_IF},
    {EXPR_abs, "fabs$(@)", LEVEL_IF},
    {EXPR_exponent, "logb$(@)", LEVEL_IF},
    {EXPR_round, "rint$(@)", LEVEL_IF}, /* C's round takes ties away from 0 */
};

static const struct written *find_written(enum expr_kind kind)
{
    for (size_t i = 0; i < sizeof written / sizeof written[0]; i++)
        if (written[i].kind == kind) return &written[i];
    return NULL;
}

static int level_of(const expr *e)
{
    switch (e->kind) {
    case EXPR_IF: return LEVEL_IF;
    case EXPR_NEG:
    case EXPR_NOT:
    case EXPR_CAST: return LEVEL_NEGATE;
    case EXPR_POWER: return is_product(e) ? LEVEL_PRODUCT : LEVEL_PRIMARY;
    default: return LEVEL_PRIMARY;
    }
}

static void visit_power(struct printer *p, const expr *e)
{
    int level;
    if (is_product(e)) {
        for (unsigned long i = mpz_get_ui(mpq_numref(e->number)); i > 0; i--) {
            printer_visit(p, e->operand[0], LEVEL_PRIMARY);
            if (i > 1) printer_say(p, " * ");
        }
        return;
    }
    printer_say(p, ")");
    printer_say(p, number_in_c(p, e->number, &level));
    printer_say(p, ", ");
    printer_visit(p, e->operand[0], LEVEL_IF);
    printer_say(p, "(");
    printer_say(p, suffixed(p, "pow"));
}

/* Prints a function as its row says, or as a call of libm. */
static void visit_function(struct printer *p, const expr *e)
{
    const struct written *w = find_written(e->kind);
    if (!w) {
        printer_call(p, e, suffixed(p, expr_kind_name(e->kind)));
        return;
    }
    /* From the end, because the last piece pushed is printed first. */
    for (size_t end = strlen(w->text), at; end; end = at) {
        for (at = end - 1; at && !strchr("@$", w->text[at]) && !strchr("@$", w->text[at - 1]);) at--;
        struct text piece = text_new(p->out->memory);
        text_bytes(&piece, w->text + at, end - at);
        if (*piece.data == '@')
            printer_visit(p, e->operand[0], w->level);
        else
            printer_say(p, *piece.data == '$' ? p->suffix : piece.data);
    }
}

static void visit_in_c(struct printer *p, const expr *e, int level)
{
    static const char *const choice[] = {"", " ? ", " : "};
    switch (e->kind) {
    case EXPR_PI: printer_say(p, suffixed(p, "3.14159265358979323846")); break;
    case EXPR_INFINITY: printer_say(p, "INFINITY"); break;
    case EXPR_OR: /* compilers warn about && in || without parentheses */
        printer_visit(p, e->operand[1], LEVEL_NOT);
        printer_say(p, " || ");
        printer_visit(p, e->operand[0], e->operand[0]->kind == EXPR_AND ? LEVEL_NOT : LEVEL_OR);
        break;
    case EXPR_NEG:
    case EXPR_NOT:
        printer_visit(p, e->operand[0], level + (e->kind == EXPR_NEG)); /* "--x" is a decrement */
        printer_say(p, e->kind == EXPR_NEG ? "-" : "!");
        break;
    case EXPR_POWER: visit_power(p, e); break;
    case EXPR_CAST:
        printer_visit(p, e->operand[0], level);
        printer_say(p, "(float)");
        break;
    case EXPR_MIN: printer_call(p, e, suffixed(p, "smaller")); break;
    case EXPR_MAX: printer_call(p, e, suffixed(p, "larger")); break;
    case EXPR_IF: printer_choice(p, e, LEVEL_OR, choice); break;
    default: visit_function(p, e); break;
    }
}

void expr_print_c(struct text *out, const expr *e, const char *const *input_names, const char *suffix)
{
    struct printer p = {.out = out,
                        .names = input_names,
                        .suffix = suffix,
                        .number = number_in_c,
                        .node = visit_in_c,
                        .level = level_of};
    printer_run(&p, e);
}
