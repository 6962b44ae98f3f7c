/* Parses the command line. One table of options is the source of parsing, checks, help and completion. */
#ifndef ACTGEN_CLI_OPTIONS_H
#define ACTGEN_CLI_OPTIONS_H

#include "cli.h"

enum option_id {
#define TEXT(id, ...)   OPTION_##id,
#define SWITCH(id, ...) OPTION_##id,
#define OTHER(id, ...)  OPTION_##id,
#include "options.def"
    OPTION_COUNT
};

/* Parses argv. Returns EXIT_GOOD, or EXIT_USAGE with a message printed. Free with options_free in both cases.
 */
int options_parse(struct options *options, int argc, char **argv);
void options_free(struct options *options);

/* Refuses a path whose ending names another format than `own`, "svg" or "html". Returns an exit code; the
 * refusal is printed. */
int refuse_format(const struct options *options, const char *path, const char *own);
/* Reads --interval A,B; the default is -5,5. Returns an exit code; a failure is printed. */
int options_interval(const struct options *options, double interval[2]);

/* Refuses the path "-" if --json needs the standard output. `path` may be NULL. Returns an exit code. */
int refuse_standard_output(const struct options *options, const char *path);

bool command_has(const struct command *command, enum option_id option);
/* Returns the option of that name, with dashes or without, or -1. */
int option_named(const char *name);
/* Calls visit(payload, word) for each word that the option takes, if there are few (values.c). */
void option_values(enum option_id option, void (*visit)(void *payload, const char *word), void *payload);

extern const char *const language_lines[]; /* docs/language.md; NULL at the end */
extern const char *const help_lines[];     /* src/cli/help.txt; NULL at the end */

/* The help text that has an option (options.def). */
enum option_group { GROUP_OWN, GROUP_COMMON, GROUP_SHARED };
struct option_row {
    enum option_group group;
    unsigned commands;    /* bits 1 << COMMAND_... */
    char letter;          /* 0 = none */
    const char *name;     /* without the dashes; NULL = none */
    const char *argument; /* NULL: a switch */
    const char *words;    /* what the option takes; NULL: any text, or what values.c lists */
    const char *help;
    enum { KIND_TEXT, KIND_SWITCH, KIND_OTHER } kind;
    size_t offset; /* of the field in struct options; 0 for KIND_OTHER */
};
extern const struct option_row option_rows[OPTION_COUNT]; /* by enum option_id */

/* These print to the standard output (help.c). */
bool is_number_word(const char *word); /* "-0.1", or "1,-2" */

void print_usage(void); /* of the program */
void print_language(void);
void print_command_help(const struct command *command);
void print_options(const struct command *command); /* all that the command has; NULL: those that most share */
const struct command *find_command(const char *name); /* NULL if there is none */
/* Prints what is wrong with the command line, and where help is. Returns EXIT_USAGE. `command` may be NULL.
 */
int usage_error(const struct command *command, const char *format, ...) __attribute__((format(printf, 2, 3)));

#endif
