/* Evaluates a lane program on an interval, operation by operation, in affine arithmetic (affine.h).
 *
 * Integers come from the bits of floats. An interval may show an integer to be a constant (narrowed.h).
 * Otherwise, a float's last bits may have been cut off. The model then knows the float, and how many units
 * the integer may lie below the float's bits. */
#include "program_model.h"

#include "affine.h"
#include "error_free.h"

#include "float_bits.h"

#include <limits.h>
#include <stdlib.h>

struct program_model {
    struct affine affine;
};

struct program_model *program_model_create(arena *memory, uint32_t most_values)
{
    struct program_model *p = arena_alloc(memory, sizeof *p);
    struct affine *m = &p->affine;
    m->room = most_values;
    m->values = arena_alloc(memory, most_values * sizeof *m->values);
    m->all_factors = arena_alloc(memory, (size_t)most_values * most_values * sizeof *m->all_factors);
    return p;
}

/* -- choices -- */

static struct affine_value extreme_of(const struct affine_value *a, const struct affine_value *b, bool least)
{
    /* Equal numbers are the same number, except for the sign of a zero. */
    if (a->high < b->low || (a->high == b->low && a->high != 0)) return least ? *a : *b;
    if (b->high < a->low || (b->high == a->low && b->high != 0)) return least ? *b : *a;
    struct affine_value v = affine_hull(a, b);
    if (v.kind != NUMBER) return v;
    v.low = least ? fmin(a->low, b->low) : fmax(a->low, b->low);
    v.high = least ? fmin(a->high, b->high) : fmax(a->high, b->high);
    if (!isfinite(v.low) || !isfinite(v.high)) return (struct affine_value){.kind = NOTHING_KNOWN};
    const struct model low = model_number(v.low), high = model_number(v.high);
    v.real = model_hull(&low, &high);
    return v;
}

static struct affine_value affine_truth(bool is_true)
{
    return (struct affine_value){.kind = TRUTH, .truth = is_true};
}

static struct affine_value compared(enum lane_op op, const struct affine_value *a,
                                    const struct affine_value *b, bool same)
{
    const struct affine_value unknown = {.kind = NOTHING_KNOWN};
    if (a->kind != NUMBER || b->kind != NUMBER) return unknown;
    if (same) return affine_truth(op != LANE_LT); /* numbers, no NaN */
    if (a->high < b->low) return affine_truth(op != LANE_EQ);
    if (a->low > b->high) return affine_truth(false);
    return op == LANE_LE && a->high <= b->low
               ? affine_truth(true)
               : (op == LANE_LT && a->low >= b->high ? affine_truth(false) : unknown);
}

static struct affine_value connected(enum lane_op op, const struct affine_value *a,
                                     const struct affine_value *b)
{
    const bool decisive = op == LANE_MOR;
    if ((a->kind == TRUTH && a->truth == decisive) || (b->kind == TRUTH && b->truth == decisive))
        return affine_truth(decisive);
    if (a->kind == TRUTH && b->kind == TRUTH) return affine_truth(!decisive);
    return (struct affine_value){.kind = NOTHING_KNOWN};
}

/* -- bits -- */

static struct affine_value cut_bits(const struct affine_value *a, const struct affine_value *mask)
{
    struct affine_value v = *a;
    const uint64_t low = ~mask->bits;
    if (a->kind != BITS || mask->kind != CONSTANT_BITS || (low & (low + 1)) || low > 0xffff)
        return (struct affine_value){.kind = NOTHING_KNOWN};
    v.most_below = a->most_below + (double)low;
    return v;
}

/* Returns the bits with the sign changed, or unchanged. */
static struct affine_value turned_bits(const struct affine_value *a, const struct affine_value *mask)
{
    struct affine_value v = *a;
    const uint64_t sign = UINT64_C(1) << 63;
    if (a->kind != BITS || mask->kind != CONSTANT_BITS || (mask->bits & ~sign))
        return (struct affine_value){.kind = NOTHING_KNOWN};
    v.negated = a->negated != (mask->bits == sign);
    return v;
}

