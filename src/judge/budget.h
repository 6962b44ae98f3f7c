/* The shares of a bound that the examined inputs may use. The rest is a reserve for all other inputs. Also
 * the numbers that limit how much is examined. */
#ifndef ACTGEN_BUDGET_H
#define ACTGEN_BUDGET_H

#include <math.h>
#include <stdint.h>

/* -- f32, whose inputs can all be tried: danger.c -- */

/* The share of the possible error that the worse of two analysed inputs shows. This error is the
 * approximation's error and the reach of the roundings between the two inputs. An approximation has 5 to 10
 * extremes per segment, and a block of 64 inputs holds at most one segment. Some input therefore lies within
 * a tenth of a swing of each extreme. The cosine there is 0.95. */
#define BUDGET_SEEN 0.95

/* A binade is safe if the 64 inputs that are analysed first use at most this share of the bound beyond the
 * last rounding. The inputs cover up to 8 segments, with 9 inputs in each. One of these 9 lies within a
 * sixteenth of a swing of the segment's extreme or of the next extreme. It misses less of the extreme than
 * the half that is kept in reserve. */
#define BUDGET_COARSE 0.5

/* The numbers of inputs in danger that may be judged one by one, for one program and for a whole search. An
 * input takes 5 to 9 nanoseconds of one core. 66 candidates for the built-ins and their derivatives had
 * more than 2^25 such inputs. These limits decide 64 of the candidates, most of them by the first inputs.
 * BUDGET_ASKED is the number of inputs for which the arbitrary-precision reference may be asked, at 20
 * microseconds each. */
#define BUDGET_SWEPT        (UINT64_C(4) << 25)
#define BUDGET_SWEPT_IN_ALL (UINT64_C(6) << 25)
#define BUDGET_ASKED        (UINT64_C(1) << 14)

/* The part of a bound in ulps that the roundings of a factored plan outside of R take. The products with the
 * exponential and with the power of x take half a unit each. That doubles where the result's significand is
 * the larger one. The worst cases do not meet in full, which is subtracted. R is fitted to the rest, and the
 * resulting error is measured. */
#define BUDGET_FACTORED 1.6

/* The part of BUDGET_FACTORED that belongs to the product with the power of x. */
#define BUDGET_PRODUCT 1

/* The least error in ulps to which a factored plan's R is fitted. A tight bound may leave less after the
 * roundings. Their worst cases seldom meet, and the resulting error is measured. */
#define BUDGET_FACTORED_LEAST 0.9

/* The budget of a factored plan in two words. The last rounding takes half a unit. R is fitted to half of the
 * rest, and the exponential to a quarter of R's error. The worst cases of both seldom meet: within 1 ulp, the
 * largest measured error was 0.92.
 *
 * BUDGET_WORDS_LEAST is the least error to which R is fitted. A bound of three quarters of 1 ulp leaves that
 * much. With this error, at most 0.35 was measured beyond the rounding. Bounds looser than BUDGET_WORDS_MOST
 * have plans in one word. */
#define BUDGET_WORDS       0.5
#define BUDGET_WORDS_LEAST 0.125
#define BUDGET_WORDS_MOST  2.5

/* The bounds in ulps within which the factors of a product are planned. The errors of two factors count one
 * to two times each, because the relative size of an ulp differs by up to 2. They seldom meet in full. The
 * BUDGET_FACTOR_STEPS largest bounds that are no looser than the product's are tried for both factors, and
 * the resulting errors are measured. The list does not depend on the product's bound, so that a looser bound
 * has the plans of a tighter one. */
#define BUDGET_FACTORS                                                                                       \
    {                                                                                                        \
        0x1p14, 0x1p12, 0x1p10, 512, 256, 128, 64, 32, 16, 8, 5, 3, 2.5, 2, 1.6, 1.2, 0.9                    \
    }
#define BUDGET_FACTOR_STEPS 5

/* The largest measured error, as a share of a bound in ulps, at which a fit to half the bound may save a lost
 * candidate. A fit takes at most half of the bound. Another fit seldom wins back more than half of that. */
#define BUDGET_NARROWLY 1.25

/* The relative error that the exponential may have per ulp (2^-23) of R's error in a factored plan. This is a
 * quarter of an ulp, so that R has nearly all. A larger table that saves a term may take half an ulp. */
#define BUDGET_EXPONENTIAL      0x1p-25
#define BUDGET_EXPONENTIAL_MORE 0x1p-24

