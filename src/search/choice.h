/* The state of a search: its choice among candidates so far. */
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
    bool mends;                  /* for 0.5 ulp: makes nearly right programs right */
    struct shape_context shared; /* facts about the formula, for every bound and stage */
    struct measurer *measurer;
    struct candidate *list;       /* room for the candidates of a stage */
    const struct candidate *only; /* the only candidate to judge, NULL for the candidates of all shapes */
    struct plan_search *search;
    struct text unmade; /* the shapes that made no candidate, and why */
    /* The cheapest plan that keeps the bound, linked to its alternatives. */
    struct plan *best;
    struct attempt attempts[MOST_ATTEMPTS]; /* programs to mend or to report */
    unsigned attempt_count;
    const lane_program **seen; /* the candidates so far, see choice_forget */
    size_t seen_count;
    struct answers *answers;         /* set if results of 16-bit arguments are mended, otherwise NULL */
    uint32_t most_patches;           /* the most patches for these results */
    uint64_t undecided;              /* inputs so far that the reference could not decide */
    uint64_t work_before, most_work; /* work of the references: see choice_is_exhausted */
    /* The request's most_work was done while a plan existed and there was more to try. */
    bool is_cut;
    struct diag *error;
};

/* Tries the candidates, cheapest first, until one keeps the bound or the rest is no cheaper. Lists them in
 * the log. Sorts the list. */
int choice_try(struct choice *c, struct candidate *list, size_t count);

/* Forgets the programs that were tried. Candidates with equal programs are tried and listed once, because
 * several shares of a bound, and several bounds, may propose one program. The search forgets them when
 * another verdict becomes possible. */
void choice_forget(struct choice *c);

uint64_t choice_work(const struct choice *c); /* Returns the references' work so far. */
bool choice_is_exhausted(const struct choice *c);
/* Returns whether too many inputs are undecided. No plan is accepted on inputs that the reference cannot
 * decide, and other candidates would meet these inputs as well. */
bool choice_is_undecidable(const struct choice *c);
/* Returns whether the search must end: in one of these two cases, if it was stopped, or without memory. The
 * search asks this before it does more. */
bool choice_is_over(struct choice *c);

#endif
