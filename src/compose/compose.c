/* Walks the formula and emits its operations; the functions have files of their own. */
#include "compose.h"
#include "branch.h"
#include "enclosure.h"
#include "reference.h"

#include <float.h>
#include <math.h>

enum { EXACT_OFFSET_BITS = 24 }; /* a number of so few is a float of any kind */

struct walk {
    struct composer *composer;
    struct number *value; /* by node id; conditions have theirs in `high` */
    bool *outside;        /* by node id: of use outside of the branch below, too; NULL if there is none */
    float branch[2];      /* the inputs for which the branch of a condition is chosen */
};

static struct number value_of(const struct walk *w, const expr *e) { return w->value[e->id]; }

/* -- constants -- */

static bool is_folded(const expr *e) { return expr_is_constant(e) && !expr_is_truth(e); }

/* Whether rounding the constant to a word changes it, as far as its form tells. */
static bool is_rounded_constant(const struct composer *c, const expr *e)
{
    if (e->kind != EXPR_NUMBER || mpz_popcount(mpq_denref(e->number)) != 1) return true;
    mpz_srcptr top = mpq_numref(e->number);
    return mpz_sgn(top) && mpz_sizeinbase(top, 2) - mpz_scan1(top, 0) > word_precision(c);
}

/* -- products and sums of words, where every operation rounds -- */

/* A factor with a negative exponent belongs below the fraction bar. */
static bool is_divisor(const expr *e) { return e->kind == EXPR_POWER && mpq_sgn(e->number) < 0; }

/* A number that no float equals, but whose numerator and denominator are floats: multiplied by one and
 * divided by the other, x is rounded as the number times x is. */
static bool is_quotient(const struct composer *c, const expr *e)
{
    return c->quotients && e->kind == EXPR_NUMBER && mpz_popcount(mpq_denref(e->number)) > 1 &&
           mpz_sizeinbase(mpq_numref(e->number), 2) <= 24 && mpz_sizeinbase(mpq_denref(e->number), 2) <= 24;
}

enum { MOST_CONSTANTS = 16 };

struct fraction {
    struct number top, bottom;
    bool has_top, has_bottom;
    const expr *constants[MOST_CONSTANTS]; /* above the bar */
    unsigned constant_count;
};

static void multiply_part(struct composer *c, struct number *part, bool *has_part, struct number factor)
{
    *part = *has_part ? number_times(c, *part, factor) : factor;
    *has_part = true;
}

static void collect_factor(struct walk *w, struct fraction *f, const expr *factor)
{
    struct composer *c = w->composer;
    if (is_quotient(c, factor)) {
        multiply_part(c, &f->top, &f->has_top, number_integer(c, mpz_get_d(mpq_numref(factor->number))));
        multiply_part(c, &f->bottom, &f->has_bottom,
                      number_integer(c, mpz_get_d(mpq_denref(factor->number))));
    } else if (is_folded(factor) && f->constant_count < MOST_CONSTANTS) {
        f->constants[f->constant_count++] = factor;
    } else if (is_divisor(factor)) {
        multiply_part(c, &f->bottom, &f->has_bottom,
                      compose_power_size(c, value_of(w, factor->operand[0]), factor->number));
    } else {
        multiply_part(c, &f->top, &f->has_top, value_of(w, factor));
    }
}

/* The factors of e's right-nested chain, the constant ones apart, those with negative exponents below the
 * bar. */
static struct fraction fraction_of(struct walk *w, const expr *e)
{
    struct fraction f = {.constant_count = 0};
    for (; e->kind == EXPR_MUL; e = e->operand[1]) collect_factor(w, &f, e->operand[0]);
    collect_factor(w, &f, e);
    return f;
}

/* A product as one quotient, the constant factors folded into one number. */
static struct number quotient_value(struct walk *w, const expr *e)
{
    struct composer *c = w->composer;
    struct fraction f = fraction_of(w, e);
    const bool negates = f.constant_count == 1 && f.has_top && expr_is_number(f.constants[0], -1, 1);
    if (f.constant_count && !negates) {
        const struct number constant = number_of_constants(c, f.constants, f.constant_count);
        f.top = f.has_top ? number_times(c, constant, f.top) : constant;
    } else if (!f.has_top) {
        f.top = number_integer(c, 1);
    }
    if (f.has_bottom) f.top = number_over(c, f.top, f.bottom);
    return negates ? number_neg(c, f.top) : f.top;
}

