/* One loop, compiled for every processor, for AVX2 and for AVX-512. */
#include "scan.h"
#include "wider.h"

static inline __attribute__((always_inline)) uint64_t
scan(const double *restrict value, const double *restrict error, const double *restrict computed,
     double *restrict lows, double *restrict highs, uint64_t *restrict doubtful, size_t count,
     struct scan_format format, double ulp_limit, double absolute_limit, uint64_t sign)
{
    const double limit = format.limit;
    uint64_t any = 0;
    for (size_t k = 0; k < count; k++) {
        const double margin = error[k] + fabs(value[k]) * 0x1.1p-53; /* and one rounding below */
        double low = value[k] - margin, high = value[k] + margin, c = computed[k], ulp, absolute;
        low = low > -limit ? low : -limit; /* A NaN becomes a limit, which decides nothing. */
        low = low < limit ? low : limit;
        high = high < limit ? high : limit;
        high = high > -limit ? high : -limit;
        c = c > limit ? limit : c;
        c = c < -limit ? -limit : c;
        scan_errors(&format, c, low, high, &ulp, &absolute);
        const uint64_t ulp_small = ulp <= ulp_limit ? 1 : 0,
                       absolute_small = absolute <= absolute_limit ? 1 : 0;
        uint64_t bits;
        memcpy(&bits, &computed[k], sizeof bits);
        const uint64_t negative = high < 0 ? 1 : 0, positive = low > 0 ? 1 : 0;
        const uint64_t sign_proven = (bits >> 63 & negative) | ((bits >> 63 ^ 1) & positive);
        const uint64_t zero = c == 0 ? sign & (sign_proven ^ 1) : 0;
        const uint64_t is_doubtful = ((ulp_small & absolute_small) ^ 1) | zero;
        lows[k] = low;
        highs[k] = high;
        doubtful[k] = is_doubtful;
        any |= is_doubtful;
    }
    return any;
}

static bool scan_plain(struct scan *s, size_t count, struct scan_limits l)
{
    return scan(s->value, s->error, s->computed, s->low, s->high, s->doubtful, count, s->format, l.ulp,
                l.absolute, l.sign);
}

WIDER_AVX2 static bool scan_avx2(struct scan *s, size_t count, struct scan_limits l)
{
    return scan(s->value, s->error, s->computed, s->low, s->high, s->doubtful, count, s->format, l.ulp,
                l.absolute, l.sign);
}

WIDER_AVX512 static bool scan_avx512(struct scan *s, size_t count, struct scan_limits l)
{
    return scan(s->value, s->error, s->computed, s->low, s->high, s->doubtful, count, s->format, l.ulp,
                l.absolute, l.sign);
}

bool scan_block(struct scan *s, size_t count, struct scan_limits limits)
{
    if (runs_avx512()) return scan_avx512(s, count, limits);
    if (runs_avx2()) return scan_avx2(s, count, limits);
    return scan_plain(s, count, limits);
}
