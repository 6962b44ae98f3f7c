/* Divides a lane program into stages, by the latency of the chain that leads to each instruction.
 *
 * A core executes out of order as far as its scheduler reaches: 97 waiting operations on Intel's servers
 * since Skylake, about as many on Zen. A chain of 24 operations of 4 cycles then leaves four vectors in
 * flight. Each takes 24 cycles, but the two vector ports would need only 12. In stages of a few operations'
 * length the waiting is short. */
#include "pipeline.h"
#include "rare.h"

static unsigned latency_of(const lane_program *p, const struct lane_instruction *i)
{
    const enum lane_type operand = lane_ops[i->op].arity ? p->code[i->operand[0]].type : i->type;
    return lane_ops[i->op].latency[lane_is_wide(operand)];
}

/* The cycles that a stage should take, and the cycles below which a program is not divided. */
enum { STAGE_CYCLES = 24, WORTH_CYCLES = 48 };

enum { FEW_REGISTERS = 16 };

static unsigned stages_for(unsigned depth)
{
    const unsigned wanted = (depth + STAGE_CYCLES - 1) / STAGE_CYCLES;
    return depth < WORTH_CYCLES ? 1 : wanted < PIPELINE_MAX_STAGES ? wanted : PIPELINE_MAX_STAGES;
}

/* Finds the cycles until each value is there. Returns the largest number. What is rarely needed takes no
 * time, but its operands do: the choice cannot be in an earlier stage than they are. */
static unsigned find_depths(uint16_t *depth, const struct pipeline_facts *facts, const lane_program *p)
{
    unsigned longest = 0;
    for (uint32_t n = 0; n < p->count; n++) {
        const struct lane_instruction *i = &p->code[n];
        unsigned begin = 0;
        for (unsigned k = 0; k < lane_ops[i->op].arity; k++)
            if (depth[i->operand[k]] > begin) begin = depth[i->operand[k]];
        const bool is_late = facts->rare[n] && !(facts->rare[n] & RARE_CONDITION);
        const unsigned end = facts->uniform[n] ? 0 : is_late ? begin : begin + latency_of(p, i);
        depth[n] = (uint16_t)(end < UINT16_MAX ? end : UINT16_MAX);
        if (end > longest) longest = end;
    }
    return longest;
}

/* Returns true if the vectors of a turn share the value, or if a turn rarely needs it. */
static bool is_of_turn(const struct pipeline_facts *facts, const lane_program *p, uint32_t n)
{
    return facts->uniform[n] || facts->rare[n] || p->code[n].op == LANE_CONST;
}

/* Returns true if the turn tests whether a rare choice is made. */
static bool has_tests(const lane_program *p, const struct pipeline_facts *facts)
{
    for (uint32_t n = 0; n < p->count; n++)
        if (p->code[n].op == LANE_RARELY && !is_of_turn(facts, p, n)) return true;
    return false;
}

/* Returns the number of vectors per turn. A loop around a few operations is mostly loop overhead. Two vectors
 * fill the ports better than one. Four are hardly better than two (3 % of a piecewise GELU), at twice the
 * compile time. Values in f64 take two registers each, so that one vector of them is as good as two. */
static unsigned unroll_for(const lane_program *p, const struct pipeline_facts *facts, unsigned operations)
{
    bool wide = false;
    for (uint32_t n = 0; n < p->count; n++)
        wide = wide || (p->code[n].type == LANE_F64 && !is_of_turn(facts, p, n));
    return operations <= 4 || (has_tests(p, facts) && !wide) ? 4 : wide ? 1 : 2;
}

/* Counts operations, except loads, stores and constants. A mask that is loaded into a mask register counts as
 * two. Four vectors of masks and a comparison need more mask registers than there are. */
static unsigned count_operations(const lane_program *p, const struct pipeline_facts *facts)
{
    enum { OF_BITS = 2 };
    unsigned count = 0;
    for (uint32_t n = 0; n < p->count; n++) {
        const struct lane_instruction *i = &p->code[n];
        if (facts->uniform[n] || facts->rare[n] || i->op == LANE_STORE || i->op == LANE_CONST) continue;
        const bool is_mask = i->type == LANE_TRUTH && facts->isa->mask_registers;
        count += i->op != LANE_LOAD ? 1 : is_mask ? OF_BITS : 0;
    }
    return count;
}

