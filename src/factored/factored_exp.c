/* exp(q(t)) in f32: n = round(q / ln 2), r = q - n ln 2, and a polynomial of r.
 *
 * q is carried as v + low, where v is the rounded value and low its rounding error. For q = c * t^k, v is t^k
 * and the constants include c. This saves the multiplication by c and its rounding error. */
#include "factored_exp.h"

#include "cost.h"
#include "fit.h"
#include "float_bits.h"

#include <math.h>
#include <string.h>

/* Returns k if q is c t^k with k = 1 or 2, and 0 otherwise. */
static unsigned monomial(const struct factor_polynomial *q)
{
    for (unsigned k = 1; k < q->degree; k++)
        if (q->coefficient[k] != 0) return 0;
    return q->degree <= 2 ? q->degree : 0;
}

/* Returns the factor of the polynomial's variable. */
static quad slope_of(const struct factor_polynomial *q)
{
    const unsigned k = monomial(q);
    return k ? q->coefficient[k] : 1;
}

bool factored_exp_suits(const struct factor_polynomial *q, bool has_fma)
{
    return has_fma || monomial(q) != 0;
}

quad factored_expm1_quotient(quad z)
{
    enum { TERMS = 26 };
    quad value = 1;
    for (int k = TERMS; k >= 2; k--) value = 1 + value * z / k;
    return value;
}

/* Computes multiples of the powers 2^(j / 2^k), or of their reciprocals. Entry j of the table is a power
 * divided by c. */
static void find_powers(double *power, unsigned log2_entries, bool inverse, double multiple)
{
    const struct factor_polynomial step = {1, {0, -reduction_ln2() / (quad)(1u << log2_entries)}};
    for (unsigned j = 0; j >> log2_entries == 0; j++) {
        const quad below = factor_exponential(&step, j);
        power[j] = (double)(multiple * (inverse ? below : 1 / below));
    }
}

/* Returns the base c for which all table entries lie close to f32 numbers, so that rounding the entries costs
 * little. An entry's rounding error is spread over half a unit. Among some thousand values of c, one leaves
 * each of eight entries with a sixth of that. (Gal's accurate tables, with one shift for all entries.) */
static double base_of(unsigned log2_entries, bool inverse, double multiple)
{
    enum { TRIED = 1 << 12 };
    double power[1u << FACTORED_EXP_LOG2_ENTRIES], best = 1, least = INFINITY;
    find_powers(power, log2_entries, inverse, multiple);
    for (unsigned i = 0; i < TRIED; i++) {
        const double base = 1 + i * 0x1p-23;
        double worst = 0;
        for (unsigned j = 0; j >> log2_entries == 0 && worst < least; j++) {
            const double exact = power[j] / base;
            worst = fmax(worst, fabs((double)(float)exact / exact - 1));
        }
        if (worst < least) least = worst, best = base;
    }
    return best;
}

enum { FIT_POINTS = 24 };

/* Fits the coefficients from number `first` on, with the fewest terms that reach `error`. */
static bool fit_terms(struct factored_exp *out, struct fit_problem *problem, unsigned first, double error)
{
    struct fit_result result;
    for (out->terms = first; out->terms <= FACTORED_EXP_TERMS; out->terms++) {
        const unsigned count = out->terms + 1 - first;
        fit_powers(problem, count);
        if (fit_error(problem, error) > error) continue;
        if (!fit_polynomial(problem, LANE_F32, &result)) return false;
        for (unsigned k = 0; k < count; k++) out->coefficient[k + first] = (float)result.coefficient[k];
        out->error = result.error;
        return true;
    }
    return false;
}

/* Fits the polynomial. If the low word is kept, the first coefficient is the slope itself, in as many words
 * as it needs. */
