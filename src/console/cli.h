/* Shared declarations of the program `actgen`. The program uses the library only through include/actgen.h. */
#ifndef ACTGEN_CLI_H
#define ACTGEN_CLI_H

#include <actgen.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum exit_code { /* documented in docs/actgen.1 */
                 EXIT_GOOD = 0,
                 EXIT_INPUT = 1,     /* the input is wrong, or a bound is missed */
                 EXIT_USAGE = 2,     /* the command line is wrong */
                 EXIT_IO = 3,        /* a file cannot be read or written */
                 EXIT_TARGET = 4,    /* the instruction set is unknown, or not on this machine */
                 EXIT_LIMIT = 5,     /* the work takes more time or memory than was allowed */
                 EXIT_MEMORY = 6,    /* memory ran out */
                 EXIT_INTERNAL = 70, /* LLVM refused or aborted */
                 EXIT_INTERRUPTED = 130
};

struct what { /* one WHAT of the command line */
    const char *text;
    bool is_expression; /* given by -e */
};

struct array_file {             /* one --in or --out */
    const char *path, *columns; /* NULL: all columns */
};

struct named_value { /* NAME=NUMBER */
    char *name;
    double value; /* NaN: not given */
};

struct options { /* the parsed command line; texts point into argv */
    const struct command *command;
    struct what *whats;
    size_t what_count;
    struct array_file *inputs; /* --in */
    size_t input_count;
    struct array_file *outputs; /* --out */
    size_t output_count;
    struct array_file *last_file; /* the file that --columns is about */
    struct named_value *values;   /* --value */
    size_t value_count;
    struct named_value *parameters; /* --parameter */
    size_t parameter_count;
    const char *object;            /* -o */
    bool language, shared_options; /* `actgen help language`, and `actgen help options` */
#define TEXT(id, group, commands, letter, name, argument, field, help) const char *field;
#define SWITCH(id, group, commands, letter, name, field, help)         bool field;
#define OTHER(...)
#include "options.def"
};

enum command_code { /* what a command does with machine code */
                    CODE_SHOWN,
                    CODE_LINKED, /* all kernels go into one object, which has one architecture */
                    CODE_RUN     /* only code of this machine's architecture */
};

struct command {
    const char *name, *arguments, *summary; /* help.txt has more of it */
    int (*run)(const struct options *options);
    enum command_code code;
};

enum command_id {
#define COMMAND(name, ...) COMMAND_##name,
#include "commands.def"
    COMMAND_COUNT
};
extern const struct command commands[COMMAND_COUNT + 1]; /* ends with a NULL name */

#define COMMAND(name, ...) int command_##name(const struct options *options);
#include "commands.def"

/* Returns the worse of two exit codes, which is the larger one. */
int worse_exit(int a, int b);
int exit_of_status(int status); /* the exit code for an ACTGEN_ status */

/* After catch_interrupt(), SIGINT only makes was_interrupted() true. Long commands then stop with the results
 * so far. */
void catch_interrupt(void);
bool was_interrupted(void);

/* These functions allocate memory, and end the program if there is none. */
void *must_allocate(size_t count, size_t size);
void *must_grow(void *memory, size_t count, size_t size);
char *must_join(const char *const *names); /* "a, b, c", as many as fit a line; `names` ends with NULL */
char *must_format(const char *format, ...) __attribute__((format(printf, 1, 2)));

#endif
