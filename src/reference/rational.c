#include "rational.h"

#include <stdlib.h>

enum {
    LARGEST_EXPONENT = 1100, /* of an input: the samples for limits go much further */
    LARGEST_SIZE = 1 << 15,  /* bits of a value */
    LARGEST_POWER = 64,
};

bool rationals_create(struct rationals *r, uint32_t count)
{
    r->value = malloc(count * sizeof *r->value);
    r->known = calloc(count, sizeof *r->known);
    if (!r->value || !r->known) {
        free(r->value);
        free(r->known);
        *r = (struct rationals){0};
        return false;
    }
    r->count = count;
    for (uint32_t i = 0; i < count; i++) mpq_init(r->value[i]);
    return true;
}

void rationals_clear(struct rationals *r)
{
    for (uint32_t i = 0; i < r->count; i++) mpq_clear(r->value[i]);
    free(r->value);
    free(r->known);
}

static size_t size_of(mpq_srcptr q)
{
    return mpz_sizeinbase(mpq_numref(q), 2) + mpz_sizeinbase(mpq_denref(q), 2);
}

static bool read_input(mpq_ptr out, mpfr_srcptr input)
{
    if (mpfr_zero_p(input)) {
        mpq_set_ui(out, 0, 1);
        return true;
    }
    if (!mpfr_regular_p(input) || labs(mpfr_get_exp(input)) > LARGEST_EXPONENT) return false;
    mpfr_get_q(out, input);
    return true;
}

static bool raise(mpq_ptr out, mpq_srcptr base, mpq_srcptr exponent)
{
    if (mpz_cmp_ui(mpq_denref(exponent), 1) != 0 || mpz_cmpabs_ui(mpq_numref(exponent), LARGEST_POWER) > 0)
        return false;
    const unsigned long n = mpz_get_ui(mpq_numref(exponent)); /* of the magnitude */
    if (size_of(base) * n > LARGEST_SIZE || (mpq_sgn(exponent) < 0 && !mpq_sgn(base))) return false;
    mpz_pow_ui(mpq_numref(out), mpq_numref(base), n);
    mpz_pow_ui(mpq_denref(out), mpq_denref(base), n);
    if (mpq_sgn(exponent) < 0) mpq_inv(out, out);
    return true;
}

/* Of two known operands. */
static bool combine(mpq_ptr out, enum expr_kind kind, mpq_srcptr a, mpq_srcptr b)
{
    if (size_of(a) + size_of(b) > LARGEST_SIZE) return false;
    switch (kind) {
    case EXPR_ADD: mpq_add(out, a, b); return true;
    case EXPR_SUB: mpq_sub(out, a, b); return true;
    case EXPR_MUL: mpq_mul(out, a, b); return true;
    case EXPR_DIV:
        if (mpq_sgn(b)) mpq_div(out, a, b);
        return mpq_sgn(b) != 0;
    case EXPR_MIN: mpq_set(out, mpq_cmp(a, b) < 0 ? a : b); return true;
    case EXPR_MAX: mpq_set(out, mpq_cmp(a, b) > 0 ? a : b); return true;
    default: return false;
    }
}

static bool transform(mpq_ptr out, const expr *node, mpq_srcptr a)
{
    switch (node->kind) {
    case EXPR_NEG: mpq_neg(out, a); return true;
    case EXPR_abs: mpq_abs(out, a); return true;
    case EXPR_sign: mpq_set_si(out, mpq_sgn(a), 1); return true;
    case EXPR_POWER: return raise(out, a, node->number);
    default: return false;
    }
}

void rationals_evaluate(struct rationals *r, uint32_t place, const expr *node, const uint32_t *operands,
                        enum truth truth, mpfr_srcptr const *inputs)
{
    const uint32_t a = operands[0], b = operands[1], chosen = operands[truth == TRUTH_TRUE ? 1 : 2];
    const unsigned arity = expr_arity(node->kind);
    mpq_ptr out = r->value[place];
    bool known = false;
    if (node->kind == EXPR_NUMBER) {
        mpq_set(out, node->number);
        known = true;
    } else if (node->kind == EXPR_INPUT) {
        known = read_input(out, inputs[node->input]);
    } else if (node->kind == EXPR_IF) {
        known = truth != TRUTH_UNKNOWN && r->known[chosen];
        if (known) mpq_set(out, r->value[chosen]);
    } else if (arity == 2 && !expr_is_truth(node)) {
        known = r->known[a] && r->known[b] && combine(out, node->kind, r->value[a], r->value[b]);
    } else if (arity == 1 && !expr_is_truth(node)) {
        known = r->known[a] && transform(out, node, r->value[a]);
    }
    r->known[place] = known;
}

void rationals_refine(const struct rationals *r, uint32_t place, const expr *node, const uint32_t *operands,
                      interval *value)
{
    const bool compares = node->kind == EXPR_LT || node->kind == EXPR_LE || node->kind == EXPR_EQ;
    if (compares && r->known[operands[0]] && r->known[operands[1]]) {
        const int order = mpq_cmp(r->value[operands[0]], r->value[operands[1]]);
        const bool yes = node->kind == EXPR_LT ? order < 0 : node->kind == EXPR_LE ? order <= 0 : order == 0;
        value->state = INTERVAL_DEFINED;
        value->truth = yes ? TRUTH_TRUE : TRUTH_FALSE;
    } else if (r->known[place] && !interval_is_point(value)) { /* a point has the sign of its zero */
        interval_ratio(value, r->value[place]);
    }
}
