/* Lets logistic functions of one argument share an exponential and a division.
 *
 * With z = exp(-u), sigmoid(u) = 1 / (1 + z), sigmoid(-u) = z / (1 + z) and tanh(u/2) = (1 - z) / (1 + z).
 * Formulas that differentiation makes have all three. In f64 words, z is a number for all u that matter, and
 * 1 - z does not cancel. */
#include "shared.h"

/* The argument u = factor * base of a logistic function, where tanh(u/2) counts as one of u. */
struct argument {
    const expr *base;
    double factor;
};

static bool is_logistic(const expr *e) { return e->kind == EXPR_sigmoid || e->kind == EXPR_tanh; }

static struct argument argument_of(const expr *e)
{
    const expr *a = e->operand[0];
    struct argument u = {a, e->kind == EXPR_tanh ? 2 : 1};
    /* The factors of a longer product have no common value. */
    if (a->kind != EXPR_MUL || a->operand[0]->kind != EXPR_NUMBER || a->operand[1]->kind == EXPR_MUL)
        return u;
    u.base = a->operand[1];
    u.factor *= mpq_get_d(a->operand[0]->number);
    return u;
}

/* Returns whether two functions differ, but have one |u|. */
static bool are_relatives(const expr *a, const expr *b)
{
    if (a == b || !is_logistic(a) || !is_logistic(b)) return false;
    const struct argument u = argument_of(a), v = argument_of(b);
    return u.base == v.base && (u.factor == v.factor || u.factor == -v.factor);
}

bool shared_has_relative(const expr *e, const expr *const *nodes, uint32_t count, const bool *wanted)
{
    for (uint32_t i = 0; i < count && is_logistic(e); i++)
        if (wanted[nodes[i]->id] && are_relatives(e, nodes[i])) return true;
    return false;
}

const expr *shared_base(const expr *e) { return argument_of(e).base; }

struct number shared_value(struct composer *c, const expr *e, struct number base)
{
    const struct argument u = argument_of(e);
    const bool is_negative = u.factor < 0;
    const double size = is_negative ? -u.factor : u.factor;
    const struct number t = size == 1 ? base : number_times(c, base, number_of_word(word_constant(c, size)));
    const struct logistic_exponential z = compose_logistic_exponential(c, number_neg(c, t));
    const struct number inverse =
        number_over(c, number_integer(c, 1), number_plus(c, number_integer(c, 1), z.whole));
    if (e->kind == EXPR_sigmoid) return is_negative ? number_times(c, z.whole, inverse) : inverse;
    const struct number less = number_times(c, z.less_one, inverse);
    return is_negative ? less : number_neg(c, less);
}
