/* Interval arithmetic in doubles over an expression. */
#include "enclosure_nodes.h"

#include "quick.h"
#include "quick_functions.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

static const struct enclosed unknown = {.low = -INFINITY, .high = INFINITY};
static struct enclosed number_of(mpq_srcptr number);

static const struct enclosed undefined = {.undefined = true};

static const double HALF_PI = 0x1.921fb54442d19p0; /* rounded up */

/* Returns the exponent of a function that decays. Equal exponents are the same node of `dag`. */
static const expr *power_in(expr_dag *dag, const expr *e)
{
    const expr *u;
    switch (e->kind) {
    case EXPR_exp:
    case EXPR_sigmoid:
    case EXPR_softplus: return expr_simplify(dag, expr_import(dag, e->operand[0]), NULL);
    case EXPR_erfc:
        u = expr_import(dag, e->operand[0]);
        return expr_simplify(dag, expr_unary(dag, EXPR_NEG, expr_binary(dag, EXPR_MUL, u, u)), NULL);
    default: return NULL;
    }
}

static struct exponent exponent_of(expr_dag *dag, const expr *e)
{
    const expr *power = power_in(dag, e);
    if (!power) return (struct exponent){0};
    return (struct exponent){power, expr_simplify(dag, expr_unary(dag, EXPR_NEG, power), NULL)};
}

/* Finds the exponents. Only operations with two operands compare them, so formulas without one need none. */
static void find_exponents(struct enclosure *e)
{
    enum { NODES = 1 << 14 };
    bool compares = false;
    for (uint32_t n = 0; n < e->count; n++) compares = compares || expr_arity(e->nodes[n].e->kind) > 1;
    if (!compares) return;
    expr_dag *dag = expr_dag_create(e->memory, NODES);
    for (uint32_t n = 0; n < e->count; n++)
        if (!expr_is_constant(e->nodes[n].e)) e->nodes[n].exponent = exponent_of(dag, e->nodes[n].e);
    for (uint32_t n = 0; expr_dag_full(dag) && n < e->count; n++) e->nodes[n].exponent = (struct exponent){0};
}

static void release(struct arena_guest *guest) { enclosure_free((struct enclosure *)guest); }

struct enclosure *enclosure_create(const expr *e)
{
    arena *memory = arena_create(0);
    if (!memory) {
        arena_fail(e->memory);
        return NULL;
    }
    if (setjmp(*arena_escape(memory))) {
        arena_fail(e->memory);
        arena_free(memory);
        return NULL;
    }
    struct enclosure *enclosure = arena_alloc(memory, sizeof *enclosure);
    enclosure->memory = memory;
    const expr **nodes = expr_walk(memory, e, &enclosure->count);
    enclosure->nodes = arena_alloc(memory, enclosure->count * sizeof *enclosure->nodes);
    enclosure->values = arena_alloc(memory, enclosure->count * sizeof *enclosure->values);
    enclosure->scaled = arena_alloc(memory, enclosure->count * sizeof *enclosure->scaled);
    uint32_t(*places)[3] = expr_operand_places(memory, nodes, enclosure->count);
    for (uint32_t n = 0; n < enclosure->count; n++) {
        enclosure->nodes[n].e = nodes[n];
        if (nodes[n]->kind == EXPR_NUMBER) enclosure->values[n] = number_of(nodes[n]->number);
        memcpy(enclosure->nodes[n].operand, places[n], sizeof places[n]);
    }
    find_exponents(enclosure);
    arena_host(e->memory, &enclosure->guest, release);
    return enclosure;
}

void enclosure_free(struct enclosure *e)
{
    if (!e) return;
    arena_leave(&e->guest);
    arena_free(e->memory);
}

