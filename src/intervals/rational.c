/* Follows rational values through an expression. */
#include "rational.h"

#include <stdlib.h>

enum {
    LARGEST_EXPONENT = 1100, /* largest exponent of an input; samples for limits go much further */
    LARGEST_SIZE = 1 << 15,  /* most bits of a value */
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
    return expr_number_raise(out, base, exponent, LARGEST_POWER, LARGEST_SIZE);
}

/* Returns true if a combination of both values keeps the limit of the size. */
static bool fits_limit(mpq_srcptr a, mpq_srcptr b)
{
    return expr_number_bits(a) + expr_number_bits(b) <= LARGEST_SIZE;
}

/* Computes base^factor if it is rational. For a factor n/2^k, base must be the 2^k-th power of a rational
 * number. */
static bool raise_to_fraction(mpq_ptr out, mpq_srcptr base, mpq_srcptr factor)
{
    mpq_t root, whole;
    const bool good =
        mpz_popcount(mpq_denref(factor)) == 1 && mpz_cmp_ui(mpq_denref(factor), LARGEST_POWER) <= 0;
    if (!good) return false;
    const unsigned long degree = mpz_get_ui(mpq_denref(factor));
    mpq_inits(root, whole, (mpq_ptr)0);
    mpq_set_z(whole, mpq_numref(factor));
    const bool raised = mpz_root(mpq_numref(root), mpq_numref(base), degree) &&
                        mpz_root(mpq_denref(root), mpq_denref(base), degree) && raise(out, root, whole);
    mpq_clears(root, whole, (mpq_ptr)0);
    return raised;
}

/* Combines two known operands of which at least one is a logarithm. The result is the logarithm of `out`. */
static bool combine_logarithms(mpq_ptr out, enum expr_kind kind, mpq_srcptr a, enum rational_form form_a,
                               mpq_srcptr b, enum rational_form form_b)
{
    const bool both = form_a == form_b, plain = form_a == RATIONAL_PLAIN || form_b == RATIONAL_PLAIN;
    const bool a_is_log = form_a == RATIONAL_LOGARITHM;
    if (!fits_limit(a, b)) return false;
    switch (kind) {
    case EXPR_ADD:
        if (both) mpq_mul(out, a, b);
        return both;
    case EXPR_SUB:
        if (both) mpq_div(out, a, b);
        return both;
    case EXPR_MUL: return plain && raise_to_fraction(out, a_is_log ? a : b, a_is_log ? b : a);
    default: return false;
    }
}

/* Returns the form of a combination of two known operands, or RATIONAL_UNKNOWN if it has none. */
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

/* Computes sin(q pi) where it is 0, 1 or -1. `quarters` = 1 adds a quarter turn, which gives cos(q pi). */
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

/* Computes the largest integer that is at most q. With `nearest` computes the nearest integer, ties to
 * even. */
static void whole_part(mpq_ptr out, mpq_srcptr q, bool nearest)
{
    mpz_t whole;
    mpz_init(whole);
    if (nearest) { /* the floor of q + 1/2, corrected at a tie */
        mpq_t moved;
        mpq_init(moved);
        mpq_set_ui(moved, 1, 2);
        mpq_add(moved, moved, q);
        mpz_fdiv_q(whole, mpq_numref(moved), mpq_denref(moved));
        if (!mpz_cmp_ui(mpq_denref(moved), 1) && mpz_odd_p(whole)) mpz_sub_ui(whole, whole, 1);
        mpq_clear(moved);
    } else
        mpz_fdiv_q(whole, mpq_numref(q), mpq_denref(q));
    mpq_set_z(out, whole);
    mpz_clear(whole);
}

/* Transforms a value that is the logarithm of a. */
static enum rational_form transform_logarithm(mpq_ptr out, enum expr_kind kind, mpq_srcptr a)
{
    switch (kind) {
    case EXPR_NEG: mpq_inv(out, a); return RATIONAL_LOGARITHM;
    case EXPR_exp: mpq_set(out, a); return RATIONAL_PLAIN;
    case EXPR_expm1:
        mpq_set_si(out, -1, 1);
        mpq_add(out, out, a);
        return RATIONAL_PLAIN;
    default: return RATIONAL_UNKNOWN;
    }
}

