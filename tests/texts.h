/* Formulas and kernels in the language's own syntax, for tests of the rooms above the language. Include
 * cmocka.h first. */
#ifndef ACTGEN_TEST_TEXTS_H
#define ACTGEN_TEST_TEXTS_H

#include "language.h"

#include <string.h>

enum { MOST_NODES = 1 << 20 };

/* Returns an arena that ends the program when memory runs out, because tests need no way back. */
static inline arena *test_memory(void)
{
    arena *memory = arena_create(0);
    assert_non_null(memory);
    return memory;
}

static inline struct spec *parse_text(arena *memory, const char *text)
{
    struct spec *s;
    struct diag error = {0};
    if (spec_parse(&s, memory, NULL, text, strlen(text), &error)) fail_msg("%s: %s", text, error.message);
    return s;
}

static inline struct spec *parse_expression(arena *memory, const char *text)
{
    struct spec *s;
    struct diag error = {0};
    if (spec_parse_expression(&s, memory, text, strlen(text), &error))
        fail_msg("%s: %s", text, error.message);
    return s;
}

/* Returns the formula of x, in `dag`, where equal formulas are the same node. */
static inline const expr *parse_formula(expr_dag *dag, const char *text)
{
    return expr_import(dag, parse_expression(expr_dag_memory(dag), text)->kernels[0].results[0].value);
}

static inline const char *formula_text(expr_dag *dag, const expr *e)
{
    struct text t = text_new(expr_dag_memory(dag));
    expr_print(&t, e, NULL);
    return t.data;
}

/* Finds an interval on which the built-in has values. The formula of a derivative may have values beyond. */
static inline void range_of_builtin(const char *name, double *low, double *high)
{
    enum expr_kind kind;
    *low = -8, *high = 8;
    if (!expr_kind_of_function(name, strlen(name), &kind) || !expr_functions[kind].domain.has_end) return;
    *low = (double)expr_functions[kind].domain.from + 0.01;
    if (expr_functions[kind].domain.is_two_sided) *high = -*low;
}

/* Calls `visit` for each built-in that is no alias and takes an element by itself. The spec belongs to the
 * call and is freed afterwards. Built-ins of whole rows, whose results have no value at one input, have
 * test_rows and test_gradient_sums. */
typedef void (*builtin_visit)(void *context, const struct spec_builtin_info *info, const struct spec *spec,
                              arena *memory);
static inline size_t for_each_builtin(builtin_visit visit, void *context)
{
    arena *memory = test_memory();
    const struct spec_builtin_info *list;
    size_t count, visited = 0;
    struct diag error = {0};
    if (spec_builtins(&list, &count, memory, &error)) fail_msg("%s", error.message);
    for (size_t i = 0; i < count; i++) {
        if (list[i].alias_of) continue;
        arena *own = test_memory();
        struct spec *s;
        if (spec_builtin(&s, own, list[i].name, &error)) fail_msg("%s: %s", list[i].name, error.message);
        if (!s->kernels->total_count) {
            visit(context, &list[i], s, own);
            visited++;
        }
        arena_free(own);
    }
    arena_free(memory);
    return visited;
}

#endif