/* Returns the double that is `ulps` doubles below x, but not below -infinity. */
static double down(double x, int64_t ulps)
{
    const int64_t least = INT64_C(-0x7ff0000000000000);
    int64_t place; /* numbers in order, with both zeros at 0 */
    if (isnan(x)) return x;
    memcpy(&place, &x, sizeof place);
    if (place < 0) place = INT64_MIN - place;
    place = place - ulps > least ? place - ulps : least;
    if (place < 0) place = INT64_MIN - place;
    memcpy(&x, &place, sizeof x);
    return x;
}

static double up(double x, int64_t ulps) { return -down(-x, ulps); }

static bool is_positive(struct enclosed a) { return a.low > 0 || (a.low == 0 && a.low_open); }
static bool is_negative(struct enclosed a) { return a.high < 0 || (a.high == 0 && a.high_open); }
bool enclosed_positive(const struct enclosed *e) { return e->defined && is_positive(*e); }
bool enclosed_negative(const struct enclosed *e) { return e->defined && is_negative(*e); }

static struct enclosed between(double low, double high)
{
    if (isnan(low) || isnan(high)) return unknown;
    return (struct enclosed){.defined = true, .low = low, .high = high};
}

/* Clip to values that are strictly above `low`, or strictly below `high`. */
static struct enclosed above(struct enclosed a, double low)
{
    if (a.low <= low) a.low = low, a.low_open = true;
    if (a.high < low) a.high = low;
    return a;
}

static struct enclosed below(struct enclosed a, double high)
{
    if (a.high >= high) a.high = high, a.high_open = true;
    if (a.low > high) a.low = high;
    return a;
}

static struct enclosed signed_like(struct enclosed a, bool positive, bool negative)
{
    return !a.defined ? a : positive ? above(a, 0) : negative ? below(a, 0) : a;
}

static struct enclosed negated(struct enclosed a)
{
    struct enclosed r = a;
    r.low = -a.high, r.high = -a.low;
    r.low_open = a.high_open, r.high_open = a.low_open;
    return r;
}

/* Adds two ends: the exact sum, or the next double outwards. If a sum of finite numbers overflows, all that
 * is known is that it exceeds the largest double. */
static double sum_down(double a, double b)
{
    const double sum = a + b, part = sum - a;
    const bool exact = (a - (sum - part)) + (b - part) == 0;
    if (sum == (double)INFINITY && isfinite(a) && isfinite(b)) return DBL_MAX;
    return exact || isinf(sum) ? sum : nextafter(sum, -INFINITY);
}

static struct enclosed added(struct enclosed a, struct enclosed b)
{
    struct enclosed r = between(sum_down(a.low, b.low), -sum_down(-a.high, -b.high));
    r.low_open = a.low_open || b.low_open;
    r.high_open = a.high_open || b.high_open;
    return r;
}

/* Multiplies ends. An infinite end stands for any large number, so zero times it is zero. */
static double product_of_ends(double a, double b) { return a == 0 || b == 0 ? 0 : a * b; }

static struct enclosed multiplied(struct enclosed a, struct enclosed b)
{
    const double ends[] = {product_of_ends(a.low, b.low), product_of_ends(a.low, b.high),
                           product_of_ends(a.high, b.low), product_of_ends(a.high, b.high)};
    double low = ends[0], high = ends[0];
    for (int k = 1; k < 4; k++) {
        low = ends[k] < low ? ends[k] : low;
        high = ends[k] > high ? ends[k] : high;
    }
    const bool exact_zero = (a.low == 0 && a.high == 0) || (b.low == 0 && b.high == 0);
    struct enclosed r = exact_zero ? between(0, 0) : between(down(low, 1), up(high, 1));
    const bool a_signed = is_positive(a) || is_negative(a), b_signed = is_positive(b) || is_negative(b);
    const bool same = is_positive(a) == is_positive(b);
    if (!r.defined) return unknown;
    return a_signed && b_signed ? signed_like(r, same, !same) : r;
}