bool factored_exp_fit(struct factored_exp *out, const struct factor_polynomial *q,
                      struct factored_exp_form form, double error)
{
    struct fit_problem problem;
    const bool keeps_low = form.sum == EXP_TWO_WORDS;
    const quad slope = slope_of(q);
    const double half =
        ldexp((double)(reduction_ln2() / 2 / quad_abs(slope)) * (1 + 0x1p-10), -(int)form.log2_entries);
    *out = (struct factored_exp){.q = *q, .as = form, .base = 1};
    if (form.scale == 0) out->as.scale = 1;
    if (form.multiple == 0) out->as.multiple = 1;
    if (!form.log2_entries)
        out->base = out->as.multiple;
    else if (form.range != EXP_WHOLE)
        out->base = base_of(form.log2_entries, form.inverse, out->as.multiple);
    fit_points(&problem, -half, half, FIT_POINTS);
    for (unsigned i = 0; i < FIT_POINTS; i++) {
        const quad r = problem.point[i], z = slope * r, quotient = factored_expm1_quotient(z);
        const quad power = (quad)out->base * (1 + z * quotient);
        problem.value[i] = keeps_low ? slope * (quotient - 1) / r : (quad)out->base * slope * quotient;
        const quad size = form.sum == EXP_FRACTION ? quad_abs(z * quotient) : power;
        problem.weight[i] = (keeps_low ? r * r : quad_abs(r)) / size + (quad)0x1p-60;
    }
    return fit_terms(out, &problem, keeps_low ? 2 : 1, error);
}

double factored_exp_roughness(const struct factor_polynomial *q, double most)
{
    const quad period = reduction_ln2() / slope_of(q);
    return most * (double)quad_abs((quad)(float)period / period - 1);
}

/* -- code -- */

static bool is_rough(const struct factored_exp *e)
{
    return e->as.argument == EXP_ROUGH || e->as.argument == EXP_IN_FLOAT;
}

/* Returns the period, where n has `beyond` fraction bits. |n| < 2^9, so that its products with the leading
 * bits are exact. Products with a rough period are not. */
static struct reduction period_of(const struct factored_exp *e, unsigned beyond)
{
    const quad period = (e->as.inverse ? -reduction_ln2() : reduction_ln2()) / slope_of(&e->q);
    return is_rough(e) ? reduction_of(period, 24, false) : reduction_of(period, 15 - (int)beyond, true);
}

static double high_of(quad c) { return (double)(float)c; }
static double low_of(quad c) { return (double)(c - (quad)(float)c); }

static struct number in_two_words(lane_program *p, quad c)
{
    struct number n = {.high = lane_f32(p, high_of(c)), .has_low = low_of(c) != 0};
    if (n.has_low) n.low = lane_f32(p, low_of(c));
    return n;
}

/* Returns a * t. Only the product low * t is rounded. Needs fma. */
static struct number times_lane(lane_program *p, struct number a, lane_value t)
{
    struct composer c = {.program = p, .kind = NUMBER_F32};
    struct number r = word_two_product(&c, a.high, t);
    if (a.has_low) r.low = lane_fma(p, a.low, t, r.low);
    return r;
}

/* Returns t^2 in two words. Without fma, t is split into halves of 12 bits, whose products are exact. */
static struct number square(lane_program *p, lane_value t)
{
    if (p->profile.fma) return times_lane(p, number_of_word(t), t);
    const lane_value half = lane_leading_half(p, t), rest = lane_sub(p, t, half);
    struct number r = {.high = lane_mul(p, t, t), .has_low = true};
    r.low =
        lane_add(p, lane_sub(p, lane_mul(p, half, half), r.high), lane_mul(p, rest, lane_add(p, t, half)));
    return r;
}

/* Returns a + c for any sizes of a and c. The rounding error of the sum is exact. */
static struct number plus(lane_program *p, struct number a, quad c)
{
    const lane_value constant = lane_f32(p, high_of(c));
    struct number r = {.high = lane_add(p, a.high, constant), .has_low = true};
    const lane_value back = lane_sub(p, r.high, constant);
    const lane_value rest =
        lane_add(p, lane_sub(p, a.high, back), lane_sub(p, constant, lane_sub(p, r.high, back)));
    r.low = a.has_low ? lane_add(p, rest, a.low) : rest;
    if (low_of(c) != 0) r.low = lane_add(p, r.low, lane_f32(p, low_of(c)));
    return r;
}

/* Returns q(t) by Horner's scheme in two floats, where q(0) = 0. */
static struct number general(const struct factor_polynomial *q, lane_program *p, lane_value t)
{
    const quad leading = q->coefficient[q->degree];
    struct number v = in_two_words(p, leading);
    for (unsigned k = q->degree; k-- > 0;) {
        v = times_lane(p, v, t);
        if (q->coefficient[k] != 0) v = plus(p, v, q->coefficient[k]);
    }
    return v;
}

