/* Tests of spellings that people write from habit. Each line of spellings.txt gets an answer, and an
 * answer's advice is right. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "language.h"

enum { LONGEST_LINE = 1000, MOST_NAMES = 16 };

static const char arrow[] = " => ";

/* The names in a piece that a kernel needs as operands. */
struct names {
    char text[MOST_NAMES][64];
    int count;
};

static bool is_word(const char *name)
{
    static const char words[] = " if then else and or not pi e inf function alias kernel gradient "
                                "ulp abs on of from rows cols ";
    char padded[70];
    snprintf(padded, sizeof padded, " %s ", name);
    return strstr(words, padded) != NULL;
}

/* Collects the names that are no words, functions or parameters. */
static struct names names_in(const char *piece)
{
    struct names n = {.count = 0};
    for (const char *at = piece; *at;) {
        size_t length = 0;
        while (isalnum((unsigned char)at[length]) || at[length] == '_' || (length && at[length] == '.'))
            length++;
        const bool is_name = length && !isdigit((unsigned char)*at);
        if (is_name && at[length] != '(' && strncmp(at + length, " = ", 3) != 0 &&
            length < sizeof n.text[0] && n.count < MOST_NAMES) {
            char name[64];
            snprintf(name, sizeof name, "%.*s", (int)length, at);
            bool is_new = !is_word(name);
            for (int i = 0; i < n.count; i++) is_new = is_new && strcmp(n.text[i], name) != 0;
            if (is_new) strcpy(n.text[n.count++], name);
        }
        at += length ? length : 1;
    }
    return n;
}

static bool parses(const char *text, bool is_expression)
{
    arena *memory = arena_create(0);
    if (setjmp(*arena_escape(memory))) fail_msg("no memory");
    struct spec *s;
    const int status = is_expression ? spec_parse_expression(&s, memory, text, strlen(text), NULL)
                                     : spec_parse(&s, memory, "piece", text, strlen(text), NULL);
    arena_free(memory);
    return status == DIAG_OK;
}

/* Returns true if the piece is a formula of some operands, or a statement that has one. In the second
 * attempt, `c` is a mask. In the third, the formula is a part of another one, as a sum of the row must be. */
static bool is_formula(const char *piece)
{
    const char *equals = strstr(piece, " = ");
    if (equals && strspn(piece, "abcdefghijklmnopqrstuvwxyz") == (size_t)(equals - piece)) piece = equals + 3;
    const struct names n = names_in(piece);
    for (int attempt = 0; attempt < 3; attempt++) {
        char text[LONGEST_LINE] = "kernel k(x_: f32";
        for (int i = 0; i < n.count; i++) {
            const bool is_mask = attempt == 1 && !strcmp(n.text[i], "c");
            const bool is_seed = !strcmp(n.text[i], "seed") || !strcmp(n.text[i], "offset");
            snprintf(text + strlen(text), 80, ", %s: %s", n.text[i],
                     is_mask   ? "u1"
                     : is_seed ? "u64[]"
                               : "f32");
        }
        snprintf(text + strlen(text), sizeof text - strlen(text),
                 ") -> (y_: f32, z_: f32) { z_ = x_; y_ = %s(%.300s) }", attempt == 2 ? "x_ + " : "", piece);
        if (parses(text, false)) return true;
    }
    return false;
}

/* Returns true if the piece is a type, or the operand x with its type. */
static bool is_type(const char *piece)
{
    char text[LONGEST_LINE];
    const bool is_seed = !strcmp(piece, "u64[]") || !strcmp(piece, "u64");
    snprintf(text, sizeof text, "kernel k(x: %.60s) -> (y: f32) { y = x }", piece);
    if (is_seed || parses(text, false)) return true;
    snprintf(text, sizeof text, "kernel k(%.60s) -> (y: f32) { y = x }", piece);
    return parses(text, false);
}

/* Returns true if the language has this sign or word, or if it is written after a value, as "^2" is. */
static bool is_sign(const char *piece)
{
    static const char signs[] =
        " ^ * / + - and or not != == <= >= < > = -> ( ) [ ] { } , ; : # function alias kernel "
        "else if min max clamp diff where ";
    char padded[80], power[80];
    snprintf(padded, sizeof padded, " %.70s ", piece);
    snprintf(power, sizeof power, "x%.70s", piece);
    return strstr(signs, padded) || (*piece == '^' && parses(power, true));
}

