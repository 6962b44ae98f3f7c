/* The right results for all inputs of a 16-bit type: the exact value rounded to nearest, ties to even, and
 * what the bound allows around it, which for 0.5 ulp is nothing. The quick reference knows most of them at
 * once; the others are found where a program's result is looked at for the first time, which a program that
 * is wrong before does not come to. They judge every candidate in a millisecond. Programs that are nearly
 * right are mended.
 *
 *   away   bf16 results are rounded in the program, ties away from 0, which is cheaper; right where no value
 *          lies on one
 *   nudge  for tiny x, half of x is a tie that the next term breaks, which the value does not show: what
 *          moves the value by the smallest f32 moves no other rounding (or, for x - tanh(x) beside x - 1, by
 *          its last bit; for small x, where x^2/2 is the tie, by two of them)
 *   patch  a single input's result is replaced */
#ifndef ACTGEN_ANSWERS_H
#define ACTGEN_ANSWERS_H

#include "measure.h"

/* What the reference was asked, which is the same for all bounds on an interval. Zero at first. */
struct answers_asked {
    enum element_type argument, result;
    uint32_t count;
    const float *x;
    struct asked_value {
        double exact;
        float right;
        bool is_asked, has_value, is_known, any_sign; /* known: the value, and how it rounds */
    } * value;
};

struct answers {
    enum element_type argument, result;
    uint32_t count; /* inputs, those on the bound's interval */
    struct spec_bound bound;
    float *x, *right;
    float *least, *most; /* that the bound allows; in ulps nothing on the other side of 0 */
    double *exact;       /* to 2^-45 or so: for certificates of 0.5 ulp */
    bool *any_sign;      /* of a result of 0 */
    bool *found;         /* else the five above are to be found */
    uint32_t unknown;    /* inputs met so far that the reference cannot decide */
    reference *truth;
    struct enclosure *enclosure;
    bool distrust; /* the quick reference was wrong */
    struct answers_asked *asked;
    int parity; /* of the formula, where all inputs are there: 1 even, -1 odd */
};

/* False without memory. The request's arena; `truth` and `asked`, which is of that formula and arena, are to
 * live as long as the answers. */
bool answers_find(struct answers *out, const struct plan_request *request, reference *truth,
                  struct answers_asked *asked);
void answers_free(struct answers *a);
/* Finds what is still to be found. False if some inputs cannot be decided. */
bool answers_settle(struct answers *a);

/* Room for all results of a program. */
enum { ANSWERS_MOST_WRONG = 64 };
struct answers_wrong {
    uint32_t count; /* counting ends at the first block that brings it above the most */
    uint32_t input[ANSWERS_MOST_WRONG];
};
/* What the program gets wrong, after the store's rounding. False without memory. */
bool answers_check(struct answers_wrong *out, struct answers *a, const lane_program *program);

struct answers_mended {
    lane_program *program;      /* NULL: more than `most_patches` would be needed */
    const char *what;           /* what was done; "" for nothing */
    double cost;                /* with the store's rounding */
    struct answers_wrong wrong; /* without patches, of what comes nearest */
};
bool answers_mend(struct answers_mended *out, struct answers *a, const lane_program *program,
                  const struct target_costs *costs, uint32_t most_patches);

/* The errors of a program: at the inputs listed, which are all that are wrong, or (NULL) of one whose results
 * are right at all. False without memory. */
bool answers_tally(struct tally *out, const struct answers *a, const lane_program *program,
                   const struct answers_wrong *only);

#endif
