/* Walks over the formula with Taylor models. A function of a model is the function's Taylor series about the
 * middle of the argument. Recurrences give the coefficients from one or two values of the reference.
 * Lagrange's formula bounds the rest.
 *
 * Where the argument spans too much for a series, the model has no slope: it is the reference's interval of
 * the values on the whole argument. Tails that have decayed therefore cost nothing. */
#include "formula_model.h"

#include "evaluate.h"
#include "reference.h"
#include "ziv.h"

#include <stdlib.h>
#include <string.h>

enum {
    PRECISION = 160,
    TERMS = MODEL_DEGREE + 1, /* terms of a series */
    /* The largest exponent of numbers that go through MPFR. Beyond it, nothing is known. */
    MOST_EXPONENT = 1 << 29
};

struct formula_model {
    struct arena_guest guest;
    const expr **nodes;
    uint32_t (*operands)[3], count;
    struct model *values;
    struct model two_over_root_pi;
    enum truth *truths;
    interval in, out, scratch[INTERVAL_SCRATCH];
};

static void release_formula_model(struct arena_guest *guest)
{
    struct formula_model *f = (struct formula_model *)guest;
    interval_clear(&f->in);
    interval_clear(&f->out);
    for (int k = 0; k < INTERVAL_SCRATCH; k++) interval_clear(&f->scratch[k]);
}

static struct model model_of_constant(const expr *e)
{
    if (expr_is_number(e, 0, 1)) return model_number(0);
    mpfr_t value, low, high;
    mpfr_init2(value, PRECISION);
    mpfr_init2(low, PRECISION);
    mpfr_init2(high, PRECISION);
    reference_constant(value, e, PRECISION - 20);
    mpfr_set(low, value, MPFR_RNDN);
    mpfr_set(high, value, MPFR_RNDN);
    struct model r = mpfr_zero_p(value) ? model_unknown : model_between(low, high);
    if (r.known) r = model_widened(r, ldexp(fabs(r.c[0].high), 24 - PRECISION));
    mpfr_clear(value);
    mpfr_clear(low);
    mpfr_clear(high);
    return r;
}

struct formula_model *formula_model_create(arena *memory, const expr *simplified)
{
    struct formula_model *f = arena_alloc(memory, sizeof *f);
    f->nodes = expr_walk(memory, simplified, &f->count);
    f->operands = expr_operand_places(memory, f->nodes, f->count);
    f->values = arena_alloc(memory, f->count * sizeof *f->values);
    f->truths = arena_alloc(memory, f->count * sizeof *f->truths);
    for (uint32_t i = 0; i < f->count; i++) {
        const expr *node = f->nodes[i];
        if (expr_is_constant(node) && !expr_is_truth(node)) f->values[i] = model_of_constant(node);
    }
    interval_init(&f->in, PRECISION);
    interval_init(&f->out, PRECISION);
    for (int k = 0; k < INTERVAL_SCRATCH; k++) interval_init(&f->scratch[k], PRECISION);
    arena_host(memory, &f->guest, release_formula_model);
    interval_pi(&f->in); /* 2 / sqrt(pi) */
    interval_sqrt(&f->out, &f->in, f->scratch);
    interval_integer(&f->in, 2);
    interval_div(&f->scratch[0], &f->in, &f->out);
    f->two_over_root_pi = model_between(f->scratch[0].lo, f->scratch[0].hi);
    return f;
}

/* -- functions -- */

static interval_function *function_of(enum expr_kind kind)
{
    switch (kind) {
#define FUNCTION(name, ...)                                                                                  \
    case EXPR_##name:                                                                                        \
        return interval_##name;
#include "functions.def"
#undef FUNCTION
    default: return NULL;
    }
}

static void set_scaled(mpfr_ptr out, double value, long exponent)
{
    mpfr_set_d(out, value, MPFR_RNDN);
    mpfr_mul_2si(out, out, exponent, MPFR_RNDN);
}

