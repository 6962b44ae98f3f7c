/* Makes tables for logarithms. */
#include "log_table.h"
#include "extended_fit.h"

#include <math.h>

/* The bits that exact multiples by an exponent of f32 leave to ln 2: 24, less the 8 of the exponent. */
enum { BITS_OF_LN2 = 16 };

/* Finds factor * log(c) in two f64 words. */
static struct word_pair logarithm_pair(double c, mpfr_srcptr factor)
{
    mpfr_t value;
    mpfr_init2(value, EXT_FIT_BITS);
    mpfr_set_d(value, c, MPFR_RNDN);
    mpfr_log(value, value, MPFR_RNDN);
    if (factor) mpfr_mul(value, value, factor, MPFR_RNDN);
    const struct word_pair y = word_pair_of(value);
    mpfr_clear(value);
    return y;
}

/* Cuts the value towards 0 to a multiple of the step. The low word is the rest, rounded to f32. */
static struct word_pair cut(struct word_pair value, double step)
{
    const double high = trunc(value.high / step) * step;
    return (struct word_pair){high, (double)(float)((value.high - high) + value.low)};
}

/* Returns the multiple of `step` nearest to `x`. */
static double nearest(double x, double step) { return step * floor(x / step + 0.5); }

/* Returns a number near 1/m for the centre of entry j's interval, or the one that makes r exact. With
 * `has_few_bits`, r is exact if |r| <= 1/(2 entries): the 23 bits of m and those of c are 24 bits there.
 * Otherwise the number is a little off, since 1/m of the centre has few bits itself. Next to it, logarithms
 * would have few distances from an f32. */
static double reciprocal_of(const struct log_table *t, unsigned j, bool has_few_bits)
{
    const double entries = (double)(1u << t->bits), first = 1 + j / entries, last = first + 1 / entries,
                 centre = 2 / (first + last), c = nearest(centre, 0.25 / entries);
    const bool is_exact = first * c - 1 >= -0.5 / entries && last * c - 1 <= 0.5 / entries;
    if (j == 0) return 1;
    if (last == 2) return 0.5;
    if (!has_few_bits) return nearest(centre * (1 + 0x1p-9), 0x1p-24);
    return is_exact ? c : nearest(centre, 0x1p-24);
}

/* Replaces a reciprocal by one of its neighbours, whose logarithm plus `beside` is nearest to an f32. Near c,
 * log changes by q - q^2/2 for a relative change of q. */
static void choose_neighbour(struct log_table *t, unsigned j, double factor, double log, double beside)
{
    enum { NEIGHBOURS = 1024 };
    const double c = t->reciprocal[j];
    double least = INFINITY;
    for (int k = -NEIGHBOURS; k <= NEIGHBOURS; k++) {
        const double q = k * 0x1p-24 / c, wanted = beside - (log + factor * (q - q * q / 2));
        const double lost = fabs(wanted - (double)(float)wanted);
        if (lost >= least) continue;
        least = lost;
        t->reciprocal[j] = c + k * 0x1p-24;
        t->log[j].high = (double)(float)wanted;
    }
}

void log_table_make(struct log_table *t, unsigned bits, mpfr_srcptr factor, bool has_low)
{
    const unsigned entries = 1u << bits;
    const double exact = factor ? mpfr_get_d(factor, MPFR_RNDN) : 1;
    const struct word_pair ln2 = logarithm_pair(2, factor);
    int exponent;
    frexp(ln2.high, &exponent);
    const double step = ldexp(1, exponent - BITS_OF_LN2);
    *t = (struct log_table){.bits = bits, .factor = (double)(float)exact};
    t->ln2 = has_low ? cut(ln2, step) : (struct word_pair){(double)(float)ln2.high, 0};
    for (unsigned j = 0; j < entries; j++) {
        t->reciprocal[j] = reciprocal_of(t, j, has_low);
        const struct word_pair log = logarithm_pair(t->reciprocal[j], factor);
        const bool is_exact = j == 0 || j + 1 == entries; /* The logarithm is 0, or that of 1/2. */
        if (has_low)
            t->log[j] = cut((struct word_pair){-log.high, -log.low}, step);
        else if (is_exact)
            t->log[j].high = j ? t->ln2.high : 0;
        else
            choose_neighbour(t, j, exact, log.high, 2 * j < entries ? 0 : t->ln2.high - ln2.high);
    }
}
