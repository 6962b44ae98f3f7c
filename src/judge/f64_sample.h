/* The inputs that plans of f64 are measured on, with the exact values there. */
#ifndef ACTGEN_F64_SAMPLE_H
#define ACTGEN_F64_SAMPLE_H

#include "f64_judge.h"

struct f64_sample {
    arena *memory;
    reference *truth, *simplified; /* of the formula as written, and of what it was simplified to */
    size_t count, room;
    double *x;
    struct f64_exact *exact;
    double roots[16]; /* the inputs nearest to sign changes of the function; 0, too, where it vanishes */
    unsigned root_count;
    double kinks[64]; /* where the formula may bend or jump */
    unsigned kink_count;
};

/* Special values, every binade, and what is near to kinks, roots, and changes of the kind of result. `seed` chooses the
 * inputs in between. */
void f64_sample_make(struct f64_sample *out, reference *truth, reference *simplified, const expr *written,
                     arena *memory, uint64_t seed);
void f64_sample_add(struct f64_sample *s, double x); /* and its exact value */
/* The binades where functions are not dull, densely. */
void f64_sample_middle(struct f64_sample *s, uint64_t seed);

#endif
