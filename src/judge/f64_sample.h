/* The inputs on which plans of f64 are measured, with the exact values there. */
#ifndef ACTGEN_F64_SAMPLE_H
#define ACTGEN_F64_SAMPLE_H

#include "measure.h"

struct f64_sample {
    arena *memory;
    reference *truth, *simplified; /* references of the formula as written, and of the simplified formula */
    size_t count;
    /* The number of inputs that every search uses. The others were added where a program was worst. */
    size_t own;
    double *x;
    struct exact_value *exact;
    /* The inputs nearest to sign changes of the function. Includes 0 if the function vanishes there. */
    double roots[16];
    unsigned root_count;
    /* Inputs for programs that come near the bound. NULL before the first such program. */
    struct f64_sample *confirmation;
};

/* Samples special values, every binade, and the surroundings of kinks, roots, and changes of the kind of
 * result. Returns NULL without memory. */
struct f64_sample *f64_sample_create(arena *memory, const struct plan_request *request,
                                     struct traits *traits);
void f64_sample_free(struct f64_sample *s);
/* Removes the inputs that another search has added. */
void f64_sample_begin(struct f64_sample *s);

/* Serve plan_measure and plan_confirm. Return false without memory. */
bool f64_sample_measure(struct tally *tally, struct f64_sample *s, const lane_program *program,
                        const struct spec_bound *bound);
bool f64_sample_confirm(bool *kept, struct tally *tally, struct f64_sample *s, const struct measured *what,
                        const struct spec_bound *bound);

#endif
