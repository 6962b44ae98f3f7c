/* Walks the formula: every node is an extended value. */
#include "compose.h"
#include "extended_fit.h"

#include <math.h>

enum { LARGEST_INTEGER_POWER = 64, CONSTANT_BITS = 160 };

struct walk {
    struct extender *c;
    struct extended *value; /* by node id; conditions have theirs in `high` */
};

/* What f64 does not hold has an exponent of its own. */
static struct extended constant_value(struct extender *c, const expr *e)
{
    mpfr_t value;
    mpfr_exp_t exponent = 0;
    mpfr_init2(value, CONSTANT_BITS);
    reference_constant(value, e, CONSTANT_BITS - 8);
    if (mpfr_regular_p(value) && (mpfr_get_exp(value) < -900 || mpfr_get_exp(value) > 1000)) {
        exponent = mpfr_get_exp(value);
        mpfr_set_exp(value, 0);
    }
    const struct ext_pair pair = ext_split(value);
    mpfr_clear(value);
    const struct extended v = ext_constant(c, pair);
    return exponent ? ext_scaled(c, v, ext_number(c, (double)exponent)) : v;
}

/* `y`, but NaN where the value of `e` is. */
static struct extended unless_undefined(struct walk *w, const expr *e, struct extended y)
{
    lane_program *p = w->c->program;
    if (!compose_may_be_undefined(p->memory, e)) return y;
    const lane_value v = w->value[e->id].high;
    y.high = lane_select(p, lane_binary(p, LANE_EQ, v, v), y.high, v);
    return y;
}

/* What a condition chose, but NaN where that has no truth value. */
static struct extended unless_undecided(struct walk *w, const expr *condition, struct extended y)
{
    for (unsigned k = 0; k < expr_arity(condition->kind); k++)
        y = expr_is_truth(condition->operand[k]) ? unless_undecided(w, condition->operand[k], y)
                                                 : unless_undefined(w, condition->operand[k], y);
    return y;
}

/* x^n by squarings. */
static struct extended integer_power(struct extender *c, struct extended x, unsigned long n)
{
    struct extended power = x, result = ext_integer(c, 1);
    bool started = false;
    for (; n; n >>= 1) {
        if (n & 1) result = started ? ext_mul(c, result, power) : power;
        started = started || (n & 1);
        if (n > 1) power = ext_mul(c, power, power);
    }
    return result;
}

/* x^|exponent|: integers by products, halves and quarters by square roots, others by exp(exponent log x). */
static struct extended magnitude_power(struct extender *c, struct extended x, mpq_srcptr exponent)
{
    const bool small = mpz_cmpabs_ui(mpq_numref(exponent), LARGEST_INTEGER_POWER) <= 0 &&
                       mpz_cmp_ui(mpq_denref(exponent), 4) <= 0 && mpz_cmp_ui(mpq_denref(exponent), 3) != 0;
    if (small) {
        for (unsigned long root = mpz_get_ui(mpq_denref(exponent)); root > 1; root /= 2) x = ext_sqrt(c, x);
        return integer_power(c, x, mpz_get_ui(mpq_numref(exponent)));
    }
    mpfr_t factor;
    mpfr_init2(factor, CONSTANT_BITS);
    mpfr_set_q(factor, exponent, MPFR_RNDN);
    mpfr_abs(factor, factor, MPFR_RNDN);
    const struct ext_pair pair = ext_split(factor);
    mpfr_clear(factor);
    return extended_exp(c, ext_mul(c, ext_constant(c, pair), extended_log(c, x)));
}

static struct extended power_of(struct extender *c, struct extended x, mpq_srcptr exponent)
{
    const struct extended y = magnitude_power(c, x, exponent);
    return mpq_sgn(exponent) < 0 ? ext_div(c, ext_integer(c, 1), y) : y;
}

static const extended_function functions[EXPR_KIND_COUNT] = {
#define FUNCTION(name) [EXPR_##name] = extended_##name,
#define extended_sin   NULL /* see node_value */
#define extended_cos   NULL
#define DEFINED(name)
#include "functions.def"
#undef FUNCTION
};

static struct extended truth(lane_value v) { return ext_single(v); }

/* min or max: the second where one is NaN. */
static struct extended choice(struct walk *w, const expr *e)
{
    const struct extended a = w->value[e->operand[0]->id], b = w->value[e->operand[1]->id];
    const bool least = e->kind == EXPR_MIN;
    const lane_value less = ext_compare(w->c, LANE_LT, least ? a : b, least ? b : a);
    return unless_undefined(w, e->operand[0], ext_select(w->c, less, a, b));
}

/* A constant power of two times `a`: exact, and cheap. */
static bool is_power_of_two(const expr *e)
{
    return e->kind == EXPR_NUMBER && mpz_popcount(mpq_denref(e->number)) == 1 &&
           mpz_cmpabs_ui(mpq_numref(e->number), 1) == 0 && mpz_sizeinbase(mpq_denref(e->number), 2) < 64;
}

