/* Sums, products and powers of series, each cut where its terms are no longer known or wanted. */
#include "series_terms.h"

#include "letters.h"
#include "reference.h"

#include <math.h>

/* -- factors -- */

enum { MOST_FACTORS = 1 << 12, REFERENCE_WORK = 1 << 10 };

struct factors factors_new(arena *memory, uint64_t *work, long window)
{
    return (struct factors){expr_dag_create(memory, MOST_FACTORS), work, window};
}

bool factors_failed(const struct factors *f) { return !*f->work || expr_dag_full(f->dag); }

/* Subtracts the work from the work that is left. Returns false if not enough is left. */
static bool pay_for_factors(struct factors *f, uint64_t work)
{
    *f->work = *f->work > work ? *f->work - work : 0;
    return !factors_failed(f);
}

const expr *factor_simplified(struct factors *f, const expr *e)
{
    if (e->kind == EXPR_NUMBER) return expr_number(f->dag, e->number);
    const bool may = pay_for_factors(f, (uint64_t)e->id + expr_dag_count(f->dag));
    return may ? expr_simplify(f->dag, e, NULL) : expr_integer(f->dag, 0);
}

static const expr *combined(struct factors *f, enum expr_kind kind, const expr *a, const expr *b)
{
    const bool are_numbers = a->kind == EXPR_NUMBER && b->kind == EXPR_NUMBER;
    pay_for_factors(f, 1);
    return are_numbers ? expr_combined(f->dag, kind, a, b)
                       : factor_simplified(f, expr_binary(f->dag, kind, a, b));
}

const expr *factor_plus(struct factors *f, const expr *a, const expr *b)
{
    return combined(f, EXPR_ADD, a, b);
}

const expr *factor_times(struct factors *f, const expr *a, const expr *b)
{
    if (expr_is_number(a, 1, 1)) return b;
    if (expr_is_number(b, 1, 1)) return a;
    return combined(f, EXPR_MUL, a, b);
}

int factor_sign(struct factors *f, const expr *factor)
{
    const double none = 0;
    double value = NAN;
    bool is_zero = false;
    if (factor->kind == EXPR_NUMBER) return mpq_sgn(factor->number);
    if (!expr_is_constant(factor)) {
        const expr *number = letters_number(factor, f->work);
        return number ? mpq_sgn(number->number) : SIGN_UNKNOWN;
    }
    if (!pay_for_factors(f, REFERENCE_WORK)) return SIGN_UNKNOWN;
    reference *truth = reference_create(factor, factor, 0);
    const bool is_known = truth && reference_value(truth, &none, &value, &is_zero) == REFERENCE_DECIDED;
    reference_free(truth);
    if (!truth) arena_fail(factor->memory);
    if (!is_known || !isfinite(value)) return SIGN_UNKNOWN;
    return is_zero || value == 0 ? 0 : value < 0 ? -1 : 1;
}

/* -- series -- */

struct series series_open(enum series_state state) { return (struct series){.state = state}; }
struct series series_rest(long order) { return (struct series){.order = order}; }

struct series series_constant(const expr *value)
{
    struct series s = series_rest(SERIES_EXACT);
    if (!expr_is_number(value, 0, 1)) s.term[s.count++].factor = value;
    return s;
}

enum series_state series_both(const struct series *a, const struct series *b)
{
    if (a->state == SERIES_IS_OPEN || b->state == SERIES_IS_OPEN) return SERIES_IS_OPEN;
    return a->state != SERIES_IS_SUM ? a->state : b->state;
}

/* Returns the power of the first term, or the order of the remainder if there are no terms. */
static long first_power(const struct series *a) { return a->count ? a->term[0].power : a->order; }

/* Returns the order of a product of two factors of these orders. */
static long order_times(long a, long b)
{
    if (a == SERIES_EXACT || b == SERIES_EXACT) return SERIES_EXACT;
    return a + b >= SERIES_BEYOND || a == SERIES_BEYOND || b == SERIES_BEYOND ? SERIES_BEYOND : a + b;
}

/* Adds a term to a series. If the series is full, its last term becomes a part of the remainder. */
static void add_term(struct factors *f, struct series *s, long power, const expr *factor)
{
    unsigned i = s->count;
    while (i && s->term[i - 1].power > power) i--;
    if (power >= s->order || expr_is_number(factor, 0, 1)) return;
    if (i && s->term[i - 1].power == power) {
        const expr *sum = factor_plus(f, s->term[i - 1].factor, factor);
        s->term[i - 1].factor = sum;
        if (!expr_is_number(sum, 0, 1)) return;
        for (s->count--; i <= s->count; i++) s->term[i - 1] = s->term[i];
        return;
    }
    if (s->count == SERIES_MOST_TERMS) {
        s->order = i == s->count ? power : s->term[s->count - 1].power;
        if (i == s->count) return;
        s->count--;
    }
    for (unsigned k = s->count++; k > i; k--) s->term[k] = s->term[k - 1];
    s->term[i] = (struct series_term){power, factor};
}

