/* Random numbers in formulas. uniform(seed, offset) is an input of the kernel that no memory holds, so that
 * formulas use it as they use other values. Calls with the same seed and offset give the same numbers, so
 * they share one input. */
#include "program.h"

/* Finds the operand or argument that the call names as its seed or offset. Returns NULL after an error, if
 * it is something else. */
static const expr *counter_operand(struct program *p, struct frame *f, const struct argument *given)
{
    const expr *e = elaborate_number(p, f, &given->value);
    if (!e) return NULL;
    const bool is_operand = e->kind == EXPR_INPUT && e->input < p->operands;
    if (is_operand && (!p->kernel || p->kernel->operands[e->input].type == ELEMENT_U64)) return e;
    return program_fail(p, f, DIAG_SYNTAX, given->value.place,
                        "seeds and offsets are operands of type u64[], declared as in `(x: f32, seed: u64[], "
                        "offset: u64[])`");
}

/* Returns the input that holds the draws of this seed and offset. */
static const expr *draw_of(struct program *p, const struct frame *f, const struct call *s, uint32_t seed,
                           uint32_t offset)
{
    uint32_t n = 0;
    while (n < p->draw_count && (p->draws[n].seed != seed || p->draws[n].offset != offset)) n++;
    if (n == p->draw_count) {
        if (n == PROGRAM_MAX_DRAWS || program_names(p) >= SPEC_MAX_OPERANDS)
            return program_fail(p, f, DIAG_SYNTAX, s->place, "a kernel draws from at most %d seeds",
                                PROGRAM_MAX_DRAWS);
        p->draws[p->draw_count++] = (struct draw){seed, offset};
    }
    return expr_input(p->dag, p->operands + n);
}

const expr *elaborate_draw(struct program *p, struct frame *f, const struct call *s, bool is_choice)
{
    if (s->argument_count != (is_choice ? 3 : 2))
        return program_fail(p, f, DIAG_SYNTAX, s->place,
                            "`%s` is called as %s, where seed and offset are operands of type u64[]; here "
                            "%s %u argument%s",
                            s->name, is_choice ? "bernoulli(p, seed, offset)" : "uniform(seed, offset)",
                            s->argument_count == 1 ? "is" : "are", s->argument_count,
                            s->argument_count == 1 ? "" : "s");
    const struct argument *seed = is_choice ? s->arguments->next : s->arguments;
    const expr *p_true = is_choice ? elaborate_number(p, f, &s->arguments->value) : NULL;
    if (is_choice && !p_true) return NULL;
    const expr *key = counter_operand(p, f, seed), *from = key ? counter_operand(p, f, seed->next) : NULL;
    const expr *draw = from ? draw_of(p, f, s, key->input, from->input) : NULL;
    if (!draw || !is_choice) return draw;
    return expr_if(p->dag, expr_binary(p->dag, EXPR_LT, draw, p_true), expr_integer(p->dag, 1),
                   expr_integer(p->dag, 0));
}

void begin_draws(struct program *p, const struct spec_kernel *kernel, uint32_t operands)
{
    p->kernel = kernel;
    p->operands = operands;
    p->draw_count = p->total_count = 0;
}

/* Makes the operand that stands for uniform(seed, offset). */
static struct spec_operand drawn_operand(struct program *p, const struct spec_kernel *k, struct draw d)
{
    struct text name = text_new(p->memory);
    text_add(&name, "uniform(%s, %s)", k->operands[d.seed].name, k->operands[d.offset].name);
    struct spec_operand o = plain_operand(name.data, 0, k->place);
    o.is_drawn = true;
    o.seed = d.seed;
    o.offset = d.offset;
    return o;
}

void add_draws(struct program *p, struct spec_kernel *k, const struct draw *draws, uint32_t count)
{
    struct spec_operand *all = arena_alloc(p->memory, (k->operand_count + count) * sizeof *all);
    for (uint32_t i = 0; i < k->operand_count; i++) all[i] = k->operands[i];
    for (uint32_t i = 0; i < count; i++) all[k->operand_count + i] = drawn_operand(p, k, draws[i]);
    k->operands = all;
    k->draw_count = count;
}

static bool is_in_totals(const struct program *p, uint32_t input)
{
    bool found = false;
    for (uint32_t n = 0; n < p->total_count; n++) found = found || expr_depends(p->totals[n].value, input);
    return found;
}

bool check_no_arithmetic(struct program *p, const struct frame *f, const struct spec_kernel *k)
{
    for (uint32_t i = 0; i < k->input_count; i++)
        for (uint32_t r = 0; k->operands[i].type == ELEMENT_U64 && r < k->result_count; r++)
            if (expr_depends(k->results[r].value, i) || is_in_totals(p, i))
                return program_fail(
                    p, f, DIAG_SYNTAX, k->operands[i].place,
                    "`%s` is u64, and in a formula of `%s` it is a number; such operands are "
                    "seeds and offsets, of uniform(seed, offset) and bernoulli(p, seed, offset)",
                    k->operands[i].name, k->operands[k->results[r].operand].name);
    return true;
}
