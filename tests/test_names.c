/* Tests that the names of frameworks are names here. Each file of names/ lists the activations of one
 * framework:
 *
 *     NAME              a built-in or a function of the language has this name. Where the framework's name
 * has capitals, these and underscores do not count. NAME = OWN        the name means OWN here, because the
 * framework's function has another name or form here
 *     ...(p q)          calls may give the parameters p and q by these names
 *
 * A line that begins with # is a comment. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <ctype.h>
#include <dirent.h>
#include <stdio.h>
#include <string.h>

#include "language.h"
#include "spellings.h"
#include "vocabulary.h"

enum { LONGEST_LINE = 200, LONGEST_PATH = 500, MOST_NAMES = 512 };

static arena *memory;
static const char *names[MOST_NAMES];
static size_t name_count;
static int faults, lines;

/* Collects the names of built-ins and of functions of the language. */
static int collect(void **state)
{
    (void)state;
    memory = arena_create(0);
    if (setjmp(*arena_escape(memory))) fail_msg("no memory");
    const struct spec_builtin_info *list;
    size_t count;
    assert_int_equal(spec_builtins(&list, &count, memory, NULL), DIAG_OK);
    assert_true(count + VOCABULARY_MAX < MOST_NAMES);
    name_count = vocabulary_functions(names);
    for (size_t i = 0; i < count; i++) names[name_count++] = list[i].name;
    return 0;
}

static int release(void **state)
{
    (void)state;
    arena_free(memory);
    return 0;
}

static bool is_known(const char *name)
{
    for (size_t i = 0; i < name_count; i++)
        if (!strcmp(names[i], name)) return true;
    return false;
}

/* Returns the name here that the framework's name means, or NULL. */
static const char *meant_by(const char *name)
{
    for (const char *c = name; *c; c++)
        if (isupper((unsigned char)*c))
            return spelling_find(SPELLING_FUNCTION, name, strlen(name), names, name_count).known;
    return is_known(name) ? name : NULL;
}

/* Returns true if a call of the function may give the parameter. */
static bool takes(const char *function, const char *parameter)
{
    struct spec *s, *call;
    struct text t = text_new(memory);
    if (spec_builtin(&s, memory, function, NULL)) return false;
    const struct spec_kernel *k = &s->kernels[0];
    text_add(&t, "kernel call(");
    for (uint32_t i = 0; i < k->input_count; i++)
        text_add(&t, "%s%s: %s", i ? ", " : "", k->operands[i].name,
                 k->operands[i].type == ELEMENT_U64 ? "u64[]" : "f32");
    text_add(&t, ") -> (result: f32) { result = %s(", function);
    for (uint32_t i = 0; i < k->input_count; i++) text_add(&t, "%s, ", k->operands[i].name);
    text_add(&t, "%s = 1/8) }", parameter);
    return spec_parse(&call, memory, NULL, t.data, t.length, NULL) == DIAG_OK;
}

static void check_line(const char *file, char *line)
{
    char *parameters = strchr(line, '('), *own = strstr(line, " = ");
    if (parameters) *parameters++ = 0;
    if (own) *own = 0, own += strlen(" = ");
    const char *meant = own ? (is_known(own) ? own : NULL) : meant_by(line);
    lines++;
    if (!meant) {
        print_error("%s: nothing is named `%s`\n", file, own ? own : line), faults++;
        return;
    }
    for (char *p = parameters ? strtok(parameters, " )") : NULL; p; p = strtok(NULL, " )"))
        if (!takes(meant, p)) print_error("%s: `%s` has no parameter `%s`\n", file, meant, p), faults++;
}

static void check_file(const char *file)
{
    char path[LONGEST_PATH], line[LONGEST_LINE];
    snprintf(path, sizeof path, "%s/names/%s", TEST_DATA, file);
    FILE *f = fopen(path, "r");
    if (!f) fail_msg("%s cannot be read", path);
    while (fgets(line, sizeof line, f)) {
        line[strcspn(line, "\n")] = 0;
        if (*line && *line != '#') check_line(file, line);
    }
    fclose(f);
}

static void names_of_frameworks_are_names_here(void **state)
{
    (void)state;
    enum { LEAST_LINES = 100 };
    DIR *folder = opendir(TEST_DATA "/names");
    assert_non_null(folder);
    if (setjmp(*arena_escape(memory))) fail_msg("no memory");
    for (const struct dirent *e; (e = readdir(folder));)
        if (strstr(e->d_name, ".txt")) check_file(e->d_name);
    closedir(folder);
    assert_true(lines >= LEAST_LINES);
    assert_int_equal(faults, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(names_of_frameworks_are_names_here)};
    return cmocka_run_group_tests(tests, collect, release);
}
