/* Walks the formula and emits its operations; see compose_exp.c, compose_erf.c, compose_trigonometric.c
 * for the functions. */
#include "compose.h"
#include "reference.h"

#include <math.h>

lane_value compose_number(struct composer *c, double value) { return lane_const(c->program, c->type, value); }

lane_value compose_bits(struct composer *c, uint64_t f32_bits, uint64_t f64_bits)
{
    return c->type == LANE_F32 ? lane_const_bits(c->program, LANE_I32, f32_bits)
                               : lane_const_bits(c->program, LANE_I64, f64_bits);
}

lane_value compose_add(struct composer *c, lane_value a, lane_value b)
{
    return lane_binary(c->program, LANE_ADD, a, b);
}
lane_value compose_sub(struct composer *c, lane_value a, lane_value b)
{
    return lane_binary(c->program, LANE_SUB, a, b);
}
lane_value compose_mul(struct composer *c, lane_value a, lane_value b)
{
    return lane_binary(c->program, LANE_MUL, a, b);
}
lane_value compose_div(struct composer *c, lane_value a, lane_value b)
{
    return lane_binary(c->program, LANE_DIV, a, b);
}
lane_value compose_neg(struct composer *c, lane_value a) { return lane_unary(c->program, LANE_NEG, a); }
lane_value compose_fma(struct composer *c, lane_value a, lane_value b, lane_value d)
{
    return lane_fma(c->program, a, b, d);
}

/* min and max give their second operand if either is NaN (lane/ops.def). */
lane_value compose_at_most(struct composer *c, lane_value u, double limit)
{
    return lane_binary(c->program, LANE_MIN, compose_number(c, limit), u);
}

lane_value compose_at_least(struct composer *c, lane_value u, double limit)
{
    return lane_binary(c->program, LANE_MAX, compose_number(c, limit), u);
}

lane_value compose_polynomial(struct composer *c, enum kernel_function kernel, lane_value x)
{
    const struct polynomial *p = polynomial_find(c->cache, kernel, c->type, c->bits);
    lane_value sum = compose_number(c, p->coefficient[p->degree]);
    for (unsigned k = p->degree; k-- > 0;) sum = compose_fma(c, sum, x, compose_number(c, p->coefficient[k]));
    return sum;
}

enum { CONSTANT_BITS = 120 };

/* Multiplies `product`, of CONSTANT_BITS, by the value of a constant expression. */
static void multiply_by_constant(mpfr_t product, const expr *e)
{
    mpfr_t factor;
    mpfr_init2(factor, CONSTANT_BITS);
    reference_constant(factor, e, CONSTANT_BITS);
    mpfr_mul(product, product, factor, MPFR_RNDN);
    mpfr_clear(factor);
}

/* The product of constant expressions, rounded once to the compute type. */
static lane_value compose_constants(struct composer *c, const expr *const *list, unsigned count, bool *exact)
{
    mpfr_t product, rounded;
    mpfr_init2(product, CONSTANT_BITS);
    mpfr_init2(rounded, c->type == LANE_F32 ? 24 : 53);
    mpfr_set_ui(product, 1, MPFR_RNDN);
    for (unsigned i = 0; i < count; i++) multiply_by_constant(product, list[i]);
    mpfr_set(rounded, product, MPFR_RNDN);
    double value = mpfr_get_d(rounded, MPFR_RNDN);
    if (exact) *exact = mpfr_equal_p(rounded, product) && count == 1 && list[0]->kind == EXPR_NUMBER;
    mpfr_clears(product, rounded, (mpfr_ptr)0);
    return compose_number(c, value);
}

static bool is_folded(const expr *e) { return expr_is_constant(e) && !expr_is_truth(e); }

/* x^n by squarings. */
static lane_value integer_power(struct composer *c, lane_value x, unsigned long n)
{
    lane_value power = x, result = 0;
    bool started = false;
    for (; n; n >>= 1) {
        if (n & 1) {
            result = started ? compose_mul(c, result, power) : power;
            started = true;
        }
        if (n > 1) power = compose_mul(c, power, power);
    }
    return started ? result : compose_number(c, 1);
}

enum { LARGEST_INTEGER_POWER = 64 };

