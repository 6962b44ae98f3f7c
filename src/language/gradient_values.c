/* Finds what arrives at the inputs and totals of a kernel, by the chain rule. */
#include "gradient.h"

const expr *times_slope(expr_dag *dag, const expr *d, const expr *derivative)
{
    if (expr_is_number(derivative, 0, 1)) return NULL;
    if (expr_is_number(derivative, 1, 1)) return d;
    if (derivative->kind == EXPR_NEG && expr_is_number(derivative->operand[0], 1, 1))
        return expr_unary(dag, EXPR_NEG, d);
    return expr_binary(dag, EXPR_MUL, d, derivative);
}

static struct made_inputs made_inputs_of(const struct spec_kernel *k)
{
    struct made_inputs made = {.first = k->operand_count};
    for (const struct spec_operand *o = k->operands + made.first; made.count < k->made_count; o++)
        made.list[made.count++] =
            (struct made_input){.source = o->source, .seed = o->seed, .offset = o->offset};
    for (uint32_t n = 0; n < k->total_count; n++)
        made.list[made.count++] = (struct made_input){.is_total = true, .total = k->totals[n]};
    return made;
}

const struct spec_kernel *with_totals_of_rows(struct program *p, const struct spec_kernel *kernel)
{
    struct spec_kernel *k = arena_copy(p->memory, kernel, sizeof *k);
    struct made_inputs made = made_inputs_of(kernel);
    k->operands = arena_copy(p->memory, k->operands, first_total(k) * sizeof *k->operands);
    k->results = arena_copy(p->memory, k->results, k->result_count * sizeof *k->results);
    for (uint32_t r = 0; r < k->result_count; r++) {
        struct spec_operand *o = &k->operands[k->results[r].operand];
        if (!o->reduction || o->shape != SHAPE_ROWS) continue;
        const struct made_input total = total_described(o->reduction, 0, k->results[r].value);
        const uint32_t n = made_add(&made, &total);
        if (n == MADE_MOST) return NULL;
        k->results[r].value = expr_input(p->dag, made.first + n);
        o->reduction = REDUCE_NONE;
    }
    k->total_count = made.count - k->made_count;
    k->totals = arena_alloc(p->memory, (k->total_count + 1) * sizeof *k->totals);
    for (uint32_t n = 0; n < k->total_count; n++) k->totals[n] = made.list[k->made_count + n].total;
    return k->total_count > SPEC_MAX_TOTALS ? NULL : k;
}

/* Adds to `sum`, which may be NULL, the gradient `d` that arrives at the formula `of` times the derivative
 * of `of` by the input. Where choices leave a total out, 0 arrives there. It counts as 0 even where the
 * derivative is infinite or NaN. */
static const expr *with_term(struct program *p, const expr *sum, const expr *of, const expr *d,
                             bool is_chosen, uint32_t input)
{
    if (!d || !expr_depends(of, input)) return sum;
    const expr *slope = derivative_of(&p->calculus, p->dag, of, expr_input(p->dag, input)),
               *zero = expr_integer(p->dag, 0);
    const expr *term = times_slope(p->dag, d, slope);
    if (term && is_chosen && !expr_is_constant(slope))
        term = expr_if(p->dag, expr_binary(p->dag, EXPR_EQ, d, zero), zero, term);
    return term && sum ? expr_binary(p->dag, EXPR_ADD, sum, term) : term ? term : sum;
}

/* Returns the sum over the results r of d_r * (derivative of r by the input), or NULL if nothing arrives. The
 * results are those with one value per row, or all others. Masks have no d_r. */
static const expr *from_results(struct program *p, const struct making *m, uint32_t input, bool of_rows)
{
    const struct spec_kernel *of = m->of;
    const expr *sum = NULL;
    for (uint32_t r = 0; r < of->result_count; r++) {
        const struct spec_operand *o = &of->operands[of->input_count + r];
        if (!element_is_bit(o->type) && (o->shape == SHAPE_ROWS) == of_rows)
            sum = with_term(p, sum, of->results[r].value, expr_input(p->dag, of->input_count + r), false,
                            input);
    }
    return sum;
}

/* Adds to `sum`, which may be NULL, what arrives at the input by total n, whose share is known. The slope of
 * a square is a product, which keeps its bound in f32. */
static const expr *with_total(struct program *p, const struct making *m, const expr *sum, uint32_t n,
                              uint32_t input)
{
    const struct spec_total *t = &m->of->totals[n];
    const expr *share = m->share[n], *of = total_summand(p->dag, t);
    if (share && t->form == SUMMAND_SQUARE) {
        of = t->value;
        share =
            expr_binary(p->dag, EXPR_MUL, share, expr_binary(p->dag, EXPR_MUL, expr_integer(p->dag, 2), of));
    }
    return with_term(p, sum, of, share, m->is_chosen[n], input);
}

/* Returns what arrives at the input from each element: by its results, and by its summands in the totals
 * whose shares are known. Each element has its part of a sum over the rows, and d_r arrives there whole. */
static const expr *from_elements(struct program *p, const struct making *m, uint32_t input)
{
    const expr *sum = from_results(p, m, input, false);
    for (uint32_t n = 0; n < m->of->total_count; n++) sum = with_total(p, m, sum, n, input);
    return sum;
}

