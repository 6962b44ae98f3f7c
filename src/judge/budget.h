/* What shares of a bound may be used by what was looked at, the rest being for what was not; and how much is
 * looked at. */
#ifndef ACTGEN_BUDGET_H
#define ACTGEN_BUDGET_H

#include <math.h>
#include <stdint.h>

/* -- f32, whose inputs can all be tried: danger.c -- */

/* The share that the worse of two analysed inputs has of the approximation's error and the reach of the
 * roundings between them: approximations have 5 to 10 extremes a segment and blocks of 64 inputs hold one
 * segment or less, so that inputs lie within a tenth of a swing of an extreme, whose cosine is 0.95. */
#define BUDGET_SEEN 0.95

/* The share of what the bound leaves beyond the last rounding up to which a binade is safe by the 64 inputs
 * of it that are analysed first. They hold up to 8 segments: of 9 inputs in each, one lies within a sixteenth
 * of a swing's range of its extreme or the next to it, and what is missed of it is less than the half that is
 * kept. */
#define BUDGET_COARSE 0.5

/* Inputs in danger that may be judged one by one, for one program and for all of a search, 5 to 9 nanoseconds
 * of one core each: of 66 candidates of the built-ins and their derivatives that had more than 2^25 of them,
 * this decides 64, most by the first inputs. And how many may be asked of the arbitrary-precision reference,
 * 20 microseconds each. */
#define BUDGET_SWEPT        (UINT64_C(4) << 25)
#define BUDGET_SWEPT_IN_ALL (UINT64_C(6) << 25)
#define BUDGET_ASKED        (UINT64_C(1) << 14)

/* What the roundings of a factored plan outside R take of a bound in ulps: half a unit each for the products
 * with the exponential and the power of x, doubled where the result's fraction is the larger one, less what
 * the worst cases do not share. R is fitted to the rest; what it comes to is measured. */
#define BUDGET_FACTORED 1.6

/* The share of that which the product with the power of x has. */
#define BUDGET_PRODUCT 1

/* The least that a factored plan's R is fitted to, in ulps, though a tight bound leaves less beside the
 * roundings: their worst cases seldom meet, and what it comes to is measured. */
#define BUDGET_FACTORED_LEAST 0.9

/* In two words a factored plan's last rounding takes half a unit; R is fitted to half of the rest, and the
 * exponential to as much of a quarter of a unit. The worst cases of both seldom meet: within 1 ulp at most
 * 0.92 was measured. With the least, which three quarters of 1 ulp leave, what is beyond the rounding was at
 * most 0.35. Looser bounds than the most have plans in one word. */
#define BUDGET_WORDS       0.5
#define BUDGET_WORDS_LEAST 0.125
#define BUDGET_WORDS_MOST  2.5

/* How much of its bound in ulps a candidate may have taken, as far as it was measured, for another fit to
 * half the bound to save it: what fits take is half of it at most, and they seldom win back more than half of
 * that. */
#define BUDGET_NARROWLY 1.25

/* For each unit in the last place, 2^-23, that a factored plan's R may be off, its exponential may be off by
 * a quarter of one, relative to itself, so that R has nearly all. A larger table that saves a term may take
 * half of one. */
#define BUDGET_EXPONENTIAL      0x1p-25
#define BUDGET_EXPONENTIAL_MORE 0x1p-24

/* The exponential E of N(E) / D(E) is fitted to a unit of its last place, 2^-23, and, where the roundings
 * leave less, to a quarter of one. Both are tried, and what they come to is measured. Where the quotient is
 * divided with care nothing but the last rounding is beside E, which is fitted to a sixteenth; in two words,
 * to half of that. */
#define BUDGET_LOGISTICS                                                                                     \
    {                                                                                                        \
        0x1p-23, 0x1p-25                                                                                     \
    }
#define BUDGET_LOGISTIC_CAREFUL 0x1p-27
#define BUDGET_LOGISTIC_WORDS   0x1p-28

/* E of 1 / (1 + E) is fitted to these shares of an absolute bound, relative to itself: an error of E counts E
 * / (1 + E)^2 times, a quarter at most, and with a factor x at most .23 times. An eighth leaves the most for
 * roundings. Where f ends, it may be off by a sixteenth. */
#define BUDGET_LOGISTICS_LOOSE                                                                               \
    {                                                                                                        \
        4, 1, 0.125                                                                                          \
    }
#define BUDGET_LOGISTIC_END 0.0625

/* The polynomial of exp(c x) by a table may take half of the bound, and, where the roundings of the entries
 * and the sum leave less, the least, which is as much as rounding n times the period once may cost. */
#define BUDGET_TABLE       0.5
#define BUDGET_TABLE_LEAST 0.125

/* A function and its derivative from one table: the derivative is a sum of two products with the exponential,
 * whose roundings take some more than BUDGET_FACTORED. */
#define BUDGET_FACTORED_PAIR 2

/* The share of its bound that the companion of a pair may take in the sample by which the pair is kept; the
 * rest is for inputs that were not tried. Of a 16-bit companion all are. */
#define BUDGET_COMPANION 0.9

/* -- absolute bounds, f32: what settling and fits may take; roundings take the rest -- */

/* Segments: a quarter is left for the roundings of the polynomials' steps but the last, which is counted by
 * itself. */
#define BUDGET_SEGMENTS 0.75

/* The share of what segments are asked for that their fit may seem to need, by its guess from Chebyshev
 * series: the measured noise of their roundings is added to the fit's error before they are accepted, and
 * takes the rest. A lower degree that passes here and fails there costs a fit; a higher one than is needed
 * costs an operation of each result. */
