/* The public calls: they handle special inputs, then run Ziv's loop. */
#include "reference.h"

#include "ball.h"
#include "ziv.h"

#include <math.h>
#include <stdlib.h>

/* The precision of points. An input is a double or a power of two, so any precision from 53 bits on holds it
 * exactly. */
enum { POINT_PRECISION = 64 };

static bool prepare_reference(reference *r, const expr *written, const expr *simplified)
{
    r->memory = arena_create(0);
    if (!r->memory) return false;
    if (setjmp(*arena_escape(r->memory))) return false;
    size_t count = r->input_count ? r->input_count : 1;
    r->inputs = arena_alloc(r->memory, count * sizeof *r->inputs);
    evaluator_prepare(&r->written, r->memory, written);
    if (!r->same) evaluator_prepare(&r->simplified, r->memory, simplified);
    r->points = arena_alloc(r->memory, count * sizeof *r->points);
    for (unsigned k = 0; k < r->input_count; k++) {
        mpfr_init2(r->points[k], POINT_PRECISION);
        r->inputs[k] = r->points[k];
    }
    mpfr_init2(r->rounded, level_precision[LEVEL_USUAL - 1]);
    return true;
}

static void release_reference(struct arena_guest *guest) { reference_free((reference *)guest); }

reference *reference_create(const expr *written, const expr *simplified, unsigned input_count)
{
    reference *r = calloc(1, sizeof *r);
    if (r) {
        r->root = written;
        r->input_count = input_count;
        r->same = written == simplified;
        if (prepare_reference(r, written, simplified)) {
            arena_host(written->memory, &r->guest, release_reference);
            return r;
        }
        arena_free(r->memory);
        free(r);
    }
    arena_fail(written->memory);
    return NULL;
}

void reference_free(reference *r)
{
    if (!r) return;
    arena_leave(&r->guest);
    for (unsigned k = 0; k < r->input_count; k++) mpfr_clear(r->points[k]);
    mpfr_clear(r->rounded);
    quick_clear(r->quick);
    quick_long_clear(r->quick_long);
    evaluator_clear(&r->written);
    if (!r->same) evaluator_clear(&r->simplified);
    arena_free(r->memory);
    free(r);
    ball_free_caches();
}

void reference_watch(reference *r, struct progress *progress)
{
    r->progress = progress;
    r->written.progress = r->simplified.progress = progress;
}

uint64_t reference_work(const reference *r) { return r->work; }
void reference_add_work(reference *r, uint64_t work) { r->work += work; }

/* Sets the points. Ignores inputs that the value does not depend on, even if they are NaN. */
static void set_points(reference *r, const double *inputs, bool *has_nan, bool *has_infinity)
{
    *has_nan = *has_infinity = false;
    for (unsigned k = 0; k < r->input_count; k++) {
        bool matters = k < 64 && expr_depends(r->root, k);
        *has_nan = *has_nan || (matters && isnan(inputs[k]));
        *has_infinity = *has_infinity || (matters && isinf(inputs[k]));
        mpfr_set_d(r->points[k], matters ? inputs[k] : 0.0, MPFR_RNDN);
    }
}

/* Solves for a limit. The limit is known as a double, and the goal's answer is derived from it. */
static enum reference_state solve_limit(reference *r, struct goal *goal)
{
    struct limit several = {0}, *l = &several;
    if (r->input_count == 1) l = &r->limits[mpfr_sgn(r->points[0]) > 0];
    if (!l->known) {
        struct goal limit = {.format = &element_types[ELEMENT_F64].format, .scratch = r->rounded};
        const enum reference_state state = limit_at_infinity(r, &limit);
        *l = (struct limit){true, state, limit.value, limit.exact_zero};
    }
    goal->value = l->value;
    goal->exact_zero = l->exact_zero;
    if (goal->bits) {
        mpfr_set_d(goal->out, l->value, MPFR_RNDN);
    } else if (goal->format != &element_types[ELEMENT_F64].format) {
        mpfr_set_d(r->rounded, l->value, MPFR_RNDN);
        round_to_format(r->rounded, r->rounded, goal->format);
        goal->value = mpfr_get_d(r->rounded, MPFR_RNDN);
    }
    return l->state;
}

static enum reference_state solve(reference *r, const double *inputs, struct goal *goal)
{
    bool has_nan, has_infinity;
    if (!progress_goes_on(r->progress)) return REFERENCE_UNDECIDED;
    struct range saved = range_widen();
    goal->scratch = r->rounded;
    set_points(r, inputs, &has_nan, &has_infinity);
    enum reference_state state = REFERENCE_DECIDED;
    if (has_nan) {
        goal->value = NAN;
        if (goal->bits) mpfr_set_nan(goal->out);
    } else if (has_infinity) {
        state = solve_limit(r, goal);
    } else {
        unsigned first = 0;
        while (first < LEVEL_USUAL - 1 && level_precision[first] < (mpfr_prec_t)goal->bits + 16) first++;
        state = ziv(r, goal, first, LEVEL_USUAL - 1);
    }
    range_restore(saved);
    return state;
}

enum reference_state reference_value(reference *r, const double *inputs, double *value, bool *exact_zero)
{
    struct goal goal = {.format = &element_types[ELEMENT_F64].format, .near_is_enough = true};
    enum reference_state state = solve(r, inputs, &goal);
    *value = state == REFERENCE_DECIDED ? goal.value : NAN;
    if (exact_zero) *exact_zero = state == REFERENCE_DECIDED && goal.exact_zero;
    return state;
}

enum reference_state reference_precise(reference *r, const double *inputs, unsigned bits, mpfr_t out)
{
    struct goal goal = {.bits = bits ? bits : 1, .out = out};
    enum reference_state state = solve(r, inputs, &goal);
    if (state != REFERENCE_DECIDED) mpfr_set_nan(out);
    return state;
}

static enum reference_state solve_goal(reference *r, const double *inputs, struct goal *goal, double *value)
{
    enum reference_state state = solve(r, inputs, goal);
    *value = state == REFERENCE_DECIDED ? goal->value : NAN;
    return state;
}

enum reference_state reference_rounded(reference *r, const double *inputs, const struct float_format *format,
                                       double *value)
{
    struct goal goal = {.format = format};
    return solve_goal(r, inputs, &goal, value);
}

/* Asks for more bits only if the value is already known to many bits. Otherwise it is not next to a tie, and
 * more bits would not help. */
enum reference_state reference_rounded_far(reference *r, const double *inputs,
                                           const struct float_format *format, double *value)
{
    struct goal goal = {.format = format};
    enum reference_state state = solve_goal(r, inputs, &goal, value);
    if (state == REFERENCE_DECIDED || !goal.is_narrow) return state;
    bool has_nan, has_infinity;
    struct range saved = range_widen();
    mpfr_set_prec(r->rounded, level_precision[LEVEL_COUNT - 1]);
    set_points(r, inputs, &has_nan, &has_infinity);
    if (!has_nan && !has_infinity) state = ziv(r, &goal, LEVEL_USUAL, LEVEL_COUNT - 1);
    mpfr_set_prec(r->rounded, level_precision[LEVEL_USUAL - 1]);
    range_restore(saved);
    *value = state == REFERENCE_DECIDED ? goal.value : NAN;
    return state;
}
