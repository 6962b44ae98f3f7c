/* Rewrites programs for correct rounding. */
#include "budget.h"
#include "exact.h"

#include <string.h>

struct rewrite {
    const lane_program *from;
    lane_program *to;
    lane_value *map; /* indexed by value of `from`: its value in `to` */
    lane_value x, factor;
    bool nudged;
};

/* Returns the nudge's factor for tiny x, and 1 elsewhere. */
static lane_value factor_of(lane_program *p, lane_value x, const struct exact_nudge *n)
{
    const lane_value zero = lane_f32(p, 0), size = lane_unary(p, LANE_ABS, x);
    const lane_value above = lane_const(p, LANE_F64, n->factor[0]),
                     below = lane_const(p, LANE_F64, n->factor[1]);
    const lane_value factor = lane_select(p, lane_less(p, x, zero), below, above);
    const lane_value tiny = lane_less(p, size, lane_f32(p, (double)n->below));
    return lane_select(p, tiny, factor, lane_const(p, LANE_F64, 1));
}

/* Returns the f64 value of a result. If the result is a choice among roundings of f64 values and f32 values,
 * it is the same choice among the f64 values. */
static lane_value wide_value(struct rewrite *r, lane_value v)
{
    const struct lane_instruction *i = &r->from->code[v];
    if (lane_is_choice(i->op)) {
        const lane_value a = wide_value(r, i->operand[1]), b = wide_value(r, i->operand[2]);
        return lane_select(r->to, r->map[i->operand[0]], a, b);
    }
    if (i->op != LANE_NARROW) return lane_unary(r->to, LANE_WIDEN, r->map[v]);
    const lane_value wide = r->map[i->operand[0]];
    return r->nudged ? lane_mul(r->to, wide, r->factor) : wide;
}

static lane_value narrow_value(struct rewrite *r, lane_value v)
{
    const struct lane_instruction *i = &r->from->code[v];
    if (lane_is_choice(i->op)) {
        const lane_value a = narrow_value(r, i->operand[1]), b = narrow_value(r, i->operand[2]);
        return lane_select(r->to, r->map[i->operand[0]], a, b);
    }
    if (i->op != LANE_NARROW) return r->map[v];
    return lane_unary(r->to, LANE_NARROW, wide_value(r, v));
}

lane_value exact_patched(lane_program *p, lane_value x, lane_value y, const struct exact_patch *patch)
{
    const lane_value key = patch->both ? lane_unary(p, LANE_ABS, x) : x;
    const lane_value here = lane_binary(p, LANE_EQ, key, lane_f32(p, (double)patch->x));
    if (!patch->both) {
        uint32_t bits;
        memcpy(&bits, &patch->right, sizeof bits);
        return lane_select(p, here, lane_const_bits(p, LANE_F32, bits), y);
    }
    const lane_value step = lane_const_bits(p, LANE_I32, (uint32_t)patch->step);
    const lane_value moved = lane_binary(p, LANE_IADD, lane_unary(p, LANE_BITCAST, y), step);
    return lane_select(p, here, lane_unary(p, LANE_BITCAST, moved), y);
}

static void store_extra(lane_program *p, lane_value wide, enum exact_extra extra)
{
    if (extra == EXTRA_VALUE) {
        lane_store(p, wide, 2);
        return;
    }
    for (unsigned end = 0; end < 2; end++) {
        const lane_value factor =
            lane_const(p, LANE_F64, end ? 1 + BUDGET_MARGIN_BUILT : 1 - BUDGET_MARGIN_BUILT);
        lane_store(p, lane_unary(p, LANE_NARROW, lane_mul(p, wide, factor)), 2 + end);
    }
}

lane_program *exact_program(const lane_program *plain, const struct exact_nudge *nudge,
                            const struct exact_patch *patches, size_t patch_count, enum exact_extra extra)
{
    lane_program *p = lane_create(plain->memory, &plain->profile);
    struct rewrite r = {.from = plain, .to = p, .nudged = nudge->below > 0};
    lane_value stored = 0;
    r.map = arena_alloc(plain->memory, plain->count * sizeof *r.map);
    for (lane_value v = 0; v < plain->count; v++) {
        struct lane_instruction i = plain->code[v];
        for (unsigned k = 0; k < lane_ops[i.op].arity; k++) i.operand[k] = r.map[i.operand[k]];
        if (i.op == LANE_STORE)
            stored = plain->code[v].operand[0];
        else
            r.map[v] = lane_append(p, plain, i);
        if (i.op == LANE_LOAD) r.x = r.map[v];
    }
    if (r.nudged) r.factor = factor_of(p, r.x, nudge);
    lane_value y = narrow_value(&r, stored);
    for (size_t k = 0; k < patch_count; k++) y = exact_patched(p, r.x, y, &patches[k]);
    lane_store(p, y, 1);
    if (extra != EXTRA_NONE) store_extra(p, wide_value(&r, stored), extra);
    return lane_canonical(p);
}

/* The error of a value: exact, rounded once from exact values, or rounded more often. */
enum rounding { EXACT, ROUNDED_ONCE, ROUNDED };

static enum rounding worst(enum rounding a, enum rounding b) { return a > b ? a : b; }

static enum rounding rounding_of(const struct lane_instruction *i, const enum rounding *known)
{
    enum rounding all = EXACT;
    for (unsigned k = 0; k < lane_ops[i->op].arity; k++) all = worst(all, known[i->operand[k]]);
    switch (lane_ops[i->op].exactness) {
    case LANE_EXACT_KEEPS: return all;
    case LANE_EXACT_CHOOSES:
        return known[i->operand[0]] == EXACT ? worst(known[i->operand[1]], known[i->operand[2]]) : ROUNDED;
    case LANE_EXACT_ROUNDS: return all == EXACT ? ROUNDED_ONCE : ROUNDED;
    case LANE_EXACT_STEPS: return all == EXACT ? EXACT : ROUNDED;
    case LANE_EXACT_HALVES:
    case LANE_EXACT_BITS: return ROUNDED;
    }
    return ROUNDED;
}

/* Returns true if each number in the formula, as written, is a number of the type. */
static bool has_exact_numbers(arena *memory, const expr *written, enum lane_type type)
{
    uint32_t count;
    const expr **nodes = expr_walk(memory, written, &count);
    for (uint32_t i = 0; i < count; i++) {
        const expr *e = nodes[i];
        if (!expr_is_constant(e) || expr_is_truth(e)) continue;
        if (e->kind == EXPR_NEG) continue; /* exact; its operand is checked by itself */
        if (e->kind != EXPR_NUMBER) return false;
        const double value = mpq_get_d(e->number);
        const bool is_dyadic = mpz_popcount(mpq_denref(e->number)) == 1;
        if (!is_dyadic || mpz_sizeinbase(mpq_numref(e->number), 2) > 53 ||
            (type == LANE_F32 && (double)(float)value != value))
            return false;
    }
    return true;
}

bool exact_by_construction(const lane_program *p, const expr *written)
{
    enum rounding *known = arena_alloc(p->memory, p->count * sizeof *known), result = ROUNDED;
    enum lane_type type = LANE_F32;
    for (uint32_t n = 0; n < p->count; n++) {
        known[n] = rounding_of(&p->code[n], known);
        if (p->code[n].op != LANE_STORE) continue;
        result = known[n];
        type = p->code[p->code[n].operand[0]].type;
    }
    return result != ROUNDED && has_exact_numbers(p->memory, written, type);
}
