/* Builds lane programs: instructions with value numbering, and tables. */
#include "lane.h"
#include "half.h"

#include <string.h>

enum { FIRST_INSTRUCTIONS = 64 };

lane_program *lane_create(arena *memory, const struct target_profile *profile)
{
    lane_program *p = arena_alloc(memory, sizeof *p);
    p->memory = memory;
    p->profile = *profile;
    return p;
}

static uint32_t bucket_of(const lane_program *p, const struct lane_instruction *i)
{
    uint64_t h = (uint64_t)i->op * 31 + (uint64_t)i->type;
    for (int k = 0; k < 3; k++) h = h * 0x9e3779b97f4a7c15u + i->operand[k];
    h = (h * 0x9e3779b97f4a7c15u + i->index) * 0x9e3779b97f4a7c15u + i->bits;
    return (uint32_t)(h >> 32 ^ h) & (p->bucket_count - 1);
}

static void grow(lane_program *p)
{
    p->capacity = p->capacity ? p->capacity * 2 : FIRST_INSTRUCTIONS;
    struct lane_instruction *code = arena_alloc(p->memory, p->capacity * sizeof *code);
    if (p->count) memcpy(code, p->code, p->count * sizeof *code);
    p->code = code;
    p->chain = arena_alloc(p->memory, p->capacity * sizeof *p->chain);
    p->bucket_count = p->capacity;
    p->buckets = arena_alloc(p->memory, p->bucket_count * sizeof *p->buckets);
    for (uint32_t i = 0; i < p->count; i++) {
        uint32_t *bucket = &p->buckets[bucket_of(p, &p->code[i])];
        p->chain[i] = *bucket; /* number + 1; 0 ends the chain */
        *bucket = i + 1;
    }
}

static bool is_same_instruction(const struct lane_instruction *a, const struct lane_instruction *b)
{
    return a->op == b->op && a->type == b->type && !memcmp(a->operand, b->operand, sizeof a->operand) &&
           a->index == b->index && a->bits == b->bits;
}

static lane_value emit(lane_program *p, struct lane_instruction wanted)
{
    if (p->count == p->capacity) grow(p);
    uint32_t *bucket = &p->buckets[bucket_of(p, &wanted)];
    if (wanted.op != LANE_STORE)
        for (uint32_t i = *bucket; i; i = p->chain[i - 1])
            if (is_same_instruction(&p->code[i - 1], &wanted)) return i - 1;
    p->code[p->count] = wanted;
    p->chain[p->count] = *bucket;
    *bucket = ++p->count;
    return p->count - 1;
}

lane_value lane_load(lane_program *p, enum lane_type type, uint32_t kernel_operand)
{
    return emit(p, (struct lane_instruction){.op = LANE_LOAD, .type = type, .index = kernel_operand});
}

void lane_store(lane_program *p, lane_value value, uint32_t kernel_operand)
{
    emit(p, (struct lane_instruction){
                .op = LANE_STORE, .type = LANE_NOTHING, .operand = {value}, .index = kernel_operand});
}

lane_value lane_const_bits(lane_program *p, enum lane_type type, uint64_t bits)
{
    return emit(p, (struct lane_instruction){.op = LANE_CONST, .type = type, .bits = bits});
}

lane_value lane_const(lane_program *p, enum lane_type type, double value)
{
    uint64_t bits = 0;
    switch (type) {
    case LANE_F32: {
        float f = (float)value;
        uint32_t b;
        memcpy(&b, &f, sizeof b);
        bits = b;
        break;
    }
    case LANE_F64: memcpy(&bits, &value, sizeof bits); break;
    case LANE_F16: bits = f16_of_f64(value); break;
    case LANE_I16: bits = (uint16_t)(int16_t)value; break;
    case LANE_I32: bits = (uint32_t)(int32_t)value; break;
    default: bits = (uint64_t)(int64_t)value; break;
    }
    return lane_const_bits(p, type, bits);
}

static lane_value emit_op(lane_program *p, struct lane_instruction i)
{
    i.type = lane_type_of(p, &i);
    return emit(p, i);
}

lane_value lane_unary(lane_program *p, enum lane_op op, lane_value a)
{
    return emit_op(p, (struct lane_instruction){.op = op, .operand = {a}});
}

lane_value lane_binary(lane_program *p, enum lane_op op, lane_value a, lane_value b)
{
    return emit_op(p, (struct lane_instruction){.op = op, .operand = {a, b}});
}

lane_value lane_fma(lane_program *p, lane_value a, lane_value b, lane_value c)
{
    if (!p->profile.fma) return lane_add(p, lane_mul(p, a, b), c);
    return emit_op(p, (struct lane_instruction){.op = LANE_FMA, .operand = {a, b, c}});
}

lane_value lane_floor(lane_program *p, lane_value a)
{
    const lane_value nearest = lane_unary(p, LANE_ROUND, a), one = lane_const(p, p->code[a].type, 1);
    const lane_value less = lane_sub(p, nearest, one);
    return lane_select(p, lane_less(p, a, nearest), less, nearest);
}

