/* The operands of gradient kernels, and their names: d_<name> for the gradient of the operand <name>, and
 * d2_<name>, d3_<name>, ... where another operand has that name. So gradients of gradients have names to any
 * order. */
#include "kernels.h"

#include <string.h>

/* Returns the operand whose name stands for `o` as well: the first value of a list, else `o`. */
static const struct spec_operand *named_operand(const struct spec_operand *o)
{
    return operand_is_list(o->shape, o->layout) ? o - o->part : o;
}

void keep_name(struct program *p, struct name_map *names, const struct spec_operand *o)
{
    name_map_put(names, spec_operand_name(p->memory, o), (void *)named_operand(o));
}

/* Returns "d", "d2", "d3", ...: the first prefix whose name is free. Values of a list have one prefix. */
static const char *free_prefix(struct program *p, struct name_map *names, const struct spec_operand *o)
{
    const char *name = spec_operand_name(p->memory, o);
    for (unsigned number = 1;; number++) {
        struct text prefix = text_new(p->memory), whole = text_new(p->memory);
        text_add(&prefix, number > 1 ? "d%u" : "d", number);
        text_add(&whole, "%s_%s", prefix.data, name);
        const void *before = name_map_get(names, whole.data);
        if (before && before != named_operand(o)) continue;
        name_map_put(names, whole.data, (void *)named_operand(o));
        return prefix.data;
    }
}

struct spec_operand derivative_operand(struct program *p, const struct declaration *d, struct name_map *names,
                                       const struct spec_operand *o, uint32_t group)
{
    struct text name = text_new(p->memory);
    text_add(&name, "%s_%s", free_prefix(p, names, o), o->name);
    struct spec_operand out = *o;
    out.name = name.data;
    /* slopes are neither integers nor powers of two */
    if (element_is_integer(o->type) || element_is_power(o->type)) out.type = ELEMENT_F32;
    out.group = group;
    out.place = d->place;
    /* Many elements share an operand of another shape, so its gradient is the sum of theirs. */
    out.reduction = o->shape == SHAPE_MATRIX ? REDUCE_NONE : REDUCE_SUM;
    return out;
}