/* Notes that instruction n uses value v in these stages. */
static void use(struct pipeline *l, const struct pipeline_facts *facts, uint32_t v, uint32_t n,
                unsigned stages)
{
    const bool is_latest = l->last[v] == v;
    l->made_in[v] |= (uint8_t)(facts->cheap[v] ? stages : 0);
    if (is_latest) l->last[v] = (uint16_t)n; /* wraps only in programs that are not divided */
    for (unsigned s = l->stages; s-- > 0;)
        if (stages >> s & 1) {
            if (s > l->last_use[v]) l->last_use[v] = (uint8_t)s;
            if (s < l->first_use[v]) l->first_use[v] = (uint8_t)s;
        }
}

/* Divides the program into stages. What is rarely needed is in the stage that chooses. Loads are in the first
 * stage that uses them, stores in the last stage. Cheap values are in each stage that uses them. A scaled
 * value is in the stage of the choice that masks it. The loop visits users before the values that they use.
 */
static void cut_stages(struct pipeline *l, const lane_program *p, const struct pipeline_facts *facts,
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
        if (facts->rare[n]) l->stage[n] = l->stage[(facts->rare[n] & ~RARE_CONDITION) - 1];
        const bool is_masked = l->last[n] != n && lane_masked_scale(p, l->last[n]) == n;
        if (i->op == LANE_LOAD || facts->cheap[n] || is_masked) l->stage[n] = l->first_use[n];
        if (!facts->cheap[n]) l->made_in[n] = (uint8_t)(1u << l->stage[n]);
        if (facts->cheap[n] || l->last_use[n] < l->stage[n]) l->last_use[n] = l->stage[n];
        for (unsigned k = 0; k < lane_ops[i->op].arity; k++) use(l, facts, i->operand[k], n, l->made_in[n]);
    }
}

/* -- registers -- */

/* Returns the registers that a value takes. Truth values take a vector register if the set has no mask
 * registers. Constants take none, because they can stay in memory. The same is true of uniform and cheap
 * values. */
static unsigned registers_of(const struct pipeline_facts *facts, const lane_program *p, uint32_t n)
{
    const struct lane_instruction *i = &p->code[n];
    if (facts->uniform[n] || facts->cheap[n] || facts->rare[n] || i->op == LANE_CONST ||
        i->op == LANE_STORE || (i->type == LANE_TRUTH && facts->isa->mask_registers))
        return 0;
    return i->type == LANE_F64 || i->type == LANE_I64 ? 2 : 1;
}

/* Returns the most registers that one vector needs at once: for values that pass from turn to turn, and at
 * the busiest place of a stage. */
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

/* Counts the registers of tables that cannot stay in memory. These are tables of two registers, because the
 * permute overwrites one of the two. */
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

/* Returns true if a plain loop is faster with its constants in memory, because LLVM keeps constants in
 * registers and spills values. This is so if the constants take half of the registers, and everything
 * together would take one and a third times the registers. On AVX2, such loops take 0.55 to 1.05 of the time
 * with constants in registers. Other loops take 0.9 to 1.6 of it, and loops with several tables 0.86 to 1.6.
 * (actgen tune, 21 functions at 3 ulp and abs 2^-22, 2^-20, 2^-10; nine of them on a Zen 3.)
 *
 * In loops over 16-bit elements, memory holds two vectors as one. Packing them needs registers as well, so
 * full registers cost more. Loops of bf16 on AVX2 take 1.031 times the time of the best form by this second
 * rule, and 1.046 times by the rule above. The worst take 1.5 times by the second rule, and 2.4 times by the
 * one above. (All built-ins, 1 ulp to abs 2^-10, a Zen 4.)
 *
 * With random draws, in f32 or bf16, constants in memory cost 1.14 to 1.26 of the time. */
static bool constants_crowd(const struct pipeline *l, const lane_program *p,
                            const struct pipeline_facts *facts)
{
    const unsigned constants = count_constants(p), registers = facts->isa->registers;
    const unsigned all = l->unroll * most_alive(l, p, facts) + constants + p->table_count;
    if (facts->draws) return false;
    if (facts->packs) return 4 * (all + p->table_count) > 5 * registers;
    return p->table_count <= 1 && 2 * (constants + p->table_count) >= registers && 3 * all > 4 * registers;
}

static unsigned registers_of_tables(const lane_program *p, unsigned register_bytes)
{
    unsigned sum = 0;
    for (uint32_t k = 0; k < p->table_count; k++) {
        const unsigned bytes = lane_type_bytes(p->tables[k].type) << p->tables[k].log2_size;
        sum += (bytes + register_bytes - 1) / register_bytes;
    }
    return sum;
}

