/* Walks the formula and emits its operations. The elementary functions have files of their own. */
#include "compose.h"
#include "branch.h"
#include "enclosure.h"
#include "quarter_turns.h"
#include "shared.h"
#include "walk.h"

#include <float.h>
#include <math.h>

enum { EXACT_OFFSET_BITS = 24 }; /* A number of at most so many bits is a float of every kind. */

/* -- products and sums of words, where every operation rounds -- */

/* Returns whether the factor, or a branch of the factor, is a constant that is rounded. */
static bool is_rounded(struct walk *w, const expr *factor)
{
    uint32_t count;
    const expr **nodes = expr_walk(w->composer->program->memory, factor, &count);
    if (is_folded(factor)) return constant_is_rounded(w->composer, factor);
    for (uint32_t i = 0; i < count; i++)
        for (unsigned k = 1; k < 3 && nodes[i]->kind == EXPR_IF; k++)
            if (is_folded(nodes[i]->operand[k]) && constant_is_rounded(w->composer, nodes[i]->operand[k]))
                return true;
    return false;
}

/* Returns whether a product may be fused with a sum. If a constant factor is rounded, fusing is not allowed.
 * 1/6*x + 1/2 would then not vanish at -3, where rounding the product makes up for rounding the constant. */
static bool may_fuse(struct walk *w, const expr *product)
{
    const expr *a = product->operand[0], *b = product->operand[1];
    if (!w->composer->program->profile.fma || b->kind == EXPR_MUL || is_folded(b)) return false;
    return w->composer->ways & COMPOSE_FUSED || (!is_rounded(w, a) && !is_rounded(w, b));
}

static bool has_divisor(const expr *product)
{
    return is_divisor(product->operand[0]) || is_divisor(product->operand[1]);
}

/* Returns the interval of the expression's values for the composer's range or for the branch that contains
 * the expression. */
static struct enclosed enclosed_in_range(const struct walk *w, const expr *e)
{
    static const float all[2] = {-FLT_MAX, FLT_MAX};
    struct enclosure *own = enclosure_create(e);
    const float *range = w->composer->range                 ? w->composer->range
                         : w->outside && !w->outside[e->id] ? w->branch
                                                            : all;
    const struct enclosed y = own ? enclosure_of(own, range, 2) : (struct enclosed){.defined = false};
    enclosure_free(own);
    return y;
}

/* Returns whether the expression's size is at most `limit` everywhere. */
static bool is_within(const struct walk *w, const expr *e, double limit)
{
    const struct enclosed y = enclosed_in_range(w, e);
    const double slack = limit * 0x1p-30; /* allows for the outward rounding of the enclosure */
    return y.defined && y.low >= -limit - slack && y.high <= limit + slack;
}

/* Computes m (r + root) for a word r that is clamped. */
static bool held_line(struct number *out, struct walk *w, const expr *r, const expr *m, double root)
{
    const struct enclosed range = enclosed_in_range(w, r);
    const struct number x = value_of(w, r);
    return w->composer->ways & COMPOSE_PAIRS && !x.has_low && range.defined &&
           pair_of_held_line(out, w->composer, &(struct held_line){m->number, root, range.low, range.high},
                             x.high);
}

/* Computes m r + k as m (r + k/m), where the number m is rounded and k/m is not. For example, 1/6*x + 1/2
 * becomes 1/6*(x + 3). Near r = -k/m, the roundings of m and of the product would be left in m r + k, but the
 * sum r + k/m is exact. Returns false if the numbers do not have this form. */
static bool line_value(struct number *out, struct walk *w, const expr *product, const expr *constant)
{
    struct composer *c = w->composer;
    if (product->kind != EXPR_MUL || constant->kind != EXPR_NUMBER) return false;
    const int slope = product->operand[0]->kind == EXPR_NUMBER ? 0 : 1;
    const expr *m = product->operand[slope];
    if (m->kind != EXPR_NUMBER || !mpq_sgn(m->number) || !constant_is_rounded(c, m)) return false;
    mpq_t offset;
    mpq_init(offset);
    mpq_div(offset, constant->number, m->number);
    const bool is_exact = mpz_popcount(mpq_denref(offset)) == 1 &&
                          mpz_sizeinbase(mpq_numref(offset), 2) <= EXACT_OFFSET_BITS &&
                          mpz_sizeinbase(mpq_denref(offset), 2) <= EXACT_OFFSET_BITS;
    const expr *variable = product->operand[!slope];
    if (is_exact && !held_line(out, w, variable, m, mpq_get_d(offset))) {
        const struct number root = number_integer(c, mpq_get_d(offset));
        const struct number sum =
            c->ways & COMPOSE_PAIRS
                ? pair_plus(c, root, value_of(w, variable), is_within(w, variable, fabs(mpq_get_d(offset))))
                : number_plus(c, value_of(w, variable), root);
        *out = number_times(c, number_of_constants(c, &m, 1), sum);
    }
    mpq_clear(offset);
    return is_exact;
}