static struct enclosed inverted(struct enclosed a)
{
    const bool positive = is_positive(a), negative = is_negative(a);
    if (!positive && !negative) return unknown;
    double low = 1 / a.high, high = 1 / a.low;
    if (positive && a.low <= 0) high = INFINITY;
    if (negative && a.high >= 0) low = -INFINITY;
    return signed_like(between(down(low, 1), up(high, 1)), positive, negative);
}

typedef struct quick_number quick_function(struct quick_number);

/* Encloses an increasing function from the quick values at both ends. Quick values say nothing about
 * infinities. There the function counts as its value at the largest number, unless it is unbounded, because
 * the end may stand for any large number. A quick value is infinite only where the true one is above
 * 2^1020. */
static struct enclosed increasing(struct enclosed a, quick_function *f, double low, double high)
{
    const struct quick_number least = f((struct quick_number){.value = quick_cut(a.low, -DBL_MAX, DBL_MAX)}),
                              most = f((struct quick_number){.value = quick_cut(a.high, -DBL_MAX, DBL_MAX)});
    const bool everywhere = a.high == (double)INFINITY && high == (double)INFINITY;
    double from = least.error < INFINITY ? down(least.value - least.error, 1) : -INFINITY;
    if (least.value == (double)INFINITY) from = 0x1p1020;
    const double to = most.error < INFINITY && !everywhere ? up(most.value + most.error, 1) : INFINITY;
    return below(above(between(from, to), low), high);
}

#define FUNCTION(name, ...)                                                                                  \
    static struct quick_number name##_at(struct quick_number a) { return quick_##name(a); }
#define DEFINED(name, ...)
#include "functions.def"
#undef FUNCTION
static quick_function *const functions[EXPR_KIND_COUNT] = {
#define FUNCTION(name, ...) [EXPR_##name] = name##_at,
#define DEFINED(name, ...)
#include "functions.def"
#undef FUNCTION
};

static struct quick_number minus_erfc_at(struct quick_number a)
{
    const struct quick_number right = quick_erfc(a);
    return (struct quick_number){-right.value, right.error};
}

static struct enclosed absolute(struct enclosed a)
{
    if (a.low >= 0) return a;
    if (a.high <= 0) return negated(a);
    return between(0, -a.low > a.high ? -a.low : a.high);
}

/* Encloses any function by the quick value of the interval's middle, with the half width of the interval as
 * the argument's error. */
static struct enclosed around_middle(struct enclosed a, quick_function *f)
{
    const double middle = a.low + (a.high - a.low) / 2;
    const double reach = up(a.high - middle > middle - a.low ? a.high - middle : middle - a.low, 1);
    if (!f || !isfinite(reach)) return unknown;
    const struct quick_number n = f((struct quick_number){middle, reach});
    return n.error < (double)INFINITY ? between(down(n.value - n.error, 1), up(n.value + n.error, 1))
                                      : unknown;
}

static struct enclosed within(struct enclosed a, double low, double high)
{
    return between(a.low > low ? a.low : low, a.high < high ? a.high : high);
}

/* Encloses a function. Most of them increase and have a range that is open at both ends. Any function not
 * listed uses a quick value around the middle. This is wider the faster the function rises. */
