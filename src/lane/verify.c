/* Checks the rules of a lane program. interp/ can run a program that passes, and llvm/ can compile it,
 * without further checks. */
#include "lane.h"

#include <string.h>

static int wrong(struct diag *error, const lane_program *p, uint32_t number, const char *what)
{
    return diag_set(error, DIAG_INVALID, "lane program: instruction %%%u (%s): %s", (unsigned)number,
                    p->code[number].op < LANE_OP_COUNT ? lane_ops[p->code[number].op].name : "?", what);
}

static bool fits(uint64_t bits, enum lane_type type)
{
    return lane_type_bytes(type) == 8 || bits >> 8 * lane_type_bytes(type) == 0;
}

static int check_table(const lane_program *p, uint32_t number, struct diag *error)
{
    const struct lane_instruction *i = &p->code[number];
    if (i->index >= p->table_count) return wrong(error, p, number, "there is no such table");
    const struct lane_table *t = &p->tables[i->index];
    if (t->log2_size > LANE_LARGEST_LOG2_TABLE)
        return wrong(error, p, number, "the table is larger than 2^12 entries");
    if (!lane_is_number(t->type)) return wrong(error, p, number, "the table's type is no element type");
    for (uint32_t k = 0; k >> t->log2_size == 0; k++)
        if (!fits(t->bits[k], t->type))
            return wrong(error, p, number, "a table entry has more bits than its type");
    return 0;
}

/* Checks types. Open letters of a signature stand for one type. The index of a lookup is an exception. It may
 * be a byte only if the table has bytes. */
static int check_types(const lane_program *p, uint32_t number, struct diag *error)
{
    const struct lane_instruction *i = &p->code[number];
    const struct lane_op_info *op = &lane_ops[i->op];
    const bool reads_table = op->signature[0] == 't';
    if (!op->arity)
        return lane_is_number(i->type) || (i->op == LANE_LOAD && i->type == LANE_TRUTH)
                   ? 0
                   : wrong(error, p, number, "its result type is none that the op can have");
    if (op->signature[0] == '-' && i->type != LANE_NOTHING)
        return wrong(error, p, number, "a store has no value");
    const enum lane_type chosen = lane_type_that_chooses(p, i);
    for (unsigned k = 0; k < op->arity; k++) {
        const enum lane_type type = p->code[i->operand[k]].type;
        const char letter = op->signature[k + 1];
        if (reads_table && type == LANE_I8 && chosen == LANE_I8) continue;
        if (i->op == LANE_STORE && type == LANE_TRUTH) continue; /* stores to bits */
        if (!lane_type_suits(type, letter) || (!reads_table && strchr("fignv", letter) && type != chosen))
            return wrong(error, p, number, "an operand's type does not fit the op");
    }
    if (i->type == lane_type_of(p, i)) return 0;
    return wrong(error, p, number,
                 reads_table ? "its type is not the table's"
                             : "its result type does not belong to its operands'");
}

static int check_shift(const lane_program *p, uint32_t number, struct diag *error)
{
    const struct lane_instruction *i = &p->code[number], *amount = &p->code[i->operand[1]];
    if (amount->op != LANE_CONST) return wrong(error, p, number, "the shift amount is not a constant");
    if (amount->bits >= 8 * lane_type_bytes(i->type))
        return wrong(error, p, number, "the shift amount is not below the width");
    return 0;
}

/* Checks loads and stores. They may not share an operand, and a result is stored once, because otherwise the
 * order would matter. */
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
    if (lane_type_bytes(i->type) == 2 && !p->profile.lookup_f16)
        return wrong(error, p, number, "the profile has no arithmetic on f16");
    if (i->type == LANE_I8 && !p->profile.lookup_i8)
        return wrong(error, p, number, "the profile has no tables of bytes");
    int status = i->op == LANE_LOOKUP ? check_table(p, number, error) : 0;
    if (!status) status = check_types(p, number, error);
    if (status) return status;
    switch (i->op) {
    case LANE_CONST: return fits(i->bits, i->type) ? 0 : wrong(error, p, number, "more bits than its type");
    case LANE_FMA: return p->profile.fma ? 0 : wrong(error, p, number, "the profile has no fma");
    case LANE_SHL:
    case LANE_SHR:
    case LANE_SAR: return check_shift(p, number, error);
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
