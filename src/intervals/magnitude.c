/* Finds values beyond MPFR's exponent range, node by node. */
#include "magnitude_parts.h"

/* The exponents from which on a value counts as beyond the range, and from which on a factor of a sum or
 * product is brought near 1. */
static const mpfr_exp_t BEYOND = (mpfr_exp_t)1 << 60, MODERATE = (mpfr_exp_t)1 << 32;

static void make_magnitude(struct magnitude *m, const interval *like)
{
    if (!m->is_made) {
        interval_init(&m->factor, mpfr_get_prec(like->lo));
        interval_init(&m->exponent, mpfr_get_prec(like->lo));
    }
    m->is_made = true;
    m->is_known = false;
}

void magnitude_clear(struct magnitude *m)
{
    if (!m->is_made) return;
    interval_clear(&m->factor);
    interval_clear(&m->exponent);
    *m = (struct magnitude){.is_made = false};
}

/* Returns the magnitude of an operand, or NULL if it is not known. One within the range is made in `spare`.
 */
static const struct magnitude *magnitude_of(struct magnitude *spare, const struct magnitudes *all,
                                            uint32_t place)
{
    const interval *value = &all->values[place];
    if (all->list[place].is_known) return &all->list[place];
    if (!interval_is_finite(value)) return NULL;
    make_magnitude(spare, value);
    interval_copy(&spare->factor, value);
    mpfr_srcptr far = interval_far_end(value);
    const mpfr_exp_t size = mpfr_regular_p(far) ? mpfr_get_exp(far) : 0;
    const bool is_moderate = size < MODERATE && size > -MODERATE;
    multiple_of_log2(&spare->exponent, is_moderate ? 0 : size);
    if (!is_moderate) {
        mpfr_mul_2si(spare->factor.lo, spare->factor.lo, -size, MPFR_RNDD);
        mpfr_mul_2si(spare->factor.hi, spare->factor.hi, -size, MPFR_RNDU);
    }
    return spare;
}

/* -- operations on known magnitudes -- */

/* Adds, by e^s (a + b e^(t - s)) with the larger exponent as s. */
static void add_magnitudes(struct magnitude *out, const struct magnitude *a, const struct magnitude *b)
{
    interval spare[SPARES], *difference = &spare[0];
    if (interval_is_zero(&a->factor) || interval_is_zero(&b->factor)) {
        const struct magnitude *other = interval_is_zero(&a->factor) ? b : a;
        magnitude_set(out, &other->factor, &other->exponent);
        return;
    }
    spares_init(spare, &out->factor);
    interval_sub(difference, &b->exponent, &a->exponent);
    out->is_known = difference->state == INTERVAL_DEFINED;
    if (out->is_known && mpfr_sgn(difference->hi) > 0 && mpfr_cmpabs(difference->hi, difference->lo) >= 0) {
        const struct magnitude *swap = a;
        interval_neg(&spare[1], difference);
        difference = &spare[1];
        a = b;
        b = swap;
    }
    if (out->is_known) {
        interval_exp(&spare[2], difference, NULL);
        interval_mul(&spare[3], &b->factor, &spare[2]);
        interval_add(&out->factor, &a->factor, &spare[3]);
        interval_copy(&out->exponent, &a->exponent);
    }
    spares_clear(spare);
}

static void negate(struct magnitude *out, const struct magnitude *a)
{
    interval_neg(&out->factor, &a->factor);
    interval_copy(&out->exponent, &a->exponent);
    out->is_known = true;
}

static void combine(struct magnitude *out, enum expr_kind kind, const struct magnitude *a,
                    const struct magnitude *b)
{
    struct magnitude spare = {.is_made = false};
    switch (kind) {
    case EXPR_ADD: add_magnitudes(out, a, b); break;
    case EXPR_SUB:
        make_magnitude(&spare, &a->factor);
        negate(&spare, b);
        add_magnitudes(out, a, &spare);
        break;
    case EXPR_MUL:
        interval_mul(&out->factor, &a->factor, &b->factor);
        interval_add(&out->exponent, &a->exponent, &b->exponent);
        out->is_known = true;
        break;
    case EXPR_DIV:
        interval_div(&out->factor, &a->factor, &b->factor);
        interval_sub(&out->exponent, &a->exponent, &b->exponent);
        out->is_known = true;
        break;
    default: break;
    }
    magnitude_clear(&spare);
}

