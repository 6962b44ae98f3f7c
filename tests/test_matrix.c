/* Tests of every built-in with operands of one type, which the argument names, on every instruction set
 * that runs here. Machine code equals the interpreter at every length between guard pages, and for all
 * inputs of a 16-bit type. The interpreter keeps the kernel's bound against the reference. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "builtins.h"
#include "isas.h"
#include "matrix.h"

enum { MOST_BUILTINS = 128, NAME_SIZE = 64, REFERENCE_INPUTS = 2000 };

static char names[MOST_BUILTINS][NAME_SIZE];
static size_t name_count;
static const char *type_name;
static enum element_type type;

static double x[REFERENCE_INPUTS]; /* An array with room for any type. */

static void make_inputs(void)
{
    uint64_t seed = 1;
    for (size_t i = 0; i < REFERENCE_INPUTS; i++) element_set(x, type, i, matrix_bits(type, &seed));
}

static int remember(void *payload, const actgen_builtin *b)
{
    (void)payload;
    if (!is_made_of(b, type_name) || name_count == MOST_BUILTINS) return 0;
    snprintf(names[name_count++], NAME_SIZE, "%s", b->name);
    return 0;
}

static int list_builtins(void **state)
{
    (void)state;
    make_inputs();
    return actgen_builtins(remember, NULL, NULL);
}

/* ---- the bound ---- */

/* Returns the error that the kernel's promise allows where the exact value is y, which is itself
 * rounded to double. */
static double allowed(const char *accuracy, double y)
{
    const struct element_type_info *t = &element_types[type];
    const double size =
        fmin(fmax(fabs(y), ldexp(1, t->format.min_exponent)), ldexp(1, t->format.max_exponent));
    int exponent;
    frexp(size, &exponent);
    if (!strncmp(accuracy, "abs 2^-16", 9)) return 0x1p-16 * fmax(1, fabs(y));
    const double value = strtod(accuracy, NULL) + (type == ELEMENT_F64 ? 0.5 : 0);
    return value * ldexp(1, exponent - t->format.precision) * (1 + 0x1p-26);
}

static bool within(const char *accuracy, double computed, double exact)
{
    const double limit = 2 * ldexp(1, element_types[type].format.max_exponent);
    if (isnan(computed) || isnan(exact)) return isnan(computed) && isnan(exact);
    if (computed == exact) return true;
    if (isinf(computed)) computed = copysign(limit, computed);
    if (fabs(exact) > limit) exact = copysign(limit, exact);
    return fabs(computed - exact) <= allowed(accuracy, exact);
}

/* Returns the exact values of built-in `number` at x. They are the same on every instruction set and
 * within every bound, so the test finds them once. */
static const double *exact_values(const struct matrix *m, size_t number)
{
    static double *known[MOST_BUILTINS];
    actgen_error error;
    if (known[number]) return known[number];
    assert_non_null(known[number] = malloc(REFERENCE_INPUTS * sizeof *known[number]));
    for (size_t i = 0; i < REFERENCE_INPUTS; i++) {
        const double in = element_types[type].value(element_get(x, type, i));
        if (actgen_reference(m->kernel, 0, &in, &known[number][i], &error))
            fail_msg("%s at %a: %s", m->what, in, error.message);
    }
    return known[number];
}

/* Checks the bound. Only kernels of one operand promise a bound on their result. test_rows judges kernels
 * with sums, whose result is no function of one element. test_half judges all inputs of 16-bit types. */
static void check_bound(const struct matrix *m, size_t number)
{
    static double y[REFERENCE_INPUTS];
    const actgen_operand operands[2] = {{x, 0}, {y, 0}};
    const char *accuracy = actgen_kernel_accuracy(m->kernel);
    actgen_error error;
    if (m->name_count != 2 || has_workspace(m->kernel) || element_is_half(type)) return;
    if (getenv("ACTGEN_TEST_LLVM")) return; /* Another LLVM changes neither side. */
    const double *exact = exact_values(m, number);
    if (actgen_interpret(m->kernel, 1, REFERENCE_INPUTS, operands, 2, &error)) fail_msg("%s", error.message);
    for (size_t i = 0; i < REFERENCE_INPUTS; i++) {
        const double in = element_types[type].value(element_get(x, type, i)),
                     computed = element_types[type].value(element_get(y, type, i));
        if (!within(accuracy, computed, exact[i]))
            fail_msg("%s on %s, %s, at %a: %a, exact %a", m->what, actgen_kernel_isa(m->kernel), accuracy, in,
                     computed, exact[i]);
    }
}

/* ---- the matrix ---- */

