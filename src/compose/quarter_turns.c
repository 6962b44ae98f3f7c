/* Payne and Hanek's reduction, for words and for double words.
 *
 * f64 words reduce every f32. Consider an argument that is a polynomial c0 + c1 x + c2 x^2 with constant
 * coefficients of any kind. Its turns are exact to 80 bits or more. x and the two halves of x^2 have 24 bits.
 * c 2/pi is cut into chunks of 27 bits, and their products are exact in f64. A chunk whose products are
 * multiples of 4 is skipped: the exponent chooses the first chunk.
 *
 * For any other argument, the part that is an f32 number is reduced in this way, and the rest plainly. Such
 * arguments are as accurate as their last bit. They lose all accuracy beyond about 2^40.
 *
 * Double words reduce every f64. If the argument is c0 + c1 x, c1 2/pi is known to 1400 bits. Any other
 * argument is a double word that is taken as it is, and 2/pi is known to 1400 bits. A table over the
 * argument's exponent leaves out the bits whose products with the argument are multiples of 4. The next 192
 * bits are four numbers, and the sum of the products loses nothing. */
#include "quarter_turns.h"
#include "float_bits.h"
#include "turning.h"

/* Computes x modulo 2^exponent, with the sign of x. */
static void modulo_power(mpfr_t y, mpfr_srcptr x, long exponent)
{
    mpfr_div_2si(y, x, exponent, MPFR_RNDN);
    mpfr_frac(y, y, MPFR_RNDN);
    mpfr_mul_2si(y, y, exponent, MPFR_RNDN);
}

/* Sets `factor` to 1 radian in quarter turns, for arguments that are taken as they are. */
static void radian(mpfr_t factor)
{
    mpfr_set_ui(factor, 1, MPFR_RNDN);
    turning_from_radians(factor);
}

/* Returns x - 4 round(x / 4). In words, x is below 2^53, so that adding a large number rounds. */
static lane_value modulo_4(struct composer *c, lane_value x)
{
    const lane_value quarter = word_mul(c, x, word_constant(c, 0.25)), shifter = word_constant(c, 0x1.8p52);
    const lane_value turns = c->kind == NUMBER_DOUBLE_WORDS
                                 ? word_round(c, quarter)
                                 : word_sub(c, word_add(c, quarter, shifter), shifter);
    return word_sub(c, x, word_mul(c, turns, word_constant(c, 4)));
}

/* -- words -- */

enum { CHUNK = 27, PARTS = 4, WORD_PRECISION = 520, MOST_POSITIONS = 16 };

enum { MOST_PARTS = 8 };

/* Addends of the turns. The large ones are multiples of small powers of two, and are at most 2 in size. */
struct turns {
    lane_value large[MOST_PARTS], small[MOST_PARTS];
    unsigned large_count, small_count;
};

/* Returns chunk number `place` of c = 2^scale * 0.1..., cut off. The last part returns all the rest,
 * rounded. */
static double chunk_of(mpfr_srcptr c, long scale, unsigned place, bool last)
{
    const long begin = scale - (long)(place * CHUNK);
    mpfr_t value, rest;
    mpfr_inits2(WORD_PRECISION, value, rest, (mpfr_ptr)0);
    modulo_power(value, c, begin);
    modulo_power(rest, value, begin - CHUNK);
    if (!last) mpfr_sub(value, value, rest, MPFR_RNDN);
    const double chunk = mpfr_get_d(value, MPFR_RNDN);
    mpfr_clears(value, rest, (mpfr_ptr)0);
    return chunk;
}

