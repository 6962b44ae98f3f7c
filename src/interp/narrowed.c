/* Finds for each value of the program the interval in which its lanes lie. The interpreter's own operations
 * compute it at the corners of the operands' intervals. Most operations are monotone in each operand, and
 * rounding preserves that. The interval is unknown if an operation is not monotone, may give a NaN, or may
 * wrap an integer around. A value whose interval is one number is that constant.
 *
 * Numbers are compared by their order: integers as signed, floats by their bits with -0 before 0. A float's
 * interval holds no NaN. */
#include "narrowed.h"

#include "float_bits.h"
#include "interp_ops.h"
#include "wider.h"

#include <math.h>
#include <string.h>

enum { CORNERS = 8 }; /* corners of three operands */

struct interval_of_lanes {
    bool known; /* otherwise any number, or a NaN */
    int64_t low, high;
};

struct narrowing {
    const lane_program *from;
    const interp_op_table *ops;
    struct interval_of_lanes *lanes; /* indexed by value */
    lane_value *alias; /* indexed by value: the earlier value that it always equals, or itself */
    lane_value *made;  /* indexed by value: its number in the new program */
    bool *needed;
};

/* ---- numbers in order ---- */

static enum lane_type type_of(const lane_program *p, lane_value v) { return p->code[v].type; }

/* Returns the place of a number in the order of its type, from its bits. A truth value is an i32. */
static int64_t order_of(enum lane_type type, uint64_t bits)
{
    const int64_t number = lane_is_wide(type) ? (int64_t)bits : (int64_t)(int32_t)(uint32_t)bits;
    if (!lane_is_float(type)) return number;
    return number >= 0 ? number : (lane_is_wide(type) ? INT64_MIN : INT32_MIN) - number - 1;
}

static uint64_t bits_at(enum lane_type type, int64_t order)
{
    const int64_t number =
        lane_is_float(type) && order < 0 ? (lane_is_wide(type) ? INT64_MIN : INT32_MIN) - order - 1 : order;
    return lane_is_wide(type) ? (uint64_t)number : (uint64_t)(uint32_t)number;
}

static double value_at(enum lane_type type, int64_t order)
{
    const uint64_t bits = bits_at(type, order);
    return lane_is_wide(type) ? f64_of_bits(bits) : (double)f32_of_bits((uint32_t)bits);
}

static const struct interval_of_lanes unknown = {0};

static struct interval_of_lanes between(int64_t low, int64_t high)
{
    return (struct interval_of_lanes){true, low < high ? low : high, low < high ? high : low};
}

static bool is_point(struct interval_of_lanes a) { return a.known && a.low == a.high; }

static struct interval_of_lanes hull(struct interval_of_lanes a, struct interval_of_lanes b)
{
    if (!a.known || !b.known) return unknown;
    return (struct interval_of_lanes){true, a.low < b.low ? a.low : b.low, a.high > b.high ? a.high : b.high};
}

/* Returns true if neither end is infinite. */
static bool has_finite_ends(enum lane_type type, struct interval_of_lanes a)
{
    return isfinite(value_at(type, a.low)) && isfinite(value_at(type, a.high));
}

static bool has_both_signs(struct interval_of_lanes a) { return a.low < 0 && a.high >= 0; }

/* ---- at corners ---- */

struct lanes {
    _Alignas(64) unsigned char bytes[INTERP_ROUND * 8];
};

static unsigned bytes_of(enum lane_type type) { return type == LANE_TRUTH ? 4 : lane_type_bytes(type); }

static void put(struct lanes *l, enum lane_type type, unsigned lane, int64_t order)
{
    const uint64_t wide = bits_at(type, order);
    const uint32_t narrow = (uint32_t)wide;
    const void *bits = bytes_of(type) == 8 ? (const void *)&wide : (const void *)&narrow;
    memcpy(l->bytes + lane * bytes_of(type), bits, bytes_of(type));
}

