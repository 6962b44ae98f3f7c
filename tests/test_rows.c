/* Tests of the built-ins of templates/rows.act. Every element is within 3 ulp of the exact value by MPFR,
 * on rows of 2 to 131072 elements with any content. For 16-bit types, the result is the rounding of a
 * value that is nearly exact. Instruction sets give equal bits. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <math.h>
#include <mpfr.h>
#include <stdio.h>
#include <stdlib.h>

#include "element.h"
#include "engine.h"
#include "filled.h"
#include "isas.h"
#include "row_contents.h"

enum { MOST_COLS = 131072, LONG_COLS = 4096, BITS = 96, EXACT_BITS = 320, MARGIN = 8 };
#ifdef ACTGEN_TEST_SANITIZED
enum {
    JUDGED_COLS = 4096
    /* Sanitizers watch the C code around machine code, and that C code is the same for longer rows. */
};
#else
enum { JUDGED_COLS = MOST_COLS };
#endif

static const size_t widths[] = {2, 3, 15, 16, 17, 255, 256, 257, 4096, MOST_COLS};

/* -- exact values -- */

struct row {
    enum element_type type;
    size_t cols;
    double *x, *gate, *weight; /* The numbers as the type holds them. */
    double epsilon;
    mpfr_t *powers; /* The powers e^(x - amax(x)). */
    mpfr_t largest, difference, sum, others, value;
};

static double as_type(enum element_type type, double x)
{
    return element_types[type].value(element_types[type].near(x));
}

/* Returns numbers as networks have them, and gates over the whole range in which silu is a normal
 * number of f32. */
static double gate_of(size_t j)
{
    switch (j % 4) {
    case 0: return 4 * normal();
    case 1: return 182 * uniform() - 91;
    case 2: return 0x1p-124 * (1 + uniform());
    default: return 1e4 * uniform();
    }
}

static void fill(struct row *r, enum element_type type, size_t cols, const struct content *content)
{
    state = cols + 1;
    r->type = type;
    r->cols = cols;
    r->epsilon = as_type(type, 1e-5);
    for (size_t j = 0; j < cols; j++) {
        r->x[j] = as_type(type, content->element(j, cols));
        r->gate[j] = as_type(type, gate_of(j));
        r->weight[j] = as_type(type, normal());
    }
}

static void set_difference(struct row *r, size_t j)
{
    mpfr_set_d(r->difference, r->x[j], MPFR_RNDN);
    mpfr_sub(r->difference, r->difference, r->largest, MPFR_RNDN);
}

/* Adds all powers, and all except one of the largest. */
static void prepare_powers(struct row *r)
{
    bool found = false;
    mpfr_set_inf(r->largest, -1);
    for (size_t j = 0; j < r->cols; j++)
        if (mpfr_cmp_d(r->largest, r->x[j]) < 0) mpfr_set_d(r->largest, r->x[j], MPFR_RNDN);
    mpfr_set_zero(r->others, 1);
    for (size_t j = 0; j < r->cols; j++) {
        set_difference(r, j);
        mpfr_exp(r->powers[j], r->difference, MPFR_RNDN);
        if (found || !mpfr_zero_p(r->difference))
            mpfr_add(r->others, r->others, r->powers[j], MPFR_RNDN);
        else
            found = true;
    }
    mpfr_add_ui(r->sum, r->others, 1, MPFR_RNDN);
}

static void softmax_value(struct row *r, size_t j) { mpfr_div(r->value, r->powers[j], r->sum, MPFR_RNDN); }

static void log_softmax_value(struct row *r, size_t j)
{
    set_difference(r, j);
    mpfr_log1p(r->value, r->others, MPFR_RNDN);
    mpfr_sub(r->value, r->difference, r->value, MPFR_RNDN);
}

/* Returns true if the row has -infinity only. */
static bool is_hidden(const struct row *r)
{
    for (size_t j = 0; j < r->cols; j++)
        if (r->x[j] != -INFINITY) return false;
    return true;
}

static void safe_softmax_value(struct row *r, size_t j)
{
    softmax_value(r, j);
    if (is_hidden(r)) mpfr_set_zero(r->value, 1);
}

static void safe_log_softmax_value(struct row *r, size_t j)
{
    log_softmax_value(r, j);
    if (is_hidden(r)) mpfr_set_inf(r->value, -1);
}

