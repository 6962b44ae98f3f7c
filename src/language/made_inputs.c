/* Collects the inputs that no call gives while formulas are read, and gives them to the kernel. */
#include "made_inputs.h"

static bool is_same(const struct made_input *a, const struct made_input *b)
{
    const struct spec_total *t = &a->total, *u = &b->total;
    if (a->is_total != b->is_total || a->source != b->source) return false;
    return a->is_total ? t->reduction == u->reduction && t->form == u->form && t->block == u->block &&
                             t->value == u->value && t->is_detached == u->is_detached
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

uint64_t made_counters(const struct made_input *made)
{
    return source_has_counters(made->source) ? UINT64_C(1) << made->seed | UINT64_C(1) << made->offset : 0;
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

/* The kinds of made inputs, which share a limit. */
enum { MADE_TOTALS, MADE_DRAWS, MADE_PLACES };
static int kind_of(const struct made_input *made)
{
    return made->is_total ? MADE_TOTALS : made->source == SOURCE_RANDOM ? MADE_DRAWS : MADE_PLACES;
}

const expr *made_input(struct program *p, const struct frame *f, struct span place,
                       const struct made_input *made)
{
    static const struct {
        uint32_t most;
        const char *message;
    } limits[] = {[MADE_TOTALS] = {SPEC_MAX_TOTALS, "the formulas of a kernel have at most %u sums"},
                  [MADE_DRAWS] = {SPEC_MAX_DRAWS, "a kernel draws from at most %u seeds"},
                  [MADE_PLACES] = {SPEC_MAX_PLACES, "a kernel uses at most %u of col and row(first)"}};
    struct made_inputs *in = f->made;
    const int kind = kind_of(made);
    uint32_t n = made_find(in, made), alike = 0;
    for (uint32_t i = 0; i < in->count; i++) alike += kind_of(&in->list[i]) == kind;
    if (n == in->count) n = alike < limits[kind].most ? made_add(in, made) : MADE_MOST;
    if (n == MADE_MOST)
        return program_fail(p, f, DIAG_SYNTAX, place, limits[kind].message, limits[kind].most);
    return expr_input(p->dag, in->first + n);
}

/* Makes the operand that stands for uniform(seed, offset), row(offset) or col. */
static struct spec_operand operand_of_place(struct program *p, const struct spec_kernel *k,
                                            enum operand_source source, uint32_t seed, uint32_t offset)
{
    static const enum operand_shape shapes[] = {
        [SOURCE_RANDOM] = SHAPE_MATRIX, [SOURCE_ROW] = SHAPE_ROWS, [SOURCE_COL] = SHAPE_COLS};
    struct text name = text_new(p->memory);
    if (source == SOURCE_RANDOM)
        text_add(&name, "uniform(%s, %s)", k->operands[seed].name, k->operands[offset].name);
    else if (source == SOURCE_ROW)
        text_add(&name, "row(%s)", k->operands[offset].name);
    else
        text_add(&name, "col");
    return (struct spec_operand){.name = name.data,
                                 .type = ELEMENT_F32,
                                 .shape = shapes[source],
                                 .parts = 1,
                                 .place = k->place,
                                 .source = source,
                                 .seed = seed,
                                 .offset = offset};
}

void place_made_inputs(struct program *p, struct spec_kernel *k, const struct made_inputs *in, uint64_t taken,
                       uint32_t to[SPEC_MAX_OPERANDS])
{
    const uint64_t made_here = taken & made_set(in, false), totals = taken & made_set(in, true);
    struct spec_operand *operands =
        arena_alloc(p->memory, (k->operand_count + count_inputs(made_here)) * sizeof *operands);
    for (uint32_t i = 0; i < k->operand_count; i++) operands[i] = k->operands[i];
    k->operands = operands;
    k->totals = arena_alloc(p->memory, (count_inputs(totals) + 1) * sizeof *k->totals);
    for (uint32_t n = 0; n < 2 * in->count; n++) { /* the draws come first */
        const uint32_t own = n % in->count;
        const struct made_input *made = &in->list[own];
        if (!(made_here >> (in->first + own) & 1) || (n < in->count) != (made->source == SOURCE_RANDOM))
            continue;
        to[in->first + own] = k->operand_count + k->made_count++;
        operands[to[in->first + own]] =
            operand_of_place(p, k, made->source, to[made->seed], to[made->offset]);
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
