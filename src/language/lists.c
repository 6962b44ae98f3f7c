/* Lists: operands such as c: f32[6]. Formulas see their values as the inputs c[0] to c[5], which follow one
 * another. */
#include "advice.h"
#include "program.h"

#include <string.h>

/* Returns the value that the index chooses, by comparisons that halve the range. An index below the first
 * value or above the last one chooses that value. A NaN makes NaN, as in every choice. */
static const expr *chosen_value(struct program *p, const expr *index, uint32_t number, uint32_t first,
                                uint32_t count)
{
    const uint32_t half = count / 2;
    if (count == 1) return expr_input(p->dag, first + number);
    const expr *is_below = expr_binary(p->dag, EXPR_LT, index, expr_integer(p->dag, (long)(number + half)));
    return expr_if(p->dag, is_below, chosen_value(p, index, number, first, half),
                   chosen_value(p, index, number + half, first, count - half));
}

const expr *elaborate_element(struct program *p, const struct frame *f, const char *name, struct span place,
                              struct reading index)
{
    struct binding *b = frame_find(f, name);
    if (!b && is_known_function(name, strlen(name)))
        return program_fail(p, f, DIAG_SYNTAX, place,
                            "`%s` is a function; its arguments stand in parentheses, as in `exp(x)`", name);
    if (!b || !b->values)
        return program_fail(
            p, f, DIAG_SYNTAX, place,
            b ? "`%s` is no list; only an operand such as `c: f32[6]` has an index"
              : "unknown list `%s`; a list is an operand of the kernel such as `c: f32[6]`, and "
                "functions take its values as arguments",
            name);
    b->used = true;
    const uint32_t first = b->value->input;
    if (!expr_is_constant(index.value)) return chosen_value(p, index.value, 0, first, b->values);
    mpq_t number;
    mpq_init(number);
    uint32_t i = expr_constant_value(index.value, number) ? 0 : b->values;
    while (i < b->values && mpq_cmp_ui(number, i, 1) != 0) i++;
    mpq_clear(number);
    if (i < b->values) return expr_input(p->dag, first + i);
    return program_fail(p, f, DIAG_SYNTAX, index.place,
                        "`%s` has %u value%s: its constant indices are the whole numbers from 0 to %u", name,
                        b->values, b->values == 1 ? "" : "s", b->values - 1);
}
