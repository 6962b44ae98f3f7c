/* smoke */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>
#include <math.h>
#include <stdio.h>
#include <time.h>
#include "reference.h"
static void smoke(void **s)
{
    (void)s;
    arena *m = arena_create(0);
    expr_dag *d = expr_dag_create(m, 1000);
    const expr *x = expr_input(d, 0);
    const expr *g = expr_binary(d, EXPR_MUL, x, expr_unary(d, EXPR_normcdf, x));
    reference *r = reference_create(g, g, 1);
    const double in[] = {-0.7517915247, -14, 1e-300, 5, -1e10, -1e300, 0, -0.0, -INFINITY, INFINITY, NAN};
    for (int i = 0; i < 11; i++) {
        double v; bool z;
        int st = reference_value(r, &in[i], &v, &z);
        printf("%g %.17g %d %d\n", in[i], v, st, z);
    }
    mpfr_t o; mpfr_init2(o, 128);
    for (int b = 53; b < 200; b += 57) {
    clock_t t = clock(); for (int i = 0; i < 10000; i++) { double y = -10 + i * 2e-3; reference_precise(r, &y, (unsigned)b, o);} printf("%d: %g us\n", b, (double)(clock() - t) / 1e4); }
    mpfr_clear(o);
    reference_free(r);
    arena_free(m);
}
int main(void) { const struct CMUnitTest t[] = {cmocka_unit_test(smoke)}; return cmocka_run_group_tests(t, NULL, NULL); }
