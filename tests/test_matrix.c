/* Every built-in on every instruction set that runs here: machine code equals the interpreter at every length
 * between pages that may not be touched, and the interpreter keeps the kernel's bound against the reference.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "actgen.h"
#include "formulas.h"
#include "guarded.h"

#include <math.h>

enum {
    MOST_BUILTINS = 128,
    NAME_SIZE = 64,
    MOST_OPERANDS = 8,
    MOST_LANES = 16,
    LONGEST = 4 * MOST_LANES + 3
};
enum { REFERENCE_INPUTS = 2000 };

static char names[MOST_BUILTINS][NAME_SIZE];
static size_t name_count;

static int remember(void *payload, const actgen_builtin *b)
{
    (void)payload;
    if (b->alias_of || name_count == MOST_BUILTINS) return 0;
    snprintf(names[name_count++], NAME_SIZE, "%s", b->name);
    return 0;
}

static int list_builtins(void **state)
{
    (void)state;
    return actgen_builtins(remember, NULL, NULL);
}

/* ---- data ---- */

static const float specials[] = {0.0f,      -0.0f,      INFINITY,  -INFINITY,       NAN,
                                 0x1p-149f, -0x1p-149f, 0x1p-126f, -0x1p-126f,      1.0f,
                                 -1.0f,     88.8f,      -104.0f,   0x1.fffffep127f, -3.0f,
                                 6.0f,      0.5f,       -0.5f,     -0x1p-127f,      -0x1.fffffep127f};
enum { SPECIALS = sizeof specials / sizeof *specials };

static float random_value(uint64_t *seed)
{
    uint64_t bits = next_random(seed);
    if (bits % 8 == 0) return specials[(bits >> 8) % SPECIALS];
    if (bits % 8 < 5) return (float)(20 * random_unit(seed) - 10);
    uint32_t low = (uint32_t)(bits >> 32);
    float any;
    memcpy(&any, &low, sizeof any);
    return any;
}

static bool same(const float *a, const float *b, size_t n)
{
    for (size_t i = 0; i < n; i++)
        if (memcmp(&a[i], &b[i], sizeof *a) && !(isnan(a[i]) && isnan(b[i]))) return false;
    return true;
}

/* ---- machine code ---- */

struct workplace {
    struct guarded memory[2][MOST_OPERANDS]; /* of the machine code and of the interpreter */
};

static void open_workplace(struct workplace *w)
{
    for (int side = 0; side < 2; side++)
        for (int k = 0; k < MOST_OPERANDS; k++)
            assert_true(guarded_create(&w->memory[side][k], LONGEST * sizeof(float)));
}

static void close_workplace(struct workplace *w)
{
    for (int side = 0; side < 2; side++)
        for (int k = 0; k < MOST_OPERANDS; k++) guarded_free(&w->memory[side][k]);
}

/* `length` elements that end (or begin) at a forbidden page. */
static bool lengths_agree(struct workplace *w, const actgen_kernel *kernel, size_t length, bool at_end,
                          uint64_t seed)
{
    actgen_operand operands[2][MOST_OPERANDS];
    size_t count = actgen_kernel_operand_count(kernel), bytes = length * sizeof(float);
    actgen_error error;
    for (size_t k = 0; k < count; k++) {
        float values[LONGEST];
        for (size_t i = 0; i < length; i++) values[i] = random_value(&seed);
        for (int side = 0; side < 2; side++) {
            struct guarded *g = &w->memory[side][k];
            guarded_fill(g);
            operands[side][k] = (actgen_operand){g->data + (at_end ? g->size - bytes : 0), 0};
            if (bytes) memcpy(operands[side][k].data, values, bytes);
        }
    }
    actgen_kernel_fn(kernel)(1, length, operands[0]);
    if (actgen_interpret(kernel, 1, length, operands[1], count, &error)) fail_msg("%s", error.message);
    bool agree = true;
    for (size_t k = 0; k < count; k++) {
        const struct guarded *g = &w->memory[0][k];
        agree = agree && same(operands[0][k].data, operands[1][k].data, length);
        agree = agree && guarded_untouched(g, at_end ? g->size - bytes : 0, bytes);
    }
    return agree;
}

static void check_lengths(struct workplace *w, const actgen_kernel *kernel, const char *what)
{
    assert_true(actgen_kernel_operand_count(kernel) <= MOST_OPERANDS);
    for (size_t length = 0; length <= LONGEST; length++)
        for (int at_end = 0; at_end < 2; at_end++)
            if (!lengths_agree(w, kernel, length, at_end, length * 2 + (size_t)at_end))
                fail_msg("%s on %s: another result, or a write outside, at length %zu, %s of a page", what,
                         actgen_kernel_isa(kernel), length, at_end ? "at the end" : "at the start");
}

