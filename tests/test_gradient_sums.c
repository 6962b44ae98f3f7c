/* Tests of gradients of kernels whose formulas have sums over the row. In f64, the test compares them with
 * the slope of sum(d_y * y) by differences, for every element of every input. It also compares them with
 * known formulas. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <math.h>
#include <stdio.h>

#include "engine.h"
#include "filled.h"

enum { ROWS = 3, COLS = 37, SIZE = ROWS * COLS, MOST = 8, TEXT_SIZE = 1024 };

static const char *const kernels[] = {
    "kernel k(x: f64) -> (y: f64) { t = exp(x - amax(x)); y = t/sum(t) }",
    "kernel k(x: f64) -> (y: f64) { d = x - amax(x); y = d - log(sum(exp(d))) }",
    "kernel k(x: f64, w: f64[cols], c: f64[]) -> (y: f64) { y = x/sqrt(mean(x^2) + c^2 + 1)*w }",
    "kernel k(x: f64, [w | b]: f64[cols]) -> (y: f64) { d = x - mean(x); y = d/sqrt(mean(d*d) + 0.1)*w + b }",
    "kernel k(x: f64, s: f64[rows]) -> (y: f64) { t = sigmoid(x*s); y = x*sum(t)/amax(abs(x)) }",
    "kernel k([gate | up]: f64) -> (y: f64, z: f64) { t = silu(gate)*up; y = t/amax(t); z = up*mean(t) }",
    "kernel k(x: f64) -> (y: f64) { y = x + sum(where(x > 0.3, x^3, 0)) - sum(x) }",
    "kernel k(x: f64) -> (y: f64) { m = amax(x); t = exp(x - m); y = where(m > 0.5, t/sum(t), 0) }",
    "kernel k(x: f64) -> (y: f64) { m = detach(amax(x)); t = exp(x - m); y = t/sum(t) }",
    ("kernel k(x: f64) -> (y: f64) { m = detach(amax(x)); d = x - m; s = sum(if x < m then exp(d) else d)\n"
     "n = sum(if x < m then 0 else 1); y = d - log1p(s + (n - 1)) }"),
    "kernel k(x: f64, w: f64, g: f64[rows]) -> (y: f64) { s = sum(-x*w/3)*g; y = w*g*s/(s^2 + 1) + s }",
    "kernel k(x: f64, g: f64[rows]) -> (y: f64) { s = sum(sin(x)); y = if x > g then x*s else g*x/(s^2+1) }",
    "kernel k(x: f64) -> (y: f64[rows]) { y = sum(sin(x)) }",
    "kernel k(x: f64, t: f64) -> (y: f64[]) { y = sum((x - t)^2) }",
    "kernel k(x: f64) -> (y: f64[cols], z: f64[rows]) { y = sum(x^3); z = mean(x^2) }",
    "kernel k(x: f64) -> (y: f64[rows]) { y = amax(x^2) }",
    "kernel k(x: f64, t: f64) -> (y: f64[rows]) { m = amax(x); y = log(sum(exp(x - m))) + m - sum(x*t) }",
    "kernel k(x: f64, t: f64) -> (y: f64[]) { d = x - amax(x); y = sum(t*(log(sum(exp(d))) - d)) }",
    "kernel k(x: f64, s: f64[rows], b: f64[rows]) -> (y: f64[rows]) { y = s*sum(x*s) + b }",
    "kernel k(x: f64, s: f64[rows], c: f64[]) -> (y: f64[rows]) { y = c*s*mean(x*s) }",
    "kernel k(x: f64, w: f64[cols]) -> (y: f64, z: f64[]) { y = x/sqrt(mean(x^2) + 1)*w; z = sum(y^2) }",
};

struct array {
    char name[64];
    int shape;
    size_t parts;
    double data[2 * SIZE];
};

static size_t elements_of(const struct array *a)
{
    const size_t rows = a->shape == ACTGEN_SHAPE_MATRIX || a->shape == ACTGEN_SHAPE_ROWS ? ROWS : 1,
                 cols = a->shape == ACTGEN_SHAPE_MATRIX || a->shape == ACTGEN_SHAPE_COLS ? COLS : 1;
    return a->parts * rows * cols;
}

/* Describes the operands. Returns how many of them are inputs. */
static size_t describe(struct array *list, const actgen_kernel *k)
{
    size_t inputs = 0;
    for (size_t n = actgen_kernel_operand_count(k); n-- > 0;) {
        actgen_operand_info info = ACTGEN_OPERAND_INFO_INIT;
        assert_int_equal(actgen_kernel_operand_info(k, n, &info), ACTGEN_OK);
        struct array *a = &list[info.group];
        assert_true(info.group < MOST);
        /* The loop ends with the first name of each group. */
        snprintf(a->name, sizeof a->name, "%s", info.name);
        a->shape = info.shape;
        a->parts = info.parts;
        if (!info.is_result && info.group + 1 > inputs) inputs = info.group + 1;
    }
    return inputs;
}

