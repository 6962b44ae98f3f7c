/* Makes gradient kernels: from the operands of a kernel and d_<result> for each of its results, they
 * compute d_<operand>. */
#include "gradient.h"
#include "language.h"
#include "nearest.h"

#include <string.h>

/* Returns the kernel whose gradient is declared, or NULL after an error. */
static struct spec_kernel *gradient_of(struct program *p, const struct frame *f, const struct declaration *d)
{
    struct target t = program_resolve(p, d->source, d->target, true);
    if (t.kind == TARGET_KERNEL) return make_kernel(p, t.declaration);
    if (t.kind == TARGET_FUNCTION || t.kind == TARGET_ELEMENTARY)
        return make_function_kernel(p, d->target, t);
    return program_fail(p, f, DIAG_SYNTAX, d->target_place, "unknown kernel `%.64s`%s", d->target,
                        program_advice(p, f, d->target, false, true, true));
}

static bool has_gradient(const struct spec_operand *o)
{
    return o->type != ELEMENT_U64 && !element_is_bit(o->type);
}

/* Marks the inputs that the `of` list names, or all inputs if there is no list. Returns their number, 0
 * after an error. */
static uint32_t choose_inputs(struct program *p, const struct frame *f, const struct declaration *d,
                              const struct spec_kernel *of, bool *chosen)
{
    uint32_t count = 0;
    const char *names[SPEC_MAX_OPERANDS];
    for (uint32_t i = 0; i < of->input_count; i++) names[i] = spec_operand_name(p->memory, &of->operands[i]);
    for (const struct syntax_name *n = d->of; n; n = n->next) {
        uint32_t i = 0;
        while (i < of->input_count && strcmp(names[i], n->name) != 0) i++;
        const char *near = nearest_name(n->name, names, of->input_count);
        if (i == of->input_count) {
            program_fail(p, f, DIAG_SYNTAX, n->place,
                         near ? "`%s` has no input `%.64s`; did you mean `%s`?" : "`%s` has no input `%.64s`",
                         d->target, n->name, near);
            return 0;
        }
        const bool has_one = has_gradient(&of->operands[i]);
        if (chosen[i] || !has_one) {
            program_fail(p, f, DIAG_SYNTAX, n->place,
                         has_one ? "`%s` is named twice"
                         : element_is_bit(of->operands[i].type)
                             ? "`%s` is a mask, and has no gradient"
                             : "`%s` is a seed or an offset, and has no gradient",
                         n->name);
            return 0;
        }
        const struct spec_operand *first = &of->operands[i];
        const uint32_t values = operand_is_list(first->shape, first->layout) ? first->parts : 1;
        for (uint32_t end = i + values; i < end; i++) chosen[i] = true;
        count += values;
    }
    for (uint32_t i = 0; !d->of && i < of->input_count; i++) {
        chosen[i] = has_gradient(&of->operands[i]);
        count += chosen[i];
    }
    if (!count)
        program_fail(p, f, DIAG_SYNTAX, d->target_place, "`%s` has no input with a gradient", d->target);
    return count;
}

static bool check_size(struct program *p, const struct frame *f, const struct declaration *d)
{
    if (expr_dag_full(p->dag) || p->steps + p->calculus.steps > PROGRAM_MAX_STEPS)
        return program_fail(p, f, DIAG_SYNTAX, d->place,
                            "too large: with this gradient the spec has more than %d operations",
                            SPEC_MAX_NODES);
    return true;
}

/* Returns the inputs that the gradient uses, directly or by totals. */
static uint64_t used_inputs(const struct making *m)
{
    uint64_t used = 0;
    for (uint32_t i = 0; i < m->of->input_count; i++)
        if (m->chosen[i]) used |= m->values[i]->inputs;
    for (uint32_t n = m->made.count; n-- > m->of->made_count;)
        if (used >> (m->made.first + n) & 1) used |= m->made.list[n].total.value->inputs;
    return used;
}

/* Adds the results d_<input> in the layouts of the inputs. If only some parts of an operand are chosen,
 * each becomes an operand of its own. */
