/* Hashes all results of a kernel for a fixed sample of inputs, so that machines can be compared. The hash
 * is the same on all machines with the same profile. */
#include "check.h"

enum { CHUNK = 1024 };

#define HASHED(function) void function(size_t rows, size_t cols, const struct cross_operand *operands);
#define HASH(...)
#include "hashes.inc"
#undef HASHED
#undef HASH

static const struct {
    const char *name;
    void (*run)(size_t rows, size_t cols, const struct cross_operand *operands);
    unsigned log2_count;
    bool once; /* True if one length of vectors is enough. */
    uint64_t hash;
} hashes[] = {
#define HASHED(function)
#define HASH(name, function, log2_count, once, hash) {name, function, log2_count, once, UINT64_C(hash)},
#include "hashes.inc"
#undef HASHED
#undef HASH
    {0} /* The end. */
};

size_t cross_hash(unsigned most, bool is_first, unsigned char *const *memory, struct cross_wrong *wrong)
{
    const struct cross_operand operands[CROSS_NAMES] = {{memory[0], 0}, {memory[1], 0}};
    uint32_t *x = operands[0].data;
    const uint32_t *y = operands[1].data;
    size_t compared = 0;
    for (size_t k = 0; hashes[k].run; k++) {
        if (hashes[k].log2_count > most || (hashes[k].once && !is_first)) continue;
        uint64_t hash = 0;
        const uint32_t count = (uint32_t)1 << hashes[k].log2_count;
        for (uint32_t first = 0; first < count; first += CHUNK) {
            for (uint32_t i = 0; i < CHUNK; i++) x[i] = cross_sample(first + i, hashes[k].log2_count);
            hashes[k].run(1, CHUNK, operands);
            for (uint32_t i = 0; i < CHUNK; i++) hash = cross_fold(hash, y[i]);
        }
        if (hash != hashes[k].hash) {
            *wrong = (struct cross_wrong){.kernel = hashes[k].name,
                                          .rows = 1,
                                          .cols = count,
                                          .computed = hash,
                                          .expected = hashes[k].hash};
            return 0;
        }
        compared += count;
    }
    return compared;
}