/* Returns part number `part` of the chunks that begin at `first`. */
static lane_value chunk_lookup(struct composer *c, mpfr_srcptr number, unsigned positions, lane_value first,
                               unsigned part)
{
    uint64_t bits[MOST_POSITIONS];
    unsigned log2_size = 0;
    while (1u << log2_size < positions) log2_size++;
    for (unsigned i = 0; i < 1u << log2_size; i++) {
        const double chunk = chunk_of(number, mpfr_get_exp(number), i + part, part == PARTS - 1);
        bits[i] = bits_of_f64(chunk);
        if (!log2_size) return word_constant(c, chunk);
    }
    return lane_lookup(c->program, lane_table_add(c->program, LANE_F64, log2_size, bits), first);
}

/* Returns max(0, floor(n / 27)) for n < 500. In that range, 19/512 is close enough to 1/27. */
static lane_value chunks_before(struct composer *c, lane_value n)
{
    lane_program *p = c->program;
    lane_value j = word_op(c, LANE_IMUL, n, lane_const(p, LANE_I32, 19));
    j = word_op(c, LANE_SAR, j, lane_const(p, LANE_I32, 9));
    lane_value negative = word_op(c, LANE_SAR, j, lane_const(p, LANE_I32, 31));
    return word_op(c, LANE_AND, j, lane_unary(p, LANE_NOT, negative));
}

/* Adds `value` * number. e is the biased exponent of an f32. The value's 24 bits begin below
 * 2^(step * (e - 127) + shift + 2), and end at or above 2^(step * (e - 127) + shift - 23). */
static void add_product(struct composer *c, struct turns *t, lane_value value, mpfr_srcptr number,
                        lane_value e, int step, int shift)
{
    lane_program *p = c->program;
    if (mpfr_zero_p(number)) return;
    /* value * 2^scale ends at a multiple of 4 before the chunk number (exponent + scale - 25) / 27. */
    const long scale = mpfr_get_exp(number), offset = scale + shift - 25 - 127 * step,
               most = 254 * step + offset;
    const unsigned positions = most > 0 ? (unsigned)(most / CHUNK) + 1 : 1;
    if (positions > MOST_POSITIONS) {
        c->impossible = "the argument of sin or cos is too large";
        return;
    }
    lane_value n = step == 2 ? word_op(c, LANE_IADD, e, e) : e;
    n = word_op(c, LANE_IADD, n, lane_const(p, LANE_I32, (double)offset));
    lane_value first = chunks_before(c, n), part[PARTS];
    for (unsigned i = 0; i < PARTS; i++)
        part[i] = word_mul(c, value, chunk_lookup(c, number, positions, first, i));
    for (unsigned i = 0; i < 2; i++) t->large[t->large_count++] = modulo_4(c, part[i]);
    for (unsigned i = 2; i < PARTS; i++) t->small[t->small_count++] = part[i];
}

static lane_value exponent_bits(struct composer *c, lane_value x32)
{
    lane_program *p = c->program;
    lane_value e = word_op(c, LANE_SHR, word_bitcast(c, x32), lane_const(p, LANE_I32, 23));
    return word_op(c, LANE_AND, e, lane_const(p, LANE_I32, 255));
}

static void add_square(struct composer *c, struct turns *t, lane_value x, lane_value e, mpfr_srcptr number)
{
    lane_program *p = c->program;
    if (mpfr_zero_p(number)) return;
    const uint64_t leading_24_bits = ~UINT64_C(0) << 29;
    lane_value square = word_mul(c, x, x); /* 48 bits: exact */
    lane_value high =
        word_op(c, LANE_AND, word_bitcast(c, square), lane_const_bits(p, LANE_I64, leading_24_bits));
    high = word_bitcast(c, high);
    add_product(c, t, high, number, e, 2, 0);
    add_product(c, t, word_sub(c, square, high), number, e, 2, -23);
}

static void add_constant(struct composer *c, struct turns *t, mpfr_srcptr number)
{
    mpfr_t rest;
    if (mpfr_zero_p(number)) return;
    mpfr_init2(rest, WORD_PRECISION);
    mpfr_set_ui(rest, 4, MPFR_RNDN);
    mpfr_remainder(rest, number, rest, MPFR_RNDN);
    const struct word_pair pair = word_pair_of(rest);
    t->large[t->large_count++] = word_constant(c, pair.high);
    if (pair.low != 0) t->small[t->small_count++] = word_constant(c, pair.low);
    mpfr_clear(rest);
}