lane_value lane_sign_of(lane_program *p, lane_value x)
{
    const enum lane_type integer = lane_types[p->code[x].type].other_side;
    const uint64_t sign = UINT64_C(1) << (8 * lane_type_bytes(integer) - 1);
    return lane_binary(p, LANE_AND, lane_unary(p, LANE_BITCAST, x), lane_const_bits(p, integer, sign));
}

lane_value lane_times_sign(lane_program *p, lane_value y, lane_value x)
{
    const lane_value bits = lane_unary(p, LANE_BITCAST, y);
    return lane_unary(p, LANE_BITCAST, lane_binary(p, LANE_XOR, bits, lane_sign_of(p, x)));
}

lane_value lane_leading_half(lane_program *p, lane_value a)
{
    const bool is_f32 = p->code[a].type == LANE_F32;
    const lane_value mask = is_f32 ? lane_const_bits(p, LANE_I32, UINT32_MAX << 12)
                                   : lane_const_bits(p, LANE_I64, UINT64_MAX << 27);
    return lane_unary(p, LANE_BITCAST, lane_binary(p, LANE_AND, lane_unary(p, LANE_BITCAST, a), mask));
}

lane_value lane_plus_product(lane_program *p, lane_value c, lane_value a, lane_value b)
{
    if (p->profile.fma) return lane_fma(p, a, b, c);
    const lane_value ah = lane_leading_half(p, a), al = lane_sub(p, a, ah);
    const lane_value bh = lane_leading_half(p, b), bl = lane_sub(p, b, bh);
    const lane_value largest = lane_mul(p, ah, bh);
    const bool is_negated = p->code[c].op == LANE_NEG; /* saves an operation */
    lane_value sum = is_negated ? lane_sub(p, largest, p->code[c].operand[0]) : lane_add(p, largest, c);
    sum = lane_add(p, lane_add(p, sum, lane_mul(p, ah, bl)), lane_mul(p, al, bh));
    return lane_add(p, sum, lane_mul(p, al, bl));
}

lane_value lane_select(lane_program *p, lane_value condition, lane_value a, lane_value b)
{
    if (a == b) return a;
    return emit_op(p, (struct lane_instruction){.op = LANE_SELECT, .operand = {condition, a, b}});
}

lane_value lane_rarely(lane_program *p, lane_value condition, lane_value a, lane_value b)
{
    if (a == b) return a;
    return emit_op(p, (struct lane_instruction){.op = LANE_RARELY, .operand = {condition, a, b}});
}

uint32_t lane_table_add(lane_program *p, enum lane_type type, unsigned log2_size, const uint64_t *bits)
{
    size_t bytes = sizeof *bits << log2_size;
    for (uint32_t i = 0; i < p->table_count; i++)
        if (p->tables[i].type == type && p->tables[i].log2_size == log2_size &&
            !memcmp(p->tables[i].bits, bits, bytes))
            return i;
    p->tables = arena_with_room(p->memory, p->tables, p->table_count, sizeof *p->tables);
    p->tables[p->table_count] = (struct lane_table){type, log2_size, arena_copy(p->memory, bits, bytes)};
    return p->table_count++;
}

lane_value lane_lookup(lane_program *p, uint32_t table, lane_value index)
{
    return emit_op(p, (struct lane_instruction){.op = LANE_LOOKUP, .operand = {index}, .index = table});
}

lane_value lane_append(lane_program *p, const lane_program *from, struct lane_instruction i)
{
    if (i.op == LANE_LOOKUP) {
        const struct lane_table *t = &from->tables[i.index];
        i.index = lane_table_add(p, t->type, t->log2_size, t->bits);
    }
    return emit(p, i);
}

lane_value lane_inline(lane_program *p, const lane_program *piece, const lane_value *inputs)
{
    lane_value *map = arena_alloc(p->memory, piece->count * sizeof *map);
    lane_value result = inputs[0];
    for (uint32_t n = 0; n < piece->count; n++) {
        struct lane_instruction i = piece->code[n];
        for (unsigned k = 0; k < lane_ops[i.op].arity; k++) i.operand[k] = map[i.operand[k]];
        if (i.op == LANE_LOAD)
            map[n] = inputs[i.index];
        else if (i.op == LANE_STORE)
            result = i.operand[0];
        else
            map[n] = lane_append(p, piece, i);
    }
    return result;
}

bool lane_programs_are_equal(const lane_program *a, const lane_program *b)
{
    if (a->count != b->count || a->table_count != b->table_count) return false;
    for (uint32_t i = 0; i < a->count; i++)
        if (!is_same_instruction(&a->code[i], &b->code[i])) return false;
    for (uint32_t i = 0; i < a->table_count; i++) {
        const struct lane_table *t = &a->tables[i], *u = &b->tables[i];
        if (t->type != u->type || t->log2_size != u->log2_size ||
            memcmp(t->bits, u->bits, sizeof *t->bits << t->log2_size))
            return false;
    }
    return true;
}

lane_value lane_masked_scale(const lane_program *p, lane_value n)
{
    const struct lane_instruction *i = &p->code[n];
    if (i->op != LANE_SELECT || p->code[i->operand[1]].op != LANE_CONST) return 0;
    const enum lane_op op = p->code[i->operand[2]].op;
    return op == LANE_SCALE2 || op == LANE_SCALE2_FLOOR ? i->operand[2] : 0;
}
