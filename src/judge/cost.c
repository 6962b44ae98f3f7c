/* The cost of a program on a core: the ports for which its micro-ops compete, and a little for the front end.
 * The cost only ranks plans. */
#include "cost.h"
#include "rare.h"

struct load {
    double of_set[PORT_SETS]; /* micro-ops that may use any port of the set, and no other port */
    double uops;
};

static void add_uops(struct load *l, const struct target_uops *uops, double times)
{
    for (int i = 0; i < 2; i++) {
        l->of_set[uops[i].ports] += (double)uops[i].count * times;
        if (uops[i].ports != DIVIDER) l->uops += (double)uops[i].count * times;
    }
}

/* Returns whether this is the first f32 lookup with its index. */
static bool makes_index(const lane_program *p, uint32_t n)
{
    if (p->code[n].op != LANE_LOOKUP || lane_type_bytes(p->code[n].type) != 4) return false;
    for (uint32_t m = 0; m < n; m++)
        if (p->code[m].op == LANE_LOOKUP && p->code[m].operand[0] == p->code[n].operand[0]) return false;
    return true;
}

/* Adds a lookup. A table too large for one permute costs a lookup for each part, and the blends between the
 * parts. */
static void add_lookup(struct load *l, const lane_program *p, const struct lane_instruction *i,
                       const struct target_costs *c, double times)
{
    const bool wide = lane_is_wide(i->type);
    const bool half = lane_type_bytes(i->type) == 2;
    const unsigned cheap = wide                 ? p->profile.lookup_f64
                           : half               ? p->profile.lookup_f16
                           : i->type == LANE_I8 ? p->profile.lookup_i8
                                                : p->profile.lookup_f32;
    const struct target_uops *part = half ? c->lookup_f16 : c->op[wide ? CLASS_LOOKUP64 : CLASS_LOOKUP32];
    const unsigned entries = 1u << p->tables[i->index].log2_size;
    const bool is_small = !wide && !half && entries <= c->small_table;
    if (is_small) part = c->small_lookup;
    unsigned parts = 1;
    while (cheap && cheap * parts < entries) parts *= 2;
    add_uops(l, part, times * parts);
    add_uops(l, c->op[CLASS_SELECT], times * (parts - 1));
}

/* Finds the last operation that uses each value. There is none for a constant, which the next turn of a loop
 * uses again. */
static void find_last_uses(uint32_t *last, const lane_program *p)
{
    for (uint32_t n = 0; n < p->count; n++)
        for (unsigned k = 0; k < lane_ops[p->code[n].op].arity; k++) last[p->code[n].operand[k]] = n;
    for (uint32_t n = 0; n < p->count; n++)
        if (p->code[n].op == LANE_CONST) last[n] = UINT32_MAX;
}

static bool is_binary_logic(const struct lane_instruction *i)
{
    return i->op == LANE_AND || i->op == LANE_OR || i->op == LANE_XOR;
}

/* Marks the logic operations that become part of the operation that uses their value. */
static void mark_absorbed(bool *absorbed, const lane_program *p)
{
    uint32_t *uses = arena_alloc(p->memory, p->count * sizeof *uses);
    for (uint32_t n = 0; n < p->count; n++)
        for (unsigned k = 0; k < lane_ops[p->code[n].op].arity; k++) uses[p->code[n].operand[k]]++;
    for (uint32_t n = 0; n < p->count; n++) {
        if (!is_binary_logic(&p->code[n])) continue;
        bool full = false; /* it has three operands already */
        for (unsigned k = 0; k < 2 && !full; k++) {
            const uint32_t m = p->code[n].operand[k];
            bool inner = false;
            for (unsigned j = 0; j < 2; j++) inner |= absorbed[p->code[m].operand[j]];
            if (!is_binary_logic(&p->code[m]) || uses[m] != 1 || inner) continue;
            absorbed[m] = full = true;
        }
    }
}

/* Returns the largest load of any set of ports: the micro-ops confined to the set, divided by the set's
 * size. */
static double worst_set(const struct load *l)
{
    double worst = 0;
    for (unsigned set = 1; set < PORT_SETS; set++) {
        double confined = 0;
        unsigned size = 0;
        for (unsigned part = 1; part < PORT_SETS; part++)
            if ((part & ~set) == 0) confined += l->of_set[part];
        for (unsigned bits = set; bits; bits &= bits - 1) size++;
        if (confined > worst * size) worst = confined / size;
    }
    return worst;
}

unsigned plan_log2_entries(const struct target_profile *profile, const struct target_costs *costs, unsigned i)
{
    unsigned most = 0, small = 0;
    while (2u << most <= profile->lookup_f32) most++;
    while (2u << small <= costs->small_table) small++;
    if (i == 0) return most;
    return i == 1 && small < most ? small : 0;
}

bool plan_lookup_is_dear(const struct target_costs *costs)
{
    static const float permutes = 2;
    const struct target_uops *lookup = costs->op[CLASS_LOOKUP32];
    const float operation =
        /* More than one micro-op on a core that processes vectors in passes. */
        costs->op[CLASS_ADD][0].count;
    return lookup[0].count + lookup[1].count > permutes * operation;
}

bool plan_scale_is_one(const struct target_costs *costs)
{
    return costs->op[CLASS_SCALE][0].count <= 2 * costs->op[CLASS_ADD][0].count;
}

/* Returns whether an instruction is computed only if a rare choice is made. */
static bool is_seldom(uint32_t rare) { return rare && !(rare & RARE_CONDITION); }

double plan_cost(const lane_program *p, const struct target_costs *costs)
{
    struct load l = {{0}, 0};
    bool *absorbed = arena_alloc(p->memory, p->count * sizeof *absorbed);
    uint32_t *rare = arena_alloc(p->memory, p->count * sizeof *rare);
    uint32_t *last = arena_alloc(p->memory, p->count * sizeof *last);
    find_last_uses(last, p);
    find_rare(rare, NULL, p);
    if (costs->ternary_logic) mark_absorbed(absorbed, p);
    if (plan_scale_is_one(costs))
        for (uint32_t n = 0; n < p->count; n++) absorbed[n] |= lane_masked_scale(p, n) != 0;
    for (uint32_t n = 0; n < p->count; n++) {
        const struct lane_instruction *i = &p->code[n];
        const enum lane_type operand = lane_ops[i->op].arity ? p->code[i->operand[0]].type : i->type;
        const bool wide = lane_is_wide(operand) || lane_is_wide(i->type);
        const enum target_class class = lane_ops[i->op].class[wide];
        if (class == CLASS_NONE || absorbed[n] || is_seldom(rare[n])) continue;
        const bool whole = class == CLASS_WIDEN || class == CLASS_NARROW; /* counted for both halves */
        const bool half = lane_type_bytes(operand) == 2 || lane_type_bytes(i->type) == 2;
        const double vectors = wide && !whole ? 2
                               : half         ? 0.5
                                      /* The number of vectors for as many lanes as a vector has of f32. */
                                      : 1;
        const double times = vectors * lane_ops[i->op].operations;
        if (i->op == LANE_FMA && last[i->operand[2]] != n) add_uops(&l, costs->addend_copy, times);
        if (makes_index(p, n)) add_uops(&l, costs->lookup_index, times);
        if (i->op == LANE_LOOKUP)
            add_lookup(&l, p, i, costs, times);
        else
            add_uops(&l, costs->op[class], times);
    }
    return worst_set(&l) + (double)costs->per_uop * l.uops;
}
