/* Makes operands to measure on. */
#include "filled.h"
#include "element.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

enum {
    HUGE_PAGE = 2 << 20,
    PAGE = 4096,
    /* The distance of arrays in a page: 37 cache lines. Its multiples spread over a page. */
    STAGGER = 2048 + 320,
    NUMBERS = 1 << 16 /* The different numbers of an array. After these they repeat. */
};

/* Computes the next number of splitmix64 (Steele, Lea, Flood, 2014). */
uint64_t next_random(uint64_t *state)
{
    uint64_t z = *state += 0x9e3779b97f4a7c15u;
    z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9u;
    z = (z ^ z >> 27) * 0x94d049bb133111ebu;
    return z ^ z >> 31;
}

static double uniform(uint64_t *state) { return ((double)(next_random(state) >> 11) + 0.5) * 0x1p-53; }

/* Returns true with the probability exp(-p), for p from 0 to 1. That is the probability that a falling run of
 * numbers, from p on, has an even length (von Neumann, 1951). */
static bool exponential_trial(uint64_t *state, double p)
{
    bool is_even = true;
    for (double last = p, next; (next = uniform(state)) < last; last = next) is_even = !is_even;
    return is_even;
}

static bool all_trials(uint64_t *state, unsigned count, double p)
{
    while (count && exponential_trial(state, p)) count--;
    return !count;
}

/* Returns a normal number by comparisons only, so that the inputs of measurements do not depend on a
 * mathematics library. This is algorithm N of C. F. F. Karney, Sampling exactly from the normal distribution,
 * ACM Transactions on Mathematical Software 42 (2016). */
double normal_number(uint64_t *state)
{
    for (;;) {
        unsigned k = 0;
        while (exponential_trial(state, 0.5)) k++;
        const double x = uniform(state), share = x * (2 * k + x) / (2 * k + 2);
        if (k > 1 && !all_trials(state, k * (k - 1), 0.5)) continue;
        if (!all_trials(state, k + 1, share)) continue;
        return (next_random(state) >> 63 ? -2 : 2) * (k + x);
    }
}

void *array_make(size_t bytes, size_t place)
{
    bytes = (bytes + PAGE + HUGE_PAGE - 1) / HUGE_PAGE * HUGE_PAGE;
    char *memory = aligned_alloc(HUGE_PAGE, bytes);
    if (!memory) return NULL;
    madvise(memory, bytes, MADV_HUGEPAGE); /* A hint. Huge pages cause fewer misses of address translation. */
    memset(memory, 0, bytes);
    return memory + place * STAGGER % PAGE;
}

void array_free(const void *array) { free((void *)((uintptr_t)array & ~(uintptr_t)(PAGE - 1))); }

static double between(const double *interval, double share)
{
    return (1 - share) * interval[0] + share * interval[1];
}

void *array_filled(int type, size_t count, size_t place, const double *interval)
{
    const size_t bytes = actgen_type_bytes(type), block = count < NUMBERS ? count : NUMBERS;
    uint64_t state = place + 1;
    char *array = array_make(count * bytes, place);
    for (size_t i = 0; array && elements_of_byte(type) > 1 && i < count; i++)
        array[i] = (char)next_random(&state);
    if (elements_of_byte(type) > 1) return array;
    for (size_t i = 0; array && i < block; i++) {
        const double x = interval ? between(interval, uniform(&state)) : normal_number(&state);
        element_put(array + i * bytes, type, type == ACTGEN_E8M0 ? fabs(x) : x);
    }
    for (size_t i = block; array && i < count; i += block)
        memcpy(array + i * bytes, array, (count - i < block ? count - i : block) * bytes);
    return array;
}

static size_t element_count(const actgen_operand_info *info, struct call_shape s)
{
    if (info->block_rows) s.rows = (s.rows + info->block_rows - 1) / info->block_rows;
    switch (info->shape) {
    case ACTGEN_SHAPE_COLS: return s.cols;
    case ACTGEN_SHAPE_ROWS: return s.rows;
    case ACTGEN_SHAPE_ONE: return info->parts;
    default: break;
    }
    if (info->block) return s.rows * ((s.cols + info->block - 1) / info->block);
    const size_t row = info->parts * (s.stride ? s.stride : s.cols);
    /* Where elements share bytes, the result counts bytes. */
    return s.rows * (elements_of_byte(info->type) > 1 ? actgen_array_bytes(info->type, row) : row);
}

bool filled_open(struct filled_operands *o, const actgen_kernel *kernel, struct call_shape shape,
                 const double *interval)
{
    *o = (struct filled_operands){.shape = shape, .plain_type = -1};
    bool plain = !shape.stride;
    for (size_t i = 0; i < actgen_kernel_operand_count(kernel); i++) {
        actgen_operand_info info = ACTGEN_OPERAND_INFO_INIT;
        if (actgen_kernel_operand_info(kernel, i, &info) || o->count == FILLED_MOST_OPERANDS) return false;
        if (i == 0) o->plain_type = info.type;
        plain = plain && info.shape == ACTGEN_SHAPE_MATRIX && !info.block && !info.block_rows &&
                info.parts == 1 && info.type == o->plain_type;
        if (info.part) continue;
        const size_t count = element_count(&info, shape);
        void *data = info.is_result ? array_make(count * actgen_type_bytes(info.type), o->count)
                                    : array_filled(info.type, count, o->count, interval);
        if (!data) return false;
        const size_t stride =
            info.shape == ACTGEN_SHAPE_MATRIX && !info.block ? info.parts * shape.stride : 0;
        const size_t together = elements_of_byte(info.type);
        o->list[o->count++] = (actgen_operand){data, (stride + together - 1) / together * together};
        if (!info.is_result) o->input_count++;
    }
    if (!plain || elements_of_byte(o->plain_type) > 1) o->plain_type = -1;
    return true;
}

void filled_close(struct filled_operands *o)
{
    for (size_t i = 0; i < o->count; i++) array_free(o->list[i].data);
    *o = (struct filled_operands){0};
}