/* The relative errors to which the exponential E of N(E) / D(E) is fitted. The first is a unit of its last
 * place, 2^-23. The second, a quarter of a unit, is for cases in which the roundings leave less. Both are
 * tried, and the resulting errors are measured. If the quotient is divided with care, only the last rounding
 * adds to the error of E, which is fitted to a sixteenth of a unit. In two words, E is fitted to half of
 * that. */
#define BUDGET_LOGISTICS                                                                                     \
    {                                                                                                        \
        0x1p-23, 0x1p-25                                                                                     \
    }
/* The share of a bound in ulps for E, and for the rough multiple of the period in E. An error of E counts at
 * most once, and the roundings are nothing beside a bound for which this share exceeds the errors above. */
#define BUDGET_LOGISTIC_ULPS       0.5
#define BUDGET_LOGISTIC_ULPS_ROUGH 0.25
#define BUDGET_LOGISTIC_CAREFUL    0x1p-27
#define BUDGET_LOGISTIC_WORDS      0x1p-28

/* The relative errors to which E of 1 / (1 + E) is fitted, as shares of an absolute bound. An error of E
 * counts E / (1 + E)^2 times, which is at most a quarter. With a factor x, it counts at most .23 times. An
 * eighth leaves the most for roundings. BUDGET_LOGISTIC_END is the share by which f may be off where its
 * argument is clamped. */
#define BUDGET_LOGISTICS_LOOSE                                                                               \
    {                                                                                                        \
        4, 1, 0.125                                                                                          \
    }
#define BUDGET_LOGISTIC_END 0.0625

/* The share of the bound for the polynomial of exp(c x) by a table. BUDGET_TABLE_LEAST is tried for cases in
 * which the roundings of the entries and of the sum leave less. Rounding n times the period once may also
 * cost that much. */
#define BUDGET_TABLE       0.5
#define BUDGET_TABLE_LEAST 0.125

/* The part of a bound in ulps that the roundings take if one table serves a function and its derivative. The
 * derivative is a sum of two products with the exponential, whose roundings take somewhat more than
 * BUDGET_FACTORED. */
#define BUDGET_FACTORED_PAIR 2

/* The share of its bound that the companion of a pair may take in the sample for the pair to be kept. The
 * rest is for inputs that were not tried. For a 16-bit companion, all inputs are tried. */
#define BUDGET_COMPANION 0.9

/* -- absolute bounds, f32: the shares for settling and fits, with the rest for roundings -- */

/* The share for segments. A quarter is left for the roundings of the polynomials' steps. The last step is
 * counted separately. */
#define BUDGET_SEGMENTS 0.75

/* The share of the wanted error that a fit of segments may seem to need. That error is guessed from Chebyshev
 * series. The measured noise of the roundings is added to the fit's error before the segments are accepted,
 * and takes the rest. A degree that passes the guess and then fails costs a fit. A higher degree than needed
 * costs an operation per result. */
#define BUDGET_GUESSED 0.7

/* A quarter of half a unit of the last place, relative to an f32 result. A limit may replace a value, and a
 * coefficient another one near it, if results change by at most this much. Such a change needs no share of a
 * bound in ulps. */
#define BUDGET_UNSEEN 0x1p-26

/* The distance from its limit, as a share of the bound, at which a function counts as settled, for segments.
 * It is below the fit's share, because the limit then stands for the function. It is half as much for a bound
 * in ulps, because the binade of y counts, which is at least half of y. */
#define BUDGET_SETTLED      0.6
#define BUDGET_SETTLED_ULPS 0.3

/* The distance at which a function without segments counts as settled. Such functions lose digits where a
 * power or a quotient undoes a large argument. */
#define BUDGET_SETTLED_WHOLE 0.25

/* The share for a power of a polynomial, including the noise of its squarings. The noise is estimated, and
 * the rest is for errors of this estimate. If the noise leaves BUDGET_POWER_LEAST or less, higher degrees
 * would not help. */
#define BUDGET_POWER       0.85
#define BUDGET_POWER_LEAST 0.1

/* The shares for the fit of a quotient, tried in turn, because nothing tells how much the roundings of a
 * quotient take. BUDGET_ROUNDED is the factor by which rounding the coefficients may increase the error of
 * the fit. */
#define BUDGET_QUOTIENTS                                                                                     \
    {                                                                                                        \
        0.6, 0.12, 0.03                                                                                      \
    }
#define BUDGET_ROUNDED 1.25

/* -- f64, whose inputs can only be sampled: f64_sample.c -- */