/* Returns a part of a gradient as an f32. A slope that is a choice or a sum in f32 stays one. */
static const expr *rounded_part(struct program *p, const struct spec_kernel *k, const expr *e)
{
    if (!formula_is_wide(p, k, e)) return e;
    const expr *slope = e->kind == EXPR_MUL ? e->operand[1] : e;
    const bool is_value = slope->kind == EXPR_IF || slope->kind == EXPR_ADD || slope->kind == EXPR_SUB;
    if (is_value && !formula_is_wide(p, k, slope))
        e = expr_binary(p->dag, EXPR_MUL, e->operand[0], expr_cast(p->dag, ELEMENT_F32, slope));
    return expr_cast(p->dag, ELEMENT_F32, e);
}

static const expr *sum_of_terms(struct program *p, const expr *a, const expr *b)
{
    return a && b ? expr_binary(p->dag, EXPR_ADD, a, b) : a ? a : b;
}

/* Returns what arrives at input i from each element. If a part comes by totals and the gradient is no f64,
 * each part is rounded to f32 before they are added up, as frameworks add up gradients. In f64, the
 * conversions of each element would take longer than its arithmetic. */
static const expr *at_input(struct program *p, const struct making *m, uint32_t i)
{
    const bool is_rounded = m->of->operands[i].type != ELEMENT_F64;
    const expr *sum = from_results(p, m, i, false);
    for (uint32_t n = 0; n < m->of->total_count; n++) {
        const expr *part = with_total(p, m, NULL, n, i);
        if (part && sum && is_rounded) part = rounded_part(p, m->of, part), sum = rounded_part(p, m->of, sum);
        sum = sum_of_terms(p, sum, part);
    }
    return sum;
}

static const expr *add_total(struct program *p, struct making *m, enum operand_reduction reduction,
                             const expr *value)
{
    const struct made_input total = total_described(reduction, 0, value);
    const uint32_t n = made_add(&m->made, &total);
    m->is_full = m->is_full || n == MADE_MOST;
    return n == MADE_MOST ? expr_integer(p->dag, 0) : expr_input(p->dag, m->made.first + n);
}

/* Adds the total of a value, where factors that the row shares are taken out of the sum. */
static const expr *add_product(struct program *p, struct making *m, enum operand_reduction reduction,
                               const expr *value)
{
    const expr *of_row = NULL, *of_elements = divide_in_row(p, m->of, value, &of_row);
    const expr *sum = add_total(p, m, reduction, of_elements);
    return of_row ? expr_times(p->dag, of_row, expr_cast(p->dag, ELEMENT_F64, sum)) : sum;
}

/* Divides what arrives once per row equally among the columns. */
static const expr *per_column(struct program *p, struct making *m, const expr *of_row)
{
    const expr *columns = add_total(p, m, REDUCE_SUM, expr_integer(p->dag, 1));
    return expr_binary(p->dag, EXPR_DIV, of_row, columns);
}

/* Finds the share of each element in the gradient that arrives at total n: in all columns, and at results
 * with one value per row. The rules are in reductions.def. Elements that are picked together get equal
 * parts, as in PyTorch's amax. */
static void find_share(struct program *p, struct making *m, uint32_t n)
{
    const struct spec_total *t = &m->of->totals[n];
    const expr *total = expr_input(p->dag, first_total(m->of) + n), *zero = expr_integer(p->dag, 0);
    const expr *each = from_elements(p, m, total->input), *once = from_results(p, m, total->input, true);
    if ((!each && !once) || t->is_detached) return;
    m->is_chosen[n] = (each && expr_has_outer_choice(each)) || (once && expr_has_outer_choice(once));
    const unsigned rule = reductions[t->reduction].gradient;
    const bool is_mean = rule == GRADIENT_MEAN_TO_EACH;
    if (each) each = add_product(p, m, is_mean ? REDUCE_MEAN : REDUCE_SUM, each);
    if (once && is_mean) once = per_column(p, m, once);
    m->share[n] = sum_of_terms(p, each, once);
    if (rule != GRADIENT_TO_PICKED) return;
    const expr *is_picked = expr_binary(p->dag, EXPR_EQ, total_summand(p->dag, t), total);
    const expr *count =
        add_total(p, m, REDUCE_SUM, expr_if(p->dag, is_picked, expr_integer(p->dag, 1), zero));
    m->share[n] = expr_if(p->dag, is_picked, expr_binary(p->dag, EXPR_DIV, m->share[n], count), zero);
}

/* Finds the gradient of input i. An input with one value per row has all that arrives once per row, and the
 * total of what arrives at elements. Such an input is an operand of its own. Other inputs have the gradient
 * of an element, so what arrives once per row is divided among the columns. */
static void find_value(struct program *p, struct making *m, uint32_t i)
{
    const expr *each = at_input(p, m, i), *once = from_results(p, m, i, true);
    m->is_of_rows[i] = m->of->operands[i].shape == SHAPE_ROWS && once;
    if (m->is_of_rows[i])
        each = sum_of_terms(p, each ? add_total(p, m, REDUCE_SUM, each) : NULL, once);
    else if (once)
        each = sum_of_terms(p, each, per_column(p, m, once));
    m->values[i] = each ? each : expr_integer(p->dag, 0);
}

/* Finds the shares from the last total to the first, because no total uses a later one. Then finds the
 * gradients of the inputs. */
void find_gradients(struct program *p, struct making *m)
{
    m->made = made_inputs_of(m->of);
    for (uint32_t n = m->of->total_count; n-- > 0;) find_share(p, m, n);
    for (uint32_t i = 0; i < m->of->input_count; i++)
        if (m->chosen[i]) find_value(p, m, i);
}
