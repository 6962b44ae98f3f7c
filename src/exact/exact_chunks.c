/* Finds the chunks of inputs that need no reference: near 0, and where the function is undefined or constant
 * to the last bit. */
#include "exact_sweep.h"
#include "float_bits.h"

#include <math.h>
#include <string.h>

/* Returns true if all values in the enclosure round to one f32. */
static bool is_constant_chunk(struct exact_chunk *out, const struct enclosed *e)
{
    if (!e->defined || (float)e->low != (float)e->high) return false;
    out->constant = (float)e->low;
    if (out->constant != 0) return true;
    out->free_sign = e->low == 0 && e->high == 0 && !e->low_open && !e->high_open;
    out->constant = enclosed_negative(e) ? -0.0f : 0.0f;
    return out->free_sign || enclosed_positive(e) || enclosed_negative(e);
}

static bool is_outside(const struct spec_bound *bound, double first, double last)
{
    const double low = first < last ? first : last, high = first < last ? last : first;
    return bound->has_interval && (high < bound->low || low > bound->high);
}

static struct exact_chunk chunk_of(uint32_t chunk, struct enclosure *enclosure, const struct exact_request *r)
{
    const uint32_t first = chunk << EXACT_LOG2_CHUNK;
    const float x[2] = {f32_of_bits(first), f32_of_bits(first | ((UINT32_C(1) << EXACT_LOG2_CHUNK) - 1))};
    const bool negative = chunk >= EXACT_CHUNKS / 2;
    struct exact_chunk out = {CHUNK_ORDINARY, 0, false};
    if (!isfinite(x[0])) return out;
    if (is_outside(&r->plan->piece.bound, (double)x[0], (double)x[1]))
        return (struct exact_chunk){.kind = CHUNK_OUTSIDE};
    if (fabsf(x[1]) <= r->tiny->side[negative].limit) return (struct exact_chunk){.kind = CHUNK_TINY};
    const struct enclosed e = enclosure_of(enclosure, x, 2);
    if (is_constant_chunk(&out, &e)) out.kind = CHUNK_CONSTANT;
    if (e.undefined) out.kind = CHUNK_UNDEFINED;
    return out;
}

bool exact_chunks_find(struct exact_chunk *chunks, const struct exact_request *request)
{
    struct enclosure *enclosure = enclosure_create(request->plan->piece.simplified);
    if (!enclosure) return false;
    for (uint32_t chunk = 0; chunk < EXACT_CHUNKS; chunk++)
        chunks[chunk] = chunk_of(chunk, enclosure, request);
    enclosure_free(enclosure);
    return true;
}
