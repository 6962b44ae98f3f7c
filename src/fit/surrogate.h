/* A smooth function that is costly to evaluate, as Chebyshev series on a few intervals: the reference is
 * asked some hundred times, and every segmentation that a search looks at is fitted from here. */
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
    unsigned count, power;                              /* the series are of f(t) / t^power */
    struct surrogate_piece piece[SURROGATE_MAX_PIECES]; /* in order, without gaps */
};

struct surrogate_request {
    quad_function value; /* exact to about 2^-60; `t` is never an end of the interval */
    void *context;
    double high;      /* of t, from 0 on */
    double tolerance; /* of the series' error: absolute, or of the largest value on each interval */
    bool relative;
    unsigned power; /* 1: f vanishes at t = 0 like t, and is wanted relatively exact there */
};

/* NULL if f has no value somewhere, or is not smooth enough. */
const struct surrogate *surrogate_make(const struct surrogate_request *request, arena *memory);
double surrogate_at(const struct surrogate *s, double t);

#endif