static struct enclosed of_function(enum expr_kind kind, struct enclosed a)
{
    quick_function *const f = functions[kind];
    const double all = INFINITY;
    const bool positive = is_positive(a), negative = is_negative(a);
    switch (kind) {
    case EXPR_exp:
    case EXPR_softplus: return increasing(a, f, 0, all);
    case EXPR_sigmoid:
    case EXPR_normcdf: return increasing(a, f, 0, 1);
    case EXPR_expm1: return signed_like(increasing(a, f, -1, all), positive, negative);
    case EXPR_tanh:
    case EXPR_erf: return signed_like(increasing(a, f, -1, 1), positive, negative);
    case EXPR_erfc: return negated(increasing(a, minus_erfc_at, -2, 0));
    case EXPR_log:
        if (negative) return undefined;
        return positive ? increasing(a, f, -all, all) : unknown;
    case EXPR_log1p:
        if (a.high < -1) return undefined;
        return a.low > -1 ? signed_like(increasing(a, f, -all, all), positive, negative) : unknown;
    case EXPR_sqrt:
        if (negative) return undefined;
        return a.low >= 0 ? signed_like(increasing(a, f, -all, all), positive, false) : unknown;
    case EXPR_sin:
    case EXPR_cos: return within(around_middle(a, f), -1, 1);
    case EXPR_atan: return signed_like(increasing(a, f, -HALF_PI, HALF_PI), positive, negative);
    case EXPR_floor: return between(floor(a.low), floor(a.high));
    case EXPR_round: return between(rint(a.low), rint(a.high));
    case EXPR_abs: return absolute(a);
    case EXPR_sign: return positive ? between(1, 1) : negative ? between(-1, -1) : between(-1, 1);
    default: return around_middle(a, f);
    }
}

/* Returns a lower (`side` < 0) or upper bound of x^exponent for x >= 0 and a positive exponent. As in
 * increasing(), an infinity is above 2^1020. */
static double power_end(double x, double exponent, bool exact, int side)
{
    if (x == 0 || x == (double)INFINITY) return x;
    const struct quick_number n = quick_power((struct quick_number){.value = x}, exponent, exact);
    if (!(n.error < INFINITY)) return side > 0 ? INFINITY : n.value == (double)INFINITY ? 0x1p1020 : 0;
    return side < 0 ? down(n.value - n.error, 1) : up(n.value + n.error, 1);
}

static struct enclosed raised(struct enclosed a, double exponent, bool exact)
{
    const struct enclosed r =
        between(power_end(a.low, exponent, exact, -1), power_end(a.high, exponent, exact, 1));
    return signed_like(r, is_positive(a), false);
}

static struct enclosed power_of(struct enclosed a, mpq_srcptr number)
{
    const int sign = mpq_sgn(number);
    const double exponent = fabs(mpq_get_d(number));
    if (sign == 0) return between(1, 1);
    struct enclosed r;
    if (mpz_cmp_ui(mpq_denref(number), 1) == 0) {
        if (exponent > 0x1p53) return unknown;
        const bool odd = mpz_odd_p(mpq_numref(number)), flip = odd && a.high <= 0;
        if (odd && !flip && a.low < 0) return unknown;
        r = raised(odd ? (flip ? negated(a) : a) : absolute(a), exponent, true);
        if (flip) r = negated(r);
    } else {
        if (is_negative(a)) return undefined;
        if (a.low < 0) return unknown;
        const bool exact =
            mpz_popcount(mpq_denref(number)) == 1 && mpz_sizeinbase(mpq_numref(number), 2) <= 53;
        r = raised(a, exponent, exact);
    }
    return sign < 0 ? inverted(r) : r;
}

static struct enclosed number_of(mpq_srcptr number)
{
    const double nearest = mpq_get_d(number); /* truncated */
    if (mpz_popcount(mpq_denref(number)) == 1 && mpz_sizeinbase(mpq_numref(number), 2) <= 53 &&
        mpz_sizeinbase(mpq_denref(number), 2) <= 1000)
        return between(nearest, nearest);
    return signed_like(between(down(nearest, 1), up(nearest, 1)), mpq_sgn(number) > 0, mpq_sgn(number) < 0);
}

/* Returns a truth value as an interval of 0 and 1. */
static struct enclosed truth(bool certainly, bool certainly_not)
{
    return between(certainly, !certainly_not);
}

static struct enclosed compared(enum expr_kind kind, struct enclosed a, struct enclosed b)
{
    const bool apart = a.high < b.low || a.low > b.high;
    if (kind == EXPR_LT) return truth(a.high < b.low, a.low >= b.high);
    if (kind == EXPR_LE) return truth(a.high <= b.low, a.low > b.high);
    return truth(a.low == b.high && a.high == b.low, apart);
}