static enum rational_form transform(mpq_ptr out, const expr *node, mpq_srcptr a, enum rational_form form)
{
    const bool plain = form == RATIONAL_PLAIN;
    if (form == RATIONAL_LOGARITHM) return transform_logarithm(out, node->kind, a);
    switch (node->kind) {
    case EXPR_NEG: mpq_neg(out, a); return form;
    case EXPR_log:
        if (!plain || mpq_sgn(a) <= 0) return RATIONAL_UNKNOWN;
        mpq_set(out, a);
        return RATIONAL_LOGARITHM;
    case EXPR_abs: mpq_abs(out, a); return form;
    case EXPR_sign: mpq_set_si(out, mpq_sgn(a), 1); return RATIONAL_PLAIN;
    case EXPR_exp2: mpq_set_ui(out, 2, 1); return plain && raise(out, out, a) ? form : RATIONAL_UNKNOWN;
    case EXPR_floor:
    case EXPR_round:
        if (plain) whole_part(out, a, node->kind == EXPR_round);
        return plain ? form : RATIONAL_UNKNOWN;
    case EXPR_exponent:
        if (plain && mpq_sgn(a)) mpq_set_si(out, expr_number_exponent(a), 1);
        return plain && mpq_sgn(a) ? form : RATIONAL_UNKNOWN;
    case EXPR_POWER: return plain && raise(out, a, node->number) ? form : RATIONAL_UNKNOWN;
    case EXPR_sin: return !plain && sine(out, a, 0) ? RATIONAL_PLAIN : RATIONAL_UNKNOWN;
    case EXPR_cos: return !plain && sine(out, a, 1) ? RATIONAL_PLAIN : RATIONAL_UNKNOWN;
    default: return RATIONAL_UNKNOWN;
    }
}

/* -- values next to a rational number -- */

static int side_of(enum rational_form form)
{
    return form == RATIONAL_BELOW ? -1 : form == RATIONAL_ABOVE ? 1 : 0;
}

static enum rational_form form_of_side(int side)
{
    return side < 0 ? RATIONAL_BELOW : side > 0 ? RATIONAL_ABOVE : RATIONAL_UNKNOWN;
}

/* Returns the side on which both operands leave the result, or 0 if they leave it on different sides. */
static int common_side(int a, int b) { return !a ? b : !b || a == b ? a : 0; }

static bool is_sided(enum rational_form form) { return side_of(form) != 0; }

/* Returns true for an exact number, and for one that is next to a number. */
static bool is_near_number(enum rational_form form) { return form == RATIONAL_PLAIN || is_sided(form); }

/* Returns the sign of an operand that has one and whose stored value does not have the other, or 0. */
static int sign_of(const interval *a, mpq_srcptr stored)
{
    if (a->state != INTERVAL_DEFINED) return 0;
    const bool is_positive = mpfr_sgn(a->lo) > 0 || (mpfr_zero_p(a->lo) && a->lo_open),
               is_negative = mpfr_sgn(a->hi) < 0 || (mpfr_zero_p(a->hi) && a->hi_open);
    const int sign = is_positive ? 1 : is_negative ? -1 : 0;
    return sign * mpq_sgn(stored) >= 0 ? sign : 0;
}

/* Combines two operands of which at least one is next to a number. */
static enum rational_form combine_sides(mpq_ptr out, enum expr_kind kind, const struct rationals *r,
                                        const uint32_t *operands, const interval *intervals)
{
    const uint32_t a = operands[0], b = operands[1];
    const int side_a = side_of(r->form[a]), side_b = side_of(r->form[b]);
    int side = 0;
    if (!is_near_number(r->form[a]) || !is_near_number(r->form[b]) || !fits_limit(r->value[a], r->value[b]))
        return RATIONAL_UNKNOWN;
    if (kind == EXPR_ADD) side = common_side(side_a, side_b);
    if (kind == EXPR_SUB) side = common_side(side_a, -side_b);
    if (kind == EXPR_MUL || kind == EXPR_DIV) {
        const int sign_a = sign_of(&intervals[a], r->value[a]), sign_b = sign_of(&intervals[b], r->value[b]);
        const int outward_a = side_a * sign_a, outward_b = side_b * sign_b;
        side = sign_a * sign_b * common_side(outward_a, kind == EXPR_DIV ? -outward_b : outward_b);
    }
    return side && expr_number_combine(out, kind, r->value[a], r->value[b]) ? form_of_side(side)
                                                                            : RATIONAL_UNKNOWN;
}

/* Transforms a value that is next to a number. */
static enum rational_form transform_side(mpq_ptr out, const expr *node, mpq_srcptr a, enum rational_form form,
                                         const interval *operand)
{
    const int side = side_of(form);
    switch (node->kind) {
    case EXPR_NEG: mpq_neg(out, a); return form_of_side(-side);
    case EXPR_abs: mpq_abs(out, a); return form_of_side(side * sign_of(operand, a));
    case EXPR_POWER:
        if (sign_of(operand, a) <= 0 || !raise(out, a, node->number)) return RATIONAL_UNKNOWN;
        return form_of_side(side * mpq_sgn(node->number));
    default: return RATIONAL_UNKNOWN;
    }
}

/* Returns true if the end is no value of the function and has few digits, as a limit of a function has. */
static bool is_limit(mpfr_srcptr end, bool open)
{
    enum { MOST_DIGITS = 64 };
    if (!open || mpfr_zero_p(end)) return open;
    return mpfr_regular_p(end) && mpfr_min_prec(end) <= MOST_DIGITS &&
           labs(mpfr_get_exp(end)) <= LARGEST_EXPONENT;
}

