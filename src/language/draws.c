/* Random numbers, and numbers of rows and columns. uniform(seed, offset), row(first) and col are inputs of
 * the kernel that no memory holds, so that formulas use them as they use other values. Equal calls give the
 * same numbers, so they share one input. */
#include "kernels.h"

/* Finds the operand or argument that the call names as its seed, offset or first row. Returns NULL after an
 * error, which is `message`, if it is something else. */
static const expr *counter_operand(struct program *p, struct frame *f, const struct argument *given,
                                   const char *message)
{
    const expr *e = elaborate_number(p, f, &given->value);
    if (!e) return NULL;
    const bool is_operand = e->kind == EXPR_INPUT && e->input < f->made->first;
    if (is_operand && (!f->made->kernel || f->made->kernel->operands[e->input].type == ELEMENT_U64)) return e;
    return program_fail(p, f, DIAG_SYNTAX, given->value.place, "%s", message);
}

const expr *elaborate_row(struct program *p, struct frame *f, const struct call *s)
{
    static const char message[] = "`row` takes the number of the call's first row, an operand of type u64[], "
                                  "declared as in `(x: f32, first: u64[])`";
    if (s->argument_count != 1) return program_fail(p, f, DIAG_SYNTAX, s->place, "%s", message);
    const expr *first = counter_operand(p, f, s->arguments, message);
    if (!first) return NULL;
    const struct made_input made = {.source = SOURCE_ROW, .seed = first->input, .offset = first->input};
    return made_input(p, f, s->place, &made);
}

const expr *elaborate_col(struct program *p, const struct frame *f, struct span place)
{
    return made_input(p, f, place, &(struct made_input){.source = SOURCE_COL});
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
    static const char message[] = "seeds and offsets are operands of type u64[], declared as in "
                                  "`(x: f32, seed: u64[], offset: u64[])`";
    const expr *key = counter_operand(p, f, seed, message),
               *from = key ? counter_operand(p, f, seed->next, message) : NULL;
    if (!from) return NULL;
    const struct made_input made = {.source = SOURCE_RANDOM, .seed = key->input, .offset = from->input};
    const expr *draw = made_input(p, f, s->place, &made);
    if (!draw || !is_choice) return draw;
    return expr_if(p->dag, expr_binary(p->dag, EXPR_LT, draw, p_true), expr_integer(p->dag, 1),
                   expr_integer(p->dag, 0));
}

/* Returns the inputs that the totals use. */
static uint64_t inputs_of_totals(const struct made_inputs *in)
{
    uint64_t inputs = 0;
    for (uint32_t n = 0; n < in->count; n++)
        if (in->list[n].is_total) inputs |= in->list[n].total.value->inputs;
    return inputs;
}

/* Checks that no operand counts both rows and elements. They differ where a call is divided. */
static bool check_counts(struct program *p, const struct frame *f, const struct spec_kernel *k)
{
    const struct made_inputs *in = f->made;
    for (uint32_t n = 0; n < in->count * in->count; n++) {
        const struct made_input *row = &in->list[n / in->count], *draw = &in->list[n % in->count];
        const struct spec_operand *o = &k->operands[row->offset];
        if (row->source == SOURCE_ROW && draw->source == SOURCE_RANDOM && row->offset == draw->offset)
            return program_fail(p, f, DIAG_SYNTAX, o->place,
                                "`%s` counts rows in `row(%s)`, and elements in `uniform(%s, %s)`: use an "
                                "operand for each",
                                o->name, o->name, k->operands[draw->seed].name, o->name);
    }
    return true;
}

bool check_no_arithmetic(struct program *p, const struct frame *f, const struct spec_kernel *k)
{
    const uint64_t of_totals = inputs_of_totals(f->made);
    for (uint32_t i = 0; i < k->input_count; i++)
        for (uint32_t r = 0; k->operands[i].type == ELEMENT_U64 && r < k->result_count; r++)
            if ((k->results[r].value->inputs | of_totals) >> i & 1)
                return program_fail(
                    p, f, DIAG_SYNTAX, k->operands[i].place,
                    "`%s` is u64, and in a formula of `%s` it is a number; such operands are "
                    "seeds and offsets, of uniform(seed, offset) and bernoulli(p, seed, offset), and "
                    "first rows, of row(first)",
                    k->operands[i].name, k->operands[k->results[r].operand].name);
    return check_counts(p, f, k);
}
