/* Writes names, shapes and totals of operands as text. */
#include "spec.h"

#include <string.h>

const char *spec_operand_name(arena *memory, const struct spec_operand *o)
{
    if (!operand_is_list(o->shape, o->layout)) return o->name;
    return arena_text(memory, o->name, strcspn(o->name, "["));
}

const char *spec_shape_text(arena *memory, const struct spec_operand *o)
{
    static const char *const shapes[] = {"", "[cols]", "[rows]", "[]"};
    struct text count = text_new(memory);
    if (o->block || o->block_rows) {
        text_add(&count, "[rows");
        if (o->block_rows) text_add(&count, "/%u", o->block_rows);
        if (o->shape == SHAPE_MATRIX) text_add(&count, ", cols");
        if (o->block) text_add(&count, "/%u", o->block);
        text_add(&count, "]");
        return count.data;
    }
    if (!operand_is_list(o->shape, o->layout)) return shapes[o->shape];
    text_add(&count, "[%u]", o->parts);
    return count.data;
}

static void print_total(struct text *out, const struct spec_kernel *k, uint32_t n, const char *const *names)
{
    static const char *const forms[][2] = {{"(", ""}, {"(abs(", ")"}, {"((", ")^2"}};
    const struct spec_total *t = &k->totals[n];
    text_add(out, "%s%s%s", t->is_detached ? "detach(" : "", reductions[t->reduction].name,
             forms[t->form][0]);
    expr_print(out, t->value, names);
    text_add(out, "%s", forms[t->form][1]);
    if (t->block) text_add(out, ", %u", t->block);
    text_add(out, ")%s", t->is_detached ? ")" : "");
}

const char *spec_total_text(arena *memory, const struct spec_kernel *k, uint32_t n)
{
    const char *names[SPEC_MAX_OPERANDS];
    const uint32_t first = k->operand_count + k->made_count;
    for (uint32_t i = 0; i < first; i++) names[i] = k->operands[i].name;
    for (uint32_t i = 0; i <= n; i++) {
        struct text t = text_new(memory);
        print_total(&t, k, i, names);
        names[first + i] = t.data;
    }
    return names[first + n];
}
