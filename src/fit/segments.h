/* A smooth function as 2^k polynomials of low degree, for any shape: segments of an argument t, one lookup a
 * coefficient, Horner's scheme. segments.c cuts and searches, segments_fit.c finds coefficients from
 * surrogates, segments_exact.c from values of 113 bits, segments_build.c writes the operations.
 *
 * Segments are equal steps of t, or the exponent and leading fraction bits of u = t + offset or of
 * u = t^2 + offset: their widths then grow with t. Or they are equal steps of numerator / (t + offset): what
 * falls like 1/t is nearly a straight line in it, which for GELU's factor takes 9 terms instead of 14, in
 * exchange for a division. In f32 one such segment is enough, which needs no lookup. The polynomials'
 * variable is t itself, which costs nothing but digits where t is large and the segments narrow, or the
 * distance from the segment's centre. */
#ifndef ACTGEN_SEGMENTS_H
#define ACTGEN_SEGMENTS_H

#include "lane.h"
#include "surrogate.h"

enum { SEGMENTS_MAX_ENTRIES = 128, SEGMENTS_MAX_DEGREE = 12 /* of a search among surrogates */ };

enum segments_index { INDEX_UNIFORM, INDEX_EXPONENT, INDEX_SQUARE, INDEX_RECIPROCAL };

enum segments_variable {
    VARIABLE_ARGUMENT, /* t */
    VARIABLE_DISTANCE, /* u - centre, off by u's rounding; uniform: t - centre; reciprocal: its own distance
                        */
    VARIABLE_EXACT,    /* t - (centre - offset) */
    VARIABLE_COUNT
};

typedef double segments_row[SEGMENTS_MAX_ENTRIES]; /* one number for each segment */

struct segments {
    enum lane_type type; /* of t, the coefficients and the result: a float's */
    enum segments_index index;
    enum segments_variable variable;
    unsigned sides; /* 2: the upper half of the table is for the other side, which the builder is told */
    bool mirrored;  /* the builder is given -t */
    unsigned log2_entries, fraction_bits;
    double offset, width, numerator; /* of u; of a uniform segment; of the reciprocal */
    double middle;                   /* what a reciprocal of one segment is taken from */
    double limit;                    /* the largest t: the caller clamps */
    bool vanishes;                   /* at 0, like t */
    unsigned degree;
    unsigned low_words;        /* so many coefficients, from the constant on, are double words */
    double error;              /* of the fit, weighted; the coefficients' rounding is in it */
    double noise;              /* with the roundings of f32 arithmetic, on a sample; equal to error for f64 */
    segments_row *coefficient; /* of variable^k, then the low words; a copy of the struct shares them */
};

/* f on one side: the whole value is y = f(t) + slope * t + constant, and errors count relative to y. */
struct segments_side {
    const struct surrogate *f;
    double slope, constant;
    double limit; /* what f tends to beyond `end` */
};

struct segments_goal {
    enum lane_type type;
    unsigned log2_entries; /* of the largest table; 0: none, and all there is are reciprocals */
    bool divides;          /* a reciprocal without a table, too */
    unsigned sides;
    struct segments_side side[2];
    double split; /* above 0: segments from here on are of side[1].f, the others of side[0].f; `sides` is 1 */
    double end;   /* t runs from 0 to here */
    bool relative; /* errors count in units of y's binade, 2^floor(log2 |y|); else divided by max(1, |y|) */
    bool vanishes; /* f(0) = 0, and to be kept relatively exact there: no constant in the first segment */
    unsigned low_words; /* of f32: 1 where the constant is in two words, and what adds it, too */
    double wanted;      /* largest weighted error, noise and all */
    unsigned highest;   /* degree */
};

/* The promising ones, at most one for each kind of index and variable and with the lowest degree that it
 * needs; returns how many. The order says nothing: the caller knows what they cost. */
unsigned segments_search(struct segments *out, unsigned room, const struct segments_goal *goal,
                         arena *memory);

/* What is asked of a fit in f64 lanes, to nearly all bits of the type. */
struct segments_goal_exact {
    quad_function value; /* of t in [0, end] */
    void *context;
    double end;
    unsigned log2_entries;
    enum segments_variable variable;
    bool divides; /* segments by the reciprocal count, too: a division for fewer terms */
    /* at Chebyshev points, nearly as good as the best, and quick: else by the exchange, and values are not 0
     */
    bool interpolates;
    unsigned low_words, most_terms;
    double wanted; /* the error, relative; of interpolation, to the segment's constant term */
};
/* By the index that takes the fewest operations. False if none does with so many terms. */
bool segments_search_exact(struct segments *out, const struct segments_goal_exact *goal, arena *memory);
/* By the exponent and so many fraction bits, with that degree. */
bool segments_fit_exact(struct segments *out, const struct segments_goal_exact *goal, unsigned fraction_bits,
                        unsigned degree, arena *memory);

