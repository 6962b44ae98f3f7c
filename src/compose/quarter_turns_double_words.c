/* Quarter turns in double words, for every f64.
 *
 * Where the argument is c0 + c1 x, c1 2/pi is known to 1400 bits; other arguments are double words, taken as they are, and
 * 2/pi is. A table over the argument's exponent leaves out the bits whose products with it are multiples of 4; the next 192
 * are four numbers, and the products are summed without loss. */
#include "float_bits.h"
#include "quarter_turns.h"
#include "turning.h"

enum {
    PRECISION = 1400,
    LOG2_ROWS = 7,
    ROWS = 1 << LOG2_ROWS,
    COLUMNS = 4,
    COLUMN_BITS = 48,
    MOST_ADDENDS = 32
};
enum { ROW_EXPONENTS = 2048 / ROWS, LARGE_ROW = (1023 + 512) / ROW_EXPONENTS, LARGE_SCALE = 400 };

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

static lane_value modulo_4(struct composer *c, lane_value x)
{
    const lane_value turns = word_round(c, word_mul(c, x, word_constant(c, 0.25)));
    return word_sub(c, x, word_mul(c, turns, word_constant(c, 4)));
}

static void add_product(struct composer *c, struct addends *a, lane_value v, uint64_t table[COLUMNS][ROWS])
{
    lane_program *p = c->program;
    lane_value row =
        word_op(c, LANE_SHR, word_bitcast(c, word_abs(c, v)), word_bits(c, 0, 52 + 11 - LOG2_ROWS));
    const lane_value large = word_op(c, LANE_ILT, word_bits(c, 0, LARGE_ROW), row);
    const lane_value scaled = word_mul(c, v, word_constant(c, 0x1p-400));
    struct number product[COLUMNS];
    v = word_select(c, large, scaled, v);
    for (int k = 0; k < COLUMNS; k++) {
        const lane_value part = lane_lookup(p, lane_table_add(p, LANE_F64, LOG2_ROWS, table[k]), row);
        product[k] = word_two_product(c, v, part);
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
static struct number sum_of(struct composer *c, struct addends *a)
{
    for (int pass = 0; pass < 2; pass++)
        for (unsigned i = 1; i < a->count; i++) {
            const struct number s = word_two_sum(c, a->value[i], a->value[i - 1]);
            a->value[i] = s.high;
            a->value[i - 1] = s.low;
        }
    lane_value low = a->value[0];
    for (unsigned i = 1; i + 1 < a->count; i++) low = word_add(c, low, a->value[i]);
    return word_quick_two_sum(c, a->value[a->count - 1], low);
}

struct quarter_turns quarter_turns_of_double_words(struct composer *c, const expr *argument, struct number u,
                                                   unsigned more)
{
    double constant[3];
    uint64_t table[COLUMNS][ROWS];
    struct addends a = {.count = 0};
    mpfr_t offset, slope;
    mpfr_inits2(PRECISION, offset, slope, (mpfr_ptr)0);
    const bool is_line = turning_is_linear(argument, offset, slope) && !c->input.has_exponent;
    if (!is_line) { /* the argument's value is taken */
        mpfr_set_ui(slope, 1, MPFR_RNDN);
        turning_from_radians(slope);
    }
    slope_table(table, slope);
    if (is_line && !mpfr_zero_p(offset)) {
        constant_parts(constant, offset);
        for (int i = 2; i >= 0; i--) add(&a, word_constant(c, constant[i]));
    }
    mpfr_clears(offset, slope, (mpfr_ptr)0);
    if (!is_line && u.has_low) add_product(c, &a, u.low, table);
    add_product(c, &a, is_line ? c->input.high : u.high, table);
    lane_value nearest = a.value[a.count - 1];
    for (unsigned i = a.count - 1; i-- > 0;) nearest = word_add(c, nearest, a.value[i]);
    nearest = word_round(c, nearest);
    add(&a, word_neg(c, nearest));
    const lane_value quarters = word_add(c, nearest, word_constant(c, 0x1.8p52 + more));
    return (struct quarter_turns){sum_of(c, &a), word_bitcast(c, quarters)};
}