/* Returns the number that has these bits. */
static struct affine_value number_of_bits(struct affine *m, const struct affine_value *a,
                                          const struct affine_value *place)
{
    const struct affine_value unknown = {.kind = NOTHING_KNOWN}, *source = &m->values[a->source];
    if (a->kind != BITS) return unknown;
    if (a->most_below == 0) return a->negated ? affine_negated(source, affine_factors(m, place)) : *source;
    if (a->negated) return unknown;
    const int exponent = affine_exponent_of(source->low);
    if (source->low <= 0 || exponent != affine_exponent_of(source->high) || exponent < -900 || exponent > 900)
        return unknown;
    const double unit = ldexp(1, exponent - 52), low = source->low - a->most_below * unit;
    if (affine_exponent_of(low) != exponent) return unknown;
    struct affine_value v = *source;
    const struct model middle = model_number(-a->most_below * unit / 2);
    v.real = model_add(&source->real, &middle);
    if (!v.real.known || v.real.exponent != source->real.exponent) return unknown;
    v.real = model_widened(v.real, ldexp(a->most_below * unit, (int)-v.real.exponent - 1) * MODEL_GROW);
    if (!v.real.known || v.real.exponent != source->real.exponent) return unknown;
    v.low = low;
    v.last = 0;
    v.grain = exponent - 52;
    return v;
}

/* Returns any of the table's entries. The entry is a symbol of its own, because it may be subtracted
 * again. */
static struct affine_value entry_of(struct affine *m, struct affine_value *place, const struct lane_table *t)
{
    struct affine_value v = {.kind = NOTHING_KNOWN};
    double low = INFINITY, high = -INFINITY;
    int grain = INT_MAX / 4;
    if (t->type != LANE_F64) return v;
    for (uint32_t k = 0; k < UINT32_C(1) << t->log2_size; k++) {
        const double entry = f64_of_bits(t->bits[k]);
        if (!(fabs(entry) < 0x1p500)) return v;
        low = fmin(low, entry);
        high = fmax(high, entry);
        grain = affine_smaller_grain(grain, affine_grain_of(entry));
    }
    const double middle = low / 2 + high / 2;
    v = affine_number(middle);
    if (low == high) return v;
    v.moves = affine_factors(m, place);
    for (uint32_t k = 0; k < m->symbols; k++) v.moves[k] = (struct factor){0, 0};
    const long shift = -v.real.exponent;
    if (labs(shift) > 1000) return (struct affine_value){.kind = NOTHING_KNOWN};
    v.moves[m->symbols++] =
        (struct factor){ldexp(larger_of(high - middle, middle - low) * MODEL_GROW, (int)shift), 0};
    v.symbols = m->symbols;
    v.low = low;
    v.high = high;
    v.grain = grain;
    return v;
}

/* -- operations -- */

static void twice(struct affine *m, struct affine_value *v, const struct affine_value *a)
{
    const struct affine_value one = affine_number(1);
    affine_scale(m, v, a, &one);
}

/* Returns a + 0. If the sum is a zero, its sign may differ. */
static void unchanged(struct affine_value *v, const struct affine_value *a)
{
    *v = *a;
    if (a->low <= 0 && a->high >= 0) v->keeps_sign = false;
}

static bool is_power_of_two(const struct affine_value *v)
{
    return affine_is_exactly(v, v->low) && f64_is_power_of_two(v->low);
}

static bool is_usable(const struct affine_value *v) { return v->kind == NUMBER && !v->beyond; }

/* Returns whether the instruction computes the rounding error of a * b, and the product is so small that no
 * f64 number holds the error. */
static bool is_error_of_product(const struct affine *m, const struct lane_instruction *i)
{
    const struct lane_instruction *less = &m->program->code[i->operand[2]],
                                  *product = &m->program->code[less->operand[0]];
    if (less->op != LANE_NEG || product->op != LANE_MUL) return false;
    if (product->operand[0] != i->operand[0] || product->operand[1] != i->operand[1]) return false;
    const struct affine_value *p = &m->values[less->operand[0]];
    return p->low >= -0x1p-1021 && p->high <= 0x1p-1021;
}