#define BUDGET_GUESSED 0.7

/* Relative to a result of f32, a quarter of half a unit of its last place: a limit in place of the value, or
 * a coefficient in place of one near it, that changes results no more than this needs no share of a bound in
 * ulps. */
#define BUDGET_UNSEEN 0x1p-26

/* How near its limit a function counts as settled, for segments: below what the fit may take, since the limit
 * then stands for the function. Of a bound in ulps half as much, since y's binade counts, and y is half of it
 * at least. */
#define BUDGET_SETTLED      0.6
#define BUDGET_SETTLED_ULPS 0.3

/* Functions without segments lose digits where a power or a quotient undoes a large argument: they settle
 * within a quarter. */
#define BUDGET_SETTLED_WHOLE 0.25

/* A power of a polynomial, with the noise of its squarings, which is estimated: the rest is for what the
 * estimate misses. Where the noise leaves a tenth or less, more degrees would not help. */
#define BUDGET_POWER       0.85
#define BUDGET_POWER_LEAST 0.1

/* Quotients: the share that the fit is asked for, tried in turn, since nothing tells what roundings of a
 * quotient take; and how much worse the fit may become when its coefficients are rounded. */
#define BUDGET_QUOTIENTS                                                                                     \
    {                                                                                                        \
        0.6, 0.12, 0.03                                                                                      \
    }
#define BUDGET_ROUNDED 1.25

/* -- f64, whose inputs can only be sampled: f64_sample.c -- */

/* The sum of k roundings of equal weight w, each evenly spread over w, has the standard deviation w
 * sqrt(k/12) and is k w/2 at most: sqrt(3k) deviations. The largest of n such sums is sqrt(2 ln n)
 * deviations, which is 4.3 for the 2^13.3 inputs of both samples and 4.1 for the 2^12 of the first one's
 * middle. So the worst input is at most sqrt(3k)/4.3 times as bad as the worst that was seen, and what was
 * seen may take the inverse share of the bound. */
static inline double budget_of_sample(unsigned roundings) { return fmin(1, 4.3 / sqrt(3.0 * roundings)); }

/* Formulas in plain f64: what weighs are the last steps of two or three chains, since in a chain each step's
 * roundings weigh half as much as the next one's. Double words: the last step's, and those of the tables' low
 * words. */
enum { BUDGET_ROUNDINGS_PLAIN = 17, BUDGET_ROUNDINGS_EXTENDED = 8 };

/* Returns the share of what an f32 plan's bound leaves beyond the last rounding up to which it is kept though
 * the analysis finds more inputs in danger than can be judged. The 2^18 inputs that were tried show noise of
 * 5 deviations. In ulps results near a root may be worse than any that was tried: a tenth is kept, enough for
 * sums of 800 equal roundings, as where double words make up for roundings in ways that the analysis does not
 * see. An absolute error has no such places, and the roundings of a plain formula are counted. */
static inline double budget_quiet(int by_abs)
{
    return by_abs ? 5 / sqrt(3 * (double)BUDGET_ROUNDINGS_PLAIN) : 0.1;
}

/* Where sweeps are asked for: of so many plans of a search that the sample leaves in doubt all inputs are
 * judged. The cheapest come first, and most that fail do so in the first second. */
enum { BUDGET_SWEEPS = 6 };

/* The share of the bound below which the first sample is enough: 17 roundings reach sqrt(51)/4.1 = 1.74 times
 * what it saw. The rest, three tenths, is for what is not noise. */
#define BUDGET_UNCONFIRMED 0.4

/* -- all types -- */

/* In ulps: up to this a program is worth mending for 0.5 ulp. Beyond the rounding's half it may be off by an
 * eighth: values in f64 lanes are far within that, and what is not has more wrong roundings than can be
 * patched. The sample tells it without a sweep of all inputs. */
#define BUDGET_MENDABLE 0.625

/* What a sweep for 0.5 ulp takes for an f64 value's error, a rounding nearer to a tie than which is asked of
 * the reference: this many times the largest of the 6 errors seen in each of the 2^20 inputs around and their
 * neighbours. Were errors spread evenly, 18 of them would all be below a 32nd of the largest in one case of
 * 2^90; but for roundings they follow a polynomial's swings, which 18 inputs do not all hit near a root. Not
 * below 32 roundings of f64, where all that were seen are 0 by chance; and above what machine code builds in,
 * 2^-40, the interpreter does it. */
#define BUDGET_MARGIN       32
#define BUDGET_MARGIN_LEAST 0x1p-48
#define BUDGET_MARGIN_BUILT 0x1p-40

/* In units of twice the rounding error: what is nearer to it than this hides in a sample behind the rounding
 * itself. A sample of x*tanh(x) found less than 0.500001 ulp where some inputs have more. */
#define BUDGET_SAMPLED 0.51

/* The share of a bound that is offered where another was refused which the error found may take: just below
 * what the planner accepts of double words, budget_of_sample(BUDGET_ROUNDINGS_EXTENDED) = 0.88. */
#define BUDGET_OFFERED 0.85

/* -- results where a function has come to its limit: finish.c -- */

/* Off by more than these, relative to the limit, a result is not rounded but wrong: thousands of units of f32
 * and more of f64, a few of a 16-bit type. A limit of zero is missed by more than some hundred of the
 * smallest subnormals, which the parts of a result that underflow in turn may leave. */
#define BUDGET_ASTRAY      0x1p-10
#define BUDGET_ASTRAY_HALF 0x1p-6
#define BUDGET_ASTRAY_ZERO 0x1p9

#endif
