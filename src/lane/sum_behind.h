/* Sums that round. Exponents are rounded by a sum with 1.5 * 2^(23 - k) (f64: 2^(52 - k)), minus this
 * constant (compose/exp.c, factored/factored_exp.c). The low bits of the sum hold a small integer n, and the
 * difference is n / 2^k. So a shift of the sum's bits gives the floor of n / 2^k, without a conversion. */
#ifndef ACTGEN_SUM_BEHIND_H
#define ACTGEN_SUM_BEHIND_H

#include "lane.h"

enum { SUM_MOST_FRACTION = 7 };

struct sum_behind {
    lane_value sum;
    uint64_t magic;    /* The bits of the constant. */
    unsigned fraction; /* k, at most SUM_MOST_FRACTION. */
};

/* Returns the bits of the constant for that k. */
uint64_t sum_magic(enum lane_type type, unsigned fraction);
/* Finds the sum whose difference from such a constant value v is. Returns false if v is none. */
bool sum_find(struct sum_behind *out, const lane_program *p, lane_value v);

#endif
