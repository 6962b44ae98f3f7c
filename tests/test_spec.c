/* Tests of the language. Every spec in tests/spec gives the kernels in its .expected file, or the error in
 * its .error file. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <dirent.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "language.h"
#include "tokens.h"

enum { LONGEST_FILE = 1 << 16, LONGEST_PATH = 600 };

/* Returns the file's text in `memory`, or NULL if there is no file. */
static char *read_file(arena *memory, const char *name, const char *ending, size_t *length)
{
    char path[LONGEST_PATH];
    snprintf(path, sizeof path, "%s/spec/%s%s", TEST_DATA, name, ending);
    FILE *f = fopen(path, "rb");
    if (!f) return NULL;
    char *text = arena_alloc(memory, LONGEST_FILE + 1);
    *length = fread(text, 1, LONGEST_FILE, f);
    fclose(f);
    return text;
}

/* Returns the meaning of the spec in the form of the data files. */
static const char *judge(arena *memory, const char *name, const char *spec_text, size_t length, bool *good)
{
    struct spec *s;
    struct diag error = {0};
    struct text t = text_new(memory);
    int status = spec_parse(&s, memory, name, spec_text, length, &error);
    *good = status == DIAG_OK;
    if (*good) {
        for (uint32_t i = 0; i < s->function_count; i++) {
            const struct spec_function *f = &s->functions[i];
            text_add(&t, "# %s [%s] %s: %s\n", f->name, f->family, f->text, f->summary);
        }
        spec_print(&t, s);
    } else {
        assert_int_equal(status, error.status);
        assert_null(s);
        text_add(&t, "%u:%u-%u: %s%s\n", error.line, error.column, error.length,
                 status == DIAG_NOT_YET ? "not yet: " : "", error.message);
    }
    return t.data;
}

/* Checks that the canonical text is a fixed point. */
static void check_fixed_point(arena *memory, const char *name, const char *printed)
{
    bool good;
    const char *kernels = strstr(printed, "kernel ");
    if (!kernels) return;
    if (strncmp(printed, "kernel ", 7) != 0) {
        kernels = strstr(printed, "\nkernel ");
        kernels = kernels ? kernels + 1 : "";
    }
    const char *again = judge(memory, name, kernels, strlen(kernels), &good);
    if (!good || strcmp(again, kernels) != 0)
        fail_msg("%s: printed\n%sread back as\n%s", name, kernels, again);
}

static void write_file(arena *memory, const char *name, const char *ending, const char *content)
{
    struct text path = text_new(memory);
    text_add(&path, "%s/spec/%s%s", TEST_DATA, name, ending);
    FILE *file = fopen(path.data, "w");
    assert_non_null(file);
    fputs(content, file);
    fclose(file);
}

static void check_file(const char *name)
{
    arena *memory = arena_create(0);
    if (setjmp(*arena_escape(memory))) fail_msg("no memory");
    size_t length = 0, wanted_length = 0;
    bool good;
    char *text = read_file(memory, name, ".act", &length);
    char *expected = read_file(memory, name, ".expected", &wanted_length);
    char *wrong = read_file(memory, name, ".error", &wanted_length);
    if (!text || !expected == !wrong) fail_msg("%s: needs one of .expected and .error", name);
    const char *got = judge(memory, name, text, length, &good);
    const char *wanted = expected ? expected : wrong;
    const char *mode = getenv("ACTGEN_GOLDEN");
    if (mode && !strcmp(mode, "write"))
        write_file(memory, name, good ? ".expected" : ".error", got);
    else if (good != (expected != NULL) || strcmp(got, wanted) != 0)
        fail_msg("%s:\n%swanted:\n%s", name, got, wanted);
    if (good) check_fixed_point(memory, name, got);
    arena_free(memory);
}

/* Calls `check` for each spec. Returns their number. */
static int for_each_file(void (*check)(const char *name))
{
    char path[LONGEST_PATH];
    snprintf(path, sizeof path, "%s/spec", TEST_DATA);
    DIR *folder = opendir(path);
    assert_non_null(folder);
    int count = 0;
    for (struct dirent *entry = readdir(folder); entry; entry = readdir(folder)) {
        char *ending = strrchr(entry->d_name, '.');
        if (!ending || strcmp(ending, ".act") != 0) continue;
        *ending = 0;
        check(entry->d_name);
        count++;
    }
    closedir(folder);
    return count;
}

