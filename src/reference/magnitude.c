/* Logarithms of sizes, as intervals of the current precision. */
#include "magnitude.h"

enum { LARGE_EXPONENT = 21, TERMS = 16 }; /* beyond 2^20 the remainder of erfc's series is below 2^-600 */

static bool is_finite(const interval *a)
{
    return a->state == INTERVAL_DEFINED && mpfr_number_p(a->lo) && mpfr_number_p(a->hi);
}

/* Intervals for intermediate results. */
enum { SPARES = 4 };
static void init_all(interval *list, const interval *like)
{
    for (int i = 0; i < SPARES; i++) interval_init(&list[i], mpfr_get_prec(like->lo));
}

static void clear_all(interval *list)
{
    for (int i = 0; i < SPARES; i++) interval_clear(&list[i]);
}

/* Computes the asymptotic series 1 - t + 3 t^2 - 15 t^3 ..., t = 1 / (2 u^2), of u sqrt(pi) exp(u^2) erfc(u).
 * The remainder has the sign of the first omitted term, and is smaller than this term. */
static void series(interval *sum, const interval *square, interval *spare)
{
    interval_integer(&spare[0], 1);
    mpfr_set_zero(spare[0].lo, 1);
    for (long k = TERMS; k >= 1; k--) {
        interval_integer(&spare[1], 2 * k - 1);
        interval_div(sum, &spare[1], square);
        mpfr_div_2ui(sum->lo, sum->lo, 1, MPFR_RNDD);
        mpfr_div_2ui(sum->hi, sum->hi, 1, MPFR_RNDU);
        interval_mul(&spare[1], sum, &spare[0]);
        interval_integer(sum, 1);
        interval_sub(&spare[0], sum, &spare[1]);
    }
    interval_copy(sum, &spare[0]);
}

/* Computes log erfc(u) = log(series^2 / (pi u^2)) / 2 - u^2, or log(erfc(u) / 2) if `halved`. */
static bool log_erfc(interval *out, const interval *u, bool halved)
{
    interval spare[SPARES], square, sum;
    if (!is_finite(u) || mpfr_sgn(u->lo) <= 0 || mpfr_get_exp(u->lo) < LARGE_EXPONENT) return false;
    init_all(spare, u);
    interval_init(&square, mpfr_get_prec(u->lo));
    interval_init(&sum, mpfr_get_prec(u->lo));
    interval_mul(&square, u, u);
    series(&sum, &square, spare);
    interval_pi(&spare[0]);
    interval_mul(&spare[1], &spare[0], &square);
    interval_mul(&spare[2], &sum, &sum);
    interval_div(&sum, &spare[2], &spare[1]);
    mpfr_div_2ui(sum.lo, sum.lo, halved ? 2 : 0, MPFR_RNDD);
    mpfr_div_2ui(sum.hi, sum.hi, halved ? 2 : 0, MPFR_RNDU);
    interval_log(&spare[0], &sum, NULL);
    mpfr_div_2ui(spare[0].lo, spare[0].lo, 1, MPFR_RNDD);
    mpfr_div_2ui(spare[0].hi, spare[0].hi, 1, MPFR_RNDU);
    interval_sub(out, &spare[0], &square);
    interval_clear(&square);
    interval_clear(&sum);
    clear_all(spare);
    return out->state == INTERVAL_DEFINED;
}

/* Uses normcdf(u) = erfc(-u / sqrt 2) / 2. */
static bool log_normcdf(interval *out, const interval *u)
{
    interval spare[SPARES];
    init_all(spare, u);
    interval_integer(&spare[0], 2);
    interval_sqrt(&spare[1], &spare[0], NULL);
    interval_div(&spare[2], u, &spare[1]);
    interval_neg(&spare[1], &spare[2]);
    const bool known = is_finite(u) && log_erfc(out, &spare[1], true);
    clear_all(spare);
    return known;
}

/* Uses sigmoid(u) = exp(-softplus(-u)). */
static bool log_sigmoid(interval *out, const interval *u)
{
    interval spare[SPARES];
    if (!is_finite(u)) return false;
    init_all(spare, u);
    interval_neg(&spare[0], u);
    interval_softplus(out, &spare[0], &spare[1]);
    interval_neg(&spare[0], out);
    interval_copy(out, &spare[0]);
    clear_all(spare);
    return true;
}

