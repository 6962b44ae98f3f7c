/* Enclosures of erf and erfc at one number. */
#ifndef ACTGEN_ERROR_FUNCTION_H
#define ACTGEN_ERROR_FUNCTION_H

#include <mpfr.h>
#include <stdbool.h>

/* Returns true if the functions below may be called for x. For all other x (0, infinities, tiny and huge
 * numbers) MPFR's own functions are quick. */
bool error_function_covers(mpfr_srcptr x);

/* Find lo and hi with lo <= erfc(x) <= hi. Both have the same precision, and they differ by little more than
 * a unit of it. */
void error_function_erfc(mpfr_ptr lo, mpfr_ptr hi, mpfr_srcptr x);
void error_function_erf(mpfr_ptr lo, mpfr_ptr hi, mpfr_srcptr x);

#endif
