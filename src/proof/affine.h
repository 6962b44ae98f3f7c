/* Numbers of a program as a Taylor model and a linear form in its roundings.
 *
 * A value is real(u) + sum of (level_k + slope_k u) e_k, where e_k in [-1, 1] is the effect of rounding k at
 * that input. A rounding adds half a unit of the last place of the largest result. No rounding is added if
 * the result is seen to be exact. That is the case if all values are multiples of the place of the last bit,
 * 2^`grain`, and small enough for 53 bits. Terms of second order in the roundings, and terms that bend along
 * the interval, go to the model's rest. */
#ifndef ACTGEN_AFFINE_H
#define ACTGEN_AFFINE_H

#include "lane.h"
#include "model.h"

enum kind { NOTHING_KNOWN, NUMBER, TRUTH, BITS, CONSTANT_BITS };
enum { LEAST_GRAIN = -1074, NO_GRAIN = -5000 };
struct factor {
    double level, slope;
};

struct affine_value {
    enum kind kind;
    struct model real;
    struct factor *moves; /* indexed by symbol */
    uint32_t symbols;     /* symbols from this number on have no factor */
    double low, high;     /* bounds of the value with its roundings */
    int grain;            /* the value is a multiple of 2^grain */
    bool truth;
    lane_value source; /* BITS: the number whose bits these are */
    double most_below; /* BITS: they may lie below it by up to so many units of its last place */
    bool negated;      /* BITS: with the opposite sign */
    uint64_t bits;
    /* The symbol + 1 of the operation that rounded last, if the value is its result times a power of two or
     * the negative. 0: none. */
    uint32_t last;
    uint32_t own; /* the symbol + 1 of the operation's own rounding, 0 for none */
    double unrounded_low, unrounded_high;
    bool keeps_sign, beyond;
    bool is_some_zero; /* a zero of unknown sign */
    bool is_exact;     /* the operation's exact result, without a rounding */
};

/* The values of one program on one interval. */
struct affine {
    uint32_t room;
    struct affine_value *values;
    struct factor *all_factors; /* `room` factors for each value */
    uint32_t symbols;
    const lane_program *program;
};

double affine_moved(const struct affine_value *v);
int affine_exponent_of(double x);
int affine_grain_of(double x);
int affine_grain_between(double low, double high);
struct affine_value affine_number(double x);
bool affine_is_exactly(const struct affine_value *v, double x);
struct factor *affine_factors(struct affine *m, const struct affine_value *v);
void affine_round_off(struct affine *m, struct affine_value *v, int grain, bool has_53_bits,
                      const struct affine_value *beside);
void affine_settle_exact(struct affine_value *v, int grain);
void affine_add(struct affine *m, struct affine_value *v, const struct affine_value *a,
                const struct affine_value *b, bool negative);
void affine_multiply(struct affine_value *v, const struct affine_value *a, const struct affine_value *b,
                     struct factor *moves);
void affine_divide(struct affine *m, struct affine_value *v, const struct affine_value *a,
                   const struct affine_value *b);
struct affine_value affine_negated(const struct affine_value *a, struct factor *moves);
struct affine_value affine_hull(const struct affine_value *a, const struct affine_value *b);
int affine_product_grain(const struct affine_value *a, const struct affine_value *b);
int affine_smaller_grain(int a, int b);
void affine_scale(struct affine *m, struct affine_value *v, const struct affine_value *a,
                  const struct affine_value *n);

#endif
