/* Judges programs for one formula on all inputs of a 16-bit type, else on a dense sample of all f32, denser at
 * the formula's own numbers and where the program is worst; stops early when the program surely breaks the bound. What depends on the
 * formula alone is found out once. */
#ifndef ACTGEN_MEASURE_H
#define ACTGEN_MEASURE_H

#include "judge.h"
#include "request.h"

struct measurer;
enum { PLAN_INPUTS = 1 << 16 };                            /* of a 16-bit type */
float plan_input(enum element_type type, uint32_t number); /* one of them, by its bits */
/* NULL without memory. The request's DAG must outlive it. */
struct measurer *measurer_create(const struct plan_request *request);
void measurer_free(struct measurer *m); /* NULL is fine */
void measurer_begin(
    struct measurer *m); /* a search, which may judge as many inputs in danger as one alone may */
uint64_t measurer_work(const struct measurer *m); /* see reference_work */
int plan_measure(struct tally *out, struct measurer *m, const lane_program *program,
                 const struct spec_bound *bound, struct diag *error);
/* Decides whether a program that plan_measure found to keep the bound does so on inputs that no sample shows, by analysis and by
 * judging those in danger one by one (danger.h). Adds to its tally. Where they are too many to judge, it is kept only if what
 * was tried stays far below the bound (budget_quiet). */
int plan_confirm(bool *kept, struct tally *tally, struct measurer *m, const lane_program *program,
                 const struct spec_bound *bound, struct diag *error);

#endif