/* Splits any f64 value into the part that is an f32 number and the rest. */
static void add_value(struct composer *c, struct turns *t, lane_value u)
{
    lane_program *p = c->program;
    mpfr_t number;
    mpfr_init2(number, WORD_PRECISION);
    radian(number);
    lane_value high32 = lane_unary(p, LANE_NARROW, u), high = lane_unary(p, LANE_WIDEN, high32);
    add_product(c, t, high, number, exponent_bits(c, high32), 1, 0);
    lane_value low = word_mul(c, word_sub(c, u, high), word_constant(c, mpfr_get_d(number, MPFR_RNDN)));
    t->small[t->small_count++] = modulo_4(c, low);
    mpfr_clear(number);
}

/* Returns the sum. If there are many parts, the sum is as accurate as in twice the precision. */
static struct quarter_turns reduce(struct composer *c, const struct turns *t, unsigned more)
{
    lane_value small = t->small[0], sum = t->large[0], lost = 0;
    for (unsigned i = 1; i < t->small_count; i++) small = word_add(c, small, t->small[i]);
    for (unsigned i = 1; i < t->large_count; i++) sum = word_add(c, sum, t->large[i]);
    const lane_value shifter = word_constant(c, 0x1.8p52);
    const lane_value shifted = word_add(c, word_add(c, sum, small), shifter);
    lane_value turn = word_sub(c, t->large[0], word_sub(c, shifted, shifter));
    const bool several = t->large_count > 2;
    for (unsigned i = 1; i < t->large_count; i++) {
        if (!several) {
            turn = word_add(c, turn, t->large[i]);
        } else {
            const struct number s = word_two_sum(c, turn, t->large[i]);
            turn = s.high;
            lost = i == 1 ? s.low : word_add(c, lost, s.low);
        }
    }
    if (several) small = word_add(c, lost, small);
    lane_value quarters = word_bitcast(c, shifted);
    if (more) quarters = word_op(c, LANE_IADD, quarters, word_bits(c, 0, more));
    return (struct quarter_turns){number_of_word(word_add(c, turn, small)), quarters};
}

static struct turns turns_of(struct composer *c, const expr *argument, lane_value u)
{
    struct turning a;
    struct turns t = {.large_count = 0};
    turning_of(&a, argument, WORD_PRECISION);
    if (a.is_polynomial) {
        lane_value e = exponent_bits(c, lane_unary(c->program, LANE_NARROW, c->input.high));
        add_product(c, &t, c->input.high, a.coefficient[1], e, 1, 0);
        add_square(c, &t, c->input.high, e, a.coefficient[2]);
        add_constant(c, &t, a.coefficient[0]);
    } else {
        add_value(c, &t, u);
    }
    turning_clear(&a);
    if (!t.large_count) t.large[t.large_count++] = word_constant(c, 0);
    if (!t.small_count) t.small[t.small_count++] = word_constant(c, 0);
    return t;
}

/* -- double words -- */

enum {
    PRECISION = 1400,
    LOG2_ROWS = 7,
    ROWS = 1 << LOG2_ROWS,
    COLUMNS = 4,
    COLUMN_BITS = 48,
    MOST_ADDENDS = 32
};
enum { ROW_EXPONENTS = 2048 / ROWS, LARGE_ROW = (1023 + 512) / ROW_EXPONENTS, LARGE_SCALE = 400 };

/* Splits the part below 4 into three numbers. */
static void constant_parts(double out[3], mpfr_t constant)
{
    modulo_power(constant, constant, 2);
    for (int i = 0; i < 3; i++) {
        out[i] = mpfr_get_d(constant, MPFR_RNDN);
        mpfr_sub_d(constant, constant, out[i], MPFR_RNDN);
    }
}

