/* A smooth function as 2^k polynomials of low degree, for any shape: segments of an argument t, one lookup a
 * coefficient, Horner's scheme. segments.c cuts and searches, segments_fit.c finds coefficients,
 * segments_build.c writes the operations.
 *
 * Segments are equal steps of t, or the exponent and leading fraction bits of u = t + offset or of
 * u = t^2 + offset: their widths then grow with t. The polynomials' variable is t itself, which costs nothing
 * but digits where t is large and the segments narrow, or the distance from the segment's centre. */
#ifndef ACTGEN_SEGMENTS_H
#define ACTGEN_SEGMENTS_H

#include "lane.h"
#include "surrogate.h"

enum { SEGMENTS_MAX_ENTRIES = 32, SEGMENTS_MAX_DEGREE = 12 };

enum segments_index { INDEX_UNIFORM, INDEX_EXPONENT, INDEX_SQUARE, INDEX_COUNT };

enum segments_variable {
    VARIABLE_ARGUMENT, /* t */
    VARIABLE_DISTANCE, /* u - centre, off by u's rounding; uniform: t - centre */
    VARIABLE_EXACT,    /* t - (centre - offset) */
    VARIABLE_COUNT
};

struct segments {
    enum lane_type type; /* LANE_F32 or LANE_F64: of t, the coefficients and the result */
    enum segments_index index;
    enum segments_variable variable;
    unsigned sides; /* 2: the upper half of the table is for the other side, which the builder is told */
    bool mirrored;  /* the builder is given -t */
    unsigned log2_entries, fraction_bits;
    double offset, width; /* of u; of a uniform segment */
    double limit;         /* the largest t: the caller clamps */
    unsigned degree;
    double error; /* of the fit, weighted; the coefficients' rounding is in it */
    double noise; /* with the roundings of f32 arithmetic, on a sample; equal to error for f64 */
    double coefficient[SEGMENTS_MAX_DEGREE + 1][SEGMENTS_MAX_ENTRIES]; /* of variable^k */
};

/* f on one side: the whole value is y = f(t) + slope * t + constant, and errors count relative to y. */
struct segments_side {
    const struct surrogate *f;
    double slope, constant;
    double limit; /* what f tends to beyond `end` */
};

struct segments_goal {
    enum lane_type type;
    unsigned log2_entries; /* of the largest table */
    unsigned sides;
    struct segments_side side[2];
    double split; /* above 0: segments from here on are of side[1].f, the others of side[0].f; `sides` is 1 */
    double end;   /* t runs from 0 to here */
    bool relative; /* errors count in units of y's binade, 2^floor(log2 |y|); else divided by max(1, |y|) */
    bool vanishes; /* f(0) = 0, and to be kept relatively exact there: no constant in the first segment */
    double wanted; /* largest weighted error, noise and all */
    unsigned highest; /* degree */
};

/* The promising ones, at most one for each kind of index and variable and with the lowest degree that it
 * needs; gives how many. The order says nothing: the caller knows what they cost. */
unsigned segments_search(struct segments *out, unsigned room, const struct segments_goal *goal,
                         arena *memory);

/* f at t, which is in [0, limit] (-t if mirrored); for two sides `sign` is a value of t's type, negative for
 * side 1. */
lane_value segments_build(const struct segments *s, lane_program *p, lane_value t, lane_value sign);

/* Stops before the last operation: f = constant + slope * variable. For degrees above 0. */
struct segments_parts {
    lane_value constant, slope, variable;
};
struct segments_parts segments_build_parts(const struct segments *s, lane_program *p, lane_value t,
                                           lane_value sign);

/* Where t is: the number of its segment in the low bits of an integer, and the polynomials' variable there (negative if
 * mirrored). Needs all of `s` but degree and coefficients. */
struct segments_place {
    lane_value index, variable;
};
struct segments_place segments_place(const struct segments *s, lane_program *p, lane_value t);

/* The offset with which 2^log2_entries segments by bits of t + offset, in f64, begin on a segment's border and reach `end`. */
double segments_offset(unsigned log2_entries, unsigned fraction_bits, double end);

/* "32 uniform segments, degree 4 in t" */
void segments_describe(struct text *out, const struct segments *s);

/* -- between the files -- */

struct segment {
    unsigned entry, side;
    double low, high; /* t */
    double centre;    /* the variable is t - centre; 0 for VARIABLE_ARGUMENT */
};

unsigned segments_cut(const struct segments *s, struct segment *out); /* at most SEGMENTS_MAX_ENTRIES */
/* A guess of the error at each degree, from Chebyshev series. */
void segments_guess(const struct segments *s, const struct segments_goal *goal,
                    double error[SEGMENTS_MAX_DEGREE + 1]);
/* Coefficients, error and noise at s->degree; false if the equations are singular. */
bool segments_fit(struct segments *s, const struct segments_goal *goal);

#endif
