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
    r->form = calloc(count, sizeof *r->form);
    if (!r->value || !r->form) {
        free(r->value);
        free(r->form);
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
    free(r->form);
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

/* The form of a combination of two known operands; unknown if it has none. */
static enum rational_form form_of(enum expr_kind kind, enum rational_form a, enum rational_form b)
{
    const bool same = a == b, plain = a == RATIONAL_PLAIN && b == RATIONAL_PLAIN;
    switch (kind) {
    case EXPR_ADD:
    case EXPR_SUB:
    case EXPR_MIN:
    case EXPR_MAX: return same ? a : RATIONAL_UNKNOWN;
    case EXPR_MUL: return plain ? RATIONAL_PLAIN : same ? RATIONAL_UNKNOWN : RATIONAL_TIMES_PI;
    case EXPR_DIV: return same ? RATIONAL_PLAIN : a == RATIONAL_TIMES_PI ? a : RATIONAL_UNKNOWN;
    default: return RATIONAL_UNKNOWN;
    }
}

/* Of two known operands, with a form. */
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

/* sin(q pi), or cos with a quarter turn more, where it is 0, 1 or -1. */
static bool sine(mpq_ptr out, mpq_srcptr q, unsigned long quarters)
{
    mpz_t twice;
    if (mpz_cmp_ui(mpq_denref(q), 2) > 0) return false;
    mpz_init_set(twice, mpq_numref(q));
    if (mpz_cmp_ui(mpq_denref(q), 1) == 0) mpz_mul_2exp(twice, twice, 1);
    const unsigned long quadrant = (mpz_fdiv_ui(twice, 4) + quarters) % 4;
    mpq_set_si(out, quadrant == 1 ? 1 : quadrant == 3 ? -1 : 0, 1);
    mpz_clear(twice);
    return true;
}

static enum rational_form transform(mpq_ptr out, const expr *node, mpq_srcptr a, enum rational_form form)
{
    const bool plain = form == RATIONAL_PLAIN;
    switch (node->kind) {
    case EXPR_NEG: mpq_neg(out, a); return form;
    case EXPR_abs: mpq_abs(out, a); return form;
    case EXPR_sign: mpq_set_si(out, mpq_sgn(a), 1); return RATIONAL_PLAIN;
    case EXPR_POWER: return plain && raise(out, a, node->number) ? form : RATIONAL_UNKNOWN;
    case EXPR_sin: return !plain && sine(out, a, 0) ? RATIONAL_PLAIN : RATIONAL_UNKNOWN;
    case EXPR_cos: return !plain && sine(out, a, 1) ? RATIONAL_PLAIN : RATIONAL_UNKNOWN;
    default: return RATIONAL_UNKNOWN;
    }
}

void rationals_evaluate(struct rationals *r, uint32_t place, const expr *node, const uint32_t *operands,
                        enum truth truth, mpfr_srcptr const *inputs)
{
    const uint32_t a = operands[0], b = operands[1], chosen = operands[truth == TRUTH_TRUE ? 1 : 2];
    const unsigned arity = expr_arity(node->kind);
    mpq_ptr out = r->value[place];
    enum rational_form form = RATIONAL_UNKNOWN;
    if (node->kind == EXPR_NUMBER) {
        mpq_set(out, node->number);
        form = RATIONAL_PLAIN;
    } else if (node->kind == EXPR_PI) {
        mpq_set_ui(out, 1, 1);
        form = RATIONAL_TIMES_PI;
    } else if (node->kind == EXPR_INPUT) {
        if (read_input(out, inputs[node->input])) form = RATIONAL_PLAIN;
    } else if (node->kind == EXPR_IF) {
        if (truth != TRUTH_UNKNOWN) form = r->form[chosen];
        if (form) mpq_set(out, r->value[chosen]);
    } else if (arity == 2 && !expr_is_truth(node)) {
        if (r->form[a] && r->form[b]) form = form_of(node->kind, r->form[a], r->form[b]);
        if (form && !combine(out, node->kind, r->value[a], r->value[b])) form = RATIONAL_UNKNOWN;
    } else if (arity == 1 && !expr_is_truth(node) && r->form[a]) {
        form = transform(out, node, r->value[a], r->form[a]);
    }
    r->form[place] = form && !mpq_sgn(out) ? RATIONAL_PLAIN : form;
}

void rationals_refine(const struct rationals *r, uint32_t place, const expr *node, const uint32_t *operands,
                      interval *value)
{
    const bool compares = node->kind == EXPR_LT || node->kind == EXPR_LE || node->kind == EXPR_EQ;
    if (compares && r->form[operands[0]] && r->form[operands[0]] == r->form[operands[1]]) {
        const int order = mpq_cmp(r->value[operands[0]], r->value[operands[1]]);
        const bool yes = node->kind == EXPR_LT ? order < 0 : node->kind == EXPR_LE ? order <= 0 : order == 0;
        value->state = INTERVAL_DEFINED;
        value->truth = yes ? TRUTH_TRUE : TRUTH_FALSE;
    } else if (r->form[place] == RATIONAL_PLAIN &&
               !interval_is_point(value)) { /* a point has its zero's sign */
        interval_ratio(value, r->value[place]);
    }
}
