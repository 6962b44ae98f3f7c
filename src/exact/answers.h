/* The correct results for all inputs of a 16-bit type: the exact value rounded to nearest, ties to even. The
 * bound may allow other results around them. At 0.5 ulp it allows none.
 *
 * The quick reference knows most results at once. The others are found when a program's result is first
 * compared with them. A program that is wrong earlier never gets there. These results judge a candidate in a
 * millisecond. Programs that are nearly right are mended:
 *
 *   away   bf16 results are rounded in the program, ties away from 0, which is cheaper. This is right where
 *          no value lies on a tie.
 *   nudge  For tiny x, half of x is a tie that the next term breaks, but the value does not show that term.
 *          Moving the value by the smallest f32 changes no other rounding. Where x - tanh(x) is next to
 *          x - 1, the value is moved by its last bit. For small x, where x^2/2 is the tie, it is moved by two
 *          last bits.
 *   patch  The result of a single input is replaced. */
#ifndef ACTGEN_ANSWERS_H
#define ACTGEN_ANSWERS_H

#include "measure.h"

/* The answers of the reference, which are the same for all bounds on an interval. Zero at first. */
struct answers_asked {
    enum element_type argument, result;
    uint32_t count;
    const float *x;
    struct asked_value {
        double exact;
        float right;
        bool is_asked, has_value, any_sign;
        bool is_rounded, is_known; /* the rounding was asked for, and is known */
    } * value;
};

struct answers {
    enum element_type argument, result;
    uint32_t count; /* number of inputs on the bound's interval */
    struct spec_bound bound;
    float *x, *right;
    float *least, *most; /* range of results that the bound allows; for a bound in ulps it does not cross 0 */
    double *exact;       /* exact values to about 2^-45, for certificates of 0.5 ulp */
    bool *any_sign;      /* any sign of a zero result is right */
    bool *found;         /* false: the five fields above are still to be found */
    uint32_t unknown;    /* number of inputs met so far that the reference cannot decide */
    float unknown_at;    /* the first of them */
    reference *truth;
    struct enclosure *enclosure;
    bool distrust; /* the quick reference was wrong */
    struct answers_asked *asked;
    int parity; /* parity of the formula, if all inputs are included: 1 even, -1 odd */
};

/* Finds the answers in the request's arena. `truth` and `asked` must outlive them. `asked` belongs to the
 * same formula and arena. Returns false if memory runs out. */
bool answers_find(struct answers *out, const struct plan_request *request, reference *truth,
                  struct answers_asked *asked);
void answers_free(struct answers *a);
/* Finds all answers that are still open. Returns false if some inputs cannot be decided. */
bool answers_settle(struct answers *a);

/* The most wrong results of a program that are listed. */
enum { ANSWERS_MOST_WRONG = 64 };
struct answers_wrong {
    uint32_t count; /* counting stops at the first block that exceeds the most */
    uint32_t input[ANSWERS_MOST_WRONG];
};
/* Finds the inputs at which the program is wrong after the store's rounding. Returns false if memory runs
 * out. */
bool answers_check(struct answers_wrong *out, struct answers *a, const lane_program *program);

struct answers_mended {
    lane_program *program;      /* NULL if more than `most_patches` would be needed */
    const char *what;           /* what was done; "" for nothing */
    double cost;                /* includes the store's rounding */
    struct answers_wrong wrong; /* wrong results of the nearest attempt, without patches */
};
bool answers_mend(struct answers_mended *out, struct answers *a, const lane_program *program,
                  const struct target_costs *costs, uint32_t most_patches);

/* Computes the errors of a program. `only` lists the inputs at which it is wrong. If `only` is NULL, all
 * inputs are taken. Returns false if memory runs out. */
bool answers_tally(struct tally *out, const struct answers *a, const lane_program *program,
                   const struct answers_wrong *only);

#endif