static void add_results(struct program *p, const struct making *m, struct spec_kernel *k,
                        struct name_map *names)
{
    const struct spec_kernel *of = m->of;
    uint32_t r = 0, group = k->operands[k->input_count - 1].group;
    for (uint32_t first = 0; first < of->input_count; first += of->operands[first].parts) {
        const uint32_t parts = of->operands[first].parts;
        bool whole = true;
        for (uint32_t i = first; i < first + parts; i++) whole = whole && m->chosen[i];
        for (uint32_t i = first; i < first + parts; i++) {
            if (!m->chosen[i]) continue;
            group += !whole || i == first;
            struct spec_operand o = derivative_operand(p, m->d, names, &of->operands[i], group);
            if (m->is_of_rows[i]) o.reduction = REDUCE_NONE;
            if (!whole) {
                o.layout = LAYOUT_SEPARATE;
                o.part = 0;
                o.parts = 1;
            }
            k->operands[k->input_count + r] = o;
            k->results[r++].value = m->values[i];
        }
    }
}

static bool is_taken(const struct making *m, uint32_t input) { return m->taken >> input & 1; }

/* Returns true if an operand that is taken keeps its meaning. Of other operands the gradients arrive. */
static bool is_own(const struct making *m, uint32_t i) { return i < m->of->input_count || i == m->mask; }

/* Chooses the operands that the gradient kernel takes: all except masks, which have no gradient. If a mask
 * replaces its condition, only the inputs that are still needed. */
static void take_operands(struct making *m)
{
    const struct spec_kernel *of = m->of;
    const uint64_t used = used_inputs(m);
    m->taken = used & made_set(&m->made, true);
    for (uint32_t i = 0; i < first_total(of); i++) {
        const bool is_input = i < of->input_count || i >= of->operand_count;
        const bool is_kept = is_input ? m->mask == NO_MASK || used >> i & 1
                                      : i == m->mask || !element_is_bit(of->operands[i].type);
        if (is_kept) m->taken |= UINT64_C(1) << i;
    }
    for (uint32_t n = 0; n < of->made_count; n++)
        if (is_taken(m, m->made.first + n)) m->taken |= made_counters(&m->made.list[n]);
    /* An operand is taken with all its parts or not at all. */
    for (uint32_t i = 0; i < of->operand_count; i++)
        for (uint32_t k = 0; is_taken(m, i) && k < of->operands[i].parts; k++)
            m->taken |= UINT64_C(1) << (i - of->operands[i].part + k);
}

static void *refuse_sums(struct program *p, const struct frame *f, const struct declaration *d)
{
    return program_fail(
        p, f, DIAG_SYNTAX, d->target_place,
        "`%s` has too many operands and sums for a gradient: each sum counts as three, to %d in all",
        d->target, SPEC_MAX_OPERANDS);
}

/* Makes the kernel that takes the chosen operands of `of`, then d_<result>, and computes d_<input>. */
static struct spec_kernel *with_operands(struct program *p, const struct frame *f, struct making *m,
                                         uint32_t count)
{
    const struct spec_kernel *of = m->of;
    if (m->is_full) return refuse_sums(p, f, m->d);
    const uint32_t made_count = count_inputs(m->taken & made_set(&m->made, false)),
                   total_count = count_inputs(m->taken & made_set(&m->made, true));
    uint32_t inputs = 0, group = UINT32_MAX;
    for (uint32_t i = 0; i < of->operand_count; i++)
        if (is_taken(m, i)) m->number[i] = inputs++;
    if (total_count > SPEC_MAX_TOTALS)
        return program_fail(p, f, DIAG_NOT_YET, m->d->place,
                            "the gradient would have %u sums in its formulas, and a kernel has at most %d",
                            total_count, SPEC_MAX_TOTALS);
    if (inputs + count + made_count + 2 * total_count > SPEC_MAX_OPERANDS)
        return program_fail(p, f, DIAG_SYNTAX, m->d->place,
                            "the gradient would have more than %d operands; each sum counts as two",
                            SPEC_MAX_OPERANDS);
    struct spec_kernel *k = new_kernel(p, m->d, inputs, inputs + count);
    struct name_map names = name_map_new(p->memory);
    for (uint32_t i = 0; i < of->operand_count; i++)
        if (is_taken(m, i) && is_own(m, i)) keep_name(p, &names, &of->operands[i]);
    for (uint32_t i = 0; i < of->operand_count; i++) {
        const struct spec_operand *o = &of->operands[i];
        if (!is_taken(m, i)) continue;
        group += o->part == 0;
        struct spec_operand *own = &k->operands[m->number[i]];
        *own = is_own(m, i) ? *o : derivative_operand(p, m->d, &names, o, group);
        own->place = m->d->place;
        own->reduction = REDUCE_NONE;
        own->group = group;
    }
    add_results(p, m, k, &names);
    place_made_inputs(p, k, &m->made, m->taken, m->number);
    /* The gradient has the bound of its kernel. */
    k->bound = of->bound;
    return k;
}