static bool is_builtin(const char *piece)
{
    arena *memory = arena_create(0);
    if (setjmp(*arena_escape(memory))) fail_msg("no memory");
    struct spec *s;
    const int status = spec_builtin(&s, memory, piece, NULL);
    arena_free(memory);
    return status == DIAG_OK;
}

static int faults;

/* Checks the pieces in backquotes from `text` on. */
static void check_pieces(const char *text, const char *whole)
{
    for (const char *open = strchr(text, '`'); open;) {
        const char *close = strchr(open + 1, '`');
        if (!close) fail_msg("%s: a backquote is not closed", whole);
        char piece[LONGEST_LINE];
        snprintf(piece, sizeof piece, "%.*s", (int)(close - open - 1), open + 1);
        if (!is_sign(piece) && !is_type(piece) && !is_builtin(piece) && !parses(piece, false) &&
            !is_formula(piece))
            print_error("`%s` cannot be written: %s\n", piece, whole), faults++;
        open = strchr(close + 1, '`');
    }
}

/* Checks each advice of the table by itself. */
static void test_table(void **state)
{
    (void)state;
    static const char *const rows[] = {
#define SPELLING(kind, spellings, advice) advice,
#include "spellings.def"
#undef SPELLING
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) check_pieces(rows[i], rows[i]);
    assert_int_equal(faults, 0);
}

static int answer(const char *section, const char *text, struct diag *error)
{
    arena *memory = arena_create(0);
    if (setjmp(*arena_escape(memory))) fail_msg("no memory");
    struct spec *s;
    char spec[LONGEST_LINE];
    int status;
    *error = (struct diag){0};
    if (!strcmp(section, "formula")) {
        status = spec_parse_expression(&s, memory, text, strlen(text), error);
    } else if (!strcmp(section, "name")) {
        status = spec_builtin(&s, memory, text, error);
    } else {
        const bool is_type = !strcmp(section, "type");
        snprintf(spec, sizeof spec, is_type ? "kernel k(x: %s) -> (y: f32) { y = x }" : "%s", text);
        status = spec_parse(&s, memory, "file", spec, strlen(spec), error);
    }
    arena_free(memory);
    return status;
}

/* Checks a type that --type names, through spec_retype, which must give the same advice. */
static void check_retype(const char *type, const char *wanted)
{
    arena *memory = arena_create(0);
    if (setjmp(*arena_escape(memory))) fail_msg("no memory");
    struct spec *s;
    struct diag error = {0};
    assert_int_equal(spec_builtin(&s, memory, "gelu", NULL), DIAG_OK);
    assert_int_equal(spec_retype(s, type, &error), DIAG_INVALID);
    if (!strstr(error.message, wanted))
        print_error("%s: %s\nwanted: %s\n", type, error.message, wanted), faults++;
    arena_free(memory);
}

static void check_line(const char *section, const char *text, const char *wanted)
{
    struct diag error;
    const int status = answer(section, text, &error);
    if (!strcmp(wanted, "accepted")) {
        if (status) print_error("%s: %s\n", text, error.message), faults++;
        return;
    }
    if (!status) {
        print_error("%s is accepted\n", text);
        faults++;
        return;
    }
    if (!strstr(error.message, wanted))
        print_error("%s: %s\nwanted: %s\n", text, error.message, wanted), faults++;
    const char *advice = strstr(error.message, "; ");
    if (advice) check_pieces(advice, error.message);
    if (!strcmp(section, "type")) check_retype(text, wanted);
}

static void test_lines(void **state)
{
    (void)state;
    static const char *const sections[] = {"formula", "type", "name", "file"};
    FILE *f = fopen(TEST_DATA "/spellings.txt", "r");
    assert_non_null(f);
    char line[LONGEST_LINE];
    const char *section = NULL;
    int count = 0;
    while (fgets(line, sizeof line, f)) {
        line[strcspn(line, "\n")] = 0;
        char *wanted = NULL, head[20];
        /* The last arrow counts. */
        for (char *at = strstr(line, arrow); at; at = strstr(at + 1, arrow)) wanted = at;
        for (int i = 0; i < 4 && !wanted; i++) {
            snprintf(head, sizeof head, "[%s]", sections[i]);
            if (!strcmp(line, head)) section = sections[i];
        }
        if (!wanted || *line == '#') continue;
        *wanted = 0;
        assert_non_null(section);
        check_line(section, line, wanted + strlen(arrow));
        count++;
    }
    fclose(f);
    assert_true(count > 400);
    assert_int_equal(faults, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_table), cmocka_unit_test(test_lines)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
