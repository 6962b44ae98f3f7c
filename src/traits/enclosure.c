/* Interval arithmetic in doubles over an expression. */
#include "enclosure_nodes.h"

#include "quick.h"
#include "quick_functions.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

static const struct enclosed unknown = {.low = -INFINITY, .high = INFINITY};

static const struct enclosed undefined = {.undefined = true};

static void release_enclosure(struct arena_guest *guest) { enclosure_free((struct enclosure *)guest); }

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
        if (nodes[n]->kind == EXPR_NUMBER) enclosure->values[n] = enclosed_number(nodes[n]->number);
        memcpy(enclosure->nodes[n].operand, places[n], sizeof places[n]);
    }
    enclosure_find_exponents(enclosure);
    arena_host(e->memory, &enclosure->guest, release_enclosure);
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

struct enclosed enclosed_between(double low, double high)
{
    if (isnan(low) || isnan(high)) return unknown;
    return (struct enclosed){.defined = true, .low = low, .high = high};
}

/* Clip to values that are strictly above `low`, or strictly below `high`. */
struct enclosed enclosed_above(struct enclosed a, double low)
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

struct enclosed enclosed_signed(struct enclosed a, bool positive, bool negative)
{
    return !a.defined ? a : positive ? enclosed_above(a, 0) : negative ? below(a, 0) : a;
}

struct enclosed enclosed_negative_of(struct enclosed a)
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

struct enclosed enclosed_sum(struct enclosed a, struct enclosed b)
{
    struct enclosed r = enclosed_between(sum_down(a.low, b.low), -sum_down(-a.high, -b.high));
    r.low_open = a.low_open || b.low_open;
    r.high_open = a.high_open || b.high_open;
    return r;
}

/* Multiplies ends. An infinite end stands for any large number, so zero times it is zero. */
static double product_of_ends(double a, double b) { return a == 0 || b == 0 ? 0 : a * b; }

struct enclosed enclosed_product(struct enclosed a, struct enclosed b)
{
    const double ends[] = {product_of_ends(a.low, b.low), product_of_ends(a.low, b.high),
                           product_of_ends(a.high, b.low), product_of_ends(a.high, b.high)};
    double low = ends[0], high = ends[0];
    for (int k = 1; k < 4; k++) {
        low = ends[k] < low ? ends[k] : low;
        high = ends[k] > high ? ends[k] : high;
    }
    const bool exact_zero = (a.low == 0 && a.high == 0) || (b.low == 0 && b.high == 0);
    struct enclosed r = exact_zero ? enclosed_between(0, 0) : enclosed_between(down(low, 1), up(high, 1));
    const bool a_signed = is_positive(a) || is_negative(a), b_signed = is_positive(b) || is_negative(b);
    const bool same = is_positive(a) == is_positive(b);
    if (!r.defined) return unknown;
    return a_signed && b_signed ? enclosed_signed(r, same, !same) : r;
}

struct enclosed enclosed_inverse(struct enclosed a)
{
    const bool positive = is_positive(a), negative = is_negative(a);
    if (!positive && !negative) return unknown;
    double low = 1 / a.high, high = 1 / a.low;
    if (positive && a.low <= 0) high = INFINITY;
    if (negative && a.high >= 0) low = -INFINITY;
    return enclosed_signed(enclosed_between(down(low, 1), up(high, 1)), positive, negative);
}

typedef struct quick_number quick_function(struct quick_number);

/* Encloses a monotone function from the quick values at both ends. Quick values say nothing about infinities.
 * There the function counts as its value at the largest number, unless it is unbounded, because the end may
 * stand for any large number. A quick value is infinite only where the true one is above 2^1020. A function
 * that falls is enclosed as one that rises, with the other sign. */