static struct spec_kernel *from_inputs(struct program *p, const struct frame *f, const struct declaration *d,
                                       const struct spec_kernel *of, const bool *chosen, uint32_t count)
{
    struct making m = {.d = d, .of = of, .chosen = chosen, .mask = NO_MASK};
    find_gradients(p, &m);
    take_operands(&m);
    return with_operands(p, f, &m, count);
}

/* -- from a mask: a result that says where a condition held, by which the derivative chooses -- */

/* Returns the condition for which the result is 1, or NULL if the result is no mask. */
static const expr *condition_of(const expr *e) { return spec_is_condition(e) ? e->operand[0] : NULL; }

/* Returns true if one condition holds exactly where the other one does not, for numbers other than NaN. */
static bool are_opposite(const expr *a, const expr *b)
{
    if (a->kind == EXPR_NOT || b->kind == EXPR_NOT)
        return (a->kind == EXPR_NOT && a->operand[0] == b) || (b->kind == EXPR_NOT && b->operand[0] == a);
    const bool are_orders =
        (a->kind == EXPR_LT && b->kind == EXPR_LE) || (a->kind == EXPR_LE && b->kind == EXPR_LT);
    return are_orders && a->operand[0] == b->operand[1] && a->operand[1] == b->operand[0];
}

struct replacing {
    /* The condition, and the formulas that take its place where it holds and where it fails. */
    const expr *condition, *holds, *fails;
};

static const expr *by_mask(void *context, expr_dag *dag, const expr *e, const expr *const *operand)
{
    const struct replacing *r = context;
    if (e == r->condition) return r->holds;
    if (expr_is_truth(e) && are_opposite(e, r->condition)) return r->fails;
    return expr_arity(e->kind) ? expr_rebuild(dag, e, operand) : e;
}

/* Makes the kernel that computes d_<input> from the mask, the gradients of the other results and the inputs
 * that the derivative needs besides the condition. */
static struct spec_kernel *from_mask(struct program *p, const struct frame *f, const struct declaration *d,
                                     const struct spec_kernel *of, const bool *chosen, uint32_t count,
                                     uint32_t result)
{
    struct making m = {.d = d, .of = of, .chosen = chosen, .mask = of->input_count + result};
    const expr *mask = expr_input(p->dag, m.mask), *zero = expr_integer(p->dag, 0);
    struct replacing r = {.condition = condition_of(of->results[result].value)};
    bool is_used = false;
    r.fails = expr_binary(p->dag, EXPR_EQ, mask, zero);
    r.holds = expr_unary(p->dag, EXPR_NOT, r.fails);
    find_gradients(p, &m);
    for (uint32_t i = 0; i < of->input_count; i++) {
        if (!chosen[i]) continue;
        m.values[i] = expr_transform(p->dag, m.values[i], by_mask, &r);
        is_used = is_used || expr_depends(m.values[i], m.mask);
    }
    if (!is_used)
        return program_fail(p, f, DIAG_SYNTAX, d->from_place,
                            "the gradient of `%s` does not choose by the condition that `%s` is made of",
                            d->target, d->from);
    take_operands(&m);
    struct spec_kernel *k = with_operands(p, f, &m, count);
    /* The interval is of inputs that this kernel may lack. */
    if (k) k->bound.has_interval = false;
    return k;
}

/* -- from the result -- */

static bool check_from(struct program *p, const struct frame *f, const struct declaration *d,
                       const struct spec_kernel *of)
{
    const char *names[SPEC_MAX_OPERANDS];
    bool found = false;
    for (uint32_t i = 0; i < of->result_count; i++) {
        names[i] = of->operands[of->input_count + i].name;
        found = found || !strcmp(names[i], d->from);
    }
    const char *near = found ? NULL : nearest_name(d->from, names, of->result_count);
    if (!found)
        return program_fail(
            p, f, DIAG_SYNTAX, d->from_place,
            near ? "`%s` has no result `%.64s`; did you mean `%s`?"
                 : "`%s` has no result `%.64s`; `from` names the result that takes the input's place",
            d->target, d->from, near);
    if (of->input_count == 1 && of->result_count == 1) return true;
    return program_fail(p, f, DIAG_SYNTAX, d->from_place,
                        "`from` is for kernels of one input and one result; `%s` has %u and %u", d->target,
                        of->input_count, of->result_count);
}

