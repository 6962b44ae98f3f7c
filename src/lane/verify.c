/* The rules of a lane program. What passes can be run by interp/ and compiled by llvm/ without further
 * questions. */
#include "lane.h"

static int wrong(struct diag *error, const lane_program *p, uint32_t number, const char *what)
{
    return diag_set(error, DIAG_INVALID, "lane program: instruction %%%u (%s): %s", (unsigned)number,
                    p->code[number].op < LANE_OP_COUNT ? lane_ops[p->code[number].op].name : "?", what);
}

static bool is_float(enum lane_type t) { return t == LANE_F32 || t == LANE_F64; }
static bool is_integer(enum lane_type t) { return t == LANE_I32 || t == LANE_I64; }

static bool fits(uint64_t bits, enum lane_type type) { return lane_type_bytes(type) == 8 || bits >> 32 == 0; }

/* The only result type that a conversion may have; LANE_NOTHING if it cannot take `from`. */
static enum lane_type converted(enum lane_op op, enum lane_type from)
{
    static const enum lane_type other_side[LANE_TYPE_COUNT] = {LANE_I32, LANE_I64,     LANE_F32,
                                                               LANE_F64, LANE_NOTHING, LANE_NOTHING};
    switch (op) {
    case LANE_BITCAST: return other_side[from];
    case LANE_F2I: return is_float(from) ? other_side[from] : LANE_NOTHING;
    case LANE_I2F: return is_integer(from) ? other_side[from] : LANE_NOTHING;
    case LANE_IWIDEN: return from == LANE_I32 ? LANE_I64 : LANE_NOTHING;
    case LANE_INARROW: return from == LANE_I64 ? LANE_I32 : LANE_NOTHING;
    default: return LANE_NOTHING;
    }
}

static bool is_conversion(enum lane_op op)
{
    return op == LANE_BITCAST || op == LANE_F2I || op == LANE_I2F || op == LANE_IWIDEN || op == LANE_INARROW;
}

/* Does `type` suit a letter of a signature? `bound` is the type that f, i and v stand for in this row, once
 * known. */
static bool suits(char letter, enum lane_type type, enum lane_type *bound)
{
    switch (letter) {
    case 'm': return type == LANE_TRUTH;
    case 's': return type == LANE_F32;
    case 'd': return type == LANE_F64;
    case 'f':
        if (!is_float(type)) return false;
        break;
    case 'i':
        if (!is_integer(type)) return false;
        break;
    default:
        if (!is_float(type) && !is_integer(type)) return false;
        break;
    }
    if (*bound == LANE_NOTHING) *bound = type;
    return *bound == type;
}

static int check_types(const lane_program *p, uint32_t number, struct diag *error)
{
    const struct lane_instruction *i = &p->code[number];
    const struct lane_op_info *op = &lane_ops[i->op];
    enum lane_type bound = LANE_NOTHING;
    if (is_conversion(i->op)) {
        enum lane_type to = converted(i->op, p->code[i->operand[0]].type);
        if (to == LANE_NOTHING) return wrong(error, p, number, "it cannot convert an operand of this type");
        return i->type == to ? 0
                             : wrong(error, p, number, "its result type does not belong to its operand's");
    }
    if (i->op == LANE_STORE && i->type != LANE_NOTHING)
        return wrong(error, p, number, "a store has no value");
    bool own_result =
        i->op == LANE_STORE || i->op == LANE_LOOKUP; /* their results do not follow from operands */
    if (!own_result && !suits(op->signature[0], i->type, &bound))
        return wrong(error, p, number, "its result type is none that the op can have");
    for (unsigned k = 0; k < op->arity; k++)
        if (!suits(op->signature[k + 1], p->code[i->operand[k]].type, &bound))
            return wrong(error, p, number, "an operand's type does not fit the op");
    return 0;
}

static int check_table(const lane_program *p, uint32_t number, struct diag *error)
{
    const struct lane_instruction *i = &p->code[number];
    if (i->index >= p->table_count) return wrong(error, p, number, "there is no such table");
    const struct lane_table *t = &p->tables[i->index];
    if (t->log2_size > LANE_LARGEST_LOG2_TABLE)
        return wrong(error, p, number, "the table is larger than 2^12 entries");
    if (!is_float(t->type) && !is_integer(t->type))
        return wrong(error, p, number, "the table's type is no element type");
    if (i->type != t->type) return wrong(error, p, number, "its type is not the table's");
    for (uint32_t k = 0; k >> t->log2_size == 0; k++)
        if (!fits(t->bits[k], t->type))
            return wrong(error, p, number, "a table entry has more bits than its type");
    return 0;
}

static int check_shift(const lane_program *p, uint32_t number, struct diag *error)
{
    const struct lane_instruction *i = &p->code[number], *amount = &p->code[i->operand[1]];
    if (amount->op != LANE_CONST) return wrong(error, p, number, "the shift amount is not a constant");
    if (amount->bits >= 8 * lane_type_bytes(i->type))
        return wrong(error, p, number, "the shift amount is not below the width");
    return 0;
}

/* Loads and stores may not share an operand, and a result is stored once: else the order would matter. */
static int check_memory(const lane_program *p, uint32_t number, struct diag *error)
{
    const struct lane_instruction *i = &p->code[number];
    for (uint32_t n = 0; n < number; n++) {
        const struct lane_instruction *before = &p->code[n];
        if ((before->op != LANE_STORE && before->op != LANE_LOAD) || before->index != i->index) continue;
        if (before->op != i->op) return wrong(error, p, number, "the operand is both loaded and stored");
        if (i->op == LANE_STORE) return wrong(error, p, number, "the operand is stored twice");
        if (before->type != i->type) return wrong(error, p, number, "the operand is loaded as two types");
    }
    return 0;
}

static int check_instruction(const lane_program *p, uint32_t number, struct diag *error)
{
    const struct lane_instruction *i = &p->code[number];
    if ((unsigned)i->op >= LANE_OP_COUNT) return wrong(error, p, number, "there is no such op");
    for (unsigned k = 0; k < lane_ops[i->op].arity; k++)
        if (i->operand[k] >= number)
            return wrong(error, p, number, "an operand does not stand before its user");
    int status = check_types(p, number, error);
    if (status) return status;
    switch (i->op) {
    case LANE_CONST: return fits(i->bits, i->type) ? 0 : wrong(error, p, number, "more bits than its type");
    case LANE_FMA: return p->profile.fma ? 0 : wrong(error, p, number, "the profile has no fma");
    case LANE_IMULHI: return i->type == LANE_I32 ? 0 : wrong(error, p, number, "it is defined for i32 only");
    case LANE_SHL:
    case LANE_SHR:
    case LANE_SAR: return check_shift(p, number, error);
    case LANE_LOOKUP: return check_table(p, number, error);
    case LANE_LOAD:
    case LANE_STORE: return check_memory(p, number, error);
    default: return 0;
    }
}

int lane_verify(const lane_program *p, struct diag *error)
{
    bool stores = false;
    for (uint32_t n = 0; n < p->count; n++) {
        int status = check_instruction(p, n, error);
        if (status) return status;
        stores |= p->code[n].op == LANE_STORE;
    }
    return stores ? 0 : diag_set(error, DIAG_INVALID, "lane program: it stores no result");
}