static void run(const actgen_kernel *k, struct array *list)
{
    actgen_operand operands[MOST];
    const size_t count = actgen_kernel_group_count(k);
    for (size_t n = 0; n < count; n++) operands[n] = (actgen_operand){list[n].data, 0};
    if (actgen_run(k, ROWS, COLS, operands, count, &error)) fail_msg("%s", error.message);
}

/* Returns the sum of all results times the values that arrive at them. */
static double loss(const actgen_kernel *k, struct array *list, size_t inputs, const struct array *arrives)
{
    double sum = 0;
    run(k, list);
    for (size_t r = inputs; r < actgen_kernel_group_count(k); r++)
        for (size_t i = 0; i < elements_of(&list[r]); i++)
            sum += list[r].data[i] * arrives[r - inputs].data[i];
    return sum;
}

static double slope(const actgen_kernel *k, struct array *list, size_t inputs, const struct array *arrives,
                    double *x)
{
    const double step = 1e-5, here = *x;
    *x = here + step;
    const double above = loss(k, list, inputs, arrives);
    *x = here - step;
    const double below = loss(k, list, inputs, arrives);
    *x = here;
    return (above - below) / (2 * step);
}

static void compile_both(actgen_kernel **k, actgen_kernel **back, const char *text)
{
    char both[TEXT_SIZE];
    snprintf(both, sizeof both, "%s\nkernel back = gradient k", text);
    actgen_spec *spec = parse(both);
    if (actgen_compile(k, engine, spec, "k", NULL, &error) ||
        actgen_compile(back, engine, spec, "back", NULL, &error))
        fail_msg("%s: %s", text, error.message);
    actgen_spec_free(spec);
}

static void check(const char *text)
{
    static struct array own[MOST], backward[MOST];
    uint64_t state = 7;
    actgen_kernel *k, *back;
    compile_both(&k, &back, text);
    const size_t inputs = describe(own, k), arriving = describe(backward, back);
    assert_int_equal(arriving, actgen_kernel_group_count(k));
    for (size_t n = 0; n < arriving; n++)
        for (size_t i = 0; i < elements_of(&backward[n]); i++) {
            backward[n].data[i] = normal_number(&state);
            if (n < inputs) own[n].data[i] = backward[n].data[i];
        }
    run(back, backward);
    for (size_t n = 0; n < inputs; n++)
        for (size_t i = 0; i < elements_of(&own[n]); i++) {
            const double by_differences = slope(k, own, inputs, backward + inputs, &own[n].data[i]),
                         computed = backward[arriving + n].data[i];
            if (!(fabs(computed - by_differences) <= 1e-6 * (1 + fabs(by_differences))))
                fail_msg("%s: %s[%zu] is %.12g, by differences %.12g", text, backward[arriving + n].name, i,
                         computed, by_differences);
        }
    actgen_kernel_free(k);
    actgen_kernel_free(back);
}

static void gradients_are_slopes(void **unused)
{
    (void)unused;
    for (size_t i = 0; i < sizeof kernels / sizeof *kernels; i++) check(kernels[i]);
}

