/* The program as a processor runs it that takes subnormal numbers for zero. Each operation is followed, and
 * its operands are preceded, by a choice of zero with the value's sign. Moves, bits and choices keep
 * subnormal numbers, as they do in processors.
 *
 * x86-64 decides about zero after rounding, and 32-bit Arm before. This program decides after it. So beside
 * the least normal number, one may give this number where another gives 0. */
#include "flushed_by_neon.h"

#include "float_bits.h"

#include <math.h>

static bool is_flushed_type(enum lane_type type, bool by_neon)
{
    return type == LANE_F32 || (type == LANE_F64 && !by_neon);
}

/* Returns true for operations of 32-bit Arm's scalar instructions. */
static bool is_scalar(enum lane_op op)
{
    return op == LANE_DIV || op == LANE_SQRT || op == LANE_WIDEN || op == LANE_NARROW;
}

/* Returns true if the operation computes with floats, so that it sees and makes no subnormal number. */
static bool computes(const struct lane_instruction *i, bool by_neon)
{
    const enum target_class class = lane_ops[i->op].class[0];
    if (by_neon && is_scalar(i->op)) return false;
    return class != CLASS_NONE && class != CLASS_LOGIC && class != CLASS_SELECT && class != CLASS_LOOKUP32;
}

static lane_value least_normal(lane_program *p, enum lane_type type)
{
    return lane_const(p, type, type == LANE_F64 ? 0x1p-1022 : 0x1p-126);
}

static lane_value flushed(lane_program *p, lane_value v)
{
    const enum lane_type type = p->code[v].type;
    const lane_value is_tiny = lane_less(p, lane_unary(p, LANE_ABS, v), least_normal(p, type));
    return lane_select(p, is_tiny, lane_mul(p, v, lane_const(p, type, 0)), v);
}

/* Returns true for a constant that is zero, a normal number or no number. */
static bool is_clean_constant(const struct lane_instruction *i)
{
    const double v =
        i->type == LANE_F64 ? fabs(f64_of_bits(i->bits)) : fabs((double)f32_of_bits((uint32_t)i->bits));
    return i->op == LANE_CONST && !(v > 0 && v < (i->type == LANE_F64 ? 0x1p-1022 : 0x1p-126));
}

static lane_program *flushed_program(arena *memory, const lane_program *from, bool by_neon)
{
    lane_program *p = lane_create(memory, &from->profile);
    lane_value *map = arena_alloc(memory, from->count * sizeof *map);
    bool *clean = arena_alloc(memory, from->count * sizeof *clean); /* the value is not subnormal */
    for (lane_value n = 0; n < from->count; n++) {
        const struct lane_instruction *own = &from->code[n];
        struct lane_instruction i = *own;
        for (unsigned k = 0; k < lane_ops[i.op].arity; k++) {
            const lane_value v = own->operand[k];
            const bool is_seen =
                computes(own, by_neon) && is_flushed_type(from->code[v].type, by_neon) && !clean[v];
            i.operand[k] = is_seen ? flushed(p, map[v]) : map[v];
        }
        map[n] = lane_append(p, from, i);
        if (!is_flushed_type(i.type, by_neon)) continue;
        clean[n] = computes(own, by_neon) || is_clean_constant(own);
        if (computes(own, by_neon)) map[n] = flushed(p, map[n]);
    }
    return p;
}

lane_program *lane_flushed(arena *memory, const lane_program *p) { return flushed_program(memory, p, false); }

lane_program *lane_flushed_by_neon(arena *memory, const lane_program *p)
{
    return flushed_program(memory, p, true);
}
