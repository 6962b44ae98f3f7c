/* Recognizes Knuth's sum, Dekker's sum of ordered operands, and the product with fma. Their errors are exact
 * under these conditions. Knuth's sum: nothing overflows. Dekker's sum: |a| >= |b|. The product: no bit lies
 * below f64's last. */
#include "error_free.h"

#include "float_bits.h"

static const struct lane_instruction *at(const struct affine *m, lane_value n)
{
    return &m->program->code[n];
}

static bool is_sum_of(const struct lane_instruction *i, lane_value a, lane_value b)
{
    return i->op == LANE_ADD && i->type == LANE_F64 &&
           ((i->operand[0] == a && i->operand[1] == b) || (i->operand[0] == b && i->operand[1] == a));
}

/* Returns whether the value is `from` - `less`. */
static bool is_difference(const struct affine *m, lane_value v, lane_value from, lane_value less)
{
    const struct lane_instruction *i = at(m, v);
    return i->op == LANE_SUB && i->operand[0] == from && i->operand[1] == less;
}

/* Returns whether the value is small enough that no intermediate value overflows. */
static bool is_usable(const struct affine_value *v)
{
    return v->kind == NUMBER && !v->beyond && fabs(v->low) < 0x1p1000 && fabs(v->high) < 0x1p1000;
}

/* Recognizes (a - (s - part)) + (b - part), where s is a + b and part is s - a. */
static bool is_rest_of_sum(const struct affine *m, const struct lane_instruction *i, lane_value *sum)
{
    for (int turn = 0; turn < 2 && i->op == LANE_ADD; turn++) {
        const struct lane_instruction *of_a = at(m, i->operand[turn]), *of_b = at(m, i->operand[1 - turn]);
        if (of_a->op != LANE_SUB || of_b->op != LANE_SUB) return false;
        const lane_value a = of_a->operand[0], b = of_b->operand[0], part = of_b->operand[1];
        const struct lane_instruction *difference = at(m, part);
        if (difference->op != LANE_SUB || difference->operand[1] != a) continue;
        *sum = difference->operand[0];
        if (is_sum_of(at(m, *sum), a, b) && is_difference(m, of_a->operand[1], *sum, part)) return true;
    }
    return false;
}

/* Recognizes b - (s - a), where s is a + b and |a| >= |b|. */
static bool is_rest_of_ordered_sum(const struct affine *m, const struct lane_instruction *i, lane_value *sum)
{
    if (i->op != LANE_SUB || at(m, i->operand[1])->op != LANE_SUB) return false;
    const lane_value b = i->operand[0], a = at(m, i->operand[1])->operand[1];
    *sum = at(m, i->operand[1])->operand[0];
    if (!is_sum_of(at(m, *sum), a, b)) return false;
    const struct affine_value *x = &m->values[a], *y = &m->values[b];
    const double least = x->low > 0 ? x->low : x->high < 0 ? -x->high : 0;
    return least >= larger_of(fabs(y->low), fabs(y->high));
}

/* Recognizes a * b - p, where p is a * b. */
static bool is_rest_of_product(const struct affine *m, const struct lane_instruction *i, lane_value *product)
{
    const lane_value a = i->operand[0], b = i->operand[1];
    if (i->op != LANE_FMA || at(m, i->operand[2])->op != LANE_NEG) return false;
    *product = at(m, i->operand[2])->operand[0];
    const struct lane_instruction *p = at(m, *product);
    return p->op == LANE_MUL && p->operand[0] == a && p->operand[1] == b &&
           affine_product_grain(&m->values[a], &m->values[b]) >= LEAST_GRAIN;
}

bool error_free_find(struct affine *m, struct affine_value *v, lane_value n)
{
    const struct lane_instruction *i = at(m, n);
    lane_value of;
    if (i->type != LANE_F64) return false;
    if (!is_rest_of_sum(m, i, &of) && !is_rest_of_ordered_sum(m, i, &of) && !is_rest_of_product(m, i, &of))
        return false;
    const struct affine_value *rounded = &m->values[of], *a = &m->values[at(m, of)->operand[0]],
                              *b = &m->values[at(m, of)->operand[1]];
    if (!is_usable(rounded) || !is_usable(a) || !is_usable(b) || rounded->is_some_zero) return false;
    if (!rounded->own) {
        if (!rounded->is_exact) return false;
        *v = affine_number(0);
        v->is_some_zero = true;
        return true;
    }
    const struct factor *rounding = &rounded->moves[rounded->own - 1];
    *v = (struct affine_value){.kind = NUMBER, .moves = affine_factors(m, v), .symbols = rounded->own};
    v->real = (struct model){.known = true, .exponent = rounded->real.exponent};
    for (uint32_t k = 0; k < v->symbols; k++) v->moves[k] = (struct factor){0, 0};
    v->moves[rounded->own - 1] = (struct factor){-rounding->level, -rounding->slope};
    affine_settle_exact(v, at(m, of)->op == LANE_MUL ? affine_product_grain(a, b)
                                                     : affine_smaller_grain(a->grain, b->grain));
    return true;
}
