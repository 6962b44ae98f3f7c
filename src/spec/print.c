/* Prints kernels as canonical text. A formula that is used more than once becomes a local value, so that
 * the text is as small as the DAG. */
#include "spec.h"

#include <math.h>
#include <string.h>

/* Prints the shortest decimal number that reads back the same, or 2^n where that is shorter. */
static void print_double(struct text *out, double value)
{
    char digits[DOUBLE_TEXT_SIZE];
    int exponent;
    double_text(digits, value, 1);
    if (frexp(fabs(value), &exponent) == 0.5 && strlen(digits) > 6 && value > 0) {
        text_add(out, "2^%d", exponent - 1);
    } else {
        text_add(out, "%s", digits);
    }
}

static void print_bound(struct text *out, const struct spec_bound *bound)
{
    if (bound->kind == BOUND_DEFAULT) return;
    text_add(out, bound->kind == BOUND_ABS ? "    accuracy abs " : "    accuracy ");
    print_double(out, bound->value);
    if (bound->kind == BOUND_ULP) text_add(out, " ulp%s", bound->flush ? " flush" : "");
    if (bound->has_interval) {
        text_add(out, " on [");
        print_double(out, bound->low);
        text_add(out, ", ");
        print_double(out, bound->high);
        text_add(out, "]");
    }
    text_add(out, "\n");
}

static void print_operands(struct text *out, const struct spec_operand *operands, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++) {
        const struct spec_operand *o = &operands[i];
        const bool is_list = operand_is_list(o->shape, o->layout);
        bool grouped = o->layout != LAYOUT_SEPARATE && !is_list, last = !grouped || o->part + 1 == o->parts;
        const char *between = o->part == 0 ? (i ? ", " : "") : o->layout == LAYOUT_PACKED ? " | " : ", ";
        if (is_list && o->part) continue;
        text_add(out, "%s%s%s", between, grouped && o->part == 0 ? "[" : "",
                 spec_operand_name(out->memory, o));
        if (last)
            text_add(out, "%s: %s%s", grouped ? "]" : "", element_types[o->type].name,
                     spec_shape_text(out->memory, o));
    }
}

/* Returns a name t1, t2, ... that no operand has. */
static const char *new_local(arena *memory, const struct spec_kernel *k, uint32_t *number)
{
    for (;;) {
        struct text t = text_new(memory);
        text_add(&t, "t%u", ++*number);
        bool taken = false;
        for (uint32_t i = 0; i < k->operand_count; i++) taken = taken || !strcmp(k->operands[i].name, t.data);
        if (!taken) return t.data;
    }
}

/* Counts how often each node is used over all results, by id. *top is one more than the largest id. */
static uint32_t *count_uses(arena *memory, const struct spec_kernel *k, uint32_t *top)
{
    *top = 0;
    for (uint32_t r = 0; r < k->result_count; r++)
        if (k->results[r].value->id >= *top) *top = k->results[r].value->id + 1;
    const expr **nodes = arena_alloc(memory, *top * sizeof *nodes);
    for (uint32_t r = 0; r < k->result_count; r++) {
        uint32_t count;
        const expr **below = expr_walk(memory, k->results[r].value, &count);
        for (uint32_t i = 0; i < count; i++) nodes[below[i]->id] = below[i];
    }
    uint32_t *uses = arena_alloc(memory, *top * sizeof *uses);
    for (uint32_t id = 0; id < *top; id++)
        for (unsigned i = 0; nodes[id] && i < expr_arity(nodes[id]->kind); i++)
            uses[nodes[id]->operand[i]->id]++;
    for (uint32_t r = 0; r < k->result_count; r++) uses[k->results[r].value->id]++;
    return uses;
}

/* Returns true if the formula is long enough to become a local value. Conditions cannot be local values. */
static bool worth_a_name(const expr *e)
{
    if (expr_is_truth(e)) return false;
    for (unsigned i = 0; i < expr_arity(e->kind); i++)
        if (expr_arity(e->operand[i]->kind) > 0) return true;
    return false;
}

/* Returns the inputs that the results need, directly or by draws, numbers of rows and totals. These are
 * inputs, too, with numbers after those of the operands. */
static uint64_t needed_inputs(const struct spec_kernel *k)
{
    const uint32_t first_total = k->operand_count + k->made_count;
    uint64_t needed = 0;
    for (uint32_t r = 0; r < k->result_count; r++) needed |= k->results[r].value->inputs;
    for (uint32_t n = k->total_count; n-- > 0;)
        if (needed >> (first_total + n) & 1) needed |= k->totals[n].value->inputs;
    for (uint32_t i = k->operand_count; i < first_total; i++)
        if (needed >> i & 1 && source_has_counters(k->operands[i].source))
            needed |= UINT64_C(1) << k->operands[i].seed | UINT64_C(1) << k->operands[i].offset;
    return needed;
}

/* Prints `_ = x` for each input that no formula needs, as in the gradients of a sum. A list is needed if one
 * of its values is. */
static void print_unneeded(struct text *out, const struct spec_kernel *k)
{
    const uint64_t needed = needed_inputs(k);
    for (uint32_t i = 0; i < k->input_count; i++) {
        const struct spec_operand *o = &k->operands[i];
        const bool is_list = operand_is_list(o->shape, o->layout);
        const uint64_t own = (is_list ? (UINT64_C(1) << o->parts) - 1 : 1) << i;
        if (is_list && o->part) continue;
        if (!(needed & own)) text_add(out, "    _ = %s\n", o->name);
    }
}

void spec_print_kernel(struct text *out, const struct spec *s, const struct spec_kernel *k)
{
    arena *memory = out->memory;
    uint32_t top, number = 0;
    const uint32_t *uses = count_uses(memory, k, &top);
    const char **names = arena_alloc(memory, top * sizeof *names);
    const char *inputs[SPEC_MAX_OPERANDS];
    for (uint32_t i = 0; i < k->operand_count + k->made_count; i++) inputs[i] = k->operands[i].name;
    for (uint32_t i = 0; i < k->total_count; i++)
        inputs[k->operand_count + k->made_count + i] = spec_total_text(memory, k, i);
    text_add(out, "kernel %s(", k->name);
    print_operands(out, k->operands, k->input_count);
    text_add(out, ") -> (");
    print_operands(out, k->operands + k->input_count, k->result_count);
    text_add(out, ") {\n");
    print_bound(out, &k->bound);
    print_unneeded(out, k);
    for (uint32_t id = 0; id < top; id++) {
        const expr *e = uses[id] > 1 ? expr_dag_node(s->dag, id) : NULL;
        if (!e || !worth_a_name(e)) continue;
        const char *name = new_local(memory, k, &number);
        text_add(out, "    %s = ", name);
        expr_print_named(out, e, inputs, names);
        text_add(out, "\n");
        names[id] = name;
    }
    for (uint32_t r = 0; r < k->result_count; r++) {
        const expr *value = k->results[r].value;
        const struct spec_operand *o = &k->operands[k->results[r].operand];
        text_add(out, "    %s = %s%s", o->name, reductions[o->reduction].name, o->reduction ? "(" : "");
        if (names[value->id]) {
            text_add(out, "%s", names[value->id]);
        } else {
            expr_print_named(out, value, inputs, names);
        }
        text_add(out, o->reduction ? ")\n" : "\n");
    }
    text_add(out, "}\n");
}

void spec_print(struct text *out, const struct spec *s)
{
    for (uint32_t i = 0; i < s->kernel_count; i++) {
        if (i) text_add(out, "\n");
        spec_print_kernel(out, s, &s->kernels[i]);
    }
}