/* x^|exponent|: integers by products, halves and quarters by square roots, others by exp(exponent log x). */
static lane_value magnitude_power(struct composer *c, lane_value x, mpq_srcptr exponent)
{
    bool small = mpz_cmpabs_ui(mpq_numref(exponent), LARGEST_INTEGER_POWER) <= 0 &&
                 mpz_cmp_ui(mpq_denref(exponent), 4) <= 0 && mpz_cmp_ui(mpq_denref(exponent), 3) != 0;
    if (small) {
        for (unsigned long root = mpz_get_ui(mpq_denref(exponent)); root > 1; root /= 2)
            x = lane_unary(c->program, LANE_SQRT, x);
        return integer_power(c, x, mpz_get_ui(mpq_numref(exponent)));
    }
    double factor = fabs(mpq_get_d(exponent));
    return compose_exp(c, compose_mul(c, compose_number(c, factor), compose_log(c, x)));
}

struct walk {
    struct composer *composer;
    lane_value *value; /* by node id */
    lane_value input;
};

static lane_value value_of(const struct walk *w, const expr *e) { return w->value[e->id]; }

/* A factor with a negative exponent belongs below the fraction bar. */
static bool is_divisor(const expr *e) { return e->kind == EXPR_POWER && mpq_sgn(e->number) < 0; }

static lane_value divisor_value(struct walk *w, const expr *e)
{
    return magnitude_power(w->composer, value_of(w, e->operand[0]), e->number);
}

/* A number that no float equals, but whose numerator and denominator are floats: multiplied by one and
 * divided by the other, x is rounded as the number times x is. */
static bool is_quotient(const struct composer *c, const expr *e)
{
    return c->quotients && e->kind == EXPR_NUMBER && mpz_popcount(mpq_denref(e->number)) > 1 &&
           mpz_sizeinbase(mpq_numref(e->number), 2) <= 24 && mpz_sizeinbase(mpq_denref(e->number), 2) <= 24;
}

static lane_value times(struct composer *c, bool *started, lane_value product, lane_value factor)
{
    const lane_value result = *started ? compose_mul(c, product, factor) : factor;
    *started = true;
    return result;
}

enum { MOST_CONSTANTS = 16 };

struct fraction {
    lane_value top, bottom;
    bool has_top, has_bottom;
    const expr *constants[MOST_CONSTANTS]; /* above the bar */
    unsigned constant_count;
};

static void collect_factor(struct walk *w, struct fraction *f, const expr *factor)
{
    struct composer *c = w->composer;
    if (is_quotient(c, factor)) {
        f->top = times(c, &f->has_top, f->top, compose_number(c, mpz_get_d(mpq_numref(factor->number))));
        f->bottom =
            times(c, &f->has_bottom, f->bottom, compose_number(c, mpz_get_d(mpq_denref(factor->number))));
    } else if (is_folded(factor) && f->constant_count < MOST_CONSTANTS) {
        f->constants[f->constant_count++] = factor;
    } else if (is_divisor(factor)) {
        f->bottom = times(c, &f->has_bottom, f->bottom, divisor_value(w, factor));
    } else {
        f->top = times(c, &f->has_top, f->top, value_of(w, factor));
    }
}

/* A product as one quotient: the factors of e's right-nested chain, the constant ones folded into one
 * number, those with negative exponents divided by. */
static lane_value compose_product(struct walk *w, const expr *e)
{
    struct composer *c = w->composer;
    struct fraction f = {0};
    for (; e->kind == EXPR_MUL; e = e->operand[1]) collect_factor(w, &f, e->operand[0]);
    collect_factor(w, &f, e);
    bool negates = f.constant_count == 1 && f.has_top && expr_is_number(f.constants[0], -1, 1);
    if (f.constant_count && !negates) {
        lane_value constant = compose_constants(c, f.constants, f.constant_count, NULL);
        f.top = f.has_top ? compose_mul(c, constant, f.top) : constant;
    } else if (!f.has_top) {
        f.top = compose_number(c, 1);
    }
    if (f.has_bottom) f.top = compose_div(c, f.top, f.bottom);
    return negates ? compose_neg(c, f.top) : f.top;
}

/* Whether the factor, or a branch of it, is a constant that is rounded. */
static bool is_rounded(struct walk *w, const expr *factor)
{
    bool exact = true;
    uint32_t count;
    const expr **nodes = expr_walk(w->composer->program->memory, factor, &count);
    if (is_folded(factor)) compose_constants(w->composer, &factor, 1, &exact);
    for (uint32_t i = 0; i < count && exact; i++)
        for (unsigned k = 1; k < 3 && nodes[i]->kind == EXPR_IF && exact; k++)
            if (is_folded(nodes[i]->operand[k]))
                compose_constants(w->composer, &nodes[i]->operand[k], 1, &exact);
    return !exact;
}