/* f at t, which is in [0, limit] (-t if mirrored); for two sides `sign` is a value of t's type, negative for
 * side 1. */
lane_value segments_build(const struct segments *s, lane_program *p, lane_value t, lane_value sign);
/* One side; even and odd powers by themselves, since one after another they would take longer than all else.
 */
lane_value segments_build_halves(const struct segments *s, lane_program *p, lane_value t);

/* Stops before the last operation: f = constant + slope * variable + rest, without the product where the
 * degree is 0. */
struct segments_parts {
    lane_value constant, slope, variable;
    lane_value rest; /* of a reciprocal of one segment, and of a constant in two words; else 0: none */
};
struct segments_parts segments_build_parts(const struct segments *s, lane_program *p, lane_value t,
                                           lane_value sign);

/* Where t is: the number of its segment in the low bits of an integer, and the polynomials' variable there
 * (negative if mirrored). Needs all of `s` but degree and coefficients. */
struct segments_place {
    lane_value index, variable;
    lane_value high,
        low; /* of a reciprocal of one segment: what the variable is the rounded sum of; else 0 */
};
struct segments_place segments_place(const struct segments *s, lane_program *p, lane_value t);
/* The polynomial there without its first terms, over that power of the variable. */
lane_value segments_terms(const struct segments *s, lane_program *p, struct segments_place at,
                          unsigned first);
/* Coefficient k there; from degree + 1 on the low words. */
lane_value segments_coefficient(const struct segments *s, lane_program *p, lane_value index, unsigned k);

/* A number of the type has so many fraction bits; t / width and the shifter add up to what has its nearest
 * integer in the last bits. */
unsigned segments_fraction_bits(enum lane_type type);
double segments_shifter(enum lane_type type);

/* "32 uniform segments, degree 4 in t" */
void segments_describe(struct text *out, const struct segments *s);

/* Rounded up to eight bits, so that sums and differences with segment centres are exact. */
double segments_rounded_up(double v);
/* What the segments divide, of a t (t itself, or the reciprocal), and the t whose value that is. */
double segments_variable(const struct segments *s, double t);
double segments_argument(const struct segments *s, double variable);
/* The number of a side's entries. */
unsigned segments_per_side(const struct segments *s);
/* Whether those by bits of t are enough, up to the limit. */
bool segments_reach(const struct segments *s);

/* -- between the files -- */

struct segment {
    unsigned entry, side;
    double start, end; /* t, beyond the limit, too */
    double low, high;  /* t, up to the limit; never empty */
    double centre;     /* the variable is t - centre; 0 for VARIABLE_ARGUMENT; of the reciprocal */
};

unsigned segments_cut(const struct segments *s, struct segment *out); /* at most SEGMENTS_MAX_ENTRIES */
/* Where segments are sampled, from 1 to -1: computed once for a search. */
enum { SEGMENTS_POINTS = 24, SEGMENTS_GUESS_POINTS = SEGMENTS_MAX_DEGREE + 3 };
struct segments_nodes {
    double fit[SEGMENTS_POINTS], guess[SEGMENTS_GUESS_POINTS];
    double series[SEGMENTS_GUESS_POINTS]
                 [SEGMENTS_GUESS_POINTS]; /* what value j at `guess` adds to coefficient k */
};
void segments_set_nodes(struct segments_nodes *out);

/* A guess of the error at each degree, from Chebyshev series. The polynomials' variable makes no difference
 * to it. */
void segments_guess(const struct segments *s, const struct segments_goal *goal,
                    const struct segments_nodes *nodes, double error[SEGMENTS_MAX_DEGREE + 1]);
/* Coefficients, error and noise at s->degree; false if the equations are singular or the noise is more than
 * `most`. */
bool segments_fit(struct segments *s, const struct segments_goal *goal, const struct segments_nodes *nodes,
                  double most, arena *memory);
/* Room for coefficients, all 0. */
void segments_clear(struct segments *s, arena *memory);

#endif
