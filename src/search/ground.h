/* The facts about a formula that all bounds share, and the subject of a search. */
#ifndef ACTGEN_GROUND_H
#define ACTGEN_GROUND_H

#include "measure.h"
#include "part.h"
#include "shape.h"

struct ground {
    struct shape_context shared;
    struct measurer *measurer;
    struct parts parts;           /* the parts of the formula that have been planned */
    const struct candidate *only; /* see struct choice */
};

/* Finds the facts about the request's formula. `find` is the search for the formula's parts. The ground must
 * stay where it is. Returns false without memory. ground_free takes it in both cases. */
bool ground_make(struct ground *g, const struct plan_request *request, const struct candidate *only,
                 plan_finder find);
void ground_free(struct ground *g, const struct plan_request *request);

#endif