/* Finds the number that a function's value is next to, as exp(-1000) is next to 0. Any open end serves that
 * is a number of few digits. */
static enum rational_form limit_beside(mpq_ptr out, const interval *value)
{
    if (value->state != INTERVAL_DEFINED) return RATIONAL_UNKNOWN;
    const bool below = is_limit(value->hi, value->hi_open), above = is_limit(value->lo, value->lo_open);
    if (!below && !above) return RATIONAL_UNKNOWN;
    mpfr_get_q(out, below ? value->hi : value->lo);
    return below ? RATIONAL_BELOW : RATIONAL_ABOVE;
}

void rationals_evaluate(struct rationals *r, uint32_t place, const expr *node, const uint32_t *operands,
                        enum truth truth, mpfr_srcptr const *inputs, const interval *intervals)
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
        const bool known = r->form[a] && r->form[b];
        if (known && (is_sided(r->form[a]) || is_sided(r->form[b])))
            form = combine_sides(out, node->kind, r, operands, intervals);
        else if (known && (r->form[a] == RATIONAL_LOGARITHM || r->form[b] == RATIONAL_LOGARITHM))
            form = combine_logarithms(out, node->kind, r->value[a], r->form[a], r->value[b], r->form[b])
                       ? RATIONAL_LOGARITHM
                       : RATIONAL_UNKNOWN;
        else if (known)
            form = form_of(node->kind, r->form[a], r->form[b]);
        if (form && form != RATIONAL_LOGARITHM && !is_sided(form) &&
            (!fits_limit(r->value[a], r->value[b]) ||
             !expr_number_combine(out, node->kind, r->value[a], r->value[b])))
            form = RATIONAL_UNKNOWN;
    } else if (arity == 1 && !expr_is_truth(node) && r->form[a]) {
        form = is_sided(r->form[a]) ? transform_side(out, node, r->value[a], r->form[a], &intervals[a])
                                    : transform(out, node, r->value[a], r->form[a]);
    }
    if (!form && node->kind >= EXPR_FIRST_FUNCTION) form = limit_beside(out, &intervals[place]);
    /* The logarithm of 1 is the rational number 0. */
    if (form == RATIONAL_LOGARITHM && !mpq_cmp_ui(out, 1, 1)) mpq_set_ui(out, 0, 1);
    r->form[place] = form && !is_sided(form) && !mpq_sgn(out) ? RATIONAL_PLAIN : form;
}

/* Narrows the interval to the values on a side of a number. */
static void refine_side(interval *value, mpq_srcptr number, int side)
{
    mpfr_ptr end = side < 0 ? value->hi : value->lo;
    bool *open = side < 0 ? &value->hi_open : &value->lo_open;
    mpfr_t found;
    if (value->state != INTERVAL_DEFINED) return;
    mpfr_init2(found, mpfr_get_prec(end));
    mpfr_set_q(found, number, side < 0 ? MPFR_RNDU : MPFR_RNDD);
    if (mpfr_number_p(found) && side * mpfr_cmp(found, end) >= 0) {
        mpfr_set(end, found, MPFR_RNDN);
        *open = true;
    }
    mpfr_clear(found);
}

/* Returns true if the ends agree to all bits except two, and `exact` is neither of them, because no binary
 * fraction is. Nothing better is known then. */
static bool is_tight(const interval *value, mpq_srcptr exact)
{
    const mpfr_prec_t bits = mpfr_get_prec(value->lo);
    mpz_srcptr divisor = mpq_denref(exact);
    return value->state == INTERVAL_DEFINED && mpz_scan1(divisor, 0) + 1 < mpz_sizeinbase(divisor, 2) &&
           mpfr_eq(value->lo, value->hi, (unsigned long)bits - 2);
}

void rationals_refine(const struct rationals *r, uint32_t place, const expr *node, const uint32_t *operands,
                      interval *value)
{
    const bool compares = node->kind == EXPR_LT || node->kind == EXPR_LE || node->kind == EXPR_EQ;
    if (compares && r->form[operands[0]] && !is_sided(r->form[operands[0]]) &&
        r->form[operands[0]] == r->form[operands[1]]) {
        const int order = mpq_cmp(r->value[operands[0]], r->value[operands[1]]);
        const bool yes = node->kind == EXPR_LT ? order < 0 : node->kind == EXPR_LE ? order <= 0 : order == 0;
        value->state = INTERVAL_DEFINED;
        value->truth = yes ? TRUTH_TRUE : TRUTH_FALSE;
    } else if (r->form[place] == RATIONAL_PLAIN && !interval_is_point(value) &&
               !is_tight(value, r->value[place])) {
        /* An interval that is a point is kept, because it has the sign of its zero. */
        interval_ratio(value, r->value[place]);
    } else if (is_sided(r->form[place])) {
        refine_side(value, r->value[place], side_of(r->form[place]));
    }
}