/* Computes 1/sqrt(mean(x^2) + epsilon). */
static void prepare_norm(struct row *r)
{
    mpfr_set_zero(r->sum, 1);
    for (size_t j = 0; j < r->cols; j++) {
        mpfr_set_d(r->value, r->x[j], MPFR_RNDN);
        mpfr_sqr(r->value, r->value, MPFR_RNDN);
        mpfr_add(r->sum, r->sum, r->value, MPFR_RNDN);
    }
    mpfr_div_ui(r->sum, r->sum, r->cols, MPFR_RNDN);
    mpfr_add_d(r->sum, r->sum, r->epsilon, MPFR_RNDN);
    mpfr_rec_sqrt(r->sum, r->sum, MPFR_RNDN);
}

static void rmsnorm_value(struct row *r, size_t j)
{
    mpfr_mul_d(r->value, r->sum, r->x[j], MPFR_RNDN);
    mpfr_mul_d(r->value, r->value, r->weight[j], MPFR_RNDN);
}

static void rmsnorm_gated_value(struct row *r, size_t j)
{
    rmsnorm_value(r, j);
    mpfr_mul_d(r->value, r->value, r->gate[j], MPFR_RNDN);
    mpfr_set_d(r->difference, -r->gate[j], MPFR_RNDN);
    mpfr_exp(r->difference, r->difference, MPFR_RNDN);
    mpfr_add_ui(r->difference, r->difference, 1, MPFR_RNDN);
    mpfr_div(r->value, r->value, r->difference, MPFR_RNDN);
}

static const struct builtin {
    const char *name;
    void (*prepare)(struct row *r);
    void (*value)(struct row *r, size_t j);
} builtins[] = {{"softmax", prepare_powers, softmax_value},
                {"log_softmax", prepare_powers, log_softmax_value},
                {"rmsnorm", prepare_norm, rmsnorm_value},
                {"rmsnorm_gated", prepare_norm, rmsnorm_gated_value},
                {"safe_softmax", prepare_powers, safe_softmax_value},
                {"safe_log_softmax", prepare_powers, safe_log_softmax_value}};
enum { BUILTINS = sizeof builtins / sizeof *builtins };

/* Returns the error in ulps of the type, compared with the exact value r->value. A value beyond the
 * largest number counts as the next number. */
static double error_of(struct row *r, double y)
{
    const struct float_format *f = &element_types[r->type].format;
    if (isnan(y) || mpfr_nan_p(r->value)) return isnan(y) && mpfr_nan_p(r->value) ? 0 : (double)INFINITY;
    if (mpfr_inf_p(r->value) || (mpfr_regular_p(r->value) && mpfr_get_exp(r->value) - 1 > f->max_exponent))
        mpfr_set_d(r->value, mpfr_signbit(r->value) ? -float_limit(f) : float_limit(f), MPFR_RNDN);
    const long exponent = mpfr_zero_p(r->value) ? f->min_exponent : mpfr_get_exp(r->value) - 1;
    mpfr_sub_d(r->value, r->value, float_cut(f, y), MPFR_RNDN);
    mpfr_mul_2si(r->value, r->value, -float_spacing_exponent(f, exponent), MPFR_RNDN);
    return fabs(mpfr_get_d(r->value, MPFR_RNDN));
}

/* -- kernels -- */

static actgen_kernel *compile_within(const char *accuracy, const char *name, enum element_type type,
                                     const char *isa)
{
    actgen_options options = ACTGEN_OPTIONS_INIT;
    actgen_kernel *kernel;
    options.isa = isa;
    options.accuracy = accuracy;
    if (actgen_compile_builtin(&kernel, engine, name, element_types[type].name, &options, &error))
        fail_msg("%s: %s", name, error.message);
    return kernel;
}

static actgen_kernel *compile_builtin(const char *name, enum element_type type, const char *isa)
{
    return compile_within(NULL, name, type, isa);
}

static void *elements_of(const struct row *r, const double *values, size_t count)
{
    void *data = calloc(count + MARGIN, element_types[r->type].bytes);
    assert_non_null(data);
    for (size_t j = 0; values && j < count; j++)
        element_set(data, r->type, j, element_types[r->type].near(values[j]));
    return data;
}