/* Fills the table of the slope. Row r is for |v| in [2^(16 r - 1023), 2^(16 r - 1007)). It has the slope
 * without the bits whose products are multiples of 4. For large v, the row is multiplied by 2^400 and v is
 * divided by it, because the last part would underflow. */
static void slope_table(uint64_t table[COLUMNS][ROWS], mpfr_srcptr slope)
{
    mpfr_t rest, leading;
    mpfr_init2(rest, PRECISION);
    mpfr_init2(leading, COLUMN_BITS);
    for (int row = 0; row < ROWS; row++) {
        const long modulus = 54 - ((long)row * ROW_EXPONENTS - 1023);
        modulo_power(rest, slope, modulus);
        if (row > LARGE_ROW) mpfr_mul_2ui(rest, rest, LARGE_SCALE, MPFR_RNDN);
        for (int k = 0; k < COLUMNS; k++) {
            mpfr_set(leading, rest, MPFR_RNDZ);
            mpfr_sub(rest, rest, leading, MPFR_RNDN);
            table[k][row] = bits_of_f64(mpfr_get_d(leading, MPFR_RNDN));
        }
    }
    mpfr_clears(rest, leading, (mpfr_ptr)0);
}

/* -- quarter turns modulo 4 -- */

/* Addends, smaller ones first. */
struct addends {
    lane_value value[MOST_ADDENDS];
    unsigned count;
};

static void append(struct addends *a, lane_value v) { a->value[a->count++] = v; }

static void add_wide_product(struct composer *c, struct addends *a, lane_value v,
                             uint64_t table[COLUMNS][ROWS])
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
    append(a, product[3].high);
    append(a, product[2].low);
    append(a, product[2].high);
    append(a, product[1].low);
    append(a, modulo_4(c, product[1].high));
    append(a, modulo_4(c, product[0].low));
    append(a, modulo_4(c, product[0].high));
}

/* Returns the sum, as accurate as in threefold precision (Ogita, Rump, Oishi: Accurate sum and dot product,
 * 2005). */
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

static struct quarter_turns double_words_turns(struct composer *c, const expr *argument, struct number u,
                                               unsigned more)
{
    double constant[3];
    uint64_t table[COLUMNS][ROWS];
    struct addends a = {.count = 0};
    mpfr_t offset, slope;
    mpfr_inits2(PRECISION, offset, slope, (mpfr_ptr)0);
    const bool is_line = turning_is_linear(argument, offset, slope) && !c->input.has_exponent;
    if (!is_line) radian(slope); /* Otherwise the argument's value is reduced. */
    slope_table(table, slope);
    if (is_line && !mpfr_zero_p(offset)) {
        constant_parts(constant, offset);
        for (int i = 2; i >= 0; i--) append(&a, word_constant(c, constant[i]));
    }
    mpfr_clears(offset, slope, (mpfr_ptr)0);
    if (!is_line && u.has_low) add_wide_product(c, &a, u.low, table);
    add_wide_product(c, &a, is_line ? c->input.high : u.high, table);
    lane_value nearest = a.value[a.count - 1];
    for (unsigned i = a.count - 1; i-- > 0;) nearest = word_add(c, nearest, a.value[i]);
    nearest = word_round(c, nearest);
    append(&a, word_neg(c, nearest));
    const lane_value quarters = word_add(c, nearest, word_constant(c, 0x1.8p52 + more));
    return (struct quarter_turns){sum_of(c, &a), word_bitcast(c, quarters)};
}

struct quarter_turns quarter_turns_of(struct composer *c, const expr *argument, struct number u,
                                      unsigned more)
{
    if (c->kind == NUMBER_DOUBLE_WORDS) return double_words_turns(c, argument, u, more);
    const struct turns turns = turns_of(c, argument, u.high);
    return reduce(c, &turns, more);
}
