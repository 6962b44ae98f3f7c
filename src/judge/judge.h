/* Judges computed results of one piece against the reference, for the planner and for verification.
 * f64_judge.c judges f64 results, and judge.c all others. verify.h defines the errors. */
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
    struct arena_guest guest; /* a guest of the arena of the piece's formula */
    const struct piece *piece;
    reference *truth;
    struct enclosure *enclosure;
    double input;
    mpfr_t precise;
    /* The values at 0 and at -0, which bounds with `flush` allow for subnormal inputs. */
    struct judge_at_zero {
        bool known;
        struct exact_value value;
    } at_zero[2];
    /* For 0.5 ulp, because half of the exact values near 0 may lie next to ties. */
    struct exact_tiny start;
    /* The quick reference has contradicted the reference and is no longer asked. */
    bool distrust;
    uint64_t asked;    /* the number of times that the reference was asked */
    uint64_t enclosed; /* the number of inputs enclosed one by one */
    /* How often the reference may be asked in each of 512 binades of inputs. 0: no limit. */
    uint32_t most_asks;
    uint16_t asks[512]; /* how often it was asked */
    /* The number of exact values so far that no number of the type shows, by groups of binades. The three
     * counts are for values above zero, below zero, and so near zero that their sign means nothing. */
    unsigned tiny[4096 >> JUDGE_LOG2_GROUP][3]; /* 512 binades of f32, 4096 of f64 */
    /* The values over the interval of inputs that the caller has entered. All inputs that follow are finite
     * and in it. */
    struct enclosed range;
    /* The line that these values follow. Neither is known if no interval is entered. */
    struct band band;
    double lanes[JUDGE_BLOCK];
    float rounded[JUDGE_BLOCK];
    struct scan scan;
};

bool judge_init(struct judge *j, const struct piece *piece); /* false without memory */
void judge_clear(struct judge *j);
/* Takes the bound of the piece, after it has changed. */
void judge_take_bound(struct judge *j);

/* Judges the results `computed` at `x`, count <= JUDGE_BLOCK. A 16-bit result counts after the store's
 * rounding, and may be given before or after this rounding. Errors that certainly keep the bound and are
 * below the maxima of `tally` pass without the reference. With `ask_all` the reference is always asked, and
 * j->distrust is set if it contradicts the quick reference. */
void judge_block(struct judge *j, const float *x, const float *computed, size_t count, bool ask_all,
                 struct tally *tally);

/* Judges any number of results. Unless `ask_all`, first tries to judge them as a whole (judge_settles). */
void judge_results(struct judge *j, const float *x, const float *computed, size_t count, bool ask_all,
                   struct tally *tally);

/* Judges like judge_block, for a piece whose argument and result are f64. Takes any number of results. */
void judge_f64_block(struct judge *j, const double *x, const double *computed, size_t count, bool ask_all,
                     struct tally *tally);
/* Judges one f64 result. Skips inputs outside of the bound's interval. */
void judge_f64_result(struct tally *tally, const struct spec_bound *bound, double x, double computed,
                      const struct exact_value *exact);

/* Serve the judging of blocks. judge_has_usual_sign returns whether zeros of this sign are right in a group
 * of binades, as far as the reference was asked there a few times. judge_learn_sign stores an answer of the
 * reference. */
bool judge_has_usual_sign(const struct judge *j, unsigned group, bool negative);
void judge_learn_sign(struct judge *j, unsigned group, double exact, bool zero);

/* Values at `count` inputs that are judged for several programs. The caller keeps them, with the same inputs
 * each time, so that no value is asked for twice. */
struct judge_known {
    bool known;                   /* false before the first time */
    double *value, *error;        /* for `count` inputs, NULL to keep nothing */
    struct judge_alone *enclosed; /* made in the arena of the piece's formula at the first use */
};
struct judge_alone { /* the enclosure of one input */
    bool known;
    struct enclosed value;
};
void judge_block_again(struct judge *j, const float *x, const float *computed, struct judge_known *known,
                       size_t count, bool ask_all, struct tally *tally);

/* Limits the reference from now on to `most_asks` inputs of each binade. 0 allows all inputs that are in
 * doubt. An input that is left out does not count, unless it is a zero with the sign of the binade's other
 * zeros. This is for samples, because it does not see everything. */
void judge_sparingly(struct judge *j, uint32_t most_asks);

/* Returns the time that judging took beyond quick values, in calls of the reference. An enclosure of one
 * input takes a sixteenth of such a call. */
static inline uint64_t judge_asks(const struct judge *j) { return j->asked + j->enclosed / 16; }

/* judge_enter promises that all inputs from now on are finite and in [low, high]. judge_leave ends that. */
void judge_enter(struct judge *j, float low, float high);
void judge_leave(struct judge *j);

/* Returns true if the enclosure shows all results to be right without the formula's value at each input.
 * There are three cases. The results follow the band of the entered interval. Or they are equal, and right
 * everywhere between the least and the largest input. Or they are NaN, and the formula has no value in the
 * interval. The results then count as `settled`, and need no judge_block. Takes any number of results. */
bool judge_settles(struct judge *j, const float *x, const float *computed, size_t count, struct tally *tally);

/* Returns the largest error that the bound allows, in ulps or relative to max(1, |y|). The default is 3
 * ulp. */
double judge_allowed(const struct spec_bound *bound);

/* Returns whether the bound is 0.5 ulp. The bits must then be those of the exact value rounded to nearest,
 * ties to even. Errors that are known to 2^-27 ulp do not decide this. */
bool judge_is_exact(const struct spec_bound *bound);

#endif