/* Whether a product may be fused with a sum: not where a constant factor is rounded, because then 1/6*x +
 * 1/2 would not vanish at -3, where rounding the product makes up for the constant's. */
static bool may_fuse(struct walk *w, const expr *product)
{
    const expr *a = product->operand[0], *b = product->operand[1];
    if (!w->composer->program->profile.fma || b->kind == EXPR_MUL || is_folded(b)) return false;
    return !is_rounded(w, a) && !is_rounded(w, b);
}

/* a + b where one is a product: one fused operation. */
static lane_value compose_sum(struct walk *w, const expr *a, const expr *b)
{
    struct composer *c = w->composer;
    for (int side = 0; side < 2; side++) {
        const expr *product = side ? a : b, *other = side ? b : a;
        if (product->kind != EXPR_MUL || is_folded(product)) continue;
        if (is_divisor(product->operand[0]) || is_divisor(product->operand[1])) continue;
        if (expr_is_number(product->operand[0], -1, 1))
            return compose_sub(c, value_of(w, other), value_of(w, product->operand[1]));
        if (may_fuse(w, product))
            return compose_fma(c, value_of(w, product->operand[0]), value_of(w, product->operand[1]),
                               value_of(w, other));
    }
    return compose_add(c, value_of(w, a), value_of(w, b));
}

/* exp, whose reduction takes a constant in the argument along: exp(log(2) x) is exact where 2^x is. Not a constant that
 * is a float, whose product other functions may share. */
static lane_value compose_exp_of(struct walk *w, const expr *argument)
{
    struct composer *c = w->composer;
    const expr *variable = NULL, *factor;
    bool single = true;
    mpfr_t constant, rounded;
    mpfr_init2(constant, CONSTANT_BITS);
    mpfr_init2(rounded, c->type == LANE_F32 ? 24 : 53);
    mpfr_set_ui(constant, 1, MPFR_RNDN);
    for (const expr *rest = argument; rest; rest = rest->kind == EXPR_MUL ? rest->operand[1] : NULL) {
        factor = rest->kind == EXPR_MUL ? rest->operand[0] : rest;
        if (is_folded(factor)) {
            multiply_by_constant(constant, factor);
        } else {
            single = single && !variable && !is_divisor(factor);
            variable = factor;
        }
    }
    mpfr_set(rounded, constant, MPFR_RNDN);
    const bool fits = single && variable && !mpfr_equal_p(rounded, constant) && mpfr_number_p(constant);
    const lane_value y = fits ? compose_exp_of_multiple(c, constant, value_of(w, variable))
                              : compose_exp(c, value_of(w, argument));
    mpfr_clears(constant, rounded, (mpfr_ptr)0);
    return y;
}

/* Whether some numbers have no value, whose NaN a comparison would not show. */
bool compose_may_be_undefined(arena *memory, const expr *e)
{
    uint32_t count;
    const expr **nodes = expr_walk(memory, e, &count);
    for (uint32_t i = 0; i < count; i++) {
        const enum expr_kind kind = nodes[i]->kind;
        const bool is_root = kind == EXPR_POWER && mpz_cmp_ui(mpq_denref(nodes[i]->number), 1) != 0;
        if (is_root || kind == EXPR_sqrt || kind == EXPR_log || kind == EXPR_log1p) return true;
    }
    return false;
}

/* `y`, but NaN where the value of `e` is. */
static lane_value unless_undefined(struct walk *w, const expr *e, lane_value y)
{
    lane_program *p = w->composer->program;
    if (!compose_may_be_undefined(p->memory, e)) return y;
    const lane_value v = value_of(w, e);
    return lane_select(p, lane_binary(p, LANE_EQ, v, v), y, v);
}

/* What a condition chose, but NaN where that has no truth value. */
static lane_value unless_undecided(struct walk *w, const expr *condition, lane_value y)
{
    for (unsigned k = 0; k < expr_arity(condition->kind); k++)
        y = expr_is_truth(condition->operand[k]) ? unless_undecided(w, condition->operand[k], y)
                                                 : unless_undefined(w, condition->operand[k], y);
    return y;
}

/* min or max. Where one is NaN the operation gives the second: a constant goes first. */
static lane_value compose_choice(struct walk *w, const expr *e)
{
    const bool swaps = expr_is_constant(e->operand[1]);
    const expr *first = e->operand[swaps], *second = e->operand[!swaps];
    const enum lane_op op = e->kind == EXPR_MIN ? LANE_MIN : LANE_MAX;
    const lane_value y = lane_binary(w->composer->program, op, value_of(w, first), value_of(w, second));
    return unless_undefined(w, first, y);
}

