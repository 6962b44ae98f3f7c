/* Models an f64 lane program on a short interval of inputs, with all its roundings. The result is a Taylor
 * model of the exact results without roundings, and the amount by which roundings move these results.
 *
 * Each rounding is a symbol of its own in [-1, 1], with a factor that may grow along the interval. A rounding
 * that an error-free sum or product subtracts again cancels, as it does in the program. */
#ifndef ACTGEN_PROGRAM_MODEL_H
#define ACTGEN_PROGRAM_MODEL_H

#include "lane.h"
#include "model.h"

struct program_result {
    bool known;        /* false: nothing is known about the program's results there */
    bool is_some_zero; /* a zero of unknown sign */
    /* There is one result, `low`, which may be infinite. A zero has its sign. */
    bool is_constant;
    double low, high;     /* bounds of the results, before the last rounding */
    struct model real;    /* the exact results, without roundings */
    double moved;         /* effect of all roundings except the last, in units of 2^real.exponent */
    double last;          /* effect of the last rounding in the same units, 0 if there is none */
    bool last_keeps_sign; /* A last rounding to 0 keeps the sign. */
};

/* Scratch memory for programs of up to `most_values` values, and one thread at a time. */
struct program_model;
struct program_model *program_model_create(arena *memory, uint32_t most_values);
/* Models a program that loads operand 0 and stores operand 1, both f64. All its inputs lie in [low, high].
 * They have one sign and are not 0. */
struct program_result program_model_run(struct program_model *m, const lane_program *p, double low,
                                        double high);

#endif