static struct enclosed smaller_of(struct enclosed a, struct enclosed b)
{
    return between(a.low < b.low ? a.low : b.low, a.high < b.high ? a.high : b.high);
}

static struct enclosed chosen(struct enclosed condition, struct enclosed a, struct enclosed b)
{
    if (!condition.defined) return unknown;
    if (condition.low == 1) return a;
    if (condition.high == 0) return b;
    if (!a.defined || !b.defined) return a.undefined && b.undefined ? undefined : unknown;
    struct enclosed r = between(a.low < b.low ? a.low : b.low, a.high > b.high ? a.high : b.high);
    r.low_open = (a.low > r.low || a.low_open) && (b.low > r.low || b.low_open);
    r.high_open = (a.high < r.high || a.high_open) && (b.high < r.high || b.high_open);
    return r;
}

static struct enclosed evaluate(const expr *e, struct enclosed a, struct enclosed b, struct enclosed c)
{
    const unsigned arity = expr_arity(e->kind);
    if (e->kind == EXPR_IF) return chosen(a, b, c);
    if (a.undefined || (arity > 1 && b.undefined)) return undefined;
    if (!a.defined || (arity > 1 && !b.defined)) return unknown;
    switch (e->kind) {
    case EXPR_ADD: return added(a, b);
    case EXPR_SUB: return added(a, negated(b));
    case EXPR_MUL: return multiplied(a, b);
    case EXPR_DIV: return b.low == 0 && b.high == 0 ? unknown : multiplied(a, inverted(b));
    case EXPR_NEG: return negated(a);
    case EXPR_POWER: return power_of(a, e->number);
    case EXPR_MIN:
    case EXPR_AND: return smaller_of(a, b);
    case EXPR_MAX:
    case EXPR_OR: return negated(smaller_of(negated(a), negated(b)));
    case EXPR_LT:
    case EXPR_LE:
    case EXPR_EQ: return compared(e->kind, a, b);
    case EXPR_NOT: return between(1 - a.high, 1 - a.low);
    default: return of_function(e->kind, a);
    }
}

/* Encloses exp(u^2) erfc(u) for u >= 1 by Abramowitz and Stegun 7.1.13. */
static struct enclosed scaled_erfc(struct enclosed u)
{
    const double scale = 0x1.20dd750429b6dp0; /* 2/sqrt(pi) */
    const double low = scale / (u.high + sqrt(u.high * u.high + 2));
    const double high = scale / (u.low + sqrt(u.low * u.low + 1.2732395447351628)); /* 4/pi, rounded up */
    return above(between(low * (1 - 0x1p-40), high * (1 + 0x1p-40)), 0);
}

static const struct exponent no_exponent = {0};

static struct scaled scaled_function(const struct node *n, struct enclosed u, struct enclosed plain)
{
    const struct enclosed half_to_one = between(0.5, 1);
    const bool tail = n->exponent.power && u.defined;
    switch (n->e->kind) {
    case EXPR_exp:
        if (tail) return (struct scaled){n->exponent, between(1, 1)};
        break;
    case EXPR_sigmoid:  /* 1 / (1 + e^u) */
    case EXPR_softplus: /* log(1 + t) / t for t <= 1 */
        if (tail && u.high <= 0) return (struct scaled){n->exponent, half_to_one};
        break;
    case EXPR_erfc:
        if (tail && u.low >= 1) return (struct scaled){n->exponent, scaled_erfc(u)};
        break;
    default: break;
    }
    return (struct scaled){no_exponent, plain};
}

static struct scaled scaled_inverse(struct scaled a)
{
    return (struct scaled){{a.exponent.opposite, a.exponent.power}, inverted(a.factor)};
}

