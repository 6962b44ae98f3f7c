/* What the test of an instruction set of another machine has there: kernels, and what they should compute. No
 * part of actgen is used, and of the C library no more than its types, so that it runs wherever the code
 * runs. */
#ifndef ACTGEN_CROSS_CHECK_H
#define ACTGEN_CROSS_CHECK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct cross_operand { /* actgen_operand */
    void *data;
    size_t stride;
};

struct cross_kernel { /* table.c lists them */
    const char *name;
    void (*run)(size_t rows, size_t cols, const struct cross_operand *operands);
};
extern const struct cross_kernel cross_kernels[];
extern const size_t cross_kernel_count;

/* The data are little-endian: for each kernel the numbers of its names, of the operands of a call, of rows
 * and of columns, in 32 bits each, then its names. A name is CROSS_FIELDS numbers of 32 bits, most of them
 * those of actgen_operand_info, and its values: one for each row and column, for each column, for each row,
 * or one. */
enum cross_field {
    CROSS_TYPE,
    CROSS_SHAPE,
    CROSS_LAYOUT,
    CROSS_IS_RESULT,
    CROSS_GROUP,
    CROSS_PART,
    CROSS_PARTS,
    CROSS_OF_ROW, /* a result that depends on all of the row */
    CROSS_FIELDS
};
enum { CROSS_ROWS = 2, CROSS_COLS = 4 * 64 + 3, CROSS_NAMES = 12 };

/* Memory for an operand of a call. Where the system can, what follows it may not be touched. */
enum { CROSS_MEMORY = 1 << 15 };

/* main.c: the file, and a 0 behind it; malloc'ed. NULL: it cannot be read. */
unsigned char *cross_read_file(const char *path);

/* Beside the kernels: prepares to run them, on operands in `memory`. `files` are what main.c was given
 * besides, NULL at the end. Returns the logarithm to base 2 of the largest sample that can be hashed there.
 */
unsigned cross_start(char **files, unsigned char *const *memory);

struct cross_wrong { /* the first value that differs */
    const char *kernel;
    size_t rows, cols, row,
        col; /* of the call, of the value; a row behind the last: of what should not have been written */
    uint32_t name;
    uint64_t computed, expected; /* bits */
};

/* Runs each step-th kernel on 0 to 4 * lanes + 3 columns and some more, the others on a sample of these.
 * Returns how many values were compared, or 0 if one differs. */
size_t cross_check(const unsigned char *data, size_t lanes, size_t step, unsigned char *const *memory,
                   struct cross_wrong *wrong);

/* hash.c: unary kernels of f32, of plans that are the same for every instruction set (hashes.inc). The sample
 * is every 2^(32 - log2_count)-th input, and in each such interval another one. */
static inline uint32_t cross_sample(uint32_t i, unsigned log2_count)
{
    return (i << (32 - log2_count)) + (i * 0x9e3779b9u >> log2_count);
}
/* Folds a result into the hash; all NaNs are one. */
static inline uint64_t cross_fold(uint64_t hash, uint32_t bits)
{
    const uint32_t shown = (bits & 0x7fffffffu) > 0x7f800000u ? 0x7fc00000u : bits;
    return (hash ^ shown) * UINT64_C(0x9e3779b97f4a7c15) >> 1 ^ hash << 63;
}
/* Returns how many results were hashed, or 0 if a hash is not that of the interpreter's results. Samples
 * larger than 2^most are left out, and those for one length of vectors where `is_first` is false. */
size_t cross_hash(unsigned most, bool is_first, unsigned char *const *memory, struct cross_wrong *wrong);

#endif