/* Returns the registers, of at least 16 bytes, that the vectors of a plain loop share: constants, and tables,
 * which are loaded once. */
static unsigned shared_registers(const lane_program *p)
{
    enum { REGISTER_BYTES = 16 };
    return count_constants(p) + registers_of_tables(p, REGISTER_BYTES);
}

static unsigned all_constants(const lane_program *p)
{
    unsigned count = 0;
    for (uint32_t n = 0; n < p->count; n++) count += p->code[n].op == LANE_CONST;
    return count;
}

/* Returns the constants that stand in instructions: how far a value is shifted. */
static unsigned immediate_constants(const lane_program *p)
{
    unsigned count = 0;
    for (uint32_t c = 0; c < p->count; c++) {
        bool shifts = false, other = false;
        for (uint32_t n = c + 1; n < p->count && p->code[c].op == LANE_CONST; n++)
            for (unsigned k = 0; k < lane_ops[p->code[n].op].arity; k++) {
                const bool is_amount = k == 1 && lane_ops[p->code[n].op].class[0] == CLASS_SHIFT;
                shifts = shifts || (p->code[n].operand[k] == c && is_amount);
                other = other || (p->code[n].operand[k] == c && !is_amount);
            }
        count += shifts && !other;
    }
    return count;
}

/* Returns the registers that the vectors of a turn share if its constants are in memory: tables, and the
 * constants that no operation reads from there. */
static unsigned held_registers(const lane_program *p)
{
    return p->table_count + all_constants(p) - count_constants(p);
}

/* The least registers that are shared for which the rules below were measured. */
enum { HELD = 6 };

/* The fewest tables that crowd, and the most tables that are not read from memory in any case. */
enum { FEWEST_TABLES = 3, MOST_TABLES = 6 };

/* Returns true if four vectors take more registers than there are, and one vector, with its constants in
 * memory, does not. On AVX2, such loops take 0.92 of the time that the rules of tables and constants choose,
 * 0.55 to 1.08. (scripts/loop_forms on a Zen 5: 38 of 366 in f32, 12 of 172 in f16.) A vector that does
 * not fit by itself spills less often beside others: asinh in f32 would take 1.5 times the time.
 *
 * Amounts of shifts take no registers. With two tables or fewer they are not counted: log in f32 then takes
 * 0.8 of the time. With more tables, log within 1 ulp would take 1.04 times the time, gelu 1.03, and geglu
 * 0.98. */
static bool one_vector_fits(const struct pipeline *l, const lane_program *p,
                            const struct pipeline_facts *facts)
{
    const unsigned held = held_registers(p), alive = most_alive(l, p, facts),
                   registers = facts->isa->registers,
                   amounts = p->table_count < FEWEST_TABLES ? immediate_constants(p) : 0;
    return facts->isa->memory_operands && facts->isa->plain_unroll && registers <= FEW_REGISTERS &&
           !facts->packs && !facts->draws && held >= HELD && alive + held - amounts <= registers &&
           facts->isa->plain_unroll * alive + held > registers;
}

/* Returns true if tables, each in a register, leave too few registers for the values of four vectors. Fewer
 * tables leave enough, and more tables are read from memory in any case. With two vectors, such loops of f32
 * on AVX2 take 0.95 of the time of four, 0.82 to 1.03 (scripts/loop_forms, 32 of 183 on a Zen 4). Loops of
 * fewer or more tables take 1.04 to 1.19 of it. */
static bool tables_crowd(const lane_program *p, const struct pipeline_facts *facts)
{
    return facts->isa->registers <= FEW_REGISTERS && !facts->packs && p->table_count >= FEWEST_TABLES &&
           p->table_count <= MOST_TABLES;
}

/* Returns true if a turn with tables converts its elements and shares few registers. Four vectors with their
 * constants in memory then take 0.90 of the time of two with their constants in registers, 0.82 to 0.96.
 * (scripts/loop_forms on a Zen 5: 30 of 172 in f16 on AVX2.) */
static bool tables_leave_room(const lane_program *p, const struct pipeline_facts *facts)
{
    return facts->converts && facts->isa->memory_operands && !facts->draws && tables_crowd(p, facts) &&
           held_registers(p) <= HELD;
}

/* Returns the most vectors whose values have registers at the choice: the usual result, one value that is
 * tested, what the choice needs, and the limits of the tests. On AVX2, RMSNorm takes 0.81 of the time of four
 * vectors with two, and 0.68 of that of one. A long chain of operations waits longer than spilled values do.
 * So rmsnorm_gated takes 0.87 of the time of two vectors with four (a Zen 5). */
