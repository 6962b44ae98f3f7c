/* Finds few places by a walk over all f32, and many places by continued fractions (turns.c). */
#include "places.h"
#include "changes.h"
#include "turns.h"

#include <stdlib.h>

enum { MOST_FOUND = 128, MOST_NEAR = 1 << 12, MOST_ALONE = 1 << 15 };

static int by_bits(const void *a, const void *b)
{
    const uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
    return (x > y) - (x < y);
}

static uint32_t sort_once_each(uint32_t *bits, uint32_t count)
{
    uint32_t kept = 0;
    if (count) qsort(bits, count, sizeof *bits, by_bits);
    for (uint32_t i = 0; i < count; i++)
        if (!kept || bits[kept - 1] != bits[i]) bits[kept++] = bits[i];
    return kept;
}

void places_find(struct places *out, arena *memory, const expr *simplified, reference *truth)
{
    const bool oscillates = turns_oscillates(memory, simplified);
    const struct changes_function f = changes_of_f32(truth);
    *out = (struct places){.near = arena_alloc(memory, MOST_NEAR * sizeof *out->near)};
    if (oscillates) out->alone = arena_alloc(memory, MOST_ALONE * sizeof *out->alone);
    out->near_count = (uint32_t)changes_find_f32(out->near, MOST_FOUND, &f, CHANGES_ALL);
    if (oscillates) {
        struct turns_room room = {out, MOST_NEAR, MOST_ALONE};
        turns_find(&room, memory, simplified, truth);
    }
    out->near_count = sort_once_each(out->near, out->near_count);
    out->alone_count = sort_once_each(out->alone, out->alone_count);
}

size_t places_find_f64(uint64_t *places, size_t room, reference *truth)
{
    enum { LOG2_STEP = 47 }; /* a 32nd of a binade */
    static const uint64_t infinite = UINT64_C(2047) << 52;
    const struct changes_function f = changes_of_f64(truth);
    size_t count = 0;
    for (uint64_t side = 0; side < 2; side++) {
        const struct changes_range range = {side << 63, UINT64_C(1) << LOG2_STEP, infinite >> LOG2_STEP};
        count += changes_find(places + count, room / 2, &f, range, CHANGES_ALL);
    }
    return count;
}