static void test_files(void **state)
{
    (void)state;
    assert_true(for_each_file(check_file) >= 120);
}

static int status_of(const char *text, size_t length, struct diag *error)
{
    arena *memory = arena_create(0);
    if (setjmp(*arena_escape(memory))) fail_msg("no memory");
    struct spec *s;
    *error = (struct diag){0};
    int status = spec_parse(&s, memory, NULL, text, length, error);
    arena_free(memory);
    return status;
}

/* Checks texts that no file should hold: too long, too deep, or not text. */
static void check_flood(const char *head, const char *unit, size_t length, const char *message)
{
    size_t head_length = strlen(head), unit_length = strlen(unit);
    char *text = malloc(length);
    assert_non_null(text);
    memcpy(text, head, head_length);
    for (size_t i = head_length; i < length; i++) text[i] = unit[(i - head_length) % unit_length];
    struct diag error;
    assert_int_equal(status_of(text, length, &error), DIAG_SYNTAX);
    free(text);
    if (!strstr(error.message, message)) fail_msg("%s, wanted %s", error.message, message);
}

static void test_floods(void **state)
{
    (void)state;
    const char *f = "function f(x) = ";
    const size_t limit = SPEC_MAX_BYTES;
    check_flood(f, "(", 10 * 1000 * 1000, "10000000 bytes");
    check_flood(f, "(", limit, "nest at most 200");
    check_flood(f, "-", limit, "nest at most 200");
    check_flood(f, "exp(", limit, "nest at most 200");
    check_flood(f, "x^", limit, "nest at most 200");
    check_flood(f, "if ", limit, "nest at most 200");
    check_flood(f, "if x > 0 then ", limit, "nest at most 200");
    check_flood(f, "if not ", limit, "parentheses around");
    check_flood(f, "x+", limit - limit % 2 - 1, "operations");
    check_flood(f, "x*1+", limit / 4 * 4 + strlen(f) % 4 - 1, "");
    check_flood(f, "9", limit, "400 digits");
    check_flood("kernel k(a: f32) -> (y: f32) {", "b=a;", limit - 2, "found the end of the text");
    check_flood("kernel k(", "[a|", limit, "the name of an operand");
    check_flood("kernel k(", "a:f32,", limit, "at most 64 operands");
    check_flood("function f(", "a,", limit, "at most 64");
    check_flood("function f", "f", limit, "at most 64 letters");
    check_flood("", "#\n", limit + 2, "1048578 bytes");
}

/* Checks texts with a few bytes changed. Whatever comes out, its place is in the text. */
static void mutate(const char *name)
{
    arena *memory = arena_create(0);
    if (setjmp(*arena_escape(memory))) fail_msg("no memory");
    size_t length = 0;
    char *text = read_file(memory, name, ".act", &length);
    const char letters[] = "()[]{}|,;:=<>!+-*/^#.09exf \n";
    uint64_t random = 88172645463325252u; /* xorshift64, Marsaglia 2003. */
    for (int round = 0; round < 25; round++) {
        char *copy = arena_text(memory, text, length);
        for (int i = 0; i < 1 + round % 3 && length; i++) {
            random ^= random << 13;
            random ^= random >> 7;
            random ^= random << 17;
            copy[random % length] = letters[random / length % (sizeof letters - 1)];
        }
        struct diag error;
        int status = status_of(copy, length, &error);
        bool placed =
            error.line > 0 && error.column > 0 && *error.message && error.offset + error.length <= length;
        if (status ? !placed : error.line > 0)
            fail_msg("%s, round %d: %d %s\n%s", name, round, status, error.message, copy);
    }
    arena_free(memory);
}