/* -- beside known formulas -- */

static void softmax_has_the_gradient_of_its_result(void **unused)
{
    (void)unused;
    static struct array own[MOST], backward[MOST];
    uint64_t state = 3;
    actgen_kernel *k, *back;
    compile_both(&k, &back, kernels[0]);
    describe(own, k);
    describe(backward, back);
    for (size_t i = 0; i < SIZE; i++) {
        own[0].data[i] = backward[0].data[i] = 2 * normal_number(&state);
        backward[1].data[i] = normal_number(&state);
    }
    run(k, own);
    run(back, backward);
    const double *y = own[1].data, *d_y = backward[1].data, *d_x = backward[2].data;
    for (size_t r = 0; r < ROWS; r++) {
        double sum = 0;
        for (size_t j = r * COLS; j < (r + 1) * COLS; j++) sum += d_y[j] * y[j];
        for (size_t j = r * COLS; j < (r + 1) * COLS; j++)
            assert_true(fabs(d_x[j] - y[j] * (d_y[j] - sum)) < 1e-14);
    }
    actgen_kernel_free(k);
    actgen_kernel_free(back);
}

static void largest_elements_share(void **unused)
{
    (void)unused;
    double x[] = {3, 1, 3, 0, 2, -5}, d_y[] = {1, 2, 3, 4, 5, 6}, d_x[6];
    actgen_kernel *k, *back;
    compile_both(&k, &back, "kernel k(x: f64) -> (y: f64) { y = x - amax(x) }");
    const actgen_operand list[] = {{x, 0}, {d_y, 0}, {d_x, 0}};
    assert_int_equal(actgen_run(back, 2, 3, list, 3, &error), ACTGEN_OK);
    /* The sums of d_y are 6, which two elements share, and 15. */
    assert_true(d_x[0] == 1 - 3 && d_x[1] == 2 && d_x[2] == 3 - 3);
    assert_true(d_x[3] == 4 && d_x[4] == 5 - 15 && d_x[5] == 6);
    actgen_kernel_free(k);
    actgen_kernel_free(back);
}

static void nothing_flows_through_detach(void **unused)
{
    (void)unused;
    double x[] = {3, 1, 3, 0, 2, -5}, d_y[] = {1, 2, 3, 4, 5, 6}, d_x[6];
    actgen_kernel *k, *back;
    compile_both(&k, &back, "kernel k(x: f64) -> (y: f64) { y = x*detach(amax(x)) + detach(sum(x)) }");
    const actgen_operand list[] = {{x, 0}, {d_y, 0}, {d_x, 0}};
    assert_int_equal(actgen_run(back, 2, 3, list, 3, &error), ACTGEN_OK);
    for (int i = 0; i < 6; i++) assert_true(d_x[i] == d_y[i] * (i < 3 ? 3 : 2));
    actgen_kernel_free(k);
    actgen_kernel_free(back);
}

/* Compares the gradient of a built-in with y*(d_y - sum(d_y*y)) or d_y - e^y*sum(d_y). Terms that cancel
 * leave the roundings of the terms. A y that is subnormal as an f32 loses bits. */
static void check_row(const float *x, const float *d_y, const float *d_x, bool is_logarithm, double scale)
{
    double most = -INFINITY, sum = 0, dot = 0, size = 0;
    for (int j = 0; j < COLS; j++) most = fmax(most, x[j]);
    for (int j = 0; j < COLS; j++) sum += exp(x[j] - most);
    for (int j = 0; j < COLS; j++) {
        const double weight = is_logarithm ? 1 : exp(x[j] - most) / sum;
        dot += d_y[j] * weight;
        size += fabs(d_y[j]) * weight;
    }
    for (int j = 0; j < COLS; j++) {
        const double y = exp(x[j] - most) / sum, own = is_logarithm ? d_y[j] : y * d_y[j];
        const double lost = 0x1p-148 * (1 + fabs(d_y[j]) + size);
        const double allowed = 0x1p-21 * (fabs(own) + y * size) + lost;
        if (!(fabs(d_x[j] - (own - y * dot)) <= allowed))
            fail_msg("scale %g, column %d: %g, not %g", scale, j, d_x[j], own - y * dot);
    }
}

