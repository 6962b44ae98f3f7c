/* sin and cos, for every f64.
 *
 * The argument is counted in quarter turns, modulo 4. Where it is c0 + c1 x, c1 2/pi is known to 1400 bits; other
 * arguments are double words, taken as they are, and 2/pi is. The bits whose products with the argument are multiples
 * of 4 are left out by a table over the argument's exponent, the next 192 are four numbers, and the products are summed
 * without loss (Payne and Hanek's reduction). */
#include "extended_fit.h"
#include "float_bits.h"
#include "turning.h"

enum {
    PRECISION = 1400,
    LOG2_ROWS = 7,
    ROWS = 1 << LOG2_ROWS,
    COLUMNS = 4,
    COLUMN_BITS = 48,
    TERMS = 8,
    MOST_ADDENDS = 32
};
enum { ROW_EXPONENTS = 2048 / ROWS, LARGE_ROW = (1023 + 512) / ROW_EXPONENTS, LARGE_SCALE = 400 };

/* -- the argument's formula -- */

struct line { /* in quarter turns */
    mpfr_t constant, slope;
};

/* False if it is none. */
static bool line_of(struct line *l, const expr *e)
{
    struct turning a;
    turning_of(&a, e, PRECISION);
    const bool fits = a.is_polynomial && mpfr_zero_p(a.coefficient[2]);
    mpfr_inits2(PRECISION, l->constant, l->slope, (mpfr_ptr)0);
    if (fits) {
        mpfr_set(l->constant, a.coefficient[0], MPFR_RNDN);
        mpfr_set(l->slope, a.coefficient[1], MPFR_RNDN);
    } else { /* the argument's value is taken */
        mpfr_set_zero(l->constant, 1);
        mpfr_set_ui(l->slope, 1, MPFR_RNDN);
        turning_from_radians(l->slope);
    }
    turning_clear(&a);
    return fits;
}

/* The part below 4, as three numbers. */
static void constant_parts(double out[3], mpfr_t constant)
{
    mpfr_div_2ui(constant, constant, 2, MPFR_RNDN);
    mpfr_frac(constant, constant, MPFR_RNDN);
    mpfr_mul_2ui(constant, constant, 2, MPFR_RNDN);
    for (int i = 0; i < 3; i++) {
        out[i] = mpfr_get_d(constant, MPFR_RNDN);
        mpfr_sub_d(constant, constant, out[i], MPFR_RNDN);
    }
}

/* Row r is for |v| in [2^(16 r - 1023), 2^(16 r - 1007)): the slope without the bits whose products are multiples of 4;
 * times 2^400 where v is divided by that, because the last part would underflow. */
static void slope_table(uint64_t table[COLUMNS][ROWS], mpfr_srcptr slope)
{
    mpfr_t rest, leading;
    mpfr_init2(rest, PRECISION);
    mpfr_init2(leading, COLUMN_BITS);
    for (int row = 0; row < ROWS; row++) {
        const long modulus = 54 - ((long)row * ROW_EXPONENTS - 1023);
        mpfr_div_2si(rest, slope, modulus, MPFR_RNDN);
        mpfr_frac(rest, rest, MPFR_RNDN);
        mpfr_mul_2si(rest, rest, modulus + (row > LARGE_ROW ? LARGE_SCALE : 0), MPFR_RNDN);
        for (int k = 0; k < COLUMNS; k++) {
            mpfr_set(leading, rest, MPFR_RNDZ);
            mpfr_sub(rest, rest, leading, MPFR_RNDN);
            table[k][row] = bits_of_f64(mpfr_get_d(leading, MPFR_RNDN));
        }
    }
    mpfr_clears(rest, leading, (mpfr_ptr)0);
}

/* -- quarter turns modulo 4 -- */

struct addends { /* their sum counts, smaller ones first */
    lane_value value[MOST_ADDENDS];
    unsigned count;
};

static void add(struct addends *a, lane_value v) { a->value[a->count++] = v; }

static lane_value modulo_4(struct extender *c, lane_value x)
{
    const lane_value turns = lane_unary(c->program, LANE_ROUND, ext_times(c, x, ext_number(c, 0.25)));
    return ext_minus(c, x, ext_times(c, turns, ext_number(c, 4)));
}