/* Returns a + b. If a or b is a product, a fused operation computes the sum. */
static struct number fused_sum(struct walk *w, const expr *a, const expr *b)
{
    struct composer *c = w->composer;
    for (int side = 0; side < 2; side++) {
        const expr *product = side ? a : b, *other = side ? b : a;
        if (product->kind != EXPR_MUL || is_folded(product) || has_divisor(product)) continue;
        const struct number first = value_of(w, product->operand[0]),
                            second = value_of(w, product->operand[1]);
        if (expr_is_number(product->operand[0], -1, 1)) return number_minus(c, value_of(w, other), second);
        if (!(c->ways & COMPOSE_PAIRS) && may_fuse(w, product))
            return number_of_word(word_fma(c, first.high, second.high, value_of(w, other).high));
    }
    if (c->ways & COMPOSE_PAIRS && a->kind == EXPR_NUMBER)
        return pair_plus(c, value_of(w, a), value_of(w, b), is_within(w, b, fabs(mpq_get_d(a->number))));
    if (c->ways & COMPOSE_PAIRS && b->kind == EXPR_NUMBER)
        return pair_plus(c, value_of(w, b), value_of(w, a), is_within(w, a, fabs(mpq_get_d(b->number))));
    return number_plus(c, value_of(w, a), value_of(w, b));
}

/* Returns true if a + b may cancel, that is, if the terms may have opposite signs. */
static bool may_cancel(const struct walk *w, const expr *a, const expr *b)
{
    const struct enclosed in_a = enclosed_in_range(w, a), in_b = enclosed_in_range(w, b);
    if (!in_a.defined || !in_b.defined) return true;
    return !(in_a.low >= 0 && in_b.low >= 0) && !(in_a.high <= 0 && in_b.high <= 0);
}

/* Returns a + b. The low words may be a sizable part of a difference, which is then marked as loose. */
static struct number sum_value(struct walk *w, const expr *a, const expr *b)
{
    struct number y;
    if (!(w->composer->ways & COMPOSE_FUSED) && (line_value(&y, w, a, b) || line_value(&y, w, b, a)))
        return y;
    y = fused_sum(w, a, b);
    const bool has_low = value_of(w, a).has_low || value_of(w, b).has_low;
    if (w->composer->ways & COMPOSE_PAIRS && has_low && may_cancel(w, a, b)) y.loose = true;
    return y;
}

/* Returns exp of an argument. The reduction includes a constant factor of the argument, so that exp(log(2) x)
 * is exact wherever 2^x is. A constant that is a float stays a factor, because other functions may share the
 * product. */
static struct number exp_of(struct walk *w, const expr *argument)
{
    struct composer *c = w->composer;
    mpfr_t constant;
    mpfr_init2(constant, COMPOSE_CONSTANT_BITS);
    const expr *variable = product_single_factor(constant, argument);
    const bool is_rounded = mpfr_min_prec(constant) > (mpfr_prec_t)word_precision(c);
    const struct number y = variable && is_rounded
                                ? compose_exp_of_multiple(c, constant, value_of(w, variable))
                                : compose_exp(c, value_of(w, argument));
    mpfr_clear(constant);
    return y;
}

/* -- products and complements in double words -- */

static struct number product_value(struct walk *w, const expr *e)
{
    struct composer *c = w->composer;
    for (int side = 0; side < 2; side++) {
        const expr *factor = e->operand[side];
        const struct number other = value_of(w, e->operand[!side]);
        if (expr_is_number(factor, -1, 1)) return number_neg(c, other);
        if (expr_is_power_of_two(factor)) return number_times_power(c, other, mpq_get_d(factor->number));
    }
    return number_times(c, value_of(w, e->operand[0]), value_of(w, e->operand[1]));
}

static struct number complement(struct walk *w, const expr *argument)
{
    struct composer *c = w->composer;
    if (!compose_is_of_normcdf(argument)) return compose_erfc(c, value_of(w, argument));
    return number_doubled(c, compose_normcdf(c, value_of(w, argument->operand[1])));
}

