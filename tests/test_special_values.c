/* Tests of values at infinities and zeros: of all built-ins, their gradients and second gradients, and of
 * sums of tails. The expected values are in tests/special_values.txt and do not come from the library.
 *
 * `test_special_values reference` asks the reference. `test_special_values TYPE STEP OFFSET` asks machine
 * code and the interpreter, for one type of operands. It tries each STEP-th of the built-ins from number
 * OFFSET on. Without STEP, or with ACTGEN_TEST_ALL in the environment, it tries all. A kernel that has no
 * plan for the usual bound gets a bound of abs 2^-8, which leaves the signs of zeros free. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "builtins.h"
#include "element.h"
#include "engine.h"
#include "fields.h"
#include "language.h"
#include "part.h"
#include "reference.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

enum { LINE = 256, VALUES = 4, MOST_GROUPS = 8, MOST_ROWS = 512 };
static const double TOLERANCE = 0x1p-46; /* The relative tolerance of the table's digits. */
static const double at[VALUES] = {-INFINITY, -0.0, 0.0, INFINITY};
static const char *type; /* The type of operands. */
static unsigned step = 1, offset;

/* -- the table -- */

struct expected {
    bool asked, any_sign;
    double value;
};

struct row {
    /* The line, the kernel, and the name of the result by itself. */
    char line[LINE], *kernel, *result;
    unsigned order;  /* The order of the gradient. */
    bool is_planned; /* False if only the reference is asked. */
    struct expected values[VALUES];
};

static struct row rows[MOST_ROWS];
static unsigned row_count;

static bool read_value(struct expected *v, char *text)
{
    char *end;
    v->asked = text && strcmp(text, "?") != 0;
    if (!text || !v->asked) return text;
    v->value = strtod(text, &end);
    v->any_sign = *end == '*';
    return end > text && (!*end || (*end == '*' && v->value == 0));
}

static void read_row(struct row *r)
{
    char *rest = r->line;
    r->is_planned = *rest != '~';
    rest += !r->is_planned;
    r->kernel = field(&rest, '|');
    r->result = field(&rest, '|');
    bool right = r->kernel && r->result;
    for (unsigned i = 0; i < VALUES; i++) right = read_value(&r->values[i], field(&rest, '|')) && right;
    if (!right) fail_msg("not a row: %s", r->line);
    r->order = !strncmp(r->result, "2 ", 2) ? 2 : !strncmp(r->result, "d_", 2) ? 1 : 0;
    if (r->order == 2) r->result += 2;
}

static int read_table(void **state)
{
    char path[LINE];
    snprintf(path, sizeof path, "%s/special_values.txt", TEST_DATA);
    FILE *file = fopen(path, "r");
    if (!file || open_engine(state)) return -1;
    while (row_count < MOST_ROWS && fgets(rows[row_count].line, LINE, file))
        if (*rows[row_count].line != '#' && *rows[row_count].line != '\n') read_row(&rows[row_count++]);
    fclose(file);
    return row_count == MOST_ROWS;
}

/* -- kernels -- */

static bool is_formula(const struct row *r) { return strchr(r->kernel, '(') != NULL; }

/* Returns the spec of the row's kernel, and its name in `name`. */
static actgen_spec *spec_of(const struct row *r, const char **name)
{
    actgen_spec *spec, *gradient;
    int status = is_formula(r) ? actgen_spec_expression_typed(&spec, r->kernel, type, &error)
                               : actgen_spec_builtin_typed(&spec, r->kernel, type, &error);
    if (status) fail_msg("%s: %s", r->kernel, error.message);
    *name = actgen_spec_kernel_name(spec, 0);
    for (unsigned k = 0; k < r->order; k++) {
        if (actgen_spec_gradient(&gradient, spec, *name, NULL, 0, &error))
            fail_msg("%s, gradient %u: %s", r->kernel, k + 1, error.message);
        actgen_spec_free(spec);
        spec = gradient;
        *name = actgen_spec_kernel_name(spec, actgen_spec_kernel_count(spec) - 1);
    }
    return spec;
}