static struct extended product(struct walk *w, const expr *e)
{
    struct extender *c = w->c;
    struct extended a = w->value[e->operand[0]->id], b = w->value[e->operand[1]->id];
    for (int side = 0; side < 2; side++) {
        const expr *factor = e->operand[side];
        struct extended other = side ? a : b;
        if (expr_is_number(factor, -1, 1)) return ext_neg(c, other);
        if (!is_power_of_two(factor)) continue;
        const lane_value scale = ext_number(c, mpq_get_d(factor->number));
        other.high = ext_times(c, other.high, scale);
        if (other.has_low) other.low = ext_times(c, other.low, scale);
        return other;
    }
    return ext_mul(c, a, b);
}

/* erfc(-x / sqrt 2) is 2 normcdf(x), whose argument needs no product. */
static bool is_normcdf(const expr *e)
{
    const expr *argument = e->operand[0];
    if (argument->kind != EXPR_MUL || !expr_is_constant(argument->operand[0])) return false;
    mpfr_t square;
    mpfr_init2(square, CONSTANT_BITS);
    reference_constant(square, argument->operand[0], CONSTANT_BITS - 8);
    const bool negative = mpfr_sgn(square) < 0;
    mpfr_sqr(square, square, MPFR_RNDN);
    mpfr_sub_d(square, square, 0.5, MPFR_RNDN);
    const bool is_half = mpfr_zero_p(square) || mpfr_get_exp(square) < -(CONSTANT_BITS - 16);
    mpfr_clear(square);
    return negative && is_half;
}

static struct extended complement(struct walk *w, const expr *e)
{
    struct extender *c = w->c;
    if (!is_normcdf(e)) return extended_erfc(c, w->value[e->operand[0]->id]);
    struct extended y = extended_normcdf(c, w->value[e->operand[0]->operand[1]->id]);
    y.high = ext_plus(c, y.high, y.high);
    if (y.has_low) y.low = ext_plus(c, y.low, y.low);
    return y;
}

static struct extended node_value(struct walk *w, const expr *e)
{
    struct extender *c = w->c;
    lane_program *p = c->program;
    struct extended operand[3] = {{0}};
    if (expr_is_constant(e) && !expr_is_truth(e)) return constant_value(c, e);
    for (unsigned k = 0; k < expr_arity(e->kind); k++) operand[k] = w->value[e->operand[k]->id];
    const struct extended a = operand[0], b = operand[1];
    switch (e->kind) {
    case EXPR_INPUT: return c->input;
    case EXPR_ADD: return ext_add(c, a, b);
    case EXPR_SUB: return ext_sub(c, a, b);
    case EXPR_MUL: return product(w, e);
    case EXPR_DIV: return ext_div(c, a, b);
    case EXPR_NEG: return ext_neg(c, a);
    case EXPR_POWER: return power_of(c, a, e->number);
    case EXPR_MIN:
    case EXPR_MAX: return choice(w, e);
    case EXPR_CAST: return a; /* lower/ keeps casts out of pieces */
    case EXPR_IF: return unless_undecided(w, e->operand[0], ext_select(c, a.high, b, operand[2]));
    case EXPR_LT: return truth(ext_compare(c, LANE_LT, a, b));
    case EXPR_LE: return truth(ext_compare(c, LANE_LE, a, b));
    case EXPR_EQ: return truth(ext_compare(c, LANE_EQ, a, b));
    case EXPR_NOT: return truth(lane_unary(p, LANE_MNOT, a.high));
    case EXPR_AND: return truth(lane_binary(p, LANE_MAND, a.high, b.high));
    case EXPR_OR: return truth(lane_binary(p, LANE_MOR, a.high, b.high));
    case EXPR_erfc: return complement(w, e);
    case EXPR_sin: return extended_sine(c, e->operand[0], a);
    case EXPR_cos: return extended_cosine(c, e->operand[0], a);
    default:
        if (functions[e->kind]) return functions[e->kind](c, a);
        c->impossible = "the formula as written has functions that are formulas of others";
        return a;
    }
}

struct extended extended_expr(struct extender *c, const expr *e, lane_value x, bool normalized)
{
    uint32_t count;
    arena *memory = c->program->memory;
    const expr **nodes = expr_walk(memory, e, &count);
    struct walk w = {c, arena_alloc(memory, ((size_t)e->id + 1) * sizeof *w.value)};
    c->input = ext_single(x);
    if (normalized) c->input = ext_normalized(c, c->input);
    for (uint32_t i = 0; i < count; i++) w.value[nodes[i]->id] = node_value(&w, nodes[i]);
    return w.value[e->id];
}
