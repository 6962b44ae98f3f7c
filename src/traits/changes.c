/* Walks over all f32 in steps, and bisects where the kind of the result changes. */
#include "changes.h"
#include "float_bits.h"
#include "reference.h"

#include <math.h>
#include <stdbool.h>

static void find_values(reference *truth, const float *x, double *values, double *error, size_t count)
{
    double lanes[CHANGES_BLOCK];
    const double *inputs[1] = {lanes};
    for (size_t i = 0; i < count; i++) lanes[i] = (double)x[i];
    reference_quick(truth, inputs, count, values, error);
}

void changes_quick_values(void *truth, const float *x, double *values, size_t count)
{
    double error[CHANGES_BLOCK];
    find_values(truth, x, values, error, count);
}

void changes_sure_values(void *truth, const float *x, double *values, size_t count)
{
    double error[CHANGES_BLOCK];
    find_values(truth, x, values, error, count);
    for (size_t i = 0; i < count; i++)
        if (!(fabs(values[i]) > error[i])) reference_value(truth, &(double){(double)x[i]}, &values[i], NULL);
}

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
    const float x = f32_of_bits(bits);
    double y;
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
    float x[CHANGES_BLOCK];
    double y[CHANGES_BLOCK];
    enum kind last = kind_at(f, sign);
    size_t count = 0;
    for (uint32_t first = 1; first <= STEPS && count < room; first += CHANGES_BLOCK) {
        const uint32_t left = STEPS - first + 1, run = left < CHANGES_BLOCK ? left : CHANGES_BLOCK;
        for (uint32_t i = 0; i < run; i++) { x[i] = f32_of_bits(sign | (first + i) * STEP); }
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

/* -- roots without a change of sign -- */

static double size_at(const struct function *f, uint32_t bits)
{
    const float x = f32_of_bits(bits);
    double y;
    f->values(f->context, &x, &y, 1);
    return fabs(y);
}

/* Between the two, where the size falls and rises again: by thirds. */
static uint32_t least_between(const struct function *f, uint32_t low, uint32_t high)
{
    while (high - low > 2) {
        const uint32_t third = (high - low) / 3, a = low + third, b = high - third;
        if (size_at(f, a) < size_at(f, b))
            high = b;
        else
            low = a;
    }
    return low + (high - low) / 2;
}

static size_t find_touching(uint32_t *places, size_t room, const struct function *f, uint32_t sign)
{
    enum { TRIES = 64 };
    static const double deep = 0x1p-12; /* of the size a step away: no mere valley */
    float x[CHANGES_BLOCK];
    double y[CHANGES_BLOCK];
    size_t count = 0, tries = 0;
    for (uint32_t first = 1; first + 2 < STEPS && count < room && tries < TRIES; first += CHANGES_BLOCK - 2) {
        const uint32_t left = STEPS - first, run = left < CHANGES_BLOCK ? left : CHANGES_BLOCK;
        for (uint32_t i = 0; i < run; i++) { x[i] = f32_of_bits(sign | (first + i) * STEP); }
        f->values(f->context, x, y, run);
        for (uint32_t i = 1; i + 1 < run && count < room && tries < TRIES; i++) {
            const bool valley = fabs(y[i]) <= fabs(y[i - 1]) && fabs(y[i]) < fabs(y[i + 1]);
            if (!valley || kind_of(y[i - 1]) != kind_of(y[i + 1])) continue;
            const uint32_t middle = sign | (first + i) * STEP;
            const uint32_t place = least_between(f, middle - STEP, middle + STEP);
            tries++;
            if (size_at(f, place) < deep * fabs(y[i - 1])) places[count++] = place;
        }
    }
    return count;
}

size_t changes_find_touching(uint32_t *places, size_t room, changes_values values, void *context)
{
    const struct function f = {values, context};
    const size_t positive = find_touching(places, room / 2, &f, 0);
    return positive + find_touching(places + positive, room / 2, &f, SIGN);
}