/* Compiles with the first bound that can be kept. `is_abs` tells which. */
static actgen_kernel *compile(const struct row *r, bool *is_abs)
{
    actgen_options options = ACTGEN_OPTIONS_INIT;
    actgen_kernel *kernel = NULL;
    const char *name;
    actgen_spec *spec = spec_of(r, &name);
    options.tier = ACTGEN_TIER_QUICK;
    options.plan_limit = 1;
    int status = actgen_compile(&kernel, engine, spec, name, &options, &error);
    *is_abs = status == ACTGEN_EACCURACY;
    options.accuracy = "abs 2^-8";
    if (*is_abs) status = actgen_compile(&kernel, engine, spec, name, &options, &error);
    if (status) fail_msg("%s, order %u: %s", r->kernel, r->order, error.message);
    actgen_spec_free(spec);
    return kernel;
}

/* -- calls -- */

/* The row's result, by machine code and by the interpreter. */
struct results {
    enum element_type type;
    bool takes[VALUES]; /* True if the type of the operand has that number. */
    uint64_t machine[VALUES], interpreted[VALUES];
    double number[VALUES];
};

static double number_of(enum element_type t, uint64_t bits) { return element_types[t].value(bits); }

/* Returns true if the type has the number. Integers have no -0, and some floats no infinity. */
static bool has_number(enum element_type t, double x)
{
    if (x == 0 && signbit(x)) return !element_is_integer(t);
    return !isinf(x) || element_types[t].format.has_infinity;
}

/* Fills an operand. The first one goes through the table's values. */
static void fill(void *data, enum element_type t, bool is_first, bool *takes)
{
    for (unsigned k = 0; k < VALUES; k++) {
        const bool fits = !is_first || has_number(t, at[k]);
        if (is_first) takes[k] = fits;
        element_set(data, t, k, element_types[t].near(!is_first ? 1 : fits ? at[k] : 0));
    }
}

static void call(struct results *out, const struct row *r, const actgen_kernel *kernel)
{
    uint64_t memory[2][MOST_GROUPS][VALUES] = {0};
    actgen_operand operands[2][MOST_GROUPS] = {0};
    actgen_operand_info info = ACTGEN_OPERAND_INFO_INIT;
    const size_t groups = actgen_kernel_group_count(kernel);
    size_t wanted = MOST_GROUPS;
    assert_true(groups <= MOST_GROUPS);
    for (size_t i = 0; i < groups; i++) {
        assert_int_equal(actgen_kernel_operand_info(kernel, i, &info), ACTGEN_OK);
        for (unsigned by = 0; by < 2; by++) {
            operands[by][i].data = memory[by][i];
            if (!info.is_result) fill(memory[by][i], (enum element_type)info.type, !i, out->takes);
        }
        if (info.is_result && !strcmp(info.name, r->result))
            wanted = i, out->type = (enum element_type)info.type;
    }
    if (wanted == MOST_GROUPS) fail_msg("%s has no result %s", r->kernel, r->result);
    if (actgen_run(kernel, 1, VALUES, operands[0], groups, &error) ||
        actgen_interpret(kernel, 1, VALUES, operands[1], groups, &error))
        fail_msg("%s: %s", r->kernel, error.message);
    for (unsigned k = 0; k < VALUES; k++) {
        out->machine[k] = element_get(memory[0][wanted], out->type, k);
        out->interpreted[k] = element_get(memory[1][wanted], out->type, k);
        out->number[k] = number_of(out->type, out->machine[k]);
    }
}

/* -- verdicts -- */

/* Returns the value as the type holds it: integers are rounded and saturate, and e4m3 saturates. */
static double held(double value, enum element_type t)
{
    const double most = element_types[t].format.largest;
    if (element_is_integer(t))
        return isnan(value) ? 0 : fmin(fmax(rint(value), element_least(t)), element_most(t));
    return isinf(value) && !element_types[t].format.has_infinity ? copysign(most, value) : value;
}

