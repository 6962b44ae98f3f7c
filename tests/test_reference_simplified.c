/* Tests of the cases that the simplified form decides in place of the written one, and of those that it
 * never decides. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "formulas.h"
#include "reference.h"

#include <math.h>

#define TEXTBOOK_GELU "1/2 x * 1 x 2 sqrt / erf + *"
#define GELU          "x x normcdf *"

struct pair {
    arena *memory;
    expr_dag *dag;
    reference *r;
};

static struct pair make(const char *written, const char *simplified)
{
    struct pair p = {.memory = arena_create(0)};
    p.dag = expr_dag_create(p.memory, FORMULA_NODES);
    p.r = reference_create(formula(p.dag, written), formula(p.dag, simplified), 1);
    assert_non_null(p.r);
    return p;
}

static void discard(struct pair *p)
{
    reference_free(p->r);
    arena_free(p->memory);
}

/* Checks a formula in which 1 + erf cancels. The written form by itself would climb to 8192 bits
 * for each value. */
static void cancellation_costs_little(void **state)
{
    (void)state;
    struct pair textbook = make(TEXTBOOK_GELU, GELU), short_form = make(GELU, GELU);
    unsigned differ = 0;
    for (int i = 0; i < 256; i++) {
        const double x = -6 - i * 0.11;
        double a, b;
        assert_int_equal(reference_value(textbook.r, &x, &a, NULL), REFERENCE_DECIDED);
        assert_int_equal(reference_value(short_form.r, &x, &b, NULL), REFERENCE_DECIDED);
        differ += a != b;
    }
    assert_int_equal(differ, 0);
    const uint64_t most = 32 * reference_work(short_form.r);
    if (reference_work(textbook.r) > most)
        fail_msg("%llu, more than %llu", (unsigned long long)reference_work(textbook.r),
                 (unsigned long long)most);
    discard(&textbook);
    discard(&short_form);
}

/* Checks that the simplified form decides nothing outside the interval that the written form leaves open. */
static void a_simplification_is_checked(void **state)
{
    (void)state;
    struct pair p = make("1 x + 1 -", "2 x *");
    for (int i = 0; i < 200; i++) {
        const double x = ldexp(1 + i / 256.0, -200 + i);
        double value;
        assert_int_equal(reference_value(p.r, &x, &value, NULL), REFERENCE_DECIDED);
        if (x > 0x1p-140 && value != x) fail_msg("%a at %a", value, x);
    }
    discard(&p);
}

/* Checks that a simplified form that is wrong where the written form leaves much open still shows
 * at some inputs. */
static void no_verdict_rests_on_it_alone(void **state)
{
    (void)state;
    struct pair p = make("1 x + 1 -", "2 x *");
    int right = 0;
    for (int i = 0; i < 1000; i++) {
        const double x = ldexp(1 + i / 1024.0, -300);
        double value;
        assert_int_equal(reference_value(p.r, &x, &value, NULL), REFERENCE_DECIDED);
        right += value == x;
    }
    assert_in_range(right, 4, 64); /* About one in 64. */
    discard(&p);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(cancellation_costs_little),
        cmocka_unit_test(a_simplification_is_checked),
        cmocka_unit_test(no_verdict_rests_on_it_alone),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
