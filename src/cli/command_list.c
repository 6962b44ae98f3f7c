/* Implements actgen list: the built-ins, the cores for --tune, or the words of an option. */
#include "cli.h"
#include "diagnostics.h"
#include "json.h"
#include "options.h"
#include "table.h"

#include <stdint.h>
#include <stdio.h>
#include <string.h>

/* The columns of the list. Definitions stand below the rows, because they are long. An elementary function
 * has none, because it would only repeat the name. */
static struct column columns[] = {{"name", 0, false}, {"family", 0, false}, {"form", 0, false}};
enum { COLUMNS = sizeof columns / sizeof columns[0] };

/* Returns true if the command line names the built-in, or names none. */
static bool is_wanted(const struct options *o, const actgen_builtin *b)
{
    for (size_t i = 0; i < o->what_count; i++)
        if (!strcmp(o->whats[i].text, b->name)) return true;
    return !o->what_count;
}

static int widen(void *payload, const actgen_builtin *b)
{
    if (!is_wanted(payload, b)) return 0;
    const char *cells[] = {b->name, b->family, b->form};
    for (size_t i = 0; i < sizeof cells / sizeof cells[0]; i++) table_widen(&columns[i], cells[i]);
    return 0;
}

static int print_builtin_row(void *payload, const actgen_builtin *b)
{
    if (!is_wanted(payload, b)) return 0;
    const char *cells[COLUMNS] = {b->name, b->family, b->form};
    table_row(columns, COLUMNS, cells);
    if (b->alias_of)
        table_details("another name for %s", b->alias_of);
    else if (strncmp(b->definition, b->name, strlen(b->name)) != 0)
        table_details("%s", b->definition);
    return 0;
}

static int print_builtin_object(void *payload, const actgen_builtin *b)
{
    struct json *j = json_standard();
    if (!is_wanted(payload, b)) return 0;
    json_object(j);
    json_text(j, "name", b->name);
    json_text(j, "alias_of", b->alias_of);
    json_text(j, "family", b->family);
    json_text(j, "form", b->form);
    json_text(j, "summary", b->summary);
    json_text(j, "definition", b->definition);
    json_close(j);
    return 0;
}

static int list_cores(void)
{
    struct column core_columns[] = {
        {"core", 0, false}, {"isa", 0, false}, {"", 0, false}, {"costs", 0, false}};
    struct json *j = json_standard();
    actgen_core core = ACTGEN_CORE_INIT;
    if (j) {
        for (size_t i = 0; !actgen_core_info(i, &core); i++) {
            json_object(j);
            json_text(j, "name", core.name);
            json_text(j, "isa", core.isa);
            json_truth(j, "default", core.is_default);
            json_truth(j, "here", core.is_here);
            json_text(j, "source", core.source);
            json_close(j);
        }
        return EXIT_GOOD;
    }
    for (int print = 0; print < 2; print++) {
        if (print) table_titles(core_columns, 4);
        for (size_t i = 0; !actgen_core_info(i, &core); i++) {
            char marks[32];
            snprintf(marks, sizeof marks, "%s%s%s", core.is_default ? "default" : "",
                     core.is_default && core.is_here ? ", " : "", core.is_here ? "here" : "");
            const char *cells[] = {core.name, core.isa, marks, core.source};
            for (size_t k = 0; !print && k < 3; k++) table_widen(&core_columns[k], cells[k]);
            if (print) table_row(core_columns, 4, cells);
        }
    }
    return EXIT_GOOD;
}

static void print_word(void *payload, const char *word)
{
    (void)payload;
    printf("%s\n", word);
}

static int list_values(const struct options *options)
{
    const int option = option_named(options->values_of);
    if (option < 0) return usage_error(options->command, "there is no option '%s'", options->values_of);
    if (json_standard())
        return usage_error(options->command, "--values-of prints only words: leave --json out");
    option_values((enum option_id)option, print_word, NULL);
    return EXIT_GOOD;
}

static int check_names(const struct options *options)
{
    int code = EXIT_GOOD;
    for (size_t i = 0; i < options->what_count; i++) {
        actgen_error error = {0};
        actgen_spec *spec = NULL;
        if (actgen_spec_builtin(&spec, options->whats[i].text, &error))
            code = worse_exit(code, print_error(exit_of_status(error.status), "%s", error.message));
        actgen_spec_free(spec);
    }
    return code;
}

int command_list(const struct options *options)
{
    actgen_error error = {0};
    if (options->what_count && (options->values_of || options->cores))
        return usage_error(options->command, "'%s' cannot be given here: names are for the list of built-ins",
                           options->whats[0].text);
    const int code = check_names(options);
    if (code) return code;
    if (options->values_of) return list_values(options);
    if (options->cores) return list_cores();
    int status = ACTGEN_OK;
    if (!json_standard()) {
        status = actgen_builtins(widen, (void *)(uintptr_t)options, &error);
        table_titles(columns, COLUMNS);
    }
    if (!status)
        status = actgen_builtins(json_standard() ? print_builtin_object : print_builtin_row,
                                 (void *)(uintptr_t)options, &error);
    return status ? print_error(exit_of_status(status), "%s", error.message) : EXIT_GOOD;
}