/* Returns the function on [low, high] * 2^exponent. */
static struct model on_interval(struct formula_model *f, enum expr_kind kind, double low, double high,
                                long exponent)
{
    interval_function *function = function_of(kind);
    if (!function || labs(exponent) > MOST_EXPONENT) return model_unknown;
    interval_integer(&f->in, 0); /* defined, closed */
    set_scaled(f->in.lo, low, exponent);
    set_scaled(f->in.hi, high, exponent);
    f->out.lo_open = f->out.hi_open = false;
    function(&f->out, &f->in, f->scratch);
    return f->out.state == INTERVAL_DEFINED ? model_between(f->out.lo, f->out.hi) : model_unknown;
}

static struct model at_centre(struct formula_model *f, enum expr_kind kind, const struct model *centre)
{
    return on_interval(f, kind, centre->c[0].high, centre->c[0].high, centre->exponent);
}

/* An expansion of a function about the middle of its argument. */
struct expansion {
    struct model centre;
    double reach; /* |argument - centre| <= reach */
};

static struct expansion expansion_of(const struct model *a)
{
    struct expansion x = {{.known = true, .exponent = a->exponent, .sign = a->sign}, 0};
    x.centre.c[0] = pair_of(a->c[0].high);
    const struct model off = model_sub(a, &x.centre);
    x.reach = off.known ? model_size(&off) * model_unit(&off) : (double)INFINITY;
    return x;
}

/* Returns `kind`, exp or expm1, by its series. After n terms, the rest is less than e^centre reach^n / n!
 * e^reach. */
static struct model of_exponential(struct formula_model *f, enum expr_kind kind, const struct model *a)
{
    const struct expansion x = expansion_of(a);
    if (!(x.reach <= 1)) return model_unknown;
    const struct model power = at_centre(f, EXPR_exp, &x.centre);
    struct model series[TERMS];
    series[0] = at_centre(f, kind, &x.centre);
    double left = 3 * x.reach;
    for (unsigned k = 1; k < TERMS; k++) {
        const struct model number = model_number(k), term = k > 1 ? series[k - 1] : power;
        series[k] = k > 1 ? model_div(&term, &number) : power;
        left = left * x.reach / (k + 1) * MODEL_GROW;
    }
    const struct model one = model_widened(model_number(0), left), rest = model_mul(&one, &power),
                       sum = model_series(a, &x.centre, series, TERMS);
    return model_add(&sum, &rest);
}

/* Finds the series of the bell. e^(-(c + t)^2) is e^(-c^2) times the sum of d_k t^k, where
 * (k + 1) d_(k+1) = -2 (c d_k + d_(k-1)). With absolute values for c and d, this recurrence bounds the
 * coefficients, also about any other point of the argument. There, e^(-c^2) is at most e times as large if 2
 * |c| reach <= 1. `series` is the series of erf, without its first term and the factor. */
static struct model bell_series(const struct expansion *x, struct model *series, double c)
{
    struct pair d = pair_of(1), before = pair_of(0);
    double most = fabs(c) + x->reach, bound = 1, bound_before = 0, power = x->reach, errors = 0;
    for (unsigned k = 0; k < MODEL_DEGREE; k++) { /* d_k, of t^(k + 1) / (k + 1) in the integral */
        const struct pair n = pair_of(k + 1);
        const struct pair term = pair_div(d, n);
        series[k + 1] = model_number(term.high);
        const struct model low = model_number(term.low);
        series[k + 1] = model_add(&series[k + 1], &low);
        errors += bound * power * (k + 1);
        const struct pair sum = pair_add(pair_mul(pair_of(c), d), before);
        const struct pair next = pair_div(pair_mul(pair_of(-2), sum), n);
        const double bound_next = 2 * (most * bound + bound_before) / (k + 1) * MODEL_GROW;
        before = d;
        d = next;
        bound_before = bound;
        bound = bound_next;
        power *= x->reach * MODEL_GROW;
    }
    const double rest = 3 * bound * power / (double)MODEL_DEGREE + 64 * PAIR_ERROR * errors;
    return model_widened(model_number(0), rest * MODEL_GROW);
}

