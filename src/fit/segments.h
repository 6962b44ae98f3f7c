/* A smooth function as 2^k polynomials of low degree, for any shape. The argument t is cut into segments. A
 * program takes one lookup per coefficient, and Horner's scheme. segments.c cuts and searches. segments_fit.c
 * finds coefficients from surrogates, and segments_exact.c from values of 113 bits. segments_build.c writes
 * the operations.
 *
 * There are three kinds of segments:
 *
 *     - equal steps of t,
 *     - the exponent and leading fraction bits of u = t + offset or u = t^2 + offset (their widths grow
 *       with t),
 *     - equal steps of numerator / (t + offset).
 *
 * A function that falls like 1/t is nearly a straight line in the reciprocal. For GELU's factor, this saves 5
 * of 14 terms and costs a division. In f32 one such segment is enough, which needs no lookup.
 *
 * The polynomials' variable is t itself or the distance from the segment's centre. t costs no operation, but
 * loses digits where t is large and the segments are narrow. */
#ifndef ACTGEN_SEGMENTS_H
#define ACTGEN_SEGMENTS_H

#include "lane.h"
#include "surrogate.h"

enum {
    SEGMENTS_MAX_ENTRIES = 128,
    SEGMENTS_MAX_DEGREE = 12 /* the highest degree in a search among surrogates */
};

enum segments_index { INDEX_UNIFORM, INDEX_EXPONENT, INDEX_SQUARE, INDEX_RECIPROCAL };

enum segments_variable {
    VARIABLE_ARGUMENT, /* t */
    /* u - centre, with u's rounding error. Uniform segments: t - centre. Reciprocal segments: the
     * reciprocal's distance. */
    VARIABLE_DISTANCE,
    VARIABLE_EXACT, /* t - (centre - offset) */
    VARIABLE_COUNT
};

typedef double segments_row[SEGMENTS_MAX_ENTRIES]; /* one number for each segment */

struct segments {
    enum lane_type type; /* the floating-point type of t, the coefficients and the result */
    enum segments_index index;
    enum segments_variable variable;
    /* 2: the upper half of the table is for the other side. The builder is told the side. */
    unsigned sides;
    bool mirrored; /* the builder gets -t */
    unsigned log2_entries, fraction_bits;
    /* `offset` of u, `width` of a uniform segment, `numerator` of the reciprocal. */
    double offset, width, numerator;
    /* The value that is subtracted from a reciprocal of one segment. */
    double middle;
    double limit;     /* the largest t, to which the caller clamps */
    bool without_fma; /* a reciprocal of one segment is kept in halves, whose products are exact */
    bool vanishes;    /* f vanishes at 0, like t */
    unsigned degree;
    unsigned low_words; /* the number of coefficients, from the constant on, that are double words */
    double error;       /* the weighted error of the fit, with rounded coefficients */
    /* The error with the roundings of f32 arithmetic, on a sample. For f64 the same as `error`. */
    double noise;
    /* The coefficients of variable^k, then the low words. A copy of the struct shares them. */
    segments_row *coefficient;
};

/* f on one side. The whole value is y = f(t) + slope * t + constant, and errors count relative to y. */
struct segments_side {
    const struct surrogate *f;
    double slope, constant;
    double limit; /* the limit of f beyond `end` */
};

struct segments_goal {
    enum lane_type type;
    unsigned log2_entries; /* the size of the largest table, 0 for only reciprocals */
    bool divides;          /* also tries a reciprocal without a table */
    bool without_fma;      /* f32: The target has no fma, so that a reciprocal is kept in halves. */
    unsigned sides;
    struct segments_side side[2];
    /* If above 0, segments from here on approximate side[1].f, and the others side[0].f. `sides` is then
     * 1. */
    double split;
    double end; /* the largest t, from 0 on */
    /* Errors count in units of y's binade, 2^floor(log2 |y|). Otherwise they are divided by max(1, |y|). */
    bool relative;
    /* f(0) = 0, and f must be accurate there in relative terms. The first segment has no constant. */
    bool vanishes;
    /* f32: 1 if the constant is in two words, and the addition of the constant as well. */
    unsigned low_words;
    double wanted;    /* the largest weighted error, with noise */
    unsigned highest; /* the highest degree */
};

/* Finds the promising segmentations and returns their number. There is at most one for each kind of index and
 * variable, with the lowest degree that this kind needs. The order has no meaning, because only the caller
 * knows the costs. */
unsigned segments_search(struct segments *out, unsigned room, const struct segments_goal *goal,
                         arena *memory);

/* The goal of a fit in f64 lanes, to nearly all bits of the type. */
struct segments_goal_exact {
    quad_function value; /* the value at t in [0, end] */
    void *context;
    double end;
    unsigned log2_entries;
    enum segments_variable variable;
    bool divides; /* also tries segments by the reciprocal, which need a division and fewer terms */
    /* Interpolates at Chebyshev points, which is quick and nearly as good as the best fit. Otherwise the
     * exchange fits, and values must not be 0. */
    bool interpolates;
    unsigned low_words, most_terms;
    /* The relative error. With interpolation, relative to the segment's constant term. */
    double wanted;
};
/* Finds segments by the index that takes the fewest operations. Returns false if none is good enough with
 * `most_terms`. */
