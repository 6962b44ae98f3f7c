/* Enclosures of erf and erfc at one number. */
#ifndef ACTGEN_ERROR_FUNCTION_H
#define ACTGEN_ERROR_FUNCTION_H

#include <mpfr.h>
#include <stdbool.h>

/* Whether the functions below may be called; for others (0, infinities, tiny and huge ones) MPFR's own are
 * quick. */
bool error_function_covers(mpfr_srcptr x);

/* lo <= erfc(x) <= hi, apart by little more than a unit of the precision of `lo`, which is that of `hi`. */
void error_function_erfc(mpfr_ptr lo, mpfr_ptr hi, mpfr_srcptr x);
void error_function_erf(mpfr_ptr lo, mpfr_ptr hi, mpfr_srcptr x);

#endif
