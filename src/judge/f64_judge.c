/* Computes errors of f64 results from exact values of 106 bits. The reference takes about 20 microseconds per
 * value. Its quick values take a fiftieth of that, and pass the results that certainly keep the bound. */
#include "float_bits.h"
#include "judge.h"

#include <math.h>

static const double SLACK = 0x1p-40; /* slack for an error in ulps */

void judge_f64_result(struct tally *tally, const struct spec_bound *bound, double x, double computed,
                      const struct exact_value *exact)
{
    if (!bound_holds_at(bound, x)) return;
    tally->inputs++;
    if (!isnan(x) && exact->undecided) {
        tally_note_undecided(tally, bits_of_f64(x));
        return;
    }
    const struct exact_value nan = {.high = NAN};
    const bool by_abs = bound->kind == BOUND_ABS;
    const struct result_error e =
        result_error_of(&element_types[ELEMENT_F64].format, computed, isnan(x) ? &nan : exact, x, !by_abs);
    const double allowed = judge_allowed(bound);
    if (by_abs ? e.absolute > allowed * (1 + SLACK) : e.ulp > allowed + SLACK) tally->wrong++;
    tally_note(tally, bits_of_f64(x), e.ulp, e.absolute);
}

/* ---- quick values ---- */

enum { BLOCK = 128 };
/* The thresholds of a closer look. Errors up to RESOLUTION times the largest seen, or below the other two
 * numbers, do not need one. */
static const double RESOLUTION = 1 + 0x1p-20, ULP_RESOLUTION = 0x1p-24, ABS_RESOLUTION = 0x1p-77;
static const long double GROW = 1 + 0x1p-60L; /* covers the roundings of these bounds */

struct quick_value {
    long double value, error; /* |exact - value| <= error */
};

/* Returns whether `computed` certainly keeps the bound and has smaller errors than the largest seen. A value
 * that is not finite, or near the largest number, is never certain. */
static bool is_passed(const struct tally *t, const struct spec_bound *bound, double computed,
                      struct quick_value exact)
{
    const bool by_abs = bound->kind == BOUND_ABS;
    const long double most = fabsl(exact.value) + exact.error, least = fabsl(exact.value) - exact.error;
    if (!(most < 0x1p1023L) || !isfinite(computed)) return false;
    if (computed == 0 && !by_abs && most > 0 && (least <= 0 || !signbit(computed) != !signbit(exact.value)))
        return false;
    int exponent = -1074 + 53;
    if (least > 0x1p-1022L) frexpl(least, &exponent); /* least < 2^exponent */
    const long double error = (fabsl(computed - exact.value) + exact.error) * GROW;
    const long double ulp = ldexpl(error, 53 - exponent), absolute = error / (least > 1 ? least : 1) * GROW;
    const double allowed = judge_allowed(bound), seen = larger_of(t->max_ulp * RESOLUTION, ULP_RESOLUTION),
                 seen_abs = larger_of(t->max_abs * RESOLUTION, ABS_RESOLUTION);
    return (by_abs ? absolute : ulp) <= allowed && ulp <= seen && absolute <= seen_abs;
}

/* Returns whether the exact value lies outside of the quick value's interval. `high` + `low` in long double
 * is within a rounding of the exact value. A NaN is outside of every interval. */
static bool contradicts(const struct exact_value *exact, struct quick_value quick)
{
    if (exact->undecided || !(quick.error < INFINITY)) return false;
    const long most = 1 << 16, exponent = exact->exponent < -most  ? -most
                                          : exact->exponent > most ? most
                                                                   : exact->exponent;
    const long double value = ldexpl((long double)exact->high + exact->low, (int)exponent);
    return !(fabsl(value - quick.value) <= (quick.error + fabsl(value) * 0x1p-62L) * GROW);
}

/* Returns whether only the sign of a zero can be wrong. */
static bool is_question_of_sign(double computed, struct quick_value exact)
{
    return computed == 0 && 4 * (fabsl(exact.value) + exact.error) < 0x1p-1074L;
}

/* Returns the number of x's group. Binades that are judged alike share a number. */
static unsigned group_of(double x) { return (unsigned)(bits_of_f64(x) >> (52 + JUDGE_LOG2_GROUP)); }

static bool passes(const struct judge *j, const struct tally *t, double x, double computed,
                   struct quick_value quick)
{
    return isfinite(x) && !j->distrust &&
           (is_passed(t, &j->piece->bound, computed, quick) ||
            (is_question_of_sign(computed, quick) &&
             judge_has_usual_sign(j, group_of(x), signbit(computed))));
}

static void ask(struct judge *j, double x, double computed, struct quick_value quick, struct tally *t)
{
    struct exact_value exact = {.high = NAN};
    if (!isnan(x)) {
        exact_value_find(&exact, j->truth, &x);
        t->asked++;
    }
    if (isfinite(x)) {
        j->distrust = j->distrust || contradicts(&exact, quick);
        if (exact.high == 0 || exact.exponent <= -1076)
            judge_learn_sign(j, group_of(x), exact.high, exact.zero);
    }
    judge_f64_result(t, &j->piece->bound, x, computed, &exact);
}

void judge_f64_block(struct judge *j, const double *x, const double *computed, size_t count, bool ask_all,
                     struct tally *t)
{
    long double value[BLOCK], error[BLOCK];
    for (size_t first = 0; first < count; first += BLOCK) {
        const double *inputs[1] = {x + first};
        const size_t n = count - first < BLOCK ? count - first : BLOCK;
        reference_quick_long(j->truth, inputs, n, value, error);
        for (size_t i = 0; i < n; i++) {
            const struct quick_value quick = {value[i], error[i]};
            if (ask_all || !passes(j, t, inputs[0][i], computed[first + i], quick))
                ask(j, inputs[0][i], computed[first + i], quick, t);
            else
                t->inputs += bound_holds_at(&j->piece->bound, inputs[0][i]);
        }
    }
}
