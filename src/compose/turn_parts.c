/* Writes sin, cos and tan in f32 words, for arguments c x that are not large.
 *
 * x is reduced by parts of a turn, halves or quarters: r = |x| - n h, where h is a part in words of f32. The
 * difference of |x| and n times the first word has 24 bits. The other words' products with n are subtracted
 * with one rounding each. The part of h that the words leave out must be nothing even for the x that is
 * nearest to a root. (Cody, Waite: Software Manual for the Elementary Functions, 1980.)
 *
 * With halves, one polynomial serves. The cosine is the sine of what is left of n + 1/2 halves. With
 * quarters, there are two polynomials of fewer terms, and n chooses. The sine and the cosine of one argument
 * then share the reduction. With care, r has a second word. */
#include "quarter_turns.h"
#include "turning.h"

#include <math.h>

enum { MOST_WORDS = 4, LOG2_MOST_PARTS = 15, PART_BITS = 240, HALVES = 2, QUARTERS = 4 };

struct turn_parts {
    double word[MOST_WORDS], per_input, factor; /* h, 1/h, and |c| */
    unsigned words;
    bool is_negative, is_radian; /* c < 0; |c| = 1 */
};

/* Returns the least distance of m * step from an integer, for 1 <= m < `most`. It is that of the last
 * convergent of the step's continued fraction, whose denominator is less than `most`. */
static double least_distance(mpfr_srcptr step, double most)
{
    double denominator[2] = {0, 1}, distance = 1;
    mpfr_t far, near, quotient;
    mpfr_inits2(PART_BITS, far, near, quotient, (mpfr_ptr)0);
    mpfr_set_ui(far, 1, MPFR_RNDN);
    mpfr_frac(near, step, MPFR_RNDN);
    while (denominator[1] < most) {
        distance = mpfr_get_d(near, MPFR_RNDN);
        if (distance < 0x1p-100) break; /* a multiple of the step is an integer */
        mpfr_div(quotient, far, near, MPFR_RNDN);
        mpfr_floor(quotient, quotient);
        const double next = denominator[0] + mpfr_get_d(quotient, MPFR_RNDN) * denominator[1];
        denominator[0] = denominator[1], denominator[1] = next;
        mpfr_mul(quotient, quotient, near, MPFR_RNDN);
        mpfr_sub(quotient, far, quotient, MPFR_RNDN);
        mpfr_swap(far, near);
        mpfr_swap(near, quotient);
    }
    mpfr_clears(far, near, quotient, (mpfr_ptr)0);
    return distance;
}

/* Returns whether `left`, the share of h that the words leave out, moves r by less than 2^-26 of itself for
 * all x. In a binade, x is an integer below 2^24 times a power of two. That power is a step of parts. The
 * distance from n + 1/2 is half of that of twice the integer from 2 n + 1. */
static bool is_nothing(double left, mpfr_srcptr per_input)
{
    enum { LOG2_INTEGERS = 24 };
    const long exponent = mpfr_get_exp(per_input);
    bool nothing = true;
    mpfr_t step;
    mpfr_init2(step, PART_BITS);
    /* The binades whose largest x are 1/2 to 1 parts, 1 to 2 parts, ... */
    for (long k = 0; k <= LOG2_MOST_PARTS + 1 && nothing && left > 0; k++) {
        mpfr_mul_2si(step, per_input, k - exponent - LOG2_INTEGERS, MPFR_RNDN);
        nothing = ldexp(left, (int)k) <= 0x1p-27 * least_distance(step, ldexp(2, LOG2_INTEGERS));
    }
    mpfr_clear(step);
    return nothing;
}

/* Splits h into as many words as are needed. Returns false if the most words are not enough. */
static bool split_part(struct turn_parts *t, mpfr_srcptr h, mpfr_srcptr per_input)
{
    double left = 1;
    mpfr_t rest;
    mpfr_init2(rest, PART_BITS);
    mpfr_set(rest, h, MPFR_RNDN);
    for (t->words = 0; t->words < MOST_WORDS && !is_nothing(left, per_input); t->words++) {
        t->word[t->words] = (double)mpfr_get_flt(rest, MPFR_RNDN);
        mpfr_sub_d(rest, rest, t->word[t->words], MPFR_RNDN);
        left = fabs(mpfr_get_d(rest, MPFR_RNDN)) / t->word[0];
        if (left < ldexp(1, 32 - PART_BITS)) left = 0; /* a rounding of h */
    }
    mpfr_clear(rest);
    return is_nothing(left, per_input);
}