/* ---- the bound ---- */

/* The error that the kernel's promise allows where the exact value is y. */
static double allowed(const char *accuracy, double y)
{
    double size = fmin(fmax(fabs(y), 0x1p-126), 0x1p127);
    int exponent;
    frexp(size, &exponent);
    double value = strtod(accuracy + (strncmp(accuracy, "abs ", 4) ? 0 : 4), NULL);
    if (!strncmp(accuracy, "abs 2^-16", 9)) return 0x1p-16 * fmax(1, fabs(y));
    return value * ldexp(1, exponent - 24) * (1 + 0x1p-26);
}

static bool within(const char *accuracy, double computed, double exact)
{
    if (isnan(computed) || isnan(exact)) return isnan(computed) && isnan(exact);
    if (isinf(computed)) computed = copysign(0x1p128, computed);
    if (fabs(exact) > 0x1p128) exact = copysign(0x1p128, exact);
    return fabs(computed - exact) <= allowed(accuracy, exact);
}

/* Only kernels of one operand promise something of their result. */
static void check_bound(const actgen_kernel *kernel, const char *what)
{
    static float x[REFERENCE_INPUTS], y[REFERENCE_INPUTS];
    actgen_operand operands[2] = {{x, 0}, {y, 0}};
    actgen_error error;
    uint64_t seed = 1;
    if (actgen_kernel_operand_count(kernel) != 2) return;
    for (int i = 0; i < REFERENCE_INPUTS; i++) x[i] = i < SPECIALS ? specials[i] : random_value(&seed);
    if (actgen_interpret(kernel, 1, REFERENCE_INPUTS, operands, 2, &error)) fail_msg("%s", error.message);
    for (int i = 0; i < REFERENCE_INPUTS; i++) {
        double in = (double)x[i], exact;
        if (actgen_reference(kernel, 0, &in, &exact, &error))
            fail_msg("%s at %.9g: %s", what, in, error.message);
        if (!within(actgen_kernel_accuracy(kernel), (double)y[i], exact))
            fail_msg("%s on %s, %s, at %.9g: %.9g, exact %.17g", what, actgen_kernel_isa(kernel),
                     actgen_kernel_accuracy(kernel), in, (double)y[i], exact);
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
    if (actgen_spec_builtin(&spec, name, &error)) fail_msg("%s: %s", name, error.message);
    int status = actgen_compile(&kernel, engine, spec, NULL, &options, &error);
    actgen_spec_free(spec);
    if (status && !(accuracy && status == ACTGEN_EACCURACY))
        fail_msg("%s on %s: %s", name, isa, error.message);
    return kernel;
}

static void check_isa(const char *isa)
{
    static const char *const accuracies[] = {NULL, "abs 2^-16"};
    actgen_engine *engine;
    struct workplace w;
    size_t compared = 0;
    if (!isa || !actgen_isa_runs_here(isa)) {
        print_message("%s: not on this processor\n", isa ? isa : "no such instruction set");
        skip();
    }
    open_workplace(&w);
    assert_int_equal(actgen_engine_create(&engine, NULL), ACTGEN_OK);
    for (size_t i = 0; i < name_count; i++)
        for (size_t a = 0; a < sizeof accuracies / sizeof *accuracies; a++) {
            actgen_kernel *kernel = compile(engine, names[i], isa, accuracies[a]);
            if (!kernel) continue; /* such a bound cannot be kept */
            if (!actgen_kernel_fn(kernel))
                fail_msg("%s on %s: %s", names[i], isa, actgen_kernel_backend(kernel));
            check_lengths(&w, kernel, names[i]);
            check_bound(kernel, names[i]);
            actgen_kernel_free(kernel);
            compared++;
        }
    actgen_engine_free(engine);
    close_workplace(&w);
    assert_true(compared > 2 * name_count * 3 / 4);
}

static void first_isa(void **state)
{
    (void)state;
    check_isa(actgen_isa_name(0));
}
static void second_isa(void **state)
{
    (void)state;
    check_isa(actgen_isa_name(1));
}
static void third_isa(void **state)
{
    (void)state;
    check_isa(actgen_isa_name(2));
}
static void no_isa_is_left_out(void **state)
{
    (void)state;
    assert_null(actgen_isa_name(3));
    assert_true(name_count > 30);
    assert_true(name_count < MOST_BUILTINS);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(first_isa),
        cmocka_unit_test(second_isa),
        cmocka_unit_test(third_isa),
        cmocka_unit_test(no_isa_is_left_out),
    };
    return cmocka_run_group_tests(tests, list_builtins, NULL);
}