/* Checks the doubling function. g0(x) = x*x, g1(x) = g0(x) + g0(x), ... takes 2^n steps but few nodes. */
static void test_blow_up(void **state)
{
    (void)state;
    char text[8192];
    int length = snprintf(text, sizeof text, "function g0(x) = x*x\n");
    for (int i = 1; i < 60; i++)
        length += snprintf(text + length, sizeof text - (size_t)length, "function g%d(x) = g%d(x) + g%d(x)\n",
                           i, i - 1, i - 1);
    struct diag error;
    assert_int_equal(status_of(text, (size_t)length, &error), DIAG_SYNTAX);
    if (!strstr(error.message, "too large")) fail_msg("%s", error.message);
    assert_in_range(error.line, 10, 30); /* The place of the function that grew, not of one that it calls. */
    assert_int_equal(error.column, 10);
}

static void test_mutations(void **state)
{
    (void)state;
    for_each_file(mutate);
}

/* Returns the message for `head`, `count` times `unit` and `tail`, or "". */
static const char *repeat(struct diag *error, const char *head, const char *unit, int count, const char *tail)
{
    arena *memory = arena_create(0);
    if (setjmp(*arena_escape(memory))) fail_msg("no memory");
    struct text t = text_new(memory);
    text_add(&t, "%s", head);
    for (int i = 0; i < count; i++) text_add(&t, "%s", unit);
    text_add(&t, "%s", tail);
    status_of(t.data, t.length, error);
    arena_free(memory);
    return error->message;
}

static void test_limits(void **state)
{
    (void)state;
    struct diag error;
    const char *f = "function f(x) = ", *k = "kernel k(x: f32) -> (y: f32) { a = x";
    assert_string_equal(repeat(&error, f, "-", SPEC_MAX_NESTING, "x"), "");
    assert_non_null(strstr(repeat(&error, f, "-", SPEC_MAX_NESTING + 1, "x"), "nest at most 200"));
    assert_string_equal(repeat(&error, f, "x+", 15000, "x"), "");
    /* One derivative of a large formula is fine, a thousand are not. */
    assert_string_equal(repeat(&error, k, "+1", 3000, "\ny = diff(a, x) }"), "");
    char many[16000];
    int length = snprintf(many, sizeof many, "\ny = 0");
    for (int i = 0; i < 1000; i++)
        length += snprintf(many + length, sizeof many - (size_t)length, "+diff(a, x)");
    snprintf(many + length, sizeof many - (size_t)length, "}");
    assert_non_null(strstr(repeat(&error, k, "+1", 3000, many), "steps"));
    /* Functions that are deep and call each other. */
    char deep[4096] = "";
    for (int i = 1; i < 9; i++) {
        char line[300];
        snprintf(
            line, sizeof line, "\nfunction g%d(x) = %.150s g%d(x)", i,
            "------------------------------------------------------------------------------------------------"
            "-------------------------------------------------------------------------------",
            i - 1);
        strcat(deep, line);
    }
    assert_non_null(strstr(repeat(&error, "function g0(x) = -x", deep, 1, ""), "levels"));
    assert_int_equal(error.line, 8);
}

static void test_bytes(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        size_t length;
        const char *message;
        uint32_t column;
    } rows[] = {
        {"a\0b", 3, "control character 0x00", 2},      {"\x01", 1, "control character 0x01", 1},
        {"# \x7f", 3, "control character 0x7f", 3},    {"# \xff", 3, "0xff is not valid UTF-8", 3},
        {"# \xc0\x80", 4, "0xc0 is not valid", 3},     {"# \xed\xa0\x80", 5, "0xed is not valid", 3},
        {"# \xe2\x82", 4, "0xe2 is not valid", 3},     {"# \xf4\x90\x80\x80", 6, "0xf4 is not valid", 3},
        {"# \xe0\x9f\xbf", 5, "0xe0 is not valid", 3}, {"# \xf0\x8f\xbf\xbf", 6, "0xf0 is not valid", 3},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        struct diag error;
        assert_int_equal(status_of(rows[i].text, rows[i].length, &error), DIAG_SYNTAX);
        if (!strstr(error.message, rows[i].message))
            fail_msg("%s, wanted %s", error.message, rows[i].message);
        assert_int_equal(error.column, rows[i].column);
        assert_int_equal(error.length, 1);
    }
    struct diag error;
    const char *fine = "# \xe2\x88\x9a(2/\xcf\x80) \xf0\x9f\x98\x80\r\nfunction f(x) = x\r\n"
                       "# \xe0\xa0\x80 \xed\x9f\xbf \xf0\x90\x80\x80 \xf4\x8f\xbf\xbf";
    assert_int_equal(status_of(fine, strlen(fine), &error), DIAG_OK);
    const char *longer = "function f(x) = x**x"; /* The text is cut between the two stars. */
    assert_int_equal(status_of(longer, strlen(longer) - 2, &error), DIAG_SYNTAX);
    assert_int_equal(error.column, 19);
}

