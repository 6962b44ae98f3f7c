/* Elaborates casts such as bf16(x). The parameter `saturate` says what becomes of numbers beyond the
 * largest one of the type. */
#include "program.h"

#include <string.h>

enum saturation { AS_THE_TYPE, NEVER, ALWAYS };

/* Checks that the type has the parameter `saturate`. Only float formats of at most 16 bits have it, because
 * formulas can compute larger numbers than those formats hold. */
static bool can_choose(struct program *p, const struct frame *f, enum element_type type, struct span place)
{
    if (element_is_half(type) && !element_is_integer(type)) return true;
    program_fail(p, f, DIAG_SYNTAX, place,
                 element_is_integer(type)
                     ? "integers always saturate; `saturate` is of casts to f16, bf16, e4m3 and e5m2"
                     : "`saturate` is of casts to f16, bf16, e4m3 and e5m2");
    return false;
}

/* Reads `saturate = 0` or `saturate = 1`. Returns false after an error. */
static bool read_saturation(struct program *p, struct frame *f, const struct call *s, enum element_type type,
                            enum saturation *out)
{
    static const char name[] = "saturate";
    const struct argument *given = s->keywords;
    *out = AS_THE_TYPE;
    if (!given) return true;
    if (strcmp(given->name, name) != 0)
        return program_fail(p, f, DIAG_SYNTAX, given->place, "`%s` has no parameter `%.64s`; it has `%s`",
                            s->name, given->name, name);
    if (given->next)
        return program_fail(p, f, DIAG_SYNTAX, given->next->place,
                            strcmp(given->next->name, name) ? "`%s` has no parameter `%.64s`"
                                                            : "the parameter `%.0s%s` is given twice",
                            s->name, given->next->name);
    if (!can_choose(p, f, type, given->place)) return false;
    const expr *value = elaborate_number(p, f, &given->value);
    if (!value) return false;
    const bool yes = expr_is_number(value, 1, 1), no = expr_is_number(value, 0, 1);
    *out = yes ? ALWAYS : NEVER;
    if (yes || no) return true;
    return program_fail(p, f, DIAG_SYNTAX, given->value.place, "`%s` is 1 or 0", name);
}

/* Makes the node of a number that is a double. */
static const expr *number_of(expr_dag *dag, double value)
{
    mpq_t exact;
    mpq_init(exact);
    mpq_set_d(exact, value);
    const expr *e = expr_number(dag, exact);
    mpq_clear(exact);
    return e;
}

/* Returns the number half way between the largest number and the next one that the format would have. It is
 * rounded to the largest number, whose last bit is 0. */
static double last_rounded_down(const struct float_format *format)
{
    return format->largest + float_spacing(format, format->largest) / 2;
}

/* Returns `a` before it is rounded: numbers beyond the largest one become that number or NaN. */
static const expr *within(expr_dag *dag, const expr *a, const struct float_format *format,
                          enum saturation how)
{
    if (how == AS_THE_TYPE || (how == ALWAYS) == !format->has_infinity) return a;
    if (how == ALWAYS) {
        const expr *most = number_of(dag, format->largest);
        const expr *above = expr_binary(dag, EXPR_MAX, a, expr_unary(dag, EXPR_NEG, most));
        return expr_binary(dag, EXPR_MIN, above, most);
    }
    const expr *nan = expr_unary(dag, EXPR_sqrt, expr_integer(dag, -1)),
               *limit = number_of(dag, last_rounded_down(format));
    const expr *is_beyond = expr_binary(dag, EXPR_LT, limit, expr_unary(dag, EXPR_abs, a));
    return expr_if(dag, is_beyond, nan, a);
}

const expr *elaborate_cast(struct program *p, struct frame *f, const struct call *s, enum element_type type)
{
    enum saturation how;
    if (!element_is_stored(type))
        return program_fail(p, f, DIAG_NOT_YET, s->place,
                            "casts to %s are not supported yet; this version has f64, f32, f16, bf16, e4m3, "
                            "e5m2, e2m1, i8, u8, i4 and e8m0",
                            element_types[type].name);
    if (element_is_bit(type))
        return program_fail(
            p, f, DIAG_SYNTAX, s->place,
            "there are no casts to u1: a condition makes a mask, `if x > 0.5 then 1 else 0` a "
            "number");
    if (s->argument_count != 1)
        return program_fail(p, f, DIAG_SYNTAX, s->place, "`%s` takes 1 argument, here are %u", s->name,
                            s->argument_count);
    if (!read_saturation(p, f, s, type, &how)) return NULL;
    const expr *a = elaborate_number(p, f, &s->arguments->value);
    return a ? expr_cast(p->dag, type, within(p->dag, a, &element_types[type].format, how)) : NULL;
}