/* -- conditions -- */

/* Returns `y`, or NaN where the value of `e` is NaN. */
static struct number unless_undefined(struct walk *w, const expr *e, struct number y)
{
    struct composer *c = w->composer;
    if (!branch_may_be_undefined(c->program->memory, e)) return y;
    const lane_value v = value_of(w, e).high;
    y.high = word_select(c, word_op(c, LANE_EQ, v, v), y.high, v);
    return y;
}

/* Returns the value `y` that a condition chose, or NaN where the condition has no truth value. */
static struct number unless_undecided(struct walk *w, const expr *condition, struct number y)
{
    for (unsigned k = 0; k < expr_arity(condition->kind); k++)
        y = expr_is_truth(condition->operand[k]) ? unless_undecided(w, condition->operand[k], y)
                                                 : unless_undefined(w, condition->operand[k], y);
    return y;
}

/* Returns whether min or max never chooses the constant within the composer's range. */
static bool is_decided(const struct walk *w, enum lane_op op, double limit, const expr *other)
{
    const double slack =
        0x1p-30 * fmax(1, fabs(limit)); /* allows for the outward rounding of the enclosure */
    const struct enclosed all = enclosed_in_range(w, other);
    return all.defined && (op == LANE_MAX ? all.low >= limit - slack : all.high <= limit + slack);
}

/* Returns min or max. If an operand is NaN, the operation returns its second operand, so that a constant goes
 * first. Double words keep the order, because a condition may use the same comparison. */
static struct number choice(struct walk *w, const expr *e)
{
    const bool swaps = w->composer->kind != NUMBER_DOUBLE_WORDS && expr_is_constant(e->operand[1]);
    const expr *first = e->operand[swaps], *second = e->operand[!swaps];
    const enum lane_op op = e->kind == EXPR_MIN ? LANE_MIN : LANE_MAX;
    if (w->composer->range && first->kind == EXPR_NUMBER &&
        is_decided(w, op, mpq_get_d(first->number), second))
        return value_of(w, second);
    return unless_undefined(w, first,
                            number_choice(w->composer, op, value_of(w, first), value_of(w, second)));
}

/* -- the walk -- */

static const compose_function functions[EXPR_KIND_COUNT] = {
#define FUNCTION(name, ...) [EXPR_##name] = compose_##name,
#define compose_sin         NULL /* see node_value */
#define compose_cos         NULL
#define DEFINED(name, ...)
#include "functions.def"
#undef FUNCTION
};

/* Returns whether the function uses the low word of its argument. */
static bool takes_pairs(enum expr_kind function)
{
    return function == EXPR_exp || function == EXPR_expm1 || function == EXPR_tanh ||
           function == EXPR_sigmoid || function == EXPR_sqrt || function == EXPR_abs;
}

static void check_argument(struct composer *c, const expr *e, struct number a)
{
    const bool is_function = functions[e->kind] || e->kind == EXPR_sin || e->kind == EXPR_cos;
    if (is_function && a.has_low && c->ways & COMPOSE_PAIRS && !takes_pairs(e->kind))
        c->impossible = "the function has no form in two words of f32";
}

static struct number function_value(struct composer *c, const expr *e, struct number a)
{
    if (functions[e->kind]) return functions[e->kind](c, a);
    c->impossible = "the formula as written has functions that are formulas of others";
    return a;
}

/* Computes sqrt(1 + t^2) for a t whose square may be too large. Beyond 2^60 the root is |t|, and elsewhere it
 * is not below |t|, because the square and the root are rounded correctly. */
static struct number root_beside_square(struct walk *w, const expr *t)
{
    struct composer *c = w->composer;
    const lane_value size = word_abs(c, value_of(w, t).high), held = word_at_most(c, size, 0x1p60);
    const lane_value sum = word_fma(c, held, held, word_constant(c, 1));
    return number_of_word(word_op(c, LANE_MAX, size, lane_unary(c->program, LANE_SQRT, sum)));
}

static bool is_power(const expr *e, long numerator, unsigned long denominator)
{
    return e->kind == EXPR_POWER && !mpq_cmp_si(e->number, numerator, denominator);
}

/* Computes log1p of a sum or the root of one, so that no sum is too large for a word of f32. Returns false if
 * COMPOSE_FAR does not ask for it, or `e` is none of the two. */