static struct enclosed monotone(struct enclosed a, quick_function *f, const struct expr_function *row)
{
    struct quick_number least = f((struct quick_number){.value = quick_cut(a.low, -DBL_MAX, DBL_MAX)}),
                        most = f((struct quick_number){.value = quick_cut(a.high, -DBL_MAX, DBL_MAX)});
    const bool falls = row->monotony == MONOTONY_FALLS;
    double low = falls ? -row->high : row->low;
    const double high = falls ? -row->low : row->high;
    if (row->domain.has_end) low = -INFINITY; /* it may be reached */
    if (falls) least.value = -least.value, most.value = -most.value;
    const bool everywhere = a.high == (double)INFINITY && high == (double)INFINITY;
    double from = least.error < INFINITY ? down(least.value - least.error, 1) : -INFINITY;
    if (least.value == (double)INFINITY) from = 0x1p1020;
    const double to = most.error < INFINITY && !everywhere ? up(most.value + most.error, 1) : INFINITY;
    const struct enclosed r = below(enclosed_above(enclosed_between(from, to), low), high);
    return falls ? enclosed_negative_of(r) : r;
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

static struct enclosed absolute(struct enclosed a)
{
    if (a.low >= 0) return a;
    if (a.high <= 0) return enclosed_negative_of(a);
    return enclosed_between(0, -a.low > a.high ? -a.low : a.high);
}

/* Encloses any function by the quick value of the interval's middle, with the half width of the interval as
 * the argument's error. */
static struct enclosed around_middle(struct enclosed a, quick_function *f)
{
    const double middle = a.low + (a.high - a.low) / 2;
    const double reach = up(a.high - middle > middle - a.low ? a.high - middle : middle - a.low, 1);
    if (!isfinite(reach)) return unknown;
    const struct quick_number n = f((struct quick_number){middle, reach});
    return n.error < (double)INFINITY ? enclosed_between(down(n.value - n.error, 1), up(n.value + n.error, 1))
                                      : unknown;
}

static struct enclosed within(struct enclosed a, double low, double high)
{
    return enclosed_between(a.low > low ? a.low : low, a.high < high ? a.high : high);
}

/* Encloses a function that bends or jumps at 0: abs or sign. */
static struct enclosed beside_kink(enum expr_kind kind, struct enclosed a)
{
    if (kind == EXPR_abs) return absolute(a);
    return enclosed_between(is_positive(a) ? 1 : -1, is_negative(a) ? -1 : 1);
}

/* Encloses a function by its row. One that turns uses a quick value around the middle of the interval, which
 * is wider the faster the function rises. */
struct enclosed enclosed_function(enum expr_kind kind, struct enclosed a)
{
    const struct expr_function *row = &expr_functions[kind];
    quick_function *const f = functions[kind];
    const double from = (double)row->domain.from;
    if (row->nature == NATURE_KINK) return beside_kink(kind, a);
    if (row->domain.has_end) {
        if (a.high < from || (a.high == from && a.high_open)) return undefined;
        const bool is_above = a.low > from || (a.low == from && (a.low_open || isfinite(row->low)));
        if (!is_above) return unknown;
        /* The other end of a domain on two sides is a pole, or its values are not known to be reached. */
        if (row->domain.is_two_sided && a.low >= -from && (a.low > -from || a.low_open)) return undefined;
        if (row->domain.is_two_sided && !(a.high < -from || (a.high == -from && a.high_open))) return unknown;
    }
    if (!f) return unknown;
    if (row->nature == NATURE_STEPS && row->parity == PARITY_EVEN) a = absolute(a);
    if (row->nature == NATURE_STEPS)
        return enclosed_between(f((struct quick_number){.value = a.low}).value,
                                f((struct quick_number){.value = a.high}).value);
    if (row->monotony != MONOTONY_TURNS) {
        const struct enclosed r = monotone(a, f, row);
        const bool begins_at_zero = row->at_zero == AT_ZERO_LIKE_U || row->at_zero == AT_ZERO_ZERO;
        return begins_at_zero ? enclosed_signed(r, is_positive(a), is_negative(a)) : r;
    }
    const struct enclosed r = around_middle(a, f);
    return isfinite(row->low) ? within(r, row->low, row->high) : r;
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
        enclosed_between(power_end(a.low, exponent, exact, -1), power_end(a.high, exponent, exact, 1));
    return enclosed_signed(r, is_positive(a), false);
}

struct enclosed enclosed_power(struct enclosed a, mpq_srcptr number)
{
    const int sign = mpq_sgn(number);
    const double exponent = fabs(mpq_get_d(number));
    if (sign == 0) return enclosed_between(1, 1);
    struct enclosed r;
    if (mpz_cmp_ui(mpq_denref(number), 1) == 0) {
        if (exponent > 0x1p53) return unknown;
        const bool odd = mpz_odd_p(mpq_numref(number)), flip = odd && a.high <= 0;
        if (odd && !flip && a.low < 0) return unknown;
        r = raised(odd ? (flip ? enclosed_negative_of(a) : a) : absolute(a), exponent, true);
        if (flip) r = enclosed_negative_of(r);
    } else {
        if (is_negative(a)) return undefined;
        if (a.low < 0) return unknown;
        const bool exact =
            mpz_popcount(mpq_denref(number)) == 1 && mpz_sizeinbase(mpq_numref(number), 2) <= 53;
        r = raised(a, exponent, exact);
    }
    return sign < 0 ? enclosed_inverse(r) : r;
}

struct enclosed enclosed_number(mpq_srcptr number)
{
    const double nearest = mpq_get_d(number); /* truncated */
    if (mpz_popcount(mpq_denref(number)) == 1 && mpz_sizeinbase(mpq_numref(number), 2) <= 53 &&
        mpz_sizeinbase(mpq_denref(number), 2) <= 1000)
        return enclosed_between(nearest, nearest);
    return enclosed_signed(enclosed_between(down(nearest, 1), up(nearest, 1)), mpq_sgn(number) > 0,
                           mpq_sgn(number) < 0);
}

/* Returns a truth value as an interval of 0 and 1. */
static struct enclosed truth(bool certainly, bool certainly_not)
{
    return enclosed_between(certainly, !certainly_not);
}

static struct enclosed compared(enum expr_kind kind, struct enclosed a, struct enclosed b)
{
    const bool apart = a.high < b.low || a.low > b.high;
    if (kind == EXPR_LT) return truth(a.high < b.low, a.low >= b.high);
    if (kind == EXPR_LE) return truth(a.high <= b.low, a.low > b.high);
    return truth(a.low == b.high && a.high == b.low, apart);
}

/* Encloses min(a, b). The smaller end is open if its operand's end is, so min(silu(x), 7) < 0 stays known
 * where silu has underflowed. Where both ends are equal, min is below both and reaches the lower of both. */
static struct enclosed smaller_of(struct enclosed a, struct enclosed b)
{
    struct enclosed r = enclosed_between(fmin(a.low, b.low), fmin(a.high, b.high));
    r.low_open = (a.low > r.low || a.low_open) && (b.low > r.low || b.low_open);
    r.high_open = (a.high == r.high && a.high_open) || (b.high == r.high && b.high_open);
    return r;
}

static struct enclosed chosen_enclosure(struct enclosed condition, struct enclosed a, struct enclosed b)
{
    if (!condition.defined) return unknown;
    if (condition.low == 1) return a;
    if (condition.high == 0) return b;
    if (!a.defined || !b.defined) return a.undefined && b.undefined ? undefined : unknown;
    struct enclosed r = enclosed_between(a.low < b.low ? a.low : b.low, a.high > b.high ? a.high : b.high);
    r.low_open = (a.low > r.low || a.low_open) && (b.low > r.low || b.low_open);
    r.high_open = (a.high < r.high || a.high_open) && (b.high < r.high || b.high_open);
    return r;
}

static struct enclosed enclosed_node(const expr *e, struct enclosed a, struct enclosed b, struct enclosed c)
{
    const unsigned arity = expr_arity(e->kind);
    if (e->kind == EXPR_IF) return chosen_enclosure(a, b, c);
    if (a.undefined || (arity > 1 && b.undefined)) return undefined;
    if (!a.defined || (arity > 1 && !b.defined)) return unknown;
    switch (e->kind) {
    case EXPR_ADD: return enclosed_sum(a, b);
    case EXPR_SUB: return enclosed_sum(a, enclosed_negative_of(b));
    case EXPR_MUL: return enclosed_product(a, b);
    case EXPR_DIV: return b.low == 0 && b.high == 0 ? unknown : enclosed_product(a, enclosed_inverse(b));
    case EXPR_NEG: return enclosed_negative_of(a);
    case EXPR_POWER: return enclosed_power(a, e->number);
    case EXPR_MIN:
    case EXPR_AND: return smaller_of(a, b);
    case EXPR_MAX:
    case EXPR_OR: return enclosed_negative_of(smaller_of(enclosed_negative_of(a), enclosed_negative_of(b)));
    case EXPR_LT:
    case EXPR_LE:
    case EXPR_EQ: return compared(e->kind, a, b);
    case EXPR_NOT: return enclosed_between(1 - a.high, 1 - a.low);
    default: return enclosed_function(e->kind, a);
    }
}

struct enclosed enclosed_common(struct enclosed a, struct enclosed b)
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
        case EXPR_PI: *r = enclosed_between(0x1.921fb54442d18p1, 0x1.921fb54442d19p1); break;
        case EXPR_INPUT: *r = enclosed_between(low, high); break;
        case EXPR_CAST:
        case EXPR_INFINITY: *r = unknown; break;
        default:
            *r = enclosed_node(node->e, arity > 0 ? e->values[node->operand[0]] : nothing,
                               arity > 1 ? e->values[node->operand[1]] : nothing,
                               arity > 2 ? e->values[node->operand[2]] : nothing);
        }
        e->scaled[n] = enclosure_scaled_value(e, node, *r);
        *r = enclosed_narrowed(*r, &e->scaled[n]);
    }
    return e->values[e->count - 1];
}
