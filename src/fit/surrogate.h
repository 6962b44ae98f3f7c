/* A smooth function that is costly to evaluate, as Chebyshev series on a few intervals. The reference is
 * asked some hundred times. Every segmentation of a search is then fitted to the series. */
#ifndef ACTGEN_SURROGATE_H
#define ACTGEN_SURROGATE_H

#include "arena.h"
#include "quad.h"

#include <stdbool.h>

enum { SURROGATE_TERMS = 18, SURROGATE_MAX_PIECES = 64 };

struct surrogate_piece {
    double low, high;
    double coefficient[SURROGATE_TERMS];
};

struct surrogate {
    unsigned count, power;                              /* The series approximate f(t) / t^power. */
    struct surrogate_piece piece[SURROGATE_MAX_PIECES]; /* in order, without gaps */
};

struct surrogate_request {
    quad_function value; /* Exact to about 2^-60. `t` is never an end of the interval. */
    void *context;
    double high; /* the largest t, from 0 on */
    /* The error that the series may have: absolute, or, if `relative`, a share of the largest value on each
     * interval. */
    double tolerance;
    bool relative;
    /* 1: f vanishes at t = 0 like t, and must be accurate there in relative terms. */
    unsigned power;
};

/* Makes a surrogate. Returns NULL if f has no value somewhere, or is not smooth enough. */
const struct surrogate *surrogate_make(const struct surrogate_request *request, arena *memory);
double surrogate_at(const struct surrogate *s, double t);

#endif