static bool of_large_sum(struct number *out, struct walk *w, const expr *e)
{
    struct composer *c = w->composer;
    const expr *sum = e->operand[0];
    if (c->kind != NUMBER_F32 || c->ways & COMPOSE_PAIRS || sum->kind != EXPR_ADD) return false;
    for (int side = 0; side < 2 && is_power(e, 1, 2); side++) {
        const expr *square = sum->operand[side], *one = sum->operand[!side];
        const bool is_wanted = expr_is_number(one, 1, 1) && is_power(square, 2, 1);
        if (!is_wanted || !composer_heeds(c, COMPOSE_FAR)) continue;
        *out = root_beside_square(w, square->operand[0]);
        return true;
    }
    if (e->kind != EXPR_log1p || !composer_heeds(c, COMPOSE_FAR)) return false;
    *out = compose_log1p_of_sum(c, value_of(w, sum->operand[0]).high, value_of(w, sum->operand[1]).high);
    return true;
}

/* Returns expm1. In the other branch of a condition x > number, if it is used nowhere else, expm1 needs no
 * upper clamp. */
static struct number expm1_of(struct walk *w, const expr *e, struct number u)
{
    struct composer *c = w->composer;
    const bool is_input = e->operand[0]->kind == EXPR_INPUT && w->outside && !w->outside[e->id];
    const struct enclosed argument = {
        .defined = true, .low = (double)w->branch[0], .high = (double)w->branch[1]};
    if (is_input) c->argument = &argument;
    const struct number y = function_value(c, e, u);
    c->argument = NULL;
    return y;
}

static struct number node_value(struct walk *w, const expr *e)
{
    struct composer *c = w->composer;
    const bool words = c->kind != NUMBER_DOUBLE_WORDS;
    struct number operand[3] = {{0}};
    if (is_folded(e)) return number_of_constants(c, &e, 1);
    for (unsigned k = 0; k < expr_arity(e->kind); k++) operand[k] = value_of(w, e->operand[k]);
    const struct number a = operand[0], b = operand[1];
    check_argument(c, e, a);
    struct number of_sum;
    if ((e->kind == EXPR_POWER || e->kind == EXPR_log1p) && of_large_sum(&of_sum, w, e)) return of_sum;
    switch (e->kind) {
    case EXPR_INPUT: return e->input ? c->others[e->input - 1] : c->input;
    case EXPR_ADD: return words ? sum_value(w, e->operand[0], e->operand[1]) : number_plus(c, a, b);
    case EXPR_SUB: return number_minus(c, a, b);
    case EXPR_MUL: return words ? product_as_quotient(w, e) : product_value(w, e);
    case EXPR_DIV: return number_over(c, a, b);
    case EXPR_NEG: return number_neg(c, a);
    case EXPR_POWER: return compose_power(c, a, e->number);
    case EXPR_MIN:
    case EXPR_MAX: return choice(w, e);
    case EXPR_CAST: return a; /* lower/ keeps casts out of pieces. */
    case EXPR_IF: return unless_undecided(w, e->operand[0], number_select(c, a.high, b, operand[2]));
    case EXPR_LT: return number_of_word(number_compare(c, LANE_LT, a, b));
    case EXPR_LE: return number_of_word(number_compare(c, LANE_LE, a, b));
    case EXPR_EQ: return number_of_word(number_compare(c, LANE_EQ, a, b));
    case EXPR_NOT: return number_of_word(lane_unary(c->program, LANE_MNOT, a.high));
    case EXPR_AND: return number_of_word(word_op(c, LANE_MAND, a.high, b.high));
    case EXPR_OR: return number_of_word(word_op(c, LANE_MOR, a.high, b.high));
    case EXPR_expm1: return expm1_of(w, e, a);
    case EXPR_exp: return words ? exp_of(w, e->operand[0]) : compose_exp(c, a);
    case EXPR_erfc: return words ? compose_erfc(c, a) : complement(w, e->operand[0]);
    case EXPR_sin: return compose_sine(c, e->operand[0], a);
    case EXPR_cos: return compose_cosine(c, e->operand[0], a);
    default: break;
    }
    if (c->kind == NUMBER_F64 && shared_has_relative(e, w->nodes, w->count, w->wanted))
        return shared_value(c, e, value_of(w, shared_base(e)));
    return function_value(c, e, a);
}

/* Marks the nodes whose values are needed. A product or sum of words is taken apart, so that its inner nodes
 * are not needed. */
