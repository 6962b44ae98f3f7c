/* Makes one lane program of several, which compute as many vectors. Their instructions take turns. So the
 * compiled loop has work while a vector waits for its chain of operations. Compilers do not let vectors take
 * turns, and a processor does it only as far as its scheduler reaches. */
#include "several.h"

/* The least cycles of a chain with which loops take several vectors. Two ports could begin 150 operations
 * meanwhile, and a scheduler holds about a hundred (schedule/pipeline.c). On a Zen 5, such loops take 0.74 to
 * 0.95 of their former time, and GELU, with 72 cycles, gains nothing (scripts/source_times). */
enum { LEAST = 75 };

/* Returns the cycles of the longest chain of operations. */
static unsigned longest_chain(arena *memory, const lane_program *p)
{
    unsigned *end = arena_alloc(memory, p->count * sizeof *end), longest = 0;
    for (uint32_t n = 0; n < p->count; n++) {
        const struct lane_instruction *i = &p->code[n];
        for (unsigned k = 0; k < lane_ops[i->op].arity; k++)
            if (end[i->operand[k]] > end[n]) end[n] = end[i->operand[k]];
        end[n] += lane_ops[i->op].latency[lane_is_wide(i->type)];
        if (end[n] > longest) longest = end[n];
    }
    return longest;
}

unsigned source_several_count(arena *memory, struct source_form form, const lane_program *p)
{
    const unsigned at_once = form.is_wide ? 0 : form.style->at_once;
    for (uint32_t n = 0; n < p->count; n++)
        if (p->code[n].op == LANE_RARELY) return 1;
    return at_once && longest_chain(memory, p) >= LEAST ? at_once : 1;
}

struct source_several source_several_of(arena *memory, const lane_program *p, const uint8_t *low_bits,
                                        unsigned count, uint32_t operand_count)
{
    const uint32_t room = count * p->count;
    lane_program *out = arena_alloc(memory, sizeof *out);
    uint8_t *known = arena_alloc(memory, room);
    lane_value *numbers = arena_alloc(memory, room * sizeof *numbers); /* By vector and value. */
    *out = *p;
    out->code = arena_alloc(memory, room * sizeof *out->code);
    out->count = 0;
    for (uint32_t n = 0; n < p->count; n++)
        for (unsigned v = 0; v < count; v++) {
            struct lane_instruction i = p->code[n];
            lane_value *own = numbers + v * p->count;
            own[n] = v && i.op == LANE_CONST ? numbers[n] : out->count;
            if (own[n] < out->count) continue;
            for (unsigned k = 0; k < lane_ops[i.op].arity; k++) i.operand[k] = own[i.operand[k]];
            if (i.op == LANE_LOAD || i.op == LANE_STORE) i.index += v * operand_count;
            known[out->count] = low_bits[n];
            out->code[out->count++] = i;
        }
    return (struct source_several){out, known};
}