bool segments_search_exact(struct segments *out, const struct segments_goal_exact *goal, arena *memory);
/* Fits segments by the exponent and `fraction_bits` fraction bits, with the given degree. */
bool segments_fit_exact(struct segments *out, const struct segments_goal_exact *goal, unsigned fraction_bits,
                        unsigned degree, arena *memory);

/* Returns f at t, which is in [0, limit] (-t if mirrored). With two sides, `sign` is a value of t's type that
 * is negative for side 1. */
lane_value segments_build(const struct segments *s, lane_program *p, lane_value t, lane_value sign);
/* Returns f at t for one side. Sums even and odd powers separately, because one long chain would take longer
 * than all the rest. */
lane_value segments_build_halves(const struct segments *s, lane_program *p, lane_value t);

/* A value before the last operation: f = constant + slope * variable + rest. For degree 0 there is no
 * product. */
struct segments_parts {
    lane_value constant, slope, variable;
    /* 0 (none), except for a reciprocal of one segment and for a constant in two words. */
    lane_value rest;
};
struct segments_parts segments_build_parts(const struct segments *s, lane_program *p, lane_value t,
                                           lane_value sign);

/* f as the sum of two words: the value rounded, and the rest of the last operation. */
struct segments_words {
    lane_value whole, rest;
};
struct segments_words segments_words_of(lane_program *p, const struct segments_parts *parts);

/* The place of t: the number of its segment in the low bits of an integer, and the polynomials' variable
 * there (negative if mirrored). Needs all of `s` except the degree and the coefficients. */
struct segments_place {
    lane_value index, variable;
    /* For a reciprocal of one segment, the variable is the rounded sum of these. Otherwise they are 0. */
    lane_value high, low;
};
struct segments_place segments_place(const struct segments *s, lane_program *p, lane_value t);
/* Returns the polynomial at a place without its first terms, divided by that power of the variable. */
lane_value segments_terms(const struct segments *s, lane_program *p, struct segments_place at,
                          unsigned first);
/* Returns coefficient k at a place. From degree + 1 on, the coefficients are the low words. */
lane_value segments_coefficient(const struct segments *s, lane_program *p, lane_value index, unsigned k);

/* segments_fraction_bits returns the number of fraction bits of the type. segments_shifter returns a number
 * whose sum with t / width holds the nearest integer in the last bits. */
unsigned segments_fraction_bits(enum lane_type type);
double segments_shifter(enum lane_type type);

/* Writes, for example, "32 uniform segments, degree 4 in t". */
void segments_describe(struct text *out, const struct segments *s);

/* Returns `v` rounded up to eight bits, so that sums and differences with segment centres are exact. */
double segments_rounded_up(double v);
/* segments_variable returns the value that the segments divide: t itself, or its reciprocal.
 * segments_argument returns the t that has this value. */
double segments_variable(const struct segments *s, double t);
double segments_argument(const struct segments *s, double variable);
/* Returns the number of entries per side. */
unsigned segments_per_side(const struct segments *s);
/* Returns whether segments by bits of t reach the limit. */
bool segments_reach(const struct segments *s);

/* Returns the t up to which the segments serve, which may be beyond the limit. There the coefficients were
 * not fitted, but those of the last segment serve. */
double segments_end(const struct segments *s);

/* -- between the files -- */

struct segment {
    unsigned entry, side;
    double start, end; /* in t, may exceed the limit */
    double low, high;  /* in t, up to the limit, never empty */
    /* The variable is t - centre, or the reciprocal minus the centre. 0 for VARIABLE_ARGUMENT. */
    double centre;
};

unsigned segments_cut(const struct segments *s,
                      struct segment *out); /* writes at most SEGMENTS_MAX_ENTRIES */
/* The points at which segments are sampled, from 1 to -1. They are computed once per search. */
enum { SEGMENTS_POINTS = 24, SEGMENTS_GUESS_POINTS = SEGMENTS_MAX_DEGREE + 3 };
struct segments_nodes {
    double fit[SEGMENTS_POINTS], guess[SEGMENTS_GUESS_POINTS];
    double series[SEGMENTS_GUESS_POINTS]
                 /* The amount that value j at `guess` adds to coefficient k. */
                 [SEGMENTS_GUESS_POINTS];
};
void segments_set_nodes(struct segments_nodes *out);

/* Guesses the error at each degree, from Chebyshev series. The guess does not depend on the polynomials'
 * variable. */
void segments_guess(const struct segments *s, const struct segments_goal *goal,
                    const struct segments_nodes *nodes, double error[SEGMENTS_MAX_DEGREE + 1]);
/* Finds coefficients, error and noise at s->degree. Returns false if the equations are singular or the noise
 * exceeds `most`. */
bool segments_fit(struct segments *s, const struct segments_goal *goal, const struct segments_nodes *nodes,
                  double most, arena *memory);
/* Allocates the coefficients, all 0. */
void segments_clear(struct segments *s, arena *memory);

#endif
