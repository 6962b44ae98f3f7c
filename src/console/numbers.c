/* Reads numbers in the words of a command line. */
#include "numbers.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>

bool read_count(uint64_t *out, const char *text, const char **end)
{
    uint64_t n = 0;
    const char *at = text;
    for (; *at >= '0' && *at <= '9'; at++)
        if (__builtin_mul_overflow(n, 10, &n) || __builtin_add_overflow(n, (uint64_t)(*at - '0'), &n))
            return false;
    *out = n;
    *end = at;
    return at != text;
}

bool read_double(double *out, const char *text, const char **end, bool *is_beyond)
{
    char *after;
    errno = 0;
    *out = strtod(text, &after);
    *is_beyond =
        errno == ERANGE && isinf(*out); /* a number that is too small is rounded to 0 or a subnormal */
    *end = after;
    return after != text;
}