static uint64_t bits_in(const struct lanes *l, enum lane_type type, unsigned lane)
{
    uint64_t wide;
    uint32_t narrow;
    memcpy(&wide, l->bytes + lane * 8, sizeof wide);
    memcpy(&narrow, l->bytes + lane * 4, sizeof narrow);
    return bytes_of(type) == 8 ? wide : narrow;
}

/* Returns the hull of the instruction's values at all corners. A corner takes one end of each operand. The
 * result is unknown if a value is NaN. */
static struct interval_of_lanes at_corners(const struct narrowing *n, const struct lane_instruction *i,
                                           const struct interval_of_lanes *operand)
{
    struct lanes in[3] = {0}, out = {0};
    const unsigned arity = lane_ops[i->op].arity;
    for (unsigned corner = 0; corner < CORNERS; corner++)
        for (unsigned k = 0; k < arity; k++)
            put(&in[k], type_of(n->from, i->operand[k]), corner,
                corner >> k & 1 ? operand[k].high : operand[k].low);
    const struct interp_step step = {.out = out.bytes, .a = in[0].bytes, .b = in[1].bytes, .c = in[2].bytes};
    (*n->ops)[i->op][lane_type_that_chooses(n->from, i)](&step, INTERP_ROUND);
    struct interval_of_lanes r = unknown;
    for (unsigned corner = 0; corner < CORNERS; corner++) {
        const int64_t order = order_of(i->type, bits_in(&out, i->type, corner));
        if (lane_is_float(i->type) && isnan(value_at(i->type, order))) return unknown;
        r = corner ? hull(r, between(order, order)) : between(order, order);
    }
    return r;
}

/* ---- bits ---- */

/* Returns the bits that are the same for all numbers between the ends. They are the bits above the first in
 * which the ends differ. */
static uint64_t known_bits(struct interval_of_lanes a)
{
    uint64_t differ = a.known ? (uint64_t)a.low ^ (uint64_t)a.high : UINT64_MAX;
    for (unsigned shift = 1; shift < 64; shift *= 2) differ |= differ >> shift;
    return ~differ;
}

static struct interval_of_lanes logical(enum lane_op op, enum lane_type type, struct interval_of_lanes a,
                                        struct interval_of_lanes b)
{
    const uint64_t x = (uint64_t)a.low, y = (uint64_t)b.low, known_a = known_bits(a), known_b = known_bits(b);
    const uint64_t ones_a = x & known_a, ones_b = y & known_b, zeros_a = ~x & known_a, zeros_b = ~y & known_b;
    uint64_t ones, zeros;
    switch (op) {
    case LANE_AND:
    case LANE_MAND:
        ones = ones_a & ones_b;
        zeros = zeros_a | zeros_b;
        break;
    case LANE_OR:
    case LANE_MOR:
        ones = ones_a | ones_b;
        zeros = zeros_a & zeros_b;
        break;
    default: ones = (ones_a & zeros_b) | (zeros_a & ones_b); zeros = (ones_a & ones_b) | (zeros_a & zeros_b);
    }
    const unsigned width = 8 * bytes_of(type);
    const uint64_t sign = UINT64_C(1) << (width - 1), any = ~(ones | zeros);
    const uint64_t low = ones | (any & sign), high = ones | (any & ~sign);
    return (struct interval_of_lanes){true, order_of(type, low), order_of(type, high)};
}

/* ---- operations ---- */

