/* Gives each test of a reference an arena with formulas, and makes references of formulas. */
#ifndef ACTGEN_TEST_REFERENCES_H
#define ACTGEN_TEST_REFERENCES_H

#include "formulas.h"
#include "reference.h"

struct fixture {
    arena *memory;
    expr_dag *dag;
};

static inline int set_up(void **state)
{
    struct fixture *f = calloc(1, sizeof *f);
    f->memory = arena_create(0);
    f->dag = expr_dag_create(f->memory, FORMULA_NODES);
    *state = f;
    return 0;
}

static inline int tear_down(void **state)
{
    struct fixture *f = *state;
    arena_free(f->memory);
    free(f);
    return 0;
}

/* Makes a reference of a formula. `simplified` may be NULL. */
static inline reference *make(struct fixture *f, const char *written, const char *simplified)
{
    const expr *w = formula(f->dag, written);
    reference *r = reference_create(w, simplified ? formula(f->dag, simplified) : w, 2);
    assert_non_null(r);
    return r;
}

#define TEST(function) cmocka_unit_test_setup_teardown(function, set_up, tear_down)

#endif
