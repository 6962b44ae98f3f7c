/* Judges programs for one formula on all inputs of a 16-bit type, else on a sample of all numbers of the
 * type, denser at the formula's own numbers and where the program is worst. What depends on the formula alone
 * is found out once. */
#ifndef ACTGEN_MEASURE_H
#define ACTGEN_MEASURE_H

#include "judge.h"
#include "request.h"
#include "traits.h"

struct measurer;
uint32_t plan_input_count(enum element_type type);         /* of a type of 8 or 16 bits */
float plan_input(enum element_type type, uint32_t number); /* one of them, by its bits */
/* NULL without memory. The request's DAG must outlive it, and its formula's traits. */
struct measurer *measurer_create(const struct plan_request *request, struct traits *traits);
void measurer_free(struct measurer *m); /* NULL is fine */
void measurer_begin(
    struct measurer *m); /* a search, which may judge as many inputs in danger as one alone may */
uint64_t measurer_work(const struct measurer *m); /* see reference_work */
/* Where an f64 function changes its sign, as its sample tells; NULL and 0 for others. */
const double *measurer_roots(const struct measurer *m, unsigned *count);
/* Stops early when the program surely breaks the bound, but for f64. */
int plan_measure(struct tally *out, struct measurer *m, const lane_program *program,
                 const struct spec_bound *bound, struct diag *error);

struct measured { /* a program that plan_measure found to keep the bound */
    const lane_program *program;
    bool many_roundings; /* see struct candidate */
    bool is_right;       /* by IEEE 754: exact_by_construction */
};
/* Decides whether it does so on inputs that no sample shows. Those of an f32 are analysed, and judged one by
 * one where they are in danger (danger.h); where they are too many to judge, it is kept only if what was
 * tried stays far below the bound (budget_quiet), or if the request allows a sweep and all inputs keep it.
 * Those of an f64 have a reserve of the bound (budget_of_sample). Adds to its tally, which after a sweep,
 * *is_swept, is that of all inputs. */
int plan_confirm(bool *kept, bool *is_swept, struct tally *tally, struct measurer *m,
                 const struct measured *what, const struct spec_bound *bound, struct diag *error);

/* Runs a program of one value on numbers of its argument's type. False without memory. */
bool program_values(const lane_program *program, enum element_type argument, const double *x, double *y,
                    size_t count);

#endif
