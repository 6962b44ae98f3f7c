/* Finds the cheapest lane program that keeps a bound for a function of one value. plan.c has the list of
 * shapes. */
#ifndef ACTGEN_PLAN_H
#define ACTGEN_PLAN_H

#include "judge.h"
#include "request.h"

struct plan {
    const char *shape;           /* "direct", "piecewise", ... */
    const char *description;     /* the shape's parameters, one line */
    const lane_program *program; /* loads operand 0, stores operand 1 */
    double cost;                 /* cycles per vector by the cost table, only for ranking */
    struct tally measured;       /* on the planner's sample */
    /* The request's most_work ended the search, and another plan may have been cheaper. Not packed, because
     * the description says it as well. */
    bool is_cut;
    /* The number of inputs whose results were shown to be right, one by one. 0: only the sample. */
    uint64_t swept;
    /* The next plan that keeps the bound and costs no less. NULL if no alternatives were asked for. */
    struct plan *next;
};

/* The candidates that were examined and the shapes that made none, for `show --stage plan`. */
struct plan_search {
    struct text log;
};

/* Finds a plan. Returns DIAG_ACCURACY, with the best program found, if none keeps the bound. Returns
 * DIAG_STOPPED if the request's progress says so. The plan is in the DAG's arena. */
int plan_find(struct plan **out, const struct plan_request *request, struct plan_search *search,
              struct diag *error);

/* Judges a plan that comes from elsewhere. Its program is judged like any candidate's, whatever the plan says
 * of itself. *out is that plan with the errors found. Returns DIAG_INVALID if the plan breaks the request's
 * bound. */
int plan_judge(struct plan **out, const struct plan *claimed, const struct plan_request *request,
               struct diag *error);

#endif
