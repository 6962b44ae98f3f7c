/* What a lane program of f64 computes on a short interval of inputs, with all its roundings: a Taylor model
 * of what it would give without them, and how far they move the result.
 *
 * Each rounding is a symbol of its own, somewhere in [-1, 1], with a factor that may grow along the interval.
 * What an error-free sum or product subtracts again cancels, as it does in the program. */
#ifndef ACTGEN_PROGRAM_MODEL_H
#define ACTGEN_PROGRAM_MODEL_H

#include "lane.h"
#include "model.h"

struct program_result {
    bool known;           /* else the program does something there that cannot be told */
    bool is_some_zero;    /* whose sign nobody knows */
    bool is_constant;     /* one value, `low`, with the sign of a zero; it may be infinite */
    double low, high;     /* of the results, before the last rounding */
    struct model real;    /* without roundings */
    double moved;         /* by them, but for the last: in units of 2^real.exponent */
    double last;          /* the last rounding, likewise; 0 if that is none */
    bool last_keeps_sign; /* where it rounds to 0 */
};

struct program_model; /* scratch memory, for programs of so many values; for one thread at a time */
struct program_model *program_model_create(arena *memory, uint32_t most_values);
/* The program loads operand 0 and stores operand 1, both f64; all its inputs lie in [low, high], of one sign
 * and not 0. */
struct program_result program_model_run(struct program_model *m, const lane_program *p, double low,
                                        double high);

#endif
