/* Tests of gates and kernels of several results in every layout, on every instruction set that runs here.
 * Operands have the type that the argument names, and results have each type. Machine code equals the
 * interpreter in every call of matrix.h. The plans and the formulas do not matter here. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "isas.h"
#include "matrix.h"

enum { MOST_GATES = 32, TEXT_SIZE = 1024, MOST_TYPES = 8, BYTE_TYPES = 4 };

/* The types. The place of an element depends only on its size, and on bf16's pairs. So the types of one
 * byte, which come last, share the work. */
static const char *const types[MOST_TYPES] = {"f32", "f64", "f16", "bf16", "e4m3", "e5m2", "i8", "u8"};
enum { FIRST_BYTE_TYPE = MOST_TYPES - BYTE_TYPES };
static const char *type_name;

/* Returns true if the argument's type must try kernel `number`. */
static bool is_own_turn(size_t number)
{
    for (size_t t = FIRST_BYTE_TYPE; t < MOST_TYPES; t++)
        if (!strcmp(types[t], type_name)) return number % BYTE_TYPES == t - FIRST_BYTE_TYPE;
    return true;
}

/* Returns a type of results: those of more than a byte in turn, then one of a byte. */
static size_t result_type(size_t turn, size_t number)
{
    return turn < FIRST_BYTE_TYPE ? turn : FIRST_BYTE_TYPE + number % BYTE_TYPES;
}
enum { RESULT_TURNS = FIRST_BYTE_TYPE + 1 };

/* ---- texts: T is the argument's type, U the results' ---- */

static const char *const gate_inputs[] = {
    "gate: T, up: T", "up: T, gate: T", "[gate | up]: T",       "[up | gate]: T",       "[gate, up]: T",
    "[up, gate]: T",  "gate: T, up: U", "gate: T, up: T[cols]", "up: T[rows], gate: T", "gate: T, up: U[]",
};

static const char *const inputs[] = {
    "a: T, b: T, c: T",
    "[a | b]: T, c: T",
    "[b, a]: T, c: U",
    "[c | a | b]: T",
    "[b, c, a]: T",
    "c: T[cols], [b | a]: T",
    "a: U, b: T[rows], c: T[cols]",
    "[a, c]: T[cols], b: U",
    "a: T, [c | b]: U[cols]",
    "b: T[], [a, c]: T",
    "c: T, a: T[rows], b: U[]",
};

static const char *const results[] = {"y: U, z: U", "[y | z]: U", "[z | y]: U",
                                      "[y, z]: U",  "[z, y]: U",  "y: U, z: T"};

static const char *const bodies[] = {"y = a*b + c; z = max(a, b) - c"};

/* Adds `pattern` with the types filled in. */
static void add_typed(char *text, const char *pattern, const char *result_type)
{
    for (size_t n = strlen(text); *pattern; pattern++) {
        const char *type = *pattern == 'T' ? type_name : *pattern == 'U' ? result_type : NULL;
        n += type ? (size_t)snprintf(text + n, TEXT_SIZE - n, "%s", type)
                  : (size_t)snprintf(text + n, TEXT_SIZE - n, "%c", *pattern);
        assert_true(n < TEXT_SIZE);
    }
}

static void kernel_text(char *text, const char *in, const char *out, const char *body,
                        const char *result_type)
{
    *text = '\0';
    add_typed(text, "kernel k(", "");
    add_typed(text, in, result_type);
    strcat(text, ") -> (");
    add_typed(text, out, result_type);
    assert_true(strlen(text) + strlen(body) + 8 < TEXT_SIZE);
    strcat(strcat(strcat(text, ") {\n"), body), "\n}\n");
}

/* ---- the gates among the built-ins ---- */

static char gates[MOST_GATES][TEXT_SIZE]; /* The texts between the gates' braces. */
static size_t gate_count;

static int append(void *payload, const void *data, size_t size)
{
    char *text = payload;
    const size_t length = strlen(text);
    assert_true(length + size < TEXT_SIZE);
    memcpy(text + length, data, size);
    text[length + size] = '\0';
    return 0;
}

static int remember(void *payload, const actgen_builtin *b)
{
    (void)payload;
    char text[TEXT_SIZE] = "";
    actgen_spec *spec;
    actgen_error error;
    if (b->alias_of || strcmp(b->family, "Gates") != 0) return 0;
    if (actgen_spec_builtin(&spec, b->name, &error) ||
        actgen_explain(spec, NULL, NULL, ACTGEN_STAGE_SPEC, append, text, &error))
        fail_msg("%s: %s", b->name, error.message);
    actgen_spec_free(spec);
    const char *begin = strchr(text, '{'), *end = strrchr(text, '}');
    assert_true(begin && end && gate_count < MOST_GATES && strstr(text, "(gate: f32, up: f32) -> (y: f32)"));
    snprintf(gates[gate_count++], TEXT_SIZE, "%.*s", (int)(end - begin - 1), begin + 1);
    return 0;
}