/* Returns whether `v` is exactly s minus some other value. */
static bool is_difference_from(const struct affine *m, lane_value v, lane_value s)
{
    const struct lane_instruction *i = &m->program->code[v];
    return i->op == LANE_SUB && i->operand[0] == s && m->values[v].is_exact &&
           is_usable(&m->values[i->operand[1]]);
}

static const struct affine_value *smaller_of(const struct affine_value *a, const struct affine_value *b)
{
    return fmax(fabs(a->low), fabs(a->high)) < fmax(fabs(b->low), fabs(b->high)) ? a : b;
}

static void affine_sum(struct affine *m, struct affine_value *v, const struct lane_instruction *i)
{
    const struct affine_value *a = &m->values[i->operand[0]], *b = &m->values[i->operand[1]];
    const bool adds = i->op == LANE_ADD;
    if (adds && a == b) {
        twice(m, v, a);
    } else if (!adds && is_difference_from(m, i->operand[1], i->operand[0])) {
        /* s - (s - a), as in error-free sums */
        *v = m->values[m->program->code[i->operand[1]].operand[1]];
    } else if (affine_is_exactly(b, 0) && !affine_is_exactly(a, 0)) {
        unchanged(v, a);
    } else if (adds && affine_is_exactly(a, 0) && !affine_is_exactly(b, 0)) {
        unchanged(v, b);
    } else {
        affine_add(m, v, a, b, !adds);
        affine_round_off(m, v, affine_smaller_grain(a->grain, b->grain), false, smaller_of(a, b));
    }
}

static void fused(struct affine *m, struct affine_value *v, const struct lane_instruction *i)
{
    const struct affine_value *a = &m->values[i->operand[0]], *b = &m->values[i->operand[1]],
                              *c = &m->values[i->operand[2]];
    struct affine_value product = {0};
    if (is_error_of_product(
            /* The error of a subnormal product is at most half the smallest number, which rounds to 0. */
            m, i)) {
        *v = affine_number(0);
        v->is_some_zero = true;
        return;
    }
    /* The product's factors use the memory of the next value. */
    affine_multiply(&product, a, b, affine_factors(m, v) + m->room);
    if (!product.real.known) return;
    affine_add(m, v, &product, c, false);
    affine_round_off(m, v, affine_smaller_grain(affine_product_grain(a, b), c->grain), false, &product);
    v->keeps_sign = true;
}

static void affine_quotient(struct affine *m, struct affine_value *v, const struct affine_value *a,
                            const struct affine_value *b)
{
    const bool is_scaled = is_power_of_two(b);
    const struct affine_value inverse = {.grain = -b->grain};
    affine_divide(m, v, a, b);
    affine_round_off(m, v, is_scaled ? affine_product_grain(a, &inverse) : NO_GRAIN, is_scaled, NULL);
    v->keeps_sign = true;
}

static void arithmetic(struct affine *m, struct affine_value *v, const struct lane_instruction *i)
{
    const struct affine_value *a = &m->values[i->operand[0]], *b = &m->values[i->operand[1]],
                              *c = &m->values[i->operand[2]];
    const unsigned arity = lane_ops[i->op].arity;
    if (i->type != LANE_F64 || !is_usable(a) || (arity > 1 && !is_usable(b)) || (arity > 2 && !is_usable(c)))
        return;
    switch (i->op) {
    case LANE_ADD:
    case LANE_SUB: affine_sum(m, v, i); break;
    case LANE_MUL:
        affine_multiply(v, a, b, affine_factors(m, v));
        affine_round_off(m, v, affine_product_grain(a, b), is_power_of_two(a) || is_power_of_two(b), NULL);
        v->keeps_sign = true;
        break;
    case LANE_FMA: fused(m, v, i); break;
    case LANE_DIV: affine_quotient(m, v, a, b); break;
    case LANE_SCALE2: affine_scale(m, v, a, b); break;
    case LANE_NEG: *v = affine_negated(a, affine_factors(m, v)); break;
    case LANE_ABS:
        if (a->low >= 0)
            *v = *a;
        else if (a->high <= 0)
            *v = affine_negated(a, affine_factors(m, v));
        break;
    case LANE_MIN:
    case LANE_MAX: *v = extreme_of(a, b, i->op == LANE_MIN); break;
    default: break;
    }
}

