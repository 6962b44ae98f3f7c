/* Lane programs as packed bytes, for caches: the number of tables, the tables, the number of instructions,
 * the instructions. Ops and types are stored as their codes, which no change of ops.def moves. Operands are
 * counted backwards from their user. The profile is not stored. */
#include "lane.h"

static unsigned constant_bytes(enum lane_type type) { return lane_is_wide(type) ? 8 : 4; }

/* Returns true if the type of the op does not follow from its operands. */
static bool has_own_type(enum lane_op op) { return !lane_ops[op].arity; }
static bool has_index(enum lane_op op) { return op == LANE_LOAD || op == LANE_STORE || op == LANE_LOOKUP; }

void lane_pack(struct text *out, const lane_program *p)
{
    bytes_add_number(out, p->table_count);
    for (uint32_t t = 0; t < p->table_count; t++) {
        const struct lane_table *table = &p->tables[t];
        bytes_add_number(out, lane_types[table->type].code);
        bytes_add_number(out, table->log2_size);
        for (uint32_t i = 0; i >> table->log2_size == 0; i++)
            bytes_add_fixed(out, table->bits[i], constant_bytes(table->type));
    }
    bytes_add_number(out, p->count);
    for (uint32_t n = 0; n < p->count; n++) {
        const struct lane_instruction *i = &p->code[n];
        bytes_add_number(out, lane_ops[i->op].code);
        if (has_own_type(i->op)) bytes_add_number(out, lane_types[i->type].code);
        if (has_index(i->op)) bytes_add_number(out, i->index);
        if (i->op == LANE_CONST) bytes_add_fixed(out, i->bits, constant_bytes(i->type));
        for (unsigned k = 0; k < lane_ops[i->op].arity; k++) bytes_add_number(out, n - i->operand[k]);
    }
}

/* Returns the type, or LANE_NOTHING if no type of numbers has this code. */
static enum lane_type type_of_code(uint64_t code)
{
    enum lane_type type = 0;
    while (type < LANE_TYPE_COUNT && (lane_types[type].code != code || !lane_is_number(type))) type++;
    return type < LANE_TYPE_COUNT ? type : LANE_NOTHING;
}

static bool unpack_tables(lane_program *p, struct bytes *b)
{
    const uint64_t count = bytes_number(b);
    for (uint64_t t = 0; t < count && !b->failed; t++) {
        const enum lane_type type = type_of_code(bytes_number(b));
        const uint64_t log2_size = bytes_number(b);
        if (type == LANE_NOTHING || log2_size > LANE_LARGEST_LOG2_TABLE) return false;
        const unsigned size = constant_bytes(type);
        if (b->left >> log2_size < size) return false;
        uint64_t *bits = arena_alloc(p->memory, sizeof *bits << log2_size);
        for (uint32_t i = 0; i >> log2_size == 0; i++) bits[i] = bytes_fixed(b, size);
        if (lane_table_add(p, type, (unsigned)log2_size, bits) != t) return false;
    }
    return !b->failed;
}

/* Returns the op, or LANE_OP_COUNT if no op has this code. */
static enum lane_op op_of_code(uint64_t code)
{
    enum lane_op op = 0;
    while (op < LANE_OP_COUNT && lane_ops[op].code != code) op++;
    return op;
}

static bool unpack_instruction(lane_program *p, struct bytes *b)
{
    struct lane_instruction i = {.type = LANE_NOTHING};
    const uint64_t code = bytes_number(b), number = p->count;
    i.op = op_of_code(code);
    if (b->failed || i.op == LANE_OP_COUNT) return false;
    if (has_own_type(i.op)) {
        i.type = type_of_code(bytes_number(b));
        if (i.type == LANE_NOTHING) return false;
    }
    if (has_index(i.op)) {
        const uint64_t index = bytes_number(b);
        if (index > UINT32_MAX || (i.op == LANE_LOOKUP && index >= p->table_count)) return false;
        i.index = (uint32_t)index;
    }
    if (i.op == LANE_CONST) i.bits = bytes_fixed(b, constant_bytes(i.type));
    for (unsigned k = 0; k < lane_ops[i.op].arity; k++) {
        const uint64_t distance = bytes_number(b);
        if (distance < 1 || distance > number) return false;
        i.operand[k] = (lane_value)(number - distance);
    }
    if (b->failed) return false;
    if (!has_own_type(i.op)) i.type = lane_type_of(p, &i);
    return lane_append(p, p, i) == number; /* a repeated instruction would get the number of the first */
}

lane_program *lane_unpack(arena *memory, const struct target_profile *profile, struct bytes *b)
{
    lane_program *p = lane_create(memory, profile);
    if (!unpack_tables(p, b)) return NULL;
    const uint64_t count = bytes_number(b);
    if (count > b->left) return NULL; /* an instruction takes at least one byte */
    for (uint64_t n = 0; n < count; n++)
        if (!unpack_instruction(p, b)) return NULL;
    return lane_verify(p, NULL) ? NULL : p;
}