static actgen_kernel *compile(actgen_engine *engine, const char *name, const char *isa, const char *accuracy)
{
    actgen_options options = ACTGEN_OPTIONS_INIT;
    actgen_error error;
    actgen_spec *spec;
    actgen_kernel *kernel;
    options.isa = isa;
    options.accuracy = accuracy;
    if (actgen_spec_builtin_typed(&spec, name, type_name, &error)) fail_msg("%s: %s", name, error.message);
    int status = actgen_compile(&kernel, engine, spec, NULL, &options, &error);
    actgen_spec_free(spec);
    if (status && !(accuracy && status == ACTGEN_EACCURACY))
        fail_msg("%s of %s on %s: %s", name, type_name, isa, error.message);
    return kernel;
}

static void check_kernel(struct matrix *m, const actgen_kernel *kernel, size_t number)
{
    const char *name = names[number];
    if (!is_machine_code(kernel)) fail_msg("%s: %s", name, actgen_kernel_backend(kernel));
    matrix_take(m, kernel, name);
    matrix_check_lengths(m);
    matrix_check_all_inputs(m);
    check_bound(m, number);
}

/* Compares the pieces with the reference: every input of one operand, a sample of more. */
static void check_errors(const actgen_kernel *kernel, const char *name)
{
    actgen_verify_options options = ACTGEN_VERIFY_OPTIONS_INIT;
    actgen_report report = ACTGEN_REPORT_INIT;
    actgen_error error;
    options.sample_log2 = ACTGEN_MIN_SAMPLE_LOG2; /* This is about the code: its plan was judged with more. */
    if (actgen_verify(kernel, &options, &report, &error)) fail_msg("%s: %s", name, error.message);
    if (!report.ok || report.undecided || report.bits_differ)
        fail_msg("%s on %s: %g abs at %a", name, actgen_kernel_isa(kernel), report.max_abs,
                 report.max_abs_at);
}

/* Returns how many sets share a built-in with another LLVM. That LLVM has the same operations to compile,
 * all of which test_llvm covers. So each built-in is on one set of three in f32, and of four in f16, whose
 * lanes only some built-ins take. In another type it is on one of ten, which gives each built-in a few
 * types. */
static size_t other_llvm_step(void) { return type == ELEMENT_F32 ? 3 : type == ELEMENT_F16 ? 4 : 10; }

/* Returns true if the built-in is tried. Every set has the default bound, with these exceptions. Looser
 * bounds, whose programs have the same ops, try each built-in on one of the sets that share. Plans of f64
 * take longest, so f64 is on two sets of three. Functions of a byte are tables on each set, and two of the
 * four types of a byte try those tables there. */
static bool is_tried(size_t number, size_t bound, size_t set)
{
    if (takes_all()) return true;
    if (runs_again()) return (number + 3 * (size_t)type + set) % other_llvm_step() == 0;
    if (bound) return (number + set + bound) % sharing_sets() == 0;
    if (type == ELEMENT_F64 && sharing_sets() == 3) return (number + set) % 3;
    return element_types[type].bytes > 1 || (number + set + type) % 2;
}

static void check_isa(actgen_engine *engine, struct matrix *m, const char *isa)
{
    static size_t set;
    static const char *const accuracies[] = {NULL, "abs 2^-16"}, *const loose[] = {"abs 2^-8"};
    const bool extends = actgen_isa_extends(isa) != NULL;
    const size_t bounds = type == ELEMENT_F32 ? 2 : 1;
    size_t compared = 0, own = 0, tried = 0, tried_loose = 0;
    for (size_t i = 0; i < name_count; i++)
        for (size_t a = 0; a < bounds; a++) {
            if (!is_tried(i, a, set)) continue;
            tried++;
            tried_loose += a > 0;
            actgen_kernel *kernel =
                compile(engine, names[i], isa, extends && type == ELEMENT_F16 ? loose[a] : accuracies[a]);
            if (!kernel) continue; /* No plan can keep such a bound. */
            check_kernel(m, kernel, i);
            const bool is_own = !strcmp(actgen_kernel_isa(kernel), isa);
            if (extends && is_own) check_errors(kernel, names[i]); /* Other code is that of the set below. */
            own += is_own;
            actgen_kernel_free(kernel);
            compared++;
        }
    assert_true(tried >= name_count / (runs_again() ? other_llvm_step() : 3) && compared > tried * 3 / 4);
    assert_true(bounds == 1 || runs_again() || tried_loose >= name_count / 3);
    assert_true(extends ? own > tried / 4 : own == compared); /* The code of relu is the same on both sets. */
    set++;
}

#include "each_isa.h"

static void isas_that_extend_another(void **state)
{
    (void)state;
    check_extending_isas(type_name);
}

static void all_templates_are_known(void **state)
{
    (void)state;
    assert_true(name_count > 30);
    assert_true(name_count < MOST_BUILTINS);
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {EACH_ISA, cmocka_unit_test(isas_that_extend_another),
                                       cmocka_unit_test(all_templates_are_known)};
    type_name = argc > 1 ? argv[1] : "f32";
    while (strcmp(element_types[type].name, type_name))
        if (++type == ELEMENT_TYPE_COUNT) return 2;
    return cmocka_run_group_tests_name(type_name, tests, list_builtins, NULL);
}