/* Returns erf or erfc: the integral of the bell from the middle of the argument on. */
static struct model of_error_function(struct formula_model *f, enum expr_kind kind, const struct model *a)
{
    const struct expansion x = expansion_of(a);
    if (!(x.reach <= 0.5) || labs(x.centre.exponent) > 900) return model_unknown;
    const double c = ldexp(x.centre.c[0].high, (int)x.centre.exponent);
    if (!(2 * fabs(c) * x.reach <= 1)) return model_unknown;
    struct model series[TERMS];
    const struct model rest = bell_series(&x, series, c), zero = model_number(0),
                       first = at_centre(f, kind, &x.centre), square = model_mul(&x.centre, &x.centre),
                       less = model_neg(&square);
    series[0] = zero;
    struct model sum = model_series(a, &x.centre, series, TERMS);
    sum = model_add(&sum, &rest);
    const struct model bell = of_exponential(f, EXPR_exp, &less);
    sum = model_mul(&sum, &bell);
    sum = model_mul(&sum, &f->two_over_root_pi);
    return kind == EXPR_erf ? model_add(&first, &sum) : model_sub(&first, &sum);
}

/* Returns erf near 0, where it is its first term up to a third of its argument's square. The series would
 * leave the range of doubles there. */
static struct model of_tiny_erf(const struct formula_model *f, const struct model *a)
{
    const struct model square = model_mul(a, a);
    if (!square.known || square.exponent > -200) return model_unknown;
    struct model factor = model_number(1);
    factor = model_widened(factor, 0x1p-139);
    factor = model_mul(&factor, &f->two_over_root_pi);
    return model_mul(&factor, a);
}

static struct model of_sigmoid(struct formula_model *f, const struct model *a)
{
    const struct model less = model_neg(a), power = of_exponential(f, EXPR_exp, &less), one = model_number(1),
                       below = model_add(&one, &power);
    return model_div(&one, &below);
}

static struct model of_tanh(struct formula_model *f, const struct model *a)
{
    const struct model twice = model_scale(a, 1), above = of_exponential(f, EXPR_expm1, &twice),
                       two = model_number(2), below = model_add(&above, &two);
    return model_div(&above, &below);
}

static struct model by_series(struct formula_model *f, enum expr_kind kind, const struct model *a)
{
    switch (kind) {
    case EXPR_exp:
    case EXPR_expm1: return of_exponential(f, kind, a);
    case EXPR_erf:
        if (a->exponent < -300) return of_tiny_erf(f, a); /* fall through */
    case EXPR_erfc: return of_error_function(f, kind, a);
    case EXPR_sigmoid: return of_sigmoid(f, a);
    case EXPR_tanh: return of_tanh(f, a);
    default: return model_unknown;
    }
}

/* A share of the value's size. A series with a smaller rest is taken without the interval over the whole
 * argument, which would cost as much. */
static const double GOOD_REST = 0x1p-70;

static double share_of_rest(const struct model *a)
{
    const double size = model_size(a);
    return a->known ? (size > 0 ? a->rest / size : 0) : (double)INFINITY;
}

static struct model of_function(struct formula_model *f, enum expr_kind kind, const struct model *a)
{
    if (!a->known) return model_unknown;
    double low, high;
    model_range(a, &low, &high);
    const struct model r = by_series(f, kind, a);
    if (share_of_rest(&r) <= GOOD_REST) return r;
    const struct model flat = on_interval(f, kind, low, high, a->exponent);
    return share_of_rest(&flat) < share_of_rest(&r) || !r.known ? flat : r;
}

/* -- formulas -- */

static struct model model_power(const struct model *a, mpq_srcptr exponent)
{
    if (!a->known || mpz_cmp_ui(mpq_denref(exponent), 1) || !mpz_fits_slong_p(mpq_numref(exponent)))
        return model_unknown;
    const long n = mpz_get_si(mpq_numref(exponent));
    if (labs(n) > 64) return model_unknown;
    struct model r = model_number(1), square = *a;
    for (long k = labs(n); k; k >>= 1) {
        if (k & 1) r = model_mul(&r, &square);
        square = model_mul(&square, &square);
    }
    const struct model one = model_number(1);
    return n < 0 ? model_div(&one, &r) : r;
}

