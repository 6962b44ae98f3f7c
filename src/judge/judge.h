/* Judges computed results of one piece against the reference, for the planner and for verification: those of
 * f64 in f64_judge.c, others in judge.c. verify.h says what counts as an error. */
#ifndef ACTGEN_JUDGE_H
#define ACTGEN_JUDGE_H

#include "band.h"
#include "exact_tiny.h"
#include "scan.h"
#include "tally.h"

#include "reference.h"
#include "request.h"

enum { JUDGE_BLOCK = SCAN_BLOCK, JUDGE_LOG2_GROUP = 3 };

struct judge {                /* for one thread at a time */
    struct arena_guest guest; /* of the arena of the piece's formula */
    const struct piece *piece;
    reference *truth;
    struct enclosure *enclosure;
    double input;
    mpfr_t precise;
    struct exact_tiny start; /* for 0.5 ulp: near 0 half of the exact values may lie beside ties */
    bool distrust;           /* the quick reference has contradicted the reference: never ask it */
    uint64_t asked;          /* of the reference, so far, */
    uint64_t enclosed;       /* and inputs enclosed one by one */
    uint32_t most_asks;      /* of the reference in a binade of inputs, of 512; 0: no limit */
    uint16_t asks[512];      /* so far */
    /* Exact values that no number of the type shows, met so far in groups of binades: those above zero, below
     * it, and so near that their sign means nothing. */
    unsigned tiny[4096 >> JUDGE_LOG2_GROUP][3]; /* 512 binades of f32, 4096 of f64 */
    /* of the interval of inputs that is entered, all that follow being finite and in it: the values, */
    struct enclosed range;
    struct band band; /* and the line that they follow; neither is known where none is entered */
    double lanes[JUDGE_BLOCK];
    float rounded[JUDGE_BLOCK];
    struct scan scan;
};

bool judge_init(struct judge *j, const struct piece *piece); /* false without memory */
void judge_clear(struct judge *j);

/* `computed` are the results at `x`, count <= JUDGE_BLOCK; for a 16-bit result type before or after a store
 * has rounded them to it, which is what counts. Errors that certainly are within the bound and below the
 * maxima of `tally` are passed without asking the reference, unless `ask_all`; then it also sets j->distrust.
 */
void judge_block(struct judge *j, const float *x, const float *computed, size_t count, bool ask_all,
                 struct tally *tally);

/* Judges any count of results, unless `ask_all` first as a whole (judge_settles). */
void judge_results(struct judge *j, const float *x, const float *computed, size_t count, bool ask_all,
                   struct tally *tally);

/* Judges as judge_block does, for a piece whose argument and result are f64, any count. */
void judge_f64_block(struct judge *j, const double *x, const double *computed, size_t count, bool ask_all,
                     struct tally *tally);
/* Counts one such result; inputs outside of the bound's interval are passed over. */
void judge_f64_result(struct tally *tally, const struct spec_bound *bound, double x, double computed,
                      const struct exact_value *exact);

/* For blocks: whether the zeros of a group of binades, of whose exact values the reference was asked a few
 * times, have that sign; and what it has said. */
bool judge_has_usual_sign(const struct judge *j, unsigned group, bool negative);
void judge_learn_sign(struct judge *j, unsigned group, double exact, bool zero);

/* Values at `count` inputs that are judged for several programs, the caller's and for the same inputs each
 * time: none is asked for twice. */
struct judge_known {
    bool known;                   /* false before the first time */
    double *value, *error;        /* for `count`; NULL: nothing is kept */
    struct judge_alone *enclosed; /* made in the arena of the piece's formula when one is first needed */
};
struct judge_alone { /* what the enclosure says of one input */
    bool known;
    struct enclosed value;
};
void judge_block_again(struct judge *j, const float *x, const float *computed, struct judge_known *known,
                       size_t count, bool ask_all, struct tally *tally);

/* From now on the reference is asked for at most so many inputs of each binade (0: all that are in doubt).
 * What is left out is not counted, unless it is a zero whose sign the binade's others have. For samples: it
 * does not see everything. */
void judge_sparingly(struct judge *j, uint32_t most_asks);

/* Returns the time that judging took beyond quick values, as the number of times that the reference could be
 * asked in it: an enclosure of one input takes a sixteenth of that. */
static inline uint64_t judge_asks(const struct judge *j) { return j->asked + j->enclosed / 16; }

/* From now on all inputs are finite and in [low, high]; until judge_leave. */
void judge_enter(struct judge *j, float low, float high);
void judge_leave(struct judge *j);

/* True if the enclosure shows all results to be right without a look at the formula's value at each: they
 * follow the band of the interval that is entered, or are equal, and right everywhere between the least and
 * the largest input, or are NaN where the formula has no value in that interval. Then they are counted as
 * `settled`, and need no judge_block. Any count. */
bool judge_settles(struct judge *j, const float *x, const float *computed, size_t count, struct tally *tally);

/* The most that the bound allows, in ulps or relative to max(1, |y|); 3 ulp where the spec is silent. */
double judge_allowed(const struct spec_bound *bound);

/* Whether the bound is 0.5 ulp: then the bits must be those of the exact value rounded to nearest, ties to
 * even, which errors that are known to 2^-27 ulp do not tell. */
bool judge_is_exact(const struct spec_bound *bound);

#endif