/* Moves terms beyond the window, and beyond the order, into the remainder. */
static void cut_series(const struct factors *f, struct series *s)
{
    const long end = s->count ? s->term[0].power + f->window : SERIES_EXACT;
    while (s->count && (s->term[s->count - 1].power >= end || s->term[s->count - 1].power >= s->order))
        if (s->term[--s->count].power < s->order) s->order = s->term[s->count].power;
}

struct series series_plus(struct factors *f, const struct series *a, const struct series *b)
{
    if (series_both(a, b) != SERIES_IS_SUM) return series_open(series_both(a, b));
    struct series s = series_rest(a->order < b->order ? a->order : b->order);
    for (unsigned i = 0; i < a->count; i++) add_term(f, &s, a->term[i].power, a->term[i].factor);
    for (unsigned i = 0; i < b->count; i++) add_term(f, &s, b->term[i].power, b->term[i].factor);
    cut_series(f, &s);
    return s;
}

struct series series_times(struct factors *f, const struct series *a, const struct series *b)
{
    if (series_both(a, b) != SERIES_IS_SUM) return series_open(series_both(a, b));
    const long left = order_times(first_power(a), b->order), right = order_times(a->order, first_power(b));
    struct series s = series_rest(left < right ? left : right);
    /* powers from here on are not worth computing */
    const long end = first_power(a) + first_power(b) + f->window;
    for (unsigned i = 0; i < a->count; i++) {
        for (unsigned k = 0; k < b->count; k++) {
            const long power = a->term[i].power + b->term[k].power;
            if (power >= end && power < s.order) s.order = power;
            if (power < s.order)
                add_term(f, &s, power, factor_times(f, a->term[i].factor, b->term[k].factor));
        }
    }
    cut_series(f, &s);
    return s;
}

struct series series_scaled(struct factors *f, const struct series *a, const expr *factor)
{
    const struct series constant = series_constant(factor);
    return series_times(f, a, &constant);
}

struct series series_minus(struct factors *f, const struct series *a, const struct series *b)
{
    const struct series negative = series_scaled(f, b, expr_integer(f->dag, -1));
    return series_plus(f, a, &negative);
}

int series_sign(struct factors *f, struct series *a)
{
    if (a->state != SERIES_IS_SUM) return SIGN_UNKNOWN;
    while (a->count) {
        const int sign = factor_sign(f, a->term[0].factor);
        if (sign) return sign;
        for (unsigned i = 1; i < a->count; i++) a->term[i - 1] = a->term[i];
        a->count--;
    }
    return a->order == SERIES_EXACT ? 0 : SIGN_UNKNOWN;
}

const expr *series_deciding_factor(const struct series *a)
{
    return a->count && !expr_is_constant(a->term[0].factor) ? a->term[0].factor : NULL;
}

const expr *series_at_zero(struct factors *f, const struct series *a)
{
    for (unsigned i = 0; i < a->count; i++)
        if (!a->term[i].power) return a->term[i].factor;
    return expr_integer(f->dag, 0);
}

struct series series_moving(const struct series *a)
{
    struct series s = *a;
    s.count = 0;
    for (unsigned i = 0; i < a->count; i++)
        if (a->term[i].power) s.term[s.count++] = a->term[i];
    return s;
}

/* -- powers -- */

unsigned series_powers(const struct factors *f, const struct series *moving)
{
    const long first = first_power(moving), wanted = first > 0 ? (f->window + first - 1) / first : 1;
    return wanted < 1 ? 1 : wanted > SERIES_MOST_POWERS ? SERIES_MOST_POWERS : (unsigned)wanted;
}

/* Computes the sum of coefficient[k] w^k, where w approaches 0. */
static struct series sum_of_powers(struct factors *f, const struct series *w, const expr *const *coefficient,
                                   unsigned count)
{
    struct series sum = series_constant(coefficient[0]), power = series_constant(expr_integer(f->dag, 1));
    if (!w->count && w->order == SERIES_EXACT) return sum;
    for (unsigned k = 1; k < count; k++) {
        power = series_times(f, &power, w);
        const struct series term = series_scaled(f, &power, coefficient[k]);
        sum = series_plus(f, &sum, &term);
    }
    power = series_times(f, &power, w); /* the first power that is left out */
    const struct series rest = series_rest(first_power(&power));
    return series_plus(f, &sum, &rest);
}

