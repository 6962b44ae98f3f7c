/* Help: the texts of help.txt, with lists of commands and options made from their tables. */
#include "file.h"
#include "options.h"
#include "table.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Says where the folder examples is, which help names files of, unless it is here. */
static void print_examples(void)
{
    static const char *const places[] = {"../share/doc/actgen/examples",
                                         "../../examples"}; /* installed; built */
    char program[PATH_MAX], path[2 * PATH_MAX], real[PATH_MAX];
    const ssize_t length = readlink("/proc/self/exe", program, sizeof program - 1);
    if (length <= 0 || !access("examples/ffn.act", R_OK)) return;
    program[length] = 0;
    for (size_t i = 0; i < sizeof places / sizeof *places; i++) {
        snprintf(path, sizeof path, "%.*s/%s", (int)(strrchr(program, '/') - program), program, places[i]);
        if (!realpath(path, real)) continue;
        printf("\nThe folder examples is %s.\n", real);
        return;
    }
}

/* Prints the options of a group that the command has, or all of that group for NULL. */
static void print_group(const struct command *command, enum option_group group)
{
    for (size_t i = 0; i < OPTION_COUNT; i++) {
        const struct option_row *row = &option_rows[i];
        char text[64], letter[8] = "";
        if (row->group != group || (command && !command_has(command, (enum option_id)i))) continue;
        if (row->letter) snprintf(letter, sizeof letter, "-%c%s", row->letter, row->name ? ", " : "");
        snprintf(text, sizeof text, "%s%s%s%s%s", letter, row->name ? "--" : "", row->name ? row->name : "",
                 row->argument ? " " : "", row->argument ? row->argument : "");
        printf("  %-22s  %s\n", text, row->help);
    }
}

static void print_commands(void)
{
    for (const struct command *c = commands; c->name; c++) printf("  %-8s %s\n", c->name, c->summary);
}

/* Prints the section of help.txt after the line "= NAME". `command` may be NULL. Returns true if the section
 * names examples. */
static bool print_section(const char *name, const struct command *command)
{
    bool is_inside = false, has_examples = false;
    for (const char *const *line = help_lines; *line; line++) {
        if (!strncmp(*line, "= ", 2)) {
            is_inside = !strncmp(*line + 2, name, strlen(name)) && (*line)[2 + strlen(name)] == '\n';
        } else if (is_inside && !strcmp(*line, "@commands\n")) {
            print_commands();
        } else if (is_inside && command && !strcmp(*line, "@usage\n")) {
            printf("usage: actgen %s %s\n", command->name, command->arguments);
        } else if (is_inside) {
            has_examples |= strstr(*line, "examples/") != NULL;
            fputs(*line, stdout);
        }
    }
    return has_examples;
}

void print_usage(void)
{
    print_section("actgen", NULL);
    print_examples();
}

void print_language(void)
{
    for (const char *const *line = language_lines; *line; line++) fputs(*line, stdout);
}

static void add_word(void *payload, const char *word)
{
    struct buffer *text = payload;
    if (text->size) buffer_write(text, ", ", 2);
    buffer_write(text, word, strlen(word));
}

static void print_values(enum option_id option)
{
    struct buffer text = {0};
    option_values(option, add_word, &text);
    table_details("--%s: %s.", option_rows[option].name, text.data);
    buffer_free(&text);
}

void print_options(const struct command *command)
{
    if (!command) print_section("options", NULL);
    if (command) print_group(command, GROUP_OWN);
    print_group(command, GROUP_COMMON);
    print_group(command, GROUP_SHARED);
    if (command) return;
    puts("\nTheir values:");
    print_values(OPTION_TYPE);
    print_values(OPTION_ISA);
    print_values(OPTION_TUNE);
}

void print_command_help(const struct command *command)
{
    printf("%s.\n\n", command->summary);
    const bool has_examples = print_section(command->name, command);
    print_group(command, GROUP_OWN);
    print_group(command, GROUP_COMMON);
    if (command_has(command, OPTION_CACHE))
        printf("\nactgen help %s options lists more, for planning and caching.\n", command->name);
    if (has_examples) print_examples();
}
