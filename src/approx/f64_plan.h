/* Plans of functions of f64 with f64 results; plan_find calls f64_plan_find for them. In pieces: the inputs that plans
 * are measured on (f64_sample.c), what a program lacks at special inputs (f64_finish.c), polynomials around roots where
 * the formula cancels (f64_patch.c), and the search (f64_plan.c). */
#ifndef ACTGEN_F64_PLAN_H
#define ACTGEN_F64_PLAN_H

#include "extended.h"
#include "f64_judge.h"
#include "shortfall.h"

/* A plan_finder. */
int f64_plan_find(struct plan **out, const struct plan_request *request, struct plan_search *search,
                  struct shortfall *why, struct diag *error);

/* -- the sample -- */

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

/* -- finishing -- */

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

/* -- patches -- */

enum { F64_MOST_PATCHES = 8, F64_PATCH_TERMS = 24 };

struct
    f64_patch { /* d^power * sum of coefficient[k] d^k, d = x - (root + root_low + root_last), |d| <= width */
    double root, root_low, root_last, width;
    unsigned power, terms;
    double coefficient[F64_PATCH_TERMS], constant_low;
    bool odd;         /* rounded to odd, for who rounds to f32; else to nearest */
    double beyond[2]; /* added in relative terms for x > 0 and x < 0: see f64_patch_start */
};
/* Around the root next to `near`, of an order up to 4; at 0 of any. False if the function is not smooth there. */
bool f64_patch_fit(struct f64_patch *out, reference *truth, double near);
/* Around 0, at most so wide, for who rounds the value to f32 as if it were exact. Where c x^m is a tie, as it is for every
 * 10000th x if c is 1.7159, the next term decides, be it 2^-400 of it: the value is moved to its side by more than the
 * arithmetic leaves out (2^-104), and less than c x^m may be away from other ties. */
bool f64_patch_start(struct f64_patch *out, reference *truth, double widest);
/* Its value at x where that is near enough, else `y`. */
lane_value f64_patch_build(const struct f64_patch *patch, lane_program *p, lane_value x, lane_value y);

#endif
