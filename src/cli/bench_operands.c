/* Operands to measure on: arrays of every type, shape and layout, filled with normal numbers. */
#include "bench.h"
#include "element.h"

#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

enum {
    HUGE_PAGE = 2 << 20,
    STAGGER = 2048 + 320, /* of arrays; 37 cache lines, so that multiples of it spread over 4 KiB */
    NUMBERS = 1 << 16
};

struct bench_numbers {
    double values[NUMBERS];
};

static uint64_t next_random(uint64_t *state) /* splitmix64 (Steele, Lea, Flood, 2014) */
{
    uint64_t z = *state += 0x9e3779b97f4a7c15u;
    z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9u;
    z = (z ^ z >> 27) * 0x94d049bb133111ebu;
    return z ^ z >> 31;
}

struct bench_numbers *bench_numbers_create(void) /* Box and Muller's pairs */
{
    const double tau = 6.283185307179586;
    uint64_t seed = 1;
    struct bench_numbers *numbers = must_allocate(1, sizeof *numbers);
    for (size_t i = 0; i < NUMBERS; i += 2) {
        double u = ((double)(next_random(&seed) >> 11) + 1) * 0x1p-53,
               v = (double)(next_random(&seed) >> 11) * 0x1p-53;
        double radius = 2 * sqrt(-2 * log(u));
        numbers->values[i] = radius * cos(tau * v);
        numbers->values[i + 1] = radius * sin(tau * v);
    }
    return numbers;
}

static void fill(char *array, int type, size_t count, size_t first, const struct bench_numbers *numbers)
{
    const size_t bytes = actgen_type_bytes(type), block = count < NUMBERS ? count : NUMBERS;
    for (size_t i = 0; i < block; i++)
        element_put(array + i * bytes, type, numbers->values[(first + i) % NUMBERS]);
    for (size_t i = block; i < count; i += block)
        memcpy(array + i * bytes, array, (count - i < block ? count - i : block) * bytes);
}

static char *new_array(size_t bytes, size_t place)
{
    bytes = (bytes + 4096 + HUGE_PAGE - 1) / HUGE_PAGE * HUGE_PAGE;
    char *memory = aligned_alloc(HUGE_PAGE, bytes);
    if (!memory) return NULL;
    madvise(memory, bytes, MADV_HUGEPAGE); /* a hint: fewer misses of address translation */
    memset(memory, 0, bytes);
    return memory + place * STAGGER % 4096;
}

static void free_array(const void *array) { free((void *)((uintptr_t)array & ~(uintptr_t)4095)); }

static size_t element_count(const actgen_operand_info *info, struct bench_shape s)
{
    switch (info->shape) {
    case ACTGEN_SHAPE_COLS: return s.cols;
    case ACTGEN_SHAPE_ROWS: return s.rows;
    case ACTGEN_SHAPE_ONE: return 1;
    default: return s.rows * info->parts * (s.stride ? s.stride : s.cols);
    }
}

bool bench_operands_open(struct bench_operands *o, const actgen_kernel *kernel, struct bench_shape shape,
                         const struct bench_numbers *numbers)
{
    *o = (struct bench_operands){.shape = shape, .plain_type = -1};
    bool plain = !shape.stride;
    for (size_t i = 0; i < actgen_kernel_operand_count(kernel); i++) {
        actgen_operand_info info = ACTGEN_OPERAND_INFO_INIT;
        if (actgen_kernel_operand_info(kernel, i, &info) || o->count == BENCH_MAX_OPERANDS) return false;
        if (i == 0) o->plain_type = info.type;
        plain = plain && info.shape == ACTGEN_SHAPE_MATRIX && info.parts == 1 && info.type == o->plain_type;
        if (info.part) continue;
        const size_t count = element_count(&info, shape);
        char *data = new_array(count * actgen_type_bytes(info.type), o->count);
        if (!data) return false;
        if (!info.is_result) fill(data, info.type, count, o->count * 977, numbers);
        const bool strided = info.shape == ACTGEN_SHAPE_MATRIX;
        o->list[o->count++] = (actgen_operand){data, strided ? info.parts * shape.stride : 0};
        if (!info.is_result) o->input_count++;
    }
    if (!plain || (o->plain_type != ACTGEN_F32 && o->plain_type != ACTGEN_F64)) o->plain_type = -1;
    return true;
}

void bench_operands_close(struct bench_operands *o)
{
    for (size_t i = 0; i < o->count; i++) free_array(o->list[i].data);
    *o = (struct bench_operands){0};
}
