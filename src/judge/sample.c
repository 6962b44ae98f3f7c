/* Chooses sample inputs from an endless sequence of numbers with random bits. */
#include "sample.h"

#include <string.h>

const uint32_t sample_specials[] = {
    0x00000000, 0x80000000, 0x00000001, 0x80000001, 0x007fffff, 0x807fffff, 0x00800000,
    0x80800000, 0x3f800000, 0xbf800000, 0x7f7fffff, 0xff7fffff, 0x7f800000, 0xff800000,
    0x7fc00000, 0xffc00000, 0x7f800001, 0xff800001, 0x7fffffff, 0xffffffff, 0x7fabcdef,
    0x3f7fffff, 0x3f800001, 0x40000000, 0xc0000000, 0x3f000000, 0xbf000000,
};
const size_t sample_special_count = sizeof sample_specials / sizeof *sample_specials;

/* Returns the bits of n in reverse. This is the van der Corput sequence, which fills an interval evenly at
 * every length. */
static uint32_t reversed(uint32_t n)
{
    n = (n >> 1 & 0x55555555) | (n & 0x55555555) << 1;
    n = (n >> 2 & 0x33333333) | (n & 0x33333333) << 2;
    n = (n >> 4 & 0x0f0f0f0f) | (n & 0x0f0f0f0f) << 4;
    n = (n >> 8 & 0x00ff00ff) | (n & 0x00ff00ff) << 8;
    return n >> 16 | n << 16;
}

static uint32_t sample_bits(uint64_t n)
{
    if (n < sample_special_count) return sample_specials[n];
    n -= sample_special_count;
    uint32_t sign = (uint32_t)(n & 1) << 31, step = (uint32_t)(n >> 2);
    /* Half of the sample cycles through all 255 binades, and half through the 20 binades that matter most.
     * The mantissa advances with each step, so that cycles do not repeat. Its last bits are random. */
    uint32_t binade = n & 2 ? step % 255 : 127 - 12 + step % 20;
    uint32_t round = n & 2 ? step / 255 : step / 20;
    uint32_t mantissa = (reversed(round) >> 9 ^ step * 0x9e3779b9u >> 20) & 0x7fffff;
    return sign | binade << 23 | mantissa;
}

void sample_floats(float *x, uint64_t first, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        uint32_t bits = sample_bits(first + i);
        memcpy(&x[i], &bits, sizeof bits);
    }
}