static bool is_right(double y, const struct expected *v, enum element_type t, bool is_abs)
{
    const double wanted = held(v->value, t);
    const bool same_sign = v->any_sign || element_is_integer(t) || !signbit(y) == !signbit(wanted);
    if (isnan(wanted) || isnan(y)) return isnan(wanted) && isnan(y);
    if (isinf(wanted)) return y == wanted;
    const double spacing = float_spacing(&element_types[t].format, wanted);
    if (is_abs) return fabs(y - wanted) <= ldexp(fmax(1, fabs(wanted)), -8) + spacing;
    return wanted == 0 ? y == 0 && same_sign : fabs(y - wanted) <= 3 * spacing;
}

static unsigned check_row(const struct row *r, const actgen_kernel *kernel, bool is_abs)
{
    struct results y;
    unsigned wrong = 0;
    call(&y, r, kernel);
    for (unsigned k = 0; k < VALUES; k++) {
        const bool same = element_same(y.type, y.machine[k], y.interpreted[k]);
        const char *what = NULL;
        if (!y.takes[k] || !r->values[k].asked) continue;
        if (!same)
            what = "machine code and interpreter differ";
        else if (!is_right(y.number[k], &r->values[k], y.type, is_abs))
            what = is_abs ? "wrong by abs 2^-8" : "wrong";
        if (!what) continue;
        wrong++;
        fprintf(stderr, "%s, %s of order %u at %g: %.9g, not %.9g: %s\n", r->kernel, r->result, r->order,
                at[k], y.number[k], r->values[k].value, what);
    }
    return wrong;
}

static bool is_of_one_kernel(const struct row *a, const struct row *b)
{
    return a->order == b->order && !strcmp(a->kernel, b->kernel);
}

/* Returns true if the row belongs to this run. `number` counts kernels. */
static bool is_chosen(const struct row *r, unsigned number)
{
    return r->is_planned && is_row_of_today(number + offset, is_formula(r) ? 2 : step) &&
           is_row_tried(number / step, 8);
}

static void programs_have_the_limits(void **state)
{
    (void)state;
    unsigned wrong = 0, number = 0;
    actgen_kernel *kernel = NULL;
    bool is_abs = false;
    for (unsigned i = 0; i < row_count; i++) {
        const bool is_next = !i || !is_of_one_kernel(&rows[i - 1], &rows[i]);
        number += is_next;
        if (!is_chosen(&rows[i], number)) continue;
        if (is_next) {
            actgen_kernel_free(kernel);
            kernel = compile(&rows[i], &is_abs);
        }
        wrong += check_row(&rows[i], kernel, is_abs);
    }
    actgen_kernel_free(kernel);
    assert_int_equal(wrong, 0);
}

/* -- the reference -- */

static const struct spec_kernel *kernel_of(const struct row *r, arena *memory, struct spec **spec)
{
    struct diag d = {0};
    if (is_formula(r))
        spec_parse_expression(spec, memory, r->kernel, strlen(r->kernel), &d);
    else
        spec_builtin(spec, memory, r->kernel, &d);
    if (d.status) fail_msg("%s: %s", r->kernel, d.message);
    const struct spec_kernel *kernel = &(*spec)->kernels[0];
    for (unsigned k = 0; k < r->order; k++) {
        if (spec_gradient(spec, memory, *spec, kernel, NULL, 0, &d)) fail_msg("%s: %s", r->kernel, d.message);
        kernel = &(*spec)->kernels[1];
    }
    return kernel;
}

static bool is_limit(double y, bool exact_zero, const struct expected *v)
{
    const bool same_sign = v->any_sign || (!exact_zero && !signbit(y) == !signbit(v->value));
    if (isnan(v->value) || isnan(y)) return isnan(v->value) && isnan(y);
    if (v->value == 0) return y == 0 && same_sign;
    return y == v->value || fabs(y - v->value) <= fabs(v->value) * TOLERANCE;
}

