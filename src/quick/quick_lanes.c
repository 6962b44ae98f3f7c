/* Quick values of one node for a block of lanes, as loops that the compiler turns into vector code.
 *
 * This file is compiled for any processor. quick_lanes_avx2.c and quick_lanes_avx512.c compile it for larger
 * vectors. */
#include "quick.h"

#include "quick_functions.h"

#ifndef QUICK_TABLE
#define QUICK_TABLE quick_ops_plain
#endif

#define OP(name)                                                                                             \
    static void name(struct quick_lanes *restrict r, quick_operand a, quick_operand b, quick_operand c,      \
                     size_t count)
#define LANES                                                                                                \
    (void)b, (void)c;                                                                                        \
    for (size_t i = 0; i < count; i++)

OP(add)
{
    LANES
    {
        r->value[i] = a->value[i] + b->value[i];
        r->error[i] = quick_bound(a->error[i] + b->error[i] + QUICK_ROUNDING * fabs(r->value[i]));
    }
}

OP(subtract)
{
    LANES
    {
        r->value[i] = a->value[i] - b->value[i];
        r->error[i] = quick_bound(a->error[i] + b->error[i] + QUICK_ROUNDING * fabs(r->value[i]));
    }
}

/* Multiplies. A factor that is exactly 0 makes the product exactly 0, so nothing underflows. */
OP(multiply)
{
    LANES
    {
        const quick_real product = a->value[i] * b->value[i];
        const quick_real propagated =
            fabs(a->value[i]) * b->error[i] + (fabs(b->value[i]) + b->error[i]) * a->error[i];
        const quick_real a_most = fabs(a->value[i]) + a->error[i], b_most = fabs(b->value[i]) + b->error[i];
        /* least is 0 if one factor is exactly 0. This form vectorizes. */
        const quick_real least = a_most < b_most ? a_most : b_most;
        const quick_real error = quick_bound(propagated + QUICK_ROUNDING * fabs(product) + QUICK_TINY);
        r->value[i] = product;
        r->error[i] = least + propagated == 0 ? 0 : error;
    }
}

/* Divides. The propagated error follows from a'/b' - a/b = (da - (a/b) db) / b'. */
OP(divide)
{
    LANES
    {
        const quick_real quotient = a->value[i] / b->value[i];
        const quick_real least = fabs(b->value[i]) - b->error[i];
        const quick_real slack = QUICK_ROUNDING * fabs(quotient) + QUICK_TINY;
        const quick_real propagated =
            (a->error[i] + (fabs(quotient) + slack) * b->error[i]) / (least > 0 ? least : 0);
        r->value[i] = quotient;
        r->error[i] = quick_bound((a->error[i] + b->error[i] > 0 ? propagated : 0) + slack);
    }
}

/* Bounds the error of min and max. If the choice is certain, the error is the chosen operand's, else the
 * larger of both. */
QUICK_INLINE quick_real error_of_choice(quick_real a, quick_real error_a, quick_real b, quick_real error_b,
                                        bool first)
{
    const quick_real worse = error_a > error_b ? error_a : error_b, chosen = first ? error_a : error_b;
    return fabs(a - b) * (1 - 0x1p-50) > (error_a + error_b) * QUICK_GROW ? chosen : worse;
}

OP(smaller)
{
    LANES
    {
        const bool first = a->value[i] < b->value[i];
        r->value[i] = first ? a->value[i] : b->value[i];
        r->error[i] = error_of_choice(a->value[i], a->error[i], b->value[i], b->error[i], first);
    }
}

OP(larger)
{
    LANES
    {
        const bool first = a->value[i] > b->value[i];
        r->value[i] = first ? a->value[i] : b->value[i];
        r->error[i] = error_of_choice(a->value[i], a->error[i], b->value[i], b->error[i], first);
    }
}

OP(negate)
{
    LANES
    {
        r->value[i] = -a->value[i];
        r->error[i] = a->error[i];
    }
}

/* Takes the branch that is certain. Otherwise takes the likely branch's value, with an error that covers both
 * branches. */
OP(choose)
{
    LANES
    {
        const bool yes = a->value[i] != 0;
        const quick_real value = yes ? b->value[i] : c->value[i], error = yes ? b->error[i] : c->error[i];
        const quick_real apart = fabs(b->value[i] - c->value[i]);
        const quick_real hull = quick_bound(b->error[i] + c->error[i] + apart);
        const quick_real uncertain = a->error[i] == QUICK_UNCERTAIN ? hull : INFINITY;
        r->value[i] = value;
        r->error[i] = a->error[i] == 0 ? error : uncertain;
    }
}

