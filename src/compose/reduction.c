/* Subtracts multiples of a step from an exponential's argument. Adding a large number rounds, and the last
 * bits of the sum then hold n. */
#include "reduction.h"

#include <math.h>

quad reduction_ln2(void) { return (quad)0x1.62e42fefa39efp-1 + (quad)0x1.abc9e3b39803fp-56; }

struct reduction reduction_of(quad step, int leading_bits, bool is_cut)
{
    int exponent;
    const double integer = ldexp(frexp((double)step, &exponent), leading_bits);
    const double high = ldexp(is_cut ? trunc(integer) : rint(integer), exponent - leading_bits);
    return (struct reduction){high, (double)(step - (quad)high), (double)(1 / step)};
}

struct multiple reduction_multiple(struct composer *c, lane_value u, struct reduction s, double shifter)
{
    const lane_value large = word_constant(c, shifter),
                     sum = word_fma(c, u, word_constant(c, s.inverse), large);
    return (struct multiple){sum, word_bitcast(c, sum), word_sub(c, sum, large)};
}

lane_value reduction_power(struct composer *c, lane_value bits, unsigned log2_entries)
{
    return word_bitcast(c, word_op(c, LANE_SHL, bits, word_bits(c, 23 - log2_entries, 0)));
}