static unsigned check_reference(const struct row *r)
{
    double inputs[MOST_GROUPS], value;
    bool exact_zero;
    unsigned wrong = 0;
    arena *memory = arena_create(0);
    assert_non_null(memory);
    struct spec *spec;
    const struct spec_kernel *kernel = kernel_of(r, memory, &spec);
    const expr *written = NULL;
    for (uint32_t i = 0; i < kernel->result_count; i++)
        if (!strcmp(kernel->operands[kernel->results[i].operand].name, r->result))
            written = kernel->results[i].value;
    if (!written) fail_msg("%s has no result %s", r->kernel, r->result);
    reference *truth =
        reference_create(written, expr_simplify(spec->dag, written, NULL), kernel->input_count);
    for (unsigned k = 0; k < VALUES; k++) {
        for (unsigned i = 0; i < MOST_GROUPS; i++) inputs[i] = i ? 1 : at[k];
        if (!r->values[k].asked) continue;
        if (reference_value(truth, inputs, &value, &exact_zero) == REFERENCE_DECIDED &&
            is_limit(value, exact_zero, &r->values[k]))
            continue;
        wrong++;
        fprintf(stderr, "%s, %s of order %u at %g: %.17g, not %.17g\n", r->kernel, r->result, r->order, at[k],
                value, r->values[k].value);
    }
    reference_free(truth);
    arena_free(memory);
    return wrong;
}

static void reference_has_the_limits(void **state)
{
    (void)state;
    unsigned wrong = 0;
    for (unsigned i = 0; i < row_count; i++) wrong += check_reference(&rows[i]);
    assert_int_equal(wrong, 0);
}

/* -- what the table has -- */

/* Returns true if the built-in has a gradient of that order, as far as this version goes. */
static bool has_order(const char *name, unsigned order)
{
    actgen_spec *spec = NULL, *gradient = NULL;
    int status = actgen_spec_builtin(&spec, name, &error);
    for (unsigned k = 0; k < order && !status; k++) {
        const char *last = actgen_spec_kernel_name(spec, actgen_spec_kernel_count(spec) - 1);
        status = actgen_spec_gradient(&gradient, spec, last, NULL, 0, &error);
        if (status) break;
        actgen_spec_free(spec);
        spec = gradient;
    }
    actgen_spec_free(spec);
    return status != ACTGEN_ENOTYET;
}

static int has_its_rows(void *payload, const actgen_builtin *b)
{
    unsigned *missing = payload;
    const bool draws = !strcmp(b->family, "Noise"), sums = !strcmp(b->family, "Rows");
    if (b->alias_of || draws || sums) return 0;
    for (unsigned order = 0; order < 3 && has_order(b->name, order); order++) {
        bool found = false;
        for (unsigned i = 0; i < row_count; i++)
            found = found || (rows[i].order == order && !strcmp(rows[i].kernel, b->name));
        if (!found) ++*missing, fprintf(stderr, "no row of %s, order %u\n", b->name, order);
    }
    return 0;
}

static void builtins_have_rows(void **state)
{
    (void)state;
    unsigned missing = 0;
    assert_int_equal(actgen_builtins(has_its_rows, &missing, &error), ACTGEN_OK);
    assert_int_equal(missing, 0);
}

int main(int count, char **arguments)
{
    const struct CMUnitTest of_reference[] = {
        cmocka_unit_test(builtins_have_rows),
        cmocka_unit_test(reference_has_the_limits),
    };
    const struct CMUnitTest of_programs[] = {cmocka_unit_test(programs_have_the_limits)};
    if (count < 2) {
        fprintf(stderr, "usage: test_special_values reference | TYPE [STEP OFFSET]\n");
        return 2;
    }
    type = arguments[1];
    if (!strcmp(type, "reference")) return cmocka_run_group_tests(of_reference, read_table, close_engine);
    if (count > 3 && !takes_all()) {
        step = (unsigned)atoi(arguments[2]);
        offset = (unsigned)atoi(arguments[3]);
    }
    return cmocka_run_group_tests(of_programs, read_table, close_engine);
}
