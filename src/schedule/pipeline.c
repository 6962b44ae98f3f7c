/* Cuts a lane program into stages by the latency of what leads to each instruction.
 *
 * A core executes out of order as far as its scheduler reaches: 97 waiting operations on Intel's servers
 * since Skylake, about as many on Zen. A chain of 24 operations of 4 cycles then leaves four vectors in
 * flight, and each takes 24 cycles, where the two vector ports would need 12. In stages of a few operations'
 * length the waiting is short. */
#include "pipeline.h"

static unsigned latency_of(const lane_program *p, const struct lane_instruction *i)
{
    const enum lane_type operand = lane_ops[i->op].arity ? p->code[i->operand[0]].type : i->type;
    return lane_ops[i->op].latency[lane_is_wide(operand)];
}

/* What a stage should take, and below what a program is left whole. */
enum { STAGE_CYCLES = 24, WORTH_CYCLES = 48 };

enum { FEW_REGISTERS = 16 };

static unsigned stages_for(unsigned depth)
{
    const unsigned wanted = (depth + STAGE_CYCLES - 1) / STAGE_CYCLES;
    return depth < WORTH_CYCLES ? 1 : wanted < PIPELINE_MAX_STAGES ? wanted : PIPELINE_MAX_STAGES;
}

/* Cycles until each value is there; returns the longest. */
static unsigned find_depths(uint16_t *depth, const uint8_t *uniform, const lane_program *p)
{
    unsigned longest = 0;
    for (uint32_t n = 0; n < p->count; n++) {
        const struct lane_instruction *i = &p->code[n];
        unsigned begin = 0;
        for (unsigned k = 0; k < lane_ops[i->op].arity; k++)
            if (depth[i->operand[k]] > begin) begin = depth[i->operand[k]];
        const unsigned end = uniform[n] ? 0 : begin + latency_of(p, i);
        depth[n] = (uint16_t)(end < UINT16_MAX ? end : UINT16_MAX);
        if (end > longest) longest = end;
    }
    return longest;
}

/* A loop around a few operations is mostly loop. Two vectors fill the ports better than one, four hardly
 * better than two (3 % of a piecewise GELU) at twice the compile time. Values in f64 take two registers each,
 * so that one vector of them is as good as two. */
static unsigned unroll_for(const lane_program *p, unsigned operations)
{
    bool wide = false;
    for (uint32_t n = 0; n < p->count; n++) wide = wide || p->code[n].type == LANE_F64;
    return operations <= 4 ? 4 : wide ? 1 : 2;
}

/* But for loads, stores and constants; bits that are loaded to mask registers count, of which four vectors
 * beside a comparison take more than there are. */
static unsigned count_operations(const lane_program *p, const struct pipeline_facts *facts)
{
    enum { OF_BITS = 2 };
    unsigned count = 0;
    for (uint32_t n = 0; n < p->count; n++) {
        const struct lane_instruction *i = &p->code[n];
        if (facts->uniform[n] || i->op == LANE_STORE || i->op == LANE_CONST) continue;
        const bool is_mask = i->type == LANE_TRUTH && facts->isa->mask_registers;
        count += i->op != LANE_LOAD ? 1 : is_mask ? OF_BITS : 0;
    }
    return count;
}

/* Instruction n uses value v in these stages. */
static void use(struct pipeline *l, const struct pipeline_facts *facts, uint32_t v, uint32_t n,
                unsigned stages)
{
    const bool is_latest = l->last[v] == v;
    l->made_in[v] |= (uint8_t)(facts->cheap[v] ? stages : 0);
    if (is_latest) l->last[v] = (uint16_t)n; /* wraps in programs that are left whole anyway */
    for (unsigned s = l->stages; s-- > 0;)
        if (stages >> s & 1) {
            if (s > l->last_use[v]) l->last_use[v] = (uint8_t)s;
            if (s < l->first_use[v]) l->first_use[v] = (uint8_t)s;
        }
}

/* Loads come in the first stage that uses them, stores in the last, what is cheap in each that uses it. Users
 * come before what they use. */
static void cut(struct pipeline *l, const lane_program *p, const struct pipeline_facts *facts,
                unsigned longest)
{
    for (uint32_t n = 0; n < p->count; n++) {
        const bool is_store = p->code[n].op == LANE_STORE;
        l->stage[n] = (uint8_t)(is_store ? l->stages - 1 : l->depth[n] * l->stages / (longest + 1));
        l->last_use[n] = l->made_in[n] = 0;
        l->first_use[n] = (uint8_t)(l->stages - 1);
        l->last[n] = (uint16_t)n;
    }
    for (uint32_t n = p->count; n-- > 0;) {
        const struct lane_instruction *i = &p->code[n];
        if (i->op == LANE_LOAD || facts->cheap[n]) l->stage[n] = l->first_use[n];
        if (!facts->cheap[n]) l->made_in[n] = (uint8_t)(1u << l->stage[n]);
        if (facts->cheap[n] || l->last_use[n] < l->stage[n]) l->last_use[n] = l->stage[n];
        for (unsigned k = 0; k < lane_ops[i->op].arity; k++) use(l, facts, i->operand[k], n, l->made_in[n]);
    }
}