/* Whether the factor, or a branch of it, is a constant that is rounded. */
static bool is_rounded(struct walk *w, const expr *factor)
{
    uint32_t count;
    const expr **nodes = expr_walk(w->composer->program->memory, factor, &count);
    if (is_folded(factor)) return is_rounded_constant(w->composer, factor);
    for (uint32_t i = 0; i < count; i++)
        for (unsigned k = 1; k < 3 && nodes[i]->kind == EXPR_IF; k++)
            if (is_folded(nodes[i]->operand[k]) && is_rounded_constant(w->composer, nodes[i]->operand[k]))
                return true;
    return false;
}

/* Whether a product may be fused with a sum: not where a constant factor is rounded, because then 1/6*x +
 * 1/2 would not vanish at -3, where rounding the product makes up for the constant's. */
static bool may_fuse(struct walk *w, const expr *product)
{
    const expr *a = product->operand[0], *b = product->operand[1];
    if (!w->composer->program->profile.fma || b->kind == EXPR_MUL || is_folded(b)) return false;
    return w->composer->fuses || (!is_rounded(w, a) && !is_rounded(w, b));
}

static bool has_divisor(const expr *product)
{
    return is_divisor(product->operand[0]) || is_divisor(product->operand[1]);
}

/* Where the expression lies, given the composer's range, and the branch that it is in. */
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

/* Whether its size is at most `limit` everywhere. */
static bool is_within(const struct walk *w, const expr *e, double limit)
{
    const struct enclosed y = enclosed_in_range(w, e);
    const double slack = limit * 0x1p-30; /* for what the enclosure is rounded outwards */
    return y.defined && y.low >= -limit - slack && y.high <= limit + slack;
}

/* m (r + root) of a word r that is held. */
static bool held_line(struct number *out, struct walk *w, const expr *r, const expr *m, double root)
{
    const struct enclosed range = enclosed_in_range(w, r);
    const struct number x = value_of(w, r);
    return w->composer->pairs && !x.has_low && range.defined &&
           pair_of_held_line(out, w->composer, &(struct held_line){m->number, root, range.low, range.high},
                             x.high);
}

/* m r + k as m (r + k/m), where the number m is rounded and k/m is not: near r = -k/m, where m r + k would be
 * left with the roundings of m and of the product, the sum is exact. 1/6*x + 1/2 is 1/6*(x + 3). False if the
 * numbers are not such. */
static bool line_value(struct number *out, struct walk *w, const expr *product, const expr *constant)
{
    struct composer *c = w->composer;
    if (product->kind != EXPR_MUL || constant->kind != EXPR_NUMBER) return false;
    const int slope = product->operand[0]->kind == EXPR_NUMBER ? 0 : 1;
    const expr *m = product->operand[slope];
    if (m->kind != EXPR_NUMBER || !mpq_sgn(m->number) || !is_rounded_constant(c, m)) return false;
    mpq_t offset;
    mpq_init(offset);
    mpq_div(offset, constant->number, m->number);
    const bool is_exact = mpz_popcount(mpq_denref(offset)) == 1 &&
                          mpz_sizeinbase(mpq_numref(offset), 2) <= EXACT_OFFSET_BITS &&
                          mpz_sizeinbase(mpq_denref(offset), 2) <= EXACT_OFFSET_BITS;
    const expr *variable = product->operand[!slope];
    if (is_exact && !held_line(out, w, variable, m, mpq_get_d(offset))) {
        const struct number root = number_integer(c, mpq_get_d(offset));
        const struct number sum = c->pairs ? pair_plus(c, root, value_of(w, variable),
                                                       is_within(w, variable, fabs(mpq_get_d(offset))))
                                           : number_plus(c, value_of(w, variable), root);
        *out = number_times(c, number_of_constants(c, &m, 1), sum);
    }
    mpq_clear(offset);
    return is_exact;
}