static int list_gates(void **state)
{
    (void)state;
    return actgen_builtins(remember, NULL, NULL);
}

/* ---- kernels ---- */

static void check_text(actgen_engine *engine, struct matrix *m, const char *text, const char *isa,
                       const char *accuracy, bool streaming)
{
    actgen_options options = ACTGEN_OPTIONS_INIT;
    actgen_error error;
    actgen_spec *spec;
    actgen_kernel *kernel;
    options.isa = isa;
    options.accuracy = accuracy;
    options.streaming = streaming;
    if (actgen_spec_parse(&spec, NULL, text, strlen(text), &error)) fail_msg("%s%s", text, error.message);
    if (actgen_compile(&kernel, engine, spec, NULL, &options, &error))
        fail_msg("%s%s: %s", text, isa, error.message);
    actgen_spec_free(spec);
    if (!actgen_kernel_fn(kernel)) fail_msg("%s%s", text, actgen_kernel_backend(kernel));
    matrix_take(m, kernel, text);
    matrix_check_lengths(m);
    actgen_kernel_free(kernel);
}

#define COUNT(array) (sizeof(array) / sizeof *(array))

/* Checks gates. The formula and the layout are independent. So three instruction sets, or all that run
 * here, have all gates in all forms between them. */
static size_t check_gates(actgen_engine *engine, struct matrix *m, const char *isa, size_t set)
{
    char text[TEXT_SIZE];
    size_t checked = 0;
    for (size_t g = 0; g < gate_count; g++)
        for (size_t i = 0; i < COUNT(gate_inputs); i++) {
            if ((g + i + set) % sharing_sets() || !is_own_turn(g + i / 2)) continue;
            kernel_text(text, gate_inputs[i], "y: T", gates[g], types[(g + i) / 2 % MOST_TYPES]);
            check_text(engine, m, text, isa, "abs 2^-8", (g + i) % 3 == 0);
            checked++;
        }
    return checked;
}

/* Checks forms of results. Reading an input and writing a result are independent. For results of the
 * operands' type, three sets, or all that run here, have all pairs of forms between them. Each set has
 * every form on either side. For each other size they have a quarter of the pairs. */
static size_t check_results(actgen_engine *engine, struct matrix *m, const char *isa, size_t set)
{
    char text[TEXT_SIZE];
    size_t checked = 0;
    for (size_t turn = 0; turn <= RESULT_TURNS; turn++)
        for (size_t i = 0; i < COUNT(inputs); i++)
            for (size_t r = 0; r < COUNT(results); r++) {
                const char *type = turn < RESULT_TURNS ? types[result_type(turn, i + r)] : type_name;
                if (turn < RESULT_TURNS && !strcmp(type, type_name)) continue;
                if (turn < RESULT_TURNS
                        ? !takes_all() && ((turn + i + r) % 4 || (i + i / BYTE_TYPES + r / 2 + set) % 2)
                        : (i + r + set) % sharing_sets())
                    continue;
                if (!is_own_turn(turn < RESULT_TURNS ? i : i + r)) continue;
                kernel_text(text, inputs[i], results[r], bodies[0], type);
                check_text(engine, m, text, isa, NULL, (i + r) % 3 == 0);
                checked++;
            }
    return checked;
}

static void check_isa(actgen_engine *engine, struct matrix *m, const char *isa)
{
    static size_t sets;
    const size_t shares = is_own_turn(0) && is_own_turn(1) ? 1 : BYTE_TYPES;
    const size_t set = sets++, gates_checked = check_gates(engine, m, isa, set);
    if (gates_checked < 23 / shares) fail_msg("%s: %zu gates", isa, gates_checked);
    if (actgen_isa_extends(isa)) return; /* The other kernels belong to the set that this one extends. */
    const size_t results_checked = check_results(engine, m, isa, set);
    if (results_checked < 52 / shares) fail_msg("%s: %zu kernels", isa, results_checked);
    print_message("%s: %zu gates, %zu kernels\n", isa, gates_checked, results_checked);
}

#include "each_isa.h"

static void isas_that_extend_another(void **state)
{
    (void)state;
    check_extending_isas(type_name);
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {EACH_ISA, cmocka_unit_test(isas_that_extend_another)};
    type_name = argc > 1 ? argv[1] : "f32";
    return cmocka_run_group_tests_name(type_name, tests, list_gates, NULL);
}