static void raise_magnitude(struct magnitude *out, const struct magnitude *a, mpq_srcptr power)
{
    interval spare[SPARES];
    spares_init(spare, &out->factor);
    interval_power(&out->factor, &a->factor, power, spare);
    interval_ratio(&spare[3], power);
    interval_mul(&out->exponent, &a->exponent, &spare[3]);
    out->is_known = true;
    spares_clear(spare);
}

static void raise_to_half(struct magnitude *out, const struct magnitude *a, long sign)
{
    mpq_t power;
    mpq_init(power);
    mpq_set_si(power, sign, 2);
    raise_magnitude(out, a, power);
    mpq_clear(power);
}

/* -- one node -- */

/* Returns true if an end of the interval says nothing about the value. */
static bool is_open_ended(const interval *a)
{
    if (a->state != INTERVAL_DEFINED) return a->state == INTERVAL_DOUBTFUL;
    return !mpfr_equal_p(a->lo, a->hi) && (!mpfr_regular_p(a->lo) || !mpfr_regular_p(a->hi));
}

static bool is_tiny(const interval *a)
{
    mpfr_srcptr far = interval_far_end(a);
    return mpfr_regular_p(far) && mpfr_get_exp(far) < -BEYOND;
}

static bool is_huge(const interval *a)
{
    mpfr_srcptr near = interval_near_end(a);
    return interval_sign_of(a) && mpfr_regular_p(near) && mpfr_get_exp(near) > BEYOND;
}

static bool is_beyond(const interval *a)
{
    if (a->state != INTERVAL_DEFINED || mpfr_equal_p(a->lo, a->hi)) return false;
    return is_tiny(a) || mpfr_inf_p(a->lo) || mpfr_inf_p(a->hi);
}

/* Narrows the value to what the magnitude says. */
static void narrow(interval *value, const struct magnitude *m)
{
    interval spare[SPARES], *found = &spare[1];
    spares_init(spare, value);
    interval_exp(&spare[0], &m->exponent, NULL);
    interval_mul(found, &m->factor, &spare[0]);
    if (found->state == INTERVAL_DEFINED && value->state != INTERVAL_DEFINED) {
        interval_copy(value, found);
    } else if (found->state == INTERVAL_DEFINED) {
        if (mpfr_lessequal_p(value->lo, found->lo)) {
            value->lo_open = found->lo_open || (value->lo_open && mpfr_equal_p(value->lo, found->lo));
            mpfr_set(value->lo, found->lo, MPFR_RNDD);
        }
        if (mpfr_greaterequal_p(value->hi, found->hi)) {
            value->hi_open = found->hi_open || (value->hi_open && mpfr_equal_p(value->hi, found->hi));
            mpfr_set(value->hi, found->hi, MPFR_RNDU);
        }
    }
    spares_clear(spare);
}

/* Finds the magnitude of a function or root of an operand. */
static void apply(const struct magnitudes *all, uint32_t place, const struct magnitude *a)
{
    struct magnitude *out = &all->list[place];
    const expr *node = all->nodes[place];
    const interval *u = &all->values[all->operands[place][0]];
    interval *value = &all->values[place];
    if (is_tiny(u)) magnitude_near_zero(out, node->kind, a);
    if (out->is_known) return;
    switch (node->kind) {
    case EXPR_NEG: negate(out, a); return;
    case EXPR_POWER: raise_magnitude(out, a, node->number); return;
    case EXPR_sqrt: raise_to_half(out, a, 1); return;
    case EXPR_rsqrt: raise_to_half(out, a, -1); return;
    case EXPR_abs:
        interval_abs(&out->factor, &a->factor, NULL);
        interval_copy(&out->exponent, &a->exponent);
        out->is_known = true;
        return;
    case EXPR_log: magnitude_logarithm(value, a, 1, 0); return;
    case EXPR_log2: magnitude_logarithm(value, a, 1, 2); return;
    case EXPR_log10: magnitude_logarithm(value, a, 1, 10); return;
    default: break;
    }
    if (!is_huge(u) || interval_sign_of(u) < 0) return;
    /* These differ from log(u), log(2 u) and u by far less than the last place. */
    if (node->kind == EXPR_log1p || node->kind == EXPR_asinh) {
        magnitude_logarithm(value, a, node->kind == EXPR_asinh ? 2 : 1, 0);
        interval_widen(value);
    } else if (node->kind == EXPR_softplus) {
        magnitude_set(out, &a->factor, &a->exponent);
        interval_widen(&out->factor);
    }
}

