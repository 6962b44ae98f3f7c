/* Writes the message for a bound that no plan keeps: the error of the best program, why it is not enough, and
 * which bound is kept. */
#ifndef ACTGEN_SHORTFALL_H
#define ACTGEN_SHORTFALL_H

#include "plan.h"

enum { SHORTFALL_TEXT = 600 };
struct shortfall {
    /* In: the caller only asks whether a plan is found at once, and not why there is none. */
    bool brief;
    bool exhausted;   /* the search ended before it had tried everything */
    bool undecidable; /* the search ended because the reference does not decide the values */
    /* The best program's error in the unit of the bound. Infinite if not known. */
    double error;
    /* The best program, and why it is no plan. "" if another message was set. */
    char best[SHORTFALL_TEXT];
};

/* The largest errors that answer a request in ulps and a request for an absolute bound. */
#define SHORTFALL_MOST_ULPS 64.0
#define SHORTFALL_MOST_ABS  0x1p-6

/* A program that was measured and is no plan. */
struct attempt {
    const char *shape, *description;
    lane_program *program;
    struct tally tally;
    const char *why; /* a reason that the tally does not show, may be NULL */
};

/* Values at the input with the largest error: the program's, and the exact one. shortfall_describe describes
 * the best program. `place` may be NULL. */
struct shortfall_place {
    double computed, exact;
};
void shortfall_describe(struct shortfall *out, const struct attempt *best, const struct plan_request *request,
                        const struct shortfall_place *place);

/* A search like plan_find's that reports a missing plan by DIAG_ACCURACY and *why. `ground` has the facts
 * about the formula that do not depend on the bound. Searches for several bounds share it. */
typedef int (*plan_finder)(struct plan **out, void *ground, const struct plan_request *request,
                           struct plan_search *search, struct shortfall *why, struct diag *error);
/* Sets the message. Tries with `find` which bound is kept. Returns DIAG_ACCURACY, or another error. */
int shortfall_report(const struct shortfall *s, const struct plan_request *request, plan_finder find,
                     void *ground, struct diag *error);

#endif
