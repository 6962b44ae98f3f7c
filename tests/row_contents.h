/* Lists what a row may hold, for tests of kernels over rows: values of networks, extreme values, no numbers.
 */
#ifndef ACTGEN_TEST_ROW_CONTENTS_H
#define ACTGEN_TEST_ROW_CONTENTS_H

#include "filled.h"

#include <math.h>
#include <stddef.h>
#include <stdint.h>

static uint64_t state;

static inline double normal(void) { return normal_number(&state) / 2; }
static inline double uniform(void) { return (double)(next_random(&state) >> 11) * 0x1p-53; }

/* Returns element j of `cols`. */
static inline double networks(size_t j, size_t cols) { return (void)j, (void)cols, 4 * normal(); }
static inline double wide(size_t j, size_t cols) { return (void)j, (void)cols, 40 * normal(); }
static inline double equal(size_t j, size_t cols) { return (void)j, (void)cols, -0.7; }
static inline double one_dominates(size_t j, size_t cols) { return j == cols / 2 ? 30 : 3 * normal(); }
/* Returns elements whose differences, from 64 to 104, are farther from an f32 than any others. Their
 * results are subnormal or 0. */
static inline double far_below(size_t j, size_t cols) { return j == cols - 1 ? 1.9 : -60 - 45 * uniform(); }
static inline double two_levels(size_t j, size_t cols)
{
    return (void)cols, j % 2 ? 0 : -87.3 - 0.01 * uniform();
}
static inline double near_overflow(size_t j, size_t cols)
{
    return (void)cols, (j % 3 ? 3e38 : -3e38) * uniform();
}
static inline double largest_numbers(size_t j, size_t cols) { return (void)cols, j % 2 ? 3e38 : -3e38; }
static inline double large_neighbours(size_t j, size_t cols)
{
    return (void)cols, 1e6 + 0.0625 * (double)(j % 999);
}
static inline double alternating(size_t j, size_t cols)
{
    return (j % 2 ? -1 : 1) * 50 * (double)(j + 1) / (double)cols;
}
/* Contents around the largest elements for which softmax needs no shift, with tiny ones, and around the
 * least of those. */
static inline double shifted_above(size_t j, size_t cols)
{
    return (void)cols, j % 7 == 3 ? uniform() : (j % 2 ? 205.5 : 204.5) - 104 * uniform();
}
static inline double unshifted(size_t j, size_t cols) { return j == cols / 2 ? 204.9 : 102 * uniform(); }
static inline double shifted_below(size_t j, size_t cols)
{
    return j == cols / 2 ? -115.5 : -115.5 - 104 * uniform();
}
static inline double unshifted_below(size_t j, size_t cols)
{
    return j == cols / 2 ? -114.5 : -114.5 - 104 * uniform();
}
static inline double sorted(size_t j, size_t cols) { return 100 * (double)j / (double)cols - 90; }
static inline double subnormal(size_t j, size_t cols)
{
    return (void)cols, (j % 2 ? -1 : 1) * 0x1p-130 * uniform();
}
static inline double masked(size_t j, size_t cols)
{
    return j && j % 3 != 1 && j + 1 < cols ? -INFINITY : normal();
}
static inline double has_infinity(size_t j, size_t cols) { return j == cols / 3 ? INFINITY : normal(); }
static inline double has_nan(size_t j, size_t cols) { return j == cols / 3 ? NAN : normal(); }
static inline double nothing_else(size_t j, size_t cols) { return (void)j, (void)cols, -INFINITY; }

static const struct content {
    const char *name;
    double (*element)(size_t j, size_t cols);
} contents[] = {{"networks", networks},
                {"wide", wide},
                {"equal", equal},
                {"one dominates", one_dominates},
                {"far below", far_below},
                {"two levels", two_levels},
                {"near overflow", near_overflow},
                {"largest numbers", largest_numbers},
                {"large neighbours", large_neighbours},
                {"alternating", alternating},
                {"shifted above", shifted_above},
                {"unshifted", unshifted},
                {"shifted below", shifted_below},
                {"unshifted below", unshifted_below},
                {"sorted", sorted},
                {"subnormal", subnormal},
                {"masked", masked},
                {"has infinity", has_infinity},
                {"has NaN", has_nan},
                {"-infinity alone", nothing_else}};
enum { CONTENTS = sizeof contents / sizeof *contents, FIRST_SPECIAL = CONTENTS - 3 };

#endif
