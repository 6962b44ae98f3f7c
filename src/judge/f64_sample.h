/* The inputs that plans of f64 are measured on, with the exact values there. */
#ifndef ACTGEN_F64_SAMPLE_H
#define ACTGEN_F64_SAMPLE_H

#include "measure.h"

struct f64_sample {
    arena *memory;
    reference *truth, *simplified; /* of the formula as written, and of what it was simplified to */
    size_t count;
    size_t own; /* inputs of every search; the others were added where a program was worst */
    double *x;
    struct exact_value *exact;
    double roots[16]; /* the inputs nearest to sign changes of the function; 0, too, where it vanishes */
    unsigned root_count;
    struct f64_sample *confirmation; /* inputs for programs that come near the bound; NULL before the first */
};

/* Special values, every binade, and what is near to kinks, roots, and changes of the kind of result. NULL
 * without memory. */
struct f64_sample *f64_sample_create(arena *memory, const struct plan_request *request,
                                     struct traits *traits);
void f64_sample_free(struct f64_sample *s);
void f64_sample_begin(struct f64_sample *s); /* forgets the inputs that another search has added */

/* See plan_measure and plan_confirm; false without memory. */
bool f64_sample_measure(struct tally *tally, struct f64_sample *s, const lane_program *program,
                        const struct spec_bound *bound);
bool f64_sample_confirm(bool *kept, struct tally *tally, struct f64_sample *s, const struct measured *what,
                        const struct spec_bound *bound);

#endif
