/* The command line: one table of options, from which come parsing, checks and help. */
#ifndef ACTGEN_CLI_OPTIONS_H
#define ACTGEN_CLI_OPTIONS_H

#include "cli.h"

enum option_id {
    OPTION_HELP,
    OPTION_VERSION,
    OPTION_EXPRESSION,
    OPTION_ACCURACY,
    OPTION_ISA,
    OPTION_TYPE,
    OPTION_TUNE,
    OPTION_PROFILE,
    OPTION_STAGE,
    OPTION_OBJECT,
    OPTION_HEADER,
    OPTION_DEPFILE,
    OPTION_PREFIX,
    OPTION_VISIBILITY,
    OPTION_FORMAT,
    OPTION_DISPATCH,
    OPTION_IN,
    OPTION_OUT,
    OPTION_COLUMNS,
    OPTION_ALL,
    OPTION_EXHAUSTIVE,
    OPTION_SHARD,
    OPTION_MERGE,
    OPTION_MPI,
    OPTION_RESUME,
    OPTION_REPORT,
    OPTION_SIZES,
    OPTION_ROWS,
    OPTION_COLS,
    OPTION_STRIDE,
    OPTION_JSON,
    OPTION_CACHE,
    OPTION_NO_CACHE,
    OPTION_LATENCY,
    OPTION_CORES,
    OPTION_VALUES_OF,
    OPTION_PLAN,
    OPTION_PLANS,
    OPTION_INTERVAL,
    OPTION_VARY,
    OPTION_VALUE,
    OPTION_PANELS,
    OPTION_TO,
    OPTION_PARAMETER,
    OPTION_MEASURE,
    OPTION_POINTS,
    OPTION_EXPORT,
    OPTION_BRIEF,
    OPTION_DETAILS,
    OPTION_PROVE,
    OPTION_TIER,
    OPTION_PLAN_LIMIT,
    OPTION_TIME_LIMIT,
    OPTION_MEMORY_LIMIT,
};
#define WITH(option) (UINT64_C(1) << OPTION_##option)

/* Takes argv apart. EXIT_GOOD, or EXIT_USAGE with a message already printed. Free with options_free in both
 * cases. */
int options_parse(struct options *options, int argc, char **argv);
void options_free(struct options *options);

/* Refuses a path whose ending names another format than `own`, "svg" or "html". An exit code; the refusal is
 * printed. */
int refuse_format(const struct options *options, const char *path, const char *own);
/* --interval A,B, or -5 to 5. An error if it is none. */
int options_interval(const struct options *options, double interval[2]);

/* An error if `path` is "-" and --json needs the standard output itself; `path` may be NULL. */
int refuse_standard_output(const struct options *options, const char *path);

/* The option of that name, with its dashes or without them; -1 if there is none. */
int option_named(const char *name);
/* Calls visit(payload, word) for each word that the option's value may be, if those are few: values.c. */
void option_values(enum option_id option, void (*visit)(void *payload, const char *word), void *payload);

extern const char *const language_lines[]; /* docs/language.md; NULL at the end */

bool is_number_word(const char *word); /* "-0.1", or "1,-2" */

void print_usage(void);                                 /* of the program, to stdout */
void print_language(void);                              /* the lines, to stdout */
void print_command_help(const struct command *command); /* to stdout */
const struct command *find_command(const char *name);   /* NULL if there is none */
/* Says on stderr what is wrong with the command line and where help is; the result is EXIT_USAGE. `command`
 * may be NULL. */
int usage_error(const struct command *command, const char *format, ...) __attribute__((format(printf, 2, 3)));

#endif