static const compose_function functions[EXPR_KIND_COUNT] = {
#define FUNCTION(name) [EXPR_##name] = compose_##name,
#define compose_sin    NULL /* see compose_node */
#define compose_cos    NULL
#define DEFINED(name)
#include "functions.def"
#undef FUNCTION
};

static lane_value compose_node(struct walk *w, const expr *e)
{
    struct composer *c = w->composer;
    lane_program *p = c->program;
    lane_value operand[3] = {0};
    if (is_folded(e)) return compose_constants(c, &e, 1, NULL);
    for (unsigned k = 0; k < expr_arity(e->kind); k++) operand[k] = value_of(w, e->operand[k]);
    lane_value a = operand[0], b = operand[1];
    switch (e->kind) {
    case EXPR_INPUT: return w->input;
    case EXPR_ADD: return compose_sum(w, e->operand[0], e->operand[1]);
    case EXPR_SUB: return compose_sub(c, a, b);
    case EXPR_MUL: return compose_product(w, e);
    case EXPR_DIV: return compose_div(c, a, b);
    case EXPR_NEG: return compose_neg(c, a);
    case EXPR_POWER:
        a = magnitude_power(c, a, e->number);
        return mpq_sgn(e->number) < 0 ? compose_div(c, compose_number(c, 1), a) : a;
    case EXPR_MIN:
    case EXPR_MAX: return compose_choice(w, e);
    case EXPR_CAST: return a; /* lower/ keeps casts out of pieces */
    case EXPR_IF: return unless_undecided(w, e->operand[0], lane_select(p, a, b, operand[2]));
    case EXPR_LT: return lane_binary(p, LANE_LT, a, b);
    case EXPR_LE: return lane_binary(p, LANE_LE, a, b);
    case EXPR_EQ: return lane_binary(p, LANE_EQ, a, b);
    case EXPR_NOT: return lane_unary(p, LANE_MNOT, a);
    case EXPR_AND: return lane_binary(p, LANE_MAND, a, b);
    case EXPR_OR: return lane_binary(p, LANE_MOR, a, b);
    case EXPR_exp: return compose_exp_of(w, e->operand[0]);
    case EXPR_sin: return compose_sine(c, e->operand[0], a);
    case EXPR_cos: return compose_cosine(c, e->operand[0], a);
    default:
        if (functions[e->kind]) return functions[e->kind](c, a);
        c->impossible = "the formula as written has functions that are formulas of others";
        return a;
    }
}

/* Which nodes' values are wanted: not those that a product or sum takes apart. */
static void mark_wanted(bool *wanted, const expr *const *nodes, uint32_t count, const expr *root)
{
    wanted[root->id] = true;
    for (uint32_t i = count; i-- > 0;) {
        const expr *e = nodes[i];
        if (!wanted[e->id] || is_folded(e)) continue;
        if (e->kind == EXPR_MUL) { /* the factors of the chain, and what their divisors are made of */
            for (const expr *rest = e;; rest = rest->operand[1]) {
                const expr *factor = rest->kind == EXPR_MUL ? rest->operand[0] : rest;
                wanted[is_divisor(factor) ? factor->operand[0]->id : factor->id] = true;
                if (rest->kind != EXPR_MUL) break;
            }
        } else {
            for (unsigned k = 0; k < expr_arity(e->kind); k++) wanted[e->operand[k]->id] = true;
        }
        if (e->kind == EXPR_ADD)
            for (unsigned k = 0; k < 2; k++)
                if (e->operand[k]->kind == EXPR_MUL && !is_divisor(e->operand[k]->operand[0]) &&
                    !is_divisor(e->operand[k]->operand[1]))
                    wanted[e->operand[k]->operand[0]->id] = wanted[e->operand[k]->operand[1]->id] = true;
    }
}

lane_value compose_expr(struct composer *c, const expr *e, lane_value input)
{
    uint32_t count;
    const expr **nodes = expr_walk(c->program->memory, e, &count);
    struct walk w = {c, arena_alloc(c->program->memory, ((size_t)e->id + 1) * sizeof *w.value), input};
    bool *wanted = arena_alloc(c->program->memory, ((size_t)e->id + 1) * sizeof *wanted);
    c->input = input;
    mark_wanted(wanted, nodes, count, e);
    for (uint32_t i = 0; i < count; i++)
        if (wanted[nodes[i]->id]) w.value[nodes[i]->id] = compose_node(&w, nodes[i]);
    return w.value[e->id];
}
