/* Measures programs for one formula. A 16-bit type is measured on all inputs. Any other type is measured on a
 * sample of all numbers, which is denser at the formula's own numbers and where the program is worst. Facts
 * about the formula are found only once. */
#ifndef ACTGEN_MEASURE_H
#define ACTGEN_MEASURE_H

#include "judge.h"
#include "request.h"
#include "traits.h"

struct measurer;
uint32_t
plan_input_count(enum element_type type); /* Returns the number of inputs of a type of 8 or 16 bits. */
float plan_input(enum element_type type, uint32_t number); /* Returns one of these inputs, by its bits. */
/* Creates a measurer. Returns NULL without memory. The request's DAG and its formula's traits must outlive
 * the measurer. */
struct measurer *measurer_create(const struct plan_request *request, struct traits *traits);
void measurer_free(struct measurer *m); /* NULL is allowed */
/* Begins a search. Each search has its own limit for inputs in danger. */
void measurer_begin(struct measurer *m);
uint64_t measurer_work(const struct measurer *m); /* see reference_work */
/* Returns where an f64 function changes its sign, according to its sample. Returns NULL and 0 for other
 * types. */
const double *measurer_roots(const struct measurer *m, unsigned *count);
/* Measures a program. Stops early, except for f64, when the program surely breaks the bound. */
int plan_measure(struct tally *out, struct measurer *m, const lane_program *program,
                 const struct spec_bound *bound, struct diag *error);

/* A program for which plan_measure found that it keeps the bound. */
struct measured {
    const lane_program *program;
    bool many_roundings; /* see struct candidate */
    bool is_right;       /* right by IEEE 754: exact_by_construction */
};
/* Decides whether the program also keeps the bound on inputs that no sample shows.
 *
 * For f32, all inputs are analysed, and those in danger are judged one by one (danger.h). If they are too
 * many to judge, the program is kept in two cases. Either the inputs that were tried stay far below the bound
 * (budget_quiet). Or the request allows a sweep, and all inputs keep the bound. For f64, a part of the bound
 * is kept in reserve (budget_of_sample).
 *
 * Adds the inputs to the tally. After a sweep, *is_swept is true and the tally is that of all inputs. */
int plan_confirm(bool *kept, bool *is_swept, struct tally *tally, struct measurer *m,
                 const struct measured *what, const struct spec_bound *bound, struct diag *error);

/* Runs a program of one value on numbers of its argument's type. Returns false without memory. */
bool program_values(const lane_program *program, enum element_type argument, const double *x, double *y,
                    size_t count);

#endif
