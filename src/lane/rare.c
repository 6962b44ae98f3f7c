/* Finds the part of a program that only a rare choice needs. Users stand after their operands, so one walk
 * from the end knows all users of a value before it meets the value. */
#include "rare.h"

/* Stands for a value whose users do not belong to the same choice. */
static const uint32_t ALWAYS = UINT32_MAX;

static bool is_same_in_lanes(const uint8_t *uniform, const lane_program *p, uint32_t n)
{
    return (uniform && uniform[n]) || p->code[n].op == LANE_CONST;
}

int rare_limit(const uint8_t *uniform, const lane_program *p, uint32_t comparison)
{
    const lane_value *operand = p->code[comparison].operand;
    const bool first = is_same_in_lanes(uniform, p, operand[0]),
               second = is_same_in_lanes(uniform, p, operand[1]);
    return first == second ? -1 : second;
}

/* Returns true if instruction n, whose users belong to `owner`, belongs to it as well. */
static bool is_part(const uint8_t *uniform, const lane_program *p, uint32_t n, uint32_t owner)
{
    const enum lane_op op = p->code[n].op;
    if (!owner || owner == ALWAYS || op == LANE_LOAD || is_same_in_lanes(uniform, p, n)) return false;
    if (!(owner & RARE_CONDITION)) return true;
    return op == LANE_MOR || (op == LANE_ILT && rare_limit(uniform, p, n) >= 0);
}

/* Returns the choice to which instruction n gives operand k. */
static uint32_t owner_of_operand(const uint32_t *rare, const lane_program *p, uint32_t n, unsigned k,
                                 bool is_choice)
{
    if (is_choice) return k == 0 ? (n + 1) | RARE_CONDITION : k == 1 ? n + 1 : ALWAYS;
    if (rare[n] & RARE_CONDITION) return p->code[n].op == LANE_MOR ? rare[n] : ALWAYS;
    return rare[n] ? rare[n] : ALWAYS;
}

void find_rare(uint32_t *rare, const uint8_t *uniform, const lane_program *p)
{
    for (uint32_t n = 0; n < p->count; n++) rare[n] = 0;
    for (uint32_t n = p->count; n-- > 0;) {
        const struct lane_instruction *i = &p->code[n];
        if (!is_part(uniform, p, n, rare[n])) rare[n] = 0;
        const bool is_choice = i->op == LANE_RARELY && !(uniform && uniform[n]) && !rare[n];
        for (unsigned k = 0; k < lane_ops[i->op].arity; k++) {
            const uint32_t owner = owner_of_operand(rare, p, n, k, is_choice);
            uint32_t *of = &rare[i->operand[k]];
            *of = !*of || *of == owner ? owner : ALWAYS;
        }
    }
}