/* Computes base^n, n >= 0, by squaring. */
static struct series whole_power(struct factors *f, struct series base, unsigned long n)
{
    struct series result = series_constant(expr_integer(f->dag, 1));
    for (; n; n >>= 1) {
        if (n & 1) result = series_times(f, &result, &base);
        if (n > 1) base = series_times(f, &base, &base);
    }
    return result;
}

/* Computes power * exponent as a whole number of units. Returns false if it is not whole, or is too large to
 * be useful. */
static bool scale_power(long *out, long power, mpq_srcptr exponent)
{
    mpq_t product;
    mpq_init(product);
    mpq_set_si(product, power, 1);
    mpq_mul(product, product, exponent);
    const bool good =
        !mpz_cmp_ui(mpq_denref(product), 1) && mpz_cmpabs_ui(mpq_numref(product), 1ul << 30) < 0;
    if (good) *out = mpz_get_si(mpq_numref(product));
    mpq_clear(product);
    return good;
}

/* Computes the coefficients of (1 + w)^exponent. */
static void binomials(struct factors *f, const expr **out, unsigned count, mpq_srcptr exponent)
{
    mpq_t c, factor;
    mpq_inits(c, factor, NULL);
    mpq_set_si(c, 1, 1);
    for (unsigned k = 0; k < count; k++) {
        out[k] = expr_number(f->dag, c);
        mpq_set_si(factor, -(long)k, 1);
        mpq_add(factor, factor, exponent);
        mpq_mul(c, c, factor);
        mpq_set_si(factor, 1, k + 1);
        mpq_mul(c, c, factor);
    }
    mpq_clears(c, factor, NULL);
}

/* Computes (c h^a (1 + w))^exponent, where c is not 0. */
static struct series power_of_first(struct factors *f, const struct series *a, mpq_srcptr exponent)
{
    long power = 0;
    const expr *coefficient[SERIES_MOST_POWERS], *c = a->term[0].factor;
    if (!scale_power(&power, a->term[0].power, exponent)) return series_open(SERIES_IS_OPEN);
    struct series w = *a;
    if (w.order < SERIES_BEYOND) w.order -= a->term[0].power;
    w.count--;
    for (unsigned i = 0; i < w.count; i++)
        w.term[i] = (struct series_term){a->term[i + 1].power - a->term[0].power, a->term[i + 1].factor};
    w = series_scaled(f, &w, factor_simplified(f, expr_power_ratio(f->dag, c, -1, 1)));
    const unsigned count = series_powers(f, &w);
    binomials(f, coefficient, count, exponent);
    struct series s = sum_of_powers(f, &w, coefficient, count);
    for (unsigned i = 0; i < s.count; i++) s.term[i].power += power;
    if (s.order < SERIES_BEYOND) s.order += power;
    return series_scaled(f, &s, factor_simplified(f, expr_power(f->dag, c, exponent)));
}

struct series series_power(struct factors *f, const struct series *a, mpq_srcptr exponent)
{
    const bool is_whole = !mpz_cmp_ui(mpq_denref(exponent), 1), is_positive = mpq_sgn(exponent) >= 0;
    if (a->state != SERIES_IS_SUM) return series_open(a->state);
    if (is_whole && is_positive) return whole_power(f, *a, mpz_get_ui(mpq_numref(exponent)));
    struct series base = *a;
    const int sign = series_sign(f, &base);
    if (sign < 0 && !is_whole) return series_open(SERIES_IS_NAN);
    if (sign != SIGN_UNKNOWN && sign) return power_of_first(f, &base, exponent);
    if (sign == 0 && is_positive) return series_rest(SERIES_EXACT);
    /* Other inputs may make the deciding factor 0. The formula then has no value either, or has the value of
     * this power. */
    if (sign == SIGN_UNKNOWN && series_deciding_factor(&base)) return power_of_first(f, &base, exponent);
    return series_open(SERIES_IS_OPEN);
}

struct series series_taylor(struct factors *f, const struct series *a, const expr *const *derivative,
                            unsigned count)
{
    const expr *coefficient[SERIES_MOST_POWERS];
    const struct series w = series_moving(a);
    unsigned long factorial = 1;
    for (unsigned k = 0; k < count; k++) {
        factorial *= k ? k : 1;
        coefficient[k] = factor_times(f, expr_ratio(f->dag, 1, factorial), derivative[k]);
    }
    return sum_of_powers(f, &w, coefficient, count);
}