static void find_value(struct affine *m, lane_value n, const struct affine_value *input)
{
    const struct lane_instruction *i = &m->program->code[n];
    const struct affine_value *a = &m->values[i->operand[0]], *b = &m->values[i->operand[1]],
                              *c = &m->values[i->operand[2]];
    struct affine_value *v = &m->values[n];
    *v = (struct affine_value){.kind = NOTHING_KNOWN};
    switch (i->op) {
    case LANE_LOAD: *v = *input; break;
    case LANE_CONST:
        v->bits = i->bits;
        v->kind = CONSTANT_BITS;
        if (i->type == LANE_F64 && isfinite(f64_of_bits(i->bits))) *v = affine_number(f64_of_bits(i->bits));
        break;
    case LANE_EQ:
    case LANE_LT:
    case LANE_LE: *v = compared(i->op, a, b, i->operand[0] == i->operand[1]); break;
    case LANE_MNOT:
        if (a->kind == TRUTH) *v = affine_truth(!a->truth);
        break;
    case LANE_MAND:
    case LANE_MOR: *v = connected(i->op, a, b); break;
    case LANE_SELECT:
    case LANE_RARELY: *v = a->kind == TRUTH ? (a->truth ? *b : *c) : affine_hull(b, c); break;
    case LANE_BITCAST:
        if (i->type == LANE_F64)
            *v = number_of_bits(m, a, v);
        else if (a->kind == NUMBER)
            *v = (struct affine_value){.kind = BITS, .source = i->operand[0]};
        break;
    case LANE_AND: *v = b->kind == CONSTANT_BITS ? cut_bits(a, b) : cut_bits(b, a); break;
    case LANE_XOR: *v = b->kind == CONSTANT_BITS ? turned_bits(a, b) : turned_bits(b, a); break;
    case LANE_LOOKUP: *v = entry_of(m, v, &m->program->tables[i->index]); break;
    default:
        if (!error_free_find(m, v, n)) {
            const uint32_t symbols = m->symbols;
            arithmetic(m, v, i);
            v->own = m->symbols > symbols ? m->symbols : 0;
        }
    }
}

static struct program_result result_of(const struct affine_value *v)
{
    struct program_result r = {.known = v->kind == NUMBER, .low = v->low, .high = v->high, .real = v->real};
    if (v->kind == CONSTANT_BITS && isinf(f64_of_bits(v->bits)))
        return (struct program_result){.known = true, .is_constant = true, .low = f64_of_bits(v->bits)};
    if (!r.known) return r;
    r.is_some_zero = v->is_some_zero;
    r.is_constant = affine_is_exactly(v, v->low);
    if (r.is_constant) r.low = f64_of_bits(v->bits);
    r.moved = affine_moved(v);
    r.last_keeps_sign = v->last && v->keeps_sign;
    if (v->last) {
        const struct factor *last = &v->moves[v->last - 1];
        r.last = fabs(last->level) + fabs(last->slope);
        r.low = v->unrounded_low;
        r.high = v->unrounded_high;
        struct affine_value others = *v;
        const struct factor kept = *last;
        v->moves[v->last - 1] = (struct factor){0, 0};
        r.moved = affine_moved(&others);
        v->moves[v->last - 1] = kept;
    }
    return r;
}

struct program_result program_model_run(struct program_model *model, const lane_program *p, double low,
                                        double high)
{
    struct affine *m = &model->affine;
    const struct program_result unknown = {0};
    if (p->count + 1 >= m->room) return unknown;
    struct affine_value input = {.kind = NUMBER, .real = model_variable(low, high), .low = low, .high = high};
    input.grain = affine_grain_between(low, high);
    m->program = p;
    m->symbols = 0;
    for (lane_value n = 0; n < p->count; n++) {
        const struct lane_instruction *i = &p->code[n];
        if (i->op == LANE_STORE) return result_of(&m->values[i->operand[0]]);
        find_value(m, n, &input);
    }
    return unknown;
}