static void test_builtins(void **state)
{
    (void)state;
    static const struct {
        const char *name, *alias_of, *family, *form;
        bool is_kernel;
    } rows[] = {
        {"relu", NULL, "ReLU", "", false},
        {"gelu", NULL, "GELU", "exact", false},
        {"gelu_tanh", NULL, "GELU", "tanh", false},
        {"gelu_sigmoid", NULL, "GELU", "sigmoid", false},
        {"quick_gelu", "gelu_sigmoid", "GELU", "sigmoid", false},
        {"gelu_new", "gelu_tanh", "GELU", "tanh", false},
        {"geglu", NULL, "Gates", "fused gate", true},
        {"geglu_tanh", NULL, "Gates", "fused gate", true},
        {"swiglu", NULL, "Gates", "fused gate", true},
        {"swiglu_oai", "swiglu_clamped", "Gates", "fused gate", true},
        {"tanh", NULL, "elementary functions", "", false},
    };
    arena *memory = arena_create(0);
    if (setjmp(*arena_escape(memory))) fail_msg("no memory");
    const struct spec_builtin_info *list;
    size_t count;
    struct diag error = {0};
    assert_int_equal(spec_builtins(&list, &count, memory, &error), DIAG_OK);
    for (size_t r = 0; r < sizeof rows / sizeof rows[0]; r++) {
        size_t i = 0;
        while (i < count && strcmp(list[i].name, rows[r].name) != 0) i++;
        if (i == count) fail_msg("%s is not listed", rows[r].name);
        assert_string_equal(list[i].family, rows[r].family);
        assert_string_equal(list[i].form, rows[r].form);
        assert_int_equal(list[i].is_kernel, rows[r].is_kernel);
        assert_int_equal(!list[i].alias_of, !rows[r].alias_of);
        if (rows[r].alias_of) assert_string_equal(list[i].alias_of, rows[r].alias_of);
    }
    for (size_t i = 0; i < count; i++)
        if (strcmp(list[i].family, "elementary functions") != 0 && !*list[i].summary)
            fail_msg("%s has no summary", list[i].name);
    struct spec *alone;
    for (size_t i = 0; i < count; i++) /* Printed text can be read, also on one line. */
        if (list[i].is_kernel && spec_parse(&alone, memory, NULL, list[i].text, strlen(list[i].text), &error))
            fail_msg("%s: %s", list[i].text, error.message);
    arena_free(memory);
}

static void test_builtin_names(void **state)
{
    (void)state;
    arena *memory = arena_create(0);
    if (setjmp(*arena_escape(memory))) fail_msg("no memory");
    struct spec *s;
    struct diag error = {0};
    assert_int_equal(spec_builtin(&s, memory, "gellu", &error), DIAG_INVALID);
    assert_string_equal(error.message, "unknown built-in `gellu`; did you mean `gelu`?");
    assert_null(s);
    assert_int_equal(spec_builtin(&s, memory, "min", NULL), DIAG_INVALID);
    assert_int_equal(spec_builtin(&s, memory, "swiglu_oai", NULL), DIAG_OK);
    assert_string_equal(s->kernels[0].name, "swiglu_oai");
    assert_int_equal(s->kernels[0].input_count, 2);
    assert_int_equal(spec_builtin(&s, memory, "tanh", NULL), DIAG_OK);
    assert_int_equal(s->kernels[0].results[0].value->kind, EXPR_tanh);
    assert_string_equal(s->kernels[0].operands[1].name, "y");
    arena_free(memory);
}

