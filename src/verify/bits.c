/* Machine code against the interpreter: buffers, operands, comparison. */
#include "bits.h"

#include "float_bits.h"
#include "interp.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum {
    GUARD = 64,         /* elements around each array */
    DEFAULT_LANES = 16, /* where the vector length is unknown */
    MAX_LANES = 64,
    MOST_ROWS = 3,
};
static const uint32_t GUARD_BITS = 0x7fa5a5a5;

struct bits {
    const struct verify_subject *subject;
    interp *interpreter;
    struct written_run *written; /* may be NULL */
    uint32_t operand_count;
    float **wanted, **got; /* by operand: the interpreter's arrays and the code's, with guards around */
    float **saved;         /* what the inputs were */
    void **interp_operands;
    actgen_operand *code_operands;
    float *memory;
};

static bool is_result(const struct bits *b, uint32_t k) { return b->subject->kernel->operands[k].is_result; }

struct bits *bits_create(const struct verify_subject *subject)
{
    struct bits *b = calloc(1, sizeof *b);
    if (!b) return NULL;
    const uint32_t count = subject->kernel->operand_count;
    const size_t array = BITS_BLOCK + 2 * GUARD;
    b->subject = subject;
    b->operand_count = count;
    b->interpreter = interp_create(subject->kernel->program);
    b->wanted = calloc(3 * ((size_t)count + 1), sizeof *b->wanted);
    b->interp_operands = calloc((size_t)count + 1, sizeof *b->interp_operands);
    b->code_operands = calloc((size_t)count + 1, sizeof *b->code_operands);
    b->memory = malloc(3 * array * ((size_t)count + 1) * sizeof *b->memory);
    if (!b->interpreter || !b->wanted || !b->interp_operands || !b->code_operands || !b->memory) {
        bits_free(b);
        return NULL;
    }
    b->got = b->wanted + count;
    b->saved = b->got + count;
    for (uint32_t k = 0; k < count; k++) {
        b->wanted[k] = b->memory + 3 * k * array + GUARD;
        b->got[k] = b->wanted[k] + array;
        b->saved[k] = b->got[k] + array;
    }
    return b;
}

void bits_free(struct bits *b)
{
    if (!b) return;
    interp_free(b->interpreter);
    written_run_free(b->written);
    free(b->wanted);
    free(b->interp_operands);
    free(b->code_operands);
    free(b->memory);
    free(b);
}

bool bits_judge_written(struct bits *b, const struct written *w)
{
    written_run_free(b->written);
    b->written = written_run_create(w);
    return b->written != NULL;
}

static bool same(float a, float b) { return bits_of_f32(a) == bits_of_f32(b) || (isnan(a) && isnan(b)); }

static const float *first_of(const struct bits *b, float *const *arrays, bool results)
{
    for (uint32_t k = 0; k < b->operand_count; k++)
        if (is_result(b, k) == results) return arrays[k];
    return NULL;
}

const float *bits_result(const struct bits *b) { return first_of(b, b->wanted, true); }

static void run_interpreter(struct bits *b, size_t count)
{
    for (uint32_t k = 0; k < b->operand_count; k++) b->interp_operands[k] = b->wanted[k];
    interp_run(b->interpreter, b->interp_operands, count);
}

/* From the inputs in b->wanted: both, out of place, contiguous. */
static void compare(struct bits *b, size_t count, struct bits_count *found)
{
    run_interpreter(b, count);
    if (!b->subject->code) return;
    for (uint32_t k = 0; k < b->operand_count; k++)
        b->code_operands[k] = (actgen_operand){is_result(b, k) ? b->got[k] : b->wanted[k], 0};
    b->subject->code(1, count, b->code_operands);
    found->compared += count;
    bool equal = true;
    for (uint32_t k = 0; k < b->operand_count; k++)
        equal = equal && (!is_result(b, k) || !memcmp(b->wanted[k], b->got[k], count * sizeof(float)));
    for (size_t lane = 0; !equal && lane < count; lane++) {
        bool differs = false;
        for (uint32_t k = 0; k < b->operand_count; k++)
            differs = differs || (is_result(b, k) && !same(b->wanted[k][lane], b->got[k][lane]));
        found->differ += differs;
    }
}

