/* Numbers in the words of a command line. */
#ifndef ACTGEN_CLI_NUMBERS_H
#define ACTGEN_CLI_NUMBERS_H

#include <stdbool.h>
#include <stdint.h>

/* Reads a whole number in decimal digits, and sets `end` after the last. Returns false if the text does not
 * begin with a digit, or the number is 2^64 or more. */
bool read_count(uint64_t *out, const char *text, const char **end);

/* Reads a number of f64 as strtod does. Returns false if the text does not begin with one. `is_beyond` is
 * true if the number is too large for f64, for which strtod gives an infinity. */
bool read_double(double *out, const char *text, const char **end, bool *is_beyond);

#endif