/* a + b where one is a product: one fused operation. */
static struct number fused_sum(struct walk *w, const expr *a, const expr *b)
{
    struct composer *c = w->composer;
    for (int side = 0; side < 2; side++) {
        const expr *product = side ? a : b, *other = side ? b : a;
        if (product->kind != EXPR_MUL || is_folded(product) || has_divisor(product)) continue;
        const struct number first = value_of(w, product->operand[0]),
                            second = value_of(w, product->operand[1]);
        if (expr_is_number(product->operand[0], -1, 1)) return number_minus(c, value_of(w, other), second);
        if (!c->pairs && may_fuse(w, product))
            return number_of_word(word_fma(c, first.high, second.high, value_of(w, other).high));
    }
    if (c->pairs && a->kind == EXPR_NUMBER)
        return pair_plus(c, value_of(w, a), value_of(w, b), is_within(w, b, fabs(mpq_get_d(a->number))));
    if (c->pairs && b->kind == EXPR_NUMBER)
        return pair_plus(c, value_of(w, b), value_of(w, a), is_within(w, a, fabs(mpq_get_d(b->number))));
    return number_plus(c, value_of(w, a), value_of(w, b));
}

/* Whether their sum may be smaller than both of them. */
static bool may_cancel(const struct walk *w, const expr *a, const expr *b)
{
    const struct enclosed in_a = enclosed_in_range(w, a), in_b = enclosed_in_range(w, b);
    if (!in_a.defined || !in_b.defined) return true;
    return !(in_a.low >= 0 && in_b.low >= 0) && !(in_a.high <= 0 && in_b.high <= 0);
}

/* What the words of two numbers lose may be a part of what their difference leaves. */
static struct number sum_value(struct walk *w, const expr *a, const expr *b)
{
    struct number y;
    if (!w->composer->fuses && (line_value(&y, w, a, b) || line_value(&y, w, b, a))) return y;
    y = fused_sum(w, a, b);
    const bool has_low = value_of(w, a).has_low || value_of(w, b).has_low;
    if (w->composer->pairs && has_low && may_cancel(w, a, b)) y.loose = true;
    return y;
}

/* exp, whose reduction takes a constant in the argument along: exp(log(2) x) is exact where 2^x is. Not a
 * constant that is a float, whose product other functions may share. */
static struct number exp_of(struct walk *w, const expr *argument)
{
    struct composer *c = w->composer;
    const expr *variable = NULL, *factor;
    bool single = true;
    mpfr_t constant;
    mpfr_init2(constant, COMPOSE_CONSTANT_BITS);
    mpfr_set_ui(constant, 1, MPFR_RNDN);
    for (const expr *rest = argument; rest; rest = rest->kind == EXPR_MUL ? rest->operand[1] : NULL) {
        factor = rest->kind == EXPR_MUL ? rest->operand[0] : rest;
        if (is_folded(factor)) {
            constant_multiply(constant, factor);
        } else {
            single = single && !variable && !is_divisor(factor);
            variable = factor;
        }
    }
    const bool is_rounded = mpfr_min_prec(constant) > (mpfr_prec_t)word_precision(c);
    const bool fits = single && variable && is_rounded;
    const struct number y = fits ? compose_exp_of_multiple(c, constant, value_of(w, variable))
                                 : compose_exp(c, value_of(w, argument));
    mpfr_clear(constant);
    return y;
}

/* -- products and complements in double words -- */

/* A constant power of two: the product is exact, and cheap. */
static bool is_power_of_two(const expr *e)
{
    return e->kind == EXPR_NUMBER && mpz_popcount(mpq_denref(e->number)) == 1 &&
           mpz_cmpabs_ui(mpq_numref(e->number), 1) == 0 && mpz_sizeinbase(mpq_denref(e->number), 2) < 64;
}

