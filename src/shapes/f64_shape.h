/* Candidates of f64 plans, and what a program lacks at special inputs (f64_finish.c). */
#ifndef ACTGEN_F64_SHAPE_H
#define ACTGEN_F64_SHAPE_H

#include "f64_sample.h"
#include "request.h"

/* Writes the value at x. */
typedef lane_value (*f64_builder)(void *shape, lane_program *p, lane_value x, bool *possible);

struct f64_candidate {
    const char *shape, *description;
    f64_builder build;
    void *parameters;
    lane_program *program; /* made by f64_finish */
    double cost;
    bool many_roundings; /* of about the result's last bit: a sample misses their extremes by far */
    bool one_rounding;   /* of exact values: no sample is needed. Set when it is listed */
};

/* The program with what it lacks: NaN for NaN, the limits at infinities, the values at zeros and kinks. False if the
 * shape cannot, or without memory. */
bool f64_finish(struct f64_candidate *c, const struct plan_request *request, const struct f64_sample *sample);
/* Runs the program; false without memory. */
bool f64_run(const lane_program *p, const double *x, double *y, size_t count);

/* The factored shape, with more and more care for roundings; false if the function is not of its form. */
enum { F64_FACTORED = 3 };
bool f64_factored_make(struct f64_candidate out[F64_FACTORED], const struct plan_request *request,
                       const struct f64_sample *sample);

#endif
