/* Products of f32 values and of f64 values that all elements of a row share, such as x*(1/rms)*weight. In
 * f64, each element would take a conversion of each factor and one of the result. The product of the shared
 * values is computed in f64, once for a row. The elements are multiplied in f32:
 *
 *   one word    The scale is rounded to f32. With n f32 factors there are n + 1 roundings, each of at most
 *               half an ulp. An error of half an ulp of a factor is at most one ulp of the product, so all
 *               together are less than n + 1/2 ulp, and (n + 1) 2^-24 of the value.
 *   two words   The scale is a sum of two f32, and so are the products except for the last, by fma. Only the
 *               last operation rounds to 24 bits: half an ulp and 2^-20 of one. A result below 2^-116 may be
 *               off by one ulp, because 2^-149 is the last bit of its low word. Bounds below 2 ulp take the
 *               f64 value there.
 *
 * These errors hold where no step leaves the range of f32. A rare choice (LANE_RARELY) takes the f64 value
 * for all other elements. Zeros are no such elements: 0 is exact. */
#include "lowering.h"

#include <math.h>

enum { MOST_FACTORS = 8, ONE_WORD = 1, TWO_WORDS = 2 };

struct scaled {
    const expr *factor[MOST_FACTORS]; /* f32 values, which differ between elements */
    const expr *shared[MOST_FACTORS]; /* f64 values */
    bool divides[MOST_FACTORS];       /* the shared value divides */
    unsigned factors, shareds;
    bool negative, is_computed; /* a factor has been rounded before, and is no operand */
    int words;
    bool is_tight; /* the bound does not allow one ulp for two words */
};

/* Returns true if the value is the same for all elements of a row. */
static bool is_shared(const struct lowering *l, const expr *e)
{
    const struct spec_kernel *k = l->request.kernel;
    for (uint32_t i = 0; i < k->operand_count + k->made_count; i++) {
        const struct spec_operand *o = &k->operands[i];
        const bool is_one = o->shape == SHAPE_ROWS || o->shape == SHAPE_ONE;
        if (expr_depends(e, i) && (!is_one || element_is_bit(o->type))) return false;
    }
    return !expr_is_truth(e);
}

static bool add_shared(struct scaled *s, const expr *e, bool divides)
{
    if (s->shareds == MOST_FACTORS) return false;
    s->divides[s->shareds] = divides;
    s->shared[s->shareds++] = e;
    return true;
}

/* Adds the factors of a product. Returns false if `e` is no product of such factors. */
static bool collect_factors(struct scaled *s, const struct lowering *l, const expr *e)
{
    if (is_shared(l, e)) return add_shared(s, e, false);
    switch (e->kind) {
    case EXPR_MUL: return collect_factors(s, l, e->operand[0]) && collect_factors(s, l, e->operand[1]);
    case EXPR_DIV:
        return collect_factors(s, l, e->operand[0]) && is_shared(l, e->operand[1]) &&
               add_shared(s, e->operand[1], true);
    case EXPR_NEG: s->negative = !s->negative; return collect_factors(s, l, e->operand[0]);
    default: break;
    }
    const expr *narrow = lower_narrow_part(l, e);
    if (!narrow || s->factors == MOST_FACTORS) return false;
    s->is_computed = s->is_computed || (narrow->kind == EXPR_CAST && narrow->operand[0]->kind != EXPR_INPUT);
    s->factor[s->factors++] = narrow;
    return true;
}

/* Returns the words that keep the bound, or 0 if f64 does. A computed factor brings an error of its own, and
 * the product adds as little as it can to that. A result of fewer bits, whose bound is in its own ulps, hides
 * the errors of f32. */
static int words_for(const struct lowering *l, const struct scaled *s, enum element_type type)
{
    static const double slack = 0x1p-10, ulp = 0x1p-23;
    const struct spec_bound *bound = &l->request.bound;
    const bool is_default = bound->kind == BOUND_DEFAULT, has_fma = l->program->profile.fma;
    const double value = is_default ? 3 : bound->value, ulps = s->factors + 0.5;
    if (bound->kind == BOUND_ABS)
        return ulp * (ulps + 0.5) / 2 * (1 + slack) <= value ? ONE_WORD
               : ulp <= value && has_fma                     ? TWO_WORDS
                                                             : 0;
    if (!is_default && element_is_half(type)) return value >= 0.5 + slack * s->factors ? ONE_WORD : 0;
    if (ulps + slack <= value && !s->is_computed) return ONE_WORD;
    return value >= 0.5 + slack && has_fma ? TWO_WORDS : 0;
}