/* Returns the kernel's results for the row. The caller frees them. */
static void *results_of(const actgen_kernel *kernel, const struct row *r)
{
    actgen_operand list[8] = {{NULL, 0}};
    const size_t count = actgen_kernel_group_count(kernel);
    for (size_t k = 0; k < count; k++) {
        actgen_operand_info info = ACTGEN_OPERAND_INFO_INIT;
        assert_int_equal(actgen_kernel_operand_info(kernel, k, &info), ACTGEN_OK);
        const double *values = info.is_result                 ? NULL
                               : !strcmp(info.name, "x")      ? r->x
                               : !strcmp(info.name, "gate")   ? r->gate
                               : !strcmp(info.name, "weight") ? r->weight
                                                              : &r->epsilon;
        list[k].data = elements_of(r, values, info.shape == ACTGEN_SHAPE_ONE ? 1 : r->cols);
    }
    if (actgen_run(kernel, 1, r->cols, list, count, &error)) fail_msg("%s", error.message);
    for (size_t k = 0; k + 1 < count; k++) free((void *)(uintptr_t)list[k].data);
    return (void *)(uintptr_t)list[count - 1].data;
}

static void row_open(struct row *r)
{
    memset(r, 0, sizeof *r);
    assert_non_null(r->x = malloc(MOST_COLS * sizeof *r->x));
    assert_non_null(r->gate = malloc(MOST_COLS * sizeof *r->gate));
    assert_non_null(r->weight = malloc(MOST_COLS * sizeof *r->weight));
    assert_non_null(r->powers = malloc(MOST_COLS * sizeof *r->powers));
    for (size_t j = 0; j < MOST_COLS; j++) mpfr_init2(r->powers[j], BITS);
    mpfr_inits2(EXACT_BITS, r->largest, r->difference, r->sum, r->others, r->value, (mpfr_ptr)0);
}

static void row_close(struct row *r)
{
    for (size_t j = 0; j < MOST_COLS; j++) mpfr_clear(r->powers[j]);
    mpfr_clears(r->largest, r->difference, r->sum, r->others, r->value, (mpfr_ptr)0);
    free(r->powers);
    free(r->x);
    free(r->gate);
    free(r->weight);
}

/* Returns the step between judged elements, prime to the period of the contents. The error of a row's sum is
 * in all elements. */
static size_t step_of(const struct row *r) { return r->cols > LONG_COLS ? 11 : 1; }

/* Returns the largest error of a prepared row. */
static double judge_row(const struct builtin *b, const actgen_kernel *kernel, struct row *r,
                        const char *content, double allowed)
{
    void *y = results_of(kernel, r);
    double most = 0;
    for (size_t j = 0; j < r->cols; j += step_of(r)) {
        b->value(r, j);
        const double value = element_types[r->type].value(element_get(y, r->type, j)),
                     ulps = error_of(r, value);
        if (ulps > most) most = ulps;
        if (!(ulps <= allowed))
            fail_msg("%s in %s, %zu columns, %s: y[%zu] of x = %a is %a, %g ulp off", b->name,
                     element_types[r->type].name, r->cols, content, j, r->x[j], value, ulps);
    }
    free(y);
    return most;
}

static void judge_type(enum element_type type, size_t most_cols, double allowed)
{
    struct row r;
    actgen_kernel *kernels[BUILTINS];
    double most[BUILTINS] = {0};
    row_open(&r);
    for (size_t k = 0; k < BUILTINS; k++) kernels[k] = compile_builtin(builtins[k].name, type, NULL);
    for (size_t n = 0; n < sizeof widths / sizeof *widths && widths[n] <= most_cols; n++)
        for (size_t c = 0; c < CONTENTS; c++) {
            void (*prepared)(struct row *) = NULL; /* The preparation that two built-ins need is done once. */
            fill(&r, type, widths[n], &contents[c]);
            for (size_t k = 0; k < BUILTINS; k++) {
                const struct builtin *b = &builtins[k];
                /* norms_of_what_is_no_number covers these contents. */
                if (b->prepare == prepare_norm && c >= FIRST_SPECIAL - 1) continue;
                if (b->prepare != prepared) b->prepare(&r);
                prepared = b->prepare;
                most[k] = fmax(most[k], judge_row(b, kernels[k], &r, contents[c].name, allowed));
            }
        }
    for (size_t k = 0; k < BUILTINS; k++) {
        print_message("%s %s: at most %.3f ulp\n", builtins[k].name, element_types[type].name, most[k]);
        actgen_kernel_free(kernels[k]);
    }
    row_close(&r);
}

static void f32_within_3_ulp(void **unused) { (void)unused, judge_type(ELEMENT_F32, JUDGED_COLS, 3); }
static void bf16_nearly_rounded_once(void **unused) { (void)unused, judge_type(ELEMENT_BF16, 4096, 0.501); }
static void f16_nearly_rounded_once(void **unused) { (void)unused, judge_type(ELEMENT_F16, 4096, 0.501); }