static void add_product(struct extender *c, struct addends *a, lane_value v, uint64_t table[COLUMNS][ROWS])
{
    lane_program *p = c->program;
    lane_value row = ext_op(c, LANE_SHR, lane_unary(p, LANE_BITCAST, lane_unary(p, LANE_ABS, v)),
                            lane_const_bits(p, LANE_I64, 52 + 11 - LOG2_ROWS));
    const lane_value large = ext_op(c, LANE_ILT, lane_const_bits(p, LANE_I64, LARGE_ROW), row);
    const lane_value scaled = ext_times(c, v, ext_number(c, 0x1p-400));
    struct extended product[COLUMNS];
    v = lane_select(p, large, scaled, v);
    for (int k = 0; k < COLUMNS; k++) {
        const lane_value part = lane_lookup(p, lane_table_add(p, LANE_F64, LOG2_ROWS, table[k]), row);
        product[k] = ext_two_product(c, v, part);
    }
    add(a, product[3].high);
    add(a, product[2].low);
    add(a, product[2].high);
    add(a, product[1].low);
    add(a, modulo_4(c, product[1].high));
    add(a, modulo_4(c, product[0].low));
    add(a, modulo_4(c, product[0].high));
}

/* The sum as if in threefold precision (Ogita, Rump, Oishi: Accurate sum and dot product, 2005). */
static struct extended sum_of(struct extender *c, struct addends *a)
{
    for (int pass = 0; pass < 2; pass++)
        for (unsigned i = 1; i < a->count; i++) {
            const struct extended s = ext_two_sum(c, a->value[i], a->value[i - 1]);
            a->value[i] = s.high;
            a->value[i - 1] = s.low;
        }
    lane_value low = a->value[0];
    for (unsigned i = 1; i + 1 < a->count; i++) low = ext_plus(c, low, a->value[i]);
    return ext_quick_two_sum(c, a->value[a->count - 1], low);
}

/* -- the functions near 0 -- */

/* (sin(r)/r - 1) / z and (cos(r) - 1 + z/2) / z^2 at z = r^2 */
static bool rest_of_sine(void *context, mpfr_t y, mpfr_srcptr z)
{
    const bool cosine = *(const bool *)context;
    mpfr_t r, t;
    if (mpfr_zero_p(z)) {
        mpfr_set_d(y, 1, MPFR_RNDN);
        mpfr_div_si(y, y, cosine ? 24 : -6, MPFR_RNDN);
        return true;
    }
    mpfr_inits2(2 * EXT_FIT_BITS, r, t, (mpfr_ptr)0);
    mpfr_sqrt(r, z, MPFR_RNDN);
    if (cosine) {
        mpfr_cos(t, r, MPFR_RNDN);
        mpfr_div_2ui(r, z, 1, MPFR_RNDN);
        mpfr_add(t, t, r, MPFR_RNDN);
    } else {
        mpfr_sin(t, r, MPFR_RNDN);
        mpfr_div(t, t, r, MPFR_RNDN);
    }
    mpfr_sub_ui(t, t, 1, MPFR_RNDN);
    mpfr_div(t, t, z, MPFR_RNDN);
    if (cosine) mpfr_div(t, t, z, MPFR_RNDN);
    mpfr_set(y, t, MPFR_RNDN);
    mpfr_clears(r, t, (mpfr_ptr)0);
    return true;
}

static lane_value rest_value(struct extender *c, bool cosine, lane_value z)
{
    double coefficient[EXT_MOST_TERMS];
    if (!ext_fit(coefficient, TERMS, 0, 0.6170, rest_of_sine, &cosine))
        c->impossible = "sin has no polynomial";
    return ext_polynomial(c, coefficient, TERMS, z);
}

static struct extended sine_near_zero(struct extender *c, struct extended r)
{
    const lane_value z = ext_times(c, r.high, r.high);
    const lane_value slope = ext_multiply_add(c, z, ext_number(c, -0.5), ext_number(c, 1));
    const lane_value cube = ext_times(c, ext_times(c, r.high, z), rest_value(c, false, z));
    return ext_quick_two_sum(c, r.high, ext_multiply_add(c, ext_low(c, r), slope, cube));
}

