/* The program that tests an instruction set on another machine: the kernels, and the results that they
 * should compute. It uses nothing of actgen, and only the types of the C library, so it runs wherever
 * the code runs. */
#ifndef ACTGEN_CROSS_CHECK_H
#define ACTGEN_CROSS_CHECK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct cross_operand { /* A struct with the layout of actgen_operand. */
    void *data;
    size_t stride;
};

struct cross_kernel { /* A kernel. table.c lists them. */
    const char *name;
    void (*run)(size_t rows, size_t cols, const struct cross_operand *operands);
};
extern const struct cross_kernel cross_kernels[];
extern const size_t cross_kernel_count;

/* The fields of a name. The data are little-endian. For each kernel they hold the number of its names, of
 * the operands of a call, and of calls on random inputs, in 32 bits each. The hash of these calls' results
 * has 64 bits. Then its names follow. A name is CROSS_FIELDS numbers of 32 bits, most of them those of
 * actgen_operand_info, followed by its values. There is one value for each row and column, for each column,
 * for each row, or one in all. */
enum cross_field {
    CROSS_TYPE,
    CROSS_SHAPE,
    CROSS_LAYOUT,
    CROSS_IS_RESULT,
    CROSS_GROUP,
    CROSS_PART,
    CROSS_PARTS,
    CROSS_OF_ROW,  /* A result that depends on the whole row. */
    CROSS_FLUSHED, /* The processor takes subnormal numbers of f32 for zero. */
    CROSS_FIELDS
};
enum { CROSS_ROWS = 2, CROSS_COLS = 4 * 64 + 3, CROSS_NAMES = 12 };

/* The size of the memory for an operand of a call. Where the system can, a guard page follows. */
enum { CROSS_MEMORY = 1 << 15 };

/* Reads the file and appends a 0 (main.c). The caller frees the memory. Returns NULL if it cannot be read. */
unsigned char *cross_read_file(const char *path);

/* Prepares to run the kernels on operands in `memory`. The file with the kernels defines this function.
 * `files` are further arguments of main.c, with NULL at the end. Returns the logarithm to base 2 of the
 * largest sample that can be hashed there. */
unsigned cross_start(char **files, unsigned char *const *memory);

struct cross_wrong { /* The first value that differs. */
    const char *kernel;
    size_t rows, cols, row,
        /* The columns of the call, and the row and column of the value. A row past the last stands for
         * memory that should not have been written. */
        col;
    uint32_t name;
    uint64_t computed, expected; /* The bits of the two values. */
};

/* Runs each step-th kernel on 0 to 4 * lanes + 3 columns and some more, and the others on a sample of
 * these. Returns how many values were compared, or 0 if one differs. */
size_t cross_check(const unsigned char *data, size_t lanes, size_t step, unsigned char *const *memory,
                   struct cross_wrong *wrong);

/* Returns an input of a sample for the hashes of hash.c. They are those of unary kernels of f32, with
 * plans that are the same for every instruction set (hashes.inc). The sample has one input in each
 * interval of 2^(32 - log2_count) inputs, at a place that varies. */
static inline uint32_t cross_sample(uint32_t i, unsigned log2_count)
{
    return (i << (32 - log2_count)) + (i * 0x9e3779b9u >> log2_count);
}
/* Adds bits to the hash. */
static inline uint64_t cross_mix(uint64_t hash, uint64_t bits)
{
    return (hash ^ bits) * UINT64_C(0x9e3779b97f4a7c15) >> 1 ^ hash << 63;
}
/* Adds a result to the hash. All NaNs are equal. */
static inline uint64_t cross_fold(uint64_t hash, uint32_t bits)
{
    return cross_mix(hash, (bits & 0x7fffffffu) > 0x7f800000u ? 0x7fc00000u : bits);
}

/* Returns the bits of a random input. Five in eight numbers of f32, f64, f16 and bf16, the first types, are
 * from 2^-8 to 16 in magnitude. The others, and those of other types, are any bits. */
static inline uint64_t cross_random(uint32_t type, size_t bytes, uint64_t *state)
{
    enum { LEAST = 8, EXPONENTS = 12 };
    static const uint8_t fractions[] = {23, 52, 10, 7};     /* The bits of the fraction that are stored. */
    uint64_t bits = *state += UINT64_C(0x9e3779b97f4a7c15); /* SplitMix64, by Steele, Lea and Flood. */
    bits = (bits ^ bits >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
    bits = (bits ^ bits >> 27) * UINT64_C(0x94d049bb133111eb);
    bits ^= bits >> 31;
    const uint64_t choice = bits & 0xff, any = bits >> (64 - 8 * bytes),
                   sign = UINT64_C(1) << (8 * bytes - 1);
    if (type >= sizeof fractions || choice % 8 > 4) return any;
    const uint64_t unit = UINT64_C(1) << fractions[type], one = sign / 2 - unit;
    return (any & (sign | (unit - 1))) + one + choice / 8 % EXPONENTS * unit - LEAST * unit;
}
/* Returns how many results were hashed, or 0 if a hash differs from that of the interpreter's results.
 * Leaves out samples larger than 2^most, and those for one length of vectors if `is_first` is false. */
size_t cross_hash(unsigned most, bool is_first, unsigned char *const *memory, struct cross_wrong *wrong);

#endif