const struct scaled *lower_find_scaled(struct lowering *l, const expr *e, enum element_type type)
{
    struct scaled *s = arena_alloc(expr_dag_memory(l->dag), sizeof *s);
    *s = (struct scaled){0};
    if (element_is_bit(type) || element_is_power(type) || type == ELEMENT_F64 || !lower_is_wide(l, e))
        return NULL;
    if (!collect_factors(s, l, e) || !s->factors || !s->shareds) return NULL;
    s->words = words_for(l, s, type);
    s->is_tight = l->request.bound.kind == BOUND_ULP && l->request.bound.value < 2;
    return s->words ? s : NULL;
}

/* -- the arithmetic -- */

struct words {
    lane_value high, low; /* low: only of two words */
};

/* Multiplies the shared values in f64. */
static lane_value scale_of(struct lowering *l, const struct scaled *s)
{
    lane_program *p = l->program;
    lane_value scale = lane_const(p, LANE_F64, s->negative ? -1 : 1);
    for (unsigned i = 0; i < s->shareds; i++) {
        const lane_value v = lower_node(l, s->shared[i], true);
        if (l->status) return 0;
        scale = i == 0 && !s->divides[i] && !s->negative
                    ? v
                    : lane_binary(p, s->divides[i] ? LANE_DIV : LANE_MUL, scale, v);
    }
    return scale;
}

/* Rounds a number to f32, and turns NaN into infinity. */
static lane_value narrow_without_nan(lane_program *p, lane_value wide)
{
    return lane_min(p, lane_unary(p, LANE_NARROW, wide), lane_f32(p, (double)INFINITY));
}

/* Returns the scale as words, which are never NaN. So a NaN of the result is that of a factor, and a bf16 is
 * rounded in fewer operations (low_bits.h). */
static struct words words_of_scale(lane_program *p, const struct scaled *s, lane_value scale)
{
    struct words w = {narrow_without_nan(p, scale), 0};
    if (s->words == TWO_WORDS)
        w.low = narrow_without_nan(p, lane_binary(p, LANE_SUB, scale, lane_unary(p, LANE_WIDEN, w.high)));
    return w;
}

/* -- the range --
 *
 * No step before the last leaves the range of f32 if the scale is less than 2^44, its product with the first
 * factor is at least 2^-62, and the factors between the first and the last are together from 2^-38 to 2^38.
 * Two words lose no bit, because they have 48 bits from 2^-100 on, and the last bit of f32 is 2^-149.
 * One word has a first factor of at most 2^45. With two words, a step that was too large shows in the result:
 * infinity stays infinity, or becomes NaN. These limits take few operations, and numbers beyond them are
 * rare. */

enum { SCALE_MOST = 44, FIRST_MOST = 45, PRODUCT_LEAST = -62, MIDDLE_MOST = 38, TIGHT_LEAST = -116 };

static lane_value i32_bits(lane_program *p, uint32_t bits) { return lane_const_bits(p, LANE_I32, bits); }

/* Returns the bits of |v|, an integer that grows with |v|. */
static lane_value size_bits(lane_program *p, lane_value v)
{
    return lane_binary(p, LANE_AND, lane_unary(p, LANE_BITCAST, v), i32_bits(p, INT32_MAX));
}

/* Returns the bits of 2^exponent. */
static uint32_t bits_of_power(int exponent)
{
    enum { BIAS = 127 };
    return (uint32_t)(exponent + BIAS) << 23;
}

static const uint32_t INFINITE = 0x7f800000, SIGN = UINT32_C(1) << 31;

/* Returns a condition: |v| is above 0 and below a magnitude. `low` is the bits of this, plus INT32_MAX.
 * Adding that to the bits of |v| puts 0 above all others. */
static lane_value size_is_below(lane_program *p, lane_value v, lane_value low)
{
    return lane_binary(p, LANE_ILT, lane_binary(p, LANE_IADD, size_bits(p, v), i32_bits(p, INT32_MAX)), low);
}

static lane_value size_is_below_power(lane_program *p, lane_value v, int exponent)
{
    return size_is_below(p, v, i32_bits(p, bits_of_power(exponent) + INT32_MAX));
}

/* Returns a condition: |v| is above a magnitude with these bits. */
static lane_value size_is_above(lane_program *p, lane_value v, lane_value most)
{
    return lane_binary(p, LANE_ILT, most, size_bits(p, v));
}

/* Returns a condition: the scale has all its bits, and |scale| is below a magnitude with the bits `end`. */
static lane_value is_sound(lane_program *p, const struct scaled *s, lane_value scale, uint32_t end)
{
    const uint32_t low = bits_of_power(s->words == TWO_WORDS ? -100 : -126);
    const lane_value moved = lane_binary(p, LANE_ISUB, size_bits(p, scale), i32_bits(p, low + SIGN));
    return lane_binary(p, LANE_ILT, moved, i32_bits(p, end - low + SIGN));
}

