/* The true value of an expression, by MPFR intervals of growing precision.
 *
 * The expression is evaluated as the user wrote it. Where an intermediate overflows, underflows or is
 * undefined whatever the precision, its simplified form is; likewise where the written form cancels, if the
 * simplified value lies within what is known of the written one, but for one input of 64. A reference is for
 * one thread at a time; make one for each thread. MPFR's exponent range is widened while a call runs and
 * restored; no other MPFR state is touched. */
#ifndef ACTGEN_REFERENCE_H
#define ACTGEN_REFERENCE_H

#include "expr.h"
#include "progress.h"

#include <mpfr.h>
#include <stddef.h>
#include <stdint.h>

typedef struct reference reference;

/* `simplified` may equal `written`. Inputs are EXPR_INPUT 0 .. input_count-1. Owns its memory (malloc);
 * NULL without memory. The expressions must live as long as it. Wherever memory runs out, the arena of
 * `written` has failed: until then UNDECIDED means what it says. */
reference *reference_create(const expr *written, const expr *simplified, unsigned input_count);
void reference_free(reference *r);
/* From now on its calls tell `progress` (NULL: nobody), and once that stops the work all values are
 * UNDECIDED. */
void reference_watch(reference *r, struct progress *progress);

enum reference_state {
    REFERENCE_DECIDED,
    REFERENCE_UNDECIDED, /* 8192 bits, or the arguments that a limit is looked for at, were not enough:
                          * never passed, always counted */
};

/* The value at the inputs (one double each; NaN and infinities allowed: NaN in an input that the value
 * depends on gives NaN, infinities give the mathematical limit) rounded to the nearest double (either one,
 * within 2^-88 of a tie); beyond double's range an infinity, below it a zero of the exact value's sign.
 * `exact_zero` (may be NULL) tells that the exact value is zero, or within 2^-1100 of it on an unknown
 * side: the zero's sign means nothing. */
enum reference_state reference_value(reference *r, const double *inputs, double *value, bool *exact_zero);

/* For fits: a value with at least `bits` correct bits (relative), into `out`, whose precision is the
 * caller's. UNDECIDED also where it is within 2^-1100 of zero on an unknown side. */
enum reference_state reference_precise(reference *r, const double *inputs, unsigned bits, mpfr_t out);

/* The value correctly rounded (nearest even) to a format. UNDECIDED if a tie cannot be told from a near tie.
 */
enum reference_state reference_rounded(reference *r, const double *inputs, const struct float_format *format,
                                       double *value);

/* Rounds with up to 131,072 bits, which take milliseconds: for the few inputs of a 16-bit type where x -
 * tanh(x), say, is beside a tie by a number as small as exp(-65504). */
enum reference_state reference_rounded_far(reference *r, const double *inputs,
                                           const struct float_format *format, double *value);

/* What it has done so far: nodes evaluated, those in MPFR counted as the hundreds of doubles that they take.
 * The same on every machine but for what reference_quick leaves undecided. */
uint64_t reference_work(const reference *r);
/* Counts as its own what another reference of the formula has done in its place. */
void reference_add_work(reference *r, uint64_t work);

/* Quick values for many inputs at once: value[i] with |value[i] - exact| <= error[i]; error[i] is infinity
 * where unknown. Their bits may differ between processors, so they may only decide whether the functions
 * above must be asked. inputs[k][i]. */
void reference_quick(reference *r, const double *const *inputs, size_t count, double *value, double *error);

/* From now on quick values next to 0, where the formula's terms cancel, come from its series (beginning.h),
 * which must outlive the reference. */
struct beginning;
void reference_begin(reference *r, const struct beginning *beginning);

/* Quick values with about 60 bits, ten times as slowly, in values that reach far beyond those of f64. All are
 * unknown where long doubles have not 64 bits. */
void reference_quick_long(reference *r, const double *const *inputs, size_t count, long double *value,
                          long double *error);

/* A constant expression to `bits` bits, into `out`, whose precision is the caller's; NaN where it has no
 * value. */
void reference_constant(mpfr_t out, const expr *e, unsigned bits);

#endif