/* Checks that softmax keeps absolute bounds, for which its powers have fewer bits. */
static void softmax_within_absolute_bounds(void **unused)
{
    (void)unused;
    enum { LEAST = -23, MOST = -8, MOST_WIDTH = 300 };
    struct row r;
    row_open(&r);
    for (int bound = LEAST; bound <= MOST; bound++) {
        char accuracy[20];
        double most = 0;
        snprintf(accuracy, sizeof accuracy, "abs 2^%d", bound);
        actgen_kernel *kernel = compile_within(accuracy, "softmax", ELEMENT_F32, NULL);
        for (size_t n = 0; n < sizeof widths / sizeof *widths && widths[n] <= MOST_WIDTH; n++)
            for (size_t c = 0; c + 1 < FIRST_SPECIAL; c++) {
                fill(&r, ELEMENT_F32, widths[n], &contents[c]);
                prepare_powers(&r);
                float *y = results_of(kernel, &r);
                for (size_t j = 0; j < r.cols; j++) {
                    softmax_value(&r, j);
                    mpfr_sub_d(r.value, r.value, (double)y[j], MPFR_RNDN);
                    most = fmax(most, fabs(mpfr_get_d(r.value, MPFR_RNDN)) / ldexp(1, bound));
                }
                free(y);
            }
        print_message("softmax within %s: at most %.3f of it\n", accuracy, most);
        assert_true(most <= 1);
        actgen_kernel_free(kernel);
    }
    row_close(&r);
}

/* -- equal bits -- */

static void instruction_sets_agree(void **unused)
{
    (void)unused;
    struct row r;
    row_open(&r);
    for (size_t k = 0; k < BUILTINS; k++) {
        void *first = NULL;
        for (size_t n = 0; own_isa_to_run(n); n++) {
            actgen_options options = ACTGEN_OPTIONS_INIT;
            actgen_kernel *kernel;
            options.isa = own_isa_to_run(n);
            options.profile = "portable-nofma"; /* A profile decides the plans. */
            if (actgen_compile_builtin(&kernel, engine, builtins[k].name, NULL, &options, &error))
                fail_msg("%s: %s", builtins[k].name, error.message);
            fill(&r, ELEMENT_F32, 4099, &contents[1]);
            void *y = results_of(kernel, &r);
            if (first && memcmp(first, y, r.cols * sizeof(float)))
                fail_msg("%s: %s differs", builtins[k].name, own_isa_to_run(n));
            if (first)
                free(y);
            else
                first = y;
            actgen_kernel_free(kernel);
        }
        free(first);
    }
    row_close(&r);
}

/* -- rows whose scale f32 cannot hold -- */

static double any_size(int least, int most)
{
    const double size = ldexp(1 + uniform(), least + (int)(uniform() * (most - least)));
    return uniform() < 0.05 ? 0 : uniform() < 0.5 ? -size : size;
}

/* 1/sqrt(mean(x^2)) may be no normal number of f32, and weights bring the results back. */
static const struct sizes {
    int least, most, least_weight, most_weight; /* exponents */
    double epsilon;
} sizes[] = {{-149, 127, -149, 127, 0},  {-149, -127, -20, 20, 0},  {-149, -127, 100, 127, 1e-5},
             {125, 127, -10, 127, 1e-5}, {120, 127, -149, -100, 0}, {-20, 20, -149, 127, 3e38}};

static void norms_of_any_size(void **unused)
{
    (void)unused; /* a number has either sign and any exponent between two, or is 0 */
    enum { REPEATED = 40, COLS = 67, NORM = 2, GATED = 3 };
    struct row r;
    row_open(&r);
    actgen_kernel *kernels[BUILTINS] = {[NORM] = compile_builtin("rmsnorm", ELEMENT_F32, NULL),
                                        [GATED] = compile_builtin("rmsnorm_gated", ELEMENT_F32, NULL)};
    for (size_t n = 0; n < REPEATED * sizeof sizes / sizeof *sizes; n++) {
        const struct sizes *s = &sizes[n / REPEATED];
        fill(&r, ELEMENT_F32, COLS, &contents[0]);
        state = n + 1;
        r.epsilon = as_type(ELEMENT_F32, s->epsilon);
        for (size_t j = 0; j < COLS; j++) r.x[j] = as_type(ELEMENT_F32, any_size(s->least, s->most));
        for (size_t j = 0; j < COLS; j++)
            r.weight[j] = as_type(ELEMENT_F32, any_size(s->least_weight, s->most_weight));
        prepare_norm(&r);
        for (int k = NORM; k <= GATED; k++) judge_row(&builtins[k], kernels[k], &r, "any size", 3);
    }
    for (int k = NORM; k <= GATED; k++) actgen_kernel_free(kernels[k]);
    row_close(&r);
}