/* Returns false if the argument is no multiple of x by a constant, or h takes too many words. */
static bool find_turn_parts(struct turn_parts *t, unsigned parts, const expr *argument)
{
    mpfr_t offset, slope, value;
    mpfr_inits2(PART_BITS, offset, slope, value, (mpfr_ptr)0);
    bool is_found = turning_is_linear(argument, offset, slope) && mpfr_zero_p(offset) && !mpfr_zero_p(slope);
    if (is_found) {
        t->is_negative = mpfr_signbit(slope);
        mpfr_abs(slope, slope, MPFR_RNDN); /* in quarters of a turn */
        mpfr_const_pi(value, MPFR_RNDN);
        mpfr_mul(value, value, slope, MPFR_RNDN);
        mpfr_div_ui(value, value, 2, MPFR_RNDN);
        t->factor = mpfr_get_d(value, MPFR_RNDN);
        mpfr_sub_ui(value, value, 1, MPFR_RNDN);
        t->is_radian = mpfr_zero_p(value) || mpfr_get_exp(value) < 32 - PART_BITS;
        mpfr_ui_div(value, 4 / parts, slope, MPFR_RNDN);
        mpfr_mul_ui(slope, slope, parts, MPFR_RNDN);
        mpfr_div_ui(slope, slope, 4, MPFR_RNDN);
        t->per_input = mpfr_get_d(slope, MPFR_RNDN);
        is_found = split_part(t, value, slope);
    }
    mpfr_clears(offset, slope, value, (mpfr_ptr)0);
    return is_found;
}

/* Returns sin(c r) or, by the kernel, tan(c r). The last sum has the only rounding that counts fully, also if
 * c is not 1. */
static lane_value sine_of_rest(struct composer *c, const struct turn_parts *t, enum kernel_function kernel,
                               struct number left)
{
    double scaled[FIT_MAX_TERMS];
    const lane_value r = left.high, factor = word_constant(c, t->factor);
    const struct polynomial *p = word_kernel_polynomial(c, kernel);
    const double square = t->factor * t->factor;
    const double cubed = t->factor * square;
    double power = cubed;
    for (unsigned k = 0; k <= p->degree; k++, power *= square)
        scaled[k] = t->is_radian ? p->coefficient[k] : power * p->coefficient[k];
    const lane_value z = word_mul(c, r, r), cube = word_mul(c, z, r);
    const lane_value rest = word_polynomial(c, scaled, p->degree + 1, z);
    if (!left.has_low && t->is_radian) return word_fma(c, cube, rest, r);
    if (!left.has_low) return word_fma(c, r, factor, word_mul(c, cube, rest));
    /* The low word counts by the slope, which is 1 - (c r)^2 / 2 or about 1 + (c r)^2. */
    const double curve = kernel == KERNEL_TAN ? 1 : -0.5;
    const lane_value slope = word_fma(c, z, word_constant(c, curve * cubed), factor),
                     small = word_fma(c, cube, rest, word_mul(c, left.low, slope));
    return t->is_radian ? word_add(c, r, small) : word_fma(c, r, factor, small);
}

/* Returns cos(c r) for a quarter of a turn. */
static lane_value cosine_of_rest(struct composer *c, const struct turn_parts *t, struct number left)
{
    double scaled[FIT_MAX_TERMS + 2];
    const struct polynomial *p = word_kernel_polynomial(c, KERNEL_COS);
    const double square = t->is_radian ? 1 : t->factor * t->factor;
    double power = square * square;
    for (unsigned k = 0; k <= p->degree; k++, power *= square) scaled[k + 2] = power * p->coefficient[k];
    scaled[0] = 1;
    scaled[1] = -square / 2;
    if (!left.has_low) return word_polynomial(c, scaled, p->degree + 3, word_mul(c, left.high, left.high));
    /* z is (r + low)^2 in two words. The rounding error of 1 - c^2 z/2 is added to the smaller terms. */
    const struct number z = word_two_product(c, left.high, left.high);
    const lane_value half_low = word_fma(c, z.low, word_constant(c, 0.5), word_mul(c, left.high, left.low));
    const lane_value one = word_constant(c, 1), slope = word_constant(c, scaled[1]);
    const lane_value large = word_fma(c, z.high, slope, one);
    lane_value small = word_fma(c, z.high, slope, word_sub(c, one, large));
    small = word_fma(c, half_low, word_constant(c, -square), small);
    const lane_value rest = word_polynomial(c, scaled + 2, p->degree + 1, z.high);
    return word_add(c, large, word_fma(c, word_mul(c, z.high, z.high), rest, small));
}

/* Returns size - n h in two words. Where n h[1] is larger than what it is subtracted from, the rounding error
 * that is found has one of its own, which is nothing beside the difference. */
static struct number less_parts(struct composer *c, const struct turn_parts *t, lane_value n, lane_value size)
{
    const lane_value left = word_fma(c, n, word_constant(c, -t->word[0]), size);
    const struct number product = word_two_product(c, n, word_constant(c, t->word[1]));
    const lane_value r = word_sub(c, left, product.high);
    lane_value low = word_sub(c, word_sub(c, word_sub(c, left, r), product.high), product.low);
    for (unsigned i = 2; i < t->words; i++) low = word_fma(c, n, word_constant(c, -t->word[i]), low);
    return (struct number){.high = r, .low = low, .has_low = true};
}