/* Returns q(t) in one float. */
static struct number polynomial_in_float(const struct factor_polynomial *q, lane_program *p, lane_value t)
{
    lane_value v = lane_f32(p, high_of(q->coefficient[q->degree]));
    for (unsigned k = q->degree; k-- > 0;)
        v = q->coefficient[k] != 0 ? lane_fma(p, v, t, lane_f32(p, high_of(q->coefficient[k])))
                                   : lane_mul(p, v, t);
    return number_of_word(v);
}

/* The exact value of q as a product of two floats, of which the second may have a low word. One operation
 * then subtracts the periods from q with a single rounding. */
struct product {
    bool is_known, has_low;
    lane_value factor[2], low;
};

/* Returns t (c1 + c3 t^2). The second factor is rounded to steps of one size, and c1's first word is a
 * multiple of these steps. The rounding error of that factor is found without an error. */
static struct product cubic(const struct factored_exp *e, lane_program *p, lane_value t)
{
    const quad c1 = e->q.coefficient[1], c3 = e->q.coefficient[3];
    int exponent;
    frexp((double)(quad_abs(c1) + quad_abs(c3) * e->most * e->most), &exponent);
    const double step = ldexp(1, exponent + 1 - 23), shifter = ldexp(3, exponent);
    const double first = rint((double)c1 / step) * step;
    const lane_value leading = lane_f32(p, high_of(c3)), square = lane_mul(p, t, t);
    const lane_value shifted = lane_fma(p, square, leading, lane_f32(p, shifter + first));
    const lane_value slope = lane_sub(p, shifted, lane_f32(p, shifter));
    const lane_value rest = lane_fma(p, square, leading, lane_sub(p, lane_f32(p, first), slope));
    const lane_value lost = lane_fma(p, t, t, lane_unary(p, LANE_NEG, square));
    const lane_value constants =
        lane_fma(p, square, lane_f32(p, low_of(c3)), lane_f32(p, (double)(c1 - (quad)first)));
    const lane_value low = lane_add(p, rest, lane_fma(p, lost, leading, constants));
    return (struct product){true, true, {t, slope}, low};
}

static struct product product_of(const struct factored_exp *e, lane_program *p,
                                 struct factored_exp_argument a)
{
    const quad *c = e->q.coefficient;
    if (!p->profile.fma || e->as.argument != EXP_EXACT || e->as.sum == EXP_TWO_WORDS || a.low)
        return (struct product){.is_known = false};
    if (monomial(&e->q) == 2) return (struct product){.is_known = true, .factor = {a.t, a.t}};
    if (e->q.degree == 3 && c[2] == 0 && e->most > 0) return cubic(e, p, a.t);
    return (struct product){.is_known = false};
}

static struct number argument(const struct factored_exp *e, lane_program *p, struct factored_exp_argument a)
{
    const struct factor_polynomial *q = &e->q;
    const lane_value t = a.t;
    struct number first = number_of_word(t);
    const unsigned power = monomial(q);
    if (power == 2 && e->as.argument == EXP_SHORT) return number_of_word(lane_mul(p, t, t));
    if (power == 0) return e->as.argument == EXP_IN_FLOAT ? polynomial_in_float(q, p, t) : general(q, p, t);
    if (power == 1 && a.low) first.low = lane_times_sign(p, a.low, a.x), first.has_low = true;
    if (power == 1) return first;
    struct number r = square(p, t);
    if (a.low) r.low = lane_fma(p, a.x, lane_add(p, a.low, a.low), r.low);
    return r;
}

static lane_value times_constant(lane_program *p, lane_value y, double c)
{
    return c == 1 ? y : c == -1 ? lane_unary(p, LANE_NEG, y) : lane_mul(p, y, lane_f32(p, c));
}

static struct factored_exp_value exp_of_rest(const struct factored_exp *e, lane_program *p, lane_value r,
                                             bool adds_zero)
{
    const double one = e->as.scale, first = one * (double)e->coefficient[1];
    if (e->as.sum == EXP_LINEAR) return (struct factored_exp_value){.fraction = r};
    lane_value sum =
        /* fraction / r, or, if last is 2, (fraction / r - 1) / r */
        lane_f32(p, one * (double)e->coefficient[e->terms]);
    const bool is_apart = first == 1 || e->as.sum == EXP_FRACTION;
    const unsigned last = is_apart && e->terms > 1 && e->base == 1 ? 2 : 1;
    for (unsigned k = e->terms; k-- > last;)
        sum = lane_fma(p, sum, r, lane_f32(p, one * (double)e->coefficient[k]));
    struct factored_exp_value v = {.fraction = adds_zero || e->base != 1
                                                   ? lane_fma(p, r, sum, lane_f32(p, one * (e->base - 1)))
                                                   : lane_mul(p, r, sum)};
    if (last == 2) v.fraction = lane_fma(p, lane_mul(p, r, r), sum, times_constant(p, r, first));
    const lane_value slope = last == 2 ? lane_fma(p, sum, r, lane_f32(p, first)) : sum;
    const double constant = e->base * one, high = high_of((quad)constant);
    const bool is_multiple = e->as.multiple != 1 && !e->as.log2_entries && constant != high;
    v.whole = !is_multiple
                  ? lane_fma(p, slope, r, lane_f32(p, high))
                  : lane_add(p, lane_f32(p, high), lane_fma(p, slope, r, lane_f32(p, constant - high)));
    return v;
}