/* -- registers -- */

/* Truth values are vectors where there are no registers for masks; constants can stay in memory, as can what
 * is uniform or cheap. */
static unsigned registers_of(const struct pipeline_facts *facts, const lane_program *p, uint32_t n)
{
    const struct lane_instruction *i = &p->code[n];
    if (facts->uniform[n] || facts->cheap[n] || i->op == LANE_CONST || i->op == LANE_STORE ||
        (i->type == LANE_TRUTH && facts->isa->mask_registers))
        return 0;
    return i->type == LANE_F64 || i->type == LANE_I64 ? 2 : 1;
}

/* The most that one vector has alive at once: what goes from turn to turn, and the busiest place of a stage.
 */
static unsigned most_alive(const struct pipeline *l, const lane_program *p,
                           const struct pipeline_facts *facts)
{
    unsigned carried = 0, most = 0;
    for (uint32_t n = 0; n < p->count; n++)
        carried += (unsigned)(l->last_use[n] - l->stage[n]) * registers_of(facts, p, n);
    for (uint32_t n = 0; n < p->count; n++) {
        unsigned alive = registers_of(facts, p, n);
        for (uint32_t v = 0; v < n; v++)
            if (l->stage[v] == l->stage[n] && l->last_use[v] == l->stage[v] && l->last[v] > n)
                alive += registers_of(facts, p, v);
        if (alive > most) most = alive;
    }
    return carried + most;
}

/* Tables of two registers cannot stay in memory: the permute writes over one of them. */
static unsigned table_registers(const lane_program *p)
{
    unsigned sum = 0;
    for (uint32_t k = 0; k < p->table_count; k++) {
        const struct lane_table *t = &p->tables[k];
        const unsigned bytes = lane_type_bytes(t->type) << t->log2_size;
        sum += bytes == 128 ? 2 : 0;
    }
    return sum;
}

bool pipeline_reads_constant(const lane_program *p, uint32_t user, uint32_t n)
{
    const unsigned class = lane_ops[p->code[user].op].class[0];
    return (class == CLASS_ADD || class == CLASS_MUL || class == CLASS_MINMAX) &&
           p->code[n].op == LANE_CONST && lane_is_float(p->code[n].type);
}

static unsigned count_constants(const lane_program *p)
{
    unsigned count = 0;
    for (uint32_t c = 0; c < p->count; c++) {
        bool is_read = false;
        for (uint32_t n = c + 1; n < p->count && p->code[c].op == LANE_CONST && !is_read; n++)
            for (unsigned k = 0; k < lane_ops[p->code[n].op].arity; k++)
                is_read = is_read || (p->code[n].operand[k] == c && pipeline_reads_constant(p, n, c));
        count += is_read;
    }
    return count;
}

/* Whether a plain loop is better off with its constants in memory, since LLVM keeps them in registers and
 * spills values: where they take half of the registers and all together would take one and a third times what
 * there is. Such loops on AVX2 take 0.55 to 1.05 of the time with constants in registers, others 0.9 to 1.6
 * of it, those with several tables 0.86 to 1.6 (actgen tune, 21 functions at 3 ulp and abs 2^-22, 2^-20,
 * 2^-10; on a Zen 3 nine).
 *
 * Loops over 16-bit elements, of which two vectors are one of memory, are worse off with crowded registers:
 * what packs them needs some, too. Those of bf16 on AVX2 take 1.031 times the best form's time by this, 1.046
 * by the rule above, and at most 1.5 of it, 2.4 above (all built-ins, 1 ulp to abs 2^-10, a Zen 4). Where
 * numbers are drawn, in f32 or bf16, constants in memory cost 1.14 to 1.26 of the time. */
static bool constants_crowd(const struct pipeline *l, const lane_program *p,
                            const struct pipeline_facts *facts)
{
    const unsigned constants = count_constants(p), registers = facts->isa->registers;
    const unsigned all = l->unroll * most_alive(l, p, facts) + constants + p->table_count;
    if (facts->draws) return false;
    if (facts->packs) return 4 * (all + p->table_count) > 5 * registers;
    return p->table_count <= 1 && 2 * (constants + p->table_count) >= registers && 3 * all > 4 * registers;
}

/* Registers, of 16 bytes at least, of what a plain loop's vectors share: constants, and tables, which are
 * loaded once. */
static unsigned shared_registers(const lane_program *p)
{
    enum { REGISTER_BYTES = 16 };
    unsigned sum = count_constants(p);
    for (uint32_t k = 0; k < p->table_count; k++) {
        const unsigned bytes = lane_type_bytes(p->tables[k].type) << p->tables[k].log2_size;
        sum += (bytes + REGISTER_BYTES - 1) / REGISTER_BYTES;
    }
    return sum;
}