/* Multiplies where one of the exponents is 0, or where they are opposite. Otherwise returns `none`. */
static struct scaled scaled_product(struct scaled a, struct scaled b, struct scaled none)
{
    const struct enclosed factor = multiplied(a.factor, b.factor);
    if (!a.exponent.power || !b.exponent.power)
        return (struct scaled){a.exponent.power ? a.exponent : b.exponent, factor};
    return a.exponent.power == b.exponent.opposite ? (struct scaled){no_exponent, factor} : none;
}

static struct scaled scaled_value(const struct enclosure *e, const struct node *n, struct enclosed plain)
{
    const struct scaled none = {no_exponent, plain};
    const unsigned arity = expr_arity(n->e->kind);
    if (!arity || !plain.defined) return none;
    const struct scaled a = e->scaled[n->operand[0]], b = e->scaled[n->operand[arity > 1]];
    if (!a.factor.defined || !b.factor.defined) return none;
    const bool alike = a.exponent.power && a.exponent.power == b.exponent.power;
    switch (n->e->kind) {
    case EXPR_NEG: return (struct scaled){a.exponent, negated(a.factor)};
    case EXPR_ADD: return alike ? (struct scaled){a.exponent, added(a.factor, b.factor)} : none;
    case EXPR_SUB: return alike ? (struct scaled){a.exponent, added(a.factor, negated(b.factor))} : none;
    case EXPR_MUL: return scaled_product(a, b, none);
    case EXPR_DIV: return scaled_product(a, scaled_inverse(b), none);
    case EXPR_POWER: return a.exponent.power && !mpq_cmp_si(n->e->number, -1, 1) ? scaled_inverse(a) : none;
    default: return scaled_function(n, e->values[n->operand[0]], plain);
    }
}

/* Returns the intersection of two enclosures of one value. */
static struct enclosed common(struct enclosed a, struct enclosed b)
{
    if (b.low > a.low || (b.low == a.low && b.low_open)) a.low = b.low, a.low_open = b.low_open;
    if (b.high < a.high || (b.high == a.high && b.high_open)) a.high = b.high, a.high_open = b.high_open;
    return a;
}

struct enclosed enclosure_of(struct enclosure *e, const float *x, size_t count)
{
    double low = INFINITY, high = -INFINITY;
    for (size_t k = 0; k < count; k++) {
        if (!isfinite(x[k])) continue;
        low = (double)x[k] < low ? (double)x[k] : low;
        high = (double)x[k] > high ? (double)x[k] : high;
    }
    e->low = low;
    e->high = high;
    if (low > high) return unknown;
    const struct enclosed nothing = {.defined = true};
    for (uint32_t n = 0; n < e->count; n++) {
        const struct node *node = &e->nodes[n];
        const unsigned arity = expr_arity(node->e->kind);
        struct enclosed *r = &e->values[n];
        switch (node->e->kind) {
        case EXPR_NUMBER: break; /* set by enclosure_create */
        case EXPR_PI: *r = between(0x1.921fb54442d18p1, 0x1.921fb54442d19p1); break;
        case EXPR_INPUT: *r = between(low, high); break;
        case EXPR_CAST:
        case EXPR_INFINITY: *r = unknown; break;
        default:
            *r = evaluate(node->e, arity > 0 ? e->values[node->operand[0]] : nothing,
                          arity > 1 ? e->values[node->operand[1]] : nothing,
                          arity > 2 ? e->values[node->operand[2]] : nothing);
        }
        e->scaled[n] = scaled_value(e, node, *r);
        const struct enclosed factor = e->scaled[n].factor;
        if (!e->scaled[n].exponent.power && factor.defined)
            /* Exponents that have cancelled may give a narrower enclosure. */
            *r = r->defined ? common(*r, factor) : factor;
        else if (r->defined)
            *r = signed_like(*r, is_positive(factor), is_negative(factor));
    }
    return e->values[e->count - 1];
}