/* Returns the sum of coefficient[k] r^k, where r is the sum of the rest's words. The result is the slope
 * times these words, plus r^2 times a polynomial. */
static struct factored_exp_value kept_value_of(const struct factored_exp *e, lane_program *p,
                                               struct number rest)
{
    const quad slope = slope_of(&e->q);
    const lane_value r = lane_add(p, rest.high, rest.low);
    lane_value sum = lane_f32(p, (double)e->coefficient[e->terms]);
    for (unsigned k = e->terms; k-- > 2;) sum = lane_fma(p, sum, r, lane_f32(p, (double)e->coefficient[k]));
    struct number line = rest;
    if (slope == -1) {
        line.high = lane_unary(p, LANE_NEG, rest.high), line.low = lane_unary(p, LANE_NEG, rest.low);
    } else if (slope != 1) {
        const struct number factor = in_two_words(p, slope);
        line = times_lane(p, factor, rest.high);
        line.low = lane_fma(p, factor.high, rest.low, line.low);
    }
    line.low = lane_fma(p, lane_mul(p, r, r), sum, line.low);
    return (struct factored_exp_value){.fraction = lane_add(p, line.high, line.low), .words = line};
}

/* Looks up the entries' bits, of which j parts and another number are taken away from entry j. */
static lane_value entry_at(const struct factored_exp *e, lane_program *p, enum lane_type type, uint32_t part,
                           uint32_t less, lane_value index)
{
    double power[1u << FACTORED_EXP_LOG2_ENTRIES];
    uint64_t bits[1u << FACTORED_EXP_LOG2_ENTRIES];
    find_powers(power, e->as.log2_entries, e->as.inverse, e->as.multiple);
    for (unsigned j = 0; j >> e->as.log2_entries == 0; j++)
        bits[j] = bits_of_f32((float)(power[j] / e->base)) - j * part - less;
    return lane_lookup(p, lane_table_add(p, type, e->as.log2_entries, bits), index);
}

/* Makes the two factors of 2^floor(n). `shifted` is a sum with the shifter, whose last bits are those of
 * (n + 127) 2^k. */
static void make_factors(struct factored_scale *s, struct composer *c, lane_value shifted, double shifter,
                         unsigned k)
{
    const lane_value least = word_constant(c, shifter - 100); /* times 2^-20 is still normal */
    lane_value bits = word_bitcast(c, shifted);
    if (k) {
        bits = word_op(c, LANE_AND, bits, word_bits(c, (uint32_t)-1 << k, 0));
        shifted = word_bitcast(c, bits);
    }
    const lane_value most = word_bitcast(c, word_op(c, LANE_MAX, least, shifted));
    const lane_value rest = word_op(c, LANE_ISUB, bits, most);
    s->high = reduction_power(c, most, k);
    s->low = reduction_power(c, word_op(c, LANE_IADD, rest, word_bits(c, 127u << k, 0)), k);
}

/* The part of the exponent's bias that the table's entries hold, see power_with_entry.
 *
 * power_with_entry returns 2^m times the table's entry. The last bits of its operand are
 * (m + 127 - IN_TABLE) 2^k + j. These bits become an exponent and a fraction that begins with j. The table
 * holds the rest.
 *
 * The table also holds some of the exponent, which makes its entries positive. For a NaN all bits are zero. A
 * negative entry would then give a NaN that ends in ones, and rounding to bf16 would carry those ones to
 * zero. */
enum { IN_TABLE = 4 };

