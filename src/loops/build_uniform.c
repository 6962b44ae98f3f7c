/* Values that are the same in all columns. If rows differ in them, they are computed as scalars, and only
 * what loops use is put into all lanes. The time of short rows is mostly that of these values: 16 columns of
 * RMSNorm take 0.86 of the time that whole vectors take. */
#include "build_loops.h"

static bool is_small(enum lane_type type)
{
    return lane_is_number(type) && lane_type_bytes(type) < lane_type_bytes(LANE_F32);
}

/* Returns true if the op has a scalar form on all sets. Operands in memory and tables are vectors. Numbers of
 * 8 and 16 bits are converted by instructions for vectors. */
static bool has_scalar_form(const lane_program *p, uint32_t n)
{
    const struct lane_instruction *i = &p->code[n];
    bool has = i->op != LANE_LOAD && i->op != LANE_LOOKUP && lane_ops[i->op].exactness != LANE_EXACT_HALVES &&
               !is_small(i->type);
    for (unsigned k = 0; k < lane_ops[i->op].arity; k++) has = has && !is_small(p->code[i->operand[k]].type);
    return has;
}

/* Makes the form of value n that `values` has, from its other form. */
static void give_form(struct build *b, LLVMValueRef *values, uint32_t n)
{
    if (values[n]) return;
    values[n] =
        values == b->row_values ? splat_value(b, b->row_scalars[n], b->lanes) : lane_0(b, b->row_values[n]);
}

static void give_operands(struct build *b, LLVMValueRef *values, uint32_t n)
{
    const struct lane_instruction *i = &b->program->code[n];
    for (unsigned k = 0; k < lane_ops[i->op].arity; k++) give_form(b, values, i->operand[k]);
}

/* Computes instruction n: as a scalar if it has that form and rows differ in it. */
static void build_value(struct build *b, uint32_t n)
{
    const bool is_scalar = b->uniform[n] == PER_ROW && has_scalar_form(b->program, n);
    const unsigned lanes = b->lanes;
    b->values = is_scalar ? b->row_scalars : b->row_values;
    give_operands(b, b->values, n);
    if (is_scalar) set_lanes(b, 0);
    b->values[n] = build_op(b, n);
    if (is_scalar) set_lanes(b, lanes);
}

void build_uniform(struct build *b, const struct loops *l, enum uniformity which)
{
    const lane_program *p = b->program;
    for (uint32_t k = 0; k < b->stream_count; k++)
        if (uniformity_of(b->streams[k].operand) == which)
            *moved(b, b->streams[k].name, 0) = load_uniform(b, &b->streams[k], l->data[k]);
    if (which == ONCE) hold_tables(b);
    for (uint32_t n = 0; n < p->count; n++) {
        const bool is_constant = which == ONCE && p->code[n].op == LANE_CONST;
        if (!is_constant && b->uniform[n] != which) continue;
        b->row_values[n] = b->row_scalars[n] = NULL;
        if (p->code[n].op == LANE_LOAD)
            b->row_values[n] = *moved(b, p->code[n].index, 0);
        else
            build_value(b, n);
    }
    for (uint32_t user = 0; user < p->count; user++)
        for (unsigned k = 0; b->uniform[user] == VARIES && k < lane_ops[p->code[user].op].arity; k++)
            if (b->uniform[p->code[user].operand[k]] == which)
                give_form(b, b->row_values, p->code[user].operand[k]);
}
