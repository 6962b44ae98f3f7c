#include "changes.h"

#include <math.h>
#include <string.h>

static const uint32_t SIGN = UINT32_C(1) << 31;
enum { STEP = 1 << 17, STEPS = 0x7f800000 / STEP };

enum kind { IS_NAN, IS_NEGATIVE, IS_ZERO, IS_POSITIVE, IS_INFINITE };

static enum kind kind_of(double y)
{
    if (isnan(y)) return IS_NAN;
    return isinf(y) ? IS_INFINITE : y < 0 ? IS_NEGATIVE : y > 0 ? IS_POSITIVE : IS_ZERO;
}

struct function {
    changes_values values;
    void *context;
};

static enum kind kind_at(const struct function *f, uint32_t bits)
{
    float x;
    double y;
    memcpy(&x, &bits, sizeof x);
    f->values(f->context, &x, &y, 1);
    return kind_of(y);
}

static uint32_t bisect(const struct function *f, uint32_t low, uint32_t high, enum kind kind_of_low)
{
    while (high - low > 1) {
        const uint32_t middle = low + (high - low) / 2;
        if (kind_at(f, middle) == kind_of_low)
            low = middle;
        else
            high = middle;
    }
    return high;
}

static size_t find_on_side(uint32_t *places, size_t room, const struct function *f, uint32_t sign)
{
    float x[SCAN_BLOCK];
    double y[SCAN_BLOCK];
    enum kind last = kind_at(f, sign);
    size_t count = 0;
    for (uint32_t first = 1; first <= STEPS && count < room; first += SCAN_BLOCK) {
        const uint32_t left = STEPS - first + 1, run = left < SCAN_BLOCK ? left : SCAN_BLOCK;
        for (uint32_t i = 0; i < run; i++) {
            const uint32_t bits = sign | (first + i) * STEP;
            memcpy(&x[i], &bits, sizeof bits);
        }
        f->values(f->context, x, y, run);
        for (uint32_t i = 0; i < run && count < room; i++) {
            const uint32_t high = sign | (first + i) * STEP;
            if (kind_of(y[i]) != last) places[count++] = bisect(f, high - STEP, high, last);
            last = kind_of(y[i]);
        }
    }
    return count;
}

size_t changes_find(uint32_t *places, size_t room, changes_values values, void *context)
{
    const struct function f = {values, context};
    const size_t positive = find_on_side(places, room / 2, &f, 0);
    return positive + find_on_side(places + positive, room / 2, &f, SIGN);
}
