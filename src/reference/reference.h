/* The true value of an expression, by MPFR intervals of growing precision.
 *
 * The expression is evaluated as the user wrote it. The simplified form answers where an intermediate value
 * overflows, underflows or is undefined at any precision. It also answers where the written form cancels, if
 * the simplified value lies within the written form's interval. One input of 64 is exempt from this, so that
 * the written form answers by itself.
 *
 * A reference is for one thread at a time, so make one for each thread. A call widens MPFR's exponent range
 * and restores it. It touches no other MPFR state. */
#ifndef ACTGEN_REFERENCE_H
#define ACTGEN_REFERENCE_H

#include "expr.h"
#include "progress.h"

#include <mpfr.h>
#include <stddef.h>
#include <stdint.h>

typedef struct reference reference;

/* Creates a reference. `simplified` may equal `written`. Inputs are EXPR_INPUT 0 .. input_count-1. The
 * expressions must outlive the reference. It owns its memory, which comes from malloc. Returns NULL if memory
 * runs out. Whenever memory runs out, the arena of `written` has failed. Until then UNDECIDED means what it
 * says. */
reference *reference_create(const expr *written, const expr *simplified, unsigned input_count);
void reference_free(reference *r);
/* Makes later calls report to `progress`, or to nobody if it is NULL. Once `progress` stops the work, all
 * values are UNDECIDED. */
void reference_watch(reference *r, struct progress *progress);

enum reference_state {
    REFERENCE_DECIDED,
    /* 8192 bits, or the arguments that were tried for a limit, were not enough. Callers never treat such a
     * value as passed, and always count it. */
    REFERENCE_UNDECIDED,
};

/* Computes the value at the inputs, rounded to the nearest double. Within 2^-88 of a tie it may be either
 * neighbour. Beyond double's range it is an infinity, below the range a zero of the exact value's sign. There
 * is one double per input. NaN in an input that the value depends on gives NaN. Infinities give the
 * mathematical limit. Sets `exact_zero` (may be NULL) if the exact value is zero, or within 2^-1100 of zero
 * on an unknown side. The zero's sign then means nothing. */
enum reference_state reference_value(reference *r, const double *inputs, double *value, bool *exact_zero);

/* Computes a value for fits, with at least `bits` correct bits (relative). The caller chooses the precision
 * of `out`. The value is UNDECIDED also where it is within 2^-1100 of zero on an unknown side. */
enum reference_state reference_precise(reference *r, const double *inputs, unsigned bits, mpfr_t out);

/* Computes the value correctly rounded to a format (nearest, ties to even). It is UNDECIDED if a tie cannot
 * be told from a near tie. */
enum reference_state reference_rounded(reference *r, const double *inputs, const struct float_format *format,
                                       double *value);

/* Rounds with up to 131,072 bits, which take milliseconds. It serves the few inputs of a 16-bit type whose
 * result is extremely near a tie. For example, x - tanh(x) may differ from a tie by a number as small as
 * exp(-65504). */
enum reference_state reference_rounded_far(reference *r, const double *inputs,
                                           const struct float_format *format, double *value);

/* Returns the work done so far, in evaluated nodes. A node in MPFR counts as the hundreds of doubles whose
 * time it takes. The work is the same on every machine, except for values that reference_quick leaves
 * undecided. */
uint64_t reference_work(const reference *r);
/* Adds the work of another reference that evaluated the same formula in place of this one. */
void reference_add_work(reference *r, uint64_t work);

/* Computes quick values for many inputs inputs[k][i] at once, with |value[i] - exact| <= error[i]. error[i]
 * is infinity where the value is unknown. The bits may differ between processors. Therefore quick values may
 * only decide whether the functions above must be asked. */
void reference_quick(reference *r, const double *const *inputs, size_t count, double *value, double *error);

/* Makes later quick values next to 0, where the formula's terms cancel, come from its series (beginning.h).
 * `beginning` must outlive the reference. */
struct beginning;
void reference_begin(reference *r, const struct beginning *beginning);

/* Computes quick values with about 60 bits, whose range reaches far beyond that of f64. This is ten times as
 * slow. All values are unknown where long doubles do not have 64 bits. */
void reference_quick_long(reference *r, const double *const *inputs, size_t count, long double *value,
                          long double *error);

/* Computes a constant expression to `bits` bits. The caller chooses the precision of `out`. The result is NaN
 * where the expression has no value. */
void reference_constant(mpfr_t out, const expr *e, unsigned bits);

#endif