/* Returns |x| - n h, and sets *count to an integer whose low bits are those of n + 1 for the cosine by
 * halves, and otherwise of n. */
static struct number reduced(struct composer *c, const struct turn_parts *t, bool is_half_later,
                             lane_value *count)
{
    const double shift = 0x1.8p23 + (is_half_later ? 1 : 0);
    const lane_value size = word_abs(c, c->input.high), shifter = word_constant(c, shift);
    const lane_value per_input = word_constant(c, t->per_input);
    lane_value shifted = 0;
    if (is_half_later)
        shifted = word_add(c, word_fma(c, size, per_input, word_constant(c, -0.5)), shifter);
    else
        shifted = word_fma(c, size, per_input, shifter);
    lane_value n = word_sub(c, shifted, shifter), r = size;
    if (is_half_later) n = word_add(c, n, word_constant(c, 0.5));
    *count = word_bitcast(c, shifted);
    if (composer_heeds(c, COMPOSE_CAREFUL) && t->words > 1) return less_parts(c, t, n, r);
    for (unsigned i = 0; i < t->words; i++) r = word_fma(c, n, word_constant(c, -t->word[i]), r);
    return number_of_word(r);
}

/* Begins a function of the argument. Returns false if it cannot be reduced. */
static bool begin(struct turn_parts *t, struct composer *c, const expr *argument)
{
    const unsigned parts = composer_heeds(c, COMPOSE_HALF_TURNS)      ? HALVES
                           : composer_heeds(c, COMPOSE_QUARTER_TURNS) ? QUARTERS
                                                                      : 0;
    if (!parts || !c->program->profile.fma || !find_turn_parts(t, parts, argument)) {
        c->impossible = "sin and cos of such arguments are computed in f64 only";
        return false;
    }
    const double most = (double)(float)ldexp(t->word[0], LOG2_MOST_PARTS);
    if (!(c->turns_to > 0 && c->turns_to <= most)) c->turns_to = most;
    return true;
}

/* Returns true if the lowest bit is set. */
static lane_value is_odd(struct composer *c, lane_value count)
{
    return word_op(c, LANE_ILT, word_op(c, LANE_SHL, count, word_bits(c, 31, 0)), word_bits(c, 0, 0));
}

struct number sine_by_turn_parts(struct composer *c, const expr *argument, bool is_cosine)
{
    struct turn_parts t;
    if (!begin(&t, c, argument)) return c->input;
    const bool by_halves = c->ways & COMPOSE_HALF_TURNS;
    lane_value count, y;
    const struct number r = reduced(c, &t, by_halves && is_cosine, &count);
    if (by_halves) {
        y = sine_of_rest(c, &t, KERNEL_HALF_TURN, r);
    } else {
        const lane_value sine = sine_of_rest(c, &t, KERNEL_SIN, r), cosine = cosine_of_rest(c, &t, r);
        y = word_select(c, is_odd(c, count), is_cosine ? sine : cosine, is_cosine ? cosine : sine);
        if (is_cosine) count = word_op(c, LANE_IADD, count, word_bits(c, 1, 0));
    }
    lane_value sign = word_op(c, LANE_SHL, count, word_bits(c, by_halves ? 31 : 30, 0));
    if (!is_cosine) sign = word_op(c, LANE_XOR, sign, word_bitcast(c, c->input.high));
    if (!is_cosine || !by_halves) sign = lane_sign_of(c->program, word_bitcast(c, sign));
    y = word_bitcast(c, word_op(c, LANE_XOR, word_bitcast(c, y), sign));
    return number_of_word(t.is_negative && !is_cosine ? word_neg(c, y) : y);
}

/* tan(c x) is tan(c r) if n is even, and -1/tan(c r) if n is odd. */
struct number tangent_by_turn_parts(struct composer *c, const expr *argument)
{
    struct turn_parts t;
    lane_value count;
    if (!begin(&t, c, argument)) return c->input;
    const lane_value tangent = sine_of_rest(c, &t, KERNEL_TAN, reduced(c, &t, false, &count));
    const lane_value odd = is_odd(c, count), top = word_select(c, odd, word_constant(c, -1), tangent),
                     bottom = word_select(c, odd, tangent, word_constant(c, 1));
    const lane_value y = lane_times_sign(c->program, word_div(c, top, bottom), c->input.high);
    return number_of_word(t.is_negative ? word_neg(c, y) : y);
}

bool is_tangent_by_turn_parts(const struct composer *c, const expr *product)
{
    const expr *sine = product->operand[0], *divisor = product->operand[1];
    if (sine->kind == EXPR_POWER) sine = product->operand[1], divisor = product->operand[0];
    return c->kind == NUMBER_F32 && c->ways & COMPOSE_QUARTER_TURNS && sine->kind == EXPR_sin &&
           divisor->kind == EXPR_POWER && mpq_cmp_si(divisor->number, -1, 1) == 0 &&
           divisor->operand[0]->kind == EXPR_cos && divisor->operand[0]->operand[0] == sine->operand[0];
}
