/* Numbers of a program as a Taylor model and a linear form in its roundings.
 *
 * A value is real(u) + sum of (level_k + slope_k u) e_k, where e_k in [-1, 1] is what rounding k did at that
 * input. A rounding adds half a unit of the last place of the largest result, unless the result is seen to be
 * exact: its last bit has a place, `grain`, and all values are multiples of that and small enough for 53
 * bits. What is of second order in the roundings, or bends along the interval, goes to the model's rest. */
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
    struct factor *moves; /* by symbol */
    uint32_t symbols;     /* those beyond have no factor */
    double low, high;     /* of the value with its roundings */
    int grain;            /* it is a multiple of 2^grain */
    bool truth;
    lane_value source; /* BITS: of this number, */
    double most_below; /* less so many units of its last place at most, */
    bool negated;      /* with the other sign */
    uint64_t bits;
    /* The operation that rounded last, if it is the value but for its sign and a power of two: */
    uint32_t last; /* its symbol + 1; 0: none */
    uint32_t own;  /* the symbol + 1 of the operation's own rounding; 0: none */
    double unrounded_low, unrounded_high;
    bool keeps_sign, beyond;
    bool is_some_zero; /* whose sign nobody knows */
    bool is_exact;     /* what the operation should give, without a rounding */
};

struct affine { /* the values of one program, on one interval */
    uint32_t room;
    struct affine_value *values;
    struct factor *all_factors; /* `room` for each value */
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
double affine_larger(double a, double b);

#endif
