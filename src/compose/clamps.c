/* Moves clamps from a line to its variable: min(1, x/6 + 1/2) becomes min(3, x)/6 + 1/2. In two words of f32,
 * a clamp of a number takes three operations. A clamp of x, which has no low word, takes one. */
#include "compose.h"

struct line { /* slope * variable + offset */
    mpq_t slope, offset;
    const expr *variable;
};

/* Splits `e` into a number and the rest, if `e` has a factor or summand that is a number. */
static bool take_number(mpq_ptr number, const expr **rest, const expr *e, enum expr_kind kind)
{
    for (unsigned k = 0; k < 2 && e->kind == kind; k++)
        if (e->operand[k]->kind == EXPR_NUMBER) {
            mpq_set(number, e->operand[k]->number);
            *rest = e->operand[1 - k];
            return true;
        }
    return false;
}

static bool find_line(struct line *line, const expr *e)
{
    const expr *product = e;
    const bool has_offset = take_number(line->offset, &product, e, EXPR_ADD);
    line->variable = product;
    const bool has_slope = take_number(line->slope, &line->variable, product, EXPR_MUL);
    return (has_offset || has_slope) && mpq_sgn(line->slope);
}

static bool is_float(mpq_srcptr q)
{
    enum { BITS = 24 };
    return mpz_popcount(mpq_denref(q)) == 1 && mpz_sizeinbase(mpq_numref(q), 2) <= BITS &&
           mpz_sizeinbase(mpq_denref(q), 2) <= BITS;
}

/* Returns the line of a variable that is clamped at `end`, where the line reaches the limit. Returns `e` if
 * `end` is not an f32 number. */
static const expr *moved(expr_dag *dag, const expr *e, struct line *line, mpq_srcptr limit)
{
    mpq_t end;
    mpq_init(end);
    mpq_sub(end, limit, line->offset);
    mpq_div(end, end, line->slope);
    if (is_float(end)) {
        const enum expr_kind other = e->kind == EXPR_MIN ? EXPR_MAX : EXPR_MIN;
        const enum expr_kind kind = mpq_sgn(line->slope) > 0 ? e->kind : other;
        const expr *held = expr_binary(dag, kind, line->variable, expr_number(dag, end));
        const expr *product = expr_binary(dag, EXPR_MUL, expr_number(dag, line->slope), held);
        e = expr_binary(dag, EXPR_ADD, product, expr_number(dag, line->offset));
    }
    mpq_clear(end);
    return e;
}

static const expr *image(void *context, expr_dag *dag, const expr *e, const expr *const *operand)
{
    (void)context;
    const expr *own = expr_rebuild(dag, e, operand);
    if (own->kind != EXPR_MIN && own->kind != EXPR_MAX) return own;
    for (unsigned k = 0; k < 2; k++) {
        struct line line;
        if (own->operand[k]->kind != EXPR_NUMBER) continue;
        mpq_inits(line.slope, line.offset, (mpq_ptr)0);
        mpq_set_ui(line.slope, 1, 1);
        const expr *result =
            find_line(&line, own->operand[1 - k]) ? moved(dag, own, &line, own->operand[k]->number) : own;
        mpq_clears(line.slope, line.offset, (mpq_ptr)0);
        return result;
    }
    return own;
}

const expr *compose_with_moved_clamps(expr_dag *dag, const expr *e)
{
    return expr_transform(dag, e, image, NULL);
}