static struct number product_value(struct walk *w, const expr *e)
{
    struct composer *c = w->composer;
    for (int side = 0; side < 2; side++) {
        const expr *factor = e->operand[side];
        const struct number other = value_of(w, e->operand[!side]);
        if (expr_is_number(factor, -1, 1)) return number_neg(c, other);
        if (is_power_of_two(factor)) return number_times_power(c, other, mpq_get_d(factor->number));
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

/* `y`, but NaN where the value of `e` is. */
static struct number unless_undefined(struct walk *w, const expr *e, struct number y)
{
    struct composer *c = w->composer;
    if (!branch_may_be_undefined(c->program->memory, e)) return y;
    const lane_value v = value_of(w, e).high;
    y.high = word_select(c, word_op(c, LANE_EQ, v, v), y.high, v);
    return y;
}

/* What a condition chose, but NaN where that has no truth value. */
static struct number unless_undecided(struct walk *w, const expr *condition, struct number y)
{
    for (unsigned k = 0; k < expr_arity(condition->kind); k++)
        y = expr_is_truth(condition->operand[k]) ? unless_undecided(w, condition->operand[k], y)
                                                 : unless_undefined(w, condition->operand[k], y);
    return y;
}

/* Whether the constant is never chosen within the composer's range. */
static bool is_decided(const struct walk *w, enum lane_op op, double limit, const expr *other)
{
    const double slack = 0x1p-30 * fmax(1, fabs(limit)); /* for what the enclosure is rounded outwards */
    const struct enclosed all = enclosed_in_range(w, other);
    return all.defined && (op == LANE_MAX ? all.low >= limit - slack : all.high <= limit + slack);
}

/* min or max. Where one is NaN the operation gives the second: a constant goes first. Not in double words,
 * where the comparison may be a condition's, too. */
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

/* Whether the function's value has the low word of an argument. */
static bool takes_pairs(enum expr_kind function)
{
    return function == EXPR_exp || function == EXPR_expm1 || function == EXPR_tanh ||
           function == EXPR_sigmoid || function == EXPR_sqrt || function == EXPR_abs;
}

static void check_argument(struct composer *c, const expr *e, struct number a)
{
    const bool is_function = functions[e->kind] || e->kind == EXPR_sin || e->kind == EXPR_cos;
    if (is_function && a.has_low && c->pairs && !takes_pairs(e->kind))
        c->impossible = "the function has no form in two words of f32";
}

static struct number function_value(struct composer *c, const expr *e, struct number a)
{
    if (functions[e->kind]) return functions[e->kind](c, a);
    c->impossible = "the formula as written has functions that are formulas of others";
    return a;
}

/* The other branch of x > number, of which nothing is asked elsewhere: there expm1 needs no clamp above. */
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
    switch (e->kind) {
    case EXPR_INPUT: return c->input;
    case EXPR_ADD: return words ? sum_value(w, e->operand[0], e->operand[1]) : number_plus(c, a, b);
    case EXPR_SUB: return number_minus(c, a, b);
    case EXPR_MUL: return words ? quotient_value(w, e) : product_value(w, e);
    case EXPR_DIV: return number_over(c, a, b);
    case EXPR_NEG: return number_neg(c, a);
    case EXPR_POWER: return compose_power(c, a, e->number);
    case EXPR_MIN:
    case EXPR_MAX: return choice(w, e);
    case EXPR_CAST: return a; /* lower/ keeps casts out of pieces */
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
    default: return function_value(c, e, a);
    }
}

/* Marks nodes whose values are wanted: not those that a product or sum of words takes apart. */
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
        for (unsigned k = 0; k < 2 && e->kind == EXPR_ADD; k++)
            if (e->operand[k]->kind == EXPR_MUL && !has_divisor(e->operand[k]))
                wanted[e->operand[k]->operand[0]->id] = wanted[e->operand[k]->operand[1]->id] = true;
    }
}

/* The value of `e` times those of `constants`, as a word. A product is rounded as it is made, and each branch
 * by itself. */
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
    return times_constants(w, quotient_value(w, e), &constants);
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
    struct walk w = {.composer = c, .value = arena_alloc(memory, ((size_t)e->id + 1) * sizeof *w.value)};
    bool *wanted = arena_alloc(memory, ((size_t)e->id + 1) * sizeof *wanted);
    c->input = input;
    mark_wanted(wanted, nodes, count, e);
    w.outside = branch_find(w.branch, memory, nodes, count, e);
    for (uint32_t i = 0; i < count; i++)
        if (wanted[nodes[i]->id] || c->kind == NUMBER_DOUBLE_WORDS)
            w.value[nodes[i]->id] = node_value(&w, nodes[i]);
    return c->pairs ? number_of_word(rounded(&w, e, (struct constants){.count = 0})) : w.value[e->id];
}
