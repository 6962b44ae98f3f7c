/* Finds the cheapest lane program that keeps a bound for a function of one value. plan.c is the list of
 * shapes. */
#ifndef ACTGEN_PLAN_H
#define ACTGEN_PLAN_H

#include "judge.h"
#include "request.h"

struct plan {
    const char *shape;           /* "direct", "piecewise", ... */
    const char *description;     /* the shape's parameters, one line */
    const lane_program *program; /* loads operand 0, stores operand 1 */
    double cost;                 /* cycles a vector by the cost table: for ranking only */
    struct tally measured;       /* on the planner's sample */
    /* the request's most_work ended the search: another may have been cheaper. Not packed; the description
     * says it */
    bool is_cut;
    uint64_t swept; /* inputs whose results were shown to be right, one by one; 0: only the sample */
    /* that keeps the bound as well and costs no less; NULL where no alternatives were asked for */
    struct plan *next;
};

struct plan_search { /* what was looked at, for `show --stage plan` */
    struct text log;
};

/* DIAG_ACCURACY, with the best that was found, if nothing keeps the bound; DIAG_STOPPED if the request's
 * progress says so. Memory is the DAG's arena. */
int plan_find(struct plan **out, const struct plan_request *request, struct plan_search *search,
              struct diag *error);

/* Judges a plan that is not the search's own: its program like that of any candidate, whatever it says of
 * itself. *out is that plan with the errors that were found. DIAG_INVALID where it breaks the request's
 * bound. */
int plan_judge(struct plan **out, const struct plan *claimed, const struct plan_request *request,
               struct diag *error);

#endif
