/* The choice among candidates, as far as a search has come with it. */
#ifndef ACTGEN_CHOICE_H
#define ACTGEN_CHOICE_H

#include "answers.h"
#include "measure.h"
#include "plan.h"
#include "shape.h"
#include "shortfall.h"

enum { MOST_ATTEMPTS = 128 };

struct choice {
    const struct plan_request *request;
    bool mends;                  /* for 0.5 ulp: nearly right programs are made right */
    struct shape_context shared; /* what is known of the formula, whatever the bound and the stage */
    struct measurer *measurer;
    struct candidate *list;       /* room for those of a stage */
    const struct candidate *only; /* that is judged; NULL: those of all shapes */
    struct plan_search *search;
    struct plan *best;                      /* that keeps the bound; behind it the alternatives */
    struct attempt attempts[MOST_ATTEMPTS]; /* what to speak of if none does */
    unsigned attempt_count;
    const lane_program **seen; /* of the candidates so far, see choice_forget */
    size_t seen_count;
    struct answers *answers;         /* where it mends results of 16-bit arguments; else NULL */
    uint32_t most_patches;           /* of those */
    uint64_t undecided;              /* inputs met so far that the reference could not decide */
    uint64_t work_before, most_work; /* of the references: see choice_is_exhausted */
    bool is_cut; /* the request's most_work was done where there was a plan, and more to try */
    struct diag *error;
};

/* Tries the candidates, cheapest first, until one keeps the bound, or what is left is no cheaper; lists them
 * in the log. Sorts the list. */
int choice_try(struct choice *c, struct candidate *list, size_t count);

/* Candidates of equal programs are tried and listed once: shares of a bound, and bounds, may propose one
 * several times. Forgotten where another verdict is possible. */
void choice_forget(struct choice *c);

uint64_t choice_work(const struct choice *c); /* of the references, so far */
bool choice_is_exhausted(const struct choice *c);
/* No plan is accepted on inputs that the reference cannot decide, and other candidates would meet them, too.
 */
bool choice_is_undecidable(const struct choice *c);
/* Either of these, or stopped, or out of memory: asked before more is done. */
bool choice_is_over(struct choice *c);

#endif
