/* Tests of bounds: the share of a bound that a measured error uses, and the message where no
 * bound can be kept. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "bounds.h"
#include "lower.h"
#include "plan.h"
#include "texts.h"

#include <math.h>
#include <stdio.h>

static int find(void *context, struct plan **out, const struct plan_request *request, struct diag *error)
{
    struct plan_search search = {text_new(expr_dag_memory(request->dag))};
    (void)context;
    return plan_find(out, request, &search, error);
}

static int plan(const char *formula, const char *type, const char *bound, const char *isa_name,
                struct diag *error)
{
    arena *memory = test_memory();
    char text[400];
    const struct target_isa *isa = target_isa_find(isa_name);
    snprintf(text, sizeof text, "kernel k(x: %s) -> (y: %s) { accuracy %s; y = %s }", type, type, bound,
             formula);
    const struct spec *s = parse_text(memory, text);
    struct lowered *l;
    const struct lower_request request = {.spec = s,
                                          .kernel = &s->kernels[0],
                                          .bound = s->kernels[0].bound,
                                          .profile = isa->profile,
                                          .costs = isa->costs,
                                          .planner = {find, NULL}};
    const int status = lower_kernel(&l, &request, error);
    arena_free(memory);
    return status;
}

/* ---- shares ---- */

static void shares_fall_as_bounds_grow(void **state)
{
    static const enum element_type types[] = {ELEMENT_F32, ELEMENT_F64, ELEMENT_BF16};
    (void)state;
    for (int t = 0; t < 3; t++)
        for (double error = 0.5; error < 4; error *= 1.01) {
            double before = HUGE_VAL;
            for (double allowed = fmax(0.5, error); allowed < 6; allowed *= 1.01) {
                const struct spec_bound bound = {.kind = BOUND_ULP, .value = allowed};
                const double share = bound_share(&bound, types[t], error);
                assert_true(share <= before && share <= 1.0000001);
                before = share;
            }
        }
}

static void bounds_that_are_offered_have_room(void **state)
{
    static const enum element_type types[] = {ELEMENT_F32, ELEMENT_F64, ELEMENT_BF16};
    static const struct spec_bound like[] = {{.kind = BOUND_ULP}, {.kind = BOUND_ABS}};
    (void)state;
    for (int t = 0; t < 3; t++)
        for (int k = 0; k < 2; k++)
            for (double error = k ? 0x1p-60 : 0.1; error < 50; error *= 1.07) {
                const struct spec_bound bound = bound_kept(&like[k], types[t], error, 0.85);
                assert_true(bound_share(&bound, types[t], error) <= 0.85 + 1e-9);
                /* The bound is not too loose either. */
                assert_true(bound.value <= fmax(k ? 0x1p-7 : 0.61, 2.6 * error));
            }
}

/* ---- refusals ---- */

static const struct {
    const char *formula, *type, *bound;
    const char *says[2];
} refusals[] = {
    {"tanh(x)", "f32", "abs 2^-40", {"wide composed, ", " abs at x ="}},
    {"cos(x) - 0.7", "f64", "0.7 ulp", {"extended, ", " ulp at x ="}},
    {"gelu(x)", "f64", "0.6 ulp", {"extended, ", " ulp at x ="}},
    {"tanh(x)", "f64", "0.5 ulp", {"extended, ", "only one IEEE operation"}},
    {"tanh(x)", "f64", "abs 2^-60", {"extended, ", " abs at x ="}},
};

/* Checks that the bound in the message works. */
static void refusals_name_a_bound_that_works(void **state)
{
    static const char offer[] = "; the smallest bound that was found to work is `";
    (void)state;
    for (size_t i = 0; i < sizeof refusals / sizeof *refusals; i++) {
        struct diag error = {0};
        const char *formula = refusals[i].formula, *type = refusals[i].type;
        char bound[80];
        assert_int_equal(plan(formula, type, refusals[i].bound, "avx512", &error), DIAG_ACCURACY);
        const char *works = strstr(error.message, offer);
        if (!works || !strstr(error.message, refusals[i].says[0]) ||
            !strstr(error.message, refusals[i].says[1]))
            fail_msg("%s: %s", formula, error.message);
        snprintf(bound, sizeof bound, "%.*s", (int)strcspn(works + strlen(offer), "`"),
                 works + strlen(offer));
        error = (struct diag){0};
        if (plan(formula, type, bound, "avx512", &error))
            fail_msg("%s, %s: %s", formula, bound, error.message);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(shares_fall_as_bounds_grow),
        cmocka_unit_test(bounds_that_are_offered_have_room),
        cmocka_unit_test(refusals_name_a_bound_that_works),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