/* Returns true if the integer operation does not overflow its type. */
static bool fits_in_type(const struct lane_instruction *i, const struct interval_of_lanes *operand)
{
    for (unsigned corner = 0; corner < 4; corner++) {
        const int64_t a = corner & 1 ? operand[0].high : operand[0].low,
                      b = corner & 2 ? operand[1].high : operand[1].low;
        int64_t r = 0;
        bool wrong = false;
        switch (i->op) {
        case LANE_IADD: wrong = __builtin_add_overflow(a, b, &r); break;
        case LANE_ISUB: wrong = __builtin_sub_overflow(a, b, &r); break;
        case LANE_IMUL: wrong = __builtin_mul_overflow(a, b, &r); break;
        case LANE_SHL: wrong = b > 62 || __builtin_mul_overflow(a, INT64_C(1) << b, &r); break;
        default: break;
        }
        if (wrong || (!lane_is_wide(i->type) && r != (int32_t)r)) return false;
    }
    return true;
}

/* Returns true if the instruction is monotone in each operand within these intervals, and never NaN. */
static bool is_monotone(const struct narrowing *n, const struct lane_instruction *i,
                        const struct interval_of_lanes *operand)
{
    const enum lane_type type = type_of(n->from, i->operand[0]);
    bool finite = true;
    for (unsigned k = 0; k < lane_ops[i->op].arity; k++) {
        const enum lane_type t = type_of(n->from, i->operand[k]);
        finite = finite && (!lane_is_float(t) || has_finite_ends(t, operand[k]));
    }
    switch (i->op) {
    case LANE_ADD:
    case LANE_SUB:
    case LANE_MUL:
    case LANE_FMA:
    case LANE_SQRT: /* NaN at an end below zero */
    case LANE_ROUND: return finite;
    case LANE_DIV: return finite && value_at(type, operand[1].low) * value_at(type, operand[1].high) > 0;
    case LANE_F2I: /* within the range where it is defined */
        return finite && fmax(fabs(value_at(type, operand[0].low)), fabs(value_at(type, operand[0].high))) <=
                             (type == LANE_F32 ? 0x1p30 : 0x1p50);
    /* The product must have one rounding (lane.h). It always has if the number is zero or not too small. */
    case LANE_SCALE2: {
        const double low = value_at(type, operand[0].low), high = value_at(type, operand[0].high);
        const double reach = type == LANE_F32 ? 250 : 2000;
        return finite && (low == 0 || fabs(low) >= 0x1p-20) && (high == 0 || fabs(high) >= 0x1p-20) &&
               fabs(value_at(type, operand[1].low)) <= reach &&
               fabs(value_at(type, operand[1].high)) <= reach;
    }
    case LANE_IADD:
    case LANE_ISUB:
    case LANE_IMUL:
    case LANE_SHL: return fits_in_type(i, operand);
    case LANE_IMULHI: return operand[0].low >= 0 && operand[1].low >= 0;
    case LANE_SHR:
    case LANE_ABS: return !has_both_signs(operand[0]);
    case LANE_INARROW:
        return (uint64_t)operand[0].high - (uint64_t)operand[0].low < UINT64_C(1) << 32 &&
               (int32_t)operand[0].low <= (int32_t)operand[0].high;
    case LANE_NEG:
    case LANE_LT:
    case LANE_LE:
    case LANE_ILT:
    case LANE_IMIN:
    case LANE_SAR:
    case LANE_NOT:
    case LANE_I2F:
    case LANE_WIDEN:
    case LANE_NARROW:
    case LANE_IWIDEN: return true;
    default: return lane_ops[i->op].exactness == LANE_EXACT_HALVES;
    }
}

static struct interval_of_lanes of_bits(enum lane_type from, enum lane_type to, struct interval_of_lanes a)
{
    if (has_both_signs(a)) return unknown;
    const struct interval_of_lanes r =
        between(order_of(to, bits_at(from, a.low)), order_of(to, bits_at(from, a.high)));
    const bool is_number =
        !lane_is_float(to) || (!isnan(value_at(to, r.low)) && !isnan(value_at(to, r.high)));
    return is_number ? r : unknown;
}