/* Whether tables, of a register each, leave the values of four vectors too few: fewer tables leave enough,
 * and more are read from memory in any case. By two vectors such loops of f32 on AVX2 take 0.95 of the time
 * of four, 0.82 to 1.03 (scripts/loop_forms, 32 of 183 on a Zen 4); those of fewer or more tables 1.04
 * to 1.19 of it. */
static bool tables_crowd(const lane_program *p, const struct pipeline_facts *facts)
{
    enum { FEWEST = 3, MOST = 6 };
    return facts->isa->registers <= FEW_REGISTERS && !facts->packs && p->table_count >= FEWEST &&
           p->table_count <= MOST;
}

/* Vectors a turn of a plain loop that nothing else chose, 0: as many as unroll_for() says. */
static unsigned plain_vectors(const struct pipeline *l, const lane_program *p,
                              const struct pipeline_facts *facts)
{
    const struct target_isa *isa = facts->isa;
    /* Two pairs' counters wait for each other's rounds no longer than a stage would: four vectors take 0.90
     * to 0.96 of the time of the stages above (actgen tune --isa avx512 of GELU with dropout and stochastic
     * GELU, f32 and bf16, on a Zen 5). */
    if (facts->draws) return LOOP_MOST_UNROLL;
    if (tables_crowd(p, facts)) return isa->plain_unroll / 2;
    if (!isa->plain_alive) return isa->plain_unroll;
    const unsigned alive = most_alive(l, p, facts), shared = shared_registers(p);
    const bool is_too_much = isa->plain_unroll * alive + shared > isa->plain_alive;
    const bool one_fits = !isa->plain_alive_of_one || alive + shared <= isa->plain_alive_of_one;
    return is_too_much && one_fits ? 1 : isa->plain_unroll;
}

void pipeline_plan(struct pipeline *l, const lane_program *p, const struct pipeline_facts *facts)
{
    enum { LARGEST = 1000 };
    const struct loop_choice *wanted = &facts->wanted;
    const unsigned longest = find_depths(l->depth, facts->uniform, p), tables = table_registers(p);
    const unsigned most = facts->isa->most_alive, room = most > tables ? most - tables : 0;
    l->operations = count_operations(p, facts);
    l->unroll = wanted->unroll ? wanted->unroll : unroll_for(p, l->operations);
    if (l->unroll < facts->least_unroll) l->unroll = facts->least_unroll;
    l->worth = p->count < LARGEST ? stages_for(longest) : 1;
    l->stages = wanted->stages < l->worth && wanted->stages ? wanted->stages : l->worth;
    if (facts->draws && !wanted->stages) l->stages = 1;
    cut(l, p, facts, longest);
    while (!wanted->stages && l->stages > 1 && l->unroll * most_alive(l, p, facts) > room) {
        l->stages--;
        cut(l, p, facts, longest);
    }
    const unsigned plain = l->stages == 1 && !wanted->unroll ? plain_vectors(l, p, facts) : 0;
    if (plain && plain >= facts->least_unroll) l->unroll = plain;
    const bool in_memory = l->stages > 1 ? facts->isa->registers <= FEW_REGISTERS
                                         : facts->isa->plain_unroll && constants_crowd(l, p, facts);
    l->constants_in_memory = wanted->constants ? wanted->constants == CONSTANTS_IN_MEMORY : in_memory;
    l->constants_in_memory = l->constants_in_memory && facts->isa->memory_operands;
}

/* -- what else could be -- */

static bool is_same_loop(const struct loop_choice *a, const struct loop_choice *b)
{
    return a->stages == b->stages && a->unroll == b->unroll && a->constants == b->constants;
}

/* Four vectors a turn are for plain loops: several stages hold more values than there are registers long
 * before. */
size_t pipeline_loops(struct loop_choice *out, const struct pipeline *l, unsigned least_unroll,
                      bool has_constants)
{
    const bool in_memory = has_constants && l->constants_in_memory;
    size_t count = 0;
    out[count++] =
        (struct loop_choice){l->stages, l->unroll, in_memory ? CONSTANTS_IN_MEMORY : CONSTANTS_IN_REGISTERS};
    for (unsigned stages = 1; stages <= l->worth; stages++)
        for (unsigned unroll = least_unroll; unroll <= (stages > 1 ? 2u : LOOP_MOST_UNROLL); unroll *= 2)
            for (int memory = 0; memory <= has_constants; memory++) {
                const struct loop_choice one = {stages, unroll,
                                                memory ? CONSTANTS_IN_MEMORY : CONSTANTS_IN_REGISTERS};
                if (!is_same_loop(&one, &out[0])) out[count++] = one;
            }
    return count;
}