static unsigned tested_vectors(const struct pipeline *l, const lane_program *p,
                               const struct pipeline_facts *facts)
{
    unsigned vectors = l->unroll, alive = 2, limits = 0;
    if (l->worth > 1) return vectors;
    for (uint32_t v = 0; v < p->count; v++) {
        bool is_limit = false, is_kept = false;
        for (uint32_t n = v + 1; n < p->count; n++)
            for (unsigned k = 0; k < lane_ops[p->code[n].op].arity; k++) {
                const bool is_used = p->code[n].operand[k] == v && facts->rare[n] && !facts->uniform[n];
                is_limit = is_limit || (is_used && facts->rare[n] & RARE_CONDITION);
                is_kept = is_kept || (is_used && !(facts->rare[n] & RARE_CONDITION));
            }
        if (facts->uniform[v] || p->code[v].op == LANE_CONST)
            limits += is_limit;
        else if (is_kept && !facts->rare[v])
            alive += lane_is_wide(p->code[v].type) ? 2 : 1;
    }
    while (vectors > facts->least_unroll && vectors * alive + limits > facts->isa->registers) vectors /= 2;
    return vectors;
}

/* Returns the vectors per turn of a plain loop whose values all count. 0: as many as unroll_for() says. */
static unsigned untested_vectors(const struct pipeline *l, const lane_program *p,
                                 const struct pipeline_facts *facts)
{
    const struct target_isa *isa = facts->isa;
    /* The counters of two pairs wait for each other's rounds no longer than a stage would. Four vectors take
     * 0.90 to 0.96 of the time of the stages above. (actgen tune --isa avx512 of GELU with dropout and
     * stochastic GELU, f32 and bf16, on a Zen 5.) */
    if (facts->draws) return LOOP_MOST_UNROLL;
    if (tables_leave_room(p, facts)) return isa->plain_unroll;
    if (one_vector_fits(l, p, facts)) return 1;
    if (tables_crowd(p, facts)) return isa->plain_unroll / 2;
    if (!isa->plain_alive) return isa->plain_unroll;
    const unsigned alive = most_alive(l, p, facts), shared = shared_registers(p);
    const bool is_too_much = isa->plain_unroll * alive + shared > isa->plain_alive;
    const bool one_fits = !isa->plain_alive_of_one || alive + shared <= isa->plain_alive_of_one;
    return is_too_much && one_fits ? 1 : isa->plain_unroll;
}

/* Returns the vectors per turn of a plain loop, if the caller chose none. 0: as many as unroll_for() says. */
static unsigned plain_vectors(const struct pipeline *l, const lane_program *p,
                              const struct pipeline_facts *facts)
{
    const unsigned vectors = untested_vectors(l, p, facts);
    if (facts->draws || !has_tests(p, facts)) return vectors;
    const unsigned most = tested_vectors(l, p, facts);
    return vectors && vectors < most ? vectors : most;
}

/* Returns whether a plain loop has its constants in memory, if the caller did not choose. */
static bool keeps_constants_in_memory(const struct pipeline *l, const lane_program *p,
                                      const struct pipeline_facts *facts)
{
    if (!facts->isa->plain_unroll) return false;
    return tables_leave_room(p, facts) || one_vector_fits(l, p, facts) || constants_crowd(l, p, facts);
}

/* Returns the constants for which the shortest plain loop has registers left. A few stay free for copies of
 * values that an operation overwrites. If only the constants that LLVM must not see are in memory, there is
 * room for them. */
static unsigned constants_held(struct pipeline *l, const lane_program *p, const struct pipeline_facts *facts,
                               unsigned longest)
{
    enum { FREE = 2 };
    const unsigned stages = l->stages;
    if (!l->constants_in_memory) return FREE;
    l->stages = 1;
    cut_stages(l, p, facts, longest);
    const unsigned taken = facts->least_unroll * most_alive(l, p, facts) + held_registers(p) + FREE;
    l->stages = stages;
    cut_stages(l, p, facts, longest);
    return taken < facts->isa->registers ? facts->isa->registers - taken : 0;
}

enum { NARROWING_VECTORS = 2 }; /* the fewest vectors per turn of a core's own forms */

/* Returns true if the core's own forms were measured for such loops: of f32 or from f32 to fewer bits,
 * without draws, and without sums that need several vectors. */