#define COMPARISON(name, operator)                                                                           \
    OP(name)                                                                                                 \
    {                                                                                                        \
        LANES                                                                                                \
        {                                                                                                    \
            const quick_real x = a->value[i], y = b->value[i], error = a->error[i] + b->error[i];            \
            const quick_real overlapping = error < INFINITY ? QUICK_UNCERTAIN : INFINITY;                    \
            const quick_real near = error == 0 ? 0 : overlapping;                                            \
            r->value[i] = x operator y ? 1 : 0;                                                              \
            r->error[i] = fabs(x - y) * (1 - 0x1p-50) > error * QUICK_GROW ? 0 : near;                       \
        }                                                                                                    \
    }
COMPARISON(less, <)
COMPARISON(less_or_equal, <=)
COMPARISON(equal, ==)

/* Computes and, or. If one operand decides, the other's truth value need not be known. */
QUICK_INLINE void connect(struct quick_lanes *restrict r, quick_operand a, quick_operand b,
                          quick_real decisive, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        const bool a_decides = a->error[i] == 0 && a->value[i] == decisive;
        const bool b_decides = b->error[i] == 0 && b->value[i] == decisive;
        const quick_real worse = a->error[i] > b->error[i] ? a->error[i] : b->error[i];
        r->value[i] = a->value[i] == decisive || b->value[i] == decisive ? decisive : 1 - decisive;
        r->error[i] = (a_decides || b_decides) && worse < INFINITY ? 0 : worse;
    }
}

OP(both)
{
    (void)c;
    connect(r, a, b, 0, count);
}

OP(either)
{
    (void)c;
    connect(r, a, b, 1, count);
}

OP(not )
{
    LANES
    {
        r->value[i] = 1 - a->value[i];
        r->error[i] = a->error[i];
    }
}

/* Casts to f32. Rounding is monotone, so the rounded ends enclose the rounded exact value. */
OP(cast)
{
    LANES
    {
        const quick_real margin =
            a->error[i] > 0 ? (a->error[i] + QUICK_ROUNDING * fabs(a->value[i])) * QUICK_GROW : 0;
        const quick_real value = (quick_real)(float)a->value[i],
                         low = (quick_real)(float)(a->value[i] - margin),
                         high = (quick_real)(float)(a->value[i] + margin);
        const quick_real error = high - value > value - low ? high - value : value - low;
        r->value[i] = value;
        r->error[i] = fabs(value) < INFINITY ? quick_bound(error) : INFINITY;
    }
}

/* Raises to a power. The error of the exponent is 0, or that of one rounding. */
OP(raise)
{
    LANES
    {
        const struct quick_number n =
            quick_power((struct quick_number){a->value[i], a->error[i]}, b->value[0], b->error[0] == 0);
        r->value[i] = n.value;
        r->error[i] = n.error;
    }
}

#define LANES_OF(name)                                                                                       \
    OP(name##_lanes)                                                                                         \
    {                                                                                                        \
        LANES                                                                                                \
        {                                                                                                    \
            const struct quick_number n = quick_##name((struct quick_number){a->value[i], a->error[i]});     \
            r->value[i] = n.value;                                                                           \
            r->error[i] = n.error;                                                                           \
        }                                                                                                    \
    }
#define FUNCTION(name, ...) LANES_OF(name)
#define DEFINED(name, ...)
#include "functions.def"
#undef FUNCTION
LANES_OF(erfcx) /* The factors of its formula leave the range of numbers where it does not. */

const quick_op_table QUICK_TABLE = {
    [EXPR_ADD] = add,           [EXPR_SUB] = subtract, [EXPR_MUL] = multiply,     [EXPR_DIV] = divide,
    [EXPR_NEG] = negate,        [EXPR_MIN] = smaller,  [EXPR_MAX] = larger,       [EXPR_CAST] = cast,
    [EXPR_IF] = choose,         [EXPR_LT] = less,      [EXPR_LE] = less_or_equal, [EXPR_EQ] = equal,
    [EXPR_NOT] = not,           [EXPR_AND] = both,     [EXPR_OR] = either,        [EXPR_POWER] = raise,
    [EXPR_erfcx] = erfcx_lanes,
#define FUNCTION(name, ...) [EXPR_##name] = name##_lanes,
#define DEFINED(name, ...)
#include "functions.def"
#undef FUNCTION
};
