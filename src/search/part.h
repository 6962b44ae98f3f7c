/* Plans functions that are parts of the formula of a search, by searches of their own. */
#ifndef ACTGEN_PART_H
#define ACTGEN_PART_H

#include "shape.h"
#include "shortfall.h"

/* The parts of one formula. Each is planned once for each bound. */
struct parts {
    struct part_planner planner; /* for shapes */
    const struct plan_request *whole;
    plan_finder find;
    struct part *first;
};

void parts_begin(struct parts *p, const struct plan_request *whole, plan_finder find);
void parts_end(struct parts *p);

#endif