static void built_ins_have_the_gradients_of_their_results(void **unused)
{
    (void)unused;
    static const char *const names[] = {"softmax", "log_softmax"};
    static const double scales[] = {1, 20, 1e4, 1e-3}, sizes[] = {1, 1e-30, 1e30};
    float x[SIZE], d_y[SIZE], d_x[SIZE];
    uint64_t state = 5;
    for (int n = 0; n < 2; n++) {
        char text[TEXT_SIZE];
        snprintf(text, sizeof text, "kernel back = gradient %s", names[n]);
        actgen_kernel *back = compile_for(text, "host");
        for (int s = 0; s < 12; s++) {
            const actgen_operand list[] = {{x, 0}, {d_y, 0}, {d_x, 0}};
            for (int i = 0; i < SIZE; i++) {
                x[i] = (float)(scales[s % 4] * normal_number(&state));
                d_y[i] = (float)(sizes[s / 4] * normal_number(&state));
                if (i % COLS == 5) x[i] = x[i - 1]; /* equal elements, in some rows the largest */
            }
            x[4] = x[5] = (float)(4 * scales[s % 4]);
            assert_int_equal(actgen_run(back, ROWS, COLS, list, 3, &error), ACTGEN_OK);
            for (int r = 0; r < ROWS; r++)
                check_row(x + r * COLS, d_y + r * COLS, d_x + r * COLS, n == 1, scales[s % 4]);
        }
        actgen_kernel_free(back);
    }
}

static void rmsnorm_adds_up_parts_in_f32(void **unused)
{
    (void)unused;
    static const float sizes[] = {1, 1e-18F, 1e18F};
    float x[SIZE], weight[COLS], epsilon = 1e-5F, d_y[SIZE], d_x[SIZE];
    uint64_t state = 9;
    actgen_kernel *back = compile_for("kernel back = gradient rmsnorm of x", "host");
    for (int s = 0; s < 9; s++) {
        const actgen_operand list[] = {{x, 0}, {weight, 0}, {&epsilon, 0}, {d_y, 0}, {d_x, 0}};
        for (int j = 0; j < COLS; j++) weight[j] = (float)normal_number(&state);
        for (int i = 0; i < SIZE; i++) {
            x[i] = sizes[s % 3] * (float)normal_number(&state);
            d_y[i] = sizes[s / 3] * (float)normal_number(&state);
        }
        assert_int_equal(actgen_run(back, ROWS, COLS, list, 5, &error), ACTGEN_OK);
        for (int r = 0; r < ROWS; r++) {
            const float *own = x + r * COLS, *given = d_y + r * COLS;
            double square = 0, dot = 0, size = 0;
            for (int j = 0; j < COLS; j++) {
                const double product = (double)own[j] * weight[j] * given[j];
                square += (double)own[j] * own[j];
                dot += product;
                size += fabs(product);
            }
            const double scale = 1 / sqrt(square / (double)COLS + (double)epsilon),
                         back_scale = pow(scale, 3) / (double)COLS;
            for (int j = 0; j < COLS; j++) {
                const double direct = scale * weight[j] * given[j], shared = own[j] * back_scale;
                const double allowed = 0x1p-21 * (fabs(direct) + fabs(shared) * size) + 0x1p-148;
                assert_true(fabs(d_x[r * COLS + j] - (direct - shared * dot)) <= allowed);
            }
        }
    }
    actgen_kernel_free(back);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(gradients_are_slopes),
        cmocka_unit_test(softmax_has_the_gradient_of_its_result),
        cmocka_unit_test(largest_elements_share),
        cmocka_unit_test(nothing_flows_through_detach),
        cmocka_unit_test(built_ins_have_the_gradients_of_their_results),
        cmocka_unit_test(rmsnorm_adds_up_parts_in_f32),
    };
    return cmocka_run_group_tests(tests, open_engine, close_engine);
}