/* Checks a change of type. `message` is "" where the type exists. */
static void check_retype(const char *type, const char *message)
{
    arena *memory = arena_create(0);
    if (setjmp(*arena_escape(memory))) fail_msg("no memory");
    struct spec *s;
    struct diag error = {0};
    assert_int_equal(spec_builtin(&s, memory, "swiglu", NULL), DIAG_OK);
    int status = spec_retype(s, type, &error);
    assert_int_equal(status, error.status);
    assert_string_equal(error.message, message);
    for (uint32_t k = 0; k < s->kernels[0].operand_count; k++)
        assert_string_equal(element_types[s->kernels[0].operands[k].type].name, *message ? "f32" : type);
    arena_free(memory);
}

static void test_retype(void **state)
{
    (void)state;
    check_retype("bf16", "");
    check_retype("f64", "");
    check_retype("bf61", "unknown type `bf61`; did you mean `bf16`?");
    check_retype("double", "unknown type `double`; write `f64`");
    check_retype("string", "unknown type `string`; there are f64, f32, f16, bf16, e4m3, e5m2, i8 and u8");
    check_retype("u1",
                 "not all operands can be u1 yet; there are f64, f32, f16, bf16, e4m3, e5m2, i8 and u8. A "
                 "kernel of your own may have operands of u1, such as `x: u1`");
    check_retype("u64",
                 "not all operands can be u64 yet; there are f64, f32, f16, bf16, e4m3, e5m2, i8 and u8. A "
                 "kernel of your own may have operands of u64, such as `x: u64[]`");
}

static void test_expression(void **state)
{
    (void)state;
    static const char *const rows[][2] = {
        {"gelu(x)\n *\n2", ""},
        {"x +", "1:4-0: expected a formula, found the end of the text"},
        {"x; x",
         "1:2-1: expected an operator or the end of the formula, found `;`; a formula has no `;`, and a "
         "parameter follows a comma, as in `swish(x, beta = 2)`"},
        {"xx*2", "1:1-2: unknown name `xx`; did you mean `x`?"},
        {"1", "1:1-1: `x` is not used"},
        {"1 + (x > 0)", "1:6-5: expected a number, this is a condition; `if` makes a number of it"},
        {"x\n + gelu_tan(x)", "2:4-8: unknown function `gelu_tan`; did you mean `gelu_tanh`?"},
        {"gelu", "1:1-4: `gelu` is a function; a call is written `gelu(x)`"},
        {"x(2)", "1:1-1: `x` is a value, not a function; a product is written with `*`"},
        {")", "1:1-1: expected a formula, found `)`"},
        {"x)", "1:2-1: expected an operator or the end of the formula, found `)`"},
        {"mine = gelu(x)", ""},
        {"gelu = x*2", ""},
        {"a == x",
         "1:1-1: unknown name `a`; a formula alone has the variable `x`, and several operands make a "
         "kernel: kernel k(a: f32, ...) -> (y: f32) { y = ... }"},
        {"mine =", "1:7-0: expected a formula, found the end of the text"},
        {"exp = x", "1:1-3: `exp` cannot be the name of a kernel: it is an elementary function"},
        {"\xc3\xa9", "1:1-2: unexpected character `\xc3\xa9` (U+00E9); a spec is ASCII outside of comments"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        arena *memory = arena_create(0);
        struct spec *s;
        struct diag error = {0};
        char got[DIAG_MESSAGE_SIZE + 40] = "";
        if (spec_parse_expression(&s, memory, rows[i][0], strlen(rows[i][0]), &error))
            snprintf(got, sizeof got, "%u:%u-%u: %s", error.line, error.column, error.length, error.message);
        arena_free(memory);
        assert_string_equal(got, rows[i][1]);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_files),      cmocka_unit_test(test_floods),
        cmocka_unit_test(test_blow_up),    cmocka_unit_test(test_bytes),
        cmocka_unit_test(test_builtins),   cmocka_unit_test(test_builtin_names),
        cmocka_unit_test(test_expression), cmocka_unit_test(test_mutations),
        cmocka_unit_test(test_limits),     cmocka_unit_test(test_retype),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
