/* What to say where no plan keeps a bound: how near the best came, why that is not enough, and which bound is
 * kept. */
#ifndef ACTGEN_SHORTFALL_H
#define ACTGEN_SHORTFALL_H

#include "plan.h"

enum { SHORTFALL_TEXT = 600 };
struct shortfall {
    bool brief;     /* in: the caller wants to know whether a plan is found at once, not why there is none */
    bool exhausted; /* the search ended before it had looked at everything */
    bool undecidable;          /* it ended since the reference does not decide what the values are */
    double error;              /* of the best, in the bound's measure; infinite where it is not known */
    char best[SHORTFALL_TEXT]; /* the best and why it is none; "" if another message was set */
};

/* Errors beyond these are no answer to who asks for a bound in ulps, or for an absolute one. */
#define SHORTFALL_MOST_ULPS 64.0
#define SHORTFALL_MOST_ABS  0x1p-6

/* One program that was measured and is no plan. */
struct attempt {
    const char *shape;
    const lane_program *program;
    struct tally tally;
    const char *why; /* what the tally does not tell; may be NULL */
};

/* Describes the best. `exact`, if not NULL, is the value where its error is the largest, `computed` the
 * program's. */
struct shortfall_place {
    double computed, exact;
};
void shortfall_describe(struct shortfall *out, const struct attempt *best, const struct plan_request *request,
                        const struct shortfall_place *place);

/* A search like plan_find's that reports no plan by DIAG_ACCURACY and *why. `ground` is what is known of the
 * formula, whatever the bound is: searches for several bounds share it. */
typedef int (*plan_finder)(struct plan **out, void *ground, const struct plan_request *request,
                           struct plan_search *search, struct shortfall *why, struct diag *error);
/* Sets the message, having tried with `find` which bound is kept. Returns DIAG_ACCURACY, or another error. */
int shortfall_report(const struct shortfall *s, const struct plan_request *request, plan_finder find,
                     void *ground, struct diag *error);

#endif
