/* Prints failures: a message on stderr, and with --json an object on stdout. */
#ifndef ACTGEN_CLI_DIAGNOSTICS_H
#define ACTGEN_CLI_DIAGNOSTICS_H

#include "cli.h"
#include "json.h"

struct problem {             /* one failure; unknown members are NULL */
    int code;                /* the exit code that it stands for */
    const char *name, *isa;  /* the kernel's */
    const char *file, *text; /* the place: `error` has the line in `text`, which is shown */
    size_t text_length;
    const actgen_error *error;
    const char *message;
    const char *hint; /* what to do, unless the message says it */
};
/* Prints "file:line:column: error: message", then the line with carets below. Without a text it prints
 * "actgen: error: message". Returns the code. */
int print_problem(const struct problem *p);
/* Writes the members that every object for a failure has (docs/actgen.1, JSON). */
void json_problem(struct json *j, const struct problem *p);
/* Sets whether print_problem writes objects for --json, and returns the old setting. A command that reports
 * failures in its own objects turns it off. */
bool problems_are_objects(bool wanted);

/* Both print "actgen: error: ..." on one line, with control characters escaped, and return `code`. */
int print_error(int code, const char *format, ...) __attribute__((format(printf, 2, 3)));
int print_file_error(int code, const char *file, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
void print_note(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* Prints "there is no core 'zen6'; did you mean 'zen5'?", or a list of `names`, which ends with NULL. Returns
 * `code`. */
int print_unknown(int code, const char *kind, const char *name, const char *const *names);

/* Prints what is wrong with a text, and where. Returns the exit code for the error. */
int print_diagnostic(const char *file, const char *text, size_t length, const actgen_error *error);

/* Returns true for a terminal on which colour is welcome. */
bool wants_colour(int descriptor);

#endif