static void mark_wanted(bool *wanted, const expr *const *nodes, uint32_t count, const expr *root)
{
    wanted[root->id] = true;
    for (uint32_t i = count; i-- > 0;) {
        const expr *e = nodes[i];
        if (!wanted[e->id] || is_folded(e)) continue;
        if (e->kind == EXPR_MUL) { /* the factors of the chain, and the operands of its divisors */
            for (const expr *rest = e;; rest = rest->operand[1]) {
                const expr *factor = rest->kind == EXPR_MUL ? rest->operand[0] : rest;
                wanted[is_divisor(factor) ? factor->operand[0]->id : factor->id] = true;
                if (rest->kind != EXPR_MUL) break;
            }
        } else {
            for (unsigned k = 0; k < expr_arity(e->kind); k++) wanted[e->operand[k]->id] = true;
        }
        for (unsigned k = 0; k < 2 && e->kind == EXPR_ADD; k++)
            if (e->operand[k]->kind == EXPR_MUL && !has_divisor(e->operand[k]))
                wanted[e->operand[k]->operand[0]->id] = wanted[e->operand[k]->operand[1]->id] = true;
    }
}

/* Constant factors that are still to be multiplied. `rounded` returns the value of `e` times these constants,
 * as a word. It rounds a product while it computes the product, and rounds each branch separately. */
struct constants {
    const expr *list[MOST_CONSTANTS];
    unsigned count;
};
static lane_value rounded(struct walk *w, const expr *e, struct constants constants);

static lane_value times_constants(struct walk *w, struct number y, const struct constants *constants)
{
    struct composer *c = w->composer;
    return constants->count
               ? pair_product_rounded(c, number_of_constants(c, constants->list, constants->count), y)
               : number_rounded(c, y);
}

static lane_value rounded_product(struct walk *w, const expr *e, struct constants constants)
{
    const expr *factors[2] = {NULL, NULL};
    unsigned count = 0;
    struct constants all = constants;
    for (const expr *rest = e; rest; rest = rest->kind == EXPR_MUL ? rest->operand[1] : NULL) {
        const expr *factor = rest->kind == EXPR_MUL ? rest->operand[0] : rest;
        if (is_folded(factor) && all.count < MOST_CONSTANTS)
            all.list[all.count++] = factor;
        else if (count++ < 2)
            factors[count - 1] = factor;
    }
    if (count == 1 && !is_divisor(factors[0])) return rounded(w, factors[0], all);
    if (count == 2 && !all.count && !is_divisor(factors[0]) && !is_divisor(factors[1]))
        return pair_product_rounded(w->composer, value_of(w, factors[0]), value_of(w, factors[1]));
    return times_constants(w, product_as_quotient(w, e), &constants);
}

static lane_value rounded(struct walk *w, const expr *e, struct constants constants)
{
    struct composer *c = w->composer;
    if (is_folded(e)) return times_constants(w, value_of(w, e), &constants);
    if (e->kind == EXPR_MUL) return rounded_product(w, e, constants);
    if (e->kind != EXPR_IF) return times_constants(w, value_of(w, e), &constants);
    const struct number then = number_of_word(rounded(w, e->operand[1], constants)),
                        other = number_of_word(rounded(w, e->operand[2], constants));
    const lane_value condition = value_of(w, e->operand[0]).high;
    return unless_undecided(w, e->operand[0], number_select(c, condition, then, other)).high;
}

struct number compose_expr(struct composer *c, const expr *e, struct number input)
{
    uint32_t count;
    arena *memory = c->program->memory;
    const expr **nodes = expr_walk(memory, e, &count);
    bool *wanted = arena_alloc(memory, ((size_t)e->id + 1) * sizeof *wanted);
    struct walk w = {.composer = c,
                     .value = arena_alloc(memory, ((size_t)e->id + 1) * sizeof *w.value),
                     .nodes = nodes,
                     .count = count,
                     .wanted = wanted};
    c->input = input;
    mark_wanted(wanted, nodes, count, e);
    w.outside = branch_find(w.branch, memory, nodes, count, e);
    for (uint32_t i = 0; i < count; i++)
        if (wanted[nodes[i]->id] || c->kind == NUMBER_DOUBLE_WORDS)
            w.value[nodes[i]->id] = node_value(&w, nodes[i]);
    return c->ways & COMPOSE_PAIRS ? number_of_word(rounded(&w, e, (struct constants){.count = 0}))
                                   : w.value[e->id];
}