/* -- values of a row -- */

/* Computes the logarithm of the sum of all e^x, or of their mean. */
static void logsumexp_value(struct row *r, bool is_mean)
{
    mpfr_set(r->value, r->sum, MPFR_RNDN);
    if (is_mean) mpfr_div_ui(r->value, r->value, r->cols, MPFR_RNDN);
    mpfr_log(r->value, r->value, MPFR_RNDN);
    mpfr_add(r->value, r->value, r->largest, MPFR_RNDN);
    bool has_nan = false;
    for (size_t j = 0; j < r->cols; j++) has_nan = has_nan || isnan(r->x[j]);
    if (mpfr_inf_p(r->largest) && !has_nan) mpfr_set(r->value, r->largest, MPFR_RNDN);
}

/* Results are rounded once from f64. The exceptions are results close to 0, which these rows do not have. */
static void sums_of_powers_are_rounded_once(void **unused)
{
    (void)unused;
    static const char *const names[] = {"logsumexp", "logmeanexp"};
    struct row r;
    row_open(&r);
    for (size_t n = 0; n < 2; n++) {
        actgen_kernel *kernel = compile_builtin(names[n], ELEMENT_F32, NULL);
        for (size_t k = 0; k < 8 * CONTENTS; k++) {
            const struct content *content = &contents[k / 8];
            fill(&r, ELEMENT_F32, widths[k % 8], content);
            prepare_powers(&r);
            float *y = results_of(kernel, &r);
            logsumexp_value(&r, n == 1);
            if (!(error_of(&r, (double)*y) <= 0.501))
                fail_msg("%s, %zu columns, %s: %a", names[n], r.cols, content->name, (double)*y);
            free(y);
        }
        actgen_kernel_free(kernel);
    }
    row_close(&r);
}

/* -- what is no number, and what is refused -- */

static void norms_of_what_is_no_number(void **unused)
{
    (void)unused;
    const float weight[] = {1, 2, 3}, rows[][3] = {{1, INFINITY, -1}, {1, NAN, 2}, {0, -0.0f, 0}};
    float epsilon = 0, y[9];
    actgen_kernel *kernel = compile_builtin("rmsnorm", ELEMENT_F32, NULL);
    const actgen_operand list[] = {
        {(void *)(uintptr_t)rows, 0}, {(void *)(uintptr_t)weight, 0}, {&epsilon, 0}, {y, 0}};
    if (actgen_run(kernel, 3, 3, list, 4, &error)) fail_msg("%s", error.message);
    assert_true(y[0] == 0 && isnan(y[1]) && y[2] == 0 && signbit(y[2]));
    for (int i = 3; i < 9; i++) assert_true(isnan(y[i])); /* The last row has 0/0. */
    epsilon = 1e-5f;
    if (actgen_run(kernel, 3, 3, list, 4, &error)) fail_msg("%s", error.message);
    assert_true(y[6] == 0 && y[7] == 0 && signbit(y[7]) && y[8] == 0);
    actgen_kernel_free(kernel);
}

static void f64_is_refused_by_name(void **unused)
{
    (void)unused;
    actgen_spec *spec;
    for (size_t k = 0; k < BUILTINS; k++)
        assert_refused(actgen_spec_builtin_typed(&spec, builtins[k].name, "f64", &error), ACTGEN_ENOTYET,
                       builtins[k].name);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(f32_within_3_ulp),
        cmocka_unit_test(bf16_nearly_rounded_once),
        cmocka_unit_test(softmax_within_absolute_bounds),
        cmocka_unit_test(f16_nearly_rounded_once),
        cmocka_unit_test(instruction_sets_agree),
        cmocka_unit_test(norms_of_what_is_no_number),
        cmocka_unit_test(f64_is_refused_by_name),
        cmocka_unit_test(norms_of_any_size),
        cmocka_unit_test(sums_of_powers_are_rounded_once),
    };
    return cmocka_run_group_tests(tests, open_engine, close_engine);
}
