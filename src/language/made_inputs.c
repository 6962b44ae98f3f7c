/* Collects the inputs that no call gives while formulas are read, and gives them to the kernel. */
#include "made_inputs.h"

static bool is_same(const struct made_input *a, const struct made_input *b)
{
    const struct spec_total *t = &a->total, *u = &b->total;
    if (a->is_total != b->is_total) return false;
    return a->is_total ? t->reduction == u->reduction && t->form == u->form && t->value == u->value &&
                             t->is_detached == u->is_detached
                       : a->seed == b->seed && a->offset == b->offset;
}

uint32_t made_find(const struct made_inputs *in, const struct made_input *made)
{
    uint32_t n = 0;
    while (n < in->count && !is_same(&in->list[n], made)) n++;
    return n;
}

uint32_t made_add(struct made_inputs *in, const struct made_input *made)
{
    const uint32_t n = made_find(in, made);
    if (n < in->count) return n;
    if (n == MADE_MOST || made_is_full(in)) return MADE_MOST;
    in->list[in->count++] = *made;
    return n;
}

uint64_t made_set(const struct made_inputs *in, bool totals)
{
    uint64_t set = 0;
    for (uint32_t n = 0; n < in->count; n++)
        if (in->list[n].is_total == totals) set |= UINT64_C(1) << (in->first + n);
    return set;
}

uint32_t count_inputs(uint64_t set)
{
    uint32_t count = 0;
    for (; set; set &= set - 1) count++;
    return count;
}

bool made_is_full(const struct made_inputs *in)
{
    return in->first + in->count + in->variables >= SPEC_MAX_OPERANDS;
}

const expr *made_input(struct program *p, const struct frame *f, struct span place,
                       const struct made_input *made)
{
    struct made_inputs *in = f->made;
    const uint32_t n = made_find(in, made), most = made->is_total ? SPEC_MAX_TOTALS : SPEC_MAX_DRAWS;
    if (n == in->count) {
        if (count_inputs(made_set(in, made->is_total)) == most || made_is_full(in))
            return program_fail(p, f, DIAG_SYNTAX, place,
                                made->is_total ? "the formulas of a kernel have at most %u sums"
                                               : "a kernel draws from at most %u seeds",
                                most);
        in->list[in->count++] = *made;
    }
    return expr_input(p->dag, in->first + n);
}

/* Makes the operand that stands for uniform(seed, offset). */
static struct spec_operand drawn_operand(struct program *p, const struct spec_kernel *k, uint32_t seed,
                                         uint32_t offset)
{
    struct text name = text_new(p->memory);
    text_add(&name, "uniform(%s, %s)", k->operands[seed].name, k->operands[offset].name);
    return (struct spec_operand){.name = name.data,
                                 .type = ELEMENT_F32,
                                 .parts = 1,
                                 .place = k->place,
                                 .is_drawn = true,
                                 .seed = seed,
                                 .offset = offset};
}

void place_made_inputs(struct program *p, struct spec_kernel *k, const struct made_inputs *in, uint64_t taken,
                       uint32_t to[SPEC_MAX_OPERANDS])
{
    const uint64_t draws = taken & made_set(in, false), totals = taken & made_set(in, true);
    struct spec_operand *operands =
        arena_alloc(p->memory, (k->operand_count + count_inputs(draws)) * sizeof *operands);
    for (uint32_t i = 0; i < k->operand_count; i++) operands[i] = k->operands[i];
    k->operands = operands;
    k->totals = arena_alloc(p->memory, (count_inputs(totals) + 1) * sizeof *k->totals);
    for (uint32_t n = 0; n < in->count; n++) {
        const struct made_input *made = &in->list[n];
        if (!(draws >> (in->first + n) & 1)) continue;
        to[in->first + n] = k->operand_count + k->draw_count++;
        operands[to[in->first + n]] = drawn_operand(p, k, to[made->seed], to[made->offset]);
    }
    for (uint32_t n = 0; n < in->count; n++) {
        if (!(totals >> (in->first + n) & 1)) continue;
        to[in->first + n] = first_total(k) + k->total_count;
        k->totals[k->total_count] = in->list[n].total; /* no total uses a later one */
        k->totals[k->total_count++].value = expr_renumber(p->dag, in->list[n].total.value, to);
    }
    for (uint32_t r = 0; r < k->result_count; r++)
        k->results[r].value = expr_renumber(p->dag, k->results[r].value, to);
}

void place_all_made_inputs(struct program *p, struct spec_kernel *k, const struct made_inputs *in)
{
    uint32_t to[SPEC_MAX_OPERANDS];
    for (uint32_t i = 0; i < k->operand_count; i++) to[i] = i;
    place_made_inputs(p, k, in, ~UINT64_C(0), to);
}