static struct extended cosine_near_zero(struct extender *c, struct extended r)
{
    const struct extended z = ext_two_product(c, r.high, r.high);
    const lane_value minus_half = ext_number(c, -0.5);
    const struct extended main = ext_quick_two_sum(c, ext_number(c, 1), ext_times(c, z.high, minus_half));
    lane_value low = ext_multiply_add(c, z.low, minus_half, main.low);
    low = ext_minus(c, low, ext_times(c, r.high, ext_low(c, r)));
    const lane_value fourth = ext_times(c, ext_times(c, z.high, z.high), rest_value(c, true, z.high));
    return ext_quick_two_sum(c, main.high, ext_plus(c, low, fourth));
}

static lane_value bit_is_set(struct extender *c, lane_value integer, uint64_t bit)
{
    lane_program *p = c->program;
    const lane_value masked = ext_op(c, LANE_AND, integer, lane_const_bits(p, LANE_I64, bit));
    return ext_op(c, LANE_ILT, lane_const_bits(p, LANE_I64, 0), masked);
}

/* -- together -- */

struct turns { /* the rest, at most 1/2 in size, and the number of quarters */
    struct extended rest;
    lane_value quarters;
};

static struct turns turns_of(struct extender *c, const expr *argument, struct extended u)
{
    struct line l;
    double constant[3];
    uint64_t table[COLUMNS][ROWS];
    const bool is_line = line_of(&l, argument) && !c->input.has_exponent;
    const bool has_constant = !mpfr_zero_p(l.constant);
    if (!is_line) {
        mpfr_set_ui(l.slope, 1, MPFR_RNDN);
        turning_from_radians(l.slope);
    }
    constant_parts(constant, l.constant);
    slope_table(table, l.slope);
    mpfr_clears(l.constant, l.slope, (mpfr_ptr)0);
    struct addends a = {.count = 0};
    for (int i = 2; i >= 0 && is_line && has_constant; i--) add(&a, ext_number(c, constant[i]));
    if (!is_line && u.has_low) add_product(c, &a, u.low, table);
    add_product(c, &a, is_line ? c->input.high : u.high, table);
    lane_value nearest = a.value[a.count - 1];
    for (unsigned i = a.count - 1; i-- > 0;) nearest = ext_plus(c, nearest, a.value[i]);
    nearest = lane_unary(c->program, LANE_ROUND, nearest);
    add(&a, lane_unary(c->program, LANE_NEG, nearest));
    return (struct turns){sum_of(c, &a), nearest};
}

const struct ext_pair ext_half_pi = {0x1.921fb54442d18p+0, 0x1.1a62633145c07p-54};

/* sin(u + quarters * pi/2) */
static struct extended sine(struct extender *c, const expr *argument, struct extended whole,
                            unsigned quarters)
{
    lane_program *p = c->program;
    const struct extended u = ext_plain(c, whole);
    const struct turns t = turns_of(c, argument, u);
    const struct extended angle = ext_mul(c, t.rest, ext_constant(c, ext_half_pi));
    const lane_value is_near = ext_op(c, LANE_LT, lane_unary(p, LANE_ABS, u.high), ext_number(c, 0.75));
    const struct extended small = ext_clamped(c, u, -1, 1);
    const struct extended r = ext_select(c, is_near, small, angle);
    lane_value n = ext_plus(c, t.quarters, ext_number(c, 0x1.8p52 + quarters));
    n = lane_unary(p, LANE_BITCAST, n);
    struct extended y = ext_select(c, bit_is_set(c, n, 1), cosine_near_zero(c, r), sine_near_zero(c, r));
    y = ext_select(c, bit_is_set(c, n, 2), ext_neg(c, y), y);
    return quarters ? y : ext_where_tiny(c, whole, whole, y);
}

struct extended extended_sine(struct extender *c, const expr *argument, struct extended u)
{
    return sine(c, argument, u, 0);
}
struct extended extended_cosine(struct extender *c, const expr *argument, struct extended u)
{
    return sine(c, argument, u, 1);
}
