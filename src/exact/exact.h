/* Plans for 0.5 ulp: programs in f64 lanes whose every result is the exact value rounded to f32.
 *
 * A 53-bit value rounds wrongly if the exact value lies nearer to a tie than the value's error. This happens
 * for about one input in 2^29. A sweep over all 2^32 inputs finds these inputs. The rounding is certain if
 * the value is farther from every tie than a multiple of the error measured near the input. Otherwise the
 * reference is asked. Wrong results are mended in the program:
 *
 *   nudge  For tiny x, f = c x + d x^m. If c x is a tie, the next term must break it, but f64 does not hold
 *          this term. The value is multiplied by 1 +- one unit of its last place there.
 *   start  (composed.c, f64_patch.c) This is for c with many bits, or for a power other than 1. Near 0, a
 *          polynomial in double words is moved to the side of its next term and rounded to odd. The result
 *          rounds to f32 as the exact value does.
 *   patch  The result of a single input is replaced, or those of x and -x are moved by the same step of the
 *          last place.
 *
 * The files: exact_program.c rewrites programs, traits/exact_tiny.c describes f near 0, exact_margin.c
 * measures the value's error, exact_sweep.c sweeps, exact.c runs the whole process. */
#ifndef ACTGEN_EXACT_H
#define ACTGEN_EXACT_H

#include "exact_tiny.h"
#include "measure.h"

/* -- exact_program.c -- */

/* A factor for the value before the last rounding where |x| < below: [0] for x > 0, [1] for x < 0. */
struct exact_nudge {
    float below; /* 0: no nudge */
    double factor[2];
};

struct exact_patch {
    float x, right;
    bool both;    /* also for -x: `step` is added to the result's bits */
    int32_t step; /* step of the result's bits */
};

enum { EXACT_MOST_PATCHES = 24 };
/* Returns the result y at x, or the patched result at the patch's input. */
lane_value exact_patched(lane_program *p, lane_value x, lane_value y, const struct exact_patch *patch);

/* The values that a program stores in addition to its result. Nudge and patches are included. */
enum exact_extra {
    EXTRA_NONE,
    EXTRA_VALUE, /* stores to operand 2 the f64 value whose rounding is the result, except at patches */
    /* stores to operands 2 and 3 that value times 1 - BUDGET_MARGIN_BUILT and times 1 + BUDGET_MARGIN_BUILT,
     * rounded */
    EXTRA_ENDS,
};

lane_program *exact_program(const lane_program *plain, const struct exact_nudge *nudge,
                            const struct exact_patch *patches, size_t patch_count, enum exact_extra extra);

/* Returns true if every result is exact, or is one operation on exact values, rounded once. By IEEE 754 it is
 * then right if the program has the formula's numbers. */
bool exact_by_construction(const lane_program *p, const expr *written);

/* -- exact.c -- */

/* A program to mend. `tiny` is the function's, from exact_tiny_find. */
struct exact_request {
    const struct plan_request *plan;
    reference *truth;
    const struct exact_tiny *tiny;
    arena *memory;
};
struct exact_result {
    const lane_program *program; /* NULL if mending takes too much */
    const char *what;            /* what was done, or why it failed */
    /* number of inputs swept: all of the bound's interval, or 0 if no sweep was needed */
    uint64_t swept;
};
/* Mends `program`, which need only be near (0.6 ulp), until all results are right. If that takes too much,
 * out->program is NULL and out->what says why. */
int exact_mend(struct exact_result *out, const struct exact_request *request, const lane_program *program,
               struct diag *error);

#endif