static bool log_of_regular(interval *out, const interval *value)
{
    if (value->state != INTERVAL_DEFINED || !mpfr_regular_p(value->lo) || !mpfr_regular_p(value->hi) ||
        mpfr_sgn(value->lo) != mpfr_sgn(value->hi))
        return false;
    interval size;
    interval_init(&size, mpfr_get_prec(value->lo));
    interval_abs(&size, value, NULL);
    interval_log(out, &size, NULL);
    interval_clear(&size);
    return true;
}

enum { DEEPEST = 12 }; /* limit of the depth of nested products */
static bool log_of_size(interval *out, const struct magnitude *m, uint32_t place, unsigned depth);

static bool log_of_pair(interval *out, const struct magnitude *m, uint32_t place, unsigned depth)
{
    const bool is_quotient = m->nodes[place]->kind == EXPR_DIV;
    interval spare[SPARES];
    init_all(spare, out);
    const bool known = log_of_size(&spare[0], m, m->operands[place][0], depth + 1) &&
                       log_of_size(&spare[1], m, m->operands[place][1], depth + 1);
    if (known && is_quotient) interval_sub(out, &spare[0], &spare[1]);
    if (known && !is_quotient) interval_add(out, &spare[0], &spare[1]);
    clear_all(spare);
    return known;
}

static bool log_of_power(interval *out, const struct magnitude *m, uint32_t place, unsigned depth)
{
    interval spare[SPARES];
    init_all(spare, out);
    const bool known = log_of_size(&spare[0], m, m->operands[place][0], depth + 1);
    interval_ratio(&spare[1], m->nodes[place]->number);
    if (known) interval_mul(out, &spare[0], &spare[1]);
    clear_all(spare);
    return known;
}

/* Computes log |value| of the node at `place`. */
static bool log_of_size(interval *out, const struct magnitude *m, uint32_t place, unsigned depth)
{
    const interval *argument = &m->values[m->operands[place][0]];
    if (log_of_regular(out, &m->values[place])) return true;
    if (depth > DEEPEST) return false;
    switch (m->nodes[place]->kind) {
    case EXPR_exp: interval_copy(out, argument); return is_finite(argument);
    case EXPR_erfc: return log_erfc(out, argument, false);
    case EXPR_normcdf: return log_normcdf(out, argument);
    case EXPR_sigmoid: return log_sigmoid(out, argument);
    case EXPR_NEG: return log_of_size(out, m, m->operands[place][0], depth + 1);
    case EXPR_POWER: return log_of_power(out, m, place, depth);
    case EXPR_MUL:
    case EXPR_DIV: return log_of_pair(out, m, place, depth);
    default: return false;
    }
}

/* Returns -1 or 1, or 0 if the sign is not known. */
static int sign_of(const interval *a)
{
    if (a->state != INTERVAL_DEFINED) return 0;
    return mpfr_sgn(a->lo) >= 0 ? 1 : mpfr_sgn(a->hi) <= 0 ? -1 : 0;
}

bool magnitude_is_needed(const expr *node, const interval *value)
{
    if (node->kind != EXPR_MUL && node->kind != EXPR_DIV && node->kind != EXPR_log) return false;
    if (!mpfr_overflow_p() && !mpfr_underflow_p()) return false;
    return value->state == INTERVAL_DOUBTFUL ||
           (value->state == INTERVAL_DEFINED && !interval_is_point(value) &&
            (!mpfr_regular_p(value->lo) || !mpfr_regular_p(value->hi)));
}

static void refine_product(interval *out, const struct magnitude *m, uint32_t place)
{
    const int sign = sign_of(&m->values[m->operands[place][0]]) * sign_of(&m->values[m->operands[place][1]]);
    interval log, size;
    if (!sign) return;
    interval_init(&log, mpfr_get_prec(out->lo));
    interval_init(&size, mpfr_get_prec(out->lo));
    if (log_of_pair(&log, m, place, 0) && is_finite(&log)) {
        interval_exp(&size, &log, NULL);
        if (sign < 0)
            interval_neg(out, &size);
        else
            interval_copy(out, &size);
    }
    interval_clear(&log);
    interval_clear(&size);
}

static void refine_logarithm(interval *out, const struct magnitude *m, uint32_t place)
{
    const uint32_t operand = m->operands[place][0];
    interval log;
    if (sign_of(&m->values[operand]) <= 0) return;
    interval_init(&log, mpfr_get_prec(out->lo));
    if (log_of_size(&log, m, operand, 0) && is_finite(&log)) interval_copy(out, &log);
    interval_clear(&log);
}

void magnitude_refine(interval *out, const struct magnitude *m, uint32_t place)
{
    if (m->nodes[place]->kind == EXPR_log)
        refine_logarithm(out, m, place);
    else
        refine_product(out, m, place);
}