static bool has_core_forms(const lane_program *p, const struct pipeline_facts *facts)
{
    const struct loop_choice *w = &facts->wanted;
    for (uint32_t n = 0; n < p->count; n++)
        if (p->code[n].op == LANE_LOAD && p->code[n].type == LANE_F64) return false;
    const bool is_plain = facts->least_unroll == 1 && !facts->packs && !facts->converts;
    return facts->core->vectors && !w->stages && !w->unroll && !w->constants && !facts->draws &&
           (is_plain || (facts->narrows && facts->least_unroll <= NARROWING_VECTORS));
}

/* Returns true if the loop is pipelined because it narrows its results. The conversion makes the chain of
 * operations longer, and such a loop waits for its chain. On a Zen 5 stages take 0.66 to 1.1 of the time of
 * one stage, 0.86 in the mean. (20 kernels from f32 to bf16, e4m3, i8 and f16 on AVX-512.) */
static bool pipelines_narrowing(const struct pipeline *l, const struct pipeline_facts *facts)
{
    return facts->narrows && l->worth > 1;
}

/* Takes the form that the core prefers. */
static void take_core_form(struct pipeline *l, const lane_program *p, const struct pipeline_facts *facts,
                           unsigned longest)
{
    enum { VECTORS = 2 }; /* per turn of a pipelined loop */
    const struct target_loops *core = facts->core;
    l->stages = 1;
    cut_stages(l, p, facts, longest);
    const unsigned tables = registers_of_tables(p, facts->isa->vector_bytes);
    const unsigned taken = core->vectors * most_alive(l, p, facts) + all_constants(p) + tables;
    l->unroll = longest < core->short_chain ? core->short_vectors : core->vectors;
    const bool few = tables <= core->few_tables, narrowing = pipelines_narrowing(l, facts);
    const unsigned least = narrowing ? 0 : few ? core->long_chain : core->table_chain;
    l->constants_in_memory = narrowing || (taken > core->held && longest >= core->short_chain);
    if (!l->constants_in_memory || longest < least) return;
    l->stages = l->worth < core->most_stages ? l->worth : core->most_stages;
    cut_stages(l, p, facts, longest);
    while (!few && !narrowing && l->stages > 1 && VECTORS * most_alive(l, p, facts) + tables > core->held) {
        l->stages--;
        cut_stages(l, p, facts, longest);
    }
    if (l->stages > 1) l->unroll = VECTORS;
}

void pipeline_plan(struct pipeline *l, const lane_program *p, const struct pipeline_facts *facts)
{
    enum { LARGEST = 1000 };
    const struct loop_choice *wanted = &facts->wanted;
    const unsigned longest = find_depths(l->depth, facts, p), tables = table_registers(p);
    const unsigned most = facts->isa->most_alive, room = most > tables ? most - tables : 0;
    l->operations = count_operations(p, facts);
    l->unroll = wanted->unroll ? wanted->unroll : unroll_for(p, facts, l->operations);
    if (l->unroll < facts->least_unroll) l->unroll = facts->least_unroll;
    l->worth = p->count < LARGEST ? stages_for(longest) : 1;
    l->stages = wanted->stages < l->worth && wanted->stages ? wanted->stages : l->worth;
    if (facts->draws && !wanted->stages) l->stages = 1;
    cut_stages(l, p, facts, longest);
    while (!wanted->stages && l->stages > 1 && l->unroll * most_alive(l, p, facts) > room) {
        l->stages--;
        cut_stages(l, p, facts, longest);
    }
    const unsigned plain = l->stages == 1 && !wanted->unroll ? plain_vectors(l, p, facts) : 0;
    if (plain && plain >= facts->least_unroll) l->unroll = plain;
    const bool in_memory =
        l->stages > 1 ? facts->isa->registers <= FEW_REGISTERS : keeps_constants_in_memory(l, p, facts);
    l->constants_in_memory = wanted->constants ? wanted->constants == CONSTANTS_IN_MEMORY : in_memory;
    if (has_core_forms(p, facts)) take_core_form(l, p, facts, longest);
    l->constants_in_memory = l->constants_in_memory && facts->isa->memory_operands;
    l->holds = constants_held(l, p, facts, longest);
}

/* -- other forms -- */

static bool is_same_loop(const struct loop_choice *a, const struct loop_choice *b)
{
    return a->stages == b->stages && a->unroll == b->unroll && a->constants == b->constants;
}

/* Only plain loops have forms of four vectors per turn. Several stages need more values than there are
 * registers long before that. */
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
