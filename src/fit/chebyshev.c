/* Computes everything by recurrences, from one cosine. */
#include "chebyshev.h"

void chebyshev_cosines(quad *out, unsigned count, unsigned n)
{
    const quad cosine = quad_cos_pi_over(n);
    quad previous = cosine, current = 1; /* cos(-angle), cos(0) */
    for (unsigned i = 0; i < count; i++) {
        out[i] = current;
        const quad next = 2 * cosine * current - previous;
        previous = current;
        current = next;
    }
}

double chebyshev_cosine(const double *cosine, unsigned n, unsigned turn)
{
    turn %= 2 * n;
    return cosine[turn <= n ? turn : 2 * n - turn];
}

double chebyshev_sum(const double *coefficient, unsigned degree, double z)
{
    double before = 0, now = 0;
    for (unsigned k = degree; k > 0; k--) {
        const double next = 2 * z * now - before + coefficient[k];
        before = now;
        now = next;
    }
    return z * now - before + coefficient[0];
}