void bits_compare(struct bits *b, const float *x, size_t count, struct bits_count *found)
{
    for (uint32_t k = 0; k < b->operand_count; k++)
        if (!is_result(b, k)) memcpy(b->wanted[k], x, count * sizeof *x);
    compare(b, count, found);
}

/* A mixing of three numbers into 64 random bits (the finaliser of SplitMix64). */
static uint64_t mixed(uint64_t seed, unsigned k, uint64_t lane)
{
    uint64_t z = (seed * 64 + k + 1) * UINT64_C(0x9e3779b97f4a7c15) + lane * UINT64_C(0xd1342543de82ef95);
    z = (z ^ z >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
    z = (z ^ z >> 27) * UINT64_C(0x94d049bb133111eb);
    return z ^ z >> 31;
}

static const uint32_t special_bits[] = {
    0x00000000, 0x80000000, 0x00000001, 0x80000001, 0x007fffff, 0x807fffff, 0x00800000, 0x80800000,
    0x00800001, 0x7f7fffff, 0xff7fffff, 0x7f800000, 0xff800000, 0x7fc00000, 0xffc00000, 0x7f800001,
    0x7fffffff, 0x3f800000, 0xbf800000, 0x3f7fffff, 0x3f800001, 0x40000000, 0xc0000000, 0x40400000,
    0xc0400000, 0x40c00000, 0xc0c00000, 0x3f000000, 0xbf000000, 0x33800000, 0xb3800000, 0x4b000000,
    0xcb000001, 0x42b17218, 0xc2aeac50, 0xc1666666, 0xc2cff1b5, 0x5f000000, 0xdf000000, 0x1e000000,
};
enum { SPECIALS = sizeof special_bits / sizeof *special_bits };

float bits_normal(uint64_t seed, unsigned k, uint64_t lane)
{
    const uint64_t bits = mixed(seed, k, lane);
    double sum = 0; /* of 4 uniform numbers in [-1, 1): deviation sqrt(4/3) */
    for (int part = 0; part < 4; part++) sum += (double)(bits >> 16 * part & 0xffff) * 0x1p-15 - 1;
    return (float)(sum * 1.7320508);
}

float bits_sample(uint64_t seed, unsigned k, uint64_t lane)
{
    const uint64_t pairs = (uint64_t)SPECIALS * SPECIALS;
    if (seed == 0 && lane < pairs && k < 2)
        return f32_of_bits(special_bits[k ? lane / SPECIALS : lane % SPECIALS]);
    const uint64_t bits = mixed(seed, k, lane);
    if (lane % 3 == 0) return bits_normal(seed, k, lane);
    if (lane % 3 == 1 && bits % 4 == 0) return f32_of_bits(special_bits[(bits >> 8) % SPECIALS]);
    return f32_of_bits((uint32_t)(bits >> 32));
}

void bits_compare_sample(struct bits *b, uint64_t seed, size_t count, struct bits_count *found)
{
    for (size_t first = 0; first < count; first += BITS_BLOCK) {
        const size_t n = count - first < BITS_BLOCK ? count - first : BITS_BLOCK;
        unsigned input = 0;
        for (uint32_t k = 0; k < b->operand_count; k++) {
            if (is_result(b, k)) continue;
            for (size_t lane = 0; lane < n; lane++)
                b->wanted[k][lane] = bits_sample(seed, input, first + lane);
            input++;
        }
        compare(b, n, found);
        if (!b->written) continue;
        found->judged += n;
        found->wrong += written_differ(b->written, b->wanted, n);
    }
}

struct placement {             /* of one call */
    size_t rows, cols, stride; /* stride > cols leaves gaps between rows */
    size_t offset;             /* of the arrays from an aligned address, in elements */
    bool in_place;             /* the first result lies on the first input */
};

/* Fills code and interpreter alike: guards and gaps everywhere, then the operands' elements. */
static void fill(struct bits *b, const struct placement *p, size_t length)
{
    unsigned input = 0;
    for (uint32_t k = 0; k < b->operand_count; k++) {
        for (size_t n = 0; n < length + 2 * GUARD; n++) (b->got[k] - GUARD)[n] = f32_of_bits(GUARD_BITS);
        if (is_result(b, k)) continue;
        for (size_t row = 0; row < p->rows; row++)
            for (size_t col = 0; col < p->cols; col++)
                b->got[k][p->offset + row * p->stride + col] = bits_sample(p->cols, input, row * 1000 + col);
        input++;
    }
    for (uint32_t k = 0; k < b->operand_count; k++)
        memcpy(b->saved[k] - GUARD, b->got[k] - GUARD, (length + 2 * GUARD) * sizeof(float));
}

static void call(struct bits *b, const struct placement *p)
{
    float *first_input = NULL;
    bool placed = false;
    for (uint32_t k = 0; k < b->operand_count; k++) {
        float *data = b->got[k];
        if (!is_result(b, k) && !first_input) first_input = data;
        if (is_result(b, k) && p->in_place && !placed) data = first_input, placed = true;
        b->code_operands[k] = (actgen_operand){data + p->offset, p->stride};
    }
    b->subject->code(p->rows, p->cols, b->code_operands);
}

/* What every array must be after the call: in b->saved. */
static void expect(struct bits *b, const struct placement *p)
{
    for (size_t row = 0; row < p->rows; row++) {
        const size_t at = p->offset + row * p->stride;
        for (uint32_t k = 0; k < b->operand_count; k++)
            if (!is_result(b, k)) memcpy(b->wanted[k], b->saved[k] + at, p->cols * sizeof(float));
        run_interpreter(b, p->cols);
        float *first_input = NULL;
        bool placed = false;
        for (uint32_t k = 0; k < b->operand_count; k++) {
            float *data = b->saved[k];
            if (!is_result(b, k) && !first_input) first_input = data;
            if (!is_result(b, k)) continue;
            if (p->in_place && !placed) data = first_input, placed = true;
            memcpy(data + at, b->wanted[k], p->cols * sizeof(float));
        }
    }
}

static void compare_placed(struct bits *b, const struct placement *p, struct bits_count *found)
{
    const size_t length = p->offset + p->rows * p->stride;
    fill(b, p, length);
    call(b, p);
    expect(b, p);
    found->compared += p->rows * p->cols;
    uint64_t differ = 0;
    for (uint32_t k = 0; k < b->operand_count; k++)
        for (size_t n = 0; n < length + 2 * GUARD; n++) {
            const float wanted = (b->saved[k] - GUARD)[n], got = (b->got[k] - GUARD)[n];
            const bool guard = bits_of_f32(wanted) == GUARD_BITS;
            differ += guard ? bits_of_f32(got) != GUARD_BITS : !same(wanted, got);
        }
    found->differ += differ;
}

void bits_compare_lengths(struct bits *b, struct bits_count *found)
{
    const size_t known = b->subject->vector_lanes ? b->subject->vector_lanes : DEFAULT_LANES;
    const size_t lanes = known < MAX_LANES ? known : MAX_LANES;
    const size_t offsets[] = {0, 1, 3, lanes - 1};
    bool has_input = first_of(b, b->got, false) != NULL;
    for (size_t cols = 0; cols <= 4 * lanes + 3; cols++)
        for (size_t n = 0; n < sizeof offsets / sizeof *offsets; n++)
            for (int in_place = 0; in_place <= (has_input ? 1 : 0); in_place++) {
                const struct placement one = {1, cols, cols, offsets[n], in_place};
                const struct placement gaps = {MOST_ROWS, cols, cols + 1 + n, offsets[n], in_place};
                const struct placement joined = {MOST_ROWS, cols, cols, offsets[n], in_place};
                compare_placed(b, &one, found);
                compare_placed(b, &gaps, found);
                compare_placed(b, &joined, found);
            }
}