static lane_value power_with_entry(const struct factored_exp *e, struct composer *c, lane_value whole)
{
    const unsigned k = e->as.log2_entries;
    const lane_value two_to_m = reduction_power(c, whole, k);
    if (!k) return two_to_m;
    const lane_value found =
        entry_at(e, c->program, LANE_I32, UINT32_C(1) << (23 - k), bits_of_f32(0x1p-4f), whole);
    return word_bitcast(c, word_op(c, LANE_IADD, word_bitcast(c, two_to_m), found));
}

/* The exponent that is added to a decaying power. Such powers are as small as 2^-226. With this exponent they
 * are normal numbers, and the largest power, 2, stays far from overflow. */
enum { DECAYING_BIAS = 100 };

/* Returns exp(q) / 2^n, from n and from q, which is v or a product. */
static struct factored_exp_value value_of_rest(const struct factored_exp *e, lane_program *p, struct number v,
                                               const struct product *q, lane_value n, struct reduction period,
                                               bool adds_zero)
{
    const lane_value first = lane_f32(p, -period.high), beyond = lane_f32(p, -period.low);
    const lane_value leading = q->is_known ? lane_fma(p, q->factor[0], q->factor[1], lane_mul(p, n, first))
                                           : lane_fma(p, n, first, v.high);
    if (e->as.sum == EXP_TWO_WORDS) {
        const lane_value low = lane_mul(p, n, beyond);
        const struct number rest = {leading, v.has_low ? lane_add(p, low, v.low) : low, .has_low = true};
        return kept_value_of(e, p, rest);
    }
    lane_value r = is_rough(e) ? leading : lane_fma(p, n, beyond, leading);
    if (v.has_low) r = lane_add(p, r, v.low);
    if (q->has_low) r = lane_fma(p, q->factor[0], q->low, r);
    return exp_of_rest(e, p, r, adds_zero);
}

struct factored_exp_value factored_exp_build(const struct factored_exp *e, lane_program *p,
                                             struct factored_exp_argument a, const struct target_costs *costs)
{
    struct composer c = {.program = p, .kind = NUMBER_F32};
    const struct product product = product_of(e, p, a);
    const struct number v = product.is_known
                                ? number_of_word(lane_mul(p, product.factor[0], product.factor[1]))
                                : argument(e, p, a);
    const unsigned k = e->as.log2_entries;
    const bool is_small = e->as.range == EXP_SMALL, decays = e->as.range == EXP_DECAYS;
    const bool has_factors = e->as.range != EXP_WHOLE && !plan_scale_is_one(costs);
    const bool is_joined = has_factors && (is_small || decays); /* The factors become one power. */
    const int exponent = (is_joined && k ? 127 - IN_TABLE : 127) + (decays ? DECAYING_BIAS : 0);
    const double shifter = ldexp(0x1.8p23, -(int)k) + (has_factors ? exponent : 0);
    const struct reduction period = period_of(e, product.is_known ? k : 0);
    const struct multiple m = reduction_multiple(&c, v.high, period, shifter);
    struct factored_exp_value value = value_of_rest(e, p, v, &product, m.n, period, a.adds_zero);
    struct factored_scale *s = &value.scale;
    *s = (struct factored_scale){
        .has_factors = has_factors || is_small, .op = k ? LANE_SCALE2_FLOOR : LANE_SCALE2, .n = m.n};
    if (k && !is_joined) value.power = entry_at(e, p, LANE_F32, 0, 0, m.bits);
    if (is_joined)
        *(k && decays ? &value.power : &s->high) = power_with_entry(e, &c, m.bits);
    else if (is_small)
        s->high = lane_binary(p, s->op, k ? value.power : lane_f32(p, 1), m.n);
    else if (has_factors)
        make_factors(s, &c, m.sum, shifter, k);
    if (is_joined && decays) s->low = lane_f32(p, ldexp(1, -DECAYING_BIAS));
    return value;
}

lane_value factored_scale(const struct factored_scale *s, lane_program *p, lane_value y)
{
    if (!s->has_factors) return lane_binary(p, s->op, y, s->n);
    if (s->high) y = lane_mul(p, y, s->high);
    return s->low ? lane_mul(p, y, s->low) : y;
}

lane_value factored_scale_power(const struct factored_scale *s, lane_program *p)
{
    return s->has_factors ? s->high : lane_binary(p, s->op, lane_f32(p, 1), s->n);
}

lane_value factored_scale_coarse(const struct factored_scale *s, lane_program *p, lane_value y)
{
    return s->has_factors ? lane_mul(p, y, s->high) : lane_binary(p, s->op, y, s->n);
}
