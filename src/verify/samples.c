/* Structured samples of operands. */
#include "samples.h"

#include "element.h"

#include <string.h>

enum { MOST_SPECIAL = 192, MOST_KINKS = 12, NEIGHBOURS = 2 };

struct special { /* special values of one type */
    uint64_t bits[MOST_SPECIAL];
    uint32_t count;
};

struct samples {
    struct special special[ELEMENT_TYPE_COUNT];
    double kinks[MOST_KINKS];
    uint32_t kink_count;
    uint32_t *order; /* indexed by kernel operand: its number among the inputs, matrices first */
    uint32_t side;   /* largest count of special values of a type */
    const struct lane_kernel *kernel;
};

/* Mixes three numbers into 64 random bits (the finaliser of SplitMix64). */
static uint64_t mixed(uint64_t seed, unsigned k, uint64_t lane)
{
    uint64_t z = (seed * 64 + k + 1) * UINT64_C(0x9e3779b97f4a7c15) + lane * UINT64_C(0xd1342543de82ef95);
    z = (z ^ z >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
    z = (z ^ z >> 27) * UINT64_C(0x94d049bb133111eb);
    return z ^ z >> 31;
}

/* ---- the formula's own numbers ---- */

static void add_kink(struct samples *s, const expr *number)
{
    const double none = 0;
    double value;
    if (!expr_is_constant(number) || expr_is_truth(number) || s->kink_count == MOST_KINKS) return;
    reference *truth = reference_create(number, number, 0);
    if (truth && reference_value(truth, &none, &value, NULL) == REFERENCE_DECIDED && isfinite(value)) {
        bool known = false;
        for (uint32_t i = 0; i < s->kink_count; i++) known = known || s->kinks[i] == value;
        if (!known) s->kinks[s->kink_count++] = value;
    }
    reference_free(truth);
}

/* Adds the numbers that values are compared with. Then adds the formula's other numbers while there is
 * room. */
static void add_kinks(struct samples *s, arena *memory, const expr *formula)
{
    uint32_t count;
    const expr **nodes = expr_walk(memory, formula, &count);
    for (uint32_t i = 0; i < count; i++) {
        const enum expr_kind kind = nodes[i]->kind;
        if (kind == EXPR_LT || kind == EXPR_LE || kind == EXPR_EQ || kind == EXPR_MIN || kind == EXPR_MAX)
            for (unsigned k = 0; k < 2; k++) add_kink(s, nodes[i]->operand[k]);
    }
    for (uint32_t i = 0; i < count; i++)
        if (nodes[i]->kind == EXPR_NUMBER) add_kink(s, nodes[i]);
}

/* ---- special values ---- */

static uint64_t sign_of(enum element_type type) { return UINT64_C(1) << (element_types[type].bits - 1); }

static uint64_t infinity_of(enum element_type type)
{
    return element_types[type].near(element_types[type].format.largest) + 1;
}

/* Adds the number that is `steps` steps of the type away, and its negative. */
static void add_special_number(struct special *list, enum element_type type, uint64_t magnitude,
                               int64_t steps)
{
    const uint64_t bits = (magnitude & (sign_of(type) - 1)) + (uint64_t)steps;
    if (bits >= sign_of(type) || list->count + 2 > MOST_SPECIAL) return;
    list->bits[list->count++] = bits;
    list->bits[list->count++] = bits | sign_of(type);
}

static void add_special(struct samples *s, enum element_type type)
{
    static const double values[] = {2,       3,     6,    0.5,  0x1p-67, 0x1p-24, 0x1p-9,
                                    8388608, 88.72, 87.3, 14.4, 104,     0x1p63};
    struct special *list = &s->special[type];
    const uint64_t infinity = infinity_of(type),
                   normal = element_types[type].near(ldexp(1, element_types[type].format.min_exponent));
    add_special_number(list, type, 0, 0);
    add_special_number(list, type, 0, 1);
    for (int64_t step = -1; step <= 1; step++) {
        add_special_number(list, type, normal, step);
        add_special_number(list, type, infinity, step); /* the largest number, infinity, a signalling NaN */
        add_special_number(list, type, element_types[type].near(1), step);
    }
    add_special_number(list, type, sign_of(type) - 1, 0);        /* the NaN with every bit set */
    add_special_number(list, type, infinity | infinity >> 1, 0); /* the quiet NaN */
    for (size_t i = 0; i < sizeof values / sizeof *values; i++)
        add_special_number(list, type, element_types[type].near(values[i]), 0);
    for (uint32_t i = 0; i < s->kink_count; i++)
        for (int64_t step = -NEIGHBOURS; step <= NEIGHBOURS; step++)
            add_special_number(list, type, element_types[type].near(s->kinks[i]), step);
}

const struct samples *samples_create(arena *memory, const struct verify_subject *subject)
{
    const struct lane_kernel *kernel = subject->kernel;
    struct samples *s = arena_alloc(memory, sizeof *s);
    uint32_t inputs = 0;
    s->kernel = kernel;
    s->order = arena_alloc(memory, (kernel->operand_count + 1) * sizeof *s->order);
    for (int matrices = 1; matrices >= 0; matrices--)
        for (uint32_t k = 0; k < kernel->operand_count; k++)
            if (!kernel->operands[k].is_result && (kernel->operands[k].shape == SHAPE_MATRIX) == matrices)
                s->order[k] = inputs++;
    for (uint32_t i = 0; i < subject->result_count; i++) add_kinks(s, memory, subject->results[i].written);
    for (enum element_type type = 0; type < ELEMENT_TYPE_COUNT; type++)
        if (element_is_usable(type)) {
            add_special(s, type);
            if (s->special[type].count > s->side) s->side = s->special[type].count;
        }
    return s;
}

/* ---- samples ---- */

double samples_normal(uint32_t k, uint64_t seed, uint64_t lane)
{
    const uint64_t bits = mixed(seed, k, lane);
    double sum = 0; /* sum of 4 uniform numbers in [-1, 1), whose deviation is sqrt(4/3) */
    for (int part = 0; part < 4; part++) sum += (double)(bits >> 16 * part & 0xffff) * 0x1p-15 - 1;
    return sum * 1.7320508;
}

/* Returns an f64 that is half-way between two numbers of a narrower type, or one step from there. */
static uint64_t beside_tie(uint64_t bits, uint64_t choice)
{
    static const int precisions[] = {8, 11, 24};
    const int dropped = 53 - precisions[choice % 3];
    const uint64_t tie = UINT64_C(1) << (dropped - 1), middle = bits_of_f64(1);
    const uint64_t near_one = (bits & ((UINT64_C(1) << 57) - 1)) + (middle - (UINT64_C(1) << 56));
    return ((near_one & ~(2 * tie - 1)) | (bits & sign_of(ELEMENT_F64)) | tie) + (choice >> 2) % 3 - 1;
}

static uint64_t near_kink(const struct samples *s, enum element_type type, uint64_t bits)
{
    const uint64_t kink = element_types[type].near(s->kinks[bits % s->kink_count]);
    const uint64_t steps = (bits >> 16) >> (48 - (bits >> 8) % 13), sign = sign_of(type);
    const uint64_t magnitude = (kink & (sign - 1)) + steps;
    const bool below = bits >> 7 & 1 && (kink & (sign - 1)) > steps;
    return ((below ? (kink & (sign - 1)) - steps : magnitude) | (kink & sign)) ^ (bits >> 6 & 1 ? sign : 0);
}

uint64_t samples_bits(const struct samples *s, uint32_t k, uint64_t seed, uint64_t lane)
{
    const enum element_type type = s->kernel->operands[k].type;
    const struct special *special = &s->special[type];
    const uint32_t order = s->order[k], side = s->side;
    if (seed == 0 && order < 2 && type != ELEMENT_U64 && lane < (uint64_t)side * side)
        return special->bits[(order ? lane / side : lane % side) % special->count];
    if (type == ELEMENT_U64) return mixed(seed, order, lane);
    const uint64_t bits = mixed(seed, order, lane), choice = mixed(~seed, order, lane);
    switch (choice % 8) {
    case 0:
    case 1: return element_types[type].near(samples_normal(order, seed, lane));
    case 2: return special->bits[(bits >> 8) % special->count];
    case 3:
    case 4:
        if (s->kink_count) return near_kink(s, type, bits);
        break;
    case 5:
        if (type == ELEMENT_F64) return beside_tie(bits, choice >> 8);
        break;
    default: break;
    }
    return bits >> (64 - element_types[type].bits);
}
