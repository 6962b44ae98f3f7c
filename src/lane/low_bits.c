/* Finds what is known of the low 16 bits of values, for rounding to bf16. If they are 0, no rounding is
 * needed. If they are 0 in NaNs, integer addition alone can round the value, because nothing carries into a
 * NaN's exponent. NaNs of bf16 operands are of this kind, and so is the NaN that arithmetic makes of numbers.
 * Arithmetic passes on the NaN of one of its operands. */
#include "low_bits.h"

static const uint32_t sign_bit = 0x80000000u, low_half = 0xffffu;

static bool is_constant_value(const lane_program *p, lane_value v, uint64_t *bits)
{
    *bits = p->code[v].bits;
    return p->code[v].op == LANE_CONST;
}

/* Classifies the bits of a constant. An f32 without low bits, widened to f64, has 45 low bits that are 0. */
static enum low_bits bits_known(enum lane_type type, uint64_t bits)
{
    const bool wide = lane_is_wide(type);
    const uint64_t low = wide ? (UINT64_C(1) << (52 - 7)) - 1 : low_half, infinity = wide ? 0x7ff : 0xff;
    if (!(bits & low)) return LOW_ZERO;
    return (bits >> (wide ? 52 : 23) & infinity) == infinity ? LOW_ANY : LOW_ZERO_IN_NAN;
}

/* Returns true if at most the sign bit of an i32 is set. */
static bool is_sign(const lane_program *p, lane_value v)
{
    const struct lane_instruction *i = &p->code[v];
    uint64_t bits;
    if (is_constant_value(p, v, &bits)) return !(bits & ~(uint64_t)sign_bit);
    return i->op == LANE_AND && ((is_constant_value(p, i->operand[0], &bits) && bits == sign_bit) ||
                                 (is_constant_value(p, i->operand[1], &bits) && bits == sign_bit));
}

static enum low_bits least(enum low_bits a, enum low_bits b) { return a < b ? a : b; }

/* Classifies the result of logic on i32, read as bits of an f32. */
static enum low_bits of_logic(const uint8_t *known, const lane_program *p, const struct lane_instruction *i)
{
    const lane_value a = i->operand[0], b = i->operand[1];
    const enum low_bits x = known[a], y = known[b];
    uint64_t bits;
    switch (i->op) {
    case LANE_AND:
        if (x == LOW_ZERO || y == LOW_ZERO) return LOW_ZERO;
        if (is_constant_value(p, a, &bits) && bits == ~sign_bit) return y;
        return is_constant_value(p, b, &bits) && bits == ~sign_bit ? x : LOW_ANY;
    case LANE_OR:
    case LANE_XOR: return is_sign(p, a) ? y : is_sign(p, b) ? x : x == y && x == LOW_ZERO ? x : LOW_ANY;
    case LANE_SHL: return is_constant_value(p, b, &bits) && bits >= 16 ? LOW_ZERO : LOW_ANY;
    case LANE_IMIN: return least(x, y);
    default: return LOW_ANY;
    }
}

static enum low_bits of_table(const struct lane_table *t)
{
    enum low_bits known = LOW_ZERO;
    for (size_t k = 0; k < (size_t)1 << t->log2_size; k++)
        known = least(known, bits_known(t->type, t->bits[k]));
    return known;
}

/* Classifies the result of an op that does not look at bits. `all` is the least of its operands' classes. */
static enum low_bits of_arithmetic(enum lane_exactness exactness, enum lane_type type, enum low_bits all)
{
    if (exactness == LANE_EXACT_BITS || !lane_is_float(type)) return LOW_ANY;
    return exactness == LANE_EXACT_KEEPS ? all : least(all, LOW_ZERO_IN_NAN);
}

/* Returns true if the value is never NaN: the smaller or larger of any value and a constant, which is the
 * constant if the first is NaN. */
static bool is_no_nan(const lane_program *p, const struct lane_instruction *i)
{
    uint64_t bits;
    return (i->op == LANE_MIN || i->op == LANE_MAX) && is_constant_value(p, i->operand[1], &bits) &&
           bits_known(i->type, bits) != LOW_ANY;
}

/* Returns true for bf16 and for types with no more bits. */
static bool has_no_low_bits(enum element_type type)
{
    const int bits = element_types[type].format.precision;
    return bits && bits <= element_types[ELEMENT_BF16].format.precision;
}

static enum low_bits of_value(const uint8_t *known, const struct lane_kernel *kernel,
                              const struct lane_instruction *i)
{
    const lane_program *p = kernel->program;
    enum low_bits all = LOW_ZERO;
    for (unsigned k = lane_is_choice(i->op); k < lane_ops[i->op].arity; k++)
        all = least(all, known[i->operand[k]]);
    enum element_type type;
    if (is_no_nan(p, i) && all == LOW_ANY) return LOW_ZERO_IN_NAN;
    if (lane_op_rounds_to(&type, i->op) && has_no_low_bits(type)) return LOW_ZERO;
    switch (i->op) {
    case LANE_LOAD: return has_no_low_bits(kernel->operands[i->index].type) ? LOW_ZERO : LOW_ANY;
    case LANE_CONST: return bits_known(i->type, i->bits);
    case LANE_LOOKUP: return of_table(&p->tables[i->index]);
    case LANE_I2F: return LOW_ZERO_IN_NAN;
    case LANE_SELECT:
    case LANE_RARELY:
    case LANE_BITCAST: return all;
    case LANE_AND:
    case LANE_OR:
    case LANE_XOR:
    case LANE_SHL:
    case LANE_IMIN: return i->type == LANE_I32 ? of_logic(known, p, i) : LOW_ANY;
    default: return of_arithmetic(lane_ops[i->op].exactness, i->type, all);
    }
}

void find_low_bits(uint8_t *known, const struct lane_kernel *kernel, bool nan_of_ones)
{
    for (uint32_t n = 0; n < kernel->program->count; n++) {
        const struct lane_instruction *i = &kernel->program->code[n];
        known[n] = (uint8_t)of_value(known, kernel, i);
        if (nan_of_ones && known[n] == LOW_ZERO_IN_NAN && !is_no_nan(kernel->program, i)) known[n] = LOW_ANY;
    }
}
