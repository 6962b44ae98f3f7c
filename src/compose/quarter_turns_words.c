/* Quarter turns in f64 words, for every f32 input.
 *
 * Where the argument is a polynomial c0 + c1 x + c2 x^2 with constant coefficients of any kind, they are exact to 80 bits
 * and more: x, and the two halves of x^2, have 24 bits, and c 2/pi is cut into chunks of 27 bits, whose products with them
 * are exact in f64; the chunks whose products are multiples of 4 are skipped by choosing the first one by the exponent. For
 * other arguments, the part that is an f32 number is reduced like that, the rest plainly: they are as good as their last
 * bit, and lose all accuracy beyond about 2^40. */
#include "float_bits.h"
#include "quarter_turns.h"
#include "turning.h"

enum { CHUNK = 27, PARTS = 4, PRECISION = 520, MOST_POSITIONS = 16 };

/* -- quarter turns modulo 4 -- */

enum { MOST_PARTS = 8 };

struct turns { /* their sum counts; the large ones are multiples of small powers of two, at most 2 in size */
    lane_value large[MOST_PARTS], small[MOST_PARTS];
    unsigned large_count, small_count;
};

/* Chunk number `place` of c = 2^scale * 0.1..., cut off; all the rest, rounded, if it is the last part. */
static double chunk_of(mpfr_srcptr c, long scale, unsigned place, bool last)
{
    mpfr_t value;
    mpfr_init2(value, PRECISION);
    mpfr_mul_2si(value, c, (long)(place * CHUNK) - scale, MPFR_RNDN);
    mpfr_frac(value, value, MPFR_RNDN);
    if (!last) {
        mpfr_mul_2ui(value, value, CHUNK, MPFR_RNDN);
        mpfr_trunc(value, value);
        mpfr_div_2ui(value, value, CHUNK, MPFR_RNDN);
    }
    mpfr_mul_2si(value, value, scale - (long)(place * CHUNK), MPFR_RNDN);
    double chunk = mpfr_get_d(value, MPFR_RNDN);
    mpfr_clear(value);
    return chunk;
}

/* Part `part` of the chunks from `first` on. */
static lane_value chunk_lookup(struct composer *c, mpfr_srcptr number, unsigned positions, lane_value first,
                               unsigned part)
{
    uint64_t bits[MOST_POSITIONS];
    unsigned log2_size = 0;
    while (1u << log2_size < positions) log2_size++;
    for (unsigned i = 0; i < 1u << log2_size; i++) {
        double chunk = chunk_of(number, mpfr_get_exp(number), i + part, part == PARTS - 1);
        bits[i] = bits_of_f64(chunk);
        if (!log2_size) return word_constant(c, chunk);
    }
    return lane_lookup(c->program, lane_table_add(c->program, LANE_F64, log2_size, bits), first);
}

/* max(0, floor(n / 27)) for n below 500, of which 19/512 is near enough to 1/27. */
static lane_value chunks_before(struct composer *c, lane_value n)
{
    lane_program *p = c->program;
    lane_value j = word_op(c, LANE_IMUL, n, lane_const(p, LANE_I32, 19));
    j = word_op(c, LANE_SAR, j, lane_const(p, LANE_I32, 9));
    lane_value negative = word_op(c, LANE_SAR, j, lane_const(p, LANE_I32, 31));
    return word_op(c, LANE_AND, j, lane_unary(p, LANE_NOT, negative));
}

/* x - 4 round(x / 4), exact for |x| below 2^53. */
static lane_value modulo_4(struct composer *c, lane_value x)
{
    lane_value shifter = word_constant(c, 0x1.8p52), quarter = word_mul(c, x, word_constant(c, 0.25));
    lane_value turns = word_sub(c, word_add(c, quarter, shifter), shifter);
    return word_sub(c, x, word_mul(c, turns, word_constant(c, 4)));
}

/* Adds `value` * number, where the value's 24 bits begin below 2^(step * (e - 127) + shift + 2) and end at or
 * above 2^(step * (e - 127) + shift - 23), e being the biased exponent of an f32. */
static void add_product(struct composer *c, struct turns *t, lane_value value, mpfr_srcptr number,
                        lane_value e, int step, int shift)
{
    lane_program *p = c->program;
    if (mpfr_zero_p(number)) return;
    /* value * 2^scale ends at a multiple of 4 before the chunk number (exponent + scale - 25) / 27 */
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

static lane_value exponent_of(struct composer *c, lane_value x32)
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
    mpfr_init2(rest, PRECISION);
    mpfr_div_2ui(rest, number, 2, MPFR_RNDN);
    mpfr_rint(rest, rest, MPFR_RNDN);
    mpfr_mul_2ui(rest, rest, 2, MPFR_RNDN);
    mpfr_sub(rest, number, rest, MPFR_RNDN);
    double high = mpfr_get_d(rest, MPFR_RNDN);
    mpfr_sub_d(rest, rest, high, MPFR_RNDN);
    t->large[t->large_count++] = word_constant(c, high);
    if (!mpfr_zero_p(rest)) t->small[t->small_count++] = word_constant(c, mpfr_get_d(rest, MPFR_RNDN));
    mpfr_clear(rest);
}

/* Splits any f64 value: the part that is an f32 number, and the rest. */
static void add_value(struct composer *c, struct turns *t, lane_value u)
{
    lane_program *p = c->program;
    mpfr_t number;
    mpfr_init2(number, PRECISION);
    mpfr_set_ui(number, 1, MPFR_RNDN);
    turning_from_radians(number);
    lane_value high32 = lane_unary(p, LANE_NARROW, u), high = lane_unary(p, LANE_WIDEN, high32);
    add_product(c, t, high, number, exponent_of(c, high32), 1, 0);
    lane_value low = word_mul(c, word_sub(c, u, high), word_constant(c, mpfr_get_d(number, MPFR_RNDN)));
    t->small[t->small_count++] = modulo_4(c, low);
    mpfr_clear(number);
}

/* The sum, as if in twice the precision where it has many parts. */
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
    turning_of(&a, argument, PRECISION);
    if (a.is_polynomial) {
        lane_value e = exponent_of(c, lane_unary(c->program, LANE_NARROW, c->input.high));
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

struct quarter_turns quarter_turns_of_words(struct composer *c, const expr *argument, lane_value u,
                                            unsigned more)
{
    const struct turns turns = turns_of(c, argument, u);
    return reduce(c, &turns, more);
}