static struct interval_of_lanes looked_up(const struct lane_table *t, struct interval_of_lanes index)
{
    const uint64_t mask = (UINT64_C(1) << t->log2_size) - 1;
    uint64_t first = (uint64_t)index.low & mask, last = (uint64_t)index.high & mask;
    if (!index.known || (uint64_t)index.high - (uint64_t)index.low > mask || first > last)
        first = 0, last = mask;
    struct interval_of_lanes r = unknown;
    for (uint64_t k = first; k <= last; k++) {
        const int64_t order = order_of(t->type, t->bits[k]);
        if (lane_is_float(t->type) && isnan(value_at(t->type, order))) return unknown;
        r = k > first ? hull(r, between(order, order)) : between(order, order);
    }
    return r;
}

/* Evaluates min and max, which give the second of equal operands. Therefore a zero may have either sign. */
static struct interval_of_lanes extreme_of(const struct narrowing *n, const struct lane_instruction *i,
                                           const struct interval_of_lanes *operand)
{
    struct interval_of_lanes r = at_corners(n, i, operand);
    if (is_point(operand[0]) && is_point(operand[1])) return r;
    if (r.known && r.low == 0) r.low = -1;
    if (r.known && r.high == -1) r.high = 0;
    return r;
}

static struct interval_of_lanes equality(const struct narrowing *n, const struct lane_instruction *i,
                                         const struct interval_of_lanes *operand)
{
    const enum lane_type type = type_of(n->from, i->operand[0]);
    const bool apart = value_at(type, operand[0].high) < value_at(type, operand[1].low) ||
                       value_at(type, operand[0].low) > value_at(type, operand[1].high);
    if (apart) return between(0, 0);
    return is_point(operand[0]) && is_point(operand[1]) ? at_corners(n, i, operand) : unknown;
}

static struct interval_of_lanes chosen(const struct interval_of_lanes *operand)
{
    if (!is_point(operand[0])) return hull(operand[1], operand[2]);
    return operand[0].low ? operand[1] : operand[2];
}

static struct interval_of_lanes narrowed_value(const struct narrowing *n, const struct lane_instruction *i)
{
    struct interval_of_lanes operand[3] = {0};
    bool all_known = true, all_points = true;
    for (unsigned k = 0; k < lane_ops[i->op].arity; k++) {
        operand[k] = n->lanes[i->operand[k]];
        all_known = all_known && operand[k].known;
        all_points = all_points && is_point(operand[k]);
    }
    switch (i->op) { /* operations that may tell something about unknown operands */
    case LANE_SELECT:
    case LANE_RARELY: return chosen(operand);
    case LANE_LOOKUP: return looked_up(&n->from->tables[i->index], operand[0]);
    case LANE_AND:
    case LANE_OR:
    case LANE_XOR:
    case LANE_MAND:
    case LANE_MOR: return logical(i->op, i->type, operand[0], operand[1]);
    case LANE_MNOT: return operand[0].known ? between(~operand[0].low, ~operand[0].high) : unknown;
    default: break;
    }
    if (!all_known) return unknown;
    switch (i->op) {
    case LANE_BITCAST: return of_bits(type_of(n->from, i->operand[0]), i->type, operand[0]);
    case LANE_MIN:
    case LANE_MAX: return extreme_of(n, i, operand);
    case LANE_EQ: return equality(n, i, operand);
    default: return all_points || is_monotone(n, i, operand) ? at_corners(n, i, operand) : unknown;
    }
}

