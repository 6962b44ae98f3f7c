/* Formulas in postfix notation for tests of rooms below the language: "x x normcdf *" is x * normcdf(x).
 *
 * The tokens are:
 *    x y                            inputs 0 and 1
 *    3 -7 1/2 pi inf                numbers
 *    + - * / neg min max            arithmetic
 *    ^2 ^1/3                        powers
 *    < <= == and or not if          conditions
 *    f32                            a cast
 *    exp tanh ...                   the elementary functions, by name */
#ifndef ACTGEN_TEST_FORMULAS_H
#define ACTGEN_TEST_FORMULAS_H

#include "expr.h"
#include "filled.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { FORMULA_DEPTH = 32, FORMULA_NODES = 4096 };

static inline const expr *formula_ratio(expr_dag *dag, const char *text, const expr *base)
{
    char *end;
    long numerator = strtol(text, &end, 10);
    unsigned long denominator = *end == '/' ? strtoul(end + 1, &end, 10) : 1;
    if (end == text || *end) {
        fprintf(stderr, "not a token of a formula: %s\n", text);
        abort();
    }
    return base ? expr_power_ratio(dag, base, numerator, denominator)
                : expr_ratio(dag, numerator, denominator);
}

static inline bool formula_operator(const char *token, enum expr_kind *kind)
{
    for (unsigned k = EXPR_ADD; k < EXPR_KIND_COUNT; k++)
        if (k != EXPR_POWER && k != EXPR_CAST && k != EXPR_IF &&
            !strcmp(token, expr_kind_name((enum expr_kind)k))) {
            *kind = (enum expr_kind)k;
            return true;
        }
    return false;
}

static inline const expr *formula(expr_dag *dag, const char *text)
{
    const expr *stack[FORMULA_DEPTH] = {0};
    unsigned top = 0;
    char copy[512], *rest = NULL;
    snprintf(copy, sizeof copy, "%s", text);
    for (char *token = strtok_r(copy, " ", &rest); token; token = strtok_r(NULL, " ", &rest)) {
        enum expr_kind kind;
        if (!strcmp(token, "x") || !strcmp(token, "y"))
            stack[top++] = expr_input(dag, (uint32_t)(*token - 'x'));
        else if (!strcmp(token, "pi"))
            stack[top++] = expr_pi(dag);
        else if (!strcmp(token, "inf"))
            stack[top++] = expr_infinity(dag);
        else if (!strcmp(token, "f32"))
            stack[top - 1] = expr_cast(dag, ELEMENT_F32, stack[top - 1]);
        else if (!strcmp(token, "if")) {
            top -= 2;
            stack[top - 1] = expr_if(dag, stack[top - 1], stack[top], stack[top + 1]);
        } else if (*token == '^')
            stack[top - 1] = formula_ratio(dag, token + 1, stack[top - 1]);
        else if (formula_operator(token, &kind)) {
            bool binary = expr_arity(kind) == 2;
            if (binary) top--;
            stack[top - 1] = binary ? expr_binary(dag, kind, stack[top - 1], stack[top])
                                    : expr_unary(dag, kind, stack[top - 1]);
        } else
            stack[top++] = formula_ratio(dag, token, NULL);
    }
    if (top != 1) {
        fprintf(stderr, "not a formula: %s\n", text);
        abort();
    }
    return stack[0];
}

/* Returns a uniform random number, at least 0 and below 1. */
static inline double random_unit(uint64_t *state) { return (double)(next_random(state) >> 11) * 0x1p-53; }

#endif