/* Makes the kernel that computes d_<input> from the result of `of` and d_<result>. */
static struct spec_kernel *from_result(struct program *p, const struct frame *f, const struct declaration *d,
                                       const struct spec_kernel *of)
{
    if (!check_from(p, f, d, of)) return NULL;
    const char *problem = NULL;
    const expr *derivative = derivative_from_result(p->dag, of->results[0].value, &problem);
    if (!derivative)
        return program_fail(p, f, DIAG_SYNTAX, d->from_place, "`%s` has no gradient from its result: %s",
                            d->target, problem);
    struct spec_kernel *k = new_kernel(p, d, 2, 3);
    k->operands[0] = of->operands[1];
    k->operands[0].group = 0;
    k->operands[0].place = d->place;
    struct name_map names = name_map_new(p->memory);
    keep_name(p, &names, &of->operands[1]);
    k->operands[1] = derivative_operand(p, d, &names, &of->operands[1], 1);
    k->operands[2] = derivative_operand(p, d, &names, &of->operands[0], 2);
    const expr *value = times_slope(p->dag, expr_input(p->dag, 1), derivative);
    k->results[0].value = value ? value : expr_integer(p->dag, 0);
    k->bound = of->bound;
    /* The interval is of the input, which this kernel lacks. */
    k->bound.has_interval = false;
    return k;
}

/* Makes the gradient that `d` declares, of the kernel `of`. */
static struct spec_kernel *declared_gradient(struct program *p, const struct frame *f,
                                             const struct declaration *d, const struct spec_kernel *of)
{
    bool chosen[SPEC_MAX_OPERANDS] = {false};
    const uint32_t count = choose_inputs(p, f, d, of, chosen);
    if (!count || !check_reductions(p, f, d, of) || !check_no_blocks(p, f, d, of)) return NULL;
    of = with_totals_of_rows(p, of);
    if (!of) return refuse_sums(p, f, d);
    uint32_t from = 0;
    while (d->from && from < of->result_count && strcmp(of->operands[of->input_count + from].name, d->from))
        from++;
    const bool is_mask = d->from && from < of->result_count && condition_of(of->results[from].value);
    struct spec_kernel *k = is_mask   ? from_mask(p, f, d, of, chosen, count, from)
                            : d->from ? from_result(p, f, d, of)
                                      : from_inputs(p, f, d, of, chosen, count);
    return k && program_has_slopes(p, f, d->place) && check_size(p, f, d) && check_guards(p, f, k, d->place)
               ? k
               : NULL;
}

struct spec_kernel *make_gradient(struct program *p, struct declaration *d)
{
    struct frame f = {.source = d->source};
    const struct spec_kernel *of = gradient_of(p, &f, d);
    return of ? declared_gradient(p, &f, d, of) : NULL;
}

/* -- of a finished kernel: the declaration stands in no text -- */

static const struct syntax_name *names_of(arena *memory, const char *const *of, size_t count)
{
    const struct syntax_name *first = NULL;
    while (count--) {
        struct syntax_name *name = arena_alloc(memory, sizeof *name);
        *name = (struct syntax_name){.name = of[count], .next = (struct syntax_name *)first};
        first = name;
    }
    return first;
}

int spec_gradient(struct spec **out, arena *memory, const struct spec *s, const struct spec_kernel *kernel,
                  const char *const *of, size_t count, struct diag *error)
{
    struct spec *both = spec_copy_kernel(memory, s, kernel);
    const struct source source = {.file = both->file, .text = both->text};
    const struct frame f = {.source = &source};
    struct diag diag = {0};
    struct program p = {.memory = memory, .dag = both->dag, .error = &diag};
    struct text name = text_new(memory);
    text_add(&name, "%s_backward", kernel->name);
    const struct declaration d = {.kind = DECLARE_GRADIENT,
                                  .source = &source,
                                  .name = name.data,
                                  .summary = "",
                                  .target = both->kernels->name,
                                  .of = names_of(memory, of, count)};
    const struct spec_kernel *made = declared_gradient(&p, &f, &d, both->kernels);
    *out = made ? both : NULL;
    if (!made) return diag_set(error, diag.status, "%s", diag.message); /* without a place */
    struct spec_kernel *kernels = arena_alloc(memory, 2 * sizeof *kernels);
    kernels[0] = both->kernels[0];
    kernels[1] = *made;
    both->kernels = kernels;
    both->kernel_count = 2;
    return DIAG_OK;
}