/* Returns the share of the bound that the error seen in the sample may take. k roundings of equal weight w
 * are each evenly spread over w. Their sum has the standard deviation w sqrt(k/12) and is at most k w/2,
 * which is sqrt(3k) deviations.
 *
 * The largest of n such sums is sqrt(2 ln n) deviations. This is 4.3 for the 2^13.3 inputs of both samples,
 * and 4.1 for the 2^12 inputs in the middle of the first sample. The worst input is therefore at most
 * sqrt(3k)/4.3 times as bad as the worst one seen. The error seen may take the inverse share of the bound. */
static inline double budget_of_sample(unsigned roundings) { return fmin(1, 4.3 / sqrt(3.0 * roundings)); }

/* The numbers of roundings that weigh. In plain f64 these are the last steps of two or three chains. In a
 * chain, the roundings of each step weigh half as much as those of the next step. In double words these are
 * the roundings of the last step and of the tables' low words. */
enum { BUDGET_ROUNDINGS_PLAIN = 17, BUDGET_ROUNDINGS_EXTENDED = 8 };

/* Returns the share of the bound beyond the last rounding up to which a doubtful f32 plan is kept. Such a
 * plan has too many inputs in danger to judge them all. The 2^18 inputs that were tried show noise of 5
 * deviations.
 *
 * In ulps, results near a root may be worse than any result that was tried. A tenth is enough for sums of 800
 * equal roundings. Such sums arise where double words make up for roundings in ways that the analysis does
 * not see. An absolute error has no such places, and the roundings of a plain formula are counted. */
static inline double budget_quiet(int by_abs)
{
    return by_abs ? 5 / sqrt(3 * (double)BUDGET_ROUNDINGS_PLAIN) : 0.1;
}

/* The number of plans per search for which all inputs may be judged, because the sample leaves them in doubt.
 * The cheapest plans come first. Most plans that fail do so in the first second. */
enum { BUDGET_SWEEPS = 6 };

/* The share of the bound below which the first sample is enough. 17 roundings reach sqrt(51)/4.1 = 1.74 times
 * the error seen. The remaining three tenths are for errors that are not noise. */
#define BUDGET_UNCONFIRMED 0.4

/* -- all types -- */

/* The largest error in ulps of a program that is worth mending for 0.5 ulp. It is an eighth above the half
 * ulp of the rounding. Values in f64 lanes are far within this limit. A program beyond the limit has more
 * wrong roundings than can be patched. The sample shows this without a sweep of all inputs. */
#define BUDGET_MENDABLE 0.625

/* The error that a sweep for 0.5 ulp assumes for an f64 value. If the rounding is nearer to a tie than this
 * error, the reference is asked. The error is BUDGET_MARGIN times the largest of 18 errors seen: 6 in the
 * block of 2^20 inputs around the value, and 6 in each neighbouring block.
 *
 * If errors were spread evenly, all 18 would be below a 32nd of the largest in one case of 2^90. Apart from
 * roundings, however, errors follow a polynomial's swings, and near a root 18 inputs do not hit all swings.
 *
 * The error is at least BUDGET_MARGIN_LEAST, which is 32 roundings of f64, because all errors seen may be 0
 * by chance. Machine code has BUDGET_MARGIN_BUILT built in. The interpreter sweeps where the error is
 * larger. */
#define BUDGET_MARGIN       32
#define BUDGET_MARGIN_LEAST 0x1p-48
#define BUDGET_MARGIN_BUILT 0x1p-40

/* A limit in units of twice the rounding error. In a sample, the rounding itself hides errors below this
 * limit. A sample of x*tanh(x) found less than 0.500001 ulp, although some inputs have more. */
#define BUDGET_SAMPLED 0.51

/* The share of an offered bound that the error found may take, where another bound was refused. It is just
 * below the share that the planner accepts for double words, budget_of_sample(BUDGET_ROUNDINGS_EXTENDED) =
 * 0.88. */
#define BUDGET_OFFERED 0.85

/* -- results where a function has reached its limit: finish.c -- */

/* The distance, relative to the limit, above which a result is wrong and not only rounded. It is thousands of
 * units of f32 and more of f64, and a few units of a 16-bit type. BUDGET_ASTRAY_ZERO is for a limit of zero,
 * in smallest subnormals. Parts of a result that underflow one after another may leave some hundreds of
 * them. */
#define BUDGET_ASTRAY      0x1p-10
#define BUDGET_ASTRAY_HALF 0x1p-6
#define BUDGET_ASTRAY_ZERO 0x1p9

#endif
