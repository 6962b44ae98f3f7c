/* Plans for 0.5 ulp: programs in f64 lanes whose every result is the exact value rounded to f32.
 *
 * A value of 53 bits rounds wrongly where the exact one lies nearer to a tie than the value's error, for one
 * input in 2^29 or so. A sweep over all 2^32 inputs finds them: where the value is farther from every tie
 * than a multiple of the error that was measured near the input, its rounding is certain; for the rest the
 * reference is asked. What is wrong is mended in the program:
 *
 *   nudge  For tiny x, f = c x + d x^m, and the tie that c x is must be broken by the next term, which f64
 *          does not hold: the value is multiplied by 1 +- one unit of its last place there.
 *   start  (composed.c, f64_patch.c) Where c is no number of few bits, or the power is not 1: near 0 a
 *          polynomial in double words, moved to the side of its next term and rounded to odd, which rounds to
 *          f32 as the value itself does.
 *   patch  A single input's result is replaced (or those of x and -x moved by the same step of the last
 *          place).
 *
 * The files: exact_program.c (what is done to programs), exact_tiny.c (f near 0), exact_margin.c (how far the
 * value may be off), exact_sweep.c, exact.c (the course of it). */
#ifndef ACTGEN_EXACT_H
#define ACTGEN_EXACT_H

#include "exact_tiny.h"
#include "measure.h"

/* -- exact_program.c -- */

/* For |x| < below the value before the last rounding is multiplied by a factor: [0] for x > 0, [1] for x < 0.
 */
struct exact_nudge {
    float below; /* 0: none */
    double factor[2];
};

struct exact_patch {
    float x, right;
    bool both;    /* for -x too: the result's bits plus `step` */
    int32_t step; /* of the bits */
};

enum { EXACT_MOST_PATCHES = 24 };
/* The result y at x, or what the patch says. */
lane_value exact_patched(lane_program *p, lane_value x, lane_value y, const struct exact_patch *patch);

/* What a program stores besides its result, nudge and patches included. */
enum exact_extra {
    EXTRA_NONE,
    EXTRA_VALUE, /* to operand 2 the f64 value whose rounding the result is, but for patches */
    EXTRA_ENDS,  /* to operands 2 and 3 the roundings of that value times 1 - BUDGET_MARGIN_BUILT and 1 +
                    BUDGET_MARGIN_BUILT */
};

lane_program *exact_program(const lane_program *plain, const struct exact_nudge *nudge,
                            const struct exact_patch *patches, size_t patch_count, enum exact_extra extra);

/* Whether every result is exact, or one operation on exact values, rounded once: right by IEEE 754 if the
 * formula's numbers are those of the program. */
bool exact_by_construction(const lane_program *p, const expr *written);

/* -- exact.c -- */

/* Mends `program`, which need only be near (0.6 ulp), until all results are right. *out is NULL, and *why
 * says for what reason, if it takes too much. `tiny` is the function's, from exact_tiny_find. */
struct exact_request {
    const struct plan_request *plan;
    reference *truth;
    const struct exact_tiny *tiny;
    arena *memory;
};
struct exact_result {
    const lane_program *program; /* NULL if it takes too much */
    const char *what;            /* what was done, or why not */
    uint64_t swept;              /* inputs: all of the bound's interval, or 0 if none needed to be */
};
int exact_mend(struct exact_result *out, const struct exact_request *request, const lane_program *program,
               struct diag *error);

#endif
