/* Failures: a message on stderr, and with --json an object on stdout. */
#ifndef ACTGEN_CLI_DIAGNOSTICS_H
#define ACTGEN_CLI_DIAGNOSTICS_H

#include "cli.h"
#include "json.h"

struct problem {             /* one failure; what is not known is NULL */
    int code;                /* the exit code that it stands for */
    const char *name, *isa;  /* of the kernel that it is about */
    const char *file, *text; /* where it is; `text` is what the place of `error` is in, and shown */
    size_t text_length;
    const actgen_error *error;
    const char *message;
    const char *hint; /* what to do, unless the message has it */
};
/* "file:line:column: error: message", the line and a caret range below; without a text "actgen: error:
 * message". Returns the code. */
int print_problem(const struct problem *p);
/* The members of every object that is about a failure: docs/actgen.1, JSON. */
void json_problem(struct json *j, const struct problem *p);
/* Whether print_problem makes objects of --json; returns whether it did. A command that tells failures by its
 * own objects turns it off. */
bool problems_are_objects(bool wanted);

/* "actgen: error: ..." on one line; control characters are shown escaped. Both return `code`. */
int print_error(int code, const char *format, ...) __attribute__((format(printf, 2, 3)));
int print_file_error(int code, const char *file, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
void print_note(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* "there is no core 'zen6'; did you mean 'zen5'?", or which there are: `names`, NULL at the end. Returns
 * `code`. */
int print_unknown(int code, const char *kind, const char *name, const char *const *names);

/* What is wrong with a text, and where. Returns the exit code that belongs to the error. */
int print_diagnostic(const char *file, const char *text, size_t length, const actgen_error *error);

/* True for a terminal on which colour is welcome. */
bool wants_colour(int descriptor);

#endif