/* Returns the sign of the first operand minus the second, or 0 if the magnitudes do not tell it. */
static int sign_of_difference(const struct magnitudes *all, const uint32_t *operand)
{
    struct magnitude spare[2] = {{.is_made = false}, {.is_made = false}}, difference = {.is_made = false};
    const struct magnitude *a = magnitude_of(&spare[0], all, operand[0]);
    const struct magnitude *b = magnitude_of(&spare[1], all, operand[1]);
    int sign = 0;
    if (a && b) {
        make_magnitude(&difference, &a->factor);
        combine(&difference, EXPR_SUB, a, b);
        if (difference.is_known && interval_is_finite(&difference.factor))
            sign = interval_sign_of(&difference.factor);
    }
    magnitude_clear(&difference);
    for (int i = 0; i < 2; i++) magnitude_clear(&spare[i]);
    return sign;
}

/* Copies the magnitude of the operand that a choice takes. */
static void choose_magnitude(const struct magnitudes *all, uint32_t place)
{
    const uint32_t *operand = all->operands[place];
    const enum expr_kind kind = all->nodes[place]->kind;
    uint32_t taken;
    if (kind == EXPR_IF) {
        const enum truth truth = all->values[operand[0]].truth;
        if (truth == TRUTH_UNKNOWN) return;
        taken = operand[truth == TRUTH_TRUE ? 1 : 2];
    } else {
        const int sign = sign_of_difference(all, operand);
        if (!sign) return;
        taken = operand[(sign > 0) == (kind == EXPR_MAX) ? 0 : 1];
    }
    const struct magnitude *m = &all->list[taken];
    if (m->is_known) magnitude_set(&all->list[place], &m->factor, &m->exponent);
}

/* Decides a comparison of values beyond the range. */
static void compare_magnitudes(const struct magnitudes *all, uint32_t place)
{
    const enum expr_kind kind = all->nodes[place]->kind;
    interval *value = &all->values[place];
    if (value->state != INTERVAL_DEFINED || value->truth != TRUTH_UNKNOWN) return;
    if (kind != EXPR_LT && kind != EXPR_LE && kind != EXPR_EQ) return;
    const int sign = sign_of_difference(all, all->operands[place]);
    if (sign) value->truth = sign < 0 && kind != EXPR_EQ ? TRUTH_TRUE : TRUTH_FALSE;
}

static void find_with_operands(const struct magnitudes *all, uint32_t place)
{
    struct magnitude spare[2] = {{.is_made = false}, {.is_made = false}};
    struct magnitude *out = &all->list[place];
    const unsigned arity = expr_arity(all->nodes[place]->kind);
    const uint32_t *operand = all->operands[place];
    const struct magnitude *a = magnitude_of(&spare[0], all, operand[0]);
    const struct magnitude *b = arity > 1 ? magnitude_of(&spare[1], all, operand[1]) : a;
    if (a && b && arity == 1) apply(all, place, a);
    if (a && b && arity == 2) combine(out, all->nodes[place]->kind, a, b);
    for (int i = 0; i < 2; i++) magnitude_clear(&spare[i]);
}

void magnitude_find(const struct magnitudes *all, uint32_t place)
{
    struct magnitude *out = &all->list[place];
    interval *value = &all->values[place];
    const expr *node = all->nodes[place];
    const unsigned arity = expr_arity(node->kind);
    bool has_operand = false;
    out->is_known = false;
    for (unsigned k = 0; k < arity; k++) {
        const uint32_t operand = all->operands[place][k];
        if (expr_is_truth(all->nodes[operand])) continue;
        has_operand = has_operand || all->list[operand].is_known;
        if (all->values[operand].state != INTERVAL_DEFINED && node->kind != EXPR_IF) return;
    }
    if (has_operand) compare_magnitudes(all, place);
    if (!arity || expr_is_truth(node) || !is_open_ended(value) || !(has_operand || is_beyond(value))) return;
    make_magnitude(out, value);
    if (node->kind == EXPR_IF || node->kind == EXPR_MIN || node->kind == EXPR_MAX)
        choose_magnitude(all, place);
    else
        find_with_operands(all, place);
    const interval *u = &all->values[all->operands[place][0]];
    if (!out->is_known && arity == 1) magnitude_exponential(out, node->kind, u);
    out->is_known =
        out->is_known && interval_is_finite(&out->factor) && out->exponent.state == INTERVAL_DEFINED;
    if (!out->is_known) return;
    narrow(value, out);
    out->is_known = is_beyond(value);
}