/* Returns a condition: the scale or its product with v is beyond the limits, and v is not 0. With one word, v
 * may be 0. The bits of a magnitude 2^e (1 + f) are those of e + f. Since (1 + f)(1 + g) is at least
 * 1 + f + g, and is at least 2 if f + g is at least 1, a product is at least 2^n if the sum of both e + f is.
 * The limits of v are the same in a row. */
static lane_value scales_beyond(lane_program *p, const struct scaled *s, lane_value scale, lane_value v)
{
    const uint32_t of_one = bits_of_power(0);
    const lane_value sound = is_sound(p, s, scale, bits_of_power(SCALE_MOST));
    const lane_value least = i32_bits(p, bits_of_power(PRODUCT_LEAST) + of_one + INT32_MAX);
    const lane_value low = lane_binary(p, LANE_ISUB, least, size_bits(p, scale));
    const lane_value all = i32_bits(p, INT32_MAX);
    if (s->words == TWO_WORDS) return size_is_below(p, v, lane_select(p, sound, low, all));
    const lane_value most = i32_bits(p, bits_of_power(FIRST_MOST)), none = i32_bits(p, UINT32_MAX);
    const lane_value above = size_is_above(p, v, lane_select(p, sound, most, none));
    return lane_binary(p, LANE_MOR, size_is_below(p, v, low), above);
}

/* Returns a condition: a factor between the first and the last is beyond the limits. */
static lane_value is_beyond_middle(lane_program *p, const struct scaled *s, lane_value v)
{
    const int most = MIDDLE_MOST / (int)(s->factors - 2);
    const lane_value below = size_is_below_power(p, v, -most);
    if (s->words == TWO_WORDS) return below;
    return lane_binary(p, LANE_MOR, below, size_is_above(p, v, i32_bits(p, bits_of_power(most))));
}

/* Returns a condition on the result of two words: a step was too large, or the result is too small for the
 * bound. */
static lane_value is_lost(lane_program *p, const struct scaled *s, lane_value result)
{
    const lane_value above = size_is_above(p, result, i32_bits(p, INFINITE - 1));
    return s->is_tight ? lane_binary(p, LANE_MOR, above, size_is_below_power(p, result, TIGHT_LEAST)) : above;
}

/* Returns y with the sign of a*b if y is 0. Otherwise y has this sign. */
static lane_value with_sign_of_product(lane_program *p, lane_value y, lane_value a, lane_value b)
{
    const lane_value signs =
        lane_binary(p, LANE_XOR, lane_unary(p, LANE_BITCAST, a), lane_unary(p, LANE_BITCAST, b));
    const lane_value sign = lane_binary(p, LANE_AND, signs, i32_bits(p, SIGN));
    return lane_unary(p, LANE_BITCAST, lane_binary(p, LANE_OR, lane_unary(p, LANE_BITCAST, y), sign));
}

/* Returns a*b, where b is one f32. The last product of two words is one word. */
static struct words times_factor(lane_program *p, const struct scaled *s, struct words a, lane_value b,
                                 bool is_last)
{
    if (s->words == ONE_WORD) return (struct words){lane_mul(p, a.high, b), 0};
    if (is_last) {
        const lane_value y = lane_fma(p, a.high, b, lane_mul(p, a.low, b));
        return (struct words){with_sign_of_product(p, y, a.high, b), 0};
    }
    const lane_value high = lane_mul(p, a.high, b);
    const lane_value rest = lane_fma(p, a.high, b, lane_unary(p, LANE_NEG, high));
    return (struct words){high, lane_fma(p, a.low, b, rest)};
}

lane_value lower_scaled(struct lowering *l, const struct scaled *s, lane_value exact)
{
    lane_program *p = l->program;
    lane_value v[MOST_FACTORS];
    const lane_value scale = scale_of(l, s);
    for (unsigned i = 0; i < s->factors && !l->status; i++) v[i] = lower_node(l, s->factor[i], false);
    if (l->status) return 0;
    struct words y = words_of_scale(p, s, scale);
    lane_value is_beyond_f32 = s->factors == 1 ? lane_unary(p, LANE_MNOT, is_sound(p, s, y.high, INFINITE))
                                               : scales_beyond(p, s, y.high, v[0]);
    for (unsigned i = 0; i < s->factors; i++) {
        const bool is_last = i + 1 == s->factors;
        if (i && !is_last)
            is_beyond_f32 = lane_binary(p, LANE_MOR, is_beyond_f32, is_beyond_middle(p, s, v[i]));
        y = times_factor(p, s, y, v[i], is_last);
    }
    if (s->words == TWO_WORDS) is_beyond_f32 = lane_binary(p, LANE_MOR, is_beyond_f32, is_lost(p, s, y.high));
    return lane_rarely(p, is_beyond_f32, exact, y.high);
}
