/* The tables of ops and of lane types, and the types that an op's signature allows. */
#include "lane.h"

#include <string.h>

const struct lane_type_info lane_types[LANE_TYPE_COUNT] = {
#define TYPE(enumerator, code, name, bytes, kind, other_side)                                                \
    [enumerator] = {name, code, bytes, LANE_IS_##kind, other_side},
    LANE_TYPES(TYPE)
#undef TYPE
};

const struct lane_op_info lane_ops[LANE_OP_COUNT] = {
#define OP(enumerator, code, name, signature, class, wide_class, operations, latency, wide_latency, nan,     \
           exactness)                                                                                        \
    [enumerator] = {#name,                                                                                   \
                    code,                                                                                    \
                    sizeof signature - 2,                                                                    \
                    signature,                                                                               \
                    {CLASS_##class, CLASS_##wide_class},                                                     \
                    operations,                                                                              \
                    {latency, wide_latency},                                                                 \
                    LANE_NAN_##nan,                                                                          \
                    LANE_EXACT_##exactness},
#include "ops.def"
#undef OP
};

/* Returns the type that a letter always means, or LANE_NOTHING if there is none. */
static enum lane_type fixed_type(char letter)
{
    static const char letters[] = {
        [LANE_F32] = 's', [LANE_F64] = 'd', [LANE_I32] = 'j',   [LANE_I64] = 'l',    [LANE_F16] = 'h',
        [LANE_I16] = 'k', [LANE_I8] = 'b',  [LANE_TRUTH] = 'm', [LANE_NOTHING] = '-'};
    enum lane_type type = LANE_F32;
    while (type < LANE_NOTHING && letters[type] != letter) type++;
    return type;
}

/* Returns true if the letter stands for one of several types. */
static bool stands_for_types(char letter) { return letter && strchr("fignv", letter) != NULL; }

bool lane_type_suits(enum lane_type type, char letter)
{
    const enum lane_kind kind = lane_types[type].kind;
    return letter == 'f'                   ? kind == LANE_IS_FLOAT
           : letter == 'i'                 ? kind == LANE_IS_INTEGER
           : letter == 'g'                 ? kind == LANE_IS_FLOAT && lane_type_bytes(type) > 2
           : letter == 'n'                 ? kind == LANE_IS_INTEGER && lane_type_bytes(type) > 2
           : strchr("vwt", letter) != NULL ? kind != LANE_IS_NO_NUMBER
                                           : type == fixed_type(letter);
}

enum lane_type lane_type_that_chooses(const lane_program *p, const struct lane_instruction *i)
{
    const struct lane_op_info *op = &lane_ops[i->op];
    if (op->signature[0] == 't') return p->tables[i->index].type;
    for (unsigned k = 0; k < op->arity; k++)
        if (stands_for_types(op->signature[k + 1])) return p->code[i->operand[k]].type;
    return p->code[i->operand[0]].type;
}

bool lane_op_has_type(enum lane_op op, enum lane_type type)
{
    const char *letters = lane_ops[op].signature, *open = letters + strcspn(letters, "fignvt");
    return lane_type_suits(type, *open ? *open : letters[1]);
}

enum lane_type lane_type_of(const lane_program *p, const struct lane_instruction *i)
{
    const char letter = lane_ops[i->op].signature[0];
    const enum lane_type chosen = lane_type_that_chooses(p, i);
    return letter == 'w'                               ? lane_types[chosen].other_side
           : stands_for_types(letter) || letter == 't' ? chosen
                                                       : fixed_type(letter);
}