static enum truth compare_models(enum expr_kind kind, const struct model *a, const struct model *b)
{
    double low, high;
    const struct model less = model_sub(a, b);
    if (!less.known) return TRUTH_UNKNOWN;
    model_range(&less, &low, &high);
    if (kind == EXPR_EQ) return low > 0 || high < 0 ? TRUTH_FALSE : TRUTH_UNKNOWN;
    if (high < 0) return TRUTH_TRUE;
    return low > 0 ? TRUTH_FALSE : TRUTH_UNKNOWN;
}

static enum truth truth_of(const struct formula_model *f, uint32_t i)
{
    const enum expr_kind kind = f->nodes[i]->kind;
    const uint32_t *o = f->operands[i];
    const enum truth a = f->truths[o[0]], b = f->truths[o[1]];
    const enum truth decisive = kind == EXPR_AND ? TRUTH_FALSE : TRUTH_TRUE;
    switch (kind) {
    case EXPR_LT:
    case EXPR_LE:
    case EXPR_EQ: return compare_models(kind, &f->values[o[0]], &f->values[o[1]]);
    case EXPR_NOT: return a == TRUTH_UNKNOWN ? a : a == TRUTH_TRUE ? TRUTH_FALSE : TRUTH_TRUE;
    case EXPR_AND:
    case EXPR_OR:
        if (a == decisive || b == decisive) return decisive;
        return a == TRUTH_UNKNOWN ? a : b;
    default: return TRUTH_UNKNOWN;
    }
}

static struct model model_of_node(struct formula_model *f, uint32_t i, const struct model *x)
{
    const expr *node = f->nodes[i];
    const uint32_t *o = f->operands[i];
    const struct model *a = &f->values[o[0]], *b = &f->values[o[1]], *c = &f->values[o[2]];
    enum truth less;
    switch (node->kind) {
    case EXPR_INPUT: return *x;
    case EXPR_ADD: return model_add(a, b);
    case EXPR_SUB: return model_sub(a, b);
    case EXPR_MUL: return model_mul(a, b);
    case EXPR_DIV: return model_div(a, b);
    case EXPR_NEG: return model_neg(a);
    case EXPR_POWER: return model_power(a, node->number);
    case EXPR_MIN:
    case EXPR_MAX:
        less = compare_models(EXPR_LT, a, b);
        if (less == TRUTH_UNKNOWN) return model_unknown;
        return (less == TRUTH_TRUE) == (node->kind == EXPR_MIN) ? *a : *b;
    case EXPR_IF:
        if (f->truths[o[0]] == TRUTH_UNKNOWN) return model_unknown;
        return f->truths[o[0]] == TRUTH_TRUE ? *b : *c;
    case EXPR_abs: return a->sign > 0 ? *a : a->sign < 0 ? model_neg(a) : model_unknown;
    default: return of_function(f, node->kind, a);
    }
}

static bool is_covered(const expr *e)
{
    switch (e->kind) {
    case EXPR_exp:
    case EXPR_expm1:
    case EXPR_erf:
    case EXPR_erfc:
    case EXPR_sigmoid:
    case EXPR_tanh:
    case EXPR_abs: return true;
    case EXPR_POWER: return !mpz_cmp_ui(mpq_denref(e->number), 1);
    default: return e->kind < EXPR_FIRST_FUNCTION && e->kind != EXPR_CAST;
    }
}

const char *formula_model_lacks(const expr *simplified, arena *memory)
{
    uint32_t count;
    const expr **nodes = expr_walk(memory, simplified, &count);
    for (uint32_t i = 0; i < count; i++)
        if (!expr_is_constant(nodes[i]) && !is_covered(nodes[i])) return expr_kind_name(nodes[i]->kind);
    return NULL;
}

struct model formula_model_at(struct formula_model *f, const struct model *x)
{
    const struct range saved = range_widen();
    for (uint32_t i = 0; i < f->count; i++) {
        const expr *node = f->nodes[i];
        if (expr_is_truth(node))
            f->truths[i] = truth_of(f, i);
        else if (!expr_is_constant(node))
            f->values[i] = model_of_node(f, i, x);
    }
    range_restore(saved);
    return f->values[f->count - 1];
}