/* Returns the operand that always equals the value, or the value itself. */
static lane_value alias_of(const struct narrowing *n, lane_value v)
{
    const struct lane_instruction *i = &n->from->code[v];
    const struct interval_of_lanes a = n->lanes[i->operand[0]], b = n->lanes[i->operand[1]];
    const enum lane_type type = type_of(n->from, i->operand[0]);
    const bool both = lane_ops[i->op].arity == 2 && a.known && b.known;
    lane_value same = v;
    if (lane_is_choice(i->op) && is_point(a)) same = i->operand[a.low ? 1 : 2];
    if ((i->op == LANE_MIN || i->op == LANE_MAX) && both) {
        const bool less =
            value_at(type, a.high)<value_at(type, b.low), more = value_at(type, a.low)> value_at(type,
                                                                                                 b.high);
        if (less || more) same = i->operand[(i->op == LANE_MIN) == less ? 0 : 1];
    }
    /* If one operand is neutral, the other is the value, unless the value is known. */
    if (i->op == LANE_MAND || i->op == LANE_MOR) {
        const int64_t neutral = i->op == LANE_MAND ? -1 : 0;
        if (is_point(a) && a.low == neutral) same = i->operand[1];
        if (is_point(b) && b.low == neutral) same = i->operand[0];
    }
    return same == v ? v : n->alias[same];
}

/* ---- the new program ---- */

static bool is_constant_lane(const struct narrowing *n, lane_value v)
{
    return is_point(n->lanes[v]) && lane_is_number(type_of(n->from, v));
}

static void mark_needed(struct narrowing *n)
{
    for (lane_value v = n->from->count; v-- > 0;) {
        const struct lane_instruction *i = &n->from->code[v];
        n->needed[v] = n->needed[v] || i->op == LANE_STORE;
        if (!n->needed[v] || is_constant_lane(n, v)) continue;
        if (n->alias[v] != v) {
            n->needed[n->alias[v]] = true;
            continue;
        }
        for (unsigned k = 0; k < lane_ops[i->op].arity; k++) n->needed[i->operand[k]] = true;
    }
}

static lane_program *rebuilt(struct narrowing *n, arena *memory)
{
    lane_program *out = lane_create(memory, &n->from->profile);
    mark_needed(n);
    for (lane_value v = 0; v < n->from->count; v++) {
        struct lane_instruction i = n->from->code[v];
        if (!n->needed[v]) continue;
        for (unsigned k = 0; k < lane_ops[i.op].arity; k++) i.operand[k] = n->made[i.operand[k]];
        if (is_constant_lane(n, v))
            n->made[v] = lane_const_bits(out, i.type, bits_at(i.type, n->lanes[v].low));
        else
            n->made[v] = n->alias[v] == v ? lane_append(out, n->from, i) : n->made[n->alias[v]];
    }
    return out;
}

lane_program *lane_narrowed(arena *memory, const lane_program *p, double low, double high)
{
    struct narrowing n = {.from = p,
                          .ops = runs_avx2_fma() ? &interp_ops_fma : &interp_ops_plain,
                          .lanes = arena_alloc(memory, p->count * sizeof *n.lanes),
                          .alias = arena_alloc(memory, p->count * sizeof *n.alias),
                          .made = arena_alloc(memory, p->count * sizeof *n.made),
                          .needed = arena_alloc(memory, p->count * sizeof *n.needed)};
    const struct interval_of_lanes narrow = {true, order_of(LANE_F32, bits_of_f32((float)low)),
                                             order_of(LANE_F32, bits_of_f32((float)high))};
    const struct interval_of_lanes wide = {true, order_of(LANE_F64, bits_of_f64(low)),
                                           order_of(LANE_F64, bits_of_f64(high))};
    for (lane_value v = 0; v < p->count; v++) {
        const struct lane_instruction *i = &p->code[v];
        n.alias[v] = v;
        if (i->op == LANE_LOAD) {
            n.lanes[v] = i->type == LANE_F32 ? narrow : i->type == LANE_F64 ? wide : unknown;
        } else if (i->op == LANE_CONST) {
            const int64_t order = order_of(i->type, i->bits);
            n.lanes[v] =
                lane_is_float(i->type) && isnan(value_at(i->type, order)) ? unknown : between(order, order);
        } else if (i->op != LANE_STORE) {
            n.lanes[v] = narrowed_value(&n, i);
            n.alias[v] = alias_of(&n, v);
        }
    }
    return rebuilt(&n, memory);
}
